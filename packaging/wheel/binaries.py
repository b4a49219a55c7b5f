"""What a compiled file asks of the system that runs it: ELF, PE and Mach-O, all of 64 bits, little endian."""

import re
import struct
from dataclasses import dataclass, field

ELF_MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}
PE_MACHINES = {0x8664: "amd64", 0xAA64: "arm64"}
MACHO_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH, DT_VERNEED, DT_VERNEEDNUM = (
    1, 5, 14, 15, 29, 0x6FFFFFFE, 0x6FFFFFFF,
)  # fmt: skip
# What manylinux has beside glibc, from which version of glibc on (PEP 600).
BESIDE_GLIBC = (
    (17, {"GLIBCXX": (3, 4, 19), "CXXABI": (1, 3, 7), "GCC": (4, 8, 0)}),
    (24, {"GLIBCXX": (3, 4, 22), "CXXABI": (1, 3, 10), "GCC": (4, 8, 0)}),
    (27, {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}),
    (31, {"GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12), "GCC": (7, 0, 0)}),
    (34, {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}),
    (35, {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}),
    (39, {"GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14, 0, 0)}),
)
# Libraries that every system of the kind has.
LINUX = r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux[-\w]*\.so\.\d"
WINDOWS = r"(?i)(kernel32|user32|advapi32|shell32|shlwapi|ole32|ntdll|bcrypt|msvcrt|ucrtbase|ws2_32|api-ms-win-[-\w]+)\.dll"
MACOS = r"/usr/lib/.+|/System/.+"


class Unfit(Exception):
    """A file that is not what it should be, or asks for more than a platform has."""


@dataclass
class Binary:
    path: str
    system: str  # linux, win or macosx
    machine: str
    needed: list = field(default_factory=list)  # libraries
    versions: dict = field(default_factory=dict)  # of symbols in them: {"GLIBC": {(2, 17), ...}}
    soname: str = ""
    install_name: str = ""  # macOS: soname with where it is looked for
    run_path: tuple = None  # where in the file it stands, and its text
    least_system: tuple = ()  # macOS: the oldest version
    exports: list = field(default_factory=list)  # what others can call

    def foreign(self, own):
        """Libraries that the system need not have; own: those that come along."""
        known = {"linux": LINUX, "win": WINDOWS, "macosx": MACOS}[self.system]
        names = {name.rpartition("/")[2] for name in own}
        return [n for n in self.needed if not re.fullmatch(known, n) and n.rpartition("/")[2] not in names]

    def tag(self):
        """The platform tag of the oldest systems that it runs on."""
        if self.system == "win":
            return f"win_{self.machine}"
        if self.system == "macosx":
            major, minor = max(self.least_system, (11, 0) if self.machine == "arm64" else (10, 9))
            return f"macosx_{major}_{0 if major > 10 else minor}_{self.machine}"
        return f"manylinux_2_{self.glibc()}_{self.machine}"

    def glibc(self):
        """The least y of glibc 2.y whose manylinux has all that is needed."""
        least = max([17, *(minor for _, minor, *_ in self.versions.get("GLIBC", ()))])
        for kind in ("GLIBCXX", "CXXABI", "GCC"):
            wanted = max(self.versions.get(kind, ()), default=(0,))
            fitting = [y for y, has in BESIDE_GLIBC if has[kind] >= wanted]
            if not fitting:
                raise Unfit(f"{self.path} needs {kind}_{'.'.join(map(str, wanted))}, which no manylinux has")
            least = max(least, fitting[0])
        return least

    def why_not(self, tag):
        """What it needs that systems of a platform tag need not have; empty where they have all."""
        own = self.tag()
        if tag == own:
            return ""
        if self.system == "linux" and tag == f"linux_{self.machine}":
            return ""
        older = re.fullmatch(r"manylinux_2_(\d+)_(\w+)" if self.system == "linux" else r"macosx_(\d+)_\d+_(\w+)", tag)
        if not older or older.group(2) != self.machine:
            return f"it is for {own}"
        has = int(older.group(1))
        least = self.glibc() if self.system == "linux" else max(self.least_system[0], 10)
        if has >= least:
            return ""
        if self.system == "macosx":
            return f"it needs macOS {least}"
        newest = ", ".join(f"{kind}_{'.'.join(map(str, max(v)))}" for kind, v in sorted(self.versions.items()))
        return f"it needs {newest}: {own}"


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    for magic, reader in ((b"\x7fELF\x02\x01", _elf), (b"MZ", _pe), (b"\xcf\xfa\xed\xfe", _macho)):
        if data.startswith(magic):
            return reader(str(path), data)
    raise Unfit(f"{path} is no program and no library of 64 bits")


def _text(data, at):
    return data[at : data.index(b"\0", at)].decode()


def _elf(path, data):
    machine, phoff, phentsize, phnum = (
        *struct.unpack_from("<H", data, 18), *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54),
    )  # fmt: skip
    result = Binary(path, "linux", ELF_MACHINES.get(machine, str(machine)))
    loads, dynamic = [], None
    for number in range(phnum):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, phoff + number * phentsize)
        if kind == 1:
            loads.append((address, offset, size))
        elif kind == 2:
            dynamic = offset, size
    if dynamic is None:
        raise Unfit(f"{path} is linked statically")

    def place(address):
        for start, offset, size in loads:
            if start <= address < start + size:
                return address - start + offset
        raise Unfit(f"{path} is damaged")

    entries = [struct.unpack_from("<qQ", data, at) for at in range(dynamic[0], sum(dynamic), 16)]
    values = dict(entries)
    strings = place(values[DT_STRTAB])
    result.needed = [_text(data, strings + value) for tag, value in entries if tag == DT_NEEDED]
    if DT_SONAME in values:
        result.soname = _text(data, strings + values[DT_SONAME])
    for tag in (DT_RPATH, DT_RUNPATH):
        if tag in values:
            at = strings + values[tag]
            result.run_path = at, _text(data, at)
    at = place(values[DT_VERNEED]) if DT_VERNEED in values else 0
    for _ in range(values.get(DT_VERNEEDNUM, 0)):
        _, count, _, first, following = struct.unpack_from("<HHIII", data, at)
        name_at = at + first
        for _ in range(count):
            _, _, _, name, step = struct.unpack_from("<IHHII", data, name_at)
            kind, _, version = _text(data, strings + name).rpartition("_")
            if re.fullmatch(r"[\d.]+", version):
                result.versions.setdefault(kind, set()).add(tuple(map(int, version.split("."))))
            name_at += step
        at += following
    result.exports = _elf_exports(data)
    return result


def _elf_exports(data):
    start, size, count = *struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * n) for n in range(count)]
    names = []
    for _, kind, _, _, offset, length, strings, _, _, entry in sections:
        if kind != 11:  # dynamic symbols
            continue
        for at in range(offset, offset + length, entry):
            name, info, _, section = struct.unpack_from("<IBBH", data, at)
            absolute = section == 0xFFF1  # the versions of symbols themselves
            if section != 0 and not absolute and info >> 4 in (1, 2):
                names.append(_text(data, sections[strings][4] + name))
    return names


def _pe(path, data):
    header = struct.unpack_from("<I", data, 60)[0]
    machine, sections = struct.unpack_from("<HH", data, header + 4)
    optional_size = struct.unpack_from("<H", data, header + 20)[0]
    result = Binary(path, "win", PE_MACHINES.get(machine, hex(machine)))
    optional = header + 24
    if struct.unpack_from("<H", data, optional)[0] != 0x20B:
        raise Unfit(f"{path} is not of 64 bits")
    table = [struct.unpack_from("<8sIIII", data, optional + optional_size + 40 * n) for n in range(sections)]

    def place(address):
        for _, size, start, raw_size, offset in table:
            if start <= address < start + max(size, raw_size):
                return address - start + offset
        raise Unfit(f"{path} is damaged")

    imports = struct.unpack_from("<I", data, optional + 112 + 8)[0]
    at = place(imports) if imports else None
    while at is not None:
        name = struct.unpack_from("<5I", data, at)[3]
        if name == 0:
            break
        result.needed.append(_text(data, place(name)))
        at += 20
    exports = struct.unpack_from("<I", data, optional + 112)[0]
    if exports:
        count, _, addresses = struct.unpack_from("<III", data, place(exports) + 24)
        names = struct.unpack_from(f"<{count}I", data, place(addresses))
        result.exports = [_text(data, place(name)) for name in names]
    return result


def _macho(path, data):
    machine, _, _, commands = struct.unpack_from("<IIII", data, 4)
    result = Binary(path, "macosx", MACHO_MACHINES.get(machine, hex(machine)), least_system=(10, 9))
    at = 32
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", data, at)
        if kind & 0x7FFFFFFF in (0x0C, 0x18, 0x1F):  # a library that is loaded, weakly, or exported again
            result.needed.append(_text(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif kind in (0x32, 0x24):  # build version, least version
            number = struct.unpack_from("<I", data, at + (12 if kind == 0x32 else 8))[0]
            result.least_system = number >> 16, number >> 8 & 0xFF
        elif kind == 0x0D:
            result.install_name = _text(data, at + struct.unpack_from("<I", data, at + 8)[0])
            result.soname = result.install_name.rpartition("/")[2]
        elif kind in (0x22, 0x80000022):
            result.exports += _trie(data, *struct.unpack_from("<II", data, at + 40))
        elif kind == 0x80000033:
            result.exports += _trie(data, *struct.unpack_from("<II", data, at + 8))
        at += size
    return result


def _trie(data, start, size):
    """The names in a trie of exports, without the underscore that C names begin with."""

    def number(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value, at

    names, nodes = [], [(start, "")] if size else []
    while nodes:
        at, prefix = nodes.pop()
        length, at = number(at)
        if length:
            names.append(prefix.removeprefix("_"))
        at += length
        children, at = data[at], at + 1
        for _ in range(children):
            edge = _text(data, at)
            offset, at = number(at + len(edge) + 1)
            nodes.append((start + offset, prefix + edge))
    return names
