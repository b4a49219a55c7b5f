"""Python: what each function is in the package. Where the package has another name or order, a table here says so; what is
more than a table is by hand, in the classes themselves, or in python_members.py."""

import re
from dataclasses import dataclass, field

from . import layers, meanings

NAMES = {
    "tenon_model_load_urdf": "load",
    "tenon_model_parse_urdf": "parse",
    "tenon_builder_load_urdf": "load",
    "tenon_builder_parse_urdf": "parse",
    "tenon_model_link_info": "link",
    "tenon_model_joint_info": "joint",
    "tenon_model_cluster_info": "cluster",
    "tenon_model_loop_info": "loop",
    "tenon_model_independent_v": "independent",
    "tenon_independent_position": "independent_positions",
    "tenon_spanning_position": "spanning_positions",
    "tenon_point_jacobian": "jacobian",
}
# By hand: where what a function does is not one call of it with its arguments.
BY_HAND = {
    "tenon_builder_create": "__init__",
    "tenon_builder_add_implicit": "add_implicit",
    "tenon_builder_finish": "finish",
    "tenon_constraints_create": "__init__",
    "tenon_constraints_finish": "finish",
    "tenon_constraints_constraint_count": "__len__",
    "tenon_constraints_row_count": "row_count",
    "tenon_constraints_constraint_info": "__getitem__",
    "tenon_workspace_create": "__init__",
    "tenon_workspace_clone": "clone",
    "tenon_workspace_constraints": "all_settings",
    "tenon_workspace_position_count": "nq",
    "tenon_workspace_velocity_count": "nv",
    "tenon_workspace_row_count": "m",
    "tenon_batch_create": "__init__",
    "tenon_batch_anchors": "anchors",
    "tenon_batch_clone": "clone",
    "tenon_batch_robots": "robots",
    "tenon_batch_constraints": "all_settings",
    "tenon_batch_coordinates": "coordinates",
    "tenon_batch_guess": "guess",
    "tenon_batch_report": "report",
    "tenon_batch_set_coordinates": "set_coordinates",
    "tenon_batch_kinematics": "kinematics",
    "tenon_batch_delassus_inverse_times": "delassus_inverse_times",
    "tenon_batch_rollout": "rollout",
}
PROPERTIES = {
    *("tenon_model_independent_v", "tenon_model_independent_q", "tenon_workspace_gravity", "tenon_workspace_report"),
    *("tenon_workspace_coordinates", "tenon_workspace_size_bytes", "tenon_workspace_instruction_set"),
    *("tenon_batch_size_bytes", "tenon_batch_width", "tenon_batch_instruction_set", "tenon_workspace_message"),
    *("tenon_batch_message", "tenon_model_gravity"),
}
READ = {"tenon_batch_coordinates"}  # properties of python_members.py
# A method for each output, all others left out.
APART = {
    "tenon_link_pose": {"pose": "link_pose", "rotation": "link_rotation"},
    "tenon_center_of_mass": {
        "position": "center_of_mass",
        "velocity": "center_of_mass_velocity",
        "J": "center_of_mass_jacobian",
    },
}
TUPLES = {"tenon_constraint_rows": "ConstraintRows", "tenon_operational_space": "OperationalSpace", "tenon_batch_kinematics": "Poses"}
WORDS = {"lambda": "force", "from": "start", "to": "end", "row_velocity": "velocity", "row_count": None, "columns": None}
TEXTS = {"in": ("configuration", "velocity", "acceleration", "force")}
DEFAULTS = {
    ("tenon_integrate", "dt"): "1.0",
    ("tenon_random", "seed"): "1",
    ("tenon_joint_torque_regressor", "zeros"): "1",
    ("tenon_find_assemblies", "capacity"): "20",
    ("tenon_workspace_set_gains", "damping_ratio"): "1.0",
    ("tenon_batch_set_gains", "damping_ratios"): "1.0",
    ("tenon_workspace_set_active", "active"): "True",
    ("tenon_builder_add_link", "mass"): "0.0",
    ("tenon_builder_add_gear", "offset"): "0.0",
    ("tenon_constraints_add_closure", "second_link"): "_raw.TENON_WORLD",
}
PARAMETERS = "tenon_batch_parameters"
LAST = {"tenon_constrained_inverse_dynamics": "wrenches"}  # of the inputs
CONSTANTS = {**meanings.CONSTANTS, "instruction_set": "instruction_set"}
TYPES = {"double": "float", "int32_t": "int", "uint64_t": "int", "size_t": "int", "tenon_status": "int"}
SIZES = {
    "nq": "self.nq", "nv": "self.nv", "m": "self.m", "nyq": "self.model.nyq", "ny": "self.model.ny",
    "links": "self.model.link_count", "parameters": "10 * self.model.link_count", "loop rows": "self.model.loop_row_count", "capacity": "capacity",
    "rows of it": "self._row_count(constraint)", "constraints": "self._constraint_count", "triangle": "self.nv * (self.nv + 1) // 2",
}  # fmt: skip
HEAD = '''"""What every function of tenon.h and tenonx.h is in Python; the classes of the package are made of these.

What is written is new, or goes into the array that is given for it (out=...); False: not wanted, and None in its place."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _raw
from ._calls import calls
from ._core import (
    Computing, Handle, call, check, constant, given, given_matrix, handed, lib, matrix, names, options, prepared,
    record, source, text, wanted, whole_text,
)  # fmt: skip
from .types import (
%s
)  # fmt: skip

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .batch import Batch
    from .builder import Builder
    from .constraints import Constraints
    from .model import Model
    from .types import (
    %s
    )  # fmt: skip
    from .workspace import Workspace

'''
FREE = '''"""What belongs to no object: names of constants, methods for loops, algorithms that can be recorded."""

from __future__ import annotations

import ctypes

from ._core import check, lib, text

'''
CLASSES = {
    "tenon_model": ("ModelCalls(Handle)", "A model's."),
    "tenon_builder": ("BuilderCalls(Handle)", "A builder's."),
    "tenon_constraints": ("ConstraintsCalls(Handle)", "A constraint set's."),
    "tenon_workspace": ("WorkspaceCalls(Computing)", "A workspace's."),
    "tenon_batch": ("BatchCalls(Handle)", "A batch's: arrays have a state in each row."),
}


ORDER = {"tenon_constraints_add_closure": ("second_link", "pose", "second_pose")}  # of what may be left out


def wrapped(line):
    """A line of code, broken behind commas where it is too long."""
    if len(line) <= 120 or ", " not in line:
        return line
    indent, rows = " " * (len(line) - len(line.lstrip()) + 4), [""]
    for part in re.split(r"(?<=,) ", line):
        if len(rows[-1]) + len(part) > 119:
            rows.append(indent + part)
        else:
            rows[-1] += (" " if rows[-1] else "") + part
    return "\n".join(rows)


@dataclass
class Plan:
    """How a function is called in Python."""

    method: layers.Method
    name: str
    kind: str  # method, property, attribute, classmethod, free, hand
    inputs: list = field(default_factory=list)  # (name, argument)
    optional: list = field(default_factory=list)  # likewise
    chosen: object = None  # the argument of options
    outs: list = field(default_factory=list)  # (name, argument), written
    in_place: list = field(default_factory=list)  # names
    aside: list = field(default_factory=list)  # arguments that are left out

    @property
    def function(self):
        return self.method.function["name"]

    @property
    def tuple(self):
        return TUPLES.get(self.function)

    @property
    def by_name(self):
        """Options by name, not as a struct that was prepared."""
        return self.chosen is not None and self.chosen.base != "tenon_solve_options"


def word(method, a):
    name = a.c["name"]
    if name in ("in", "out"):
        return next(w for w in TEXTS["in"] if w in method.name) if name == "in" else "out"
    return WORDS.get(name, name)


def plans(api):
    for m in layers.methods(api):
        f = m.function["name"]
        if m.kind in ("init", "destructor"):
            continue
        if f in BY_HAND:
            hand = Plan(m, BY_HAND[f], "hand")
            hand.inputs = [(word(m, a), a) for a in m.arguments if a.role == "in" and a.c["name"] != "states"]
            hand.outs = [(word(m, a), a) for a in m.arguments if a.role != "in" and a.kind != "new_object"]
            hand.outs = [pair for pair in hand.outs if pair[0] not in ("status", "iterations")]
            yield hand
            continue
        if f in APART:
            for output, name in APART[f].items():
                yield plan(api, m, name, [a for a in m.arguments if a.role != "in" and a.c["name"] != output])
            continue
        yield plan(api, m, NAMES.get(f, m.name), [])


def plan(api, m, name, aside):
    f = m.function["name"]
    kind = "free" if m.owner is None else "classmethod" if m.kind == "constructor" else "method"
    if f in PROPERTIES:
        kind = "property"
    elif m.owner == "tenon_model" and not m.arguments and not m.status:
        kind = "attribute"
    # What is added to is a result all the same.
    accumulates = any(a.base == "tenon_derivative_options" for a in m.arguments)
    result, told = Plan(m, name, kind, aside=aside), {s["name"] for s in layers.records(api)}
    for a in m.arguments:
        given = word(m, a)
        if a in aside or given is None or a.kind == "new_object":
            continue
        if a.kind == "struct" and a.base not in told:
            result.chosen = a
        elif a.kind == "batch_array" and a.role == "out" or a.kind in ("array", "matrix") and a.role == "out":
            if a.c["name"] not in ("status", "iterations"):
                result.outs.append((given, a))
        elif a.role == "inout" and (a.null or accumulates):
            result.outs.append((given, a))
        elif a.kind in ("result", "struct", "text_buffer"):
            result.outs.append((given, a))
        elif a.kind == "value" and given in ("states",):
            continue
        else:
            absent = a.null or (f, given) in DEFAULTS or given == "axes"
            (result.optional if absent else result.inputs).append((given, a))
            if a.role == "inout":
                result.in_place.append(given)
    if f in LAST:
        result.optional.sort(key=lambda pair: pair[0] == LAST[f])
    if f in ORDER:
        result.optional.sort(key=lambda pair: ORDER[f].index(pair[0]))
    if result.outs and any(a.c["name"] == "lambda" for _, a in result.outs):
        result.outs.sort(key=lambda pair: pair[1].c["name"] == "lambda")
    return result


def moves(p):
    """A step in time, which changes q and v in place."""
    return "step" in p.name and not p.name.endswith(("_vjp", "_jvp"))
