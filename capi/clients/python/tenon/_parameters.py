"""What robots of a batch have of their own in calls of the adapters for PyTorch and JAX, and who computes with it."""

from __future__ import annotations

import contextlib
import math
import threading
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._core import alone
from .batch import Batch
from .model import Model
from .workspace import Workspace


class Parameters(NamedTuple):
    """Of robots, for one call: what is None is as the batch has it (Batch.set_parameters, or else the model). Each has the
    numbers below in its last dimensions, and before them none, for one robot in all states, or leading dimensions that fit
    those of the states: then states have robots of their own. Gradients of what states share are sums over these."""

    inertias: Any = None
    """links x 10: mass, mass times centre of mass, and inertia about the link's origin, [ixx ixy ixz iyy iyz izz], along the
    link's axes (tenon/parameters.h); payloads that the batch has come on top, and one that is to be learned is a tensor that is
    added here. Those of links of the world and of extra frames are not read."""
    armature: Any = None
    """nv of spanning coordinates, as damping and friction"""
    damping: Any = None
    """N m s/rad or N s/m, of joints; the gain of a controller is an argument of rollouts"""
    friction: Any = None
    """dry, N m or N; gradients are those where joints move"""
    gravity: Any = None
    """3, m/s^2, world axes"""


PREFIX = "parameters."
NAMES = tuple(PREFIX + name for name in Parameters._fields)


def shape_of(model: Model, name: str) -> tuple[int, ...]:
    """Of the numbers of one robot."""
    return {"inertias": (model.link_count, 10), "gravity": (3,)}.get(name.removeprefix(PREFIX), (model.nv,))


# ---- inertias


def _of_points(mass: np.ndarray, c: np.ndarray) -> np.ndarray:
    """[ixx ixy ixz iyy iyz izz] of masses at c about the origin."""
    (x, y, z), out = np.moveaxis(c, -1, 0), np.empty((*mass.shape, 6))
    hx, hy, hz = mass * x, mass * y, mass * z
    xx, yy, zz = hx * x, hy * y, hz * z
    for i, each in enumerate((yy + zz, -hx * y, -hx * z, xx + zz, -hy * z, xx + yy)):
        out[..., i] = each
    return out


def _as_set(model: Model, pi: np.ndarray) -> dict[str, np.ndarray]:
    """Masses, centres of mass and inertias about these, as Batch.set_parameters takes them, of rows x links x 10."""
    pi = pi.astype(float)
    mass, h = pi[..., 0], pi[..., 1:4]
    zero = mass == 0
    if h[zero].any():
        wrong = np.argwhere(zero & (h != 0).any(-1))
        link = int(wrong[0][1])
        raise ValueError(
            f"parameters.inertias: the mass of link {link} '{model.link(link).name}' is 0, and its mass times centre of mass "
            f"is {h[tuple(wrong[0])].tolist()}; give it a mass, or zeros"
        )
    c = h / np.where(zero, 1, mass)[..., None]
    return {"masses": mass, "centers_of_mass": c, "inertias": pi[..., 4:] - _of_points(mass, c)}


def parameters_of(batch: Batch, states: int | None = None) -> Parameters:
    """What the batch has, as arrays; states: of robots that it has for so many."""
    count = 1 if states is None else states
    loads = dict.fromkeys(("payload_masses", "payload_centers_of_mass", "payload_inertias"), False)
    with lock_of(batch):
        has = batch.robots(count, **loads)
    mass, about_center = has["masses"].astype(float), has["inertias"].reshape(count, -1, 6)
    c = has["centers_of_mass"].reshape(count, -1, 3).astype(float)
    inertias = np.concatenate([mass[..., None], mass[..., None] * c, about_center + _of_points(mass, c)], -1)
    found = inertias.astype(batch.dtype), *(has[name] for name in ("armatures", "damping", "friction", "gravity"))
    return Parameters(*(x[0] if states is None else x for x in found))


def inertia_from_log_cholesky(library: Any, theta: Any) -> Any:
    """The chart of tenon_inertia_from_log_cholesky, ... x 10, in operations that a library differentiates."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = (theta[..., i] for i in range(10))
    e1, e2, e3, scale = (library.exp(x) for x in (d1, d2, d3, 2 * alpha))
    # U U^T without its scale: second moments of mass.
    xx, yy, zz = e1 * e1 + s12 * s12 + s13 * s13 + t1 * t1, e2 * e2 + s23 * s23 + t2 * t2, e3 * e3 + t3 * t3
    xy, xz, yz = e2 * s12 + s13 * s23 + t1 * t2, e3 * s13 + t1 * t3, e3 * s23 + t2 * t3
    one = library.ones_like(t1)
    return scale[..., None] * library.stack([one, t1, t2, t3, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy], -1)


def log_cholesky_from_inertia(batch: Batch, inertia: np.ndarray) -> np.ndarray:
    """The inverse, ... x 10."""
    if inertia.shape[-1:] != (10,):
        raise ValueError(f"inertia is {inertia.shape}; 10 numbers are needed in its last dimension")
    with Workspace(batch.model) as work:
        each = [work.log_cholesky_from_inertia(pi) for pi in inertia.reshape(-1, 10).astype(float)]
    return np.array(each, inertia.dtype).reshape(inertia.shape)


# ---- who computes

_locks: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_twins: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_making = threading.Lock()


def lock_of(batch: Batch) -> threading.Lock:
    """A batch computes one call at a time, and these libraries call from several threads."""
    with _making:
        return _locks.setdefault(batch, threading.Lock())


class _Twin(NamedTuple):
    changes: int  # of the batch, when it was cloned
    batch: Batch
    rows: dict[str, np.ndarray]  # that it has: what a gradient has in common with its call is not set again


def _twin(batch: Batch, names: tuple[str, ...]) -> _Twin:
    """A clone whose parameters of these names are those of a call, and all others those of the batch. The batch itself is
    never changed, so nothing of a call is left in it; and a clone is made anew only where a setter was called."""
    with lock_of(batch):
        twins = _twins.setdefault(batch, {})
        if names not in twins or twins[names].changes != batch.changes:
            with alone(batch._address, "Batch"):
                twins[names] = _Twin(batch.changes, batch.clone(), {})
        return twins[names]


@contextlib.contextmanager
def computing(batch: Batch, parameters: Mapping[str, np.ndarray]) -> Iterator[Batch]:
    """The batch, or what has these parameters; no one else's in this block. Each has a row of numbers for all states, or one
    for each."""
    twin = _twin(batch, tuple(parameters)) if parameters else None
    able = twin.batch if twin else batch
    with lock_of(able):
        for name, rows in parameters.items():
            if twin and not np.array_equal(twin.rows.get(name, ()), rows):
                short = name.removeprefix(PREFIX)
                able.set_parameters(**_as_set(batch.model, rows) if short == "inertias" else {_SETTERS.get(short, short): rows})
                twin.rows[name] = rows.copy()
        yield able


_SETTERS = {"armature": "armatures"}


def rows_of(array: np.ndarray, leading: tuple[int, ...]) -> np.ndarray:
    """States x numbers of what has leading dimensions of its own, or one row where all states share it."""
    own, inner = array.shape[: len(leading)], array.shape[len(leading) :]
    if all(n == 1 or n > 0 and step == 0 for n, step in zip(own, array.strides)):
        return array[(0,) * len(own)][None]
    return np.broadcast_to(array, (*leading, *inner)).reshape(math.prod(leading), *inner)
