"""An arm reaches up from rest under torques that are too small to hold it stretched: optimal control by acados.

    ACADOS_SOURCE_DIR=... python3 reach.py <tenon> models/iiwa14.urdf [<intervals>]

Needs the program `tenon`, a C compiler, make, and acados with its interface for Python (acados_template). `tenon codegen
--acados` writes dynamics and derivatives as functions that acados calls as they are: no symbolic model of the robot is made.
The same problem is solved with discrete dynamics (semi-implicit Euler), and with acados' implicit Runge-Kutta method on
forward dynamics and on inverse dynamics, which needs no mass matrix to be factored. With discrete dynamics it is solved once
more from next to the solution, with exact Hessians (--hessian) in place of those of Gauss and Newton.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time

import casadi as ca
import numpy as np
from acados_template import AcadosModel, AcadosOcp, AcadosOcpSolver

LIMITS = np.array([60, 60, 60, 30, 20, 10, 10])  # N m
BEGIN = np.array([0.0, 1.2, 0.0, -1.4, 0.0, 0.8, 0.0])
END = np.array([0.6, 0.3, 0.2, -0.6, 0.1, 0.4, 0.0])
DURATION = 1.0  # s
# Of squares: postures away from the end, velocities, torques; at the end.
OF_Q, OF_V, OF_U, AT_END = 1.0, 0.1, 2e-4, 50.0


@contextlib.contextmanager
def inside(folder):
    """acados reads and writes where the program runs."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def generate(tenon, robot, algorithm, name, folder, *options):
    """The C file with acados' functions, by a name."""
    source = os.path.join(folder, name + ".c")
    subprocess.run([tenon, "codegen", robot, "--algorithm", algorithm, "--function", name, "--acados", *options, "-o", source],
                   check=True)  # fmt: skip
    return source


def problem(source, name, integrator, intervals, hessian):
    n, model = 7, AcadosModel()
    model.name = name
    # Names and sizes alone: the functions are those of the file.
    model.x, model.xdot, model.u = ca.SX.sym("x", 2 * n), ca.SX.sym("xdot", 2 * n), ca.SX.sym("u", n)
    model.dyn_ext_fun_type, model.dyn_generic_source = "generic", os.path.basename(source)
    model.dyn_disc_fun, model.dyn_disc_fun_jac = name + "_disc_dyn_fun", name + "_disc_dyn_fun_jac"
    model.dyn_disc_fun_jac_hess = name + "_disc_dyn_fun_jac_hess"  # of EXACT alone
    model.dyn_impl_dae_fun, model.dyn_impl_dae_fun_jac = name + "_impl_dae_fun", name + "_impl_dae_fun_jac"
    model.dyn_impl_dae_jac = name + "_impl_dae_jac"

    ocp = AcadosOcp()
    ocp.model, ocp.dims.N, ocp.solver_options.tf = model, intervals, DURATION
    ocp.cost.cost_type = ocp.cost.cost_type_e = "LINEAR_LS"
    weights = np.concatenate([np.full(n, OF_Q), np.full(n, OF_V)])
    ocp.cost.W, ocp.cost.W_e = np.diag(np.concatenate([weights, np.full(n, OF_U)])), AT_END * np.diag(weights)
    ocp.cost.Vx, ocp.cost.Vu, ocp.cost.Vx_e = np.eye(3 * n, 2 * n), np.eye(3 * n, n, -2 * n), np.eye(2 * n)
    ocp.cost.yref, ocp.cost.yref_e = np.concatenate([END, np.zeros(2 * n)]), np.concatenate([END, np.zeros(n)])
    ocp.constraints.x0 = np.concatenate([BEGIN, np.zeros(n)])
    ocp.constraints.lbu, ocp.constraints.ubu, ocp.constraints.idxbu = -LIMITS, LIMITS, np.arange(n)

    options = ocp.solver_options
    options.integrator_type, options.nlp_solver_type, options.hessian_approx = integrator, "SQP", hessian
    options.regularize_method = "CONVEXIFY" if hessian == "EXACT" else "NO_REGULARIZE"  # HPIPM takes convex problems
    options.sim_method_num_stages, options.sim_method_num_steps, options.sim_method_newton_iter = 2, 1, 8
    options.qp_solver, options.nlp_solver_max_iter = "PARTIAL_CONDENSING_HPIPM", 60
    options.nlp_solver_tol_stat = options.nlp_solver_tol_eq = options.nlp_solver_tol_ineq = options.nlp_solver_tol_comp = 1e-7
    options.qp_solver_tol_stat = options.qp_solver_tol_eq = options.qp_solver_tol_ineq = options.qp_solver_tol_comp = 1e-9
    return ocp


def solve(tenon, robot, algorithm, integrator, intervals, folder, hessian="GAUSS_NEWTON", start=None):
    """States, torques, and what acados says of them. start: states and torques to begin with. acados writes its own code into the folder and compiles all."""
    name = f"{algorithm}_{integrator.lower()}_{hessian.lower()}"
    step = ["--step", repr(DURATION / intervals)] if integrator == "DISCRETE" else []
    source = generate(tenon, robot, algorithm, name, folder, *step, *(["--hessian"] if hessian == "EXACT" else []))
    with inside(folder):
        solver = AcadosOcpSolver(problem(source, name, integrator, intervals, hessian), json_file=name + ".json", verbose=False)
    states, torques = start or (np.tile(np.concatenate([BEGIN, np.zeros(7)]), (intervals + 1, 1)), np.zeros((intervals, 7)))
    for k in range(intervals + 1):
        solver.set(k, "x", states[k])
    for k in range(intervals):
        solver.set(k, "u", torques[k])
    begin = time.perf_counter()
    status = solver.solve()
    seconds = time.perf_counter() - begin
    x = np.array([solver.get(k, "x") for k in range(intervals + 1)])
    u = np.array([solver.get(k, "u") for k in range(intervals)])
    return x, u, {"status": status, "iterations": int(np.max(solver.get_stats("sqp_iter"))), "cost": solver.get_cost(),
                  "seconds": seconds}  # fmt: skip


def main(tenon, robot, intervals=20):
    tenon, robot = (os.path.abspath(p) if os.path.exists(p) else p for p in (tenon, robot))
    with tempfile.TemporaryDirectory() as folder:
        for algorithm, integrator, hessian in (("aba", "DISCRETE", "GAUSS_NEWTON"), ("aba", "IRK", "GAUSS_NEWTON"),
                                               ("rnea", "IRK", "GAUSS_NEWTON"), ("aba", "DISCRETE", "EXACT")):  # fmt: skip
            # Exact Hessians converge fast near a solution, and far from one are not convex.
            start = None if hessian != "EXACT" else near
            x, u, said = solve(tenon, robot, algorithm, integrator, intervals, folder, hessian, start)
            if integrator == "DISCRETE":
                near = x + 0.002 * np.sin(np.arange(x.size).reshape(x.shape)), u
            print(f"{algorithm} {integrator} {hessian}: status {said['status']}, {said['iterations']} iterations, "
                  f"{1e3 * said['seconds']:.1f} ms, cost {said['cost']:.6f}, off the end by {np.abs(x[-1, :7] - END).max():.4f} "
                  f"rad, largest torque {np.abs(u[:, 1]).max():.2f} N m on joint 2")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))
