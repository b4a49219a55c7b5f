"""The program `tenon` and the demo, run as a user runs them: what they print, the files they write, how they fail.

    python3 cli_test.py <tenon> <tenon_demo> <models> [without tenonx]

output_test.py has what goes to standard output and to files, and what happens where that cannot be.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

TENON, DEMO, MODELS = sys.argv[1:4]
HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/tenon/constrained.h")
EXPERIMENTAL = len(sys.argv) == 4  # counts of operations and generated code are built
WEIGHT_ATLAS = 175.117964 * 9.81
ATLAS_STANDING = ["--floating", "--weld", "l_foot", "--weld", "r_foot", "--q0", "l_leg_kny=0.6", "--q0", "r_leg_kny=0.6",
                  "--q0", "l_leg_hpy=-0.3", "--q0", "r_leg_hpy=-0.3", "--q0", "l_leg_aky=-0.3", "--q0", "r_leg_aky=-0.3"]


def model(name):
    return os.path.join(MODELS, name + ".urdf")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300)


def experimental(test):
    return test if EXPERIMENTAL else None


def read_table(path):
    with open(path, newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    # max() and min() pass over what is not a number.
    assert all(math.isfinite(value) for row in rows for value in row.values()), path
    return rows


class Info(unittest.TestCase):
    def test_shows_degrees_of_freedom_and_mass(self):
        done = run(TENON, "info", model("atlas_shadow_hands"), "--floating", "--joints", "--links")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("degrees of freedom  84", done.stdout)
        self.assertIn("182.706 kg", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^l_leg_kny +revolute")
        self.assertRegex(done.stdout, r"(?m)^lh_fftip +\d+")

    def test_shows_limits_of_joints(self):
        done = run(TENON, "info", model("panda_arm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^ +panda_joint1 +revolute \(0 0 1\) from -2\.8973 to 2\.8973 +panda_link1 ")

    def test_shows_what_loops_tie_together(self):
        done = run(TENON, "info", model("planar_leg_linkage"), "--joints")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("of them independent 2, in 1 cluster of joints", done.stdout)
        self.assertIn("1 of 3 independent", done.stdout)
        self.assertIn("2 rows of rank 2, map changes", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^driver_to_foot .* cluster 0, dependent$")
        done = run(TENON, "info", model("mini_cheetah"), "--floating", "--joints")
        self.assertIn("12 rotors are folded into what carries them", done.stdout)
        self.assertRegex(done.stdout, r"(?m)cluster 11, dependent, folded$")

    def test_version_and_help(self):
        self.assertIn("tenon 0.1.0", run(TENON, "--version").stdout)
        for command in ([], ["info"], ["simulate"], ["bench"], ["count"], ["codegen"], ["generate"],
                        ["generate", "chain"], ["generate", "branches"], ["export"], ["export", "fmu"]):
            done = run(TENON, *command, "--help")
            self.assertEqual(done.returncode, 0)
            missing = not EXPERIMENTAL and command in (["count"], ["codegen"])
            self.assertIn("Not in this build of Tenon" if missing else "Examples:", done.stdout)


class Simulate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def simulate(self, *arguments):
        done = run(TENON, "simulate", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_free_pendulum_keeps_its_energy(self):
        table = self.path("swing.csv")
        self.simulate(model("double_pendulum"), "--q0", "shoulder=1.5", "--duration", "2", "--csv", table, "--every", "10")
        rows = read_table(table)
        self.assertEqual(len(rows), 201)
        self.assertAlmostEqual(rows[-1]["t"], 2, delta=1e-12)
        self.assertEqual(rows[0]["q:shoulder"], 1.5)
        self.assertGreater(abs(rows[100]["q:shoulder"] - 1.5), 0.5)
        energy = [row["kinetic"] + row["potential"] for row in rows]
        self.assertLess(max(energy) - min(energy), 1e-6)

    def test_loops_are_closed_at_the_start_and_stay_so(self):
        table = self.path("linkage.csv")
        told = self.simulate(model("six_bar"), "--gravity", "0,-9.81,0", "--duration", "0.3", "--csv", table)
        self.assertRegex(told, r"kinematic loops +closed after every step; it left a gap of at most \d\.\de-(0[6-9]|1\d) ")
        rows = read_table(table)
        energy = [row["kinetic"] + row["potential"] for row in rows]
        self.assertGreater(max(row["kinetic"] for row in rows), 1e-3)
        self.assertLess(max(energy) - min(energy), 1e-6)
        # What follows from the first joint does not stay at zero.
        self.simulate(model("four_bar"), "--q0", "joint1=0.8", "--duration", "0.01", "--csv", table)
        start = read_table(table)[0]
        self.assertAlmostEqual(start["q:joint1"], 0.8, delta=1e-12)
        self.assertGreater(abs(start["q:joint3"]), 0.1)
        out_of_reach = run(TENON, "simulate", model("cassie"), "--q0", "left-knee-op=3.1", "--q0", "left-foot-op=3.1",
                           "--duration", "0.01")
        self.assertEqual(out_of_reach.returncode, 1)
        self.assertIn("stay open by", out_of_reach.stderr)

    def test_euler_is_first_order_and_runge_kutta_is_fourth(self):
        def end(integrator, dt):
            table = self.path("end.csv")
            self.simulate(model("double_pendulum"), "--q0", "shoulder=1", "--duration", "0.5", "--dt", str(dt),
                          "--integrator", integrator, "--csv", table)
            return read_table(table)[-1]["q:elbow"]

        exact = end("rk4", 0.00025)
        for integrator, order in ("euler", 1), ("rk4", 4):
            ratio = (end(integrator, 0.01) - exact) / (end(integrator, 0.005) - exact)
            self.assertAlmostEqual(ratio, 2**order, delta=0.35 * 2**order, msg=integrator)

    def test_feet_of_a_standing_robot_carry_its_weight(self):
        table = self.path("stand.csv")
        self.simulate(model("atlas"), *ATLAS_STANDING, "--hold", "10", "--duration", "0.2", "--csv", table)
        for row in read_table(table):
            carried = row["lambda:l_foot.fz"] + row["lambda:r_foot.fz"]
            self.assertAlmostEqual(carried, WEIGHT_ATLAS, delta=1e-3)
            self.assertLess(row["drift_position"], 1e-9)

    def test_hold_brings_a_pushed_joint_back(self):
        table = self.path("back.csv")
        self.simulate(model("iiwa14"), "--hold", "10", "--v0", "iiwa_joint_2=0.5", "--duration", "2", "--csv", table)
        rows = read_table(table)
        self.assertGreater(max(row["q:iiwa_joint_2"] for row in rows), 0.01)
        self.assertLess(abs(rows[-1]["q:iiwa_joint_2"]), 1e-6)

    def test_stabilisation_removes_drift(self):
        drifts = []
        for stabilise in "0", "30":
            table = self.path("drift.csv")
            self.simulate(model("iiwa14"), "--q0", "iiwa_joint_2=0.5", "--q0", "iiwa_joint_4=-1.2", "--point",
                          "iiwa_link_7@0,0,0.1", "--torque", "iiwa_joint_1=20", "--integrator", "euler", "--stabilise",
                          stabilise, "--duration", "0.6", "--csv", table)
            drifts.append(read_table(table)[-1]["drift_position"])
        self.assertLess(drifts[1], 0.2 * drifts[0])

    def test_methods_agree(self):
        ends = []
        for method in "dense", "constrained_aba", "automatic":
            table = self.path("method.csv")
            self.simulate(model("atlas"), *ATLAS_STANDING, "--torque", "back_bkz=20", "--method", method, "--duration",
                          "0.02", "--csv", table)
            ends.append(read_table(table)[-1]["v:back_bkz"])
        self.assertGreater(abs(ends[0]), 1e-3)
        for end in ends[1:]:
            self.assertAlmostEqual(end, ends[0], delta=1e-8)

    def test_plot_is_well_formed(self):
        plot = self.path("plot.svg")
        self.simulate(model("solo12"), "--floating", "--point", "FL_FOOT", "--duration", "0.05", "--plot", plot)
        svg = xml.dom.minidom.parse(plot).documentElement
        self.assertEqual(svg.tagName, "svg")
        words = " ".join(node.firstChild.data for node in svg.getElementsByTagName("text"))
        for word in "time, s", "FL_FOOT", "kinetic", "drift":
            self.assertIn(word, words)
        with open(plot) as file:
            self.assertNotIn("nan", file.read())

    def test_both_legs_of_cassie_start_alike(self):
        table = self.path("cassie.csv")
        self.simulate(model("cassie"), "--floating", "--duration", "1e-9", "--dt", "1e-9", "--csv", table)
        start = read_table(table)[0]
        left = [name for name in start if name.startswith("q:left-")]
        self.assertGreater(len(left), 10)
        for name in left:
            # The frames of the right leg are turned by 0.02 rad against those of the left one.
            delta = 1e-9 if name == "q:left-tarsus-crank-joint" else 0.021
            self.assertAlmostEqual(start[name], start[name.replace("left", "right")], delta=delta, msg=name)


class LoopsByRows(unittest.TestCase):
    """A linkage whose loop is closed by constraint rows, which every command finds behind those of the contacts."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.table = os.path.join(folder.name, "motion.csv")
        self.robot = os.path.join(folder.name, "rows.urdf")
        with open(model("four_bar")) as file:
            text = file.read()
        self.assertIn('<loop name="loop1"', text)
        with open(self.robot, "w") as file:
            file.write(text.replace('<loop name="loop1"', '<loop name="loop1" treatment="rows"'))

    def run_good(self, *arguments):
        done = run(TENON, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_simulates_with_and_without_contacts(self):
        motion = ["--duration", "0.2", "--csv", self.table]
        shown = self.run_good("simulate", self.robot, *motion)
        self.assertIn("constraint rows      0, of 0 contacts; 2 of kinematic loops", shown)
        self.assertIn("kinematic loops      closed after every step", shown)
        free = read_table(self.table)
        self.assertFalse([name for name in free[0] if name.startswith("lambda")])
        self.run_good("simulate", model("four_bar"), *motion)
        embedded = read_table(self.table)
        self.assertEqual(len(free), len(embedded))
        for key in "q:joint1", "q:joint2", "q:joint3", "kinetic":
            self.assertAlmostEqual(free[-1][key], embedded[-1][key], delta=1e-6)
        shown = self.run_good("simulate", self.robot, "--point", "link2@0.5,0,0", "--hold", "5", *motion)
        self.assertIn("constraint rows      3, of 1 contacts; 2 of kinematic loops", shown)
        held = read_table(self.table)
        self.assertEqual(len([name for name in held[0] if name.startswith("lambda:link2")]), 3)
        self.assertLess(held[-1]["drift_position"], 1e-6)

    def test_times_methods_with_and_without_contacts(self):
        for contact in [], ["--point", "link2@0.5,0,0"]:
            shown = self.run_good("bench", self.robot, *contact, "--states", "5", "--seconds", "0.001")
            self.assertIn("%d constraint rows" % (5 if contact else 2), shown)
            self.assertRegex(shown, r"(?m)^prox_pv +[\d.]+ +[\d.]+ ")

    @experimental
    def test_counts_and_writes_what_records_the_rows(self):
        shown = self.run_good("count", self.robot)
        self.assertRegex(shown, r"(?m)^pv +\d+ ")
        self.assertRegex(shown, r"Not for this robot and its rows, as --algorithm tells: aba, .*constrained_aba")
        self.assertIn("loop1 on link link2 and link link3: rows[0..1]", self.run_good("codegen", self.robot, "--algorithm", "pv"))
        done = run(TENON, "codegen", self.robot, "--algorithm", "c_aba")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rows close the loop 'loop1'", done.stderr)


class WithoutTenonx(unittest.TestCase):
    def test_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            for what, command in (("counts of operations", ["count", model("solo12"), "--floating", "--csv", path]),
                                  ("generated code", ["codegen", model("iiwa14"), "--algorithm", "aba", "-o", path]),
                                  ("generated code", ["export", "fmu", model("iiwa14"), "--sources", "-o", path])):
                done = run(TENON, *command)
                self.assertEqual(done.returncode, 1, command)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, f"^tenon: unsupported: this build of Tenon has no {what}; [^\n]*\n$")
                self.assertFalse(os.path.exists(path))


class Count(unittest.TestCase):
    def test_counts_every_algorithm(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "counts.csv")
            done = run(TENON, "count", model("solo12"), "--floating", "--point", "FL_FOOT", "--csv", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, newline="") as file:
                rows = {row["algorithm"]: {key: int(value) for key, value in row.items() if key != "algorithm"}
                        for row in csv.DictReader(file)}
        for name in "kinematics", "rnea", "crba", "aba", "constrained_aba", "pv", "prox_ltl":
            self.assertRegex(done.stdout, rf"(?m)^{name} +\d+ +\d+ .* {rows[name]['total']}$")
            self.assertEqual(sum(rows[name].values()), 2 * rows[name]["total"])
        self.assertLess(rows["rnea"]["total"], rows["aba"]["total"])

    def test_loops_have_algorithms_of_their_own(self):
        done = run(TENON, "count", model("mini_cheetah"), "--floating")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in "c_aba", "c_rnea", "approximate_aba", "projection", "multipliers", "rnea":
            self.assertRegex(done.stdout, rf"(?m)^{name} +\d+")
        self.assertNotRegex(done.stdout, r"(?m)^(aba|crba) ")
        self.assertNotRegex(run(TENON, "count", model("iiwa14")).stdout, r"(?m)^c_aba ")
        done = run(TENON, "count", model("four_bar"), "--algorithm", "crba")
        self.assertEqual(done.returncode, 1)
        self.assertIn("c_aba", done.stderr)

    def test_constrained_algorithms_need_contacts(self):
        done = run(TENON, "count", model("iiwa14"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("constrained_aba ", done.stdout)
        self.assertIn("--weld", done.stdout)
        done = run(TENON, "count", model("iiwa14"), "--algorithm", "pv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("constraint rows", done.stderr)


class Generate(unittest.TestCase):
    # Per cell: bodies, independent coordinates, and that each cell is a cluster of its own.
    CELLS = {"rotor": (2, 1), "belt": (4, 2), "four_bar": (3, 1), "six_bar": (5, 1), "connecting_rod": (4, 1),
             "differential": (5, 2)}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "robot.urdf")

    def generate(self, *arguments):
        done = run(TENON, "generate", *arguments, "-o", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        info = run(TENON, "info", self.path)
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertNotIn("warning", info.stdout)
        return info.stdout

    def test_chains_have_a_cluster_for_each_cell(self):
        for kind, (bodies, independent) in self.CELLS.items():
            for count, branches in (1, 1), (5, 1), (3, 4):
                cells = count * branches
                info = self.generate("chain", "--kind", kind, "--count", str(count), "--branches", str(branches))
                self.assertIn("degrees of freedom  %d " % (bodies * cells), info)
                self.assertRegex(info, r"\b%d clusters? of joints tied by loops and couplings, %d independent" %
                                 (cells, independent * cells))

    def test_tied_branches_have_one_cluster_that_grows_with_the_loop(self):
        for at in 1, 3, 6:
            info = self.generate("branches", "--tie", "transmission", "--depth", "6", "--at", str(at))
            self.assertIn("%d of %d independent; dependent: to_link_2_%d" % (2 * at - 1, 2 * at, at), info)
            info = self.generate("branches", "--tie", "connecting_rod", "--depth", "6", "--at", str(at))
            self.assertIn("rod_pin: %d of %d independent" % (2 * at - 1, 2 * at + 1), info)

    def test_writes_to_standard_output_too(self):
        self.generate("chain", "--kind", "belt", "--count", "2")
        done = run(TENON, "generate", "chain", "--kind", "belt", "--count", "2")
        with open(self.path) as file:
            self.assertEqual(done.stdout, file.read())

    def test_says_what_is_wrong(self):
        for arguments, word in ((["chain"], "--kind"), (["chain", "--kind", "spring"], "four_bar"),
                                (["branches", "--depth", "3", "--at", "4"], "beyond"),
                                (["chain", "--kind", "belt", "--count", "0"], "--count"), ([], "chain, branches")):
            done = run(TENON, "generate", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
        done = run(TENON, "generate", "chain", "--kind", "belt", "-o", "/no/such/folder/x.urdf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be written", done.stderr)


class Bench(unittest.TestCase):
    def test_lists_algorithms_and_methods(self):
        done = run(TENON, "bench", model("solo12"), "--floating", "--point", "FL_FOOT", "--states", "20", "--seconds", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in "RNEA", "CRBA", "ABA":
            self.assertIn(name, done.stdout)
        with open(HEADER) as header:
            methods = re.findall(r"#define TENON_METHOD_(\w+)", header.read())
        self.assertIn("CONSTRAINED_ABA", methods)
        for name in methods:
            self.assertRegex(done.stdout, rf"(?m)^{name.lower()} +[\d.]+ +[\d.]+ ")
        self.assertRegex(done.stdout, r"(?m)^automatic .*\n  answered by \w+$")
        difference = re.search(r"constrained_aba .* (\S+)$", done.stdout, re.M).group(1)
        self.assertLess(float(difference), 1e-9)


    def test_batches_agree_with_single_calls_and_write_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "figures.json")
            for precision, tolerance in (("double", 1e-10), ("float", 1e-3)):
                done = run(TENON, "bench", model("solo12"), "--floating", "--point", "FL_FOOT", "--batch", "37", "--threads", "2",
                           "--precision", precision, "--steps", "3", "--seconds", "0.001", "--json", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("batches of 37 states, 2 threads", done.stdout)
                with open(path) as file:
                    figures = json.load(file)
                self.assertEqual((figures["states"], figures["threads"], figures["precision"]), (37, 2, precision))
                names = [f["name"] for f in figures["functions"]]
                self.assertEqual(len(names), 7)
                self.assertIn("constrained dynamics", names)
                self.assertIn("Delassus matrix", names)
                for function in figures["functions"]:
                    self.assertEqual(function["failed"], 0)
                    self.assertGreater(function["us_a_state"], 0)
                    self.assertLess(function.get("difference", 0), tolerance)
        done = run(TENON, "bench", model("solo12"), "--json", "x")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--batch", done.stderr)


class WrongInput(unittest.TestCase):
    """One sentence on stderr that says what and how to mend it, nothing on stdout, exit code 2 or 1."""

    def fails(self, code, words, *arguments):
        done = run(TENON, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_command_line(self):
        pendulum = model("double_pendulum")
        self.fails(2, ["no command 'simulte'", "simulate", "--help"], "simulte", pendulum)
        self.fails(2, ["no command 'fmi'", "there is fmu", "tenon export --help"], "export", "fmi", pendulum)
        self.fails(2, ["'--torque'", "tenon export fmu --help"], "export", "fmu", pendulum, "--torque", "elbow=1", "-o", "x.fmu")
        self.fails(2, ["--bogus", "tenon info --help"], "info", pendulum, "--bogus")
        self.fails(2, ["model"], "info")
        self.fails(2, ["--dt"], "simulate", pendulum, "--dt", "soon")
        self.fails(2, ["--dt", "longer than the duration"], "simulate", pendulum, "--dt", "3")
        self.fails(2, ["--gravity", "three"], "info", pendulum, "--gravity", "0,0")
        self.fails(2, ["--q0", "joint=value"], "simulate", pendulum, "--q0", "shoulder")
        self.fails(2, ["--q0", "shoulder", "takes 1 number"], "simulate", pendulum, "--q0", "shoulder=1,2")
        self.fails(2, ["--q0", "not a list of numbers"], "simulate", pendulum, "--q0", "shoulder=nan")
        self.fails(2, ["--method", "magic", "constrained_aba"], "simulate", pendulum, "--method", "magic")
        self.fails(2, ["--point", "x,y,z"], "simulate", pendulum, "--point", "tip@1")
        self.fails(2, ["--hold", "frequency"], "simulate", pendulum, "--hold", "-1")
        self.assertEqual(run(TENON).returncode, 2)

    def test_model_and_names(self):
        self.fails(1, ["nowhere.urdf"], "info", "nowhere.urdf")
        for given in "l_fot", "L_FOOT":
            for option in "--weld", "--point":
                self.fails(1, [option, given, "did you mean 'l_foot'?"], "bench", model("atlas"), "--floating", option, given)
        for option in "--q0", "--v0", "--torque":
            self.fails(1, [option, "shoulders", "did you mean 'shoulder'?"], "simulate", model("double_pendulum"), option,
                       "shoulders=1")
        self.fails(1, ["/nowhere/at/all.csv"], "simulate", model("double_pendulum"), "--csv", "/nowhere/at/all.csv")
        self.fails(1, ["/nowhere/plot.svg"], "simulate", model("double_pendulum"), "--duration", "0.01", "--dt", "0.01",
                   "--plot", "/nowhere/plot.svg")


class Readme(unittest.TestCase):
    """The commands of README.md and of the table of commands, and the picture that one of them has drawn."""

    def test_commands_run(self):
        root = os.path.join(MODELS, os.pardir)
        commands = []
        for path, shown in ("README.md", r"^    tenon (.+)$"), ("packaging/site/features.md", r"^\| `tenon (\w+ models/[^`]+)` \|"):
            with open(os.path.join(root, path)) as file:
                commands += [command.split() for command in re.findall(shown, file.read(), flags=re.M)]
        self.assertEqual([command[0] for command in commands], ["simulate", "info", "simulate", "bench", "bench"])
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.abspath(MODELS), os.path.join(folder, "models"))
            os.mkdir(os.path.join(folder, "packaging"))
            for command in commands:
                if command[0] == "bench":
                    command += ["--states", "10", "--seconds", "0.01"]
                done = subprocess.run([TENON] + command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      universal_newlines=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
            titles = [[node.firstChild.data for node in xml.dom.minidom.parse(path).getElementsByTagName("text")][:2]
                      for path in (os.path.join(folder, "packaging", "cassie.svg"),
                                   os.path.join(root, "packaging", "cassie.svg"))]
            self.assertEqual(titles[0], titles[1])
            self.assertIn("cassie", titles[0])


class Demo(unittest.TestCase):
    def test_contacts_hold_and_energy_balances(self):
        done = run(DEMO, "--model", model("atlas_shadow_hands"), "--duration", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"degrees of freedom +84\n")
        self.assertRegex(done.stdout, r"constraint rows +42,")
        self.assertNotIn("note:", done.stdout)
        self.assertLess(float(re.search(r"drift +at most (\S+) m", done.stdout).group(1)), 1e-6)
        self.assertLess(float(re.search(r"apart by at most (\S+) J", done.stdout).group(1)), 1e-4)


if EXPERIMENTAL:
    del WithoutTenonx
else:
    del Count

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
