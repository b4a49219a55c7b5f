"""Kinematic loops of a workspace, and states in the conventions of other libraries."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._calls import calls
from ._core import Computing, constant, matrix, options, prepared, record
from .types import Convention, Direction, LoopState, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import AssemblyOptions, ClosingOptions


class Loops(Computing):
    """Spanning coordinates are those of every joint, independent ones determine the others where loops are closed."""

    def set_guess(self, q: ArrayLike) -> None:
        """Where the search for dependent positions starts: the loops of q are closed first."""
        self._done(calls.tenon_workspace_set_guess(self._address, q))

    def guess(self) -> np.ndarray:
        """That configuration; also the way to get a closed one."""
        return self._result(calls.tenon_workspace_guess, self.model.nq)

    def loop_gap(self, q: ArrayLike) -> float:
        """The largest gap of all loops at q."""
        gap = ctypes.c_double()
        self._done(calls.tenon_loop_gap(self._address, q, gap))
        return gap.value

    def check_loops(self, q: ArrayLike, v: ArrayLike | None = None) -> LoopState:
        """How well a state keeps the loops, and which is worst."""
        state = prepared(_raw.tenon_loop_state)
        self._done(calls.tenon_check_loops(self._address, q, v, state))
        return record(state)

    def close_loops(self, q: np.ndarray, **how: Unpack[ClosingOptions]) -> float:
        """Moves q, in place, until all loops are closed. Returns the gap that is left."""
        gap, chosen = ctypes.c_double(), options(_raw.tenon_closing_options, how)
        self._done(calls.tenon_close_loops(self._address, chosen, q, gap))
        return gap.value

    def close_loop_velocities(self, q: ArrayLike, v: np.ndarray, **how: Unpack[ClosingOptions]) -> Status:
        """v, in place, := the velocity nearest to it that keeps the loops closed."""
        chosen = options(_raw.tenon_closing_options, how)
        return Status(self._done(calls.tenon_close_loop_velocities(self._address, chosen, q, v)))

    def find_assemblies(self, q: ArrayLike, capacity: int = 20, **how: Unpack[AssemblyOptions]) -> np.ndarray:
        """Ways to assemble the loops for the independent positions of q, a row each."""
        found, chosen = ctypes.c_int32(), options(_raw.tenon_assembly_options, how)
        result = np.empty((capacity, self.model.nq))
        self._done(calls.tenon_find_assemblies(self._address, chosen, q, capacity, result, found))
        return result[: found.value].copy()

    # ---- between spanning and independent coordinates

    def _result(self, function, size: int, *inputs) -> np.ndarray:
        result = np.empty(size)
        self._done(function(self._address, *inputs, result))
        return result

    def independent_positions(self, q: ArrayLike) -> np.ndarray:
        """nyq out of nq."""
        return self._result(calls.tenon_independent_position, self.model.nyq, q)

    def spanning_positions(self, y: ArrayLike, guess: ArrayLike | None = None) -> np.ndarray:
        """nq from nyq, following the loops from the guess."""
        return self._result(calls.tenon_spanning_position, self.model.nq, y, guess)

    def independent_velocity(self, v: ArrayLike) -> np.ndarray:
        """ny out of nv; of accelerations alike."""
        return self._result(calls.tenon_independent_velocity, self.model.ny, v)

    def spanning_velocity(self, q: ArrayLike, ydot: ArrayLike) -> np.ndarray:
        """v = G ydot."""
        return self._result(calls.tenon_spanning_velocity, self.model.nv, q, ydot)

    def spanning_acceleration(self, q: ArrayLike, v: ArrayLike, yddot: ArrayLike) -> np.ndarray:
        """qdd = G yddot + g."""
        return self._result(calls.tenon_spanning_acceleration, self.model.nv, q, v, yddot)

    def independent_force(self, q: ArrayLike, tau: ArrayLike) -> np.ndarray:
        """tau_y = G^T tau."""
        return self._result(calls.tenon_independent_force, self.model.ny, q, tau)

    def spanning_force(self, tau_y: ArrayLike) -> np.ndarray:
        """The forces on independent coordinates alone that do what tau_y asks."""
        return self._result(calls.tenon_spanning_force, self.model.nv, tau_y)

    def loop_map(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """G (nv x ny) and g (nv): v = G ydot, qdd = G yddot + g."""
        G, g = matrix(None, self.model.nv, self.model.ny), np.empty(self.model.nv)
        self._done(calls.tenon_loop_map(self._address, q, v, G, g))
        return G, g

    def loop_jacobian(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """K, k and phi of the embedded loops: phi(q) = 0, K v = 0, K qdd = k."""
        rows = self.model.loop_row_count
        K, k, phi = matrix(None, rows, self.model.nv), np.empty(rows), np.empty(rows)
        self._done(calls.tenon_loop_jacobian(self._address, q, v, K, k, phi))
        return K, k, phi

    # ---- states of other libraries

    def _convert(self, function, convention, direction, joints, size, *inputs) -> np.ndarray:
        which = constant(Convention, convention), constant(Direction, direction), joints
        return self._result(function, size, *which, *inputs)

    def convert_configuration(
        self,
        convention: Convention | str,
        direction: Direction | str,
        configuration: ArrayLike,
        joints: ArrayLike | None = None,
    ) -> np.ndarray:
        """A configuration "from_other" library ("pinocchio", "mujoco", "drake") to Tenon's, or "to_other". joints: the
        indices of Tenon's joints in the other's order."""
        other = constant(Direction, direction) == Direction.TO_OTHER
        size = self.model.convention_nq(convention) if other else self.model.nq
        return self._convert(calls.tenon_convert_configuration, convention, direction, joints, size, configuration)

    def convert_velocity(
        self,
        convention: Convention | str,
        direction: Direction | str,
        q: ArrayLike,
        velocity: ArrayLike,
        joints: ArrayLike | None = None,
    ) -> np.ndarray:
        """A velocity likewise; q is Tenon's."""
        size = self.model.nv
        return self._convert(calls.tenon_convert_velocity, convention, direction, joints, size, q, velocity)

    def convert_acceleration(
        self,
        convention: Convention | str,
        direction: Direction | str,
        q: ArrayLike,
        v: ArrayLike,
        acceleration: ArrayLike,
        joints: ArrayLike | None = None,
    ) -> np.ndarray:
        """An acceleration likewise; q and v are Tenon's."""
        size = self.model.nv
        return self._convert(calls.tenon_convert_acceleration, convention, direction, joints, size, q, v, acceleration)

    def convert_force(
        self,
        convention: Convention | str,
        direction: Direction | str,
        q: ArrayLike,
        force: ArrayLike,
        joints: ArrayLike | None = None,
    ) -> np.ndarray:
        """Generalised forces likewise; q is Tenon's."""
        return self._convert(calls.tenon_convert_force, convention, direction, joints, self.model.nv, q, force)
