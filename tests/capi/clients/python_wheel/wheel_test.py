"""Makes wheels of the library and the program, installs them into new environments, and runs what a newcomer would.

    python3 wheel_test.py <Python with numpy, pytest and pip> <libtenon.so> <folder to build in> extension|ctypes

extension: the wheel has the extension module, and all tests of the package run on what was installed. ctypes: it has
none; and what wheel.py refuses, what it reads of binaries, and that its bytes depend on nothing else.
"""

import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
README = ROOT / "capi/clients/python/README.md"
SAYS = "each foot carries 282.2 N"
sys.path.insert(0, str(ROOT / "packaging/wheel"))

import binaries  # noqa: E402


def run(*command, check=True, **more):
    # Nothing of this process's package may be found: that would be the checkout's.
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TENON_LIBRARY", "LD_LIBRARY_PATH")}
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**kept, **more.pop("env", {})},
        **more,
    )
    if check and done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout if check else done


def wheel(folder, out, *options, **more):
    return run(sys.executable, ROOT / "packaging/wheel/wheel.py", folder, "--out", out, *options, **more)


def made(folder, out, *options):
    shutil.rmtree(out, ignore_errors=True)
    path = Path(wheel(folder, out, *options).splitlines()[-1])
    assert path.parent == out and path.exists(), path
    return path


def installed(python, archive, folder):
    """A new environment with the wheel; numpy and pytest are those of the other one. Returns its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", "--without-pip", folder)
    own = folder / "bin/python"
    places = [run(p, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip() for p in (own, python)]
    Path(places[0], "numpy.pth").write_text(places[1] + "\n")
    pip = [python, "-m", "pip", "--python", own, "--disable-pip-version-check", "install", "--no-index", "--no-compile"]
    run(*pip, archive)
    assert run(own, "-c", "import tenon; print(tenon.__file__)").startswith(str(folder)), "another package was found"
    return own


def first_steps(own, robot):
    """The five lines of the README, and the program."""
    lines = re.search(r"```python\n(.*?)```", README.read_text(), re.S).group(1)
    assert len(lines.splitlines()) == 5, "five lines"
    said = run(own, "-c", lines).strip()
    assert said == SAYS, f"the five lines of {README} said '{said}' and not '{SAYS}'"
    for program in ([own.parent / "tenon"], [own, "-m", "tenon"]):
        said = run(*program, "info", robot, "--floating")
        assert "175.118 kg" in said, said
    assert run(own.parent / "tenon", "info", "nowhere.urdf", check=False).returncode not in (0, 127)
    unit = own.parent / "robot.fmu"
    run(own.parent / "tenon", "export", "fmu", robot, "--floating", "--sources", "-o", unit)
    with zipfile.ZipFile(unit) as file:
        assert {"sources/unit.c", "modelDescription.xml"} <= set(file.namelist()), file.namelist()
        assert any(name.startswith("binaries/") for name in file.namelist()), file.namelist()
    folder = Path(run(own, "-c", "import tenon; print(tenon.models.FOLDER)").strip())
    assert folder.parent.name == "tenon" and len(list(folder.glob("*.urdf"))) >= 20 and (folder / "LICENSES.md").exists()
    print(f"five lines: {SAYS}; tenon info: 175.118 kg")


def parts(archive):
    """What has to be in every wheel; and what RECORD says of it."""
    with zipfile.ZipFile(archive) as file:
        names = file.namelist()
        for wanted in (
            r"tenon/lib/(libtenon\.so\.\d+\.\d+)",
            r"tenon/lib/tenon",
            r"tenon/lib/fmu/[^/]+/tenon_fmu\.so",
            r"tenon/lib/fmu/sources/(unit\.c|robot_generated\.c)",
            r"tenon/py\.typed",
            r"tenon/models/(LICENSES\.md|LICENSE-APACHE-2\.0\.txt|atlas\.urdf)",
            r"[^/]+\.dist-info/licenses/(LICENSE|THIRD_PARTY\.md)",
            r"[^/]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt)",
        ):
            found = [n for n in names if re.fullmatch(wanted, n)]
            assert len(found) == max(1, wanted.count("|") + 1), f"{wanted}: {found}"
        record = file.read([n for n in names if n.endswith("/RECORD")][0]).decode().splitlines()
        assert sorted(line.split(",")[0] for line in record) == sorted(names)
        program = file.read("tenon/lib/tenon")
        assert b"$ORIGIN/../lib\0" in program and str(ROOT).encode() + b"/build/release/lib" not in program
        notices = file.read([n for n in names if n.endswith("THIRD_PARTY.md")][0]).decode()
    for project in ("TinyXML-2", "Eigen", "spdlog", "fmt", "CLI11"):
        assert project in notices, project


def refused(folder, out, library, *options, because):
    shutil.rmtree(out, ignore_errors=True)
    done = wheel(folder, out, "--no-extension", *options, check=False)
    assert done.returncode and because in done.stdout, f"{options}: {done.returncode}, {done.stdout}"
    assert not out.exists(), "a wheel that is refused is not written"


def refusals(folder, out, library):
    binary = binaries.read(library)
    least = binary.glibc()
    other = "aarch64" if binary.machine != "aarch64" else "x86_64"
    refused(folder, out, library, "--tag", f"manylinux_2_5_{binary.machine}", because="does not run on every")
    if least > 17:
        tag = f"manylinux_2_{least - 1}_{binary.machine}"
        refused(folder, out, library, "--tag", tag, because=f"it needs {'CXXABI' if 'CXXABI' in binary.versions else 'GLIBC'}")
    refused(folder, out, library, "--tag", f"manylinux_2_{least}_{other}", because="it is for manylinux_2_")
    refused(folder, out, library, "--tag", "win_amd64", because="it is for manylinux_2_")
    refused(folder / "nothing", out, library, because="has none of libtenon.so.")
    library_alone = out.parent / "library alone"
    shutil.rmtree(library_alone, ignore_errors=True)
    (library_alone / "lib").mkdir(parents=True)
    shutil.copy(library, library_alone / "lib" / library.name)
    refused(library_alone, out, library, because="has none of tenon in bin")
    # A library that no system has is noticed: a copy of the program that asks for one.
    (library_alone / "bin").mkdir()
    program = (folder / "bin/tenon").read_bytes()
    (library_alone / "bin/tenon").write_bytes(program.replace(b"\0libm.so.6\0", b"\0libq.so.6\0"))
    refused(library_alone, out, library, because="has no folder tenon/fmu")
    shutil.copytree(folder / "lib/tenon", library_alone / "lib/tenon")
    refused(library_alone, out, library, because="needs libq.so.6, which is not part of every manylinux")


def readers(folder, library, python):
    """Binaries are read as binutils read them; those of other systems as their formats say."""
    for path in (library, folder / "bin/tenon"):
        binary = binaries.read(path)
        if not shutil.which("readelf"):
            sys.exit("SKIPPED: readelf is not installed; run packaging/setup.sh test")
        said = run("readelf", "--wide", "--dynamic", "--version-info", path)
        assert binary.needed == re.findall(r"\(NEEDED\).*\[(.*)\]", said), path
        needs = said[said.index(".gnu.version_r") :]
        there = set(re.findall(r"Name: (GLIBC\w*_[\d.]+)\b", needs))
        here = {f"{k}_{'.'.join(map(str, n))}" for k, v in binary.versions.items() for n in v if k.startswith("GLIBC")}
        assert here == there and here, (here, there)
        (at, text), data = binary.run_path or (0, ""), Path(path).read_bytes()
        assert data[at : at + len(text)].decode() == text
    exe = [p for p in Path(run(python, "-c", "import pip; print(pip.__path__[0])").strip()).rglob("t64.exe")]
    if exe:
        windows = binaries.read(exe[0])
        assert windows.tag() == "win_amd64" and "KERNEL32.dll" in windows.needed and not windows.foreign([])
        windows.needed.append("libwinpthread-1.dll")
        assert windows.foreign(["tenon.dll"]) == ["libwinpthread-1.dll"]
        assert windows.why_not("win_arm64") and not windows.why_not("win_amd64")
    name = b"@rpath/libtenon.0.1.dylib\0\0\0\0\0\0\0"
    load = struct.pack("<IIIIII", 0x0C, 24 + len(name), 24, 0, 0, 0) + name
    build = struct.pack("<IIIIII", 0x32, 24, 1, 12 << 16 | 3 << 8, 0, 0)
    header = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x0100000C, 0, 6, 2, len(load + build), 0, 0)
    macho = folder_of_this / "macho"
    macho.write_bytes(header + load + build)
    mac = binaries.read(macho)
    assert mac.tag() == "macosx_12_0_arm64" and mac.needed == ["@rpath/libtenon.0.1.dylib"]
    assert mac.foreign([]) == mac.needed and not mac.foreign(["libtenon.0.1.dylib"])
    assert mac.why_not("macosx_11_0_arm64") and not mac.why_not("macosx_13_0_arm64")


def same_bytes(folder, out, *options):
    """From a copy in another place, with other times."""
    copy = out.parent / "a copy in another place"
    shutil.rmtree(copy, ignore_errors=True)
    for name in ("lib", "bin"):
        (copy / name).mkdir(parents=True)
        for path in (folder / name).glob("*tenon*"):
            if path.is_file() and path.name.startswith(("libtenon.so", "tenon")):
                shutil.copyfile(path, copy / name / path.name)
    shutil.copytree(folder / "lib/tenon", copy / "lib/tenon")
    digests = []
    for source in (folder, copy):
        digests.append(hashlib.sha256(made(source, out, *options).read_bytes()).hexdigest())
    assert digests[0] == digests[1], "the same input gave other bytes"
    print(f"twice the same bytes: {digests[0]}")


def main(python, library, out, kind):
    global folder_of_this
    library = Path(library).parent.resolve() / os.path.basename(os.path.realpath(library))
    folder, out = library.parent.parent, Path(out).resolve()
    soname = binaries.read(library).soname
    library, folder_of_this = library.parent / soname, out
    out.mkdir(parents=True, exist_ok=True)
    if not (folder / "bin/tenon").exists():
        sys.exit("SKIPPED: the program was not built (TENON_BUILD_CLI)")
    options = ["--no-extension"] if kind == "ctypes" else []
    archive = made(folder, out / "wheels", *options)
    if kind == "extension" and "-cp311-abi3-" not in archive.name:
        sys.exit("SKIPPED: no C compiler or no Python.h, so no extension module; run packaging/setup.sh test")
    assert kind == "extension" or "-py3-none-" in archive.name, archive
    parts(archive)
    own = installed(python, archive, out / "environment")
    first_steps(own, ROOT / "models/atlas.urdf")
    if kind == "extension":
        tests = [own, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE.parent / "python"]
        said = run(*tests, env={"TENON_TEST_CALLS": "extension module"})
        assert " passed" in said, said
        print(said)
    else:
        refusals(folder, out / "refused", library)
        readers(folder, library, python)
    same_bytes(folder, out / "wheels", *options)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
