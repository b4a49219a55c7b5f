"""What the methods compute: identities that hold whatever computes them, in numpy."""

import numpy as np
import pytest
import tenon
from conftest import MODELS

CLOSE = {"rtol": 1e-8, "atol": 1e-8}


def state(work, seed=5):
    rng = np.random.default_rng(seed)
    return work.random(seed), 0.3 * rng.standard_normal(work.nv), 5.0 * rng.standard_normal(work.nv)


@pytest.mark.parametrize("robot", ["arm", "atlas"])
def test_inverse_undoes_forward(robot, request):
    work = request.getfixturevalue(robot)
    q, v, tau = state(work)
    wrenches = np.random.default_rng(1).standard_normal((work.model.link_count, 6))
    qdd = work.forward_dynamics(q, v, tau, wrenches)
    assert np.allclose(work.inverse_dynamics(q, v, qdd, wrenches), tau, **CLOSE)
    M = work.mass_matrix(q)
    assert np.allclose(M @ qdd + work.bias(q, v, wrenches), tau, **CLOSE)
    assert np.allclose(work.bias(q, v) - work.gravity_force(q), work.coriolis_matrix(q, v) @ v, **CLOSE)


def test_mass_matrix_and_its_factor(atlas):
    q, v, _ = state(atlas)
    M = atlas.mass_matrix(q)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M).min() > 0
    B = np.random.default_rng(2).standard_normal((atlas.nv, 3))
    atlas.mass_matrix_factor(q)
    assert np.allclose(atlas.mass_matrix_multiply(B), M @ B, **CLOSE)
    assert np.allclose(M @ atlas.mass_matrix_solve(B), B, **CLOSE)
    assert np.allclose(M @ atlas.mass_matrix_inverse_times(q, B), B, **CLOSE)
    x = atlas.mass_matrix_solve(v)
    assert x.shape == v.shape and np.allclose(M @ x, v, **CLOSE)
    out = np.empty(atlas.nv)
    assert atlas.mass_matrix_inverse_times(q, v, out=out) is out and np.allclose(out, x, **CLOSE)
    atlas.kinematics(q, v)
    assert np.isclose(atlas.energy()[0], v @ M @ v / 2)


def test_kinematics_by_differences(atlas):
    q, v, a = state(atlas)
    dt = 1e-6
    atlas.kinematics(q, v, a)
    link = "r_hand"
    J, velocity, com = atlas.jacobian(link), atlas.link_velocity(link), atlas.center_of_mass()
    acceleration, J_com = atlas.link_acceleration(link), atlas.center_of_mass_jacobian()
    pose, R = atlas.link_pose(link), atlas.link_rotation(link)
    point = np.array([0.1, 0.2, 0.3])
    J_point = atlas.jacobian(link, point)
    bias = atlas.point_bias_acceleration(link)
    momentum, A = atlas.centroidal_momentum(), atlas.centroidal_momentum_matrix()
    assert np.allclose(J @ v, velocity, **CLOSE) and np.allclose(J_com @ v, atlas.center_of_mass_velocity(), **CLOSE)
    assert np.allclose(J @ a + bias, acceleration, **CLOSE) and np.allclose(A @ v, momentum, **CLOSE)
    assert np.allclose(R @ R.T, np.eye(3), **CLOSE) and np.isclose(np.linalg.det(R), 1)
    assert np.allclose(momentum[3:], atlas.model.total_mass * (J_com @ v), **CLOSE)
    atlas.kinematics(atlas.integrate(q, v, dt), v)
    after, R_after = atlas.link_pose(link), atlas.link_rotation(link)
    assert np.allclose((after[:3] - pose[:3]) / dt, velocity[3:], atol=1e-4)
    assert np.allclose((after[:3] + R_after @ point - pose[:3] - R @ point) / dt, (J_point @ v)[3:], atol=1e-4)
    assert np.allclose((atlas.center_of_mass() - com) / dt, J_com @ v, atol=1e-4)


def test_configurations(atlas):
    q, v, _ = state(atlas)
    assert np.allclose(atlas.difference(q, atlas.integrate(q, v, 0.5)), 0.5 * v, **CLOSE)
    assert atlas.neutral()[6] == 1.0 and not np.array_equal(atlas.random(1), atlas.random(2))
    q[3:7] *= 2
    assert np.isclose(np.linalg.norm(atlas.normalize(q)[3:7]), 1)


@pytest.mark.parametrize("method", ["automatic", "dense", "constrained_aba", "prox_ltl", "pv"])
def test_constrained_dynamics(atlas, method):
    q, v, tau = state(atlas)
    atlas.anchor_here(q)
    options = atlas.solve_options(method=method)
    qdd, force = atlas.constrained_dynamics(q, v, tau, options=options)
    rows = atlas.constraint_rows(q, v)
    assert atlas.status is tenon.Status.OK and np.allclose(rows.J @ qdd, rows.rhs, atol=1e-7)
    assert np.allclose(atlas.mass_matrix(q) @ qdd + atlas.bias(q, v), tau + rows.J.T @ force, atol=1e-6)
    assert np.allclose(atlas.constrained_inverse_dynamics(q, v, qdd, force), tau, atol=1e-6)
    assert np.allclose(rows.velocity, rows.J @ v, **CLOSE) and np.allclose(rows.position_error, 0, **CLOSE)
    if method != "automatic":
        assert atlas.report.method is tenon.Method[method.upper()]


def test_delassus_and_operational_space(atlas):
    q, v, _ = state(atlas)
    J = atlas.constraint_rows(q, v).J
    A = J @ np.linalg.solve(atlas.mass_matrix(q), J.T)
    assert np.allclose(atlas.delassus(q), A, **CLOSE) and np.allclose(atlas.delassus(q, method="pv_osimr"), A, **CLOSE)
    damped = np.linalg.inv(A + np.eye(12) / 1e4)
    assert np.allclose(atlas.delassus_inverse(q, mu=1e4), damped, rtol=1e-6)
    atlas.delassus_factor(q, mu=1e4)
    assert np.allclose(atlas.delassus_solve(np.eye(12)), damped, rtol=1e-6)
    space = atlas.operational_space(q)
    assert space.rank == 12 and np.allclose(space.Lambda @ A, np.eye(12), atol=1e-6)
    assert np.allclose(J @ space.N, 0, atol=1e-6)


def test_rows_are_switched_off_and_anchored(atlas):
    q, v, tau = state(atlas)
    atlas.set_active("left", False)
    assert not atlas.settings("left").active and atlas.settings("right").frequency == 20.0
    _, force = atlas.constrained_dynamics(q, v, tau)
    assert not force[:6].any() and force[6:].any()
    atlas.set_gains("right", 30.0, 0.5)
    atlas.set_weights("right", [2.0] * 6)
    atlas.set_compliance("right", None)
    assert atlas.settings(1).damping_ratio == 0.5
    pose = np.array([1.0, 2, 3, 0, 0, 0, 1])
    atlas.set_anchor("right", pose)
    assert np.array_equal(atlas.anchor("right"), pose)


def test_impact_and_projection(atlas):
    q, v, _ = state(atlas)
    atlas.anchor_here(q)
    J, M, before = atlas.constraint_rows(q, v).J, atlas.mass_matrix(q), v.copy()
    impulse = atlas.impact(q, v)
    assert np.allclose(J @ v, 0, atol=1e-8) and np.allclose(M @ (v - before), J.T @ impulse, atol=1e-6)
    again = before.copy()
    atlas.project_velocities(q, again)
    assert np.allclose(again, v, atol=1e-8)
    moved = atlas.integrate(q, before, 0.01)
    assert atlas.project_positions(moved, tolerance=1e-10) == tenon.Status.OK
    assert np.abs(atlas.constraint_rows(moved, v).position_error[6:]).max() < 1e-9


def test_underactuated(atlas):
    q, _, _ = state(atlas)
    tau, force = atlas.underactuated_inverse_dynamics(q, atlas.zeros(), atlas.zeros())
    J = atlas.constraint_rows(q, atlas.zeros()).J
    assert not tau[:6].any() and np.allclose(tau + J.T @ force, atlas.gravity_force(q), atol=1e-6)


@pytest.mark.parametrize("integrator, order", [("semi_implicit_euler", 1), ("runge_kutta_4", 4)])
def test_steps_converge_at_their_order(arm, integrator, order):
    def end(steps):
        q, v = arm.neutral() + 0.3, arm.zeros()
        for _ in range(steps):
            arm.step(q, v, arm.zeros(), 0.1 / steps, integrator=integrator)
        return np.concatenate([q, v])

    errors = [np.abs(end(n) - end(4 * n)).max() for n in (10, 20)]
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.35)


def test_loops(linkage):
    robot, q = linkage.model, linkage.guess()
    assert robot.cluster_count == 1 and robot.ny < robot.nv and linkage.loop_gap(q) < 1e-9
    y = linkage.independent_positions(q)
    assert np.array_equal(y, q[robot.independent_q]) and np.allclose(linkage.spanning_positions(y), q, atol=1e-7)
    ydot = np.full(robot.ny, 0.2)
    v = linkage.spanning_velocity(q, ydot)
    G, g = linkage.loop_map(q, v)
    K, k, phi = linkage.loop_jacobian(q, v)
    assert np.allclose(G @ ydot, v, **CLOSE) and np.allclose(K @ G, 0, **CLOSE) and np.allclose(phi, 0, atol=1e-8)
    assert np.allclose(K @ g, k, **CLOSE) and np.array_equal(linkage.independent_velocity(v), ydot)
    assert np.allclose(linkage.spanning_acceleration(q, v, ydot), G @ ydot + g, **CLOSE)
    tau = np.arange(1.0, robot.nv + 1)
    assert np.allclose(linkage.independent_force(q, tau), G.T @ tau, **CLOSE)
    assert np.allclose(G.T @ linkage.spanning_force(ydot), ydot, **CLOSE)
    open_ = q + 0.02
    assert linkage.check_loops(open_).position_gap > 1e-3 and linkage.close_loops(open_, moves="all") < 1e-9
    assert len(linkage.find_assemblies(q, starts=5)) >= 1
    linkage.close_loop_velocities(q, v)
    linkage.set_coordinates("spanning", "independent")
    assert linkage.nv == robot.ny and linkage.coordinates[1] is tenon.Coordinates.INDEPENDENT
    M = linkage.mass_matrix(q)
    tree = tenon.Workspace(robot).mass_matrix(q)
    assert np.allclose(M, G.T @ tree @ G, **CLOSE)


@pytest.mark.parametrize("other", ["pinocchio", "mujoco", "drake"])
def test_conventions_there_and_back(atlas, other):
    q, v, a = state(atlas)
    theirs = atlas.convert_configuration(other, "to_other", q)
    assert theirs.size == atlas.model.convention_nq(other)
    assert np.allclose(atlas.convert_configuration(other, "from_other", theirs), q, **CLOSE)
    velocity = atlas.convert_velocity(other, "to_other", q, v)
    assert np.allclose(atlas.convert_velocity(other, "from_other", q, velocity), v, **CLOSE)
    assert np.allclose(atlas.convert_force(other, "to_other", q, a) @ velocity, a @ v, **CLOSE)
    acceleration = atlas.convert_acceleration(other, "to_other", q, v, a)
    assert np.allclose(atlas.convert_acceleration(other, "from_other", q, v, acceleration), a, **CLOSE)
    order = np.arange(atlas.model.joint_count)
    assert np.array_equal(atlas.convert_velocity(other, "to_other", q, v, joints=order), velocity)


# ---- batches


def test_batch_does_what_a_workspace_does(atlas, many):
    batch, q, v, tau = many
    qdd, torque, M = batch.forward_dynamics(q, v, tau), batch.inverse_dynamics(q, v, tau), batch.mass_matrix(q)
    lower, factor = np.zeros((2, 13, 36, 36))
    i, j = np.tril_indices(36)
    lower[:, i, j], factor[:, i, j] = batch.mass_matrix_lower(q), batch.mass_matrix_factor(q)
    assert np.array_equal(lower, np.tril(M)) and np.allclose(factor.swapaxes(1, 2) @ factor, M, **CLOSE)
    held, force = batch.constrained_dynamics(q, v, tau)
    links = batch.kinematics(q, ["l_hand", "r_hand"], v)
    delassus, product = batch.delassus(q), batch.delassus_inverse_times(q, np.ones((13, 12)), mu=1e4)
    for s in range(13):
        assert np.allclose(qdd[s], atlas.forward_dynamics(q[s], v[s], tau[s]), **CLOSE)
        assert np.allclose(torque[s], atlas.inverse_dynamics(q[s], v[s], tau[s]), **CLOSE)
        assert np.allclose(M[s], atlas.mass_matrix(q[s]), **CLOSE)
        one, lambda_ = atlas.constrained_dynamics(q[s], v[s], tau[s])
        assert np.allclose(held[s], one, atol=1e-6) and np.allclose(force[s], lambda_, atol=1e-5)
        atlas.kinematics(q[s], v[s])
        assert np.allclose(links.poses[s, 1], atlas.link_pose("r_hand"), **CLOSE)
        assert np.allclose(links.velocities[s, 0], atlas.link_velocity("l_hand"), **CLOSE)
        assert np.allclose(links.jacobians[s, 0], atlas.jacobian("l_hand"), **CLOSE)
        assert np.allclose(delassus[s], atlas.delassus(q[s]), **CLOSE)
        assert np.allclose(product[s], atlas.delassus_inverse(q[s], mu=1e4).sum(axis=1), rtol=1e-5)
    assert batch.iterations.min() >= 1 and batch.width >= 1 and batch.size_bytes > 0


def test_batch_takes_any_strides(many):
    batch, q, v, tau = many
    expected = batch.forward_dynamics(q, v, tau)
    columns = np.asfortranarray(q)
    wide = np.zeros((13, 80))
    wide[:, 10:46] = v
    out = np.full((36, 13), np.nan).T
    assert batch.forward_dynamics(columns, wide[:, 10:46], tau[::-1][::-1], out=out) is out
    assert np.array_equal(out, expected)
    same = batch.forward_dynamics(q, v, tau[0])
    assert np.array_equal(same, batch.forward_dynamics(q, v, np.broadcast_to(tau[0], (13, 36))))
    assert np.array_equal(same, batch.forward_dynamics(q, v, tau[:1]))
    with pytest.raises(ValueError, match="different numbers of states"):
        batch.forward_dynamics(q, v[:5], tau)


def test_a_bad_state_spoils_only_itself(many):
    batch, q, v, tau = many
    expected = batch.forward_dynamics(q, v, tau)
    v[4, 3] = np.nan
    with pytest.raises(tenon.Error, match="4"):
        batch.forward_dynamics(q, v, tau)
    got = batch.forward_dynamics(q, v, tau, raises=False)
    assert batch.failed().tolist() == [4] and batch.statuses()[4] is tenon.Status.NOT_FINITE
    assert np.isnan(got[4]).all() and np.array_equal(np.delete(got, 4, 0), np.delete(expected, 4, 0))
    with pytest.raises(tenon.Error):
        batch.forward_dynamics(q[:, :5], v, tau, raises=False)


def test_rollout_takes_steps(atlas, many):
    batch, q, v, _ = many
    tau = np.random.default_rng(4).standard_normal((13, 6, atlas.nv))
    q_out, v_out = batch.rollout(q, v, tau, dt=1e-3, steps=6, every=2)
    assert q_out.shape == (13, 3, 37) and v_out.shape == (13, 3, 36)
    p, w = q[2].copy(), v[2].copy()
    for step in range(6):
        atlas.step(p, w, tau[2, step], 1e-3)
        if step % 2:
            assert np.allclose(q_out[2, step // 2], p, atol=1e-7) and np.allclose(v_out[2, step // 2], w, atol=1e-5)


def test_frames_of_constraints_move_on_their_links(atlas):
    place = np.array([0.1, 0.02, -0.05, 0, 0, np.sin(0.3), np.cos(0.3)])
    moved = tenon.Constraints(atlas.model)
    moved.add_weld("l_foot", place, name="left")
    moved.add_weld("r_foot", name="right", frequency=20.0)
    anew = tenon.Workspace(atlas.model, moved)
    assert np.array_equal(atlas.frame("left"), [0, 0, 0, 0, 0, 0, 1])
    atlas.set_frame("left", place)
    assert np.allclose(atlas.frame("left"), place, atol=1e-15)
    q, v, tau = atlas.random(3), np.full(atlas.nv, 0.1), np.zeros(atlas.nv)
    for w in (atlas, anew):
        w.anchor_here(q)
    one, other = atlas.constrained_dynamics(q, v, tau), anew.constrained_dynamics(q, v, tau)
    assert np.allclose(one[0], other[0], rtol=1e-9, atol=1e-8) and np.allclose(one[1], other[1], rtol=1e-7, atol=1e-6)
    batch = tenon.Batch(atlas.model, atlas.constraints)
    batch.anchor_here(q)
    usual = batch.constrained_dynamics(q, v, tau)[0]
    frames = np.tile([0.0, 0, 0, 0, 0, 0, 1], (2, 1))
    frames[0] = place
    batch.set_parameters(frames=frames, compliance=np.zeros(12), weights=np.ones((1, 12)))
    batch.anchor_here(q)
    assert np.allclose(batch.constrained_dynamics(q, v, tau)[0][0], one[0], rtol=1e-9, atol=1e-7)
    assert not np.allclose(usual[0], one[0], atol=1e-3)
    frames[1, 6] = 2
    with pytest.raises(tenon.Error, match="state 0, constraint 1 'right': numbers 3 to 6 of the frame"):
        batch.set_parameters(frames=frames)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "runge_kutta_4"])
def test_rollout_with_a_controller_and_accelerations(atlas, integrator):
    """Against steps whose torques are computed here."""
    batch = tenon.Batch(atlas.model, atlas.constraints)
    states, steps, nv = 5, 4, atlas.nv
    random = np.random.default_rng(2)
    q = np.array([atlas.random(s) for s in range(states)])
    batch.anchor_here(q)
    v = np.zeros((states, nv))
    tau, v_target = random.uniform(-1, 1, (2, states, steps, nv))
    wrenches = random.uniform(-1, 1, (states, steps, 6 * len(atlas.model.links)))
    q_target = q[:, None] + random.uniform(-0.1, 0.1, (states, steps, atlas.nq))
    stiffness, damping = random.uniform(0, 10, (2, states, nv))
    stiffness[:, :6] = 0
    made = batch.rollout(q, v, tau, wrenches, accelerations=True, integrator=integrator, dt=1e-3, steps=steps, every=2,
                         stiffness=stiffness, damping=damping, q_target=q_target, v_target=v_target)  # fmt: skip
    for s in range(states):
        atlas.anchor_here(q[s])
        p, w = q[s].copy(), v[s].copy()
        for k in range(steps):
            torque = tau[s, k] + damping[s] * (v_target[s, k] - w)
            torque[6:] += stiffness[s, 6:] * (q_target[s, k, 7:] - p[7:])
            at = p.copy(), w.copy()
            atlas.step(p, w, torque, 1e-3, wrenches[s, k], integrator)
            if k % 2:
                qdd, force = atlas.constrained_dynamics(*at, torque, wrenches[s, k])
                r = k // 2
                assert np.allclose(made.q[s, r], p, atol=1e-9) and np.allclose(made.v[s, r], w, atol=1e-7)
                assert np.allclose(made.qdd[s, r], qdd, rtol=1e-6, atol=1e-6 * np.abs(qdd).max())
                assert np.allclose(made.force[s, r], force, rtol=1e-6, atol=1e-6 * np.abs(force).max())
    stiffness[3, 2] = 5
    with pytest.raises(tenon.Error, match="stiffness 5 of coordinate 2 in state 3, of the joint 'root_joint'"):
        batch.rollout(q, v, tau, steps=steps, stiffness=stiffness, q_target=q_target)
    with pytest.raises(tenon.Error, match="stiffness needs q_target"):
        batch.rollout(q, v, tau, steps=steps, stiffness=damping)
    with pytest.raises(ValueError, match="wrenches is of 3 steps, and the rollout of 4"):
        batch.rollout(q, v, tau, wrenches[:, :3], steps=steps)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_each_state_of_a_batch_holds_its_own_anchors(atlas, precision):
    batch = tenon.Batch(atlas.model, atlas.constraints, precision=precision)
    q = np.array([atlas.random(s) for s in range(9)]).astype(batch.dtype)
    v, tau = np.zeros((9, atlas.nv)), np.zeros((9, atlas.nv))
    with pytest.raises(tenon.Error, match="constraint 1 'right' holds a position .* has no anchors"):
        batch.constrained_dynamics(q, v, tau)
    batch.anchor_here(q)
    poses = batch.anchors(9)
    poses[:, 1, 2] += 0.1
    batch.set_anchors(poses)
    on = np.ones((9, 2))
    on[3:5, 0] = 0
    batch.set_active(on)
    batch.set_gains(np.linspace(5, 20, 18).reshape(9, 2), 0.7)
    qdd, force = batch.constrained_dynamics(q, v, tau)
    for s in range(9):
        atlas.anchor_here(q[s].astype(float))
        for i, name in enumerate(("left", "right")):
            atlas.set_active(name, bool(on[s, i]))
            atlas.set_gains(name, 5 + 15 * (2 * s + i) / 17, 0.7)
            atlas.set_anchor(name, poses[s, i].astype(float))
        one, _ = atlas.constrained_dynamics(q[s].astype(float), v[s], tau[s])
        close = 1e-6 if precision == "double" else 0.02
        assert np.allclose(qdd[s], one, rtol=close, atol=close * np.abs(one).max())
    assert np.all(force[3, :6] == 0) and np.any(force[2, :6] != 0)
    with pytest.raises(tenon.Error, match="those of 9 states, but this call has 5"):
        batch.rollout(q[:5], v[:5], tau[:5])


@pytest.mark.parametrize("precision", ["double", "single"])
def test_each_state_of_a_batch_is_a_robot_of_its_own(precision):
    """Against models that the builder makes with the numbers of a state."""
    names, states = ("base", "upper", "lower"), 7
    random = np.random.default_rng(3)
    masses = random.uniform(1, 3, (states, 3))
    centers = random.uniform(-0.1, 0.1, (states, 3, 3))
    inertias = random.uniform(0.1, 0.2, (states, 3, 1)) * np.array([1, 0, 0, 1, 0, 1])
    armatures, damping, friction = random.uniform(0, 0.5, (3, states, 2))
    gravity = random.uniform(-9, 9, (states, 3))

    def made(s):
        builder = tenon.Builder("arm")
        for i, name in enumerate(names):
            builder.add_link(name, masses[s, i], centers[s, i], inertias[s, i])
        for k in range(2):
            origin = [0, 0, 0.5, 0, 0, 0, 1]
            how = {"origin": origin, "axis": [0, 1, k], "armature": armatures[s, k]}
            builder.add_joint(names[k] + "_joint", names[k], names[k + 1], **how)
        return builder.finish(gravity=gravity[s])

    batch = tenon.Batch(made(0), precision=precision)
    close = 1e-12 if precision == "double" else 1e-4
    q, v, tau = random.uniform(-1, 1, (3, states, 2))
    usual = batch.forward_dynamics(q, v, tau)
    batch.set_parameters(masses=masses, centers_of_mass=centers, inertias=inertias, armatures=armatures,
                         damping=damping, friction=friction, gravity=gravity)  # fmt: skip
    qdd, M, force = batch.forward_dynamics(q, v, tau), batch.mass_matrix(q), batch.inverse_dynamics(q, v, tau)
    for s in range(states):
        one = tenon.Workspace(made(s))
        lost = damping[s] * v[s] + friction[s] * np.sign(v[s])
        assert np.allclose(qdd[s], one.forward_dynamics(q[s], v[s], tau[s] - lost), rtol=close, atol=10 * close)
        assert np.allclose(force[s], one.inverse_dynamics(q[s], v[s], tau[s]) + lost, rtol=close, atol=10 * close)
        assert np.allclose(M[s], one.mass_matrix(q[s]), rtol=close, atol=close)
    with pytest.raises(tenon.Error, match="those of 7 states, but this call has 2"):
        batch.forward_dynamics(q[:2], v[:2], tau[:2])
    masses[3, 1] = -1
    with pytest.raises(tenon.Error, match="state 3: link 1 'upper': the mass is -1 kg"):
        batch.set_parameters(masses=masses)
    with pytest.raises(ValueError, match=r"inertias is \(7, 3\); states x 3 x 6"):
        batch.set_parameters(inertias=masses)
    # The numbers of the model again.
    infos = [batch.model.link(name) for name in names]
    masses, none = [i.mass for i in infos], np.zeros(2)
    batch.set_parameters(masses=masses, armatures=armatures[0], damping=none, friction=none)
    batch.set_gravity(gravity[0])
    if precision == "double":  # of which the float is not the model's number
        assert np.array_equal(batch.forward_dynamics(q, v, tau), usual)


def test_loops_by_rows_are_constraints_of_a_batch_without_a_set():
    robot = tenon.Model.load(tenon.models.path("four_bar"), loop_treatment="rows")
    batch = tenon.Batch(robot)
    assert batch.m > 0 and batch.anchors(2).shape == (2, robot.loop_count, 7)
    batch.set_active(np.ones(robot.loop_count))
    batch.set_gains(np.zeros((3, robot.loop_count)))
    with pytest.raises(tenon.Error, match="those of 3 states, but this call has 1"):
        batch.delassus(np.zeros(robot.nq))


def test_single_precision_and_one_coordinate():
    text = "<robot name='one'><link name='a'/><link name='b'><inertial><mass value='2'/><origin xyz='1 0 0'/>" \
           "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'>" \
           "<parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint></robot>"  # fmt: skip
    for precision, kind in (("single", np.float32), ("double", np.float64)):
        batch = tenon.Batch(tenon.Model.parse(text), precision=precision)
        for states in (1, 5):
            qdd = batch.forward_dynamics(np.zeros((states, 1)), np.zeros((states, 1)), np.zeros((states, 1)))
            assert qdd.dtype == kind and np.allclose(qdd, 2 * 9.81 / 3, rtol=1e-6)


def test_batch_settings(linkage):
    batch = tenon.Batch(linkage.model)
    batch.set_gravity([0, 0, 0])
    batch.set_coordinates("spanning", "independent")
    assert batch.nv == linkage.model.ny and "six_bar" in repr(batch)
    q = np.tile(linkage.guess(), (3, 1))
    assert np.allclose(batch.forward_dynamics(q, np.zeros((3, batch.nv)), np.zeros(batch.nv)), 0, atol=1e-12)
    assert MODELS.exists() and batch.instruction_set in tenon.InstructionSet
