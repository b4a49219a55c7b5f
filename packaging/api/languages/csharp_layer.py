"""C#, the layer on the raw declarations: the methods of all objects. What is written may be memory of the caller, or is
allocated and returned."""

from . import csharp_objects, csharp_structs, layers, meanings, shapes, spellings
from .common import listed, narrow, pascal
from .csharp_structs import HEAD, SCALARS, docs, initialised, local, owned_type
from .shapes import object_name, struct_name

# The symbols of lengths.
SIZES = {
    **spellings.lengths(lambda names: ("" if "." in names else "this.") + ".".join(map(shapes.pascal, names.split(".")))),
    "rows of it": "Set.Info(constraint).RowCount",
    "convention_nq": "(direction == Direction.ToOther ? Model.ConventionNq(convention) : Nq)",
}
# Others call these.
INTERNAL = {"tenon_constraints_finish": "FinishOnce", **{name: "Get" + name.split("_")[-1].capitalize() for name in shapes.PROPERTIES}}


def size_in_batch(numbers):
    """Of a field of options of a batch."""
    known = {symbol: "batch." + length.removeprefix("this.") for symbol, length in SIZES.items()}
    parts = list(spellings.sides(numbers, None, known, local, ""))
    return parts[0] if len(parts) == 1 else f"Handle.Size({', '.join(parts)})"


def size(numbers, call):
    parts = list(spellings.sides(numbers, call, SIZES, local, "{}.Length", side=str.capitalize))
    return parts[0] if len(parts) == 1 else f"Size({', '.join(parts)})"


def type_of(a, call):
    """Of an argument, which may be written."""
    if a.kind == "matrix":
        return "Matrix"
    if a.kind == "batch_array":
        return "BatchOutput" if a.written else "BatchInput"
    if a.kind == "array":
        return f"{'' if a.written or a.place else 'ReadOnly'}Span<{SCALARS[a.base]}>"
    if a.kind == "value":
        return "Which" if call.named(a) else "bool" if a.flag else pascal(a.enum) if a.enum else SCALARS[a.base]
    known = {"text": "string", "texts": "string[]", "callback": "ImplicitConstraint"}
    return known.get(a.kind) or struct_name(a.base)


def default_of(a, call):
    if a.kind in ("struct", "object", "matrix"):
        return "null"
    if a.kind == "value":
        return f"{pascal(a.enum)}.{pascal(a.default[len(f'TENON_{a.enum}_'):])}" if a.enum else str(a.default)
    return f"default({type_of(a, call)})"


class Signature:
    """What is given, in order: what is needed, what may be left out, what is written, options, the number of states."""

    def __init__(self, call, outputs, defaults):
        hidden = {"states"} if call.teller else set()
        self.needed = [a for a in call.required if a.name not in hidden]
        self.left_out = [a for a in call.left_out if a.kind != "struct"]
        self.options = [a for a in call.left_out if a.kind == "struct"]
        self.outputs, self.defaults, self.call = outputs, defaults, call
        self.states = bool(call.teller)

    def text(self, states):
        call = self.call
        end = [f" = {default_of(a, call)}" if self.defaults else "" for a in self.left_out]
        out = [f"{type_of(a, call)} {local(a.name)}" for a in self.needed]
        out += [f"{type_of(a, call)} {local(a.name)}{e}" for a, e in zip(self.left_out, end)]
        out += [f"{type_of(a, call)} {local(a.name)}" for a in self.outputs]
        out += [f"{type_of(a, call)} {local(a.name)} = null" for a in self.options]
        return out + (["long states = -1"] if states and self.states else [])

    def passed(self, outputs):
        out = [local(a.name) for a in self.needed + self.left_out] + outputs + [local(a.name) for a in self.options]
        return out + (["states"] if self.states else [])

    def docs(self):
        out = docs(f"{self.call.function['brief']} C: {self.call.c}.", "    ")
        for a in [*self.needed, *self.left_out, *self.outputs, *self.options]:
            out += docs(a.note, "    ", f'param name="{local(a.name).lstrip("@")}"') if a.name != "states" else []
        return out


def declared(head, arguments, lines):
    return [listed(arguments, f"    public {head}(", ") {", "        "), *("      " + line for line in lines), "    }"]


def counting(call):
    """How many states the numbers of a batch are of."""
    a = call.teller
    return f'StatesOf({local(a.name)}, {size(a.factors, call)}, "{a.name}")'


def returning(call):
    """Allocates what is written, calls the other form, and returns it."""
    name, wanted = shapes.pascal(call.name), call.returned
    body, outputs = [f'Given({local(m)}, "{m}");' for m in dict.fromkeys(m for m, _ in call.told.values())], []
    if call.owner == "tenon_batch":
        body += ["OfDoubles();"] + ([f"long states = {counting(call)};"] if call.teller else [])
    if call.rolls:
        body.append("long steps = (options = options ?? new RolloutOptions()).Steps, records = options.RecordCount;")
    for a in call.arrays:
        n = local(a.name) + "_"
        if a not in wanted:
            outputs.append(default_of(a, call))
            continue
        if a.kind == "matrix":
            shape = f"{size(a.factors[:1], call)}, {size(a.factors[1:], call)}"
            turned = meanings.turns(call.method, a)
            body.append(f"Matrix {n} = " + (f"Matrix.Sized(options, {shape});" if turned else f"new Matrix({shape});"))
        else:
            length = size(a.factors, call)
            if a.kind == "batch_array":
                every = meanings.records_of(a.note)
                length = f"Size(states, {every + 's, ' if every else ''}{length})"
                needed = meanings.NEEDS.get((call.c, a.c["name"]))
                length = f"{local(needed)}.IsGiven ? {length} : 0" if needed else length
            body.append(f"{owned_type(a)} {n} = new {owned_type(a)[:-2]}[{length}];")
        outputs.append(n)
    signature = Signature(call, [], True)
    singles = [a for a in call.singles if a in wanted]
    start = f"{owned_type(singles[0])} {local(singles[0].name)}_ = " if singles else ""
    body.append(listed(signature.passed(outputs), f"{start}{INTERNAL.get(call.c, name)}(", ");", "        ", 112))
    values = [local(a.name) + "_" for a in wanted]
    result = owned_type(wanted[0]) if len(wanted) == 1 else call.result_name
    body.append(f"return {values[0]};" if len(values) == 1 else f"return new {result}({', '.join(values)});")
    return "\n".join(signature.docs() + declared(f"{result} {INTERNAL.get(call.c, name)}", signature.text(False), body))


def shorter(call):
    """With options alone of what may be left out."""
    signature = Signature(call, [], False)
    if not signature.options or not signature.left_out or not call.arrays:
        return []
    needed = [f"{type_of(a, call)} {local(a.name)}" for a in signature.needed + signature.options]
    passed = [local(a.name) for a in signature.needed] + [default_of(a, call) for a in signature.left_out]
    passed += [local(a.name) for a in signature.options]
    result = owned_type(call.returned[0]) if len(call.returned) == 1 else call.result_name
    name = shapes.pascal(call.name)
    head = listed(needed, f"    public {result} {name}(", ") {", "        ")
    return ["\n".join([head, listed(passed, f"      return {name}(", ");", "          "), "    }"])]


class Direct(spellings.Arguments):
    """The call itself: memory of the caller is written, and single values are returned."""

    def __init__(self, call, batched_structs):
        super().__init__(call)
        self.batched, self.before, self.holds, self.pinned, self.fills, self.told = batched_structs, [], [], {}, [], []
        self.pins = any(a.kind in ("struct", "texts") for a in call.given)
        self.static = call.owner is None or call.method.kind == "constructor"
        if not self.static:
            self.holds.append("self = new Hold(this)")
        if call.teller:
            self.before.append(f"if (states < 0) states = {counting(call)};")
        if self.codes:
            self.before.append("Begin(states);")
        if call.rolls:
            self.before.append("long steps = options?.Steps ?? 1, records = options?.RecordCount ?? 1;")
        if call.c in shapes.FINISHED:
            self.before.append("Finish();")
        self.given = list(self.passed(local))

    def pin(self, pointer, name, what):
        self.pinned.setdefault(pointer, []).append(f"{name}_ = {what}")
        return name + "_"

    # ---- what is given to C, by kind

    def object(self, a, known, n):
        if not known:
            return f"({a['base']}*)self.Pointer"
        if not known.optional:
            self.before.append(f'Given({n}, "{n}");')
        self.holds.append(f"{n}_ = new Hold({n}{'?.Finish()' if a['base'] == 'tenon_constraints' else ''})")
        return f"({a['base']}*){n}_.Pointer"

    def new_object(self, a, known, n):
        self.before.append(f"{a['base']}* made = null;")
        return "&made"

    def value(self, a, known, n):
        if a["name"] in self.call.told:
            matrix, side = self.call.told[a["name"]]
            self.before.append(f'Given({local(matrix)}, "{matrix}");')
            return f"{local(matrix)}.{side.capitalize()}"
        if self.call.named(known):
            self.before.append(f"int {n}Index = {pascal(known.thing)}Of({n});")
            self.told.append(f"{n} {{{n}Index}}")
            return n + "Index"
        self.told.append(f"{n} {{{n}}}")
        if known.flag:
            return n + " ? 1 : 0"
        if a["base"] == "size_t":
            return f'Library.Size({n}, "{n}")'
        return "(int)" + n if known.enum else n

    def text(self, a, known, n):
        if "count" not in a:
            return n
        self.before.append(f"byte[] bytes = Library.Bytes({n});")
        return self.pin("byte*", "text", "bytes")

    def texts(self, a, known, n):
        return f"pins.Texts({n})"

    def count(self, a, known, n):
        of = self.known.get(a["of"])
        if a["of"] in self.codes:
            return f"Library.LengthOf({a['of']}Codes)"
        if of.kind == "text":
            return "Library.TextLength(bytes)"
        if of.kind == "text_buffer":
            return "Library.LengthOf(text)"
        if of.kind == "matrix":
            return f"Matrix.LengthOf({local(of.name)})"
        return f"Library.LengthOf({local(of.name)})" if of.kind == "texts" else f"(UIntPtr){local(of.name)}.Length"

    def array(self, a, known, n):
        if not known:  # of the states of a batch
            return self.pin("int*", n, n + "Codes")
        pointer = self.pin(SCALARS[a["base"]] + "*", n, n)
        return f"({SCALARS[a['base']]}*)Library.There({pointer}, {n} == default)" if known.optional else pointer

    def matrix(self, a, known, n):
        rows, columns = (size([f], self.call) for f in known.factors)
        turned = ", options" if meanings.turns(self.call.method, known) else ""
        fit = f'Matrix.Fit({n}, {rows}, {columns}, "{n}"{turned});'
        self.before.append(fit)
        return self.pin("double*", n, f"Matrix.Numbers({n})")

    def leading_dimension(self, a, known, n):
        return f"Matrix.LeadingOf({local(self.known[a['of']].name)})"

    def batch_array(self, a, known, n):
        self.before.append(f"tenon_batch_array {n}Array;")
        records = {"record": "records", "step": "steps", None: "1"}[meanings.records_of(known.note)]
        numbers = size(known.factors, self.call)
        self.pin("byte*", n, n + ".Bytes")
        flags = f"{str(not known.optional).lower()}, {str(known.written).lower()}"
        return f'Tell(&{n}Array, {n}_, {n}.View, {numbers}, states, {records}, {flags}, "{n}")'

    def struct(self, a, known, n):
        base = a["base"]
        self.before.append(f"{base} {n}Raw;")
        if known.written:
            self.before.append(initialised(base, f"&{n}Raw"))
        elif self.call.method.kind != "init":
            more = ", this, states" if base in self.batched else ""
            filled = f"Fill(&{n}Raw, pins{more});"
            self.fills.append(f"if ({n} != null) {n}.{filled}" if known.optional else f'Given({n}, "{n}").{filled}')
        return f"{n} == null ? null : &{n}Raw" if known.optional else f"&{n}Raw"

    def result(self, a, known, n):
        if a["name"] == "needed":
            return "&needed"
        self.before.append(f"{SCALARS[a['base']]} {n}Raw = 0;")
        return f"&{n}Raw"

    def text_buffer(self, a, known, n):
        return self.pin("byte*", "text", "text")

    def message(self, a, known, n):
        self.before += ["byte* message = stackalloc byte[1024];", "message[0] = 0;"]
        return "message"

    def message_size(self, a, known, n):
        return "(UIntPtr)1024"

    def callback(self, a, known, n):
        if not known:
            return "null"
        self.before += ["Kept kept = new Kept(Kept);", f"kept.Last = Callbacks.Of({n}, kept);"]
        return "kept.Last"

    # ---- put together

    def ending(self):
        """The call, what is done with its result, and what is returned: (type, statements)."""
        call = self.call
        raw = f"Raw.{call.c}({', '.join(self.given)})"
        base = call.function["result"]["base"]
        if not call.method.status:
            if base == "char":
                return "string", [f"return Library.TextOrNull({raw});"]
            if call.flag:
                return "bool", [f"return {raw} == 1;"]
            if base == "int32_t":
                kind = pascal(call.enum) if call.enum else "int"
                return kind, [f'return {f"({kind})" if call.enum else ""}Library.Number({raw}, "{call.c}");']
            kind = pascal(call.enum) if call.enum else SCALARS[base]
            return kind, [f"return ({kind}){raw};" if kind != base else f"return {raw};"]
        message = call.method.message
        words = f'$"{call.c}: {", ".join(self.told)}"' if self.told else f'"{call.c}"'
        after = [f"Done(self, {raw});" if message and message != "argument" else
                 f"Library.Check({raw}, {'message' if message else words});"]  # fmt: skip
        after += ["Kept = kept;"] if any(a.kind == "callback" for a in call.given) else []
        singles = [(a, local(a.name)) for a in call.singles]
        values = []
        for a, n in singles:
            if a.kind == "text_buffer":
                after += ["if (text != null) return Library.Utf8(text_);", "text = new byte[(long)needed];"]
                self.before += ["UIntPtr needed = UIntPtr.Zero;", "byte[] text = null;"]
                return "string", after
            if a.kind == "new_object":
                more = "" if call.method.kind != "method" else ", this" if a.base == call.owner else ", Kept"
                values.append(f"new {struct_name(a.base)}((IntPtr)made{more})")
            elif a.kind == "struct":
                values.append(f"new {struct_name(a.base)}(&{n}Raw)")
            else:
                values.append(f"({pascal(a.enum)}){n}Raw" if a.enum else n + "Raw")
        if not values:
            return "void", after
        if len(values) == 1:
            return owned_type(singles[0][0]), [*after, f"return {values[0]};"]
        return call.result_name, [*after, f"return new {call.result_name}({', '.join(values)});"]

    def body(self, ending):
        call = self.call
        options = [a for a in call.given if a.kind == "struct"]
        needs = self.pins and (len(options) != 1 or not options[0].optional)
        pins = "new Pins()" if needs else f"{local(options[0].name)} == null ? null : new Pins()" if options else ""
        opening = [f"using (Pins pins = {pins})"] if self.pins else []
        opening += [f"using (Hold {', '.join(self.holds)})"] if self.holds else []
        texts = any(a.kind == "text_buffer" for a in call.singles)
        fixed = [f"fixed ({kind} {', '.join(names)})" for kind, names in self.pinned.items()]
        inner = self.fills + ending
        if texts:
            inner = [
                *self.fills,
                "while (true) {",
                f"  {fixed[-1]} {{",
                *("    " + e for e in ending[:-1]),
                "  }",
                f"  {ending[-1]}",
                "}",
            ]
            fixed = fixed[:-1]
        opening += fixed
        if not opening:
            return self.before + inner
        return self.before + opening[:-1] + [opening[-1] + " {", *("  " + line for line in inner), "}"]


def indented(lines, by):
    return [by + line.replace("\n", "\n" + by) for line in lines]


def method_texts(call, batched_structs):
    if call.method.kind in ("init", "destructor"):
        return []
    name = INTERNAL.get(call.c) or shapes.pascal(call.name)
    one = Direct(call, batched_structs)
    result, ending = one.ending()
    signature = Signature(call, call.arrays, not call.arrays)
    body = one.body(ending)
    arguments, owner = signature.text(True), object_name(call.owner) if call.owner else None
    static = "static " if one.static else ""
    if call.creates:
        return [created(call, signature, body, owner)]
    if one.static:
        return [loaded_first(signature, arguments, result, name, body)]
    if not call.method.status and not arguments and not call.c.endswith("_message"):
        head = [f"    public {static}{result} {name} {{", "      get {"]
        lines = [*head, *indented(body, "        "), "      }", "    }"]
        return ["\n".join(signature.docs() + lines)]
    made = declared(f"{static}{result} {name}", arguments, [line.replace("\n", "\n      ") for line in body])
    texts = ["\n".join(signature.docs() + made)]
    if call.arrays:
        texts = [returning(call), *shorter(call), *texts]
    if call.c in INTERNAL:
        texts = [t.replace("    public ", "    internal ") for t in texts]
    return texts


OUTSIDE = "    [MethodImpl(MethodImplOptions.NoInlining)]\n"


def loaded_first(signature, arguments, result, name, body):
    """In two: where Mono compiles a method, it looks for the library of the calls in it."""
    inner = declared(
        f"static {result} {name}Now", without_defaults(arguments), [line.replace("\n", "\n      ") for line in body]
    )
    inner[0] = OUTSIDE + inner[0].replace("public", "private")
    passed = f"{name}Now({', '.join(a.split(' = ')[0].split()[-1] for a in arguments)})"
    if not arguments:
        head = [f"    public static {result} {name} {{", "      get {", "        Library.Ready();"]
        head += [f"        return {passed};", "      }", "    }"]
    else:
        head = declared(f"static {result} {name}", arguments, ["Library.Ready();", f"return {passed};"])
    return "\n".join([*signature.docs(), *head, "", *inner])


def without_defaults(arguments):
    return [a.split(" = ")[0] for a in arguments]


def created(call, signature, body, owner):
    """A constructor, and the function that it asks for a handle."""
    body = [line.replace(f"new {owner}((IntPtr)made)", "(IntPtr)made") for line in body]
    plain = without_defaults(signature.text(False))
    made = declared("static IntPtr MadeNow", plain, [line.replace("\n", "\n      ") for line in body])
    first = ["Library.Ready();", f"return MadeNow({', '.join(signature.passed([]))});"]
    made = [*declared("static IntPtr Made", plain, first), "", *made]
    made = [line.replace("public static IntPtr", "private static IntPtr") for line in made]
    made = [OUTSIDE + line if "MadeNow(" in line and "private" in line else line for line in made]
    head = listed(signature.text(False), f"    public {owner}(", ")", "        ")
    out = signature.docs() + [head, f"        : base(Made({', '.join(signature.passed([]))})) {{"]
    parts = [n for n, _ in shapes.made_from([call])]
    out += [f"      {shapes.pascal(n)} = {n};" for n in parts]
    out += ["      Kept = model.Kept;"] if "model" in parts else []
    if owner == "Batch":
        out += ["      single = options?.Precision == Precision.Single;", "      ConstraintCount = Set.Count;"]
    return "\n".join([*out, "    }", "", *made])


def klass(api, owner, calls, batched_structs):
    own = [call for call in calls if call.owner == owner]
    made = "\n\n".join(text for call in own for text in method_texts(call, batched_structs))
    if not owner:
        return "  public static unsafe partial class Library {\n" + made + "\n  }"
    handle, name = next(h for h in api["handles"] if h["name"] == owner), object_name(owner)
    out = docs(handle["comment"].split("\n")[0], "  ") + [f"  public sealed unsafe partial class {name} : Handle {{"]
    parts = [n for n, _ in shapes.made_from(own)]
    out += [f"    public {shapes.pascal(n)} {shapes.pascal(n)} {{ get; }}\n" for n in parts]
    if not parts:
        out += ["    /// <summary>Takes over one that calls of TenonRaw made.</summary>"]
        out += [f"    public {name}(IntPtr made) : base(made) {{ }}\n"]
        out += [f"    internal {name}(IntPtr made, Kept kept) : base(made) {{", "      Kept = kept;", "    }\n"]
    for things, count, one in shapes.lists(calls, owner):
        of = f"Names({shapes.pascal(count)}, {shapes.pascal(one)})"
        out += [f"    /// <summary>All of {shapes.pascal(one)}.</summary>"]
        out += [f"    public IReadOnlyList<string> {shapes.pascal(things)} => {of};", ""]
    for thing, index in shapes.lookups(calls, owner):
        of = f"which.Name == null ? which.Index : {shapes.pascal(index)}(which.Name)"
        out += [f"    internal int {shapes.pascal(thing)}Of(Which which) => {of};", ""]
    out += csharp_objects.text(api, calls, owner, own)
    if any(a.kind == "new_object" and c.method.kind == "method" and a.base == owner for c in own for a in c.written):
        out += [f"    private {name}(IntPtr made, {name} of) : base(made) {{"]
        out += [f"      {shapes.pascal(n)} = of.{shapes.pascal(n)};" for n in parts]
        more = ["      (single, ConstraintCount) = (of.single, of.ConstraintCount);"] if owner == "tenon_batch" else []
        out += ["      Kept = of.Kept;", *more, "    }", ""]
    out += [made, "", "    protected override bool ReleaseHandle() {"]
    return "\n".join([*out, f"      Raw.{owner}_destroy(({owner}*)handle);", "      return true;", "    }", "  }"])


def files(api):
    calls = list(shapes.calls(api))
    batched_structs = {s["name"] for s in api["structs"] if shapes.batched(s)}
    classes = [klass(api, owner, calls, batched_structs) for owner in (None, *layers.HANDLES)]
    return {
        "csharp/Tenon/Records.cs": narrow(csharp_structs.text(api, calls, size_in_batch)),
        "csharp/Tenon/Calls.cs": narrow(HEAD + "\n\n".join([*classes, csharp_objects.batch_views()]) + "\n}\n"),
    }
