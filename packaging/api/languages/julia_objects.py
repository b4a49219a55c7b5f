"""Julia: the types of objects, what makes them, and functions of the user; and what the layer has to know of structs."""

from . import layers, meanings, shapes
from .common import MARK, comment

OBJECTS = {
    "tenon_model": ("model", "Model"), "tenon_builder": ("builder", "Builder"), "tenon_constraints": ("set", "Constraints"),
    "tenon_workspace": ("work", "Workspace"), "tenon_batch": ("batch", "Batch"),
}  # fmt: skip
# Functions that make an object of no other, where their name is not its type.
MAKERS = {"tenon_model_parse_urdf": "parse_urdf", "tenon_builder_load_urdf": "load_builder",
          "tenon_builder_parse_urdf": "parse_builder"}  # fmt: skip
# Fields of the objects, and what they are of those of which C tells another name.
FACTS = {
    **{f"tenon_model_{n}": n for n in ("name", "nq", "nv", "floating_base", "total_mass", "body_count", "depth")},
    **meanings.COUNTS,
}  # fmt: skip
ABOUT = {
    "tenon_model": "`close` frees it now, the garbage collector some time after nobody holds it; what was made from it stays good. "
    "`Model(path; base = :floating)`; log_callback(level, text).",
    "tenon_builder": "Links first, then the joints between them, then what ties them into loops; `finish` makes a model of it.",
    "tenon_constraints": "`finish!`, or the first workspace or batch, ends the filling. Each `add_...!` returns the number of the "
    "constraint.",
    "tenon_workspace": "`wrenches`: 6 for each link, [moment about its origin; force] along link axes; nothing: none.",
    "tenon_batch": "A state is a column: q is nq x states; an input of the numbers of one state is the same for all. Arrays are of "
    "Float64, or Float32 of precision :single. A state that fails spoils only itself: `status(batch)` has its status, and the call "
    "throws when the others are done. Settings of constraints of many states are for calls of as many; those of one state hold in all.",
}  # fmt: skip
HEAD = """# %s
# The types of objects, what makes them, and what is known of structs.
"""


def documented(text):
    text = text.replace("\\", "\\\\").replace("$", "\\$").replace('"', '\\"')
    return comment(text, '"', "", '"', width=118)


def keeps(calls, owner):
    """Whether functions of the user are called for it: it holds them."""
    taking = {c.owner for c in calls if any(a.kind == "callback" for a in c.given)}
    made = {a.base for c in calls if c.owner in taking for a in c.written if a.kind == "new_object"}
    return owner in taking | made


def told(call):
    """The type of a fact, and what it is."""
    raw = f"Raw.{call.c}(p)"
    if call.flag:
        return "Bool", f"{raw} == 1"
    kinds = {"char": ("String", f"unsafe_string({raw})"), "double": ("Float64", raw)}
    return kinds.get(call.function["result"]["base"], ("Int", raw))


def declared(api, calls, owner):
    own, (name, kind) = [c for c in calls if c.owner == owner], OBJECTS[owner]
    handle = next(h for h in api["handles"] if h["name"] == owner)
    real, codes = ("{T}" if shapes.codes(own) else ""), shapes.codes(own)
    parts = [n for n, _ in shapes.made_from(own)]
    fields = [("pointer", f"Ptr{{Raw.{owner}}}", "p")] + [(n, shapes.pascal(n), n) for n in parts]
    facts = [(FACTS[c.c], *told(c)) for c in own if c.c in FACTS]
    fields += facts
    for things, count, one in shapes.lists(own, owner):
        each = f"[unsafe_string(Raw.{owner}_{one}(p, i - 1)) for i in 1:Raw.{owner}_{count}(p)]"
        fields += [(things, "Vector{String}", each)]
    fields += [("kept", "Vector{Any}", "kept")] if keeps(calls, owner) else []
    fields += [("finished", "Bool", "false")] if any(c.c in shapes.ONCE for c in own) else []
    if owner in layers.KEEP_MESSAGES:
        fields += [({"status": "codes"}.get(n, n), "Vector{Int32}", "Int32[]") for n in codes] or [("code", "Int32", "0")]
    text = handle["comment"].split("\n")[0]
    out = [documented(f"{text[:1].upper()}{text[1:]} {ABOUT[owner]}"), f"mutable struct {kind}{real}"]
    out += [f"    {n}::{type_}" for n, type_, _ in fields]
    given = [f"p::Ptr{{Raw.{owner}}}", *parts, *(["kept = Any[]"] if keeps(calls, owner) else [])]
    out += ["", f"    function {kind}{real}({', '.join(given)}){' where {T}' if real else ''}"]
    values = ",\n            ".join(value for _, _, value in fields)
    out += [f"        return finalizer(free, new{real}({values}))", "    end", "end", ""]
    if any(c.name == "set_coordinates" for c in own):
        out += [f"function count!({name}::{kind})", f"    p = {name}.pointer"]
        out += [*(f"    {name}.{n} = {value}" for n, _, value in facts), f"    return {name}", "end", ""]
    out += [f"function free(object::{kind})", "    pointer, object.pointer = object.pointer, C_NULL",
            f"    pointer == C_NULL || Raw.{owner}_destroy(pointer)", "    return nothing", "end",
            f"Base.close(object::{kind}) = finalize(object)",
            f'Base.unsafe_convert(::Type{{Ptr{{Raw.{owner}}}}}, object::{kind}) = alive(object.pointer, "{kind}")', ""]  # fmt: skip
    return out


def maker_name(call):
    return MAKERS.get(call.c) or (OBJECTS[call.method.makes][1] if call.method.kind == "constructor" else call.name)


def maker(api, call, calls):
    """A function that makes an object."""
    f, made = call.function, next(a for a in call.written if a.kind == "new_object")
    kind, own = OBJECTS[made.base][1], OBJECTS.get(call.owner, (None,))[0]
    method = call.method.kind == "method"
    positional, passed, body = ([f"{own}::{OBJECTS[call.owner][1]}"] if method else []), [], []
    parts, options = [], next((a.base for a in call.given if a.kind == "struct"), None)
    for i, a in enumerate(f["arguments"]):
        n = a["name"]
        if i == 0 and method:
            passed.append(own)
        elif a["kind"] == "object" and a["null"]:  # a set
            positional.append(f"{n}::Union{{Nothing, {OBJECTS[a['base']][1]}}} = nothing")
            body.append(f"set = set_of(model, {n})")
            passed.append("set")
            parts.append("set")
        elif a["kind"] == "object":
            positional.append(f"{n}::{OBJECTS[a['base']][1]}")
            passed.append(n)
            parts.append(n)
        elif a["kind"] == "text":
            positional.append(f"{n}::AbstractString")
            body += ["bytes = String(text)"] if "count" in a else []
            passed.append("bytes" if "count" in a else f"String({n})")
        else:
            known = {"count": "sizeof(bytes)", "struct": "reference(chosen)", "new_object": "made",
                     "message_size": "size"}  # fmt: skip
            passed.append(known.get(a["kind"], n))
    body += [f"made = Ref{{Ptr{{Raw.{made.base}}}}}(C_NULL)"]
    body += [f"chosen = options_of(Raw.{options}, how)"] if options else []
    preserve = "GC.@preserve chosen " if options else ""
    body += [f"{preserve}ask((message, size) -> Raw.{call.c}({', '.join(passed)}))"]
    like = method and made.base == call.owner
    if like:
        kind, parts = f"typeof({own})", [f"{own}.{n}" for n, _ in shapes.made_from([c for c in calls if c.owner == call.owner])]
    elif method and keeps(calls, made.base):
        parts = [f"{own}.kept"]
    elif kind == "Batch":
        kind = "Batch{real_of(how)}"
    body += [f"return {kind}({', '.join(['made[]', *parts])})"]
    head = f"function {maker_name(call)}({', '.join(positional)}{'; how...' if options else ''})"
    about = f.get("brief", "").rstrip(" .;,") + (f". Options: {options}." if options else ".")
    return [documented(about), head, *("    " + line for line in body), "end", ""]


def callbacks(api):
    """What the library calls in the place of a function of the user, which gets what is read and returns what is written."""
    types = {"int32_t": "Int32", "void": "Ptr{Cvoid}", "double": "Ptr{Float64}"}
    for callback in api["callbacks"]:
        lengths = shapes.callback_lengths(callback)
        if lengths:
            name, arguments = callback["name"], callback["arguments"]
            given = ", ".join(f"{a['name']}::{types[a['base']]}" for a in arguments)
            wraps = {n: f"unsafe_wrap(Array, {n}, {length})" for n, (length, _) in lengths.items()}
            inputs = ", ".join(f"copy({wraps[n]})" for n, (_, read) in lengths.items() if read)
            outputs = ", ".join(wraps[n] for n, (_, read) in lengths.items() if not read)
            tuple_ = ", ".join(types[a["base"]] for a in arguments)
            yield from [f"function {name}({given})", f"    return computed(user, ({inputs}), ({outputs}))", "end"]
            yield from [f"pointer_of_{name}() = @cfunction({name}, Int32, ({tuple_}))", ""]


# ---- structs


def record(s, enums, index_fields):
    parts = []
    for f in layers.fields(s):
        at, enum = f"info.{f['name']}", enums.get(f.get("enum"))
        if f["base"] == "char":
            text = f"told({at})"
        elif "extent" in f:
            text = f"collect({at})"
        elif f["name"] in index_fields:
            text = f"from_index({at})"
        elif f["name"] in shapes.FLAGS:
            text = f"{at} == 1"
        elif enum and enum["kind"] and not f.get("mask"):
            text = f"name_of(Raw.{enum['kind']}, {at})"
        else:
            text = at if f["base"] == "double" else f"Int({at})"
        parts.append(f"{f['name']} = {text}")
    return f"record(info::Raw.{s['name']}) = ({', '.join(parts)})"


def structs(api, index_fields, product):
    """product: of the factors of a length of an array of a batch."""
    enums = {e["name"]: e for e in api["enums"]}
    kinds, masks, bits, counts, places, arrays = [], [], [], [], [], []
    for s in api["structs"]:
        for f in layers.fields(s):
            key, enum = f"(Raw.{s['name']}, :{f['name']})", enums.get(f.get("enum"))
            if enum and enum["bits"]:
                names = ", ".join(f":{v['name'][len(enum['prefix']) :].lower()} => Raw.{v['name']}" for v in enum["values"])
                bits.append(f"    {key} => Dict({names}),")
            elif enum and enum["kind"]:
                (masks if f.get("mask") else kinds).append(f"    {key} => Raw.{enum['kind']},")
            if "count_field" in f:
                counts.append(f"    {key} => :{f['count_field']},")
            if f["name"] in index_fields and s["init"] and s not in layers.records(api):
                places.append(f"    {key},")
            if f["base"] == "tenon_batch_array":
                factors, each = shapes.field_factors(f)
                each = f":{each}" if each else "nothing"
                written = str(f["name"].endswith("_out")).lower()
                arrays.append(f"    {key} => (batch -> {product(factors)}, {each}, {written}),")
    out = ["# Fields of structs that hold a constant, by the number of its kind; that are masks of constants; that are bits; that are"]
    out += ["# counted by another; and arrays of batches: how many numbers of a state, of what else, and whether it is written."]
    for name, rows in (("KINDS", kinds), ("MASKS", masks), ("BITS", bits), ("COUNTS", counts), ("ARRAYS", arrays)):
        out += [f"const {name} = Dict{{Tuple{{Type, Symbol}}, Any}}(", *rows, ")"]
    out += ["const PLACES = Set{Tuple{Type, Symbol}}([", *places, "])", "", "# What prepares each."]
    out += [f"prepare(x::Raw.{s['name']}) = Raw.{s['init']}(Ref(x), sizeof(x))" for s in api["structs"] if s["init"]]
    return [*out, *(record(s, enums, index_fields) for s in layers.records(api)), ""]


def text(api, index_fields, product, wrapped):
    calls, out = list(shapes.calls(api)), [HEAD % MARK, *structs(api, index_fields, product)]
    for owner in OBJECTS:
        out += declared(api, calls, owner)
    makers = [c for c in calls if any(a.kind == "new_object" for a in c.written)]
    for call in makers:
        out += maker(api, call, calls)
    out += callbacks(api)
    names = sorted({maker_name(c) for c in makers} - {kind for _, kind in OBJECTS.values()})
    lines = [line for block in [*out, f"export {', '.join(names)}"] for line in block.split("\n")]
    return "\n".join(line if line.startswith(("export", "#", '"')) else wrapped(line) for line in [*lines, ""])
