"""`tenon export fmu`: FMPy finds its units valid, and they move as `tenon simulate` does.

    python3 fmu_test.py <tenon> <models>

Co-simulation is compared with the table of `tenon simulate`; model exchange too, with a Runge-Kutta step that takes
states as plain numbers; its derivatives with differences of what co-simulation does.
"""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

import fmpy
import fmpy.fmi1
import numpy as np
from fmpy.validation import validate_fmu

from fmu_scene import CASES, MODELS, TENON, TOLERANCE, Scene


def turned(axis, angle):
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def quaternion_matrix(q):
    angle = 2 * np.arctan2(np.linalg.norm(q[:3]), q[3])
    return turned(q[:3], angle)


def along_the_chain(path, link, angle_of):
    """Position and rotation of a link whose joints, from the root on, are hinges or fixed."""
    joints = {j.find("child").get("link"): j for j in xml.etree.ElementTree.parse(path).getroot().findall("joint")}
    position, rotation = np.zeros(3), np.eye(3)
    while link in joints:
        joint = joints[link]
        origin = joint.find("origin")
        placed = origin.attrib if origin is not None else {}
        xyz, rpy = (np.array(placed.get(key, "0 0 0").split(), dtype=float) for key in ("xyz", "rpy"))
        own = turned(np.array([0, 0, 1.0]), rpy[2]) @ turned(np.array([0, 1.0, 0]), rpy[1]) @ turned(np.array([1.0, 0, 0]), rpy[0])
        if joint.get("type") != "fixed":
            own = own @ turned(np.array(joint.find("axis").get("xyz").split(), dtype=float), angle_of(joint.get("name")))
        position, rotation = xyz + own @ position, own @ rotation
        link = joint.find("parent").get("link")
    return position, rotation


class Exported(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def scene(self, name):
        return Scene(name, self.folder.name)

    def units(self):
        """All robots, in both versions."""
        for name in CASES:
            scene = self.scene(name)
            for version in (2, 3):
                yield scene, scene.unit(version)

    def test_fmpy_finds_nothing_wrong(self):
        for scene, unit in self.units():
            with self.subTest(unit=unit.path):
                self.assertEqual(validate_fmu(unit.path), [])
                self.assertIn(fmpy.platform if unit.version == 2 else fmpy.platform_tuple, os.listdir(
                    os.path.join(unit.folder, "binaries")))
                with zipfile.ZipFile(unit.path) as archive:
                    self.assertIsNone(archive.testzip())

    def test_co_simulation_is_tenon_simulate(self):
        for scene, unit in self.units():
            times, table = scene.table()
            columns, worst, every = scene.columns(unit), 0.0, 5
            with unit.start("CoSimulation", scene.inputs) as instance:
                for row in range(0, len(times), every):
                    worst = np.maximum(worst, np.abs(instance.get(columns) - table[row]).max())
                    if row + every < len(times):
                        instance.step(every * scene.dt)
            self.check(scene, unit, "co-simulation", worst, table)

    def test_model_exchange_is_tenon_simulate(self):
        """The same step with the states as plain numbers; loops and quaternions come back by events."""
        for scene, unit in self.units():
            times, table = scene.table()
            states = [c for c in scene.columns(unit) if c[:2] in ("q.", "v.")]
            worst, events, every = 0.0, 0, 5
            with unit.start("ModelExchange", scene.inputs, tolerance=1e-13) as instance:
                for row in range(0, len(times), every):
                    worst = np.maximum(worst, np.abs(instance.get(states) - table[row, : len(states)]).max())
                    for _ in range(every if row + every < len(times) else 0):
                        events += instance.runge_kutta(scene.dt)
            self.check(scene, unit, f"model exchange, {events} events,", worst, table[:, : len(states)])

    def test_derivatives_are_those_of_the_motion(self):
        """a = dv/dt and der(q) = dq/dt, by differences of fourth order over steps of co-simulation."""
        for scene, unit in self.units():
            if unit.version == 2:
                continue
            h, path = scene.dt / 5, []
            with unit.start("CoSimulation", scene.inputs) as instance:
                for _ in range(5):
                    path.append((instance.get(unit.states), instance.get([v.name for v in unit.rates])))
                    instance.step(h)
            x = [states for states, _ in path]
            expected = (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)
            error = np.abs(expected - path[2][1]) / (1 + np.abs(expected))
            with self.subTest(robot=scene.name):
                self.assertLess(error.max(), 1e-5, unit.states[error.argmax()])
                self.assertGreater(np.abs(expected).max(), 0.1)

    def test_fmpy_simulates_both_kinds(self):
        """As a user does: FMPy's own loop, and its adaptive solver CVode."""
        scene = self.scene("iiwa14")
        times, table = scene.table()
        for version in 2, 3:
            unit = scene.unit(version)
            names = scene.columns(unit)
            for kind, tolerance in ("CoSimulation", TOLERANCE), ("ModelExchange", 1e-6):
                result = fmpy.simulate_fmu(unit.path, fmi_type=kind, stop_time=scene.seconds, output_interval=0.01,
                                           start_values=scene.inputs, output=names, relative_tolerance=1e-9)
                self.assertAlmostEqual(result["time"][-1], scene.seconds, delta=1e-9)
                end = np.array([result[name][-1] for name in names])
                self.assertLess(np.abs(end - table[-1]).max(), tolerance, kind)

    def test_poses_are_those_of_the_joints(self):
        """Along the chain of the URDF file, by Rodrigues' formula."""
        scene = self.scene("iiwa14")
        unit = scene.unit(3, "--pose", "iiwa_link_4", "--pose", "iiwa_link_7")
        with unit.start("CoSimulation", scene.inputs) as instance:
            instance.step(0.1)
            for link in "iiwa_link_4", "iiwa_link_7":
                position, rotation = along_the_chain(scene.robot, link, lambda joint: instance.get(["q." + joint])[0])
                pose = instance.get([f"pose.{link}[{i}]" for i in range(1, 8)])
                np.testing.assert_allclose(pose[:3], position, atol=1e-12)
                np.testing.assert_allclose(quaternion_matrix(pose[3:]), rotation, atol=1e-12)

    def test_start_values_and_gravity_can_be_set(self):
        scene = self.scene("six_bar")
        unit = scene.unit(3)
        scene.options = ["--gravity", "0,-3,1", "--q0", "joint1=0.2", "--v0", "joint1=1.5"]
        _, table = scene.table()
        values = {**scene.inputs, "q.joint1": 0.2, "v.joint1": 1.5, "gravity[2]": -3, "gravity[3]": 1}
        with unit.start("CoSimulation", values) as instance:
            # What follows from joint1 does, though nobody set it.
            columns = scene.columns(unit)
            self.assertLess(np.abs(instance.get(columns) - table[0]).max(), TOLERANCE)
            instance.step(scene.seconds)
            self.assertLess(np.abs(instance.get(columns) - table[-1]).max(), TOLERANCE)
            for name in "q.joint1", "a.joint1":
                with self.assertRaises(fmpy.fmi1.FMICallException):
                    instance.set({name: 0.1})
            self.assertIn("before the simulation only", unit.all_said())

    def test_states_come_back_and_instances_do_not_mix(self):
        for version in 2, 3:
            unit = self.scene("go1").unit(version)
            columns = Scene.columns(unit)
            with unit.start("CoSimulation", {"tau.FL_calf_joint": 4}) as one, unit.start("CoSimulation") as other:
                one.step(0.01)
                saved = one.save()
                for instance in one, other:
                    instance.step(0.02)
                end = one.get(columns)
                self.assertGreater(np.abs(end - other.get(columns)).max(), 1e-3)
                one.set({"tau.FL_calf_joint": -9, "gravity[1]": 2})
                one.step(0.013)
                one.restore(saved)
                one.step(0.02)
                self.assertEqual(one.get(columns).tolist(), end.tolist())

    def test_steps_of_any_length(self):
        unit = self.scene("iiwa14").unit(3)
        columns = Scene.columns(unit)
        with unit.start("CoSimulation") as one, unit.start("CoSimulation") as other:
            one.step(0.01)
            for _ in range(4):
                other.step(0.0025)  # two steps of 1 ms and one of half that
            difference = np.abs(one.get(columns) - other.get(columns)).max()
            self.assertGreater(difference, 0)
            self.assertLess(difference, TOLERANCE)

    def check(self, scene, unit, what, worst, table):
        moved = np.abs(table[-1] - table[0]).max()
        print(f"{scene.name} {unit.version}.0 {what} differs by {worst:.1e}, moved {moved:.1e}")
        with self.subTest(unit=unit.path):
            self.assertEqual(len(scene.columns(unit)), scene.table()[1].shape[1])
            self.assertLess(worst, TOLERANCE)
            self.assertGreater(moved, 1e-2)

    def test_the_program_says_what_is_wrong(self):
        robot, out = os.path.join(MODELS, "iiwa14.urdf"), os.path.join(self.folder.name, "robot.fmu")
        for arguments, words, code in (
            (["-o", out, "--version", "1"], "--version", 2),
            (["-o", out, "--pose", "nolink"], "nolink", 1),
            (["-o", out, "--point", "iiwa_link_7@1,2"], "--point", 2),
            (["-o", out, "--binaries", self.folder.name], "no binaries for units", 1),
            (["-o", os.path.join(out, "none", "robot.fmu")], "cannot be written", 1),
            ([], "--output", 2),
        ):
            done = subprocess.run([TENON, "export", "fmu", robot, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
