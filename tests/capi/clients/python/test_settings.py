"""Robots of a workspace, settings of all constraints, and clones."""

import numpy as np
import pytest
import tenon
from conftest import MODELS


def held():
    model = tenon.Model.load(MODELS / "go1.urdf", base="floating")
    rows = tenon.Constraints(model)
    rows.add_point(5, frequency=3.0)
    return model, tenon.Workspace(model, rows)


def test_loads_and_joints_are_told_as_set():
    model, w = held()
    assert model.root_link == 0 and model.gravity[2] == -9.81
    w.set_payload(3, 2.0, [0, 0, 0.1])
    mass, center, inertia = w.payload(3)
    assert mass == 2 and list(center) == [0, 0, 0.1] and not inertia.any()
    mass, center, inertia = w.inertia(3)
    w.set_inertia(3, 2 * mass, center, inertia)
    assert w.inertia(3)[0] == 2 * mass
    w.set_joint_parameters(damping=np.full(model.nv, 0.1))
    armatures, damping, friction = w.joint_parameters()
    assert (damping == 0.1).all() and not friction.any() and len(armatures) == model.nv
    with pytest.raises(tenon.Error):
        w.set_payload(3, -1.0)


def test_settings_of_all_constraints():
    _, w = held()
    w.set_constraints(active=[0], frequencies=[4.0], weights=[1, 2, 3])
    told = w.all_settings()
    assert list(told["active"]) == [0] and list(told["frequencies"]) == [4] and list(told["weights"]) == [1, 2, 3]
    w.set_constraints(**told)
    assert w.settings(0).active == 0


def test_clones_answer_alike():
    _, w = held()
    w.set_payload(3, 2.0)
    q = w.random(1)
    clone = w.clone()
    assert (clone.mass_matrix(q) == w.mass_matrix(q)).all() and clone.m == w.m
    w.set_payload(3, 0.0)
    assert (clone.mass_matrix(q) != w.mass_matrix(q)).any()
