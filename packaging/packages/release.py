"""What all packages share: the staged trees of packaging/release.sh, the texts that go along, archives of the same bytes."""

import gzip
import io
import re
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "capi/clients"
sys.path.insert(0, str(ROOT / "packaging/wheel"))

from binaries import Unfit, read  # noqa: E402
from wheel import LIBRARIES, PROGRAMS, find, with_run_path, write as write_zip  # noqa: E402, F401

# A system as release.sh calls it: what its binaries say of themselves, and its names in Node (process.platform and arch),
# in JNA, in NuGet and in LuaJIT (ffi.os and arch).
SYSTEMS = {
    "linux-x86_64": ("linux", "x86_64", "linux-x64", "linux-x86-64", "linux-x64", "Linux-x64"),
    "linux-aarch64": ("linux", "aarch64", "linux-arm64", "linux-aarch64", "linux-arm64", "Linux-arm64"),
    "windows-x86_64": ("win", "amd64", "win32-x64", "win32-x86-64", "win-x64", "Windows-x64"),
    "macos-arm64": ("macosx", "arm64", "darwin-arm64", "darwin-aarch64", "osx-arm64", "OSX-arm64"),
    "macos-x86_64": ("macosx", "x86_64", "darwin-x64", "darwin-x86-64", "osx-x64", "OSX-x64"),
}


@dataclass
class Native:
    """Library and program for one system."""

    system: str
    node: str
    jna: str
    rid: str
    luajit: str
    library: str  # its file name with the version, by which a loader knows it
    bare: str  # and without, which JNA and .NET look for
    library_bytes: bytes
    program: str
    program_bytes: bytes


class Release:
    """All that is staged in a folder, of one version."""

    def __init__(self, stage):
        cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(tenon VERSION ([\d.]+)", cmake, re.M).group(1)
        self.series = ".".join(self.version.split(".")[:2])
        staged = {system: Path(stage, f"tenon-{self.version}-{system}") for system in SYSTEMS}
        self.natives = [self._native(system, folder) for system, folder in staged.items() if folder.is_dir()]
        if not self.natives:
            raise Unfit(f"{stage} has no tree of Tenon {self.version}: run packaging/release.sh first")
        self.licences = {
            "LICENSE": (ROOT / "LICENSE").read_bytes(),
            "THIRD_PARTY.md": (ROOT / "packaging/THIRD_PARTY.md").read_bytes(),
        }
        self.models = {path.name: path.read_bytes() for path in sorted((ROOT / "models").iterdir())}

    def _native(self, system, folder):
        names = [name.format(series=self.series) for name in LIBRARIES]
        library_path, program_path = find(folder, names, ("lib", "bin")), find(folder, PROGRAMS, ("bin",))
        library, program = read(library_path), read(program_path)
        kind, machine, node, jna, rid, luajit = SYSTEMS[system]
        for binary in (library, program):
            if (binary.system, binary.machine) != (kind, machine):
                raise Unfit(f"{binary.path} is for {binary.system} {binary.machine}, not for {system}")
            foreign = binary.foreign([library_path.name, library.soname])
            if foreign:
                raise Unfit(f"{binary.path} needs {', '.join(foreign)}, which not every {system} has")
        bare = {"linux": "libtenon.so", "win": "tenon.dll", "macosx": "libtenon.dylib"}[kind]
        return Native(
            system, node, jna, rid, luajit, library_path.name, bare, library_path.read_bytes(), program_path.name,
            with_run_path(program, program_path),
        )  # fmt: skip

    def same_version(self, path, pattern):
        """The version that a file of a client states has to be this one."""
        stated = re.search(pattern, (CLIENTS / path).read_text(encoding="utf-8"), re.M)
        if not stated or stated.group(1) != self.version:
            raise Unfit(f"capi/clients/{path} is of version {stated and stated.group(1)}, not {self.version}")


def files_of(folder, *patterns, under=""):
    """{path in the package: bytes} of the files of a client's folder that match."""
    base = CLIENTS / folder
    found = sorted({path for pattern in patterns for path in base.glob(pattern) if path.is_file()})
    if not found:
        raise Unfit(f"{base} has no {' or '.join(patterns)}")
    return {under + path.relative_to(base).as_posix(): path.read_bytes() for path in found}


def write_tar(path, files, programs=()):
    """A .tar.gz that depends on nothing but the files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(files[name]), 0o755 if name in programs else 0o644
            entry.mtime = 315532800  # 1980, as in our archives of zip
            archive.addfile(entry, io.BytesIO(files[name]))
    with open(path, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=9, mtime=0) as out:
        out.write(packed.getvalue())
