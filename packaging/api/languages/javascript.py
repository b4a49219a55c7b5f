"""JavaScript: koffi, which reads C prototypes; and the types of the same for TypeScript."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "number",
    "uint32_t": "number",
    "int64_t": "number | bigint",
    "uint64_t": "number | bigint",
    "size_t": "number | bigint",
    "ptrdiff_t": "number | bigint",
    "double": "number",
    "tenon_status": "number",
    "void": "void",
}
ARRAYS = {"double": "Float64Array", "int32_t": "Int32Array"}
RESERVED = {"in"}
HEAD = """// The C interface of Tenon for koffi, by the names of tenon.h, which is its manual:
//
//     const { functions: tenon, constants: k } = require('./raw.js').load('libtenon.so');
//     tenon.tenon_version();
'use strict';
const koffi = require('koffi');

const constants = Object.freeze({"""
TAIL = r"""];

function load(path) {
  const library = koffi.load(path);
  const functions = {};
  for (const prototype of prototypes) {
    functions[/(\w+)\(/.exec(prototype)[1]] = library.func(prototype);
  }
  return { functions, constants, types };
}

module.exports = { load, constants, structs };
"""
TYPES_TAIL = """}

/** The library at path. types: koffi's, of structs, handles and callbacks. */
export function load(path: string): {
  functions: Functions;
  constants: Constants;
  types: Record<string, unknown>;
};
export const constants: Constants;
export const structs: Record<string, string[]>;
"""


def c_type(t, types):
    """As koffi spells it."""
    base = {"ptrdiff_t": "intptr_t", "tenon_status": "int32_t"}.get(t["base"], t["base"])
    if t["base"] in types.callbacks:
        return base + " *"
    if t["base"] == "char" and t["pointers"] == 1 and (not t["const"] or t.get("kind") == "text" and "count" in t):
        return "uint8_t *"  # a buffer
    return base + (" " + "*" * t["pointers"] if t["pointers"] else "")


def argument(a, types):
    mark = ""
    if a.get("kind") in ("new_object", "result"):
        mark = "_Out_ "
    elif a.get("kind") == "struct" and not a["const"]:
        mark = "_Inout_ "
    return mark + c_type(a, types) + ("" if c_type(a, types).endswith("*") else " ") + a["name"]


def ts_argument(a, types):
    null = " | null" if a.get("null") else ""
    kind, base = a["kind"], a["base"]
    if kind in ("object", "struct"):
        return base + null
    if kind == "new_object":
        return f"[{base} | null]"
    if kind in ("text", "message", "text_buffer"):
        return ("string" if kind == "text" and "count" not in a else "Uint8Array") + null
    if kind == "texts":
        return "string[]" + null
    if kind == "result":
        return f"[{SCALARS[base]}]" + null
    if kind == "array":
        return ARRAYS[base] + null
    if kind == "batch_array":
        return base + null
    return {"callback": "Pointer | null", "user": "Pointer | null"}.get(kind) or SCALARS[base]


def ts_field(f, types):
    if f["base"] in types.callbacks or f["base"] == "void":
        return "Pointer | null"
    if f["pointers"]:
        return "string | null" if f["base"] == "char" else "Pointer | ArrayBufferView | null"
    return "number[] | Float64Array" if "extent" in f else SCALARS[f["base"]]


def declarations(api, types):
    out = [f"// {MARK}", "// The types of raw.js.", "", "export type Pointer = unknown;", ""]
    for h in api["handles"]:
        out += [comment(h["comment"].split("\n")[0], "/** ", " * ", " */")]
        out += [f"export type {h['name']} = {{ readonly __handle: '{h['name']}' }};"]
    for s in api["structs"]:
        out += ["", comment(s["comment"].split("\n")[0], "/** ", " * ", " */"), f"export interface {s['name']} {{"]
        for f in s["fields"]:
            out += [comment(f["comment"], "  /** ", "   * ", " */")] if f["comment"] else []
            out += [f"  {f['name']}: {ts_field(f, types)};"]
        out += ["}"]
    out += ["", "export interface Functions {"]
    for f in api["functions"]:
        arguments = [f"{a['name'] + '_' * (a['name'] in RESERVED)}: {ts_argument(a, types)}" for a in f["arguments"]]
        result = "string | null" if f["result"]["base"] == "char" else SCALARS[f["result"]["base"]]
        out += [comment(f["brief"], "  /** ", "   * ", " */")]
        out += [listed(arguments, f"  {f['name']}(", f"): {result};", "      ")]
    out += ["}", "", "export interface Constants {"]
    out += [f"  readonly {v['name']}: {v['value']};" for _, _, values in constants(api) for v in values]
    return "\n".join([*out, TYPES_TAIL])


def files(api):
    types = Types(api)
    out = [f"// {MARK}", HEAD]
    out += [f"  {v['name']}: {v['value']}," for _, _, values in constants(api) for v in values]
    out += ["});", "", "const types = {};"]
    out += [f"types.{h['name']} = koffi.opaque('{h['name']}');" for h in api["handles"]]
    for c in api["callbacks"]:
        arguments = ", ".join(argument(a, types) for a in c["arguments"])
        out += [f"types.{c['name']} = koffi.proto('{c_type(c['result'], types)} {c['name']}({arguments})');"]
    for s in api["structs"]:
        out += [f"types.{s['name']} = koffi.struct('{s['name']}', {{"]
        for f in s["fields"]:
            kind = c_type(f, types)
            kind = f"koffi.array('{kind}', {f['extent']})" if "extent" in f else f"'{kind}'"
            out += [f"  {f['name']}: {kind},"]
        out += ["});"]
    out += ["", "// The structs, with their fields in order.", "const structs = {"]
    out += [listed([f"'{f['name']}'" for f in s["fields"]], f"  {s['name']}: [", "],", "    ") for s in api["structs"]]
    out += ["};", "", "const prototypes = ["]
    for f in api["functions"]:
        result = "const char *" if f["result"]["base"] == "char" else c_type(f["result"], types) + " "
        out += [f"  '{result}{f['name']}({', '.join(argument(a, types) for a in f['arguments']) or 'void'})',"]
    return {"javascript/raw.js": "\n".join([*out, TAIL]), "javascript/raw.d.ts": declarations(api, types)}
