"""Go, the layer: constants with types, options with all fields and the library's defaults, and records of what it tells."""

from . import layers
from .common import MARK, camel, comment, enumerations
from .go import columns
from .meanings import field_length, flag

NUMBERS = {"int32_t": "int", "uint32_t": "uint32", "int64_t": "int64", "size_t": "uintptr", "double": "float64"}
HEAD = f"// Code {MARK[0].lower() + MARK[1:].replace(': do not edit', '')}. DO NOT EDIT.\n\npackage tenon\n"


def public(name):
    """center_of_mass: CenterOfMass."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def aligned(lines):
    """Names and what follows, as gofmt sets them: side by side where no comment comes between."""
    out, run = [], []
    for text, name, rest in [*lines, ("end", "", "")]:
        if text:
            out += columns(run) if run else []
            out += [comment(text, "\t// ")] if name else []
            run = []
        run.append((name, rest))
    return out


def constants(api):
    out = [HEAD, 'import "tenon/raw"']
    for enum in enumerations(api):
        name = public(enum["name"])
        number = {"tenon_status": "int32"}.get(enum["type"], enum["type"].replace("_t", ""))
        text = enum["comment"].split("\n")[0] or f"is of the kind {enum['name']}."
        out += ["", comment(f"{name}: {text}", "// ")]
        if enum["name"] == "status":
            out += ["// errors.Is(err, tenon.NotFound) compares an error with one."]
        out += [f"type {name} {number}", "", "const ("]
        lines = []
        for v in enum["values"]:
            own = public(v["name"][len(enum["prefix"]) :].lower())
            own = {"Ok": "OK"}.get(own, own) if enum["name"] == "status" else name + own
            lines.append((v["comment"], own, f"{name} = raw.{v['name']}"))
        out += [*aligned(lines), ")"]
        if enum["kind"]:
            out += ["", f"func (c {name}) String() string {{\n\treturn ConstantName(raw.{enum['kind']}, int(c))\n}}"]
        elif not enum["bits"]:
            out += ["", f"func (c {name}) String() string {{ return {name}Name(int(c)) }}"]
        if enum["kind"] and not enum["bits"] and enum["name"] != "status":
            out += ["", "// Bit stands for it where several may be named."]
            out += [f"func (c {name}) Bit() uint32 {{ return 1 << uint32(c) }}"]
    out, lines = [*out, "", "const ("], []
    for one in api["constants"]:
        own = public(one["name"].replace("TENON_", "").lower()).replace("Version", "HeaderVersion")  # Version is the library's
        lines.append((one["comment"], own, f"= raw.{one['name']}"))
    return "\n".join([*out, *aligned(lines), ")", ""])


class Field:
    """Its name, its type, how it comes from the struct of C and how it gets there."""

    def __init__(self, f, api):
        self.c, self.name, self.comment = f, public(f["name"]), f["comment"]
        there, own = "r." + camel("tenon_" + f["name"]), "o." + self.name
        enum = next((e for e in api["enums"] if e["name"] == f.get("enum")), None)
        self.borrows = f["base"] == "tenon_batch_array"
        self.enum = enum and not f.get("mask") and public(enum["name"])
        if self.enum:
            number = NUMBERS[f["base"]].replace("int", "int32") if f["base"] == "int32_t" else "uint32"
            self.type, self.read, self.lines = self.enum, f"{self.enum}({there})", [f"{there} = {number}({own})"]
        elif flag(f):
            self.type, self.read, self.lines = "bool", f"{there} != 0", [f"{there} = number({own})"]
        elif f["base"] == "char":
            self.type, self.read, self.lines = "string", f"text({there})", [f"{there} = k.text({own}, {there})"]
        elif f["base"].endswith("_callback"):
            user = there.replace("Callback", "User")
            self.type, self.read = "func(level LogLevel, message string)", None
            self.lines = [f"{there}, {user} = k.logging({own})"]
        elif self.borrows:
            self.type, self.read = "States[T]", None
            self.sizes, self.records = field_length(f)
            self.lines = None
        elif f["pointers"] and f["base"].startswith("tenon"):
            self.type, self.read, self.lines = "*" + camel(f["base"]), None, [f"{there} = {own}.raw(k)"]
        elif f["pointers"]:
            count = "r." + camel("tenon_" + f["count_field"])
            self.type, self.read, self.lines = "[]float64", None, [f"{there}, {count} = k.list({own})"]
        elif "extent" in f:
            self.type, self.read, self.lines = f"[{f['extent']}]float64", there, [f"{there} = {own}"]
        elif f["base"] == "int32_t":
            self.type, self.read, self.lines = "int", f"int({there})", [f"{there} = small({own})"]
        else:
            self.type, self.read, self.lines = NUMBERS[f["base"]], there, [f"{there} = {own}"]


def all_fields(struct, api):
    return [Field(f, api) for f in layers.fields(struct) if f["base"] != "void"]


def declared(name, text, fields, more=()):
    out = ["", comment(f"{name.split('[')[0]}: {text}", "// "), f"type {name} struct {{"]
    return [*out, *aligned([(f.comment, f.name, f.type) for f in fields] + [("", *each) for each in more]), "}"]


def options(struct, api, length):
    name, fields = camel(struct["name"]), all_fields(struct, api)
    borrows = any(f.borrows for f in fields)
    generic, of = ("[T Real]", "[T]") if borrows else ("", "")
    out = declared(name + generic, struct["comment"], fields, [("prepared", "bool")])
    out += ["", f"// Default{name} has the defaults of the library: change fields, then hand it on. nil means them too."]
    out += [f"func Default{name}{generic}() {name}{of} {{", f"\to := {name}{of}{{prepared: true}}", "\tif loaded() == nil {"]
    read = [f"\t\to.{f.name} = {f.read}" for f in fields if f.read and f.type != "string"]
    out += [f"\t\tr := ready(raw.{camel(struct['init'])})", *read] if read else []
    out += ["\t}", "\treturn o", "}", ""]
    arguments = "k *kept, b *Batch[T], states int" if borrows else "k *kept"
    out += [f"func (o *{name}{of}) raw({arguments}) *raw.{name} {{", "\tif o == nil {", "\t\treturn nil", "\t}"]
    out += [f'\tk.prepared(o.prepared, "{name}")', f"\tr := ready(raw.{camel(struct['init'])})"]
    for f in fields:
        if f.lines is None:
            records = {"step": "int(o.Steps)", "record": "int(o.Steps/max(o.Every, 1))", None: "1"}[f.records]
            there = "r." + camel("tenon_" + f.c["name"])
            out += [f"\tif o.{f.name}.Data != nil {{"]
            sizes = f"{length(f.sizes)}, states, {records}, {str(f.c['name'].endswith('_out')).lower()}"
            out += [f'\t\t{there} = array(k, "{f.name}", o.{f.name}, {sizes})']
            out += ["\t}"]
        else:
            out += ["\t" + line for line in f.lines]
    return [*out, "\treturn &r", "}", *(how_many(name) if borrows and any(f.name == "Every" for f in fields) else [])]


def how_many(name):
    """Steps, and records of these; as long as an array may be."""
    out = []
    for what, number in (("steps", "o.Steps"), ("records", "o.Steps/max(o.Every, 1)")):
        lines = ["if o == nil {", "\treturn 1", "}", f"return int(min({number}, 1<<62))"]
        out += ["", f"func (o *{name}[T]) {what}() int {{", *("\t" + line for line in lines), "}"]
    return out


def record(struct, api):
    name, fields = camel(struct["name"]), all_fields(struct, api)
    out = declared(name, struct["comment"], fields)
    out += ["", f"func told{name}(r *raw.{name}) {name} {{", f"\treturn {name}{{"]
    width = max(len(f.name) for f in fields) + 1
    return [*out, *(f"\t\t{f.name + ':':{width}} {f.read}," for f in fields), "\t}", "}"]


def files(api):
    def length(sizes):
        words = {"nq": "b.Nq()", "nv": "b.Nv()", "m": "b.M()", "links": "b.links", "constraints": "len(b.rows)"}
        parts = [words.get(size, size) for size in sizes]
        return parts[0] if len(parts) == 1 else f"k.product({', '.join(parts)})"

    out = [HEAD, 'import "tenon/raw"']
    for struct in layers.options(api):
        if struct["name"] != "tenon_batch_array":
            out += options(struct, api, length)
    for struct in layers.records(api):
        out += record(struct, api)
    return {"go/structs.go": "\n".join([*out, ""]), "go/constants.go": constants(api)}

