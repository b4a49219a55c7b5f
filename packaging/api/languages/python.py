"""Python: ctypes. Arrays are void pointers, for which ctypes takes an address, an array or None."""

from .common import MARK, Types, comment, constants, listed

SCALARS = {
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t",
    "double": "c_double",
    "tenon_status": "c_int32",
}

HEAD = '''"""The C interface of Tenon for ctypes, by the names of tenon.h, which is its manual.

    library = load("libtenon.so")
    library.tenon_version()
"""
'''
TAIL = '''}


def load(path):
    """The library at path, with the types of all its functions set. It may have been built without those of tenonx.h."""
    library = CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        if name.startswith("tenonx_") and not hasattr(library, name):
            continue
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
'''


def type_of(t, types):
    if t["pointers"] == 0:
        return {"void": "None", **SCALARS}.get(t["base"], t["base"])
    if t["base"] == "char":
        return "c_char_p" if t["pointers"] == 1 else "POINTER(c_char_p)"
    if t["base"] in types.structs or t["base"] in types.handles:
        return "POINTER(" * t["pointers"] + t["base"] + ")" * t["pointers"]
    if t.get("kind") == "result":
        return f"POINTER({SCALARS[t['base']]})"
    return "c_void_p"


def files(api):
    types = Types(api)
    names = ["CDLL", "CFUNCTYPE", "POINTER", "Structure", "c_char_p", "c_void_p", *sorted(set(SCALARS.values()))]
    out = [f"# {MARK}", HEAD]
    out += ["from ctypes import (", *(f"    {n}," for n in sorted(names, key=lambda n: (not n.isupper(), n))), ")", ""]
    out += [f'VERSION = "{api["version"]}"  # of the headers', ""]
    for text, _, values in constants(api):
        if text:
            out += [comment(text, "# ")]
        out += [f"{v['name']} = {v['value']}" for v in values] + [""]
    for handle in api["handles"]:
        out += [
            "",
            f"class {handle['name']}(Structure):",
            comment(handle["comment"].split("\n")[0], '    """', "    ", '"""'),
            "",
        ]
    out += [""]
    for c in api["callbacks"]:
        out += [
            listed(
                [type_of(c["result"], types), *(type_of(a, types) for a in c["arguments"])],
                f"{c['name']} = CFUNCTYPE(",
                ")",
                "    ",
            )
        ]
    for s in api["structs"]:
        out += [
            "",
            "",
            f"class {s['name']}(Structure):",
            comment(s["comment"].split("\n")[0], '    """', "    ", '"""'),
            "    _fields_ = [",
        ]
        for f in s["fields"]:
            count = f" * {f['extent']}" if "extent" in f else ""
            out += [f'        ("{f["name"]}", {type_of(f, types)}{count}),']
        out += ["    ]"]
    out += ["", "", "STRUCTS = (", *(f"    {s['name']}," for s in api["structs"]), ")", ""]
    out += ["# Of each function the result and the arguments.", "FUNCTIONS = {"]
    for f in api["functions"]:
        arguments = ", ".join(type_of(a, types) for a in f["arguments"])
        out += [
            listed(
                [arguments], f'    "{f["name"]}": ({type_of(f["result"], types)}, [', "]),", "        ", separator=""
            )
        ]
    return {"python/tenon/_raw.py": "\n".join([*out, TAIL])}
