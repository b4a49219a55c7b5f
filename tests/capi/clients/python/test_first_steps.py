"""What new users write first: options by name, what is held from the start, and messages that tell how to go on."""

import inspect
import re

import numpy as np
import pytest
import tenon
from conftest import MODELS


def fails(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


def test_solve_options_by_name(atlas):
    q, v, tau = atlas.neutral(), np.full(36, 0.1), np.zeros(36)
    chosen = atlas.solve_options(method="dense")
    for method in ("dense", tenon.Method.PV):
        by_name = atlas.constrained_dynamics(q, v, tau, method=method)
        made = atlas.constrained_dynamics(q, v, tau, None, None, atlas.solve_options(method=method))
        assert all(map(np.array_equal, by_name, made))
    ends = []
    for how in ({"method": "dense"}, {"options": chosen}):
        ends.append((q.copy(), v.copy()))
        atlas.step(*ends[-1], tau, 1e-3, integrator="runge_kutta_4", **how)
    assert np.array_equal(ends[0][0], ends[1][0]) and not np.array_equal(ends[0][0], q)
    both = tenon.Batch(atlas.model, tenon.Constraints(atlas.model, welds=["l_foot", "r_foot"]))
    many = both.constrained_dynamics(q[None], v, tau, method="dense")
    assert np.array_equal(many[0], both.constrained_dynamics(q[None], v, tau, options=chosen)[0])
    held = both.rollout(q[None], v, tau, steps=2, solve={"method": "dense"})
    assert np.array_equal(held[0], both.rollout(q[None], v, tau, steps=2, solve=chosen)[0])
    for kind, words, how in (
        (TypeError, "there is no option 'metod'; there are: method", {"metod": "pv"}),
        (ValueError, "there is no Method 'fast'; there are: .*dense", {"method": "fast"}),
        (TypeError, "not both: there are options and method", {"options": chosen, "method": "pv"}),
    ):
        fails(kind, words, lambda: atlas.constrained_dynamics(q, v, tau, **how))  # noqa: B023


def test_what_is_held_from_the_start(atlas):
    def rows(**how):
        held = tenon.Constraints(atlas.model, **how).finish()
        return [(held[i].link, held[i].row_count) for i in range(len(held))]

    left, right = map(atlas.model.link_index, ("l_foot", "r_foot"))
    assert rows(points=["l_foot", ("r_foot", [0, 0, -0.1])]) == [(left, 3), (right, 3)]
    assert rows(points="l_foot", welds=right) == [(right, 6), (left, 3)]
    assert rows(welds=[("l_foot", [0, 0, 0.1]), right]) == [(left, 6), (right, 6)]
    fails(tenon.Error, "no link is named 'l_fot'; did you mean 'l_foot'", lambda: rows(points="l_fot"))


def test_indices_say_how_many_there_are(arm):
    robot = arm.model
    for call, kind in ((robot.link, "link"), (robot.joint, "joint")):
        count = getattr(robot, f"{kind}_count")
        for wrong in (-1, count):
            words = f"^out_of_range: {kind} is {wrong}; there are {count} {kind}s, 0 to {count - 1}$"
            fails(tenon.Error, words, lambda: call(wrong))  # noqa: B023
    fails(IndexError, "link is 99; there are 11 links, 0 to 10", lambda: robot.link_name(99))
    fails(tenon.Error, "loop is 0; there are no loops", lambda: robot.loop(0))
    fails(tenon.Error, "link is -1; there are 11 links, 0 to 10", lambda: arm.set_payload(-1, 1.0))
    fails(tenon.Error, "constraint is 3; there are no constraints", lambda: arm.set_active(3, True))


def test_names_that_do_not_exist(atlas):
    fails(tenon.Error, "no constraint is named 'foo'; there are 'left', 'right'$", lambda: atlas.set_active("foo", True))
    fails(tenon.Error, "did you mean 'right'", lambda: atlas.set_active("rigth", True))
    unnamed = tenon.Workspace(atlas.model, tenon.Constraints(atlas.model, welds=["l_foot"]))
    fails(tenon.Error, "none has a name: give an index, 0 to 0", lambda: unnamed.set_active("l_foot", True))
    fails(tenon.Error, "no moving joint is named 'HPZ'; did you mean 'l_leg_hpz'", lambda: atlas.model.joint("HPZ"))
    words = "no moving joint is named 'x'; there are 'root_joint', .* and [0-9]+ more$"
    fails(tenon.Error, words, lambda: atlas.model.joint("x"))


def test_gravity_of_one_number():
    path = MODELS / "iiwa14.urdf"
    for wrong in (9.81, [0, 9.81], "down"):
        words = r"gravity is (9\.81|of shape \(2,\)|'down'); 3 numbers are needed"
        fails(ValueError, words, lambda: tenon.Model.load(path, gravity=wrong))  # noqa: B023
    assert tenon.Model.load(path, gravity=(0, 0, -1.6)).gravity[2] == -1.6


def test_a_rollout_of_fewer_steps_than_a_record(arm):
    batch, zero = tenon.Batch(arm.model), np.zeros((2, 7))
    fails(tenon.Error, "every is 5, and the rollout of 3 steps, so that nothing would be written; give 1 to 3",
          lambda: batch.rollout(zero, zero, zero, steps=3, every=5))
    assert batch.rollout(zero, zero, zero, steps=3, every=3)[0].shape == (2, 1, 7)
    assert batch.rollout(zero, zero, zero, steps=0, every=3)[0].shape == (2, 0, 7)


def test_docstrings_are_in_words_of_python():
    """No NULL, leading dimensions and names of C; each names arguments that there are."""
    looked_at = 0
    of_c = r"\bNULL\b|\btenonx?_\w+|\bTENONX?_\w+|->|leading dimension|\b\w+_count >=|[;,] ?[;,.](?!\.)"
    for kind in (tenon.Workspace, tenon.Model, tenon.Constraints, tenon.Batch, tenon.Builder):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            words = method.__doc__ or ""
            looked_at += len(words) > 0
            found = re.findall(of_c, words)
            assert not found, f"{kind.__name__}.{name}: {found}"
    assert looked_at > 200
    words = inspect.getdoc(tenon.Workspace.constrained_dynamics)
    assert "\nout (qdd): nv.\n" in words and "\n    M qdd + c = tau" in words and 'method="dense"' in words
    words = inspect.getdoc(tenon.Workspace.forward_dynamics_derivatives)
    assert "dqdd_dq: nv x nv, column-major, column k by coordinate k, or added to with accumulate; False: not wanted." in words
