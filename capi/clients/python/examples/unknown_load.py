"""Finds what an arm carries, and the damping of its joints, from how it moved: numpy and Tenon alone.

    python3 unknown_load.py models/iiwa14.urdf [folder for pictures]

An arm follows a motion of 0.6 s under a controller. It carries a load that nobody told, and its joints have damping
that the file does not know. Torques and positions are recorded, positions with noise, and nothing else: no velocities,
no accelerations. The rollout of the recorded torques on a robot with numbers x shall pass where the arm was seen.
Gauss-Newton takes the derivatives of all that was seen by x from gradients through rollouts
(tenon_batch_rollout_parameter_vjp): a batch has a state for each, and one call gives all rows. What identification.py
does with accelerations, for numbers that are linear in torques, is done here through the simulation itself.
"""

import os
import sys

import numpy as np
import tenon

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
DT, STEPS, EVERY = 0.002, 300, 15  # of a simulation, and between positions that are compared
NOISE = 1e-4  # standard deviation of a position, rad
LOAD, CENTER, DAMPING = 1.8, (0.03, -0.02, 0.08), (0.5, 1.2)  # kg, m in axes of the last link, N m s


class Arm:
    """Rollouts of an arm with a load and damping, x = [mass, mass times centre of mass, damping of each joint]."""

    def __init__(self, robot):
        self.robot, self.batch = robot, tenon.Batch(robot, threads=os.cpu_count() or 1)
        carrier = max(i for i in range(robot.link_count) if robot.link(i).mass > 0)
        self.link = carrier
        self.start = 0.3 - 0.1 * np.arange(robot.nv)

    def carry(self, x):
        """The load is a point."""
        masses, centers = np.zeros(self.robot.link_count), np.zeros((self.robot.link_count, 3))
        masses[self.link], centers[self.link] = x[0], x[1:4] / x[0]
        self.batch.set_parameters(payload_masses=masses, payload_centers_of_mass=centers.ravel(), damping=x[4:])

    def record(self, x, random):
        """Torques of a controller that follows sines, and positions."""
        self.carry(x)
        q, v, torques, seen = self.start[None], np.zeros((1, self.robot.nv)), [], []
        rate = 2 + np.arange(self.robot.nv) % 4
        for k in range(STEPS):
            target = self.start + 0.5 * np.sin(rate * k * DT)
            torques.append(60 * 0.6 ** np.arange(self.robot.nv) * (target - q - 0.05 * v))
            q, v = (a[:, 0] for a in self.batch.rollout(q, v, torques[-1][:, None], dt=DT))
            seen.append(q[0])
        return np.stack(torques, axis=1), np.array(seen) + random.normal(0, NOISE, (STEPS, self.robot.nv))

    def rolled(self, x, torques, every=EVERY):
        self.carry(x)
        v = np.zeros((1, self.robot.nv))
        return self.batch.rollout(self.start[None], v, torques, dt=DT, steps=STEPS, every=every)[0][0]

    def derivatives(self, x, torques):
        """Of all positions by x, a row for each."""
        self.carry(x)
        records, nv = STEPS // EVERY, self.robot.nv
        many = records * nv
        ups = np.eye(many).reshape(many, records, nv)
        same = [np.broadcast_to(a, (many, *a.shape)) for a in (self.start, np.zeros(nv), torques[0])]
        not_wanted = dict.fromkeys(("out", "gradient_v", "gradient_tau", "gradient_armature", "gradient_friction",
                                    "gradient_wrenches", "gradient_gravity"), False)  # fmt: skip
        how = dict(dt=DT, steps=STEPS, every=EVERY)
        by = self.batch.rollout_parameter_vjp(*same, record_gradient_q=ups, **how, **not_wanted)
        by_inertia, by_damping = (x for x in by if x is not None)
        of_link = by_inertia[:, 10 * self.link : 10 * self.link + 10]
        return np.column_stack([of_link @ self.of_point(x[0], x[1:4]), by_damping])

    @staticmethod
    def of_point(m, h):
        """Derivatives of the ten numbers [m, h = m c, inertia about the origin] of a point by m and h."""
        x, y, z = h / m
        by_m = [1, 0, 0, 0, -y * y - z * z, x * y, x * z, -x * x - z * z, y * z, -x * x - y * y]
        by_x = [0, 1, 0, 0, 0, -y, -z, 2 * x, 0, 2 * x]
        by_y = [0, 0, 1, 0, 2 * y, -x, 0, 0, -z, 2 * y]
        by_z = [0, 0, 0, 1, 2 * z, 0, -x, 2 * z, -y, 0]
        return np.column_stack([by_m, by_x, by_y, by_z])


def identify(robot, seed=1):
    """The truth, x of each iteration and the misses of the simulation with it, and what the pictures show."""
    arm, random = Arm(robot), np.random.default_rng(seed)
    truth = np.array([LOAD, *(LOAD * np.array(CENTER)), *random.uniform(*DAMPING, robot.nv)])
    torques, seen = arm.record(truth, random)
    compared = seen[EVERY - 1 :: EVERY]
    x = np.array([0.5, 0.0, 0.0, 0.0, *np.full(robot.nv, 0.3)])  # a first guess
    path, misses = [x], [arm.rolled(x, torques) - compared]
    # First what was seen early, which depends on x the least steeply, then more, then all of it.
    for count in [*range(4, len(compared), 3), *[len(compared)] * 5]:
        J = arm.derivatives(x, torques)[: count * robot.nv]
        scale = np.linalg.norm(J, axis=0) + 1e-12
        damping = 1e-3 * (count < len(compared)) * np.eye(len(x))
        miss = np.concatenate([misses[-1][:count].ravel(), np.zeros(len(x))])
        x = x - np.linalg.lstsq(np.vstack([J / scale, damping]), miss, rcond=None)[0] / scale
        x[0], x[4:] = max(x[0], 0.1), np.maximum(x[4:], 0)
        path.append(x), misses.append(arm.rolled(x, torques) - compared)
    rms = [np.sqrt(np.mean(m**2)) for m in misses]
    paths = [arm.rolled(y, torques, 5) for y in (path[0], path[-1])]
    return {"truth": truth, "path": path, "rms": rms, "seen": seen, "before": paths[0], "after": paths[1]}


def draw(folder, found, joint=1):
    sys.path.insert(0, os.path.join(ROOT, "bench/support"))
    import chart

    def points(q, every, of=1):
        return list(zip(DT * of * (np.arange(len(q))[::every] + 1), q[::every, joint]))

    os.makedirs(folder, exist_ok=True)
    lines = [chart.Line("seen", points(found["seen"], 15), 5, marks=True),
             chart.Line("by the first guess", points(found["before"], 1, 5), 1, dashed=True),
             chart.Line("with what was found", points(found["after"], 1, 5), 0)]  # fmt: skip
    path = os.path.join(folder, "unknown_load_motion.svg")
    chart.lines(path, f"Joint {joint + 1} under the recorded torques", "time, s", "position, rad", lines)
    damping = [np.abs(x[4:] - found["truth"][4:]).max() for x in found["path"]]
    lines = [chart.Line("positions, rad (rms)", list(enumerate(found["rms"]))),
             chart.Line("load, kg", [(i, abs(x[0] - LOAD)) for i, x in enumerate(found["path"])]),
             chart.Line("damping, N m s (largest)", list(enumerate(damping)))]  # fmt: skip
    path = os.path.join(folder, "unknown_load_error.svg")
    chart.lines(path, "What is found through the simulation", "iterations of Gauss-Newton", "error", lines, log_y=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = identify(tenon.Model.load(sys.argv[1]))
    truth, x = found["truth"], found["path"][-1]
    print(f"simulated with a first guess: off by {1000 * found['rms'][0]:.1f} mrad (rms)")
    print(f"after {len(found['path']) - 1} iterations: off by {1000 * found['rms'][-1]:.3f} mrad, "
          f"where noise is {1000 * NOISE} mrad")  # fmt: skip
    center = x[1:4] / x[0]
    print(f"load {x[0]:.3f} kg at {np.array2string(center, precision=3)} m, in truth {LOAD} kg at {np.array(CENTER)} m")
    print(f"damping is off by {100 * np.abs(x[4:] / truth[4:] - 1).max():.2f} % at most")
    good = abs(x[0] - LOAD) < 0.02 * LOAD and np.abs(center - CENTER).max() < 0.005
    print(f"found what it carries: {bool(good and found['rms'][-1] < 1.2 * NOISE)}")
    if len(sys.argv) > 2:
        draw(sys.argv[2], found)
