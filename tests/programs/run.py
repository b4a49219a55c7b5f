"""Runs the test of a program that uses Tenon with the Python that has its packages.

    python3 run.py <test.py> <packages, with commas> argument...

packaging/setup.sh puts one with numpy into build/clients/python, and one with all packages into build/clients/programs.
"SKIPPED: ..." where a package is not there.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHONS = [os.path.abspath(os.path.join(HERE, "../../build/clients", name, "bin/python3")) for name in ("programs", "python")]


def has(python, package):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    return os.path.exists(python) and subprocess.run([python, "-c", f"import {package}"], **quiet).returncode == 0


def main(test, packages, *arguments):
    python = next((p for p in PYTHONS if all(has(p, package) for package in packages.split(","))), None)
    if python is None:
        print(f"SKIPPED: of {packages} a Python package is not installed; run packaging/setup.sh heavy")
        return 0
    # Ninja is installed here; CMake alone, as FMPy calls it, would look for make.
    environment = {"CMAKE_GENERATOR": "Ninja", **os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, os.path.join(HERE, test), *arguments], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
