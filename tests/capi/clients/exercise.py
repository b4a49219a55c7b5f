"""The calls of packaging/api/languages/exercise.py by the layer of a language: what its program prints is what that of C does.

    python3 exercise.py <language> <libtenon.so> <folder to build in> <C compiler> <C++ compiler>

C comes first.
"""

import json
import os
import subprocess
import sys

from run import API, CLIENTS, HERE, INCLUDE, PACKAGES, ROOT, Skipped, read, run, tool, written

sys.path.insert(0, os.path.join(ROOT, "packaging/api"))

from languages import exercise, exercise_c  # noqa: E402

CAVEATS = {"max_iterations", "infeasible", "rank_deficient"}


class Programs:
    """Each method builds and runs the program of a language. LACKS: tags of the steps that it cannot say."""

    LACKS = {}

    def __init__(self, api, library, folder, c, cpp):
        self.api, self.library, self.c_compiler, self.cpp_compiler = api, os.path.abspath(library), c, cpp
        self.folder, self.library_folder = folder, os.path.dirname(self.library)

    def built(self, name):
        return os.path.join(self.folder, name)

    def c(self):
        source = written(self.built("exercise.c"), exercise_c.program(self.api))
        flags = "-std=c99 -O0 -ffp-contract=off -Wall -Wextra -Werror".split()
        flags += ["-I" + INCLUDE, "-Wl,-rpath," + self.library_folder]
        run(self.c_compiler, *flags, source, self.library, "-o", self.built("exercise"))
        said = run(self.built("exercise"), cwd=ROOT)
        lines = {line.split(" ", 1)[0]: line for line in said.splitlines()}
        for step in exercise.calls(self.api)[0]:
            status = lines[str(step.number)].split(" ")[2]
            if step.method.status and not step.why and status not in {"ok", *CAVEATS}:
                sys.exit(f"a good call failed: {lines[str(step.number)]}")
            if step.why and status in {"ok", *CAVEATS}:
                sys.exit(f"a bad call did not fail: {lines[str(step.number)]} ({step.why})")
        return said


def compared(wanted, said, steps):
    """How many lines differ; shows the first ones."""
    why = {str(step.number): step.why for step in steps}
    differing = [(a, b) for a, b in zip(wanted, said) if a != b]
    for a, b in differing[:20]:
        print(f"C:    {a}    ({why.get(a.split(' ', 1)[0])})\nhere: {b}")
    print(f"{len(said)} lines of {len(wanted)}, {len(differing)} of them different")
    return len(differing) + abs(len(wanted) - len(said))


def main(language, library, folder, c, cpp):
    folder = os.path.abspath(folder)
    own = os.path.join(folder, "exercise_" + language)
    os.makedirs(own, exist_ok=True)
    try:
        if not os.path.exists(API):
            raise Skipped("packaging/api/generate.sh could not make the declarations: there is no libclang")
        api = json.loads(read(API))
        said = getattr(Programs(api, library, own, c, cpp), language)()
        expected = os.path.join(folder, "exercise.txt")
        if language == "c":
            written(expected, said)
        steps, lacks = exercise.calls(api)[0], Programs.LACKS.get(language, ())
        wanted = exercise.comparable(read(expected), steps, lacks)
        said = exercise.comparable(said, steps, lacks)
        return 1 if compared(wanted, said, steps) or len(said) < 1500 else 0
    except Skipped as reason:
        print(f"SKIPPED: {reason}")
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}; it said:\n{error.stdout[-4000:]}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
