"""LuaJIT: ffi.cdef, which reads C."""

from .common import MARK, constants, listed

HEAD = """-- The C interface of Tenon, by the names of tenon.h, which is its manual:
--
--     local library, constants = require("tenon.raw")("libtenon.so")
--     library.tenon_version()
local ffi = require("ffi")

ffi.cdef [[
typedef int32_t tenon_status;"""


def declared(t, name):
    count = f"[{t['extent']}]" if "extent" in t else ""
    return (t["type"] if t["type"].endswith("*") else t["type"] + " ") + name + count


def files(api):
    out = [f"-- {MARK}", HEAD]
    out += [f"typedef struct {h['name']} {h['name']};" for h in api["handles"]]
    for c in api["callbacks"]:
        before = f"typedef {c['result']['type']} (*{c['name']})("
        out += [listed([declared(a, a["name"]) for a in c["arguments"]], before, ");", "    ")]
    for s in api["structs"]:
        fields = [f"  {declared(f, f['name'])};" for f in s["fields"]]
        out += [f"typedef struct {s['name']} {{", *fields, f"}} {s['name']};"]
    for f in api["functions"]:
        arguments = [declared(a, a["name"]) for a in f["arguments"]] or ["void"]
        out += [listed(arguments, declared(f["result"], f["name"]) + "(", ");", "    ")]
    out += ["]]", "", "local constants = {"]
    for _, _, values in constants(api):
        out += [f"  {v['name']} = {v['value']}," for v in values]
    out += ["}", "", "-- The structs, with their fields in order.", "local structs = {"]
    for s in api["structs"]:
        out += [
            listed([f'"{f["name"]}"' for f in s["fields"]], f'  {{ name = "{s["name"]}", fields = {{ ', " } },", "    ")
        ]
    out += ["}", "", "return function(path)", "  return ffi.load(path), constants, structs", "end", ""]
    return {"lua/tenon/raw.lua": "\n".join(out)}
