"""Fortran 2018: iso_c_binding. What may be NULL is optional; texts end with c_null_char."""

from .common import MARK, Types, comment, constants

SCALARS = {
    "int32_t": "integer(c_int32_t)",
    "uint32_t": "integer(c_int32_t)",
    "int64_t": "integer(c_int64_t)",
    "uint64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)",
    "ptrdiff_t": "integer(c_ptrdiff_t)",
    "double": "real(c_double)",
    "tenon_status": "integer(c_int32_t)",
}

HEAD = """! The C interface of Tenon, by the names of tenon.h, which is its manual. Handles are type(c_ptr).
module tenon_raw
  use, intrinsic :: iso_c_binding
  implicit none"""


def distinct(names):
    """Upper and lower case are one in Fortran: K and k become k and k_2."""
    seen, result = set(), []
    for name in names:
        while name.lower() in seen:
            name += "_2"
        seen.add(name.lower())
        result.append(name)
    return result


def wrapped(text, indent):
    """Lines of at most 120 characters, broken behind commas."""
    lines, line = [], ""
    for part in text.replace(", ", ",\0").split("\0"):
        if len(line) + len(part) > 116:
            lines.append(line.rstrip() + " &")
            line = indent
        line += part + (" " if part.endswith(",") else "")
    return "\n".join([*lines, line.rstrip()])


def field(f, types):
    if f["base"] in types.callbacks:
        return "type(c_funptr)"
    return "type(c_ptr)" if f["pointers"] else SCALARS[f["base"]]


def argument(a, types):
    kind, optional = a.get("kind"), ", optional" if a.get("null") else ""
    intent = {"in": "in", "out": "out", "inout": "inout"}[a["role"]] if "role" in a else "in"
    if a["base"] in types.callbacks:
        return "type(c_funptr), value"
    if kind in ("object", "user"):
        return "type(c_ptr), value"
    if kind == "new_object":
        return "type(c_ptr), intent(out)"
    if kind in ("struct", "batch_array"):
        return f"type({a['base']}), intent({'in' if a['const'] else 'inout'}){optional}"
    if a["base"] == "char" and a["pointers"] == 1:
        return f"character(kind=c_char), intent({'in' if a['const'] else 'inout'}){optional}, dimension(*)"
    if kind == "texts":
        return f"type(c_ptr), intent(in){optional}, dimension(*)"
    if kind == "array":
        return f"{SCALARS[a['base']]}, intent({'in' if a['const'] else 'inout'}){optional}, dimension(*)"
    if kind == "result":
        return f"{SCALARS[a['base']]}, intent({intent}){optional}"
    return SCALARS[a["base"]] + ", value"


def files(api):
    types = Types(api)
    functions = {f["name"] for f in api["functions"]}
    out = [f"! {MARK}", HEAD]
    for text, type_, values in constants(api):
        out += [""] + ([comment(text, "  ! ")] if text else [])
        for v in values:
            name = v["name"] + ("_OF_HEADER" if v["name"].lower() in functions else "")
            out += [f"  {SCALARS[type_]}, parameter :: {name} = {v['value']}_c_int32_t"]
    for s in api["structs"]:
        out += ["", comment(s["comment"].split("\n")[0], "  ! "), f"  type, bind(c) :: {s['name']}"]
        for f, name in zip(s["fields"], distinct([f["name"] for f in s["fields"]])):
            out += [f"    {field(f, types)} :: {name}" + (f"({f['extent']})" if "extent" in f else "")]
        out += [f"  end type {s['name']}"]
    out += ["", "  interface"]
    for f in api["functions"]:
        names = distinct([a["name"] for a in f["arguments"]])
        result = f["result"]
        kind = "subroutine" if result["base"] == "void" else "function"
        end = "" if kind == "subroutine" else " result(answer)"
        head = f"    {kind} {f['name']}({', '.join(names)}) bind(c, name=\"{f['name']}\"){end}"
        out += ["", comment(f["brief"], "    ! "), wrapped(head, "        "), "      import"]
        out += [f"      {argument(a, types)} :: {name}" for a, name in zip(f["arguments"], names)]
        if kind == "function":
            out += [f"      {'type(c_ptr)' if result['pointers'] else SCALARS[result['base']]} :: answer"]
        out += [f"    end {kind} {f['name']}"]
    return {"fortran/tenon_raw.f90": "\n".join([*out, "  end interface", "end module tenon_raw", ""])}
