"""What the classes share: the library, errors, arrays as arguments, options and records."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import operator
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_char_p, c_double
from pathlib import Path
from typing import Any

import numpy as np

from . import _raw
from .types import ENUMS, MASKS, RECORDS, Precision, Status

try:
    if os.environ.get("TENON_CTYPES", "0") != "0":
        raise ImportError("TENON_CTYPES is set")
    from . import _native  # type: ignore[attr-defined]
except ImportError:
    _native = None

FLOAT = np.dtype(np.float64)
MESSAGE_SIZE = 1024


class Error(Exception):
    """A call that failed: nothing was written. status tells of which kind, message what, where and how to mend it."""

    def __init__(self, status: int, message: str):
        super().__init__(status, message)
        self.status = Status(status)
        self.message = message

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
    own = Path(__file__).parent / "lib"
    path = os.environ.get("TENON_LIBRARY") or (str(own / name) if (own / name).exists() else name)
    try:
        library = _raw.load(path)
    except OSError as error:
        if os.environ.get("TENON_LIBRARY"):
            raise ImportError(f"TENON_LIBRARY names {path}, which cannot be loaded: {error}") from error
        if path != name:
            raise ImportError(f"{path} cannot be loaded: {error}; set TENON_LIBRARY to the path of another") from error
        here = f"{sys.platform} {platform.machine()}"
        brought = ", ".join(file.name for file in own.glob("*tenon*")) or "none"
        raise ImportError(
            f"there is no library for {here}: this package brings {brought}, and the system has no {name} ({error}). Install "
            f"the wheel for {here}, or build Tenon, and set TENON_LIBRARY to the path of the library"
        ) from error
    number = library.tenon_version()
    if number // 100 != _raw.TENON_VERSION // 100:
        found = text(library.tenon_version_string())
        raise ImportError(f"{path} is Tenon {found}, and this package is for {_raw.VERSION}")
    return library


lib = _load()


# ---- calls


def call(function, *arguments) -> int:
    """A call that takes a message at its end. Returns the status, which is not negative."""
    message = ctypes.create_string_buffer(MESSAGE_SIZE)
    status = function(*arguments, message, MESSAGE_SIZE)
    if _raised:
        reraise()
    if status < 0:
        raise Error(status, text(message.value))
    return status


def check(status: int, what: str) -> int:
    """Of a call without a message."""
    if status < 0:
        raise Error(status, what)
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
    ended = [threading.get_ident()]
    if threads and _raised:
        known = {thread.ident for thread in threading.enumerate()}
        ended += [ident for ident in list(_raised) if ident not in known]
    errors = [_raised.pop(ident) for ident in ended if ident in _raised]
    if errors:
        raise errors[0]


_computing: dict[int, object] = {}  # addresses of what computes


def begin(address: int, kind: str) -> None:
    """The object there computes, until end: who comes second, in another thread or from a function that the first one
    calls, is refused. The extension module does the same for the calls that it makes."""
    mine = object()
    is_taken = _native is not None and _native.computes(address)
    if is_taken or _computing.setdefault(address, mine) is not mine:  # one step, so that no thread comes between
        raise RuntimeError(
            f"this {kind} computes already, in another thread or as caller of this function: give each thread one of its own"
        )


end = _computing.__delitem__


@contextlib.contextmanager
def alone(address: int, kind: str):
    begin(address, kind)
    try:
        yield
    finally:
        end(address)


class Handle:
    """An object of the library, freed with this one. close() frees it now; `with` does so at the end of the block."""

    _destroy = ""
    _again = ""  # how to have another one
    _own: tuple[str, ...] = ()  # what a copy of it has not
    _pointer: Any = None
    constraints: Any = None  # the set of what computes
    _address = 0

    def __init__(self, pointer: Any):
        if not isinstance(pointer, ctypes._Pointer):
            how = (type(self).__doc__ or "").split(";")[0]
            raise TypeError(f"{type(self).__name__}({pointer!r}) does not make one. {how}.")
        self._pointer = pointer
        self._address = ctypes.cast(pointer, ctypes.c_void_p).value or 0

    @classmethod
    def _new(cls, function, *arguments) -> Any:
        """Pointer to what a function of the library makes."""
        kind = cls._destroy[: -len("_destroy")]
        pointer = ctypes.POINTER(getattr(_raw, kind))()
        try:
            call(function, *arguments, pointer)
        except BaseException:
            if pointer:  # made, but a function of the user raised
                getattr(lib, cls._destroy)(pointer)
            raise
        return pointer

    def _index_of(self, constraint: str | int) -> int:
        """Index of a constraint of the set that this was made with."""
        if not isinstance(constraint, str):
            return int(constraint)
        if self.constraints is None:
            raise ValueError(f"there is no constraint '{constraint}': this {type(self).__name__.lower()} has no constraint set")
        return self.constraints.index(constraint)

    def _cloned(self, function) -> Any:
        """Another one with all that setters said."""
        other, pointer = type(self).__new__(type(self)), self._new(function, self._pointer)
        other.__dict__.update((name, value) for name, value in vars(self).items() if name not in self._own)
        Handle.__init__(other, pointer)
        return other

    def close(self) -> None:
        """Frees it now. What was made from it stays good."""
        if not self._pointer:
            return
        with alone(self._address, type(self).__name__):
            pointer, self._pointer, self._address = self._pointer, None, 0
            getattr(lib, self._destroy)(pointer)

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

    _own = ("_status",)
    _status = 0

    def _done(self, status: int) -> int:
        self._status = status
        if _raised:
            reraise()
        if status < 0:
            raise Error(status, text(lib.tenon_workspace_message(self._pointer)))
        return status


# ---- arrays


def contiguous(array: Any) -> np.ndarray:
    """Numbers in a row, at an address of such: fields of packed records are not."""
    array = np.ascontiguousarray(array, dtype=FLOAT)
    return array if array.flags.aligned else array.copy()


def given(array: Any):
    """An input: pointer and count. What is a contiguous float64 array is not copied."""
    if array is None:
        return None, 0
    if type(array) is not np.ndarray or array.dtype is not FLOAT or not array.flags.carray:
        array = contiguous(array)
    try:
        return byref(c_double.from_buffer(array)), array.size  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read only; empty
        return (array.ctypes.data_as(ctypes.c_void_p) if array.size else None), array.size


def matrix(out, rows: int, columns: int) -> np.ndarray:
    """A column-major output: a new matrix, or `out`, which may be a part of a larger one."""
    if out is None:
        return np.empty((columns, rows)).T
    if type(out) is not np.ndarray or out.dtype is not FLOAT or out.ndim != 2 or not out.flags.writeable:
        raise TypeError("out is to be a writeable matrix of float64")
    if out.shape != (rows, columns):
        raise ValueError(f"out is {out.shape[0]} x {out.shape[1]}, and the result {rows} x {columns}")
    return out


def wanted(out, rows: int, columns: int | None = None) -> np.ndarray | None:
    """An output that may be left out: False. New, or `out`."""
    if out is False:
        return None
    return matrix(out, rows, columns) if columns is not None else np.empty(rows) if out is None else out


def given_matrix(array) -> np.ndarray:
    """A column-major input, a vector as one column."""
    array = np.asarray(array, dtype=FLOAT)
    array = np.asfortranarray(array[:, np.newaxis] if array.ndim == 1 else array)
    return array if array.flags.aligned else array.copy(order="F")


def indices(array):
    """An input of int32: the array that holds it, pointer and count."""
    if array is None:
        return None, None, 0
    array = np.ascontiguousarray(array, dtype=np.int32)
    return array, array.ctypes.data, array.size


def names(texts: str | Iterable[str]):
    """Names for the library, and how many."""
    texts = [texts] if isinstance(texts, str) else list(texts)
    return (c_char_p * len(texts))(*(one.encode() for one in texts)), len(texts)


def source(urdf: str | bytes):
    """A text in memory, and its size."""
    urdf = urdf.encode() if isinstance(urdf, str) else urdf
    return urdf, len(urdf)


def whole_text(function, *arguments, says: bool) -> str:
    """What the library writes as text: asked for its size first. says: with a message."""
    needed = ctypes.c_size_t()
    done = call if says else lambda f, *a: check(f(*a), f.__name__)
    done(function, *arguments, None, 0, needed)
    words = ctypes.create_string_buffer(needed.value)
    done(function, *arguments, words, needed.value, None)
    return text(words.value)


# ---- constants, options, records


def constant(kind: type[Any], value) -> int:
    """A constant by its value, or by its name in any case."""
    if isinstance(value, str):
        try:
            name = value.upper()
            return kind["SINGLE" if kind is Precision and name == "FLOAT" else name]
        except KeyError:
            names = ", ".join(k.name.lower() for k in kind)
            raise ValueError(f"there is no {kind.__name__} '{value}'; there are: {names}") from None
    return value


def _field(struct, name: str, value) -> int:
    """A number, a constant or its name; of bits also several of these. A plain number for a mask is the mask itself."""
    kind = ENUMS.get((struct, name))
    if kind is None:
        return value
    if isinstance(value, Iterable) and not isinstance(value, (str, int)):
        return functools.reduce(operator.or_, (_field(struct, name, v) for v in value), 0)
    number = constant(kind, value)
    return 1 << number if (struct, name) in MASKS and type(value) is not int else int(number)


def options(struct, values: Mapping[str, Any]):
    """A prepared struct with some fields set, or None where there are none. What it points at lives as long as it does."""
    if not values:
        return None
    result, fields = prepared(struct), dict(struct._fields_)
    result.kept = []
    for name, value in values.items():
        if name not in fields or name in ("struct_size", "reserved"):
            known = ", ".join(f for f in fields if f not in ("struct_size", "reserved") and not f.endswith("_count"))
            raise TypeError(f"there is no option '{name}'; there are: {known}")
        if value is None:
            continue
        if fields[name] is c_char_p:
            value = value.encode()
        elif fields[name] is _raw.tenon_log_callback:
            value = _raw.tenon_log_callback(guarded(lambda _, level, words, log=value: log(level, text(words))))
            result.kept.append(value)
        elif issubclass(fields[name], ctypes.Array):
            value = fields[name](*map(float, value))
        elif name + "_count" in fields:
            value = np.ascontiguousarray(value, dtype=FLOAT)
            result.kept.append(value)
            setattr(result, name + "_count", value.size)
            value = value.ctypes.data
        elif isinstance(value, ctypes.Structure):
            result.kept.append(value)
            value = ctypes.pointer(value)
        else:
            value = _field(struct, name, value)
            if fields[name] is not c_double:
                whole = operator.index(value)
                value = fields[name](whole).value
                if value != whole:
                    raise OverflowError(f"{name} = {whole} does not fit: {ctypes.sizeof(fields[name])} bytes")
        setattr(result, name, value)
    return result


def prepared(struct):
    result = struct()
    check(getattr(lib, struct.__name__ + "_init")(result, ctypes.sizeof(result)), struct.__name__)
    return result


def record(filled):
    """An information struct as a named tuple."""
    struct = type(filled)
    kind, values = RECORDS[struct], []
    for name in kind._fields:
        value = getattr(filled, name)
        if isinstance(value, bytes):
            value = text(value)
        elif isinstance(value, ctypes.Array):
            value = np.array(value)
        elif (struct, name) in ENUMS:
            value = ENUMS[struct, name](value)
        values.append(value)
    return kind(*values)
