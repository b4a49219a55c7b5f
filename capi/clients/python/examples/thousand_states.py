"""A thousand states of Atlas on both feet in one call, then each half a second on: python3 thousand_states.py
models/atlas.urdf."""

import sys

import numpy as np
import tenon

robot = tenon.Model.load(sys.argv[1], base="floating")
feet = tenon.Constraints(robot)
for foot in ("l_foot", "r_foot"):
    feet.add_weld(foot)
batch = tenon.Batch(robot, feet, threads=2)
print(batch)

work = tenon.Workspace(robot, feet)
q = np.array([work.random(seed) for seed in range(1000)])
v = np.zeros((1000, batch.nv))
tau = np.zeros(batch.nv)  # the same for all
qdd, force = batch.constrained_dynamics(q, v, tau)
single, _ = work.constrained_dynamics(q[7], v[7], tau)
print(f"the left foot of state 7 is pushed up by {force[7, 5]:.1f} N")
print("agrees with a single call:", np.allclose(qdd[7], single, rtol=1e-8, atol=1e-6))

q_end, v_end = batch.rollout(q[:16], v[:16], tau, dt=0.001, steps=50, every=50)
print("after 50 ms the fastest joint turns at", np.abs(v_end).max().round(1), "rad/s")
