"""Rust: extern "C", repr(C), in a crate tenon-sys. The comments are the headers', for rustdoc."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
    "size_t": "usize",
    "ptrdiff_t": "isize",
    "double": "f64",
    "char": "c_char",
    "void": "c_void",
}
KEYWORDS = {"type", "in", "loop", "move", "where", "ref"}
HEAD = """//! The C interface of Tenon, by the names of tenon.h, which is its manual. Calls are unsafe: pointers must be good
//! and counts right, or the call answers with a status.

#![allow(non_camel_case_types)]
#![allow(non_snake_case)]

use std::os::raw::{c_char, c_void};

pub type tenon_status = i32;
"""
OPAQUE = """    _opaque: [u8; 0],
    _not_send: core::marker::PhantomData<*mut u8>,
}
"""


def name_of(name):
    return "r#" + name if name in KEYWORDS else name


def type_of(t, types):
    base = SCALARS.get(t["base"], t["base"])
    if t["base"] in types.callbacks:
        return base
    text = base
    for level in range(t["pointers"]):
        inner_const = t["const"] and (level == 0 or t["base"] == "char")
        text = ("*const " if inner_const else "*mut ") + text
    return f"[{text}; {t['extent']}]" if "extent" in t else text


def function(f, types, before):
    arguments = [f"{name_of(a['name'])}: {type_of(a, types)}" for a in f["arguments"]]
    result = type_of(f["result"], types)
    return listed(arguments, before + "(", ")" + ("" if result == "c_void" else " -> " + result), "        ")


def doc(text, indent=""):
    """Formulas and tables stay as they are: rustdoc must not take them for code to test."""
    out, fenced = [], False
    for line in text.split("\n"):
        table = line.startswith("  ")
        if table != fenced:
            out += [indent + "/// ```text" if table else indent + "/// ```"]
            fenced = table
        if table:
            out += [(indent + "/// " + line[2:]).rstrip()]
        else:
            line = "\\" + line if line.startswith(">") else line  # no quotation
            out += [comment(line.replace("[", "\\[").replace("]", "\\]").replace("<", "\\<"), indent + "/// ")]
    return "\n".join(out + ([indent + "/// ```"] if fenced else []))


def files(api):
    types = Types(api)
    out = [f"// {MARK}", HEAD]
    for text, type_, values in constants(api):
        for v in values:
            note = v["comment"] or (text if len(values) == 1 else "")
            out += [doc(note)] if note else []
            out += [f"pub const {v['name']}: {SCALARS.get(type_, type_)} = {v['value']};"]
        out += [""]
    for handle in api["handles"]:
        out += [doc(handle["comment"]), "#[repr(C)]", f"pub struct {handle['name']} {{", OPAQUE]
    for c in api["callbacks"]:
        before = f"pub type {c['name']} = Option<unsafe extern \"C\" fn"
        out += [doc(c["comment"]), function(c, types, before) + ">;", ""]
    for s in api["structs"]:
        out += [doc(s["comment"]), "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub struct {s['name']} {{"]
        for f in s["fields"]:
            out += [doc(f["comment"], "    ")] if f["comment"] else []
            out += [f"    pub {name_of(f['name'])}: {type_of(f, types)},"]
        out += ["}", ""]
    out += ['extern "C" {']
    for f in api["functions"]:
        out += [doc(f["comment"], "    "), function(f, types, f"    pub fn {f['name']}") + ";"]
    return {"rust/tenon-sys/src/lib.rs": "\n".join([*out, "}", ""])}
