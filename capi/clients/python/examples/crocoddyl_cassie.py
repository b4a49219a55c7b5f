"""Cassie squats and sways by optimal control in Crocoddyl, with the loops of its legs.

    python3 crocoddyl_cassie.py [picture.svg]

Ten motors move 28 coordinates. Each leg has two rods that close loops, its shin and heel springs are held stiff, and
its foot is a blade that stands on two points. Costs and solver are Crocoddyl's, dynamics and derivatives Tenon's.
Without matplotlib no picture is made.
"""

import os
import sys
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")  # several, in products of small matrices, only wait for each other

import crocoddyl
import numpy as np
import pinocchio

import tenon
import tenon.crocoddyl

MODELS = os.environ.get("TENON_MODELS", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../models"))
SIDES = ("left", "right")
BLADE = np.array([[0.069746, -0.010224, 0], [-0.052821, 0.092622, 0]])  # heel and toe, foot frame
MOTORS = ("roll-op", "yaw-op", "pitch-op", "knee-op", "tarsus-crank-joint")
STIFF = ("knee-shin-joint", "tarsus-spring-joint")
DT = 0.02  # s, of a knot
ABOUT_Z = 0x04  # the row that holds a joint about z
# Loops: a link, the rod that ends on it in a ball, and where. The other end of a rod is a hinge in the model, so rows
# hold the ball in the plane of the leg.
RODS = ("hip-pitch", "achilles-rod", (0, 0, 0.045)), ("foot", "plantar-rod", (0.055, 0, 0.008))
IN_PLANE = 0x18  # rows x and y
FOOT = ("heel", 0x38), ("toe", 0x30)  # rows x y z, and y z


class Motors(crocoddyl.ActuationModelAbstract):
    def __init__(self, state, joints):
        super().__init__(state, len(joints))
        self.matrix = np.zeros((state.nv, len(joints)))
        for k, joint in enumerate(joints):
            self.matrix[state.pinocchio.joints[state.pinocchio.getJointId(joint)].idx_v, k] = 1

    def calc(self, data, x, u=None):
        if u is not None:
            data.tau = self.matrix @ u

    def calcDiff(self, data, x, u=None):
        data.dtau_du = self.matrix


def stand():
    """Tenon's robot, the constraints that it has while it stands, and q."""
    robot = tenon.Model.load(os.path.join(MODELS, "cassie.urdf"), base="floating", ignore_loops=1)
    rest = tenon.Workspace(robot)
    rest.kinematics(rest.neutral())

    def placed(link):
        return pinocchio.XYZQUATToSE3(rest.link_pose(link))

    def held(pelvis):
        rows = tenon.Constraints(robot)
        for side, sign in zip(SIDES, (1, -1)):
            for joint in STIFF:
                info = robot.joint(f"{side}-{joint}")
                child, parent = robot.link_name(info.child_link), robot.link_name(info.parent_link)
                place = pinocchio.SE3ToXYZQUAT(placed(child).actInv(placed(parent)))
                rows.add_closure(parent, child, second_pose=place, rows=ABOUT_Z)
            for link, rod, ball in RODS:
                link, rod, ball = f"{side}-{link}", f"{side}-{rod}", ball * np.array((1, 1, sign))
                end = placed(rod).actInv(placed(link).act(ball))
                rows.add_closure(link, rod, [*ball, 0, 0, 0, 1], [*end, 0, 0, 0, 1], rows=IN_PLANE)
            for (end, bits), point in zip(FOOT, BLADE):
                rows.add_point(f"{side}-foot", point, name=f"{side} {end}", axes="world", rows=0x38 if pelvis else bits)
        if pelvis:
            rows.add_weld("pelvis")
        work = tenon.Workspace(robot, rows)
        for place in range(len(rows)):
            work.set_gains(place, 20.0)
        half = np.linalg.norm(BLADE[1] - BLADE[0]) / 2
        for side, y in zip(SIDES, (0.13, -0.13)):
            for end, x in (("heel", -half), ("toe", half)):
                work.set_anchor(f"{side} {end}", [x, y, -0.88, 0, 0, 0, 1])
        return work

    work, q = held(pelvis=True), rest.neutral()
    work.project_positions(q, max_iterations=200)
    return robot, held(pelvis=False), q


def problem(knots=25, dt=DT):
    """The problem, and controls that hold Cassie still."""
    robot, work, q = stand()
    model = pinocchio.buildModelFromUrdf(os.path.join(MODELS, "cassie.urdf"), pinocchio.JointModelFreeFlyer())
    state = crocoddyl.StateMultibody(model)
    actuation = Motors(state, [f"{side}-{motor}" for side in SIDES for motor in MOTORS])
    joints = [robot.joint_index(name) for name in list(model.names)[1:]]
    x0 = np.concatenate((work.convert_configuration("pinocchio", "to_other", q, joints), np.zeros(model.nv)))
    pelvis, nu = model.getFrameId("pelvis"), actuation.nu

    def knot(goal, weight, dt):
        costs = crocoddyl.CostModelSum(state, nu)
        place = pinocchio.SE3(pinocchio.utils.rotate("z", goal[3]), np.array(goal[:3]))
        residual = crocoddyl.ResidualModelFramePlacement(state, pelvis, place, nu)
        costs.addCost("pelvis", crocoddyl.CostModelResidual(state, residual), weight)
        speed = crocoddyl.ActivationModelWeightedQuad(np.repeat([0.0, 1.0], state.nv))
        residual = crocoddyl.ResidualModelState(state, x0, nu)
        costs.addCost("speed", crocoddyl.CostModelResidual(state, speed, residual), 1e-2)
        costs.addCost("torque", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state, nu)), 1e-4)
        dynamics = tenon.crocoddyl.ForwardDynamics(state, actuation, costs, work)
        return crocoddyl.IntegratedActionModelEuler(dynamics, dt)

    goals = [(0, 0, -0.22, 0), (0, 0.08, -0.15, 0.2), (0, -0.08, -0.15, -0.2), (0, 0, 0, 0)]
    running = [model for goal in goals for model in [knot(goal, 10.0, dt)] * (knots - 5) + [knot(goal, 1e4, dt)] * 5]
    return crocoddyl.ShootingProblem(x0, running, knot(goals[-1], 1e3, 0.0)), work


class Progress(crocoddyl.CallbackAbstract):
    def __init__(self):
        super().__init__()
        self.costs, self.times = [], [perf_counter()]

    def __call__(self, solver):
        self.costs.append(solver.cost)
        self.times.append(perf_counter())


def solve(iterations=60, knots=25):
    """The solver, the costs after each iteration, seconds an iteration, and the workspace."""
    shooting, work = problem(knots)
    still = shooting.quasiStatic([shooting.x0] * shooting.T)
    solver, progress = crocoddyl.SolverFDDP(shooting), Progress()
    solver.setCallbacks([progress])
    solver.solve([shooting.x0] * (shooting.T + 1), still, iterations, False)
    return solver, progress.costs, np.median(np.diff(progress.times)), work


def states(solver, work):
    """Tenon's q of each knot."""
    names = list(solver.problem.terminalModel.state.pinocchio.names)[1:]
    joints = [work.model.joint_index(name) for name in names]
    nq = solver.problem.terminalModel.state.nq
    return [work.convert_configuration("pinocchio", "from_other", x[:nq], joints) for x in solver.xs]


def gap(solver, work):
    """The largest distance, m, by which loops and feet are off along the path."""
    rows = (work.constraint_rows(q, work.zeros()) for q in states(solver, work))
    return max(np.abs(row.position_error).max() for row in rows)


def bones(work, q):
    """Lines, each points x 3: legs, and the rods of their loops."""
    work.kinematics(q)

    def point(link, place=(0, 0, 0)):
        return pinocchio.XYZQUATToSE3(work.link_pose(link)).act(np.array(place, float))

    lines = []
    for side, sign in zip(SIDES, (1, -1)):
        chain = [f"{side}-{link}" for link in ("hip-roll", "hip-pitch", "knee", "shin", "tarsus", "foot")]
        lines.append([point("pelvis"), *map(point, chain)])
        lines.append([point(f"{side}-foot", end) for end in BLADE])
        for link, rod, ball in RODS:
            lines.append([point(f"{side}-{rod}"), point(f"{side}-{link}", np.array(ball) * (1, 1, sign))])
    return [np.array(line) for line in lines]


def draw(solver, costs, work, dt, picture):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path = states(solver, work)
    time = dt * np.arange(len(path))
    figure, axes = pyplot.subplot_mosaic([["side", "front", "pelvis"], ["side", "front", "torque"]], figsize=(11, 5.5))
    colours = pyplot.get_cmap("viridis")
    for k in range(0, len(path), max(len(path) // 8, 1)):
        for line in bones(work, path[k]):
            for name, across in (("side", 0), ("front", 1)):
                axes[name].plot(line[:, across], line[:, 2], color=colours(k / len(path)), lw=1.3)
    for name, label in (("side", "x, m"), ("front", "y, m")):
        axes[name].set(xlabel=label, ylabel="z, m", aspect="equal")
    axes["pelvis"].plot(time, np.array(path)[:, :3], label=["x", "y", "z"])
    axes["pelvis"].set(ylabel="pelvis, m", title=f"{len(costs)} iterations, cost {costs[0]:.3g} to {costs[-1]:.3g}")
    axes["pelvis"].legend(loc="lower right", ncols=3)
    axes["torque"].step(time[:-1], np.array(solver.us), lw=0.9)
    axes["torque"].set(xlabel="time, s", ylabel="motors, N m")
    figure.tight_layout()
    figure.savefig(picture)


if __name__ == "__main__":
    solver, costs, seconds, work = solve()
    print(f"{len(costs)} iterations of {1e3 * seconds:.0f} ms, cost {costs[0]:.4g} -> {costs[-1]:.4g}")
    print(f"loops and feet are off by {1e3 * gap(solver, work):.2g} mm at most")
    try:
        draw(solver, costs, work, DT, sys.argv[1] if len(sys.argv) > 1 else "crocoddyl_cassie.svg")
    except ImportError:
        print("matplotlib is not installed; no picture")
