"""Runs blocks of code of the site, language by language: what a few lines lack of a whole program is put around them."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
CLIENTS, PACKAGES = os.path.join(ROOT, "capi/clients"), os.path.join(ROOT, "build/clients")
INCLUDE = os.path.join(ROOT, "include")

# Languages whose blocks are run.
RUN = "c", "cpp", "csharp", "fortran", "go", "java", "javascript", "lua", "octave", "python", "rust", "sh"

# Runs the blocks of a page one after the other, as a reader types them, and prints what each printed.
SEQUENCE = """
import contextlib, io, json, sys
said, names = [], {"__name__": "__main__"}
for block in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "<block>", "exec"), names)
    said.append(out.getvalue())
json.dump(said, sys.stdout)
"""


class Skipped(Exception):
    pass


class Failed(Exception):
    pass


def tool(*names):
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Skipped(f"{names[0]} is not installed; run packaging/setup.sh test")


def run(*command, folder, environment=None, text=None):
    """What a program prints; where it fails, what it says."""
    # A compiler of Rust or Go may have much to say of its own: only standard output is looked at.
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})}, input=text,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip
    if done.returncode:
        raise Failed(f"{os.path.basename(command[0])} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def written(text, *path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def hoisted(text, pattern):
    """(lines that begin so, the others)."""
    lines = text.split("\n")
    return [line for line in lines if re.match(pattern, line)], [line for line in lines if not re.match(pattern, line)]


class Languages:
    """Each method takes the blocks of one page and its preludes, and returns what each block printed."""

    def __init__(self, library, program, folder, c, cpp):
        self.library, self.program, self.folder = os.path.abspath(library), os.path.abspath(program), folder
        self.c_compiler, self.cpp_compiler = c, cpp
        self.library_folder = os.path.dirname(self.library)
        # Where blocks run, as in the root of the repository; what they write stays here.
        self.scratch = os.path.join(folder, "scratch")
        os.makedirs(self.scratch, exist_ok=True)
        links = {"models": os.path.join(ROOT, "models"), "capi": os.path.join(ROOT, "capi")}
        links["build/release/lib"] = self.library_folder
        for name, target in links.items():
            path = os.path.join(self.scratch, name)
            if os.path.islink(path):
                os.remove(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(target, path)
        self.environment = {"TENON_LIBRARY": self.library, "LD_LIBRARY_PATH": self.library_folder}
        self.java_classes = False  # those of this run

    def _compiled(self, compiler, text, ending, flags):
        source = written(text, self.folder, "block" + ending)
        program = os.path.join(self.folder, "block")
        linked = [self.library, "-Wl,-rpath," + self.library_folder, "-ldl", "-lm", "-o", program]
        run(compiler, *flags, "-I" + INCLUDE, source, *linked, folder=self.folder)
        return run(program, folder=self.scratch, environment=self.environment)

    @staticmethod
    def _whole(text, prelude):
        if re.search(r"\bint main\b", text):
            return text
        includes, lines = hoisted(prelude + "\n" + text, r"#include")
        return "\n".join(includes + ["int main() {"] + lines + ["}", ""])

    def c(self, blocks, prelude):
        flags = "-std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror".split()
        declared = [block for block in blocks if block.mark == "declaration"]
        if declared:
            text = "#include <tenon.h>\n#include <tenonx.h>\n" + "\n".join(block.text for block in declared)
            run(self.c_compiler, *flags, "-fsyntax-only", "-I" + INCLUDE, written(text, self.folder, "declared.c"),
                folder=self.folder)  # fmt: skip
        return ["" if block.mark == "declaration"
                else self._compiled(self.c_compiler, self._whole(block.text, prelude), ".c", flags)
                for block in blocks]  # fmt: skip

    def cpp(self, blocks, prelude):
        flags = ["-std=c++17", "-O1", "-Wall", "-pthread", "-I" + os.path.join(CLIENTS, "cpp")]
        return [self._compiled(self.cpp_compiler, self._whole(block.text, prelude), ".cpp", flags) for block in blocks]

    def _sequence(self, python, blocks, prelude):
        environment = {**self.environment, "PYTHONPATH": os.path.join(CLIENTS, "python")}
        texts = json.dumps([prelude] + [block.text for block in blocks])
        said = run(python, "-c", SEQUENCE, folder=self.scratch, environment=environment, text=texts)
        return json.loads(said)[1:]

    def python(self, blocks, prelude):
        return self._sequence(tool(os.path.join(PACKAGES, "python/bin/python3")), blocks, prelude)

    def peers(self, blocks, prelude):
        python = os.path.join(ROOT, "build/site_peers/bin/python3")
        if not os.path.exists(python):
            raise Skipped("no other library is installed; run packaging/site.sh --peers")
        return self._sequence(python, blocks, prelude)

    def sh(self, blocks, prelude):
        # With the program, and a Python that has numpy, as a reader has them.
        programs = os.path.dirname(self.program), os.path.join(PACKAGES, "python/bin"), os.environ["PATH"]
        path = os.pathsep.join(programs)
        environment = {**self.environment, "PATH": path}
        return [run("bash", "-euo", "pipefail", "-c", prelude + "\n" + block.text, folder=self.scratch,
                    environment=environment) for block in blocks]  # fmt: skip

    def javascript(self, blocks, prelude):
        node, modules = tool("node", "nodejs"), os.path.join(PACKAGES, "javascript/node_modules")
        if not os.path.isdir(os.path.join(modules, "koffi")):
            raise Skipped("koffi is not installed; run packaging/setup.sh test")
        own = os.path.join(self.folder, "node_modules")
        os.makedirs(own, exist_ok=True)
        package = os.path.join(CLIENTS, "javascript")
        with open(os.path.join(package, "package.json"), encoding="utf-8") as file:
            called = json.load(file)["name"]
        for name, target in ((called, package), ("koffi", os.path.join(modules, "koffi"))):
            if not os.path.islink(os.path.join(own, name)):
                os.symlink(target, os.path.join(own, name))
        environment = {**self.environment, "NODE_PATH": own + os.pathsep + modules}
        return [run(node, written(prelude + "\n" + block.text, self.folder, "block.js"), folder=self.scratch,
                    environment=environment) for block in blocks]  # fmt: skip

    def rust(self, blocks, prelude):
        cargo = tool("cargo", os.path.expanduser("~/.cargo/bin/cargo"))
        own = os.path.join(self.folder, "rust")
        crate = os.path.join(CLIENTS, "rust/tenon")
        with open(os.path.join(crate, "Cargo.toml"), encoding="utf-8") as file:
            called = re.search(r'^name = "(.*)"', file.read(), flags=re.M).group(1)
        written('[package]\nname = "block"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n'
                f'tenon = {{ path = "{crate}", package = "{called}" }}\n', own, "Cargo.toml")  # fmt: skip
        environment = {**self.environment, "TENON_LIB_DIR": self.library_folder}
        environment["CARGO_TARGET_DIR"] = os.path.join(self.folder, "target")
        said = []
        for block in blocks:
            text = block.text
            if "fn main" not in text:
                text = "fn main() -> Result<(), Box<dyn std::error::Error>> {\n" + prelude + text + "\nOk(())\n}\n"
            written(text, own, "src/main.rs")
            run(cargo, "build", "--quiet", "--offline", folder=own, environment=environment)
            said.append(run(os.path.join(self.folder, "target/debug/block"), folder=self.scratch,
                            environment=environment))  # fmt: skip
        return said

    def go(self, blocks, prelude):
        go, own, client = tool("go"), os.path.join(self.folder, "go"), os.path.join(CLIENTS, "go")
        with open(os.path.join(client, "go.mod"), encoding="utf-8") as file:
            wanted = file.read().replace("module tenon", "module block")
        written(wanted + f"\nrequire tenon v0.0.0\nreplace tenon => {client}\n", own, "go.mod")
        shutil.copy(os.path.join(client, "go.sum"), own)
        environment = {**self.environment, "GOPROXY": "off", "GOFLAGS": "-mod=mod -buildvcs=false", "CGO_ENABLED": "0"}
        said = []
        for block in blocks:
            text = block.text
            if "func main" not in text:
                imports = "".join(f'import "{name}"\n' for name in ("fmt", "tenon") if f"{name}." in text)
                # A word that a few lines set anew and do not look at is no mistake of theirs.
                text = f"package main\n{imports}func main() {{\n{prelude}{text}\n}}\n"
            written(text, own, "main.go")
            try:
                run(go, "build", "-o", os.path.join(self.folder, "go_block"), ".", folder=own, environment=environment)
            except Failed as error:
                if "disabled by GOPROXY=off" in str(error) or "requires go >=" in str(error):
                    raise Skipped("purego is not here, or go is too old; run packaging/setup.sh test") from None
                raise
            said.append(run(os.path.join(self.folder, "go_block"), folder=self.scratch, environment=environment))
        return said

    def java(self, blocks, prelude):
        javac, java = tool("javac"), tool("java")
        jars = glob.glob(os.path.join(PACKAGES, "java/jna-*.jar"))
        if not jars:
            raise Skipped("JNA is not installed; run packaging/setup.sh test")
        classes = os.path.join(self.folder, "classes")
        if not self.java_classes:
            self.java_classes = True
            shutil.rmtree(classes, ignore_errors=True)
            sources = glob.glob(os.path.join(CLIENTS, "java/src/main/java/**/*.java"), recursive=True)
            run(javac, "--release", "17", "-cp", jars[0], "-d", classes, *sources, folder=self.folder)
            os.symlink(os.path.join(ROOT, "models"), os.path.join(classes, "tenon/models"))
        said = []
        for block in blocks:
            text = block.text
            if not re.search(r"\bclass \w+", text):
                text = ("import java.util.Arrays;\nimport tenon.*;\nclass Block {\n"
                        f"public static void main(String[] arguments) {{\n{prelude}{text}}}\n}}\n")  # fmt: skip
            name = re.search(r"\bclass (\w+)", text)[1]
            source = written(text, self.folder, name + ".java")
            path = os.pathsep.join((jars[0], classes))
            run(javac, "-cp", path, "-d", classes, source, folder=self.folder)
            said.append(run(java, "-cp", path, name, folder=self.scratch, environment=self.environment))
        return said

    def lua(self, blocks, prelude):
        luajit, client = tool("luajit"), os.path.join(CLIENTS, "lua")
        path = ";".join(os.path.join(client, pattern) for pattern in ("?.lua", "?/init.lua"))
        return [run(luajit, written(prelude + block.text, self.folder, "block.lua"), folder=self.scratch,
                    environment={**self.environment, "LUA_PATH": path}) for block in blocks]  # fmt: skip

    def octave(self, blocks, prelude):
        octave, make, client = tool("octave-cli"), tool("mkoctfile"), os.path.join(CLIENTS, "octave")
        linked = ["-L" + self.library_folder, "-ltenon", "-Wl,-rpath," + self.library_folder]
        sources, mex = sorted(glob.glob(os.path.join(client, "*.c"))), os.path.join(self.folder, "tenon_mex.mex")
        run(make, "--mex", "-I" + INCLUDE, *sources, *linked, "-o", mex, folder=self.folder)
        program = [octave, "--norc", "--quiet", "-p", self.folder, "-p", client]
        environment = {**self.environment, "HOME": self.folder}
        return [run(*program, written(prelude + block.text, self.folder, "block.m"), folder=self.scratch,
                    environment=environment) for block in blocks]  # fmt: skip

    def csharp(self, blocks, prelude):
        compiler, mono = tool("mcs"), tool("mono")
        folders = "csharp/Tenon.Raw/*.cs", "csharp/Tenon/*.cs"
        sources = [path for folder in folders for path in glob.glob(os.path.join(CLIENTS, folder))]
        models = glob.glob(os.path.join(ROOT, "models/*"))
        sources += [f"-resource:{path},tenon.models.{os.path.basename(path)}" for path in models]
        said = []
        for block in blocks:
            text = block.text
            if not re.search(r"\bclass \w+", text):
                text = ("using System;\nusing Tenon;\nclass Block {\n"
                        f"static void Main() {{\n{prelude}{text}}}\n}}\n")  # fmt: skip
            program = os.path.join(self.folder, "block.exe")
            run(compiler, "-unsafe", "-langversion:latest", "-nowarn:649,169", "-out:" + program, *sources,
                written(text, self.folder, "block.cs"), folder=self.folder)  # fmt: skip
            said.append(run(mono, program, folder=self.scratch, environment=self.environment))
        return said

    def fortran(self, blocks, prelude):
        compiler, client = tool("gfortran"), os.path.join(CLIENTS, "fortran")
        # In the order in which a reader compiles them.
        names = "_raw", "_objects", "_models", "_sets", "_workspaces", "_batches", ""
        modules = [path for path in (os.path.join(client, f"tenon{name}.f90") for name in names) if os.path.exists(path)]
        flags = ["-std=f2018", "-O1", "-ffree-line-length-none", "-J" + self.folder]
        objects = [os.path.join(self.folder, os.path.basename(path) + ".o") for path in modules]
        for path, made in zip(modules, objects):
            run(compiler, *flags, "-c", path, "-o", made, folder=self.folder)
        said = []
        for block in blocks:
            program, source = os.path.join(self.folder, "block"), written(prelude + block.text, self.folder, "block.f90")
            linked = [*objects, self.library, "-Wl,-rpath," + self.library_folder]
            run(compiler, *flags, source, *linked, "-o", program, folder=self.folder)
            said.append(run(program, folder=self.scratch, environment=self.environment))
        return said


def of_name(language):
    """The method for the language of a fence."""
    names = {"js": "javascript", "bash": "sh", "console": "sh", "c++": "cpp", "py": "python", "cs": "csharp"}
    name = names.get(language, language)
    return name if name in RUN else None


if __name__ == "__main__":
    sys.exit(__doc__)
