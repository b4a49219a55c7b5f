"""Makes a wheel of the Python package, the library, the program with the binary of mock-up units, and the models.

    python3 packaging/wheel/wheel.py build/release --out build/wheels
    python3 packaging/wheel/wheel.py zip-of-windows --out build/wheels --tag win_amd64

The folder is one in which Tenon was built or into which it was installed. The tag of the platform is, by default, the one
of the oldest systems that library and program run on; one that they do not meet is refused, and so are libraries that a
system need not have. With a C compiler for the platform and Python.h the extension module goes in, and the wheel is for
CPython 3.11 and up (cp311-abi3); without, or with --no-extension, it is for every Python 3 (py3-none), whose calls then
go through ctypes. The same input gives the same bytes. Needs Python 3.11, of which nothing is installed, and what
packaging/api/generate.sh makes, which it runs.
"""

import argparse
import base64
import hashlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

from binaries import Unfit, read

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "capi/clients/python"
RUN_PATH = "$ORIGIN/../lib"  # library and program lie together in tenon/lib
LIBRARIES = "libtenon.so.{series}", "tenon.dll", "libtenon.{series}.dylib"
PROGRAMS = "tenon", "tenon.exe"


def find(folder, names, folders):
    for where in folders:
        for name in names:
            for path in sorted(folder.glob(f"{where}/{name}")):
                if path.is_file():
                    return path
    raise Unfit(f"{folder} has none of {', '.join(names)} in {', '.join(folders)}")


def with_run_path(binary, path):
    """The bytes of an ELF program that finds the library beside it, wherever the two are put."""
    data = bytearray(path.read_bytes())
    if binary.system != "linux" or binary.run_path and binary.run_path[1] == RUN_PATH:
        return bytes(data)
    at, text = binary.run_path or (0, "")
    if len(text) < len(RUN_PATH):
        raise Unfit(f"{path} has no room for a path to the library: make the wheel of an installed Tenon (cmake --install)")
    data[at : at + len(text)] = RUN_PATH.encode().ljust(len(text), b"\0")
    return bytes(data)


def host_compiler():
    """A compiler and the folder of Python.h, of this machine; None where one is missing."""
    compiler, include = os.environ.get("CC") or shutil.which("cc"), sysconfig.get_path("include")
    return (compiler, include) if compiler and Path(include, "Python.h").exists() else (None, None)


def extension(library, compiler, include):
    """The bytes of the extension module for the platform of the library, and None where it is not to be had."""
    if compiler is None:
        host = {"linux": "linux", "darwin": "macosx"}.get(sys.platform)
        machine = os.uname().machine if host else ""
        if (library.system, library.machine) != (host, machine):
            print(f"no compiler for {library.system} {library.machine} was given: calls go through ctypes")
            return None
        compiler, include = host_compiler()
        if compiler is None:
            print("no C compiler or no Python.h here: calls go through ctypes")
            return None
    native = CLIENT / "native"
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "native")
        options = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-s"]
        if library.system == "macosx":
            options[-1:] = ["-undefined", "dynamic_lookup"]
        paths = ["-I" + str(native), "-I" + str(include), str(native / "tenon_native.c"), "-o", str(made)]
        subprocess.run([*shlex.split(compiler), *options, *paths], check=True)
        binary = read(made)
        if (binary.system, binary.machine) != (library.system, library.machine):
            raise Unfit(f"the compiler made {binary.system} {binary.machine}, not {library.system} {library.machine}")
        return binary, made.read_bytes()


def metadata(project):
    """The core metadata of the package, of pyproject.toml."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        "License-File: LICENSE",
        "License-File: THIRD_PARTY.md",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {c}" for c in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {d}" for d in project["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
    ]
    return "\n".join(lines) + "\n" + (CLIENT / project["readme"]).read_text(encoding="utf-8")


def package():
    """The files of the package that are the same for every platform: {path in the wheel: bytes}."""
    files = {}
    for path in sorted((CLIENT / "tenon").rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            files[path.relative_to(CLIENT).as_posix()] = path.read_bytes()
    for path in sorted((ROOT / "models").iterdir()):
        files[f"tenon/models/{path.name}"] = path.read_bytes()
    return files


def units(folder):
    """What `tenon export fmu` takes, where the program in the wheel looks for it."""
    for kind in ("lib", "lib64", "lib/*-linux-gnu"):
        for base in sorted(folder.glob(f"{kind}/tenon/fmu")):
            return {
                f"tenon/lib/fmu/{path.relative_to(base).as_posix()}": path
                for pattern in ("*/tenon_fmu.*", "sources/*", "licenses/*")
                for path in sorted(base.glob(pattern))
            }
    raise Unfit(f"{folder} has no folder tenon/fmu beside the library")


def write(path, files, programs, first=()):
    """A zip archive that depends on nothing but the files; those named in first lead."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files, key=lambda name: (name not in first, ".dist-info/" in name, name)):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (stat.S_IFREG | (0o755 if name in programs else 0o644)) << 16
            archive.writestr(entry, files[name], compresslevel=9)


def declare():
    """Makes the raw declarations where they are not there yet; elsewhere than on POSIX systems, wants them there."""
    if os.name == "posix":
        subprocess.run([ROOT / "packaging/api/generate.sh"], check=True, stdout=sys.stderr)
    if not (CLIENT / "tenon/_raw.py").exists():
        raise Unfit("there is no tenon/_raw.py: run packaging/api/generate.sh, or take an archive of the sources")


def make(folder, out, tag, compiler, include, with_extension):
    declare()
    with open(CLIENT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    version = project["version"]
    series = ".".join(version.split(".")[:2])
    if f'VERSION = "{version}"' not in (CLIENT / "tenon/_raw.py").read_text(encoding="utf-8"):
        raise Unfit(f"pyproject.toml is of version {version}, and tenon/_raw.py is not")
    folders = "lib", "lib64", "lib/*-linux-gnu", "bin"
    library_path = find(folder, [name.format(series=series) for name in LIBRARIES], folders)
    library = read(library_path)
    program_path = find(folder, PROGRAMS[library.system == "win" :][:1], ("bin",))
    program = read(program_path)
    files = package()
    programs = {f"tenon/lib/{library_path.name}", f"tenon/lib/{program_path.name}"}
    files[f"tenon/lib/{library_path.name}"] = library_path.read_bytes()
    files[f"tenon/lib/{program_path.name}"] = with_run_path(program, program_path)
    binaries, python = [library, program], "py3-none"
    for name, path in units(folder).items():
        files[name] = path.read_bytes()
        if path.stem == "tenon_fmu":
            binaries.append(read(path))
    built = extension(library, compiler, include) if with_extension else None
    if built:
        binaries.append(built[0])
        built[0].path, python = "the extension module", "cp311-abi3"
        files["tenon/_native.pyd" if library.system == "win" else "tenon/_native.abi3.so"] = built[1]
    if tag == "auto":
        tag = max((b.tag() for b in binaries), key=lambda t: [int(n) for n in re.findall(r"\d+", t)])
    own = [library_path.name, library.soname, *(["python3.dll"] if built else [])]
    for binary in binaries:
        why = binary.why_not(tag)
        if why:
            raise Unfit(f"{binary.path} does not run on every {tag}: {why}")
        foreign = binary.foreign(own)
        if foreign:
            raise Unfit(f"{binary.path} needs {', '.join(foreign)}, which is not part of every {tag}")
    name = project["name"].replace("-", "_")
    info = f"{name}-{version}.dist-info"
    text = {
        "METADATA": metadata(project),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: tenon\nRoot-Is-Purelib: false\nTag: {python}-{tag}\n",
        "entry_points.txt": "[console_scripts]\n" + "".join(f"{k} = {v}\n" for k, v in project["scripts"].items()),
        "licenses/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
        "licenses/THIRD_PARTY.md": (ROOT / "packaging/THIRD_PARTY.md").read_text(encoding="utf-8"),
    }
    files.update({f"{info}/{key}": value.encode() for key, value in text.items()})
    lines = []
    for key in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[key]).digest()).rstrip(b"=").decode()
        lines.append(f"{key},sha256={digest},{len(files[key])}\n")
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name}-{version}-{python}-{tag}.whl"
    write(path, files, programs)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where Tenon was built or installed")
    parser.add_argument("--out", type=Path, required=True, help="folder for the wheel")
    parser.add_argument("--tag", default="auto", help="of the platform: manylinux_2_28_x86_64, win_amd64, ...")
    parser.add_argument("--cc", help="C compiler for the platform, with its options")
    parser.add_argument("--python-include", help="folder of the Python.h and pyconfig.h of the platform")
    parser.add_argument("--no-extension", action="store_true", help="a wheel for every Python 3")
    how = parser.parse_args()
    include = how.python_include or sysconfig.get_path("include")
    try:
        print(make(how.folder, how.out, how.tag, how.cc, include, not how.no_extension))
    except (Unfit, subprocess.CalledProcessError) as why:
        sys.exit(f"error: {why}")


if __name__ == "__main__":
    main()
