"""Python: what makes structs of options from what is given by name, and named tuples from structs that tell something."""

from . import layers
from .common import MARK
from .python import SCALARS
from .python_plans import imports, option, wrapped
from .python_types import class_name, enum_of, struct_name

WORDS = '''"""Options of functions, from what is given for them by name, and what information structs tell."""'''


def callback(c):
    """A function of the user in the place of one of C: texts are decoded, and what it raises waits."""
    told = [a for a in c["arguments"] if a["name"] != "user"]
    words = ", ".join(f"text({a['name']})" if a["base"] == "char" else a["name"] for a in told)
    names = ", ".join(["_", *(a["name"] for a in told)])
    return f"lambda function: _raw.{c['name']}(guarded(lambda {names}: function({words})))"


def setter(f, api):
    """What makes of a value what the field holds: a function of Python."""
    enum, mask = enum_of(f, api["enums"])
    if enum and (mask or enum["bits"]):
        return f"partial(bits, {class_name(enum['name'])}, {bool(mask)})"
    if enum:
        return f"partial(constant, {class_name(enum['name'])})"
    if f["base"] == "char":
        return "str.encode"
    if "extent" in f:
        return f"lambda x: exactly(\"{f['name']}\", {f['extent']}, {'placed(x)' if f['extent'] == 7 else 'x'})"
    if "count_field" in f:
        return "numbers"
    if f["base"] in (s["name"] for s in layers.options(api)) and f["base"] != "tenon_batch_array":
        return f"lambda x: pointer({option(f['base'])}(x) if isinstance(x, Mapping) else x)"
    if f["pointers"]:
        return "pointer"
    c = next((c for c in api["callbacks"] if c["name"] == f["base"]), None)
    if c:
        return callback(c)
    kind = {"double": "float"}.get(f["base"])
    return kind or f'partial(integer, "{f["name"]}", {SCALARS[f["base"]]})'


def getter(f, api):
    """What a field tells."""
    enum, mask = enum_of(f, api["enums"])
    told = f"s.{f['name']}"
    if enum and not mask:
        return f"{class_name(enum['name'])}({told})"
    return f"text({told})" if f["base"] == "char" else f"np.array({told})" if "extent" in f else told


def files(api):
    out = []
    for s in layers.options(api):
        if s["name"] == "tenon_batch_array":
            continue
        fields = layers.shown(s)
        out += [f"{option(s['name'])} = partial(filled, _raw.{s['name']}, {{"]
        out += [*(f'    "{f["name"]}": {setter(f, api)},' for f in fields), "})"]
    for s in layers.records(api):
        told = ", ".join(getter(f, api) for f in layers.fields(s))
        name = struct_name(s)
        out += ["", "", f"def {option(s['name'])}(s) -> {name}:"]
        out += [wrapped(f"    return {name}({told})")]
    return {"python/tenon/_structs.py": "\n".join([f"# {MARK}", WORDS, "", imports(api, out), "", *out, ""])}
