"""Rust, beside the raw layer: enumerations, and the constants of Status."""

from .common import MARK, enumerations, pascal
from .rust import SCALARS, doc

HEAD = """use crate::{sys, Status};

macro_rules! constants {
    ($($(#[$about:meta])* $kind:ident, $number:ty { $($(#[$doc:meta])* $name:ident $value:ident,)* })*) => { $(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind { $($(#[$doc])* $name = sys::$value as isize),* }
        impl From<$kind> for $number { fn from(kind: $kind) -> $number { kind as $number } }
        impl $kind {
            /// The constant of a number of the library; None for one of a newer library.
            pub fn from_number(number: $number) -> Option<Self> {
                [$($kind::$name),*].into_iter().find(|&kind| kind as $number == number)
            }
        }
    )* };
}
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
    for enum in enumerations(api):
        if enum is status:
            continue
        text = enum["comment"].split("\n")[0] or f"Constants of the kind {enum['name']}."
        out += [doc(text, "    "), f"    {pascal(enum['name'])}, {SCALARS[enum['type']]} {{"]
        for v in enum["values"]:
            out += about(v["comment"], "        ")
            out += [f"        {pascal(v['name'][len(enum['prefix']):])} {v['name']},"]
        out += ["    }"]
    return {"rust/tenon/src/constants.rs": "\n".join([*out, "}", ""])}
