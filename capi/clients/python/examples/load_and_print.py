"""Loads a robot and prints what it is: python3 load_and_print.py models/iiwa14.urdf."""

import sys

import tenon

robot = tenon.Model.load(sys.argv[1])
print(repr(robot))
print(robot.describe())
for name in robot.joints:
    joint = robot.joint(name)
    print(f"{name}: {joint.type.name.lower()}, from {joint.lower:.2f} to {joint.upper:.2f}")

work = tenon.Workspace(robot)
q = work.neutral()
work.kinematics(q)
print("the last link is at", work.link_pose(robot.links[-1])[:3].round(3))
print("held against gravity by", work.gravity_force(q).round(2))
