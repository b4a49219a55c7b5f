"""Dynamics in JAX, with gradients: calls of a batch on the CPU, by jax.pure_callback and jax.custom_vjp.

    import jax, tenon, tenon.jax
    batch = tenon.Batch(robot, precision="float")  # JAX computes in floats, unless jax_enable_x64 is set
    loss = lambda q: (tenon.jax.inverse_dynamics(batch, q, v, a) ** 2).sum()
    jax.jit(jax.grad(loss))(q)

Arrays have the batch's precision and any leading dimensions; vmap makes one call of many states. Gradients are by products
(tenon_batch_forward_dynamics_vjp), those by quaternions along their unit sphere. Forward mode and second derivatives are not
there. What the batch has set counts: robots of states of their own, damping; of dry friction no derivative."""

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
def _step(batch, dt, q, v, tau):
    def host(*arrays):
        return _learning.step(batch, dt, *map(np.asarray, arrays))

    return _called(host, tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (q, v)), q, v, tau)


def _step_forward(batch, dt, q, v, tau):
    end = _step(batch, dt, q, v, tau)
    return end, (q, v, tau, end[0])


def _step_backward(batch, dt, saved, gradients):
    def host(*arrays):
        return tuple(_learning.step_gradients(batch, dt, *map(np.asarray, arrays)))

    return _called(host, tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in saved[:3]), *saved, *gradients)


_step.defvjp(_step_forward, _step_backward)


def _shaped(batch, q, v, x):
    arrays = [jax.numpy.asarray(a) for a in (q, v, x)]
    for a, size, name in zip(arrays, (batch.nq, batch.nv, batch.nv), ("q", "v", "the third")):
        if a.shape[-1:] != (size,):
            raise ValueError(f"{name} is {a.shape}; {size} numbers are needed in its last dimension")
        if a.dtype != batch.dtype:
            text = f"{name} has numbers of {a.dtype}, and the batch of {batch.dtype}"
            raise TypeError(text + "; make one with this precision")
    leading = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    return [jax.numpy.broadcast_to(a, (*leading, a.shape[-1])) for a in arrays]


def inverse_dynamics(batch: Batch, q, v, a):
    """tau, ... x nv, of q, ... x nq, and v and a, ... x nv."""
    return _dynamics(batch, "inverse_dynamics", *_shaped(batch, q, v, a))


def forward_dynamics(batch: Batch, q, v, tau):
    """Accelerations, ... x nv, without the constraints of the batch."""
    return _dynamics(batch, "forward_dynamics", *_shaped(batch, q, v, tau))


def step(batch: Batch, q, v, tau, dt: float):
    """q and v after a step of semi-implicit Euler, of a batch without constraints. dt: a number of Python."""
    return _step(batch, float(dt), *_shaped(batch, q, v, tau))
