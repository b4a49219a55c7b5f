"""Constrained dynamics and their derivatives in Crocoddyl: contacts, loops closed by rows, dependent rows, impacts.

    import crocoddyl, tenon, tenon.crocoddyl
    robot = tenon.Model.load("anymal.urdf", base="floating")
    problem = tenon.crocoddyl.with_tenon(problem, robot)  # a problem of Crocoddyl's own models
    model = tenon.crocoddyl.ForwardDynamics(state, actuation, costs, workspace)  # or one of your own

State, actuation and costs are Crocoddyl's, of the Pinocchio model of the same robot, so their coordinates are
Pinocchio's; joints are matched by name. A model is used by one thread, as are all models that Python defines. Which
contacts are active, and their gains, are read when a model is made. Load robots whose file has loops with
loop_treatment="rows". Constraints of Crocoddyl on states and controls (ConstraintModelManager) are not there.

Where a function of Python raises, Crocoddyl ends the process. So a computation that fails gives NaN, which its solvers
take for a step that was too long, and the model's `error` tells the last failure."""

from __future__ import annotations

import math
from functools import wraps

import crocoddyl
import numpy as np
import pinocchio

from ._core import Error
from .constraints import Constraints
from .model import Model
from .workspace import Workspace

_SLOW = 1e-9  # rad/s: rows with a gain on their velocity only


class _Coordinates:
    """Between Crocoddyl's x and Tenon's q and v. Tangent vectors, velocities, accelerations and forces differ by their
    order only."""

    def __init__(self, state: crocoddyl.StateMultibody, workspace: Workspace):
        names, robot = list(state.pinocchio.names)[1:], workspace.model
        if sorted(names) != sorted(robot.joints):
            raise ValueError(f"joints of Pinocchio's model {names} and of Tenon's {list(robot.joints)} differ")
        self.joints = np.array([robot.joint_index(name) for name in names], np.int32)
        self.workspace, self.nq, nv = workspace, state.nq, state.nv
        count = np.arange(nv, dtype=float)
        q = workspace.neutral()
        # of_crocoddyl[to_tenon] is in Tenon's order, and of_tenon[to_other] in Crocoddyl's.
        self.to_tenon = workspace.convert_velocity("pinocchio", "from_other", q, count, self.joints).astype(int)
        self.to_other = np.argsort(self.to_tenon)
        # Columns of [by q, by v, by tau].
        self.columns = np.concatenate((self.to_other, nv + self.to_other)), 2 * nv + self.to_other
        self.by_x, self.by_tau = (np.ix_(self.to_other, columns) for columns in self.columns)

    def nowhere(self):
        """q, v and tau before they are known: derivatives there are refused."""
        return [np.full(count, np.nan) for count in (self.workspace.nq, self.workspace.nv, self.workspace.nv)]

    def split(self, x):
        q = self.workspace.convert_configuration("pinocchio", "from_other", x[: self.nq], self.joints)
        return q, x[self.nq :][self.to_tenon]


def _place(state, robot: Model, frame: int):
    """Link of a frame of Pinocchio, and the frame's placement in it."""
    frames = state.pinocchio.frames
    wanted = frames[frame]
    for body in frames:
        if body.parentJoint == wanted.parentJoint and body.type == pinocchio.BODY and body.name in robot.links:
            return body.name, body.placement.actInv(wanted.placement)
    raise ValueError(f"no link of Tenon's model moves with the frame {wanted.name}")


def _active(contacts) -> dict:
    """Active contacts of a ContactModelMultiple, or impulses of an ImpulseModelMultiple, by name, as their rows are."""
    kind = "contact" if isinstance(contacts, crocoddyl.ContactModelMultiple) else "impulse"
    items = getattr(contacts, kind + "s").todict()
    return {name: getattr(items[name], kind) for name in sorted(items) if items[name].active}


def add_contacts(constraints: Constraints, state, contacts, damping: float = 0.0) -> dict[str, np.ndarray]:
    """Adds the active contacts of a ContactModelMultiple, or impulses of an ImpulseModelMultiple, under their names.
    Gives their anchors. damping: of J M^-1 J^T, as Crocoddyl's; compliance here."""
    anchors = {}
    for name, contact in _active(contacts).items():
        link, placement = _place(state, constraints.model, contact.id)
        local, size = contact.type == pinocchio.LOCAL, contact.nc
        stiffness, speed = getattr(contact, "gains", (0.0, 0.0))
        frequency = math.sqrt(stiffness) or (_SLOW if speed else 0.0)
        how = {"name": name, "frequency": frequency, "damping_ratio": speed / (2 * frequency) if frequency else 1.0}
        if damping:
            how["compliance"] = [damping] * size
        if size == 3:
            pose = pinocchio.SE3ToXYZQUAT(placement)
            constraints.add_weld(link, pose, rows=["linear"], axes="link" if local else "world", **how)
            anchors[name] = np.array([*getattr(contact, "reference", np.zeros(3)), 0, 0, 0, 1.0])
        elif size == 6 and local and not stiffness:
            # Crocoddyl holds the spatial acceleration of the frame, and so do rows; a weld holds the classical one.
            constraints.add_rows(link, placement.toActionMatrixInverse()[:, [3, 4, 5, 0, 1, 2]], **how)
        else:
            text = f"{name}: contacts of 3 rows are taken, and those of 6 along local axes without a gain on their"
            raise NotImplementedError(text + " position; add others to the constraints of the workspace")
    return anchors


def workspace_of(robot: Model, state, contacts=None, damping: float = 0.0, armature=0.0) -> Workspace:
    """A workspace with the contacts or impulses of Crocoddyl, and the loops of the robot that rows close. armature:
    what a model of Crocoddyl adds to those of Pinocchio's model, which are taken."""
    constraints = Constraints(robot)
    anchors = {} if contacts is None else add_contacts(constraints, state, contacts, damping)
    workspace = Workspace(robot, constraints)
    for name, pose in anchors.items():
        workspace.set_anchor(name, pose)
    armatures = np.asarray(state.pinocchio.armature) + armature
    workspace.set_joint_parameters(armatures=armatures[_Coordinates(state, workspace).to_tenon])
    return workspace


def _rows(workspace: Workspace, contacts) -> np.ndarray:
    """Rows of Crocoddyl's contacts or impulses among those of a workspace, in Crocoddyl's order."""
    known = [workspace.constraints[name] for name in (() if contacts is None else _active(contacts))]
    each = [np.arange(c.first_row, c.first_row + c.row_count) for c in known]
    return np.concatenate(each or [[]]).astype(int)


def _nan_for(*names):
    """Of what fails these numbers of the data become NaN; of a method without data, its answer."""

    def decorate(method):
        @wraps(method)
        def safe(self, data, x, *others):
            try:
                return method(self, data, x, *others)
            except (Error, np.linalg.LinAlgError) as error:
                self.error = error
            for name in names:
                setattr(data, name, getattr(data, name) * np.nan)
            return None if names else np.full(self.nu, np.nan)

        return safe

    return decorate


class ForwardDynamics(crocoddyl.DifferentialActionModelAbstract):
    """The dynamics of a workspace with costs and actuation of Crocoddyl.

    contacts: a ContactModelMultiple whose active contacts the workspace has by name (workspace_of), for costs that look
    at contact forces. forces: False where no cost looks at their derivatives, which spares a solve."""

    error: Exception | None = None

    def __init__(self, state, actuation, costs, workspace: Workspace, contacts=None, forces: bool = True):
        super().__init__(state, actuation.nu, costs.nr)
        self.actuation, self.costs, self.workspace, self.contacts = actuation, costs, workspace, contacts
        self.coordinates = _Coordinates(state, workspace)
        self.rows = _rows(workspace, contacts)
        self.forces = forces and len(self.rows) > 0
        in_solution = state.nv + self.rows
        self.force_by_x, self.force_by_tau = (np.ix_(in_solution, columns) for columns in self.coordinates.columns)
        self.u_lb, self.u_ub = actuation.u_lb, actuation.u_ub

    def createData(self):
        return _ForwardData(self)

    @_nan_for("xout", "cost")
    def calc(self, data, x, u=None):
        model, nq = self.state.pinocchio, self.state.nq
        pinocchio.computeAllTerms(model, data.pinocchio, x[:nq], x[nq:])
        pinocchio.computeCentroidalMomentum(model, data.pinocchio)
        if u is None:
            self.costs.calc(data.costs, x)
            data.cost = data.costs.cost
            return
        at = self.coordinates
        data.at = at.nowhere()
        self.actuation.calc(data.actuation, x, u)
        data.at = [*at.split(x), data.actuation.tau[at.to_tenon]]
        qdd, force = self.workspace.constrained_dynamics(*data.at)
        data.xout = data.joint.a = qdd[at.to_other]
        data.joint.tau = u
        if self.contacts is not None:
            self.contacts.calc(data.contacts, x)
            self.contacts.updateAcceleration(data.contacts, data.xout)
            self.contacts.updateForce(data.contacts, force[self.rows])
        self.costs.calc(data.costs, x, u)
        data.cost = data.costs.cost

    @_nan_for("Fx")
    def calcDiff(self, data, x, u=None):
        if u is None:
            self.costs.calcDiff(data.costs, x)
            return
        at, nq, nv, actuation = self.coordinates, self.state.nq, self.state.nv, data.actuation
        self.actuation.calcDiff(actuation, x, u)
        dtau_dx, dtau_du = actuation.dtau_dx, actuation.dtau_du
        # Of the costs' kinematics.
        pinocchio.computeRNEADerivatives(self.state.pinocchio, data.pinocchio, x[:nq], x[nq:], data.xout)
        by, names = data.by, ("dx_dq", "dx_dv", "dx_dtau") if self.forces else ("dqdd_dq", "dqdd_dv", "dqdd_dtau")
        wanted = {name: by[:, k * nv : (k + 1) * nv] for k, name in enumerate(names)}
        if self.forces:
            self.workspace.constrained_solution_derivatives(*data.at, out=False, force=False, dx_ddesired=False, **wanted)
        else:
            self.workspace.constrained_dynamics_derivatives(*data.at, out=False, force=False, dqdd_ddesired=False, **wanted)
        by_x, by_tau = by[at.by_x], by[at.by_tau]
        acts = dtau_dx.any()
        data.Fx = data.joint.da_dx = by_x = by_x + by_tau @ dtau_dx if acts else by_x
        data.Fu = data.joint.da_du = by_tau @ dtau_du
        if self.forces:
            force_by_x, by_tau = by[self.force_by_x], by[self.force_by_tau]
            self.contacts.updateAccelerationDiff(data.contacts, by_x)
            force_by_x = force_by_x + by_tau @ dtau_dx if acts else force_by_x
            self.contacts.updateForceDiff(data.contacts, force_by_x, by_tau @ dtau_du)
        self.costs.calcDiff(data.costs, x, u)

    @_nan_for()
    def quasiStatic(self, data, x, maxiter=100, tol=1e-9):
        """Controls and constraint forces of least squares that hold the robot still."""
        at, still = self.coordinates, np.array(x)
        still[self.state.nq :] = 0
        self.actuation.calcDiff(data.actuation, still, np.zeros(self.nu))
        q, v = at.split(still)
        J = self.workspace.constraint_rows(q, v).J[:, at.to_other]
        tau = self.workspace.gravity_force(q)[at.to_other]
        return np.linalg.lstsq(np.hstack((data.actuation.dtau_du, J.T)), tau, rcond=None)[0][: self.nu]


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
        self.at, nv = model.coordinates.nowhere(), model.state.nv
        self.by = np.zeros((nv + (model.workspace.m if model.forces else 0), 3 * nv), order="F")


class Impact(crocoddyl.ActionModelAbstract):
    """An impact on all rows of a workspace, with costs of Crocoddyl. impulses: an ImpulseModelMultiple whose active
    impulses the workspace has by name, for costs that look at impulses."""

    error: Exception | None = None

    def __init__(self, state, costs, workspace: Workspace, impulses=None, restitution: float = 0.0):
        super().__init__(state, 0, costs.nr)
        self.costs, self.workspace, self.impulses, self.restitution = costs, workspace, impulses, restitution
        self.coordinates = _Coordinates(state, workspace)
        self.rows = _rows(workspace, impulses)

    def createData(self):
        return _ImpactData(self)

    @_nan_for("xnext", "cost")
    def calc(self, data, x, u=None):
        model, nq, at = self.state.pinocchio, self.state.nq, self.coordinates
        pinocchio.computeAllTerms(model, data.pinocchio, x[:nq], x[nq:])
        pinocchio.computeCentroidalMomentum(model, data.pinocchio)
        data.at = at.nowhere()[:2]
        data.at = at.split(x)
        after = data.at[1].copy()
        impulse = self.workspace.impact(data.at[0], after, self.restitution)
        data.xnext = np.concatenate((x[:nq], after[at.to_other]))
        if self.impulses is not None:
            self.impulses.calc(data.impulses, x)
            self.impulses.updateVelocity(data.impulses, data.xnext[nq:])
            self.impulses.updateForce(data.impulses, impulse[self.rows])
        self.costs.calc(data.costs, x, *([] if u is None else [u]))
        data.cost = data.costs.cost

    @_nan_for("Fx")
    def calcDiff(self, data, x, u=None):
        at, nq, nv = self.coordinates, self.state.nq, self.state.nv
        pinocchio.computeRNEADerivatives(self.state.pinocchio, data.pinocchio, x[:nq], x[nq:], np.zeros(nv))
        _, _, by_q, by_v, force_by_q, force_by_v = self.workspace.impact_derivatives(
            *data.at, self.restitution, out=False, impulse=False
        )
        by_x = np.hstack((by_q, by_v))[at.by_x]
        data.Fx = np.vstack((np.eye(nv, 2 * nv), by_x))
        if self.impulses is not None:
            by = np.hstack((force_by_q, force_by_v))
            self.impulses.updateVelocityDiff(data.impulses, by_x)
            self.impulses.updateForceDiff(data.impulses, by[np.ix_(self.rows, at.columns[0])])
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
        self.at = model.coordinates.nowhere()[:2]
        self.costs = model.costs.createData(self.multibody)
        self.costs.shareMemory(self)


def like(model, robot: Model):
    """A model of Crocoddyl with Tenon's dynamics in place of its own."""
    if model.ng or model.nh:
        raise NotImplementedError(f"{model}: constraints on states and controls are not taken over")
    if isinstance(model, crocoddyl.ActionModelImpulseFwdDynamics):
        workspace = workspace_of(robot, model.state, model.impulses, model.JMinvJt_damping, model.armature)
        return Impact(model.state, model.costs, workspace, model.impulses, model.r_coeff)
    if isinstance(model, crocoddyl.IntegratedActionModelEuler):
        return crocoddyl.IntegratedActionModelEuler(like(model.differential, robot), model.control, model.dt)
    contacts = getattr(model, "contacts", None)
    kinds = (crocoddyl.DifferentialActionModelFreeFwdDynamics, crocoddyl.DifferentialActionModelContactFwdDynamics)
    if not isinstance(model, kinds):
        name = type(model).__name__
        raise NotImplementedError(f"{name}: free and contact forward dynamics, impulses and Euler steps are taken")
    workspace = workspace_of(robot, model.state, contacts, getattr(model, "JMinvJt_damping", 0.0), model.armature)
    return ForwardDynamics(model.state, model.actuation, model.costs, workspace, contacts)


def with_tenon(problem: crocoddyl.ShootingProblem, robot: Model) -> crocoddyl.ShootingProblem:
    """The same problem with Tenon's dynamics. Models that occur several times are made once."""
    made: dict[int, object] = {}
    models = [*problem.runningModels, problem.terminalModel]
    for model in models:
        if id(model) not in made:
            made[id(model)] = like(model, robot)
    *running, terminal = (made[id(model)] for model in models)
    return crocoddyl.ShootingProblem(problem.x0, running, terminal)
