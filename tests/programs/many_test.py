"""The examples on many machines: however many processes share the tasks, the results have the same bits.

    python3 many_test.py c|mpi4py|ray <libtenon.so> <models> <folder where Tenon is installed> <folder to build in>

What the processes of C, mpi4py or Ray sum up is compared with the tasks in this process, whose numbers are compared with
single steps in time of a workspace.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np

KIND, LIBRARY, MODELS, PREFIX, FOLDER = sys.argv[1:6]
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
EXAMPLES = os.path.join(ROOT, "capi/examples/many_machines")
sys.path[:0] = [EXAMPLES, os.path.join(ROOT, "capi/clients/python")]
os.environ["TENON_LIBRARY"] = LIBRARY
os.environ["PYTHONPATH"] = os.path.join(ROOT, "capi/clients/python")
# Open MPI asks these where a test runs as root, and more processes than processors.
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")

import tasks  # noqa: E402

ROBOT = os.path.join(MODELS, "iiwa14.urdf")
COUNT = 601  # not a multiple of anything

# Ray takes ten seconds to start.
SPLITS = {"random": (1, 2), "sweep": (2,)} if KIND == "ray" else {"random": (1, 2, 3), "sweep": (1, 2, 3)}


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def built():
    """rollouts.c, built as its CMakeLists.txt says, against an installed Tenon."""
    configured = subprocess.run(
        ["cmake", "-S", EXAMPLES, "-B", FOLDER, f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_BUILD_TYPE=Release"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "Could NOT find MPI" in configured.stdout:
        print("SKIPPED: MPI is not installed; run packaging/setup.sh test")
        sys.exit(0)
    if configured.returncode:
        sys.exit(configured.stdout)
    run("cmake", "--build", FOLDER)
    return os.path.join(FOLDER, "rollouts")


def command(processes, *arguments):
    if KIND == "ray":
        return [sys.executable, os.path.join(EXAMPLES, "with_ray.py"), *arguments, str(processes)]
    program = [PROGRAM] if KIND == "c" else [sys.executable, os.path.join(EXAMPLES, "with_mpi.py")]
    return ["mpirun", "-n", str(processes), *program, *arguments]


class Many(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(ROBOT, encoding="utf-8") as file:
            cls.worker = tasks.Worker(file.read())

    def test_bits_do_not_depend_on_the_split(self):
        seen = set()
        for kind in "random", "sweep":
            expected = tasks.digest(self.worker.run(kind, 0, COUNT, COUNT))
            for processes in SPLITS[kind]:
                said = run(*command(processes, ROBOT, kind, str(COUNT)))
                print(said.splitlines()[0])
                self.assertIn(f"{COUNT} tasks of 100 steps, {processes} processes", said)
                bits = re.search(r"(?m)^bits ([0-9a-f]{16})$", said).group(1)
                self.assertEqual(bits, f"{expected:016x}", f"{kind}, {processes} processes")
                seen.add(bits)
        self.assertEqual(len(seen), 2)

    def test_numbers_are_those_of_single_steps(self):
        nq = self.worker.model.nq
        for kind in "random", "sweep":
            results = self.worker.run(kind, 0, COUNT, COUNT)
            for task in 0, 1, 299, COUNT - 1:
                start, tau = self.worker.describe(kind, np.array([task]), COUNT)
                q, v = start[0].copy(), np.zeros(self.worker.model.nv)
                for _ in range(tasks.STEPS):
                    q, v = euler(self.worker.workspace, q, v, tau[0])
                expected = np.concatenate([q, v])
                self.assertLess(np.abs(results[task] - expected).max(), 1e-7 * (1 + np.abs(expected).max()))
            self.assertGreater(np.ptp(results[:, nq:], axis=0).min(), 1e-3)  # tasks differ

    def test_parts_are_everything_once(self):
        for count, workers in (1, 3), (7, 2), (10, 10), (1000, 7):
            taken = [i for first, last in tasks.parts(count, workers) for i in range(first, last)]
            self.assertEqual(taken, list(range(count)))

    def test_wrong_arguments_are_refused(self):
        done = subprocess.run(command(1, ROBOT, "nothing", "3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=100)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("random|sweep COUNT", done.stderr)


def euler(workspace, q, v, tau, dt=1e-3):
    """Semi-implicit Euler of joints with one coordinate each."""
    v = v + dt * workspace.forward_dynamics(q, v, tau)
    return q + dt * v, v


if __name__ == "__main__":
    if KIND != "ray" and not shutil.which("mpirun"):
        print("SKIPPED: MPI is not installed; run packaging/setup.sh test")
        sys.exit(0)
    PROGRAM = built() if KIND == "c" else ""
    unittest.main(argv=sys.argv[:1] + sys.argv[6:], verbosity=2)
