"""Dynamics in JAX, with gradients: calls of a batch on the CPU, by jax.pure_callback and jax.custom_vjp.

    import jax, tenon, tenon.jax
    batch = tenon.Batch(robot, precision="float")  # JAX computes in floats, unless jax_enable_x64 is set
    loss = lambda q: (tenon.jax.inverse_dynamics(batch, q, v, a) ** 2).sum()
    jax.jit(jax.grad(loss))(q)

Arrays have the batch's precision and any leading dimensions; vmap makes one call of many states. Gradients are by
products (tenon_batch_forward_dynamics_vjp, tenon_batch_rollout_vjp), those by quaternions along their unit sphere.
Wrenches, forward mode and second derivatives are not there. What the batch has set counts: robots of states of their
own, damping; of dry friction no derivative."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np

from . import _learning
from .batch import Batch


def _called(host, shapes, *arrays):
    return jax.pure_callback(host, shapes, *arrays, vmap_method="broadcast_all")


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _dynamics(batch, function, q, v, x):
    def host(*arrays):
        return _learning.value(batch, function, *map(np.asarray, arrays))

    leading = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], x.shape[:-1])
    return _called(host, jax.ShapeDtypeStruct((*leading, batch.nv), q.dtype), q, v, x)


def _forward(batch, function, q, v, x):
    return _dynamics(batch, function, q, v, x), (q, v, x)


def _backward(batch, function, saved, gradient):
    def host(*arrays):
        return tuple(_learning.gradients(batch, function, *map(np.asarray, arrays)))

    return _called(host, tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in saved), *saved, gradient)


_dynamics.defvjp(_forward, _backward)


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _rollout(batch, how, arrays):
    def host(arrays):
        return _learning.rollout(batch, how, *_given(np.asarray, arrays))

    q, v, tau = arrays[:3]
    leading = (*q.shape[:-1], tau.shape[-2] // how.every)
    return _called(host, tuple(jax.ShapeDtypeStruct((*leading, a.shape[-1]), a.dtype) for a in (q, v)), arrays)


def _given(function, *lists):
    """Of what is given; None stays."""
    return [None if a[0] is None else function(*a) for a in zip(*lists)]


def _rollout_forward(batch, how, arrays):
    ends = _rollout(batch, how, arrays)
    return ends, (arrays, ends[0])


def _rollout_backward(batch, how, saved, gradients):
    wanted = [a is not None for a in saved[0]]

    def host(arrays):
        return _learning.rollout_gradients(batch, how, wanted, *_given(np.asarray, arrays))

    shapes = _given(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), saved[0])
    return (_called(host, shapes, [*saved[0], saved[1], *gradients]),)


_rollout.defvjp(_rollout_forward, _rollout_backward)


def _shaped(batch, q, v, x):
    arrays, names = [jax.numpy.asarray(a) for a in (q, v, x)], ("q", "v", "the third")
    _learning.check_precision(batch, names, arrays)
    for a, size, name in zip(arrays, (batch.nq, batch.nv, batch.nv), names):
        if a.shape[-1:] != (size,):
            raise ValueError(f"{name} is {a.shape}; {size} numbers are needed in its last dimension")
    leading = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    return [jax.numpy.broadcast_to(a, (*leading, a.shape[-1])) for a in arrays]


def inverse_dynamics(batch: Batch, q, v, a):
    """tau, ... x nv, of q, ... x nq, and v and a, ... x nv."""
    return _dynamics(batch, "inverse_dynamics", *_shaped(batch, q, v, a))


def forward_dynamics(batch: Batch, q, v, tau):
    """Accelerations, ... x nv, without the constraints of the batch."""
    return _dynamics(batch, "forward_dynamics", *_shaped(batch, q, v, tau))


def rollout(
    batch: Batch, q, v, tau, dt: float, every: int = 1, stiffness=None, damping=None, q_target=None, v_target=None
):
    """q and v after each `every` steps of semi-implicit Euler, ... x records x nq and nv.

    q: ... x nq, v: ... x nv, at the start. tau: ... x steps x nv. A controller adds in each step stiffness (q_target -
    q) + damping (v_target - v): gains are ... x nv, targets ... x steps x nq and nv, or of 1 step for all.
    Constraints of the batch hold. Gradients by all but dt and every, which are numbers of Python. A state that fails
    raises JAX's error, with Tenon's text."""
    arrays = [None if a is None else jax.numpy.asarray(a) for a in (q, v, tau, stiffness, damping, q_target, v_target)]
    shapes = _learning.rollout_shapes(batch, arrays, every)
    return _rollout(batch, _learning.Rollout(float(dt), every), _given(jax.numpy.broadcast_to, arrays, shapes))


def step(batch: Batch, q, v, tau, dt: float):
    """q and v after a step of semi-implicit Euler: a rollout of one step."""
    next_q, next_v = rollout(batch, q, v, jax.numpy.asarray(tau)[..., None, :], dt)
    return next_q[..., 0, :], next_v[..., 0, :]
