"""What the models of tenon.crocoddyl work with: orders of coordinates, where a workspace computes, and what of Pinocchio's
kinematics costs read. A problem has many models and passes through all of them in turn, so what is of a workspace is made
once for all its models, and stays in the processor's cache; a model's data has nothing but Crocoddyl's own."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import crocoddyl
import numpy as np
import pinocchio

from .types import JointType
from .workspace import Workspace

_shared: WeakKeyDictionary[Workspace, dict] = WeakKeyDictionary()


def once(workspace: Workspace, make: Callable, *key):
    """What make makes of the workspace and the key, the first time. It is not to hold the workspace."""
    known = _shared.setdefault(workspace, {})
    if (make, key) not in known:
        known[make, key] = make(workspace, *key)
    return known[make, key]


class Coordinates:
    """Between Crocoddyl's x and Tenon's q and v. Tangent vectors, velocities, accelerations and forces differ by their
    order only, and so do configurations without continuous and planar joints."""

    def __init__(self, workspace: Workspace, names: tuple, widths: tuple):
        robot = workspace.model
        if sorted(names) != sorted(robot.joints):
            raise ValueError(f"joints of Pinocchio's model {list(names)} and of Tenon's {list(robot.joints)} differ")
        joints = [robot.joint(name) for name in names]
        self.joints = np.array([robot.joint_index(name) for name in names], np.int32)
        self.nq, self.nv, q = sum(widths), workspace.nv, workspace.neutral()
        count = np.arange(self.nv, dtype=float)
        # of_crocoddyl[to_tenon] is in Tenon's order, and of_tenon[to_other] in Crocoddyl's.
        self.to_tenon = workspace.convert_velocity("pinocchio", "from_other", q, count, self.joints).astype(int)
        self.to_other = np.argsort(self.to_tenon)
        # Of x to [q, v]; None: q is more than another order.
        self.of_x = None
        if workspace.nq == self.nq and not {JointType.CONTINUOUS, JointType.PLANAR} & {joint.type for joint in joints}:
            self.of_x, begin = np.concatenate((np.empty(self.nq, int), self.nq + self.to_tenon)), 0
            for joint, width in zip(joints, widths):
                self.of_x[joint.q_index : joint.q_index + width] = np.arange(begin, begin + width)
                begin += width
        # Where they are in Tenon's order.
        self.x = np.zeros(workspace.nq + self.nv)
        self.q, self.v = self.x[: workspace.nq], self.x[workspace.nq :]

    @classmethod
    def of(cls, state, workspace: Workspace) -> Coordinates:
        return once(workspace, cls, tuple(state.pinocchio.names)[1:], tuple(state.pinocchio.nqs)[1:])

    def read(self, workspace: Workspace, x):
        if self.of_x is not None:
            x.take(self.of_x, 0, self.x, "clip")  # numpy takes "raise", its default, by way of a copy
            return
        workspace.convert_configuration("pinocchio", "from_other", x[: self.nq], self.joints, self.q)
        x[self.nq :].take(self.to_tenon, 0, self.v, "clip")


# Whose derivatives by x and u are the same everywhere, and put each control on a joint of its own.
CONSTANT_ACTUATION = crocoddyl.ActuationModelFloatingBase, crocoddyl.ActuationModelFull


class _Copies:
    """Matrices of the rows and columns of a column-major one, all copied at once."""

    def __init__(self, matrix, *pairs):
        pairs = [[np.array(one, int) for one in pair] for pair in pairs]
        places = [np.add.outer(len(matrix) * columns, rows).ravel() for rows, columns in pairs]
        self.source, self.places = matrix.T.reshape(-1), np.concatenate(places)
        self.numbers = np.zeros(self.places.size)
        parts = zip(np.split(self.numbers, np.cumsum([part.size for part in places])), pairs)
        self.matrices = [part.reshape(columns.size, rows.size).T for part, (rows, columns) in parts]

    def take(self) -> list[np.ndarray]:
        self.source.take(self.places, 0, self.numbers, "clip")
        return list(self.matrices)


class Dynamics:
    """Where a workspace computes forward dynamics, in Crocoddyl's order. rows: of lambda, those of the forces that
    Crocoddyl looks at; with_forces: at their derivatives too. moved: the joints' numbers by which derivatives are
    wanted, of tau."""

    def __init__(self, workspace: Workspace, at: Coordinates, rows: tuple, with_forces: bool, moved: tuple):
        nv, m = at.nv, workspace.m if with_forces else 0
        self.at, self.rows, self.with_forces = at, np.array(rows, int), with_forces
        self.tau, self.qdd, self.force = np.zeros(nv), np.zeros(nv), np.zeros(workspace.m)
        by = np.zeros((nv + m, 3 * nv), order="F")
        self.by_q, self.by_v, self.by_tau = (by[:, k * nv : (k + 1) * nv] for k in range(3))
        each = [at.to_other, nv + self.rows] if with_forces else [at.to_other]
        columns = (*at.to_other, *(nv + at.to_other)), 2 * nv + at.to_other[np.array(moved, int)]
        self.copies = _Copies(by, *((some, which) for some in each for which in columns))

    def solve(self, workspace: Workspace, x, tau):
        """Accelerations and forces."""
        at = self.at
        at.read(workspace, x)
        tau.take(at.to_tenon, 0, self.tau, "clip")
        workspace.constrained_dynamics(at.q, at.v, self.tau, out=self.qdd, force=self.force)
        return self.qdd[at.to_other], self.force[self.rows]

    def differentiate(self, workspace: Workspace, x, tau) -> list[np.ndarray]:
        """Derivatives of accelerations by x, and by tau, then those of forces, if wanted."""
        at = self.at
        at.read(workspace, x)
        tau.take(at.to_tenon, 0, self.tau, "clip")
        function = workspace.constrained_dynamics_derivatives
        if self.with_forces:
            function = workspace.constrained_solution_derivatives
        function(at.q, at.v, self.tau, None, None, False, self.by_q, self.by_v, self.by_tau, False, False)
        return self.copies.take()


class Impacts:
    """Where a workspace computes impacts, likewise."""

    def __init__(self, workspace: Workspace, at: Coordinates, rows: tuple):
        nv, m = at.nv, workspace.m
        self.at, self.rows, self.v, self.impulse = at, np.array(rows, int), np.zeros(nv), np.zeros(m)
        by = np.zeros((nv + m, 2 * nv), order="F")
        self.by_each = [by[some, which] for some in (np.s_[:nv], np.s_[nv:]) for which in (np.s_[:nv], np.s_[nv:])]
        by_x = (*at.to_other, *(nv + at.to_other))
        self.copies = _Copies(by, (at.to_other, by_x), (nv + self.rows, by_x))

    def solve(self, workspace: Workspace, x, restitution):
        """Velocities after it, and impulses."""
        at = self.at
        at.read(workspace, x)
        self.v[:] = at.v
        workspace.impact(at.q, self.v, restitution, out=self.impulse)
        return self.v[at.to_other], self.impulse[self.rows]

    def differentiate(self, workspace: Workspace, x, restitution) -> list[np.ndarray]:
        """Derivatives of both by x."""
        at = self.at
        at.read(workspace, x)
        workspace.impact_derivatives(at.q, at.v, restitution, False, False, *self.by_each)
        return self.copies.take()


def active(contacts) -> dict:
    """Active contacts of a ContactModelMultiple, or impulses of an ImpulseModelMultiple, by name, as their rows are."""
    kind = "contact" if isinstance(contacts, crocoddyl.ContactModelMultiple) else "impulse"
    items = getattr(contacts, kind + "s").todict()
    return {name: getattr(items[name], kind) for name in sorted(items) if items[name].active}


# What of Crocoddyl reads no more of Pinocchio's data than placements, velocities and Jacobians of joints and their
# accelerations at rest; what also reads the centre of mass, or velocities in the axes of the world; and the joint's data.
_READS_LITTLE = {
    getattr(crocoddyl, name)
    for name in """ResidualModelState ResidualModelControl ResidualModelFramePlacement ResidualModelFrameTranslation
    ResidualModelFrameRotation ResidualModelContactForce ResidualModelContactFrictionCone
    ResidualModelContactCoPPosition ResidualModelContactWrenchCone ContactModel3D ContactModel6D ImpulseModel3D
    ImpulseModel6D""".split()
}
_CENTER, _VELOCITY = {crocoddyl.ResidualModelCoMPosition}, {crocoddyl.ResidualModelFrameVelocity}
_JOINTS = {crocoddyl.ResidualModelJointEffort, crocoddyl.ResidualModelJointAcceleration}


class Reading:
    """What costs, contacts and impulses read beside each other, so that no more is computed."""

    def __init__(self, workspace: Workspace, nq: int, nv: int, kinds: frozenset):
        self.nq, self.still = nq, np.zeros(nv)
        self.little = kinds <= _READS_LITTLE | _CENTER | _VELOCITY | _JOINTS
        self.center, self.velocity = bool(kinds & _CENTER), bool(kinds & _VELOCITY)
        self.joints = not self.little or bool(kinds & _JOINTS)

    @classmethod
    def of(cls, state, costs, contacts, workspace: Workspace) -> Reading:
        read = [item.cost for item in costs.costs.todict().values()]
        read = [cost.residual if type(cost) is crocoddyl.CostModelResidual else cost for cost in read]
        read += [] if contacts is None else active(contacts).values()
        return once(workspace, cls, state.nq, state.nv, frozenset(map(type, read)))

    def calc(self, model, data, x):
        q, v = x[: self.nq], x[self.nq :]
        if not self.little:
            pinocchio.computeAllTerms(model, data, q, v)
            pinocchio.computeCentroidalMomentum(model, data)
            return
        pinocchio.forwardKinematics(model, data, q, v, self.still)
        if self.velocity:
            pinocchio.computeJointJacobiansTimeVariation(model, data, q, v)
        else:
            pinocchio.computeJointJacobians(model, data)
        if self.center:
            pinocchio.jacobianCenterOfMass(model, data, False)

    def calc_diff(self, model, data, x, a):
        """Where it is more than little."""
        pinocchio.computeRNEADerivatives(model, data, x[: self.nq], x[self.nq :], a)
