"""Dynamics in JAX, with gradients: calls of a batch on the CPU, from within jit too.

    import jax, tenon, tenon.jax
    batch = tenon.Batch(robot, precision="float")  # JAX computes in floats, unless jax_enable_x64 is set
    loss = lambda q: (tenon.jax.inverse_dynamics(batch, q, v, a) ** 2).sum()
    jax.jit(jax.grad(loss))(q)

Arrays have the batch's precision and any leading dimensions; vmap makes one call of many states. Gradients are by
products (tenon_batch_forward_dynamics_vjp, tenon_batch_rollout_parameter_vjp and their like), those by quaternions along their
unit sphere; what is not differentiated costs nothing. Forward mode (jvp, jacfwd) too, of steps and rollouts too, but by
wrenches and parameters. What the batch has set counts: robots of states of their own, anchors, damping. What fails raises
tenon.Error, within jit JAX's error with its text.

Inverse, forward and constrained dynamics have second derivatives, by all but wrenches and parameters, which are held constant
there: jax.hessian, and jax.jvp of jax.grad for a product with a Hessian. They are products (tenon_batch_forward_dynamics_hvp and
its like), state by state; forward mode twice takes one for each number of a result. By numbers of q the function is that of
quaternions that are normalized first.

Parameters of robots are a tree of arrays. A call has them, and the batch stays as it was:

    parameters = tenon.jax.Parameters(inertias=tenon.jax.parameters_of(batch).inertias)  # links x 10
    jax.grad(lambda p: (tenon.jax.forward_dynamics(batch, q, v, tau, parameters=p) ** 2).sum())(parameters)

Numbers of bodies that can exist come from numbers without bounds, so that any optimiser moves them:

    theta = tenon.jax.log_cholesky_from_inertia(batch, parameters.inertias[links])
    inertias = parameters.inertias.at[links].set(tenon.jax.inertia_from_log_cholesky(theta))"""

from __future__ import annotations

import functools

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _learning, _parameters, _second
from ._parameters import Parameters
from .batch import Batch, Centroidal
from .types import Axes, Integrator

# Computations on the host: what a call gives, its change, which is linear in the changes of arrays, and the gradient, the
# transpose of that; the change of a gradient, which is linear and its own transpose, and the change of a change, whose transpose
# that is too. Each is a primitive of its own, and not jax.pure_callback: that makes arrays of JAX within callbacks, for
# which threads of the same pool must be free, so that several calls at once wait for ever where there are few.


def _primitive(name: str, host, shapes, shares: bool) -> Primitive:
    """host: of numpy arrays. shapes: of results, from arrays. shares: what states may share needs no place for each where it is
    not mapped."""
    primitive = Primitive(f"tenon_{name}")
    primitive.multiple_results = True

    def compute(*arrays, **how):  # outside of jit
        return [jax.numpy.asarray(x) for x in host(*map(np.asarray, arrays), **how)]

    def lower(context, *operands, **how):
        def called(*arrays):
            return tuple(host(*map(np.asarray, arrays), **how))

        options = {"has_side_effect": False, "returns_token": False}
        avals = context.avals_in, context.avals_out
        return mlir.emit_python_callback(context, called, None, list(operands), *avals, **options)[0]

    def mapped(arrays, dims, **how):
        size = next(a.shape[d] for a, d in zip(arrays, dims) if d is not None)
        may_be_one = [shares and n in _learning.SHARED for n in how["call"].names]
        may_be_one += [False] * (len(arrays) - len(may_be_one))
        in_front = []
        for a, d, one in zip(arrays, dims, may_be_one):
            if d is None:
                in_front.append(jax.numpy.broadcast_to(a, (1 if one else size, *a.shape)))
            else:
                in_front.append(jax.numpy.moveaxis(a, d, 0))
        results = primitive.bind(*in_front, **how)
        return results, [0] * len(results)

    def types(*avals, **how):
        return [avals[0].update(shape=tuple(shape), weak_type=False) for shape in shapes(*avals, **how)]

    primitive.def_impl(compute)
    primitive.def_abstract_eval(types)
    mlir.register_lowering(primitive, lower, cacheable=False)
    batching.primitive_batchers[primitive] = mapped
    return primitive


def _split(call, arrays):
    """Those of a call, with what gradients need of its results, and what follows."""
    count = len(call.names) + _learning.needed(call)
    return arrays[:count], arrays[count:]


def _value_on_host(*arrays, batch, call):
    return _learning.value(batch, call, *arrays)


def _change_on_host(*arrays, batch, call, changed):
    of_call, changes = _split(call, arrays)
    return _learning.change(batch, call, changed, *of_call[: len(call.names)], *changes)


def _gradients_on_host(*arrays, batch, call, wanted):
    return _learning.gradients(batch, call, wanted, *arrays)


def _shapes(*arrays, batch, call, **_):
    return _learning.shapes_of_results(batch, call, arrays)


def _shapes_of_gradients(*arrays, batch, call, wanted, **_):
    return [a.shape for a, is_wanted in zip(arrays, wanted) if is_wanted]


def _products_on_host(*arrays, batch, call, wanted, changed):
    return _second.products(batch, call, wanted, changed, *arrays)


def _changes_of_changes_on_host(*arrays, batch, call, changed, too):
    return _second.changes_of_changes(batch, call, changed, too, *arrays)


_value = _primitive("value", _value_on_host, _shapes, True)
_change = _primitive("change", _change_on_host, _shapes, True)
_gradients = _primitive("gradients", _gradients_on_host, _shapes_of_gradients, False)
_products = _primitive("products", _products_on_host, _shapes_of_gradients, True)
_changes_of_changes = _primitive("changes_of_changes", _changes_of_changes_on_host, _shapes, True)


def _given(changes):
    """Which are there, and these."""
    which = tuple(type(change) is not ad.Zero for change in changes)
    return which, [change for change, is_given in zip(changes, which) if is_given]


def _at(which, found):
    """What was found, in its places."""
    found = iter(found)
    return [next(found) if is_there else None for is_there in which]


def _whole(gradients):
    return [jax.numpy.zeros(g.aval.shape, g.aval.dtype) if type(g) is ad.Zero else g for g in gradients]


def _sums(*parts):
    return [functools.reduce(jax.numpy.add, each) for each in zip(*parts)]


def _value_changes(arrays, changes, *, batch, call):
    results = _value.bind(*arrays, batch=batch, call=call)
    changed, given = _given(changes)
    needed = results[: _learning.needed(call)]
    return results, _change.bind(*arrays, *needed, *given, batch=batch, call=call, changed=changed)


def _change_transposed(by_results, *arrays, batch, call, changed):
    of_call, changes = _split(call, arrays)
    asked = [ad.is_undefined_primal(change) for change in changes]
    wanted = tuple(bool(is_asked) for is_asked in _at(changed, asked))
    by = _gradients.bind(*of_call, *_whole(by_results), batch=batch, call=call, wanted=wanted)
    return [*[None] * len(of_call), *_at(asked, by)]


def _change_changes(arrays, changes, *, batch, call, changed):
    results = _change.bind(*arrays, batch=batch, call=call, changed=changed)
    of_call, along = _split(call, arrays)
    of_arrays, of_along = _split(call, changes)
    (too, given), (more, along_more) = _given(of_arrays[: len(call.names)]), _given(of_along)
    parts = []
    if given:
        _second.check(call, _second.chosen(call, changed) + _second.chosen(call, too))
        parts.append(_changes_of_changes.bind(*of_call, *along, *given, batch=batch, call=call, changed=changed, too=too))
    if along_more:
        more = tuple(bool(is_given) for is_given in _at(changed, more))
        parts.append(_change.bind(*of_call, *along_more, batch=batch, call=call, changed=more))
    return results, _sums(*parts)


def _changes_of_changes_transposed(by_results, *arrays, batch, call, changed, too):
    at = len(call.names) + sum(changed)
    asked = [ad.is_undefined_primal(change) for change in arrays[at:]]
    wanted = tuple(bool(is_asked) for is_asked in _at(too, asked))
    of_call, along = arrays[: len(call.names)], arrays[len(call.names) : at]
    by = _products.bind(*of_call, *_whole(by_results), *along, batch=batch, call=call, wanted=wanted, changed=changed)
    return [*[None] * at, *_at(asked, by)]


def _gradient_changes(arrays, changes, *, batch, call, wanted):
    by = _gradients.bind(*arrays, batch=batch, call=call, wanted=wanted)
    of_call, _ = _split(call, arrays)
    of_arrays, of_results = _split(call, changes)
    (changed, given), parts = _given(of_arrays[: len(call.names)]), []
    if given:
        _second.check(call, _second.chosen(call, wanted) + _second.chosen(call, changed))
        parts.append(_products.bind(*arrays, *given, batch=batch, call=call, wanted=wanted, changed=changed))
    if _given(of_results)[1]:
        parts.append(_gradients.bind(*of_call, *_whole(of_results), batch=batch, call=call, wanted=wanted))
    return by, _sums(*parts)


def _gradients_transposed(by_gradients, *arrays, batch, call, wanted):
    of_call, of_results = _split(call, arrays)
    given, along = _given(by_gradients)
    changed = tuple(bool(is_given) for is_given in _at(wanted, given))
    found = _change.bind(*of_call, *along, batch=batch, call=call, changed=changed)
    return [*[None] * len(of_call), *(x if ad.is_undefined_primal(g) else None for x, g in zip(found, of_results))]


def _products_transposed(by, *arrays, batch, call, wanted, changed):
    at = len(arrays) - sum(changed)
    asked, (given, along) = [ad.is_undefined_primal(change) for change in arrays[at:]], _given(by)
    which = {"wanted": _at(changed, asked), "changed": _at(wanted, given)}
    which = {name: tuple(bool(x) for x in each) for name, each in which.items()}
    return [*[None] * at, *_at(asked, _products.bind(*arrays[:at], *along, batch=batch, call=call, **which))]


ad.primitive_jvps[_value] = _value_changes
ad.primitive_jvps[_change] = _change_changes
ad.primitive_jvps[_gradients] = _gradient_changes
ad.primitive_jvps[_products] = ad.primitive_jvps[_changes_of_changes] = _second.third
ad.primitive_transposes[_change] = _change_transposed
ad.primitive_transposes[_gradients] = _gradients_transposed
ad.primitive_transposes[_products] = _products_transposed
ad.primitive_transposes[_changes_of_changes] = _changes_of_changes_transposed


def _computed(batch, function, arrays, parameters, **how):
    arrays = {name: None if a is None else jax.numpy.asarray(a) for name, a in arrays.items()}
    if isinstance(parameters, Parameters):
        parameters = Parameters(*(None if a is None else jax.numpy.asarray(a) for a in parameters))
    call, given = _learning.asked(batch, function, arrays, parameters, **how)
    arrays = _learning.arranged(batch, call, given, jax.numpy.reshape, jax.numpy.broadcast_to)
    return tuple(_value.bind(*arrays, batch=batch, call=call))


def inverse_dynamics(batch: Batch, q, v, a, wrenches=None, parameters: Parameters | None = None):
    """tau, ... x nv, of q, ... x nq, and v and a, ... x nv.

    wrenches: 6 x links numbers, or of each state. parameters: of robots; they hold in this call. Gradients by all of these."""
    return _computed(batch, "inverse_dynamics", {"q": q, "v": v, "a": a, "wrenches": wrenches}, parameters)[0]


def forward_dynamics(batch: Batch, q, v, tau, wrenches=None, parameters: Parameters | None = None):
    """Accelerations, ... x nv, without the constraints of the batch. The rest as inverse_dynamics."""
    return _computed(batch, "forward_dynamics", {"q": q, "v": v, "tau": tau, "wrenches": wrenches}, parameters)[0]


def constrained_dynamics(batch: Batch, q, v, tau, wrenches=None, desired=None, parameters: Parameters | None = None):
    """Accelerations, ... x nv, and multipliers of the constraint rows, ... x m.

    desired: accelerations of rows, ... x m; None: zero. The rest as inverse_dynamics, with gradients by desired too. Where rows
    depend on each other, gradients are as tenon_constrained_dynamics_derivatives has them."""
    arrays = {"q": q, "v": v, "tau": tau, "desired": desired, "wrenches": wrenches}
    return _computed(batch, "constrained_dynamics", arrays, parameters)


def rollout(
    batch: Batch,
    q,
    v,
    tau,
    dt: float,
    every: int = 1,
    stiffness=None,
    damping=None,
    q_target=None,
    v_target=None,
    wrenches=None,
    integrator: Integrator | str = "semi_implicit_euler",
    parameters: Parameters | None = None,
):
    """q and v after each `every` steps, ... x records x nq and nv.

    q: ... x nq, v: ... x nv, at the start. tau: ... x steps x nv. integrator: "semi_implicit_euler" or "runge_kutta_4". A
    controller adds in each step stiffness (q_target - q) + damping (v_target - v), from the state at its beginning: gains are
    ... x nv, targets ... x steps x nq and nv, or of 1 step for all. wrenches: 6 x links numbers, or of each state, or ... x
    steps x 6 links. parameters: of robots, in all steps. Constraints of the batch hold. Gradients by all but dt and every,
    which are numbers of Python; those by wrenches and gravity go state by state. Forward mode likewise, but by wrenches and
    parameters; it goes step by step."""
    arrays = {"q": q, "v": v, "tau": tau, "stiffness": stiffness, "damping": damping, "q_target": q_target}
    arrays |= {"v_target": v_target, "wrenches": wrenches}
    how = {"dt": float(dt), "every": every, "integrator": integrator}
    return _computed(batch, "rollout", arrays, parameters, **how)


def step(
    batch: Batch,
    q,
    v,
    tau,
    dt: float,
    wrenches=None,
    integrator: Integrator | str = "semi_implicit_euler",
    parameters: Parameters | None = None,
):
    """q and v after a step: a rollout of one step. tau: ... x nv."""
    how = {"wrenches": wrenches, "integrator": integrator, "parameters": parameters}
    next_q, next_v = rollout(batch, q, v, jax.numpy.asarray(tau)[..., None, :], dt, **how)
    return next_q[..., 0, :], next_v[..., 0, :]


def kinematics(batch: Batch, q, links, v=None, axes: Axes | str = "world"):
    """Poses of links, names or indices, ... x links x 7, position and quaternion x y z w; and with v their velocities,
    ... x links x 6, [angular; of the origin] along axes of the world or of the links ("link"), else None. Gradients and forward
    mode by q and v; those by q of poses are of unit quaternions."""
    results = _computed(batch, "link_motion", {"q": q, "v": v}, None, links=links, axes=axes)
    return results[0], results[1] if v is not None else None


def link_motion(batch: Batch, q, links, v, a=None, axes: Axes | str = "world"):
    """Poses and velocities of links as kinematics gives them, and accelerations, ... x links x 6, [angular; classical
    acceleration of the origin] along the same axes. a: accelerations of joints, ... x nv; None: zero, which leaves Jdot v.
    Gradients and forward mode by q, v and a."""
    arrays = {"q": q, "v": v, "a": jax.numpy.zeros_like(v) if a is None else a}
    return _computed(batch, "link_motion", arrays, None, links=links, axes=axes)


def centroidal(batch: Batch, q, v=None, parameters: Parameters | None = None) -> Centroidal:
    """Numbers of whole robots, as Batch.centroidal has them: centers and center_velocities, ... x 3, momenta, ... x 6, kinetic and
    potential, of the leading dimensions; without v what is of motion is None. parameters: of robots; they hold in this call.
    Gradients by all of these, forward mode by q and v. The gravity force is inverse_dynamics where v and a are zero."""
    results = _computed(batch, "centroidal", {"q": q, "v": v}, parameters)
    return Centroidal(*(results if v is not None else (results[0], None, None, None, results[1])))


def parameters_of(batch: Batch, states: int | None = None) -> Parameters:
    """What the batch has set, or else the model: where optimisation begins. states: where the batch has robots for so many
    states, with these as leading dimension."""
    return Parameters(*map(jax.numpy.asarray, _parameters.parameters_of(batch, states)))


def inertia_from_log_cholesky(theta):
    """The ten numbers of links, as Parameters.inertias has them, ... x 10, from ten without bounds, ... x 10: any give bodies
    that can exist (tenon_inertia_from_log_cholesky). With derivatives of all orders."""
    return _parameters.inertia_from_log_cholesky(jax.numpy, theta)


def log_cholesky_from_inertia(batch: Batch, inertia):
    """The inverse, of links that have mass in all three dimensions, else tenon.Error: where optimisation begins. Of arrays that
    are there: not in jit, and without derivatives."""
    return jax.numpy.asarray(_parameters.log_cholesky_from_inertia(batch, np.asarray(inertia)))
