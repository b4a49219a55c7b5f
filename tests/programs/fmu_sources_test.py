"""`tenon export fmu --sources`: FMPy compiles them, and the unit moves as the one with Tenon's binary does.

    python3 fmu_sources_test.py <tenon> <models>

The compiled units have no robot.urdf and no other binary, so that nothing can answer but their own code.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import fmpy
import numpy as np
from fmpy.build import build_platform_binary
from fmpy.validation import validate_fmu

from fmu_scene import TENON, TOLERANCE, Scene

POSES = {"iiwa14": ["iiwa_link_4", "iiwa_link_7"], "go1-flying": ["FL_foot", "trunk"], "kinds": ["slider", "ball 'b'"]}


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def scene(self, name):
        return Scene(name, self.folder.name)

    def compiled(self, scene, version, *more):
        """The same unit twice: with Tenon's binary, and with one that FMPy compiles from the sources alone."""
        poses = [w for link in POSES[scene.name] for w in ("--pose", link)]
        theirs = scene.unit(version, *poses, *more)
        name, scene.name = scene.name, scene.name + "_sources"
        ours = scene.unit(version, *poses, *more, "--sources", "--no-binaries")
        scene.name = name
        self.assertEqual(validate_fmu(ours.path), [])
        os.remove(os.path.join(ours.folder, "resources/robot.urdf"))
        self.assertFalse(os.path.exists(os.path.join(ours.folder, "binaries")))
        self.build(ours, "-Wall -Wextra -Wpedantic -Werror")
        self.assertLess(os.path.getsize(self.binary(ours)), 1e6)
        return theirs, ours

    def build(self, unit, flags=""):
        """By FMPy, whose CMake is told to be quiet."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        kept = os.dup(1)
        with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), 1)
            try:
                build_platform_binary(unit.folder, tempfile.mkdtemp(dir=folder), cmake_options={"CMAKE_C_FLAGS": flags})
            finally:
                os.dup2(kept, 1)
                os.close(kept)

    @staticmethod
    def binary(unit):
        system = fmpy.platform if unit.version == 2 else fmpy.platform_tuple
        return os.path.join(unit.folder, "binaries", system, "tenon_fmu.so")

    def run_both(self, units, interface, scene, values, steps, every=5):
        """Largest difference of all variables, and how much they moved."""
        worst, moved = 0.0, 0.0
        names = [v.name for v in units[0].description.modelVariables]
        self.assertEqual(names, [v.name for v in units[1].description.modelVariables])
        with units[0].start(interface, values, tolerance=1e-12) as one, units[1].start(interface, values, tolerance=1e-12) as two:
            first = one.get(names)
            for _ in range(steps):
                for instance in one, two:
                    if interface == "CoSimulation":
                        instance.step(every * scene.dt)
                    else:
                        instance.runge_kutta(scene.dt)
                ours, theirs = two.get(names), one.get(names)
                worst = np.maximum(worst, (np.abs(ours - theirs) / (1 + np.abs(theirs))).max())
                moved = np.maximum(moved, np.abs(theirs - first).max())
        print(f"{scene.name} {units[0].version}.0 {interface} sources differ by {worst:.1e}, moved {moved:.1e}")
        return worst, moved

    def test_equal_to_the_binary_and_to_tenon_simulate(self):
        for name, version in ("iiwa14", 3), ("go1-flying", 3), ("kinds", 2):
            scene = self.scene(name)
            times, table = scene.table()
            units = self.compiled(scene, version)
            for interface in "CoSimulation", "ModelExchange":
                with self.subTest(robot=name, version=version, interface=interface):
                    worst, moved = self.run_both(units, interface, scene, scene.inputs, 20)
                    self.assertLess(worst, TOLERANCE)
                    self.assertGreater(moved, 0.05)
            with units[1].start("CoSimulation", scene.inputs) as instance:
                instance.step(scene.seconds)
                end = instance.get(Scene.columns(units[1]))
            self.assertLess(np.abs(end - table[-1]).max(), TOLERANCE)

    def test_gravity_integrator_and_steps_of_any_length(self):
        for name, version in ("iiwa14", 2), ("kinds", 3):
            scene = self.scene(name)
            units = self.compiled(scene, version, "--integrator", "euler", "--gravity", "1,2,-8")
            moves = []
            for gravity in (1, 2, -8), (0, 0, 0), (-3, 4, 5):
                values = {**scene.inputs, **{f"gravity[{i + 1}]": g for i, g in enumerate(gravity)}}
                with self.subTest(robot=name, gravity=gravity):
                    worst, moved = self.run_both(units, "CoSimulation", scene, values, 20, every=2.5)
                    self.assertLess(worst, TOLERANCE)
                    moves.append(moved)
            self.assertGreater(max(moves) - min(moves), 0.01)

    def test_states_come_back(self):
        scene = self.scene("go1-flying")
        _, unit = self.compiled(scene, 3)
        columns = Scene.columns(unit)
        with unit.start("CoSimulation", scene.inputs) as instance:
            instance.step(0.02)
            saved = instance.save()
            instance.step(0.03)
            end = instance.get(columns)
            instance.set({"gravity[1]": 2})
            instance.step(0.01)
            instance.restore(saved)
            instance.step(0.03)
            self.assertEqual(instance.get(columns).tolist(), end.tolist())
            with self.assertRaises(Exception):
                instance.set({"tau.FL_calf_joint": 1e300})
                instance.step(0.1)
            self.assertIn("not finite", unit.all_said())

    def test_both_in_one_unit(self):
        """An importer that has no binary for its system compiles one beside the others."""
        scene = self.scene("iiwa14")
        unit = scene.unit(3, "--sources")
        self.assertEqual(validate_fmu(unit.path), [])
        shutil.rmtree(os.path.join(unit.folder, "binaries"))
        self.build(unit)
        with unit.start("CoSimulation", scene.inputs) as instance:
            instance.step(0.01)

    def test_says_what_it_cannot(self):
        for name, words in (("go1", "contacts ('FL_foot', 'FR_foot', 'RL_foot', 'RR_foot')"), ("six_bar", "loops"), ("cassie_rows", "loops")):
            scene = self.scene(name)
            out = os.path.join(self.folder.name, "robot.fmu")
            done = subprocess.run([TENON, "export", "fmu", scene.robot, *scene.options, "--sources", "-o", out],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("unsupported: ", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
