"""`tenon codegen --derivatives`: Jacobians in generated C; with --hessian: gradients and Hessians.

    python3 codegen_derivatives_test.py <tenon> <libtenon.so> <models> <C compiler>

The function itself, compiled once more with complex numbers for double, gives derivatives to rounding by steps along i. The
library gives those by tangents, by other formulas. Code compiles without a warning with every C compiler that is here.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TENON, LIBRARY, MODELS, COMPILER = sys.argv[1:5]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../capi/clients/python"))
os.environ["TENON_LIBRARY"] = LIBRARY

import tenon  # noqa: E402

COMPLEX = '#include <complex.h>\n#include <tgmath.h>\n#define TENON_PART static\n#define double double _Complex\n'


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def write(source, robot, algorithm, function, *options):
    subprocess.run([TENON, "codegen", os.path.join(MODELS, robot + ".urdf"), "--algorithm", algorithm,
                    "--function", function, "--derivatives", *options, "-o", source], check=True)  # fmt: skip


class Derived:
    """A function of generated C and its _jac. inputs, outputs, entries: sizes of arrays by name."""

    def __init__(self, name, libraries, inputs, outputs, entries):
        self.name, (self.real, self.complex) = name, libraries
        self.inputs, self.outputs, self.entries = inputs, outputs, entries

    def called(self, library, ending, arrays):
        getattr(library, self.name + ending)(*map(pointer, arrays))

    def value(self, inputs):
        out = [np.full(n, np.nan) for n in self.outputs.values()]
        self.called(self.real, "", [*inputs, *out])
        return out

    def sparsity(self):
        """(rows, columns, row of each entry, column of each entry) of each array."""
        where = getattr(self.real, self.name + "_jac_sparsity")
        where.restype = ctypes.POINTER(ctypes.c_longlong)
        found = []
        for i, entries in enumerate(self.entries.values()):
            p = where(i)
            first = p[2 : 3 + p[1]]
            assert first[0] == 0 and first[-1] == entries, "the head comment and the sparsity do not fit"
            column = [j for j in range(p[1]) for _ in range(first[j + 1] - first[j])]
            found.append((p[0], p[1], p[3 + p[1] : 3 + p[1] + entries], column))
        assert not where(len(self.entries)) and not where(-1)
        return found

    def jacobians(self, inputs):
        arrays = [np.full(n, np.nan) for n in self.entries.values()]
        self.called(self.real, "_jac", [*inputs, *arrays])
        dense = {}
        for name, entries, (rows, columns, row, column) in zip(self.entries, arrays, self.sparsity()):
            dense[name] = np.zeros((rows, columns))
            dense[name][row, column] = entries
        return dense

    def complex_step(self, inputs, step=1e-60):
        exact = {f"jac_{out}_{by}": np.zeros((n, m))
                 for out, n in self.outputs.items() for by, m in self.inputs.items()}  # fmt: skip
        for k, by in enumerate(self.inputs):
            for j in range(self.inputs[by]):
                moved = [x.astype(complex) for x in inputs]
                moved[k][j] += 1j * step
                out = [np.full(n, np.nan + 0j) for n in self.outputs.values()]
                self.called(self.complex, "", [*moved, *out])
                for name, result in zip(self.outputs, out):
                    exact[f"jac_{name}_{by}"][:, j] = result.imag / step
        return exact


class Generated(Derived):
    """f and f_jac of one robot, and with --hessian as adjoint f_adj and f_adj_jac."""

    def __init__(self, robot, algorithm, *options):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "f.c")
            write(source, robot, algorithm, "f", *options)
            with open(source) as file:
                self.text = file.read()
            with open(os.path.join(folder, "complex.c"), "w") as file:
                file.write(COMPLEX + self.without_second_functions())
            libraries = (self.compiled(folder, source, "-Wall", "-Wextra", "-Werror", "-std=c99"),
                         self.compiled(folder, os.path.join(folder, "complex.c")))  # fmt: skip
        head = self.text.split("*/")[0].splitlines()
        inputs, outputs, entries, seeds, gradients, second = (
            self.sizes(head, role) for role in ("in", "out", "jac", "seed", "adj", "hess"))  # fmt: skip
        super().__init__("f", libraries, inputs, outputs, entries)
        self.adjoint = Derived("f_adj", libraries, {**inputs, **seeds}, gradients, second) if second else None

    def without_second_functions(self):
        """f and f_adj."""
        begin = [min(at for at in (self.text.find(start + name) for start, name in (
            ("\nvoid ", name + "("), ("\nTENON_PART void ", name + "_part0("))) if at >= 0)
            for name in ("f_jac", "f_adj", "f_adj_jac") if f"\nvoid {name}(" in self.text]  # fmt: skip
        return self.text[: begin[0]] + (self.text[begin[1] : begin[2]] if begin[1:] else "")

    def sizes(self, head, role):
        begin = f" ({role}, "
        return {line.split()[1]: int(line.split(begin)[1].split(")")[0]) for line in head if begin in line}

    def compiled(self, folder, source, *flags):
        library = source[:-2] + ".so"
        subprocess.run([COMPILER, *flags, "-O0", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
        return ctypes.CDLL(library)


def tangents(model, q):
    """dq by a tangent, nq x nv, of a free base (omega, then velocity, in its axes) and joints of one number."""
    if model.nq == model.nv:
        return np.eye(model.nq)
    x, y, z, w = q[3:7]
    by_turn = np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]) / 2
    rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    all_of_them = np.zeros((model.nq, model.nv))
    all_of_them[3:7, 0:3], all_of_them[0:3, 3:6] = by_turn, rotation
    all_of_them[7:, 6:] = np.eye(model.nq - 7)
    return all_of_them


class Case(unittest.TestCase):
    def near(self, given, expected, tolerance, what):
        scale = max(1.0, np.abs(expected).max()) if expected.size else 1.0
        self.assertLessEqual(np.abs(given - expected).max() if expected.size else 0.0, tolerance * scale, what)

    def robot(self, name, base):
        model = tenon.Model.load(os.path.join(MODELS, name + ".urdf"), base=base)
        random = np.random.default_rng(11)
        q = random.uniform(-1, 1, model.nq)
        if base == "floating":
            q[3:7] /= np.linalg.norm(q[3:7])
        return model, q, random.uniform(-1, 1, model.nv), random.uniform(-3, 3, model.nv)

    def check_complex(self, f, inputs, tolerance=1e-11):
        given, expected = f.jacobians(inputs), f.complex_step(inputs)
        self.assertEqual(list(given), list(expected))
        for name in given:
            self.near(given[name], expected[name], tolerance, name)
        return given


class Derivatives(Case):
    def test_forward_and_inverse_dynamics(self):
        for name, base in (("double_pendulum", "fixed"), ("iiwa14", "fixed"), ("go1", "floating")):
            model, q, v, tau = self.robot(name, base)
            options = ["--floating"] if base == "floating" else []
            move, work = tangents(model, q), tenon.Workspace(model)
            step = 1e-6
            moved = [work.integrate(q, step * e) - work.integrate(q, -step * e) for e in np.eye(model.nv)]
            self.near(move, np.array(moved).T / (2 * step), 1e-8, "tangents")
            of_forward, of_inverse = work.forward_dynamics_derivatives, work.inverse_dynamics_derivatives
            # That of inverse dynamics for arms alone: code of a free base takes long to compile.
            for algorithm, method in (("aba", of_forward), ("rnea", of_inverse))[: 2 if base == "fixed" else 1]:
                f = Generated(name, algorithm, *options)
                given = self.check_complex(f, [q, v, tau])
                expected = method(q, v, tau)
                by_q, by_v, by_last = list(given.values())
                self.near(by_q @ move, expected[1], 1e-9, f"{name} {algorithm} by q")
                self.near(by_v, expected[2], 1e-9, f"{name} {algorithm} by v")
                last = expected[3] if algorithm == "aba" else work.mass_matrix(q)
                self.near(by_last, last, 1e-9, f"{name} {algorithm} by the last")

    def test_rates_of_positions(self):
        for name, base in (("iiwa14", "fixed"), ("go1", "floating")):
            model, q, v, _ = self.robot(name, base)
            f = Generated(name, "position_rate", *(["--floating"] if base == "floating" else []))
            self.near(f.value([q, v])[0], tangents(model, q) @ v, 1e-14, name)
            by_q, by_v = self.check_complex(f, [q, v]).values()
            self.near(by_v, tangents(model, q), 1e-14, name)
            self.assertEqual(by_q.any(), base == "floating")

    def test_rows(self):
        model, q, v, tau = self.robot("solo12", "floating")
        constraints = tenon.Constraints(model)
        constraints.add_point("FL_FOOT")
        work, desired = tenon.Workspace(model, constraints), np.array([0.3, -0.1, 0.2])
        f = Generated("solo12", "pv", "--floating", "--point", "FL_FOOT")
        given = self.check_complex(f, [q, v, tau, desired])
        expected = work.constrained_solution_derivatives(q, v, tau, desired=desired)
        for by, both in zip(("q", "v", "tau", "desired"), expected[1:5]):
            for name, matrix in (("qdd", both[: model.nv]), ("lambda", both[model.nv :])):
                entries = given[f"jac_{name}_{by}"]
                self.near(entries @ tangents(model, q) if by == "q" else entries, matrix, 1e-9, f"{name} by {by}")

    def test_loops(self):
        for name, base in (("four_bar", "fixed"), ("mini_cheetah", "floating")):
            model, q, v, tau = self.robot(name, base)
            tenon.Workspace(model).close_loops(q)
            f = Generated(name, "c_aba", *(["--floating"] if base == "floating" else []))
            self.assertIn("joints of loops move on their own", f.text)
            self.check_complex(f, [q, v, tau])

    def test_matrices(self):
        model, q, _, _ = self.robot("double_pendulum", "fixed")
        f = Generated("double_pendulum", "crba")
        (M,) = self.check_complex(f, [q]).values()
        step = 1e-6 * np.eye(2)
        work = tenon.Workspace(model)
        differences = [(work.mass_matrix(q + d) - work.mass_matrix(q - d)).ravel(order="F") / 2e-6 for d in step]
        self.near(M, np.array(differences).T, 1e-8, "mass matrix")
        self.assertFalse(M[:, 0].any())  # no joint before the first
        self.assertEqual(f.sparsity()[0][3].count(0), 0)

    def test_entries_that_are_left_out_are_zero(self):
        """Of 8 links x 12 numbers by 7 joints: the links behind each joint alone, and not all of their numbers."""
        _, q, _, _ = self.robot("iiwa14", "fixed")
        f = Generated("iiwa14", "kinematics")
        exact = f.complex_step([q])["jac_poses_q"]
        rows, columns, row, column = f.sparsity()[0]
        inside = np.zeros((rows, columns), bool)
        inside[row, column] = True
        self.assertFalse(exact[~inside].any())
        self.assertEqual(len(row), inside.sum())
        self.assertEqual(sorted(zip(column, row)), list(zip(column, row)))
        self.assertGreater(np.count_nonzero(exact), 0.9 * len(row))
        self.assertLess(len(row), 0.5 * rows * columns)

    def test_compilers_and_lanes(self):
        here = [c for c in ("gcc", "clang-19", "g++", "tcc") if shutil.which(c)]
        with tempfile.TemporaryDirectory() as folder:
            pendulum = "double_pendulum"
            for name, options in (("iiwa14", ["--casadi"]), (pendulum, []), (pendulum, ["--lanes", "4"])):
                source = os.path.join(folder, "g.c")
                write(source, name, "aba", "g", *options)
                for compiler in here:
                    if "--lanes" in options and (compiler == "tcc" or compiler == "g++"):
                        continue
                    flags = ["-Wall", "-Werror"]
                    if compiler != "tcc":
                        flags += ["-Wextra", "-Wpedantic", *(["-x", "c++"] if compiler == "g++" else ["-std=c99"])]
                    if "--lanes" in options:
                        flags += ["-Wno-psabi", "-Wno-unused-function"]  # of lanes not every function is called
                    subprocess.run([compiler, *flags, "-c", source, "-o", source[:-2] + ".o"], check=True)
            library = os.path.join(folder, "g.so")
            subprocess.run([COMPILER, "-Wno-psabi", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
            states = np.random.default_rng(2).uniform(-1, 1, (3, 4, 2))  # array, state, number
            one = Generated("double_pendulum", "aba")
            lanes = [np.full(4 * n, np.nan) for n in one.entries.values()]
            one_by_one = [one.jacobians(list(states[:, k])) for k in range(4)]
            ctypes.CDLL(library).g_jac(*(pointer(x) for x in [*(np.ascontiguousarray(a.T) for a in states), *lanes]))
            for array, (rows, columns, row, column), name in zip(lanes, one.sparsity(), one.entries):
                expected = np.array([dense[name][row, column] for dense in one_by_one]).T
                self.near(array.reshape(-1, 4), expected, 1e-12, name)

    def test_what_cannot_be_generated(self):
        for arguments, words in ((["cassie", "--floating", "--algorithm", "c_aba"], "pivots"),
                                 (["iiwa14", "--algorithm", "abba"], "'abba' is none")):  # fmt: skip
            robot = os.path.join(MODELS, arguments[0] + ".urdf")
            done = subprocess.run([TENON, "codegen", robot, *arguments[1:], "--derivatives"], capture_output=True,
                                  text=True, timeout=60)  # fmt: skip
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
