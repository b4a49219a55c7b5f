"""Constraint sets: what is held on the links of one model."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from . import _raw
from ._core import Handle, call, check, given, given_matrix, lib, options, prepared, record
from .model import Model
from .types import ConstraintInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import ConstraintOptions

WORLD = _raw.TENON_WORLD


class Constraints(Handle):
    """Points, welds, rows and closures on links of a model: filled, then finished, by finish() or by the first workspace
    or batch made with it; immutable from then on. Every add_... returns the index of the constraint. Options of each:
    rows="linear", axes="world", frequency, damping_ratio, weights, compliance, name (types.ConstraintOptions).

    welds: links to hold from the start."""

    _destroy = "tenon_constraints_destroy"
    _again = "workspaces and batches of the same model share it"

    def __init__(self, model: Model, welds: Iterable[str | int] = ()):
        super().__init__(self._new(lib.tenon_constraints_create, model._pointer))
        self.model = model
        self.finished = False
        for link in welds:
            self.add_weld(link)

    def __repr__(self) -> str:
        rows = f", {self.row_count} rows" if self.finished else ", not finished"
        return f"<Constraints on {self.model.name}: {len(self)}{rows}>"

    def __len__(self) -> int:
        return lib.tenon_constraints_constraint_count(self._pointer)

    def __getitem__(self, constraint: str | int) -> ConstraintInfo:
        """What is known of a constraint of a finished set, by index or name."""
        self.finish()
        index = self.index(constraint)
        if not -len(self) <= index < len(self):
            raise IndexError(f"no constraint number {index}; there are {len(self)}")
        info = prepared(_raw.tenon_constraint_info)
        check(lib.tenon_constraints_constraint_info(self._pointer, index % len(self), info), f"constraint {constraint}")
        return record(info)

    def index(self, constraint: str | int) -> int:
        """Index of the constraint of a name. A number is taken as it is."""
        if not isinstance(constraint, str):
            return int(constraint)
        index = ctypes.c_int32(-1)
        call(lib.tenon_constraints_find_constraint, self._pointer, constraint.encode(), index)
        return index.value

    @property
    def row_count(self) -> int:
        """Rows, those of the model's loops by rows included: the length of lambda."""
        self.finish()
        return lib.tenon_constraints_row_count(self._pointer)

    def finish(self) -> Constraints:
        """Checks the set and makes it immutable. Does nothing the second time."""
        if not self.finished:
            call(lib.tenon_constraints_finish, self._pointer)
            self.finished = True
        return self

    def _add(self, function, *what, how: Mapping[str, Any]) -> int:
        index = ctypes.c_int32(-1)
        call(function, self._pointer, *what, options(_raw.tenon_constraint_options, how), index)
        return index.value

    def add_point(self, link: str | int, point: ArrayLike | None = None, **how: Unpack[ConstraintOptions]) -> int:
        """Holds a point of a link, 3 m in the link's frame; its origin without. Rows: linear."""
        return self._add(lib.tenon_constraints_add_point, self.model.link_index(link), *given(point), how=how)

    def add_weld(self, link: str | int, pose: ArrayLike | None = None, **how: Unpack[ConstraintOptions]) -> int:
        """Holds a frame of a link, 7 in the link; the link's without. rows= picks some of the six."""
        return self._add(lib.tenon_constraints_add_weld, self.model.link_index(link), *given(pose), how=how)

    def add_rows(self, link: str | int, K: ArrayLike, **how: Unpack[ConstraintOptions]) -> int:
        """Holds K a = k with a the spatial acceleration of the link in its frame; K has 6 columns."""
        K = given_matrix(K)
        rows, columns = K.shape
        if columns != 6:
            raise ValueError(f"K has {columns} columns, 6 are needed: [angular; linear]")
        what = self.model.link_index(link), rows, K.ctypes.data, K.size, max(rows, 1)
        return self._add(lib.tenon_constraints_add_rows, *what, how=how)

    def add_closure(
        self,
        link: str | int,
        second_link: str | int = WORLD,
        pose: ArrayLike | None = None,
        second_pose: ArrayLike | None = None,
        **how: Unpack[ConstraintOptions],
    ) -> int:
        """Keeps a frame of one link together with a frame of a second link, or of the world. rows="linear" makes a ball
        joint of it, "hinge" a hinge about z, "all" a weld."""
        first, second = self.model.link_index(link), self.model.link_index(second_link)
        function = lib.tenon_constraints_add_closure
        return self._add(function, first, *given(pose), second, *given(second_pose), how=how)
