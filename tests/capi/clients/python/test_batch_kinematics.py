"""Kinematics of many states and products with its derivatives: shapes, single calls, gradients against changes."""

import numpy as np
import pytest

CLOSE = {"rtol": 1e-8, "atol": 1e-8}


def test_gradients_through_kinematics_take_the_shapes_that_it_gives(atlas, many):
    batch, q, v, _ = many
    links, random = ["l_hand", "r_hand"], np.random.default_rng(2)
    given = {name: random.standard_normal((13, 2, 6)) for name in ("pose_gradients", "velocity_gradients")}
    found = batch.kinematics_vjp(q, links, v, **given)
    flat = batch.kinematics_vjp(q, links, v, **{name: x.reshape(13, 12) for name, x in given.items()})
    apart = batch.kinematics_vjp(q, links, v, **{name: np.asfortranarray(x) for name, x in given.items()})
    for one, other, third in zip(found, flat, apart):
        assert np.array_equal(one, other) and np.array_equal(one, third)
    same = batch.kinematics_vjp(q, links, pose_gradients=given["pose_gradients"][0])
    assert np.array_equal(same.gradient_q, batch.kinematics_vjp(q, links, pose_gradients=given["pose_gradients"][0].ravel()).gradient_q)
    with pytest.raises(ValueError, match="pose_gradients is an array of 3 dimensions"):
        batch.kinematics_vjp(q, links, pose_gradients=np.zeros((13, 3, 6)))


def test_motion_of_links(atlas, many):
    batch, q, v, _ = many
    links, random = ["l_hand", "pelvis"], np.random.default_rng(3)
    a, dq, dv, da = random.standard_normal((4, 13, atlas.nv))
    found, bias = batch.link_motion(q, links, v, a, jacobians=False), batch.link_motion(q, links, v)
    assert found.accelerations.shape == (13, 2, 6) and found.jacobians is None
    assert batch.link_motion(q, links).accelerations is None
    names = ("pose_gradients", "velocity_gradients", "acceleration_gradients")
    given = {name: random.standard_normal((13, 2, 6)) for name in names}
    by = batch.link_motion_vjp(q, links, v, a, **given, poses=False)
    change = batch.link_motion_jvp(q, links, v, a, dq, dv, da, velocities=False)
    assert by.poses is None and np.array_equal(by.accelerations, found.accelerations)
    for s in range(13):
        atlas.kinematics(q[s], v[s], a[s])
        for k, link in enumerate(links):
            assert np.allclose(found.poses[s, k], atlas.link_pose(link), **CLOSE)
            assert np.allclose(found.velocities[s, k], atlas.link_velocity(link), **CLOSE)
            assert np.allclose(found.accelerations[s, k], atlas.link_acceleration(link), **CLOSE)
            moved = bias.jacobians[s, k] @ a[s] + bias.accelerations[s, k]
            assert np.allclose(found.accelerations[s, k], moved, **CLOSE)
        along = sum((g[s] * x[s]).sum() for g, x in zip(given.values(), change[3:]))
        assert np.allclose(by.gradient_q[s] @ dq[s] + by.gradient_v[s] @ dv[s] + by.gradient_a[s] @ da[s], along, **CLOSE)


def test_numbers_of_whole_robots(atlas, many):
    batch, q, v, _ = many
    found, random = batch.centroidal(q, v), np.random.default_rng(2)
    assert [x.shape for x in found] == [(13, 3), (13, 3), (13, 6), (13,), (13,)]
    still = batch.centroidal(q)
    assert still.momenta is None and np.array_equal(still.potential, found.potential)
    dq, dv = random.standard_normal((2, 13, atlas.nv))
    names = ("center_gradients", "center_velocity_gradients", "momentum_gradients", "kinetic_gradients", "potential_gradients")
    weights = [random.standard_normal(x.shape) for x in found]
    by = batch.centroidal_vjp(q, v, **dict(zip(names, weights)))
    columns = batch.centroidal_vjp(q, v, **dict(zip(names, (w.reshape(13, -1) for w in weights))))
    change = batch.centroidal_jvp(q, v, dq, dv)
    for s in range(13):
        atlas.kinematics(q[s], v[s])
        assert np.allclose(found.centers[s], atlas.center_of_mass(), **CLOSE)
        assert np.allclose(found.center_velocities[s], atlas.center_of_mass_velocity(), **CLOSE)
        assert np.allclose(found.momenta[s], atlas.centroidal_momentum(), **CLOSE)
        assert np.allclose([found.kinetic[s], found.potential[s]], atlas.energy(), **CLOSE)
        along = sum((w[s] * x[s]).sum() for w, x in zip(weights, change[5:]))
        assert np.allclose(by.gradient_q[s] @ dq[s] + by.gradient_v[s] @ dv[s], along, **CLOSE)
    assert np.array_equal(by.gradient_q, columns.gradient_q) and np.array_equal(by.kinetic, found.kinetic)
