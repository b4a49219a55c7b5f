"""Robots of models/, on which the tests of the package run. TENON_LIBRARY and PYTHONPATH are set by run.py."""

from pathlib import Path

import numpy as np
import pytest
import tenon

MODELS = Path(__file__).parents[4] / "models"


@pytest.fixture
def arm():
    return tenon.Workspace(tenon.Model.load(MODELS / "iiwa14.urdf"))


@pytest.fixture
def atlas():
    """Both feet held."""
    robot = tenon.Model.load(MODELS / "atlas.urdf", base="floating")
    feet = tenon.Constraints(robot)
    feet.add_weld("l_foot", name="left")
    feet.add_weld("r_foot", name="right", frequency=20.0)
    return tenon.Workspace(robot, feet)


@pytest.fixture
def linkage():
    """A mechanism with a loop."""
    return tenon.Workspace(tenon.Model.load(MODELS / "six_bar.urdf"))


@pytest.fixture
def many(atlas):
    """A batch of it, with q, v and tau of its states."""
    batch = tenon.Batch(atlas.model, atlas.constraints, threads=2)
    batch.set_anchors(np.tile([0.0, 0, 0, 0, 0, 0, 1], (2, 1)))  # those of a new workspace
    rng = np.random.default_rng(3)
    q = np.array([atlas.random(s) for s in range(13)])
    return batch, q, 0.3 * rng.standard_normal((13, atlas.nv)), rng.standard_normal((13, atlas.nv))
