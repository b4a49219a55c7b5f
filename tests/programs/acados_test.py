"""`tenon codegen --acados`: what it writes are functions of acados' generic interface.

    python3 acados_test.py <tenon> <libtenon.so> <models> <C compiler>

Each function is called with vectors and matrices of BLASFEO, at offsets, as acados calls it. Values are held against the
library; derivatives against those of the library, which come from other formulas, or against differences. acados solves
a problem with them, and CasADi the same one with the functions for CasADi.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import acados
import casadi as ca
import numpy as np

TENON, LIBRARY, MODELS, COMPILER = sys.argv[1:5]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
INSTALLED = os.path.join(list(acados.__path__)[0], "install")
sys.path[:0] = [os.path.join(ROOT, "capi/clients/python")]
sys.path[:0] = [os.path.join(ROOT, "capi/examples", name) for name in ("acados", "casadi")]
sys.path.append(list(acados.__path__)[0])  # acados_template
os.environ.update(TENON_LIBRARY=LIBRARY, CC=COMPILER, ACADOS_SOURCE_DIR=INSTALLED)
os.environ["TERA_PATH"] = os.path.join(INSTALLED, "bin/t_renderer")
os.environ["ACADOS_PYTHON_INTERFACE_PATH"] = os.path.join(INSTALLED, "../acados_template")

import arm  # noqa: E402
import tenon  # noqa: E402

HEADERS = [flag for name in ("", "blasfeo/include", "hpipm/include") for flag in ("-I", os.path.join(INSTALLED, "include", name))]
# libacados looks for them where LD_LIBRARY_PATH said when this program began.
blasfeo, _, _ = (ctypes.CDLL(os.path.join(INSTALLED, "lib", name), mode=ctypes.RTLD_GLOBAL)
                 for name in ("libblasfeo.so", "libhpipm.so", "libqpOASES_e.so.3.1"))  # fmt: skip
GARBAGE = 7.25


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class VectorArguments(ctypes.Structure):
    _fields_ = [("x", ctypes.c_void_p), ("xi", ctypes.c_int)]


class MatrixArguments(ctypes.Structure):
    _fields_ = [("A", ctypes.c_void_p), ("ai", ctypes.c_int), ("aj", ctypes.c_int)]


class Vector:
    """Of BLASFEO, with numbers from `at` on among garbage."""

    def __init__(self, numbers, at=0):
        self.at, self.size = at, at + len(numbers) + 3
        self.struct = ctypes.create_string_buffer(256)  # more than it takes
        blasfeo.blasfeo_allocate_dvec(self.size, self.struct)
        self.pack(np.full(self.size, GARBAGE), 0)
        self.pack(np.array(numbers, dtype=float), at)
        self.arguments = VectorArguments(ctypes.addressof(self.struct), at)

    def pack(self, numbers, at):
        blasfeo.blasfeo_pack_dvec(len(numbers), pointer(numbers), 1, self.struct, at)

    def get(self, count):
        """The numbers; what is around them is as it was."""
        every = np.empty(self.size)
        blasfeo.blasfeo_unpack_dvec(self.size, self.struct, 0, pointer(every), 1)
        assert (every[: self.at] == GARBAGE).all() and (every[self.at + count :] == GARBAGE).all()
        return every[self.at : self.at + count]


class Matrix:
    def __init__(self, rows, columns, at=(0, 0)):
        self.at, self.shape, self.whole = at, (rows, columns), (at[0] + rows + 2, at[1] + columns + 3)
        self.struct = ctypes.create_string_buffer(256)
        blasfeo.blasfeo_allocate_dmat(*self.whole, self.struct)
        garbage = np.full(self.whole, GARBAGE, order="F")
        blasfeo.blasfeo_pack_dmat(*self.whole, pointer(garbage), self.whole[0], self.struct, 0, 0)
        self.arguments = MatrixArguments(ctypes.addressof(self.struct), *at)

    def get(self):
        every = np.empty(self.whole, order="F")
        blasfeo.blasfeo_unpack_dmat(*self.whole, self.struct, 0, 0, pointer(every), self.whole[0])
        (i, j), (rows, columns) = self.at, self.shape
        found = every[i : i + rows, j : j + columns].copy()
        every[i : i + rows, j : j + columns] = GARBAGE
        assert (every == GARBAGE).all(), "written outside"
        return found


def at(x):
    return ctypes.addressof(x)


class Generated:
    """The functions of one robot, by numpy."""

    def __init__(self, robot, algorithm, nx, nu, *options):
        self.nx, self.nu = nx, nu
        with tempfile.TemporaryDirectory() as folder:
            source, library = (os.path.join(folder, "f" + end) for end in (".c", ".so"))
            subprocess.run([TENON, "codegen", os.path.join(MODELS, robot + ".urdf"), "--algorithm", algorithm, "--function", "f",
                            "--acados", *options, "-o", source], check=True)  # fmt: skip
            with open(source) as file:
                self.text = file.read()
            subprocess.run([COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", *HEADERS, "-shared", "-fPIC", source,
                            "-o", library, "-lm"], check=True)  # fmt: skip
            self.library = ctypes.CDLL(library)

    def call(self, name, inputs, outputs):
        lists = [(ctypes.c_void_p * len(x))(*x) for x in (inputs, outputs)]
        assert getattr(self.library, "f_" + name)(*lists, None) == 0

    # z and t, which newer versions of acados hand over too, are not read.
    def implicit_inputs(self, x, xdot, u):
        self.kept = Vector(x), Vector(xdot, 5), np.array(u, dtype=float)
        return [at(self.kept[0].struct), at(self.kept[1].arguments), self.kept[2].ctypes.data, None]

    def residual(self, x, xdot, u):
        f = Vector(np.full(self.nx, np.nan), 3)
        self.call("impl_dae_fun", self.implicit_inputs(x, xdot, u), [at(f.arguments)])
        return f.get(self.nx)

    def residual_and_derivatives(self, x, xdot, u):
        f, by_x, by_xdot = Vector(np.full(self.nx, np.nan), 2), Matrix(self.nx, self.nx), Matrix(self.nx, self.nx)
        self.call("impl_dae_fun_jac", self.implicit_inputs(x, xdot, u),
                  [at(f.arguments), at(by_x.struct), at(by_xdot.struct), None])  # fmt: skip
        return f.get(self.nx), by_x.get(), by_xdot.get()

    def derivatives(self, x, xdot, u):
        by_x, by_xdot, by_u = (Matrix(self.nx, n) for n in (self.nx, self.nx, self.nu))
        self.call("impl_dae_jac", self.implicit_inputs(x, xdot, u),
                  [at(by_x.struct), at(by_xdot.struct), at(by_u.struct), None])  # fmt: skip
        return by_x.get(), by_xdot.get(), by_u.get()

    # x and u are parts of one vector, the Jacobian is transposed and may lie anywhere.
    def step(self, x, u, with_derivatives=False):
        both, result, jacobian = Vector([*u, *x], 1), Vector(np.full(self.nx, np.nan), 4), Matrix(self.nu + self.nx, self.nx, (5, 2))
        of_x, of_u = (VectorArguments(at(both.struct), 1 + n) for n in (self.nu, 0))
        if not with_derivatives:
            self.call("disc_dyn_fun", [at(of_x), at(of_u)], [at(result.arguments)])
            return result.get(self.nx)
        self.call("disc_dyn_fun_jac", [at(of_x), at(of_u)], [at(result.arguments), at(jacobian.arguments)])
        return result.get(self.nx), jacobian.get()


    # The matrix lies in another one, as acados' own does.
    def step_hessian(self, x, u, multipliers):
        n, hessian = self.nu + self.nx, Matrix(self.nu + self.nx, self.nu + self.nx, (2, 3))
        both, weights = Vector([*u, *x], 1), Vector(multipliers, 3)
        result, jacobian = Vector(np.full(self.nx, np.nan), 4), Matrix(n, self.nx, (5, 2))
        of_x, of_u = (VectorArguments(at(both.struct), 1 + k) for k in (self.nu, 0))
        self.call("disc_dyn_fun_jac_hess", [at(of_x), at(of_u), at(weights.arguments)],
                  [at(result.arguments), at(jacobian.arguments), at(hessian.arguments)])  # fmt: skip
        return result.get(self.nx), jacobian.get(), hessian.get()

    def implicit_hessian(self, x, xdot, u, multipliers):
        n = 2 * self.nx + self.nu
        weights, hessian = Vector(multipliers, 4), Matrix(n, n)
        self.call("impl_dae_hess", [*self.implicit_inputs(x, xdot, u), at(weights.arguments)], [at(hessian.struct)])
        return hessian.get()


def differences(function, x, step=1e-6):
    return np.array([(function(x + d) - function(x - d)) / (2 * step) for d in step * np.eye(len(x))]).T


def free_base_rate(q, v):
    """Of a robot on a free base: by a rotation of numpy and the product of quaternions, written out."""
    x, y, z, w = q[3:7]
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    turn = np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]) @ v[:3] / 2
    return np.concatenate([R @ v[3:6], turn, v[6:]])


class Functions(unittest.TestCase):
    def near(self, given, expected, tolerance=1e-10):
        self.assertEqual(given.shape, expected.shape)
        self.assertLessEqual(np.abs(given - expected).max(initial=0.0), tolerance * max(1.0, np.abs(expected).max(initial=0.0)))

    def state(self, robot, base="fixed"):
        work = tenon.Workspace(tenon.Model.load(os.path.join(MODELS, robot + ".urdf"), base=base))
        random = np.random.default_rng(3)
        return work, work.random(5), *(random.uniform(-1, 1, work.nv) for _ in range(2)), random

    def test_forward_dynamics_of_an_arm(self):
        work, q, v, tau, random = self.state("iiwa14")
        f, n, h = Generated("iiwa14", "aba", 14, 7, "--step", "0.015"), 7, 0.015
        x, xdot = np.concatenate([q, v]), random.uniform(-1, 1, 14)
        qdd, by_q, by_v, by_tau = work.forward_dynamics_derivatives(q, v, tau)
        expected = xdot - np.concatenate([v, qdd])
        self.near(f.residual(x, xdot, tau), expected)
        value, by_x, by_xdot = f.residual_and_derivatives(x, xdot, tau)
        self.near(value, expected)
        one, zero = np.eye(n), np.zeros((n, n))
        of_x = -np.block([[zero, one], [by_q, by_v]])
        for given in ((by_x, by_xdot), f.derivatives(x, xdot, tau)[:2]):
            self.near(given[0], of_x)
            self.near(given[1], np.eye(14))
        self.near(f.derivatives(x, xdot, tau)[2], -np.vstack([zero, by_tau]))
        # A step is that of the library.
        q_next, v_next = q.copy(), v.copy()
        work.step(q_next, v_next, tau, h)
        self.near(f.step(x, tau), np.concatenate([q_next, v_next]), 1e-13)
        value, transposed = f.step(x, tau, with_derivatives=True)
        self.near(value, f.step(x, tau), 0)
        of_v = h * np.hstack([by_tau, by_q, by_v + one / h])
        self.near(transposed.T, np.vstack([np.hstack([zero, one, zero]) + h * of_v, of_v]))
        self.near(transposed.T, differences(lambda ux: f.step(ux[n:], ux[:n]), np.concatenate([tau, x])), 1e-7)

    def test_inverse_dynamics_of_an_arm(self):
        work, q, v, tau, random = self.state("iiwa14")
        f, n = Generated("iiwa14", "rnea", 14, 7), 7
        x, xdot = np.concatenate([q, v]), random.uniform(-1, 1, 14)
        torque, by_q, by_v = work.inverse_dynamics_derivatives(q, v, xdot[n:])[:3]
        expected = np.concatenate([xdot[:n] - v, torque - tau])
        self.near(f.residual(x, xdot, tau), expected)
        value, by_x, by_xdot = f.residual_and_derivatives(x, xdot, tau)
        one, zero = np.eye(n), np.zeros((n, n))
        self.near(value, expected)
        self.near(by_x, np.block([[zero, -one], [by_q, by_v]]))
        self.near(by_xdot, np.block([[one, zero], [zero, work.mass_matrix(q)]]))
        for given, exact in zip(f.derivatives(x, xdot, tau), (by_x, by_xdot, np.vstack([zero, -one]))):
            self.near(given, exact, 0)

    def test_passive_joints(self):
        work, q, v, _, random = self.state("double_pendulum")
        for algorithm, options in (("aba", ["--step", "0.1"]), ("rnea", [])):
            f = Generated("double_pendulum", algorithm, 4, 1, "--passive", "elbow", *options)
            x, xdot, u = np.concatenate([q, v]), random.uniform(-1, 1, 4), np.array([0.7])
            tau = np.array([0.7, 0])
            force = work.forward_dynamics(q, v, tau) if algorithm == "aba" else work.inverse_dynamics(q, v, xdot[2:])
            expected = xdot[2:] - force if algorithm == "aba" else force - tau
            self.near(f.residual(x, xdot, u), np.concatenate([xdot[:2] - v, expected]))
            self.near(f.derivatives(x, xdot, u)[2], differences(lambda u: f.residual(x, xdot, u), u), 1e-8)
            if options:
                _, transposed = f.step(x, u, with_derivatives=True)
                self.near(transposed.T, differences(lambda ux: f.step(ux[1:], ux[:1]), np.concatenate([u, x])), 1e-7)

    def test_free_base(self):
        """Motors at the joints alone; the derivatives by quaternions are by their entries."""
        work, q, v, _, random = self.state("go1", "floating")
        nq, nv = work.model.nq, work.model.nv
        f = Generated("go1", "aba", nq + nv, nv - 6, "--floating")
        x, xdot, u = np.concatenate([q, v]), random.uniform(-1, 1, nq + nv), random.uniform(-5, 5, nv - 6)
        tau = np.concatenate([np.zeros(6), u])
        expected = xdot - np.concatenate([free_base_rate(q, v), work.forward_dynamics(q, v, tau)])
        self.near(f.residual(x, xdot, u), expected)
        # What the library moves to along v for a moment.
        moved = (work.integrate(q, 1e-6 * v) - work.integrate(q, -1e-6 * v)) / 2e-6
        self.near(xdot[:nq] - f.residual(x, xdot, u)[:nq], moved, 1e-8)
        value, by_x, by_xdot = f.residual_and_derivatives(x, xdot, u)
        self.near(value, expected)
        self.near(by_x, differences(lambda x: f.residual(x, xdot, u), x), 1e-6)
        self.near(by_xdot, np.eye(nq + nv))
        self.near(f.derivatives(x, xdot, u)[2], differences(lambda u: f.residual(x, xdot, u), u), 1e-7)

    def test_contacts(self):
        """Feet that accelerate with nothing: J qdd + Jdot v = 0."""
        model = tenon.Model.load(os.path.join(MODELS, "solo12.urdf"), base="floating")
        constraints = tenon.Constraints(model)
        constraints.add_point("FL_FOOT")
        work, random = tenon.Workspace(model, constraints), np.random.default_rng(4)
        q, v = work.random(2), random.uniform(-1, 1, model.nv)
        xdot, u = random.uniform(-1, 1, model.nq + model.nv), random.uniform(-3, 3, model.nv - 6)
        f = Generated("solo12", "pv", model.nq + model.nv, model.nv - 6, "--floating", "--point", "FL_FOOT")
        qdd = work.constrained_dynamics(q, v, np.concatenate([np.zeros(6), u]))[0]
        given = f.residual(np.concatenate([q, v]), xdot, u)
        self.near(given[model.nq :], xdot[model.nq :] - qdd, 1e-8)
        x = np.concatenate([q, v])
        self.near(f.derivatives(x, xdot, u)[0], differences(lambda x: f.residual(x, xdot, u), x), 1e-6)


    def check_implicit_hessian(self, f, x, xdot, u, tolerance):
        """By differences of the first derivatives, times the multipliers."""
        multipliers = np.random.default_rng(8).uniform(-1, 1, f.nx)
        given = f.implicit_hessian(x, xdot, u, multipliers)
        parts = [f.nx, 2 * f.nx]
        gradient = lambda all_: np.concatenate([multipliers @ d for d in f.derivatives(*np.split(all_, parts))])
        self.near(given, differences(gradient, np.concatenate([x, xdot, u])), tolerance)
        self.near(given, given.T, 0)
        self.assertTrue(given.any())

    def test_hessians(self):
        for algorithm in ("aba", "rnea"):
            options = ["--passive", "elbow", *(["--step", "0.1"] if algorithm == "aba" else [])]
            work, q, v, _, random = self.state("double_pendulum")
            f = Generated("double_pendulum", algorithm, 4, 1, "--hessian", *options)
            x, u = np.concatenate([q, v]), np.array([0.7])
            self.check_implicit_hessian(f, x, random.uniform(-1, 1, 4), u, 1e-7)
            if algorithm == "aba":
                multipliers = random.uniform(-1, 1, 4)
                value, transposed, given = f.step_hessian(x, u, multipliers)
                for one, other in zip((value, transposed), f.step(x, u, with_derivatives=True)):
                    self.near(one, other, 0)
                gradient = lambda ux: f.step(ux[1:], ux[:1], with_derivatives=True)[1] @ multipliers
                self.near(given, differences(gradient, np.concatenate([u, x])), 1e-7)

    def test_hessians_of_a_free_base(self):
        """By the entries of quaternions, and of their rates."""
        work, q, v, _, random = self.state("solo12", "floating")
        nx, nu = work.model.nq + work.nv, work.nv - 6
        f = Generated("solo12", "rnea", nx, nu, "--floating", "--hessian")
        self.check_implicit_hessian(f, np.concatenate([q, v]), random.uniform(-1, 1, nx), random.uniform(-1, 1, nu), 1e-6)

    def test_hessians_with_contacts(self):
        _, q, v, _, random = self.state("iiwa14")
        f = Generated("iiwa14", "pv", 14, 7, "--hessian", "--point", "iiwa_link_7")
        self.check_implicit_hessian(f, np.concatenate([q, v]), random.uniform(-1, 1, 14), random.uniform(-1, 1, 7), 1e-5)


class Problem(unittest.TestCase):
    N = 20

    def setUp(self):
        import reach

        self.reach, self.robot = reach, os.path.join(MODELS, "iiwa14.urdf")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def solve(self, algorithm, integrator, *more):
        x, u, said = self.reach.solve(TENON, self.robot, algorithm, integrator, self.N, self.folder, *more)
        self.iterations = said["iterations"]
        self.assertEqual(said["status"], 0)
        self.assertTrue(np.isfinite(x).all() and np.isfinite(u).all())
        self.assertLess(np.abs(u / self.reach.LIMITS).max(), 1 + 1e-6)
        self.assertGreater(np.abs(u / self.reach.LIMITS).max(), 1 - 1e-5)  # some limit counts
        return x, u, said["cost"]

    def by_casadi(self):
        """The same problem with discrete dynamics, by CasADi's SQP with the functions for CasADi."""
        r, n, h = self.reach, 7, self.reach.DURATION / self.N
        aba = arm.load(TENON, self.robot, "aba", self.folder, "--derivatives")
        X, U = ca.MX.sym("X", 2 * n, self.N + 1), ca.MX.sym("U", n, self.N)
        cost, gaps = 0, [X[:, 0] - np.concatenate([r.BEGIN, np.zeros(n)])]
        for k in range(self.N):
            q, v, u = X[:n, k], X[n:, k], U[:, k]
            cost += h / 2 * (r.OF_Q * ca.sumsqr(q - r.END) + r.OF_V * ca.sumsqr(v) + r.OF_U * ca.sumsqr(u))
            v_next = v + h * aba(q, v, u)
            gaps.append(X[:, k + 1] - ca.vertcat(q + h * v_next, v_next))
        last = X[:, self.N]
        cost += r.AT_END / 2 * (r.OF_Q * ca.sumsqr(last[:n] - r.END) + r.OF_V * ca.sumsqr(last[n:]))
        # Costs are squares of the unknowns themselves, so that their Hessian is that of Gauss and Newton.
        unknowns, gaps = ca.vertcat(ca.vec(X), ca.vec(U)), ca.vertcat(*gaps)
        sizes = {"x": unknowns.numel(), "p": 0, "lam_f": 1, "lam_g": gaps.numel()}
        hessian = ca.Function("nlp_hess_l", [ca.MX.sym(name, size) for name, size in sizes.items()],
                              [ca.triu(ca.evalf(ca.hessian(cost, unknowns)[0]))], [*sizes], ["triu_hess_gamma_x_x"])  # fmt: skip
        solver = ca.nlpsol("solver", "sqpmethod", {"x": unknowns, "f": cost, "g": gaps},
                           {"hess_lag": hessian, "qpsol": "qrqp", "max_iter": 80, "max_iter_ls": 0, "tol_pr": 1e-9, "tol_du": 1e-7,
                            "print_time": False, "print_header": False, "print_iteration": False, "print_status": False,
                            "qpsol_options": {"print_iter": False, "print_header": False, "print_info": False}})  # fmt: skip
        bound = np.concatenate([np.full(X.numel(), np.inf), np.tile(r.LIMITS, self.N)])
        guess = np.concatenate([np.tile(np.concatenate([r.BEGIN, np.zeros(n)]), self.N + 1), np.zeros(U.numel())])
        found = solver(x0=guess, lbg=0, ubg=0, lbx=-bound, ubx=bound)
        self.assertTrue(solver.stats()["success"], solver.stats()["return_status"])
        x = found["x"].full().ravel()
        return x[: X.numel()].reshape(self.N + 1, 2 * n), x[X.numel() :].reshape(self.N, n), float(found["f"])

    def test_discrete_dynamics_beside_casadi(self):
        x, u, cost = self.solve("aba", "DISCRETE")
        # Exact Hessians find it from nearby, in a few iterations.
        near = x + 0.002 * np.sin(np.arange(x.size).reshape(x.shape)), u
        x_of, u_of, cost_of = self.solve("aba", "DISCRETE", "EXACT", near)
        self.assertLess(self.iterations, 6)
        self.assertLess(np.abs(x - x_of).max(), 1e-5)
        self.assertLess(abs(cost - cost_of), 1e-9 * cost_of)
        x_of, u_of, cost_of = self.by_casadi()
        self.assertLess(abs(cost - cost_of), 1e-9 * cost_of)
        self.assertLess(np.abs(x - x_of).max(), 1e-6)
        self.assertLess(np.abs(u - u_of).max(), 1e-4)
        print(f"cost {cost:.10f}, off by {abs(cost - cost_of):.1e}; x by {np.abs(x - x_of).max():.1e}, u by {np.abs(u - u_of).max():.1e}")

    def test_implicit_dynamics(self):
        """Forward and inverse dynamics are one problem; under its torques the library moves the arm as acados says."""
        x, u, cost = self.solve("aba", "IRK")
        x_of, u_of, cost_of = self.solve("rnea", "IRK")
        self.assertLess(np.abs(x - x_of).max(), 1e-6)
        self.assertLess(np.abs(u - u_of).max(), 1e-4)
        self.assertLess(abs(cost - cost_of), 1e-8 * cost)
        work, parts, gap = tenon.Workspace(tenon.Model.load(self.robot)), 20, 0.0
        for k in range(self.N):
            q, v = x[k, :7].copy(), x[k, 7:].copy()
            for _ in range(parts):
                work.step(q, v, u[k], self.reach.DURATION / self.N / parts, integrator="runge_kutta_4")
            gap = max(gap, np.abs(np.concatenate([q, v]) - x[k + 1]).max())
        # Two Gauss-Legendre stages are of fourth order.
        self.assertLess(gap, 2e-3)
        print(f"the largest gap to the library's steps is {gap:.1e}")

    def test_the_example(self):
        done = subprocess.run([sys.executable, self.reach.__file__, TENON, self.robot], capture_output=True, text=True,
                              timeout=600, env={**os.environ, "PYTHONPATH": list(acados.__path__)[0],
                                                "LD_LIBRARY_PATH": os.path.join(INSTALLED, "lib")})  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if ": status " in line]
        ways = ["aba DISCRETE GAUSS_NEWTON", "aba IRK GAUSS_NEWTON", "rnea IRK GAUSS_NEWTON", "aba DISCRETE EXACT"]
        self.assertEqual([line.split(":")[0] for line in lines], ways, done.stdout)
        for line in lines:
            self.assertRegex(line, r": status 0, \d+ iterations, .*, cost \d+\.\d+, ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
