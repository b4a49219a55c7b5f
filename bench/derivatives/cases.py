"""The robots, their constraints and their states, and Tenon on them. All numbers in Tenon's coordinates."""

import os
from dataclasses import dataclass, field

import judge
import numpy as np
import robot
import tenon
from judge import Closed, Held

STATES = 8


def points(names):
    return [Held(name, 3) for name in names]


def soles(half_x=0.1, half_y=0.05):
    """Four points on each sole of Atlas: 24 rows of rank 12."""
    corners = [(x, y, 0) for x in (-half_x, half_x) for y in (-half_y, half_y)]
    return [Held(foot, 3, np.array(corner, dtype=float)) for foot in ("l_foot", "r_foot") for corner in corners]


@dataclass
class Case:
    name: str
    model: str
    floating: bool
    held: list = field(default_factory=list)
    what: str = ""
    loops: bool = False


CASES = [
    Case("iiwa14", "iiwa14", False, [Held("iiwa_link_7", 6)], "hand welded, 6 rows"),
    Case("solo12", "solo12", True, points(["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]), "four feet at a point, 12 rows"),
    Case("go1", "go1", True, points(["FL_foot", "FR_foot", "RL_foot", "RR_foot"]), "four feet at a point, 12 rows"),
    Case("atlas", "atlas", True, [Held("l_foot", 6), Held("r_foot", 6)], "two feet welded, 12 rows"),
    Case("atlas_soles", "atlas", True, soles(), "four points on each sole, 24 rows of rank 12"),
    Case("cassie", "cassie", True, [], "floating base, four loops by rows, 12 rows of rank 10", True),
    Case("cassie_feet", "cassie", True, points(["left-foot", "right-foot"]),
         "floating base, loops and two feet at a point, 18 rows of rank 16", True),
    Case("cassie_fixed", "cassie", False, [], "fixed base, four loops by rows, 12 rows of rank 10", True),
]  # fmt: skip


def case_named(name):
    return next(case for case in CASES if case.name == name)


@dataclass
class State:
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray


class Problem:
    """A case in Tenon, the robot as the judge reads it, and states that obey the constraints, J v = 0: there the
    conventions of all libraries for what rows hold ask for the same motion. tau is that of a random acceleration."""

    def __init__(self, case, states=STATES):
        self.case = case
        base = "floating" if case.floating else "fixed"
        self.model = tenon.Model.load(os.path.join(robot.MODELS, case.model + ".urdf"), base=base, loop_treatment="rows")
        constraints = tenon.Constraints(self.model)
        for held in case.held:
            if held.rows == 3:
                constraints.add_point(held.link, held.at)
            else:
                constraints.add_weld(held.link)
        self.work, self.free = tenon.Workspace(self.model, constraints), tenon.Workspace(self.model)
        names = sorted(robot.read(case.model, case.floating).joints(), key=lambda name: self.model.joint(name).v_index)
        self.robot = robot.read(case.model, case.floating, names)
        self.names = names
        self.states = [self.draw(seed) for seed in range(1, states + 1)]

    @property
    def nv(self):
        return self.robot.nv

    def rows(self, seen_by_link=True):
        return self.case.held + [Closed(loop, seen_by_link) for loop in self.robot.loops]

    def draw(self, seed):
        random = np.random.default_rng(seed)
        q = self.work.random(seed)
        v, a = random.uniform(-1, 1, (2, self.nv))
        if self.case.loops:
            q = self.work.neutral()
            self.work.project_positions(q)
            q = self.work.integrate(q, 0.2 * random.uniform(-1, 1, self.nv))
            self.work.project_positions(q)
        self.work.project_velocities(q, v)
        tau = np.array(judge.inverse_dynamics(self.robot, q, v, a)[0], dtype=float)
        return State(q, v, a, tau)

    def moved(self, q, by):
        return self.work.integrate(q, by, 1.0)

    # ---- what Tenon says

    def inverse(self, state):
        return self.free.inverse_dynamics_derivatives(state.q, state.v, state.a)[1:4]

    def forward(self, state):
        return self.free.forward_dynamics_derivatives(state.q, state.v, state.tau)[1:4]

    def constrained(self, state):
        """Of qdd; lambda and its changes, along the judge's rows. Rows that Tenon leaves out of a loop, along which the
        loop cannot move, have no force."""
        qdd = self.work.constrained_dynamics_derivatives(state.q, state.v, state.tau)[1:4]
        _, *both, _, multiplier = self.work.constrained_solution_derivatives(state.q, state.v, state.tau)
        force = [by[len(qdd[0]) :] for by in both]
        J = judge.Moved(self.robot, state.q, state.v).rows(self.rows())[0].real[0].astype(float)
        to_judge = (self.work.constraint_rows(state.q, state.v)[0] @ np.linalg.pinv(J, 1e-7)).T
        return qdd, to_judge @ multiplier, [to_judge @ change for change in force]
