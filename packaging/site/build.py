"""Builds the site: python3 build.py <folder for the site> <folder to build in>. Warnings are errors."""

import os
import subprocess
import sys

import pages


def main(out, work):
    source = os.path.join(work, "source")
    pages.write_all(source)
    settings = "--fail-on-warning --keep-going --fresh-env --quiet -b html".split()
    command = [sys.executable, "-m", "sphinx", *settings, "-d", os.path.join(work, "doctrees"), source, out]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
