"""What arguments and results are on both sides: arrays of numpy, texts, constants, options."""

from __future__ import annotations

import ctypes
import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_char, c_double
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._core import call, check, lib, text

FLOAT, INTEGERS = np.dtype(np.float64), np.dtype(np.int32)


# ---- numbers


def plain(array: Any, kind: np.dtype = FLOAT) -> bool:
    """Whether the library may have it as it is: numbers of this kind, in a row, writeable."""
    return type(array) is np.ndarray and array.dtype is kind and array.flags.carray


def numbers(array: Any, kind: np.dtype = FLOAT) -> np.ndarray:
    """Numbers in a row, at an address of such: fields of packed records are not."""
    array = np.ascontiguousarray(array, dtype=kind)
    return array if array.flags.carray else array.copy()


def given(array: Any, kind: np.dtype = FLOAT):
    """An input: pointer and count. What is plain is not copied."""
    array = array if array is None or plain(array, kind) else numbers(array, kind)
    return (None, 0) if array is None or not array.size else (byref(c_char.from_buffer(array)), array.size)


def written(array: Any, what: str):
    """An output of a workspace, which is `what`: pointer and count."""
    if array is not None and not plain(array):
        raise TypeError(f"{what}: give a writeable contiguous array of float64")
    return given(array)


def part(array: Any, name: str, is_written: bool):
    """A column-major matrix, maybe a part of a larger one: pointer, count and leading dimension."""
    if array is None:
        return None, 0, 0
    is_right = type(array) is np.ndarray and array.dtype is FLOAT and array.ndim == 2 and array.flags.aligned
    if not is_right or is_written and not array.flags.writeable:
        raise TypeError(f"{name} is to be a {'writeable ' if is_written else ''}matrix of float64")
    rows, columns = array.shape
    leading = array.strides[1] // 8 if array.size and columns > 1 else max(rows, 1)
    if array.size and (array.strides[0] != 8 and rows > 1 or leading < rows):
        raise ValueError(f"{name} is to be column-major: order='F'")
    return (array.ctypes.data, leading * (columns - 1) + rows, leading) if array.size else (None, 0, leading)


def matrix(out: Any, rows: int, columns: int, name: str = "out") -> np.ndarray:
    """A column-major output, the argument `name`: a new matrix, or `out`, which may be a part of a larger one."""
    if out is None:
        return np.empty((columns, rows)).T
    if (out.shape if type(out) is np.ndarray else np.shape(out)) != (rows, columns):
        raise ValueError(f"{name} is {' x '.join(map(str, np.shape(out)))}, and the result {rows} x {columns}")
    return out


def derivative(out: Any, rows: int, columns: int, name: str, how: Mapping[str, Any]) -> np.ndarray:
    """A matrix of derivatives, new or `out`, in the order that options say; what is new and added to begins with zeros."""
    if out is not None:
        return matrix(out, rows, columns, name)
    made = np.zeros if how.get("accumulate") else np.empty
    return made((rows, columns)) if how.get("row_major") else made((columns, rows)).T


def in_order(array: Any, name: str, how: Mapping[str, Any]) -> Any:
    """Such a matrix as calls take it, column-major: of a row-major one that is its transpose."""
    if array is None or not how.get("row_major"):
        return array
    if np.ndim(array) == 2 and array.shape[1] > 1 and array.strides[1] != array.itemsize:
        raise ValueError(f"{name} is to be row-major: order='C'")
    return array.T


def given_matrix(array: ArrayLike) -> np.ndarray:
    """A column-major input, a vector as one column."""
    array = np.asarray(array, dtype=FLOAT)
    array = np.asfortranarray(array[:, np.newaxis] if array.ndim == 1 else array)
    return array if array.flags.aligned else array.copy(order="F")


def at(address: int, *shape: int) -> np.ndarray:
    """The numbers that the library hands to a function of the user."""
    return np.ctypeslib.as_array((c_double * math.prod(shape)).from_address(address)).reshape(shape)


def pose(position: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> np.ndarray:
    """A pose, [x y z qx qy qz qw], of a position and of roll, pitch and yaw as in URDF: turns about the fixed axes x, y
    and z, in this order."""
    (sx, sy, sz), (cx, cy, cz) = ([f(a / 2) for a in rpy] for f in (math.sin, math.cos))  # type: ignore[union-attr]
    x, y = sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz
    z, w = cx * cy * sz - sx * sy * cz, cx * cy * cz + sx * sy * sz
    return np.array([*position, x, y, z, w], dtype=FLOAT)  # type: ignore[misc]


def placed(place: ArrayLike | None) -> ArrayLike | None:
    """A position alone is a pose that is not turned."""
    return pose(place) if place is not None and np.shape(place) == (3,) else place


def six(inertia: ArrayLike | None) -> ArrayLike | None:
    """[ixx ixy ixz iyy iyz izz], also of an inertia as a matrix."""
    if np.ndim(inertia) != 2:  # type: ignore[arg-type]
        return inertia
    every = np.asarray(inertia, dtype=FLOAT)
    if every.shape != (3, 3) or not np.allclose(every, every.T, rtol=1e-9, atol=0):
        raise ValueError("an inertia is to be a symmetric matrix of 3 x 3, or 6 numbers")
    return every[np.triu_indices(3)]


def each(things: Any) -> list[tuple[Any, ...]]:
    """The arguments of a call for each of several things, or for one: alone, or with what else the call takes."""
    alone = (things,) if isinstance(things, (str, int)) else things
    return [one if isinstance(one, tuple) else (one,) for one in alone]


# ---- texts


def whole_text(function, *arguments) -> str:
    """What the library writes as text: asked for its size first. Of what takes a message, that is its last argument."""
    needed = ctypes.c_size_t()
    done = call if len(function.argtypes) > len(arguments) + 3 else lambda f, *a: check(f(*a), f.__name__)
    done(function, *arguments, None, 0, needed)
    words = ctypes.create_string_buffer(needed.value)
    done(function, *arguments, words, needed.value, None)
    return text(words.value)


# ---- constants and options


def constant(kind: type[Any], value: Any) -> Any:
    """A constant by its value, or by its name in any case."""
    if not isinstance(value, str):
        return value
    if value.upper() not in kind.__members__:
        known = ", ".join(k.name.lower() for k in kind)
        raise ValueError(f"there is no {kind.__name__} '{value}'; there are: {known}")
    return kind[value.upper()]


def bits(kind: type[Any], is_mask: bool, value: Any) -> int:
    """One constant or several. Of a mask each stands for a bit, but a plain number is the mask itself."""
    if isinstance(value, Iterable) and not isinstance(value, (str, int)):
        return functools.reduce(operator.or_, (bits(kind, is_mask, one) for one in value), 0)
    number = constant(kind, value)
    return 1 << number if is_mask and type(value) is not int else int(number)


def integer(name: str, kind: type[Any], value: Any) -> int:
    number = operator.index(value)
    if kind(number).value != number:
        raise OverflowError(f"{name} = {number} does not fit: {ctypes.sizeof(kind)} bytes")
    return number


def exactly(name: str, count: int, value: ArrayLike) -> ctypes.Array:
    """An array of so many numbers, as a field of options that is called `name` has it."""
    array = np.asarray(value)
    if array.shape != (count,):
        shown = f"{value!r}" if array.ndim == 0 else f"of shape {array.shape}"
        raise ValueError(f"{name} is {shown}; {count} numbers are needed")
    return (c_double * count)(*array)


def by_name(options: Any, make: Callable, how: Mapping[str, Any]) -> Any:
    """Options that were made before, or are given by name."""
    if how and options is not None:
        raise TypeError(f"give options made before or by name, not both: there are options and {', '.join(how)}")
    return make(how) if how else options


def prepared(struct: type[Any]) -> Any:
    result = struct()
    check(getattr(lib, struct.__name__ + "_init")(result, ctypes.sizeof(result)), struct.__name__)
    return result


def filled(struct: type[Any], fields: Mapping[str, Callable], values: Mapping[str, Any], result: Any = None) -> Any:
    """Options, prepared and with some fields set, or None where there are none. What they point at lives as long as they do.
    fields: what makes a number or an array of what is given for each. result: options that are set further."""
    if values and result is None:
        result = prepared(struct)
    for name, value in values.items():
        if name not in fields:
            raise TypeError(f"there is no option '{name}'; there are: {', '.join(fields)}")
        if value is None:
            continue
        value = fields[name](value)
        result.__dict__.setdefault("kept", []).append(value)
        if isinstance(value, np.ndarray):
            setattr(result, name + "_count", value.size)
            value = value.ctypes.data
        setattr(result, name, value)
    return result
