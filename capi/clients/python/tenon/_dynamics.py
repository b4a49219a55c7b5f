"""Dynamics of a workspace without constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._core import Computing, given, given_matrix, lib, matrix, written


class Dynamics(Computing):
    """wrenches: 6 for each link, [moment about the link's origin; force], along link axes; None: none."""

    def _force(self, function, out: np.ndarray | None, *inputs: ArrayLike | None) -> np.ndarray:
        """One vector of nv out of some arrays."""
        out, pointer, count = written(out, self.nv)
        self._done(function(self._pointer, *(x for array in inputs for x in given(array)), pointer, count))
        return out

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:  # fmt: skip
        """qdd = M^-1 (tau + external - c), without the constraints; loops of the model are obeyed."""
        return self._force(lib.tenon_forward_dynamics, out, q, v, tau, wrenches)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:  # fmt: skip
        """tau = M a + c - external."""
        return self._force(lib.tenon_inverse_dynamics, out, q, v, a, wrenches)

    def bias(
        self, q: ArrayLike, v: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """c(q, v): gravity, Coriolis and centrifugal forces, less the external wrenches."""
        return self._force(lib.tenon_bias, out, q, v, wrenches)

    def gravity_force(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """g(q): the tau that holds the robot still."""
        return self._force(lib.tenon_gravity_force, out, q)

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """C(q, v), nv x nv, with dM/dt = C + C^T."""
        out, pointer, count, leading = matrix(out, self.nv, self.nv)
        self._done(lib.tenon_coriolis_matrix(self._pointer, *given(q), *given(v), pointer, count, leading))
        return out

    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M(q), nv x nv, both triangles."""
        out, pointer, count, leading = matrix(out, self.nv, self.nv)
        self._done(lib.tenon_mass_matrix(self._pointer, *given(q), pointer, count, leading))
        return out

    def factor_mass_matrix(self, q: ArrayLike) -> None:
        """Factors M(q) for solve_mass_matrix and multiply_mass_matrix."""
        self._done(lib.tenon_factor_mass_matrix(self._pointer, *given(q)))

    def _product(self, function, B: ArrayLike, out: np.ndarray | None, *before) -> np.ndarray:
        """A vector gives a vector, a matrix a matrix."""
        single = np.ndim(B) == 1
        held, pointer, count, leading, columns = given_matrix(B)
        rows = held.shape[0]
        room = out[:, np.newaxis] if single and out is not None else out
        result, target, room_count, room_leading = matrix(room, rows, columns)
        self._done(function(self._pointer, *before, columns, pointer, count, leading, target, room_count, room_leading))
        return out if out is not None else result[:, 0] if single else result

    def solve_mass_matrix(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M^-1 B with the factor kept by factor_mass_matrix."""
        return self._product(lib.tenon_solve_mass_matrix, B, out)

    def multiply_mass_matrix(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M B with the factor kept by factor_mass_matrix."""
        return self._product(lib.tenon_multiply_mass_matrix, B, out)

    def inverse_mass_times(self, q: ArrayLike, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M(q)^-1 B without forming M."""
        return self._product(lib.tenon_inverse_mass_times, B, out, *given(q))
