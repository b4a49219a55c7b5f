"""Dynamics of a workspace with constraints, the Delassus matrix and operational space, and steps in time."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._calls import calls
from ._core import constant, matrix, options, vector
from ._dynamics import Dynamics
from .types import Integrator, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import DampedOptions, DelassusOptions, SolveOptions


class Rows(NamedTuple):
    """The constraint rows at a state: J qdd = rhs."""

    J: np.ndarray
    rhs: np.ndarray
    position_error: np.ndarray
    velocity: np.ndarray


class OperationalSpace(NamedTuple):
    """Lambda = (J M^-1 J^T)^-1, J_bar = M^-1 J^T Lambda, N = 1 - J_bar J, and the rank of the rows."""

    Lambda: np.ndarray
    J_bar: np.ndarray
    N: np.ndarray
    rank: int


class Constrained(Dynamics):
    """options: method="pv", mu, tikhonov, max_iterations, warm_start, ... (types.SolveOptions). Make them once by
    `solve_options` where calls are many."""

    @staticmethod
    def solve_options(**how: Unpack[SolveOptions]) -> _raw.tenon_solve_options:
        """Options of constrained_dynamics and the steps, for their argument `options`."""
        return options(_raw.tenon_solve_options, how)

    def constrained_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        options: _raw.tenon_solve_options | None = None,
        out: np.ndarray | None = None,
        force: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Motion and constraint forces: qdd (nv) and lambda (m). out, force: where to write them; force is the start of a
        warm start too. desired: accelerations of the rows; None: zero."""
        out = np.empty(self.nv) if out is None else out
        force = np.zeros(self.m) if force is None else force
        solve = calls.tenon_constrained_dynamics
        self._done(solve(self._address, options, q, v, tau, wrenches, desired, out, force))
        return out, force

    def constrained_inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        force: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """tau = M a + c - J^T lambda - external."""
        out = vector(out, self.nv)
        self._done(calls.tenon_constrained_inverse_dynamics(self._address, q, v, a, wrenches, force, out))
        return out

    def underactuated_inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        actuated: ArrayLike | None = None,
        wrenches: ArrayLike | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """tau (nv), zero on coordinates without motor, and lambda (m) for a wanted motion. actuated: 1 or 0 for each
        velocity; None: all but a floating base."""
        tau, force = np.empty(self.nv), np.empty(self.m)
        function = calls.tenon_underactuated_inverse_dynamics
        self._done(function(self._address, actuated, q, v, a, wrenches, force, tau))
        return tau, force

    def impact(self, q: ArrayLike, v: np.ndarray, restitution: ArrayLike | None = None) -> np.ndarray:
        """v, in place, := the velocity after all rows are hit at once. Returns the impulses of the rows."""
        impulse = np.empty(self.m)
        bounce = None if restitution is None else np.atleast_1d(restitution)
        self._done(calls.tenon_impact(self._address, bounce, q, v, impulse))
        return impulse

    def constraint_rows(self, q: ArrayLike, v: ArrayLike, desired: ArrayLike | None = None) -> Rows:
        """J, rhs, position errors and velocities of the rows."""
        rows = Rows(matrix(None, self.m, self.nv), *(np.empty(self.m) for _ in range(3)))
        self._done(calls.tenon_constraint_rows(self._address, q, v, desired, *rows))
        return rows

    # ---- Delassus matrix and operational space

    def delassus(self, q: ArrayLike, out: np.ndarray | None = None, **how: Unpack[DelassusOptions]) -> np.ndarray:
        """J M^-1 J^T, m x m. method="pv_osimr", ..."""
        out = matrix(out, self.m, self.m)
        chosen = options(_raw.tenon_delassus_options, how)
        self._done(calls.tenon_delassus(self._address, chosen, q, out))
        return out

    def delassus_inverse(self, q: ArrayLike, out: np.ndarray | None = None, **how: Unpack[DampedOptions]) -> np.ndarray:
        """(J M^-1 J^T + R + 1 / mu)^-1, m x m. method="caba_osim", mu, row_mu."""
        out = matrix(out, self.m, self.m)
        chosen = options(_raw.tenon_damped_options, how)
        self._done(calls.tenon_delassus_inverse(self._address, chosen, q, out))
        return out

    def delassus_factor(self, q: ArrayLike, **how: Unpack[DampedOptions]) -> None:
        """Prepares delassus_apply."""
        self._done(calls.tenon_delassus_factor(self._address, options(_raw.tenon_damped_options, how), q))

    def delassus_apply(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """The damped inverse that delassus_factor prepared, times B."""
        return self._product(calls.tenon_delassus_apply, B, out)

    def operational_space(self, q: ArrayLike) -> OperationalSpace:
        """What operational-space control takes."""
        shapes = (self.m, self.m), (self.nv, self.m), (self.nv, self.nv)
        (Lambda, J_bar, N), rank = (matrix(None, *shape) for shape in shapes), ctypes.c_int32()
        self._done(calls.tenon_operational_space(self._address, q, Lambda, J_bar, N, rank))
        return OperationalSpace(Lambda, J_bar, N, rank.value)

    # ---- steps in time

    def step(
        self,
        q: np.ndarray,
        v: np.ndarray,
        tau: ArrayLike,
        dt: float,
        wrenches: ArrayLike | None = None,
        integrator: Integrator | str = Integrator.SEMI_IMPLICIT_EULER,
        options: _raw.tenon_solve_options | None = None,
    ) -> Status:
        """One step in time of the constrained system: q and v are changed in place."""
        runge_kutta = constant(Integrator, integrator) == Integrator.RUNGE_KUTTA_4
        function = calls.tenon_step_runge_kutta_4 if runge_kutta else calls.tenon_step_semi_implicit_euler
        return Status(self._done(function(self._address, options, dt, q, v, tau, wrenches, None, None)))
