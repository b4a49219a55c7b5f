"""Finds the inertias and the damping of an arm by the gradient through its simulation: PyTorch and tenon.torch.

    python3 learn_inertias.py models/iiwa14.urdf

An arm is moved by torques from several postures for a fifth of a second, and positions and velocities are recorded. The robot
of the drawing moves otherwise. All ten numbers of each link and the damping of each joint are optimised, until rollouts of the
recorded torques pass where the arm was. What is optimised has no bounds: log-Cholesky numbers
(tenon_inertia_from_log_cholesky), all of which give bodies that can exist, and logarithms of damping. Other torques and
postures show what was learnt; of the numbers only those combinations are found that show in such motions.
"""

import os
import sys

import numpy as np
import torch

import tenon
import tenon.torch

MODELS = os.environ.get("TENON_MODELS", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../models"))
DT, STEPS, EVERY = 0.002, 100, 10
DRAWING = 0.1  # standard deviation of the drawing in the chart, where 0.1 is a mass that is off by a fifth


class Arm:
    """Rollouts of an arm whose links have log-Cholesky numbers, and joints logarithms of damping."""

    def __init__(self, robot, threads=1):
        self.batch = tenon.Batch(robot, threads=threads)
        moved = {robot.joint(joint).child_link for joint in robot.joints}
        self.links = torch.tensor([i for i in range(robot.link_count) if i in moved and robot.link(i).mass > 0])
        self.drawn = tenon.torch.parameters_of(self.batch).inertias
        self.theta = tenon.torch.log_cholesky_from_inertia(self.batch, self.drawn[self.links])

    def move(self, theta, log_damping, q, v, tau):
        inertias = self.drawn.index_put((self.links,), tenon.torch.inertia_from_log_cholesky(theta))
        robot = tenon.torch.Parameters(inertias=inertias, damping=log_damping.exp())
        how = {"every": EVERY, "integrator": "runge_kutta_4", "parameters": robot}
        return torch.cat(tenon.torch.rollout(self.batch, q, v, tau, DT, **how), -1)


def smaller(robot):
    """Joints move less the farther they are out."""
    return 0.35 ** np.arange(robot.nv)


def motions(robot, random, count):
    """Postures, at rest, and torques that change at each record."""
    q = random.uniform(-1, 1, (count, robot.nq))
    tau = random.uniform(-40, 40, (count, STEPS // EVERY, robot.nv)) * smaller(robot)
    return [torch.from_numpy(a) for a in (q, np.zeros((count, robot.nv)), tau.repeat(EVERY, axis=1))]


def identify(robot=None, iterations=100, count=32, seed=1, threads=1):
    """Losses, how far motions are off that were not learnt from, before and after, in parts of how far all of them are spread,
    and the inertias that are found."""
    robot = robot or tenon.Model.load(os.path.join(MODELS, "iiwa14.urdf"))
    arm, random = Arm(robot, threads), np.random.default_rng(seed)
    truth = arm.theta, torch.from_numpy(np.log(random.uniform(1, 4, robot.nv) * smaller(robot)))
    seen, unseen = motions(robot, random, count), motions(robot, random, count)
    wanted, wanted_unseen = arm.move(*truth, *seen), arm.move(*truth, *unseen)

    spread = wanted.std((0, 1))
    drawing = arm.theta + torch.from_numpy(random.normal(0, DRAWING, arm.theta.shape))
    x = [drawing, torch.from_numpy(np.log(2 * smaller(robot)))]
    off = lambda motion, truth: ((arm.move(*x, *motion) - truth) / spread).square().mean()  # noqa: E731
    before, losses = float(off(unseen, wanted_unseen)) ** 0.5, []
    descent = torch.optim.Adam([one.requires_grad_() for one in x], lr=0.05)
    slower = torch.optim.lr_scheduler.ExponentialLR(descent, 0.1 ** (1 / iterations))
    for _ in range(iterations):
        descent.zero_grad()
        loss = off(seen, wanted)
        loss.backward()
        descent.step()
        slower.step()
        losses.append(float(loss.detach()))
    inertias = tenon.torch.inertia_from_log_cholesky(x[0].detach())
    return {"losses": losses, "unseen": (before, float(off(unseen, wanted_unseen).detach()) ** 0.5), "inertias": inertias}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = identify(tenon.Model.load(sys.argv[1]), threads=os.cpu_count() or 1)
    losses, (before, after) = found["losses"], found["unseen"]
    print(f"loss {losses[0]:.2g} -> {losses[-1]:.2g} in {len(losses)} iterations")
    print(f"motions that were not learnt from are off by {100 * before:.1f} % before, by {100 * after:.1f} % after")
