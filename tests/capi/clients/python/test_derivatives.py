"""Derivatives in numpy: their order in memory, blocks of larger arrays, what is added to, and second ones of batches."""

import numpy as np
import pytest
import tenon
from conftest import MODELS


@pytest.fixture()
def dog():
    robot = tenon.Model.load(MODELS / "go1.urdf", base="floating")
    return tenon.Workspace(robot, tenon.Constraints(robot, welds=["FR_calf", "RL_calf"]))


def state(work, seed=1):
    random = np.random.default_rng(seed)
    return work.random(seed), random.normal(size=work.nv), random.normal(size=work.nv)


def matrices(result):
    return [x for x in result if x.ndim == 2]


def test_the_order_in_memory_changes_no_element(dog):
    q, v, tau = state(dog)
    w = np.arange(18.0)
    for call in (
        lambda **how: dog.inverse_dynamics_derivatives(q, v, tau, **how),
        lambda **how: dog.forward_dynamics_derivatives(q, v, tau, **how),
        lambda **how: dog.constrained_dynamics_derivatives(q, v, tau, **how),
        lambda **how: dog.constrained_solution_derivatives(q, v, tau, **how),
        lambda **how: dog.impact_derivatives(q, v, **how),
        lambda **how: dog.inverse_dynamics_hessian(q, v, tau, w, **how),
        lambda **how: dog.constrained_dynamics_hessian(q, v, tau, gradient=w, **how),
    ):
        columns, rows = matrices(call()), matrices(call(row_major=True))
        assert len(columns) >= 3
        for A, B in zip(columns, rows):
            assert A.flags.f_contiguous and B.flags.c_contiguous
            assert A.shape == B.shape and np.array_equal(A, B)


def test_blocks_of_larger_arrays(dog):
    q, v, tau = state(dog)
    by_q, by_desired = dog.constrained_dynamics_derivatives(q, v, tau)[1::3][:2]
    for order, row_major in (("F", 0), ("C", 1)):
        whole = np.full((40, 40), 0.5, order=order)
        block, beside = whole[2:20, 3:21], whole[2:20, 21:33]
        result = dog.constrained_dynamics_derivatives(
            q, v, tau, dqdd_dq=block, dqdd_ddesired=beside, row_major=row_major, accumulate=1
        )
        assert result[1] is block
        assert np.array_equal(block, 0.5 + by_q) and np.array_equal(beside, 0.5 + by_desired)
        assert np.all(whole[:2] == 0.5) and np.all(whole[:, :3] == 0.5) and np.all(whole[:, 33:] == 0.5)


def test_what_is_new_and_added_to_begins_with_zeros(dog):
    q, v, tau = state(dog)
    for row_major in (0, 1):
        for written, added in zip(
            matrices(dog.forward_dynamics_derivatives(q, v, tau)),
            matrices(dog.forward_dynamics_derivatives(q, v, tau, accumulate=1, row_major=row_major)),
        ):
            assert np.array_equal(written, added)


def test_the_other_order_is_refused(dog):
    q, v, tau = state(dog)
    with pytest.raises(ValueError, match="dqdd_dq is to be row-major: order='C'"):
        dog.forward_dynamics_derivatives(q, v, tau, dqdd_dq=np.zeros((18, 18), order="F"), row_major=True)
    with pytest.raises(ValueError, match="dqdd_dq is to be column-major: order='F'"):
        dog.forward_dynamics_derivatives(q, v, tau, dqdd_dq=np.zeros((18, 18)))
    with pytest.raises(ValueError, match="dqdd_dq is 18 x 17, and the result 18 x 18"):
        dog.forward_dynamics_derivatives(q, v, tau, dqdd_dq=np.zeros((18, 17)), row_major=True)
    with pytest.raises(tenon.Error, match="row_major is 2"):
        dog.forward_dynamics_derivatives(q, v, tau, row_major=2)


def test_impacts_of_batches(dog):
    batch = tenon.Batch(dog.model, dog.constraints)
    q, v, tau = state(dog)
    v = np.stack([v, 2 * v, -v])
    rebound = np.linspace(0, 1, dog.m)
    w, z = np.cos(np.arange(dog.nv)), np.sin(np.arange(dog.m))
    after, impulse = batch.impact(q, v, rebound)
    one, of_rows = batch.impact(q, v, 0.5), batch.impact(q, v, np.full(dog.m, 0.5))
    assert all(np.array_equal(a, b) for a, b in zip(one, of_rows))
    found = {
        "derivatives": batch.impact_derivatives(q, v, rebound),
        "vjp": batch.impact_vjp(q, v, rebound, w, z),
        "jvp": batch.impact_jvp(q, v, rebound, w, w),
    }
    for i in range(3):
        expected = {
            "derivatives": dog.impact_derivatives(q, v[i], rebound),
            "vjp": dog.impact_vjp(q, v[i], rebound, w, z),
            "jvp": dog.impact_jvp(q, v[i], rebound, w, w),
        }
        for name, results in expected.items():
            for a, b in zip(found[name], results):
                assert np.abs(a[i] - b).max() <= 1e-9 * max(1, np.abs(b).max())
        assert np.array_equal(found["vjp"][0].shape, after.shape)
        assert np.abs(found["vjp"][0][i] - after[i]).max() <= 1e-9 * np.abs(after[i]).max()
        assert np.abs(found["vjp"][1][i] - impulse[i]).max() <= 1e-9 * np.abs(impulse[i]).max()
    bad = np.stack([rebound, rebound + 1, rebound])
    after, _ = batch.impact(q, v, bad, raises=False)
    assert batch.failed().tolist() == [1]


def test_second_derivatives_of_batches(dog):
    batch = tenon.Batch(dog.model, dog.constraints)
    states = [state(dog, seed) for seed in range(1, 6)]
    q, v, tau = (np.array(x) for x in zip(*states))
    w = np.random.default_rng(2).normal(size=(5, 18))
    batch.anchor_here(q)
    for row_major in (0, 1):
        of_all = batch.constrained_dynamics_hessian(q, v, tau, gradient=w, row_major=row_major)
        of_inverse = batch.inverse_dynamics_hessian(q, v, tau, w, row_major=row_major)
        for s in range(5):
            dog.anchor_here(q[s])
            for one, many in zip(dog.constrained_dynamics_hessian(q[s], v[s], tau[s], gradient=w[s]), of_all):
                assert many.flags.c_contiguous and np.array_equal(one, many[s])
            for one, many in zip(dog.inverse_dynamics_hessian(q[s], v[s], tau[s], w[s]), of_inverse):
                assert np.array_equal(one, many[s])
    assert batch.statuses() == [tenon.Status.OK] * 5
    by_rows = batch.constrained_dynamics_derivatives(q, v, tau, row_major=1)
    for A, B in zip(batch.constrained_dynamics_derivatives(q, v, tau), by_rows):
        assert np.array_equal(A, B)


def ring(kind, seed):
    """Eight hinges with axes of all directions whose last link is tied to the ground: closed at q = 0."""
    random, builder = np.random.default_rng(seed), tenon.Builder(f"ring_{kind}")
    builder.add_link("link0")
    at = np.zeros(3)
    for i in range(8):
        axis, step = random.normal(size=3), random.uniform(-0.5, 0.5, 3)
        builder.add_link(f"link{i + 1}", 1.0, random.uniform(-0.2, 0.2, 3), (0.1, 0, 0, 0.12, 0, 0.15))
        builder.add_joint(f"joint{i}", f"link{i}", f"link{i + 1}", axis=axis / np.linalg.norm(axis), origin=step)
        at += step
    builder.add_loop("tie", "link0", "link8", type=kind, pose=at)
    return builder.finish()


@pytest.mark.parametrize("kind,seed", [("fixed", 0), ("revolute", 1), ("prismatic", 2), ("planar", 4)])
def test_runge_kutta_through_loops_that_hold_angles(kind, seed):
    """Their stages leave such loops open. Against differences of whole steps, of fourth order; products fit each other."""
    robot = ring(kind, seed)
    work, random = tenon.Workspace(robot), np.random.default_rng(1)
    work.set_coordinates("spanning", "independent")
    q, n, dt, h = np.zeros(8), work.nv, 0.02, 1e-4
    assert 0 < n < 8
    v, tau, *along = 0.5 * random.normal(size=(5, n))

    def end(s):
        q_s, v_s = work.integrate(q, along[0], s), v + s * along[1]
        work.step_runge_kutta_4(dt, q_s, v_s, tau + s * along[2])
        return q_s, v_s

    middle = end(0)[0]
    ends = [np.concatenate([work.difference(middle, q_s), v_s]) for q_s, v_s in map(end, (-2 * h, -h, h, 2 * h))]
    slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    _, _, dq, dv = work.step_runge_kutta_4_jvp(dt, q, v, tau, None, *along)
    assert np.abs(np.concatenate([dq, dv]) - slope).max() < 1e-7 * np.abs(slope).max()
    weights = random.normal(size=(2, n))
    gradients = work.step_runge_kutta_4_vjp(dt, q, v, tau, None, *weights)[2:]
    terms = [np.dot(g, x) for g, x in zip(gradients, along)]
    assert abs(weights[0] @ dq + weights[1] @ dv - sum(terms)) < 1e-12 * np.abs(terms).sum()

    batch = tenon.Batch(robot)
    batch.set_coordinates("spanning", "independent")
    found = batch.step_runge_kutta_4_vjp(dt, q[None], v[None], tau[None], None, weights[:1], weights[1:])[2:]
    for a, b in zip(found, gradients):
        assert np.allclose(a[0], b, rtol=1e-9, atol=1e-9 * np.abs(b).max())
    how = {"integrator": "runge_kutta_4", "dt": dt, "steps": 4, "every": 4}
    weight = random.normal(size=(2, 1, 1, n))
    rolled = batch.rollout_vjp(q[None], v[None], tau[None, None], None, *weight, **how)

    def last(s):
        start = work.integrate(q, along[0], s)
        q_out, v_out = batch.rollout(start[None], v + s * along[1], tau[None], **how)
        return weight[0, 0, 0] @ work.difference(reference, q_out[0, 0]) + weight[1, 0, 0] @ v_out[0, 0]

    reference = batch.rollout(q[None], v, tau[None], **how)[0][0, 0]
    slope = (last(-2 * h) - 8 * last(-h) + 8 * last(h) - last(2 * h)) / (12 * h)
    assert abs(rolled[0][0] @ along[0] + rolled[1][0] @ along[1] - slope) < 1e-7 * max(1, abs(slope))
