"""Tests the layer of one language in that language's manner, then runs its three examples.

    python3 layers.py <language> <libtenon.so> <folder to build in> <C compiler> <C++ compiler>

"SKIPPED: ..." where a tool or a package of the language is not here. Julia is read where it cannot be run. The examples
print the same everywhere: atlas what the C program capi/examples/c/atlas.c prints, bit for bit; the others what those
of C++ do, which therefore comes first.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from run import API, CLIENTS, HERE, INCLUDE, ROOT, Skipped, jna, koffi, run, tool, written

MODELS = os.path.join(ROOT, "models")
EXAMPLES = (("load_and_print", "iiwa14", 20), ("atlas", "atlas", 37), ("thousand_states", "atlas", 4))


class Layers:
    """Each method builds and tests, and returns what runs an example: of its name, the command and its environment."""

    def __init__(self, library, folder, c, cpp):
        self.library, self.folder, self.c_compiler, self.cpp_compiler = os.path.abspath(library), folder, c, cpp
        self.library_folder = os.path.dirname(self.library)

    def built(self, name):
        return os.path.join(self.folder, name)

    def tested(self, said, pattern, least):
        """The tests were run, and as many as there should be."""
        print(said)
        found = re.search(pattern, said)
        if not found or int(found.group(1)) < least:
            sys.exit(f"not {least} tests were run")

    def cpp(self):
        flags = "-std=c++17 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -pthread".split()
        flags += ["-I" + INCLUDE, "-I" + os.path.join(CLIENTS, "cpp")]
        link = [self.library, "-Wl,-rpath," + self.library_folder]
        eigen = ["-DWITH_EIGEN", "-isystem", "/usr/include/eigen3"] if os.path.isdir("/usr/include/eigen3") else []
        compilers = {self.cpp_compiler} | {shutil.which(name) for name in ("g++", "clang++", "clang++-14")} - {None}
        compilers = {os.path.realpath(path): path for path in compilers}
        for number, compiler in enumerate(sorted(compilers.values())):
            program, source = self.built(f"test{number}"), os.path.join(HERE, "cpp/tenon_test.cpp")
            run(compiler, source, *flags, *(eigen if number == 0 else []), *link, "-o", program)
            self.tested(run(program, MODELS), r"(\d+) checks, 0 failed", 80)
            for name, _, _ in EXAMPLES:  # one compiler builds them; the others look for what they would warn of
                example = os.path.join(CLIENTS, "cpp/examples", name + ".cpp")
                run(compiler, example, *flags, *(["-fsyntax-only"] if number else [*link, "-o", self.built(name)]))
        return lambda name: ([self.built(name)], {})

    def rust(self):
        cargo = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
        crate = ["--offline", "--locked", "--manifest-path", os.path.join(CLIENTS, "rust/tenon/Cargo.toml")]
        environment = {"TENON_LIB_DIR": self.library_folder, "CARGO_TARGET_DIR": self.folder, "RUSTFLAGS": "-D warnings"}
        said = run(cargo, "test", *crate, env=environment, stderr=subprocess.STDOUT)
        self.tested(said, r"Running tests[^$]*?(\d+) passed; 0 failed", 5)
        run(cargo, "build", "--quiet", "--examples", *crate, env=environment)
        strict = {**environment, "RUSTDOCFLAGS": "-D warnings"}
        run(cargo, "doc", "--quiet", "--no-deps", *crate, env=strict, stderr=subprocess.STDOUT)
        return lambda name: ([self.built("debug/examples/" + name)], {})

    def javascript(self):
        node, modules = tool("node", "nodejs"), koffi()
        client, tests = os.path.join(CLIENTS, "javascript"), os.path.join(HERE, "javascript")
        types = os.path.join(modules, "typescript/bin/tsc")
        if os.path.exists(types):
            strict = "--noEmit --strict --skipLibCheck --target es2020 --module commonjs".split()
            run(node, types, *strict, os.path.join(tests, "layer.ts"))
        environment = {"NODE_PATH": modules, "TENON_LIBRARY": self.library}
        more = {**environment, "TENON_CLIENT": client, "TENON_MODELS": MODELS}
        said = run(node, "--expose-gc", "--test", os.path.join(tests, "tenon.test.js"), env=more)
        self.tested(said, r"pass (\d+)\n\S+ fail 0", 5)
        return lambda name: ([node, os.path.join(client, "examples", name + ".js")], environment)

    def fortran(self):
        compiler, client = tool("gfortran"), os.path.join(CLIENTS, "fortran")
        flags = "-std=f2018 -O1 -fcheck=bounds,mem,pointer -Wall -Werror -ffree-line-length-none".split()
        flags += ["-Wno-c-binding-type", "-Wno-unused-dummy-argument", "-J" + self.folder, "-I" + self.folder]
        modules = ["_raw", "_objects", "_models", "_sets", "_workspaces", "_batches", ""]
        objects = [self.built(f"tenon{name}.o") for name in modules]
        for name, made in zip(modules, objects):
            run(compiler, *flags, "-c", os.path.join(client, f"tenon{name}.f90"), "-o", made)
        programs = [(name, os.path.join(client, "examples", name + ".f90")) for name, _, _ in EXAMPLES]
        for name, source in [("layer", os.path.join(HERE, "fortran/layer.f90")), *programs]:
            linked = [*objects, self.library, "-Wl,-rpath," + self.library_folder]
            run(compiler, *flags, source, *linked, "-o", self.built(name))
        self.tested(run(self.built("layer"), MODELS), r"(\d+) checks, 0 failed", 90)
        return lambda name: ([self.built(name)], {})

    def go(self):
        go, source = tool("go"), os.path.join(CLIENTS, "go")
        environment = {"GOPROXY": "off", "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_ENABLED": "0"}
        environment["TENON_LIBRARY"] = self.library
        try:
            run(go, "list", "-deps", "./...", cwd=source, env=environment, stderr=subprocess.DEVNULL)
        except subprocess.CalledProcessError:
            raise Skipped("purego is not here, or go is too old for it; run packaging/setup.sh test") from None
        for system in "linux", "windows", "darwin":
            run(go, "vet", "./...", cwd=source, env={**environment, "GOOS": system})
        said = run(go, "test", "-count=1", "-v", ".", cwd=source, env=environment)
        self.tested(f"{said}{said.count('--- PASS')} passed", r"(\d+) passed", 5)
        run(go, "build", "-o", self.folder + os.sep, "./examples/...", cwd=source, env=environment)
        # No library, and one of another version: errors that name it.
        other = self.built("other.so")
        run(self.c_compiler, "-shared", "-x", "c", os.devnull, "-o", other)
        for library, why in (self.built("nowhere.so"), "cannot be loaded"), (other, "of another version than this package"):
            program = [self.built("atlas"), os.path.join(MODELS, "atlas.urdf")]
            named = {**os.environ, "TENON_LIBRARY": library}
            done = subprocess.run(program, env=named, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 1 or library not in done.stderr or why not in done.stderr or "panic" in done.stderr:
                sys.exit(f"with {library} it says: {done.stderr}")
        return lambda name: ([self.built(name)], environment)

    def java(self):
        javac, java, jar = tool("javac"), tool("java"), jna()
        client = os.path.join(CLIENTS, "java")
        sources = [os.path.join(HERE, "java/LayerTest.java")]
        for folder in ("src/main/java/**", "examples"):
            sources += glob.glob(os.path.join(client, folder, "*.java"), recursive=True)
        run(javac, "-Xlint:all", "-Werror", "--release", "17", "-cp", jar, "-d", self.folder, *sources)
        program = [java, "-cp", jar + os.pathsep + self.folder]
        environment = {"TENON_LIBRARY": self.library}
        said = run(*program, "LayerTest", MODELS, env=environment)
        self.tested(said, r"(\d+) checks, 0 failed", 50)
        return lambda name: ([*program, name], environment)

    def csharp(self):
        compiler, mono, client = tool("mcs"), tool("mono"), os.path.join(CLIENTS, "csharp")
        flags = ["-langversion:latest", "-warnaserror", "-nowarn:649,169", "-unsafe"]
        sources = [os.path.join(client, "Tenon.Raw/Tenon.cs"), *glob.glob(os.path.join(client, "Tenon/*.cs"))]
        test, own = os.path.join(HERE, "csharp/Layer.cs"), ["-r:" + self.built("Tenon.dll")]
        run(compiler, *flags, "-target:library", "-out:" + self.built("Tenon.dll"), *sources)
        for name, source in [("Layer", test)] + [
            (name, os.path.join(client, "examples", name + ".cs")) for name, _, _ in EXAMPLES
        ]:
            run(compiler, *flags[:2], *own, "-out:" + self.built(name + ".exe"), source)
        # With what .NET alone has, the library that TENON_LIBRARY names is asked for in its way.
        there = self.built("there.exe")
        stub = os.path.join(HERE, "csharp/NativeLibrary.cs")
        run(compiler, *flags, "-out:" + there, *sources, stub, test)
        environment = {"LD_LIBRARY_PATH": self.library_folder}
        said = run(mono, there, MODELS, env={**environment, "TENON_LIBRARY": "libtenon.so"})
        if not said.startswith("resolver: 1\n"):
            sys.exit(f"TENON_LIBRARY is not heeded:\n{said}")
        self.csharp_package(os.path.join(client, "Tenon"))
        self.tested(run(mono, self.built("Layer.exe"), MODELS, env=environment), r"(\d+) checks, 0 failed", 140)
        named = {"TENON_LIBRARY": self.library}
        return lambda name: ([mono, self.built(name + ".exe")], named)

    @staticmethod
    def csharp_package(folder):
        """There is no .NET to pack it: its recipe names files that are there, of the version that is here."""
        project = ElementTree.parse(os.path.join(folder, "Tenon.csproj")).getroot()
        recipe = ElementTree.parse(os.path.join(folder, project.findtext(".//NuspecFile"))).getroot()
        with open(API, encoding="utf-8") as described:
            version = json.load(described)["version"]
        files = [item.get("Include") for item in project.iter("Compile")]
        packed = [item.get("src") for item in recipe.iter(recipe.tag[: recipe.tag.find("}") + 1] + "file")]
        frameworks = project.findtext(".//TargetFrameworks").split(";")
        binaries = [f"bin/$configuration$/{framework}/Tenon.dll" for framework in frameworks]
        files += [path for path in packed if path not in binaries and "$" not in path]
        missing = [path for path in files if not os.path.exists(os.path.join(folder, path))]
        missing += sorted(set(binaries) - set(packed))
        if missing or len(files) < 2 or project.findtext(".//Version") != version:
            sys.exit(f"the package of C#: {missing} missing, or its version is not {version}")

    def lua(self):
        luajit, client = tool("luajit"), os.path.join(CLIENTS, "lua")
        path = ";".join(os.path.join(client, pattern) for pattern in ("?.lua", "?/init.lua"))
        environment = {"LUA_PATH": path, "TENON_LIBRARY": self.library}
        said = run(luajit, os.path.join(HERE, "lua/layer.lua"), MODELS, env=environment)
        self.tested(said, r"(\d+) checks, 0 failed", 130)
        return lambda name: ([luajit, os.path.join(client, "examples", name + ".lua")], environment)

    def octave(self):
        octave, make, client = tool("octave-cli"), tool("mkoctfile"), os.path.join(CLIENTS, "octave")
        environment = {"CFLAGS": "-O1 -Wall -Wextra -Werror", "HOME": self.folder}
        linked = ["-L" + self.library_folder, "-ltenon", "-Wl,-rpath," + self.library_folder]
        sources = sorted(glob.glob(os.path.join(client, "*.c")))
        mex = self.built("tenon_mex.mex")
        run(make, "--mex", "-I" + INCLUDE, *sources, *linked, "-o", mex, env=environment, cwd=self.folder)
        program = [octave, "--norc", "--quiet", "-p", self.folder, "-p", client]
        said = run(*program, os.path.join(HERE, "octave/layer.m"), MODELS, env=environment)
        self.tested(said, r"(\d+) checks, 0 failed", 90)
        return lambda name: ([*program, os.path.join(client, "examples", name + ".m")], environment)

    def julia(self):
        """Its text is checked; it is run where packaging/setup.sh could install Julia."""
        check, parser = os.path.join(HERE, "julia/check_layer.py"), os.path.join(ROOT, "build/api/bin/python3")
        client, program = os.path.join(CLIENTS, "julia"), os.path.join(ROOT, "packaging/julia.sh")
        said = run(tool(parser), check, client, API, self.library)
        self.tested(said, r"(\d+) calls of the library", 70)
        if not os.path.isdir(os.path.join(ROOT, "build/julia")):
            print("read and not run: there is no Julia in build/julia")
            return None
        environment = {"TENON_LIBRARY": self.library, "TENON_MODELS": MODELS}
        said = run(program, "--project=" + client, os.path.join(client, "test/runtests.jl"), env=environment)
        passed = sum(int(count) for count in re.findall(r"\|\s+(\d+)\s+\1$", said, flags=re.M))
        self.tested(f"{passed} checks passed", r"(\d+) checks", 38)
        return lambda name: ([program, "--project=" + client, os.path.join(client, "examples", name + ".jl")], environment)

    def c_atlas(self):
        source = os.path.join(ROOT, "capi/examples/c/atlas.c")
        options = "-I" + INCLUDE, "-Wl,-rpath," + self.library_folder
        run(self.c_compiler, "-std=c99", source, self.library, *options, "-o", self.built("c_atlas"))
        return run(self.built("c_atlas"), os.path.join(MODELS, "atlas.urdf"))


def readable(text):
    """Zero has one sign where it is rounded for reading."""
    return re.sub(r"-(0\.0+)(?![0-9])", r"\1", text)


def main(language, library, folder, c, cpp):
    folder = os.path.abspath(folder)
    own = os.path.join(folder, "layer_" + language)
    os.makedirs(own, exist_ok=True)
    layers = Layers(library, own, c, cpp)
    try:
        example = getattr(layers, language)()
        for name, robot, lines in EXAMPLES if example else ():
            command, environment = example(name)
            said = readable(run(*command, os.path.join(MODELS, robot + ".urdf"), env=environment))
            expected = os.path.join(folder, f"layer_{name}.txt")
            if language == "cpp":
                written(expected, layers.c_atlas() if name == "atlas" else said)
            with open(expected, encoding="utf-8") as file:
                wanted = file.read()
            if said != wanted or len(said.splitlines()) < lines or " false" in said:
                print(f"{name} said\n{said}\nand not\n{wanted}")
                return 1
            print(f"{name}: as expected, {len(said.splitlines())} lines")
    except Skipped as reason:
        print(f"SKIPPED: {reason}")
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}; it said:\n{error.stdout}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
