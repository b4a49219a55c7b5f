"""Rust, the layer: what its generated calls stand on, glue.rs, and handles that free themselves."""

import os

from .common import MARK, camel
from .rust_layer import OBJECTS

HANDLE = """
pub(crate) struct {name}Handle(pub(crate) *mut sys::{raw});

impl Drop for {name}Handle {{
    fn drop(&mut self) {{
        unsafe {{ sys::{destroy}(self.0) }}
    }}
}}
"""
# tenon.h: one thread at a time, any thread.
SEND = "unsafe impl Send for {name}Handle {{}}"
# tenon.h: a model and a finished set are immutable, and any number of threads may read them.
SYNC = "unsafe impl Sync for {name}Handle {{}}"
# Objects that a call may change.
POINTERS = """
impl{real} {object} {{
    /// The handle, for the functions of [`sys`].
    pub fn as_mut_ptr(&mut self) -> *mut sys::{raw} {{
        self.handle.0
    }}

    pub(crate) fn raw(&self) -> *mut sys::{raw} {{
        self.handle.0
    }}
}}
"""
# Objects that nothing changes.
SHARED = """
impl {object} {{
    /// The handle, for the functions of [`sys`].
    pub fn as_ptr(&self) -> *const sys::{raw} {{
        self.handle.0
    }}

    pub(crate) fn raw(&self) -> *const sys::{raw} {{
        self.handle.0
    }}
}}
"""


def files(api):
    with open(os.path.join(os.path.dirname(__file__), "glue.rs"), encoding="utf-8") as file:
        out = [f"// {MARK}", file.read()]
    for handle in api["handles"]:
        raw, object_ = handle["name"], OBJECTS[handle["name"]]
        words = {"name": camel(raw), "raw": raw, "destroy": handle["destroy"], "object": object_}
        words["real"] = "<T: Real>" if "<T>" in object_ else ""
        kept = object_ in ("Model", "Constraints")
        out += [HANDLE.format(**words), SEND.format(**words), *([SYNC.format(**words)] if kept else [])]
        out += [(SHARED if kept else POINTERS).format(**words)]
        if object_ == "Constraints":
            out += [POINTERS.format(**{**words, "object": "ConstraintSet"})]
    return {"rust/tenon/src/glue.rs": "\n".join(out).replace("\n\n\n", "\n\n").replace("\n\n\n", "\n\n")}
