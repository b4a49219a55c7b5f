"""Identifies the inertias and the friction of an arm from a recorded motion: numpy and Tenon alone.

    python3 identification.py models/iiwa14.urdf [folder for pictures]

The robot is simulated: the arm of the file, with damping and dry friction. What is known of it is wrong: the inertias
of a drawing that is off, and nothing of friction. It follows a motion of ten seconds, of which positions and torques are
recorded, both with noise. Inverse dynamics is linear in the ten numbers of each link (tenon_joint_torque_regressor), in
damping and in dry friction. Two estimates are made and tried on another motion:

- least squares in these numbers, which may give bodies that cannot exist;
- Gauss-Newton in the log-Cholesky chart (tenon_inertia_from_log_cholesky), all of whose bodies can exist, and in the
  logarithms of damping and friction.

Not all numbers show in the torques: those combinations that do are the base parameters, and these alone are found. The
others stay about as wrong as in the drawing, so torques come right though single masses do not.
"""

import os
import sys

import numpy as np
import tenon

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
RATE, SECONDS = 1000, 10  # samples a second
NOISE_Q, NOISE_TAU = 1e-5, 0.1  # standard deviations: rad, N m
DRAWING = 0.1  # standard deviation of the drawing in the chart, where 0.1 is a mass that is off by a fifth


def motion(robot, random, seconds, harmonics=5):
    """Positions, velocities and accelerations of a sum of sines, samples x nv, within the limits of the joints."""
    t = np.arange(int(seconds * RATE)) / RATE
    w = 2 * np.pi / SECONDS * np.arange(1, harmonics + 1)
    a, b = random.normal(size=(2, harmonics, robot.nv)) / w[:, None]
    angle = w * t[:, None]
    q, v = np.sin(angle) @ a + np.cos(angle) @ b, (w * np.cos(angle)) @ a - (w * np.sin(angle)) @ b
    fastest = [robot.joint(joint).velocity for joint in robot.joints]
    scale = 0.9 * np.minimum((robot.upper - robot.lower) / np.ptp(q, axis=0), fastest / np.abs(v).max(axis=0))
    middle = (robot.upper + robot.lower) / 2 - scale * (q.max(axis=0) + q.min(axis=0)) / 2
    return middle + scale * q, scale * v, -scale * ((w**2 * np.sin(angle)) @ a + (w**2 * np.cos(angle)) @ b)


def smoothed(x, half=40, degree=4):
    """x and its first two derivatives by time, from polynomials through neighbouring samples; the ends are left out."""
    k = np.arange(-half, half + 1)
    fit = np.linalg.pinv(np.vander(k, degree + 1, increasing=True))[:3]
    windows = np.lib.stride_tricks.sliding_window_view(x, len(k), axis=0)
    return windows @ fit[0], windows @ fit[1] * RATE, windows @ fit[2] * 2 * RATE**2


class Arm:
    """The numbers of a robot, as tenon/parameters.h has them: ten of each link that moves, damping and friction."""

    def __init__(self, robot):
        self.robot, self.work, self.batch = robot, tenon.Workspace(robot), tenon.Batch(robot)
        moved = {robot.joint(joint).child_link for joint in robot.joints}
        self.links = [i for i in range(robot.link_count) if i in moved and robot.link(i).mass > 0]
        self.columns = np.ravel([range(10 * i, 10 * i + 10) for i in self.links])

    def numbers(self):
        """Of the file."""
        return np.concatenate([self.about_origin(*self.work.inertia(i)) for i in self.links])

    @staticmethod
    def about_origin(mass, c, inertia):
        ixx, ixy, ixz, iyy, iyz, izz = inertia + mass * moments(c)
        return [mass, *(mass * c), ixx, ixy, ixz, iyy, iyz, izz]

    def torques(self, numbers, damping, friction, q, v, a):
        """Inverse dynamics of a robot with these numbers."""
        masses, centers, inertias = (np.zeros((self.robot.link_count, n)) for n in (1, 3, 6))
        for i, (m, *rest) in zip(self.links, numbers.reshape(-1, 10)):
            masses[i], centers[i] = m, np.array(rest[:3]) / m
            inertias[i] = rest[3:] - m * moments(centers[i])
        self.batch.set_parameters(masses=masses.ravel(), centers_of_mass=centers, inertias=inertias, damping=damping,
                                  friction=friction)  # fmt: skip
        return self.batch.inverse_dynamics(q, v, a)

    def regressor(self, q, v, a):
        """What the numbers, damping and friction of joints are multiplied by, samples nv x numbers."""
        Y = self.batch.joint_torque_regressor(q, v, a)[:, :, self.columns]
        of_joints = [x[:, :, None] * np.eye(self.robot.nv) for x in (v, np.sign(v))]
        return np.concatenate([Y, *of_joints], axis=2).reshape(-1, Y.shape[2] + 2 * self.robot.nv)

    def of_chart(self, x):
        """All numbers from those of the chart, and their derivatives by these."""
        n, nv = len(self.links), self.robot.nv
        each = [self.work.inertia_from_log_cholesky(theta) for theta in x[: 10 * n].reshape(n, 10)]
        J = np.diag(np.concatenate([np.zeros(10 * n), np.exp(x[10 * n :])]))
        for i, (_, derivatives) in enumerate(each):
            J[10 * i : 10 * i + 10, 10 * i : 10 * i + 10] = derivatives
        return np.concatenate([*(pi for pi, _ in each), np.exp(x[-2 * nv :])]), J

    def to_chart(self, numbers, damping, friction):
        each = [self.work.log_cholesky_from_inertia(pi) for pi in numbers.reshape(-1, 10)]
        return np.concatenate([*each, np.log(damping), np.log(friction)])

    def impossible(self, numbers):
        """How many links are bodies that cannot exist."""
        count = 0
        for pi in numbers.reshape(-1, 10):
            try:
                self.work.log_cholesky_from_inertia(pi)
            except tenon.Error:
                count += 1
        return count


def moments(c):
    """Of a mass of 1 kg at c, [ixx ixy ixz iyy iyz izz]."""
    x, y, z = c
    return np.array([y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y])


def fitted(arm, A, b, x, steps=15):
    """Gauss-Newton from x in the chart: torques by their noise, and the drawing by what it may be off. Gives all x.
    Steps are damped as by Levenberg and Marquardt; the damping follows how well the last one was foreseen (Nielsen)."""
    R = np.linalg.qr(np.column_stack([A, b]), mode="r")  # the same least squares, with as many rows as numbers
    A, b, drawing, one = R[:, :-1], R[:, -1], np.zeros(len(x)), np.eye(len(x))
    drawing[: 10 * len(arm.links)] = NOISE_TAU / DRAWING

    def miss(x):
        numbers, J = arm.of_chart(x)
        return np.concatenate([A @ numbers - b, drawing * (x - path[0])]), np.vstack([A @ J, np.diag(drawing)])

    path = [x]
    r, J = miss(x)
    damping, factor = 1e-3 * np.sum(J * J, axis=0).max(), 2
    for _ in range(steps):
        for _ in range(30):
            step = np.linalg.solve(J.T @ J + damping * one, -J.T @ r)
            new_r, new_J = miss(x + step)
            gain = (r @ r - new_r @ new_r) / (r @ r - np.sum((r + J @ step) ** 2))
            if gain > 0:
                x, r, J, factor = x + step, new_r, new_J, 2
                damping *= max(0.1, 1 - (2 * gain - 1) ** 3)
                break
            damping, factor = damping * factor, 2 * factor
        path.append(x)
    return path


def identify(robot, seed=1, seconds=SECONDS):
    """Errors of the drawing, of least squares and of the chart, and what the pictures show."""
    arm, random = Arm(robot), np.random.default_rng(seed)
    n, nv = 10 * len(arm.links), robot.nv
    truth = (arm.numbers(), random.uniform(0.3, 1.0, nv), random.uniform(0.5, 1.5, nv))
    off = arm.to_chart(*truth)
    off[:n] += random.normal(0, DRAWING, n)
    off[n:] = np.log(0.1)
    drawing = arm.of_chart(off)[0]

    q, v, a = motion(robot, random, seconds)
    tau = arm.torques(*truth, q, v, a) + random.normal(0, NOISE_TAU, q.shape)
    q, v, a = smoothed(q + random.normal(0, NOISE_Q, q.shape))
    tau = tau[(len(tau) - len(q)) // 2 :][: len(q)]
    kept = slice(None, None, 5)
    A, b = arm.regressor(q[kept], v[kept], a[kept]), tau[kept].ravel()
    some = (np.abs(v[kept]) > 0.01).ravel()  # where the sign of dry friction is sure
    A, b = A[some], b[some]

    path = fitted(arm, A, b, off)
    plain = drawing + np.linalg.lstsq(A, b - A @ drawing, rcond=1e-6)[0]

    # Base parameters: the row space of the regressor of links, in states all over.
    states = random.uniform(robot.lower, robot.upper, (400, nv)), *random.normal(size=(2, 400, nv))
    _, s, rows = np.linalg.svd(arm.regressor(*states)[:, :n], full_matrices=False)
    base = rows[: np.count_nonzero(s > 1e-9 * s[0])]

    q, v, a = motion(robot, random, seconds)
    true = arm.torques(*truth, q, v, a)
    split = [n, n + nv]

    def errors(numbers):
        of_links = numbers[:n] - truth[0]
        rms = np.sqrt(np.mean((arm.regressor(q[::20], v[::20], a[::20]) @ numbers - true[::20].ravel()) ** 2))
        return np.array([np.linalg.norm(base @ of_links) / np.linalg.norm(base @ truth[0]),
                         np.linalg.norm(of_links) / np.linalg.norm(truth[0]), rms])  # fmt: skip

    found = [arm.of_chart(x)[0] for x in path]
    return {
        "arm": arm, "base": len(base), "path": [errors(x) for x in found], "plain": errors(plain),
        "impossible": (arm.impossible(plain[:n]), arm.impossible(found[-1][:n])),
        "friction": np.abs(found[-1][n:] / np.concatenate(truth[1:]) - 1).max(),
        "measured": true + random.normal(0, NOISE_TAU, true.shape), "rms": np.sqrt(np.mean(true**2)),
        "before": arm.torques(*np.split(drawing, split), q, v, a),
        "after": arm.torques(*np.split(found[-1], split), q, v, a),
        "true": true,
    }  # fmt: skip


def draw(folder, found, joint=3):
    sys.path.insert(0, os.path.join(ROOT, "bench/support"))
    import chart

    def points(tau, every):
        return list(zip(np.arange(len(tau))[::every] / RATE, tau[::every, joint]))

    os.makedirs(folder, exist_ok=True)
    lines = [chart.Line("measured", points(found["measured"], 100), 5, marks=True),
             chart.Line("by the drawing", points(found["before"], 20), 1, dashed=True),
             chart.Line("identified", points(found["after"], 20), 0)]  # fmt: skip
    path = os.path.join(folder, "identification_torque.svg")
    chart.lines(path, f"Joint {joint + 1} on a motion that is not identified from", "time, s", "torque, N m", lines)
    errors = np.array(found["path"]) / (1, 1, found["rms"])
    names = ("base parameters", "all numbers", "torque, other motion")
    lines = [chart.Line(name, list(enumerate(e))) for name, e in zip(names, errors.T)]
    path = os.path.join(folder, "identification_error.svg")
    chart.lines(path, "What is identified", "iterations of Gauss-Newton", "relative error", lines, log_y=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = identify(tenon.Model.load(sys.argv[1]))
    count, last = 10 * len(found["arm"].links), found["path"][-1]
    print(f"{count} numbers of {count // 10} links, of which {found['base']} combinations show: the base parameters")
    print(f"another motion, torques of {found['rms']:.1f} N m (rms), {NOISE_TAU} N m of noise in what is recorded:")
    for name, (base, every, rms) in zip(("the drawing", "least squares", "log-Cholesky"),
                                        (found["path"][0], found["plain"], last)):  # fmt: skip
        print(f"  {name:13} torques off by {rms:7.3f} N m, base parameters by {100 * base:6.2f} %, "
              f"all by {100 * every:5.1f} %")  # fmt: skip
    print(f"damping and friction by the chart are off by {100 * found['friction']:.1f} % at most")
    by_squares, by_chart = found["impossible"]
    print(f"bodies that cannot exist: by least squares {by_squares}, by the chart {by_chart}; "
          f"torques within the noise: {bool(last[2] < NOISE_TAU)}")  # fmt: skip
    if len(sys.argv) > 2:
        draw(sys.argv[2], found)
