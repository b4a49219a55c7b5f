"""`tenon codegen --hessian`: gradients of weighted results and their derivatives in generated C.

    python3 codegen_hessian_test.py <tenon> <libtenon.so> <models> <C compiler>

The gradient is that of the function compiled with complex numbers, by steps along i; the Hessian that of the gradient. The
library gives Hessians by tangents, by other formulas.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from codegen_derivatives_test import COMPILER, MODELS, TENON, Case, Generated, pointer, tangents, tenon


class Hessians(Case):
    def check_adjoint(self, f, inputs, tolerance=1e-11):
        """All that f_adj and f_adj_jac give. Returns weights, gradients and second derivatives."""
        random = np.random.default_rng(5)
        weights = [random.uniform(-1, 1, n) for n in f.outputs.values()]
        both, first = [*inputs, *weights], f.complex_step(inputs)
        gradients = dict(zip(f.adjoint.outputs, f.adjoint.value(both)))
        self.assertEqual(list(gradients), ["adj_" + name for name in f.inputs])
        for by, given in zip(f.inputs, gradients.values()):
            expected = sum(w @ first[f"jac_{out}_{by}"] for out, w in zip(f.outputs, weights))
            self.near(given, expected, tolerance, f"gradient by {by}")
        second = self.check_complex(f.adjoint, both, tolerance)
        self.assertEqual(list(second), [f"jac_adj_{a}_{b}" for a in f.inputs for b in [*f.inputs, *("adj_" + x for x in f.outputs)]])
        for a in f.inputs:
            for b in f.inputs:
                self.assertEqual(second[f"jac_adj_{a}_{b}"].tolist(), second[f"jac_adj_{b}_{a}"].T.tolist(), f"{a} and {b}")
            for out in f.outputs:
                self.near(second[f"jac_adj_{a}_adj_{out}"], first[f"jac_{out}_{a}"].T, tolerance, f"{out} by {a}")
        return weights, gradients, second

    def by_tangents(self, work, q, adj_q, second, step=1e-4):
        """T' H T, and adj_q . the curvature of moves along tangents."""
        move, n = tangents(work.model, q), work.nv
        e, bend = step * np.eye(n), np.zeros((n, n))
        for i in range(n):
            for j in range(i + 1):
                ends = [a * b * work.integrate(q, a * e[i] + b * e[j]) for a in (1, -1) for b in (1, -1)]
                bend[i, j] = bend[j, i] = adj_q @ sum(ends) / (4 * step * step)
        return move.T @ second @ move + bend

    def check_library(self, work, q, f, inputs, hessians, last, tolerance):
        weights, gradients, second = self.check_adjoint(f, inputs)
        qq, qv, vv, q_last = hessians(*weights)[:4]
        move = tangents(work.model, q)
        self.near(self.by_tangents(work, q, gradients["adj_q"], second["jac_adj_q_q"]), qq, tolerance, "by q and q")
        self.near(move.T @ second["jac_adj_q_v"], qv, 1e-9, "by q and v")
        self.near(second["jac_adj_v_v"], vv, 1e-9, "by v and v")
        self.near(move.T @ second["jac_adj_q_" + last], q_last, 1e-9, "by q and " + last)
        for a, b in (("v", last), (last, last)):
            self.assertEqual(f.adjoint.entries[f"jac_adj_{a}_{b}"], 0)

    def test_arms(self):
        for name in ("double_pendulum", "iiwa14"):
            model, q, v, last = self.robot(name, "fixed")
            work = tenon.Workspace(model)
            for algorithm, method, by in (("aba", work.forward_dynamics_hessian, "tau"), ("rnea", work.inverse_dynamics_hessian, "a")):
                with self.subTest(name, algorithm=algorithm):
                    f = Generated(name, algorithm, "--hessian")
                    self.check_library(work, q, f, [q, v, last], lambda w: method(q, v, last, w), by, 1e-6)

    def test_free_base(self):
        """By the entries of quaternions; along tangents those of the library."""
        model, q, v, a = self.robot("solo12", "floating")
        work, f = tenon.Workspace(model), Generated("solo12", "rnea", "--floating", "--hessian")
        self.assertIn("Second derivatives by tangents", f.text)
        self.check_library(work, q, f, [q, v, a], lambda w: work.inverse_dynamics_hessian(q, v, a, w), "a", 1e-6)

    def test_rates_of_positions(self):
        _, q, v, _ = self.robot("go1", "floating")
        f = Generated("go1", "position_rate", "--floating", "--hessian")
        second = self.check_adjoint(f, [q, v])[2]
        self.assertTrue(second["jac_adj_q_v"].any() and second["jac_adj_q_q"].any())
        _, q, v, _ = self.robot("iiwa14", "fixed")
        f = Generated("iiwa14", "position_rate", "--hessian")
        second = self.check_adjoint(f, [q, v])[2]
        self.assertEqual({n for name, n in f.adjoint.entries.items() if "adj_rate" not in name}, {0})

    def test_rows(self):
        """By a method that is exact: products of proximal ones with 1e6 have no digits for steps along i."""
        model, q, v, tau = self.robot("iiwa14", "fixed")
        constraints = tenon.Constraints(model)
        constraints.add_point("iiwa_link_7")
        work, desired = tenon.Workspace(model, constraints), np.array([0.3, -0.1, 0.2])
        f = Generated("iiwa14", "pv", "--point", "iiwa_link_7", "--hessian")
        weights, _, second = self.check_adjoint(f, [q, v, tau, desired], 1e-9)
        expected = work.constrained_dynamics_hessian(q, v, tau, desired=desired, gradient=weights[0], gradient_lambda=weights[1])
        for name, matrix in zip(("q_q", "q_v", "v_v", "q_tau", "q_desired"), expected):
            self.near(second["jac_adj_" + name], matrix, 1e-8, name)

    def test_loops(self):
        model, q, v, tau = self.robot("four_bar", "fixed")
        tenon.Workspace(model).close_loops(q)
        self.check_adjoint(Generated("four_bar", "c_aba", "--hessian"), [q, v, tau])

    def test_matrices_as_results(self):
        _, q, _, _ = self.robot("double_pendulum", "fixed")
        self.check_adjoint(Generated("double_pendulum", "crba", "--hessian"), [q])

    def test_lanes(self):
        robot, one = os.path.join(MODELS, "double_pendulum.urdf"), Generated("double_pendulum", "aba", "--hessian")
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "g.c")
            subprocess.run([TENON, "codegen", robot, "--algorithm", "aba", "--function", "g", "--hessian", "--lanes", "4", "-o", source],
                           check=True)  # fmt: skip
            library = source[:-2] + ".so"
            subprocess.run([COMPILER, "-Wno-psabi", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
            states = np.random.default_rng(2).uniform(-1, 1, (4, 4, 2))  # array, state, number
            for function, sizes, expected in (
                    ("g_adj", one.adjoint.outputs, [one.adjoint.value(list(states[:, k])) for k in range(4)]),
                    ("g_adj_jac", one.adjoint.entries, [self.entries(one.adjoint, states[:, k]) for k in range(4)])):  # fmt: skip
                given = [np.full(4 * n, np.nan) for n in sizes.values()]
                getattr(ctypes.CDLL(library), function)(*(pointer(x) for x in [*(np.ascontiguousarray(a.T) for a in states), *given]))
                for i, array in enumerate(given):
                    self.near(array.reshape(-1, 4), np.array([e[i] for e in expected]).T.reshape(-1, 4), 1e-12, function)

    def entries(self, function, inputs):
        dense = function.jacobians(list(inputs))
        return [dense[name][row, column] for name, (_, _, row, column) in zip(dense, function.sparsity())]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
