"""What the classes share: the library, errors, and objects that the library makes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys
import threading
from pathlib import Path
from typing import Any, Callable

from . import _raw
from .types import Status

_native: Any = None
if os.environ.get("TENON_CTYPES", "0") == "0":
    with contextlib.suppress(ImportError):
        from . import _native  # type: ignore[attr-defined,no-redef]


class Error(Exception):
    """A call that failed: nothing was written. status tells of which kind, message what, where and how to mend it."""

    def __init__(self, status: int, message: str):
        super().__init__(status, message)
        self.status, self.message = Status(status), message

    def __str__(self) -> str:
        return f"{self.status.name.lower()}: {self.message}"


def text(raw: bytes | None) -> str:
    """Messages are cut where their room ends, and names and paths may be no text: what cannot be read is replaced. What
    an index that names nothing has is no name."""
    if raw is None:
        raise IndexError("there is none of that number")
    return raw.decode(errors="replace")


def _load():
    """The library: TENON_LIBRARY, or the one in this package, or the one that the system finds."""
    series = ".".join(_raw.VERSION.split(".")[:2])
    name = {"win32": "tenon.dll", "darwin": f"libtenon.{series}.dylib"}.get(sys.platform, f"libtenon.so.{series}")
    own, told = Path(__file__).parent / "lib", os.environ.get("TENON_LIBRARY")
    path = told or (str(own / name) if (own / name).exists() else name)
    try:
        library = _raw.load(path)
    except OSError as error:
        if path != name:
            which = f"TENON_LIBRARY names {path}, which" if told else path
            raise ImportError(f"{which} cannot be loaded: {error}; set TENON_LIBRARY to the path of another") from error
        here = f"{sys.platform} {platform.machine()}"
        brought = ", ".join(file.name for file in own.glob("*tenon*")) or "none"
        lacks = f"there is no library for {here}: this package brings {brought}, and the system has no {name} ({error})"
        hint = f"Install the wheel for {here}, or build Tenon, and set TENON_LIBRARY to the path of the library"
        raise ImportError(f"{lacks}. {hint}") from error
    except AttributeError as error:
        raise ImportError(f"{path} is of another version than this package, {_raw.VERSION}: {error}") from error
    if library.tenon_version() // 100 != _raw.TENON_VERSION // 100:
        found = text(library.tenon_version_string())
        raise ImportError(f"{path} is Tenon {found}, and this package is for {_raw.VERSION}")
    return library


lib: Any = _load()


# ---- calls


def call(function, *arguments) -> int:
    """A call that takes a message at its end. Returns the status, which is not negative."""
    message = ctypes.create_string_buffer(1024)
    status = function(*arguments, message, 1024)
    if _raised:
        reraise()
    return status if status >= 0 else check(status, message.value)


def check(status: int, what: str | bytes) -> int:
    """Of a call without a message: what says which."""
    if status < 0:
        raise Error(status, what if isinstance(what, str) else text(what))
    return status


# What functions of the user raised in calls of the library that have not ended, by thread.
_raised: dict[int, BaseException] = {}


def guarded(function: Callable, failed: Any = None) -> Callable:
    """A function that the library calls, and that cannot raise there: the call raises when it has ended. failed: what it
    returns then."""

    def call_back(*arguments):
        try:
            return function(*arguments)
        except BaseException as error:
            _raised.setdefault(threading.get_ident(), error)
            return failed

    return call_back


def reraise(threads: bool = False) -> None:
    """Raises what a function of the user raised in the call that has ended. threads: or in a thread of the library."""
    others = {thread.ident for thread in threading.enumerate()} if _raised else set()
    ended = [ident for ident in list(_raised) if ident == threading.get_ident() or threads and ident not in others]
    for error in [_raised.pop(ident) for ident in ended]:
        raise error


_computing: dict[int, object] = {}  # addresses of what computes


def begin(address: int, kind: str) -> None:
    """The object there computes, until end: who comes second, in another thread or from a function that the first one
    calls, is refused. The extension module does the same for the calls that it makes."""
    mine = object()
    # One step, so that no thread comes between.
    if _native and _native.computes(address) or _computing.setdefault(address, mine) is not mine:
        where = "in another thread or as caller of this function"
        raise RuntimeError(f"this {kind} computes already, {where}: give each thread one of its own")


end = _computing.__delitem__


class alone:  # noqa: N801
    """A block in which the object there computes."""

    def __init__(self, address: int, kind: str):
        self.address, self.kind = address, kind

    def __enter__(self) -> None:
        begin(self.address, self.kind)

    def __exit__(self, *_: Any) -> None:
        end(self.address)


# ---- objects


class Handle:
    """An object of the library, freed with this one. close() frees it now; `with` does so at the end of the block."""

    _destroy: Any  # the function of the library
    _again = _shown = ""  # how to have another one; what its repr tells
    _pointer: Any = None
    _address: Any = 0
    _kept: tuple[Any, ...] = ()  # callbacks that it calls
    constraints: Any = None  # the set of what computes

    def __init__(self, *_: Any):
        how = (type(self).__doc__ or "").split(";")[0]
        raise TypeError(f"{type(self).__name__}(...) does not make one. {how}.")

    def _make(self, function, *arguments) -> Any:
        """This one is what a function of the library makes."""
        self._pointer = self._destroy.argtypes[0]()
        call(function, *arguments, self._pointer)
        self._address = ctypes.cast(self._pointer, ctypes.c_void_p).value
        self._read()
        return self

    def _read(self) -> None:
        """Learns what does not change with each call."""

    def _like(self) -> Any:
        """To be made: another one that knows the same."""
        other, own = type(self).__new__(type(self)), ("_pointer", "_address", "_status", "status", "iterations")
        other.__dict__.update((name, value) for name, value in vars(self).items() if name not in own)
        return other

    @property
    def _held(self) -> Any:
        """The constraints: those of the model's loops by rows, where there is no set."""
        from .constraints import Constraints

        return (Constraints(self.model) if self.constraints is None else self.constraints).finish()

    def _in_range(self, kind: str, number: int, of_text: bool = False) -> int:
        """The number of a thing of this kind, where there is one. of_text: it is asked for a text."""
        count = getattr(self, f"{kind}_count")
        if 0 <= number < count or not self._pointer:
            return number
        there = f"there are {count} {kind}s, 0 to {count - 1}" if count > 0 else f"there are no {kind}s"
        words = f"{kind} is {number}; {there}"
        raise IndexError(words) if of_text else Error(Status.OUT_OF_RANGE, words)

    def close(self) -> None:
        """Frees it now. What was made from it stays good."""
        if self._pointer:
            with alone(self._address, type(self).__name__):
                pointer, self._pointer, self._address = self._pointer, None, 0
                self._destroy(pointer)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{self._shown.format(self)}>"

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: {self._again}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if lib is not None:
            self.close()


def handed(thing: Handle | None) -> Any:
    """The pointer of an object, which may be absent but not closed."""
    if thing is not None and not thing._pointer:
        raise Error(Status.INVALID_ARGUMENT, f"this {type(thing).__name__} is closed: {thing._again}")
    return None if thing is None else thing._pointer


class Computing(Handle):
    """A workspace, of which each call leaves its status."""

    _status = 0

    def _done(self, status: int) -> int:
        self._status = status
        if _raised:
            reraise()
        return status if status >= 0 else check(status, lib.tenon_workspace_message(self._pointer))

    @property
    def status(self) -> Status:
        """Of the last computation: OK, or which caveat its answer has."""
        return Status(self._status)
