"""Builders: robots from calls, where there is no URDF, or to add what URDF has no words for."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import FLOAT, Handle, call, constant, given, guarded, lib, options
from .model import Model
from .types import JointType, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import JointOptions, LoopOptions, ModelOptions

# Numbers of positions and of velocities of the joints of each type.
_SIZES = {
    JointType.FIXED: (0, 0),
    JointType.SPHERICAL: (4, 3),
    JointType.PLANAR: (3, 3),
    JointType.FLOATING: (7, 6),
    JointType.UNIVERSAL: (2, 2),
}


def pose(position: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> np.ndarray:
    """A pose, [x y z qx qy qz qw], of a position and of roll, pitch and yaw as in URDF: turns about the fixed axes x, y
    and z, in this order."""
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(a / 2), math.cos(a / 2)) for a in np.asarray(rpy, dtype=FLOAT))
    turn = [
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    ]
    return np.concatenate([np.asarray(position, dtype=FLOAT), turn])


def _pose(place: ArrayLike) -> np.ndarray:
    """A position alone is a pose that is not turned."""
    place = np.asarray(place, dtype=FLOAT)
    return pose(place) if place.shape == (3,) else place


def _names(texts: str | Iterable[str]):
    texts = [texts] if isinstance(texts, str) else list(texts)
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts)), len(texts)


class Builder(Handle):
    """A robot in the making: links first, then the joints between them, then what ties them into loops.

        arm = tenon.Builder("arm")
        arm.add_link("base")
        arm.add_link("boom", mass=2.0, center_of_mass=(0, 0, 0.5), inertia=(0.2, 0, 0, 0.2, 0, 0.01))
        arm.add_joint("swing", "base", "boom", axis=(0, 1, 0), origin=(0, 0, 1))
        robot = arm.finish(gravity=(0, 0, -9.81))

    Links are named, or meant by the index that add_link returns. Poses are [x y z qx qy qz qw] (tenon.pose makes one of
    roll, pitch and yaw), or a position alone. finish() checks the whole; the builder may go on to further models.
    """

    _destroy = "tenon_builder_destroy"
    _again = "make another by the same calls"

    def __init__(self, name: str):
        self._start(self._new(lib.tenon_builder_create, name.encode()))

    def _start(self, pointer: Any) -> None:
        super().__init__(pointer)
        self._types: dict[str, JointType] = {}
        self._kept: list[Any] = []  # callbacks, which live as long as the models

    @classmethod
    def _made(cls, function: Callable, *source, how: ModelOptions) -> Builder:
        result = cls.__new__(cls)
        result._start(cls._new(function, *source, options(_raw.tenon_model_options, how)))
        return result

    @classmethod
    def load(cls, path: str | os.PathLike, **how: Unpack[ModelOptions]) -> Builder:
        """Starts from a URDF file. Only ignore_loops and ignore_mimic matter here; other options go to finish."""
        return cls._made(lib.tenon_builder_load_urdf, os.fsencode(path), how=how)

    @classmethod
    def parse(cls, text: str | bytes, **how: Unpack[ModelOptions]) -> Builder:
        """Starts from URDF text; otherwise as load."""
        text = text.encode() if isinstance(text, str) else text
        return cls._made(lib.tenon_builder_parse_urdf, text, len(text), how=how)

    def link_index(self, link: str | int) -> int:
        """Index of the link of a name. A number is taken as it is."""
        if not isinstance(link, str):
            return int(link)
        index = ctypes.c_int32(-1)
        call(lib.tenon_builder_find_link, self._pointer, link.encode(), index)
        return index.value

    def add_link(
        self, name: str, mass: float = 0.0, center_of_mass: ArrayLike | None = None, inertia: ArrayLike | None = None
    ) -> int:
        """Adds a link; returns its index. inertia: about the centre of mass along link axes, kg m^2, as [ixx ixy ixz iyy
        iyz izz] or 3 x 3."""
        if inertia is not None and np.ndim(inertia) == 2:
            whole = np.asarray(inertia, dtype=FLOAT)
            if whole.shape != (3, 3) or not np.allclose(whole, whole.T, rtol=1e-9, atol=0):
                raise ValueError(f"the inertia of {name} is to be a symmetric matrix of 3 x 3, or 6 numbers")
            inertia = whole[np.triu_indices(3)]
        index = ctypes.c_int32(-1)
        call(lib.tenon_builder_add_link, self._pointer, name.encode(), mass, *given(center_of_mass), *given(inertia), index)
        return index.value

    def add_joint(self, name: str, parent: str | int, child: str | int, /, **how: Unpack[JointOptions]) -> None:
        """Hangs the link child on the link parent. Options: type="revolute", origin (pose of the joint in the parent), axis,
        axis2, pitch, lower, upper, velocity, effort, armature, damping, friction, dependent (types.JointOptions)."""
        links = {"parent_link": self.link_index(parent), "child_link": self.link_index(child)}
        if how.get("origin") is not None:
            how["origin"] = _pose(how["origin"])
        chosen = options(_raw.tenon_joint_options, {**how, **links})
        call(lib.tenon_builder_add_joint, self._pointer, name.encode(), chosen)
        self._types[name] = JointType(constant(JointType, how.get("type", JointType.REVOLUTE)))

    def add_frame(self, name: str, link: str | int, place: ArrayLike | None = None) -> None:
        """Adds a named frame fixed to a link, at a pose in it: addressed as a link in the model."""
        where = given(None if place is None else _pose(place))
        call(lib.tenon_builder_add_frame, self._pointer, name.encode(), self.link_index(link), *where)

    def add_loop(self, name: str, link: str | int, second_link: str | int, /, **how: Unpack[LoopOptions]) -> None:
        """Closes a loop by a joint between two links of the tree. Options: type="revolute", pose and second_pose of its ends
        in their links, axis, treatment (types.LoopOptions)."""
        for end in ("pose", "second_pose"):
            if how.get(end) is not None:
                how[end] = _pose(how[end])  # type: ignore[literal-required]
        links = {"link": self.link_index(link), "second_link": self.link_index(second_link)}
        chosen = options(_raw.tenon_loop_options, {"type": JointType.REVOLUTE, **how, **links})
        call(lib.tenon_builder_add_loop, self._pointer, name.encode(), chosen)

    def add_coupling(
        self,
        name: str,
        dependent: str | Iterable[str],
        independent: str | Iterable[str],
        ratios: ArrayLike,
        offsets: ArrayLike | None = None,
    ) -> None:
        """Couples positions of joints of one coordinate: q_dependent = ratios q_independent + offsets. ratios: dependent x
        independent."""
        tied, led = _names(dependent), _names(independent)
        ratios = np.ascontiguousarray(ratios, dtype=FLOAT).ravel()
        if ratios.size == tied[1] * led[1]:
            ratios = ratios.reshape(tied[1], led[1]).ravel(order="F")
        offsets = None if offsets is None else np.atleast_1d(offsets)
        what = *tied, *led, *given(ratios), tied[1], *given(offsets)
        call(lib.tenon_builder_add_coupling, self._pointer, name.encode(), *what)

    def add_gear(self, name: str, link: str | int, second_link: str | int, ratio: float, offset: float = 0.0) -> None:
        """Adds a gear or belt: with a and b the sums of the positions of the joints on the paths from the nearest common
        ancestor to the link and to the second link, b = ratio a + offset."""
        links = self.link_index(link), self.link_index(second_link)
        call(lib.tenon_builder_add_gear, self._pointer, name.encode(), *links, ratio, offset)

    def add_implicit(
        self,
        name: str,
        joints: Iterable[str],
        rows: int,
        function: Callable[[np.ndarray, np.ndarray], tuple[ArrayLike, ArrayLike, ArrayLike]],
        sizes: tuple[int, int] | None = None,
    ) -> None:
        """Adds a constraint phi(q) = 0 on some joints that only a function knows: function(q, v) returns phi (rows), K =
        d phi / dt by v (rows x velocities) and (dK/dt) v (rows), from the positions and velocities of these joints in
        their order. It is called in every computation, maybe by several threads; what it raises is raised by the
        computation, when that has ended. sizes: numbers of q and v; needed where joints that this builder was not told of (of a
        URDF it started from) have several coordinates."""
        joints = list(joints)
        if sizes is None:
            known = [_SIZES.get(self._types[j], (1, 1)) if j in self._types else (1, 1) for j in joints]
            sizes = sum(nq for nq, _ in known), sum(nv for _, nv in known)
        nq, nv = sizes

        def evaluate(_, _nq, _nv, _rows, q, v, phi, K, Kdot_v):
            at = ((phi, rows), (K, rows * nv), (Kdot_v, rows))
            outputs = [np.ctypeslib.as_array((ctypes.c_double * n).from_address(place)) for place, n in at]
            for output in outputs:
                output[:] = np.nan  # stays where the function raises: the computation fails
            state = [np.array((ctypes.c_double * n).from_address(place)) for place, n in ((q, nq), (v, nv))]
            first, second, third = function(*state)
            outputs[0][:] = np.ravel(first)
            outputs[1][:] = np.reshape(second, (rows, nv)).ravel(order="F")
            outputs[2][:] = np.ravel(third)
            return Status.OK

        callback = _raw.tenon_implicit_callback(guarded(evaluate, Status.NOT_FINITE))
        none = _raw.tenon_release_callback()
        self._kept.append(callback)
        call(lib.tenon_builder_add_implicit, self._pointer, name.encode(), *_names(joints), rows, callback, None, none)

    def finish(self, **how: Unpack[ModelOptions]) -> Model:
        """Checks what was added and makes a model of it. Options as of Model.load."""
        model = Model._made(lib.tenon_builder_finish, self._pointer, how=how)
        model._kept = tuple(self._kept)
        return model

    def __repr__(self) -> str:
        return f"<Builder of {len(self._types)} joints>"
