"""The package for npm: the JavaScript layer, its examples, the models, and library and program of every staged system."""

import json

from release import CLIENTS, files_of, write_tar

FOLDER = "javascript"


def pack(release, out, work):
    """Writes tenon-dynamics-<version>.tgz, as `npm pack` would."""
    release.same_version(f"{FOLDER}/package.json", r'^  "version": "([\d.]+)"')
    described = json.loads((CLIENTS / FOLDER / "package.json").read_text(encoding="utf-8"))
    for key in ("private", "devDependencies"):
        described.pop(key, None)
    described["keywords"] = ["robotics", "dynamics", "urdf", "contact", "kinematic loops"]
    files = {
        "package.json": (json.dumps(described, indent=2) + "\n").encode(),
        **files_of(FOLDER, "*.js", "*.d.ts", "README.md", "examples/*.js"),
        **release.licences,
        **{f"models/{name}": data for name, data in release.models.items()},
    }
    programs = {described["bin"]["tenon"]}
    for native in release.natives:
        folder = f"native/{native.node}/lib"
        files[f"{folder}/{native.library}"] = native.library_bytes
        files[f"{folder}/{native.program}"] = native.program_bytes
        programs.add(f"{folder}/{native.program}")
    path = out / f"{described['name']}-{release.version}.tgz"
    write_tar(path, {f"package/{name}": data for name, data in files.items()}, {f"package/{name}" for name in programs})
    return [path]
