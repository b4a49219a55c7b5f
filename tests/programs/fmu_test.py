"""`tenon export fmu`: FMPy finds its units valid, and they move as `tenon simulate` does.

    python3 fmu_test.py <tenon> <models>

Co-simulation is compared with the table of `tenon simulate`; model exchange too, with a Runge-Kutta step that takes
states as plain numbers; its derivatives with differences of what co-simulation does.
"""

import contextlib
import csv
import io
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

from fmu_instance import Unit

TENON, MODELS = sys.argv[1:3]
TOLERANCE = 1e-9

# A planar joint, a spherical one and a slider: every kind of coordinate that the other robots lack.
KINDS = """<robot name="kinds">
  <link name="ground"/>
  <link name="puck"><inertial><origin xyz="0.1 0.05 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.12" izz="0.15" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
  <link name="ball 'b'"><inertial><origin xyz="0.2 0.1 0.3"/><mass value="1"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.08" ixy="0" ixz="0.01" iyz="0"/></inertial></link>
  <link name="slider"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="table" type="planar"><parent link="ground"/><child link="puck"/><axis xyz="0 1 0"/></joint>
  <joint name="ball-joint" type="spherical"><parent link="puck"/><child link="ball 'b'"/>
    <origin xyz="0 0.1 0.2"/></joint>
  <joint name="rail" type="prismatic"><parent link="ball 'b'"/><child link="slider"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
</robot>
"""


GO1 = ["--floating"]
for leg in "FL", "FR", "RL", "RR":
    GO1 += ["--point", leg + "_foot", "--q0", leg + "_thigh_joint=0.8", "--q0", leg + "_calf_joint=-1.6"]

# robot, options of both commands, torques, seconds
CASES = {
    "iiwa14": (["--q0", "iiwa_joint_2=0.5", "--v0", "iiwa_joint_1=0.3"], {"iiwa_joint_1": [5], "iiwa_joint_4": [-8]}, 0.3),
    "go1": (GO1 + ["--dt", "5e-4"], {"FL_calf_joint": [9], "FR_thigh_joint": [-6], "RR_hip_joint": [3]}, 0.1),
    "six_bar": (["--gravity", "0,-9.81,0"], {"joint1": [0.4]}, 0.3),
    "cassie": (["--floating", "--weld", "left-foot", "--weld", "right-foot", "--dt", "5e-4"], {"left-knee-op": [20]}, 0.02),
    # One of its loops by constraint rows, which come after those of the contacts.
    "cassie_rows": (["--floating", "--weld", "left-foot", "--dt", "5e-4"], {"left-knee-op": [20]}, 0.02),
    "kinds": (["--dt", "5e-4", "--v0", "ball-joint=1,-2,0.5", "--v0", "table=0.3,0.2,-0.1"],
              {"ball-joint": [0.1, -0.2, 0.3], "rail": [1.5], "table": [0.2, 1, 0]}, 0.2),
}


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


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


class Scene:
    """One case: what `tenon simulate` says, and the units of both versions."""

    def __init__(self, name, folder):
        self.options, self.torques, self.seconds = CASES[name]
        self.folder, self.name = folder, name
        self.robot = os.path.join(MODELS, name + ".urdf")
        text = KINDS
        if name == "cassie_rows":
            with open(os.path.join(MODELS, "cassie.urdf"), encoding="utf-8") as file:
                text = file.read().replace("<loop ", '<loop treatment="rows" ', 1)
        if not os.path.exists(self.robot):
            self.robot = os.path.join(folder, name + ".urdf")
            with open(self.robot, "w", encoding="utf-8") as file:
                file.write(text)
        self.dt = 5e-4 if "--dt" in self.options else 1e-3
        self.inputs = {}
        for joint, values in self.torques.items():
            joint = f"'{joint}'" if "-" in joint else joint
            for i, value in enumerate(values):
                self.inputs[f"tau.{joint}" + (f"[{i + 1}]" if len(values) > 1 else "")] = value

    def table(self, *more):
        """Rows of q, v and forces by column, and the times."""
        path = os.path.join(self.folder, self.name + ".csv")
        torques = [w for j, v in self.torques.items() for w in ("--torque", f"{j}={','.join(map(str, v))}")]
        run(TENON, "simulate", self.robot, *self.options, *torques, "--duration", str(self.seconds), "--csv", path, *more)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        numbers = np.array(rows[1:], dtype=float)
        kept = [i for i, name in enumerate(rows[0]) if name[:2] in ("q:", "v:") or name.startswith("lambda:")]
        return numbers[:, 0], numbers[:, kept]

    def unit(self, version, *more):
        path = os.path.join(self.folder, f"{self.name}_{version}.fmu")
        run(TENON, "export", "fmu", self.robot, *self.options, "--version", str(version), "-o", path, *more)
        return Unit(path, self.folder)

    @staticmethod
    def columns(unit):
        """The variables in the order of the table: q, v, contact forces."""
        names = [v.name for v in unit.description.modelVariables]
        return [n for n in names if n[:2] in ("q.", "v.")] + [n for n in names if n.split(".")[0] in ("force", "moment")]


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
                    worst = max(worst, np.abs(instance.get(columns) - table[row]).max())
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
                    worst = max(worst, np.abs(instance.get(states) - table[row, : len(states)]).max())
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
            said = io.StringIO()
            for name in "q.joint1", "a.joint1":
                with self.assertRaises(fmpy.fmi1.FMICallException), contextlib.redirect_stdout(said):
                    instance.set({name: 0.1})
            self.assertIn("before the simulation only", said.getvalue())

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

    def test_a_folder_of_any_name(self):
        self.folder.name, kept = os.path.join(self.folder.name, "ein Rüssel 100%25 & mehr"), self.folder.name
        try:
            os.mkdir(self.folder.name)
            for version in 2, 3:
                with self.scene("iiwa14").unit(version).start("CoSimulation") as instance:
                    instance.step(0.01)
        finally:
            self.folder.name = kept

    def test_says_what_is_wrong(self):
        for version in 2, 3:
            unit = self.scene("iiwa14").unit(version)
            said = io.StringIO()
            with contextlib.redirect_stdout(said), self.assertRaises(Exception):
                unit.start("CoSimulation", token="{of another unit}")
            self.assertIn("do not belong together", said.getvalue())
            with unit.start("CoSimulation", {"tau.iiwa_joint_1": 1e300}) as instance, self.assertRaises(
                fmpy.fmi1.FMICallException
            ), contextlib.redirect_stdout(said):
                instance.step(1)
            self.assertIn("give smaller torques", said.getvalue())
            with open(os.path.join(unit.folder, "resources/tenon.txt"), "r+", encoding="utf-8") as file:
                text = file.read().replace("tenon-unit 1", "tenon-unit 9")
                file.seek(0)
                file.write(text)
            with contextlib.redirect_stdout(said), self.assertRaises(Exception):
                unit.start("CoSimulation")
            self.assertIn("of another version", said.getvalue())

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
