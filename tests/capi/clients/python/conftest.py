"""Robots of models/, on which the tests of the package run. TENON_LIBRARY and PYTHONPATH are set by run.py."""

from pathlib import Path

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
