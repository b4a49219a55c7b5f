"""The robots, start values and torques with which units are tested, and what `tenon simulate` makes of them.

For programs whose first arguments are the program `tenon` and the folder of the models.
"""

import csv
import os
import subprocess
import sys

import numpy as np

from fmu_instance import Unit

TENON, MODELS = sys.argv[1:3]
TOLERANCE = 1e-9

# A planar joint, a spherical one, a slider and a screw: every kind of coordinate that the other robots lack.
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
  <link name="nut"><inertial><mass value="0.4"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="spindle" type="screw"><parent link="slider"/><child link="nut"/><axis xyz="0.6 0 0.8"/>
    <screw pitch="0.02"/></joint>
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
    # A tree, in flight and turning.
    "go1-flying": (["--floating", "--dt", "5e-4", "--v0", "root_joint=2,-3,1,0.5,0.2,3", "--q0", "FL_thigh_joint=0.8"],
                   {"FL_calf_joint": [9], "RR_hip_joint": [3]}, 0.1),
    "kinds": (["--dt", "5e-4", "--v0", "ball-joint=1,-2,0.5", "--v0", "table=0.3,0.2,-0.1"],
              {"ball-joint": [0.1, -0.2, 0.3], "rail": [1.5], "spindle": [0.1], "table": [0.2, 1, 0]}, 0.2),
}


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
        self.robot = os.path.join(MODELS, name.partition("-")[0] + ".urdf")
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
