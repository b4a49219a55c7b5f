"""What the adapters for PyTorch and JAX share: calls on arrays of any leading dimensions, and positions as these libraries
differentiate them.

Tenon's derivatives by q are by tangent vectors of nv numbers. These libraries differentiate by the numbers of q, where a
quaternion has four for three directions. A quaternion moves along its unit sphere only, so its gradient is the one without a
part across the sphere; so is that of x and y of a planar joint and of the position of a floating one in their own axes."""

from __future__ import annotations

import threading
import weakref

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


def _turned(quaternion: np.ndarray, x: np.ndarray, back: bool = False) -> np.ndarray:
    """Vectors x, turned by quaternions x y z w, or back."""
    w, u = quaternion[:, 3:], -quaternion[:, :3] if back else quaternion[:, :3]
    across = 2 * np.cross(u, x)
    return x + w * across + np.cross(u, across)


def _turned_in_plane(angle: np.ndarray, x: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack((c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]), axis=1)


class Tangents:
    """Between tangent vectors and numbers of q, states x nv and states x nq."""

    def __init__(self, model: Model):
        joints = [(j.q_index, j.v_index, JointType(j.type)) for j in (model.joint(i) for i in range(len(model.joints)))]
        several = {JointType.SPHERICAL, JointType.PLANAR, JointType.FLOATING}
        self.plain = [(q, v) for q, v, kind in joints if kind not in several]
        self.several = [joint for joint in joints if joint[2] in several]
        self.nq, self.nv = model.nq, model.nv

    def gradient(self, q: np.ndarray, by_tangent: np.ndarray) -> np.ndarray:
        """By the numbers of q, from that by a tangent vector."""
        if not self.several:
            return by_tangent
        g, out = by_tangent, np.empty((len(q), self.nq), by_tangent.dtype)
        for i, k in self.plain:
            out[:, i] = g[:, k]
        for i, k, kind in self.several:
            if kind == JointType.PLANAR:
                out[:, i : i + 2], out[:, i + 2] = _turned_in_plane(q[:, i + 2], g[:, k + 1 : k + 3]), g[:, k]
                continue
            if kind == JointType.FLOATING:
                out[:, i : i + 3] = _turned(q[:, i + 3 : i + 7], g[:, k + 3 : k + 6])
                i += 3
            u, w, x = q[:, i : i + 3], q[:, i + 3 : i + 4], g[:, k : k + 3]
            out[:, i : i + 3] = 2 * (w * x + np.cross(u, x))
            out[:, i + 3] = -2 * np.sum(u * x, axis=1)
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
        for i, k in self.plain:
            out[:, k] = change[:, i]
        for i, k, kind in self.several:
            if kind == JointType.PLANAR:
                out[:, k + 1 : k + 3], out[:, k] = _turned_in_plane(-q[:, i + 2], change[:, i : i + 2]), change[:, i + 2]
                continue
            if kind == JointType.FLOATING:
                out[:, k + 3 : k + 6] = _turned(q[:, i + 3 : i + 7], change[:, i : i + 3], back=True)
                i += 3
            u, w = q[:, i : i + 3], q[:, i + 3 : i + 4]
            d, e = change[:, i : i + 3], change[:, i + 3 : i + 4]
            out[:, k : k + 3] = 2 * (w * d - e * u - np.cross(u, d))
        return out


_tangents: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def tangents_of(batch: Batch) -> Tangents:
    with _making:
        if batch not in _tangents:
            _tangents[batch] = Tangents(batch.model)
        return _tangents[batch]


def _rows(batch: Batch, arrays, sizes) -> tuple[list, tuple]:
    """Arrays as states x numbers, and the leading dimensions that all have."""
    for array, size, name in zip(arrays, sizes, ("q", "v", "the third", "the fourth", "the fifth")):
        if array.shape[-1:] != (size,):
            raise ValueError(f"{name} is {array.shape}; {size} numbers are needed in its last dimension")
        if array.dtype != batch.dtype:
            text = f"{name} has numbers of {array.dtype}, and the batch of {batch.dtype}"
            raise TypeError(text + "; make one with this precision")
    leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    shaped = (np.broadcast_to(array, (*leading, size)).reshape(-1, size) for array, size in zip(arrays, sizes))
    return list(shaped), leading


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


def step(batch: Batch, dt: float, q, v, tau, wrenches=None) -> tuple:
    """q and v after a step of semi-implicit Euler."""
    rows, leading = _rows(batch, (q, v, tau), (batch.nq, batch.nv, batch.nv))
    none = {"gradient_q": False, "gradient_v": False, "gradient_tau": False}
    with lock_of(batch):
        next_q, next_v, *_ = batch.step_semi_implicit_euler_vjp(dt, *rows, wrenches, **none)
    return next_q.reshape(*leading, batch.nq), next_v.reshape(*leading, batch.nv)


def step_gradients(batch: Batch, dt: float, q, v, tau, next_q, by_next_q, by_next_v, wrenches=None) -> list:
    """By q, v and tau, from the gradient by the end of the step."""
    sizes = (batch.nq, batch.nv, batch.nv, batch.nq, batch.nq)
    rows, leading = _rows(batch, (q, v, tau, next_q, by_next_q), sizes)
    (by_next_v,), _ = _rows(batch, (np.broadcast_to(by_next_v, (*leading, batch.nv)),), (batch.nv,))
    q, v, tau, next_q, by_next_q = rows
    tangents = tangents_of(batch)
    ends = {"gradient_next_q": tangents.by_tangent(next_q, by_next_q), "gradient_next_v": by_next_v}
    with lock_of(batch):
        *_, by_q, by_v, by_tau = batch.step_semi_implicit_euler_vjp(
            dt, q, v, tau, wrenches, **ends, out=False, next_v=False
        )
    return [g.reshape(*leading, g.shape[1]) for g in (tangents.gradient(q, by_q), by_v, by_tau)]
