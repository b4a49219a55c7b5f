"""Rust, the layer: the types of objects, as their functions tell: who frees them, which threads may have them, what keeps what
they were made from, what their last call left, and short forms of frequent calls."""

from . import layers, shapes
from .common import MARK, camel, pascal
from .rust import doc
from .rust_layer import OBJECTS, Writer

HEAD = """// %s
//! The objects.

use crate::constants::*;
use crate::glue::*;
use crate::states::Real;
use crate::structs::*;
use crate::support::*;
use crate::{sys, Status};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
"""
ABOUT = {
    "Model": "Its clones share it.",
    "Builder": "Links first, then the joints between them, then what ties them into loops.",
    "ConstraintSet": "A set that is being filled; finish makes Constraints of it. Every add_... returns the index of the constraint.",
    "Constraints": "This one is finished; its clones share it.",
    "Workspace": "What returns a vector allocates it; what ends in _into writes into slices of yours and allocates nothing, but for "
    "the message of an error. It may move to another thread, and is not shared by threads.",
    "Batch": "Arrays have the numbers of one state after those of another: q is states x nq. An input of the numbers of one state is "
    "the same for all; States may also be apart. Without joints a state has no numbers, and a call is of one. A state that fails "
    "spoils only itself: nothing is written for it, its status is negative, and the call returns an error when the others are "
    "done; the _into forms keep what was computed.",
}
# tenon.h: a model and a finished set are immutable, and any number of threads may read them; the rest is of one thread at a
# time, any thread.
SHARED = {"tenon_model": "Model", "tenon_constraints": "Constraints"}
HANDLE = """
pub(crate) struct {camel}Handle(pub(crate) *mut sys::{raw});

impl Drop for {camel}Handle {{
    fn drop(&mut self) {{ unsafe {{ sys::{destroy}(self.0) }} }}
}}

unsafe impl Send for {camel}Handle {{}}"""
POINTERS = """/// The handle, for the functions of [`sys`].
pub fn as_{mut}ptr(&{mut_}self) -> *{kind} sys::{raw} {{ self.handle.0 }}

pub(crate) fn raw(&self) -> *{kind} sys::{raw} {{ self.handle.0 }}"""
FROM_RAW = """/// Takes over one that raw calls made.
///
/// # Safety
/// The handle is good, nobody else destroys it, and its callbacks may be called by any thread.
pub unsafe fn from_raw(made: *mut sys::{raw}) -> Self {{ Self::owned(made) }}"""
FINISH = """/// {about}
pub fn {name}(mut self) -> Result<{to}> {{
    self.{call}()?;
    Ok({to} {{ handle: Arc::new(self.handle), model: self.model }})
}}"""
COMPUTING = """pub fn with_constraints(constraints: &Constraints, options: &{options}) -> Result<Self> {{
    Self::create(constraints.model(), constraints, {given})
}}

/// For one robot without constraints.
pub fn new(model: &Model, options: &{options}) -> Result<Self> {{
    Self::with_constraints(&ConstraintSet::new(model)?.finish()?, options)
}}

pub fn model(&self) -> &Model {{ self.constraints.model() }}

/// Those it was made with; none are a set without any.
pub fn constraint_set(&self) -> &Constraints {{ &self.constraints }}

pub(crate) fn done(&self, status: i32) -> Result<Status> {{
    self.status.set(Status(status));
    checked(status, || self.message())
}}"""
OF_ONE = """/// Of the last computation: OK, or which caveat its answer has.
pub fn status(&self) -> Status { self.status.get() }

pub fn zeros(&self) -> Vec<f64> { vec![0.0; self.nv()] }"""
OF_STATES = """/// Of each state of the last call.
pub fn status(&self) -> impl Iterator<Item = Status> + '_ { self.statuses.iter().map(|&status| Status(status)) }

/// The statuses of as many states are written from here on.
pub(crate) fn begin(&mut self, states: usize) -> Result<()> {
    self.statuses.clear();
    self.statuses.try_reserve_exact(states).map_err(|_| too_many(&[states]))?;
    self.statuses.resize(states, 0);
    Ok(())
}

pub(crate) fn statuses(&mut self) -> *mut i32 { self.statuses.as_mut_ptr() }"""


def type_of(kind, about, fields, blocks, shared):
    """A struct and its methods; fields: (name, type)."""
    name, generic = kind.removesuffix("<T>"), "<T: Real>" if "<T>" in kind else ""
    out = ["", doc(f"{about} {ABOUT[name]}".strip()), *(["#[derive(Clone)]"] if shared else [])]
    out += [f"pub struct {name}{'<T: Real = f64>' if generic else ''} {{", *(f"    {n}: {t}," for n, t in fields), "}"]
    lines = "\n\n".join(blocks).split("\n")
    return [*out, "", f"impl{generic} {kind} {{", *("    " + line if line else "" for line in lines), "}"]


def stepped(api, own):
    """One method for functions whose names end in the constants of a kind, without what is returned."""
    for choice in (shapes.Choice(*each) for each in shapes.chosen(api, own)):
        values, kind = choice.values, pascal(choice.enum["name"])
        writer = Writer(api, values[0][1].method)
        shown = {a.c["name"] for a in choice.needed + choice.options}
        given = [writer.values[a.c["name"]].given for a in choice.needed]
        given += [f"by: {kind}", *(writer.values[a.c["name"]].given for a in choice.options)]
        passed = ", ".join(n if n in shown else "None" for n in writer.shown())
        cases = [f"        {kind}::{pascal(v)} => self.{c.name}_into({passed})," for v, c in values[1:]]
        cases += [f"        _ => self.{values[0][1].name}_into({passed}),"]
        head = f"pub fn {choice.name}(\n    &mut self, {', '.join(given)},\n) -> Result<Status> {{"
        about = f"/// By a method of choice: {' and '.join(choice.changed)} change in place."
        yield "\n".join([about, head, "    match by {", *cases, "    }", "}"])


def klass(api, handle, calls):
    raw, shared = handle["name"], SHARED.get(handle["name"])
    own = [c for c in calls if c.owner == raw]
    parts = [n for n, _ in shapes.made_from(own)]
    about = handle["comment"][:1].upper() + handle["comment"].split("\n")[0][1:]
    once = next((c for c in own if c.c in shapes.ONCE), None)
    kind = "ConstraintSet" if once else OBJECTS[raw]
    held, words = f"{camel(raw)}Handle", {"raw": raw, "camel": camel(raw), "destroy": handle["destroy"]}
    out = [HANDLE.format(**words), *([f"unsafe impl Sync for {held} {{}}"] if shared else [])]
    arc = "Arc::new({})" if shared and not once else "{}"
    fields = [("pub(crate) handle", held if arc == "{}" else f"Arc<{held}>", arc.format(f"{held}(made)"))]
    fields += [(n, camel("tenon_" + n), n) for n in parts[-1:]]
    if raw in layers.KEEP_MESSAGES:
        fields += [("status", "Cell<Status>", "Cell::new(Status::OK)")]
    if shapes.codes(own):
        fields += [("statuses", "Vec<i32>", "Vec::new()"), ("real", "PhantomData<T>", "PhantomData")]
    given = ", ".join([f"made: *mut sys::{raw}", *(f"{n}: {camel('tenon_' + n)}" for n in parts[-1:])])
    values = ", ".join(n if n == v else f"{n.split()[-1]}: {v}" for n, _, v in fields)
    blocks = [f"pub(crate) fn owned({given}) -> Self {{\n    {kind.removesuffix('<T>')} {{ {values} }}\n}}"]
    read = POINTERS.format(**words, mut="", mut_="", kind="const")
    changed = POINTERS.format(**words, mut="mut_", mut_="mut ", kind="mut")
    blocks += [changed if arc == "{}" else read]
    if not any(c.creates for c in own):
        blocks += [FROM_RAW.format(raw=raw)]
    if raw in layers.KEEP_MESSAGES:
        options = camel(raw) + "Options"
        precise = "&options.clone().precision(T::PRECISION)" if "<T>" in kind else "options"
        blocks += [COMPUTING.format(options=options, given=precise), OF_STATES if shapes.codes(own) else OF_ONE]
    for thing, part, index in shapes.finders(calls, raw):
        path = f"self.{part}.{index}" if part == parts[-1] else f"self.{part}().{index}"
        head = f"pub(crate) fn {thing}_index<'a>(&self, {thing}: impl Into<Which<'a>>) -> Result<i32>"
        blocks += [f"{head} {{ {path}({thing}) }}"]
    blocks += stepped(api, own)
    if once:
        to = SHARED[raw]
        blocks += [FINISH.format(about=shapes.ONCE[once.c].split(";")[0] + ".", name=once.name, to=to, call="finish_now")]
        finished = [("pub(crate) handle", f"Arc<{held}>"), ("model", "Model")]
        model = "pub fn model(&self) -> &Model { &self.model }"
        out += type_of(to, about, finished, [model, read], True)
    return out + type_of(kind, "" if once else about, [f[:2] for f in fields], blocks, shared and not once)


def files(api):
    out, calls = [HEAD % MARK], list(shapes.calls(api))
    for handle in api["handles"]:
        out += klass(api, handle, calls)
    return {"rust/tenon/src/objects.rs": "\n".join([*out, ""]).replace("\n\n\n", "\n\n")}
