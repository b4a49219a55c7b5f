"""Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
number, so that programs in other languages can be compared to the last one: python3 atlas.py models/atlas.urdf."""

import struct
import sys

import numpy as np
import tenon

robot = tenon.Model.load(sys.argv[1], base="floating")
feet = tenon.Constraints(robot)
feet.add_weld("l_foot")
feet.add_weld("r_foot")
work = tenon.Workspace(robot, feet)

q = work.random(1)
i = np.arange(work.nv)
v = np.where(i < 6, 0.0, 0.01 * i)
tau = np.where(i < 6, 0.0, 10.0 - 0.5 * i)
qdd, force = work.constrained_dynamics(q, v, tau)

print(work.status.name.lower())
for number, acceleration in enumerate(qdd):
    print(f"qdd[{number}] = {struct.pack('>d', acceleration).hex()}")
