"""An installed Tenon, or an unpacked archive, is whole, and programs in C and C++ that find it by CMake or by pkg-config are
linked with it and print the same numbers: where it was put first, and again after its folder was moved.

    python3 install_test.py FOLDER --build build/release --form shared
    python3 install_test.py FOLDER --tree tenon-0.1.0-windows-x86_64 --form shared --compilers x86_64-w64-mingw32-gcc \\
        --cmake=-DCMAKE_SYSTEM_NAME=Windows --runner wine64

FOLDER is for what the test makes. --build is installed there (cmake --install); --tree is copied; with neither, the system
has it. Each of --compilers is that of C, or those of C and C++ with a colon between.
"""

import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
HERE = os.path.join(ROOT, "tests/capi/install")
MODELS = os.path.join(ROOT, "models")
ATLAS = os.path.join(MODELS, "atlas.urdf")
SOURCES = {"C": os.path.join(ROOT, "capi/examples/c/atlas.c"), "CXX": os.path.join(ROOT, "capi/clients/cpp/examples/atlas.cpp")}
STANDARDS = {"C": "-std=c99", "CXX": "-std=c++17"}


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)
    if done.returncode:
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def files(folder):
    return {os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names}


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"(?m)^project\(tenon VERSION ([0-9.]+)", file.read()).group(1)


def need(what, found, wanted):
    if wanted - found:
        sys.exit(f"{what}: {', '.join(sorted(wanted - found))} missing")


def check_tree(prefix, with_program, experimental):
    """All is there, and the files that builds read name no folder of the machine."""
    found = files(prefix)
    headers = {os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "include/**/*.h"), recursive=True)}
    if not experimental:
        headers.remove("include/tenonx.h")
    layer = os.path.join(ROOT, "capi/clients/cpp")
    headers |= {"include/" + name for name in files(layer) if name.endswith(".hpp")}
    wanted = headers | {"share/doc/tenon/LICENSE", "share/doc/tenon/THIRD_PARTY.md"}
    if with_program:
        wanted |= {"share/tenon/models/" + name for name in files(MODELS)}
        wanted |= {"share/man/man1/tenon.1", "share/man/man1/tenon_demo.1"}
        programs = {re.sub(r"\.exe$", "", name) for name in found}
        need("bin", programs, {"bin/tenon", "bin/tenon_demo"})
    need(prefix, found, wanted)
    read = [name for name in found if name.endswith((".pc", ".cmake"))]
    need("CMake and pkg-config", {os.path.basename(name) for name in read}, {"tenon.pc", "tenonConfig.cmake", "tenonTargets.cmake"})
    for name in read:
        with open(os.path.join(prefix, name), encoding="utf-8") as file:
            text = file.read()
        for path in (ROOT, prefix):
            if re.search(r"(?<![\w}])" + re.escape(path) + "/", text):
                sys.exit(f"{name} names the folder {path}: it cannot be moved")


def check_components(build, folder, whole):
    """Library, development and program share no file and are together what is installed without a component's name."""
    parts = {}
    for component in ("library", "development", "program"):
        prefix = os.path.join(folder, component)
        shutil.rmtree(prefix, ignore_errors=True)
        run("cmake", "--install", build, "--prefix", prefix, "--component", component)
        parts[component] = files(prefix)
    for name in set.union(*parts.values()) | whole:
        owners = [component for component, part in parts.items() if name in part]
        if len(owners) != 1 or name not in whole:
            sys.exit(f"{name} belongs to {owners or 'no component'}")
    for component, pattern in (("library", r"include/|\.pc$|\.cmake$|\.so$|\.a$|\.lib$|^bin/tenon(_demo)?(\.exe)?$"),
                               ("development", r"^bin/|^share/|\.so\.")):
        wrong = [name for name in parts[component] if re.search(pattern, name)]
        if wrong:
            sys.exit(f"{wrong} should not be in the component {component}")


class Consumer:
    """Builds the programs in one place and compares what they print."""

    def __init__(self, options, prefix, folder):
        self.options, self.prefix, self.folder = options, prefix, folder
        self.environment = dict(os.environ)
        self.libraries = None
        if prefix:
            here = [os.path.dirname(path) for path in glob.glob(os.path.join(prefix, "lib*/**/tenon.pc"), recursive=True)]
            self.environment["PKG_CONFIG_PATH"] = os.pathsep.join(here)
            self.libraries = os.path.dirname(here[0])
        os.makedirs(folder, exist_ok=True)

    def check(self, name, program, search):
        if not os.path.exists(program):
            program += ".exe"
        environment = dict(self.environment)
        if search and self.libraries and self.options.form == "shared":
            environment["LD_LIBRARY_PATH"] = self.libraries
        if self.prefix:
            environment["WINEPATH"] = "Z:" + os.path.join(self.prefix, "bin").replace("/", "\\")
        said = run(*shlex.split(self.options.runner), program, ATLAS, env=environment).replace("\r", "")
        if len(re.findall(r"(?m)^qdd\[\d+\] = [0-9a-f]{16}$", said)) != 36:
            sys.exit(f"{program} printed no 36 accelerations:\n{said}")
        self.options.said.setdefault(said, []).append(name)
        if program.endswith(".exe"):
            return
        linked = "libtenon" in run("readelf", "-d", program)
        if linked != (self.options.form == "shared"):
            sys.exit(f"{program} {'needs' if linked else 'does not need'} libtenon.so, though the installed library is {self.options.form}")

    def by_cmake(self, name, c, cxx, languages):
        build = os.path.join(self.folder, f"cmake_{name}")
        shutil.rmtree(build, ignore_errors=True)
        arguments = [f"-DLANGUAGES={';'.join(languages)}", f"-DEXAMPLES={ROOT}/capi", f"-DVERSION={version()}",
                     f"-DCMAKE_C_COMPILER={c}", "-DCMAKE_BUILD_TYPE=Release", *self.options.cmake]
        if cxx:
            arguments.append(f"-DCMAKE_CXX_COMPILER={cxx}")
        if self.prefix:
            arguments.append(f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", *arguments, env=self.environment)
        run("cmake", "--build", build)
        for language in languages:
            # Where there is no rpath, as for Windows, the folder of the library is told.
            self.check(f"{name}, {language} by CMake", os.path.join(build, f"in_{language.lower()}"), search=False)

    def by_pkg_config(self, name, compiler, language):
        static = ["--static"] if self.options.form == "static" else []
        flags = shlex.split(run("pkg-config", *static, "--cflags", "--libs", "tenon", env=self.environment))
        if run("pkg-config", "--modversion", "tenon", env=self.environment).strip() != version():
            sys.exit("tenon.pc is of another version")
        program = os.path.join(self.folder, f"pkg_config_{name}_{language.lower()}")
        run(compiler, STANDARDS[language], "-O1", SOURCES[language], *flags, "-o", program)
        self.check(f"{name}, {language} by pkg-config", program, search=True)

    def all(self):
        for pair in self.options.compilers:
            c, _, cxx = pair.partition(":")
            name = os.path.basename(c)
            self.by_cmake(name + "_alone", c, "", ["C"])
            self.by_pkg_config(name, c, "C")
            if cxx:
                self.by_cmake(name, c, cxx, ["C", "CXX"])
                self.by_pkg_config(name, cxx, "CXX")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--build")
    parser.add_argument("--tree")
    parser.add_argument("--form", choices=["shared", "static"], required=True)
    parser.add_argument("--compilers", action="append", required=True)
    parser.add_argument("--cmake", action="append", default=[])
    parser.add_argument("--runner", default="")
    parser.add_argument("--without-program", action="store_true")
    parser.add_argument("--without-experimental", action="store_true")
    options = parser.parse_args()
    options.said = {}
    folder = os.path.abspath(options.folder)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    places = [None]
    if options.build or options.tree:
        first, moved = os.path.join(folder, "first"), os.path.join(folder, "moved/elsewhere")
        if options.build:
            run("cmake", "--install", options.build, "--prefix", first)
            check_components(options.build, folder, files(first))
        else:
            shutil.copytree(options.tree, first, symlinks=True)
        check_tree(first, not options.without_program, not options.without_experimental)
        places = [first, moved]
    for place in places:
        if place and not os.path.isdir(place):
            os.makedirs(os.path.dirname(place))
            os.rename(places[0], place)
        Consumer(options, place, os.path.join(folder, f"programs{places.index(place)}")).all()
    if len(options.said) != 1:
        sys.exit(f"the programs print different numbers: {list(options.said.values())}")
    (text, names), = options.said.items()
    with open(os.path.join(folder, "printed.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{len(names)} programs, the same numbers: {'; '.join(names)}")


main()
