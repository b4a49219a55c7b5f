"""Constrained dynamics and their derivatives in Crocoddyl: contacts, loops closed by rows, dependent rows, impacts.

    import crocoddyl, tenon, tenon.crocoddyl
    robot = tenon.Model.load("anymal.urdf", base="floating")
    problem = tenon.crocoddyl.with_tenon(problem, robot)  # a problem of Crocoddyl's own models
    model = tenon.crocoddyl.ForwardDynamics(state, actuation, costs, workspace)  # or one of your own

State, actuation and costs are Crocoddyl's, of the Pinocchio model of the same robot, so their coordinates are
Pinocchio's; joints are matched by name. Models of one workspace are used by one thread, and so are all models of a
problem with one that Python defines. Which contacts are active, and their gains, are read when a model is made, and
which costs there are, when its data is: of kinematics, and of accelerations, no more is computed than Crocoddyl's own
costs read, and all of it for costs of other kinds. Load robots whose file has loops with loop_treatment="rows".
Constraints of Crocoddyl on states and controls (ConstraintModelManager) are not there.

Where a function of Python raises, Crocoddyl ends the process. So a computation that fails gives NaN, which its solvers
take for a step that was too long, and the model's `error` tells the last failure."""

from __future__ import annotations

import math
from typing import NamedTuple

import crocoddyl
import numpy as np
import pinocchio

from ._core import Error
from ._crocoddyl import CONSTANT_ACTUATION, Coordinates, Dynamics, Impacts, Reading, active, once
from .constraints import Constraints
from .model import Model
from .workspace import Workspace

_SLOW = 1e-9  # rad/s: rows with a gain on their velocity only


def _place(state, robot: Model, frame: int):
    """Link of a frame of Pinocchio, and the frame's placement in it."""
    frames = state.pinocchio.frames
    wanted = frames[frame]
    for body in frames:
        if body.parentJoint == wanted.parentJoint and body.type == pinocchio.BODY and body.name in robot.links:
            return body.name, body.placement.actInv(wanted.placement)
    raise ValueError(f"no link of Tenon's model moves with the frame {wanted.name}")


class _Contact(NamedTuple):
    """What rows take from a contact or impulse."""

    name: str
    link: str
    placement: tuple  # of the frame in the link, 4 x 4
    is_local: bool
    size: int
    gains: tuple
    reference: tuple


def _contacts(state, robot: Model, contacts) -> tuple[_Contact, ...]:
    def described(name, contact):
        link, placement = _place(state, robot, contact.id)
        gains = tuple(getattr(contact, "gains", (0.0, 0.0)))
        reference = tuple(getattr(contact, "reference", np.zeros(3))) if contact.nc == 3 else ()
        placement = tuple(placement.homogeneous.flat)
        return _Contact(name, link, placement, contact.type == pinocchio.LOCAL, contact.nc, gains, reference)

    return tuple(described(*item) for item in ({} if contacts is None else active(contacts)).items())


def add_contacts(constraints: Constraints, state, contacts, damping: float = 0.0) -> dict[str, np.ndarray]:
    """Adds the active contacts of a ContactModelMultiple, or impulses of an ImpulseModelMultiple, under their names.
    Gives their anchors. damping: of J M^-1 J^T, as Crocoddyl's; compliance here."""
    anchors = {}
    for contact in _contacts(state, constraints.model, contacts):
        stiffness, speed = contact.gains
        frequency = math.sqrt(stiffness) or (_SLOW if speed else 0.0)
        how = {"name": contact.name, "frequency": frequency}
        how["damping_ratio"] = speed / (2 * frequency) if frequency else 1.0
        if damping:
            how["compliance"] = [damping] * contact.size
        placement = pinocchio.SE3(np.reshape(contact.placement, (4, 4)))
        if contact.size == 3:
            axes = "link" if contact.is_local else "world"
            constraints.add_weld(contact.link, pinocchio.SE3ToXYZQUAT(placement), rows=["linear"], axes=axes, **how)
            anchors[contact.name] = np.array([*contact.reference, 0, 0, 0, 1.0])
        elif contact.size == 6 and contact.is_local and not stiffness:
            # Crocoddyl holds the spatial acceleration of the frame, and so do rows; a weld holds the classical one.
            constraints.add_rows(contact.link, placement.toActionMatrixInverse()[:, [3, 4, 5, 0, 1, 2]], **how)
        else:
            text = f"{contact.name}: contacts of 3 rows are taken, and those of 6 along local axes without a gain on"
            raise NotImplementedError(text + " their position; add others to the constraints of the workspace")
    return anchors


def workspace_of(robot: Model, state, contacts=None, damping: float = 0.0, armature=0.0) -> Workspace:
    """A workspace with the contacts or impulses of Crocoddyl, and the loops of the robot that rows close. armature:
    what a model of Crocoddyl adds to those of Pinocchio's model, which are taken."""
    constraints = Constraints(robot)
    anchors = add_contacts(constraints, state, contacts, damping)
    workspace = Workspace(robot, constraints)
    for name, pose in anchors.items():
        workspace.set_anchor(name, pose)
    armatures = np.asarray(state.pinocchio.armature) + armature
    workspace.set_joint_parameters(armatures=armatures[Coordinates.of(state, workspace).to_tenon])
    return workspace


def _rows(workspace: Workspace, contacts) -> tuple[int, ...]:
    """Rows of Crocoddyl's contacts or impulses among those of a workspace, in Crocoddyl's order."""
    known = [workspace.constraints[name] for name in (() if contacts is None else active(contacts))]
    return tuple(c.first_row + row for c in known for row in range(c.row_count))


class _Model:
    """What both models share."""

    error: Exception | None = None

    def _failed(self, error, data, *names):
        """These numbers of the data become NaN."""
        self.error = error
        for name in names:
            setattr(data, name, getattr(data, name) * np.nan)


class ForwardDynamics(_Model, crocoddyl.DifferentialActionModelAbstract):
    """The dynamics of a workspace with costs and actuation of Crocoddyl.

    contacts: a ContactModelMultiple whose active contacts the workspace has by name (workspace_of), for costs that look
    at contact forces. forces: False where no cost looks at their derivatives, which spares a solve."""

    def __init__(self, state, actuation, costs, workspace: Workspace, contacts=None, forces: bool = True):
        crocoddyl.DifferentialActionModelAbstract.__init__(self, state, actuation.nu, costs.nr)
        self.actuation, self.costs, self.workspace, self.contacts = actuation, costs, workspace, contacts
        self.pinocchio, rows = state.pinocchio, _rows(workspace, contacts)
        self.u_lb, self.u_ub = actuation.u_lb, actuation.u_ub
        # A constant actuation has derivatives by u among those by tau; of another one these are multiplied.
        self.is_constant = type(actuation) in CONSTANT_ACTUATION
        moved = np.argmax(actuation.createData().dtau_du, 0) if self.is_constant else range(state.nv)
        at, with_forces = Coordinates.of(state, workspace), forces and len(rows) > 0
        self.dynamics = once(workspace, Dynamics, at, rows, with_forces, tuple(moved))

    def createData(self):
        return _ForwardData(self)

    def calc(self, data, x, u=None):
        reading, costs, of_costs = data.reading, self.costs, data.costs
        reading.calc(self.pinocchio, data.pinocchio, x)
        if u is None:
            costs.calc(of_costs, x)
            data.cost = of_costs.cost
            return
        of_actuation, contacts = data.actuation, self.contacts
        self.actuation.calc(of_actuation, x, u)
        try:
            a, force = self.dynamics.solve(self.workspace, x, of_actuation.tau)
        except Error as error:
            self._failed(error, data, "xout", "cost")
            return
        data.xout = a
        if reading.joints:
            data.joint.a, data.joint.tau = a, u
        if contacts is not None:
            of_contacts = data.contacts
            contacts.calc(of_contacts, x)
            contacts.updateForce(of_contacts, force)
            if not reading.little:
                contacts.updateAcceleration(of_contacts, a)
        costs.calc(of_costs, x, u)
        data.cost = of_costs.cost

    def calcDiff(self, data, x, u=None):
        reading, dynamics, of_actuation = data.reading, self.dynamics, data.actuation
        if u is None:
            self.costs.calcDiff(data.costs, x)
            return
        if not reading.little:
            reading.calc_diff(self.pinocchio, data.pinocchio, x, data.xout)
        try:
            by = dynamics.differentiate(self.workspace, x, of_actuation.tau)
        except Error as error:
            self._failed(error, data, "Fx")
            return
        if not self.is_constant:
            self.actuation.calcDiff(of_actuation, x, u)
            self._actuate(of_actuation, by)
        data.Fx, data.Fu = by_x, by_u = by[:2]
        if reading.joints:
            data.joint.da_dx, data.joint.da_du = by_x, by_u
        if dynamics.with_forces:
            self.contacts.updateForceDiff(data.contacts, *by[2:])
            if not reading.little:
                self.contacts.updateAccelerationDiff(data.contacts, by_x)
        self.costs.calcDiff(data.costs, x, u)

    @staticmethod
    def _actuate(actuation, by):
        """By x and u, from those by x and tau."""
        dtau_dx, dtau_du = actuation.dtau_dx, actuation.dtau_du
        if dtau_dx.any():
            by[::2] = [by_x + by_tau @ dtau_dx for by_x, by_tau in zip(by[::2], by[1::2])]
        by[1::2] = [by_tau @ dtau_du for by_tau in by[1::2]]

    def quasiStatic(self, data, x, maxiter=100, tol=1e-9):
        """Controls and constraint forces of least squares that hold the robot still."""
        at, work, still = self.dynamics.at, self.workspace, np.array(x)
        still[self.state.nq :] = 0
        self.actuation.calcDiff(data.actuation, still, np.zeros(self.nu))
        try:
            at.read(work, still)
            J, tau = work.constraint_rows(at.q, at.v).J[:, at.to_other], work.gravity_force(at.q)[at.to_other]
            return np.linalg.lstsq(np.hstack((data.actuation.dtau_du, J.T)), tau, rcond=None)[0][: self.nu]
        except (Error, np.linalg.LinAlgError) as error:
            self.error = error
            return np.full(self.nu, np.nan)


class _ForwardData(crocoddyl.DifferentialActionDataAbstract):
    def __init__(self, model: ForwardDynamics):
        super().__init__(model)
        self.pinocchio = model.state.pinocchio.createData()
        self.actuation = model.actuation.createData()
        self.joint = crocoddyl.JointDataAbstract(model.state, model.actuation, model.nu)
        self.joint.dtau_du = np.eye(*self.joint.dtau_du.shape)
        shared = self.pinocchio, self.actuation, self.joint
        if model.contacts is None:
            self.multibody = crocoddyl.DataCollectorJointActMultibody(*shared)
        else:
            self.contacts = model.contacts.createData(self.pinocchio)
            self.multibody = crocoddyl.DataCollectorJointActMultibodyInContact(*shared, self.contacts)
        self.costs = model.costs.createData(self.multibody)
        self.costs.shareMemory(self)
        self.reading = Reading.of(model.state, model.costs, model.contacts, model.workspace)


class Impact(_Model, crocoddyl.ActionModelAbstract):
    """An impact on all rows of a workspace, with costs of Crocoddyl. impulses: an ImpulseModelMultiple whose active
    impulses the workspace has by name, for costs that look at impulses."""

    def __init__(self, state, costs, workspace: Workspace, impulses=None, restitution: float = 0.0):
        crocoddyl.ActionModelAbstract.__init__(self, state, 0, costs.nr)
        self.costs, self.workspace, self.impulses, self.restitution = costs, workspace, impulses, restitution
        self.pinocchio = state.pinocchio
        self.impacts = once(workspace, Impacts, Coordinates.of(state, workspace), _rows(workspace, impulses))

    def createData(self):
        return _ImpactData(self)

    def calc(self, data, x, u=None):
        data.reading.calc(self.pinocchio, data.pinocchio, x)
        try:
            v, impulse = self.impacts.solve(self.workspace, x, self.restitution)
        except Error as error:
            self._failed(error, data, "xnext", "cost")
            return
        data.xnext = np.concatenate((x[: self.state.nq], v))
        if self.impulses is not None:
            self.impulses.calc(data.impulses, x)
            self.impulses.updateVelocity(data.impulses, v)
            self.impulses.updateForce(data.impulses, impulse)
        self.costs.calc(data.costs, x, *([] if u is None else [u]))
        data.cost = data.costs.cost

    def calcDiff(self, data, x, u=None):
        reading = data.reading
        if not reading.little:
            reading.calc_diff(self.pinocchio, data.pinocchio, x, reading.still)
        try:
            by_x, impulse_by_x = self.impacts.differentiate(self.workspace, x, self.restitution)
        except Error as error:
            self._failed(error, data, "Fx")
            return
        data.Fx = np.vstack((np.eye(len(by_x), 2 * len(by_x)), by_x))
        if self.impulses is not None:
            self.impulses.updateVelocityDiff(data.impulses, by_x)
            self.impulses.updateForceDiff(data.impulses, impulse_by_x)
        self.costs.calcDiff(data.costs, x, *([] if u is None else [u]))


class _ImpactData(crocoddyl.ActionDataAbstract):
    def __init__(self, model: Impact):
        super().__init__(model)
        self.pinocchio = model.state.pinocchio.createData()
        if model.impulses is None:
            self.multibody = crocoddyl.DataCollectorMultibody(self.pinocchio)
        else:
            self.impulses = model.impulses.createData(self.pinocchio)
            self.multibody = crocoddyl.DataCollectorMultibodyInImpulse(self.pinocchio, self.impulses)
        self.costs = model.costs.createData(self.multibody)
        self.costs.shareMemory(self)
        self.reading = Reading.of(model.state, model.costs, model.impulses, model.workspace)


def like(model, robot: Model, workspaces: dict | None = None):
    """A model of Crocoddyl with Tenon's dynamics in place of its own. workspaces: those that models of this robot made
    before, which one with the same contacts shares."""
    if model.ng or model.nh:
        raise NotImplementedError(f"{model}: constraints on states and controls are not taken over")
    if isinstance(model, crocoddyl.IntegratedActionModelEuler):
        return crocoddyl.IntegratedActionModelEuler(like(model.differential, robot, workspaces), model.control, model.dt)
    is_impact, state = isinstance(model, crocoddyl.ActionModelImpulseFwdDynamics), model.state
    kinds = (crocoddyl.DifferentialActionModelFreeFwdDynamics, crocoddyl.DifferentialActionModelContactFwdDynamics)
    if not is_impact and not isinstance(model, kinds):
        name = type(model).__name__
        raise NotImplementedError(f"{name}: free and contact forward dynamics, impulses and Euler steps are taken")
    contacts = model.impulses if is_impact else getattr(model, "contacts", None)
    damping, workspaces = getattr(model, "JMinvJt_damping", 0.0), {} if workspaces is None else workspaces
    armatures = (*state.pinocchio.armature, *np.broadcast_to(model.armature, state.nv))
    key = (*state.pinocchio.names, *armatures, damping, _contacts(state, robot, contacts))
    if key not in workspaces:
        workspaces[key] = workspace_of(robot, state, contacts, damping, model.armature)
    if is_impact:
        return Impact(state, model.costs, workspaces[key], contacts, model.r_coeff)
    return ForwardDynamics(state, model.actuation, model.costs, workspaces[key], contacts)


def with_tenon(problem: crocoddyl.ShootingProblem, robot: Model) -> crocoddyl.ShootingProblem:
    """The same problem with Tenon's dynamics. Models that occur several times are made once, and models with the same
    contacts share a workspace, which stays in the processor's cache: what is set in it, such as an anchor, is set for
    all of them."""
    made: dict[int, object] = {}
    workspaces: dict[tuple, Workspace] = {}
    models = [*problem.runningModels, problem.terminalModel]
    for model in models:
        if id(model) not in made:
            made[id(model)] = like(model, robot, workspaces)
    *running, terminal = (made[id(model)] for model in models)
    return crocoddyl.ShootingProblem(problem.x0, running, terminal)
