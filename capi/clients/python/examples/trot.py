"""Robot dogs that differ in masses, friction and gains trot in place, each at its own moment of the stride:
python3 trot.py models/go1.urdf [states] [double|single]."""

import sys
import time

import numpy as np
import tenon

LEGS = ("FR", "FL", "RR", "RL")
DT, STEPS = 1e-3, 20  # of a call: every 20 ms contacts may change
STRIDE = 20  # calls: all feet, FR and RL swing, all feet, FL and RR swing

robot = tenon.Model.load(sys.argv[1], base="floating")
count = int(sys.argv[2]) if len(sys.argv) > 2 else 64
precision = sys.argv[3] if len(sys.argv) > 3 else "double"
feet = tenon.Constraints(robot)
for leg in LEGS:
    feet.add_point(f"{leg}_foot", name=leg, frequency=100.0)
batch = tenon.Batch(robot, feet, precision=precision)
random = np.random.default_rng(1)

# Robots of their own.
masses = np.array([robot.link(name).mass for name in robot.links])
friction = np.zeros((count, batch.nv))
friction[:, 6:] = random.uniform(0.05, 0.2, (count, 1))
batch.set_parameters(masses=masses * random.uniform(0.85, 1.15, (count, len(masses))), damping=friction)
stiffness, damping = np.zeros((count, batch.nv)), np.zeros((count, batch.nv))
stiffness[:, 6:] = random.uniform(60, 100, (count, 1))
damping[:, 6:] = random.uniform(2, 4, (count, 1))

stand = tenon.Workspace(robot).neutral()
thigh = [robot.joint(f"{leg}_thigh_joint").q_index for leg in LEGS]
calf = [robot.joint(f"{leg}_calf_joint").q_index for leg in LEGS]
stand[thigh], stand[calf] = 0.8, -1.6
q, v = np.tile(stand, (count, 1)).astype(batch.dtype), np.zeros((count, batch.nv), batch.dtype)
names = [f"{leg}_foot" for leg in LEGS]
anchors = batch.kinematics(q, names).poses.copy()
ground = anchors[0, 0, 2]

offsets = random.integers(0, STRIDE, count)
moment = np.arange(STRIDE)
swings = np.zeros((STRIDE, 4), bool)
swings[(moment >= 5) & (moment < 10)] = [True, False, False, True]
swings[moment >= 15] = [False, True, True, False]
lifts = swings & (moment % 10 < 8)[:, None]  # then they come down

spent, drift = 0.0, 0.0
on, stands = np.ones((count, 4), bool), np.full((count, 4), 100)
zero, target = np.zeros(batch.nv), np.tile(stand, (count, 1))
calls = int(5 / (DT * STEPS))
for call in range(calls):
    now = (call + offsets) % STRIDE
    places = batch.kinematics(q, names).poses
    away = np.linalg.norm((places - anchors)[..., :3], axis=-1)
    drift = max(drift, away[stands >= 5].max())  # for 0.1 s or longer
    landed = ~on & ~swings[now]
    anchors[landed, :2] = places[landed, :2]
    anchors[landed, 2] = ground
    on = ~swings[now]
    stands = np.where(on, stands + 1, 0)
    target[:, thigh], target[:, calf] = 0.8 + 0.3 * lifts[now], -1.6 - 0.6 * lifts[now]
    start = time.perf_counter()
    batch.set_anchors(anchors)
    batch.set_active(on)
    q, v = (x[:, -1] for x in batch.rollout(q, v, zero, dt=DT, steps=STEPS, every=STEPS, stiffness=stiffness,
                                            damping=damping, q_target=target))  # fmt: skip
    spent += time.perf_counter() - start
tilt = 2 * np.linalg.norm(q[:, 3:5], axis=1).max()
print(f"{count} robots trotted for 5 s: trunks {1e3 * -q[:, 2].min():.0f} mm lower, tilted by {tilt:.2f} rad, at most")
print(f"feet that stood for 0.1 s were within 0.1 mm of where they touched: {drift < 1e-4}, by {drift:.0e} m")
print(f"{count * calls * STEPS / spent / 1e6:.2f} million steps a second, {precision}")
