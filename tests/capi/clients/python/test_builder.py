"""Robots from calls are those that URDF describes: the files of models/ are read here by other means and built again."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import tenon
from conftest import MODELS


def numbers(element, attribute, default):
    return [float(x) for x in element.get(attribute, default).split()] if element is not None else None


def place(element):
    origin = element.find("origin")
    if origin is None:
        return tenon.pose()
    return tenon.pose(numbers(origin, "xyz", "0 0 0"), numbers(origin, "rpy", "0 0 0"))


def turn(x, y, z, w):
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def add_link(builder, link):
    inertial = link.find("inertial")
    if inertial is None:
        return builder.add_link(link.get("name"))
    at, I = place(inertial), inertial.find("inertia")
    I = np.array([[float(I.get("i" + "".join(sorted(a + b)))) for a in "xyz"] for b in "xyz"])
    R = turn(*at[3:])
    I = R @ I @ R.T
    return builder.add_link(link.get("name"), float(inertial.find("mass").get("value")), at[:3], (I + I.T) / 2)


def add_joint(builder, joint):
    ends = [joint.find(end).get("link") for end in ("parent", "child")]
    how = {"origin": place(joint), "dependent": joint.get("independent") == "false"}
    if joint.find("axis") is not None:
        how["axis"] = numbers(joint.find("axis"), "xyz", "1 0 0")
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    if limit is not None:
        names = ("lower", "upper") if joint.get("type") in ("revolute", "prismatic") else ()
        how.update({n: float(limit.get(n, "0" if n in names else "inf")) for n in (*names, "velocity", "effort")})
    if dynamics is not None:
        how.update({n: float(dynamics.get(n, "0")) for n in ("damping", "friction")})
        how["armature"] = float(dynamics.get("armature", "0"))
    builder.add_joint(joint.get("name"), *ends, type=joint.get("type"), **how)
    mimic = joint.find("mimic")
    return mimic is not None and (
        joint.get("name"), mimic.get("joint"), float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
    )  # fmt: skip


def built(path, **how):
    robot = ElementTree.parse(path).getroot()
    builder = tenon.Builder(robot.get("name"))
    for link in robot.findall("link"):
        add_link(builder, link)
    mimics = [add_joint(builder, joint) for joint in robot.findall("joint")]
    for loop in robot.findall("loop"):
        ends = [loop.find(end) for end in ("predecessor", "successor")]
        axis = {"axis": numbers(loop.find("axis"), "xyz", "")} if loop.find("axis") is not None else {}
        poses = {"pose": place(ends[0]), "second_pose": place(ends[1])}
        builder.add_loop(loop.get("name"), *(end.get("link") for end in ends), type=loop.get("type"), **poses, **axis)
    for gear in robot.findall("coupling"):
        ends = [gear.find(end).get("link") for end in ("predecessor", "successor")]
        builder.add_gear(gear.get("name"), *ends, ratio=float(gear.find("ratio").get("value")))
    for dependent, independent, ratio, offset in filter(None, mimics):
        builder.add_coupling(dependent + "_follows", dependent, independent, ratio, offset)
    return builder.finish(**how)


@pytest.mark.parametrize("name, base", [
    ("atlas", "floating"), ("cassie", "floating"), ("double_pendulum", "fixed"), ("four_bar", "fixed"), ("go1", "floating"),
    ("iiwa14", "fixed"), ("jvrc1", "floating"), ("mini_cheetah", "floating"), ("mit_humanoid", "floating"),
    ("planar_leg_linkage", "fixed"), ("revolute_rotor_chain", "fixed"), ("shadow_hand", "fixed"), ("six_bar", "fixed"),
    ("solo12", "floating"), ("strandbeest_leg", "fixed"), ("tello", "floating"),
])  # fmt: skip
def test_a_built_robot_is_the_one_that_urdf_describes(name, base):
    path = MODELS / f"{name}.urdf"
    here, there = built(path, base=base), tenon.Model.load(path, base=base)
    assert here.name == there.name and here.links == there.links and here.joints == there.joints
    for member in ("nq", "nv", "nyq", "ny", "loop_count", "loop_row_count", "cluster_count", "body_count", "depth"):
        assert getattr(here, member) == getattr(there, member), member
    assert np.array_equal(here.independent, there.independent)
    for joint in there.joints:
        a, b = here.joint(joint), there.joint(joint)
        for x, y in zip(a, b):
            assert np.allclose(x, y, rtol=1e-12, atol=1e-12) if isinstance(x, (float, np.ndarray)) else x == y, (a, b)
    works = [tenon.Workspace(robot) for robot in (here, there)]
    q = works[1].guess()
    works[0].set_guess(q)
    assert works[0].loop_gap(q) < 1e-9
    rng = np.random.default_rng(4)
    v = works[1].spanning_velocity(q, rng.standard_normal(there.ny))
    tau = rng.standard_normal(there.nv)
    a, b = (work.forward_dynamics(q, v, tau) for work in works)
    assert np.allclose(a, b, rtol=1e-8, atol=1e-8 * np.abs(b).max()) and np.abs(b).max() > 1e-3
    a, b = (work.gravity_force(q) for work in works)
    assert np.allclose(a, b, rtol=1e-10, atol=1e-10)


def pendulum(**how):
    builder = tenon.Builder("pendulum")
    builder.add_link("base")
    builder.add_link("rod", mass=2.0, center_of_mass=(0, 0, -0.5), inertia=np.diag([0.1, 0.2, 0.3]))
    builder.add_joint("swing", "base", "rod", type="continuous", axis=(0, 1, 0), **how)
    return builder


def test_a_pendulum_swings_as_by_hand():
    robot = pendulum(armature=0.4).finish()
    work = tenon.Workspace(robot)
    q = np.array([0.3])
    qdd = work.forward_dynamics(q, [0.0], [0.0])
    assert np.allclose(qdd, -2 * 9.81 * 0.5 * np.sin(0.3) / (0.2 + 2 * 0.25 + 0.4), rtol=1e-12)
    moon = pendulum().finish(gravity=(0, 0, -1.62))
    assert tenon.Workspace(moon).gravity[2] == -1.62
    with pytest.raises(tenon.Error, match="base"):  # without mass it may not float
        pendulum().finish(base="floating")


def test_poses():
    roll, pitch, yaw = 0.3, -0.7, 1.9
    c, s = np.cos, np.sin
    Rx = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    Ry = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    Rz = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    made = tenon.pose((1, 2, 3), (roll, pitch, yaw))
    assert made[:3].tolist() == [1, 2, 3] and np.allclose(turn(*made[3:]), Rz @ Ry @ Rx, atol=1e-15)
    builder = pendulum(origin=(0.1, 0.2, 0.3))
    builder.add_frame("tip", "rod", (0, 0, -1))
    builder.add_frame("turned", 1, made)
    work = tenon.Workspace(builder.finish())
    work.kinematics(np.zeros(1))
    assert np.allclose(work.link_pose("tip"), [0.1, 0.2, -0.7, 0, 0, 0, 1])
    assert np.allclose(work.link_rotation("turned"), Rz @ Ry @ Rx)


def test_a_universal_joint_and_what_is_wrong_is_named():
    builder = pendulum()
    builder.add_link("cross", 1.0, inertia=(1, 0, 0, 1, 0, 1))
    builder.add_joint("u", "rod", "cross", type="universal", axis=(1, 0, 0), axis2=(0, 1, 0))
    assert builder.finish().nv == 3
    with pytest.raises(tenon.Error, match="rot"):
        builder.add_joint("again", "rot", "cross")
    with pytest.raises(tenon.Error, match="swing"):
        builder.add_joint("swing", "base", "cross")
    with pytest.raises(ValueError, match="there is no JointType 'hinge'"):
        builder.add_joint("h", "base", "cross", type="hinge")
    with pytest.raises(TypeError, match="there is no option 'limit'; there are: .*lower"):
        builder.add_joint("h", "base", "cross", limit=3)
    with pytest.raises(ValueError, match="an inertia is to be a symmetric"):
        builder.add_link("odd", 1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    builder.add_link("alone", 1.0)
    with pytest.raises(tenon.Error, match="alone") as caught:
        builder.finish()
    assert caught.value.status is tenon.Status.INVALID_MODEL


def test_a_builder_goes_on_from_urdf():
    builder = tenon.Builder.load(MODELS / "double_pendulum.urdf")
    same = tenon.Builder.parse((MODELS / "double_pendulum.urdf").read_bytes()).finish()
    assert same.describe() == tenon.Model.load(MODELS / "double_pendulum.urdf").describe()
    builder.add_frame("extra", same.links[-1], (0, 0, 1))
    assert "extra" in builder.finish().links and "extra" not in same.links


def coupled(kind):
    """Two joints of the double pendulum, of which the second follows the first: q2 = 2 q1 + 0.1."""
    builder = tenon.Builder.load(MODELS / "double_pendulum.urdf")
    first, second = tenon.Model.load(MODELS / "double_pendulum.urdf").joints
    calls = []
    if kind == "coupling":
        builder.add_coupling("c", [second], [first], [[2.0]], [0.1])
        return builder.finish(), calls

    def relation(q, v):
        calls.append((q, v))
        if kind == "raises" and len(calls) > 40:
            raise RuntimeError("no more")
        return [q[1] - 2 * q[0] - 0.1], [[-2.0, 1.0]], [0.0]

    builder.add_implicit("c", [first, second], 1, relation)
    return builder.finish(), calls


def test_a_function_of_python_constrains():
    (robot, calls), (same, _) = coupled("implicit"), coupled("coupling")
    assert robot.ny == same.ny == 1 and robot.loop_row_count == 1
    works = [tenon.Workspace(r) for r in (robot, same)]
    q = works[1].spanning_positions([0.4])
    assert np.allclose(q[1], 2 * q[0] + 0.1)
    near = works[0].spanning_positions(q[robot.independent_q], q + 0.01)
    assert np.allclose(near, q, atol=1e-9)
    v = works[1].spanning_velocity(q, [0.3])
    a, b = (w.forward_dynamics(q, v, np.zeros(2)) for w in works)
    assert np.allclose(a, b, rtol=1e-9) and calls
    batch = tenon.Batch(robot, threads=2)
    many = batch.forward_dynamics(np.tile(q, (20, 1)), np.tile(v, (20, 1)), np.zeros(2))
    assert np.allclose(many, a, rtol=1e-7)


def test_what_a_function_raises_is_raised():
    robot, calls = coupled("raises")
    work = tenon.Workspace(robot)
    q = work.guess()
    with pytest.raises(RuntimeError, match="no more"):
        for _ in range(100):
            work.forward_dynamics(q, np.zeros(2), np.zeros(2))
    assert work.status is tenon.Status.NOT_FINITE and len(calls) > 40
