"""Runs the test of a program that uses Tenon with the Python that has its packages.

    python3 run.py <test.py> <packages, with commas> argument...

packaging/setup.sh puts that Python into build/clients/programs. "SKIPPED: ..." where a package is not there.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.abspath(os.path.join(HERE, "../../build/clients/programs/bin/python3"))


def main(test, packages, *arguments):
    for package in packages.split(","):
        if not os.path.exists(PYTHON) or subprocess.run(
            [PYTHON, "-c", f"import {package}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ).returncode:
            print(f"SKIPPED: the Python package {package} is not installed; run packaging/setup.sh test")
            return 0
    # Ninja is installed here; CMake alone, as FMPy calls it, would look for make.
    environment = {"CMAKE_GENERATOR": "Ninja", **os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([PYTHON, os.path.join(HERE, test), *arguments], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
