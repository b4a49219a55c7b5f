"""What the adapters for PyTorch and JAX share: calls on arrays of any leading dimensions, and positions as these libraries
differentiate them.

Tenon's derivatives by q are by tangent vectors of nv numbers. These libraries differentiate by the numbers of q, where a
quaternion has four for three directions. A quaternion moves along its unit sphere only, so its gradient is the one without a
part across the sphere; so is that of x and y of a planar joint and of the position of a floating one in their own axes."""

from __future__ import annotations

import threading
import weakref
from typing import NamedTuple

import numpy as np

from .batch import Batch
from .model import Model
from .types import JointType

_locks: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_making = threading.Lock()


def lock_of(batch: Batch) -> threading.Lock:
    """A batch computes one call at a time, and these libraries call from several threads."""
    with _making:
        return _locks.setdefault(batch, threading.Lock())


# Vectors of many states have a row for each number here: what is in a row is computed several times as fast as what
# is in a column of q.


def _columns(array: np.ndarray, begin: int, count: int) -> np.ndarray:
    return array[:, begin : begin + count].T.copy()


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.empty(b.shape, b.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=out[i])
        out[i] -= a[k] * b[j]
    return out


def _turned(quaternion: np.ndarray, x: np.ndarray, back: bool = False) -> np.ndarray:
    """Vectors x, turned by quaternions x y z w, or back."""
    w, u = quaternion[3], -quaternion[:3] if back else quaternion[:3]
    across = 2 * _cross(u, x)
    return x + w * across + _cross(u, across)


def _turned_in_plane(angle: np.ndarray, x: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack((c * x[0] - s * x[1], s * x[0] + c * x[1]))


class Tangents:
    """Between tangent vectors and numbers of q, states x nv and states x nq."""

    def __init__(self, model: Model):
        joints = [(j.q_index, j.v_index, JointType(j.type)) for j in (model.joint(i) for i in range(len(model.joints)))]
        several = {JointType.SPHERICAL, JointType.PLANAR, JointType.FLOATING}
        self.plain = [(q, v) for q, v, kind in joints if kind not in several]
        self.several = [joint for joint in joints if joint[2] in several]
        self.nq, self.nv = model.nq, model.nv
        # Where plain joints follow each other in both: first numbers, and how many.
        self.runs: list[list[int]] = []
        for q, v in sorted(self.plain):
            if self.runs and [q, v] == [self.runs[-1][k] + self.runs[-1][2] for k in (0, 1)]:
                self.runs[-1][2] += 1
            else:
                self.runs.append([q, v, 1])

    def gradient(self, q: np.ndarray, by_tangent: np.ndarray) -> np.ndarray:
        """By the numbers of q, from that by a tangent vector."""
        if not self.several:
            return by_tangent
        g, out = by_tangent, np.empty((len(q), self.nq), by_tangent.dtype)
        for i, k, count in self.runs:
            out[:, i : i + count] = g[:, k : k + count]
        for i, k, kind in self.several:
            if kind == JointType.PLANAR:
                angle, x = g[:, k], _columns(g, k + 1, 2)
                out[:, i : i + 2], out[:, i + 2] = _turned_in_plane(q[:, i + 2], x).T, angle
                continue
            if kind == JointType.FLOATING:
                out[:, i : i + 3] = _turned(_columns(q, i + 3, 4), _columns(g, k + 3, 3)).T
                i += 3
            (*u, w), x = _columns(q, i, 4), _columns(g, k, 3)
            out[:, i : i + 3] = 2 * (w * x + _cross(u, x)).T
            out[:, i + 3] = -2 * (u[0] * x[0] + u[1] * x[1] + u[2] * x[2])
        return out

    def by_tangent(self, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """By a tangent vector, from the gradient by the numbers of q."""
        out = self.tangent(q, gradient)
        for _, k, kind in self.several:
            if kind != JointType.PLANAR:
                out[:, k : k + 3] *= 0.25
        return out

    def tangent(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """The tangent vector along which q changes so."""
        if not self.several:
            return change
        out = np.empty((len(q), self.nv), change.dtype)
        for i, k, count in self.runs:
            out[:, k : k + count] = change[:, i : i + count]
        for i, k, kind in self.several:
            if kind == JointType.PLANAR:
                moved = _turned_in_plane(-q[:, i + 2], _columns(change, i, 2))
                out[:, k + 1 : k + 3], out[:, k] = moved.T, change[:, i + 2]
                continue
            if kind == JointType.FLOATING:
                out[:, k + 3 : k + 6] = _turned(_columns(q, i + 3, 4), _columns(change, i, 3), back=True).T
                i += 3
            quaternion, changed = _columns(q, i, 4), _columns(change, i, 4)
            u, w, d, e = quaternion[:3], quaternion[3], changed[:3], changed[3]
            out[:, k : k + 3] = 2 * (w * d - e * u - _cross(u, d)).T
        return out


_tangents: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def tangents_of(batch: Batch) -> Tangents:
    with _making:
        if batch not in _tangents:
            _tangents[batch] = Tangents(batch.model)
        return _tangents[batch]


_NAMES = {np.dtype(name): name for name in ("float32", "float64")}


def check_precision(batch: Batch, names, arrays) -> None:
    """Of arrays of any of these libraries; None: not given."""
    for name, array in zip(names, arrays):
        if array is None or array.dtype is batch.dtype:
            continue
        kind = str(array.dtype).rpartition(".")[2]
        if kind != _NAMES[batch.dtype]:
            text = f"{name} has numbers of {kind}, and the batch of {batch.dtype}"
            raise TypeError(text + "; make one with this precision")


def _rows(batch: Batch, arrays, sizes) -> tuple[list, tuple]:
    """Arrays as states x numbers, and the leading dimensions that all have."""
    names = ("q", "v", "the third", "the fourth", "the fifth")
    for array, size, name in zip(arrays, sizes, names):
        if array.shape[-1:] != (size,):
            raise ValueError(f"{name} is {array.shape}; {size} numbers are needed in its last dimension")
    check_precision(batch, names, arrays)
    leading = arrays[0].shape[:-1]
    if any(array.shape[:-1] != leading for array in arrays):
        leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        arrays = [np.broadcast_to(array, (*leading, size)) for array, size in zip(arrays, sizes)]
    return [array.reshape(-1, size) for array, size in zip(arrays, sizes)], leading


def value(batch: Batch, function: str, q, v, x, wrenches=None) -> np.ndarray:
    """function: "forward_dynamics", of x = tau, or "inverse_dynamics", of x = a."""
    rows, leading = _rows(batch, (q, v, x), (batch.nq, batch.nv, batch.nv))
    with lock_of(batch):
        return getattr(batch, function)(*rows, wrenches).reshape(*leading, batch.nv)


def gradients(batch: Batch, function: str, q, v, x, gradient, wrenches=None, wanted=(True, True, True)) -> list:
    """By q, v and x; None: not wanted."""
    rows, leading = _rows(batch, (q, v, x, gradient), (batch.nq, batch.nv, batch.nv, batch.nv))
    third = "gradient_tau" if function == "forward_dynamics" else "gradient_a"
    outs = {name: None if is_wanted else False for name, is_wanted in zip(("gradient_q", "gradient_v", third), wanted)}
    with lock_of(batch):
        _, *by = getattr(batch, function + "_vjp")(*rows, wrenches, out=False, **outs)
    if by[0] is not None:
        by[0] = tangents_of(batch).gradient(rows[0], by[0])
    return [g if g is None else g.reshape(*leading, g.shape[1]) for g in by]


def change(batch: Batch, function: str, q, v, x, dq, dv, dx, wrenches=None) -> np.ndarray:
    """The change of the result along those of q, v and x."""
    sizes = (batch.nq, batch.nv, batch.nv)
    rows, leading = _rows(batch, (q, v, x, dq, dv), (*sizes, *sizes[:2]))
    (last,), _ = _rows(batch, (np.broadcast_to(dx, (*leading, batch.nv)),), sizes[2:])
    q, v, x, dq, dv = rows
    third = "dtau" if function == "forward_dynamics" else "da"
    along = {"dq": tangents_of(batch).tangent(q, dq), "dv": dv, third: last}
    with lock_of(batch):
        return getattr(batch, function + "_jvp")(q, v, x, wrenches, out=False, **along)[1].reshape(*leading, batch.nv)


# The arrays of a rollout, in this order.
ROLLOUT = ("q", "v", "tau", "stiffness", "damping", "q_target", "v_target")


class Rollout(NamedTuple):
    """What a rollout has beside its arrays."""

    dt: float
    every: int = 1
    wrenches: np.ndarray | None = None


def rollout_shapes(batch: Batch, arrays, every: int) -> list:
    """To which the arrays of a rollout are to be expanded; None: it is not given."""
    check_precision(batch, ROLLOUT, arrays)
    tau, steps = arrays[2], arrays[2].shape[-2] if arrays[2].ndim > 1 else 0
    if steps == 0:
        raise ValueError(f"tau is {tuple(tau.shape)}; steps x {batch.nv} numbers are needed in its last dimensions")
    if not 1 <= every <= steps:
        raise ValueError(f"every is {every}, and the rollout of {steps} steps; give 1 to {steps}")
    if arrays[3] is not None and arrays[5] is None:
        raise ValueError("stiffness is given without q_target; give both")
    q, v = (batch.nq,), (batch.nv,)
    wanted = (q, v, (steps, *v), v, v, (steps, *q), (steps, *v))
    leading = {}
    for name, array, shape in zip(ROLLOUT, arrays, wanted):
        if array is None:
            continue
        last = tuple(array.shape[-len(shape) :])
        if last != shape and (len(shape) == 1 or last != (1, *shape[1:])):
            text = f"{' x '.join(map(str, shape))} numbers are needed in its last dimension{'s'[: len(shape) - 1]}"
            raise ValueError(f"{name} is {tuple(array.shape)}; {text}")
        leading[name] = tuple(array.shape[: -len(shape)])
    try:
        whole = np.broadcast_shapes(*leading.values())
    except ValueError:
        text = ", ".join(f"{name} {shape}" for name, shape in leading.items())
        raise ValueError(f"leading dimensions that do not fit each other: {text}") from None
    return [None if array is None else (*whole, *shape) for array, shape in zip(arrays, wanted)]


def _rollout_rows(batch: Batch, arrays) -> tuple[tuple, tuple]:
    """States x numbers, or states x steps x numbers, of arrays that have the shapes of rollout_shapes."""
    leading = arrays[0].shape[:-1]
    return tuple(a if a is None else a.reshape(-1, *a.shape[len(leading) :]) for a in arrays), leading


def _controller(rows) -> dict:
    return dict(zip(ROLLOUT[3:], rows[3:]))


def rollout(batch: Batch, how: Rollout, *arrays) -> tuple:
    """q and v of each record, ... x records x numbers."""
    rows, leading = _rollout_rows(batch, arrays)
    steps = rows[2].shape[1]
    with lock_of(batch):
        ends = batch.rollout(*rows[:3], how.wrenches, dt=how.dt, steps=steps, every=how.every, **_controller(rows))
    return tuple(x.reshape(*leading, *x.shape[1:]) for x in ends)


def _distances(batch: Batch, how: Rollout, rows) -> tuple:
    """What gains multiply in each step: q_target - q of joints of one coordinate, and v_target - v. None: not given."""
    q, v, tau, stiffness, damping, q_target, v_target = rows
    states, steps, _ = tau.shape
    path_q, path_v = (np.empty((states, steps, x.shape[1]), batch.dtype) for x in (q, v))
    path_q[:, 0], path_v[:, 0] = q, v
    if steps > 1:
        but_last = {name: _but_last(a) for name, a in _controller(rows).items()}
        ends = path_q[:, 1:], path_v[:, 1:]
        batch.rollout(q, v, tau[:, :-1], _but_last(how.wrenches), *ends, dt=how.dt, steps=steps - 1, **but_last)
    off_q = off_v = None
    if stiffness is not None:
        i, k = np.array(tangents_of(batch).plain, int).reshape(-1, 2).T
        off_q = np.zeros_like(path_v)
        off_q[..., k] = (q_target - path_q)[..., i]
    if damping is not None:
        off_v = -path_v if v_target is None else v_target - path_v
    return off_q, off_v


def _but_last(array):
    """Of what may differ in each step."""
    return array[:, :-1] if array is not None and np.ndim(array) == 3 and array.shape[1] > 1 else array


def rollout_gradients(batch: Batch, how: Rollout, wanted, *arrays) -> list:
    """By the arrays of a rollout, from the gradient by its records. arrays: these, q of the records, and the gradients
    by q and v of the records. None: not wanted."""
    rows, leading = _rollout_rows(batch, arrays)
    (*rows, q_out, by_q_out, by_v_out), tangents = rows, tangents_of(batch)
    (q, v, tau, stiffness, damping, *_), (states, records, nq) = rows, q_out.shape
    by_out = tangents.by_tangent(q_out.reshape(-1, nq), by_q_out.reshape(-1, nq)).reshape(states, records, batch.nv)
    with lock_of(batch):
        options = {"dt": how.dt, "steps": tau.shape[1], "every": how.every, **_controller(rows)}
        by_q, by_v, by_tau = batch.rollout_vjp(q, v, tau, how.wrenches, by_out, by_v_out, **options)
        off_q, off_v = _distances(batch, how, rows) if wanted[3] or wanted[4] else (None, None)

    def by_target(gains, size):
        by = np.zeros_like(by_tau) if gains is None else gains[:, None] * by_tau
        by, q = by.reshape(-1, batch.nv), np.zeros((states * tau.shape[1], nq), batch.dtype)
        return (tangents.gradient(q, by) if size == nq else by).reshape(*tau.shape[:2], size)

    by_each = (
        lambda: tangents.gradient(q, by_q),
        lambda: by_v,
        lambda: by_tau,
        lambda: (by_tau * off_q).sum(1),
        lambda: (by_tau * off_v).sum(1),
        lambda: by_target(stiffness, nq),
        lambda: by_target(damping, batch.nv),
    )
    found = [each() if is_wanted else None for each, is_wanted in zip(by_each, wanted)]
    return [g if g is None else g.reshape(*leading, *g.shape[1:]) for g in found]
