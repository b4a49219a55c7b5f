"""The computations of a workspace by the names that tenon.h has for them, with arrays as arguments.

Each takes the address of the workspace, then arrays, matrices, structs and numbers in the order of tenon.h, without
counts and leading dimensions, and returns the status. The extension module _native makes them where it is there; else ctypes
does, with more cost a call. TENON_CTYPES=1 in the environment leaves the extension module aside.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np

from . import _raw
from ._core import FLOAT, _native, begin, contiguous, end, given, indices, lib
from ._roles import CALLS

# While these compute, other threads of Python run; the others are over before that would pay, unless they write vectors
# of 128 numbers or more. (A call through ctypes always lets other threads run.)
LONG = {f"tenon_{name}" for name in """
    close_loop_velocities close_loops constrained_dynamics constrained_dynamics_derivatives
    constraint_force_derivatives constraint_rows delassus delassus_solve delassus_factor delassus_inverse
    find_assemblies impact impact_derivatives loop_jacobian loop_map mass_matrix_multiply mass_matrix_inverse_times
    operational_space project_positions project_velocities mass_matrix_solve spanning_position
    step_runge_kutta_4 step_semi_implicit_euler underactuated_inverse_dynamics workspace_set_guess
""".split()}  # fmt: skip


def _int32(array) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.int32)


def _written(array, name: str, in_place: bool):
    if array is None:
        return None, 0
    if type(array) is not np.ndarray or array.dtype is not FLOAT or not array.flags.carray:
        what = "changed in place" if in_place else "written"
        raise TypeError(f"{name} is {what}: give a writeable contiguous array of float64")
    return (ctypes.byref(ctypes.c_double.from_buffer(array)) if array.size else None), array.size  # type: ignore[arg-type]


def _matrix(array, name: str, is_written: bool):
    """Pointer, count and leading dimension of a column-major matrix, maybe a part of a larger one."""
    if array is None:
        return None, 0, 0
    if type(array) is not np.ndarray or array.dtype is not FLOAT or array.ndim != 2 or (
        is_written and not array.flags.writeable or not array.flags.aligned
    ):
        raise TypeError(f"{name} is to be a {'writeable ' if is_written else ''}matrix of float64")
    rows, columns = array.shape
    if not array.size:
        return None, 0, max(rows, 1)
    leading, rest = divmod(array.strides[1], 8) if columns > 1 else (rows, 0)
    if array.strides[0] != 8 and rows > 1 or rest or leading < rows:
        raise ValueError(f"{name} is to be column-major: order='F'")
    return array.ctypes.data, leading * (columns - 1) + rows, leading


def _by_ctypes(name: str, roles: str, names: list[str]) -> Callable[..., int]:
    function = lib[name]  # not lib.name: the workspace comes as an address here
    types: Any = _raw.FUNCTIONS[name][1]
    function.restype, function.argtypes = ctypes.c_int32, [ctypes.c_size_t, *types[1:]]

    def call(*arguments) -> int:
        if len(arguments) != len(roles):
            raise TypeError(f"{len(roles)} arguments are needed, and {len(arguments)} were given")
        passed: list[Any] = []
        kept = []
        for role, argument, what in zip(roles, arguments, names):
            if role == "a":
                passed += given(argument)
            elif role in "ox":
                passed += _written(argument, what, role == "x")
            elif role in "mM":
                passed += _matrix(argument, what, role == "M")
            elif role == "b":
                array, *pointer = indices(argument)
                kept.append(array)
                passed += pointer
            else:
                passed.append(argument)
        address = arguments[0]
        begin(address, "workspace")
        try:
            return function(*passed)
        finally:
            end(address)

    return call


def _by_native(name: str, roles: str, names: list[str]) -> Callable[..., int]:
    address = ctypes.cast(getattr(lib, name), ctypes.c_void_p).value
    slots = {"a": 2, "b": 2, "o": 2, "x": 2, "m": 3, "M": 3}
    arguments: Any = _raw.FUNCTIONS[name][1]
    types, place = [], 0
    for role in roles:
        types.append(arguments[place]._type_ if role == "s" else None)
        place += slots.get(role, 1)
    return _native.bind(address, roles, tuple(names), tuple(types), contiguous, _int32, name in LONG)


_made = _by_ctypes if _native is None else _by_native
calls = SimpleNamespace(
    **{name: _made(name, roles, names.split()) for name, (roles, names) in CALLS.items() if hasattr(lib, name)}
)
BY = "ctypes" if _native is None else "extension module"
