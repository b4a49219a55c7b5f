"""Every function of the headers, and every field of every struct, is in the layer of each language.

    python3 complete.py [language ...]

A layer is the text of its files without comments, examples and the raw declarations. A function counts where its raw name stands
as code; a field, where its name in the language does. LAYERS tells how that looks; what is checked is CHECKED.
"""

import glob
import json
import os
import re
import sys
from dataclasses import dataclass

from run import API, CLIENTS, ROOT, read

sys.path.insert(0, os.path.join(ROOT, "packaging/api"))

from languages import layers  # noqa: E402
from languages.common import camel  # noqa: E402

C_COMMENTS = r"/\*.*?\*/|//[^\n]*"
HASH_COMMENTS = r'"""(?:[^"\\]|\\.|"(?!""))*"""|(?m:^\s*#[^\n]*)|(?<=\s)#\s[^\n]*'


def same(name):
    return name


def camel_case(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def pascal_case(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@dataclass
class Layer:
    files: tuple  # patterns in capi/clients
    raw: object = same  # of the name of a function, as the layer writes it
    field: object = same  # of the name of a field
    comments: str = C_COMMENTS
    aside: tuple = ()  # files that do not count
    by_struct: bool = False  # the structs of C themselves are used: their fields come along
    init_by_struct: bool = False  # _init is called by the name of the struct
    options_by_struct: bool = False  # options are set by the names of fields that the struct of C has


LAYERS = {
    "python": Layer(("python/tenon/*.py",), comments=HASH_COMMENTS, aside=("_raw.py", "_roles.py"), init_by_struct=True),
    "cpp": Layer(("cpp/tenon.hpp", "cpp/tenon/*.hpp"), by_struct=True),
    "rust": Layer(("rust/tenon/src/*.rs",)),
    "csharp": Layer(("csharp/Tenon/*.cs",), field=pascal_case),
    "java": Layer(("java/src/main/java/tenon/*.java",), field=camel_case),
    "javascript": Layer(("javascript/*.js",), field=camel_case, aside=("raw.js",)),
    "go": Layer(("go/*.go",), raw=lambda name: "raw." + camel(name), field=pascal_case, aside=("tenon_test.go", "views_test.go")),
    "julia": Layer(("julia/src/*.jl",), comments=HASH_COMMENTS, aside=("raw.jl",), options_by_struct=True),
}
CHECKED = ("cpp", "csharp", "go", "java", "javascript", "julia", "python", "rust")
# Structs that a language has its own arrays and callbacks for, and what C alone needs.
OWN = {"tenon_batch_array": set(), "tenon_model_options": {"log_user"}}


def text_of(layer):
    paths = [path for pattern in layer.files for path in sorted(glob.glob(os.path.join(CLIENTS, pattern)))]
    texts = [read(path) for path in paths if os.path.basename(path) not in layer.aside]
    return re.sub(layer.comments, " ", "\n".join(texts), flags=re.S)


def lacking(layer, api):
    """Functions and fields that are not there."""
    text, structs = text_of(layer), {s["name"]: s for s in api["structs"]}
    words = set(re.findall(r"[A-Za-z_]\w*(?:\.\w+)?|\w+", text)) | set(re.findall(r"\w+", text))
    functions = []
    for function in api["functions"]:
        name = function["name"]
        struct = name[: -len("_init")] if name.endswith("_init") else None
        if layer.init_by_struct and struct in structs and struct in words and "_init" in text:
            continue
        if layer.raw(name) not in words:
            functions.append(name)
    fields, records = [], {s["name"] for s in layers.records(api)}
    for name, struct in structs.items():
        if name in OWN and not OWN[name]:
            continue
        filled = layer.by_struct or layer.options_by_struct and name not in records
        for field in layers.fields(struct):
            there = name in words if filled else layer.field(field["name"]) in words
            if not there and field["name"] not in OWN.get(name, ()):
                fields.append(f"{name}.{field['name']}")
    return functions, fields


def main(languages):
    api, failed = json.loads(read(API)), False
    for language in languages or CHECKED:
        functions, fields = lacking(LAYERS[language], api)
        print(f"{language}: {len(functions)} functions and {len(fields)} fields are lacking")
        for name in functions + fields:
            print(f"  {name}")
        failed = failed or bool(functions or fields)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
