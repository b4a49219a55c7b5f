"""C#, beside the raw layer: enumerations."""

from html import escape

from .common import MARK, comment, enumerations, pascal
from .csharp import SCALARS

# Single rows of a frame, the bits 0 to 5 of TENON_ROWS_*.
SINGLE = {"rows": ["AngularX", "AngularY", "AngularZ", "LinearX", "LinearY", "LinearZ"]}


def about(text, indent):
    return [comment(f"<summary>{escape(text, quote=False)}</summary>", indent + "/// ")] if text else []


def enumeration(enum):
    cast = "" if SCALARS[enum["type"]] == "int" else "(int)"
    out = about(enum["comment"].split("\n")[0] or f"Constants of the kind {enum['name']}.", "  ")
    out += ["  [Flags]"] if enum["bits"] else []
    out += [f"  public enum {pascal(enum['name'])} {{"]
    out += [f"    {name} = {1 << bit}," for bit, name in enumerate(SINGLE.get(enum["name"], []))]
    for v in enum["values"]:
        out += about(v["comment"], "    ")
        out += [f"    {pascal(v['name'][len(enum['prefix']):])} = {cast}Raw.{v['name']},"]
    return "\n".join([*out, "  }"])


def files(api):
    head = f"// {MARK}\nusing System;\nusing Raw = TenonRaw.Tenon;\n\nnamespace Tenon {{\n"
    return {"csharp/Tenon/Constants.cs": head + "\n\n".join(map(enumeration, enumerations(api))) + "\n}\n"}
