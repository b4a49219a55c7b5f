"""What the program `tenon` and the demo write: to standard output, to files, in which form, and where that cannot be.

    python3 output_test.py <tenon> <tenon_demo> <models> [without tenonx]
"""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

from cli_test import DEMO, EXPERIMENTAL, TENON, model, read_table, run

COUNTS = [["count", model("double_pendulum")]] if EXPERIMENTAL else []
CODE = [["codegen", model("double_pendulum"), "--algorithm", "aba"]] if EXPERIMENTAL else []


class Codegen(unittest.TestCase):
    def test_writes_a_function(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.c")
            done = run(TENON, "codegen", model("iiwa14"), "--algorithm", "rnea", "--function", "inverse", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "")
            with open(path) as file:
                written = file.read()
        self.assertIn("void inverse(const double *q, const double *v, const double *a, double *tau)", written)
        self.assertEqual(run(TENON, "codegen", model("iiwa14"), "--algorithm", "rnea", "--function", "inverse").stdout,
                         written)

    def test_names_what_there_is(self):
        done = run(TENON, "codegen", model("iiwa14"), "--algorithm", "rne")
        self.assertEqual(done.returncode, 2)
        self.assertIn("constrained_aba", done.stderr)
        done = run(TENON, "codegen", model("iiwa14"), "--algorithm", "rnea", "-o", "/no/such/folder/f.c")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)

    def test_for_acados(self):
        """tests/programs/acados_test.py calls the functions."""
        done = run(TENON, "codegen", model("go1"), "--floating", "--algorithm", "aba", "--acados", "--function", "go1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in "impl_dae_fun", "impl_dae_fun_jac", "impl_dae_jac":
            self.assertIn(f"\nint go1_{name}(void **in, void **out, void *params) {{", done.stdout)
        self.assertIn("x = [q; v], 37 numbers. u, 12 numbers", done.stdout)
        self.assertNotIn("disc_dyn_fun", done.stdout)
        arm, legs = ["iiwa14", "--algorithm"], ["go1", "--floating", "--algorithm"]
        for words, arguments in (("takes q, v and tau", [*arm, "crba", "--acados"]),
                                 ("leave --lanes away", [*arm, "aba", "--acados", "--lanes", "4"]),
                                 ("'root_joint' are not the sum", [*legs, "aba", "--acados", "--step", "0.1"]),
                                 ("rnea takes them", [*arm, "rnea", "--acados", "--step", "0.1"]),
                                 ("take c_aba", ["four_bar", "--algorithm", "rnea", "--acados"]),
                                 ("--acados", [*arm, "aba", "--step", "0.1"]),
                                 ("--step", [*arm, "aba", "--acados", "--step", "-1"]),
                                 ("'elbow'", [*arm, "aba", "--acados", "--passive", "elbow"])):  # fmt: skip
            done = run(TENON, "codegen", model(arguments[0]), *arguments[1:])
            self.assertEqual((done.returncode, done.stdout), (1 if words == "'elbow'" else 2, ""), done.stderr)
            self.assertIn(words, done.stderr)


if not EXPERIMENTAL:
    del Codegen


class Form(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_table_on_standard_output_stands_alone(self):
        done = run(TENON, "simulate", model("double_pendulum"), "--duration", "0.01", "--csv", "-")
        self.assertEqual(len(done.stdout.splitlines()), 12)
        self.assertTrue(done.stdout.startswith("t,q:shoulder"))

    def test_plot_on_standard_output_stands_alone(self):
        for command in [TENON, "simulate", model("double_pendulum")], [DEMO, "--model", model("atlas_shadow_hands")]:
            done = subprocess.run([*command, "--duration", "0.01", "--plot", "-"], cwd=self.folder.name, capture_output=True,
                                  text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(xml.dom.minidom.parseString(done.stdout).documentElement.tagName, "svg")
            self.assertIn("energy ", done.stderr)
            self.assertEqual(os.listdir(self.folder.name), [])
        done = run(TENON, "simulate", model("double_pendulum"), "--csv", "-", "--plot", "-")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("not both", done.stderr)

    def test_plots_of_other_formats_are_refused(self):
        for command in [TENON, "simulate", model("double_pendulum")], [DEMO, "--model", model("atlas_shadow_hands")]:
            for name, good in ("x.png", False), ("x.y/plot.PDF", False), ("x.svg", True), ("X.SVG", True), ("x.y/plot", True):
                path = self.path(name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                done = run(*command, "--duration", "0.01", "--plot", path)
                self.assertEqual(done.returncode, 0 if good else 2, done.stderr)
                self.assertEqual(os.path.exists(path), good)
                if good:
                    os.remove(path)
                else:
                    self.assertIn(".svg", done.stderr)

    def test_names_with_commas_are_quoted(self):
        robot, table = self.path("commas.urdf"), self.path("commas.csv")
        with open(model("double_pendulum")) as file:
            text = file.read()
        with open(robot, "w") as file:
            file.write(text.replace('"shoulder"', '"shoulder, &quot;left&quot;"').replace('"tip"', '"tip, right"'))
        done = run(TENON, "simulate", robot, "--q0", 'shoulder, "left"=0.25', "--point", "tip, right", "--duration", "0.002", "--csv",
                   table)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = read_table(table)
        self.assertEqual(rows[0]['q:shoulder, "left"'], 0.25)
        self.assertIn('v:shoulder, "left"', rows[0])
        self.assertIn("lambda:tip, right.fz", rows[0])
        self.assertNotIn(None, rows[0])


@unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
class Notes(unittest.TestCase):
    def simulate(self, *arguments):
        done = run(TENON, "simulate", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_tells_of_a_step_that_makes_energy(self):
        """The legs of a limp quadruped fold, and a folded leg is singular; next to it a step has to be short."""
        go1 = [model("go1"), "--floating"]
        for leg in "FL", "FR", "RL", "RR":
            go1 += ["--point", leg + "_foot", "--q0", leg + "_thigh_joint=0.8", "--q0", leg + "_calf_joint=-1.6"]
        self.assertNotIn("note:", self.simulate(*go1, "--duration", "0.2"))
        self.assertRegex(self.simulate(*go1, "--duration", "0.3"), "note: the step to t = 0.24[0-9]* s changed the energy")
        standing = [model("atlas"), "--floating", "--weld", "l_foot", "--weld", "r_foot", "--hold", "10"]
        self.assertNotIn("note:", self.simulate(*standing, "--q0", "l_leg_kny=0.6", "--q0", "r_leg_kny=0.6"))


class FullDisk(unittest.TestCase):
    """What cannot be written is told by the exit code."""

    def fails(self, *command):
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 1, command)
        self.assertIn("cannot be written", done.stderr)
        self.assertIn("No space left", done.stderr)

    def test_standard_output(self):
        pendulum, short = model("double_pendulum"), ["--duration", "0.01"]
        for command in (["--help"], ["--version"], ["info", "--help"], ["info", pendulum], ["simulate", pendulum, *short],
                        ["simulate", pendulum, *short, "--csv", "-"], ["simulate", pendulum, *short, "--plot", "-"],
                        ["bench", pendulum, "--states", "2", "--seconds", "0.001"], ["generate", "chain", "--kind", "belt"],
                        *COUNTS, *((*count, "--csv", "-") for count in COUNTS), *CODE):
            self.fails(TENON, *command)
        self.fails(DEMO, "--model", model("atlas_shadow_hands"), *short)
        self.fails(DEMO, "--help")

    def test_files(self):
        pendulum = model("double_pendulum")
        for option in ["simulate", pendulum, "--duration", "0.01", "--csv"], ["simulate", pendulum, "--duration", "0.01", "--plot"], \
                *((*count, "--csv") for count in COUNTS), *((*code, "-o") for code in CODE), \
                ["bench", pendulum, "--batch", "2", "--seconds", "0.001", "--json"], ["export", "fmu", pendulum, "-o"]:
            done = run(TENON, *option, "/dev/full")
            self.assertEqual(done.returncode, 1, option)
            self.assertIn("'/dev/full' cannot be written: No space left", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
