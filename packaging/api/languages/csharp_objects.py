"""C#, the layer: what an object has beside a method for each function, as its functions tell: how it finds its things
by name, what its last call left, its sizes, and forms of several functions together. And what batches read and write."""

from . import layers, shapes
from .common import pascal
from .csharp_structs import SCALARS, docs, local
from .shapes import camel, codes, struct_name

ABOUT = {
    "status": (
        "public Status[] StateStatus => Array.ConvertAll(statusCodes, code => (Status)code);",
        "Of each state of the last call.",
    ),
    "iterations": (
        "public int[] Iterations => (int[])iterationsCodes.Clone();",
        "How many sweeps each state took, where it solved.",
    ),
}


def block(head, *lines, about=None):
    out = docs(about, "    ") if about else []
    return [*out, f"    {head} {{", *("      " + line for line in lines), "    }", ""]


def optional_part(own):
    return next((shapes.pascal(name) for name, optional in shapes.made_from(own) if optional), None)


def named(calls, owner, own):
    """The things by name of what it was made from."""
    out = []
    for thing, part, _ in shapes.finders(calls, owner):
        of, finder = "Set" if shapes.pascal(part) == optional_part(own) else shapes.pascal(part), shapes.pascal(thing) + "Of"
        out += [f"    private int {finder}(Which which) => {of}.{finder}(which);", ""]
    return out


def results(owner, own):
    """What the last call left; and a set of constraints, which has the rows of the model's loops where there is no other."""
    out, kept, part = [], codes(own), optional_part(own)
    if owner not in layers.KEEP_MESSAGES:
        return out
    out += [f"    private {part} loops;"]
    out += [f"    private {part} Set => {part} ?? (loops = loops ?? new {part}(Model));", ""]
    if not kept:
        words = "Of the last computation: Ok, or which caveat its answer has."
        out += [*docs(words, "    "), "    public Status Status { get; private set; }", ""]
    for name in kept:
        getter, words = ABOUT[name]
        out += [f"    private int[] {name}Codes = {{ }};", *docs(words, "    "), "    " + getter, ""]
    lines = ['if (states > int.MaxValue) throw Unfit($"there is no memory for {states} states");']
    lines += [f"if ({name}Codes.Length != states) {name}Codes = new int[Size(states)];" for name in kept]
    lines += [f"Array.Clear({name}Codes, 0, {name}Codes.Length);" for name in kept]
    out += block("private void Begin(long states)", *lines) if kept else []
    message = f"Library.Utf8(Raw.{layers.KEEP_MESSAGES[owner]}(({owner}*)self.Pointer))"
    lines = [] if kept else ["Status = (Status)code;"]
    lines += [f"if (code < 0) throw new TenonException(code, {message}, Kept?.Take());"]
    return out + block("private void Done(Hold self, int code)", *lines)


def sizes(owner, own):
    if owner not in layers.KEEP_MESSAGES:
        return []
    if owner != "tenon_batch":
        out = ["    private int ConstraintCount => Set.Count;", ""]
        return [*out, *docs("Velocities, or forces.", "    "), "    public double[] Zeros() => new double[Nv];", ""]
    out = ["    private readonly bool single;", "    internal int ConstraintCount { get; } // the set may be closed later", ""]
    numbers = "single ? (BatchInput)Array.ConvertAll(given, x => (float)x) : given"
    return [*out, f"    private BatchInput Numbers(double[] given) => {numbers};", ""]


def other_forms(api, own):
    """Flags as such, numbers that are mostly the same left out, one method for calls that end in a constant; and properties."""
    out, names = [], {c.name for c in own}
    for call in own:
        name, (flags, filled) = shapes.pascal(call.name), shapes.left_to_layers(call)
        if flags:
            n = local(flags.name)
            numbers = f"Numbers(Array.ConvertAll(Given({n}, nameof({n})), on => on ? 1.0 : 0.0))"
            out += block(f"public void {name}(params bool[] {n})", f"{name}({numbers});", about=flags.note)
        if filled:
            first, second, value = filled
            n, about = local(first.name), f"{first.note}; {second.name}: {value}."
            lines = ["double[] same = new double[ConstraintCount];", f"Array.Fill(same, {value});"]
            out += block(f"public void {name}(BatchInput {n})", *lines, f"{name}({n}, Numbers(same));", about=about)
        if call.c in shapes.PROPERTIES and "set_" + call.name in names:
            out += docs(call.function["brief"], "    ") + [f"    public double[] {name} {{"]
            out += [f"      get => Get{name}();", f"      set => Set{name}(value);", "    }", ""]
        if call.c in shapes.ONCE:
            lines = [f"if (!finished || IsClosed) {name}Once();", "finished = true;", "return this;"]
            about = f"{shapes.ONCE[call.c]} Does nothing the second time."
            out += ["    private bool finished;", ""]
            out += block(f"public {struct_name(call.owner)} {name}()", *lines, about=about)
    return out + [line for each in shapes.chosen(api, own) for line in one_for_all(shapes.Choice(*each))]


def one_for_all(choice):
    kind, by = pascal(choice.enum["name"]), camel(choice.enum["name"])
    span = {True: "Span", False: "ReadOnlySpan"}
    types = [SCALARS[a.base] if a.kind == "value" else f"{span[a.place]}<{SCALARS[a.base]}>" for a in choice.needed]
    given = [f"{type_} {local(a.name)}" for type_, a in zip(types, choice.needed)]
    given += [f"{kind} {by} = {kind}.{pascal(choice.first)}"]
    given += [f"{struct_name(a.base)} {local(a.name)} = null" for a in choice.options]
    inner = choice.passed(local, "null")
    lines = [f"if ({by} == {kind}.{pascal(value)}) {shapes.pascal(one.name)}({inner});" for value, one in choice.values]
    lines = [line if i == 0 else "else " + line for i, line in enumerate(lines)]
    lines += [f"else throw new ArgumentOutOfRangeException(nameof({by}));"]
    about = f"By a method of choice: {' and '.join(map(local, choice.changed))} change in place."
    return block(f"public void {shapes.pascal(choice.name)}({', '.join(given)})", *lines, about=about)


def text(api, calls, owner, own):
    """All of an object but its functions and constructors."""
    made = named(calls, owner, own) + results(owner, own) + sizes(owner, own)
    return made + (other_forms(api, own) if owner else [])


# ---- what batches read and write


def batch_views():
    out = []
    for name, span, about in (
        ("BatchOutput", "Span", "What a method of a batch writes into: an array, a span, or a BatchArray."),
        ("BatchInput", "ReadOnlySpan", "What a method of a batch reads."),
    ):
        out += docs(about, "  ") + [f"  public readonly ref struct {name} {{"]
        out += [f"    internal readonly {span}<byte> Bytes;", "    internal readonly BatchView View;", ""]
        lines = ["Bytes = bytes;", "View = new BatchView(bytes.Length / item, item, array);"]
        out += block(f"private {name}({span}<byte> bytes, int item, BatchArray array = null)", *lines)
        out += ["    internal bool IsGiven => View.Item != 0 && Bytes.Length != 0;", ""]
        made, none = f"    public static implicit operator {name}", f"given == null ? default({name}) :"
        for kind, item in (("double", 8), ("float", 4)):
            out += [f"{made}({span}<{kind}> given) => new {name}(MemoryMarshal.AsBytes(given), {item});"]
            out += [f"{made}(Span<{kind}> given) => ({span}<{kind}>)given;"] if span != "Span" else []
            out += [f"{made}({kind}[] given) => {none} ({span}<{kind}>)given;"]
        out += [f"{made}(BatchArray given) => {none} new {name}(given.Bytes, given.Item, given);", "  }", ""]
    return "\n".join(out[:-1])
