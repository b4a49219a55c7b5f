"""Raises a stretched arm whose torques are too small to hold it level: multiple shooting with CasADi and IPOPT.

    python3 shooting.py <tenon> models/iiwa14.urdf [<folder for the picture> [<nodes>]]

Needs the program `tenon`, a C compiler, and casadi from PyPI. `tenon codegen --casadi --derivatives` writes the dynamics and
their sparse Jacobians, which CasADi takes for those of the constraints. The same problem is solved once more with CasADi's
finite differences. Second derivatives are IPOPT's estimate (limited memory).
"""

import math
import os
import sys
import tempfile
import time

import casadi as ca

from arm import load

LIMITS = [60, 60, 60, 30, 20, 10, 10]  # N m; level, the stretched arm weighs 81 N m on joint 2
FASTEST = 2.5  # rad/s
DURATION = 2.0  # s


def solve(aba, nodes, iterations=300):
    """The arm hangs at first and stands at last. Returns motion, torques, IPOPT's statistics."""
    n, dt = 7, DURATION / nodes
    q, v, tau = (ca.MX.sym(name, n) for name in ("q", "v", "tau"))
    # Half a step by Euler, then a whole one by what is found there: the midpoint rule.
    middle_v = v + dt / 2 * aba(q, v, tau)
    step = ca.Function("step", [q, v, tau], [q + dt * middle_v, v + dt * aba(q + dt / 2 * v, middle_v, tau)])

    begin, end = ca.DM([0, 2, 0, 0, 0, 0, 0]), ca.DM.zeros(n)
    Q, V, T = ca.MX.sym("Q", n, nodes + 1), ca.MX.sym("V", n, nodes + 1), ca.MX.sym("T", n, nodes)
    next_q, next_v = step.map(nodes)(Q[:, :-1], V[:, :-1], T)
    gaps = ca.vertcat(ca.vec(next_q - Q[:, 1:]), ca.vec(next_v - V[:, 1:]))
    effort = dt * ca.sumsqr(T / ca.DM(LIMITS)) + 1e-2 * dt * ca.sumsqr(V)
    solver = ca.nlpsol("solver", "ipopt", {"x": ca.vertcat(ca.vec(Q), ca.vec(V), ca.vec(T)), "f": effort, "g": gaps},
                       {"print_time": False, "ipopt": {"hessian_approximation": "limited-memory", "max_iter": iterations,
                                                       "print_level": 0, "sb": "yes", "tol": 1e-5}})  # fmt: skip

    # Free are the postures between the ends; the arm rests at both.
    low_q, high_q = -2.0 * ca.DM.ones(n, nodes + 1), 2.1 * ca.DM.ones(n, nodes + 1)
    low_q[:, 0] = high_q[:, 0] = begin
    low_q[:, -1] = high_q[:, -1] = end
    high_v = FASTEST * ca.DM.ones(n, nodes + 1)
    high_v[:, 0] = high_v[:, -1] = 0
    high_t = ca.repmat(ca.DM(LIMITS), 1, nodes)
    fold = ca.DM([0, 0, 0, -1.5, 0, 0, 0])
    guess = ca.horzcat(*(begin + (end - begin) * s + fold * math.sin(math.pi * s) for s in (k / nodes for k in range(nodes + 1))))
    together = lambda *parts: ca.vertcat(*map(ca.vec, parts))
    found = solver(x0=together(guess, ca.DM.zeros(n, nodes + 1), ca.DM.zeros(n, nodes)), lbg=0, ubg=0,
                   lbx=together(low_q, -high_v, -high_t), ubx=together(high_q, high_v, high_t))  # fmt: skip
    motion, rest = ca.reshape(found["x"][: Q.numel()], n, nodes + 1), found["x"][Q.numel() + V.numel() :]
    return motion.full(), ca.reshape(rest, n, nodes).full(), solver.stats(), float(ca.norm_inf(found["g"]))


def draw(path, motion, torques, nodes):
    """Torques and postures over time, of the joints that carry."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../bench/support"))
    import chart

    dt = DURATION / nodes
    carriers = [chart.Line(f"joint {i + 1}", [(k * dt, torques[i][k] / LIMITS[i]) for k in range(nodes)]) for i in (1, 3, 5)]
    posture = [chart.Line(f"joint {i + 1}", [(k * dt, motion[i][k]) for k in range(nodes + 1)]) for i in (1, 3, 5)]
    chart.lines(os.path.join(path, "shooting_torque.svg"), "Torque of the arm that is raised", "s", "torque / limit", carriers)
    chart.lines(os.path.join(path, "shooting_motion.svg"), "Motion of the arm that is raised", "s", "rad", posture)


def main(tenon, robot, folder=None, nodes=40):
    with tempfile.TemporaryDirectory() as work:
        for name, options in (("generated derivatives", ["--derivatives"]), ("finite differences", [])):
            folder_of_code = os.path.join(work, name)
            os.mkdir(folder_of_code)
            dynamics = load(tenon, robot, "aba", folder_of_code, *options)
            begin = time.perf_counter()
            motion, torques, stats, gap = solve(dynamics, nodes)
            seconds = time.perf_counter() - begin
            print(f"{name}: {stats['return_status']}, {stats['iter_count']} iterations, {seconds:.2f} s, "
                  f"of these {stats['t_wall_nlp_jac_g']:.3f} s in {stats['n_call_nlp_jac_g']} Jacobians; "
                  f"largest gap {gap:.1e}, largest torque {max(abs(torques[1])):.2f} N m on joint 2")  # fmt: skip
            if folder and options:
                draw(folder, motion, torques, nodes)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:3], *sys.argv[3:4], *map(int, sys.argv[4:5]))
