"""The rock for LuaJIT: the modules, the models, and the library of every staged system. It is a source rock of which
nothing is compiled; luarocks installs the libraries of its own operating system."""

from release import Unfit, files_of, write_tar, write_zip

FOLDER = "lua"
NAME = "tenon-dynamics"
# What luarocks calls the systems of LuaJIT's ffi.os.
PLATFORMS = {"Linux": "linux", "Windows": "windows", "OSX": "macosx"}


def pack(release, out, work):
    """Writes tenon-dynamics-<version>-1.src.rock."""
    modules = files_of(FOLDER, "tenon/*.lua")
    if f'\nlocal SERIES = "{release.series}"'.encode() not in modules["tenon/library.lua"]:
        raise Unfit(f"tenon/library.lua is not for libraries of version {release.series}")
    files = {**modules, **files_of(FOLDER, "README.md", "examples/*.lua"), **release.licences}
    files.update({f"models/{name}": data for name, data in release.models.items()})
    natives = {}
    for native in release.natives:
        path = f"native/{native.luajit}/{native.library}"
        files[path] = native.library_bytes
        natives.setdefault(PLATFORMS[native.luajit.partition("-")[0]], {})[f"tenon.native.{native.luajit}.library"] = path
    top = f"{NAME}-{release.version}"
    archive = work / f"{top}.tar.gz"
    write_tar(archive, {f"{top}/{name}": data for name, data in files.items()})
    # luarocks keeps the file's own name, in the folder that stands for the module.
    installed = {f"tenon.models.{name.partition('.')[0]}": f"models/{name}" for name in release.models}
    described = rockspec(release.version, sorted(modules), installed, natives)
    path = out / f"{top}-1.src.rock"
    write_zip(path, {f"{top}-1.rockspec": described.encode(), archive.name: archive.read_bytes()}, ())
    return [path]


def rockspec(version, modules, installed, natives):
    names = {path[:-4].replace("/", ".").removesuffix(".init"): path for path in modules}
    platforms = [f"    {name} = {{ install = {{ lua = {table(files, 8)} }} }},\n" for name, files in sorted(natives.items())]
    return f"""rockspec_format = "3.0"
package = "{NAME}"
version = "{version}-1"
source = {{ url = "file://{NAME}-{version}.tar.gz", dir = "{NAME}-{version}" }}
description = {{
  summary = "Dynamics of articulated robots under motion constraints",
  detailed = "For LuaJIT 2.1: contacts, welds, kinematic loops; models from URDF.",
  license = "MIT",
  labels = {{ "robotics", "dynamics", "urdf" }},
}}
dependencies = {{ "lua == 5.1" }}
build = {{
  type = "builtin",
  modules = {table(names, 4)},
  install = {{ lua = {table(installed, 6)} }},
  platforms = {{
{"".join(platforms)}  }},
}}
"""


def table(entries, indent):
    lines = "".join(f'{" " * indent}["{key}"] = "{value}",\n' for key, value in sorted(entries.items()))
    return "{\n" + lines + " " * (indent - 2) + "}"
