"""The judge of bench/derivatives (complex step, Kane's equations) against the library's derivatives, through the package.

    derivatives_judge_test.py <libtenon.so>

What the table of the site stands on is held here: robots with fixed and floating bases, points, welds, loops closed by rows,
rows that depend on each other. No other library is needed.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
os.environ["TENON_LIBRARY"] = sys.argv[1]
sys.path[:0] = [os.path.join(ROOT, "capi/clients/python"), os.path.join(ROOT, "bench/derivatives")]
import judge  # noqa: E402
import numpy as np  # noqa: E402
from cases import CASES, Problem  # noqa: E402

NEAR = 1e-10


def near(what, found, exact):
    errors = [judge.error(x, y) for x, y in zip(found, exact)]
    assert len(errors) == 3 and max(errors) < NEAR, f"{what}: {errors}"
    return max(errors)


def free(problem, state):
    robot, worst = problem.robot, 0.0
    exact = judge.inverse_dynamics(robot, state.q, state.v, state.a)
    tau = problem.free.inverse_dynamics(state.q, state.v, state.a)
    assert judge.error(tau, exact[0]) < NEAR, "inverse dynamics"
    worst = max(worst, near("inverse dynamics", problem.inverse(state), exact[1:]))
    exact = judge.forward_dynamics(robot, state.q, state.v, state.tau)
    worst = max(worst, near("forward dynamics", problem.forward(state), exact[1:]))
    # In MuJoCo's coordinates M is another, and what moves is the same: kinetic energy.
    if problem.case.floating:
        R = judge.Moved(robot, state.q, state.v).frames[0][0].real.reshape(3, 3).astype(float)
        turned = np.concatenate([R @ state.v[3:6], state.v[:3], state.v[6:]])
        energies = [v @ judge.Moved(robot, state.q, v, base=base).M.real[0] @ v
                    for v, base in ((state.v, "body"), (turned, "world"))]  # fmt: skip
        assert abs(energies[0] - energies[1]) < 1e-12 * energies[0], f"coordinates of MuJoCo: {energies}"
    return worst


def constrained(problem, state):
    exact = judge.constrained_dynamics(problem.robot, state.q, state.v, state.tau, problem.rows())
    by, multiplier, changes = problem.constrained(state)
    worst = near("constrained dynamics", by, exact[1:4])
    J = judge.moved_rows(problem.robot, state.q, state.v, problem.rows())
    forces = judge.force_changes(J, multiplier, changes)
    return max(worst, near("forces", forces, exact[5:]))


def differences(problem, state):
    """The judge itself, against central differences of the library's functions."""
    exact = judge.constrained_dynamics(problem.robot, state.q, state.v, state.tau, problem.rows())[1]
    columns = []
    for by in np.eye(problem.nv) * 1e-6:
        ends = [problem.work.constrained_dynamics(problem.moved(state.q, sign * by), state.v, state.tau)[0] for sign in (1, -1)]
        columns.append((ends[0] - ends[1]) / 2e-6)
    found = judge.error(np.array(columns).T, exact)
    assert found < 1e-6, f"{problem.case.name}: central differences: {found}"


def notices():
    """A wrong number and none at all."""
    exact = np.eye(3)
    assert judge.error(exact + 1e-6 * np.ones((3, 3)), exact) > NEAR
    assert judge.error(exact * float("nan"), exact) == float("inf")


for case in CASES:
    problem, worst = Problem(case, 1), 0.0
    for state in problem.states:
        if not case.loops:
            worst = max(worst, free(problem, state))
        worst = max(worst, constrained(problem, state))
    if case.name in ("iiwa14", "solo12", "cassie"):
        differences(problem, problem.states[0])
    print(f"{case.name}: {worst:.0e}")
notices()
