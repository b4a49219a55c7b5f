"""What a call from Python costs beside the same call from C: python3 overhead.py models/atlas.urdf [C compiler].

Rounds of both in one process, in turns; the least of each is printed, in microseconds. Run it once more with TENON_CTYPES=1
to see what it costs without the extension module.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import tenon
from tenon import _calls
from tenon._core import lib

LOOP = """
#include <stddef.h>
typedef int (*gravity_force)(void *, const double *, size_t, double *, size_t);
typedef int (*forward_dynamics)(void *, const double *, size_t, const double *, size_t, const double *, size_t,
                                const double *, size_t, double *, size_t);
typedef int (*constrained_dynamics)(void *, const void *, const double *, size_t, const double *, size_t, const double *,
                                    size_t, const double *, size_t, const double *, size_t, double *, size_t, double *,
                                    size_t);
void loop(int kind, void *f, void *w, double *q, size_t nq, double *v, double *tau, double *out, size_t nv,
          double *force, size_t m, int calls) {
  for (int i = 0; i < calls; ++i) {
    if (kind == 0) ((gravity_force)f)(w, q, nq, out, nv);
    if (kind == 1) ((forward_dynamics)f)(w, q, nq, v, nv, tau, nv, NULL, 0, out, nv);
    if (kind == 2) ((constrained_dynamics)f)(w, NULL, q, nq, v, nv, tau, nv, NULL, 0, NULL, 0, out, nv, force, m);
  }
}
"""
NAMES = "gravity_force", "forward_dynamics", "constrained_dynamics"
CALLS, ROUNDS = 500, 200


def main(path, compiler="cc"):
    robot = tenon.Model.load(path)
    hold = tenon.Constraints(robot)
    hold.add_point(robot.links[-1])
    work = tenon.Workspace(robot, hold)
    q, v, tau = work.random(1), work.zeros(), work.zeros()
    out, force = np.empty(work.nv), np.zeros(work.m)
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(LOOP)
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", str(source), "-o", str(program)], check=True)
        loop = ctypes.CDLL(str(program)).loop
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (q, v, tau, out, force)]
    nq, nv, m = (ctypes.c_size_t(n) for n in (work.nq, work.nv, work.m))
    from_python = (
        lambda: work.gravity_force(q, out=out),
        lambda: work.forward_dynamics(q, v, tau, out=out),
        lambda: work.constrained_dynamics(q, v, tau, out=out, force=force),
    )
    print(f"calls by {_calls.BY}, {robot.name}, microseconds")
    for kind, name in enumerate(NAMES):
        function = ctypes.cast(getattr(lib, "tenon_" + name), ctypes.c_void_p)
        at_q, at_v, at_tau, at_out, at_force = pointers
        least = [1e9, 1e9]
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            loop(kind, function, work._pointer, at_q, nq, at_v, at_tau, at_out, nv, at_force, m, CALLS)
            middle = time.perf_counter()
            call = from_python[kind]
            for _ in range(CALLS):
                call()
            end = time.perf_counter()
            least = [min(least[0], middle - begin), min(least[1], end - middle)]
        c, python = (x / CALLS * 1e6 for x in least)
        print(f"  {name:21} C {c:7.2f}   Python {python:7.2f}   {python - c:5.2f} more")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
