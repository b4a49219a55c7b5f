"""Second derivatives of dynamics for the adapters for PyTorch and JAX: the Hessian of gradient^T results, times a change.

It is symmetric, so that one product serves all ways: changes of gradients (forward over reverse), gradients of gradients
(reverse over reverse), gradients of changes (reverse over forward). Changes of changes take one product for each number of a
result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._learning import _STATE, SHARED, Call, _rows, shapes_of_results
from ._parameters import computing
from ._tangents import tangents_of
from .batch import Batch

_FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "constrained_dynamics")


def check(call: Call, names: Sequence[str]) -> None:
    """Whether there are second derivatives by these arrays."""
    if call.function not in _FUNCTIONS:
        known = ", ".join(_FUNCTIONS)
        raise NotImplementedError(f"second derivatives of {call.function} are not there, only of {known}; differentiate once")
    for name in names:
        if name in SHARED:
            text = f"second derivatives of {call.function} by {name} are not there, only by {', '.join(_STATE[call.function])}"
            raise NotImplementedError(f"{text}; hold it constant, or differentiate once")


def third(*_, **__):
    raise NotImplementedError("third derivatives of dynamics are not there; differentiate twice")


def chosen(call: Call, which: Sequence[bool]) -> list[str]:
    return [name for name, is_chosen in zip(call.names, which) if is_chosen]


def products(batch: Batch, call: Call, wanted: Sequence[bool], changed: Sequence[bool], *arrays: np.ndarray) -> list[np.ndarray]:
    """By the arrays that are wanted. arrays: of the call, then the gradients by what it gives, then the changes of those arrays
    that change. By numbers of q the function is that of quaternions that are normalized first."""
    count, names, moved = len(call.names), chosen(call, wanted), chosen(call, changed)
    check(call, [*names, *moved])
    rows, parameters, leading = _rows(call, arrays[:count])
    states, tangents, q = math.prod(leading), tangents_of(batch), rows["q"]
    results = len(shapes_of_results(batch, call, arrays))
    given = [a.reshape(states, -1) for a in arrays[count : count + results]]
    along = {"d" + name: a.reshape(states, -1) for name, a in zip(moved, arrays[count + results :])}
    rows |= dict(zip(("gradient", "gradient_lambda"), given))
    dq = along.get("dq")
    if dq is not None:
        along["dq"] = tangents.tangent(q, dq)
    state = _STATE[call.function]
    outs = {"out" if name == "q" else "product_" + name: None if name in names else False for name in state}
    with computing(batch, parameters) as able:
        found = getattr(able, call.function + "_hvp")(**rows, **along, **outs)
        by = dict(zip(state, found))
        if by["q"] is not None:
            if dq is not None and tangents.several:
                more = {"force": False} if results == 2 else {}
                unwanted = {"gradient_" + name: False for name in state[1:]}
                first = getattr(able, call.function + "_vjp")(**rows, out=False, **more, **unwanted)
                by_tangent = next(x for x in first if x is not None)
                by["q"] = tangents.bent(q, by_tangent, dq, by["q"])
            else:
                by["q"] = tangents.gradient(q, by["q"])
    return [by[name].reshape(*leading, -1) for name in names]


def changes_of_changes(
    batch: Batch, call: Call, changed: Sequence[bool], too: Sequence[bool], *arrays: np.ndarray
) -> tuple[np.ndarray, ...]:
    """How results change along two changes. arrays: of the call, then the changes of `changed`, then those of `too`."""
    count, given = len(call.names), len(call.names) + sum(changed)
    shapes = shapes_of_results(batch, call, arrays)
    found = [np.empty(shape, batch.dtype) for shape in shapes]
    # Number by number, as what states have of their own is for so many states.
    gradients = [np.zeros(shape, batch.dtype) for shape in shapes]
    for gradient, out in zip(gradients, found):
        for i in range(out.shape[-1]):
            gradient[..., i] = 1
            by = products(batch, call, too, changed, *arrays[:count], *gradients, *arrays[count:given])
            out[..., i] = sum((g * along).sum(-1) for g, along in zip(by, arrays[given:]))
            gradient[..., i] = 0
    return tuple(found)
