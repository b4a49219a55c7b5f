"""Writes the raw declarations for all languages, capi/clients, from packaging/api.json. Needs Python alone.

    python3 declare.py <api.json> <folder of the clients>

Prints the paths of all that it makes. A file that would be the same stays, with its time.
languages/ has a template for each language: a function files(api) that returns {path: text}.
"""

import json
import os
import re
import sys

from languages import cpp, csharp, csharp_layer, csharp_types, fortran, go, go_layer, go_objects, go_structs
from languages import java, java_layer, javascript, javascript_layer, javascript_layer_types, julia, julia_methods, lua
from languages import python, python_calls, python_methods, python_structs, python_types
from languages import rust, rust_layer, rust_objects, rust_structs, rust_types

LANGUAGES = (
    *(cpp, csharp, csharp_layer, csharp_types, fortran, go, go_layer, go_objects, go_structs),
    *(java, java_layer, javascript, javascript_layer, javascript_layer_types, julia, julia_methods, lua),
    *(python, python_calls, python_methods, python_structs, python_types),
    *(rust, rust_layer, rust_objects, rust_structs, rust_types),
)


# What NULL is called in layers whose users never see it.
NULL = {
    **dict.fromkeys((rust_layer, rust_objects, rust_structs), "None"),
    **dict.fromkeys((go_layer, go_objects, go_structs), "nil"),
    **dict.fromkeys((csharp_layer, java_layer, javascript_layer, javascript_layer_types), "null"),
}


def spoken(api, null):
    """The description with another word for NULL in what is said."""
    if isinstance(api, dict):
        words = ("comment", "note", "brief")
        return {key: re.sub(r"\bNULL\b", null, x) if key in words else spoken(x, null) for key, x in api.items()}
    return [spoken(x, null) for x in api] if isinstance(api, list) else api


def write(path, text):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def main(description, folder):
    with open(description, encoding="utf-8") as file:
        api = json.load(file)
    for language in LANGUAGES:
        for path, text in language.files(spoken(api, NULL[language]) if language in NULL else api).items():
            path = os.path.join(folder, path)
            write(path, text)
            print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
