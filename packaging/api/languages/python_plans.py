"""Python: what each function is in the package. Where the package has another name or order, a table here says so.
plan() serves C++ and Julia too, plans() Python alone."""

import re
from dataclasses import dataclass, field

from . import layers, meanings
from .common import enumerations
from .python_types import class_name, struct_name

# Modules of the package by name, and what generated modules may need of _core.py and _arrays.py.
OWN = {"_raw": "from . import _raw", "structs": "from . import _structs as structs"}
CORE = ["Computing", "Handle", "call", "check", "guarded", "handed", "lib", "text"]
ARRAYS = [
    *("at", "bits", "by_name", "constant", "derivative", "each", "exactly", "filled", "given", "given_matrix", "in_order"),
    *("integer", "matrix", "numbers", "part", "placed", "prepared", "six", "whole_text", "written"),
]

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
# What is not called by its name, but by what Python has for it.
MANNERS = {
    **{c: ("size", name) for c, name in meanings.COUNTS.items()},
    "tenon_builder_create": ("init", "__init__"),
    "tenon_constraints_create": ("init", "__init__"),
    "tenon_workspace_create": ("init", "__init__"),
    "tenon_batch_create": ("init", "__init__"),
    "tenon_workspace_clone": ("clone", "clone"),
    "tenon_batch_clone": ("clone", "clone"),
    "tenon_constraints_constraint_count": ("length", "__len__"),
    "tenon_constraints_constraint_info": ("item", "__getitem__"),
    "tenon_constraints_finish": ("once", "finish"),
    "tenon_constraints_row_count": ("property", "row_count"),
    "tenon_workspace_constraints": ("method", "all_settings"),
    "tenon_batch_constraints": ("method", "all_settings"),
}
# What an object is given at once when it is made: of each a call.
AT_ONCE = {  # what is added from the start: the argument, the method for each, and its words
    "tenon_constraints_create": (
        ("welds", "add_weld", "links to weld from the start, each alone or as (link, pose)."),
        ("points", "add_point", "links of which a point is held, each alone, then its origin, or as (link, point)."),
    )
}
PROPERTIES = {
    *("tenon_model_independent_v", "tenon_model_independent_q", "tenon_workspace_gravity", "tenon_workspace_report"),
    *("tenon_workspace_coordinates", "tenon_workspace_size_bytes", "tenon_workspace_instruction_set"),
    *("tenon_batch_size_bytes", "tenon_batch_width", "tenon_batch_instruction_set", "tenon_workspace_message"),
    *("tenon_batch_message", "tenon_model_gravity", "tenon_batch_coordinates"),
}
# A method for each output, all others left out.
APART = {
    "tenon_link_pose": {"pose": "link_pose", "rotation": "link_rotation"},
    "tenon_center_of_mass": {
        "position": "center_of_mass",
        "velocity": "center_of_mass_velocity",
        "J": "center_of_mass_jacobian",
    },
}
# And one more, for some outputs of several.
SHORT = {"tenon_workspace_constraint_settings": {"settings": "settings"}}
# Outputs as a dictionary, which the setter takes again.
TOLD = {"tenon_workspace_constraints", "tenon_batch_constraints", "tenon_batch_robots"}
TUPLES = {
    "tenon_batch_rollout": "Rollout",
    "tenon_constraint_rows": "ConstraintRows",
    "tenon_operational_space": "OperationalSpace",
    "tenon_batch_kinematics": "Poses",
    "tenon_batch_kinematics_vjp": "PoseGradients",
    "tenon_batch_kinematics_jvp": "PoseChanges",
    "tenon_batch_link_motion": "LinkMotion",
    "tenon_batch_link_motion_vjp": "LinkMotionGradients",
    "tenon_batch_link_motion_jvp": "LinkMotionChanges",
    "tenon_batch_centroidal": "Centroidal",
    "tenon_batch_centroidal_vjp": "CentroidalGradients",
    "tenon_batch_centroidal_jvp": "CentroidalChanges",
    "tenon_batch_centroidal_parameter_vjp": "CentroidalParameterGradients",
}
WORDS = {"lambda": "force", "from": "start", "to": "end", "row_velocity": "velocity", "row_count": None, "columns": None,
         "callback": "function", "release": None}  # fmt: skip
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
    "nq": "self.nq", "nv": "self.nv", "m": "self.m", "nyq": "self.model.nyq", "ny": "self.model.ny", "spanning nv": "self.model.nv",
    "links": "self.model.link_count", "parameters": "10 * self.model.link_count", "loop rows": "self.model.loop_row_count",
    "ratios": "self.model.ratio_count", "loads": "6 * len(links)",
    "capacity": "capacity", "rows of it": "self._held[constraint].row_count", "constraints": "len(self._held)",
    "triangle": "self.nv * (self.nv + 1) // 2", "solution": "(self.nv + self.m)",
}  # fmt: skip
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
    kind: str  # method, property, attribute, classmethod, free, and those of MANNERS
    inputs: list = field(default_factory=list)  # (name, argument)
    optional: list = field(default_factory=list)  # likewise
    chosen: object = None  # the argument of options
    outs: list = field(default_factory=list)  # (name, argument), written
    in_place: list = field(default_factory=list)  # names
    aside: list = field(default_factory=list)  # arguments that are left out
    links: list = field(default_factory=list)  # fields of options that are given in order
    fixed: list = field(default_factory=list)  # (field, kind, constant) that options begin with
    borrowed: list = field(default_factory=list)  # fields of options that are arrays of a batch

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
        if f in APART:
            for output, name in APART[f].items():
                yield plan(api, m, name, [a for a in m.arguments if a.role != "in" and a.c["name"] != output])
            continue
        one = plan(api, m, NAMES.get(f, m.name), [])
        one.kind, one.name = MANNERS.get(f, (one.kind, one.name))
        if one.kind == "clone":
            one.inputs = []
        if one.tuple and m.owner == "tenon_batch":  # of chosen links: states come first
            for pairs in (one.inputs, one.optional):
                pairs.sort(key=lambda pair: pair[1].kind != "batch_array")
        if all(a.role == "out" for a in m.arguments if a.kind == "batch_array"):  # no array tells how many states there are
            one.inputs += [("states", a) for a in m.arguments if a.c["name"] == "states" and not one.borrowed]
        yield one
        for output, name in SHORT.get(f, {}).items():
            yield plan(api, m, name, [a for a in m.arguments if a.role != "in" and a.c["name"] != output])


def kind_of(m):
    if m.function["name"] in PROPERTIES:
        return "property"
    if m.owner == "tenon_model" and not m.arguments and not m.status:
        return "attribute"
    return "free" if m.owner is None else "classmethod" if m.kind == "constructor" else "method"


def plan(api, m, name, aside):
    f, kind = m.function["name"], kind_of(m)
    # What is added to is a result all the same.
    accumulates = any(a.base == "tenon_derivative_options" for a in m.arguments)
    result, told = Plan(m, name, kind, aside=aside), {s["name"] for s in layers.records(api)}
    for a in m.arguments:
        given = word(m, a)
        if a in aside or given is None or a.kind == "new_object" or given in ("status", "iterations") and a.kind == "array":
            continue
        if a.kind == "struct" and a.base not in told:
            result.chosen = a
            if not a.null:  # needed, since links are
                struct = next(s for s in api["structs"] if s["name"] == a.base)
                result.links = [f["name"] for f in struct["fields"] if f["name"].endswith("link")]
                result.fixed = first_constants(struct)
        elif a.kind in ("batch_array", "array", "matrix") and a.role == "out":
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
    if result.chosen:
        struct = next(s for s in api["structs"] if s["name"] == result.chosen.base)
        result.borrowed = [f for f in struct["fields"] if f["base"] == "tenon_batch_array"]
    if f in LAST:
        result.optional.sort(key=lambda pair: pair[0] == LAST[f])
    if f in ORDER:
        result.optional.sort(key=lambda pair: ORDER[f].index(pair[0]))
    if result.outs and any(a.c["name"] == "lambda" for _, a in result.outs):
        result.outs.sort(key=lambda pair: pair[1].c["name"] == "lambda")
    return result


def first_constants(struct):
    """Fields that are constants without a default: the first that their comment names."""
    for f in struct["fields"]:
        found = re.match(r"TENON_\w+_\*: ([A-Z]\w*)", f["comment"])
        if found and "default" not in f["comment"]:
            yield f["name"], f["enum"], found[1]


def option(struct):
    """What makes a struct: tenon_solve_options: solve_options."""
    return re.sub("^tenonx?_", "", struct)


def imports(api, lines):
    """What these lines of code need."""
    code = re.sub(r'"""(?:[^"\\]|\\.|"(?!""))*"""|  #[^\n]*|(?<!f)"[^"\n]*"', "", "\n".join(lines))
    types = [class_name(e["name"]) for e in enumerations(api)]
    types += [struct_name(s) for s in api["structs"] if s["name"] != "tenon_batch_array"]
    classes = {class_name(h["name"][len("tenon_") :]): h["name"][len("tenon_") :] for h in api["handles"]}

    def used(names):
        return [n for n in names if re.search(rf"(?<![\w.]){n}\b(?!=[^=])", code)]

    def taken(module, names):
        found = sorted(used(names), key=lambda n: (n.islower(), n))
        if not found:
            return []
        line = f"from {module} import {', '.join(found)}"
        return [line if len(line) <= 120 else wrapped(f"from {module} import (" + ", ".join(found) + ")")]

    mine = [n for n in used(classes) if f"class {n}(" not in code]
    hints = ["    from typing_extensions import Unpack", ""] if used(["Unpack"]) else []
    hints += [f"    from .{classes[n]} import {n}" for n in mine]
    code += " TYPE_CHECKING" if hints else ""
    out = ["from __future__ import annotations", ""]
    out += [f"import {m}" for m in ("ctypes", "os") if used([m + r"\."])]
    out += taken("collections.abc", ["Callable", "Iterable", "Mapping", "Sequence"])
    out += taken("ctypes", ["c_char_p", "c_double", "c_int32", "c_size_t", "pointer"])
    out += taken("functools", ["partial"]) + taken("typing", ["NamedTuple", "TYPE_CHECKING"])
    out += [""] + (["import numpy as np"] if used([r"np\."]) else []) + taken("numpy.typing", ["ArrayLike"])
    out += ["", *(line for name, line in OWN.items() if used([name]))]
    out += taken("._arrays", ARRAYS) + taken("._batches", ["Batches", "in_a_row", "states_of"]) + taken("._calls", ["calls"])
    out += taken("._core", CORE) + taken(".types", types)
    out += ["", "if TYPE_CHECKING:", *hints] if hints else []
    return re.sub("\n{3,}", "\n\n", "\n".join(out)).rstrip()


def moves(p):
    """A step in time, which changes q and v in place."""
    return "step" in p.name and not p.name.endswith(("_vjp", "_jvp"))
