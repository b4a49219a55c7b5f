"""Dynamics in PyTorch, with gradients: what a network or a simulation on autograd needs.

    import torch, tenon, tenon.torch
    batch = tenon.Batch(robot, threads=4)
    tau = tenon.torch.inverse_dynamics(batch, q, v, a)  # ... x nv
    tau.square().sum().backward()

Tensors are on the CPU, of the batch's precision, with any leading dimensions; they are read and written without a copy
where they are contiguous. Gradients are by products (tenon_batch_forward_dynamics_vjp, tenon_batch_rollout_parameter_vjp and
their like), those by quaternions along their unit sphere. torch.func (vmap, grad) works too, and forward mode (jvp), of steps
and rollouts too, but by wrenches and parameters. What the batch has set counts: robots of states of their own, anchors, damping.

Inverse, forward and constrained dynamics have second derivatives, by all but wrenches and parameters, which are held constant
there: create_graph=True, torch.func.hessian. They are products (tenon_batch_forward_dynamics_hvp and its like), state by state;
forward mode twice takes one for each number of a result. By numbers of q the function is that of quaternions that are normalized
first.

Parameters of robots are tensors as well. A call has them, and the batch stays as it was:

    inertias = tenon.torch.parameters_of(batch).inertias.requires_grad_()  # links x 10
    qdd = tenon.torch.forward_dynamics(batch, q, v, tau, parameters=tenon.torch.Parameters(inertias=inertias))

Numbers of bodies that can exist come from numbers without bounds, so that any optimiser moves them:

    theta = tenon.torch.log_cholesky_from_inertia(batch, inertias[links]).requires_grad_()
    inertias = inertias.detach().index_put((links,), tenon.torch.inertia_from_log_cholesky(theta))"""

from __future__ import annotations

import inspect

import torch
from torch import Tensor

from . import _learning, _parameters, _second
from ._parameters import Parameters
from .batch import Batch, Centroidal
from .types import Axes, Integrator


def _array(x: Tensor):
    if not x.is_cpu:
        raise TypeError(f"a tensor on {x.device}; Tenon computes on the CPU")
    return x.detach().numpy()


class _Compute(torch.autograd.Function):
    @staticmethod
    def forward(batch, call, *arrays):
        return tuple(map(torch.from_numpy, _learning.value(batch, call, *map(_array, arrays))))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.batch, ctx.call, *arrays = inputs
        ctx.save_for_backward(*arrays, *output[: _learning.needed(ctx.call)])
        ctx.save_for_forward(*arrays)
        ctx.set_materialize_grads(False)  # what does not change is None in jvp

    @staticmethod
    def backward(ctx, *by_results):
        shapes = _learning.shapes_of_results(ctx.batch, ctx.call, ctx.saved_tensors)
        of = ctx.saved_tensors[0]
        by_results = _or_zeros(by_results, shapes, of)
        wanted = tuple(ctx.needs_input_grad[2:])
        return None, None, *_at(wanted, _Gradients.apply(ctx.batch, ctx.call, wanted, *ctx.saved_tensors, *by_results))

    @staticmethod
    def jvp(ctx, _batch, _call, *changes):
        changed, along = _given(changes)
        return _Change.apply(ctx.batch, ctx.call, changed, *ctx.saved_tensors, *along)

    @staticmethod
    def vmap(info, in_dims, batch, call, *arrays):
        results = _Compute.apply(batch, call, *_in_front(info, in_dims[2:], arrays))
        return results, (0,) * len(results)


def _in_front(info, dims, tensors):
    """What is mapped comes first in all."""
    return [x.expand(info.batch_size, *x.shape) if d is None else x.movedim(d, 0) for x, d in zip(tensors, dims)]


def _given(which) -> tuple[tuple[bool, ...], list[Tensor]]:
    """Which tensors are there, and these."""
    return tuple(x is not None for x in which), [x for x in which if x is not None]


def _at(which, found) -> list[Tensor | None]:
    """What was found, in its places."""
    found = iter(found)
    return [next(found) if is_there else None for is_there in which]


def _or_zeros(tensors, shapes, of: Tensor) -> list[Tensor]:
    return [of.new_zeros(shape) if x is None else x for x, shape in zip(tensors, shapes)]


def _sum(one, other):
    return one if other is None else other if one is None else one + other


class _Gradients(torch.autograd.Function):
    """The product with a gradient, a function of its own so that vmap finds its rule and it has derivatives."""

    @staticmethod
    def forward(batch, call, wanted, *arrays):
        return tuple(map(torch.from_numpy, _learning.gradients(batch, call, wanted, *map(_array, arrays))))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.batch, ctx.call, ctx.which, *arrays = inputs
        ctx.save_for_backward(*arrays)
        ctx.save_for_forward(*arrays)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, *along):
        batch, call, arrays = ctx.batch, ctx.call, ctx.saved_tensors
        count, of_call = len(call.names), len(call.names) + _learning.needed(call)
        changed, along = _given(_at(ctx.which, along))
        needs = ctx.needs_input_grad[3:]
        by_arrays, by_results = [None] * of_call, [None] * (len(arrays) - of_call)
        if along and any(needs[:count]):
            _second.check(call, _second.chosen(call, changed) + _second.chosen(call, needs))
            by = _Products.apply(batch, call, needs[:count], changed, *arrays, *along)
            by_arrays[:count] = _at(needs[:count], by)
        if along and any(needs[of_call:]):
            by_results = _Change.apply(batch, call, changed, *arrays[:count], *along)
        return None, None, None, *by_arrays, *by_results

    @staticmethod
    def jvp(ctx, _batch, _call, _wanted, *changes):
        batch, call, wanted, arrays = ctx.batch, ctx.call, ctx.which, ctx.saved_tensors
        count, of_call = len(call.names), len(call.names) + _learning.needed(call)
        (changed, along), of_results = _given(changes[:count]), changes[of_call:]
        found = [None] * sum(wanted)
        if along:
            _second.check(call, _second.chosen(call, changed) + _second.chosen(call, wanted))
            found = _Products.apply(batch, call, wanted, changed, *arrays, *along)
        if any(x is not None for x in of_results):
            whole = _or_zeros(of_results, [x.shape for x in arrays[of_call:]], arrays[0])
            found = map(_sum, _Gradients.apply(batch, call, wanted, *arrays[:of_call], *whole), found)
        return tuple(found)

    @staticmethod
    def vmap(info, in_dims, batch, call, wanted, *arrays):
        by = _Gradients.apply(batch, call, wanted, *_in_front(info, in_dims[3:], arrays))
        return by, (0,) * len(by)


class _Change(torch.autograd.Function):
    """The product with a change, likewise."""

    @staticmethod
    def forward(batch, call, changed, *arrays):
        return tuple(map(torch.from_numpy, _learning.change(batch, call, changed, *map(_array, arrays))))

    setup_context = staticmethod(_Gradients.setup_context)

    @staticmethod
    def backward(ctx, *by_results):
        batch, call, changed, arrays = ctx.batch, ctx.call, ctx.which, ctx.saved_tensors
        count, needs = len(call.names), ctx.needs_input_grad[3:]
        by_results = _or_zeros(by_results, _learning.shapes_of_results(batch, call, arrays), arrays[0])
        by_arrays, by_along = [None] * count, [None] * sum(changed)
        if any(needs[:count]):
            _second.check(call, _second.chosen(call, changed) + _second.chosen(call, needs))
            by = _Products.apply(batch, call, needs[:count], changed, *arrays[:count], *by_results, *arrays[count:])
            by_arrays = _at(needs[:count], by)
        if any(needs[count:]):
            wanted = tuple(bool(x) for x in _at(changed, needs[count:]))
            needed = _Compute.apply(batch, call, *arrays[:count])[: _learning.needed(call)] if _learning.needed(call) else ()
            by = _Gradients.apply(batch, call, wanted, *arrays[:count], *needed, *by_results)
            by_along = _at(needs[count:], by)
        return None, None, None, *by_arrays, *by_along

    @staticmethod
    def jvp(ctx, _batch, _call, _changed, *changes):
        batch, call, changed, arrays = ctx.batch, ctx.call, ctx.which, ctx.saved_tensors
        count = len(call.names)
        (too, along), (more, of_along) = _given(changes[:count]), _given(_at(changed, changes[count:]))
        found = [None] * len(_learning.shapes_of_results(batch, call, arrays))
        if along:
            _second.check(call, _second.chosen(call, changed) + _second.chosen(call, too))
            found = _ChangesOfChanges.apply(batch, call, changed, too, *arrays, *along)
        if of_along:
            found = map(_sum, _Change.apply(batch, call, more, *arrays[:count], *of_along), found)
        return tuple(found)

    @staticmethod
    def vmap(info, in_dims, batch, call, changed, *arrays):
        results = _Change.apply(batch, call, changed, *_in_front(info, in_dims[3:], arrays))
        return results, (0,) * len(results)


class _Twice(torch.autograd.Function):
    """What is of second derivatives has none of its own."""

    setup_context = staticmethod(lambda ctx, inputs, output: None)
    backward = jvp = staticmethod(_second.third)


class _Products(_Twice):
    @staticmethod
    def forward(batch, call, wanted, changed, *arrays):
        return tuple(map(torch.from_numpy, _second.products(batch, call, wanted, changed, *map(_array, arrays))))

    @staticmethod
    def vmap(info, in_dims, batch, call, wanted, changed, *arrays):
        by = _Products.apply(batch, call, wanted, changed, *_in_front(info, in_dims[4:], arrays))
        return by, (0,) * len(by)


class _ChangesOfChanges(_Twice):
    @staticmethod
    def forward(batch, call, changed, too, *arrays):
        return tuple(map(torch.from_numpy, _second.changes_of_changes(batch, call, changed, too, *map(_array, arrays))))

    @staticmethod
    def vmap(info, in_dims, batch, call, changed, too, *arrays):
        results = _ChangesOfChanges.apply(batch, call, changed, too, *_in_front(info, in_dims[4:], arrays))
        return results, (0,) * len(results)


for _function in (_Compute, _Gradients, _Change, _Products, _ChangesOfChanges):
    # PyTorch asks for it in each call, and finding it takes as long as the dynamics of several states.
    _function.forward.__signature__ = inspect.signature(_function.forward)  # type: ignore[attr-defined]


def _tensor(batch: Batch, x) -> Tensor | None:
    """Wrenches may be numbers of Python or an array, too."""
    return x if x is None or isinstance(x, Tensor) else torch.as_tensor(x, dtype=getattr(torch, batch.dtype.name))


def _computed(batch: Batch, function: str, arrays: dict, parameters: Parameters | None, **how) -> tuple[Tensor, ...]:
    call, given = _learning.asked(batch, function, arrays, parameters, **how)
    return _Compute.apply(batch, call, *_learning.arranged(batch, call, given, Tensor.reshape, Tensor.expand))


def inverse_dynamics(
    batch: Batch, q: Tensor, v: Tensor, a: Tensor, wrenches=None, parameters: Parameters | None = None
) -> Tensor:
    """tau, ... x nv, of q, ... x nq, and v and a, ... x nv.

    wrenches: 6 x links numbers, or of each state; a tensor, an array or numbers. parameters: of robots, tensors; they hold in
    this call. Gradients by all of these; forward mode by q, v and a."""
    return _computed(batch, "inverse_dynamics", {"q": q, "v": v, "a": a, "wrenches": _tensor(batch, wrenches)}, parameters)[0]


def forward_dynamics(
    batch: Batch, q: Tensor, v: Tensor, tau: Tensor, wrenches=None, parameters: Parameters | None = None
) -> Tensor:
    """Accelerations, ... x nv, without the constraints of the batch. The rest as inverse_dynamics."""
    arrays = {"q": q, "v": v, "tau": tau, "wrenches": _tensor(batch, wrenches)}
    return _computed(batch, "forward_dynamics", arrays, parameters)[0]


def constrained_dynamics(
    batch: Batch,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    wrenches=None,
    desired: Tensor | None = None,
    parameters: Parameters | None = None,
) -> tuple[Tensor, Tensor]:
    """Accelerations, ... x nv, and multipliers of the constraint rows, ... x m.

    desired: accelerations of rows, ... x m; None: zero. The rest as inverse_dynamics, with gradients by desired too. Where rows
    depend on each other, gradients are as tenon_constrained_dynamics_derivatives has them."""
    arrays = {"q": q, "v": v, "tau": tau, "desired": desired, "wrenches": _tensor(batch, wrenches)}
    return _computed(batch, "constrained_dynamics", arrays, parameters)  # type: ignore[return-value]


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
    integrator: Integrator | str = "semi_implicit_euler",
    parameters: Parameters | None = None,
) -> tuple[Tensor, Tensor]:
    """q and v after each `every` steps, ... x records x nq and nv.

    q: ... x nq, v: ... x nv, at the start. tau: ... x steps x nv. integrator: "semi_implicit_euler" or "runge_kutta_4". A
    controller adds in each step stiffness (q_target - q) + damping (v_target - v), from the state at its beginning: gains are
    ... x nv, targets ... x steps x nq and nv, or of 1 step for all. wrenches: 6 x links numbers, or of each state, or ... x
    steps x 6 links. parameters: of robots, in all steps. Constraints of the batch hold. Gradients by all but dt; those by
    wrenches and gravity go state by state. Forward mode by all but dt, wrenches and parameters, which goes step by step. A
    state that fails raises tenon.Error."""
    if isinstance(dt, Tensor) and dt.requires_grad:
        raise NotImplementedError("derivatives by dt are not there; give dt.item()")
    arrays = {"q": q, "v": v, "tau": tau, "stiffness": stiffness, "damping": damping, "q_target": q_target}
    arrays |= {"v_target": v_target, "wrenches": _tensor(batch, wrenches)}
    how = {"dt": float(dt), "every": every, "integrator": integrator}
    return _computed(batch, "rollout", arrays, parameters, **how)  # type: ignore[return-value]


def step(
    batch: Batch,
    q: Tensor,
    v: Tensor,
    tau: Tensor,
    dt: float,
    wrenches=None,
    integrator: Integrator | str = "semi_implicit_euler",
    parameters: Parameters | None = None,
) -> tuple[Tensor, Tensor]:
    """q and v after a step: a rollout of one step. tau: ... x nv."""
    how = {"wrenches": wrenches, "integrator": integrator, "parameters": parameters}
    next_q, next_v = rollout(batch, q, v, tau[..., None, :], dt, **how)
    return next_q[..., 0, :], next_v[..., 0, :]


def kinematics(
    batch: Batch, q: Tensor, links, v: Tensor | None = None, axes: Axes | str = "world"
) -> tuple[Tensor, Tensor | None]:
    """Poses of links, names or indices, ... x links x 7, position and quaternion x y z w; and with v their velocities,
    ... x links x 6, [angular; of the origin] along axes of the world or of the links ("link"), else None. Gradients and forward
    mode by q and v; those by q of poses are of unit quaternions."""
    results = _computed(batch, "link_motion", {"q": q, "v": v}, None, links=links, axes=axes)
    return results[0], results[1] if v is not None else None


def link_motion(
    batch: Batch, q: Tensor, links, v: Tensor, a: Tensor | None = None, axes: Axes | str = "world"
) -> tuple[Tensor, Tensor, Tensor]:
    """Poses and velocities of links as kinematics gives them, and accelerations, ... x links x 6, [angular; classical
    acceleration of the origin] along the same axes. a: accelerations of joints, ... x nv; None: zero, which leaves Jdot v.
    Gradients and forward mode by q, v and a."""
    arrays = {"q": q, "v": v, "a": torch.zeros_like(v) if a is None else a}
    return _computed(batch, "link_motion", arrays, None, links=links, axes=axes)  # type: ignore[return-value]


def centroidal(batch: Batch, q: Tensor, v: Tensor | None = None, parameters: Parameters | None = None) -> Centroidal:
    """Numbers of whole robots, as Batch.centroidal has them: centers and center_velocities, ... x 3, momenta, ... x 6, kinetic and
    potential, of the leading dimensions; without v what is of motion is None. parameters: of robots; they hold in this call.
    Gradients by all of these, forward mode by q and v. The gravity force is inverse_dynamics where v and a are zero."""
    results = _computed(batch, "centroidal", {"q": q, "v": v}, parameters)
    return Centroidal(*(results if v is not None else (results[0], None, None, None, results[1])))  # type: ignore[arg-type]


def parameters_of(batch: Batch, states: int | None = None) -> Parameters:
    """What the batch has set, or else the model, as new tensors: where optimisation begins. states: where the batch has robots
    for so many states, with these as leading dimension."""
    return Parameters(*map(torch.from_numpy, _parameters.parameters_of(batch, states)))


def inertia_from_log_cholesky(theta: Tensor) -> Tensor:
    """The ten numbers of links, as Parameters.inertias has them, ... x 10, from ten without bounds, ... x 10: any give bodies
    that can exist (tenon_inertia_from_log_cholesky). With derivatives of all orders."""
    return _parameters.inertia_from_log_cholesky(torch, theta)


def log_cholesky_from_inertia(batch: Batch, inertia: Tensor) -> Tensor:
    """The inverse, of links that have mass in all three dimensions, else tenon.Error: where optimisation begins. Without
    derivatives."""
    return torch.from_numpy(_parameters.log_cholesky_from_inertia(batch, _array(inertia)))
