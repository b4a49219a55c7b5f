"""rollouts.c in Python, by mpi4py (PyPI) and whatever MPI the machine has.

    mpirun -n 2 python3 with_mpi.py models/iiwa14.urdf random 4096
"""

import numpy as np
import tasks
from mpi4py import MPI


def main():
    world = MPI.COMM_WORLD
    path, kind, count = tasks.arguments()
    robot = None
    if world.rank == 0:
        with open(path, encoding="utf-8") as file:
            robot = file.read()
    worker = tasks.Worker(world.bcast(robot))
    world.Barrier()
    start = tasks.now()
    mine = worker.run(kind, *tasks.parts(count, world.size)[world.rank], count)
    results = world.gather(mine)
    if world.rank == 0:
        tasks.report(worker.model.name, worker.model.nq, world.size, tasks.now() - start, np.concatenate(results))


if __name__ == "__main__":
    main()
