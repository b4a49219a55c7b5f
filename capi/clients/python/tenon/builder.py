"""Builders: robots from calls, where there is no URDF, or to add what URDF has no words for."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._core import FLOAT, call, constant, guarded, lib, names, options
from ._methods import BuilderCalls
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


def _pose(place: ArrayLike | None) -> ArrayLike | None:
    """A position alone is a pose that is not turned."""
    return pose(place) if place is not None and np.shape(place) == (3,) else place


class Builder(BuilderCalls):
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
    def _made(cls, function, *arguments) -> Builder:
        result = cls.__new__(cls)
        result._start(cls._new(function, *arguments))
        return result

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
        return super().add_link(name, mass, center_of_mass, inertia)

    def add_joint(self, name: str, parent: str | int, child: str | int, /, **how: Unpack[JointOptions]) -> None:  # type: ignore[override]
        """Hangs the link child on the link parent. Options: type="revolute", origin (pose of the joint in the parent), axis,
        axis2, pitch, lower, upper, velocity, effort, armature, damping, friction, dependent (types.JointOptions)."""
        how = {**how, "parent_link": self.link_index(parent), "child_link": self.link_index(child)}
        super().add_joint(name, **{**how, "origin": _pose(how.get("origin"))})  # type: ignore[typeddict-item]
        self._types[name] = JointType(constant(JointType, how.get("type", JointType.REVOLUTE)))

    def add_frame(self, name: str, link: str | int, pose: ArrayLike | None = None) -> None:
        """Adds a named frame fixed to a link, at a pose in it: addressed as a link in the model."""
        super().add_frame(name, link, _pose(pose))

    def add_loop(self, name: str, link: str | int, second_link: str | int, /, **how: Unpack[LoopOptions]) -> None:  # type: ignore[override]
        """Closes a loop by a joint between two links of the tree. Options: type="revolute", pose and second_pose of its ends
        in their links, axis, treatment (types.LoopOptions)."""
        ends = {end: _pose(how.get(end)) for end in ("pose", "second_pose")}
        links = {"link": self.link_index(link), "second_link": self.link_index(second_link)}
        super().add_loop(name, **{"type": JointType.REVOLUTE, **how, **ends, **links})  # type: ignore[typeddict-item]

    def add_coupling(
        self,
        name: str,
        dependent: str | Iterable[str],
        independent: str | Iterable[str],
        ratios: ArrayLike,
        offsets: ArrayLike | None = None,
    ) -> None:
        """Couples positions of joints of one coordinate: q_dependent = ratios q_independent + offsets. ratios: dependent x
        independent, or these numbers row by row."""
        dependent, independent = ([names] if isinstance(names, str) else list(names) for names in (dependent, independent))
        if np.ndim(ratios) < 2 and np.size(ratios) == len(dependent) * len(independent):
            ratios = np.reshape(ratios, (len(dependent), len(independent)))
        super().add_coupling(name, dependent, independent, ratios, None if offsets is None else np.atleast_1d(offsets))

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
        self._kept.append(callback)
        made = *names(joints), rows, callback, None, _raw.tenon_release_callback()
        call(lib.tenon_builder_add_implicit, self._pointer, name.encode(), *made)

    def finish(self, **how: Unpack[ModelOptions]) -> Model:
        """Checks what was added and makes a model of it. Options as of Model.load."""
        model = Model._made(lib.tenon_builder_finish, self._pointer, options(_raw.tenon_model_options, how))
        model._kept = tuple(self._kept)
        return model

    def __repr__(self) -> str:
        return f"<Builder of {len(self._types)} joints>"
