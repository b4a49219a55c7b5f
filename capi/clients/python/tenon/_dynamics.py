"""Dynamics of a workspace without constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._calls import calls
from ._core import Computing, given_matrix, matrix, vector


class Dynamics(Computing):
    """wrenches: 6 for each link, [moment about the link's origin; force], along link axes; None: none."""

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:  # fmt: skip
        """qdd = M^-1 (tau + external - c), without the constraints; loops of the model are obeyed."""
        out = np.empty(self.nv) if out is None else out
        self._done(calls.tenon_forward_dynamics(self._address, q, v, tau, wrenches, out))
        return out

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:  # fmt: skip
        """tau = M a + c - external."""
        out = np.empty(self.nv) if out is None else out
        self._done(calls.tenon_inverse_dynamics(self._address, q, v, a, wrenches, out))
        return out

    def bias(
        self, q: ArrayLike, v: ArrayLike, wrenches: ArrayLike | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """c(q, v): gravity, Coriolis and centrifugal forces, less the external wrenches."""
        out = vector(out, self.nv)
        self._done(calls.tenon_bias(self._address, q, v, wrenches, out))
        return out

    def gravity_force(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """g(q): the tau that holds the robot still."""
        out = vector(out, self.nv)
        self._done(calls.tenon_gravity_force(self._address, q, out))
        return out

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """C(q, v), nv x nv, with dM/dt = C + C^T."""
        out = matrix(out, self.nv, self.nv)
        self._done(calls.tenon_coriolis_matrix(self._address, q, v, out))
        return out

    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M(q), nv x nv, both triangles."""
        out = matrix(out, self.nv, self.nv)
        self._done(calls.tenon_mass_matrix(self._address, q, out))
        return out

    def factor_mass_matrix(self, q: ArrayLike) -> None:
        """Factors M(q) for solve_mass_matrix and multiply_mass_matrix."""
        self._done(calls.tenon_factor_mass_matrix(self._address, q))

    def _product(self, function, B: ArrayLike, out: np.ndarray | None, *before) -> np.ndarray:
        """A vector gives a vector, a matrix a matrix."""
        single = np.ndim(B) == 1
        B = given_matrix(B)
        result = matrix(out[:, np.newaxis] if single and out is not None else out, *B.shape)
        self._done(function(self._address, *before, B.shape[1], B, result))
        return out if out is not None else result[:, 0] if single else result

    def solve_mass_matrix(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M^-1 B with the factor kept by factor_mass_matrix."""
        return self._product(calls.tenon_solve_mass_matrix, B, out)

    def multiply_mass_matrix(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M B with the factor kept by factor_mass_matrix."""
        return self._product(calls.tenon_multiply_mass_matrix, B, out)

    def inverse_mass_times(self, q: ArrayLike, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """M(q)^-1 B without forming M."""
        return self._product(calls.tenon_inverse_mass_times, B, out, q)
