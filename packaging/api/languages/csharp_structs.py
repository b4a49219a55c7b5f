"""C#, the layer: options and records as classes, what functions return together, and how an array of a batch is told."""

from html import escape

from . import layers, shapes, spellings
from .common import MARK, comment, pascal
from .csharp import KEYWORDS
from .shapes import struct_name

SCALARS = {
    "int32_t": "int",
    "uint32_t": "uint",
    "int64_t": "long",
    "uint64_t": "ulong",
    "size_t": "long",
    "double": "double",
    "tenon_status": "int",
}
HEAD = f"// {MARK}\nusing System;\nusing System.Collections.Generic;\nusing System.Runtime.CompilerServices;\nusing System.Runtime.InteropServices;\nusing TenonRaw;\nusing Raw = TenonRaw.Tenon;\n\nnamespace Tenon {{\n"


def local(name):
    """Of an argument."""
    name = shapes.camel(name)
    return "@" + name if name in KEYWORDS else name


def public(name, others=()):
    """qdd: Qdd. Where a sibling has that name already, as K beside k, it stays."""
    made = shapes.pascal(name)
    return name if made in [o for o in others if o != name] else made


def docs(text, indent, tag="summary"):
    return [comment(f"<{tag}>{escape(text, quote=False)}</{tag.split()[0]}>", indent + "/// ")] if text else []


def raw_name(f):
    return "@" + f["name"] if f["name"] in KEYWORDS else f["name"]


def initialised(name, raw):
    return f'Library.Check(Raw.{name}_init({raw}, (UIntPtr)sizeof({name})), "{name}_init");'


# ---- fields


TYPES = spellings.Types(SCALARS, "string", "bool", "Action<LogLevel, string>")
field_type, owned_type = TYPES.of_field, TYPES.owned


def read(f, raw):
    """The value of a field, as it is in C; None where there is nothing to be read."""
    value, kind = f"{raw}{raw_name(f)}", field_type(f)
    if kind == "bool":
        return value + " != 0"
    if kind == "string":
        return f"Library.TextOrNull({value})"
    if "extent" in f:
        return f"new ReadOnlySpan<{SCALARS[f['base']]}>({value}, {f['extent']}).ToArray()"
    if f["pointers"] or f["base"] not in SCALARS:
        return None
    return f"({kind}){value}" if f.get("enum") or f["base"] == "size_t" else value


def fill(f, size_of):
    """Statements that write a field."""
    name, to, kind = public(f["name"]), f"raw->{raw_name(f)}", field_type(f)
    if kind == "bool":
        return [f"{to} = {name} ? 1 : 0;"]
    if kind == "string":
        return [f"{to} = pins.Text({name});"]
    if "extent" in f:
        return [f'Library.Copy({name}, {to}, {f["extent"]}, "{name}");']
    if f["base"] == "tenon_log_callback":
        return [f"{to} = pins.Log({name});"]
    if f["base"] == "tenon_batch_array":
        numbers, every = shapes.field_factors(f)
        records = {"record": "records", "step": "steps", None: "1"}[every]
        written = "true" if f["name"].endswith("_out") else "false"
        return [f'{to} = pins.Array({name}, batch, {size_of(numbers)}, states, {records}, {written}, "{name}");']
    if f["pointers"] and f["base"] in SCALARS:
        count = f"raw->{f['count_field']} = Library.LengthOf({name});"
        return [f"{to} = ({SCALARS[f['base']]}*)pins.Pin({name});", count]
    if f["pointers"]:
        base = f["base"]
        return [f"if ({name} != null) {name}.Fill({to} = ({base}*)pins.Room(sizeof({base})), pins);"]
    if f["base"] == "size_t":
        return [f'{to} = Library.Size({name}, "{name}");']
    return [f"{to} = ({'uint' if f['base'] == 'uint32_t' else 'int'}){name};" if f.get("enum") else f"{to} = {name};"]


# ---- classes


def option_class(struct, size_of):
    name, own = struct["name"], layers.shown(struct)
    out = docs(struct["comment"].split("\n")[0], "  ") + [f"  public sealed partial class {struct_name(name)} {{"]
    for f in own:
        out += docs(f["comment"], "    ") + [f"    public {field_type(f)} {public(f['name'])} {{ get; set; }}"]
    if any(f["name"] == "steps" for f in own):
        out += ["", "    internal long RecordCount => Every > 0 ? Steps / Every : Steps;"]
    if name in shapes.PRESETS:
        made, field, value, about = shapes.PRESETS[name]
        kind = field_type(next(f for f in own if f["name"] == field))
        made_so = f"new {struct_name(name)} {{ {public(field)} = {kind}.{pascal(value)} }}"
        out += ["", *docs(about, "    "), f"    public static {struct_name(name)} {shapes.pascal(made)} => {made_so};"]
    out += [
        "",
        "    /// <summary>With the defaults of the library.</summary>",
        f"    public unsafe {struct_name(name)}() {{",
    ]
    out += ["      Library.Ready();", "      Defaults();", "    }", "", "    private unsafe void Defaults() {"]
    out += [f"      {name} raw;", "      " + initialised(name, "&raw")]
    out += [f"      {public(f['name'])} = {read(f, 'raw.')};" for f in own if read(f, "raw.")] + ["    }", ""]
    more = ", Batch batch, long states" if shapes.batched(struct) else ""
    out += [f"    internal unsafe void Fill({name}* raw, Pins pins{more}) {{", "      " + initialised(name, "raw")]
    out += ["      long steps = Steps, records = RecordCount;"] if any(f["name"] == "steps" for f in own) else []
    out += ["      " + line for f in own for line in fill(f, size_of)]
    return "\n".join([*out, "    }", "  }"])


def record_class(struct):
    name, own = struct["name"], layers.fields(struct)
    out = docs(struct["comment"].split("\n")[0], "  ") + [f"  public sealed class {struct_name(name)} {{"]
    for f in own:
        out += docs(f["comment"], "    ") + [f"    public {field_type(f)} {public(f['name'])} {{ get; }}"]
    out += ["", f"    internal unsafe {struct_name(name)}({name}* raw) {{"]
    out += [f"      {public(f['name'])} = {read(f, 'raw->')};" for f in own]
    return "\n".join([*out, "    }", "  }"])


def result_class(call):
    outputs = call.returned
    names = {a.name: public(a.result, [a.result for a in outputs]) for a in outputs}
    out = [f"  /// <summary>What {shapes.pascal(call.name)} computes.</summary>"]
    out += [f"  public sealed class {call.result_name} {{"]
    for a in outputs:
        out += docs(a.note, "    ") + [f"    public {owned_type(a)} {names[a.name]} {{ get; }}"]
    out += ["", f"    internal {call.result_name}({', '.join(f'{owned_type(a)} {local(a.name)}' for a in outputs)}) {{"]
    out += [f"      this.{names[a.name]} = {local(a.name)};" for a in outputs]
    return "\n".join([*out, "    }", "  }"])


def layout(api):
    """How an array is told, by the fields that the struct has."""
    struct = next(s for s in api["structs"] if s["name"] == "tenon_batch_array")
    names = {f["name"] for f in struct["fields"]}
    out = ["  internal static unsafe class Layout {"]
    out += [
        "    internal static void Tell(tenon_batch_array* there, byte* data, int item, long size, long first, long count,"
    ]
    out += ["        long numberStride, long stateStride, long recordStride) {"]
    out += ["      " + initialised("tenon_batch_array", "there")] if struct["init"] else []
    if "first" in names:
        out += [
            "      there->data = data;",
            "      there->first = (UIntPtr)(ulong)first;",
            "      there->size = (UIntPtr)(ulong)size;",
        ]
    else:
        out += ["      there->data = data + first * item;"]
    out += ["      there->count = (UIntPtr)(ulong)count;"]
    out += [f"      there->{side}_stride = (IntPtr){side}Stride;" for side in ("number", "state", "record")]
    return "\n".join([*out, "    }", "  }"])


def callbacks(api):
    """A function of the user as one of C, which nothing is thrown out of."""
    one = next(c for c in api["callbacks"] if c["name"] == "tenon_implicit_callback")
    names = ", ".join(a["name"] for a in one["arguments"])
    spans = {n: ("ReadOnlySpan" if read else "Span", size) for n, (size, read) in shapes.callback_lengths(one).items()}
    given = ", ".join(f"{span}<double> {shapes.camel(n)}" for n, (span, _) in spans.items())
    told = one["comment"].split("\n")[0] + " What it throws is thrown by the computation."
    declared = docs(told, "  ") + [f"  public delegate void ImplicitConstraint({given});", ""]
    passed = ", ".join(f"new {span}<double>({n}, {size})" for n, (span, size) in spans.items())
    return "\n".join(declared) + f"""
  internal static unsafe class Callbacks {{
    internal static {one["name"]} Of(ImplicitConstraint function, Kept kept) {{
      if (function == null) return null;
      return ({names}) => {{
        try {{
          function({passed});
          return Raw.TENON_OK;
        }} catch (Exception error) {{
          kept.Thrown = error;
          return Raw.TENON_INVALID_ARGUMENT;
        }}
      }};
    }}
  }}"""


def text(api, calls, size_of):
    options = [s for s in layers.options(api) if s["name"] != "tenon_batch_array"]
    together = {c.result_name: c for c in reversed(calls) if len(c.returned) > 1}
    made = [option_class(s, size_of) for s in options] + [record_class(s) for s in layers.records(api)]
    made += [result_class(together[name]) for name in sorted(together)] + [layout(api), callbacks(api)]
    return HEAD + "\n\n".join(made) + "\n}\n"
