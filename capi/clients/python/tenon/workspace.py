"""Workspaces: the memory of computations on one state at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import constant, given_matrix, handed, lib, matrix, options
from ._methods import WorkspaceCalls
from .constraints import Constraints
from .model import Model
from .types import ConstraintSettings, Direction, Integrator, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import SolveOptions, WorkspaceOptions


class Workspace(WorkspaceCalls):
    """All memory of computations on a model and a constraint set, or none. One thread at a time: a call while another
    one runs raises RuntimeError.

    Inputs are anything that numpy makes an array of; contiguous float64 is taken without a copy. Results are new arrays,
    or `out`, where it is given. A call that fails raises Error; one that writes its answer with a caveat (contradictory
    rows, for instance) leaves that in `status`.

    model, constraints: what it was made for. nq, nv: numbers of positions and velocities that computations take, which
    set_coordinates changes. m: constraint rows. wrenches: 6 for each link, [moment about the link's origin; force], along
    link axes. Options of constrained_dynamics and the steps are made once, by solve_options.
    """

    _destroy = "tenon_workspace_destroy"
    _again = "make another of its model and constraints"

    def __init__(self, model: Model, constraints: Constraints | None = None, **how: Unpack[WorkspaceOptions]):
        if constraints is not None:
            constraints.finish()
        chosen = options(_raw.tenon_workspace_options, how)
        super().__init__(self._new(lib.tenon_workspace_create, handed(model), handed(constraints), chosen))
        self.model, self.constraints = model, constraints
        self._constraint_count = 0 if constraints is None else len(constraints)
        self._count()

    def _count(self) -> None:
        self.nq = lib.tenon_workspace_position_count(self._pointer)
        self.nv = lib.tenon_workspace_velocity_count(self._pointer)
        self.m = lib.tenon_workspace_row_count(self._pointer)

    def __repr__(self) -> str:
        return f"<Workspace of {self.model.name}: nq {self.nq}, nv {self.nv}, {self.m} rows, {self.size_bytes} bytes>"

    @property
    def status(self) -> Status:
        """Of the last computation: OK, or which caveat its answer has."""
        return Status(self._status)

    @staticmethod
    def solve_options(**how: Unpack[SolveOptions]) -> _raw.tenon_solve_options:
        """Options of constrained_dynamics and the steps, for their argument `options`."""
        return options(_raw.tenon_solve_options, how)

    def zeros(self) -> np.ndarray:
        """A velocity, acceleration or force of zeros."""
        return np.zeros(self.nv)

    def settings(self, constraint: str | int) -> ConstraintSettings:
        """Whether a constraint is active, and its gains."""
        return self.constraint_settings(constraint, False, False)[0]

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
        function = self.step_runge_kutta_4 if runge_kutta else self.step_semi_implicit_euler
        return function(dt, q, v, tau, wrenches, options)

    # ---- what the generated methods ask for

    def _row_count(self, constraint: str | int) -> int:
        return 0 if self.constraints is None else self.constraints[constraint].row_count

    def _converted(self, is_velocity: bool, convention: Any, direction: Any) -> int:
        """Numbers of what a conversion writes: another library has every joint."""
        other = constant(Direction, direction) == Direction.TO_OTHER
        if is_velocity:
            return self.model.nv if other else self.nv
        return self.model.convention_nq(convention) if other else self.nq

    def _product(self, function, B: ArrayLike, out: np.ndarray | None, *before) -> np.ndarray:
        """A vector gives a vector, a matrix a matrix."""
        single = np.ndim(B) == 1
        B = given_matrix(B)
        result = matrix(out[:, np.newaxis] if single and out is not None else out, *B.shape)
        self._done(function(self._address, *before, B.shape[1], B, result))
        return out if out is not None else result[:, 0] if single else result
