"""Dynamics of a workspace with constraints, the Delassus matrix and operational space, and steps in time."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import changed, constant, given, indices, lib, matrix, options, written
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
        out, pointer, count = written(out, self.nv)
        force, rows, row_count = written(np.zeros(self.m) if force is None else force, self.m)
        inputs = *given(q), *given(v), *given(tau), *given(wrenches), *given(desired)
        self._done(lib.tenon_constrained_dynamics(self._pointer, options, *inputs, pointer, count, rows, row_count))
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
        out, pointer, count = written(out, self.nv)
        inputs = *given(q), *given(v), *given(a), *given(wrenches), *given(force)
        self._done(lib.tenon_constrained_inverse_dynamics(self._pointer, *inputs, pointer, count))
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
        tau, pointer, count = written(None, self.nv)
        force, rows, row_count = written(None, self.m)
        kept, motors, motor_count = indices(actuated)
        inputs = *given(q), *given(v), *given(a), *given(wrenches)
        function = lib.tenon_underactuated_inverse_dynamics
        self._done(function(self._pointer, motors, motor_count, *inputs, rows, row_count, pointer, count))
        return tau, force

    def impact(self, q: ArrayLike, v: np.ndarray, restitution: ArrayLike | None = None) -> np.ndarray:
        """v, in place, := the velocity after all rows are hit at once. Returns the impulses of the rows."""
        impulse, rows, row_count = written(None, self.m)
        bounce = None if restitution is None else np.atleast_1d(restitution)
        self._done(lib.tenon_impact(self._pointer, *given(bounce), *given(q), *changed(v, "v"), rows, row_count))
        return impulse

    def constraint_rows(self, q: ArrayLike, v: ArrayLike, desired: ArrayLike | None = None) -> Rows:
        """J, rhs, position errors and velocities of the rows."""
        J, pointer, count, leading = matrix(None, self.m, self.nv)
        vectors = [written(None, self.m) for _ in range(3)]
        outputs = [x for _, target, room in vectors for x in (target, room)]
        inputs = *given(q), *given(v), *given(desired)
        self._done(lib.tenon_constraint_rows(self._pointer, *inputs, pointer, count, leading, *outputs))
        return Rows(J, *(vector for vector, _, _ in vectors))

    # ---- Delassus matrix and operational space

    def delassus(self, q: ArrayLike, out: np.ndarray | None = None, **how: Unpack[DelassusOptions]) -> np.ndarray:
        """J M^-1 J^T, m x m. method="pv_osimr", ..."""
        out, pointer, count, leading = matrix(out, self.m, self.m)
        chosen = options(_raw.tenon_delassus_options, how)
        self._done(lib.tenon_delassus(self._pointer, chosen, *given(q), pointer, count, leading))
        return out

    def delassus_inverse(self, q: ArrayLike, out: np.ndarray | None = None, **how: Unpack[DampedOptions]) -> np.ndarray:
        """(J M^-1 J^T + R + 1 / mu)^-1, m x m. method="caba_osim", mu, row_mu."""
        out, pointer, count, leading = matrix(out, self.m, self.m)
        chosen = options(_raw.tenon_damped_options, how)
        self._done(lib.tenon_delassus_inverse(self._pointer, chosen, *given(q), pointer, count, leading))
        return out

    def delassus_factor(self, q: ArrayLike, **how: Unpack[DampedOptions]) -> None:
        """Prepares delassus_apply."""
        self._done(lib.tenon_delassus_factor(self._pointer, options(_raw.tenon_damped_options, how), *given(q)))

    def delassus_apply(self, B: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """The damped inverse that delassus_factor prepared, times B."""
        return self._product(lib.tenon_delassus_apply, B, out)

    def operational_space(self, q: ArrayLike) -> OperationalSpace:
        """What operational-space control takes."""
        shapes = (self.m, self.m), (self.nv, self.m), (self.nv, self.nv)
        matrices = [matrix(None, *shape) for shape in shapes]
        outputs = [x for _, *target in matrices for x in target]
        rank = ctypes.c_int32()
        self._done(lib.tenon_operational_space(self._pointer, None, *given(q), *outputs, rank))
        (Lambda, *_), (J_bar, *_), (N, *_) = matrices
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
        function = lib.tenon_step_runge_kutta_4 if runge_kutta else lib.tenon_step_semi_implicit_euler
        state = *changed(q, "q"), *changed(v, "v"), *given(tau), *given(wrenches)
        return Status(self._done(function(self._pointer, options, dt, *state, None, 0, None, 0)))
