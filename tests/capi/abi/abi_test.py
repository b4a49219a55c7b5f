"""Tests of the promise that packaging/site/abi.md makes.

    python3 abi_test.py <kept | can_fail | client> <libtenon.so> <folder to build in> <C compiler>

kept: the header and the library of today keep what packaging/abi has recorded (compare.py). Before the first version is
tagged nothing is recorded and nothing was promised to anybody. Then the test compares with the header of the last commit,
which says what is meant: a change that breaks programs fails until somebody has committed it. can_fail: that comparison
sees each change that would break a program, and none in what may change. client: a program that fills every struct prints
what it should; so does that of each recorded version, compiled against the header of then and against that of today.
"""

import contextlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
ABI, INCLUDE, MAP = (os.path.join(ROOT, name) for name in ("packaging/abi", "include", "capi/tenon.map"))
sys.path.insert(0, ABI)
import compare  # noqa: E402

# What is done to the header, in the words of a substitution, and whether an old program still runs then.
CHANGES = {
    "nothing": (r"\Z", "", True),
    "a new function": (r"(TENON_API int32_t tenon_version\(void\);)", r"\1\nTENON_API int32_t tenon_new(void);", True),
    "a new constant": (r"(#define TENON_METHOD_PV_EARLY 8)", r"#define TENON_METHOD_NEWER 9\n\1", True),
    "a field at the end of a struct with struct_size": (r"(\} tenon_solve_options;)", r"  double more;\n\1", True),
    "a function less": (r"TENON_API double tenon_model_total_mass\(const tenon_model \*model\);", "", False),
    "another result": (r"int32_t tenon_model_nq\(", "int64_t tenon_model_nq(", False),
    "another argument": (r"(tenon_model_link_name\(const tenon_model \*model, )int32_t", r"\1int64_t", False),
    "an argument more": (r"(tenon_model_total_mass\(const tenon_model \*model)", r"\1, int32_t which", False),
    "a field in front": (r"(typedef struct tenon_solve_options \{)", r"\1\n  double first;", False),
    "a field less": (r"  double tikhonov;", "", False),
    "another type of a field": (r"  double mu;( +/\* proximal)", r"  float mu;\1", False),
    "two fields exchanged": (r"int32_t method;( +/\* TENON_METHOD_\*; def.*)\n  int32_t max_iterations;",
                             r"int32_t max_iterations;\1\n  int32_t method;", False),
    "a changed field beside a new one": (r"(  double )absolute_tolerance;((?s:.*?)\} tenon_solve_options;)",
                                         r"  float absolute_tolerance;  float relative_2;\2", False),
    "another value of a constant": (r"#define TENON_METHOD_PV 5", "#define TENON_METHOD_PV 15", False),
    "a constant less": (r"#define TENON_JOINT_TYPE_PLANAR 5", "", False),
}  # fmt: skip


def checked(include, library, folder, compiler, symbol_map=MAP):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        before = os.path.join(folder, "before")
        wrong = compare.check(include, symbol_map, library, folder, compiler, before, dumps_are_good=True)
    return not wrong, said.getvalue()


def committed(path, out):
    """The file of the last commit; None where there is no history of git."""
    git = ["git", "-c", "safe.directory=*", "-C", ROOT, "show", "HEAD:" + path]
    done = subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False) if shutil.which("git") else None
    if done is None or done.returncode:
        return None
    with open(out, "wb") as file:
        file.write(done.stdout)
    return out


def kept(library, folder, compiler):
    if compare.recorded():
        return compare.check(INCLUDE, MAP, library, folder, compiler)
    header = committed("include/tenon.h", os.path.join(folder, "tenon.h"))
    if header is not None:
        os.makedirs(os.path.join(folder, "tenon"), exist_ok=True)
        for part in re.findall(r'^#include "(tenon/\w+\.h)"', compare.read(header), flags=re.M):
            committed("include/" + part, os.path.join(folder, part))
    else:
        print("SKIPPED: no version is recorded yet, and there is no history of git to compare with")
        return 0
    symbols = committed("capi/tenon.map", os.path.join(folder, "tenon.map"))
    before = compare.described(header, symbols, folder, compiler, os.path.join(folder, "before"))
    return compare.check(INCLUDE, MAP, library, folder, compiler, before, dumps_are_good=True)


def can_fail(library, folder, compiler):
    bad = []
    header = os.path.join(INCLUDE, "tenon.h")
    compare.described(header, MAP, folder, compiler, os.path.join(folder, "before"))
    header, symbols = compare.whole(os.path.join(INCLUDE, "tenon.h")), compare.read(MAP)
    for name, (pattern, by, runs) in CHANGES.items():
        include = os.path.join(folder, "include")
        os.makedirs(include, exist_ok=True)
        changed, count = re.subn(pattern, by, header, count=1)
        if not count:
            sys.exit(f"{name}: the header has nothing like {pattern}")
        with open(os.path.join(include, "tenon.h"), "w", encoding="utf-8") as file:
            file.write(changed)
        good, said = checked(include, library, folder, compiler)
        print(f"{name}: {'kept' if good else 'broken'}")
        if good != runs:
            bad.append(f"{name} should be {'kept' if runs else 'broken'}: {said}")
    for name, pattern, by in (("no such symbol", r"local:\n", "local:\n    tenon_model_nq;\n"), ("another version", r"TENON_0\.1", "TENON_9")):
        there = os.path.join(folder, "changed.map")
        with open(there, "w", encoding="utf-8") as file:
            file.write(re.sub(pattern, by, symbols))
        # The stub of the present header stands for a library that was linked with this map.
        other = compare.stub_library(os.path.join(INCLUDE, "tenon.h"), there, os.path.join(folder, "other"), compiler)
        good, said = checked(INCLUDE, other, folder, compiler)
        print(f"{name}: {'kept' if good else 'broken'}")
        if good:
            bad.append(f"{name} was not seen")
    print("\n".join(bad))
    return 1 if bad else 0


def program(compiler, include, source, library, out):
    rpath = "-Wl,-rpath," + os.path.dirname(library)
    flags = "-std=c99 -O1 -Wall -Wextra -Wpedantic -Werror".split()
    subprocess.run([compiler, *flags, "-I" + include, source, library, rpath, "-lm", "-o", out], check=True)
    done = subprocess.run([out, os.path.join(ROOT, "models")], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def client(library, folder, compiler):
    present = compare.soname(compare.whole(os.path.join(INCLUDE, "tenon.h")))
    programs = [(HERE, INCLUDE)]
    for older in compare.recorded():
        if compare.soname(compare.read(os.path.join(older, "tenon.h"))) == present:
            programs += [(older, older), (older, INCLUDE)]
    for number, (there, include) in enumerate(programs):
        expected = compare.read(os.path.join(there, "client.txt"))
        said = program(compiler, include, os.path.join(there, "client.c"), library, os.path.join(folder, f"client_{number}"))
        if said != expected:
            print(f"the client of {there}, compiled against {include}, says\n{said}\nand not\n{expected}")
            return 1
    print(f"{len(programs)} programs print what they should")
    return 0


def main(what, library, folder, compiler):
    folder = os.path.join(os.path.abspath(folder), what)
    os.makedirs(folder, exist_ok=True)
    if what != "client":
        if platform.machine() != "x86_64":
            print("SKIPPED: what packaging/abi records is of x86-64")
            return 0
        if not shutil.which("abidiff"):
            print("SKIPPED: abidiff is not installed; run packaging/setup.sh test")
            return 0
    return {"kept": kept, "can_fail": can_fail, "client": client}[what](os.path.abspath(library), folder, compiler)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
