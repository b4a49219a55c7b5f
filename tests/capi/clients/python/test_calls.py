"""Arrays as arguments, of the extension module and of ctypes alike: run.py runs these tests on both."""

import os
import threading
import time

import numpy as np
import pytest
import tenon
from conftest import MODELS
from tenon import _calls, _raw
from tenon._calls import calls
from tenon._roles import CALLS


def test_the_calls_are_those_that_were_asked_for():
    assert _calls.BY == os.environ["TENON_TEST_CALLS"]
    assert (_calls._native is None) == (_calls.BY == "ctypes")


def test_every_role_has_an_argument():
    for name, (_, roles, names, types, _) in CALLS.items():
        assert len(roles) == len(names.split()) == len(types) and roles[0] == "w", name
        c = {"a": 2, "b": 2, "o": 2, "x": 2, "m": 3, "M": 3}
        assert sum(c.get(role, 1) for role in roles) == len(_raw.FUNCTIONS[name][1]), name
    assert len(CALLS) > 70 and 10 < sum(is_long for *_, is_long in CALLS.values()) < len(CALLS) / 2


def test_what_is_not_an_array_of_float64_is_refused_by_name(arm):
    q, v, zero = arm.random(1), arm.zeros(), arm.zeros()
    frozen = np.zeros(7)
    frozen.setflags(write=False)
    for wrong in (np.zeros(7, np.float32), np.zeros(14)[::2], np.zeros(7, np.int64), np.zeros(7, ">f8"), frozen, [0.0] * 7):
        with pytest.raises(TypeError, match="qdd is written: give a writeable contiguous array of float64"):
            arm.forward_dynamics(q, v, zero, out=wrong)
        with pytest.raises(TypeError, match="v is changed in place: give a writeable contiguous array of float64"):
            arm.step(q, wrong, zero, 0.001)
    for wrong in ("seven", [[1.0], 2.0], object()):
        with pytest.raises((TypeError, ValueError)):
            arm.forward_dynamics(wrong, v, zero)


def test_fields_of_packed_records(arm):
    """Numbers at addresses that are no multiple of 8: copied where they are read, refused where they are written."""
    records = np.zeros(2, dtype=[("flag", "<u4"), ("x", "<f8", (7,))])
    records["x"] = q = arm.random(1)
    assert np.array_equal(arm.gravity_force(records["x"][0]), arm.gravity_force(q))
    with pytest.raises(TypeError, match="g is written: give a writeable contiguous array of float64"):
        arm.gravity_force(q, out=records["x"][0])
    assert np.array_equal(records["x"][0], q)
    square = np.zeros(4 + 8 * 49, np.uint8)[4:].view("<f8").reshape((7, 7), order="F")
    with pytest.raises((TypeError, ValueError), match="M is to be"):
        calls.tenon_mass_matrix(arm._address, q, square)
    B = np.zeros(4 + 8 * 7, np.uint8)[4:].view("<f8")
    B[:] = arm.forward_dynamics(q, q, q)
    arm.mass_matrix_factor(q)
    assert np.array_equal(arm.mass_matrix_solve(B), arm.mass_matrix_solve(B.copy()))


def test_a_matrix_may_be_a_part_and_must_be_column_major(arm):
    q = arm.random(1)
    expected = arm.mass_matrix(q)
    room = np.full((9, 12), np.nan, order="F")
    assert calls.tenon_mass_matrix(arm._address, q, room[1:8, 3:10]) == 0
    assert np.array_equal(room[1:8, 3:10], expected) and np.isnan(room).sum() == 9 * 12 - 49
    for wrong in (np.empty((7, 7)), room[:7:2, :7], room[1:8, 10:3:-1]):
        with pytest.raises(ValueError, match="M is to be column-major: order='F'"):
            calls.tenon_mass_matrix(arm._address, q, wrong)
    for wrong in (np.empty(49), np.empty((7, 7), np.float32, order="F"), 7.0):
        with pytest.raises(TypeError, match="M is to be a writeable matrix of float64"):
            calls.tenon_mass_matrix(arm._address, q, wrong)


def test_a_size_that_is_wrong_reaches_the_library(arm):
    q = arm.random(1)
    assert calls.tenon_gravity_force(arm._address, q[:6], np.empty(7)) == tenon.Status.WRONG_SIZE
    assert calls.tenon_gravity_force(arm._address, np.empty(0), np.empty(7)) == tenon.Status.INVALID_ARGUMENT
    assert calls.tenon_gravity_force(arm._address, q, None) == tenon.Status.INVALID_ARGUMENT
    assert calls.tenon_mass_matrix(arm._address, q, np.empty((3, 7), order="F")) == tenon.Status.WRONG_SIZE
    assert calls.tenon_gravity_force(0, q, np.empty(7)) == tenon.Status.INVALID_ARGUMENT


def test_arguments_of_the_wrong_kind_are_refused(arm):
    q = arm.random(1)
    for wrong in ((), (arm._address, q), (arm._address, q, np.empty(7), 1), ("arm", q, np.empty(7))):
        with pytest.raises((TypeError, Exception)) as caught:
            calls.tenon_gravity_force(*wrong)
        assert type(caught.value).__name__ in ("TypeError", "ArgumentError")
    with pytest.raises(Exception) as caught:  # options of another function
        calls.tenon_delassus(arm._address, _raw.tenon_solve_options(), q, None)
    assert type(caught.value).__name__ in ("TypeError", "ArgumentError")


def test_a_closed_workspace_is_an_error(arm):
    q = arm.random(1)
    arm.close()
    with pytest.raises(tenon.Error) as caught:
        arm.gravity_force(q, out=np.empty(7))
    assert caught.value.status is tenon.Status.INVALID_ARGUMENT


def test_nothing_holds_arrays_after_a_call(arm):
    q, out = arm.random(1), np.empty(arm.nv)
    arm.gravity_force(q, out=out)
    with pytest.raises(TypeError):
        arm.gravity_force(q, out="no array")
    q.resize(9, refcheck=False)  # numpy refuses while a buffer is in use
    out.resize(9, refcheck=False)


def test_other_threads_run_while_a_long_call_computes():
    links = 400
    text = "<robot name='long'><link name='l0'/>" + "".join(
        f"<link name='l{i}'><inertial><mass value='1'/><origin xyz='0 0 -0.1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
        f"ixz='0' iyz='0'/></inertial></link><joint name='j{i}' type='continuous'><parent link='l{i - 1}'/>"
        f"<child link='l{i}'/><axis xyz='0 1 0'/></joint>"
        for i in range(1, links + 1)
    )
    work = tenon.Workspace(tenon.Model.parse(text + "</robot>"))
    q, B = work.neutral(), np.ones((links, 8000), order="F")
    result, times, turns = np.empty_like(B), [], []

    def compute():
        times.append(time.perf_counter())
        work.mass_matrix_inverse_times(q, B, out=result)
        times.append(time.perf_counter())

    thread = threading.Thread(target=compute)
    thread.start()
    while len(times) < 2:
        turns.append(time.perf_counter())
    thread.join()
    begin, end = times
    middle = [t for t in turns if begin + 0.3 * (end - begin) < t < begin + 0.7 * (end - begin)]
    assert middle, f"nothing else ran in the {end - begin:.3f} s of a call"


def test_calls_do_not_leak(arm):
    import gc
    import sys

    q, v, out, bad = arm.random(1), arm.zeros(), np.empty(7), np.zeros(7, np.float32)
    before = [sys.getrefcount(x) for x in (q, v, out, bad)]
    for _ in range(100):
        arm.forward_dynamics(q, v, list(v), out=out)
        with pytest.raises(TypeError):
            arm.forward_dynamics(q, v, v, out=bad)
    gc.collect()
    assert [sys.getrefcount(x) for x in (q, v, out, bad)] == before
    assert MODELS.exists()
