"""The program `tenon` that came with the package, for the command line: `tenon --help`, or `python -m tenon`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    program = Path(__file__).parent / "lib" / ("tenon.exe" if sys.platform == "win32" else "tenon")
    if not program.exists():
        print(f"tenon: this package came without the program: there is no {program}", file=sys.stderr)
        return 1
    command = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":
        return subprocess.call(command)
    sys.stdout.flush()
    os.execv(command[0], command)
