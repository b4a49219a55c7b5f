"""Python, beside the raw layer: enumerations, records of information structs, and the options that functions take by name."""

from . import layers
from .common import MARK, comment, enumerations

HEAD = '''"""Constants, information and options of Tenon as Python types; tenon.h is the manual of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum, IntFlag
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike
'''
NUMBERS = {"double": "float"}
ALIASES = {"precision": {"FLOAT": "SINGLE"}}  # what else a constant is called


def class_name(kind):
    return "".join(part.capitalize() for part in kind.split("_"))


def struct_name(struct):
    return class_name(struct["name"].replace("tenonx_", "").replace("tenon_", ""))


def docstring(text, indent):
    text = text.split("\n")[0].replace("\\", "\\\\")
    return comment(text, indent + '"""', indent, ' """' if text.endswith('"') else '"""')


def enum_of(field, enums):
    """The enumeration of a field, and whether the field is a mask of its values."""
    return next((e for e in enums if e["name"] == field.get("enum")), None), field.get("mask", False)


def options(api):
    return [s for s in api["structs"] if s["init"] and s["name"].endswith("_options")]


def record_type(f, api):
    enum, mask = enum_of(f, api["enums"])
    if enum and not mask:
        return class_name(enum["name"])
    if f["base"] == "char":
        return "str"
    number = NUMBERS.get(f["base"], "int")
    return "np.ndarray" if "extent" in f else number


def option_type(f, api):
    enum, mask = enum_of(f, api["enums"])
    if enum:
        one = f"{class_name(enum['name'])} | str | int"
        return f"Iterable[{one}] | int" if mask or enum["bits"] else one
    if f["base"] == "char":
        return "str"
    if f["base"] == "tenon_log_callback":
        return "Callable[[int, str], None]"
    if f["base"] in ("tenon_solve_options",):
        return struct_name({"name": f["base"]})
    number = NUMBERS.get(f["base"], "int")
    return "ArrayLike" if f["pointers"] or "extent" in f else number


def files(api):
    out = [f"# {MARK}", HEAD]
    for enum in enumerations(api):
        out += ["", f"class {class_name(enum['name'])}({'IntFlag' if enum['bits'] else 'IntEnum'}):"]
        out += [docstring(enum["comment"] or f"Constants of the kind {enum['name']}.", "    "), ""]
        for v in enum["values"]:
            out += [f"    {v['name'][len(enum['prefix']):]} = {v['value']}"]
            out += [docstring(v["comment"], "    ")] if v["comment"] else []
        out += [f"    {more} = {value}" for more, value in ALIASES.get(enum["name"], {}).items()] + [""]
    for s in layers.records(api):
        out += ["", f"class {struct_name(s)}(NamedTuple):", docstring(s["comment"], "    "), ""]
        for f in layers.fields(s):
            out += [f"    {f['name']}: {record_type(f, api)}"]
            out += [docstring(f["comment"], "    ")] if f["comment"] else []
        out += [""]
    for s in options(api):
        out += ["", f"class {struct_name(s)}(TypedDict, total=False):", docstring(s["comment"], "    "), ""]
        for f in layers.shown(s):
            if f["base"] != "tenon_batch_array":
                out += [f"    {f['name']}: {option_type(f, api)}"]
                out += [docstring(f["comment"], "    ")] if f["comment"] else []
        out += [""]
    alone = {c["name"][len("TENON_") :]: c["value"] for c in api["constants"] if "VERSION" not in c["name"]}
    out += ["", *(f"{name} = {value}" for name, value in alone.items())]
    shown = [*alone, *(class_name(e["name"]) for e in enumerations(api)), *(struct_name(s) for s in layers.records(api))]
    out += ["", "__all__ = [", *(f'    "{name}",' for name in sorted(shown)), "]", ""]
    return {"python/tenon/types.py": "\n".join(out)}
