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
