"""RNEA and ABA as a plain program, of which CasADi and JAX make derivatives. One text for both: `xp` is CasADi or JAX behind
a few functions. Textbook forms ([RBDA] 5.3 and 7.3) along the axes of bodies, links at fixed joints lumped, motions and
forces as two vectors of three or [angular; linear].

A state moves by a tangent x: joint angles are q + x, and the base is turned by its first three numbers to first order, which
is exact for first derivatives. Nothing but gravity sees how the base is turned, and nothing sees where it is."""

from dataclasses import dataclass

import numpy as np


class Casadi:
    def __init__(self, casadi):
        self.casadi = casadi
        self.sin, self.cos, self.cross, self.dot = casadi.sin, casadi.cos, casadi.cross, casadi.dot
        self.inverse = casadi.inv

    def outer(self, a):
        a = self.casadi.SX(a)
        return self.casadi.mtimes(a, a.T)

    def stack(self, parts):
        return self.casadi.vertcat(*parts)

    def blocks(self, rows):
        return self.casadi.blockcat(rows)


class Jax:
    def __init__(self, numpy):
        self.numpy = numpy
        self.sin, self.cos, self.cross, self.dot = numpy.sin, numpy.cos, numpy.cross, numpy.dot
        self.inverse = numpy.linalg.inv

    @staticmethod
    def outer(a):
        return a[:, None] * a[None, :]

    def stack(self, parts):
        return self.numpy.concatenate([self.numpy.atleast_1d(part) for part in parts])

    def blocks(self, rows):
        return self.numpy.block(rows)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@dataclass
class Body:
    parent: int
    v: int  # first coordinate
    R: np.ndarray  # of the joint in the parent body
    p: np.ndarray
    axis: np.ndarray
    mass: float
    first: np.ndarray  # mass times centre of mass
    second: np.ndarray  # rotational inertia about the origin
    floating: bool


def lumped(robot):
    """Bodies, and of each link its body and its pose there."""
    bodies, where = [], []
    for link in robot.links:
        if link.kind in ("revolute", "floating"):
            parent, R, p = where[link.parent] if link.parent >= 0 else (-1, np.eye(3), np.zeros(3))
            bodies.append(Body(parent, link.v, R @ link.R, p + R @ link.p, link.axis, 0.0, np.zeros(3), np.zeros((3, 3)),
                               link.kind == "floating"))  # fmt: skip
            where.append((len(bodies) - 1, np.eye(3), np.zeros(3)))
        elif link.kind == "fixed":
            parent, R, p = where[link.parent] if link.parent >= 0 else (-1, np.eye(3), np.zeros(3))
            where.append((parent, R @ link.R, p + R @ link.p))
        else:
            raise ValueError(f"the plain program has no joint of kind {link.kind}")
        number, R, p = where[-1]
        if number >= 0:
            c, body = p + R @ link.com, bodies[number]
            body.mass += link.mass
            body.first = body.first + link.mass * c
            body.second = body.second + R @ link.inertia @ R.T - link.mass * skew(c) @ skew(c)
    return bodies, where


class Program:
    def __init__(self, robot, xp):
        self.robot, self.xp = robot, xp
        self.bodies, self.where = lumped(robot)

    def turned(self, body, angle):
        """From the axes of the parent to those of the body: E."""
        K = skew(body.axis)
        s, c = self.xp.sin(angle), self.xp.cos(angle)
        return (np.eye(3) - s * K + (1 - c) * (K @ K)) @ body.R.T

    def poses(self, q, x):
        """E of each body; of a floating base none."""
        return [None if body.floating else self.turned(body, q[body.v] + x[body.v]) for body in self.bodies]

    def down(self, down, x):
        """Gravity in the axes of the base, or of the world: R^T g turned back by x."""
        if not self.robot.floating:
            return down
        return down + self.xp.cross(down, self.part(x, 0))

    def part(self, x, first):
        return x[first : first + 3]

    def motions(self, q, x, v, a, down, gravity=True):
        """w, u, alpha, classical acceleration of the origin, less gravity, of each body."""
        cross, out = self.xp.cross, []
        fall = -self.down(down, x) if gravity else 0 * down
        E = self.poses(q, x)
        for body, turn in zip(self.bodies, E):
            if body.floating:
                w, u = self.part(v, 0), self.part(v, 3)
                out.append((w, u, self.part(a, 0), self.part(a, 3) + cross(w, u) + fall))
                continue
            if body.parent < 0:
                w = u = alpha = np.zeros(3)
                acceleration = fall
            else:
                w, u, alpha, acceleration = out[body.parent]
            rate, second = body.axis * v[body.v], body.axis * a[body.v]
            velocity = turn @ (u + cross(w, body.p))
            moved = turn @ (acceleration + cross(alpha, body.p) + cross(w, cross(w, body.p)))
            w = turn @ w
            out.append((w + rate, velocity, turn @ alpha + second + cross(w, rate), moved))
        return E, out

    def rnea(self, q, x, v, a, down):
        cross, xp = self.xp.cross, self.xp
        E, motions = self.motions(q, x, v, a, down)
        forces = []
        for body, (w, _, alpha, acceleration) in zip(self.bodies, motions):
            force = body.mass * acceleration + cross(alpha, body.first) + cross(w, cross(w, body.first))
            moment = body.second @ alpha + cross(w, body.second @ w) + cross(body.first, acceleration)
            forces.append((moment, force))
        tau = [None] * len(self.bodies)
        for number in range(len(self.bodies) - 1, -1, -1):
            body, (moment, force) = self.bodies[number], forces[number]
            if body.floating:
                tau[number] = (body.v, xp.stack([moment, force]))
                continue
            tau[number] = (body.v, xp.dot(body.axis, moment))
            if body.parent >= 0:
                force = E[number].T @ force
                moment = E[number].T @ moment + cross(body.p, force)
                before = forces[body.parent]
                forces[body.parent] = (before[0] + moment, before[1] + force)
        return xp.stack([value for _, value in sorted(tau, key=lambda one: one[0])])

    def aba(self, q, x, v, tau, down):
        cross, xp, n = self.xp.cross, self.xp, len(self.bodies)
        E, still = self.poses(q, x), []
        X, I, p, c = [], [], [], []
        for body, turn in zip(self.bodies, E):
            if body.floating:
                w, u, bias, transform = self.part(v, 0), self.part(v, 3), np.zeros(6), None
            else:
                if body.parent < 0:
                    w = u = np.zeros(3)
                else:
                    w, u = still[body.parent]
                rate = body.axis * v[body.v]
                w, u = turn @ w, turn @ (u + cross(w, body.p))
                bias = xp.stack([cross(w, rate), cross(u, rate)])
                w = w + rate
                transform = xp.blocks([[turn, np.zeros((3, 3))], [-turn @ skew(body.p), turn]])
            still.append((w, u))
            moment, force = body.second @ w + cross(body.first, u), body.mass * u - cross(body.first, w)
            p.append(xp.stack([cross(w, moment) + cross(u, force), cross(w, force)]))
            h = skew(body.first)
            I.append(np.block([[body.second, h], [-h, body.mass * np.eye(3)]]))
            X.append(transform)
            c.append(bias)
        U, D, rest = [None] * n, [None] * n, [None] * n
        for number in range(n - 1, -1, -1):
            body = self.bodies[number]
            if body.floating:
                continue
            S = np.concatenate([body.axis, np.zeros(3)])
            U[number] = I[number] @ S
            D[number] = xp.dot(S, U[number])
            rest[number] = tau[body.v] - xp.dot(S, p[number])
            if body.parent >= 0:
                left = I[number] - xp.outer(U[number]) / D[number]
                push = p[number] + left @ c[number] + U[number] * (rest[number] / D[number])
                I[body.parent] = I[body.parent] + X[number].T @ left @ X[number]
                p[body.parent] = p[body.parent] + X[number].T @ push
        fall = xp.stack([np.zeros(3), -self.down(down, x)])
        acceleration, out = [None] * n, []
        for number, body in enumerate(self.bodies):
            if body.floating:
                a = xp.inverse(I[number]) @ (tau[:6] - p[number])
                acceleration[number] = a
                out.append((body.v, a - fall))
                continue
            a = X[number] @ (fall if body.parent < 0 else acceleration[body.parent]) + c[number]
            second = (rest[number] - xp.dot(U[number], a)) / D[number]
            acceleration[number] = a + np.concatenate([body.axis, np.zeros(3)]) * second
            out.append((body.v, second))
        return xp.stack([value for _, value in sorted(out, key=lambda one: one[0])])

    def rows(self, held, q, x, v, a, down):
        """J a + gamma of contacts: accelerations along the axes of their links."""
        cross = self.xp.cross
        _, motions = self.motions(q, x, v, a, down, gravity=False)
        out = []
        for one in held:
            number, R, p = self.where[self.robot.link(one.link)]
            w, _, alpha, acceleration = motions[number]
            p = p + R @ one.at
            if one.rows == 6:
                out.append(R.T @ alpha)
            out.append(R.T @ (acceleration + cross(alpha, p) + cross(w, cross(w, p))))
        return self.xp.stack(out)


def inputs(problem, state):
    """q without the pose of the base but with as many numbers as v, and gravity along the axes of the base."""
    down = np.array([0, 0, -9.81])
    if not problem.case.floating:
        return np.asarray(state.q), down
    x, y, z, w = state.q[3:7]
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    return np.concatenate([np.zeros(6), state.q[7:]]), R.T @ down
