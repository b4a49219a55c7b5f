"""What the tests of all packages share: fresh folders, the lines that the examples have to print, the code of the READMEs."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "capi/clients"
SAYS = "each foot carries 282.2 N"
# Nothing of a checkout or of another installation may be found.
HIDDEN = "TENON_LIBRARY", "TENON_LIB_DIR", "LD_LIBRARY_PATH", "LUA_PATH", "LUA_CPATH", "CLASSPATH", "NODE_PATH", "MONO_PATH"


class Failed(Exception):
    pass


def run(*command, check=True, **more):
    """What it said on both channels. With check=False: also where it failed, as it should."""
    kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, env={**kept, **{k: str(v) for k, v in more.pop("env", {}).items()}}, **more,
    )  # fmt: skip
    if (done.returncode == 0) != check:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def same(said, wanted, what):
    # Zero has one sign where it is rounded for reading.
    said, wanted = (re.sub(r"-(0\.0+)(?![0-9])", r"\1", text.replace("\r", "")) for text in (said, wanted))
    if said != wanted:
        raise Failed(f"{what} said\n{said}\nand not\n{wanted}")
    print(f"{what}: as expected, {len(said.splitlines())} lines")


def has(said, *words):
    for word in words:
        if word not in said:
            raise Failed(f"'{word}' is not in\n{said}")
    print("error: " + next(line.strip() for line in said.splitlines() if words[0] in line)[:300])


def readme_code(client, language):
    """The block of a README that prints what each foot carries."""
    text = (CLIENTS / client / "README.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(rf"```{language}\n(.*?)```", text, re.S) if "each foot carries" in block]
    if len(blocks) != 1:
        raise Failed(f"capi/clients/{client}/README.md has {len(blocks)} blocks of {language} with the feet of Atlas")
    return blocks[0]


def timed(begin, what):
    print(f"{what}: {SAYS}, {time.monotonic() - begin:.1f} s after the installation began")


class Expected:
    """What C and C++ print with the library that was staged for this machine."""

    def __init__(self, stage, version, folder):
        machine = {"x86_64": "x86_64", "aarch64": "aarch64"}.get(platform.machine())
        self.tree = stage / f"tenon-{version}-linux-{machine}"
        if not sys.platform.startswith("linux") or not self.tree.is_dir():
            raise Failed(f"{self.tree} is not there: these tests run packages on the Linux that was released for this machine")
        self.models = self.tree / "share/tenon/models"
        self.robots = {"load_and_print": self.models / "iiwa14.urdf", "atlas": self.models / "atlas.urdf"}
        flags = [f"-I{self.tree}/include", f"-L{self.tree}/lib", "-ltenon", "-lm", f"-Wl,-rpath,{self.tree}/lib"]
        examples = ROOT / "capi/examples/c", CLIENTS / "cpp"
        run("cc", "-std=c99", examples[0] / "atlas.c", f"-I{examples[0]}", *flags, "-o", folder / "atlas")
        source = examples[1] / "examples/load_and_print.cpp"
        run("c++", "-std=c++17", source, f"-I{examples[1]}", *flags, "-o", folder / "load_and_print")
        self.said = {name: run(folder / name, robot) for name, robot in self.robots.items()}
        if [len(text.splitlines()) for text in self.said.values()] != [21, 37]:
            raise Failed(f"the examples in C and C++ said\n{self.said}")

    def examples(self, command):
        """command(name, robot): what the example of the package says of a file."""
        for name, robot in self.robots.items():
            same(command(name, robot), self.said[name], name)


def same_bytes(kind, paths, stage, folder):
    """Made again, in another place, it is the same."""
    out, work = fresh(folder / "again"), folder / "work of again"
    program = ROOT / "packaging/packages/pack.py"
    run(sys.executable, program, kind, "--stage", stage, "--out", out, "--work", work, env={"PYTHONDONTWRITEBYTECODE": 1})
    shutil.rmtree(work)
    digests = [[hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, out / first.name)] for first in paths]
    if any(a != b for a, b in digests):
        raise Failed(f"made twice, it has other bytes: {digests}")
    print(f"twice the same bytes: {', '.join(path.name for path in paths)}")
