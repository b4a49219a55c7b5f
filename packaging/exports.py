"""Checks what the libraries of release trees show to others.

    python3 packaging/exports.py build/dist/stage/tenon-0.1.0-macos-arm64...

A library exports the functions of packaging/api.json and nothing else, on every system: no operator new of the C++ library
inside it, which would serve the whole process that loads it. It needs nothing but libraries that each such system has. The
import library of Windows names the same functions. No file names the folder in which it was made. The files are read as
bytes, so systems that cannot run here are checked like the others.
"""

import json
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "wheel"))
from binaries import Unfit, read  # noqa: E402

UNITS = "lib/tenon/fmu/*/tenon_fmu.*"
LIBRARIES = "lib/libtenon.so.*.*.*", "bin/tenon.dll", "lib/libtenon.*.*.*.dylib"
IMPORT_LIBRARIES = "lib/tenon.lib", "lib/libtenon.dll.a"


def declared():
    with open(HERE / "api.json") as file:
        return {function["name"] for function in json.load(file)["functions"]}


def imported(path):
    """The functions that an import library knows: the index that an archive begins with (first linker member)."""
    data = path.read_bytes()
    if not data.startswith(b"!<arch>\n/ "):
        raise Unfit(f"{path} is no archive with an index")
    size = int(data[56:66])
    count = struct.unpack_from(">I", data, 68)[0]
    names = data[72 + 4 * count : 68 + size].split(b"\0")[:count]
    return {name.decode() for name in names}


def differences(found, expected):
    for what, names in (("shows", found - expected), ("lacks", expected - found)):
        if names:
            some = ", ".join(sorted(names)[:5])
            yield f"{what} {len(names)} names that it should{' not' if what == 'shows' else ''}: {some}"


def check(stage, functions):
    path = next((path for pattern in LIBRARIES for path in sorted(stage.glob(pattern))), None)
    if path is None:
        raise Unfit(f"{stage} has none of {', '.join(LIBRARIES)}")
    library = read(path)
    wrong = [f"{path.name} {text}" for text in differences(set(library.exports), functions)]
    wrong += [f"{path.name} needs {name}, which not every such system has" for name in library.foreign([])]
    if library.system == "macosx" and not library.install_name.startswith("@rpath/"):
        wrong.append(f"{path.name} is looked for as {library.install_name}, which is not relative")
    archives = [stage / name for name in IMPORT_LIBRARIES] if library.system == "win" else []
    for archive in archives:
        names = imported(archive)
        wrong += [f"{archive.name} {text}" for text in differences(names & functions, functions)]
        wrong += [f"{archive.name} has no __imp_{name}" for name in sorted(functions) if f"__imp_{name}" not in names][:5]
    print(f"{path.name}: {library.tag()}, {len(library.exports)} functions; needs {', '.join(library.needed)}")
    return wrong


def check_unit(stage, functions):
    """The binary of mock-up units shows the functions of FMI, and what the program knows it by; Windows those inside too."""
    paths = sorted(stage.glob(UNITS))
    if len(paths) != 1:
        return [f"there should be one {UNITS}, not {len(paths)}"]
    unit = read(paths[0])
    needed = {f"fmi{version}{name}" for version in (2, 3) for name in ("GetVersion", "DoStep", "Reset", "FreeInstance")}
    needed |= {"fmi2Instantiate", "fmi3InstantiateCoSimulation", "fmi3InstantiateModelExchange", "tenon_unit_format"}
    shown = {name for name in unit.exports if not name.startswith(("fmi2", "fmi3"))} | (needed & set(unit.exports))
    if unit.system == "win":
        shown -= functions
    print(f"{paths[0].parent.name}/{paths[0].name}: {unit.tag()}, {len(unit.exports)} functions; needs {', '.join(unit.needed)}")
    wrong = [f"{paths[0].name} {text}" for text in differences(shown, needed)]
    return wrong + [f"{paths[0].name} needs {name}, which not every such system has" for name in unit.foreign([])]


def check_paths(stage, _):
    """No file names the folder in which it was made, on which its bytes would depend."""
    folder = str(HERE.parent / "build").encode() + b"/"
    files = [path for path in sorted(stage.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [f"{path.relative_to(stage)} names {folder.decode()}" for path in files if folder in path.read_bytes()]


def main(stages):
    functions = declared()
    wrong = [f"{Path(stage).name}: {text}" for stage in stages
             for what in (check, check_unit, check_paths) for text in what(Path(stage), functions)]  # fmt: skip
    for text in wrong:
        print(f"error: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1:]))
    except (Unfit, OSError) as failure:
        sys.exit(f"error: {failure}")
