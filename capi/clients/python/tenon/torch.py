"""Dynamics in PyTorch, with gradients: what a network or a simulation on autograd needs.

    import torch, tenon, tenon.torch
    batch = tenon.Batch(robot, threads=4)
    tau = tenon.torch.inverse_dynamics(batch, q, v, a)  # ... x nv
    tau.square().sum().backward()

Tensors are on the CPU, of the batch's precision, with any leading dimensions; they are read and written without a copy
where they are contiguous. Gradients are by products (tenon_batch_forward_dynamics_vjp, tenon_batch_rollout_vjp), those
by quaternions along their unit sphere. torch.func (vmap, grad) works too; forward mode (jvp) of dynamics only, not of
steps and rollouts. Second derivatives are not there. wrenches are constants. What the batch has set counts: robots of
states of their own, damping; of dry friction no derivative."""

from __future__ import annotations

import inspect

import torch
from torch import Tensor

from . import _learning
from .batch import Batch


def _array(x: Tensor | None):
    if x is None:
        return None
    if not x.is_cpu:
        raise TypeError(f"a tensor on {x.device}; Tenon computes on the CPU")
    return x.detach().numpy()


class _Dynamics(torch.autograd.Function):
    @staticmethod
    def forward(batch, function, wrenches, q, v, x):
        return torch.from_numpy(_learning.value(batch, function, *map(_array, (q, v, x)), wrenches))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.batch, ctx.function, ctx.wrenches, q, v, x = inputs
        ctx.save_for_backward(q, v, x)
        ctx.save_for_forward(q, v, x)

    @staticmethod
    def backward(ctx, gradient):
        wanted = tuple(ctx.needs_input_grad[3:])
        by = _Gradients.apply(ctx.batch, ctx.function, ctx.wrenches, wanted, *ctx.saved_tensors, gradient)
        return None, None, None, *(g if is_wanted else None for g, is_wanted in zip(by, wanted))

    @staticmethod
    def jvp(ctx, _batch, _function, _wrenches, *changes):
        saved = ctx.saved_tensors
        given = [torch.zeros_like(x) if d is None else d for x, d in zip(saved, changes)]
        return _Change.apply(ctx.batch, ctx.function, ctx.wrenches, *saved, *given)

    @staticmethod
    def vmap(info, in_dims, batch, function, wrenches, *tensors):
        return _Dynamics.apply(batch, function, wrenches, *_in_front(info, in_dims[3:], tensors)), 0


def _in_front(info, dims, tensors):
    """What is mapped comes first in all; None: not given."""
    size = info.batch_size

    def moved(x, dim):
        if x is None:
            return None
        return x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)

    return [moved(x, dim) for x, dim in zip(tensors, dims)]


def _no_second(*_):
    raise NotImplementedError("second derivatives of dynamics are not there; differentiate once")


class _Gradients(torch.autograd.Function):
    """The product with a gradient, a function of its own so that vmap finds its rule."""

    @staticmethod
    def forward(batch, function, wrenches, wanted, q, v, x, gradient):
        by = _learning.gradients(batch, function, *map(_array, (q, v, x, gradient)), wrenches, wanted)
        return tuple(torch.empty(0, dtype=q.dtype) if g is None else torch.from_numpy(g) for g in by)

    setup_context = staticmethod(lambda ctx, inputs, output: None)
    backward = jvp = staticmethod(_no_second)

    @staticmethod
    def vmap(info, in_dims, batch, function, wrenches, wanted, *tensors):
        by = _Gradients.apply(batch, function, wrenches, wanted, *_in_front(info, in_dims[4:], tensors))
        return by, tuple(0 if is_wanted else None for is_wanted in wanted)


class _Change(torch.autograd.Function):
    """The product with a change, likewise."""

    @staticmethod
    def forward(batch, function, wrenches, *tensors):
        return torch.from_numpy(_learning.change(batch, function, *map(_array, tensors), wrenches))

    setup_context = staticmethod(lambda ctx, inputs, output: None)
    backward = jvp = staticmethod(_no_second)

    @staticmethod
    def vmap(info, in_dims, batch, function, wrenches, *tensors):
        return _Change.apply(batch, function, wrenches, *_in_front(info, in_dims[3:], tensors)), 0


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(batch, how, *arrays):
        return tuple(map(torch.from_numpy, _learning.rollout(batch, how, *map(_array, arrays))))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.batch, ctx.how, *arrays = inputs
        ctx.save_for_backward(*arrays, output[0])

    @staticmethod
    def backward(ctx, by_q, by_v):
        wanted = tuple(ctx.needs_input_grad[2:])
        by = _RolloutGradients.apply(ctx.batch, ctx.how, wanted, *ctx.saved_tensors, by_q, by_v)
        return None, None, *(g if is_wanted else None for g, is_wanted in zip(by, wanted))

    @staticmethod
    def jvp(*_):
        raise NotImplementedError("forward mode through steps is not there; use reverse mode")

    @staticmethod
    def vmap(info, in_dims, batch, how, *arrays):
        return _Rollout.apply(batch, how, *_in_front(info, in_dims[2:], arrays)), (0, 0)


class _RolloutGradients(torch.autograd.Function):
    @staticmethod
    def forward(batch, how, wanted, *arrays):
        by = _learning.rollout_gradients(batch, how, wanted, *map(_array, arrays))
        return tuple(torch.empty(0, dtype=arrays[0].dtype) if g is None else torch.from_numpy(g) for g in by)

    setup_context = staticmethod(lambda ctx, inputs, output: None)
    backward = jvp = staticmethod(_no_second)

    @staticmethod
    def vmap(info, in_dims, batch, how, wanted, *arrays):
        by = _RolloutGradients.apply(batch, how, wanted, *_in_front(info, in_dims[3:], arrays))
        return by, tuple(0 if is_wanted else None for is_wanted in wanted)


for _function in (_Dynamics, _Gradients, _Change, _Rollout, _RolloutGradients):
    # PyTorch asks for it in each call, and finding it takes as long as the dynamics of several states.
    _function.forward.__signature__ = inspect.signature(_function.forward)  # type: ignore[attr-defined]


def _constant(x, name: str):
    """As numbers of Python or an array."""
    if not isinstance(x, Tensor):
        return x
    if x.requires_grad:
        raise NotImplementedError(f"derivatives by {name} are not there; give {name}.detach()")
    return _array(x)


def _shaped(q: Tensor, v: Tensor, x: Tensor, wrenches):
    """With the leading dimensions that all have; wrenches as an array."""
    whole = [q, v, x]
    if any(t.shape[:-1] != q.shape[:-1] for t in whole):
        leading = torch.broadcast_shapes(*(t.shape[:-1] for t in whole))
        whole = [t.expand(*leading, t.shape[-1]) for t in whole]
    return whole, _constant(wrenches, "wrenches")


def _dynamics(batch: Batch, function: str, q: Tensor, v: Tensor, x: Tensor, wrenches) -> Tensor:
    whole, wrenches = _shaped(q, v, x, wrenches)
    return _Dynamics.apply(batch, function, wrenches, *whole)


def inverse_dynamics(batch: Batch, q: Tensor, v: Tensor, a: Tensor, wrenches=None) -> Tensor:
    """tau, ... x nv, of q, ... x nq, and v and a, ... x nv. wrenches: 6 x links numbers, or of each state."""
    return _dynamics(batch, "inverse_dynamics", q, v, a, wrenches)


def forward_dynamics(batch: Batch, q: Tensor, v: Tensor, tau: Tensor, wrenches=None) -> Tensor:
    """Accelerations, ... x nv, without the constraints of the batch."""
    return _dynamics(batch, "forward_dynamics", q, v, tau, wrenches)


def rollout(
    batch: Batch,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    dt: float,
    every: int = 1,
    wrenches=None,
    stiffness: Tensor | None = None,
    damping: Tensor | None = None,
    q_target: Tensor | None = None,
    v_target: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """q and v after each `every` steps of semi-implicit Euler, ... x records x nq and nv.

    q: ... x nq, v: ... x nv, at the start. tau: ... x steps x nv. A controller adds in each step stiffness (q_target -
    q) + damping (v_target - v): gains are ... x nv, targets ... x steps x nq and nv, or of 1 step for all. wrenches:
    6 x links numbers, or of each state, or of each state and step. Constraints of the batch hold. Gradients by all but
    dt and wrenches. A state that fails raises tenon.Error."""
    arrays = (q, v, tau, stiffness, damping, q_target, v_target)
    shapes = _learning.rollout_shapes(batch, arrays, every)
    how = _learning.Rollout(float(_constant(dt, "dt")), every, _constant(wrenches, "wrenches"))
    return _Rollout.apply(batch, how, *(a if a is None else a.expand(s) for a, s in zip(arrays, shapes)))


def step(batch: Batch, q: Tensor, v: Tensor, tau: Tensor, dt: float, wrenches=None) -> tuple[Tensor, Tensor]:
    """q and v after a step of semi-implicit Euler: a rollout of one step."""
    next_q, next_v = rollout(batch, q, v, tau[..., None, :], dt, wrenches=wrenches)
    return next_q[..., 0, :], next_v[..., 0, :]
