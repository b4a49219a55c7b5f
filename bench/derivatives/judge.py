"""The judge: derivatives of dynamics by the complex step, on a textbook program that shares no formula with those judged.

Kane's equations in world axes with vectors of three: of each link the position, the velocities, the partial velocities
and the accelerations without qdd; forces summed over links,

    M = sum  m Jc^T Jc + Jw^T I Jw,   c = sum  Jc^T m (ac - g) + Jw^T (I alpha + w x I w).

No spatial algebra, no recursion over inertias. The program takes complex numbers, so d f / d x = Im f(x + i h) / h with
h = 1e-40 has no error but rounding (Lyness and Moler 1967), and that is of 80-bit numbers (numpy.longdouble on x86).
All directions are computed side by side, in the first index of each array.

A state moves by tangent vectors. Coordinates of a floating base are [angular; linear] along its axes ("body"), or
[linear along the world's axes; angular along its own] ("world", as MuJoCo has them).
"""

from dataclasses import dataclass, field

import numpy as np

REAL, COMPLEX = np.longdouble, np.clongdouble
STEP = REAL(1e-40)
GRAVITY = np.array([0, 0, -9.81], dtype=REAL)


def cross(a, b):
    return np.stack([a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
                     a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], axis=-1)  # fmt: skip


def skew(a):
    zero = np.zeros_like(a[..., 0])
    return np.stack([np.stack([zero, -a[..., 2], a[..., 1]], -1), np.stack([a[..., 2], zero, -a[..., 0]], -1),
                     np.stack([-a[..., 1], a[..., 0], zero], -1)], -2)  # fmt: skip


def times(A, x):
    return (A @ x[..., None])[..., 0]


def turn(A):
    return np.swapaxes(A, -1, -2)


def about(axis, angle):
    """Rotation about a unit axis, for angles side by side."""
    K = skew(axis.astype(REAL))
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3, dtype=REAL) + s * K + (1 - c) * (K @ K)


def of_quaternion(x, y, z, w):
    n = np.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / n, y / n, z / n, w / n
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def solve(A, B):
    """A X = B with A complex symmetric, by L D L^T without pivots: for the real part is positive definite."""
    A, B = A.copy(), B.copy()
    n = A.shape[-1]
    for k in range(n):
        factor = A[..., k + 1 :, k] / A[..., k, k][..., None]
        A[..., k + 1 :, k + 1 :] -= factor[..., :, None] * A[..., None, k, k + 1 :]
        B[..., k + 1 :, :] -= factor[..., :, None] * B[..., None, k, :]
    for k in range(n - 1, -1, -1):
        B[..., k, :] -= (A[..., None, k, k + 1 :] @ B[..., k + 1 :, :])[..., 0, :]
        B[..., k, :] /= A[..., k, k][..., None]
    return B


@dataclass
class Held:
    """3 rows hold a point of a link, 6 its frame, [angular; linear]; along the axes of the link."""

    link: str
    rows: int
    at: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass
class Closed:
    """A ball joint that closes a loop, along the axes of its frame 1: the second derivative of x1 - x2 as link 1 sees it
    (as Tenon has it), or equal accelerations of the two points (as Pinocchio has it); the same where the loop is closed."""

    loop: object
    seen_by_link: bool = True


class Moved:
    """Everything about the links at states side by side: q moved along dq, v moved along dv, by the step."""

    def __init__(self, robot, q, v, dq=None, dv=None, base="body"):
        n, self.robot = robot.nv, robot
        none = np.zeros((1, n))
        dq, dv = (none if dq is None else dq), (none if dv is None else dv)
        count = max(len(dq), len(dv))
        small = np.broadcast_to(dq, (count, n)).astype(COMPLEX) * (1j * STEP)
        self.v = np.asarray(v, dtype=REAL) + np.broadcast_to(dv, (count, n)).astype(COMPLEX) * (1j * STEP)
        self.M = np.zeros((count, n, n), dtype=COMPLEX)
        self.c = np.zeros((count, n), dtype=COMPLEX)
        self.frames = []
        for link in robot.links:
            frame = self.root(link, q, small, base) if link.parent < 0 else self.child(link, q, small)
            self.frames.append(frame)
            if link.mass or link.inertia.any():
                self.add(link, *frame)

    def root(self, link, q, small, base):
        count, n = self.v.shape
        R, p = np.eye(3, dtype=REAL), np.zeros(3, dtype=REAL)
        Jw, Jv, zero = np.zeros((count, 3, n), dtype=COMPLEX), np.zeros((count, 3, n), dtype=COMPLEX), self.v[:, :3] * 0
        if link.kind != "floating":
            return R + np.zeros((count, 3, 3), dtype=COMPLEX), p + zero, Jw, Jv, zero, zero, zero, zero
        q = np.asarray(q, dtype=REAL)
        R = of_quaternion(*q[3:7])
        first, second = (0, 3) if base == "body" else (3, 0)  # of the angular, the linear coordinates
        spin, shift = small[:, first : first + 3], small[:, second : second + 3]
        p = q[:3] + (shift @ R.T if base == "body" else shift)
        R = R + R @ skew(spin)  # to first order in the step, which is all that counts
        Jw[:, :, first : first + 3] = R
        Jv[:, :, second : second + 3] = R if base == "body" else np.eye(3)
        w, u = times(Jw, self.v), times(Jv, self.v)
        return R, p, Jw, Jv, w, u, zero, cross(w, u) if base == "body" else zero

    def child(self, link, q, small):
        R, p, Jw, Jv, w, u, alpha, a = self.frames[link.parent]
        r = times(R, link.p.astype(REAL))
        R = R @ link.R.astype(REAL)
        rate = None
        if link.kind != "fixed":
            position = np.asarray(q, dtype=REAL)[link.v + (1 if self.robot.floating else 0)] + small[:, link.v]
            axis, rate = times(R, link.axis.astype(REAL)), self.v[:, link.v][:, None]
        if link.kind == "prismatic":
            r = r + axis * position[:, None]
        a = a + cross(alpha, r) + cross(w, cross(w, r))
        u, Jv, Jw = u + cross(w, r), Jv - skew(r) @ Jw, Jw.copy()
        if link.kind == "revolute":
            R = R @ about(link.axis, position)
            alpha, w = alpha + cross(w, axis * rate), w + axis * rate
            Jw[:, :, link.v] = axis
        if link.kind == "prismatic":
            a, u = a + 2 * cross(w, axis * rate), u + axis * rate
            Jv[:, :, link.v] += axis
        return R, p + r, Jw, Jv, w, u, alpha, a

    def add(self, link, R, p, Jw, Jv, w, u, alpha, a):
        r = times(R, link.com.astype(REAL))
        inertia = R @ link.inertia.astype(REAL) @ turn(R)
        Jc, mass = Jv - skew(r) @ Jw, REAL(link.mass)
        ac = a + cross(alpha, r) + cross(w, cross(w, r)) - GRAVITY
        self.M += mass * (turn(Jc) @ Jc) + turn(Jw) @ (inertia @ Jw)
        moment = times(inertia, alpha) + cross(w, times(inertia, w))
        self.c += times(turn(Jc), mass * ac) + times(turn(Jw), moment)

    def rows(self, held):
        """J and gamma of rows, which ask for J qdd + gamma = 0."""
        J, gamma = zip(*((self.loop if isinstance(one, Closed) else self.contact)(one) for one in held))
        return np.concatenate(J, axis=1), np.concatenate(gamma, axis=1)

    def contact(self, held):
        R, _, Jx, _, a, _, alpha, Jw = self.point(held.link, held.at)
        if held.rows == 3:
            return turn(R) @ Jx, times(turn(R), a)
        return (np.concatenate([turn(R) @ Jw, turn(R) @ Jx], axis=1),
                np.concatenate([times(turn(R), alpha), times(turn(R), a)], axis=1))  # fmt: skip

    def loop(self, held):
        R1, x1, J1, u1, a1, w, alpha, Jw = self.point(held.loop.first, held.loop.p1)
        _, x2, J2, u2, a2, *_ = self.point(held.loop.second, held.loop.p2)
        R1 = R1 @ held.loop.R1.astype(REAL)
        row, bias = J1 - J2, a1 - a2
        if held.seen_by_link:
            d = x1 - x2
            row = row + skew(d) @ Jw
            bias = bias - cross(alpha, d) - 2 * cross(w, u1 - u2) + cross(w, cross(w, d))
        return turn(R1) @ row, times(turn(R1), bias)

    def point(self, name, at):
        R, p, Jw, Jv, w, u, alpha, a = self.frames[self.robot.link(name)]
        r = times(R, at.astype(REAL))
        return (R, p + r, Jv - skew(r) @ Jw, u + cross(w, r), a + cross(alpha, r) + cross(w, cross(w, r)), w, alpha, Jw)


def independent(A, tolerance=1e-12):
    """Rows of a real positive semidefinite matrix that do not depend on each other, by Cholesky with pivots."""
    A, left, chosen = A.copy(), list(range(len(A))), []
    scale = A.diagonal().max()
    while left:
        best = max(left, key=lambda i: A[i, i])
        if A[best, best] <= tolerance * scale:
            break
        chosen.append(best)
        left.remove(best)
        column = A[:, best] / A[best, best]
        A -= np.outer(column, A[best])
    return sorted(chosen)


def parts(robot, call):
    """By q, by v: call(dq, dv) with a direction a row."""
    unit = np.eye(robot.nv)
    return [call(unit, None), call(None, unit)]


def by_step(values):
    """Columns of the derivative: values has a direction in its first index."""
    return np.moveaxis(values.imag / STEP, 0, -1)


def inverse_dynamics(robot, q, v, a, base="body"):
    """tau and its derivatives by q, v and a."""
    a = np.asarray(a, dtype=REAL)

    def tau(dq, dv):
        moved = Moved(robot, q, v, dq, dv, base)
        return times(moved.M, a + 0 * moved.v) + moved.c, moved.M.real[0]

    (value, M), (other, _) = parts(robot, tau)
    return value.real[0], by_step(value), by_step(other), M


def forward_dynamics(robot, q, v, tau, base="body"):
    """qdd and its derivatives by q, v and tau."""
    return constrained_dynamics(robot, q, v, tau, [], base)[:4]


def solution(robot, moved, tau, held, chosen=None):
    """qdd and the generalised forces of the rows, f = J^T lambda, which are unique where lambda is not."""
    right = (np.asarray(tau, dtype=REAL) - moved.c)[..., None]
    if not held:
        qdd = solve(moved.M, right)[..., 0]
        return qdd, 0 * qdd
    J, gamma = moved.rows(held)
    if chosen is None:
        chosen = rows_of(moved, J)
    J, gamma = J[:, chosen], gamma[:, chosen]
    both = solve(moved.M, np.concatenate([right, turn(J)], axis=-1))
    free, through = both[..., :1], both[..., 1:]
    multiplier = solve(J @ through, -gamma[..., None] - J @ free)
    return (free + through @ multiplier)[..., 0], (turn(J) @ multiplier)[..., 0]


def rows_of(moved, J):
    return independent((J[:1] @ solve(moved.M[:1], turn(J[:1]))).real[0])


def constrained_dynamics(robot, q, v, tau, held, base="body"):
    """qdd and its derivatives by q, v and tau; f = J^T lambda and its derivatives likewise. Rows that depend on others
    are left out: they must go on to depend on them where q moves."""

    def both(dq, dv):
        return solution(robot, Moved(robot, q, v, dq, dv, base), tau, held)

    (qdd, f), (qdd_v, f_v) = parts(robot, both)
    at = Moved(robot, q, v, base=base)
    unit = np.eye(robot.nv)[None].astype(COMPLEX)
    by_tau, f_tau = solve(at.M, unit), 0 * unit
    if held:
        J, _ = at.rows(held)
        J = J[:, rows_of(at, J)]
        through = by_tau @ turn(J)
        f_tau = -turn(J) @ solve(J @ through, J @ by_tau)
        by_tau = by_tau + by_tau @ f_tau
    return (qdd.real[0], by_step(qdd), by_step(qdd_v), by_tau.real[0],
            f.real[0], by_step(f), by_step(f_v), f_tau.real[0])  # fmt: skip


def moved_rows(robot, q, v, held, base="body"):
    """J, moved along each coordinate of q."""
    return Moved(robot, q, v, np.eye(robot.nv), None, base).rows(held)[0]


def force_changes(J, multiplier, changes):
    """What changes of a multiplier mean for f = J^T lambda: d f = dJ^T lambda + J^T dlambda, by q, v and tau. J: of
    moved_rows."""
    turned = by_step(times(turn(J), np.broadcast_to(multiplier, (len(J), len(multiplier))).astype(COMPLEX)))
    J = J.real[0]
    return [turned + J.T @ changes[0], J.T @ changes[1], J.T @ changes[2]]


def error(found, exact):
    """Largest difference over the largest number of the exact matrix; infinite where something is not finite."""
    found = np.asarray(found)
    if not np.isfinite(found.astype(float)).all():
        return float("inf")
    return float(np.abs(found - exact).max() / np.abs(exact).max())
