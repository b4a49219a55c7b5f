"""Builds and runs the program of one language on its raw layer and compares what it prints with the C program's.

    python3 run.py <language> <libtenon.so> <folder to build in> [C compiler]

"SKIPPED: ..." where a tool or a package of the language is not here. c comes first: its layouts, those of the compiler,
must be those of packaging/api.json, and the others' output its own. Beside the languages: generator (it tells of headers that
do not say enough, and makes the same again), null_and_lengths (packaging/api.json says what the library does), python_package
and python_examples (the layer on numpy), python_wheel and python_extension (what pip installs).
"""

import glob
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
CLIENTS, PACKAGES = os.path.join(ROOT, "capi/clients"), os.path.join(ROOT, "build/clients")
API, INCLUDE = os.path.join(ROOT, "packaging/api.json"), os.path.join(ROOT, "include")
ROBOT = os.path.join(ROOT, "models/atlas.urdf")


class Skipped(Exception):
    pass


def tool(*names):
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Skipped(f"{names[0]} is not installed; run packaging/setup.sh test")


def run(*command, **more):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more.pop("env", {})}
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8", **more
    ).stdout


def jna():
    """The jar that Java's layers stand on."""
    jars = glob.glob(os.path.join(PACKAGES, "java/jna-*.jar"))
    if not jars:
        raise Skipped("JNA is not installed; run packaging/setup.sh test")
    return jars[0]


def koffi():
    """The folder of packages that JavaScript's layers stand on."""
    modules = os.path.join(PACKAGES, "javascript/node_modules")
    if not os.path.isdir(os.path.join(modules, "koffi")):
        raise Skipped("koffi is not installed; run packaging/setup.sh test")
    return modules


def layouts(kind):
    return run(sys.executable, os.path.join(ROOT, "packaging/api/layouts.py"), API, kind)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def written(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Languages:
    def __init__(self, library, folder, compiler):
        self.library, self.folder, self.compiler = os.path.abspath(library), os.path.abspath(folder), compiler
        self.library_folder = os.path.dirname(self.library)

    def built(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def parser():
        """The Python that has libclang and tree-sitter."""
        return tool(os.path.join(ROOT, "build/api/bin/python3"))

    def generator(self):
        """What it makes elsewhere is what is here; a function that does not tell how long its array is, is refused."""
        describe, declare = (os.path.join(ROOT, "packaging/api", name) for name in ("describe.py", "declare.py"))
        include, api, made = self.built("include"), self.built("api.json"), self.built("made")
        shutil.rmtree(made, ignore_errors=True)
        run(self.parser(), describe, INCLUDE, api)
        paths = run(sys.executable, declare, api, made).split()
        pairs = [(api, API), *((path, os.path.join(CLIENTS, os.path.relpath(path, made))) for path in paths)]
        different = [here for there, here in pairs if read(there) != read(here)]
        if different or len(pairs) < 10:
            sys.exit(f"of {len(pairs)} files these were not made anew: {different}")
        shutil.copytree(INCLUDE, include, dirs_exist_ok=True)
        header = os.path.join(include, "tenon/names.h")
        version = "TENON_API int32_t tenon_version(void);"
        untold = "/* Writes numbers.\n *\n * Since: 0.1. */\nTENON_API tenon_status tenon_untold(const double *numbers, size_t more);"
        written(header, read(header).replace(version, f"{version}\n\n{untold}", 1))
        said = subprocess.run([self.parser(), describe, include, api], stderr=subprocess.PIPE, text=True, check=False)
        if said.returncode != 1 or said.stderr.count("\n") != 1 or "tenon_untold" not in said.stderr:
            sys.exit(f"a length that is not told was not seen: {said.returncode}, {said.stderr}")

    def null_and_lengths(self):
        print(
            run(
                sys.executable,
                os.path.join(HERE, "../header/described_test.py"),
                self.library,
                INCLUDE,
                os.path.join(ROOT, "models"),
                API,
            )
        )

    def julia(self):
        """There is no Julia to run: its text is checked."""
        print(
            run(self.parser(), os.path.join(HERE, "julia/check_raw.py"), os.path.join(CLIENTS, "julia/src/raw.jl"), API)
        )

    def c(self):
        source = written(self.built("layouts.c"), layouts("c"))
        run(
            self.compiler,
            "-std=c99",
            "-I" + INCLUDE,
            source,
            os.path.join(HERE, "c/raw.c"),
            self.library,
            "-Wl,-rpath," + self.library_folder,
            "-o",
            self.built("raw"),
        )
        said = run(self.built("raw"), ROBOT)
        expected = layouts("text")
        if not said.startswith(expected):
            sys.exit(f"the compiler's layouts are not those of packaging/api.json:\n{expected}\nbut\n{said}")
        return said

    def python(self):
        return run(
            sys.executable,
            os.path.join(HERE, "python/raw.py"),
            os.path.join(CLIENTS, "python/tenon"),
            self.library,
            ROBOT,
        )

    def package(self):
        """A Python with numpy and pytest, and what it needs to find the package tenon."""
        python = tool(os.path.join(PACKAGES, "python/bin/python3"))
        environment = {"TENON_LIBRARY": self.library, "PYTHONPATH": os.path.join(CLIENTS, "python")}
        return python, {**environment, "TENON_TEST_CALLS": "ctypes"}  # there is no extension module in a checkout

    def python_package(self):
        python, environment = self.package()
        tests = os.path.join(HERE, "python")
        said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, env=environment)
        print(said)
        if " passed" not in said:
            sys.exit("no test was run")

    def wheel(self, kind):
        if sys.version_info < (3, 11) or not sys.platform.startswith("linux"):
            raise Skipped("wheels are made by Python 3.11 and later, and this test knows those of Linux")
        program = os.path.join(HERE, "python_wheel/wheel_test.py")
        try:
            print(run(sys.executable, program, self.package()[0], self.library, self.folder, kind, stderr=subprocess.STDOUT))
        except subprocess.CalledProcessError as error:
            if "SKIPPED: " in error.stdout:
                raise Skipped(error.stdout.rpartition("SKIPPED: ")[2].strip()) from None
            raise

    def python_wheel(self):
        """A wheel without the extension module: all that is in it, and what is refused."""
        self.wheel("ctypes")

    def python_extension(self):
        """A wheel with it: the tests of the package on what was installed."""
        self.wheel("extension")

    def python_examples(self):
        """What they print has the numbers that it should; atlas.py prints what the C program does, bit for bit."""
        python, environment = self.package()
        folder = os.path.join(CLIENTS, "python/examples")

        def said(name, robot, *more):
            model = os.path.join(ROOT, "models", robot + ".urdf")
            return run(python, os.path.join(folder, name), model, *more, env=environment)

        pictures = self.built("pictures")
        for name, robot, wanted, *more in (
            ("load_and_print.py", "iiwa14", "the last link is at"),
            ("thousand_states.py", "atlas", "agrees with a single call: True"),
            ("trot.py", "go1", "of where they touched: True"),
            ("identification.py", "iiwa14", "by the chart 0; torques within the noise: True", pictures),
            ("unknown_load.py", "iiwa14", "found what it carries: True", pictures),
        ):
            if wanted not in said(name, robot, *more):
                sys.exit(f"{name} did not say '{wanted}'")
        for name in ("identification_torque", "identification_error", "unknown_load_motion", "unknown_load_error"):
            xml.etree.ElementTree.parse(os.path.join(pictures, f"{name}.svg"))
        here = said("atlas.py", "atlas")
        there = run(sys.executable, os.path.join(ROOT, "capi/examples/python/atlas.py"), self.library, ROBOT)
        if here != there or len(here.splitlines()) != 37:
            sys.exit(f"atlas.py said\n{here}\nand the plain ctypes client\n{there}")

    def lua(self):
        return run(
            tool("luajit"),
            os.path.join(HERE, "lua/raw.lua"),
            os.path.join(CLIENTS, "lua/tenon/raw.lua"),
            self.library,
            ROBOT,
        )

    def javascript(self):
        node, modules = tool("node", "nodejs"), koffi()
        compiler = os.path.join(modules, "typescript/bin/tsc")
        if os.path.exists(compiler):  # the types, and a program that uses them
            run(
                node,
                compiler,
                "--noEmit",
                "--strict",
                "--skipLibCheck",
                "--target",
                "es2020",
                "--module",
                "commonjs",
                os.path.join(HERE, "javascript/types.ts"),
            )
        return run(
            node,
            os.path.join(HERE, "javascript/raw.js"),
            os.path.join(CLIENTS, "javascript"),
            self.library,
            ROBOT,
            env={"NODE_PATH": modules},
        )

    def rust(self):
        cargo = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
        generated = written(self.built("layouts.rs"), layouts("rust"))
        run(
            cargo,
            "build",
            "--quiet",
            "--locked",
            "--offline",
            "--manifest-path",
            os.path.join(HERE, "rust/Cargo.toml"),
            env={"TENON_LIB_DIR": self.library_folder, "TENON_LAYOUTS": generated, "CARGO_TARGET_DIR": self.folder},
        )
        return run(self.built("debug/raw"), ROBOT, env={"LD_LIBRARY_PATH": self.library_folder})

    def go(self):
        go, source = tool("go"), os.path.join(HERE, "go")
        offline = {"GOPROXY": "off", "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_ENABLED": "0"}
        try:
            run(go, "list", "-deps", ".", cwd=source, env=offline, stderr=subprocess.DEVNULL)
        except subprocess.CalledProcessError:
            raise Skipped(
                "the Go module purego is not here, or go is too old for it; run packaging/setup.sh test"
            ) from None
        run(go, "vet", "./...", cwd=os.path.join(CLIENTS, "go"), env=offline)
        run(go, "build", "-o", self.built("raw"), ".", cwd=source, env=offline)
        names = "\n".join(line.split()[0] for line in layouts("text").splitlines())
        return run(self.built("raw"), self.library, ROBOT, input=names + "\n")

    def java(self):
        javac, java, jar = tool("javac"), tool("java"), jna()
        sources = (
            os.path.join(CLIENTS, "java/src/main/java/tenon/raw/Tenon.java"),
            os.path.join(HERE, "java/Raw.java"),
        )
        run(javac, "-Xlint:all", "-Werror", "-cp", jar, "-d", self.folder, *sources)
        return run(java, "-cp", jar + os.pathsep + self.folder, "Raw", self.library, ROBOT)

    def csharp(self):
        compiler, mono = tool("mcs"), tool("mono")
        sources = (os.path.join(CLIENTS, "csharp/Tenon.Raw/Tenon.cs"), os.path.join(HERE, "csharp/Raw.cs"))
        run(compiler, "-unsafe", "-warnaserror", "-nowarn:649,169", "-out:" + self.built("Raw.exe"), *sources)
        return run(mono, self.built("Raw.exe"), ROBOT, env={"LD_LIBRARY_PATH": self.library_folder})

    def fortran(self):
        compiler = tool("gfortran")
        generated = written(self.built("layouts.f90"), layouts("fortran"))
        run(
            compiler,
            "-std=f2018",
            "-Wall",
            "-Werror",
            "-ffree-line-length-none",
            "-Wno-c-binding-type",
            "-Wno-unused-dummy-argument",
            "-J" + self.folder,
            os.path.join(CLIENTS, "fortran/tenon_raw.f90"),
            generated,
            os.path.join(HERE, "fortran/raw.f90"),
            self.library,
            "-Wl,-rpath," + self.library_folder,
            "-o",
            self.built("raw"),
        )
        return run(self.built("raw"), ROBOT)


def main(language, library, folder, compiler="cc"):
    expected = os.path.join(folder, "c.txt")
    own = os.path.join(folder, language)
    os.makedirs(own, exist_ok=True)
    try:
        if not os.path.exists(API):
            raise Skipped("packaging/api/generate.sh could not make the declarations: there is no libclang")
        said = getattr(Languages(library, own, compiler), language)()
    except Skipped as reason:
        print(f"SKIPPED: {reason}")
        return 0
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}; it said:\n{error.stdout}")
        return 1
    if said is None:
        return 0
    if language == "c":
        written(expected, said)
        print(said)
        return 0
    with open(expected, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    lines = said.splitlines()
    differing = [(a, b) for a, b in zip(wanted, lines) if a != b]
    for a, b in differing:
        print(f"C:    {a}\nhere: {b}")
    print(f"{len(lines)} lines of {len(wanted)}, {len(differing)} of them different")
    return 1 if differing or len(lines) != len(wanted) or len(lines) < 60 else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
