"""The package as a whole: models, errors, options, arrays, and that nothing of the C interface is forgotten."""

import ctypes.util
import inspect
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tenon
from conftest import MODELS
from tenon import _structs

ROOT = MODELS.parent
PACKAGE = Path(tenon.__file__).parent


def test_nothing_is_left_out():
    """capi.layers.complete counts functions; here are the ones that only a package could lack."""
    functions = [f["name"] for f in json.loads((ROOT / "packaging/api.json").read_text())["functions"]]
    text = "".join(path.read_text() for path in PACKAGE.glob("*.py") if path.name not in ("_raw.py", "types.py"))
    missing = [f for f in functions if not re.search(rf'(lib\.|library\.|calls\.|_destroy = "){f}\b', text)]
    assert len(functions) > 200 and all(name.endswith("_init") for name in missing)
    assert tenon.functions.constant_name(1, 2) == "constrained_aba" and tenon.functions.traceable_count() > 10


def test_everything_public_is_explained_and_typed():
    for kind in (tenon.Model, tenon.Builder, tenon.Constraints, tenon.Workspace, tenon.Batch):
        for name, member in inspect.getmembers(kind):
            function = member.fget if isinstance(member, property) else member
            if name.startswith("_") or not callable(function):
                continue
            assert function.__doc__, f"{kind.__name__}.{name} has no docstring"
            if name != "close":
                assert "return" in function.__annotations__, f"{kind.__name__}.{name} does not say what it returns"


def test_model_tells_what_it_is():
    robot = tenon.Model.load(MODELS / "atlas.urdf", base="floating")
    assert repr(robot) == "<Model atlas: 31 joints, nq 37, nv 36>"
    assert robot.nq == 37 and robot.floating_base and len(robot.joints) == robot.joint_count
    knee = robot.joint("l_leg_kny")
    assert robot.joints[robot.joint_index("l_leg_kny")] == knee.name
    assert knee.type is tenon.JointType.REVOLUTE and knee.axis.tolist() == [0, 1, 0]
    assert "l_leg_kny" in str(robot) and robot.link(knee.child_link).joint == robot.joint_index("l_leg_kny")


def test_parse_reads_what_load_reads():
    text = (MODELS / "iiwa14.urdf").read_text()
    assert tenon.Model.parse(text).describe() == tenon.Model.load(MODELS / "iiwa14.urdf").describe()


def test_errors_say_what_where_and_how():
    with pytest.raises(tenon.Error, match="pelvi") as caught:
        tenon.Model.load(MODELS / "atlas.urdf").link_index("pelvi")
    assert caught.value.status is tenon.Status.NOT_FOUND and "pelvis" in caught.value.message
    with pytest.raises(tenon.Error) as caught:
        tenon.Model.load("nowhere.urdf")
    assert caught.value.status is tenon.Status.FILE_ERROR and str(caught.value).startswith("file_error: ")


@pytest.mark.parametrize(
    "library, why", [("/nowhere/x.so", "cannot be loaded"), (ctypes.util.find_library("c"), "another version than this package")]
)
def test_a_library_that_cannot_serve_is_an_import_error(library, why):
    environment = {**os.environ, "TENON_LIBRARY": library}
    done = subprocess.run([sys.executable, "-c", "import tenon"], env=environment, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ") and library in last and why in last


def test_a_wrong_length_names_the_array(arm):
    with pytest.raises(tenon.Error, match="q has 6 numbers"):
        arm.forward_dynamics(np.zeros(6), arm.zeros(), arm.zeros())


def test_options_by_name_of_constant(arm):
    with pytest.raises(ValueError, match="there is no Base 'flying'; there are: fixed, floating"):
        tenon.Model.load(MODELS / "iiwa14.urdf", base="flying")
    with pytest.raises(TypeError, match="there is no option 'gravitation'; there are: base"):
        tenon.Model.load(MODELS / "iiwa14.urdf", gravitation=3)
    moon = tenon.Model.load(MODELS / "iiwa14.urdf", gravity=(0, 0, -1.62))
    assert tenon.Workspace(moon).gravity.tolist() == [0, 0, -1.62]
    chosen = _structs.workspace_options({"methods": ["pv", tenon.Method.DENSE], "products": "coriolis"})
    assert chosen.methods == 1 << 5 | 1 << 1 and chosen.products == 2
    assert _structs.workspace_options({"methods": 6}).methods == 6
    half = tenon.Workspace(arm.model, methods=["pv", "prox_ltl"], products=["coriolis", tenon.Product.CENTROIDAL])
    assert half.size_bytes > arm.size_bytes


def test_log_callback_hears_warnings():
    heard = []
    text = "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>" \
           "<mimic joint='j'/></joint><link name='b'/></robot>"  # fmt: skip
    robot = tenon.Model.parse(text, log_callback=lambda level, words: heard.append((level, words)))
    assert heard and heard[0][0] == tenon.LogLevel.WARNING and heard[0][1] in robot.warnings


def test_constraints_by_name_and_index(atlas):
    feet = atlas.constraints
    assert len(feet) == 2 and feet.row_count == atlas.m == 12 and repr(feet) == "<Constraints on atlas, finished: True>"
    assert feet["right"].first_row == feet[1].first_row == 6 and feet[-1].frequency == 20.0
    with pytest.raises(IndexError):
        feet[2]
    with pytest.raises(tenon.Error) as caught:
        feet.add_point("pelvis")
    assert caught.value.status is tenon.Status.INVALID_ARGUMENT


def test_rows_weights_and_closures(arm):
    some = tenon.Constraints(arm.model)
    some.add_weld("iiwa_link_7", rows="linear", weights=[1, 2, 3])
    some.add_point("iiwa_link_5", [0, 0, 0.1], rows=["linear"])
    some.add_rows("iiwa_link_3", np.eye(6)[:2])
    some.add_closure("iiwa_link_4", tenon.WORLD, rows=tenon.Rows.HINGE)
    assert [some[i].row_count for i in range(4)] == [3, 3, 2, 5]
    assert some[0].rows == tenon.Rows.LINEAR and some[3].closes_loop and some[3].second_link == tenon.WORLD


def test_objects_may_go_in_any_order():
    robot = tenon.Model.load(MODELS / "iiwa14.urdf")
    with tenon.Workspace(robot) as work:
        robot.close()
        assert np.isfinite(work.gravity_force(work.neutral())).all()
    work.close()


def test_threads_share_a_model(atlas):
    q = np.array([atlas.random(s) for s in range(16)])
    expected = [atlas.forward_dynamics(x, atlas.zeros(), atlas.zeros()) for x in q]
    results = [None] * 4

    def compute(number):
        work = tenon.Workspace(atlas.model, atlas.constraints)
        results[number] = [work.forward_dynamics(x, work.zeros(), work.zeros()) for x in q]

    threads = [threading.Thread(target=compute, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for result in results:
        assert np.array_equal(result, expected)


# ---- arrays


def test_results_go_into_the_array_that_is_given(arm):
    q, v, tau = arm.random(3), arm.zeros() + 0.1, arm.zeros()
    out = np.full(arm.nv, np.nan)
    assert arm.forward_dynamics(q, v, tau, out=out) is out
    assert np.array_equal(out, arm.forward_dynamics(q, v, tau))
    room = np.full((20, 20), np.nan, order="F")
    part = room[3:10, 4:11]
    assert arm.mass_matrix(q, out=part) is part
    assert np.array_equal(part, arm.mass_matrix(q)) and np.isnan(room).sum() == 400 - 49
    for wrong in (np.zeros(arm.nv, np.float32), np.zeros(2 * arm.nv)[::2], [0.0] * arm.nv):
        with pytest.raises(TypeError):
            arm.forward_dynamics(q, v, tau, out=wrong)
    with pytest.raises(ValueError, match="column-major"):
        arm.mass_matrix(q, out=np.zeros((7, 7)))


def test_inputs_of_every_kind_give_the_same_digits(arm):
    q, v, tau = arm.random(3), arm.zeros() + 0.1, arm.zeros()
    expected = arm.forward_dynamics(q, v, tau)
    frozen = q.copy()
    frozen.setflags(write=False)
    spread = np.zeros((7, 3))
    spread[:, 1] = q
    for same in (list(q), tuple(q), frozen, spread[:, 1], q.astype(">f8")):
        assert np.array_equal(arm.forward_dynamics(same, v, tau), expected)
    assert np.array_equal(frozen, q)


def test_in_place_needs_an_array_to_change(arm):
    with pytest.raises(TypeError, match="in place"):
        arm.step([0.0] * 7, arm.zeros(), arm.zeros(), 0.001)


def test_a_path_makes_no_model_and_says_what_does():
    with pytest.raises(TypeError, match=r"Model\.load"):
        tenon.Model("robot.urdf")
