"""Derivatives by MuJoCo's finite differences, mjd_inverseFD and mjd_transitionFD, without constraints: its own are soft, so
that it solves another problem where there are contacts.

In MuJoCo's coordinates, where a free joint has [linear along the world's axes; angular along its own]: the judge computes in
these ("world"), so no derivative is converted. mjd_transitionFD gives those of a step of time, v+ = v + h qdd(q, v, tau) by
semi-implicit Euler without damping: (B - I) / h of its blocks are those of qdd."""

import os

import mujoco
import numpy as np
import robot

VERSION = mujoco.__version__
STEPS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8)  # of the differences: the best for each matrix is shown, and which it was
BASE = "floating_base_of_mujoco"


class Peer:
    def __init__(self, problem):
        case, self.problem = problem.case, problem
        spec = mujoco.MjSpec.from_file(os.path.join(robot.MODELS, case.model + ".urdf"))
        off = mujoco.mjtDisableBit
        spec.option.disableflags |= (off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_SPRING
                                     | off.mjDSBL_DAMPER)  # fmt: skip
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        if case.floating:
            spec.worldbody.first_body().add_freejoint(name=BASE)
        self.model = spec.compile()
        self.data, n = mujoco.MjData(self.model), self.model.nv
        self.v_of, self.q_of = np.arange(n), np.zeros(n, dtype=int)
        for link in problem.robot.links:
            if link.joint in problem.names:
                joint = self.model.joint(link.joint)
                self.v_of[link.v], self.q_of[link.v] = joint.dofadr[0], joint.qposadr[0]
        self.inverse_of = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        self.A = np.zeros((2 * n, 2 * n))

    def load(self, state):
        """[linear; angular] of the base first in the judge's coordinates too, see `judged`."""
        q, v, a, tau = self.judged(state)
        data, first = self.data, 6 if self.problem.case.floating else 0
        if first:
            data.qpos[:7] = [*q[:3], q[6], *q[3:6]]
        for to, x in ((data.qvel, v), (data.qacc, a), (data.qfrc_applied, tau)):
            to[self.v_of] = x
        data.qpos[self.q_of[first:]] = q[first + (1 if first else 0) :]

    def judged(self, state):
        """The state as the judge takes it with base="world", from Tenon's coordinates along the axes of the base."""
        if not self.problem.case.floating:
            return state.q, state.v, state.a, state.tau
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, np.array([state.q[6], *state.q[3:6]]))
        R = R.reshape(3, 3)
        w, u = state.v[:3], state.v[3:6]
        turned = [np.concatenate([R @ x[3:6], x[:3], x[6:]]) for x in (state.v, state.a, state.tau)]
        turned[1][:3] = R @ (state.a[3:6] + np.cross(w, u))  # d/dt (R u)
        return (state.q, *turned)

    # ---- the calls that are timed

    def call_inverse(self, step):
        # Output is the transpose of the Jacobian: a row by each coordinate.
        mujoco.mjd_inverseFD(self.model, self.data, step, False, *self.inverse_of, None, None, None, None)

    def call_forward(self, step, centered=True):
        mujoco.mjd_transitionFD(self.model, self.data, step, centered, self.A, None, None, None)

    # ---- what it says

    def ours(self, M):
        return M[np.ix_(self.v_of, self.v_of)]

    def inverse(self, state, step):
        self.load(state)
        self.call_inverse(step)
        return [self.ours(M.T) for M in self.inverse_of]

    def forward(self, state, step):
        """By q and v."""
        self.load(state)
        mujoco.mj_forward(self.model, self.data)
        self.call_forward(step)
        n, h = self.model.nv, self.model.opt.timestep
        by_q, by_v = self.A[n:, :n] / h, (self.A[n:, n:] - np.eye(n)) / h
        return [self.ours(by_q), self.ours(by_v)]
