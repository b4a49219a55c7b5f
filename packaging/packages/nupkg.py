"""The package for NuGet: the assembly, with the models inside, for .NET Standard 2.1 and for Mono, and the library of every
staged system."""

import re
import struct
import subprocess
import tempfile
import uuid
from pathlib import Path

from release import CLIENTS, Unfit, write_zip

FOLDER = "csharp"
NAME = "tenon-dynamics"
# What assemblies refer to: mcs knows Mono's mscorlib alone; .NET Standard is the contract of .NET (Core) 3.0 and up, Mono
# 6.4 and up, Unity.
MSCORLIB = "mscorlib", (4, 0, 0, 0), bytes.fromhex("b77a5c561934e089")
NETSTANDARD = "netstandard", (2, 1, 0, 0), bytes.fromhex("cc7b13ffcd2ddd51")
ASSEMBLY_REFERENCES = 0x23  # of the tables of an assembly (ECMA-335, II.22.5)
TYPES = {"rels": "vnd.openxmlformats-package.relationships+xml", "psmdcp": "vnd.openxmlformats-package.core-properties+xml"}


def pack(release, out, work):
    """Writes tenon-dynamics.<version>.nupkg, as `nuget pack` would lay it out."""
    release.same_version(f"{FOLDER}/Tenon/Tenon.csproj", r"<Version>([\d.]+)</Version>")
    assembly = compiled(release)
    files = {
        f"{NAME}.nuspec": recipe(release.version),
        "lib/netstandard2.1/Tenon.dll": on_netstandard(assembly),
        "mono/Tenon.dll": assembly,
        "README.md": (CLIENTS / FOLDER / "README.md").read_bytes(),
        **release.licences,
        **{f"runtimes/{native.rid}/native/{native.bare}": native.library_bytes for native in release.natives},
    }
    properties = f"package/services/metadata/core-properties/{uuid.uuid5(uuid.NAMESPACE_DNS, NAME + release.version).hex}.psmdcp"
    files[properties] = xml(
        '<coreProperties xmlns="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:identifier>{NAME}</dc:identifier><version>{release.version}</version></coreProperties>"
    )
    files["_rels/.rels"] = xml(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/{NAME}.nuspec" Id="R1"/>'
        '<Relationship Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" '
        f'Target="/{properties}" Id="R2"/></Relationships>'
    )
    endings = sorted({Path(name).suffix[1:] for name in files if Path(name).suffix[1:]})
    files["[Content_Types].xml"] = xml(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        + "".join(f'<Default Extension="{e}" ContentType="application/{TYPES.get(e, "octet")}"/>' for e in endings)
        + '<Override PartName="/LICENSE" ContentType="application/octet"/></Types>'
    )
    path = out / f"{NAME}.{release.version}.nupkg"
    write_zip(path, files, (), first=("[Content_Types].xml", "_rels/.rels", f"{NAME}.nuspec"))
    return [path]


def xml(text):
    return ('<?xml version="1.0" encoding="utf-8"?>' + text + "\n").encode()


def recipe(version):
    """Tenon.nuspec, which is for `dotnet pack`, of what is packed here."""
    text = (CLIENTS / FOLDER / "Tenon/Tenon.nuspec").read_text(encoding="utf-8").replace("$version$", version)
    text = re.sub(r" *<files>.*</files>\n", "", text, flags=re.S)
    return re.sub(r' *<group targetFramework="net8.0" />\n', "", text).encode()


def compiled(release):
    """The bytes of Tenon.dll by mcs: the same each time, for one version of mcs."""
    sources = [*sorted((CLIENTS / FOLDER / "Tenon.Raw").glob("*.cs")), *sorted((CLIENTS / FOLDER / "Tenon").glob("*.cs"))]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "Tenon.dll")
        # The class gives the assembly the text by which on_netstandard names what it refers to.
        about = Path(folder, "About.cs")
        about.write_text(
            f'[assembly: System.Reflection.AssemblyVersion("{release.version}.0")]\n'
            f"namespace Tenon {{ internal static class {NETSTANDARD[0]} {{ }} }}\n"
        )
        resources = []
        for name, data in release.models.items():
            Path(folder, name).write_bytes(data)
            resources.append(f"-resource:{Path(folder, name)},tenon.models.{name}")
        flags = "-deterministic -unsafe -optimize -warnaserror -nowarn:649,169 -langversion:latest -target:library".split()
        subprocess.run(["mcs", *flags, f"-out:{made}", *resources, str(about), *map(str, sources)], check=True)
        return made.read_bytes()


def on_netstandard(assembly):
    """The assembly with its reference to mscorlib made one to netstandard, which has all the types that it uses."""
    data = bytearray(assembly)
    root = data.index(b"BSJB")
    length = struct.unpack_from("<I", data, root + 12)[0]
    at = root + 16 + length + 2
    count, at = struct.unpack_from("<H", data, at)[0], at + 2
    streams = {}
    for _ in range(count):
        offset, size = struct.unpack_from("<II", data, at)
        end = data.index(b"\0", at + 8)
        streams[data[at + 8 : end].decode()] = root + offset, size
        at += 8 + (end - at - 8) // 4 * 4 + 4
    strings, blobs, (tables, tables_size) = streams["#Strings"][0], streams["#Blob"][0], streams["#~"]
    if data[tables + 6]:
        raise Unfit("Tenon.dll has heaps of more than 65535 bytes, which on_netstandard does not read")

    present, at = struct.unpack_from("<Q", data, tables + 8)[0], tables + 24
    numbers = [bit for bit in range(64) if present >> bit & 1]
    rows = dict(zip(numbers, struct.unpack_from(f"<{len(numbers)}I", data, at)))
    if rows[ASSEMBLY_REFERENCES] != 1:
        raise Unfit("Tenon.dll refers to more than mscorlib: take types that are there alone, no System.Linq for one")

    def heap(text):
        at = data.index(text, strings, strings + streams["#Strings"][1])
        return at - strings

    name, version, token = MSCORLIB
    blob = data.index(bytes([len(token)]) + token, blobs, blobs + streams["#Blob"][1]) - blobs
    old = struct.pack("<4HIHHHH", *version, 0, blob, heap(b"\0" + name.encode() + b"\0") + 1, 0, 0)
    if data.count(old, tables, tables + tables_size) != 1:
        raise Unfit("Tenon.dll has not the one reference to mscorlib that it should have")
    name, version, token = NETSTANDARD
    at = data.index(old, tables)
    data[at : at + len(old)] = struct.pack("<4HIHHHH", *version, 0, blob, heap(b"\0" + name.encode() + b"\0") + 1, 0, 0)
    data[blobs + blob + 1 : blobs + blob + 1 + len(token)] = token
    return bytes(data)
