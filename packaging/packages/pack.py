"""Makes the package of one registry from the trees that packaging/release.sh staged.

    python3 packaging/packages/pack.py npm|crate|jar|nupkg|rock|go|julia --stage build/dist/stage --out build/dist --work build/packages

Prints the files that it wrote. The same input gives the same bytes. packaging/packages.sh installs what each needs, and makes
what packaging/api writes.
"""

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

from release import Release, Unfit

KINDS = "npm", "crate", "jar", "nupkg", "rock", "go", "julia"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--stage", type=Path, required=True, help="folder of the staged trees")
    parser.add_argument("--out", type=Path, required=True, help="folder for the package")
    parser.add_argument("--work", type=Path, required=True, help="folder to build in")
    how = parser.parse_args()
    work = how.work.resolve() / how.kind
    try:
        release = Release(how.stage.resolve())
        for folder in (how.out, work):
            folder.mkdir(parents=True, exist_ok=True)
        print("for", ", ".join(native.system for native in release.natives))
        for path in importlib.import_module(how.kind).pack(release, how.out.resolve(), work):
            print(f"{path.stat().st_size:12d}  {path}")
    except (Unfit, subprocess.CalledProcessError) as why:
        sys.exit(f"error: {why}")


if __name__ == "__main__":
    main()
