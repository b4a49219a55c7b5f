"""Writes the raw declarations for all languages, capi/clients, from packaging/api.json. Needs Python alone.

    python3 declare.py <api.json> <folder of the clients>           writes
    python3 declare.py --check <api.json> <folder of the clients>   tells which files are not what it would write

languages/ has a template for each language: a function files(api) that returns {path: text}.
"""

import json
import os
import sys

from languages import csharp, csharp_types, fortran, go, java, javascript, julia, lua, python, python_calls, python_types
from languages import rust, rust_types

LANGUAGES = (
    *(csharp, csharp_types, fortran, go, java, javascript, julia, lua),
    *(python, python_calls, python_types, rust, rust_types),
)


def main(arguments):
    check = arguments[:1] == ["--check"]
    description, folder = arguments[check:]
    with open(description, encoding="utf-8") as file:
        api = json.load(file)
    stale = []
    for language in LANGUAGES:
        for path, text in language.files(api).items():
            path = os.path.join(folder, path)
            if not check:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                continue
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    same = file.read() == text
            except FileNotFoundError:
                same = False
            if not same:
                stale.append(path)
    for path in stale:
        print(f"{path} is not what packaging/api.json makes of it: run packaging/api/generate.sh")
    return 1 if stale else 0


if __name__ == "__main__":
    if len(sys.argv[1:]) - (sys.argv[1:2] == ["--check"]) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
