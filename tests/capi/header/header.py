"""tenon.h and tenonx.h as a program reads them: functions, structs, constants, and the list of statuses of each function.

The lists stand behind "Status:" in the block of a function, or of the functions that share it; "as tenon_..." in a list
adds the list of that function, "without TENON_..." takes one away.
"""

import ctypes
import os
import re

SCALARS = {
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "ptrdiff_t": ctypes.c_ssize_t,
    "double": ctypes.c_double,
    "tenon_status": ctypes.c_int32,
}
LOG_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)
NUMBERS = ctypes.POINTER(ctypes.c_double)
IMPLICIT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, *[ctypes.c_int32] * 3, *[NUMBERS] * 5)
RELEASE_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
SCALARS["tenon_log_callback"] = LOG_CALLBACK
SCALARS["tenon_implicit_callback"] = IMPLICIT_CALLBACK
SCALARS["tenon_release_callback"] = RELEASE_CALLBACK
# Good ones, which live as long as what may call them.
CALLBACKS = {name: type_(lambda *_: 0) for name, type_ in SCALARS.items() if name.endswith("_callback")}


class Parameter:
    """type: without const and spaces, "double*"; written: whether the function may write what it points at."""

    def __init__(self, text):
        match = re.match(r"(.*?)(\w+)$", text.strip())
        self.name = match[2]
        self.written = "*" in match[1] and not match[1].startswith("const")
        self.type = re.sub(r"\bconst\b|\s", "", match[1])


class Function:
    def __init__(self, result, name, arguments):
        self.result, self.name = result, name
        self.parameters = [] if arguments.strip() == "void" else [Parameter(a) for a in arguments.split(",")]


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def paths(include):
    """Of tenon.h, its parts and tenonx.h, in their order."""
    manual = os.path.join(include, "tenon.h")
    with open(manual, encoding="utf-8") as file:
        parts = re.findall(r'^#include "(tenon/\w+\.h)"', file.read(), flags=re.M)
    return [manual, *(os.path.join(include, part) for part in parts), os.path.join(include, "tenonx.h")]


class Header:
    def __init__(self, paths):
        self.text = "\n".join(open(path, encoding="utf-8").read() for path in paths)
        code = strip_comments(self.text)
        self.functions = {}
        for result, name, arguments in re.findall(r"TENON_API ([\w ]+[ *]+)(tenonx?_\w+)\(([^;]*)\);", code):
            self.functions[name] = Function(re.sub(r"\bconst\b|\s", "", result), name, re.sub(r"\s+", " ", arguments))
        self.constants = {n: int(v, 0) for n, v in re.findall(r"#define (TENONX?_[A-Z0-9_]+) (-?\d\w*?)u?\b", code)}
        self.structs = {}
        for body, name in re.findall(r"typedef struct tenonx?_\w+ \{(.*?)\} (tenonx?_\w+);", code, flags=re.S):
            self.structs[name] = self._struct(name, body)
        self.status_names = {}  # value: "TENON_OK"
        first, last = self.text.index("typedef int32_t tenon_status;"), self.text.index("TENON_INTERNAL_ERROR")
        for name in re.findall(r"#define (TENON_[A-Z_]+) ", self.text[first : last + 40]):
            self.status_names[self.constants[name]] = name
        self.listed = self._statuses()

    @staticmethod
    def _struct(name, body):
        fields = []
        for declaration in filter(None, (d.strip() for d in body.split(";"))):
            type_, names = re.match(r"((?:const )?\w+)\s+(.*)$", declaration, flags=re.S).groups()
            for one in names.split(","):
                one = one.strip()
                pointers, field, count = re.match(r"(\**)\s*(\w+)(?:\[(\d+)\])?$", one).groups()
                if pointers:
                    c_type = ctypes.c_void_p
                else:
                    c_type = SCALARS[type_.replace("const ", "")]
                fields.append((field, c_type * int(count) if count else c_type))
        return type(name, (ctypes.Structure,), {"_fields_": fields})

    def _statuses(self):
        names, references, removed = {}, {}, {}
        for match in re.finditer(r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:TENON_API[^;]*;\n)+)", self.text):
            block = re.sub(r"\n \*( |$)", " ", match[1])
            status = re.search(r"Status(?: \([^)]*\))?:(.*?)(?=(?:Cost|Since|Threads|Allocates):|$)", block, flags=re.S)
            # "The rest as tenon_...": a block that leaves the list to another one.
            other = re.search(r"(?:rest|Otherwise|Everything|otherwise) as (tenonx?_\w+)", block)
            text = status[1] if status else "as " + other[1] if other else ""
            without = re.findall(r"without (TENON_[A-Z_]+)", text)
            known = set(self.status_names.values())
            for function in re.findall(r"(tenonx?_\w+)\(", match[2]):
                names[function] = {n for n in re.findall(r"TENON_[A-Z_]+", text) if n in known} - set(without)
                references[function] = re.findall(r"\bas (tenonx?_\w+)", text)
                removed[function] = set(without)

        def resolved(function):
            all_ = set(names.get(function, ()))
            for other in references.get(function, ()):
                all_ |= resolved(other)
            return all_ - removed.get(function, set())

        return {f: resolved(f) for f in names}


def load(path, header):
    """The library with the types of all functions set. Pointers are void pointers: callers cast."""
    library = ctypes.CDLL(path)

    def c_type(type_):
        if type_ == "void":
            return None
        if type_ == "char*":
            return ctypes.c_char_p
        return ctypes.c_void_p if "*" in type_ else SCALARS[type_]

    for function in header.functions.values():
        target = getattr(library, function.name)
        target.restype = c_type(function.result)
        target.argtypes = [
            ctypes.c_void_p if p.type.startswith("char") else c_type(p.type) for p in function.parameters
        ]
    return library
