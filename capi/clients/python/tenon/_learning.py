"""What the adapters for PyTorch and JAX share: calls on arrays of any leading dimensions, their products with gradients and
changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import constant
from ._parameters import NAMES, PREFIX, Parameters, computing, rows_of, shape_of
from ._tangents import Tangents, tangents_of, turned
from .batch import Batch
from .types import Axes, Integrator


_KINDS = {np.dtype(name): name for name in ("float32", "float64")}
_STATE = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "constrained_dynamics": ("q", "v", "tau", "desired"),
    "link_motion": ("q", "v", "a"),
    "centroidal": ("q", "v"),
    "rollout": ("q", "v", "tau", "stiffness", "damping", "q_target", "v_target"),
}
_CENTROIDAL = ("centers", "center_velocities", "momenta", "kinetic", "potential")
_CENTROIDAL_GRADIENTS = tuple(f"{name}_gradients" for name in ("center", "center_velocity", "momentum", "kinetic", "potential"))
_MOTION = ("poses", "velocities", "accelerations")
_CONTROLLER = _STATE["rollout"][3:]
# What states may share: arrays of these names keep dimensions of 1, and their gradients are sums.
SHARED = {"wrenches", *NAMES}
_PARAMETER_GRADIENTS = ("inertias", "armature", "damping", "friction", "wrenches", "gravity")
_NO_CHANGE = (
    "forward mode by {} is not there; use reverse mode (gradients), or hold it constant"
)


class Call(NamedTuple):
    """What is computed, beside the arrays."""

    function: str
    names: tuple[str, ...]  # of the arrays that are given, in this order
    dt: float = 0.0
    every: int = 1
    integrator: Integrator = Integrator.SEMI_IMPLICIT_EULER
    links: tuple[int, ...] = ()
    axes: Axes = Axes.WORLD


def needed(call: Call) -> int:
    """How many of its results gradients need beside its arrays: of a rollout q of the records, of motion of links poses."""
    return 1 if call.function in ("rollout", "link_motion") else 0


def asked(batch: Batch, function: str, arrays: dict[str, Any], parameters: Parameters | None, **how) -> tuple[Call, list]:
    """A call, and its arrays that are given."""
    if parameters is not None:
        if not isinstance(parameters, Parameters):
            raise TypeError(f"parameters is a {type(parameters).__name__}; give Parameters(inertias=...) of this module")
        arrays = {**arrays, **dict(zip(NAMES, parameters))}
    given = {name: array for name, array in arrays.items() if array is not None}
    if "integrator" in how:
        how["integrator"] = _integrator(how["integrator"])
    if "links" in how:
        how |= {"links": tuple(batch.model._indices(how["links"]).tolist()), "axes": constant(Axes, how["axes"])}
    return Call(function, tuple(given), **how), list(given.values())


def _integrator(which: Integrator | str | int) -> Integrator:
    try:
        return Integrator[which.upper()] if isinstance(which, str) else Integrator(which)
    except (KeyError, ValueError):
        known = ", ".join(repr(one.name.lower()) for one in Integrator)
        raise ValueError(f"there is no integrator {which!r}; there are: {known}") from None


# ---- shapes


def _check_precision(batch: Batch, names, arrays) -> None:
    for name, array in zip(names, arrays):
        kind = str(array.dtype).rpartition(".")[2]
        if kind != _KINDS[batch.dtype]:
            text = f"{name} has numbers of {kind}, and the batch of {batch.dtype}"
            raise TypeError(text + "; make one with this precision")


def _inner(batch: Batch, call: Call, arrays: Sequence) -> dict[str, tuple[int, ...]]:
    """The last dimensions of the arrays of a call, which are numbers of a state."""
    q, v, links = (batch.nq,), (batch.nv,), (6 * batch.model.link_count,)
    if call.function != "rollout":
        inner = {"q": q, "v": v, "a": v, "tau": v, "desired": (batch.m,), "wrenches": links}
    else:
        tau = arrays[2]
        steps = tau.shape[-2] if tau.ndim > 1 else 0
        if steps == 0:
            raise ValueError(f"tau is {tuple(tau.shape)}; steps x {batch.nv} numbers are needed in its last dimensions")
        if not 1 <= call.every <= steps:
            raise ValueError(f"every is {call.every}, and the rollout of {steps} steps; give 1 to {steps}")
        if "stiffness" in call.names and "q_target" not in call.names:
            raise ValueError("stiffness is given without q_target; give both")
        inner = {"q": q, "v": v, "tau": (steps, *v), "stiffness": v, "damping": v}
        inner |= {"q_target": (steps, *q), "v_target": (steps, *v), "wrenches": (steps, *links)}
    return {name: inner[name] if name in inner else shape_of(batch.model, name) for name in call.names}


def _split(name: str, shape: tuple[int, ...], inner: tuple[int, ...], may_be_of_one_step: bool) -> tuple[int, ...]:
    """The leading dimensions of an array."""
    last = shape[len(shape) - len(inner) :] if len(shape) >= len(inner) else None
    if last != inner and not (may_be_of_one_step and last == (1, *inner[1:])):
        text = f"{' x '.join(map(str, inner))} numbers are needed in its last dimension{'s'[: len(inner) - 1]}"
        raise ValueError(f"{name} is {shape}; {text}")
    return shape[: len(shape) - len(inner)]


def arranged(batch: Batch, call: Call, arrays: list, reshape: Callable, expand: Callable) -> list:
    """Arrays of any of these libraries as a call takes them: what is of a state with the leading dimensions of all, what
    states may share with as many of these, some maybe 1."""
    _check_precision(batch, call.names, arrays)
    inner = _inner(batch, call, arrays)
    is_rollout, at = call.function == "rollout", call.names.index("wrenches") if "wrenches" in call.names else None
    if at is not None and is_rollout:
        # Of all states and steps, of each state, or of each state and step.
        wrenches, others = arrays[at], [(n, a) for n, a in zip(call.names, arrays) if n != "wrenches"]
        if wrenches.ndim <= 1 + max(a.ndim - len(inner[n]) for n, a in others) and wrenches.ndim > 0:
            arrays[at] = reshape(wrenches, (*wrenches.shape[:-1], 1, wrenches.shape[-1]))
    leading = {}
    for name, array in zip(call.names, arrays):
        may_be_of_one_step = is_rollout and name != "tau" and len(inner[name]) == 2 and name != PREFIX + "inertias"
        leading[name] = _split(name, tuple(array.shape), inner[name], may_be_of_one_step)
    whole, *others = leading.values()
    if any(one != whole for one in others):
        try:
            whole = np.broadcast_shapes(*leading.values())
        except ValueError:
            text = ", ".join(f"{name} {shape}" for name, shape in leading.items())
            raise ValueError(f"leading dimensions that do not fit each other: {text}") from None
    result = []
    for name, array in zip(call.names, arrays):
        own = leading[name]
        if name in SHARED:
            if len(own) < len(whole):
                array = reshape(array, (1,) * (len(whole) - len(own)) + tuple(array.shape))
        elif tuple(array.shape) != (shape := (*whole, *inner[name])):
            array = expand(array, shape)
        result.append(array)
    return result


def shapes_of_results(batch: Batch, call: Call, arrays: Sequence) -> list[tuple[int, ...]]:
    leading = tuple(arrays[0].shape[:-1])
    if call.function == "rollout":
        leading += (arrays[2].shape[-2] // call.every,)
        return [(*leading, batch.nq), (*leading, batch.nv)]
    if call.function == "link_motion":
        return [(*leading, len(call.links), n) for n in (7, 6, 6)[: len(call.names)]]
    if call.function == "centroidal":
        return _at_rest_or_moving(call, [(*leading, 3), (*leading, 3), (*leading, 6), leading, leading])
    return [(*leading, batch.nv), (*leading, batch.m)][: 2 if call.function == "constrained_dynamics" else 1]


def _at_rest_or_moving(call: Call, of_all: Sequence) -> list:
    """What is of whole robots: where v is not given, nothing of motion."""
    return list(of_all) if "v" in call.names else [of_all[0], of_all[-1]]


def _rows(call: Call, arrays: Sequence[np.ndarray]) -> tuple[dict, dict, tuple[int, ...]]:
    """Of arrays that arranged made, and that may have more leading dimensions since: states x numbers of the arguments and
    of parameters, by name, and the leading dimensions."""
    leading = arrays[0].shape[:-1]
    states, rows = math.prod(leading), {}
    for name, array in zip(call.names, arrays):
        shared = name in SHARED
        rows[name] = rows_of(array, leading) if shared else array.reshape(states, *array.shape[len(leading) :])
    return rows, {name: rows.pop(name) for name in NAMES if name in rows}, leading


# ---- values


def value(batch: Batch, call: Call, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    rows, parameters, leading = _rows(call, arrays)
    with computing(batch, parameters) as able:
        if call.function == "rollout":
            results = able.rollout(**rows, **_how(call, rows["tau"].shape[1]))
        elif call.function == "link_motion":
            faster = None if "a" in call.names else False
            found = able.link_motion(**rows, links=call.links, axes=call.axes, accelerations=faster, jacobians=False)
            results = found[: len(call.names)]
        elif call.function == "centroidal":
            results = _at_rest_or_moving(call, able.centroidal(**rows))
        else:
            results = getattr(able, call.function)(**rows)
    results = (results,) if isinstance(results, np.ndarray) else results
    return tuple(x.reshape((*leading, *x.shape[1:])) for x in results)


def _how(call: Call, steps: int, every: int | None = None) -> dict:
    every = call.every if every is None else every
    return {"dt": call.dt, "steps": steps, "every": every, "integrator": call.integrator}


# ---- products with gradients


def gradients(batch: Batch, call: Call, wanted: Sequence[bool], *arrays: np.ndarray) -> list[np.ndarray]:
    """By the arrays that are wanted. arrays: of the call, of a rollout then q of its records, then the gradients by what it
    gives."""
    count = len(call.names)
    rows, parameters, leading = _rows(call, arrays[:count])
    states = math.prod(leading)
    more = [a.reshape(states, *a.shape[len(leading) :]) for a in arrays[count:]]
    names = [name for name, is_wanted in zip(call.names, wanted) if is_wanted]
    ways = {"rollout": _rollout_gradients, "link_motion": _link_motion_gradients, "centroidal": _centroidal_gradients}
    with computing(batch, parameters) as able:
        by = ways.get(call.function, _dynamics_gradients)(able, tangents_of(batch), call, rows, names, more)
    return [
        _summed(by[name].reshape(*leading, *_last(array, leading, by[name])), array)
        for name, array, is_wanted in zip(call.names, arrays, wanted)
        if is_wanted
    ]


def _last(array: np.ndarray, leading: tuple[int, ...], by: np.ndarray) -> tuple[int, ...]:
    inner = array.shape[len(leading) :]
    return inner if math.prod(inner) == math.prod(by.shape[1:]) else by.shape[1:]


def _summed(gradient: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Over what shares a number."""
    over = tuple(i for i, (n, of) in enumerate(zip(array.shape, gradient.shape)) if n == 1 and of != 1)
    return gradient.sum(over, keepdims=True) if over else gradient


def _parameter_outputs(names: list[str]) -> dict[str, None | bool]:
    """Which gradients by parameters are wanted, as arguments."""
    wanted = {name.removeprefix(PREFIX) for name in names if name in SHARED}
    arguments = ("inertia", *_PARAMETER_GRADIENTS[1:])
    return {f"gradient_{a}": None if n in wanted else False for a, n in zip(arguments, _PARAMETER_GRADIENTS)}


def _by_parameters(found: Sequence) -> dict[str, np.ndarray]:
    names = [name if name == "wrenches" else PREFIX + name for name in _PARAMETER_GRADIENTS]
    return {name: by for name, by in zip(names, found) if by is not None}


def _dynamics_gradients(able: Batch, tangents: Tangents, call: Call, rows: dict, names: list[str], given: list) -> dict:
    state, of_force = _STATE[call.function], {}
    arguments = dict(rows, gradient=given[0], out=False)
    if call.function == "constrained_dynamics":
        arguments["gradient_lambda"], of_force = given[1], {"force": False}
    by: dict[str, np.ndarray] = {}
    if any(name in state for name in names):
        outs = {"gradient_" + name: None if name in names else False for name in state}
        _, *found = getattr(able, call.function + "_vjp")(**arguments, **outs, **of_force)
        by = {name: g for name, g in zip(state, found) if g is not None}
        if "q" in by:
            by["q"] = tangents.gradient(rows["q"], by["q"])
    if any(name in SHARED for name in names):
        outs = _parameter_outputs(names)
        _, *found = getattr(able, call.function + "_parameter_vjp")(**arguments, **outs, **of_force)
        by |= _by_parameters(found)
    return by


def _rollout_gradients(able: Batch, tangents: Tangents, call: Call, rows: dict, names: list[str], given: list) -> dict:
    q_out, by_q_out, by_v_out = given
    states, records, nq = q_out.shape
    steps = rows["tau"].shape[1]
    by_out = tangents.by_tangent(q_out.reshape(-1, nq), by_q_out.reshape(-1, nq)).reshape(states, records, able.nv)
    arguments = dict(rows, record_gradient_q=by_out, record_gradient_v=by_v_out, **_how(call, steps))
    by: dict[str, np.ndarray] = {}
    if any(name in SHARED for name in names):
        by_q, by_v, by_tau, *found = able.rollout_parameter_vjp(**arguments, **_parameter_outputs(names))
        by = _by_parameters(found)
    else:
        by_q, by_v, by_tau = able.rollout_vjp(**arguments)
    by |= {"v": by_v, "tau": by_tau}
    if "q" in names:
        by["q"] = tangents.gradient(rows["q"], by_q)
    if "stiffness" in names or "damping" in names:
        off_q, off_v = _distances(able, tangents, call, rows)
        by |= {name: (by_tau * off).sum(1) for name, off in (("stiffness", off_q), ("damping", off_v)) if off is not None}
    for gains, target, size in (("stiffness", "q_target", nq), ("damping", "v_target", able.nv)):
        if target in names:
            at = np.zeros_like(by_tau) if gains not in rows else rows[gains][:, None] * by_tau
            at, q = at.reshape(-1, able.nv), np.zeros((states * steps, nq), able.dtype)
            by[target] = (tangents.gradient(q, at) if target == "q_target" else at).reshape(states, steps, size)
    return by


def _distances(able: Batch, tangents: Tangents, call: Call, rows: dict) -> tuple:
    """What gains multiply in each step: q_target - q of joints of one coordinate, and v_target - v. None: not given."""
    q, v, tau = rows["q"], rows["v"], rows["tau"]
    states, steps, _ = tau.shape
    path_q, path_v = (np.empty((states, steps, x.shape[1]), able.dtype) for x in (q, v))
    path_q[:, 0], path_v[:, 0] = q, v
    if steps > 1:
        but_last = {name: a[:, : steps - 1] if a.ndim == 3 and a.shape[1] > 1 else a for name, a in rows.items()}
        able.rollout(**but_last, q_out=path_q[:, 1:], v_out=path_v[:, 1:], **_how(call, steps - 1, 1))
    return _off(tangents, rows, path_q, path_v, slice(None))


def _off(tangents: Tangents, rows: dict, q: np.ndarray, v: np.ndarray, step) -> tuple:
    """From targets, at steps of a path."""
    off_q = off_v = None
    if "stiffness" in rows:
        i, k = np.array(tangents.plain, int).reshape(-1, 2).T
        off_q = np.zeros_like(v)
        off_q[..., k] = (rows["q_target"][:, step] - q)[..., i]
    if "damping" in rows:
        off_v = rows["v_target"][:, step] - v if "v_target" in rows else -v
    return off_q, off_v


def _turned_with(poses: np.ndarray, x: np.ndarray, back: bool) -> np.ndarray:
    """Vectors, states x links x 3, from axes of links to those of the world, or back."""
    flat = turned(poses[..., 3:7].reshape(-1, 4).T, x.reshape(-1, 3).T, back)
    return flat.T.reshape(x.shape)


def _link_motion_gradients(able: Batch, tangents: Tangents, call: Call, rows: dict, names: list[str], given: list) -> dict:
    poses, by_poses, *by_others = given
    u, w, by_u, by_w = poses[..., 3:6], poses[..., 6:], by_poses[..., 3:6], by_poses[..., 6:]
    # tenon_batch_kinematics_vjp says so.
    by_six = [(w * by_u - by_w * u + np.cross(u, by_u)) / 2, by_poses[..., :3]]
    if call.axes == Axes.LINK:
        by_six = [_turned_with(poses, x, True) for x in by_six]
    six = (np.concatenate(by_six, -1), *by_others)
    how = {"links": call.links, "axes": call.axes, **dict.fromkeys(_MOTION, False)}
    given_by = dict(zip(("pose_gradients", "velocity_gradients", "acceleration_gradients"), six))
    found = able.link_motion_vjp(**rows, **given_by, **how, **_of_state(call, names))
    return _by_state(call, tangents, rows, found)


def _centroidal_gradients(able: Batch, tangents: Tangents, call: Call, rows: dict, names: list[str], given: list) -> dict:
    given_by = dict(zip(_at_rest_or_moving(call, _CENTROIDAL_GRADIENTS), given))
    by: dict[str, np.ndarray] = {}
    if any(name in _STATE["centroidal"] for name in names):
        found = able.centroidal_vjp(**rows, **given_by, **dict.fromkeys(_CENTROIDAL, False), **_of_state(call, names))
        by = _by_state(call, tangents, rows, found)
    if any(name in SHARED for name in names):
        outs = _parameter_outputs(names)
        joints = {name: outs.pop(name) for name in ("gradient_damping", "gradient_friction")}  # have no part in these
        outs.pop("gradient_wrenches")
        inertia, armature, gravity = able.centroidal_parameter_vjp(**rows, **given_by, **outs)
        zeros = (None if out is False else np.zeros((len(rows["q"]), able.model.nv), able.dtype) for out in joints.values())
        by |= _by_parameters((inertia, armature, *zeros, None, gravity))
    return by


def _of_state(call: Call, names: list[str]) -> dict[str, None | bool]:
    """Which gradients by the state are wanted, as arguments."""
    return {"gradient_" + name: None if name in names else False for name in _STATE[call.function]}


def _by_state(call: Call, tangents: Tangents, rows: dict, found: Sequence) -> dict[str, np.ndarray]:
    """Of results whose last are gradients by the state."""
    state = _STATE[call.function]
    by = {name: g for name, g in zip(state, found[-len(state) :]) if g is not None}
    if "q" in by:
        by["q"] = tangents.gradient(rows["q"], by["q"])
    return by


# ---- products with changes


def change(batch: Batch, call: Call, changed: Sequence[bool], *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of what a call gives. changed: which arrays change. arrays: of the call, then the changes of these."""
    count = len(call.names)
    rows, parameters, leading = _rows(call, arrays[:count])
    names = [name for name, is_changed in zip(call.names, changed) if is_changed]
    for name in names:
        if name in SHARED:
            raise NotImplementedError(_NO_CHANGE.format(name))
    states = math.prod(leading)
    along = {name: a.reshape(states, *a.shape[len(leading) :]) for name, a in zip(names, arrays[count:])}
    tangents = tangents_of(batch)
    if "q" in along:
        along["q"] = tangents.tangent(rows["q"], along["q"])
    with computing(batch, parameters) as able:
        if call.function == "rollout":
            results = _rollout_change(able, tangents, call, rows, along)
        elif call.function == "link_motion":
            results = _link_motion_change(able, call, rows, along)
        elif call.function == "centroidal":
            along = {"d" + name: a for name, a in along.items()}
            found = able.centroidal_jvp(**rows, **along, **dict.fromkeys(_CENTROIDAL, False))
            results = _at_rest_or_moving(call, found[len(_CENTROIDAL) :])
        else:
            more = {"force": False} if call.function == "constrained_dynamics" else {}
            along = {"d" + name: a for name, a in along.items()}
            _, *results = getattr(able, call.function + "_jvp")(**rows, **along, out=False, **more)
    return tuple(x.reshape((*leading, *x.shape[1:])) for x in results if x is not None)


def _rollout_change(able: Batch, tangents: Tangents, call: Call, rows: dict, along: dict) -> tuple:
    """Step by step, with what the controller adds to tau and its change."""
    stepped = getattr(able, f"step_{call.integrator.name.lower()}_jvp")
    q, v, tau, wrenches = (rows.get(name) for name in ("q", "v", "tau", "wrenches"))
    states, steps, nv = tau.shape
    dq, dv = along.get("q"), along.get("v")
    i, k = np.array(tangents.plain, int).reshape(-1, 2).T
    path: list[tuple] = []
    for step in range(steps // call.every * call.every):
        force, dforce = tau[:, step], along["tau"][:, step].copy() if "tau" in along else np.zeros((states, nv), able.dtype)
        off_q, off_v = _off(tangents, rows, q, v, step)
        if off_q is not None:
            force, moved = force + rows["stiffness"] * off_q, np.zeros((states, nv), able.dtype)
            if "q_target" in along:
                moved[:, k] += along["q_target"][:, step][:, i]
            if dq is not None:
                moved[:, k] -= dq[:, k]
            dforce += rows["stiffness"] * moved + (along["stiffness"] * off_q if "stiffness" in along else 0)
        if off_v is not None:
            force = force + rows["damping"] * off_v
            moved = along["v_target"][:, step] if "v_target" in along else 0
            dforce += rows["damping"] * (moved - (0 if dv is None else dv))
            dforce += along["damping"] * off_v if "damping" in along else 0
        w = None if wrenches is None else wrenches[:, min(step, wrenches.shape[1] - 1)]
        q, v, dq, dv = stepped(call.dt, q, v, force, w, dq=dq, dv=dv, dtau=dforce)
        if (step + 1) % call.every == 0:
            path.append((tangents.change(q, dq), dv))
    return tuple(np.stack(x, 1) for x in zip(*path))


def _link_motion_change(able: Batch, call: Call, rows: dict, along: dict) -> list:
    along = {"d" + name: a for name, a in along.items()}
    how = {"links": call.links, "axes": call.axes, "daccelerations": None if "a" in call.names else False}
    how |= dict.fromkeys(_MOTION[1:], False)
    poses, _, _, six, *of_others = able.link_motion_jvp(**rows, **along, **how)
    turn, moved = six[..., :3], six[..., 3:]
    if call.axes == Axes.LINK:
        turn, moved = (_turned_with(poses, x, False) for x in (turn, moved))
    u, w = poses[..., 3:6], poses[..., 6:]
    of_w = -(turn * u).sum(-1, keepdims=True)
    return [np.concatenate([moved, (w * turn + np.cross(turn, u)) / 2, of_w / 2], -1), *of_others]
