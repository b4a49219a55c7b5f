"""Rust, beside the raw layer: enumerations, and the constants of Status."""

from .common import MARK, enumerations, pascal
from .rust import SCALARS, doc

HEAD = """use crate::{sys, Status};

/// The name of a constant of the library.
fn named(kind: i32, value: i32, f: &mut std::fmt::Formatter) -> std::fmt::Result {
    f.write_str(&crate::constant_name(kind, value))
}

// Any number of the library is one, also that of a constant which only a newer one has.
macro_rules! constants {
    ($($(#[$about:meta])* $kind:ident, $number:ty { $($(#[$doc:meta])* $name:ident $value:ident,)* })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $kind(pub $number);
        #[allow(non_upper_case_globals)]
        impl $kind {
            $($(#[$doc])* pub const $name: $kind = $kind(sys::$value);)*
            /// The constant of a number; None for one that this version does not know.
            pub fn from_number(number: $number) -> Option<Self> {
                [$($kind::$name),*].into_iter().find(|kind| kind.0 == number)
            }
        }
        impl From<$kind> for $number { fn from(kind: $kind) -> $number { kind.0 } }
    )* };
}

macro_rules! names {
    ($($kind:ident $number:ident,)*) => { $(
        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { named(sys::$number, self.0, f) }
        }
        impl std::fmt::Debug for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { named(sys::$number, self.0, f) }
        }
        impl $kind {
            /// The bit that stands for it where several may be named.
            pub fn bit(self) -> u32 { 1u32.checked_shl(self.0 as u32).unwrap_or(0) }
        }
    )* };
}

macro_rules! bits {
    ($($kind:ident)*) => { $(
        impl std::fmt::Debug for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { write!(f, "{:#x}", self.0) }
        }
        impl std::ops::BitOr for $kind {
            type Output = Self;
            fn bitor(self, other: Self) -> Self { $kind(self.0 | other.0) }
        }
    )* };
}
"""
OTHER_NAMES = """
impl std::fmt::Debug for {0} {{
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {{ f.write_str(&crate::{1}_name(self.0)) }}
}}
impl std::fmt::Display for {0} {{
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {{ f.write_str(&crate::{1}_name(self.0)) }}
}}
"""


def about(text, indent):
    return [doc(text, indent)] if text else []


def files(api):
    out = [f"// {MARK}", HEAD, "impl Status {"]
    status = next(e for e in api["enums"] if e["name"] == "status")
    for v in status["values"]:
        out += about(v["comment"], "    ")
        out += [f"    pub const {v['name'][len(status['prefix']):]}: Status = Status(sys::{v['name']});"]
    out += ["}", "", "constants! {"]
    others = [enum for enum in enumerations(api) if enum is not status]
    for enum in others:
        text = enum["comment"].split("\n")[0] or f"Constants of the kind {enum['name']}."
        out += [doc(text, "    "), f"    {pascal(enum['name'])}, {SCALARS[enum['type']]} {{"]
        for v in enum["values"]:
            out += about(v["comment"], "        ")
            out += [f"        {pascal(v['name'][len(enum['prefix']):])} {v['name']},"]
        out += ["    }"]
    out += ["}", "", "names! {", *(f"    {pascal(e['name'])} {e['kind']}," for e in enumerations(api) if e["kind"]), "}", ""]
    out += ["bits! { " + " ".join(pascal(e["name"]) for e in others if e["bits"]) + " }"]
    out += [OTHER_NAMES.format(pascal(e["name"]), e["name"]) for e in others if not e["kind"] and not e["bits"]]
    for one in api["constants"]:
        out += about(one["comment"], "")
        out += [f"pub const {one['name'].replace('TENON_', '')}: {SCALARS[one['type']]} = sys::{one['name']};"]
    return {"rust/tenon/src/constants.rs": "\n".join([*out, ""])}
