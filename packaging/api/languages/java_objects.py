"""Java, the layer: what an object has beside a method for each function, as its functions tell: what it was made from,
its constructors, how it finds its things by name, what its last call left, its sizes, and forms of several functions
together."""

from . import layers, shapes
from .common import listed, pascal
from .java_types import type_of
from .shapes import camel, codes, made_from, object_name


def method(head, *lines, about=None):
    out = [f"  /** {about} */"] if about else []
    return [*out, f"  {head} {{", *("    " + line for line in lines), "  }", ""]


def fields(owner, own):
    out = []
    for name, optional in made_from(own):
        out += ["  /** Null where there is none. */"] if optional else []
        out += [f"  public final {pascal(name)} {name};"]
        out += [f"  private {pascal(name)} loops;"] if optional else []
    if owner in layers.KEEP_MESSAGES:
        out += ["  private int last;"] if not codes(own) else []
        out += [f"  private int[] {name}Codes = {{}};" for name in codes(own)]
    if owner == "tenon_batch":
        out += ["  private int constraintCount;", "  private boolean single;"]
    out += ["  private boolean finished;"] if any(c.c in shapes.ONCE for c in own) else []
    return [*out, ""] if out else []


def constructors(owner, own, made_by_others):
    """Of handles that functions made."""
    name, parts, out = object_name(owner), made_from(own), []
    free = f"super(made, LIB::{owner}_destroy);"
    if not parts:
        out += method(f"public {name}(Pointer made)", free, about="Takes over one that calls of LIB made.")
        kept = ["this(made);", "this.kept.addAll(kept);"]
        out += method(f"{name}(Pointer made, List<Layout.Kept> kept)", *kept) if made_by_others else []
    elif any(a.kind == "new_object" and c.method.kind == "method" and a.base == owner for c in own for a in c.written):
        lines = [free, *(f"{n} = of.{n};" for n, _ in parts), "kept.addAll(of.kept);"]
        lines += [f"{n} = of.{n};" for n in ("constraintCount", "single")] if owner == "tenon_batch" else []
        out += method(f"private {name}(Pointer made, {name} of)", *lines)
    return out


def started(owner, own):
    """What a constructor does with what was given."""
    parts = made_from(own)
    out = [f"this.{name} = {name};" for name, _ in parts]
    out += ["kept.addAll(model.kept);"] if owner in layers.KEEP_MESSAGES else []
    if owner == "tenon_batch":
        out += ["single = options != null && options.precision == Precision.SINGLE;"]
        out += ["constraintCount = set().count(); // the set may be closed later"]
    return out


def named(calls, owner, own):
    """Its things by their names, and those of what it was made from."""
    out, finders = [], {thing: camel(index) for thing, index in shapes.lookups(calls, owner)}
    for thing, part, index in shapes.finders(calls, owner):
        finders[thing] = f"{'set()' if (part, True) in made_from(own) else part}.{camel(index)}"
    for thing, index in finders.items():
        if any(a.thing == thing for c in own for a in c.given):
            out += method(f"private int {thing}Of(String {thing})", f"return {index}({thing});")
    for part, optional in made_from(own):
        if optional:
            out += ["  // A set has the rows of the model's loops, also where there is no other constraint."]
            lines = [f"if ({part} == null && loops == null) {{", f"  loops = new {pascal(part)}(model);", "}"]
            out += method(f"private {pascal(part)} set()", *lines, f"return {part} == null ? loops : {part};")
    return out


def results(owner, own):
    """What the last call left."""
    if owner not in layers.KEEP_MESSAGES:
        return []
    kept = codes(own)
    raised = ["if (status < 0) {", "  throw failed(status, message());", "}"]
    out = method("private void done(int status)", *([] if kept else ["last = status;"]), *raised)
    if not kept:
        words = 'Of the last computation: "ok", or which caveat its answer has.'
        out += method("public String status()", "return LIB.tenon_status_string(last);", about=words)
    for name in kept:
        words = {"status": "Of each state of the last call, Tenon.TENON_*."}
        about = words.get(name, f"Of each state, where the last call has them: {name}.")
        out += method(f"public int[] {name}()", f"return {name}Codes.clone();", about=about)
    if kept:
        out += method("private void begin(long states)", *(f"{n}Codes = new int[Matrix.size(states)];" for n in kept))
    return out


def sizes(owner, own):
    out = []
    if owner == "tenon_batch":
        out += method("int constraintCount()", "return constraintCount;")
        out += method("int item()", "return single ? 4 : 8;")
        words = "this batch is of single precision: hand over BatchArray.of(float[])"
        lines = ["if (single) {", f'  throw new IllegalStateException("{words}");', "}"]
        out += method("private void ofDoubles()", *lines)
    elif owner in layers.KEEP_MESSAGES:
        out += method("private int constraintCount()", "return set().count();")
        out += method("public double[] zeros()", "return new double[nv()];", about="Velocities, or forces.")
    return out


def other_forms(api, calls, owner, own):
    """Flags as such, numbers that are mostly the same left out, and one method for calls that end in a constant."""
    out = []
    for call in own:
        name, (flags, filled) = camel(call.name), shapes.left_to_layers(call)
        if flags:
            n = camel(flags.name)
            numbers = f"IntStream.range(0, {n}.length).mapToDouble(i -> {n}[i] ? 1 : 0).toArray()"
            out += method(f"public void {name}(boolean... {n})", f"{name}({numbers});", about=flags.note)
        if filled:
            first, n, value = camel(filled[0].name), camel(filled[1].name), filled[2]
            lines = [f"double[] {n} = new double[constraintCount()];", f"Arrays.fill({n}, {value});"]
            about = f"{filled[0].note}; {filled[1].name}: {value}."
            out += method(f"public void {name}(double[] {first})", *lines, f"{name}({first}, {n});", about=about)
    return out + [line for each in shapes.chosen(api, own) for line in one_for_all(shapes.Choice(*each))]


def one_for_all(choice):
    name, kind, by = camel(choice.name), pascal(choice.enum["name"]), camel(choice.enum["name"])
    given, how = ([f"{type_of(a, None)} {camel(a.name)}" for a in some] for some in (choice.needed, choice.options))
    passed = [*(camel(a.name) for a in choice.needed), f"{kind}.{choice.first}"]
    forms = [(given, passed + ["null"] * len(how)), (given + how, passed + [camel(a.name) for a in choice.options])]
    out = []
    for some, all_ in forms[: 1 + bool(how)]:
        out += method(f"public void {name}({', '.join(some)})", f"{name}({', '.join(all_)});")
    inner = choice.passed(camel, "null")
    cases = [f"  case {value} -> {camel(one.name)}({inner});" for value, one in choice.values]
    changed = " and ".join(map(camel, choice.changed))
    out += [f"  /** By a method of choice: {changed} change in place. What may be null: options. */"]
    head = listed([*given, f"{kind} {by}", *how], f"  public void {name}(", ") {", "      ")
    return [*out, head, f"    switch ({by}) {{", *("    " + c for c in cases), "    }", "  }", ""]


def finished_once(own):
    out = []
    for call in own:
        if call.c in shapes.ONCE:
            name, owner = camel(call.name), object_name(call.owner)
            lines = ["pointer();", "if (!finished) {", f"  {name}Once();", "}", "finished = true;", "return this;"]
            out += method(f"public {owner} {name}()", *lines, about=f"{shapes.ONCE[call.c]} Does nothing the second time.")
    return out


def text(api, calls, owner, own):
    """All of an object but its functions."""
    others = any(a.kind == "new_object" and a.base == owner and c.owner != owner for c in calls for a in c.written)
    out = fields(owner, own) + constructors(owner, own, others) + named(calls, owner, own)
    return out + results(owner, own) + sizes(owner, own) + finished_once(own) + other_forms(api, calls, owner, own)
