"""JavaScript, the types of the layer: of options, records and methods."""

from . import layers, shapes
from .common import MARK, comment, enumerations, listed, narrow
from .javascript_layer import ARRAYS, default_of, field_kind, is_getter, is_link, name_of, placed, positional
from .javascript_objects import callback_type
from .shapes import camel, object_name, struct_name


def enum_name(name):
    return "".join(part.capitalize() for part in name.split("_"))


def ts_field(f):
    kind = field_kind(f)
    if is_link(f):
        return "Which"
    known = {
        "flag": "boolean",
        "text": "string",
        "numbers": "Numbers",
        "array": "Numbers",
        "batchArray": "BatchNumbers",
    }
    known |= {
        "log": "((level: LogLevel, message: string) => void) | null",
        "number": "number",
        "whole": "number | bigint",
    }
    if kind["kind"] == "enum":
        enum = enum_name(kind["enum"])
        return f"{enum} | readonly {enum}[] | number" if kind["enum"] in BITS else f"{enum} | number"
    if kind["kind"] == "mask":
        return f"readonly {enum_name(kind['enum'])}[] | number"
    return struct_name(kind["struct"]) if kind["kind"] == "struct" else known[kind["kind"]]


def ts_record_field(f):
    kind = field_kind(f)
    if kind["kind"] == "enum":
        return "number" if kind["enum"] in BITS else enum_name(kind["enum"])
    return {"flag": "boolean", "text": "string", "numbers": "Float64Array"}.get(kind["kind"], "number")


BITS = set()


def ts_type(a, call):
    if a.kind == "array":
        return ARRAYS[a.base] if a.written or a.place else "Numbers"
    if a.kind == "value":
        if call.named(a):
            return "Which"
        enum = f"{enum_name(a.enum)} | number" if a.enum else None
        return "boolean" if a.flag else enum or ("number" if a.base in ("double", "int32_t") else "number | bigint")
    known = {"matrix": "Matrix", "batch_array": "BatchNumbers", "text": "string", "texts": "readonly string[]"}
    known["callback"] = struct_name(a.base)
    if a.kind == "batch_array" and a.c["name"] in shapes.FLAGS:
        return "BatchNumbers | readonly boolean[]"
    if call.method.name == "parse_urdf" and a.kind == "text":
        return "string | Uint8Array"
    return known.get(a.kind) or struct_name(a.base)


def ts_result(a):
    if a.kind == "array":
        return ARRAYS[a.base]
    if a.kind == "result":
        return enum_name(a.enum) if a.enum else "number"
    return {"matrix": "Matrix", "batch_array": "Real", "text_buffer": "string"}.get(a.kind) or struct_name(a.base)


def docs(text, indent, call=None):
    extra = (
        [f"{camel(a.name)}: {a.note}" for a in [*call.required, *call.left_out, *call.arrays] if a.note] if call else []
    )
    return (
        comment("\n".join([text, *extra]).replace("*/", "* /"), indent + "/** ", indent + " * ", " */")
        if text
        else None
    )


def ts_value(call):
    """What a function gives back."""
    returned = call.returned
    if call.c in shapes.ONCE:
        return "this"
    if not call.method.status:
        base = call.function["result"]["base"]
        result = "boolean" if call.flag else "string" if base == "char" else "number"
        result = enum_name(call.enum) if call.enum and call.enum not in BITS else result
        return result + (" | null" if result == "string" and call.given else "")
    if len(returned) < 2:
        return ts_result(returned[0]) if returned else "void"
    together = [f"{camel(a.result)}: {ts_result(a)}" for a in returned]
    return "{ " + "; ".join((["records: number"] if call.tells_records else []) + together) + " }"


def left_out(a, call):
    return a.optional or default_of(a, call) is not None or a.c["name"] in shapes.FILLED


def ts_method(call, structs):
    name = name_of(call)
    ordered = positional(call)
    needed = [a for a in ordered if not a.written and a in call.required and not left_out(a, call)]
    keys = [a for a in ordered if a not in needed]
    options = [a for a in call.given if a.kind == "struct"]
    result = ts_value(call)
    text = docs(f"{call.function['brief']} C: {call.c}.", "  ", call)
    static = "static " if call.method.kind == "constructor" else ""
    # What may be left out stands in order, or by name in a last object, with the fields of options.
    how = [f"{camel(a.name)}?: {ts_type(a, call)}{'' if a.kind == 'value' else ' | null'}" for a in keys]
    how += ["out?: " + ts_type(call.arrays[0], call)] if call.arrays else []
    if call.owner == "tenon_batch" and call.teller:
        how += ["states?: number | bigint", "raises?: boolean"]
    parts = ["{ " + "; ".join(how) + " }"] if how else []
    for a in options:
        parts.append(f"{{ solve?: {struct_name(a.base)} }}" if a.base == "tenon_solve_options" else struct_name(a.base))
    last = [f"how{'' if any(not a.optional for a in options) else '?'}: {' & '.join(parts)}"] if parts else []
    given = [f"{camel(a.name)}: {ts_type(a, call)}" for a in needed]
    given += [f"{camel(name)}: Which" for name in placed(call, structs)]
    last = [one.replace("how:", "how?:") for one in last] if placed(call, structs) else last
    if call.creates:
        head, result = "constructor", None
    elif is_getter(call):
        return "\n".join([text, f"  readonly {name}: {result};"])
    else:
        head = f"{static}{name}"
    end = f"): {result};" if result else ");"
    out = [text, listed(given + last, f"  {head}(", end, "    ")]
    if keys:
        optional = [f"{camel(a.name)}?: {ts_type(a, call)}{'' if a.kind == 'value' else ' | null'}" for a in keys]
        out += [listed(given + optional + (last if options else []), f"  {head}(", end, "    ")]
    return "\n".join(out)


def members(api, owner, own):
    """What objects have beside functions, as javascript_objects.py writes it."""
    out = [f"  readonly {camel(things)}: string[];" for things, _, _ in shapes.lists(own, owner)]
    out += [f"  {camel(index)}({thing}: Which): number;" for thing, index in shapes.lookups(own, owner)]
    if not any(c.creates for c in own):
        out += ["  /** Takes over one that raw calls made. */", f"  constructor(pointer: raw_layer.{owner});"]
    out += [f"  readonly {n}: {shapes.pascal(n)}{' | null' if optional else ''};" for n, optional in shapes.made_from(own)]
    out += ["  readonly finished: boolean;"] if any(c.c in shapes.ONCE for c in own) else []
    if shapes.codes(own):
        out += ["  /** Of each state of the last call; and how many sweeps it took, where it solved. */"]
        out += ["  readonly status: Status[];", "  readonly iterations: Int32Array;"]
    elif owner in layers.KEEP_MESSAGES:
        out += ["  /** Of the last computation: 'ok', or which caveat its answer has. */", "  readonly status: Status;"]
        out += ["  /** Velocities, or forces. */", "  zeros(): Float64Array;"]
    for call in own:
        if call.c in shapes.PROPERTIES:
            name = camel(call.name)
            out += [f"  get {name}(): Float64Array;", f"  set {name}(value: Numbers);"]
    for choice in (shapes.Choice(*each) for each in shapes.chosen(api, own)):
        call, kind = choice.values[0][1], choice.enum["name"]
        given = [f"{camel(a.name)}: {ts_type(a, call)}" for a in choice.needed]
        how = [f"{camel(kind)}?: {enum_name(kind)} | number"]
        how += [f"{camel(a.name)}?: {ts_type(a, call)} | null" for a in call.left_out if a.kind != "struct"]
        how += [f"solve?: {struct_name(a.base)}" for a in choice.options]
        changed = " and ".join(map(camel, choice.changed))
        out += [f"  /** By a method of choice: {changed} change in place. */"]
        out += [listed([*given, f"how?: {{ {'; '.join(how)} }}"], f"  {camel(choice.name)}(", "): void;", "    ")]
    return out


def types(api, calls):
    BITS.update(e["name"] for e in api["enums"] if e["bits"])
    out = [f"// {MARK}", "// The types of all options, records and classes.", "import * as raw_layer from './raw';"]
    out += ["import { BatchNumbers, Handle, Matrix, Numbers, Real, Which } from './support';", ""]
    for enum in enumerations(api):
        names = [f"'{v['name'][len(enum['prefix']):].lower()}'" for v in enum["values"]]
        names += ["'float'"] if enum["name"] == "precision" else []
        out += [docs(enum["comment"].split("\n")[0], "")] if enum["comment"] else []
        out += [listed(names, f"export type {enum_name(enum['name'])} = ", ";", "  ", separator=" | ")]
    told, structs = {s["name"] for s in layers.records(api)}, {s["name"]: s for s in api["structs"]}
    for s in api["structs"]:
        if not s["init"] or s["name"] == "tenon_batch_array":
            continue
        out += ["", docs(s["comment"].split("\n")[0], ""), f"export interface {struct_name(s['name'])} {{"]
        for f in layers.shown(s):
            one = ts_record_field(f) if s["name"] in told else ts_field(f)
            out += [docs(f["comment"], "  ")] if f["comment"] else []
            out += [f"  {camel(f['name'])}{'' if s['name'] in told else '?'}: {one};"]
        out += ["}"]
    for owner in layers.HANDLES:
        handle, name = next(h for h in api["handles"] if h["name"] == owner), object_name(owner)
        out += [
            "",
            docs(handle["comment"].split("\n")[0], ""),
            f"export class {name} extends Handle<raw_layer.{owner}> {{",
        ]
        own = [c for c in calls if c.owner == owner and c.method.kind not in ("init", "destructor")]
        hidden = {index for _, index in shapes.lookups(calls, owner)}
        shown = [c for c in own if c.c not in shapes.PROPERTIES and c.name not in hidden]
        out += members(api, owner, own) + [ts_method(c, structs) for c in shown] + ["}"]
    for one in api["callbacks"]:
        if shapes.callback_lengths(one):
            words = "What it throws is thrown by the computation. Copy what is to stay."
            about = docs(f"{one['comment'].split(chr(10))[0]} {words}", "")
            out += [about, f"export type {struct_name(one['name'])} = {callback_type(one)};"]
    free = [c for c in calls if c.owner is None and c.method.kind != "init" and c.name != "version"]
    for c in free:
        given = ", ".join(f"{camel(a.name)}: {ts_type(a, c)}" for a in c.given)
        out += [
            docs(f"{c.function['brief']} C: {c.c}.", ""),
            f"export function {camel(c.name)}({given}): {ts_value(c)};",
        ]
    out += [""]
    return "\n".join(out)


def files(api):
    return {"javascript/layer.d.ts": narrow(types(api, list(shapes.calls(api))))}
