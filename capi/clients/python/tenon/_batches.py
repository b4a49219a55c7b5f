"""Arrays of batches: a state in each row."""

from __future__ import annotations

import math
from ctypes import addressof, c_char
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._arrays import prepared
from ._core import Handle, alone, check, lib, reraise
from .types import Status


_PREPARED = bytes(prepared(_raw.tenon_batch_array))


def states_of(**arrays: ArrayLike | None) -> int:
    """How many: those that are given have as many rows, or one for all."""
    rows = {name: len(array) for name, array in arrays.items() if np.ndim(array) > 1}  # type: ignore[arg-type]
    counts = set(rows.values())
    if len(counts) > 1:
        counts.discard(1)
    if len(counts) > 1:
        words = ", ".join(f"{name} of {n}" for name, n in rows.items() if n != 1)
        raise ValueError(f"arrays of different numbers of states: {words}")
    return counts.pop() if counts else 1


def in_a_row(array: ArrayLike | None, *inner: int) -> ArrayLike | None:
    """Numbers of a state one behind the other, where an array has them with these dimensions; else the array as it is."""
    if array is None:
        return None
    array = np.asarray(array)
    if not inner:  # one number, of each state
        return array.reshape(-1, 1) if array.ndim < 2 else array
    of_states = array.shape[: array.ndim - len(inner)]
    return array.reshape(*of_states, math.prod(inner)) if array.shape == (*of_states, *inner) else array


def _address(array: np.ndarray) -> int:
    if array.size and array.flags.carray:  # sooner than array.ctypes.data
        return addressof(c_char.from_buffer(array))
    return array.ctypes.data


def rows_of(array: np.ndarray) -> _raw.tenon_batch_array:
    """Numbers, of all states, or states x numbers, or states x records x numbers, as the library takes them."""
    shape, size, width, first = array.shape, array.size, array.itemsize, 0
    result = _raw.tenon_batch_array.from_buffer_copy(_PREPARED)
    if not size:  # numpy has no strides for it; zeros are refused in what is written
        steps, reach = [shape[-1]] * (len(shape) - 1) + [1], 0
    elif array.flags.c_contiguous:
        steps, reach = [math.prod(shape[k + 1 :]) if n > 1 else 0 for k, n in enumerate(shape)], size
    else:
        steps = [s // width if n > 1 else 0 for s, n in zip(array.strides, shape)]
        ends = [step * (n - 1) for step, n in zip(steps, shape)]
        first, reach = -sum(end for end in ends if end < 0), sum(map(abs, ends)) + 1
    result.data, result.size, result.first = _address(array) - first * width, reach, first
    result.count, result.kept, result.number_stride = shape[-1], array, steps[-1]
    if len(steps) > 1:
        result.state_stride = steps[0]
    if len(steps) > 2:
        result.record_stride = steps[1]
    return result


class Batches(Handle):
    """What the calls of a batch ask for."""

    status = iterations = np.zeros(0, np.int32)  # of the last call, one for each state
    changes = 0  # how often what is set was changed: who keeps a clone learns whether it is of now

    def failed(self) -> np.ndarray:
        """Indices of the states that failed in the last call."""
        return np.flatnonzero(self.status < 0)

    def statuses(self) -> list[Status]:
        """Of the last call, one for each state."""
        return [Status(s) for s in self.status.tolist()]

    # ---- calls

    def _done(self, status: int, raises: bool = True) -> None:
        reraise(threads=True)
        if raises or not len(self.failed()):
            check(status, lib.tenon_batch_message(self._pointer))

    def _tell(self, function, *arguments) -> None:
        """What computes nothing."""
        with alone(self._address, "Batch"):
            self.changes += "_set_" in function.__name__
            self._done(function(self._pointer, *arguments))

    def _run(self, function, raises: bool, states: int, *arguments, before: tuple = (), counts: bool = False) -> None:
        """A computation: before, the number of states, arguments, then iterations, where it counts them, and status."""
        with alone(self._address, "Batch"):
            self.changes += function is lib.tenon_batch_anchor_here
            self.status = np.zeros(states, np.int32)
            self.iterations = np.zeros(states, np.int32) if counts else self.iterations
            kept = (self.iterations, self.status) if counts else (self.status,)
            places = [x for array in kept for x in (_address(array) if states else None, states)]
            self._done(function(self._pointer, *before, states, *arguments, *places), raises)

    # ---- arrays

    def _numbers(self, array: ArrayLike, name: str) -> np.ndarray:
        if type(array) is np.ndarray and array.dtype == self.dtype and array.flags.aligned:
            return array
        try:
            return np.require(array, self.dtype, "A")  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None

    def _given(
        self, array: ArrayLike | None, name: str, steps: int | None = None, count: int | None = None
    ) -> _raw.tenon_batch_array | None:
        """An input; steps: of a rollout, for what may differ in each. count: of what may be one number for all."""
        if array is None:
            return None
        array = self._numbers(array, name)
        if array.ndim == 0 and count is not None:
            array = np.full(count, array)
        if array.ndim not in (1, 2, 3) or array.ndim == 3 and steps is None:
            raise ValueError(f"{name} is an array of {array.ndim} dimensions; states x numbers are needed")
        if array.ndim == 3 and array.shape[1] not in (1, steps):
            raise ValueError(f"{name} is of {array.shape[1]} steps, and the rollout of {steps}; give {steps}, or 1 for all")
        return rows_of(array)

    def _setting(self, array: ArrayLike | None, name: str, *shape: int) -> np.ndarray | None:
        """What each state has of its own: numbers of this shape for each, or once for all; one number: everywhere."""
        if array is None:
            return None
        array = self._numbers(array, name)
        array = np.full(shape, array) if array.ndim == 0 else array
        flat = (math.prod(shape),)
        for kind in (shape, flat):
            if array.shape in (kind, (*array.shape[:1], *kind)):
                return array.reshape((array.shape[: array.ndim - len(kind)] or (1,)) + flat)
        raise ValueError(f"{name} is {array.shape}; states x {' x '.join(map(str, shape))} numbers are needed")

    def _written(
        self, out: Any, name: str, *shape: int, start: float = np.nan, matrix: str = "", row_major: int = 0
    ) -> tuple[Any, Any]:
        """An output, new or given, and how the library takes it; False: not wanted. matrix: of matrices, whether their columns
        may be apart, or all is in a row, as of what is symmetric. row_major: whether their rows are records, not their columns,
        for the library; the array is the same."""
        if out is False:
            return None, None
        if out is None:  # zeros that are not there before they are touched
            out = np.full(shape, start, dtype=self.dtype) if start else np.zeros(shape, dtype=self.dtype)
        if not isinstance(out, np.ndarray):
            raise TypeError(f"{name} is to be an array of {self.dtype}, and is a {type(out).__name__}")
        if out.dtype != self.dtype or not out.flags.writeable or out.shape != shape:
            is_writeable = "" if out.flags.writeable else "read-only "
            raise ValueError(f"{name} is {is_writeable}{out.dtype} {out.shape}; writeable {self.dtype} {shape} is needed")
        if not out.flags.aligned:
            raise ValueError(f"{name} has strides of {out.strides} bytes, or an address, that are no multiple of {out.itemsize}")
        result = rows_of(out.swapaxes(1, 2) if matrix == "apart" and not row_major else out)
        result.count = math.prod(shape[1:]) if matrix else result.count
        if matrix == "flat" and out.size > len(out) and result.record_stride != shape[2] * result.number_stride:
            raise ValueError(f"{name} is to be contiguous")
        return out, result
