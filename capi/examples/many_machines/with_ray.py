"""Rollouts of one robot by Ray (PyPI): actors that hold the robot, on this machine or on those of a Ray cluster.

    python3 with_ray.py models/iiwa14.urdf random 4096 2
"""

import os
import sys

import numpy as np
import ray
import tasks


@ray.remote(num_cpus=1)
class Worker(tasks.Worker):
    def name(self):
        return self.model.name, self.model.nq


def main():
    path, kind, count = tasks.arguments()
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    here = os.path.dirname(os.path.abspath(__file__))
    seen = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    environment = {"env_vars": {"PYTHONPATH": seen, "TENON_LIBRARY": os.environ.get("TENON_LIBRARY", "")}}
    cluster = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": processes, "include_dashboard": False}
    ray.init(log_to_driver=False, logging_level="ERROR", runtime_env=environment, **cluster)
    with open(path, encoding="utf-8") as file:
        robot = ray.put(file.read())
    workers = [Worker.remote(robot) for _ in range(processes)]
    name, nq = ray.get([worker.name.remote() for worker in workers])[0]
    start = tasks.now()
    shares = zip(workers, tasks.parts(count, processes))
    results = ray.get([worker.run.remote(kind, first, last, count) for worker, (first, last) in shares])
    tasks.report(name, nq, processes, tasks.now() - start, np.concatenate(results))
    ray.shutdown()


if __name__ == "__main__":
    main()
