"""An arm reaches up under torques that are too small to hold it stretched: exact Hessians in IPOPT, by CasADi.

    python3 exact_hessian.py <tenon> models/iiwa14.urdf [<intervals>]

Needs the program `tenon`, a C compiler, and casadi from PyPI. `tenon codegen --casadi --hessian` writes the dynamics, their
sparse Jacobians, and the second derivatives of the Lagrangian that IPOPT asks CasADi for. The same problem is solved once
more with IPOPT's own estimate of these (limited memory).
"""

import sys
import tempfile
import time

import casadi as ca

from arm import load

LIMITS = ca.DM([60, 60, 60, 30, 20, 10, 10])  # N m
BEGIN = ca.DM([0.0, 1.2, 0.0, -1.4, 0.0, 0.8, 0.0])
END = ca.DM([0.6, 0.3, 0.2, -0.6, 0.1, 0.4, 0.0])
DURATION = 1.0  # s
# Of squares: postures away from the end, velocities, torques; at the end.
OF_Q, OF_V, OF_U, AT_END = 1.0, 0.1, 2e-4, 5.0


def solve(aba, hessian, intervals, iterations=500):
    """Multiple shooting with steps of semi-implicit Euler. Returns states, torques, the cost, and IPOPT's statistics."""
    n, h = 7, DURATION / intervals
    q, v, u = (ca.MX.sym(name, n) for name in ("q", "v", "u"))
    next_v = v + h * aba(q, v, u)
    step = ca.Function("step", [q, v, u], [ca.vertcat(q + h * next_v, next_v)])

    X, U = ca.MX.sym("X", 2 * n, intervals + 1), ca.MX.sym("U", n, intervals)
    gaps = step.map(intervals)(X[:n, :-1], X[n:, :-1], U) - X[:, 1:]
    cost_of = lambda x: OF_Q * ca.sumsqr(x[:n, :] - ca.repmat(END, 1, x.size2())) + OF_V * ca.sumsqr(x[n:, :])
    cost = h / 2 * (cost_of(X[:, :-1]) + OF_U * ca.sumsqr(U)) + AT_END / 2 * cost_of(X[:, -1])
    together = lambda *parts: ca.vertcat(*map(ca.vec, parts))
    options = {"hessian_approximation": hessian, "max_iter": iterations, "tol": 1e-8, "print_level": 0, "sb": "yes"}
    solver = ca.nlpsol("solver", "ipopt", {"x": together(X, U), "f": cost, "g": ca.vec(gaps)}, {"print_time": False, "ipopt": options})

    rest = ca.vertcat(BEGIN, ca.DM.zeros(n))
    free, most = ca.DM.inf(2 * n, intervals), ca.repmat(LIMITS, 1, intervals)
    # A straight way at first.
    way = ca.horzcat(*(BEGIN + (END - BEGIN) * k / intervals for k in range(intervals + 1)))
    guess = ca.vertcat(way, ca.repmat((END - BEGIN) / DURATION, 1, intervals + 1))
    found = solver(x0=together(guess, ca.DM.zeros(n, intervals)), lbg=0, ubg=0,
                   lbx=together(rest, -free, -most), ubx=together(rest, free, most))  # fmt: skip
    x = found["x"]
    return (ca.reshape(x[: X.numel()], 2 * n, intervals + 1).full(), ca.reshape(x[X.numel() :], n, intervals).full(),
            float(found["f"]), solver.stats())  # fmt: skip


def main(tenon, robot, intervals=20):
    with tempfile.TemporaryDirectory() as folder:
        aba = load(tenon, robot, "aba", folder, "--hessian")
        for hessian in ("exact", "limited-memory"):
            begin = time.perf_counter()
            states, torques, cost, stats = solve(aba, hessian, intervals)
            seconds = time.perf_counter() - begin
            print(f"{hessian}: {stats['return_status']}, {stats['iter_count']} iterations, {seconds:.2f} s, cost {cost:.6f}, "
                  f"off the end by {abs(states[:7, -1] - END.full().ravel()).max():.4f} rad, "
                  f"largest torque {abs(torques[1]).max():.2f} N m on joint 2")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))
