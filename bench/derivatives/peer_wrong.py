#!/usr/bin/env python3
"""Where derivatives of Pinocchio's package are wrong, silently: each case as small as it can be, beside the judge and
beside central differences of Pinocchio's own function, which need nobody else.

    bench/derivatives/peer_wrong.py [subspaces] [loop] [redundant] [impact]

Run by build/peers/bin/python3 (packaging/bench_setup.sh --derivatives); prints Markdown. Only `redundant` needs Tenon,
for a state of Cassie in which the loops are closed.
"""

import sys

import judge
import numpy as np
import pinocchio as pin
from robot import Link, Robot, read


def differences(function, model, q, step=1e-6):
    columns = []
    for direction in np.eye(model.nv) * step:
        ahead, behind = function(pin.integrate(model, q, direction)), function(pin.integrate(model, q, -direction))
        columns.append((ahead - behind) / (2 * step))
    return np.array(columns).T


def error(found, exact):
    return f"{judge.error(found, exact):.1e}"


def table(head, lines):
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


# ---- joints whose motion subspace depends on q

BODY = dict(mass=1.5, com=np.array([0.1, -0.05, 0.2]), inertia=np.array([[0.05, 0.002, 0.001], [0.002, 0.04, 0.003],
                                                                          [0.001, 0.003, 0.03]]))  # fmt: skip
OFFSET = np.array([0.3, 0.1, -0.2])
X, Y, Z = np.eye(3)


def composite():
    joint = pin.JointModelComposite(pin.JointModelRZ())
    joint.addJoint(pin.JointModelRX(), pin.SE3(np.eye(3), OFFSET))
    return joint


# The joint of Pinocchio, and the same motion by hinges one after another: (axis, place of the next hinge in the last).
JOINTS = {
    "JointModelRX (to compare)": (pin.JointModelRX, [(X, 0 * X)]),
    "JointModelSphericalZYX": (pin.JointModelSphericalZYX, [(Z, 0 * X), (Y, 0 * X), (X, 0 * X)]),
    "JointModelUniversal": (lambda: pin.JointModelUniversal(X, Y), [(X, 0 * X), (Y, 0 * X)]),
    "JointModelComposite of RZ and RX": (composite, [(Z, 0 * X), (X, OFFSET)]),
    "JointModelEllipsoid": (lambda: pin.JointModelEllipsoid(0.1, 0.2, 0.3), None),
}


def of_hinges(hinges):
    """A hinge about y, these, a hinge about z; a body after the first, one after these, and one at the end."""
    links = [Link("world"), Link("first", 0, "y", "revolute", 0, p=OFFSET, axis=Y, **BODY)]
    for number, (axis, place) in enumerate(hinges):
        last = number == len(hinges) - 1
        links.append(Link(f"part_{number}", len(links) - 1, f"hinge_{number}", "revolute", 1 + number,
                          p=OFFSET if number == 0 else place, axis=axis, **(BODY if last else {})))  # fmt: skip
    links.append(Link("last", len(links) - 1, "z", "revolute", 1 + len(hinges), p=OFFSET, axis=Z, **BODY))
    return Robot("chain", links, [], False)


def subspaces():
    print("### Joints whose motion subspace depends on q\n")
    print("A hinge about y, the joint, a hinge about z, with a body after each. Relative errors of `computeRNEADerivatives` and")
    print("`computeABADerivatives` by q against central differences of Pinocchio's own `rnea` and `aba`, and, for all but the")
    print("ellipsoid, against the judge, to whom the joint is hinges one after another. The last column says that these two")
    print("agree: functions are right, their derivatives are not.\n")
    lines = []
    for name, (make, hinges) in JOINTS.items():
        model = pin.Model()
        inertia, place = pin.Inertia(BODY["mass"], BODY["com"], BODY["inertia"]), pin.SE3(np.eye(3), OFFSET)
        last = 0
        for joint, label in ((pin.JointModelRY(), "a"), (make(), "b"), (pin.JointModelRZ(), "c")):
            last = model.addJoint(last, joint, place, label)
            model.appendBodyToJoint(last, inertia, pin.SE3.Identity())
        data, random = model.createData(), np.random.default_rng(1)
        q, v, a = random.uniform(-1, 1, (3, model.nv))
        tau = pin.rnea(model, data, q, v, a).copy()
        inverse, by_v = (M.copy() for M in pin.computeRNEADerivatives(model, data, q, v, a)[:2])
        forward = pin.computeABADerivatives(model, data, q, v, tau)[0].copy()
        own = differences(lambda at: pin.rnea(model, data, at, v, a).copy(), model, q)
        own_v = np.array([pin.rnea(model, data, q, v + e, a) - pin.rnea(model, data, q, v - e, a)
                          for e in np.eye(model.nv) * 1e-6]).T / 2e-6  # fmt: skip
        own_forward = differences(lambda at: pin.aba(model, data, at, v, tau).copy(), model, q)
        line = [name, error(inverse, own), error(by_v, own_v), error(forward, own_forward)]
        if hinges is None:
            lines.append(line + ["-"] * 3)
            continue
        exact = judge.inverse_dynamics(of_hinges(hinges), q, v, a)
        exact_forward = judge.forward_dynamics(of_hinges(hinges), q, v, tau)
        lines.append(line + [error(inverse, exact[1]), error(forward, exact_forward[1]),
                             f"{error(own, exact[1])}, {error(own_forward, exact_forward[1])}"])  # fmt: skip
    table(["joint", "RNEA by q: own differences", "RNEA by v: own differences", "ABA by q: own differences",
           "RNEA by q: judge", "ABA by q: judge", "own differences against the judge"], lines)  # fmt: skip


# ---- a loop closed by a 3D constraint


class Loop:
    """Two links of the model held together at a point, as Pinocchio and the judge have it, in a state with J v = 0."""

    def __init__(self, name, floating, first, second):
        import os

        from robot import MODELS

        path = os.path.join(MODELS, name + ".urdf")
        self.model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(path)
        order = list(self.model.names)[2 if floating else 1 :]
        self.robot = read(name, floating, order)
        self.floating = floating
        random = np.random.default_rng(3)
        n = self.model.nv
        self.q = pin.integrate(self.model, pin.neutral(self.model), random.uniform(-1, 1, n))
        v, self.tau = random.uniform(-1, 1, (2, n))
        data = self.model.createData()
        pin.framesForwardKinematics(self.model, data, self.q)
        ends = []
        middle = None
        for link in (first, second):
            frame = self.model.frames[self.model.getFrameId(link)]
            world = data.oMi[frame.parentJoint] * frame.placement
            middle = world.translation + 0.1 if middle is None else middle  # the point that both share
            inside = world.actInv(middle)
            ends.append((link, inside, frame.parentJoint, frame.placement * pin.SE3(np.eye(3), inside)))
        (_, p1, joint1, place1), (_, p2, joint2, place2) = ends
        self.rows, self.row_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        self.rows.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, joint1, place1, joint2, place2,
                                                  pin.ReferenceFrame.LOCAL))  # fmt: skip
        self.row_data.append(self.rows[0].createData())
        self.held = [judge.Closed(judge_loop(first, p1, second, p2), False)]
        self.perm = [3, 4, 5, 0, 1, 2, *range(6, n)] if floating else list(range(n))  # the judge's, of Pinocchio's
        moved = judge.Moved(self.robot, self.q, v)
        J = moved.rows(self.held)[0].real[0].astype(float)
        v = v - np.linalg.pinv(J) @ (J @ v)
        self.judged = v
        self.v = v[self.perm]
        self.solver = self.model.createData()
        pin.initConstraintDynamics(self.model, self.solver, self.rows, self.row_data)

    def solve(self, q):
        settings = pin.ProximalSettings(1e-14, 1e-8, 20)
        return pin.constraintDynamics(self.model, self.solver, q, self.v, self.tau, self.rows, self.row_data, settings).copy()

    def by_q(self):
        self.solve(self.q)
        pin.computeConstraintDynamicsDerivatives(self.model, self.solver, self.rows, self.row_data,
                                                 pin.ProximalSettings(1e-14, 1e-8, 20))  # fmt: skip
        return self.solver.ddq_dq.copy()

    def exact(self):
        tau = self.tau[self.perm]
        by_q = judge.constrained_dynamics(self.robot, self.q, self.judged, tau, self.held)[1]
        return by_q[np.ix_(self.perm, self.perm)]


def judge_loop(first, p1, second, p2):
    from robot import Loop as Ends

    return Ends(first, np.eye(3), p1, second, p2)


def loop():
    print("### A fixed base and a loop closed by a 3D constraint\n")
    print("Two links of an arm held together at a point, full rank, J v = 0: `computeConstraintDynamicsDerivatives` by q. The first")
    print("joint of either arm turns about the vertical, which changes no acceleration: the first column is zero. Pinocchio's is not;")
    print("the others, and the same arms on a floating base, are right.\n")
    lines = []
    for name, floating, first, second in (
            ("iiwa14", False, "iiwa_link_3", "iiwa_link_7"), ("iiwa14", True, "iiwa_link_3", "iiwa_link_7"),
            ("panda_arm", False, "panda_link3", "panda_link7"), ("panda_arm", True, "panda_link3", "panda_link7")):
        case = Loop(name, floating, first, second)
        by_q, own, exact = case.by_q(), differences(case.solve, case.model, case.q), case.exact()
        lines.append([name, "floating" if floating else "fixed", error(by_q, own), error(by_q, exact),
                      *(("-", "-", "-") if floating else (f"{np.abs(M[:, 0]).max():.1e}" for M in (by_q, own, exact))),
                      error(by_q[:, 1:], own[:, 1:]), error(own, exact)])  # fmt: skip
    table(["robot", "base", "own differences", "judge", "first column, largest number: its derivatives", "its differences",
           "judge", "other columns: own differences", "own differences against the judge"], lines)  # fmt: skip


# ---- rows that depend on each other


def redundant():
    import peer_pinocchio
    from cases import Problem, case_named

    print("### Forces of rows that depend on each other\n")
    print("Cassie on a floating base, its four loops closed by 3D constraints: 12 rows, of which the loops need 10, since axes of")
    print("planar loops are parallel to 1e-9. What has a derivative is qdd, and the forces on the joints f = J^T lambda. Pinocchio's")
    print("dlambda/dq grows with iterations over mu, and with it the error of both; how right they are hangs on the settings,")
    print("and the best are others in each state.\n")
    problem = Problem(case_named("cassie"), 2)
    peer, lines = peer_pinocchio.Peer(problem), []
    for number, state in enumerate(problem.states):
        exact = judge.constrained_dynamics(problem.robot, state.q, state.v, state.tau, problem.rows(False))
        J = judge.moved_rows(problem.robot, state.q, state.v, problem.rows(False))
        for settings in ((1e-14, 1e-2, 10), (1e-14, 1e-4, 3), (1e-14, 1e-6, 5), (1e-14, 1e-8, 1), (1e-14, 1e-8, 20),
                         (1e-14, 1e-10, 20)):  # fmt: skip
            by_q, multiplier, changes = peer.constrained(number, settings)
            q, v, _, tau = peer.states[number]
            qdd = peer.acceleration(q, v, tau, settings)[peer.v_of]
            f = judge.force_changes(J, multiplier, changes)
            lines.append([str(number + 1), f"{settings[1]:.0e}", str(settings[2]), error(qdd, exact[0]),
                          error(by_q[0], exact[1]), error(f[0], exact[5]), f"{np.abs(changes[0]).max():.0e}"])  # fmt: skip
        mine, multiplier, changes = problem.constrained(state)
        ours = judge.constrained_dynamics(problem.robot, state.q, state.v, state.tau, problem.rows())
        f = judge.force_changes(judge.moved_rows(problem.robot, state.q, state.v, problem.rows()), multiplier, changes)
        qdd = problem.work.constrained_dynamics(state.q, state.v, state.tau)[0]
        lines.append([str(number + 1), "Tenon", "-", error(qdd, ours[0]), error(mine[0], ours[1]), error(f[0], ours[5]),
                      f"{np.abs(changes[0]).max():.0e}"])  # fmt: skip
    table(["state", "mu", "iterations", "qdd", "dqdd/dq", "df/dq", "largest dlambda/dq"], lines)
    print("Tenon leaves the two rows out along which the loops cannot move; given all 12 one by one as closures it refuses")
    print("(`TENON_UNSUPPORTED`: rows contradict each other).\n")


# ---- impacts of a floating base


class Impact:
    """Two feet of a floating robot that hit the ground, in three states."""

    SETTINGS = pin.ProximalSettings(1e-14, 1e-10, 20)

    def __init__(self, name, feet):
        import os

        from robot import MODELS

        self.model = pin.buildModelFromUrdf(os.path.join(MODELS, name + ".urdf"), pin.JointModelFreeFlyer())
        self.feet = [self.model.frames[self.model.getFrameId(foot)] for foot in feet]
        random = np.random.default_rng(1)
        n = self.model.nv
        self.states = [(pin.integrate(self.model, pin.neutral(self.model), random.uniform(-1, 1, n)), random.uniform(-1, 1, n))
                       for _ in range(3)]  # fmt: skip

    def memory(self):
        data, rows, row_data = self.model.createData(), pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for foot in self.feet:
            rows.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, foot.parentJoint, foot.placement,
                                                 pin.ReferenceFrame.LOCAL))  # fmt: skip
            row_data.append(rows[-1].createData())
        pin.initConstraintDynamics(self.model, data, rows, row_data)
        return data, rows, row_data

    def after(self, q, v, memory):
        data, rows, row_data = memory
        return pin.impulseDynamics(self.model, data, q, v, rows, row_data, 0.0, self.SETTINGS).copy()

    def by_q(self, q, v, memory):
        self.after(q, v, memory)
        data, rows, row_data = memory
        pin.computeImpulseDynamicsDerivatives(self.model, data, rows, row_data, 0.0, self.SETTINGS)
        return data.ddq_dq.copy()


def impact():
    print("### Impacts of a floating base, one after the other\n")
    print("solo12 hits the ground with two feet: `computeImpulseDynamicsDerivatives` by q, of three states by one `Data`, and of each")
    print("by a `Data` of its own. What is left there of the state before is taken for this one's.\n")
    case = Impact("solo12", ("FL_FOOT", "FR_FOOT"))
    shared, lines = case.memory(), []
    for number, (q, v) in enumerate(case.states):
        memory = case.memory()
        own = differences(lambda at, v=v, memory=memory: case.after(at, v, memory), case.model, q)
        lines.append([str(number + 1), error(case.by_q(q, v, shared), own), error(case.by_q(q, v, case.memory()), own)])
    table(["state", "one Data: own differences", "a Data of its own: own differences"], lines)


if __name__ == "__main__":
    cases = {"subspaces": subspaces, "loop": loop, "redundant": redundant, "impact": impact}
    for name in sys.argv[1:] or cases:
        if name not in cases:
            raise SystemExit(f"peer_wrong.py knows {', '.join(cases)}, not '{name}'")
        cases[name]()
