"""Constraint sets: what is held on the links of one model."""

from __future__ import annotations

from collections.abc import Iterable

from . import _raw
from ._core import call, check, handed, lib, prepared, record
from ._methods import ConstraintsCalls
from .model import Model
from .types import ConstraintInfo

WORLD = _raw.TENON_WORLD


class Constraints(ConstraintsCalls):
    """Points, welds, rows and closures on links of a model: filled, then finished, by finish() or by the first workspace
    or batch made with it; immutable from then on. Every add_... returns the index of the constraint. Options of each:
    rows="linear", axes="world", frequency, damping_ratio, weights, compliance, name (types.ConstraintOptions).

    welds: links to hold from the start."""

    _destroy = "tenon_constraints_destroy"
    _again = "workspaces and batches of the same model share it"

    def __init__(self, model: Model, welds: Iterable[str | int] = ()):
        super().__init__(self._new(lib.tenon_constraints_create, handed(model)))
        self.model = model
        self.finished = False
        for link in welds:
            self.add_weld(link)

    def __repr__(self) -> str:
        rows = f", {self.row_count} rows" if self.finished else ", not finished"
        return f"<Constraints on {self.model.name}: {len(self)}{rows}>"

    def __len__(self) -> int:
        return max(0, lib.tenon_constraints_constraint_count(self._pointer))

    def __getitem__(self, constraint: str | int) -> ConstraintInfo:
        """What is known of a constraint of a finished set, by index or name."""
        self.finish()
        index = self.index(constraint)
        if self._pointer and not -len(self) <= index < len(self):
            raise IndexError(f"no constraint number {index}; there are {len(self)}")
        info = prepared(_raw.tenon_constraint_info)
        place = index + len(self) if index < 0 else index
        check(lib.tenon_constraints_constraint_info(self._pointer, place, info), f"constraint {constraint}")
        return record(info)

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
