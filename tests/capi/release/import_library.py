"""tenon.lib of a release for Windows gives MSVC's kind of linker every function of packaging/api.json: a program that names
all of them is compiled by clang for the ABI of MSVC, linked by lld-link, and run where there is something to run it.

    python3 import_library.py <installed Tenon> <folder for outputs> <clang> <lld-link> <libkernel32.a> [program to run it]

No header and no library of Microsoft is here, so the program needs none: that Visual Studio itself takes it is not tested.
"""

import json
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PROGRAM = """#include <tenon.h>
#include <tenonx.h>
__declspec(dllimport) void __stdcall ExitProcess(unsigned code);
static void *volatile at;
static unsigned missing;
void start(void) {
%s
  ExitProcess(tenon_version() == TENON_VERSION && missing == 0 ? 42 : 1);
}
"""


def main():
    prefix, folder, clang, linker, kernel, *runner = sys.argv[1:]
    with open(os.path.join(ROOT, "packaging/api.json"), encoding="utf-8") as file:
        functions = [function["name"] for function in json.load(file)["functions"]]
    os.makedirs(folder, exist_ok=True)
    source, program = os.path.join(folder, "all.c"), os.path.join(folder, "all.exe")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM % "\n".join(f"  at = (void *){name}; missing += at == 0;" for name in functions))
    made = source.replace(".c", ".obj")
    subprocess.run([clang, "--target=x86_64-pc-windows-msvc", "-ffreestanding", "-O1", "-Wall", "-Werror", "-I" + prefix + "/include",
                    "-c", source, "-o", made], check=True)
    subprocess.run([linker, "/nologo", "/entry:start", "/subsystem:console", "/nodefaultlib", "/out:" + program, made,
                    os.path.join(prefix, "lib/tenon.lib"), kernel], check=True)
    if runner:
        environment = {**os.environ, "WINEPATH": "Z:" + os.path.abspath(prefix + "/bin").replace("/", "\\")}
        code = subprocess.run([*runner, program], env=environment, check=False).returncode
        if code != 42:
            sys.exit(f"{program} ended with {code}")
    print(f"{len(functions)} functions of tenon.lib {'linked and found' if runner else 'linked'}")


main()
