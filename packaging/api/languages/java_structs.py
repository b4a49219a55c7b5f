"""Java, the layer: enumerations, and options and records as classes, each in a file of its own."""

from . import layers, shapes, spellings
from .common import MARK, comment, enumerations, pascal
from .shapes import camel, struct_name

SCALARS = {
    "int32_t": "int",
    "uint32_t": "int",
    "int64_t": "long",
    "uint64_t": "long",
    "size_t": "long",
    "double": "double",
}
SCALARS["tenon_status"] = "int"
LENGTHS = spellings.lengths(lambda names: ".".join(map(camel, names.split("."))) + "()")
FOLDER = "java/src/main/java/tenon/"
ENUM = """
  public final int value;

  NAME(int value) {
    this.value = value;
  }

  /** The constant of a number of C. */
  public static NAME of(int value) {
    for (NAME one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    throw new IllegalArgumentException("NAME has no value " + value);
  }
}
"""


def docs(text, indent):
    return (
        [comment(text.replace("*/", "* /").replace("<", "&lt;"), indent + "/** ", indent + " * ", " */")]
        if text
        else []
    )


def head(*imports):
    named = "".join(f"import {name};\n" for name in sorted(imports))
    return f"// {MARK}\npackage tenon;\n\n{named}\n" if named else f"// {MARK}\npackage tenon;\n\n"


def enumeration(enum):
    name = pascal(enum["name"])
    out = docs(enum["comment"].split("\n")[0] or f"Constants of the kind {enum['name']}.", "")
    values = [(v["name"][len(enum["prefix"]) :], v) for v in enum["values"]]
    if enum["bits"]:  # to be or-ed
        out += [f"public final class {name} {{"]
        for own, v in values:
            out += docs(v["comment"], "  ") + [f"  public static final int {own} = {v['value']};"]
        return "\n".join([*out, "", f"  private {name}() {{}}", "}", ""])
    out += [f"public enum {name} {{"]
    for number, (own, v) in enumerate(values):
        out += docs(v["comment"], "  ") + [f"  {own}({v['value']}){',' if number + 1 < len(values) else ';'}"]
    return "\n".join(out) + "\n" + ENUM.replace("NAME", name)


BITS = {"status"}


TYPES = spellings.Types(SCALARS, "String", "boolean", "BiConsumer<LogLevel, String>", BITS)
field_type, owned_type, is_enum = TYPES.of_field, TYPES.owned, TYPES.is_enum


def read(f):
    """The value of a field, as it is in C; None where there is nothing to be read."""
    value, kind = f"raw.{f['name']}", field_type(f)
    if kind == "boolean":
        return value + " != 0"
    if kind == "String":
        return f"Handle.text({value})"
    if "extent" in f:
        return value + ".clone()"
    if f["pointers"] or f["base"] not in SCALARS:
        return None
    return f"{kind}.of({value})" if kind not in SCALARS.values() else value


def fill(f):
    name, to, kind = camel(f["name"]), f"raw.{f['name']}", field_type(f)
    if kind == "boolean":
        return [f"{to} = {name} ? 1 : 0;"]
    if kind == "String":
        return [f"{to} = pins.text({name});"]
    if "extent" in f:
        return [f'Handle.fit("{name}", {name}.length, {f["extent"]});', f"{to} = {name}.clone();"]
    if f["base"] == "tenon_log_callback":
        return [f"{to} = pins.log({name});"]
    if f["base"] == "tenon_batch_array":
        numbers, every = shapes.field_factors(f)
        count = spellings.sides(numbers, None, {symbol: f"batch.{length}" for symbol, length in LENGTHS.items()}, camel, "")
        records = {"record": "records", "step": "steps", None: "1"}[every]
        written = "true" if f["name"].endswith("_out") else "false"
        told = f'pins.array("{name}", {name}, batch, Matrix.size({", ".join(count)}), states, {records}, {written})'
        return [f"{to} = {name} == null ? null : pins.struct({told});"]
    if f["pointers"] and f["base"] in SCALARS:
        return [f"{to} = pins.numbers({name});", f"raw.{f['count_field']} = Handle.n({name});"]
    if f["pointers"]:
        return [f"{to} = {name} == null ? null : pins.struct({name}.raw(pins));"]
    return [f"{to} = {name}.value;" if kind not in SCALARS.values() else f"{to} = {name};"]


def option_class(struct):
    name, own = struct["name"], layers.shown(struct)
    title = struct_name(name)
    out = [*docs(struct["comment"].split("\n")[0], ""), f"public final class {title} {{"]
    for f in own:
        out += docs(f["comment"], "  ") + [f"  public {field_type(f)} {camel(f['name'])};"]
    out += [
        "",
        "  /** With the defaults of the library. */",
        f"  public {title}() {{",
        f"    Tenon.{name} raw = prepared();",
    ]
    out += [f"    {camel(f['name'])} = {read(f)};" for f in own if read(f)]
    out += ["  }", "", f"  private static Tenon.{name} prepared() {{", f"    Tenon.{name} raw = new Tenon.{name}();"]
    out += [f'    Handle.check(Handle.LIB.{name}_init(raw, raw.size()), "{name}_init");', "    return raw;", "  }", ""]
    if name in shapes.PRESETS:
        made, field, value, about = shapes.PRESETS[name]
        own_field = next(f for f in own if f["name"] == field)
        out += [f"  /** {about} */", f"  public static {title} {made}() {{", f"    {title} options = new {title}();"]
        out += [f"    options.{camel(field)} = {field_type(own_field)}.{value};", "    return options;", "  }", ""]
    more = ", Batch batch, long states" if shapes.batched(struct) else ""
    out += [f"  Tenon.{name} raw(Pins pins{more}) {{", f"    Tenon.{name} raw = prepared();"]
    if any(f["name"] == "steps" for f in own):
        out += ["    long records = records();"]
    out += ["    " + line for f in own for line in fill(f)] + ["    return raw;", "  }"]
    if any(f["name"] == "steps" for f in own):
        out += ["", "  /** How many states of each are written. */", "  long records() {"]
        out += ["    return every == 0 ? steps : Long.divideUnsigned(steps, every);", "  }"]
    uses = ["tenon.raw.Tenon"] + (
        ["java.util.function.BiConsumer"] if "BiConsumer" in "".join(map(field_type, own)) else []
    )
    return head(*uses) + "\n".join([*out, "}", ""])


def record_class(struct):
    name, own = struct["name"], layers.shown(struct)
    out = docs(struct["comment"].split("\n")[0], "") + [f"public final class {struct_name(name)} {{"]
    for f in own:
        out += docs(f["comment"], "  ") + [f"  public final {field_type(f)} {camel(f['name'])};"]
    out += ["", f"  {struct_name(name)}(Tenon.{name} raw) {{"]
    out += [f"    {camel(f['name'])} = {read(f)};" for f in own]
    return head("tenon.raw.Tenon") + "\n".join([*out, "  }", "}", ""])


def numbers(callback):
    """What a function of the user is given: (its type and name, what it is here)."""
    lengths = shapes.callback_lengths(callback)
    for name, (length, read_only) in lengths.items():
        if read_only:
            yield f"double[] {camel(name)}", f"{name}.getDoubleArray(0, {length})"
        else:
            yield f"DoubleBuffer {camel(name)}", f"buffer({name}, {length})"


def function_of_the_user(callback):
    told = callback["comment"].split("\n")[0] + "\nWhat it throws is the cause of the error of the computation."
    out = [*docs(told, ""), "@FunctionalInterface", "public interface ImplicitConstraint {"]
    out += [f"  void evaluate({', '.join(argument for argument, _ in numbers(callback))});", "}", ""]
    return head("java.nio.DoubleBuffer") + "\n".join(out)


def layout(api):
    """How an array is told, by the fields that the struct has, and a function of the user as one of C."""
    struct = next(s for s in api["structs"] if s["name"] == "tenon_batch_array")
    names = {f["name"] for f in struct["fields"]}
    out = ["  static Tenon.tenon_batch_array tell(BatchArray given, Pointer memory) {"]
    out += ["    Tenon.tenon_batch_array there = new Tenon.tenon_batch_array();"]
    if struct["init"]:
        out += ['    Handle.check(Handle.LIB.tenon_batch_array_init(there, there.size()), "tenon_batch_array_init");']
    if "first" in names:
        out += ["    there.data = memory;", "    there.first = given.first;", "    there.size = given.size;"]
    else:
        out += ["    there.data = memory == null ? null : memory.share(given.first * given.item);"]
    out += ["    there.count = given.count;"] + [
        f"    there.{side}_stride = given.{side}Stride;" for side in ("number", "state", "record")
    ]
    out += ["    return there;", "  }", "", "  static long product(long states, long records, long count) {"]
    out += [
        "    double all = (double) states * records * count; // which may be beyond all integers",
        "    return all < 0x1p53 ? (long) all : -1;",
        "  }",
        "",
    ]
    one = next(c for c in api["callbacks"] if c["name"] == "tenon_implicit_callback")
    given = ", ".join(a["name"] for a in one["arguments"])
    out += ["  /** A function of the user, which lives as long as what may call it, and what it threw. */"]
    out += ["  static final class Kept {", f"    Tenon.{one['name']} callback;", "    volatile Throwable thrown;", "  }", ""]
    out += [f"  static Tenon.{one['name']} keep(ImplicitConstraint function, List<Kept> kept) {{"]
    out += ["    if (function == null) {", "      return null;", "    }", "    Kept one = new Kept();"]
    out += [
        f"    one.callback = ({given}) -> {{",
        "      try {",
        f"        function.evaluate({', '.join(value for _, value in numbers(one))});",
        "        return Tenon.TENON_OK;",
        "      } catch (Throwable error) { // it must not reach the library",
        "        one.thrown = error;",
        "        return Tenon.TENON_INVALID_ARGUMENT;",
        "      }",
        "    };",
        "    kept.add(one);",
        "    return one.callback;",
        "  }",
        "",
    ]
    out += ["  private static DoubleBuffer buffer(Pointer numbers, int count) {"]
    out += ["    return numbers.getByteBuffer(0, 8L * count).order(ByteOrder.nativeOrder()).asDoubleBuffer();", "  }"]
    uses = head("com.sun.jna.Pointer", "java.nio.ByteOrder", "java.nio.DoubleBuffer", "java.util.List", "tenon.raw.Tenon")
    return uses + "\n".join(
        [
            "/** How arrays and functions are told to C. */",
            "final class Layout {",
            "  private Layout() {}",
            "",
            *out,
            "}",
            "",
        ]
    )


def files(api):
    BITS.update(e["name"] for e in api["enums"] if e["bits"])
    made = {pascal(e["name"]): head() + enumeration(e) for e in enumerations(api)}
    made |= {struct_name(s["name"]): option_class(s) for s in layers.options(api) if s["name"] != "tenon_batch_array"}
    made |= {struct_name(s["name"]): record_class(s) for s in layers.records(api)}
    made["Layout"] = layout(api)
    made["ImplicitConstraint"] = function_of_the_user(
        next(c for c in api["callbacks"] if c["name"] == "tenon_implicit_callback")
    )
    return {f"{FOLDER}{name}.java": text for name, text in made.items()}
