"""Models: robots, immutable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._methods import ModelCalls


class Model(ModelCalls):
    """A robot. Made by Model.load, Model.parse or a Builder; immutable, and any number of threads may read it.

    name: of the robot. nq, nv: numbers of positions and velocities of all joints; nyq, ny: of those that are
    independent where loops are closed. link_count: links with extra frames; joint_count: moving joints; body_count;
    depth: bodies on the longest path; floating_base; total_mass: kg.
    """

    _destroy = "tenon_model_destroy"
    _again = "threads share it, and other processes load it again"

    def __init__(self, pointer: Any):
        super().__init__(pointer)
        self._kept: tuple[Any, ...] = ()  # callbacks of the builder that it calls
        self._read()

    @classmethod
    def _made(cls, function, *arguments) -> Model:
        return cls(cls._new(function, *arguments))

    def __repr__(self) -> str:
        base = "floating" if self.floating_base else "fixed"
        return f"<Model {self.name}: {self.joint_count} joints, nq {self.nq}, nv {self.nv}, {base} base>"

    def __str__(self) -> str:
        return self.describe()

    @property
    def lower(self) -> np.ndarray:
        """Lower limits of joints of one position, one for each joint; infinite where there is none."""
        return np.array([self.joint(i).lower for i in range(self.joint_count)])

    @property
    def upper(self) -> np.ndarray:
        """Upper limits likewise."""
        return np.array([self.joint(i).upper for i in range(self.joint_count)])
