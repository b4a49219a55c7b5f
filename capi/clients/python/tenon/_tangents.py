"""Positions as PyTorch and JAX differentiate them.

Tenon's derivatives by q are by tangent vectors of nv numbers. These libraries differentiate by the numbers of q, where a
quaternion has four for three directions. A quaternion moves along its unit sphere only, so its gradient is the one without a
part across the sphere; so is that of x and y of a planar joint and of the position of a floating one in their own axes."""

from __future__ import annotations

import weakref

import numpy as np

from .batch import Batch
from .model import Model
from .types import JointType

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


def turned(quaternion: np.ndarray, x: np.ndarray, back: bool = False) -> np.ndarray:
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
                out[:, i : i + 3] = turned(_columns(q, i + 3, 4), _columns(g, k + 3, 3)).T
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

    def change(self, q: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """Of the numbers of q, along a tangent vector."""
        out = self.gradient(q, tangent)
        for i, _, kind in self.several:
            if kind != JointType.PLANAR:
                i += 3 if kind == JointType.FLOATING else 0
                out[:, i : i + 4] *= 0.25
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
                out[:, k + 3 : k + 6] = turned(_columns(q, i + 3, 4), _columns(change, i, 3), back=True).T
                i += 3
            quaternion, changed = _columns(q, i, 4), _columns(change, i, 4)
            u, w, d, e = quaternion[:3], quaternion[3], changed[:3], changed[3]
            out[:, k : k + 3] = 2 * (w * d - e * u - _cross(u, d)).T
        return out

    def bent(self, q: np.ndarray, by_tangent: np.ndarray, change: np.ndarray, product: np.ndarray) -> np.ndarray:
        """The second derivative by the numbers of q along a change, of a function that normalizes quaternions first; from the
        gradient by a tangent vector and the product of the Hessian along Batch.integrate with the tangent vector of the change.
        It is symmetric in the numbers. Numbers along tangents are q + tangent + half of tangent squared: for positions that
        turn, half of turn x displacement; for quaternions a part across the sphere, which no unit quaternion has."""
        g, of_integrate = by_tangent, product.copy()
        tangent = self.tangent(q, change)
        for _, k, kind in self.several:
            if kind == JointType.PLANAR:
                (gx, gy), (turn, x, y) = _columns(g, k + 1, 2), _columns(tangent, k, 3)
                of_integrate[:, k] -= 0.5 * (x * gy - y * gx)
                of_integrate[:, k + 1] -= 0.5 * turn * gy
                of_integrate[:, k + 2] += 0.5 * turn * gx
            elif kind == JointType.FLOATING:
                force, turn, moved = _columns(g, k + 3, 3), _columns(tangent, k, 3), _columns(tangent, k + 3, 3)
                of_integrate[:, k : k + 3] -= 0.5 * _cross(moved, force).T
                of_integrate[:, k + 3 : k + 6] -= 0.5 * _cross(force, turn).T
        out, by_numbers = self.gradient(q, of_integrate), self.gradient(q, by_tangent)
        for i, _, kind in self.several:
            if kind != JointType.PLANAR:
                i += 3 if kind == JointType.FLOATING else 0
                at = slice(i, i + 4)
                unit, by, along = q[:, at], by_numbers[:, at], change[:, at]
                out[:, at] -= unit * (by * along).sum(1, keepdims=True) + by * (unit * along).sum(1, keepdims=True)
        return out


_tangents: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def tangents_of(batch: Batch) -> Tangents:
    found = _tangents.get(batch)
    return _tangents.setdefault(batch, Tangents(batch.model)) if found is None else found
