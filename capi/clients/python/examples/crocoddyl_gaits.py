"""Crocoddyl's own gaits of ANYmal, solved with its dynamics and with Tenon's: the same costs, iteration for iteration.

    python3 crocoddyl_gaits.py [picture.svg] [gait...]

It also tells how far the costs of Crocoddyl itself move when its controls start 1e-15 apart. Without matplotlib no
picture is made.
"""

import os
import sys
import time
from importlib import import_module

os.environ.setdefault("OMP_NUM_THREADS", "1")  # several, in products of small matrices, only wait for each other

import crocoddyl
import example_robot_data
import numpy as np
from crocoddyl.utils.quadruped import SimpleQuadrupedalGaitProblem

import tenon
import tenon.crocoddyl

GAITS = {
    "walk": lambda g, x: g.createWalkingProblem(x, 0.25, 0.15, 1e-2, 25, 2),
    "trot": lambda g, x: g.createTrottingProblem(x, 0.15, 0.1, 1e-2, 25, 2),
    "pace": lambda g, x: g.createPacingProblem(x, 0.15, 0.1, 1e-2, 25, 5),
    "bound": lambda g, x: g.createBoundingProblem(x, 0.15, 0.1, 1e-2, 25, 5),
    "jump": lambda g, x: g.createJumpingProblem(x, 0.15, np.array([0.0, 0.3, 0.0]), 1e-2, 10, 20),
}


def urdf(name):
    """The file of a robot of example_robot_data."""
    return import_module("example_robot_data.robots_loader").ROBOTS[name]().df_path


class Progress(crocoddyl.CallbackAbstract):
    """Costs and lengths of steps of all iterations, and seconds of the processor that each took."""

    def __init__(self):
        super().__init__()
        self.costs, self.steps, self.times = [], [], [time.process_time()]

    def __call__(self, solver):
        self.costs.append(solver.cost)
        self.steps.append(solver.stepLength)
        self.times.append(time.process_time())

    @property
    def seconds(self):
        return np.min(np.diff(self.times))


class Anymal:
    def __init__(self):
        self.model = example_robot_data.load("anymal").model
        self.robot = tenon.Model.load(urdf("anymal"), base="floating")
        self.gaits = SimpleQuadrupedalGaitProblem(self.model, "LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
        self.x0 = np.concatenate((self.model.referenceConfigurations["standing"], np.zeros(self.model.nv)))

    def problem(self, gait):
        return GAITS[gait](self.gaits, self.x0)

    def compare(self, gait):
        """Progress of Crocoddyl, of Tenon, and of Crocoddyl from controls 1e-15 apart."""
        theirs = self.problem(gait)
        if theirs.nthreads > 1:  # problems with models of Python have one
            theirs.nthreads = 1
        states, still = [self.x0] * (theirs.T + 1), theirs.quasiStatic([self.x0] * theirs.T)
        random = np.random.default_rng(1)
        apart = [u * (1 + 1e-15 * random.standard_normal(u.size)) for u in still]
        ours = tenon.crocoddyl.with_tenon(theirs, self.robot)
        found = []
        for problem, controls in ((theirs, still), (ours, still), (theirs, apart)):
            solver, progress = crocoddyl.SolverFDDP(problem), Progress()
            solver.setCallbacks([progress])
            solver.solve(states, controls, 100, False)
            found.append(progress)
        return found


def apart(one, other):
    """The largest relative difference of costs."""
    count = min(len(one.costs), len(other.costs))
    return np.abs(np.array(other.costs[:count]) / one.costs[:count] - 1).max()


def draw(all_found, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    _, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for gait, (theirs, ours, itself) in all_found.items():
        (line,) = left.semilogy(theirs.costs, lw=4, alpha=0.3)
        left.semilogy(ours.costs, ".-", color=line.get_color(), lw=0.8, label=gait)
        for other, style in ((ours, ".-"), (itself, ":")):
            off = np.abs(np.array(other.costs) / theirs.costs - 1)
            right.semilogy(np.maximum(off, 1e-16), style, color=line.get_color())
    left.set(xlabel="iteration", ylabel="cost", title="broad: Crocoddyl's dynamics, thin: Tenon's")
    left.legend()
    right.set(xlabel="iteration", ylabel="relative difference", title="dotted: Crocoddyl's from 1e-15 apart")
    pyplot.tight_layout()
    pyplot.savefig(picture)


if __name__ == "__main__":
    picture = sys.argv[1] if len(sys.argv) > 1 else "crocoddyl_gaits.svg"
    anymal, all_found = Anymal(), {}
    for gait in sys.argv[2:] or GAITS:
        theirs, ours, itself = all_found[gait] = anymal.compare(gait)
        print(f"{gait}: {len(theirs.costs)} and {len(ours.costs)} iterations, cost {ours.costs[-1]:.6g}", end=", ")
        print(f"costs within {apart(theirs, ours):.1e}, and {apart(theirs, itself):.1e} from 1e-15 apart", end=", ")
        print(f"{1e3 * theirs.seconds:.1f} and {1e3 * ours.seconds:.1f} ms of the processor an iteration")
    try:
        draw(all_found, picture)
    except ImportError:
        print("matplotlib is not installed; no picture")
