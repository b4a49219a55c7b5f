"""The crates tenon-dynamics-sys and tenon-dynamics. They bring no library: those of all systems are larger than the 10 MB
that crates.io takes; the build script of the former finds an installed one, or tells how to get one."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from release import CLIENTS, Unfit

FOLDER = "rust"
LARGEST = 10 * 1024 * 1024


def pack(release, out, work):
    """Writes both .crate files, by `cargo package`, of copies outside of any repository: it would note the commit."""
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("tenon-sys", "tenon"):
        release.same_version(f"{FOLDER}/{folder}/Cargo.toml", r'^version = "([\d.]+)"')
        shutil.copytree(CLIENTS / FOLDER / folder, work / folder, ignore=shutil.ignore_patterns("target"))
        (work / folder / "LICENSE").write_bytes(release.licences["LICENSE"])
    registry = work / "registry"
    paths = [package(work, "tenon-sys", f"tenon-dynamics-sys-{release.version}.crate", out, registry)]
    add(registry, paths[0], "tenon-dynamics-sys", release.version, [], "tenon")
    paths.append(package(work, "tenon", f"tenon-dynamics-{release.version}.crate", out, registry))
    return paths


def package(work, folder, name, out, registry):
    (registry / "index").mkdir(parents=True, exist_ok=True)
    command = ["cargo", "package", "--quiet", "--offline", "--no-verify", "--target-dir", str(work / "target"),
               "--manifest-path", str(work / folder / "Cargo.toml"), *instead_of_crates_io(registry)]  # fmt: skip
    subprocess.run(command, check=True, cwd=work)
    made = work / "target/package" / name
    if made.stat().st_size > LARGEST:
        raise Unfit(f"{name} has {made.stat().st_size} bytes; crates.io takes {LARGEST}")
    shutil.copyfile(made, out / name)
    return out / name


def instead_of_crates_io(registry):
    """Options for cargo: a folder of .crate files stands for crates.io."""
    return ["--config", 'source.crates-io.replace-with="files"', "--config", f"source.files.local-registry='{registry}'"]


def add(registry, crate, name, version, dependencies, links=None):
    """Puts a .crate into such a folder, with the line of the index that a registry would write.

    dependencies: (name as the crate imports it, requirement, name of the package).
    """
    data = Path(crate).read_bytes()
    index = registry / "index" / name[:2] / name[2:4]
    index.mkdir(parents=True, exist_ok=True)
    (registry / f"{name}-{version}.crate").write_bytes(data)
    line = {
        "name": name,
        "vers": version,
        "deps": [
            {"name": imported, "req": wanted, "features": [], "optional": False, "default_features": True, "target": None,
             "kind": "normal", "package": called}
            for imported, wanted, called in dependencies
        ],
        "cksum": hashlib.sha256(data).hexdigest(),
        "features": {},
        "yanked": False,
        "links": links,
    }  # fmt: skip
    (index / name).write_text(json.dumps(line) + "\n", encoding="utf-8")
