"""The program tenon, which wheels bring."""

import os
import subprocess
import sys
from pathlib import Path


def main():
    program = Path(__file__).parent / "lib" / ("tenon.exe" if sys.platform == "win32" else "tenon")
    if not program.exists():
        sys.exit(f"tenon: this package came without the program: there is no {program}")
    command = [str(program), *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.call(command))
    sys.stdout.flush()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
