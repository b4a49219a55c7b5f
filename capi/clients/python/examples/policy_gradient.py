"""Trains a policy by the gradient through 4,096 rollouts of an arm, in PyTorch on tenon.torch.

    python3 policy_gradient.py models/iiwa14.urdf [folder for pictures]

A network sees where the hand shall be, and gives targets to springs and dampers in the joints; the arm, with its weight
and inertia, moves for 0.8 s, and its hand shall be there in the second half. All robots move in one call of a batch
(tenon.torch.rollout). The gradient of the distances by the network's weights goes back through all steps and is exact:
no action is drawn at random. Goals are new in each iteration.
"""

import os
import sys
import time

import numpy as np
import tenon
import tenon.torch
import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../..")
DT, STEPS, KNOTS = 0.01, 80, 4  # targets go from knot to knot in straight lines
READY = (0.0, 0.6, 0.0, -1.2, 0.0, 1.2, 0.0)
ARMATURE = (0.5, 0.5, 0.4, 0.4, 0.2, 0.15, 0.1)  # of the motors, kg m^2
STIFFNESS = (300.0, 300.0, 200.0, 200.0, 50.0, 30.0, 20.0)
DAMPING = (25.0, 25.0, 15.0, 15.0, 3.0, 2.0, 1.0)


def hands(batch, q):
    """Where the last link is, ... x 3, of q, ... x nq."""
    return tenon.torch.kinematics(batch, q, [batch.model.links[-1]])[0][..., 0, :3]


class Reaching:
    def __init__(self, robot):
        self.batch = tenon.Batch(robot, precision="single", threads=os.cpu_count() or 1)
        self.batch.set_parameters(armatures=ARMATURE)
        self.ready, self.stiffness, self.damping = map(torch.tensor, (READY, STIFFNESS, DAMPING))
        self.middle = hands(self.batch, self.ready)
        at = torch.linspace(0, KNOTS, STEPS + 1)[1:]  # in knots, the one before the first at `ready`
        self.weights = torch.clamp(1 - (at[:, None] - torch.arange(1.0, KNOTS + 1)).abs(), min=0)

    def policy(self):
        size = KNOTS * len(READY)
        nn, last = torch.nn, torch.nn.Linear(64, size)
        with torch.no_grad():
            last.weight *= 0.1
        return nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), last)

    def goals(self, count):
        """Where the hand is with joints moved at random: what can be reached."""
        return hands(self.batch, self.ready + torch.empty(count, len(READY)).uniform_(-0.5, 0.5))

    def move(self, policy, goals, every):
        """q and v after each so many steps, states x records x numbers."""
        knots = policy((goals - self.middle) / 0.2).reshape(-1, KNOTS, len(READY))
        target, still = self.ready + self.weights @ knots, torch.zeros(len(READY))
        return tenon.torch.rollout(self.batch, self.ready, still, torch.zeros(STEPS, len(READY)), DT, every,
                                   stiffness=self.stiffness, damping=self.damping, q_target=target)  # fmt: skip

    def distances(self, policy, goals):
        """Of the hand from the goal, m, robots x records of the second half."""
        q, _ = self.move(policy, goals, STEPS // 8)
        q = q[:, 4:]
        return (hands(self.batch, q) - goals[:, None]).norm(dim=-1)


def train(robot, iterations=60, robots=4096, seed=1):
    """Mean distances, that on goals not seen before, seconds of iterations, and six hands' paths before and after."""
    torch.manual_seed(seed)
    arm = Reaching(robot)
    policy, means, spent = arm.policy(), [], []
    watched, descent = arm.goals(6), torch.optim.Adam(policy.parameters(), lr=5e-3)

    def paths():
        with torch.no_grad():
            q, _ = arm.move(policy, watched, 2)
            return hands(arm.batch, q).numpy()

    before = paths()
    for _ in range(iterations):
        start = time.perf_counter()
        away = arm.distances(policy, arm.goals(robots)).mean()
        descent.zero_grad()
        away.backward()
        descent.step()
        means.append(float(away.detach()))
        spent.append(time.perf_counter() - start)
    with torch.no_grad():
        unseen = float(arm.distances(policy, arm.goals(robots)).mean())
    return {"means": means, "spent": spent, "unseen": unseen, "goals": watched.numpy(), "before": before,
            "after": paths()}  # fmt: skip


def draw(folder, found):
    sys.path.insert(0, os.path.join(ROOT, "bench/support"))
    import chart

    os.makedirs(folder, exist_ok=True)
    chart.lines(os.path.join(folder, "policy_gradient_return.svg"), "Gradient through rollouts", "iteration",
                "distance of the hand, m", [chart.Line("mean of the robots", list(enumerate(found["means"])))],
                log_y=True)  # fmt: skip
    lines = []
    for robot in range(6):
        name = [f"{word} training" if robot == 0 else "" for word in ("before", "after")]
        lines += [chart.Line(name[0], found["before"][robot][:, 1:].tolist(), 5, dashed=True),
                  chart.Line(name[1], found["after"][robot][:, 1:].tolist(), 0)]  # fmt: skip
    lines.append(chart.Line("goals", found["goals"][:, 1:].tolist(), 1, marks=True))
    path = os.path.join(folder, "policy_gradient_motion.svg")
    chart.lines(path, "Six hands, seen from the front", "to the left, m", "up, m", lines)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    iterations, robots = 60, 4096
    found = train(tenon.Model.load(sys.argv[1]), iterations, robots)
    middle, first, last = float(np.median(found["spent"])), 1e3 * found["means"][0], 1e3 * found["unseen"]
    print(f"{robots} robots of {STEPS} steps, forward and back: {middle:.2f} s an iteration (median)")
    print(f"{robots * STEPS / middle / 1e6:.2f} million steps a second")
    print(f"in the second half hands are {first:.0f} mm from their goals (mean), after {iterations} iterations {last:.0f} mm")
    if len(sys.argv) > 2:
        draw(sys.argv[2], found)
