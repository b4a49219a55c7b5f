"""Compares the binary interface of the headers and of a library with what was promised before.

    python3 compare.py check <include folder> <tenon.map> <libtenon.so> <folder to build in> <C compiler> <folder>...
    python3 compare.py record <include folder> <tenon.map> <folder to build in> <C compiler>

check: against each folder whose version has the SONAME of the library; by default those beside this file, one of each
version. A folder holds the header of its version and libtenon.abi, what abidw (Debian: abigail-tools) read from a stub of that
header. Functions, symbol versions, types of arguments, layouts of structs and values of constants must be there and the
same; more of them, and more fields at the end of structs that begin with struct_size, are fine. Exits with 1 and says
what differs.
record: writes the folder of the present version, with the program that tests run on all later libraries of its SONAME; done
when a version is tagged, and never again for it. The first will be 0.1: what was never released has promised nothing.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import stub

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../api"))
from whole import read, whole  # noqa: E402


def run(*command, allowed=(0,), folder=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, cwd=folder)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done


def numbers(header):
    return {what: int(re.search(rf"TENON_VERSION_{what} (\d+)", header).group(1)) for what in ("MAJOR", "MINOR")}


def soname(header):
    """Before 1.0 the name carries the minor version (capi/CMakeLists.txt)."""
    version = numbers(header)
    return f"libtenon.so.{version['MAJOR']}" + ("" if version["MAJOR"] else f".{version['MINOR']}")


def stub_library(header, symbol_map, folder, compiler):
    """A library of the functions of a header, with types, SONAME and symbol versions."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "stub.c"), "w", encoding="utf-8") as file:
        file.write(stub.stub(os.path.abspath(header), whole(header)))
    named = f"-Wl,-soname,{soname(whole(header))}", f"-Wl,--version-script={os.path.abspath(symbol_map)}"
    flags = "-std=c99 -g -gdwarf-4 -O0 -fPIC -shared -w".split()  # abidw of Debian 12 reads DWARF up to 4
    run(compiler, *flags, *named, "stub.c", "-o", "stub.so", folder=folder)
    return os.path.join(folder, "stub.so")


def symbols(library):
    """{function: version} that a library exports."""
    listed = run("nm", "-D", "--defined-only", library).stdout
    return dict(re.findall(r" T (tenon\w+)@@([\w.]+)$", listed, flags=re.M))


def dumped(library, out):
    run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", out, library)
    return out


def layouts(dump):
    """{struct: (bits, [(bit, name, type), ...])} of what abidw wrote."""
    root = xml.etree.ElementTree.parse(dump).getroot()
    types = {node.get("id"): node for node in root.iter() if node.get("id")}

    def spelled(key):
        node = types[key]
        if node.tag == "array-type-def":
            return spelled(node.get("type-id")) + "".join(f"[{part.get('length')}]" for part in node.iter("subrange"))
        if node.tag == "pointer-type-def":
            return spelled(node.get("type-id")) + " *"
        if node.tag == "qualified-type-def":
            return spelled(node.get("type-id")) + "".join(f" {word}" for word in ("const",) if node.get(word) == "yes")
        return node.get("name") or node.tag

    found = {}
    for node in root.iter("class-decl"):
        members = [(int(part.get("layout-offset-in-bits")), part.find("var-decl")) for part in node.iter("data-member")]
        if members:
            fields = [(bit, var.get("name"), spelled(var.get("type-id"))) for bit, var in members]
            found[node.get("name")] = int(node.get("size-in-bits")), fields
    return found


def layout_differences(before, now):
    """Fields stand where they stood; new ones come after them, and only where struct_size is the first."""
    wrong = []
    for name, (bits, fields) in before.items():
        bits_now, fields_now = now.get(name, (0, []))
        grows = fields[0][1] == "struct_size"
        for old, new in zip(fields, fields_now + [None] * len(fields)):
            if old != new:
                wrong.append(f"{name}: {old[2]} {old[1]} at bit {old[0]} has become {new}")
        if bits_now < bits or (bits_now > bits and not grows) or (len(fields_now) > len(fields) and not grows):
            counts = f"{len(fields)} fields, now {bits_now // 8} and {len(fields_now)}"
            wrong.append(f"{name} had {bits // 8} bytes and {counts}")
    return wrong


def differences(folder, present, include, library):
    """What of the promise of a folder is not kept."""
    dump, header, old = os.path.join(folder, "libtenon.abi"), os.path.join(include, "tenon.h"), []
    # growing.abignore lets abidiff pass more than new fields at the end, so the fields are compared here too.
    ignored = os.path.join(HERE, "growing.abignore")
    compared = run("abidiff", "--no-added-syms", "--suppressions", ignored, dump, present, allowed=range(16))
    if compared.returncode:
        old.append(compared.stdout)
    promised_layouts = layouts(dump)
    old += layout_differences(promised_layouts, layouts(dumped(present, present + ".abi")))
    before = stub.constants(read(os.path.join(folder, "tenon.h")))
    now = stub.constants(whole(header))
    for name, value in before.items():
        # All bits of a mask may become more.
        grown = name == "TENON_PRODUCT_ALL" and name in now and now[name] & value == value
        if now.get(name) != value and not grown:
            old.append(f"{name} was {value} and is {now.get(name, 'not there')}")
    promised = dict(re.findall(r"<elf-symbol name='(\w+)' version='([\w.]+)'", read(dump)))
    exported = symbols(library)
    for name, version in promised.items():
        if exported.get(name) != version:
            old.append(f"the library has not {name}@@{version}, but {exported.get(name, 'no such function')}")
    if len(promised) < 150 or len(before) < 80 or len(promised_layouts) < 20:
        counts = f"{len(promised)} functions, {len(before)} constants and {len(promised_layouts)} structs"
        old.append(f"{dump} holds {counts}: too few")
    return old


def recorded():
    """The folders of released versions."""
    return [os.path.dirname(path) for path in sorted(glob.glob(os.path.join(HERE, "*/libtenon.abi")))]


def check(include, symbol_map, library, folder, compiler, *folders, dumps_are_good=False):
    header = os.path.join(include, "tenon.h")
    present = stub_library(header, symbol_map, folder, compiler)
    name = soname(whole(header))
    found = re.search(r"SONAME\s+(\S+)", run("objdump", "-p", library).stdout)
    wrong = [] if found and found.group(1) == name else [f"the library's SONAME is {found and found.group(1)}, not {name}"]
    compared = 0
    for before in folders or recorded():
        version = os.path.join(before, "libtenon.abi")
        if soname(read(os.path.join(before, "tenon.h"))) != name:
            print(f"{before} is of another SONAME: not compared")
            continue
        if not dumps_are_good:  # each is that of the header beside it
            kept = stub_library(os.path.join(before, "tenon.h"), symbol_map, os.path.join(folder, "kept"), compiler)
            same = run("abidiff", "--no-added-syms", version, kept, allowed=range(16))
            wrong += [f"{version} is not of the header beside it:\n{same.stdout}"] if same.returncode else []
        wrong += differences(before, present, include, library)
        compared += 1
    if not compared:
        wrong.append(f"no folder here has the SONAME {name}: run `compare.py record` when it is released")
    print("\n".join(wrong) if wrong else f"{name} keeps what {compared} header promised")
    return 1 if wrong else 0


def described(header, symbol_map, folder, compiler, out):
    """Writes the folder of a header: the header with its parts, as one, and what abidw reads from it."""
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "tenon.h"), "w", encoding="utf-8") as file:
        file.write(whole(header))
    dumped(stub_library(header, symbol_map, folder, compiler), os.path.join(out, "libtenon.abi"))
    return out


def record(include, symbol_map, folder, compiler):
    header = os.path.join(include, "tenon.h")
    version = numbers(whole(header))
    out = os.path.join(HERE, f"{version['MAJOR']}.{version['MINOR']}")
    if os.path.exists(os.path.join(out, "libtenon.abi")):
        sys.exit(f"{out} is there already: a promise that was made is not changed")
    described(header, symbol_map, folder, compiler, out)
    for name in "client.c", "client.txt":
        shutil.copy(os.path.join(HERE, "../../tests/capi/abi", name), out)
    print(f"wrote {out}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < {"check": 7, "record": 6}.get((sys.argv + [""])[1], 100):
        sys.exit(__doc__)
    sys.exit({"check": check, "record": record}[sys.argv[1]](*sys.argv[2:]))
