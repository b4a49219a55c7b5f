"""What is not done and said instead: arrays that do not fit, objects that cannot be copied, threads that meet."""

import copy
import ctypes
import pickle
import threading

import numpy as np
import pytest
import tenon
from conftest import MODELS
from tenon import _core, _structs

STATES, STEPS = 16, 4


@pytest.fixture
def batch(arm):
    return tenon.Batch(arm.model)


def packed(states, numbers=None):
    """Records of 7 numbers and a flag: strides of 60 bytes, no multiple of a number's 8."""
    records = np.zeros(states, dtype=[("x", "<f8", (7,)), ("flag", "<u4")])
    records["flag"] = 0xDEADBEEF
    if numbers is not None:
        records["x"] = numbers
    return records


# ---- arrays of batches


def test_strides_that_are_no_multiple_of_a_number(batch):
    q, zero = np.random.default_rng(0).normal(size=(STATES, 7)), np.zeros(7)
    expected = batch.forward_dynamics(q, zero, zero)
    assert np.array_equal(batch.forward_dynamics(packed(STATES, q)["x"], zero, zero), expected)
    shifted = np.zeros(q.nbytes + 4, np.uint8)[4:].view("<f8").reshape(q.shape)
    shifted[:] = q
    assert np.array_equal(batch.forward_dynamics(shifted, zero, zero), expected)
    out = packed(STATES)
    for wrong in (out["x"], shifted):
        with pytest.raises(ValueError, match="out has strides of .* bytes, or an address, that are no multiple of 8"):
            batch.forward_dynamics(q, zero, zero, out=wrong)
    assert not out["x"].any() and (out["flag"] == 0xDEADBEEF).all() and np.array_equal(shifted, q)
    for wrong in ([0.0] * 7, "out"):
        with pytest.raises(TypeError, match="out is to be an array"):
            batch.forward_dynamics(q[:1], zero, zero, out=wrong)


def test_messages_name_the_array(batch, atlas):
    q = np.zeros((STATES, 7))
    for call, words in (
        (lambda: batch.forward_dynamics(q, q[:5], q[:, :7]), "different numbers of states: q of 16, v of 5, tau of 16"),
        (lambda: batch.forward_dynamics(q, q, q[None]), "tau is an array of 3 dimensions"),
        (lambda: batch.inverse_dynamics(q, q, [["fast"] * 7]), "a: could not convert"),
        (lambda: batch.kinematics(q, [0], q, velocities=np.zeros((STATES, 7))), r"velocities is float64 \(16, 7\); writeable"),
        (lambda: batch.rollout(q, q, q, v_out=np.zeros((STATES, 2, 7))), r"v_out is float64 \(16, 2, 7\)"),
        (lambda: batch.mass_matrix(q, out=np.zeros((7, STATES, 7)).swapaxes(0, 1)), "out is to be contiguous"),
        (lambda: batch.forward_dynamics_derivatives(q, q, q, dqdd_dv=np.zeros((STATES, 7, 6))), "dqdd_dv is float64"),
        (lambda: tenon.Batch(atlas.model, atlas.constraints).set_gains(np.zeros((2, 3))), r"frequencies is \(2, 3\); states x 2"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(tenon.Error, match="^wrong_size: tenon_batch_forward_dynamics: tau has 6"):
        batch.forward_dynamics(q, q, q[:, :6])


def test_messages_say_once_what_a_status_says(atlas):
    """A status is named before a message, not in it too."""
    closed = tenon.Constraints(atlas.model)
    with pytest.raises(tenon.Error, match="^unsupported: a closure has no rows along the world's axes") as caught:
        closed.add_closure("l_hand", "r_hand", axes="world")
    assert str(caught.value) == f"unsupported: {caught.value.message}"
    atlas.set_coordinates("spanning", "spanning")
    robot = tenon.Model.load(MODELS / "six_bar.urdf")
    q = tenon.Workspace(robot).guess()
    with pytest.raises(tenon.Error, match="^unsupported: there are no second derivatives") as caught:
        tenon.Workspace(robot).forward_dynamics_hessian(q, *[np.zeros(robot.nv)] * 3)
    assert str(caught.value).count("unsupported") == 1


def test_a_rollout_reads_as_many_steps_as_there_are(batch):
    q = v = np.zeros((STATES, 7))
    every_step = np.random.default_rng(1).normal(size=(STATES, STEPS, 7))
    for steps in (STEPS - 1, STEPS + 1, 1):
        with pytest.raises(ValueError, match=rf"tau is of {STEPS} steps, and the rollout of {steps}"):
            batch.rollout(q, v, every_step, steps=steps)
    with pytest.raises(ValueError, match=rf"tau is of {STEPS} steps, and the rollout of 1"):
        batch.rollout(q, v, every_step)
    one = batch.rollout(q, v, every_step[:, :1], steps=STEPS)  # the same in all steps
    assert np.array_equal(one[1], batch.rollout(q, v, every_step[:, 0], steps=STEPS)[1])
    for wrong in (-1, 2**64):
        with pytest.raises(OverflowError, match="steps"):
            batch.rollout(q, v, v, steps=wrong)
    assert np.array_equal(batch.rollout(q, v, v, steps=np.int64(2))[0], batch.rollout(q, v, v, steps=2)[0])
    with pytest.raises((ValueError, MemoryError)):
        batch.rollout(q, v, v, steps=2**63)


def test_no_state_and_no_joint(batch, atlas):
    none = np.zeros((0, 7))
    assert batch.forward_dynamics(none, none, np.zeros(7)).shape == (0, 7)
    assert batch.mass_matrix(none).shape == (0, 7, 7) and batch.statuses() == []
    assert batch.mass_matrix(none, out=np.zeros((0, 7, 7))).shape == (0, 7, 7)
    assert batch.mass_matrix_lower(none).shape == batch.mass_matrix_factor(none).shape == (0, 28)
    assert [x.shape for x in batch.rollout(none, none, none, steps=3)] == [(0, 3, 7), (0, 3, 7)]
    assert batch.kinematics(none, ["iiwa_link_7"], none).jacobians.shape == (0, 1, 6, 7)
    feet = tenon.Batch(atlas.model, atlas.constraints)
    q, v = np.zeros((0, 37)), np.zeros((0, 36))
    assert [x.shape for x in feet.constrained_dynamics(q, v, v)] == [(0, 36), (0, 12)]
    assert feet.delassus(q).shape == (0, 12, 12)
    stone = tenon.Batch(tenon.Model.parse("<robot name='stone'><link name='a'/></robot>"))
    for states in (0, 1, 3):
        nothing = np.zeros((states, 0))
        assert stone.forward_dynamics(nothing, nothing, nothing).shape == (states, 0) and stone.status.size == states
        assert [x.shape for x in stone.rollout(nothing, nothing, nothing, steps=2)] == [(states, 2, 0)] * 2
        assert stone.mass_matrix(nothing).shape == (states, 0, 0)
        assert stone.mass_matrix_lower(nothing).shape == stone.mass_matrix_factor(nothing).shape == (states, 0)


# ---- copies


def test_objects_are_not_copied_and_errors_are(arm, batch):
    feet = tenon.Constraints(arm.model)
    for thing in (arm, arm.model, batch, feet, tenon.Builder("b")):
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=f"a {type(thing).__name__} cannot be copied or pickled: .*"):
                copied(thing)
    with pytest.raises(tenon.Error) as caught:
        arm.model.link_index("nowhere")
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(again) is tenon.Error and str(again) == str(caught.value)
        assert again.status is tenon.Status.NOT_FOUND and again.message == caught.value.message


# ---- threads


def implicit(function):
    """The double pendulum with q2 = 2 q1, by a function of Python."""
    builder = tenon.Builder.load(MODELS / "double_pendulum.urdf")
    joints = tenon.Model.load(MODELS / "double_pendulum.urdf").joints

    def relation(q, v):
        function()
        return [q[1] - 2 * q[0]], [[-2.0, 1.0]], [0.0]

    builder.add_implicit("c", joints, 1, relation)
    return builder.finish()


@pytest.mark.parametrize("kind", [tenon.Workspace, tenon.Batch])
def test_a_second_thread_is_refused(kind):
    """The first one computes, as long as the function that it calls waits."""
    inside, goes_on, waits = threading.Event(), threading.Event(), []

    def function():
        if waits:
            inside.set()
            goes_on.wait()

    first = kind(implicit(function))
    state = np.zeros((1, 2)) if kind is tenon.Batch else np.zeros(2)
    expected, result = first.forward_dynamics(state, state, state), []
    waits.append(True)
    thread = threading.Thread(target=lambda: result.append(first.forward_dynamics(state, state, state)))
    thread.start()
    inside.wait()
    status = first.status
    try:
        seconds = [lambda: first.inverse_dynamics(state, state, state), first.close]
        if kind is tenon.Batch:
            seconds += [lambda: first.set_gravity([0, 0, 0]), lambda: first.constrained_dynamics(state, state, state)]
        else:
            seconds += [lambda: setattr(first, "gravity", [0, 0, 0]), lambda: first.close_loops(state)]
        for second in seconds:
            with pytest.raises(RuntimeError, match=f"this (?i:{kind.__name__}) computes already, in another thread"):
                second()
        assert first.status is status
        waits.clear()
        assert np.array_equal(kind(first.model).forward_dynamics(state, state, state), expected)
    finally:
        goes_on.set()
        thread.join()
    assert np.array_equal(result[0], expected)
    assert np.array_equal(first.forward_dynamics(state, state, state), expected)
    first.close()
    first.close()


def test_a_function_may_not_compute_on_the_workspace_that_called_it():
    place = []
    robot = implicit(lambda: place and place[0].gravity_force(np.zeros(2)))
    place.append(tenon.Workspace(robot))
    with pytest.raises(RuntimeError, match="this workspace computes already"):
        place[0].forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))
    work = place.pop()
    assert work.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2)).shape == (2,)


# ---- functions of the user


class Fault(BaseException):
    pass


@pytest.mark.parametrize("fault", [ZeroDivisionError, KeyboardInterrupt, Fault])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_function_raises_is_raised(fault, threads):
    state, wrong = np.zeros((40, 2)), []

    def function():
        if wrong:
            raise fault("in the function")

    robot = implicit(function)
    work, batch = tenon.Workspace(robot), tenon.Batch(robot, threads=threads)
    expected = batch.forward_dynamics(state, state, state)
    wrong.append(True)
    for compute in (
        lambda: work.forward_dynamics(state[0], state[0], state[0]),
        lambda: batch.forward_dynamics(state, state, state),
        lambda: batch.forward_dynamics(state, state, state, raises=False),
    ):
        with pytest.raises(fault, match="in the function"):
            compute()
    wrong.clear()
    assert np.array_equal(batch.forward_dynamics(state, state, state), expected)
    assert work.forward_dynamics(state[0], state[0], state[0]).shape == (2,)
    assert not _core._raised


def test_what_a_log_function_raises_is_raised():
    text = "<robot name='r'><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/>" \
           "<mimic joint='j'/></joint><link name='b'/></robot>"  # fmt: skip

    def log(level, words):
        raise Fault(words)

    for make in (tenon.Model.parse, lambda text, **how: tenon.Builder.parse(text).finish(**how)):
        with pytest.raises(Fault, match="mimic"):
            make(text, log_callback=log)


# ---- texts and options


def test_bytes_that_are_no_text():
    with pytest.raises(tenon.Error, match="is not UTF-8 at its byte 1"):
        tenon.Model.load(b"\xff.urdf")
    # A message is cut where its room ends, maybe inside a letter.
    for length in range(4):
        with pytest.raises(tenon.Error):
            tenon.Model.load("a" * length + "\u00e4" * 2000 + ".urdf")


def test_precisions_by_every_name(arm):
    for name, kind in (("single", np.float32), ("float", np.float32), ("FLOAT", np.float32), ("double", np.float64)):
        assert tenon.Batch(arm.model, precision=name).dtype == kind
    with pytest.raises(ValueError, match="there is no Precision 'half'; there are: double, single"):
        tenon.Batch(arm.model, precision="half")
    with pytest.raises(ValueError, match="there is no Base 'float'; there are: fixed, floating"):
        tenon.Model.load(MODELS / "iiwa14.urdf", base="float")


def test_numbers_that_do_not_fit_into_an_option(arm):
    for how in ({"threads": 2**32 + 1}, {"threads": -(2**40)}):
        with pytest.raises(OverflowError, match="threads = .* does not fit"):
            tenon.Batch(arm.model, **how)
    with pytest.raises(TypeError):
        tenon.Batch(arm.model, threads=1.5)
    options = _structs.rollout_options({"dt": 2**60 + 1, "steps": np.uint64(2**63)})
    assert options.dt == 2.0**60 and options.steps == 2**63 and ctypes.sizeof(options) == options.struct_size
