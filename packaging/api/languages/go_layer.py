"""Go, the layer: what each function is as a method, on the objects of go_objects.py.

A function that fills arrays is there twice: NameInto writes into slices and matrices of the caller and takes every argument,
in the order of C; Name allocates what it returns."""

import os

from . import layers, meanings, shapes
from .common import camel, comment
from .go import MOST
from .go_structs import HEAD, public
from .meanings import COUNTS, FLAGS, NEEDS, RESULTS, described
from .shapes import FIXED, Form

IMPORTS = 'import (\n\t"fmt"\n\t"runtime"\n\t"unsafe"\n\n\t"tenon/raw"\n)'
# What has a shorter or more usual name here; those that methods by hand call are not public.
NAMES = {
    **{c: name.capitalize() for c, name in COUNTS.items()},
    "tenon_version": "VersionNumber",
    "tenon_version_string": "version",
    "tenon_model_load_urdf": "LoadModel",
    "tenon_model_parse_urdf": "ParseModel",
    "tenon_model_link_info": "Link",
    "tenon_model_joint_info": "Joint",
    "tenon_model_find_link": "LinkIndex",
    "tenon_model_find_joint": "JointIndex",
    "tenon_builder_find_link": "LinkIndex",
    "tenon_builder_create": "NewBuilder",
    "tenon_builder_load_urdf": "LoadBuilder",
    "tenon_builder_parse_urdf": "ParseBuilder",
    "tenon_constraints_create": "NewConstraints",
    "tenon_constraints_constraint_count": "Count",
    "tenon_constraints_find_constraint": "Index",
    "tenon_workspace_create": "NewWorkspace",
    "tenon_link_jacobian": "Jacobian",
    "tenon_batch_create": "NewBatch",
}
KEYWORDS = {"in": "given", "type": "kind", "range": "span", "func": "function", "map": "table"}
OWN = {"tenon_model": "m", "tenon_builder": "b", "tenon_constraints": "c", "tenon_workspace": "w", "tenon_batch": "b"}
NUMBERS = {"double": "float64", "uint64_t": "uint64", "size_t": "int", "int32_t": "int", "tenon_status": "Status"}


def name_of(name):
    """position_error: positionError."""
    first, *rest = KEYWORDS.get(name, name).split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def grouped(pairs):
    """(name, type): a, b []float64, c int."""
    same = [place + 1 < len(pairs) and pairs[place + 1][1] == kind for place, (_, kind) in enumerate(pairs)]
    return ", ".join(name if alike else f"{name} {kind}" for alike, (name, kind) in zip(same, pairs))


class Writer(Form):
    by_hand = ("tenon_builder_add_implicit",)  # callbacks.go
    message_size, product, first = "messageSize", "held.product({})", r".*columns\(\)|.*\.rows\(\)|held\.states|b\.begin"
    name_of = staticmethod(name_of)

    def own(self):
        return OWN.get(self.m.owner, "")

    def object(self):
        return self.own() + ".handle"

    def raw(self):
        return "raw." + camel(self.c_name)

    def before(self):
        many = len(self.f["arguments"])
        refused = f'held.fail(Unsupported, "{self.c_name} takes {many} arguments, and Go passes {MOST}")'
        return [*([refused] if many > MOST else []), *super().before()]

    def known(self):
        o = self.own()
        independent = f"{o}.N{{}}()" if self.m.owner == "tenon_model" else f"{o}.n{{}}"
        return {
            "nq": f"{o}.Nq()",
            "nv": f"{o}.Nv()",
            "every nq": f"{o}.nq",
            "every nv": f"{o}.nv",
            "spanning nv": f"{o}.nv",
            "ny": independent.format("y"),
            "nyq": independent.format("yq"),
            "m": f"{o}.M()",
            "links": f"{o}.links",
            "parameters": f"10*{o}.links",
            "loop rows": f"{o}.loopRows",
            "ratios": f"{o}.ratios",
            "rows of it": f"{o}.rowsOf(constraint)",
            "converted q": f"{o}.convertedNq(convention, direction)",
            "converted v": f"{o}.convertedNv(direction)",
            "constraints": f"len({o}.rows)",
            "triangle": f"{o}.Nv()*({o}.Nv()+1)/2",
            "solution": f"({o}.Nv()+{o}.M())",
            "columns": "columns",
            "states": "states",
            "capacity": "max(capacity, 0)",
            "link_count": "len(links)",
            "loads": "6*len(links)",
            "row_count": "rowCount",
            "dependent": "len(dependent)",
            "independent": "len(independent)",
            "each step": "options.steps()",
            "each record": "options.records()",
            "each None": "1",
        }

    # ---- arguments

    def as_object(self, a, v, name, base):
        v.given = f"*{camel(base)}"
        v.before = [f"{name}Handle := {name}.alive(&held)", f"defer runtime.KeepAlive({name})"]
        if a.null and self.m.makes:  # a set has the rows of the model's loops, also where there is no other constraint
            v.before = [f"set, s, err := systemOf(model, {name})\n\tif err != nil {{\n\t\treturn nil, err\n\t}}"]
            v.before += [f"if {name} == nil {{\n\t\tdefer set.Close()\n\t}}"]
            v.before += [f"{name}Handle := set.alive(&held)", f"defer runtime.KeepAlive({name})"]
        elif a.null:
            there = f"{name}Handle = {name}.alive(&held)"
            v.before[0] = f"var {name}Handle *raw.{camel(base)}\n\tif {name} != nil {{\n\t\t{there}\n\t}}"
        v.passed[a.name] = name + "Handle"

    def as_new_object(self, a, v, name, base):
        v.before, v.passed[a.name] = [f"var made *raw.{camel(base)}"], "&made"

    def as_struct(self, a, v, name, base):
        kind = camel(base)
        if self.told(a):
            v.before = [f"{name} := ready(raw.{camel(self.structs[base]['init'])})"]
            v.passed[a.name], v.type, v.result = "&" + name, kind, f"told{kind}(&{name})"
            return
        generic, more = ("[T]", ", b, states") if self.borrows(base) else ("", "")
        precise = "precise[T](options)" if self.batch and self.m.makes else name
        v.given, v.before = f"*{kind}{generic}", [f"{name}Raw := {precise}.raw(&held{more})"]
        v.passed[a.name] = name + "Raw"

    def as_array(self, a, v, name, base):
        count = a.c.get("count")
        if self.own_status(a):
            v.before = ["b.begin(&held, states)"]
            v.passed = {a.name: "unsafe.SliceData(b.status)", count: "uintptr(len(b.status))"}
            return
        v.given = "[]float64" if base == "double" else "[]int32"
        v.passed = {a.name: f"unsafe.SliceData({name})", count: f"uintptr(len({name}))"}

    def as_matrix(self, a, v, name, base):
        v.given = "*Matrix"
        v.before = [f"columns := {name}.columns()"] if name == self.columns() else []
        v.before += [f"rowCount := {name}.rows()"] if self.has("row_count") else []
        parts = f"{name}At, {name}Count, {name}Lead"
        rows, columns = self.sizes(a)
        if meanings.turns(self.m, a):
            v.before += [f"{name}Rows, {name}Columns := options.turned({rows}, {columns})"]
            rows, columns = f"{name}Rows", f"{name}Columns"
        v.before += [f'{parts} := {name}.parts(&held, "{name}", {rows}, {columns})']
        v.passed = dict(zip((a.name, a.c["count"], a.leading_dimension), parts.split(", ")))

    def as_batch_array(self, a, v, name, base):
        v.given, written = "States[T]", str(a.role != "in").lower()
        array = f'array(&held, "{name}", {name}, {self.number(a)}, states, {self.records(a)}, {written})'
        v.before = [f"{name}Raw := {array}"]
        if a.null:
            v.before = [f"var {name}Raw *raw.BatchArray\n\tif {name}.Data != nil {{\n\t\t{name}Raw = {array}\n\t}}"]
        v.passed[a.name] = name + "Raw"

    def as_text(self, a, v, name, base):
        if "count" in a.c:
            v.given = "[]byte"
            v.passed = {a.name: f"unsafe.SliceData({name})", a.c["count"]: f"uintptr(len({name}))"}
        else:
            v.given, v.before, v.passed[a.name] = "string", [f"held.plain({name})"], name

    def as_texts(self, a, v, name, base):
        v.given, v.before = "[]string", [f"{name}Raw := held.texts({name})"]
        v.passed = {a.name: f"unsafe.SliceData({name}Raw)", a.c["count"]: f"uintptr(len({name}))"}

    def as_text_buffer(self, a, v, name, base):
        v.passed = {a.name: "room", a.c["count"]: "roomSize"}

    def as_result(self, a, v, name, base):
        if self.texted():
            v.passed[a.name] = "needed"
            return
        enum, there = self.constants(a), name + "Raw"
        v.type = public(enum) if enum else NUMBERS[base]
        v.before = [f"var {there} {'float64' if base == 'double' else 'int32'}"]
        v.passed[a.name], v.result = "&" + there, there if base == "double" else f"{v.type}({there})"

    def as_value(self, a, v, name, base):
        enum = self.constants(a)
        v.given, v.passed[a.name] = public(enum) if enum else NUMBERS[base], name
        if enum or base == "tenon_status":
            v.passed[a.name] = f"int32({name})"
        elif a.name in FLAGS:
            v.given, v.passed[a.name] = "bool", f"number({name})"
        elif a.name == "states":
            v.before, v.passed[a.name] = ["held.states(states)"], "uintptr(states)"
        elif base == "size_t":
            v.passed[a.name] = f"uintptr({name})"
        elif base == "int32_t":
            v.passed[a.name] = f"small({name})"
        if a.name == "row_count" or a.name == "columns" and not self.batch:
            v.given = None  # of the matrix

    # ---- methods

    def name(self):
        return NAMES.get(self.c_name, public(self.m.name))

    def method(self, name, given, result, lines, shown, generic=""):
        brief, notes = described(self.f, shown)
        text = ["", comment(f"{name}: {brief}", "// "), *(["//"] if notes else [])]
        text += [comment(f"{name_of(n)}: {note}", "//   - ", "//     ") for n, note in notes]
        text += ["//", f"// In C {self.c_name}, whose block in the header tells all."]
        kind = camel(self.m.owner) + "[T]" * self.batch if self.own() else ""
        receiver = f"({self.own()} *{kind}) " if self.bound else ""
        text += [f"func {receiver}{name}{generic}({grouped(given)}) {result} {{"]
        return [*text, *("\t" + line for line in lines), "}"]

    def pairs(self, names):
        return [(name_of(n), self.values[n].given) for n in names]

    def checked(self):
        where, call = self.m.message, self.call()
        if where == "argument":
            return f"call(func(message *byte, messageSize uintptr) int32 {{\n\t\treturn {call}\n\t}})"
        if where:
            return f"{self.own()}.done({call})"
        numbers = ", ".join(name_of(a.name) for a in self.m.arguments if a.kind == "value")
        words = self.m.name.replace("_", " ")
        return f'checked({call}, {f"""fmt.Sprint("{words} ", {numbers})""" if numbers else f"{chr(34)}{words}{chr(34)}"})'

    def full(self):
        """All arguments, in the order of C. What is closed, or wrong with the arguments, is told before the call."""
        names, results = self.shown(), self.results()
        lines = ["var held kept", "defer held.free()"]
        if self.bound:
            lines += [f"{self.own()}.alive(&held)", f"defer runtime.KeepAlive({self.own()})"]
        elif not any(a.kind == "object" for a in self.m.arguments):
            lines += ["held.loaded()"]
        lines += self.before()
        made = camel(self.m.makes) + "[T]" * self.batch if self.m.makes else None
        kinds = ["string"] if self.texted() else ["*" + made] if made else [v.type for _, v in results]
        zeros = ", ".join(f"zero[{kind}]()" for kind in kinds)
        lines += ["if held.err != nil {", f"\treturn {zeros + ', ' * bool(kinds)}held.err", "}"]
        call = self.checked()
        if self.texted():
            inner = call.replace("\n", "\n\t")
            lines += [f"return grown(func(room *byte, roomSize uintptr, needed *uintptr) error {{\n\t\treturn {inner}\n\t}})"]
        elif made:
            lines += [f"if err := {call}; err != nil {{", "\treturn nil, err", "}", f"o := &{made}{{}}"]
            lines += [f"o.system = {self.own()}.system"] if self.cloning else []
            lines += ["o.system = s"] if any(a.kind == "object" and a.null for a in self.m.arguments) else []
            lines += [f"o.own(made, raw.{camel(self.m.makes)}Destroy)", "return o, nil"]
        elif results:
            lines += [f"err := {call}", f"return {', '.join(v.result for _, v in results)}, err"]
        elif self.c_name in shapes.ONCE:
            lines[:0] = [f"if {self.own()}.finished && {self.object()} != nil {{", "\treturn nil", "}"]
            lines += [f"err := {call}", f"{self.own()}.finished = err == nil", "return err"]
        else:
            lines += [f"return {call}"]
        result = f"({', '.join(kinds)}, error)" if kinds else "error"
        generic = "[T Real]" if self.m.kind == "constructor" and self.batch and not self.cloning else ""
        return self.method(self.name() + "Into" * bool(self.arrays()), self.pairs(names), result, lines, names, generic)

    def made(self, a):
        """The type of an output that is allocated, what makes it, and how it is handed on."""
        name, sizes = name_of(a.name), self.sizes(a)
        kind = "float64" if a.c["base"] == "double" else "int32"
        if a.kind == "matrix":
            shape = ", ".join(sizes)
            shape = f"options.turned({shape})" if meanings.turns(self.m, a) else shape
            return "*Matrix", f"held.matrix({shape})", name
        if a.kind == "batch_array":
            sizes = ["states", *([] if self.records(a) == "1" else [self.records(a)]), *sizes]
            return "[]T", f"zeros[T](&held, {', '.join(sizes)})", f"Of({name})"
        if a.length in FIXED:
            return f"[{a.length}]{kind}", None, name + "[:]"
        return f"[]{kind}", f"zeros[{kind}](&held, {', '.join(sizes)})", name

    def allocating(self):
        """Without the arrays that it returns."""
        arrays, wanted = {a.name for a in self.arrays()}, self.wanted()
        shown = [n for n in self.shown() if n not in arrays and not (n == "states" and self.by_q())]
        pairs = self.pairs(shown)
        lines = ["var held kept", f"{self.own()}.alive(&held)"]
        if self.by_q():
            pairs = [(name, kind.replace("States[T]", "[]T")) for name, kind in pairs]
            lines += ['states := statesOf(&held, "q", q, b.Nq())']
        elif self.has("states"):
            lines += ["held.states(states)"]
        lines += [f"columns := {self.columns()}.columns()"] if self.columns() else []
        made = {a.name: self.made(a) for a in wanted}
        for name, (_, value, _) in made.items():
            needs = NEEDS.get((self.c_name, name))
            first = f"{name_of(name)} = {value}"
            lines += [f"if {needs} != nil {{", "\t" + first, "}"] if needs else [first] if value else []
        passed = []
        for a in self.m.arguments:
            if self.values[a.name].given:
                plain = f"Of({name_of(a.name)})" if self.by_q() and a.kind == "batch_array" else name_of(a.name)
                passed.append(made[a.name][2] if a.name in made else "nil" if a.name in arrays else plain)
        results = [(n, v.type) for n, v in self.results()]
        returned = results + [(name_of(n), kind) for n, (kind, _, _) in made.items()]
        lines += ["if err = held.err; err == nil {"]
        lines += [f"\t{', '.join(n for n, _ in [*results, ('err', '')])} = {self.own()}.{self.name()}Into({', '.join(passed)})"]
        lines += ["}", f"return {', '.join(n for n, _ in returned)}, err"]
        result = f"({grouped([*returned, ('err', 'error')])})"
        return self.method(self.name(), pairs, result, lines, [*shown, *(a.name for a in wanted)])

    def getter(self):
        """What returns a number or a text, not a status."""
        names, base, kind, call = self.shown(), self.f["result"]["base"], RESULTS.get(self.m.name), self.call()
        if base == "char":
            result, body = "string", call
        elif self.m.name in FLAGS:
            result, body = "bool", f"{call} == 1"
        else:
            result = public(kind) if kind else NUMBERS[base]
            body = call if base == "double" else f"{result}({call})"
        lines = [f"defer runtime.KeepAlive({self.own()})"] if self.own() else []
        lines += [] if self.own() else ["if loaded() != nil {", f"\treturn zero[{result}]()", "}"]
        return self.method(self.name(), self.pairs(names), result, [*lines, "return " + body], names)

    def written(self):
        if not self.m.status and not self.m.makes:
            return self.getter()
        return self.full() + (self.allocating() if self.arrays() else [])


def files(api):
    out = [HEAD, IMPORTS]
    for m in layers.methods(api):
        if m.kind not in ("destructor", "init") and m.function["name"] not in Writer.by_hand:
            out += Writer(api, m).written()
    with open(os.path.join(os.path.dirname(__file__), "glue.go"), encoding="utf-8") as file:
        glue = HEAD.split("\n")[0] + "\n\n" + file.read()
    return {"go/calls.go": "\n".join([*out, ""]), "go/glue.go": glue}
