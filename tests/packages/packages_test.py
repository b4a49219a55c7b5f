"""Installs the package of one registry into a fresh folder, by the package manager of its language, and runs what a
newcomer would: two examples, the code of the README, and what goes wrong.

    python3 packages_test.py npm|crate|jar|nupkg|rock|go|julia build/dist <folder to build in>

The library of crate, go and julia is that of the archive.

The examples print what C and C++ do with the same library, bit for bit.
"""

import re
import shutil
import sys
import time
import zipfile
from pathlib import Path

from fresh import CLIENTS, ROOT, SAYS, Expected, Failed, fresh, has, readme_code, run, same, same_bytes, timed

NOWHERE = {"TENON_LIBRARY": "/nowhere/libtenon.so"}


class Packages:
    def __init__(self, dist, folder, version):
        self.dist, self.folder, self.version = dist, folder, version
        self.expected = Expected(dist / "stage", version, fresh(folder / "expected"))

        # A system whose library cannot be loaded: the package's own comes before it.
        self.system = {"LD_LIBRARY_PATH": fresh(folder / "system")}
        for name in ("libtenon.so", "libtenon.so." + version.rpartition(".")[0]):
            (folder / "system" / name).write_text("no library")

    def package(self, name):
        path = self.dist / name.format(version=self.version)
        if not path.exists():
            raise Failed(f"{path} is not there: run packaging/packages.sh first")
        return path

    def npm(self):
        package, own = self.package("tenon-dynamics-{version}.tgz"), self.folder / "project"
        own.mkdir()
        begin = time.monotonic()
        run("npm", "init", "-y", cwd=own)
        print(run("npm", "install", "--no-audit", "--no-fund", package, cwd=own))
        (own / "feet.js").write_text(readme_code("javascript", "js"))
        same(run("node", "feet.js", cwd=own), SAYS + "\n", "README")
        timed(begin, "npm install")
        there = "node_modules/tenon-dynamics"
        self.expected.examples(lambda name, robot: run("node", f"{there}/examples/{name}.js", robot, cwd=own))
        names = run("node", "-p", "require('tenon-dynamics').models.names().join()", cwd=own)
        same(names, ",".join(sorted(path.stem for path in (ROOT / "models").glob("*.urdf"))) + "\n", "models")
        has(run("npx", "--no", "tenon", "info", f"{there}/models/atlas.urdf", "--floating", cwd=own), "175.118 kg")
        has(run("npx", "--no", "tenon", "info", "nowhere.urdf", cwd=own, check=False), "nowhere.urdf")
        same(run("node", "feet.js", cwd=own, env=self.system), SAYS + "\n", "before the system's")
        has(run("node", "feet.js", cwd=own, env=NOWHERE, check=False), "TENON_LIBRARY names /nowhere/libtenon.so")
        stranger = "require('koffi'); Object.defineProperty(process, 'arch', { value: 's390x' }); require('tenon-dynamics')"
        said = run("node", "-e", stranger, cwd=own, check=False)
        has(said, "there is no library for linux-s390x", "brings libraries for", "linux-x64", "set TENON_LIBRARY")
        return [package]

    def crate(self):
        names = "tenon-dynamics-sys-{version}.crate", "tenon-dynamics-{version}.crate"
        packages = [self.package(name) for name in names]
        oldest = re.search(r'^rust-version = "1\.(\d+)"', (CLIENTS / "rust/tenon/Cargo.toml").read_text(), re.M).group(1)
        compiler = run("rustc", "--version").strip()
        if int(re.match(r"rustc 1\.(\d+)", compiler).group(1)) < int(oldest):
            print(f"NOT RUN: the crates need Rust 1.{oldest}, and here is {compiler}")
            return packages
        sys.path.insert(0, str(ROOT / "packaging/packages"))
        import crate

        # As from crates.io: a project that names the crate alone.
        registry, own = self.folder / "registry", self.folder / "project"
        crate.add(registry, packages[0], "tenon-dynamics-sys", self.version, [], "tenon")
        needs = [("tenon-sys", f"={self.version}", "tenon-dynamics-sys")]
        crate.add(registry, packages[1], "tenon-dynamics", self.version, needs)
        options = ["--offline", *crate.instead_of_crates_io(registry)]
        library = {"TENON_LIB_DIR": self.expected.tree / "lib"}
        for name in self.expected.robots:
            run("cargo", "new", "--quiet", "--vcs", "none", self.folder / name)
            with open(self.folder / name / "Cargo.toml", "a", encoding="utf-8") as file:
                file.write(f'tenon-dynamics = "{self.version}"\n')
            shutil.copy(CLIENTS / f"rust/tenon/examples/{name}.rs", self.folder / name / "src/main.rs")
        self.expected.examples(
            lambda name, robot: run("cargo", "run", "--quiet", *options, "--", robot, cwd=self.folder / name, env=library)
        )
        # As the README says, from the two files alone; with the archive's folder of the library, and with a wheel's.
        begin = time.monotonic()
        for path in packages:
            run("tar", "xzf", path, "-C", self.folder)
        run("cargo", "new", "--quiet", "--vcs", "none", own)
        with open(own / "Cargo.toml", "a", encoding="utf-8") as file:
            file.write(f'tenon-dynamics = {{ path = "../tenon-dynamics-{self.version}" }}\n\n[patch.crates-io]\n'
                       f'tenon-dynamics-sys = {{ path = "../tenon-dynamics-sys-{self.version}" }}\n')  # fmt: skip
        code = readme_code("rust/tenon", "rust")
        (own / "src/main.rs").write_text(code)
        (own / "models").symlink_to(self.expected.models)
        again = ["cargo", "run", "--quiet", "--offline"]
        same(run(*again, cwd=own, env=library), SAYS + "\n", "README")
        timed(begin, "cargo run")
        wheel = fresh(self.folder / "wheel")
        loaded = next((self.expected.tree / "lib").glob("libtenon.so.?.?")).name
        shutil.copy(self.expected.tree / "lib" / loaded, wheel / loaded)
        same(run(*again, cwd=own, env={"TENON_LIB_DIR": wheel}), SAYS + "\n", "library of a wheel")
        same(run(*again, cwd=own, env={"TENON_LIBRARY": wheel / loaded}), SAYS + "\n", "TENON_LIBRARY")
        said = run(*again, cwd=own, env={**NOWHERE, **library}, check=False)
        has(said, "TENON_LIBRARY is /nowhere", "found no library of Tenon", "-linux-gnu")
        said = run(*again, cwd=own, env={"TENON_LIB_DIR": self.folder}, check=False)
        has(said, f"TENON_LIB_DIR is {self.folder}", "pip install tenon-dynamics", ".tar.gz", "libtenon-dev")
        return packages

    def jar(self):
        packages = [self.package("tenon-dynamics-{version}" + ending) for ending in (".jar", "-sources.jar", ".pom")]
        own, home = self.folder / "project", self.folder.parent / "maven"
        (own / "src/main/java").mkdir(parents=True)
        (own / "pom.xml").write_text(POM.format(version=self.version))
        for name in self.expected.robots:
            shutil.copy(CLIENTS / f"java/examples/{name}.java", own / "src/main/java")
        code = readme_code("java", "java")
        (own / "src/main/java/Feet.java").write_text(code)
        shutil.rmtree(home / "tenon", ignore_errors=True)

        def maven(*goals):
            """Without the network where its plugins are here from a run before."""
            command = ["mvn", "-B", "-q", f"-Dmaven.repo.local={home}", *goals]
            try:
                said = run(*command[:1], "-o", *command[1:], cwd=own)
            except Failed:
                print("maven fetches what it needs")
                said = run(*command, cwd=own)
            return re.sub(r"\x1b\[[0-9;]*m", "", said)

        begin = time.monotonic()
        maven("install:install-file", f"-Dfile={packages[0]}", f"-DpomFile={packages[2]}")
        same(maven("compile", "exec:java", "-Dexec.mainClass=Feet"), SAYS + "\n", "README")
        timed(begin, "mvn install:install-file, compile, exec:java")
        jna = next(home.glob("net/java/dev/jna/jna/*/jna-*.jar"))

        def java(*words, jar=home / f"tenon/tenon-dynamics/{self.version}/tenon-dynamics-{self.version}.jar", **more):
            return run("java", "-cp", f"{own / 'target/classes'}:{jar}:{jna}", *words, **more)

        self.expected.examples(lambda name, robot: java(name, robot))
        same(java("Feet", env=self.system), SAYS + "\n", "before the system's")
        has(java("Feet", env=NOWHERE, check=False), "TENON_LIBRARY names /nowhere/libtenon.so")
        same(java(f"-Dtenon.library={self.expected.tree / 'lib/libtenon.so'}", "Feet", env=NOWHERE), SAYS + "\n", "tenon.library")
        # Without the library of this machine.
        poor = self.folder / "poor.jar"
        with zipfile.ZipFile(packages[0]) as full, zipfile.ZipFile(poor, "w") as out:
            own_library = sorted(name for name in full.namelist() if name.endswith("libtenon.so"))
            here = java("-version", jar=poor) and f"linux-{self.expected.tree.name.rpartition('-')[2].replace('_', '-')}"
            for name in full.namelist():
                if not name.startswith(here + "/"):
                    out.writestr(name, full.read(name))
        if f"{here}/libtenon.so" not in own_library:
            raise Failed(f"the jar has {own_library}")
        said = java("Feet", jar=poor, check=False)
        has(said, f"there is no library for {here}", "this package brings ", "set TENON_LIBRARY")
        same(java("Feet", jar=poor, env={"TENON_LIBRARY": self.expected.tree / "lib/libtenon.so"}), SAYS + "\n", "TENON_LIBRARY")
        return packages

    def nupkg(self):
        package, own = self.package("tenon-dynamics.{version}.nupkg"), self.folder / "project"
        own.mkdir()
        begin = time.monotonic()
        print(run("nuget", "install", "tenon-dynamics", "-Source", self.dist, "-OutputDirectory", "packages", cwd=own))
        there = own / f"packages/tenon-dynamics.{self.version}"
        code = readme_code("csharp", "csharp")
        text = "using System;\nusing Tenon;\nclass Feet {\n  static void Main() {\n" + code + "  }\n}\n"
        (own / "feet.cs").write_text(text)
        compiler = ["mcs", "-langversion:latest", f"-r:{there}/mono/Tenon.dll"]
        mono = {"MONO_PATH": there / "mono"}
        run(*compiler, "-out:feet.exe", "feet.cs", cwd=own)
        same(run("mono", "feet.exe", cwd=own, env=mono), SAYS + "\n", "README")
        timed(begin, "nuget install, mcs, mono")
        for name in self.expected.robots:
            run(*compiler, f"-out:{name}.exe", CLIENTS / f"csharp/examples/{name}.cs", cwd=own)
        self.expected.examples(lambda name, robot: run("mono", f"{name}.exe", robot, cwd=own, env=mono))
        # That for .NET Standard runs on Mono where its facade of it is (Debian's mono-devel).
        if Path("/usr/lib/mono/4.5/Facades/netstandard.dll").exists():
            standard = {"MONO_PATH": there / "lib/netstandard2.1"}
            self.expected.examples(lambda name, robot: run("mono", f"{name}.exe", robot, cwd=own, env=standard))
        else:
            print("lib/netstandard2.1/Tenon.dll was not run: mono-devel is not installed")
        same(run("mono", "feet.exe", cwd=own, env={**mono, **self.system}), SAYS + "\n", "before the system's")
        has(run("mono", "feet.exe", cwd=own, env={**mono, **NOWHERE}, check=False), "TENON_LIBRARY names /nowhere")
        (own / "named.cs").write_text(text.replace("Main() {", 'Main() { Library.Load(Environment.GetCommandLineArgs()[1]);'))
        run(*compiler, "-out:named.exe", "named.cs", cwd=own)
        library = self.expected.tree / "lib/libtenon.so"
        same(run("mono", "named.exe", library, cwd=own, env={**mono, **NOWHERE}), SAYS + "\n", "Library.Load")
        here = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[self.expected.tree.name.rpartition("-")[2]]
        shutil.rmtree(there / "runtimes" / here)
        said = run("mono", "feet.exe", cwd=own, env=mono, check=False)
        has(said, f"there is no library for {here}", "the package brings", "set TENON_LIBRARY")
        same(run("mono", "feet.exe", cwd=own, env={**mono, "TENON_LIBRARY": library}), SAYS + "\n", "TENON_LIBRARY")
        return [package]

    def rock(self):
        package, own = self.package("tenon-dynamics-{version}-1.src.rock"), self.folder
        rocks = ["luarocks", "--lua-version", "5.1", "--tree", own / "tree"]
        begin = time.monotonic()
        print(run(*rocks, "install", package, cwd=own))
        paths = {"LUA_PATH": run(*rocks, "path", "--lr-path", cwd=own).strip()}
        (own / "feet.lua").write_text(readme_code("lua", "lua"))
        same(run("luajit", "feet.lua", cwd=own, env=paths), SAYS + "\n", "README")
        timed(begin, "luarocks install")
        examples = CLIENTS / "lua/examples"
        self.expected.examples(lambda name, robot: run("luajit", examples / f"{name}.lua", robot, cwd=own, env=paths))
        same(run("luajit", "feet.lua", cwd=own, env={**paths, **self.system}), SAYS + "\n", "before the system's")
        has(run("luajit", "feet.lua", cwd=own, env={**paths, **NOWHERE}, check=False), "TENON_LIBRARY names /nowhere")
        library = self.expected.tree / "lib/libtenon.so"
        named = f'require("tenon.library").path = "{library}"\n' + (own / "feet.lua").read_text()
        same(run("luajit", "-e", named, cwd=own, env={**paths, **NOWHERE}), SAYS + "\n", "tenon.library")
        stranger = 'package.loaded.ffi = setmetatable({ arch = "s390x" }, { __index = require("ffi") }) require("tenon")'
        said = run("luajit", "-e", stranger, cwd=own, env=paths, check=False)
        has(said, "there is no library for Linux-s390x", "brings libraries for", "Linux-x64", "set TENON_LIBRARY")
        return [package]

    def go(self):
        package, own = self.package("tenon-go-{version}.tar.gz"), self.folder / "project"
        module = own / f"tenon-go-{self.version}"
        own.mkdir()
        begin = time.monotonic()
        run("tar", "xzf", package, cwd=own)
        try:
            run("go", "list", "./...", cwd=module)
        except Failed as why:
            print(f"NOT RUN: Go is too old, or purego is not to be had: {why}")
            return [package]
        run("go", "mod", "init", "feet", cwd=own)
        (own / "main.go").write_text(readme_code("go", "go"))
        run("go", "mod", "edit", "-require", "tenon@v0.0.0", "-replace", f"tenon=./{module.name}", cwd=own)
        run("go", "mod", "tidy", cwd=own)
        (own / "models").symlink_to(self.expected.models)
        library = {"TENON_LIBRARY": self.expected.tree / "lib/libtenon.so"}
        same(run("go", "run", ".", cwd=own, env=library), SAYS + "\n", "README")
        timed(begin, "tar, go mod tidy, go run")
        for name in self.expected.robots:
            (own / name).mkdir()
            shutil.copy(module / f"examples/{name}/main.go", own / name)
        self.expected.examples(lambda name, robot: run("go", "run", f"./{name}", robot, cwd=own, env=library))
        atlas = "./atlas", self.expected.robots["atlas"]
        has(run("go", "run", *atlas, cwd=own, env=NOWHERE, check=False), "TENON_LIBRARY names /nowhere/libtenon.so")
        has(run("go", "run", *atlas, cwd=own, check=False), "there is no library for linux/", "set TENON_LIBRARY")
        return [package]

    def julia(self):
        """By the Julia of build/julia, which sees this repository alone."""
        package = self.package("tenon-julia-{version}.tar.gz")
        run("tar", "xzf", package, cwd=self.folder)
        if not (ROOT / "build/julia").is_dir():
            print("NOT RUN: there is no Julia in build/julia; packaging/setup.sh heavy puts it there")
            return [package]
        own = self.folder / f"tenon-julia-{self.version}"
        program = [ROOT / "packaging/julia.sh", f"--project={own}"]
        library = {"TENON_LIBRARY": self.expected.tree / "lib/libtenon.so"}
        run(*program, own / "test/runtests.jl", env={**library, "TENON_MODELS": self.expected.models})
        self.expected.examples(lambda name, robot: run(*program, own / f"examples/{name}.jl", robot, env=library))
        return [package]


POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>newcomer</groupId>
  <artifactId>feet</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>tenon</groupId>
      <artifactId>tenon-dynamics</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""


def main(kind, dist, folder):
    dist, folder = Path(dist).resolve(), fresh(Path(folder).resolve() / kind)
    version = re.search(r"^project\(tenon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    try:
        packages = getattr(Packages(dist, folder, version), kind)()
        if packages:
            same_bytes(kind, packages, dist / "stage", folder)
    except Failed as why:
        print(f"error: {why}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
