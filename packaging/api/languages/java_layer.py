"""Java, the layer on the raw declarations: the methods of all objects. What is written may be arrays of the caller, or is
allocated and returned."""

from . import java_objects, java_structs, layers, meanings, shapes, spellings
from .common import listed, narrow, pascal
from .java_structs import FOLDER, SCALARS, docs, head, is_enum, owned_type
from .java_types import (
    INTERNAL,
    REFERENCES,
    default_of,
    result_type,
    size,
    type_of,
)
from .shapes import camel, object_name, struct_name


def in_order(call):
    """What is needed; what may be left out, options last."""
    return call.required, call.left_out


def about(call, arguments=()):
    words = [f"{call.function['brief']} C: {call.c}."]
    words += [f"{camel(a.name)}: {a.note}" for a in arguments if a.note]
    return docs("\n".join(words), "  ")


def declared(head_, arguments, lines):
    return [
        listed(arguments, f"  {head_}(", ") {", "      "),
        *("    " + line.replace("\n", "\n    ") for line in lines),
        "  }",
    ]


# ---- forms that allocate and return


def returning(call):
    """With all that is given, and with what is needed alone; links, joints and constraints also by their names."""
    needed, rest = in_order(call)
    hidden = {"states"} if call.teller else set()
    needed = [a for a in needed if a.name not in hidden]
    texts, name = [], INTERNAL.get(call.c) or camel(call.name)
    if call.arrays or not call.arrays and call.teller:
        texts.append(allocating(call, needed, rest, name))
    result = result_type(call, call.returned) if call.method.status else None
    options = [a for a in rest if a.kind == "struct"]
    forms = [(needed + rest[:count], [default_of(a) for a in rest[count:]]) for count in range(len(rest))]
    if options and len(rest) > 1 and call.owner in ("tenon_workspace", "tenon_batch"):  # with options alone
        forms[1] = (needed + options, [default_of(a) for a in rest if a.kind != "struct"])
    back = "return " if result not in (None, "void") else ""
    for given, defaults in forms:
        alone = bool(options) and given[-1:] == options
        passed = (
            [camel(a.name) for a in given[: len(given) - alone]]
            + defaults
            + [camel(a.name) for a in given[len(given) - alone :]]
        )
        arguments = [f"{type_of(a, call, True)} {camel(a.name)}" for a in given]
        texts.append(
            "\n".join(
                declared(f"public {static(call)}{result} {name}", arguments, [f"{back}{name}({', '.join(passed)});"])
            )
        )
    named = [a for a in call.given if call.named(a)]
    everything = [needed + rest] + [given for given, _ in forms]
    for given in everything if named and call.method.status else ():
        arguments = [f"{'String' if a in named else type_of(a, call, True)} {camel(a.name)}" for a in given]
        passed = [
            f"{a.thing}Of({camel(a.name)})" if a in named else camel(a.name) for a in given
        ]
        texts.append("\n".join(declared(f"public {result} {name}", arguments, [f"{back}{name}({', '.join(passed)});"])))
    return texts


def static(call):
    return "static " if call.method.kind == "constructor" or call.owner is None else ""


def allocating(call, needed, rest, name):
    body, passed = [f'given("{m}", {camel(m)});' for m in dict.fromkeys(m for m, _ in call.told.values())], []
    if call.owner == "tenon_batch":
        a = call.teller
        body += ["ofDoubles();"]
        body += (
            [f'long states = Matrix.statesOf("{camel(a.name)}", n({camel(a.name)}), {size(a.factors, call)});'] if a else []
        )
        passed += ["states"] if a else []
    if call.rolls:
        body += ["long steps = options == null ? 1 : options.steps;"]
        body += ["long records = options == null ? 1 : options.records();"]
    plain = [a for a in needed + rest if a.kind != "struct"] + [a for a in rest if a.kind == "struct"]
    for a in plain:
        n = camel(a.name)
        passed.append(f"BatchArray.of({n})" if a.kind == "batch_array" else n)
    options = [p for a, p in zip(plain[::-1], passed[::-1]) if a.kind == "struct" and a in rest][::-1]
    passed = passed[: len(passed) - len(options)]
    for a in call.arrays:
        n, numbers = camel(a.name) + "_", size(a.factors, call)
        if a not in call.returned:
            passed.append("null")
            continue
        if a.kind == "matrix":
            shape = f"{size(a.factors[:1], call)}, {size(a.factors[1:], call)}"
            turned = meanings.turns(call.method, a)
            body.append(f"Matrix {n} = " + (f"Matrix.sized(options, {shape});" if turned else f"new Matrix({shape});"))
        elif a.kind == "batch_array":
            every = meanings.records_of(a.note)
            body.append(f"double[] {n} = new double[Matrix.size(states, {every + 's, ' if every else ''}{numbers})];")
            needs = meanings.NEEDS.get((call.c, a.c["name"]))
            if needs:
                body[-1] = f"double[] {n} = {needs} == null ? null : {body[-1].split(' = ')[1]}"
        else:
            body.append(f"{owned_type(a)} {n} = new {owned_type(a)[:-2]}[{numbers}];")
        passed.append(f"BatchArray.of({n})" if a.kind == "batch_array" else n)
    singles = [a for a in call.singles if a in call.returned]
    start = f"{owned_type(singles[0])} {camel(singles[0].name)}_ = " if singles else ""
    body.append(listed(passed + options, f"{start}{name}(", ");", "    ", 110))
    values, result = [camel(a.name) + "_" for a in call.returned], result_type(call, call.returned)
    if values:
        body.append(f"return {values[0]};" if len(values) == 1 else f"return new {result}({', '.join(values)});")
    arguments = [f"{type_of(a, call, True)} {camel(a.name)}" for a in plain]
    return "\n".join(about(call, plain) + declared(f"public {result} {name}", arguments, body))


# ---- the call itself


class Direct(spellings.Arguments):
    """Arrays of the caller are written, single values are returned."""

    def __init__(self, call, batched_structs):
        super().__init__(call)
        self.batched, self.before, self.told, self.held = batched_structs, [], [], []
        self.pins = any(
            a.kind in ("struct", "batch_array")
            for a in call.given + call.written
            if not (a.kind == "struct" and a.written)
        )
        if self.pins:
            self.before.append("Pins pins = new Pins();")
        if self.codes:
            self.before.append("begin(states);")
        if call.rolls:
            self.before += ["long steps = options == null ? 1 : options.steps;"]
            self.before += ["long records = options == null ? 1 : options.records();"]
        if call.c in shapes.FINISHED:
            self.before.append("finish();")
        self.given = list(self.passed(camel))

    def object(self, a, known, n):
        if not known:
            return "pointer()"
        self.held.append(n)
        finished = f"{n}.finish()" if a["base"] == "tenon_constraints" else n
        return f"{n} == null ? null : {finished}.pointer()" if known.optional else f"{finished}.pointer()"

    def new_object(self, a, known, n):
        self.before.append("PointerByReference made = new PointerByReference();")
        return "made"

    def value(self, a, known, n):
        if a["name"] in self.call.told:
            matrix, side = self.call.told[a["name"]]
            self.before.append(f'given("{matrix}", {camel(matrix)});')
            return f"{camel(matrix)}.{side}"
        self.told.append(f'"{n} " + {n}')
        if known.flag:
            return n + " ? 1 : 0"
        return n + ".value" if is_enum(known) else n

    def text(self, a, known, n):
        if "count" not in a:
            return n
        self.before.append(f"byte[] {n}_ = {n} == null ? null : {n}.getBytes(StandardCharsets.UTF_8);")
        return n + "_"

    def texts(self, a, known, n):
        return n

    def count(self, a, known, n):
        of = self.known.get(a["of"])
        if a["of"] in self.codes:
            return f"{a['of']}Codes.length"
        if of.kind in ("text", "text_buffer"):
            return f"n({camel(of.name)}_)"
        return f"Matrix.length({camel(of.name)})" if of.kind == "matrix" else f"n({camel(of.name)})"

    def array(self, a, known, n):
        return n if known else n + "Codes"

    def matrix(self, a, known, n):
        rows, columns = (size([f], self.call) for f in known.factors)
        fit = f'{n}.fit("{n}", {rows}, {columns});'
        if meanings.turns(self.call.method, known):
            fit = f'{n}.fit(options, "{n}", {rows}, {columns});'
        self.before.append(f"if ({n} != null) {fit}")
        return f"Matrix.numbers({n})"

    def leading_dimension(self, a, known, n):
        return f"Matrix.leading({camel(self.known[a['of']].name)})"

    def batch_array(self, a, known, n):
        records = {"record": "records", "step": "steps", None: "1"}[meanings.records_of(known.note)]
        written = "true" if known.written else "false"
        return f'pins.array("{n}", {n}, this, {size(known.factors, self.call)}, states, {records}, {written})'

    def struct(self, a, known, n):
        base = a["base"]
        if known.written:
            self.before += [
                f"Tenon.{base} {n}_ = new Tenon.{base}();",
                f'check(LIB.{base}_init({n}_, {n}_.size()), "{base}_init");',
            ]
            return n + "_"
        more = ", this, states" if base in self.batched else ""
        raw = f"{n}.raw(pins{more})"
        return f"{n} == null ? null : {raw}" if known.optional else f'given("{n}", {n}).raw(pins{more})'

    def result(self, a, known, n):
        if a["name"] == "needed":
            self.before.append("LongByReference needed = new LongByReference();")
            return "needed"
        kind = REFERENCES[SCALARS[a["base"]]]
        self.before.append(f"{kind} {n}_ = new {kind}();")
        return n + "_"

    def text_buffer(self, a, known, n):
        return n + "_"

    def message(self, a, known, n):
        self.before.append("byte[] message = new byte[1024];")
        return "message"

    def message_size(self, a, known, n):
        return "message.length"

    def callback(self, a, known, n):
        return f"Layout.keep({n}, kept)" if known else "null"

    def ending(self):
        call = self.call
        raw = f"LIB.{call.c}({', '.join(self.given)})"
        base = call.function["result"]["base"]
        fence = ["Reference.reachabilityFence(this);"] if not static(call) else []
        fence += [f"Reference.reachabilityFence({n});" for n in self.held]
        fence += ["pins.close();"] if self.pins else []
        if not call.method.status:
            if base == "char":
                return "String", [f"String result = {raw};", *fence, "return result;"]
            kind = (
                "boolean"
                if call.flag
                else pascal(call.enum) if is_enum(call) else SCALARS[base]
            )
            value = {"boolean": "result == 1"}.get(kind) or (
                "result" if kind in SCALARS.values() else f"{kind}.of(result)"
            )
            checked = f'number({raw}, "{call.c}")' if base == "int32_t" else raw
            return kind, [f"{SCALARS[base]} result = {checked};", *fence, f"return {value};"]
        message = call.method.message
        words = ' + ", " + '.join(self.told)
        words = f'"{call.c}: " + {words}' if self.told else f'"{call.c}"'
        inside = (
            f"done({raw});"
            if message and message != "argument"
            else f"check({raw}, {'message' if message else words});"
        )
        texts = [a for a in call.singles if a.kind == "text_buffer"]
        if texts:
            n = camel(texts[0].name) + "_"
            body = [inside, f"if ({n} != null) {{", *("  " + f for f in fence), f"  return text({n});", "}"]
            return "String", [
                f"byte[] {n} = null;",
                "while (true) {",
                *("  " + b for b in body),
                f"  {n} = new byte[(int) needed.getValue()];",
                "}",
            ]
        after = [inside, *fence]
        values = []
        for a in call.singles:
            n = camel(a.name) + "_"
            if a.kind == "new_object":
                values.append(MADE)
            elif a.kind == "struct":
                values.append(f"new {struct_name(a.base)}({n})")
            else:
                values.append(f"{pascal(a.enum)}.of({n}.getValue())" if is_enum(a) else n + ".getValue()")
        result = result_type(call, call.singles)
        if len(values) == 1:
            after.append(f"return {values[0]};")
        elif values:
            after.append(f"return new {result}({', '.join(values)});")
        return result, after


MADE = "MADE"


def direct(call, batched_structs):
    one = Direct(call, batched_structs)
    result, ending = one.ending()
    needed, rest = in_order(call)
    options = [a for a in rest if a.kind == "struct"]
    given = needed + [a for a in rest if a.kind != "struct"] + call.arrays + options
    arguments = [f"{type_of(a, call)} {camel(a.name)}" for a in given]
    name = INTERNAL.get(call.c) or camel(call.name)
    body = [*one.before, *ending]
    modifiers = "" if call.c in INTERNAL else "public "
    if call.method.kind == "constructor":
        owner = object_name(call.owner)
        if call.method.name == "create":
            body = [line.replace(MADE, "made.getValue()") for line in body]
            return "\n".join(declared("private static Pointer create", arguments, body))
        body = [line.replace(MADE, f"new {owner}(made.getValue())") for line in body]
        return "\n".join(about(call, given) + declared(f"public static {owner} {name}", arguments, body))
    of = "this" if object_name(call.owner or "") == result else "kept"
    body = [line.replace(MADE, f"new {result}(made.getValue(), {of})") for line in body]
    return "\n".join(about(call, given) + declared(f"{modifiers}{static(call)}{result} {name}", arguments, body))


def created(call, own):
    """Constructors."""
    owner = object_name(call.owner)
    needed, rest = in_order(call)
    texts = []
    full = [f"{type_of(a, call)} {camel(a.name)}" for a in needed + rest]
    passed = ", ".join(camel(a.name) for a in needed + rest)
    lines = [f"super(create({passed}), LIB::{call.owner}_destroy);", *java_objects.started(call.owner, own)]
    texts.append("\n".join(about(call, needed + rest) + declared(f"public {owner}", full, lines)))
    for count in range(len(rest)):
        some = needed + rest[:count]
        arguments = [f"{type_of(a, call)} {camel(a.name)}" for a in some]
        nulls = [camel(a.name) for a in some] + ["null"] * (len(rest) - count)
        texts.append("\n".join(declared(f"public {owner}", arguments, [f"this({', '.join(nulls)});"])))
    return texts


def nested(own):
    """Records of what is returned together."""
    together = {}
    for call in own:
        if len(call.returned) > 1:
            name = result_type(call, call.returned)
            if not name.startswith("Workspace.") or call.owner == "tenon_workspace":
                together[name.removeprefix("Workspace.")] = call
    out = []
    for name, call in sorted(together.items()):
        notes = [f"{camel(a.result)}: {a.note}" for a in call.returned if a.note]
        out += docs("\n".join([f"What {camel(call.name)} computes.", *notes]), "  ")
        fields = [f"{owned_type(a)} {camel(a.result)}" for a in call.returned]
        out += [listed(fields, f"  public record {name}(", ") {}", "      "), ""]
    return out


def texts_of(call, own, batched_structs):
    if call.creates:
        return [*created(call, own), direct(call, batched_structs)]
    return [*returning(call), direct(call, batched_structs)]


def klass(api, owner, calls, batched_structs):
    own = [call for call in calls if call.owner == owner and call.method.kind not in ("init", "destructor")]
    name = object_name(owner) if owner else "Library"
    made = "\n\n".join(text for call in own for text in texts_of(call, own, batched_structs))
    handle = next((h for h in api["handles"] if h["name"] == owner), None)
    title = handle["comment"].split("\n")[0] if handle else "The functions that belong to no object."
    out = [*docs(title, ""), f"public final class {name} {f'extends Handle ' if owner else ''}{{"]
    if not owner:
        out += ["  private Library() {}", ""]
    out += nested(own)
    out += java_objects.text(api, calls, owner, own) if owner else []
    for things, count, one in shapes.lists(calls, owner) if owner else ():
        out += [f"  /** All of {camel(one)}. */", f"  public List<String> {camel(things)}() {{"]
        out += [
            f"    return IntStream.range(0, {camel(count)}()).mapToObj(this::{camel(one)}).collect(Collectors.toList());",
            "  }",
            "",
        ]
    uses = ["java.util.Arrays", "java.util.List", "java.util.stream.Collectors", "java.util.stream.IntStream"]
    uses += [
        "com.sun.jna.Pointer",
        "com.sun.jna.ptr.PointerByReference",
        "com.sun.jna.ptr.IntByReference",
        "tenon.raw.Tenon",
    ]
    uses += ["com.sun.jna.ptr.DoubleByReference", "com.sun.jna.ptr.LongByReference", "java.lang.ref.Reference"]
    uses += ["java.nio.charset.StandardCharsets"]
    body = "\n".join([*out, made, "}", ""])
    if not owner:
        body = "import static tenon.Handle.*;\n\n" + body
    return head(*(u for u in uses if u.rpartition(".")[2] in body)) + body


def files(api):
    made, calls = java_structs.files(api), list(shapes.calls(api))
    batched_structs = {s["name"] for s in api["structs"] if shapes.batched(s)}
    for owner in (None, *layers.HANDLES):
        name = object_name(owner) if owner else "Library"
        made[f"{FOLDER}{name}.java"] = klass(api, owner, calls, batched_structs)
    return {path: narrow(text) for path, text in made.items()}
