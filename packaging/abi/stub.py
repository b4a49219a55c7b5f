"""Writes a library in C that has every function of a header and does nothing: compiled with -g it holds the types of the
C interface, and nothing of the core, for abidw and abidiff.

    python3 stub.py <tenon.h> <stub.c>

It prints the names of the functions, one a line.
"""

import re
import sys


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def functions(text):
    """(result, name, arguments) of each function that a header declares."""
    found = re.findall(r"TENON_API\s+([^;{}()]*?)(tenonx?_\w+)\s*\(([^;{}]*?)\)\s*;", without_comments(text))
    return [tuple(" ".join(part.split()) for part in one) for one in found]


def constants(text):
    """The numbers that a header defines: {name: value}, but for the version."""
    found = re.findall(r"^\s*#define\s+(TENON_\w+)[ \t]+(-?\w+)[ \t]*$", without_comments(text), flags=re.M)
    numbers = {name: value.rstrip("uU") for name, value in found if re.match(r"-?[0-9]", value)}
    return {name: int(value, 0) for name, value in numbers.items() if not name.startswith("TENON_VERSION")}


def stub(header, text):
    lines = [f'#include "{header}"']
    for result, name, arguments in functions(text):
        body = "" if result == "void" else "return 0;"
        lines.append(f"{result} {name}({arguments}) {{ {body} }}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        header_text = file.read()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(stub(sys.argv[1], header_text))
    print("\n".join(name for _, name, _ in functions(header_text)))
