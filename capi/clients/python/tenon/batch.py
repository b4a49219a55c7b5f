"""Batches: many states in one call, side by side in the wide registers of the processor, and by threads."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import Error, alone, handed, lib, options, prepared, reraise, text
from ._methods import BatchCalls
from .constraints import Constraints
from .model import Model
from .types import Coordinates, Precision, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import BatchOptions, DampedOptions, RolloutOptions


class Rollout(NamedTuple):
    """q, v, accelerations and multipliers of each record: states x records x nq, nv, nv and m."""

    q: np.ndarray
    v: np.ndarray
    qdd: np.ndarray
    force: np.ndarray


class Batch(BatchCalls):
    """Computes what a workspace does, of many states at once.

    Arrays have a state in each row: q is states x nq. Strides of whole numbers are taken without a copy, as of a transposed
    array or a part of a larger one; an input of one row, or of one dimension, is the same for all states. A state that
    fails spoils only itself: its `status` is negative, nothing is written for it, and the call raises Error after the
    others are done; with raises=False it does not. precision="single", or "float": arrays are float32. threads: that
    compute. A call while another one runs raises RuntimeError.
    """

    _destroy = "tenon_batch_destroy"
    _again = "make another of its model and constraints"
    _own = ("status", "iterations")
    status = iterations = np.zeros(0, np.int32)  # of the last call, one for each state

    def __init__(self, model: Model, constraints: Constraints | None = None, **how: Unpack[BatchOptions]):
        if constraints is not None:
            constraints.finish()
        chosen = options(_raw.tenon_batch_options, how)
        super().__init__(self._new(lib.tenon_batch_create, handed(model), handed(constraints), chosen))
        self.model, self.constraints = model, constraints
        single = chosen is not None and chosen.precision == Precision.SINGLE
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self._count()
        self.m, self._constraint_count = self._counts()

    def _count(self) -> None:
        kinds, independent = self.coordinates, Coordinates.INDEPENDENT
        self.nq = self.model.nyq if kinds[0] == independent else self.model.nq
        self.nv = self.model.ny if kinds[1] == independent else self.model.nv

    def _counts(self) -> tuple[int, int]:
        """Rows and constraints; those of loops by rows a batch without a set has all the same."""
        if self.constraints is not None:
            return self.constraints.row_count, len(self.constraints)
        with Constraints(self.model) as none:
            return none.row_count, len(none)

    def __repr__(self) -> str:
        rows = f", {self.m} rows" if self.m else ""
        return f"<Batch of {self.model.name}: nq {self.nq}, nv {self.nv}{rows}, {self.width} states of {self.dtype} at a time>"

    # ---- settings

    def _set(self, function, *arguments) -> None:
        with alone(self._address, "Batch"):
            self._done(function(self._pointer, *arguments))

    def _settings(self, **arrays: tuple[ArrayLike | None, tuple[int, ...]]):
        """What each state has of its own: the number of states, and of each name the rows of an array, which has numbers of
        this shape for each state, or once for all; one number: everywhere."""
        rows = {}
        for name, (array, shape) in arrays.items():
            if array is None:
                continue
            array, size = self._numbers(array, name), math.prod(shape)
            array = np.full(shape, array) if array.ndim == 0 else array
            same = array.shape in (shape, (size,))
            if not same and array.shape not in (array.shape[:1] + shape, array.shape[:1] + (size,)):
                raise ValueError(f"{name} is {array.shape}; states x {' x '.join(map(str, shape))} numbers are needed")
            rows[name] = np.ascontiguousarray(array).reshape(1 if same else len(array), size)
        return self._states(**rows), {name: self._given(array, name) for name, array in rows.items()}

    def _told(self, function, states: int, sizes: dict, given: dict) -> dict[str, np.ndarray]:
        """What was set, by name; given: where to write, False: not wanted."""
        arrays: dict[str, tuple] = {}
        for name, shape in sizes.items():
            size, out = int(np.prod(shape, dtype=int)), given.get(name)
            arrays[name] = (None, None) if out is False else self._written(out, name, states, size)
        self._set(function, states, *(written for _, written in arrays.values()))
        found = {name: array for name, (array, _) in arrays.items() if array is not None}
        return {n: x if n in given else x.reshape(states, *sizes[n]) for n, x in found.items()}

    # ---- arrays

    def _rows(self, array: np.ndarray, records: bool = False) -> _raw.tenon_batch_array:
        """States x numbers, or states x records x numbers, as the library takes them."""
        size, shape = array.itemsize, array.shape
        strides = [s // size if n > 1 else 0 for s, n in zip(array.strides, shape)]
        if not array.size:  # numpy has no strides for it; zeros are refused in what is written
            strides = [shape[-1]] * (array.ndim - 1) + [1]
        reach = [step * (n - 1) for step, n in zip(strides, shape)] if array.size else [0]
        result = prepared(_raw.tenon_batch_array)
        result.first = -sum(r for r in reach if r < 0)
        result.data = array.ctypes.data - result.first * size
        result.size = result.first + sum(r for r in reach if r > 0) + 1 if array.size else 0
        result.count, result.number_stride = shape[-1], strides[-1]
        if array.ndim > 1:
            result.state_stride = strides[0]
        if array.ndim > 2 and records:
            result.record_stride = strides[1]
        result.kept = array
        return result

    @staticmethod
    def _has_whole_strides(array: np.ndarray) -> bool:
        """As the library takes them, in numbers: those of packed records are none."""
        steps = [s for s, n in zip(array.strides, array.shape) if n > 1]
        return not any(step % array.itemsize for step in (array.ctypes.data, *steps))

    def _numbers(self, array: ArrayLike, name: str) -> np.ndarray:
        try:
            return np.asarray(array, dtype=self.dtype)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from None

    def _given(self, array: ArrayLike | None, name: str, steps: int | None = None) -> _raw.tenon_batch_array | None:
        """An input; steps: of a rollout, for what may differ in each."""
        if array is None:
            return None
        array = self._numbers(array, name)
        if array.ndim not in (1, 2, 3) or array.ndim == 3 and steps is None:
            raise ValueError(f"{name} is an array of {array.ndim} dimensions; states x numbers are needed")
        if array.ndim == 3 and array.shape[1] not in (1, steps):
            raise ValueError(f"{name} is of {array.shape[1]} steps, and the rollout of {steps}; give {steps}, or 1 for all")
        return self._rows(array if self._has_whole_strides(array) else array.copy(), array.ndim == 3)

    def _written(self, out: np.ndarray | None, name: str, *shape: int, records: bool = False):
        if out is None:
            out = np.full(shape, np.nan, dtype=self.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"{name} is to be an array of {self.dtype}, and is a {type(out).__name__}")
        elif out.dtype != self.dtype or not out.flags.writeable or out.shape != shape:
            is_writeable = "" if out.flags.writeable else "read-only "
            raise ValueError(f"{name} is {is_writeable}{out.dtype} {out.shape}; writeable {self.dtype} {shape} is needed")
        elif not self._has_whole_strides(out):
            size = self.dtype.itemsize
            raise ValueError(f"{name} has strides of {out.strides} bytes, or an address, that are no multiple of {size}")
        return out, self._rows(out, records)

    def _matrices(self, out: np.ndarray | None, name: str, states: int):
        """Derivatives, states x nv x nv: rows of results, columns of what they are by, which the library takes as records;
        or states x nv^2, column by column."""
        if isinstance(out, np.ndarray) and out.ndim == 2:
            return self._written(out, name, states, self.nv * self.nv)
        shape = states, self.nv, self.nv
        out, _ = self._written(np.zeros(shape, self.dtype) if out is None else out, name, *shape)
        columns = self._rows(out.swapaxes(1, 2), True)
        columns.count *= self.nv
        return out, columns

    @staticmethod
    def _states(**arrays: ArrayLike | None) -> int:
        """How many: those that are given have as many rows, or one for all."""
        rows = {name: np.shape(a)[0] for name, a in arrays.items() if a is not None and np.ndim(a) > 1}
        rows = {name: n for name, n in rows.items() if n != 1} or rows
        if len(set(rows.values())) > 1:
            words = ", ".join(f"{name} of {n}" for name, n in rows.items())
            raise ValueError(f"arrays of different numbers of states: {words}")
        return next(iter(rows.values()), 1)

    def _done(self, status: int, raises: bool = True) -> None:
        reraise(threads=True)
        if status < 0 and (raises or not (self.status < 0).any()):
            raise Error(status, text(lib.tenon_batch_message(self._pointer)))

    def _run(self, function, raises: bool, states: int, *arguments, before: tuple = (), counts: bool = False) -> None:
        """A computation: before, the number of states, arguments, then iterations, where it counts them, and status."""
        with alone(self._address, "Batch"):
            self.status = np.zeros(states, dtype=np.int32)
            written = [self.status]
            if counts:
                self.iterations = np.zeros(states, dtype=np.int32)
                written.insert(0, self.iterations)
            places = [x for array in written for x in (array.ctypes.data if states else None, states)]
            self._done(function(self._pointer, *before, states, *arguments, *places), raises)

    def failed(self) -> np.ndarray:
        """Indices of the states that failed in the last call."""
        return np.flatnonzero(self.status < 0)

    def statuses(self) -> list[Status]:
        """Of the last call, one for each state."""
        return [Status(s) for s in self.status.tolist()]

    # ---- computations

    def delassus_inverse_times(
        self,
        q: ArrayLike,
        B: ArrayLike,
        raises: bool = True,
        out: np.ndarray | None = None,
        columns: int | None = None,
        **how: Unpack[DampedOptions],
    ) -> np.ndarray:
        """The damped inverse of the Delassus matrix times B, states x m, or states x m x columns; with columns given,
        states x (m columns), column by column, as out is."""
        matrices = columns is None and np.ndim(B) == 3
        if matrices:
            B = np.swapaxes(B, 1, 2).reshape(len(B), -1)  # type: ignore[arg-type]
        states, count = self._states(q=q, B=B), columns or (1 if not matrices else np.shape(B)[1] // max(self.m, 1))
        out, result = self._written(out, "out", states, self.m * count)
        chosen, inputs = options(_raw.tenon_damped_options, how), (self._given(q, "q"), self._given(B, "B"))
        self._run(lib.tenon_batch_delassus_inverse_times, raises, states, count, *inputs, result, before=(chosen,))
        return out.reshape(states, count, self.m).swapaxes(1, 2) if matrices else out

    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        raises: bool = True,
        accelerations: bool = False,
        q_out: np.ndarray | bool | None = None,
        v_out: np.ndarray | bool | None = None,
        **how: Unpack[RolloutOptions],
    ) -> tuple[np.ndarray, np.ndarray] | Rollout:
        """Steps in time: states x records x nq and x nv. tau: states x nv, the same in all steps, or states x steps x nv;
        so wrenches. records: steps // every. accelerations: a Rollout, with accelerations and multipliers too, those at the
        beginning of the step that ends in a record. q_out, v_out: where to write; False: not wanted.
        Options: dt, steps, every, integrator="runge_kutta_4", solve (types.RolloutOptions). A controller adds
        stiffness (q_target - q) + damping (v_target - v) to tau: gains states x nv or nv, targets as tau."""
        names = ("stiffness", "damping", "q_target", "v_target")
        controller = {name: how.pop(name) for name in names if name in how}  # type: ignore[misc]
        rates = how.pop("qdd_out", None if accelerations else False), how.pop("lambda_out", None if accelerations else False)
        chosen = options(_raw.tenon_rollout_options, how) or prepared(_raw.tenon_rollout_options)
        steps, every = chosen.steps, chosen.every
        records = steps // max(every, 1)
        more = {n: self._given(x, n, steps if n.endswith("target") else None) for n, x in controller.items()}
        states = self._states(q=q, v=v, tau=tau, wrenches=wrenches, **{n: x.kept for n, x in more.items() if x is not None})
        outs = zip(("q_out", "v_out", "qdd_out", "lambda_out"), (q_out, v_out, *rates), (self.nq, self.nv, self.nv, self.m))
        arrays, written = zip(*(
            (None, None) if out is False else self._written(out, name, states, records, size, records=True)
            for name, out, size in outs
        ))  # fmt: skip
        more.update(qdd_out=written[2], lambda_out=written[3])
        for name, array in more.items():
            setattr(chosen, name, None if array is None else ctypes.pointer(array))
        inputs = self._given(q, "q"), self._given(v, "v"), self._given(tau, "tau", steps), self._given(wrenches, "wrenches", steps)
        self._run(lib.tenon_batch_rollout, raises, states, *inputs, *written[:2], before=(chosen,))
        return Rollout(*arrays) if accelerations else arrays[:2]
