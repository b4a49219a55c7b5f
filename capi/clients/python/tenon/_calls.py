"""The computations of a workspace by the names that tenon.h has for them, with arrays as arguments.

Each takes the address of the workspace, then arrays, matrices, structs and numbers in the order of tenon.h, without
counts and leading dimensions, and returns the status. The extension module _native makes them where it is there; else ctypes
does, with more cost a call. TENON_CTYPES=1 in the environment leaves the extension module aside.
"""

from __future__ import annotations

import ctypes
from functools import partial
from types import SimpleNamespace
from typing import Any, Callable

from . import _raw
from ._arrays import INTEGERS, numbers
from ._core import _native, begin, end, lib
from ._roles import CALLS


def _by_ctypes(name: str, spread: Callable) -> Callable[..., int]:
    function: Any = lib[name]  # not lib.name: the workspace comes as an address here
    function.restype, function.argtypes = ctypes.c_int32, [ctypes.c_size_t, *_raw.FUNCTIONS[name][1][1:]]

    def call(address: int, *arguments) -> int:
        passed = spread(*arguments)
        begin(address, "workspace")
        try:
            return function(address, *passed)
        finally:
            end(address)

    return call


def _by_native(name: str, roles: str, names: str, types: tuple, is_long: bool) -> Callable[..., int]:
    address = ctypes.cast(getattr(lib, name), ctypes.c_void_p).value
    return _native.bind(address, roles, tuple(names.split()), types, numbers, partial(numbers, kind=INTEGERS), is_long)


calls = SimpleNamespace(**{
    name: _by_native(name, *how) if _native else _by_ctypes(name, spread)
    for name, (spread, *how) in CALLS.items() if hasattr(lib, name)
})  # fmt: skip
BY = "extension module" if _native else "ctypes"
