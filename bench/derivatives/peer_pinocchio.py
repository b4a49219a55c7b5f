"""Derivatives by Pinocchio's package for Python, in Tenon's coordinates."""

import os

import numpy as np
import pinocchio as pin
import robot

VERSION = pin.__version__
PROXIMAL = (1e-14, 1e-8, 20)  # accuracy, mu, iterations


class Peer:
    def __init__(self, problem):
        case = problem.case
        path = os.path.join(robot.MODELS, case.model + ".urdf")
        self.model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if case.floating else pin.buildModelFromUrdf(path)
        self.data, self.problem = self.model.createData(), problem
        self.v_of = np.zeros(self.model.nv, dtype=int)  # where Tenon's coordinate is here
        if case.floating:
            self.v_of[:6] = [3, 4, 5, 0, 1, 2]
        for link in problem.robot.links:
            if link.joint in problem.names:
                self.v_of[link.v] = self.model.joints[self.model.getJointId(link.joint)].idx_v
        self.rows, self.sizes = pin.StdVec_RigidConstraintModel(), []
        for held in case.held:
            joint, place = self.frame(held.link, np.eye(3), held.at)
            kind = pin.ContactType.CONTACT_3D if held.rows == 3 else pin.ContactType.CONTACT_6D
            self.rows.append(pin.RigidConstraintModel(kind, self.model, joint, place, pin.ReferenceFrame.LOCAL))
            self.sizes.append(held.rows)
        for loop in problem.robot.loops:
            ends = (*self.frame(loop.first, loop.R1, loop.p1), *self.frame(loop.second, np.eye(3), loop.p2))
            self.rows.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends, pin.ReferenceFrame.LOCAL))
            self.sizes.append(3)
        self.row_data = pin.StdVec_RigidConstraintData()
        for one in self.rows:
            self.row_data.append(one.createData())
        self.constrained_data = self.model.createData()
        pin.initConstraintDynamics(self.model, self.constrained_data, self.rows, self.row_data)
        self.states = [self.state(state) for state in problem.states]

    def frame(self, link, R, p):
        frame = self.model.frames[self.model.getFrameId(link, pin.FrameType.BODY)]
        return frame.parentJoint, frame.placement * pin.SE3(R, np.asarray(p, dtype=float))

    def position(self, q):
        out = pin.neutral(self.model)
        shift = 1 if self.problem.case.floating else 0
        if shift:
            out[:7] = q[:7]
        for link in self.problem.robot.links:
            if link.joint not in self.problem.names:
                continue
            joint, angle = self.model.joints[self.model.getJointId(link.joint)], q[link.v + shift]
            out[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
        return out

    def velocity(self, v):
        out = np.zeros(self.model.nv)
        out[self.v_of] = v
        return out

    def state(self, state):
        return (self.position(state.q), *(self.velocity(x) for x in (state.v, state.a, state.tau)))

    def ours(self, matrices):
        """Matrices with coordinates in columns, and in rows where they are square, in Tenon's order."""
        return [np.array(M)[np.ix_(self.v_of, self.v_of)] for M in matrices]

    @staticmethod
    def whole(upper):
        return np.triu(upper) + np.triu(upper, 1).T

    # ---- the calls that are timed

    def call_inverse(self, at):
        return pin.computeRNEADerivatives(self.model, self.data, at[0], at[1], at[2])

    def call_forward(self, at):
        return pin.computeABADerivatives(self.model, self.data, at[0], at[1], at[3])

    def call_constrained(self, at, settings=PROXIMAL):
        settings = pin.ProximalSettings(*settings)
        data = self.constrained_data
        pin.constraintDynamics(self.model, data, at[0], at[1], at[3], self.rows, self.row_data, settings)
        pin.computeConstraintDynamicsDerivatives(self.model, data, self.rows, self.row_data, settings)
        return settings.iter

    # ---- what it says

    def inverse(self, number):
        dq, dv, M = self.call_inverse(self.states[number])
        return self.ours([dq, dv, self.whole(M)])

    def forward(self, number):
        dq, dv, inverse = self.call_forward(self.states[number])
        return self.ours([dq, dv, self.whole(inverse)])

    def constrained(self, number, settings=PROXIMAL):
        """Of qdd; lambda and its changes along the judge's rows: [angular; linear] of a weld."""
        self.call_constrained(self.states[number], settings)
        data = self.constrained_data
        order, first = [], 0
        for size in self.sizes:
            order += [first + (k + 3) % size if size == 6 else first + k for k in range(size)]
            first += size
        force = [np.array(M)[order][:, self.v_of] for M in (data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau)]
        return self.ours([data.ddq_dq, data.ddq_dv, data.ddq_dtau]), np.array(data.lambda_c)[order], force

    # ---- its own functions, for differences

    def acceleration(self, q, v, tau, settings=PROXIMAL):
        """By its own constraintDynamics, at a position of its own. In its own coordinates."""
        data = self.model.createData()
        pin.initConstraintDynamics(self.model, data, self.rows, self.row_data)
        settings = pin.ProximalSettings(*settings)
        return pin.constraintDynamics(self.model, data, q, v, tau, self.rows, self.row_data, settings).copy()

    def differences(self, number, step=1e-6):
        """Central differences of its own constraintDynamics by q, in Tenon's coordinates."""
        q, v, _, tau = self.states[number]
        columns = []
        for k in self.v_of:
            by = np.zeros(self.model.nv)
            by[k] = step
            ahead = self.acceleration(pin.integrate(self.model, q, by), v, tau)
            behind = self.acceleration(pin.integrate(self.model, q, -by), v, tau)
            columns.append((ahead - behind)[self.v_of] / (2 * step))
        return np.array(columns).T
