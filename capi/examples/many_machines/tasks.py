"""The tasks of rollouts.c on numpy: what task number i is, and a worker that computes some of them as a batch.

A task is what its number says, whoever computes it, and a batch gives a state the same bits in any company: so the bits of
all results do not depend on how the tasks are shared out.
"""

import math
import sys
import time

import numpy as np
import tenon

BLOCK, STEPS = 256, 100


def uniform(numbers):
    """A number from 0 to 1 for each number from 0 on: splitmix64 of Steele, Lea and Flood (2014)."""
    z = (np.asarray(numbers, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(float) / 2**53


class Worker:
    """Holds the robot and the memory to compute; one for each process."""

    def __init__(self, robot):
        """robot: the text of its URDF file, so that workers need not share a file system."""
        self.model = tenon.Model.parse(robot)
        self.workspace, self.batch = tenon.Workspace(self.model), tenon.Batch(self.model)

    def describe(self, kind, tasks, count):
        """Starts and torques of some tasks."""
        nv = self.model.nv
        if kind == "random":
            q = np.array([self.workspace.random(int(task)) for task in tasks])
            return q, 10 * uniform(tasks[:, None] * nv + np.arange(nv)) - 5
        side, tau = math.isqrt(count), np.zeros((len(tasks), nv))
        if side > 1:
            for joint, place in zip(range(min(2, nv)), (tasks // side, tasks % side)):
                tau[:, joint] = 40 * place.astype(float) / (side - 1) - 20
        return np.tile(self.workspace.neutral(), (len(tasks), 1)), tau

    def run(self, kind, first, last, count):
        """Final q and v of the tasks from first to last, a row for each."""
        rows = [np.empty((0, self.model.nq + self.model.nv))]
        for begin in range(first, last, BLOCK):
            tasks = np.arange(begin, min(begin + BLOCK, last))
            q, tau = self.describe(kind, tasks, count)
            q_end, v_end = self.batch.rollout(q, np.zeros(self.model.nv), tau, steps=STEPS, every=STEPS)
            rows.append(np.concatenate([q_end[:, 0], v_end[:, 0]], axis=1))
        return np.concatenate(rows)


def parts(count, workers):
    """The first and last task of each worker."""
    return [(count * p // workers, count * (p + 1) // workers) for p in range(workers)]


def digest(results):
    """FNV-1a of all bytes."""
    total = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(results).tobytes():
        total = (total ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return total


def report(name, nq, workers, seconds, results):
    speed = np.abs(results[:, nq:]).max(axis=1)
    print(f"{name}: {len(results)} tasks of {STEPS} steps, {workers} processes, {seconds:.3f} s, "
          f"{len(results) * STEPS / seconds:.3g} steps a second")
    print(f"the fastest joint is that of task {speed.argmax()}, {speed.max():.6f} rad/s")
    print(f"bits {digest(results):016x}")


def arguments():
    """Robot, kind and count of the command line."""
    if len(sys.argv) < 4 or sys.argv[2] not in ("random", "sweep") or int(sys.argv[3]) < 1:
        sys.exit(f"usage: {sys.argv[0]} ROBOT.urdf random|sweep COUNT")
    return sys.argv[1], sys.argv[2], int(sys.argv[3])


now = time.perf_counter
