"""Swings a double pendulum up by gradient descent through a simulation, with PyTorch and tenon.torch.

    python3 swing_up.py [picture.png]

The torques of all steps are what is optimised; each step is semi-implicit Euler, and its gradient comes from products with
the derivatives of a step. Several first guesses are optimised side by side,
a state of the batch each. Without matplotlib no picture is made.
"""

import os
import sys

import numpy as np
import torch

import tenon
import tenon.torch

MODELS = os.environ.get("TENON_MODELS", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../models"))


def simulate(batch, tau, dt, start):
    """Positions and velocities after each step, steps x guesses x nv. tau: the same."""
    q, v = start, torch.zeros_like(start)
    path = []
    for torques in tau:
        q, v = tenon.torch.step(batch, q, v, torques, dt)
        path.append((q, v))
    return tuple(torch.stack(x) for x in zip(*path))


def optimise(iterations=150, steps=150, guesses=8, dt=0.01):
    """The loss of the best guess after each iteration, and its path."""
    robot = tenon.Model.load(os.path.join(MODELS, "double_pendulum.urdf"))
    batch = tenon.Batch(robot)
    start = torch.zeros(guesses, robot.nv, dtype=torch.float64)
    goal = torch.tensor([np.pi, 0.0], dtype=torch.float64)
    noise = np.random.default_rng(1).normal(0, 0.5, (steps, guesses, robot.nv))
    tau = torch.from_numpy(noise).requires_grad_()
    descent = torch.optim.Adam([tau], lr=0.3)
    losses, best = [], None
    for _ in range(iterations):
        descent.zero_grad()
        q, v = simulate(batch, tau, dt, start)
        to_goal = ((q[-1] - goal) ** 2).sum(-1) + 0.1 * (v[-1] ** 2).sum(-1)
        loss = to_goal + 1e-5 * (tau**2).sum((0, 2))
        loss.sum().backward()
        descent.step()
        losses.append(float(loss.detach().min()))
        best = q[:, int(loss.detach().argmin())].detach().numpy()
    return losses, best


def draw(losses, path, dt, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    _, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.5))
    left.semilogy(losses)
    left.set(xlabel="iteration", ylabel="loss of the best guess")
    right.plot(dt * np.arange(1, len(path) + 1), path)
    right.axhline(np.pi, color="grey", linestyle=":")
    right.set(xlabel="time, s", ylabel="angle, rad")
    right.legend(["first joint", "second joint"])
    pyplot.tight_layout()
    pyplot.savefig(picture)


if __name__ == "__main__":
    losses, path = optimise()
    print(f"loss {losses[0]:.3g} -> {losses[-1]:.3g}; ends at {np.round(path[-1], 2).tolist()} rad")
    try:
        draw(losses, path, 0.01, sys.argv[1] if len(sys.argv) > 1 else "swing_up.png")
    except ImportError:
        print("matplotlib is not installed; no picture")
