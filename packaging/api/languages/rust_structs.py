"""Rust, the layer: options with all fields and the library's defaults, and records of what it tells."""

from . import layers
from .common import MARK, camel, pascal
from .meanings import field_length, flag
from .rust import SCALARS, doc

HEAD = """use crate::callbacks::{logging, LogCallback};
use crate::constants::*;
use crate::glue::{c_text, list, numbers, prepared, text, Kept};
use crate::objects::Batch;
use crate::states::{Real, States, StatesMut};
use crate::support::Result;
use crate::sys;
"""


def name_of(name):
    """A struct, or a field of one."""
    return {"type": "kind"}.get(name, name)


class Field:
    """Its name, its type, the type that a setter takes, how it comes from the struct of C and how it gets there."""

    def __init__(self, f, api):
        self.c, self.name, self.comment = f, name_of(f["name"]), f["comment"]
        raw = "raw." + {"type": "r#type"}.get(f["name"], f["name"])
        enum = next((e for e in api["enums"] if e["name"] == f.get("enum")), None)
        own, self.given, self.value, self.lines = f"self.{self.name}", None, "value", []
        self.borrows = f["base"] == "tenon_batch_array"
        self.count = f.get("count_field")
        if enum and not f.get("mask"):
            self.type, self.read = pascal(enum["name"]), f"{pascal(enum['name'])}({raw})"
            self.lines = [f"{raw} = {own}.0;"]
        elif flag(f):
            self.type, self.read, self.lines = "bool", f"{raw} != 0", [f"{raw} = {own}.into();"]
        elif f["base"] == "char":
            self.type, self.read, self.given = "Option<String>", f"text({raw})", "impl Into<String>"
            self.value = "Some(value.into())"
            self.lines = [f"if let Some(text) = &{own} {{ {raw} = kept.keep(c_text(text)?).as_ptr(); }}"]
        elif f["base"].endswith("_callback"):
            user = raw.replace("callback", "user")
            self.type, self.read = "Option<LogCallback>", "None"
            self.given, self.value = "impl Fn(LogLevel, &str) + Send + Sync + 'static", "Some(LogCallback::new(value))"
            self.lines = [f"({raw}, {user}) = logging(&{own});"]
        elif self.borrows:
            self.type, self.read = ("StatesMut" if f["name"].endswith("_out") else "States") + "<'a, T>", "None"
            self.given, self.value = f"impl Into<{self.type}>", "Some(value.into())"
            self.type = f"Option<{self.type}>"
            sizes, records = field_length(f)
            self.sizes, self.records = sizes, records
            self.lines = None
        elif f["pointers"] and f["base"].startswith("tenon"):
            kind = camel(f["base"])
            self.type, self.read, self.given, self.value = f"Option<{kind}>", "None", f"&{kind}", "Some(value.clone())"
            self.lines = [f"if let Some(inner) = &{own} {{ {raw} = kept.keep(inner.raw(&mut Kept::default())?); }}"]
        elif f["pointers"]:
            self.type, self.read, self.given = "Option<Vec<f64>>", "None", "impl Into<Vec<f64>>"
            self.value = "Some(value.into())"
            self.lines = [f"({raw}, raw.{self.count}) = list({own}.as_deref());"]
        else:
            scalar = SCALARS[f["base"]]
            self.type = f"[{scalar}; {f['extent']}]" if "extent" in f else scalar
            self.read, self.lines = raw, [f"{raw} = {own};"]
        self.given = self.given or self.type


def all_fields(struct, api):
    return [Field(f, api) for f in layers.fields(struct) if f["base"] != "void"]


def about(text, indent):
    return [doc(text, indent)] if text else []


def record(struct, api):
    fields = all_fields(struct, api)
    out = [*about(struct["comment"], ""), "#[derive(Clone, Debug, PartialEq)]", f"pub struct {camel(struct['name'])} {{"]
    for f in fields:
        f.type = "String" if f.type == "Option<String>" else f.type
        out += [*about(f.comment, "    "), f"    pub {f.name}: {f.type},"]
    out += ["}", "", f"impl {camel(struct['name'])} {{", f"    pub(crate) fn of(raw: &sys::{struct['name']}) -> Self {{"]
    out += [f"        {camel(struct['name'])} {{"]
    return [*out, *(f"            {f.name}: {f.read}," for f in fields), "        }", "    }", "}", ""]


def options(struct, api, length):
    """length(factors) is what a batch tells of a length."""
    name, fields = camel(struct["name"]), all_fields(struct, api)
    borrows = any(f.borrows for f in fields)
    derived = [] if any("StatesMut" in f.type for f in fields) else ["#[derive(Clone)]"]
    default, used, plain = ("<'a, T: Real = f64>", "<'a, T>", "<'a, T: Real>") if borrows else ("", "", "")
    out = [*about(struct["comment"], ""), *derived, f"pub struct {name}{default} {{"]
    for f in fields:
        out += [*about(f.comment, "    "), f"    pub {f.name}: {f.type},"]
    out += ["}", "", f"impl{plain} Default for {name}{used} {{", "    fn default() -> Self {"]
    if any("raw." in f.read and f.type != "Option<String>" for f in fields):
        out += [f"        let raw = prepared!({struct['name']}, {struct['init']});"]
    out += [f"        {name} {{"]
    for f in fields:
        out += [f"            {f.name}: {'None' if f.type == 'Option<String>' else f.read},"]
    out += ["        }", "    }", "}", "", f"impl{plain} {name}{used} {{"]
    out += ["    /// The defaults of the library.", "    pub fn new() -> Self {", "        Self::default()", "    }"]
    for f in fields:
        # A field that is another object's is set without its words: those are the field's.
        out += ["", *about(f.comment.split("\n")[0], "    "), f"    pub fn {f.name}(mut self, value: {f.given}) -> Self {{"]
        out += [f"        self.{f.name} = {f.value};", "        self", "    }"]
    out += ["", *raw_of(struct, fields, borrows, length), "}", ""]
    return out


def raw_of(struct, fields, borrows, length):
    more = ", batch: &Batch<T>, states: usize" if borrows else ""
    kept = "kept" if any("kept" in line for f in fields for line in f.lines or ["kept"]) else "_"
    out = [f"    pub(crate) fn raw(&self, {kept}: &mut Kept{more}) -> Result<sys::{struct['name']}> {{"]
    out += [f"        let mut raw = prepared!({struct['name']}, {struct['init']});"]
    for f in fields:
        if f.lines is None:
            records = {"step": "self.steps", "record": "self.steps / self.every.max(1)", None: "1"}[f.records]
            out += [f"        if let Some(array) = &self.{f.name} {{"]
            out += [f"            let count = {length(f.sizes)};"]
            out += [f'            raw.{f.name} = kept.keep(array.raw("{f.name}", count, states, {records})?);', "        }"]
        else:
            out += ["        " + line for line in f.lines]
    return [*out, "        Ok(raw)", "    }"]


def files(api):
    def length(sizes):
        words = {"nq": "batch.nq()", "nv": "batch.nv()", "m": "batch.m()", "links": "batch.model().link_count()",
                 "constraints": "batch.constraint_set().count()"}  # fmt: skip
        parts = [words.get(size, size) for size in sizes]
        return parts[0] if len(parts) == 1 else f"numbers(&[{', '.join(parts)}])?"

    out = [f"// {MARK}", HEAD]
    for struct in layers.options(api):
        if struct["name"] != "tenon_batch_array":
            out += options(struct, api, length)
    for struct in layers.records(api):
        out += record(struct, api)
    return {"rust/tenon/src/structs.rs": "\n".join(out).replace("\n\n\n", "\n\n")}
