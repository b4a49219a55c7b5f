"""Batches: many states in one call, side by side in the wide registers of the processor, and by threads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import Error, Handle, alone, constant, given, lib, options, prepared, reraise, text
from .constraints import Constraints
from .model import Model
from .types import Axes, Coordinates, InstructionSet, Precision, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import BatchOptions, DampedOptions, DelassusOptions, RolloutOptions


class Poses(NamedTuple):
    """Of chosen links: poses (states x links x 7); velocities (x 6), or None; Jacobians (states x links x 6 x nv)."""

    poses: np.ndarray
    velocities: np.ndarray | None
    jacobians: np.ndarray


class Rollout(NamedTuple):
    """q, v, accelerations and multipliers of each record: states x records x nq, nv, nv and m."""

    q: np.ndarray
    v: np.ndarray
    qdd: np.ndarray
    force: np.ndarray


class Batch(Handle):
    """Computes what a workspace does, of many states at once.

    Arrays have a state in each row: q is states x nq. Strides of whole numbers are taken without a copy, as of a transposed
    array or a part of a larger one; an input of one row, or of one dimension, is the same for all states. A state that
    fails spoils only itself: its `status` is negative, nothing is written for it, and the call raises Error after the
    others are done; with raises=False it does not. precision="single", or "float": arrays are float32. threads: that
    compute. A call while another one runs raises RuntimeError.
    """

    _destroy = "tenon_batch_destroy"
    _again = "make another of its model and constraints"

    def __init__(self, model: Model, constraints: Constraints | None = None, **how: Unpack[BatchOptions]):
        if constraints is not None:
            constraints.finish()
        chosen = options(_raw.tenon_batch_options, how)
        rows = None if constraints is None else constraints._pointer
        super().__init__(self._new(lib.tenon_batch_create, model._pointer, rows, chosen))
        self.model, self.constraints = model, constraints
        single = chosen is not None and chosen.precision == Precision.SINGLE
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.nq, self.nv = model.nq, model.nv
        self.m, self._constraint_count = self._counts()
        self.status = np.zeros(0, dtype=np.int32)
        self.iterations = np.zeros(0, dtype=np.int32)

    def _counts(self) -> tuple[int, int]:
        """Rows and constraints; those of loops by rows a batch without a set has all the same."""
        if self.constraints is not None:
            return self.constraints.row_count, len(self.constraints)
        with Constraints(self.model) as none:
            return none.row_count, len(none)

    def __repr__(self) -> str:
        rows = f", {self.m} rows" if self.m else ""
        return f"<Batch of {self.model.name}: nq {self.nq}, nv {self.nv}{rows}, {self.width} states of {self.dtype} at a time>"

    @property
    def width(self) -> int:
        """States that are computed side by side."""
        return lib.tenon_batch_width(self._pointer)

    @property
    def size_bytes(self) -> int:
        """All memory that it holds at present."""
        return lib.tenon_batch_size_bytes(self._pointer)

    @property
    def instruction_set(self) -> InstructionSet:
        """The instruction set whose kernels it runs."""
        return InstructionSet(lib.tenon_batch_instruction_set(self._pointer))

    # ---- settings

    def _set(self, function, *arguments) -> None:
        with alone(self._address, "Batch"):
            self._done(function(self._pointer, *arguments))

    def set_gravity(self, gravity: ArrayLike) -> None:
        """3, m/s^2, world axes."""
        self._set(lib.tenon_batch_set_gravity, *given(gravity))

    def set_anchor(self, constraint: str | int, pose: ArrayLike) -> None:
        """The world pose at which the stabilisation of a constraint holds its frame."""
        if self.constraints is None:
            raise ValueError("this batch has no constraint set")
        index = self.constraints.index(constraint)
        self._set(lib.tenon_batch_set_anchor, index, *given(pose))

    def _of_constraints(self, array: ArrayLike, numbers: int = 1) -> np.ndarray:
        """As many numbers for each constraint of each state; of one state they hold in all."""
        array = np.asarray(array, dtype=self.dtype)
        count = numbers * self._constraint_count
        one = array.ndim <= (2 if numbers > 1 else 1)
        return np.ascontiguousarray(array.reshape(1 if one else len(array), count))

    def anchor_here(self, q: ArrayLike) -> None:
        """The anchors of all constraints := where their frames are at q, in each state; later calls have as many."""
        states = self._states(q)
        self._run(lib.tenon_batch_anchor_here, True, states, self._given(q))

    def set_anchors(self, poses: ArrayLike) -> None:
        """The anchors of all constraints: states x constraints x 7; constraints x 7 for all states."""
        poses = self._of_constraints(poses, 7)
        self._set(lib.tenon_batch_set_anchors, len(poses), self._rows(poses))

    def anchors(self, states: int) -> np.ndarray:
        """What was set, states x constraints x 7."""
        count = self._constraint_count
        poses, written = self._written(None, states, 7 * count)
        self._set(lib.tenon_batch_anchors, states, written)
        return poses.reshape(states, count, 7)

    def set_active(self, active: ArrayLike) -> None:
        """Which constraints are on: states x constraints; constraints for all states."""
        active = self._of_constraints(active)
        self._set(lib.tenon_batch_set_active, len(active), self._rows(active))

    def set_gains(self, frequencies: ArrayLike, damping_ratios: ArrayLike = 1.0) -> None:
        """The gains of all constraints: states x constraints; constraints for all states."""
        frequencies = self._of_constraints(frequencies)
        ratios = np.ascontiguousarray(np.broadcast_to(np.asarray(damping_ratios, self.dtype), frequencies.shape))
        inputs = self._rows(frequencies), self._rows(ratios)
        self._set(lib.tenon_batch_set_gains, len(frequencies), *inputs)

    def set_parameters(
        self, *, masses: ArrayLike | None = None, centers_of_mass: ArrayLike | None = None,
        inertias: ArrayLike | None = None, armatures: ArrayLike | None = None, damping: ArrayLike | None = None,
        friction: ArrayLike | None = None, gravity: ArrayLike | None = None, weights: ArrayLike | None = None,
        compliance: ArrayLike | None = None, frames: ArrayLike | None = None,
    ) -> None:  # fmt: skip
        """What robots have of their own: of links masses, states x links, centres of mass (x 3) and inertias (x 6: xx xy
        xz yy yz zz about the centre of mass, link axes); of velocity coordinates armatures, damping and friction,
        states x nv; gravity, states x 3. Of constraints weights and compliance of rows, states x m, and frames in their
        links, states x constraints x 7. Without the dimension of states: the same in all. None: as before, but of the
        first three, where one is given, the model's."""
        links, nv = len(self.model.links), self.model.nv
        of_each = {
            "masses": (masses, (links,)), "centers_of_mass": (centers_of_mass, (links, 3)),
            "inertias": (inertias, (links, 6)), "armatures": (armatures, (nv,)), "damping": (damping, (nv,)),
            "friction": (friction, (nv,)), "gravity": (gravity, (3,)), "weights": (weights, (self.m,)),
            "compliance": (compliance, (self.m,)), "frames": (frames, (self._constraint_count, 7)),
        }  # fmt: skip
        rows = {}
        for name, (array, shape) in of_each.items():
            if array is None:
                continue
            array = np.asarray(array, dtype=self.dtype)
            if array.shape not in (shape, array.shape[:1] + shape):
                raise ValueError(f"{name} is {array.shape}; states x {' x '.join(map(str, shape))} numbers are needed")
            count = len(array) if array.ndim > len(shape) else 1
            rows[name] = np.ascontiguousarray(array).reshape(count, int(np.prod(shape)))
        states = self._states(*rows.values())
        parameters = options(_raw.tenon_batch_parameters, {name: self._rows(array) for name, array in rows.items()})
        self._set(lib.tenon_batch_set_parameters, states, parameters)

    def set_coordinates(self, positions: Coordinates | str, velocities: Coordinates | str) -> None:
        """In which coordinates states are, "spanning" or "independent". Changes nq and nv."""
        kinds = constant(Coordinates, positions), constant(Coordinates, velocities)
        self._set(lib.tenon_batch_set_coordinates, *kinds)
        self.nq = self.model.nyq if kinds[0] == Coordinates.INDEPENDENT else self.model.nq
        self.nv = self.model.ny if kinds[1] == Coordinates.INDEPENDENT else self.model.nv

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

    def _given(
        self, array: ArrayLike | None, steps: int | None = None, name: str = "tau"
    ) -> _raw.tenon_batch_array | None:
        """An input; steps: of a rollout, for what may differ in each; name: for messages about these."""
        if array is None:
            return None
        array = np.asarray(array, dtype=self.dtype)
        if array.ndim not in (1, 2, 3) or array.ndim == 3 and steps is None:
            raise ValueError(f"an array of {array.ndim} dimensions; states x numbers are needed")
        if array.ndim == 3 and array.shape[1] not in (1, steps):
            raise ValueError(f"{name} is of {array.shape[1]} steps, and the rollout of {steps}; give {steps}, or 1 for all")
        return self._rows(array if self._has_whole_strides(array) else array.copy(), array.ndim == 3)

    def _written(self, out: np.ndarray | None, *shape: int, records: bool = False):
        if out is None:
            out = np.full(shape, np.nan, dtype=self.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out is to be an array of {self.dtype}, and is a {type(out).__name__}")
        elif out.dtype != self.dtype or not out.flags.writeable or out.shape != shape:
            raise ValueError(f"out is {out.dtype} {out.shape}; writeable {self.dtype} {shape} is needed")
        elif not self._has_whole_strides(out):
            size = self.dtype.itemsize
            raise ValueError(f"out has strides of {out.strides} bytes, or an address, that are no multiple of {size}")
        return out, self._rows(out, records)

    @staticmethod
    def _states(*arrays: ArrayLike | None) -> int:
        """How many: those that are given have as many rows, or one for all."""
        counts = {np.shape(a)[0] for a in arrays if a is not None and np.ndim(a) > 1}
        counts.discard(1) if len(counts) > 1 else None
        if len(counts) > 1:
            raise ValueError(f"arrays of different numbers of states: {sorted(counts)}")
        return counts.pop() if counts else 1

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

    def _force(self, function, out: np.ndarray | None, raises: bool, *inputs: ArrayLike | None) -> np.ndarray:
        """A vector of nv for each state out of some arrays."""
        states = self._states(*inputs)
        out, result = self._written(out, states, self.nv)
        self._run(function, raises, states, *map(self._given, inputs), result)
        return out

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None,
        out: np.ndarray | None = None, raises: bool = True,
    ) -> np.ndarray:  # fmt: skip
        """qdd, states x nv, without the constraints."""
        return self._force(lib.tenon_batch_forward_dynamics, out, raises, q, v, tau, wrenches)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None,
        out: np.ndarray | None = None, raises: bool = True,
    ) -> np.ndarray:  # fmt: skip
        """tau, states x nv."""
        return self._force(lib.tenon_batch_inverse_dynamics, out, raises, q, v, a, wrenches)

    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None, raises: bool = True) -> np.ndarray:
        """M, states x nv x nv."""
        states = self._states(q)
        out, result = self._written(_flat(out, states, self.nv), states, self.nv * self.nv)
        self._run(lib.tenon_batch_mass_matrix, raises, states, self._given(q), result)
        return out.reshape(states, self.nv, self.nv)

    def _triangle(self, function, q: ArrayLike, out: np.ndarray | None, raises: bool) -> np.ndarray:
        states = self._states(q)
        out, result = self._written(out, states, self.nv * (self.nv + 1) // 2)
        self._run(function, raises, states, self._given(q), result)
        return out

    def mass_matrix_lower(self, q: ArrayLike, out: np.ndarray | None = None, raises: bool = True) -> np.ndarray:
        """The lower triangle of M row by row, states x nv (nv + 1) / 2: M[:, *np.tril_indices(nv)]."""
        return self._triangle(lib.tenon_batch_mass_matrix_lower, q, out, raises)

    def mass_matrix_factor(self, q: ArrayLike, out: np.ndarray | None = None, raises: bool = True) -> np.ndarray:
        """The lower triangle of L likewise, M = L^T L."""
        return self._triangle(lib.tenon_batch_mass_matrix_factor, q, out, raises)

    def kinematics(
        self,
        q: ArrayLike,
        links: Sequence[str | int],
        v: ArrayLike | None = None,
        axes: Axes | str = Axes.WORLD,
        raises: bool = True,
    ) -> Poses:
        """Poses, velocities and Jacobians of some links."""
        states, count = self._states(q, v), len(links)
        indices = np.array([self.model.link_index(link) for link in links], dtype=np.int32)
        poses, to_poses = self._written(None, states, 7 * count)
        velocities, to_velocities = (None, None) if v is None else self._written(None, states, 6 * count)
        jacobians, to_jacobians = self._written(None, states, 6 * self.nv * count)
        chosen = indices.ctypes.data, count, constant(Axes, axes)
        arrays = self._given(q), self._given(v), to_poses, to_velocities, to_jacobians
        self._run(lib.tenon_batch_kinematics, raises, states, *chosen, *arrays)
        return Poses(
            poses.reshape(states, count, 7),
            None if velocities is None else velocities.reshape(states, count, 6),
            jacobians.reshape(states, count, self.nv, 6).swapaxes(2, 3),
        )

    def constrained_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None,
        desired: ArrayLike | None = None, options: _raw.tenon_solve_options | None = None,
        out: np.ndarray | None = None, force: np.ndarray | None = None, raises: bool = True,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """qdd, states x nv, and lambda, states x m; `iterations` of each state. options: of Workspace.solve_options."""
        states = self._states(q, v, tau, wrenches, desired)
        out, result = self._written(out, states, self.nv)
        force, rows = self._written(np.zeros((states, self.m), self.dtype) if force is None else force, states, self.m)
        arrays = *map(self._given, (q, v, tau, wrenches, desired)), result, rows
        function = lib.tenon_batch_constrained_dynamics
        self._run(function, raises, states, *arrays, before=(options,), counts=True)
        return out, force

    def delassus(
        self, q: ArrayLike, out: np.ndarray | None = None, raises: bool = True, **how: Unpack[DelassusOptions]
    ) -> np.ndarray:
        """J M^-1 J^T, states x m x m."""
        states = self._states(q)
        out, result = self._written(_flat(out, states, self.m), states, self.m * self.m)
        chosen = options(_raw.tenon_delassus_options, how)
        self._run(lib.tenon_batch_delassus, raises, states, self._given(q), result, before=(chosen,))
        return out.reshape(states, self.m, self.m)

    def delassus_product(
        self, q: ArrayLike, B: ArrayLike, raises: bool = True, **how: Unpack[DampedOptions]
    ) -> np.ndarray:
        """The damped inverse of the Delassus matrix times B, states x m; of one column."""
        states = self._states(q, B)
        out, result = self._written(None, states, self.m)
        chosen, inputs = options(_raw.tenon_damped_options, how), (self._given(q), self._given(B))
        self._run(lib.tenon_batch_delassus_product, raises, states, 1, *inputs, result, before=(chosen,))
        return out

    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        raises: bool = True,
        accelerations: bool = False,
        **how: Unpack[RolloutOptions],
    ) -> tuple[np.ndarray, np.ndarray] | Rollout:
        """Steps in time: states x records x nq and x nv. tau: states x nv, the same in all steps, or states x steps x nv;
        so wrenches. records: steps // every. accelerations: a Rollout, with accelerations and multipliers too, those at the
        beginning of the step that ends in a record.
        Options: dt, steps, every, integrator="runge_kutta_4", solve (types.RolloutOptions). A controller adds
        stiffness (q_target - q) + damping (v_target - v) to tau: gains states x nv or nv, targets as tau."""
        names = ("stiffness", "damping", "q_target", "v_target")
        controller = {name: how.pop(name) for name in names if name in how}
        chosen = options(_raw.tenon_rollout_options, how) or prepared(_raw.tenon_rollout_options)
        steps, every = chosen.steps, chosen.every
        records = steps // max(every, 1)
        more = {n: self._given(x, steps if n.endswith("target") else None, n) for n, x in controller.items()}
        states = self._states(q, v, tau, wrenches, *(x.kept for x in more.values() if x is not None))
        sizes = (self.nq, self.nv, self.nv, self.m) if accelerations else (self.nq, self.nv)
        arrays, written = zip(*(self._written(None, states, records, size, records=True) for size in sizes))
        if accelerations:
            more.update(qdd_out=written[2], lambda_out=written[3])
        for name, array in more.items():
            setattr(chosen, name, None if array is None else ctypes.pointer(array))
        inputs = self._given(q), self._given(v), self._given(tau, steps), self._given(wrenches, steps, "wrenches")
        self._run(lib.tenon_batch_rollout, raises, states, *inputs, *written[:2], before=(chosen,))
        return Rollout(*arrays) if accelerations else arrays


def _flat(out: np.ndarray | None, states: int, rows: int) -> np.ndarray | None:
    """Square matrices of states as rows of numbers; not a copy. What is no such array is refused where it is written."""
    if getattr(out, "shape", None) != (states, rows, rows):
        return out
    flat = out.reshape(states, rows * rows)
    if out.size and not np.shares_memory(flat, out):
        raise ValueError("out is to be contiguous")
    return flat
