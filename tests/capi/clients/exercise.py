"""The calls of packaging/api/languages/exercise.py by the layer of a language: what its program prints is what that of C does.

    python3 exercise.py <language> <libtenon.so> <folder to build in> <C compiler> <C++ compiler>

C comes first. TENON_PRELOADED in the environment: the runtime of the address sanitizer that the library was built with,
which programs load before it. Virtual machines have signals of their own for memory that is not there.
TENON_BUILT_PROGRAMS: the folder in which another build compiled the programs, which this library runs as they are.
"""

import glob
import importlib
import json
import os
import re
import subprocess
import sys

from run import API, CLIENTS, HERE, INCLUDE, PACKAGES, ROOT, Skipped, jna, koffi, read, run, tool, written

sys.path.insert(0, os.path.join(ROOT, "packaging/api"))

from languages import exercise, exercise_objects  # noqa: E402

# Makes a program as a crate beside the layer's.
CARGO = """[package]
name = "exercise"
version = "0.0.0"
edition = "2021"
publish = false

[dependencies]
tenon-dynamics = {{ path = "{}" }}

[workspace]
"""
# As a module.
GO = """module exercise

go 1.25.0

require tenon v0.0.0

require github.com/ebitengine/purego {} // indirect

replace tenon => {}
"""
PRELOADED = os.environ.pop("TENON_PRELOADED", "")
BUILT = os.environ.pop("TENON_BUILT_PROGRAMS", "")
SANITIZER = "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:allow_user_segv_handler=1"
CAVEATS = {"max_iterations", "infeasible", "rank_deficient"}


class Programs:
    """Each method builds and runs the program of a language, which exercise_<language>.py of packaging/api/languages writes; what
    it cannot say is LACKS there, or lacks(api)."""

    LACKS = dict.fromkeys(("csharp", "java", "javascript"), exercise_objects.LACKS)

    def __init__(self, language, api, library, folder, c, cpp):
        self.template = importlib.import_module("languages.exercise_" + language)
        self.text = self.template.Program(api).text()
        self.api, self.library, self.c_compiler, self.cpp_compiler = api, os.path.abspath(library), c, cpp
        self.folder, self.library_folder = folder, os.path.dirname(self.library)

    def built(self, name):
        return os.path.join(self.folder, name)

    def source(self, name):
        path = self.built(name)
        if not BUILT:
            return written(path, self.text)
        if not os.path.exists(path) or read(path) != self.text:
            sys.exit(f"{path} is not the program of today: run its test first")
        return path

    @staticmethod
    def compile(*command, **more):
        if not BUILT:
            run(*command, **more)

    def ran(self, *command, **environment):
        """What a program prints that loads the library."""
        more = {"LD_PRELOAD": PRELOADED, "ASAN_OPTIONS": SANITIZER} if PRELOADED else {}
        return run(*command, cwd=ROOT, env={**environment, **more})

    def linked(self):
        """Options of a linker; what is missing in a sanitized library its runtime has. LD_LIBRARY_PATH comes first."""
        more = ["-Wl,--allow-shlib-undefined"] if PRELOADED else []
        return ["-Wl,-rpath," + self.library_folder, "-Wl,--enable-new-dtags", *more]

    def ran_linked(self, program):
        """What a program prints that was linked to the library, or to that of another build."""
        folder = {"LD_LIBRARY_PATH": self.library_folder}
        if f"=> {self.library_folder}/" not in run("ldd", program, env=folder):
            sys.exit(f"{program} does not load {self.library}")
        return self.ran(program, **folder)

    def c(self):
        source = self.source("exercise.c")
        flags = "-std=c99 -O0 -ffp-contract=off -Wall -Wextra -Werror".split()
        flags += ["-I" + INCLUDE, *self.linked()]
        self.compile(self.c_compiler, *flags, source, self.library, "-o", self.built("exercise"))
        said = self.ran_linked(self.built("exercise"))
        lines = {line.split(" ", 1)[0]: line for line in said.splitlines()}
        for step in exercise.calls(self.api)[0]:
            status = lines[str(step.number)].split(" ")[2]
            if step.method.status and not step.why and status not in {"ok", *CAVEATS}:
                sys.exit(f"a good call failed: {lines[str(step.number)]}")
            if step.why and status in {"ok", *CAVEATS}:
                sys.exit(f"a bad call did not fail: {lines[str(step.number)]} ({step.why})")
        return said

    def csharp(self):
        compiler, mono, client = tool("mcs"), tool("mono"), os.path.join(CLIENTS, "csharp")
        flags = ["-langversion:latest", "-warnaserror", "-nowarn:649,169,162,219", "-unsafe"]
        sources = [os.path.join(client, "Tenon.Raw/Tenon.cs"), *glob.glob(os.path.join(client, "Tenon/*.cs"))]
        sources.append(self.source("Exercise.cs"))
        self.compile(compiler, *flags, "-out:" + self.built("Exercise.exe"), *sources)
        return self.ran(mono, self.built("Exercise.exe"), TENON_LIBRARY=self.library)

    def java(self):
        javac, java, jar = tool("javac"), tool("java"), jna()
        sources = glob.glob(os.path.join(CLIENTS, "java/src/main/java/**/*.java"), recursive=True)
        sources.append(self.source("Exercise.java"))
        self.compile(javac, "--release", "17", "-cp", jar, "-d", self.folder, *sources)
        return self.ran(java, "-cp", jar + os.pathsep + self.folder, "Exercise", TENON_LIBRARY=self.library)

    def javascript(self):
        node, modules = tool("node", "nodejs"), koffi()
        source = self.source("exercise.js")
        client = os.path.join(CLIENTS, "javascript")
        return self.ran(node, source, NODE_PATH=modules, TENON_LIBRARY=self.library, TENON_CLIENT=client)

    def go(self):
        go, client = tool("go"), os.path.join(CLIENTS, "go")
        environment = {"GOPROXY": "off", "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_ENABLED": "0"}
        try:
            run(go, "list", "-deps", "./...", cwd=client, env=environment, stderr=subprocess.DEVNULL)
        except subprocess.CalledProcessError:
            raise Skipped("purego is not here, or go is too old for it; run packaging/setup.sh test") from None
        purego = re.search(r"purego (v\S+)", read(os.path.join(client, "go.mod")))[1]
        written(self.built("go.mod"), GO.format(purego, client))
        written(self.built("go.sum"), read(os.path.join(client, "go.sum")))
        self.source("main.go")
        flags = "-gcflags=-N -l"  # not optimised, by which it compiles in little more than half the time
        self.compile(go, "build", flags, "-o", "exercise", ".", cwd=self.folder, env=environment, stderr=subprocess.STDOUT)
        return self.ran(self.built("exercise"), TENON_LIBRARY=self.library)

    def rust(self):
        cargo, crate = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo")), os.path.join(CLIENTS, "rust/tenon")
        os.makedirs(self.built("src"), exist_ok=True)
        self.source("src/main.rs")
        manifest = written(self.built("Cargo.toml"), CARGO.format(crate))
        environment = {"TENON_LIB_DIR": self.library_folder, "CARGO_TARGET_DIR": self.folder}
        environment.update(CARGO_PROFILE_DEV_DEBUG="0", CARGO_INCREMENTAL="0")  # it is compiled once, for no debugger
        environment["RUSTFLAGS"] = " ".join("-Clink-arg=" + flag for flag in self.linked())
        self.compile(cargo, "build", "--quiet", "--offline", "--manifest-path", manifest, env=environment, stderr=subprocess.STDOUT)
        return self.ran_linked(self.built("debug/exercise"))

    def cpp(self):
        source = self.source("exercise.cpp")
        flags = "-std=c++17 -O0 -ffp-contract=off -Wall -Wextra -Werror -pthread".split()
        flags += ["-I" + INCLUDE, "-I" + os.path.join(CLIENTS, "cpp"), *self.linked()]
        self.compile(self.cpp_compiler, *flags, source, self.library, "-o", self.built("exercise"))
        return self.ran_linked(self.built("exercise"))

    def julia(self):
        """Where packaging/setup.sh could install it."""
        if not os.path.isdir(os.path.join(ROOT, "build/julia")):
            raise Skipped("there is no Julia in build/julia")
        client, source = os.path.join(CLIENTS, "julia"), written(self.built("exercise.jl"), self.text)
        options = "--project=" + client, "--compile=min", "-O0"
        return run(os.path.join(ROOT, "packaging/julia.sh"), *options, source, cwd=ROOT, env={"TENON_LIBRARY": self.library})

    def python(self):
        python = tool(os.path.join(PACKAGES, "python/bin/python3"))
        source = self.source("exercise_layer.py")
        return self.ran(python, source, TENON_LIBRARY=self.library, PYTHONPATH=os.path.join(CLIENTS, "python"))


def compared(wanted, said, steps):
    """How many lines differ; shows the first ones."""
    why = {str(step.number): step.why for step in steps}
    differing = [(a, b) for a, b in zip(wanted, said) if a != b]
    for a, b in differing[:20]:
        print(f"C:    {a}    ({why.get(a.split(' ', 1)[0])})\nhere: {b}")
    print(f"{len(said)} lines of {len(wanted)}, {len(differing)} of them different")
    return len(differing) + abs(len(wanted) - len(said))


def main(language, library, folder, c, cpp):
    folder = os.path.abspath(folder)
    own = os.path.join(os.path.abspath(BUILT) if BUILT else folder, "exercise_" + language)
    os.makedirs(own, exist_ok=True)
    try:
        if not os.path.exists(API):
            raise Skipped("packaging/api/generate.sh could not make the declarations: there is no libclang")
        api = json.loads(read(API))
        programs = Programs(language, api, library, own, c, cpp)
        said = getattr(programs, language)()
        expected = os.path.join(folder, "exercise.txt")
        if language == "c":
            written(expected, said)
        steps, template = exercise.calls(api)[0], programs.template
        lacks = template.lacks(api) if hasattr(template, "lacks") else getattr(template, "LACKS", Programs.LACKS.get(language, ()))
        wanted = exercise.comparable(read(expected), steps, lacks)
        said = exercise.comparable(said, steps, lacks)
        return 1 if compared(wanted, said, steps) or len(said) < 1500 else 0
    except Skipped as reason:
        print(f"SKIPPED: {reason}")
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}; it said:\n{error.stdout[-4000:]}")
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
