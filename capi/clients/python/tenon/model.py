"""Models: robots, immutable."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _raw
from ._core import Handle, call, check, constant, lib, options, prepared, record, text
from .types import ClusterInfo, Convention, JointInfo, LinkInfo, LoopInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import ModelOptions


class Model(Handle):
    """A robot. Made by Model.load, Model.parse or a Builder; immutable, and any number of threads may read it.

    name: of the robot. nq, nv: numbers of positions and velocities of all joints; nyq, ny: of those that are
    independent where loops are closed. link_count: links with extra frames; joint_count: moving joints; body_count;
    depth: bodies on the longest path; floating_base; total_mass: kg; root_link:
    the index of the link without parent.
    """

    _destroy = "tenon_model_destroy"
    _again = "threads share it, and other processes load it again"

    def __init__(self, pointer: Any):
        super().__init__(pointer)
        self._kept: tuple[Any, ...] = ()  # callbacks of the builder that it calls
        self.name: str = text(lib.tenon_model_name(pointer))
        self.nq: int = lib.tenon_model_nq(pointer)
        self.nv: int = lib.tenon_model_nv(pointer)
        self.nyq: int = lib.tenon_model_nyq(pointer)
        self.ny: int = lib.tenon_model_ny(pointer)
        self.link_count: int = lib.tenon_model_link_count(pointer)
        self.joint_count: int = lib.tenon_model_joint_count(pointer)
        self.body_count: int = lib.tenon_model_body_count(pointer)
        self.cluster_count: int = lib.tenon_model_cluster_count(pointer)
        self.loop_count: int = lib.tenon_model_loop_count(pointer)
        self.loop_row_count: int = lib.tenon_model_loop_row_count(pointer)
        self.depth: int = lib.tenon_model_depth(pointer)
        self.floating_base: bool = bool(lib.tenon_model_floating_base(pointer))
        self.total_mass: float = lib.tenon_model_total_mass(pointer)
        self.root_link: int = lib.tenon_model_root_link(pointer)

    @classmethod
    def load(cls, path: str | os.PathLike, **how: Unpack[ModelOptions]) -> Model:
        """A model from a URDF file. Options: base="floating", gravity=(0, 0, -9.81), loop_treatment="rows", ...
        (types.ModelOptions); log_callback(level, text) hears what is noticed."""
        return cls._made(lib.tenon_model_load_urdf, os.fsencode(path), how=how)

    @classmethod
    def parse(cls, text: str | bytes, **how: Unpack[ModelOptions]) -> Model:
        """A model from URDF text; otherwise as load."""
        text = text.encode() if isinstance(text, str) else text
        return cls._made(lib.tenon_model_parse_urdf, text, len(text), how=how)

    @classmethod
    def _made(cls, function: Callable, *source, how: Mapping[str, Any]) -> Model:
        return cls(cls._new(function, *source, options(_raw.tenon_model_options, how)))

    @property
    def gravity(self) -> np.ndarray:
        """3, m/s^2, world axes."""
        result = np.empty(3)
        check(lib.tenon_model_gravity(self._pointer, result.ctypes.data, 3), "gravity")
        return result

    def __repr__(self) -> str:
        base = "floating" if self.floating_base else "fixed"
        return f"<Model {self.name}: {self.joint_count} joints, nq {self.nq}, nv {self.nv}, {base} base>"

    def __str__(self) -> str:
        return self.describe()

    # ---- links and joints

    def link_index(self, link: str | int) -> int:
        """Index of the link, or extra frame, of a name. A number is taken as it is."""
        return self._index(lib.tenon_model_find_link, link)

    def joint_index(self, joint: str | int) -> int:
        """Index of the moving joint of a name. A number is taken as it is."""
        return self._index(lib.tenon_model_find_joint, joint)

    def _index(self, find: Callable, name: str | int) -> int:
        if not isinstance(name, str):
            return int(name)
        index = ctypes.c_int32(-1)
        call(find, self._pointer, name.encode(), index)
        return index.value

    def _info(self, struct, function: Callable, index: int):
        info = prepared(struct)
        check(function(self._pointer, index, info), f"{self.name}: no number {index}")
        return record(info)

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links, those behind fixed joints and extra frames included."""
        return tuple(text(lib.tenon_model_link_name(self._pointer, i)) for i in range(self.link_count))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the moving joints, depth first."""
        return tuple(text(lib.tenon_model_joint_name(self._pointer, i)) for i in range(self.joint_count))

    def link(self, link: str | int) -> LinkInfo:
        """What is known of a link."""
        return self._info(_raw.tenon_link_info, lib.tenon_model_link_info, self.link_index(link))

    def joint(self, joint: str | int) -> JointInfo:
        """What is known of a joint: kind, places in q and v, axis, limits."""
        return self._info(_raw.tenon_joint_info, lib.tenon_model_joint_info, self.joint_index(joint))

    @property
    def lower(self) -> np.ndarray:
        """Lower limits of joints of one position, one for each joint; infinite where there is none."""
        return np.array([self.joint(i).lower for i in range(self.joint_count)])

    @property
    def upper(self) -> np.ndarray:
        """Upper limits likewise."""
        return np.array([self.joint(i).upper for i in range(self.joint_count)])

    # ---- loops

    def cluster(self, index: int) -> ClusterInfo:
        """A set of joints that loops tie together."""
        return self._info(_raw.tenon_cluster_info, lib.tenon_model_cluster_info, index)

    def loop(self, index: int) -> LoopInfo:
        """A loop, a coupling, a gear or an implicit constraint."""
        return self._info(_raw.tenon_loop_info, lib.tenon_model_loop_info, index)

    @property
    def independent(self) -> np.ndarray:
        """Where the independent velocities stand in v."""
        return self._indices(lib.tenon_model_independent_v, self.ny)

    @property
    def independent_q(self) -> np.ndarray:
        """Where the independent positions stand in q."""
        return self._indices(lib.tenon_model_independent_q, self.nyq)

    def _indices(self, function: Callable, count: int) -> np.ndarray:
        result = np.empty(count, dtype=np.int32)
        check(function(self._pointer, result.ctypes.data, count), "independent coordinates")
        return result

    # ---- texts

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader noticed and passed over."""
        count = lib.tenon_model_warning_count(self._pointer)
        return tuple(text(lib.tenon_model_warning(self._pointer, i)) for i in range(count))

    def describe(self) -> str:
        """The tree as indented text."""
        needed = ctypes.c_size_t()
        check(lib.tenon_model_describe(self._pointer, None, 0, needed), "describe")
        words = ctypes.create_string_buffer(needed.value)
        check(lib.tenon_model_describe(self._pointer, words, needed.value, None), "describe")
        return text(words.value)

    def convention_nq(self, convention: Convention | str) -> int:
        """Numbers of a configuration in Pinocchio, MuJoCo or Drake."""
        return lib.tenon_convention_nq(self._pointer, constant(Convention, convention))
