"""The package for Maven: classes with library and models inside, the sources, and the pom."""

import shutil
import subprocess

from release import CLIENTS, ROOT, Unfit, files_of, write_zip

FOLDER = "java"
NAME = "tenon-dynamics"


def pack(release, out, work):
    """Writes tenon-dynamics-<version>.jar, -sources.jar and .pom. JNA looks for <its name of the system>/libtenon.so."""
    release.same_version(f"{FOLDER}/pom.xml", r"^  <version>([\d.]+)</version>")
    base = CLIENTS / FOLDER / "src/main/java"
    sources = files_of(f"{FOLDER}/src/main/java", "**/*.java")
    pom = (CLIENTS / FOLDER / "pom.xml").read_bytes()
    properties = f"artifactId={NAME}\ngroupId=tenon\nversion={release.version}\n".encode()
    about = {f"META-INF/{name}": data for name, data in release.licences.items()}
    files = {
        "META-INF/MANIFEST.MF": manifest(release.version),
        **about,
        f"META-INF/maven/tenon/{NAME}/pom.xml": pom,
        f"META-INF/maven/tenon/{NAME}/pom.properties": properties,
        **classes(base, sources, work),
        **{f"tenon/models/{name}": data for name, data in release.models.items()},
        **{f"{native.jna}/{native.bare}": native.library_bytes for native in release.natives},
    }
    paths = [out / f"{NAME}-{release.version}{ending}" for ending in (".jar", "-sources.jar", ".pom")]
    write_jar(paths[0], files)
    write_jar(paths[1], {"META-INF/MANIFEST.MF": manifest(release.version), **about, **sources})
    paths[2].write_bytes(pom)
    return paths


def manifest(version):
    lines = ("Manifest-Version: 1.0", "Implementation-Title: Tenon", f"Implementation-Version: {version}",
             "Automatic-Module-Name: tenon", "")  # fmt: skip
    return "\r\n".join(lines).encode()


def write_jar(path, files):
    """Readers of streams want the manifest first."""
    write_zip(path, files, (), first=("META-INF/MANIFEST.MF",))


def classes(base, sources, work):
    """What javac makes, {path in the jar: bytes}: the same on every system for one version of the JDK."""
    jars = sorted((ROOT / "build/clients/java").glob("jna-*.jar"))
    if not jars:
        raise Unfit("there is no JNA in build/clients/java: packaging/packages.sh fetches it")
    made = work / "classes"
    shutil.rmtree(made, ignore_errors=True)
    command = ["javac", "--release", "17", "-proc:none", "-cp", str(jars[0]), "-d", str(made)]
    subprocess.run([*command, *(str(base / name) for name in sources)], check=True)
    return {path.relative_to(made).as_posix(): path.read_bytes() for path in sorted(made.rglob("*.class"))}
