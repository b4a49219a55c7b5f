"""Rust, the layer: what each function is as a method, on the objects of objects.rs, and structs of what it returns.

A function that fills arrays is there twice: NAME_into writes into slices and views of the caller and takes every argument,
in the order of C; NAME allocates what it returns."""

from . import layers, shapes
from .common import MARK, camel, listed, pascal
from .meanings import COUNTS, FLAGS, NEEDS, RESULTS, described, turns
from .rust import SCALARS, doc
from .shapes import FIXED, Form

HEAD = """#![allow(non_snake_case)]
#![allow(clippy::too_many_arguments)]
use crate::constants::*;
use crate::glue::*;
use crate::matrix::{Matrix, MatrixMut, MatrixRef};
use crate::objects::*;
use crate::states::{at, Real, States, StatesMut};
use crate::structs::*;
use crate::support::*;
use crate::{sys, Status};
use std::ptr;
"""
OBJECTS = {
    "tenon_model": "Model",
    "tenon_builder": "Builder",
    "tenon_constraints": "Constraints",
    "tenon_workspace": "Workspace",
    "tenon_batch": "Batch<T>",
}
# What has a shorter or more usual name here.
NAMES = {
    "tenon_version": "version_number",
    "tenon_version_string": "version",
    "tenon_model_load_urdf": "load",
    "tenon_model_parse_urdf": "parse",
    "tenon_model_link_info": "link",
    "tenon_model_joint_info": "joint",
    "tenon_builder_create": "new",
    "tenon_builder_load_urdf": "load",
    "tenon_builder_parse_urdf": "parse",
    "tenon_constraints_create": "new",
    "tenon_constraints_finish": "finish_now",
    "tenon_constraints_constraint_count": "count",
    "tenon_constraints_find_constraint": "find",
    "tenon_link_jacobian": "jacobian",
    "tenon_workspace_clone": "try_clone",
    "tenon_batch_clone": "try_clone",
    **COUNTS,
    "tenon_constrained_dynamics": "constrained_dynamics_of",
    "tenon_batch_constrained_dynamics": "constrained_dynamics_of",
}
# These are called by methods of objects.rs.
PRIVATE = {"tenon_workspace_create", "tenon_batch_create", "tenon_constraints_finish"}
# What several outputs are together.
RETURNED = {
    "tenon_constrained_dynamics": "Motion",
    "tenon_constraint_rows": "RowValues",
    "tenon_workspace_constraint_settings": "RowSettings",
    "tenon_workspace_constraints": "ConstraintsSettings",
    "tenon_batch_constrained_dynamics": "Motions",
    "tenon_batch_rollout": "Records",
}
KEYWORDS = {"in": "given", "type": "kind", "loop": "loop_index", "where": "place"}


def name_of(name):
    return KEYWORDS.get(name, name)


def unindented(lines):
    return [line[4:].replace("\n    ///", "\n///") for line in lines]


class Writer(Form):
    by_hand = ("tenon_builder_add_implicit",)  # callbacks.rs
    message_size, product = "message_size", "numbers(&[{}])?"
    first = r"let (\w+) = \1\.into\(\);|.*\.(columns|rows)\(\);|self\.begin"
    name_of = staticmethod(name_of)

    def object(self):
        return "self.raw()"

    def raw(self):
        return "sys::" + self.c_name

    def known(self):
        model = "self." if self.m.owner == "tenon_model" else "self.model()."
        other = "direction == Direction::ToOther"
        return {
            "nq": "self.nq()",
            "nv": "self.nv()",
            "every nq": model + "nq()",
            "every nv": model + "nv()",
            "spanning nv": model + "nv()",
            "ny": model + "ny()",
            "nyq": model + "nyq()",
            "m": "self.m()",
            "links": model + "link_count()",
            "parameters": f"10 * {model}link_count()",
            "loop rows": model + "loop_row_count()",
            "ratios": model + "ratio_count()",
            "rows of it": "size(self.constraint_set().constraint_info(constraint)?.row_count)",
            # Another library has positions and velocities of every joint.
            "converted q": f"if {other} {{ {model}convention_nq(convention) }} else {{ self.nq() }}",
            "converted v": f"if {other} {{ {model}nv() }} else {{ self.nv() }}",
            "constraints": "self.constraint_set().count()",
            "triangle": "numbers(&[self.nv(), self.nv() + 1])? / 2",
            "solution": "self.nv() + self.m()",
            "columns": "columns",
            "states": "states",
            "capacity": "size(capacity)",
            "link_count": "links.len()",
            "loads": "6 * links.len()",
            "row_count": "K_rows",
            "dependent": "dependent.1.len()",
            "independent": "independent.1.len()",
            "each step": "options.steps",
            "each record": "options.steps / options.every.max(1)",
            "each None": "1",
        }

    # ---- arguments

    def as_object(self, a, v, name, base):
        # A workspace or a batch without constraints has an empty set.
        maybe = a.null and self.m.kind != "constructor"
        v.given = f"{name}: Option<&{OBJECTS[base]}>" if maybe else f"{name}: &{OBJECTS[base]}"
        v.passed[a.name] = f"{name}.map_or(ptr::null(), |x| x.raw())" if maybe else f"{name}.raw()"

    def as_new_object(self, a, v, name, base):
        v.before, v.passed[a.name] = ["let mut made = ptr::null_mut();"], "&mut made"

    def as_struct(self, a, v, name, base):
        if self.told(a):
            v.before = [f"let mut {name} = prepared!({base}, {self.structs[base]['init']});"]
            v.passed[a.name], v.type, v.result = f"&mut {name}", camel(base), f"{camel(base)}::of(&{name})"
            return
        generic, more = ("<'_, T>", ", self, states") if self.borrows(base) else ("", "")
        v.given = f"{name}: &{camel(base)}{generic}"
        v.before = ["let mut kept = Kept::default();", f"let {name}_raw = {name}.raw(&mut kept{more})?;"]
        v.passed[a.name] = f"&{name}_raw"

    def as_array(self, a, v, name, base):
        count, out = a.c.get("count"), a.role != "in"
        if self.own_status(a):
            v.before, v.passed = ["self.begin(states)?;"], {a.name: "self.statuses()", count: "states"}
            return
        kind = f"&mut [{SCALARS[base]}]" if out else f"&[{SCALARS[base]}]"
        v.given = f"{name}: Option<{kind}>" if a.null else f"{name}: {kind}"
        parts = f"{name}.as_mut_ptr()" if out else f"{name}.as_ptr()", f"{name}.len()"
        if a.null:
            v.before = [f"let ({name}_at, {name}_count) = {'written' if out else 'list'}({name});"]
            parts = f"{name}_at", f"{name}_count"
        v.passed = dict(zip((a.name, count), parts))

    def as_matrix(self, a, v, name, base):
        kind = "MatrixRef" if a.role == "in" else "MatrixMut"
        v.lifetime = True
        v.given = f"{name}: Option<{kind}<'a>>" if a.null else f"{name}: impl Into<{kind}<'a>>"
        given = name if a.null else f"Some({name}.into())"
        # Whose columns or rows tell how many there are becomes a view before.
        if name == self.columns():
            v.before, given = [f"let {name} = {name}.into();", f"let columns = {name}.columns();"], f"Some({name})"
        if self.has("row_count"):
            v.before, given = [f"let {name} = {name}.into();", f"let {name}_rows = {name}.rows();"], f"Some({name})"
            v.before += [f"let row_count = count_of({name}_rows)?;"]
        v.before += [f'let {name} = {kind}::parts({given}, "{name}", {self.shape(a)})?;']
        v.passed = {a.name: f"{name}.0", a.c["count"]: f"{name}.1", a.leading_dimension: f"{name}.2"}

    def shape(self, a):
        """Rows and columns of a matrix; of one that options say is row-major the transpose."""
        shape = f"({', '.join(self.sizes(a))})"
        return f"options.turned({shape})" if turns(self.m, a) else shape

    def as_batch_array(self, a, v, name, base):
        kind = "States" if a.role == "in" else "StatesMut"
        v.lifetime = True
        v.given = f"{name}: Option<{kind}<'a, T>>" if a.null else f"{name}: impl Into<{kind}<'a, T>>"
        arguments = f'"{name}", {self.number(a)}, states, {self.records(a)}'
        if a.null:
            v.before = [f"let {name} = match {name} {{ Some(x) => Some(x.raw({arguments})?), None => None }};"]
        else:
            v.before = [f"let {name} = {name}.into().raw({arguments})?;"]
        v.passed[a.name] = f"at(&{name})" if a.null else f"&{name}"

    def as_text(self, a, v, name, base):
        if "count" in a.c:
            v.given, v.before = f"{name}: impl AsRef<[u8]>", [f"let {name} = {name}.as_ref();"]
            v.passed = {a.name: f"{name}.as_ptr().cast()", a.c["count"]: f"{name}.len()"}
            return
        path = name == "path"
        v.given = f"{name}: impl AsRef<str>" if path else f"{name}: &str"
        v.before = [f"let {name} = c_text({name}{'.as_ref()' if path else ''})?;"]
        v.passed[a.name] = f"{name}.as_ptr()"

    def as_texts(self, a, v, name, base):
        v.given, v.before = f"{name}: &[&str]", [f"let {name} = c_texts({name})?;"]
        v.passed = {a.name: f"{name}.1.as_ptr()", a.c["count"]: f"{name}.1.len()"}

    def as_text_buffer(self, a, v, name, base):
        v.passed = {a.name: "room", a.c["count"]: "room_size"}

    def as_result(self, a, v, name, base):
        if self.texted():
            v.passed[a.name] = "needed"
            return
        enum = self.constants(a)
        v.type = pascal(enum) if enum else SCALARS[base]
        v.before = [f"let mut {name} = {'0.0' if base == 'double' else '0'};"]
        v.passed[a.name], v.result = f"&mut {name}", f"{v.type}({name})" if enum else name

    def as_value(self, a, v, name, base):
        enum, named = self.constants(a), a.name in ("link", "second_link", "joint", "constraint")
        v.given, v.passed[a.name] = f"{name}: {SCALARS.get(base, 'Status')}", name
        if enum or base == "tenon_status":
            v.given, v.passed[a.name] = f"{name}: {pascal(enum) if enum else 'Status'}", f"{name}.0"
        elif a.name in FLAGS:
            v.given, v.passed[a.name] = f"{name}: bool", f"{name}.into()"
        elif named and self.m.status:
            v.lifetime, v.given = True, f"{name}: impl Into<Which<'a>>"
            find = "index" if self.m.owner == "tenon_constraints" else "constraint_index"
            v.before = [f"let {name} = self.{find if name == 'constraint' else name.split('_')[-1] + '_index'}({name})?;"]
        elif a.name == "row_count":
            v.given = None
        elif a.name == "columns":
            v.given, v.passed[a.name] = "columns: usize" if self.batch else None, "column_count"
            v.before = ["let column_count = count_of(columns)?;"]

    # ---- methods

    def name(self):
        return NAMES.get(self.c_name, self.m.name)

    def into(self):
        return self.name().replace("_of", "") + "_into" if self.m.name == "constrained_dynamics" else self.name() + "_into"

    def signature(self, name, given, result):
        own = [] if not self.bound else ["&self" if self.f["arguments"][0]["const"] else "&mut self"]
        generic = "<'a>" if any("'a" in each for each in given) else ""
        public = "pub(crate) " if self.c_name in PRIVATE else "pub "
        given = [each.replace(" ", "\u00a0") for each in given]  # a type stays on one line
        text = listed([*own, *given], f"    {public}fn {name}{generic}(", f") -> {result} {{", "        ")
        return text.replace("\u00a0", " ")

    def method(self, name, given, result, lines, shown):
        brief, notes = described(self.f, shown)
        text = [doc(brief, "    "), *(["    ///"] if notes else [])]
        text += [doc(f"* `{name_of(n)}`: {note}", "    ").replace("\n    /// ", "\n    ///   ") for n, note in notes]
        text += ["    ///", f"    /// In C `{self.c_name}`, whose block in the header tells all."]
        return [*text, self.signature(name, given, result), *("        " + line for line in lines), "    }", ""]

    def checked(self, status):
        """The call, and its error; status: whether it is asked for."""
        call, where = self.call(), self.m.message
        if where == "argument":
            text = f"call(|message, message_size| unsafe {{ {call} }})"
        elif where:
            return [f"let code = unsafe {{ {call} }};", "let status = self.done(code)?;" if status else "self.done(code)?;"]
        else:
            numbers = [name_of(a.name) for a in self.m.arguments if a.kind == "value"]
            words = ", ".join(f"{n} {{{n}:?}}" for n in numbers)
            words = f'format!("{words}")' if words else f'"{self.m.name}".to_string()'
            text = f"checked(unsafe {{ {call} }}, || {words})"
        return [f"let status = {text}?;" if status else f"{text}?;"]

    def full(self):
        """All arguments, in the order of C."""
        names, results, lines = self.shown(), self.results(), self.before()
        given = [self.values[n].given for n in names]
        if self.texted():
            asked = self.checked(False)[0][:-2]  # without ?;
            lines += [f"grown(|room, room_size, needed| {asked})"]
            return self.method(self.name(), given, "Result<String>", lines, names)
        lines += self.checked(not results and not self.m.makes)
        if self.m.makes:
            made = {"tenon_constraints": "ConstraintSet"}.get(self.m.makes, OBJECTS[self.m.makes])
            kept = [f"{a.name}.clone()" for a in self.m.arguments if a.kind == "object"][-1:]
            kept = ["self.constraint_set().clone()"] if self.cloning else kept
            answer, result = f"{made.split('<')[0]}::owned({', '.join(['made', *kept])})", made
        elif results:
            answer, result = ", ".join(v.result for _, v in results), ", ".join(v.type for _, v in results)
            answer, result = (f"({answer})", f"({result})") if len(results) > 1 else (answer, result)
        else:
            answer, result = "status", "Status"
        name = self.into() if self.arrays() else self.name()
        return self.method(name, given, f"Result<{result}>", [*lines, f"Ok({answer})"], names)

    def made(self, a):
        """The type of an output that is allocated, its first value, and how it is handed on."""
        name, sizes = name_of(a.name), self.sizes(a)
        scalar = "T" if a.kind == "batch_array" else SCALARS[a.c["base"]]
        if a.kind == "matrix":
            kind, value, passed = "Matrix", f"Matrix::sized({self.shape(a)})?", f"MatrixMut::from(&mut {name})"
        elif a.length in FIXED and a.kind == "array":
            kind, passed = f"[{scalar}; {a.length}]", f"&mut {name}"
            value = f"[{'0.0' if scalar == 'f64' else '0'}; {a.length}]"
        else:
            if a.kind == "batch_array":
                sizes = ["states", *([] if self.records(a) == "1" else [self.records(a)]), *sizes]
            kind, value = f"Vec<{scalar}>", f"zeros(&[{', '.join(sizes)}])?"
            passed = f"StatesMut::from(&mut {name})" if a.kind == "batch_array" else f"&mut {name}"
        needs = NEEDS.get((self.c_name, a.name))
        if needs:
            none = "Matrix::sized((0, 0))?" if kind == "Matrix" else "Vec::new()"
            value = f"if {needs}.is_some() {{ {value} }} else {{ {none} }}"
            return kind, value, f"if {needs}.is_some() {{ Some({passed}) }} else {{ None }}"
        return kind, value, f"Some({passed})" if a.null else passed

    def allocating(self):
        """Without the arrays that it returns."""
        arrays, wanted = {a.name for a in self.arrays()}, self.wanted()
        shown = [n for n in self.shown() if n not in arrays and not (n == "states" and self.by_q())]
        given = [self.values[n].given for n in shown]
        lines = []
        if self.by_q():
            given = [g.replace("impl Into<States<'a, T>>", "&[T]").replace("States<'a, T>", "&[T]") for g in given]
            lines += ['let states = states_of("q", q, self.nq())?;']
        lines += [line for n in shown if "Which<" in self.values[n].given for line in self.values[n].before]
        if self.columns():
            lines += [f"let {self.columns()} = {self.columns()}.into();", f"let columns = {self.columns()}.columns();"]
        made = {a.name: self.made(a) for a in wanted}
        lines += [f"let mut {name_of(n)}: {kind} = {value};" for n, (kind, value, _) in made.items()]
        passed = []
        for a in self.m.arguments:
            if not self.values[a.name].given:
                continue
            if a.name in arrays:
                passed.append(made[a.name][2] if a.name in made else "None")
            else:
                mapped = self.by_q() and a.kind == "batch_array" and a.null
                passed.append(name_of(a.name) + (".map(States::from)" if mapped else ""))
        inner, results = f"self.{self.into()}({', '.join(passed)})?;", [n for n, _ in self.results()]
        fields = [(n, v.type) for n, v in self.results()] + [(name_of(n), kind) for n, (kind, _, _) in made.items()]
        if len(fields) == 1:
            result, answer = fields[0][1], fields[0][0]
            lines += [inner]
        else:
            got = f"({', '.join(results)})" if len(results) > 1 else (results or ["status"])[0]
            lines += [f"let {got} = {inner}", *(["let status = self.status();"] if results else [])]
            fields.append(("status", "Status"))
            self.fields = [(n[:-4] if n.endswith("_out") else n, kind) for n, kind in fields]
            short = ", ".join(n if n == own else f"{own}: {n}" for (n, _), (own, _) in zip(fields, self.fields))
            answer, result = f"{self.returned()} {{ {short} }}", self.returned() + "<T>" * self.batch
        shown += [a.name for a in wanted]
        return self.method(self.name(), given, f"Result<{result}>", [*lines, f"Ok({answer})"], shown)

    def short(self):
        """Of a method whose name ends in _of: without options and what may be absent, which are the defaults and none."""
        name, given, passed = self.name().removesuffix("_of"), [], []
        if name == self.name():
            return []
        arrays = {a.name for a in self.arrays()}
        for a in self.m.arguments:
            v = self.values[a.name]
            if not v.given or a.name in arrays or a.name == "states" and self.by_q():
                continue
            absent = f"&{camel(a.c['base'])}::new()" if a.kind == "struct" else "None" if a.null else None
            passed.append(absent or name_of(a.name))
            given += [] if absent else [v.given.replace("impl Into<States<'a, T>>", "&[T]")]
        result = self.returned() + "<T>" * self.batch
        return [f"    /// [`Self::{self.name()}`] by the options of the library, of what has to be given alone.",
                self.signature(name, given, f"Result<{result}>"), f"        self.{self.name()}({', '.join(passed)})", "    }", ""]  # fmt: skip

    def lookup(self):
        """Behind find_link: link_index, of an index or a name."""
        of = self.m.name.removeprefix("find_")
        if of == self.m.name or not any(a.kind == "text" for a in self.m.arguments) or not self.bound:
            return []
        name = "index" if self.m.owner == "tenon_constraints" else f"{of}_index"
        text = [f"    /// The index of a {of}, which its name may tell: [`Self::{self.name()}`]."]
        text += [self.signature(name, [f"{of}: impl Into<Which<'a>>"], "Result<i32>"),
                 f"        {of}.into().find(|name| self.{self.name()}(name))", "    }", ""]  # fmt: skip
        return text

    def returned(self):
        return RETURNED.get(self.c_name) or "Batch" * self.batch + camel("tenon_" + self.m.name)

    def several(self):
        """The struct of what is returned."""
        notes = {name_of(a.name): a.note for a in self.m.arguments} | {"status": "OK, or a caveat."}
        out = [doc(f"What `{self.name()}` returns."), "#[derive(Clone, Debug, PartialEq)]"]
        out += [f"pub struct {self.returned()}{'<T>' * self.batch} {{"]
        for name, kind in self.fields:
            note = notes.get(name) or notes.get(name + "_out")
            out += [doc(note, "    ")] if note else []
            out += [f"    pub {name}: {kind},"]
        return [*out, "}", ""]

    def getter(self):
        """What returns a number or a text, not a status."""
        names, base, kind = self.shown(), self.f["result"]["base"], RESULTS.get(self.m.name)
        call = f"unsafe {{ {self.call()} }}"
        if base == "char":
            result, body = "String", f"text({call})"
        elif kind:
            result, body = pascal(kind), f"{pascal(kind)}({call})"
        elif self.m.name in FLAGS:
            result, body = "bool", f"1 == {call}"
        elif base == "int32_t" and self.m.name not in ("version", "root_link"):
            result, body = "usize", f"size({call})"
        else:
            result, body = SCALARS[base], call
        return self.method(self.name(), [self.values[n].given for n in names], result, [*self.before(), body], names)

    def written(self):
        """The methods, and the struct that one returns."""
        if not self.m.status and not self.m.makes:
            out = self.getter()
        else:
            out = self.full()
            out += [*self.allocating(), *self.short()] if self.arrays() else []
            out += self.lookup()
        return unindented(out) if not self.m.owner else out, self.several() if hasattr(self, "fields") else []


def files(api):
    parts, more = {}, []
    for m in layers.methods(api):
        if m.kind in ("destructor", "init") or m.function["name"] in Writer.by_hand:
            continue
        out, structs = Writer(api, m).written()
        fills = m.owner == "tenon_constraints" and (m.kind == "constructor" or not m.function["arguments"][0]["const"])
        parts.setdefault("ConstraintSet" if fills else OBJECTS.get(m.owner), []).extend(out)
        more += structs
    for things, count, one in shapes.lists(list(shapes.calls(api)), "tenon_model"):
        of = f"(0..self.{count}() as i32).map(|i| self.{one}(i)).collect()"
        words = f"    /// All of [`Model::{one}`], by index."
        parts["Model"] += [words, f"    pub fn {things}(&self) -> Vec<String> {{ {of} }}", ""]
    text = [f"// {MARK}", HEAD, *parts.pop(None)]
    for kind, lines in parts.items():
        text += [f"impl{'<T: Real>' if '<T>' in kind else ''} {kind} {{", *lines, "}", ""]
    return {"rust/tenon/src/calls.rs": "\n".join([*text, *more]).replace("\n\n}", "\n}")}
