"""`tenon codegen --casadi`: what it writes is a function of CasADi.

    python3 casadi_test.py <tenon> <libtenon.so> <models> <C compiler>

Numbers are compared with the plain function in the same file, bit for bit, and with the library to 1e-12; derivatives by
finite differences with the inverse of the mass matrix; exact Hessians with those of the library, which are other formulas.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import casadi as ca
import numpy as np

TENON, LIBRARY, MODELS, COMPILER = sys.argv[1:5]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "capi/clients/python"), os.path.join(ROOT, "capi/examples/casadi")]
os.environ["TENON_LIBRARY"], os.environ["CC"] = LIBRARY, COMPILER

import arm  # noqa: E402
import exact_hessian  # noqa: E402
import shooting  # noqa: E402
import tenon  # noqa: E402

ROBOT = os.path.join(MODELS, "iiwa14.urdf")


class External(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = np.random.default_rng(7)

    def load(self, algorithm, robot=ROBOT, *options):
        return arm.load(TENON, robot, algorithm, self.folder.name, *options)

    def plain(self, algorithm, sizes, inputs):
        """The C function itself, of the same file."""
        function = getattr(ctypes.CDLL(os.path.join(self.folder.name, algorithm + ".so")), algorithm)
        function.restype = None
        arrays = [np.array(a, dtype=float) for a in inputs] + [np.zeros(n) for n in sizes]
        function(*(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
        return arrays[len(inputs) :]

    def state(self):
        return [self.random.uniform(-1, 1, 7) for _ in range(3)]

    def test_forward_dynamics_are_those_of_c(self):
        aba, workspace = self.load("aba"), tenon.Workspace(tenon.Model.load(ROBOT))
        self.assertEqual([aba.name_in(i) for i in range(3)], ["q", "v", "tau"])
        self.assertEqual((aba.n_out(), aba.name_out(0), aba.size_out(0)), (1, "qdd", (7, 1)))
        for _ in range(20):
            q, v, tau = self.state()
            qdd = aba(q, v, tau).full().ravel()
            self.assertEqual(qdd.tolist(), self.plain("aba", [7], [q, v, tau])[0].tolist())
            expected = workspace.forward_dynamics(q, v, tau)
            self.assertLess(np.abs(qdd - expected).max() / np.abs(expected).max(), 1e-12)

    def test_inside_an_expression(self):
        aba = self.load("aba")
        q, v, tau = (ca.MX.sym(name, 7) for name in ("q", "v", "tau"))
        power = ca.Function("power", [q, v, tau], [ca.dot(v, aba(q, v, 2 * tau + ca.sin(q))) + ca.norm_2(aba(q, 0, tau))])
        a, b, c = self.state()
        first, second = (self.plain("aba", [7], x)[0] for x in ([a, b, 2 * c + np.sin(a)], [a, 0 * a, c]))
        self.assertAlmostEqual(float(power(a, b, c)), b @ first + np.linalg.norm(second), delta=1e-11 * np.abs(first).max())

    def test_derivatives_by_finite_differences(self):
        aba, workspace = self.load("aba"), tenon.Workspace(tenon.Model.load(ROBOT))
        q, v, tau = (ca.MX.sym(name, 7) for name in ("q", "v", "tau"))
        jacobian = ca.Function("jacobian", [q, v, tau], [ca.jacobian(aba(q, v, tau), tau), ca.jacobian(aba(q, v, tau), q)])
        a, b, c = self.state()
        by_torque, by_position = (m.full() for m in jacobian(a, b, c))
        expected = np.linalg.inv(workspace.mass_matrix(a))
        self.assertLess(np.abs(by_torque - expected).max(), 1e-5 * np.abs(expected).max())
        step = 1e-6 * np.eye(7)
        expected = np.array([(workspace.forward_dynamics(a + d, b, c) - workspace.forward_dynamics(a - d, b, c)) / 2e-6
                             for d in step]).T
        self.assertLess(np.abs(by_position - expected).max(), 1e-4 * np.abs(expected).max())

    def test_generated_derivatives(self):
        aba, workspace = self.load("aba", ROBOT, "--derivatives"), tenon.Workspace(tenon.Model.load(ROBOT))
        inputs = [ca.MX.sym(name, 7) for name in ("q", "v", "tau")]
        blocks = [ca.jacobian(aba(*inputs), x) for x in inputs]
        state = self.state()
        # To rounding, as no finite differences are; joint 1 turns about gravity, so that its column has no entries.
        self.assertEqual([b.nnz() for b in blocks], [42, 49, 49])
        exact = workspace.forward_dynamics_derivatives(*state)
        for given, expected in zip(ca.Function("blocks", inputs, blocks)(*state), exact[1:]):
            self.assertLess(np.abs(given.full() - expected).max(), 1e-9 * np.abs(expected).max())
        of_square = ca.gradient(ca.sumsqr(aba(*inputs)), inputs[0])
        gradient = ca.Function("gradient", inputs, [of_square])(*state).full().ravel()
        qdd, by_q = exact[:2]
        self.assertLess(np.abs(gradient - 2 * qdd @ by_q).max(), 1e-9 * np.abs(gradient).max())
        # Matrices: of all entries, column by column. An argument that is zero is a null pointer.
        crba, q = self.load("crba", ROBOT, "--derivatives"), ca.MX.sym("q", 7)
        J = ca.Function("J", [q], [ca.jacobian(crba(q), q)])
        self.assertEqual(J.size_out(0), (49, 7))
        step = 1e-6 * np.eye(7)
        differences = [(workspace.mass_matrix(d) - workspace.mass_matrix(-d)).ravel(order="F") / 2e-6 for d in step]
        self.assertLess(np.abs(J(0).full() - np.array(differences).T).max(), 1e-8)

    def test_exact_hessians(self):
        """CasADi makes them of one call of the generated second derivatives."""
        aba, workspace = self.load("aba", ROBOT, "--hessian"), tenon.Workspace(tenon.Model.load(ROBOT))
        x, w = ca.MX.sym("x", 21), ca.MX.sym("w", 7)
        q, v, tau = x[:7], x[7:14], x[14:]
        hessian, gradient = ca.hessian(ca.dot(w, aba(q, v, tau)), x)
        function = ca.Function("hessian", [x, w], [hessian, gradient])
        self.assertEqual(sorted(f.name() for f in function.find_functions()), ["aba_casadi", "adj1_aba_casadi", "jac_adj1_aba_casadi"])
        of_jacobian = ca.Function("jacobian", [x], [ca.jacobian(aba(q, v, tau), x)])
        calls = [line for line in function.str(True).splitlines() if "jac_adj1_aba_casadi(" in line]
        self.assertEqual(len(calls), 1)
        for zero in (False, True):
            state, weights = [a * (not zero or i == 2) for i, a in enumerate(self.state())], self.random.uniform(-1, 1, 7)
            given, first = (m.full() for m in function(np.concatenate(state), weights))
            jacobian = of_jacobian(np.concatenate(state)).full()
            qq, qv, vv, qtau = workspace.forward_dynamics_hessian(*state, weights)
            nothing = np.zeros((7, 7))
            expected = np.block([[qq, qv, qtau], [qv.T, vv, nothing], [qtau.T, nothing, nothing]])
            self.assertLess(np.abs(given - expected).max(), 1e-9 * np.abs(expected).max())
            exact = np.hstack(workspace.forward_dynamics_derivatives(*state)[1:])
            self.assertLess(np.abs(jacobian - exact).max(), 1e-9 * np.abs(exact).max())
            self.assertLess(np.abs(first.ravel() - weights @ exact).max(), 1e-9 * np.abs(exact).max())
        # Several outputs and matrices: of all entries, column by column.
        crba, q = self.load("crba", ROBOT, "--hessian"), ca.MX.sym("q", 7)
        W, b = self.random.uniform(-1, 1, (7, 7)), self.state()[0]
        H = ca.Function("H", [q], [ca.hessian(ca.sum1(ca.sum2(W * crba(q))), q)[0]])(b).full()
        step = 1e-4 * np.eye(7)
        value = lambda q: float(np.sum(W * workspace.mass_matrix(q)))
        differences = [[(value(b + i + j) - value(b + i - j) - value(b - i + j) + value(b - i - j)) / 4e-8 for j in step] for i in step]
        self.assertLess(np.abs(H - np.array(differences)).max(), 1e-6 * max(1, np.abs(H).max()))

    def test_ipopt_with_exact_hessians(self):
        done = subprocess.run([sys.executable, exact_hessian.__file__, TENON, ROBOT, "10"], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        exact, estimated = done.stdout.splitlines()
        self.assertRegex(exact, r"^exact: Solve_Succeeded, \d+ iterations, ")
        iterations = [int(line.split(" iterations")[0].split()[-1]) for line in (exact, estimated)]
        self.assertLess(2 * iterations[0], iterations[1], done.stdout)
        self.assertLess(float(exact.split("off the end by ")[1].split()[0]), 0.1)
        print(done.stdout.strip())

    def test_shooting(self):
        done = subprocess.run([sys.executable, shooting.__file__, TENON, ROBOT, self.folder.name, "12"], capture_output=True,
                              text=True, timeout=120)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        generated, differences = done.stdout.splitlines()
        for line in (generated, differences):
            self.assertRegex(line, r": Solve_Succeeded, \d+ iterations, .* largest gap \d\.\de-\d\d, ")
            self.assertLess(float(line.split("largest gap ")[1].split(",")[0]), 1e-5)
            self.assertLess(float(line.split("largest torque ")[1].split()[0]), 60.01)
        for name in ("torque", "motion"):
            with open(os.path.join(self.folder.name, f"shooting_{name}.svg")) as file:
                self.assertIn("joint 4", file.read())

    def test_matrices_and_several_outputs(self):
        crba, q = self.load("crba"), self.state()[0]
        M = crba(q)
        self.assertEqual(M.shape, (7, 7))
        np.testing.assert_array_equal(M.full().ravel(order="F"), self.plain("crba", [49], [q])[0])
        pv = self.load("pv", os.path.join(MODELS, "solo12.urdf"), "--floating", "--point", "FL_FOOT")
        self.assertEqual([pv.name_out(i) for i in range(pv.n_out())], ["qdd", "lambda"])
        x = np.concatenate([[0, 0, 0.3, 0, 0, 0, 1], self.random.uniform(-0.5, 0.5, 12)])
        v, tau = self.random.uniform(-1, 1, (2, 18))
        expected = self.plain("pv", [18, 3], [x, v, tau, np.zeros(3)])
        # An argument that is zero, and a result that nobody asks for, are null pointers to the function.
        force = ca.Function("force", [], [pv(x, v, tau, 0)[1]])()["o0"].full().ravel()
        np.testing.assert_array_equal(force, expected[1])
        np.testing.assert_array_equal(pv(x, v, tau, 0)[0].full().ravel(), expected[0])

    def test_null_pointers(self):
        self.load("aba")
        library = ctypes.CDLL(os.path.join(self.folder.name, "aba.so"))
        v = np.ones(7)
        sizes = [ctypes.c_longlong() for _ in range(4)]
        self.assertEqual(library.aba_casadi_work(*map(ctypes.byref, sizes)), 0)
        work, qdd, pointers = np.full(sizes[3].value, np.nan), np.zeros(7), ctypes.c_void_p * 3
        self.assertEqual(library.aba_casadi(pointers(None, v.ctypes.data, None), (ctypes.c_void_p * 1)(qdd.ctypes.data), None,
                                            work.ctypes.data_as(ctypes.c_void_p), 0), 0)
        self.assertEqual(qdd.tolist(), self.plain("aba", [7], [0 * v, v, 0 * v])[0].tolist())
        self.assertEqual(library.aba_casadi(pointers(None, v.ctypes.data, None), (ctypes.c_void_p * 1)(None), None,
                                            work.ctypes.data_as(ctypes.c_void_p), 0), 0)

    def test_functions_that_are_called_as_arguments_of_the_wrapper(self):
        state = self.state()
        expected = self.load("aba")(*state).full()
        for name in ("w", "arg", "res", "iw", "mem", "i", "dense"):
            source, library = (os.path.join(self.folder.name, name + ending) for ending in (".c", ".so"))
            codegen = [TENON, "codegen", ROBOT, "--algorithm", "aba", "--function", name, "--casadi", "--derivatives", "-o"]
            subprocess.run([*codegen, source], check=True, timeout=60)
            warnings = ["-Wall", "-Wextra", "-Werror"]
            subprocess.run([COMPILER, "-O0", *warnings, "-shared", "-fPIC", source, "-o", library, "-lm"], check=True, timeout=60)
            found = ca.external(name + "_casadi", library)(*state)
            np.testing.assert_allclose(found.full(), expected, rtol=1e-12)

    def test_the_example_and_lanes(self):
        done = subprocess.run([sys.executable, arm.__file__, TENON, ROBOT], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        held = np.array(done.stdout.splitlines()[0].split()[2:], dtype=float)
        workspace = tenon.Workspace(tenon.Model.load(ROBOT))
        np.testing.assert_allclose(held, workspace.gravity_force(np.linspace(-0.6, 0.9, 7)), atol=2e-4)
        self.assertRegex(done.stdout, r"(?m)^A 14 x 14, largest ")
        done = subprocess.run([TENON, "codegen", ROBOT, "--algorithm", "aba", "--casadi", "--lanes", "4"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("leave --lanes away", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
