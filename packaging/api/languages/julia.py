"""Julia: ccall. Arrays and Refs are converted to pointers by ccall; C_NULL is NULL."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "Int32",
    "uint32_t": "UInt32",
    "int64_t": "Int64",
    "uint64_t": "UInt64",
    "size_t": "Csize_t",
    "ptrdiff_t": "Cptrdiff_t",
    "double": "Float64",
    "char": "Cchar",
    "void": "Cvoid",
    "tenon_status": "Int32",
}

OPERATORS = {"in"}
HEAD = """# The C interface of Tenon, by the names of tenon.h, which is its manual. Whoever includes this file defines
# libtenon, the name or path of the library, before.
"""


def type_of(t, types):
    if t["base"] in types.callbacks:
        return "Ptr{Cvoid}"
    if t["base"] == "char" and t["pointers"] == 1 and t.get("kind") in ("text", "path"):
        return "Cstring"
    base = "Cstring" if t["base"] == "char" and t["pointers"] == 2 else SCALARS.get(t["base"], t["base"])
    pointers = t["pointers"] - (base == "Cstring")
    text = "Ptr{" * pointers + base + "}" * pointers
    return f"NTuple{{{t['extent']}, {text}}}" if "extent" in t else text


def argument_type(a, types):
    # Text with a count may have no NUL at its end, which Cstring would look for.
    if a.get("kind") == "text" and "count" in a:
        return "Ptr{Cchar}"
    return type_of(a, types)


def files(api):
    types = Types(api)
    out = [f"# {MARK}", HEAD]
    for text, type_, values in constants(api):
        if text:
            out += [comment(text, "# ")]
        out += [f"const {v['name']} = {SCALARS[type_]}({v['value']})" for v in values] + [""]
    for handle in api["handles"]:
        out += [comment(handle["comment"].split("\n")[0], "# "), f"mutable struct {handle['name']} end", ""]
    for s in api["structs"]:
        out += [comment(s["comment"].split("\n")[0], "# "), f"mutable struct {s['name']}"]
        out += [f"    {f['name']}::{type_of(f, types)}" for f in s["fields"]]
        out += [f"    {s['name']}() = new()", "end", ""]
    for f in api["functions"]:
        names = ", ".join(a["name"] + "_" * (a["name"] in OPERATORS) for a in f["arguments"])
        kinds = "".join(argument_type(a, types) + ", " for a in f["arguments"])
        kinds = kinds.rstrip() if len(f["arguments"]) == 1 else kinds.rstrip(", ")
        result = type_of(f["result"], types)
        call = f"ccall((:{f['name']}, libtenon), {result}, ({kinds}){', ' if names else ''}{names})"
        # Lines are broken between brackets, or behind the sign =, where Julia goes on reading.
        out += [listed([names], f["name"] + "(", ")", "    ", width=118) + " ="]
        out += [listed([call], "    ", "", "        ", separator="")]
    return {"julia/src/raw.jl": "\n".join([*out, ""])}
