"""JavaScript, the layer: what objects have beside a method for each function, as their functions tell: how one is made, what
its last call left, the set of constraints that it has, and forms of several functions together. And functions of the user."""

from . import layers, shapes
from .shapes import camel, object_name


def block(head, *lines):
    return [f"  {head} {{", *("    " + line for line in lines), "  }", ""]


def parts(call, base):
    """What a new object has beside its pointer: of a clone what the first has."""
    if call.method.kind == "method":
        return ", this" if base == call.owner else ", { kept: this.kept }"
    held = [f"{n}: $.{n}{' ?? null' if optional else ''}" for n, optional in shapes.made_from([call])]
    held += ["...chosen"] if asked(call) else []
    return f", {{ {', '.join(held)} }}" if held else ""


def asked(call):
    """What is looked at before one is made."""
    return ["const chosen = Many.chosen($.model, $.options);"] if call.creates and call.owner == "tenon_batch" else []


def text(api, owner, own):
    out, made = [], shapes.made_from(own)
    out += ["  finished = false;", ""] if any(c.c in shapes.ONCE for c in own) else []
    if any(c.creates for c in own):
        name = object_name(owner)
        out += block("constructor(...all)", f"super(all[0] instanceof Made ? all[0] : {name}.create(...all));")
    for name, optional in made:
        if optional:
            out += ["  // A set has the rows of the model's loops, also where there is no other constraint."]
            out += block("get set()", f"return this.{name} ?? (this.loops ??= new {shapes.pascal(name)}(this.model));")
            out += block("get constraintCount()", "return this.set.count;")
    if owner in layers.KEEP_MESSAGES and not shapes.codes(own):
        out += ["  statusCode = 0;", ""]
        out += block("done(status)", "this.statusCode = status;", "this.checked(status);")
        out += block("get status()", "return lib.tenon_status_string(this.statusCode);")
        out += block("zeros()", "return new Float64Array(this.nv);")
    for call in own:
        if call.c in shapes.PROPERTIES:
            name = shapes.pascal(call.name)
            out += block(f"get {camel(call.name)}()", f"return this.get{name}();")
            out += block(f"set {camel(call.name)}(value)", f"this.set{name}(value);")
    return out + [line for each in shapes.chosen(api, own) for line in one_for_all(shapes.Choice(*each))]


def one_for_all(choice):
    needed, kind = [camel(a.name) for a in choice.needed], choice.enum["name"]
    nulls = [f"{camel(a.name)}: null" for a in choice.values[0][1].arrays]
    given = f"{{ {', '.join([*needed, *nulls])}, ...how }}"
    calls = ", ".join(f"{value.lower()}: '{camel(call.name)}'" for value, call in choice.values)
    lines = [f"const calls = {{ {calls} }};"]
    lines += [f"const value = s.constant('{kind}', {camel(kind)});", f"this[calls[s.nameOf('{kind}', value)]]({given});"]
    how = f"{{ {camel(kind)} = '{choice.first.lower()}', ...how }} = {{}}"
    return block(f"{camel(choice.name)}({', '.join(needed)}, {how})", *lines)


def callbacks(api):
    """What functions of the user get for the arguments of C: views of its numbers."""
    out = ["const callbacks = {"]
    for callback in api["callbacks"]:
        lengths = shapes.callback_lengths(callback)
        if lengths:
            names = [a["name"] for a in callback["arguments"] if a["name"] != "user"]
            views = ", ".join(f"view({n}, {length})" for n, (length, _) in lengths.items())
            out += [f"  {callback['name']}: (view, {', '.join(names)}) => [{views}],"]
    return [*out, "};", ""]


def callback_type(callback):
    given = ", ".join(f"{camel(n)}: Float64Array" for n in shapes.callback_lengths(callback))
    return f"({given}) => void"
