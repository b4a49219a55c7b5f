"""JavaScript, the layer on the raw declarations: classes with all methods, options and records."""

import json
import re

from . import javascript_objects, layers, meanings, shapes, spellings
from .common import MARK, enumerations, listed, narrow
from .shapes import camel, object_name

ARRAYS = {"double": "Float64Array", "int32_t": "Int32Array"}
# What may be left out beside shapes.DEFAULTS, as it always could be here.
DEFAULTS = {"tenon_random": {"seed": 1}, "tenon_workspace_set_active": {"active": 1}}
DEFAULTS["tenon_constraints_add_closure"] = {"second_link": "TENON_WORLD"}
HEAD = f"""// {MARK}
'use strict';
const s = require('./support.js');
const {{ Many }} = require('./batches.js');
const {{ Handle, Made, Matrix, lib }} = s;

"""
# What support.js has, by which it is called in what is written below.
HELPERS = (
    "buffer|check|constant|doubles|integers|lasting|leading|length|mask|nameOf|over|pointerOf|prepared|register|room|size"
)
HELPERS += "|taken|text|unknown|whole|written"
SIZES = {
    **spellings.lengths(lambda names: "this." + ".".join(map(camel, names.split(".")))),
    "rows of it": "this.set.info($.constraint).rowCount",
    "convention_nq": "(constant('direction', $.direction) === 1 ? this.model.conventionNq($.convention) : this.nq)",
}


def name_of(call):
    """Where it is a property it has another name as a method."""
    return camel(("get_" if call.c in shapes.PROPERTIES else "") + call.name)


def placed(call, api_structs):
    """The fields of options that stand in order: which links a joint or a loop is between."""
    needed = [a for a in call.given if a.kind == "struct" and not a.optional]
    return [f["name"] for a in needed for f in api_structs[a.base]["fields"] if is_link(f)]


def is_link(f):
    return f["base"] == "int32_t" and f["name"].endswith("link")


def is_getter(call):
    """What takes nothing, and tells a number, a text or a record."""
    told = call.method.status and [a.kind for a in call.written] == ["struct"]
    plain = not call.method.status and len(call.function["arguments"]) == 1 and not call.c.endswith("_message")
    return bool(call.owner and call.method.kind == "method" and not call.given and (told or plain))


def default_of(a, call):
    default = DEFAULTS.get(call.c, {}).get(a.c["name"], a.default)
    if isinstance(default, str):
        return default if default == "TENON_WORLD" else default[len(f"TENON_{a.enum}_") :].lower()
    return default


def positional(call):
    """In which order arguments stand: what is needed, what may be left out, what is written."""
    hidden = {"states"} if any(a.kind == "batch_array" for a in call.given) else set()
    filled = [a for a in call.required if a.c["name"] in shapes.FILLED]
    given = [a for a in call.required if a.kind != "struct" and a.name not in hidden and a not in filled]
    return given + filled + [a for a in call.left_out if a.kind != "struct"] + call.arrays


def field_kind(f):
    if f["name"] in shapes.FLAGS:
        return {"kind": "flag"}
    if f.get("enum"):
        enum = {"kind": "mask" if f.get("mask") else "enum", "enum": f["enum"]}
        return enum
    if f["base"] == "tenon_log_callback":
        return {"kind": "log"}
    if f["base"] == "char":
        return {"kind": "text"}
    if f["base"] == "tenon_batch_array":
        length, every = shapes.field_factors(f)
        return {"kind": "batchArray", "length": length, "every": every, "written": f["name"].endswith("_out")}
    if "extent" in f:
        return {"kind": "numbers", "extent": f["extent"]}
    if f["pointers"] and f["base"] == "double":
        return {"kind": "array", "count": f["count_field"]}
    if f["pointers"]:
        return {"kind": "struct", "struct": f["base"]}
    return {"kind": "number" if f["base"] == "double" else "whole"}


def compact(value):
    """As a literal of JavaScript."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(compact(v) for v in value) + "]"
    return json.dumps(value).replace('"', "'") if isinstance(value, str) else json.dumps(value)


def product(numbers, call=None, of="this."):
    """The numbers of an array, or one side of a matrix."""
    known = {symbol: length.replace("this.", of) for symbol, length in SIZES.items()}
    parts = list(spellings.sides(numbers, call, known, camel, "length({})", "$.{}"))
    return parts[0] if len(parts) == 1 else f"size({', '.join(parts)})"


# ---- structs


def filled(f):
    """Statements that write a field of options."""
    own, kind, name = field_kind(f), field_kind(f)["kind"], camel(f["name"])
    to, value = f"raw.{f['name']}", f"v.{name}"
    if is_link(f):
        return [f"if ({value} !== undefined) {to} = scope.of.indexOf('link', {value});"]
    if kind == "flag":
        return [f"if ({value} !== undefined) {to} = Number({value});"]
    if kind in ("enum", "mask"):
        how = "constant" if kind == "enum" else "mask"
        return [f"if ({value} !== undefined) {to} = {how}('{own['enum']}', {value});"]
    if kind == "log":
        return [f"if ({value}) {to} = register(scope, {value}, 'tenon_log_callback');"]
    if kind == "numbers":
        return [f"if ({value} !== undefined) {to} = support.exactly('{name}', {value}, {own['extent']});"]
    if kind == "array":
        return [f"if ({value}) [{to}, raw.{own['count']}] = [doubles({value}), {value}.length];"]
    if kind == "struct":
        inner = f"structs.{own['struct']}({value}, scope)"
        return [f"if ({value}) {to} = support.koffi.as({inner}, '{own['struct']} *');"]
    if kind == "batchArray":
        how = f"{{ every: {compact(own['every'])}, written: {compact(own['written'])} }}"
        told = f"scope.of.told('{name}', {value}, scope, {product(own['length'], None, 'scope.of.')}, {how})"
        return [f"if ({value}) {to} = support.koffi.as({told}, 'tenon_batch_array *');"]
    if f["base"] == "size_t":
        return [f"if ({value} !== undefined) {to} = whole('{name}', {value});"]
    return [f"if ({value} !== undefined) {to} = {value};"]


def option_struct(s, shown):
    names = compact([camel(f["name"]) for f in shown])
    out = [f"structs.{s['name']} = (v, scope) => {{", f"  unknown(v, {names});"]
    out += [f"  const raw = prepared('{s['name']}', lib.{s['init']});"]
    return out + ["  " + line for f in shown for line in filled(f)] + ["  return raw;", "};", ""]


def record_struct(s, shown):
    out = [f"structs.{s['name']} = (raw) => ({{"]
    for f in shown:
        own, value = field_kind(f), f"raw.{f['name']}"
        known = {"flag": f"{value} !== 0", "numbers": f"Float64Array.from({value})", "whole": f"Number({value})"}
        value = f"nameOf('{own['enum']}', {value})" if own["kind"] == "enum" else known.get(own["kind"], value)
        out += [f"  {camel(f['name'])}: {value},"]
    return [*out, "});", ""]


# ---- methods


class Body(spellings.Arguments):
    """The statements of a method."""

    def __init__(self, call, structs):
        super().__init__(call)
        self.lines = []
        self.options = next((a for a in call.given if a.kind == "struct"), None)
        order = positional(call)
        fields = [camel(name) for name in placed(call, structs)]
        place = sum(a in call.required for a in order)
        order = [camel(a.name) for a in order]
        order[place:place] = fields
        struct = compact(self.options.base) if self.options else "null"
        more = ", ['states', 'raises']" if call.teller else ", []" if fields else ""
        more += f", {compact(fields)}" if fields else ""
        if order or self.options:
            self.lines.append(f"const $ = taken(all, {compact(order)}, {struct}{more});")
        for a in call.given:
            default = default_of(a, call)
            if default is not None:
                word = f"support.constants.{default}" if str(default).startswith("TENON_") else compact(default)
                self.lines.append(f"$.{camel(a.name)} ??= {word};")
            if a.c["name"] in shapes.FILLED and a.kind == "batch_array":
                n, all_ = camel(a.name), f"new this.Array({product(a.factors, call)})"
                self.lines.append(f"if ($.{n} === undefined) $.{n} = {all_}.fill({shapes.FILLED[a.c['name']]});")
        if call.teller:
            n = camel(call.teller.name)
            self.lines.append(f"const scope = this.many($, '{n}', $.{n}, {product(call.teller.factors, call)});")
        elif any(a.name == "states" for a in call.given):
            self.lines.append("const scope = { of: this, states: $.states, steps: 1, records: 1 };")
        elif self.options:
            self.lines.append("const scope = { of: this };" if call.method.kind == "method" else "const scope = {};")
        self.given = list(self.passed(camel))

    def declare(self, n, value):
        self.lines.append(f"const {n} = {value};")
        return n

    def object(self, a, known, n):
        first = "pointerOf(this)" if self.call.c in shapes.FINISHED else "this.pointer"
        return f"pointerOf($.{n})" if known else first

    def new_object(self, a, known, n):
        return self.declare("made", "[null]")

    def value(self, a, known, n):
        if a["name"] in self.call.told:
            matrix, side = self.call.told[a["name"]]
            m = camel(matrix)
            self.declare(m, f"support.needed('{m}', $.{m})")
            return f"{m}.{side}"
        if self.call.named(known):
            return f"this.indexOf('{known.thing}', $.{n})"
        if known.enum and known.enum != "status":
            return f"constant('{known.enum}', $.{n})"
        if n == "states" and self.call.teller:
            return "whole('states', scope.states)"
        return f"whole('{n}', $.{n})" if known.base == "size_t" else f"Number($.{n})" if known.flag else f"$.{n}"

    def text(self, a, known, n):
        return self.declare(n, f"text($.{n}{', true' if 'count' in a else ''})")

    def texts(self, a, known, n):
        return self.declare(n, f"$.{n} ?? null")

    def count(self, a, known, n):
        of = self.known.get(a["of"])
        if of and of.kind == "text_buffer":
            return "bytes?.length ?? 0"
        return f"length({camel(of.name) if of else 'this.' + a['of'] + 'Codes'})"

    def array(self, a, known, n):
        if not known:
            return f"this.{n}Codes"
        kind = ARRAYS[known.base]
        if known.written:
            wanted = known in self.call.returned
            make = f"() => new {kind}({product(known.factors, self.call)})" if wanted else "() => null"
            return self.declare(n, f"room($, '{n}', {kind}, {make}{', true' if known is self.call.arrays[0] else ''})")
        if known.place:
            return self.declare(n, f"written('{n}', $.{n}, {kind})")
        return self.declare(n, f"{'doubles' if kind == 'Float64Array' else 'integers'}($.{n})")

    def matrix(self, a, known, n):
        rows, columns = (product([f], self.call) for f in known.factors)
        if known.written:
            make = f"() => new Matrix({rows}, {columns})" if known in self.call.returned else "() => null"
            if meanings.turns(self.call.method, known):
                self.lines.append(f"const {n}Shape = s.turned($.options, {rows}, {columns});")
                make = make.replace(f"{rows}, {columns}", f"...{n}Shape")
            alias = ", true" if known is self.call.arrays[0] else ""
            self.declare(n, f"room($, '{n}', Matrix, {make}{alias})")
        elif not any(line.startswith(f"const {n} = ") for line in self.lines):
            self.declare(n, f"$.{n} ?? null")
        turned = known.written and meanings.turns(self.call.method, known)
        shape = f"...{n}Shape" if turned else f"{rows}, {columns}"
        self.lines.append(f"if ({n}) {n}.fit('{n}', {shape});")
        return f"{n}?.data ?? null"

    def leading_dimension(self, a, known, n):
        return f"leading({camel(self.known[a['of']].name)})"

    def batch_array(self, a, known, n):
        count, every = product(known.factors, self.call), meanings.records_of(known.note)
        how = [f"every: '{every}'"] if every else []
        if known.written:
            records = [f"scope.{every}s"] if every else []
            make = f"new this.Array(size({', '.join(['scope.states', *records, count])}))"
            needs = meanings.NEEDS.get((self.call.c, a["name"]))
            make = f"$.{needs} ? {make} : null" if needs else make
            self.declare(n, f"room($, '{n}', null, () => ({make}){', true' if known is self.call.arrays[0] else ''})")
            how.append("written: true")
            source = n
        else:
            source = f"$.{n}"
        how = f", {{ {', '.join(how)} }}" if how else ""
        return f"this.told('{n}', {source}, scope, {count}{how})"

    def struct(self, a, known, n):
        base = a["base"]
        if known.written:
            return self.declare(n, f"prepared('{base}', lib.{base}_init)")
        if known.optional:
            return f"$.options ? structs.{base}($.options, scope) : null"
        return f"structs.{base}(support.needed('options', $.options), scope)"

    def result(self, a, known, n):
        return self.declare("needed" if a["name"] == "needed" else n, "[0]")

    def text_buffer(self, a, known, n):
        return "bytes"

    def message(self, a, known, n):
        return self.declare("message", "buffer()")

    def message_size(self, a, known, n):
        return "message.length"

    def callback(self, a, known, n):
        kind = a["base"]
        return f"typeof $.{n} === 'function' ? lasting(this, $.{n}, '{kind}', callbacks.{kind}) : null" if known else "null"

    def text_of(self):
        """All statements, the last of which returns."""
        call = self.call
        raw = f"lib.{call.c}({', '.join(self.given)})"
        base = call.function["result"]["base"]
        if not call.method.status:
            if base == "char" or base == "double":
                return [*self.lines, f"return {raw};"]
            if call.flag:
                return [*self.lines, f"return {raw} === 1;"]
            if call.enum:
                return [*self.lines, f"return nameOf('{call.enum}', {raw});"]
            return [*self.lines, f"return Number(check({raw}, '{call.c}'));"]
        said = ", ".join(f"{camel(a.name)} ${{$.{camel(a.name)}}}" for a in call.given if a.kind in ("value", "text"))
        words = "message" if call.method.message else f"`{call.c}: {said}`" if said else f"'{call.c}'"
        before = ["if (this.finished) return this;"] if call.c in shapes.ONCE else []
        after = ["over(scope);"] if self.options else []
        if call.method.message and call.method.message != "argument":
            done = "this.done(status" + (", $.raises" if call.teller else "") + ");"
        else:
            done = f"check(status, {words});"
        if any(a.kind == "text_buffer" for a in call.singles):
            inner = [f"const status = {raw};", "if (bytes !== null) over(scope);" if self.options else "", done]
            inner += [
                "if (bytes !== null) return bytes.toString('utf8', 0, bytes.length - 1);",
                "bytes = Buffer.alloc(Number(needed[0]));",
            ]
            return [*self.lines, "let bytes = null;", "for (;;) {", *("  " + line for line in inner if line), "}"]
        made = [a for a in call.written if a.kind == "new_object"]
        parts = javascript_objects.parts(call, made[0].base) if made else None
        self.lines += javascript_objects.asked(call) if parts else []
        lines = [*before, *self.lines, f"const status = {raw};", *after, done]
        lines += ["this.finished = true;", "return this;"] if before else []
        values = {}
        for a in call.returned:
            n = camel(a.name)
            if a.kind == "new_object":
                one = f"new Made(made[0]{parts})"
                values[n] = one if call.method.name == "create" else f"new {object_name(a.base)}({one})"
            elif a.kind == "struct":
                values[n] = f"structs.{a.base}({n})"
            elif a.kind == "result":
                values[n] = f"nameOf('{a.enum}', {n}[0])" if a.enum else f"{n}[0]"
            else:
                values[n] = n
        if len(values) == 1:
            lines.append(f"return {next(iter(values.values()))};")
        elif values:
            records = ["records: scope.records"] if call.tells_records else []
            pairs = [
                k if k == v else f"{k}: {v}"
                for k, v in ((camel(a.result), values[camel(a.name)]) for a in call.returned)
            ]
            lines.append(f"return {{ {', '.join(records + pairs)} }};")
        return lines


def method(call, structs):
    name = "create" if call.creates else name_of(call)
    body = Body(call, structs)
    lines = body.text_of()
    static = "static " if call.method.kind == "constructor" else ""
    takes = "...all" if any(" taken(all" in line for line in lines) else ""
    head = f"get {name}()" if is_getter(call) else f"{static}{name}({takes})"
    return "\n".join([f"  {head} {{", *("    " + line.replace("\n", "\n    ") for line in lines), "  }"])


def klass(api, owner, calls, structs):
    name = object_name(owner)
    own = [c for c in calls if c.owner == owner and c.method.kind not in ("init", "destructor")]
    finds = dict(shapes.lookups(calls, owner))
    known = f"{{ {', '.join(f'{k}: {compact(camel(v))}' for k, v in finds.items())} }}" if finds else "{}"
    out = [f"class {name} extends {'Many' if shapes.codes(own) else 'Handle'} {{"]
    out += [f"  static destroy = lib.{owner}_destroy;", f"  static finds = {known};", ""]
    for things, count, one in shapes.lists(calls, owner):
        out += [f"  get {camel(things)}() {{"]
        out += [f"    return Array.from({{ length: this.{camel(count)} }}, (_, i) => this.{camel(one)}(i));", "  }", ""]
    out += javascript_objects.text(api, owner, own)
    texts = []
    for c in own:
        text = method(c, structs)
        if c.name in finds.values():  # a number is one already
            text = text.replace("    const $", "    if (typeof all[0] === 'number') return all[0];\n    const $", 1)
        texts.append(text)
    return [*out, "\n\n".join(texts), "}", ""]


def table(api, calls):
    out = [HEAD + "// Constants by their names.", "Object.assign(support.enums, {"]
    for enum in enumerations(api):
        values = {v["name"][len(enum["prefix"]) :].lower(): v["value"] for v in enum["values"]}
        bits = json.dumps(bool(enum["bits"]))
        out += [
            listed(
                [f"{k}: {v}" for k, v in values.items()],
                f"  {enum['name']}: {{ bits: {bits}, values: {{ ",
                " } },",
                "    ",
            )
        ]
    out += ["});", "", "const structs = {};", ""]
    told = {s["name"] for s in layers.records(api)}
    for s in api["structs"]:
        shown = layers.shown(s)
        if s["init"] and s["name"] != "tenon_batch_array":
            out += record_struct(s, shown) if s["name"] in told else option_struct(s, shown)
    out += [*layout(api), *javascript_objects.callbacks(api)]
    structs = {s["name"]: s for s in api["structs"]}
    for owner in layers.HANDLES:
        out += klass(api, owner, calls, structs)
    free = [c for c in calls if c.owner is None and c.method.kind != "init"]
    out += ["const free = {", ",\n\n".join(method(c, structs) for c in free) + ",", "};", ""]
    names = ", ".join(object_name(owner) for owner in layers.HANDLES)
    return "\n".join([*out, f"module.exports = {{ ...free, {names}, enums: support.enums }};", ""])


def prefixed(text):
    """Helpers by the object that has them: arguments may have their names."""
    return re.sub(
        rf"(?<![\w.'$])({HELPERS})\(", r"s.\1(", re.sub(r"\bsupport\.", "s.", text.replace("'./support.js'", "PATH"))
    ).replace("PATH", "'./support.js'")


def layout(api):
    """How an array of a batch is told, by the fields that the struct has."""
    names = [f["name"] for f in next(s for s in api["structs"] if s["name"] == "tenon_batch_array")["fields"]]
    out = ["support.layout = ({ data, size, first, count, numberStride, stateStride, recordStride }) => ({"]
    if "struct_size" in names:
        out += ["  ...(prepared('tenon_batch_array', lib.tenon_batch_array_init)),"]
    out += ["  data, first, size,"] if "first" in names else ["  data: data.subarray(Number(first)),"]
    return out + [
        "  count, number_stride: numberStride, state_stride: stateStride, record_stride: recordStride,",
        "});",
        "",
    ]


def files(api):
    return {"javascript/layer.js": narrow(prefixed(table(api, list(shapes.calls(api)))))}
