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
from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import crocoddyl
import numpy as np
import pinocchio

from ._core import Error
from .constraints import Constraints
from .model import Model
from .types import JointType
from .workspace import Workspace

_SLOW = 1e-9  # rad/s: rows with a gain on their velocity only


# What models of a workspace share, which computes for one at a time.
_shared: WeakKeyDictionary[Workspace, dict] = WeakKeyDictionary()


def _once(workspace: Workspace, key: tuple, make: Callable):
    known = _shared.setdefault(workspace, {})
    if key not in known:
        known[key] = make()
    return known[key]


class _Coordinates:
    """Between Crocoddyl's x and Tenon's q and v. Tangent vectors, velocities, accelerations and forces differ by their
    order only, and so do configurations without continuous and planar joints."""

    def __init__(self, state: crocoddyl.StateMultibody, workspace: Workspace):
        model, robot = state.pinocchio, workspace.model
        names = list(model.names)[1:]
        if sorted(names) != sorted(robot.joints):
            raise ValueError(f"joints of Pinocchio's model {names} and of Tenon's {list(robot.joints)} differ")
        joints = [robot.joint(name) for name in names]
        self.joints = np.array([robot.joint_index(name) for name in names], np.int32)
        self.nq, self.nv = state.nq, state.nv
        count = np.arange(self.nv, dtype=float)
        q = workspace.neutral()
        # of_crocoddyl[to_tenon] is in Tenon's order, and of_tenon[to_other] in Crocoddyl's.
        self.to_tenon = workspace.convert_velocity("pinocchio", "from_other", q, count, self.joints).astype(int)
        self.to_other = np.argsort(self.to_tenon)
        # Of x to [q, v]; None: q is more than another order.
        self.of_x = None
        if workspace.nq == self.nq and not {JointType.CONTINUOUS, JointType.PLANAR} & {joint.type for joint in joints}:
            self.of_x = np.concatenate((np.empty(self.nq, int), self.nq + self.to_tenon))
            for joint, first, width in zip(joints, list(model.idx_qs)[1:], list(model.nqs)[1:]):
                self.of_x[joint.q_index : joint.q_index + width] = first + np.arange(width)

    @classmethod
    def of(cls, state, workspace: Workspace):
        model = state.pinocchio
        return _once(workspace, (*model.names, *model.idx_qs), lambda: cls(state, workspace))


class _Point:
    """Where a model is asked, in Tenon's order and written in place: q, v and, for dynamics, tau."""

    def __init__(self, coordinates: _Coordinates, workspace: Workspace):
        self.coordinates, self.workspace = coordinates, workspace
        # NaN before it is known: derivatives there are refused.
        self.x, self.tau = (np.full(count, np.nan) for count in (workspace.nq + workspace.nv, workspace.nv))
        self.q, self.v = self.x[: workspace.nq], self.x[workspace.nq :]

    def set_x(self, x):
        at = self.coordinates
        if at.of_x is not None:
            x.take(at.of_x, 0, self.x, "clip")  # numpy takes "raise", its default, by way of a copy
            return
        self.q[:] = np.nan
        self.workspace.convert_configuration("pinocchio", "from_other", x[: at.nq], at.joints, self.q)
        x[at.nq :].take(at.to_tenon, 0, self.v, "clip")


class _Derivatives:
    """Where a workspace computes derivatives, `rows` x nv numbers by each of q, v and whatever more, and what Crocoddyl
    has of them: pairs of rows and columns, each in a matrix of its own."""

    def __init__(self, rows: int, nv: int, count: int, *pairs):
        by = np.zeros((rows, count * nv), order="F")
        self.by_each = [by[:, k * nv : (k + 1) * nv] for k in range(count)]
        self.source = by.T.reshape(-1)
        pairs = [[np.array(one, int) for one in pair] for pair in pairs]
        self.places = np.concatenate([np.add.outer(rows * columns, some).ravel() for some, columns in pairs])
        self.copy, end = np.zeros(self.places.size), 0
        self.wanted = []
        for some, columns in pairs:
            begin, end = end, end + some.size * columns.size
            self.wanted.append(self.copy[begin:end].reshape(columns.size, some.size).T)

    def take(self):
        """All copied at once."""
        self.source.take(self.places, 0, self.copy, "clip")
        return self.wanted


# What of Crocoddyl reads no more of Pinocchio's data than placements, velocities and Jacobians of joints and their
# accelerations at rest; and the two that also read the centre of mass, and velocities in the axes of the world.
_READS_LITTLE = {
    getattr(crocoddyl, name)
    for name in """ResidualModelState ResidualModelControl ResidualModelJointEffort ResidualModelJointAcceleration
    ResidualModelFramePlacement ResidualModelFrameTranslation ResidualModelFrameRotation ResidualModelContactForce
    ResidualModelContactFrictionCone ResidualModelContactCoPPosition ResidualModelContactWrenchCone ContactModel3D
    ContactModel6D ImpulseModel3D ImpulseModel6D""".split()
}
_CONSTANT_ACTUATION = crocoddyl.ActuationModelFloatingBase, crocoddyl.ActuationModelFull
_CENTER, _VELOCITY = crocoddyl.ResidualModelCoMPosition, crocoddyl.ResidualModelFrameVelocity


class _Reading:
    """What costs, contacts and impulses read, so that no more is computed."""

    def __init__(self, state, costs, contacts):
        self.model, self.nq, self.still = state.pinocchio, state.nq, np.zeros(state.nv)
        read = [item.cost for item in costs.costs.todict().values()]
        read = [cost.residual if type(cost) is crocoddyl.CostModelResidual else cost for cost in read]
        kinds = {type(one) for one in [*read, *({} if contacts is None else _active(contacts)).values()]}
        self.little = kinds <= _READS_LITTLE | {_CENTER, _VELOCITY}
        self.center, self.velocity = _CENTER in kinds, _VELOCITY in kinds
        self.acceleration = not self.little or crocoddyl.ResidualModelJointAcceleration in kinds

    def calc(self, data, x):
        q, v = x[: self.nq], x[self.nq :]
        if not self.little:
            pinocchio.computeAllTerms(self.model, data, q, v)
            pinocchio.computeCentroidalMomentum(self.model, data)
            return
        pinocchio.forwardKinematics(self.model, data, q, v, self.still)
        if self.velocity:
            pinocchio.computeJointJacobiansTimeVariation(self.model, data, q, v)
        else:
            pinocchio.computeJointJacobians(self.model, data)
        if self.center:
            pinocchio.jacobianCenterOfMass(self.model, data, False)

    def calc_diff(self, data, x, a):
        if not self.little:
            pinocchio.computeRNEADerivatives(self.model, data, x[: self.nq], x[self.nq :], a)


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

    return tuple(described(*item) for item in ({} if contacts is None else _active(contacts)).items())


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
    workspace.set_joint_parameters(armatures=armatures[_Coordinates.of(state, workspace).to_tenon])
    return workspace


def _rows(workspace: Workspace, contacts) -> np.ndarray:
    """Rows of Crocoddyl's contacts or impulses among those of a workspace, in Crocoddyl's order."""
    known = [workspace.constraints[name] for name in (() if contacts is None else _active(contacts))]
    each = [np.arange(c.first_row, c.first_row + c.row_count) for c in known]
    return np.concatenate(each or [[]]).astype(int)


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
        self.coordinates = at = _Coordinates.of(state, workspace)
        self.rows = _rows(workspace, contacts)
        self.forces = forces and len(self.rows) > 0
        self.u_lb, self.u_ub = actuation.u_lb, actuation.u_ub
        # A constant actuation has derivatives by u among those by tau; of another one these are multiplied.
        nv, self.is_constant = state.nv, type(actuation) in _CONSTANT_ACTUATION
        moved = np.argmax(actuation.createData().dtau_du, 0) if self.is_constant else np.arange(nv)
        by_x, by_tau = (*at.to_other, *(nv + at.to_other)), 2 * nv + at.to_other[moved]
        each = [at.to_other, *([nv + self.rows] if self.forces else [])]
        pairs = tuple((tuple(rows), tuple(columns)) for rows in each for columns in (by_x, by_tau))
        sizes = nv + (workspace.m if self.forces else 0), nv, 3
        self.derivatives = _once(workspace, (sizes, pairs), lambda: _Derivatives(*sizes, *pairs))

    def createData(self):
        return _ForwardData(self)

    def calc(self, data, x, u=None):
        data.reading.calc(data.pinocchio, x)
        if u is None:
            self.costs.calc(data.costs, x)
            data.cost = data.costs.cost
            return
        point, to = data.point, self.coordinates
        self.actuation.calc(data.actuation, x, u)
        try:
            point.set_x(x)
            data.actuation.tau.take(to.to_tenon, 0, point.tau, "clip")
            self.workspace.constrained_dynamics(point.q, point.v, point.tau, out=data.qdd, force=data.force)
        except Error as error:
            self._failed(error, data, "xout", "cost")
            return
        data.xout = data.joint.a = a = data.qdd[to.to_other]
        data.joint.tau = u
        if self.contacts is not None:
            self.contacts.calc(data.contacts, x)
            if data.reading.acceleration:
                self.contacts.updateAcceleration(data.contacts, a)
            self.contacts.updateForce(data.contacts, data.force[self.rows])
        self.costs.calc(data.costs, x, u)
        data.cost = data.costs.cost

    def calcDiff(self, data, x, u=None):
        if u is None:
            self.costs.calcDiff(data.costs, x)
            return
        point, work = data.point, self.workspace
        data.reading.calc_diff(data.pinocchio, x, data.xout)
        differentiate = work.constrained_solution_derivatives if self.forces else work.constrained_dynamics_derivatives
        try:
            differentiate(
                *(point.q, point.v, point.tau, None, None, False), *self.derivatives.by_each, False, force=False
            )
        except Error as error:
            self._failed(error, data, "Fx")
            return
        wanted = self.derivatives.take()
        if not self.is_constant:
            self.actuation.calcDiff(data.actuation, x, u)
            wanted = self._by_actuation(data.actuation, wanted)
        data.Fx, data.Fu = wanted[:2]
        if data.reading.acceleration:
            data.joint.da_dx, data.joint.da_du = wanted[:2]
        if self.forces:
            if data.reading.acceleration:
                self.contacts.updateAccelerationDiff(data.contacts, wanted[0])
            self.contacts.updateForceDiff(data.contacts, *wanted[2:])
        self.costs.calcDiff(data.costs, x, u)

    @staticmethod
    def _by_actuation(actuation, by):
        """By x and u, from those by x and tau."""
        dtau_dx, dtau_du, made = actuation.dtau_dx, actuation.dtau_du, []
        for by_x, by_tau in zip(by[::2], by[1::2]):
            made += [by_x + by_tau @ dtau_dx if dtau_dx.any() else by_x, by_tau @ dtau_du]
        return made

    def quasiStatic(self, data, x, maxiter=100, tol=1e-9):
        """Controls and constraint forces of least squares that hold the robot still."""
        at, point, still = self.coordinates, _Point(self.coordinates, self.workspace), np.array(x)
        still[self.state.nq :] = 0
        self.actuation.calcDiff(data.actuation, still, np.zeros(self.nu))
        try:
            point.set_x(still)
            J = self.workspace.constraint_rows(point.q, point.v).J[:, at.to_other]
            tau = self.workspace.gravity_force(point.q)[at.to_other]
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
        self.reading = _Reading(model.state, model.costs, model.contacts)
        self.point = _Point(model.coordinates, model.workspace)
        self.qdd, self.force = np.zeros(model.workspace.nv), np.zeros(model.workspace.m)


class Impact(_Model, crocoddyl.ActionModelAbstract):
    """An impact on all rows of a workspace, with costs of Crocoddyl. impulses: an ImpulseModelMultiple whose active
    impulses the workspace has by name, for costs that look at impulses."""

    def __init__(self, state, costs, workspace: Workspace, impulses=None, restitution: float = 0.0):
        crocoddyl.ActionModelAbstract.__init__(self, state, 0, costs.nr)
        self.costs, self.workspace, self.impulses, self.restitution = costs, workspace, impulses, restitution
        self.coordinates = at = _Coordinates.of(state, workspace)
        self.rows = _rows(workspace, impulses)
        nv, by_x = state.nv, (*at.to_other, *(state.nv + at.to_other))
        sizes, pairs = (nv + workspace.m, nv, 2), ((tuple(at.to_other), by_x), (tuple(nv + self.rows), by_x))
        self.derivatives = _once(workspace, (sizes, pairs), lambda: _Derivatives(*sizes, *pairs))
        self.by_each = [by[rows] for rows in (np.s_[:nv], np.s_[nv:]) for by in self.derivatives.by_each]
        self.by_x = np.eye(2 * nv).copy(order="F")

    def createData(self):
        return _ImpactData(self)

    def calc(self, data, x, u=None):
        point, to, nq = data.point, self.coordinates, self.coordinates.nq
        data.reading.calc(data.pinocchio, x)
        try:
            point.set_x(x)
            data.v[:] = point.v
            self.workspace.impact(point.q, data.v, self.restitution, out=data.impulse)
        except Error as error:
            self._failed(error, data, "xnext", "cost")
            return
        after = data.v[to.to_other]
        data.xnext = np.concatenate((x[:nq], after))
        if self.impulses is not None:
            self.impulses.calc(data.impulses, x)
            self.impulses.updateVelocity(data.impulses, after)
            self.impulses.updateForce(data.impulses, data.impulse[self.rows])
        self.costs.calc(data.costs, x, *([] if u is None else [u]))
        data.cost = data.costs.cost

    def calcDiff(self, data, x, u=None):
        point, nv = data.point, self.coordinates.nv
        data.reading.calc_diff(data.pinocchio, x, data.reading.still)
        try:
            self.workspace.impact_derivatives(point.q, point.v, self.restitution, False, False, *self.by_each)
        except Error as error:
            self._failed(error, data, "Fx")
            return
        by_x, force_by_x = self.derivatives.take()
        self.by_x[nv:] = by_x
        data.Fx = self.by_x
        if self.impulses is not None:
            self.impulses.updateVelocityDiff(data.impulses, by_x)
            self.impulses.updateForceDiff(data.impulses, force_by_x)
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
        self.reading = _Reading(model.state, model.costs, model.impulses)
        self.point = _Point(model.coordinates, model.workspace)
        self.v, self.impulse = np.zeros(model.workspace.nv), np.zeros(model.workspace.m)


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
