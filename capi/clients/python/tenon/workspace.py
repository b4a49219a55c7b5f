"""Workspaces: the memory of computations on one state at a time."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._calls import calls
from ._constrained import Constrained
from ._core import constant, lib, options, prepared, record, vector
from ._kinematics import Kinematics
from ._loops import Loops
from .constraints import Constraints
from .model import Model
from .types import ConstraintSettings, Coordinates, InstructionSet, SolveReport, Status

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import ProjectionOptions, WorkspaceOptions


class Workspace(Kinematics, Constrained, Loops):
    """All memory of computations on a model and a constraint set, or none. One thread at a time: a call while another
    one runs raises RuntimeError.

    Inputs are anything that numpy makes an array of; contiguous float64 is taken without a copy. Results are new arrays,
    or `out`, where it is given. A call that fails raises Error; one that writes its answer with a caveat (contradictory
    rows, for instance) leaves that in `status`.

    model, constraints: what it was made for. nq, nv: numbers of positions and velocities that computations take, which
    set_coordinates changes. m: constraint rows.
    """

    _destroy = "tenon_workspace_destroy"
    _again = "make another of its model and constraints"

    def __init__(self, model: Model, constraints: Constraints | None = None, **how: Unpack[WorkspaceOptions]):
        if constraints is not None:
            constraints.finish()
        rows = None if constraints is None else constraints._pointer
        chosen = options(_raw.tenon_workspace_options, how)
        super().__init__(self._new(lib.tenon_workspace_create, model._pointer, rows, chosen))
        self.model, self.constraints = model, constraints
        self._count()

    def _count(self) -> None:
        self.nq: int = lib.tenon_workspace_position_count(self._pointer)
        self.nv: int = lib.tenon_workspace_velocity_count(self._pointer)
        self.m: int = lib.tenon_workspace_row_count(self._pointer)

    def __repr__(self) -> str:
        return f"<Workspace of {self.model.name}: nq {self.nq}, nv {self.nv}, {self.m} rows, {self.size_bytes} bytes>"

    @property
    def status(self) -> Status:
        """Of the last computation: OK, or which caveat its answer has."""
        return Status(self._status)

    @property
    def size_bytes(self) -> int:
        """All memory that it holds at present."""
        return lib.tenon_workspace_size_bytes(self._pointer)

    @property
    def instruction_set(self) -> InstructionSet:
        """The instruction set whose kernels it runs."""
        return InstructionSet(lib.tenon_workspace_instruction_set(self._pointer))

    @property
    def report(self) -> SolveReport:
        """How the last constrained solve went."""
        report = prepared(_raw.tenon_solve_report)
        self._done(calls.tenon_workspace_report(self._address, report))
        return record(report)

    def _rows(self, constraint: str | int) -> int:
        if isinstance(constraint, str):
            if self.constraints is None:
                raise ValueError(f"there is no constraint '{constraint}': this workspace has no constraint set")
            return self.constraints.index(constraint)
        return int(constraint)

    # ---- gravity, anchors and settings of rows

    @property
    def gravity(self) -> np.ndarray:
        """3, m/s^2, world axes; can be set."""
        result = np.empty(3)
        self._done(calls.tenon_workspace_gravity(self._address, result))
        return result

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._done(calls.tenon_workspace_set_gravity(self._address, value))

    def clone(self) -> Workspace:
        """Another one with all that setters said."""
        other = type(self).__new__(type(self))
        super(Workspace, other).__init__(self._new(lib.tenon_workspace_clone, self._pointer))
        other.model, other.constraints = self.model, self.constraints
        other._count()
        return other

    def set_payload(
        self, link: str | int, mass: float, center_of_mass: ArrayLike | None = None, inertia: ArrayLike | None = None
    ) -> None:
        """What a link holds besides its own mass; 0: nothing. inertia: 6, about the centre of mass."""
        self._done(calls.tenon_workspace_set_payload(self._address, self.model.link_index(link), mass, center_of_mass, inertia))

    def payload(self, link: str | int) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre of mass and inertia that were set."""
        return self._body(calls.tenon_workspace_payload, link)

    def set_inertia(
        self, link: str | int, mass: float, center_of_mass: ArrayLike | None = None, inertia: ArrayLike | None = None
    ) -> None:
        """Mass and inertia of a link in place of the model's."""
        self._done(calls.tenon_workspace_set_inertia(self._address, self.model.link_index(link), mass, center_of_mass, inertia))

    def inertia(self, link: str | int) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre of mass and inertia that were set, or the model's."""
        return self._body(calls.tenon_workspace_inertia, link)

    def _body(self, ask, link: str | int) -> tuple[float, np.ndarray, np.ndarray]:
        mass, center_of_mass, inertia = ctypes.c_double(), np.empty(3), np.empty(6)
        self._done(ask(self._address, self.model.link_index(link), mass, center_of_mass, inertia))
        return mass.value, center_of_mass, inertia

    def set_joint_parameters(
        self,
        armatures: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        friction: ArrayLike | None = None,
    ) -> None:
        """Of all velocity coordinates; None: as before."""
        self._done(calls.tenon_workspace_set_joint_parameters(self._address, armatures, damping, friction))

    def joint_parameters(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Armatures, damping and dry friction."""
        armatures, damping, friction = (np.empty(self.model.nv) for _ in range(3))
        self._done(calls.tenon_workspace_joint_parameters(self._address, armatures, damping, friction))
        return armatures, damping, friction

    def set_constraints(
        self,
        active: ArrayLike | None = None,
        frequencies: ArrayLike | None = None,
        damping_ratios: ArrayLike | None = None,
        anchors: ArrayLike | None = None,
        frames: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        compliance: ArrayLike | None = None,
    ) -> None:
        """Settings of all constraints; None: as before."""
        self._done(
            calls.tenon_workspace_set_constraints(
                self._address, active, frequencies, damping_ratios, anchors, frames, weights, compliance
            )
        )

    def all_settings(self) -> dict[str, np.ndarray]:
        """Those of all constraints, by the names that set_constraints has for them."""
        count = 0 if self.constraints is None else lib.tenon_constraints_constraint_count(self.constraints._pointer)
        active, kinds = np.empty(count, np.int32), ("frequencies", "damping_ratios", "anchors", "frames")
        sizes = (count, count, 7 * count, 7 * count, self.m, self.m)
        numbers = {name: np.empty(size) for name, size in zip((*kinds, "weights", "compliance"), sizes)}
        passed: list[int] = []
        for array in (active, *numbers.values()):
            passed += [array.ctypes.data, array.size]
        self._done(lib.tenon_workspace_constraints(self._pointer, *passed))
        return {"active": active, **numbers}

    def set_anchor(self, constraint: str | int, pose: ArrayLike) -> None:
        """The world pose at which the stabilisation of a constraint holds its frame."""
        self._done(calls.tenon_workspace_set_anchor(self._address, self._rows(constraint), pose))

    def anchor(self, constraint: str | int) -> np.ndarray:
        """What was set."""
        result = np.empty(7)
        self._done(calls.tenon_workspace_anchor(self._address, self._rows(constraint), result))
        return result

    def set_frame(self, constraint: str | int, pose: ArrayLike) -> None:
        """Moves the frame of a constraint to this pose in its link; its anchor stays."""
        self._done(calls.tenon_workspace_set_frame(self._address, self._rows(constraint), pose))

    def frame(self, constraint: str | int) -> np.ndarray:
        """Where it is."""
        result = np.empty(7)
        self._done(calls.tenon_workspace_frame(self._address, self._rows(constraint), result))
        return result

    def anchor_here(self, q: ArrayLike) -> None:
        """Anchors of all constraints := the poses of their frames at q, so that they hold where they are."""
        self._done(calls.tenon_anchor_here(self._address, q))

    def set_active(self, constraint: str | int, active: bool = True) -> None:
        """Switches a constraint off or on again, without allocation."""
        self._done(calls.tenon_workspace_set_active(self._address, self._rows(constraint), int(active)))

    def set_gains(self, constraint: str | int, frequency: float, damping_ratio: float = 1.0) -> None:
        """Gains of the stabilisation of a constraint, rad/s."""
        self._done(calls.tenon_workspace_set_gains(self._address, self._rows(constraint), frequency, damping_ratio))

    def set_weights(self, constraint: str | int, weights: ArrayLike | None) -> None:
        """Weights of the rows of a constraint; None: all 1."""
        self._done(calls.tenon_workspace_set_weights(self._address, self._rows(constraint), weights))

    def set_compliance(self, constraint: str | int, compliance: ArrayLike | None) -> None:
        """Compliance of the rows of a constraint; None: rigid."""
        self._done(calls.tenon_workspace_set_compliance(self._address, self._rows(constraint), compliance))

    def settings(self, constraint: str | int) -> ConstraintSettings:
        """Whether a constraint is active, and its gains."""
        settings = prepared(_raw.tenon_constraint_settings)
        rows = self._rows(constraint)
        self._done(calls.tenon_workspace_constraint_settings(self._address, rows, settings, None, None))
        return record(settings)

    # ---- positions and velocities

    @property
    def coordinates(self) -> tuple[Coordinates, Coordinates]:
        """Those of positions and of velocities, spanning or independent."""
        positions, velocities = ctypes.c_int32(), ctypes.c_int32()
        self._done(calls.tenon_workspace_coordinates(self._address, positions, velocities))
        return Coordinates(positions.value), Coordinates(velocities.value)

    def set_coordinates(self, positions: Coordinates | str, velocities: Coordinates | str) -> None:
        """In which coordinates computations take and return states; "spanning" at first. Changes nq and nv."""
        kinds = constant(Coordinates, positions), constant(Coordinates, velocities)
        self._done(calls.tenon_workspace_set_coordinates(self._address, *kinds))
        self._count()

    def zeros(self) -> np.ndarray:
        """A velocity, acceleration or force of zeros."""
        return np.zeros(self.nv)

    def neutral(self, out: np.ndarray | None = None) -> np.ndarray:
        """The configuration of zeros and unit quaternions."""
        out = vector(out, self.nq)
        self._done(calls.tenon_neutral(self._address, out))
        return out

    def random(self, seed: int = 1, out: np.ndarray | None = None) -> np.ndarray:
        """A random configuration within the limits, the same for the same seed everywhere."""
        out = vector(out, self.nq)
        self._done(calls.tenon_random(self._address, seed, out))
        return out

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0, out: np.ndarray | None = None) -> np.ndarray:
        """q moved by dt * v."""
        out = vector(out, self.nq)
        self._done(calls.tenon_integrate(self._address, q, v, dt, out))
        return out

    def difference(self, start: ArrayLike, end: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """The velocity that leads from one configuration to another in unit time."""
        out = vector(out, self.nv)
        self._done(calls.tenon_difference(self._address, start, end, out))
        return out

    def normalize(self, q: np.ndarray) -> np.ndarray:
        """Scales the quaternions of q to unit norm, in place."""
        self._done(calls.tenon_normalize(self._address, q))
        return q

    def project_positions(self, q: np.ndarray, **how: Unpack[ProjectionOptions]) -> Status:
        """Moves q, in place, until closures are closed and stabilised constraints are at their anchors."""
        chosen = options(_raw.tenon_projection_options, how)
        return Status(self._done(calls.tenon_project_positions(self._address, chosen, q)))

    def project_velocities(self, q: ArrayLike, v: np.ndarray) -> Status:
        """v, in place, := the nearest velocity of which no row sees anything."""
        return Status(self._done(calls.tenon_project_velocities(self._address, q, v)))
