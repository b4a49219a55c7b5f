"""Kinematics of a workspace: what follows from positions, velocities and accelerations."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import ArrayLike

from ._core import Computing, constant, given, lib, matrix, written
from .types import Axes


class Kinematics(Computing):
    """Calls after `kinematics` answer for the state that it was given."""

    def kinematics(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None) -> None:
        """Poses of all links at q; with v their velocities too; with v and a their accelerations too."""
        self._done(lib.tenon_kinematics(self._pointer, *given(q), *given(v), *given(a)))

    def link_pose(self, link: str | int, out: np.ndarray | None = None) -> np.ndarray:
        """Pose of a link in the world, [x y z qx qy qz qw]."""
        out, pointer, count = written(out, 7)
        self._done(lib.tenon_link_pose(self._pointer, self.model.link_index(link), pointer, count, None, 0))
        return out

    def link_rotation(self, link: str | int, out: np.ndarray | None = None) -> np.ndarray:
        """Orientation of a link, 3 x 3: p_world = R p_link + position."""
        out = np.empty((3, 3), order="F") if out is None else out
        _, pointer, count = written(out.T, 3, 3)
        self._done(lib.tenon_link_pose(self._pointer, self.model.link_index(link), None, 0, pointer, count))
        return out

    def _of_link(self, function, link, axes, out):
        out, pointer, count = written(out, 6)
        self._done(function(self._pointer, self.model.link_index(link), constant(Axes, axes), pointer, count))
        return out

    def link_velocity(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """[angular; velocity of the link's origin], after kinematics with v."""
        return self._of_link(lib.tenon_link_velocity, link, axes, out)

    def link_acceleration(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """[angular; classical acceleration of the link's origin], after kinematics with v and a, without gravity."""
        return self._of_link(lib.tenon_link_acceleration, link, axes, out)

    def link_bias_acceleration(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Spatial acceleration at the link's origin where the coordinates do not accelerate, Jdot v."""
        return self._of_link(lib.tenon_link_bias_acceleration, link, axes, out)

    def point_bias_acceleration(
        self,
        link: str | int,
        point: ArrayLike | None = None,
        axes: Axes | str = Axes.WORLD,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """[angular; classical acceleration of a point of a link] where the coordinates do not accelerate, Jdot v."""
        out, pointer, count = written(out, 6)
        place = self.model.link_index(link), *given(point), constant(Axes, axes)
        self._done(lib.tenon_point_bias_acceleration(self._pointer, *place, pointer, count))
        return out

    def jacobian(
        self,
        link: str | int,
        point: ArrayLike | None = None,
        axes: Axes | str = Axes.WORLD,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]."""
        out, pointer, count, leading = matrix(out, 6, self.nv)
        place = self.model.link_index(link), *given(point), constant(Axes, axes)
        self._done(lib.tenon_point_jacobian(self._pointer, *place, pointer, count, leading))
        return out

    def center_of_mass(self, out: np.ndarray | None = None) -> np.ndarray:
        """3, m, world axes."""
        out, pointer, count = written(out, 3)
        self._done(lib.tenon_center_of_mass(self._pointer, pointer, count, None, 0, None, 0, 0))
        return out

    def center_of_mass_velocity(self, out: np.ndarray | None = None) -> np.ndarray:
        """3, m/s, world axes, after kinematics with v."""
        out, pointer, count = written(out, 3)
        self._done(lib.tenon_center_of_mass(self._pointer, None, 0, pointer, count, None, 0, 0))
        return out

    def center_of_mass_jacobian(self, out: np.ndarray | None = None) -> np.ndarray:
        """3 x nv: J v is the velocity of the centre of mass."""
        out, pointer, count, leading = matrix(out, 3, self.nv)
        self._done(lib.tenon_center_of_mass(self._pointer, None, 0, None, 0, pointer, count, leading))
        return out

    def centroidal_momentum(self, out: np.ndarray | None = None) -> np.ndarray:
        """[angular about the centre of mass; linear], world axes, after kinematics with v."""
        out, pointer, count = written(out, 6)
        self._done(lib.tenon_centroidal_momentum(self._pointer, pointer, count))
        return out

    def centroidal_momentum_matrix(self, out: np.ndarray | None = None) -> np.ndarray:
        """6 x nv: A v is the momentum."""
        out, pointer, count, leading = matrix(out, 6, self.nv)
        self._done(lib.tenon_centroidal_momentum_matrix(self._pointer, pointer, count, leading))
        return out

    def centroidal_momentum_bias(self, out: np.ndarray | None = None) -> np.ndarray:
        """6: (dA/dt) v, after kinematics with v."""
        out, pointer, count = written(out, 6)
        self._done(lib.tenon_centroidal_momentum_bias(self._pointer, pointer, count))
        return out

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J, after kinematics with v."""
        kinetic, potential = ctypes.c_double(), ctypes.c_double()
        self._done(lib.tenon_energy(self._pointer, kinetic, potential))
        return kinetic.value, potential.value
