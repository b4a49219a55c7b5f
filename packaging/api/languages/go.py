"""Go: purego, without cgo. tenon_model_nq is ModelNq here, constants keep their names."""

from .common import MARK, Types, camel, comment, constants

SCALARS = {
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "size_t": "uintptr",
    "ptrdiff_t": "int",
    "double": "float64",
    "char": "byte",
    "tenon_status": "int32",
}
HEAD = """// Package raw is the C interface of Tenon. tenon_model_nq is ModelNq here; tenon.h is the manual.
package raw

import (
\t"fmt"
\t"unsafe"

\t"github.com/ebitengine/purego"
)"""
LOAD = """)

// Load loads the library at path and sets all functions.
func Load(path string) (err error) {
\tlibrary, err := open(path)
\tif err != nil {
\t\treturn err
\t}
\tdefer func() {
\t\tif lacking := recover(); lacking != nil {
\t\t\terr = fmt.Errorf("%s is of another version than this package, it lacks a function: %v", path, lacking)
\t\t}
\t}()"""
# How a library is opened: purego has no Dlopen for Windows, where Go itself can.
OPEN = {
    "go/raw/open.go": """//go:build !windows

package raw

import "github.com/ebitengine/purego"

func open(path string) (uintptr, error) {
\treturn purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}
""",
    "go/raw/open_windows.go": """package raw

import "syscall"

func open(path string) (uintptr, error) {
\tlibrary, err := syscall.LoadLibrary(path)
\treturn uintptr(library), err
}
""",
}
KEYWORDS = {"type", "range", "func", "map"}
MOST = 32  # arguments that purego passes


def type_of(t, types):
    if t["base"] in types.callbacks:
        return "uintptr"  # of purego.NewCallback
    if t["base"] == "void" and t["pointers"]:
        return "unsafe.Pointer"
    if t.get("kind") == "text" and "count" not in t:
        return "string"
    base = camel(t["base"]) if t["base"] in types.structs or t["base"] in types.handles else SCALARS[t["base"]]
    return (f"[{t['extent']}]" if "extent" in t else "") + "*" * t["pointers"] + base


def columns(pairs):
    """Lines as gofmt sets them."""
    width = max(len(left) for left, _ in pairs)
    return [f"\t{left:{width}} {right}" for left, right in pairs]


def told(what, definition):
    first = what["comment"].split("\n")[0]
    return ["", comment(f"{camel(what['name'])} is {what['name']}: {first}", "// "), definition]


def signature(f, types):
    arguments = [f"{a['name'] + '_' * (a['name'] in KEYWORDS)} {type_of(a, types)}" for a in f["arguments"]]
    base = f["result"]["base"]
    return "func(" + ", ".join(arguments) + ") " + {"char": "string", "void": ""}.get(base, SCALARS.get(base, ""))


def files(api):
    types = Types(api)
    mark = MARK[0].lower() + MARK[1:].replace(": do not edit", "")
    out = [f"// Code {mark}. DO NOT EDIT.", "", HEAD]
    for text, _, values in constants(api):
        out += [""] + ([comment(text, "// ")] if text else [])
        out += ["const ("] + columns([(v["name"], f"= {v['value']}") for v in values]) + [")"]
    for h in api["handles"]:
        out += told(h, f"type {camel(h['name'])} struct{{ _ [1]byte }}")
    for s in api["structs"]:
        out += told(s, f"type {camel(s['name'])} struct {{")
        out += columns([(camel(f["name"]), type_of(f, types)) for f in s["fields"]]) + ["}"]
    out += ["", "// Structs has a value of each struct.", "var Structs = map[string]interface{}{"]
    out += columns([(f'"{s["name"]}":', camel(s["name"]) + "{},") for s in api["structs"]]) + ["}", "", "var ("]
    for f in api["functions"]:
        out += [comment(f"{camel(f['name'])} is {f['name']}: {f['brief']}", "\t// ")]
        own = f"\t{camel(f['name'])} {signature(f, types)}".rstrip()
        if len(f["arguments"]) > MOST:
            raise ValueError(f"{f['name']} has more than {MOST} arguments, which purego does not pass: split it")
        out += [own]
    out += [LOAD]
    out += [f'\tpurego.RegisterLibFunc(&{camel(f["name"])}, library, "{f["name"]}")' for f in api["functions"]]
    made = {"go/raw/raw.go": "\n".join([*out, "\treturn nil", "}", ""])}
    return {**made, **{name: f"{out[0]}\n\n{text}" for name, text in OPEN.items()}}
