"""Kinematics of a workspace: what follows from positions, velocities and accelerations."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import ArrayLike

from ._calls import calls
from ._core import Computing, constant, matrix, vector
from .types import Axes


class Kinematics(Computing):
    """Calls after `kinematics` answer for the state that it was given."""

    def kinematics(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None) -> None:
        """Poses of all links at q; with v their velocities too; with v and a their accelerations too."""
        self._done(calls.tenon_kinematics(self._address, q, v, a))

    def link_pose(self, link: str | int, out: np.ndarray | None = None) -> np.ndarray:
        """Pose of a link in the world, [x y z qx qy qz qw]."""
        out = vector(out, 7)
        self._done(calls.tenon_link_pose(self._address, self.model.link_index(link), out, None))
        return out

    def link_rotation(self, link: str | int, out: np.ndarray | None = None) -> np.ndarray:
        """Orientation of a link, 3 x 3: p_world = R p_link + position."""
        out = np.empty((3, 3), order="F") if out is None else out
        self._done(calls.tenon_link_pose(self._address, self.model.link_index(link), None, out.T))
        return out

    def _of_link(self, function, link, axes, out):
        out = vector(out, 6)
        self._done(function(self._address, self.model.link_index(link), constant(Axes, axes), out))
        return out

    def link_velocity(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """[angular; velocity of the link's origin], after kinematics with v."""
        return self._of_link(calls.tenon_link_velocity, link, axes, out)

    def link_acceleration(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """[angular; classical acceleration of the link's origin], after kinematics with v and a, without gravity."""
        return self._of_link(calls.tenon_link_acceleration, link, axes, out)

    def link_bias_acceleration(
        self, link: str | int, axes: Axes | str = Axes.WORLD, out: np.ndarray | None = None
    ) -> np.ndarray:
        """[angular; classical acceleration of the link's origin] where the coordinates do not accelerate, Jdot v."""
        return self._of_link(calls.tenon_link_bias_acceleration, link, axes, out)

    def point_bias_acceleration(
        self,
        link: str | int,
        point: ArrayLike | None = None,
        axes: Axes | str = Axes.WORLD,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """[angular; classical acceleration of a point of a link] where the coordinates do not accelerate, Jdot v."""
        out = vector(out, 6)
        place = self.model.link_index(link), point, constant(Axes, axes)
        self._done(calls.tenon_point_bias_acceleration(self._address, *place, out))
        return out

    def jacobian(
        self,
        link: str | int,
        point: ArrayLike | None = None,
        axes: Axes | str = Axes.WORLD,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """6 x nv: J v = [angular velocity of the link; velocity of the point, or of its origin]."""
        out = matrix(out, 6, self.nv)
        place = self.model.link_index(link), point, constant(Axes, axes)
        self._done(calls.tenon_point_jacobian(self._address, *place, out))
        return out

    def center_of_mass(self, out: np.ndarray | None = None) -> np.ndarray:
        """3, m, world axes."""
        out = vector(out, 3)
        self._done(calls.tenon_center_of_mass(self._address, out, None, None))
        return out

    def center_of_mass_velocity(self, out: np.ndarray | None = None) -> np.ndarray:
        """3, m/s, world axes, after kinematics with v."""
        out = vector(out, 3)
        self._done(calls.tenon_center_of_mass(self._address, None, out, None))
        return out

    def center_of_mass_jacobian(self, out: np.ndarray | None = None) -> np.ndarray:
        """3 x nv: J v is the velocity of the centre of mass."""
        out = matrix(out, 3, self.nv)
        self._done(calls.tenon_center_of_mass(self._address, None, None, out))
        return out

    def centroidal_momentum(self, out: np.ndarray | None = None) -> np.ndarray:
        """[angular about the centre of mass; linear], world axes, after kinematics with v."""
        out = vector(out, 6)
        self._done(calls.tenon_centroidal_momentum(self._address, out))
        return out

    def centroidal_momentum_matrix(self, out: np.ndarray | None = None) -> np.ndarray:
        """6 x nv: A v is the momentum."""
        out = matrix(out, 6, self.nv)
        self._done(calls.tenon_centroidal_momentum_matrix(self._address, out))
        return out

    def centroidal_momentum_bias(self, out: np.ndarray | None = None) -> np.ndarray:
        """6: (dA/dt) v, after kinematics with v."""
        out = vector(out, 6)
        self._done(calls.tenon_centroidal_momentum_bias(self._address, out))
        return out

    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy, J, after kinematics with v."""
        kinetic, potential = ctypes.c_double(), ctypes.c_double()
        self._done(calls.tenon_energy(self._address, kinetic, potential))
        return kinetic.value, potential.value
