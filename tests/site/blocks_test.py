"""Runs the blocks of code of the documentation site (packaging/site/blocks.py has what may be said of a block).

    python3 blocks_test.py <what> <libtenon.so> <tenon> <folder to build in> <C compiler> <C++ compiler>

what: a language runs its blocks on all pages and compares what they print. marks: every block has a language that is run,
or says why it is not, and shows a file that another test runs. can_fail: each of these complains where it should.
"""

import json
import os
import re
import sys

from languages import ROOT, Failed, Languages, Skipped, of_name

sys.path.insert(0, os.path.join(ROOT, "packaging/site"))
import blocks  # noqa: E402
import pages  # noqa: E402

# Source files that are shown whole, and the test that runs them.
ELSEWHERE = (
    (r"capi/examples/c/\w+\.c", "tests/capi/CMakeLists.txt", r"NAME capi\.client\.c\.build"),
    (r"capi/examples/acados/\w+\.py", "tests/programs/CMakeLists.txt", r"program\(acados "),
    (r"capi/examples/casadi/\w+\.py", "tests/programs/CMakeLists.txt", r"program\(casadi "),
    (r"capi/clients/python/examples/\w+\.py", "tests/capi/clients/run.py", r"def python_examples"),
    (r"capi/clients/(\w+)/(?:tenon/)?examples/[\w/]+\.\w+", "tests/capi/clients/layers.py", r"def {0}\("),
)
# What is said in these is no code.
TEXT = ("text", "none")
LEAST = {"c": 200, "cpp": 2, "python": 14, "sh": 5, "go": 1, "java": 1, "javascript": 1, "rust": 1, "peers": 8}


def agrees(said, wanted):
    """Line by line; "..." stands for anything within a line."""
    lines = [line.rstrip() for line in said.strip("\n").split("\n")]
    expected = [line.rstrip() for line in wanted.strip("\n").split("\n")]
    pattern = [re.escape(line).replace(re.escape("..."), ".*") for line in expected]
    return len(lines) == len(pattern) and all(re.fullmatch(one, line) for one, line in zip(pattern, lines))


def chosen(found, what):
    if what == "peers":
        return [block for block in found if block.mark == "peer"]
    return [block for block in found if of_name(block.language) == what and block.mark in (None, "declaration")]


def run_page(languages, what, name, text):
    """What is wrong with the blocks of a page, and how many were run."""
    found, preludes = blocks.blocks_of(text)
    mine = chosen(found, what)
    if not mine:
        return [], 0
    prelude = next((preludes[key] for key in preludes if of_name(key) == what), "")
    try:
        said = getattr(languages, what)(mine, prelude)
    except Failed as error:
        # Which of them it was, the compiler says by its text.
        return [f"{name}: {error}"], len(mine)
    wrong = []
    for block, printed in zip(mine, said):
        if block.output is not None and not agrees(printed, block.output):
            wrong.append(f"{name}, {block}: it printed\n{printed}and not\n{block.output}")
    return wrong, len(mine)


def versions(name, text):
    """Names of packages are those of this version."""
    with open(os.path.join(ROOT, "packaging/api.json"), encoding="utf-8") as file:
        now = json.load(file)["version"]
    found = set(re.findall(r"tenon(?:[-_]dynamics|-dev|\d\.\d)?[-_]([0-9]+\.[0-9]+\.[0-9]+)", text))
    return [f"{name}: a package of version {one}, and this is {now}" for one in sorted(found - {now})]


def marks(texts):
    wrong, counts = [], {}
    for name, text in texts.items():
        wrong += versions(name, text)
        try:
            found, _ = blocks.blocks_of(text)
        except ValueError as error:
            wrong.append(f"{name}: {error}")
            continue
        for line in blocks.indented_blocks(text):
            wrong.append(f"{name}, line {line}: a block by indent; a fence says of which language it is")
        for block in found:
            counts[block.mark or block.language] = counts.get(block.mark or block.language, 0) + 1
            if block.mark in ("not run", "peer"):
                if len(block.said or "") < 5:
                    wrong.append(f"{name}, {block}: say why it is not run")
            elif block.mark == "file":
                wrong += file_marks(name, block)
            elif block.language not in TEXT and of_name(block.language) is None:
                wrong.append(f"{name}, {block}: nothing runs this language; say so, or use text")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return wrong


def file_marks(name, block):
    with open(os.path.join(ROOT, block.said), encoding="utf-8") as file:
        if file.read().strip() != block.text.strip():
            return [f"{name}, {block}: it is not {block.said}"]
    for pattern, test, needed in ELSEWHERE:
        match = re.fullmatch(pattern, block.said)
        if match:
            with open(os.path.join(ROOT, test), encoding="utf-8") as file:
                if re.search(needed.format(*match.groups()), file.read()):
                    return []
    return [f"{name}, {block}: no test runs {block.said}"]


def fence(language, text, before=""):
    return f"# A page\n\n{before}\n```{language}\n{text}\n```\n"


# Pages with one mistake each; the first of each language has none.
PAGES = (
    ("c", True, fence("c", "#include <tenon.h>\nint main(void) { return tenon_version() < 0; }")),
    ("c", False, fence("c", "#include <tenon.h>\nint main(void) { return tenon_version(0); }")),
    ("c", False, fence("c", "int main(void) { return 1; }")),
    ("c", True, fence("c", "int32_t tenon_version(void);", "<!-- declaration -->")),
    ("c", False, fence("c", "double tenon_version(void);", "<!-- declaration -->")),
    ("cpp", False, fence("cpp", '#include <tenon.hpp>\ntenon::Model::load("models/none.urdf");')),
    ("python", True, fence("python", "print(6 * 7)") + fence("text", "4...", "<!-- output -->")),
    ("python", False, fence("python", "print(6 * 7)") + fence("text", "41", "<!-- output -->")),
    ("python", False, fence("python", "import tenon\ntenon.Model.load('models/none.urdf')")),
    ("sh", True, fence("sh", "tenon info models/four_bar.urdf")),
    ("sh", False, fence("sh", "tenon info models/none.urdf | cat")),
    ("marks", True, fence("cobol", "DISPLAY '1'.", "<!-- not run: there is no such compiler here -->")),
    ("marks", True, fence("julia", "1 + 1")),
    ("marks", False, fence("cobol", "DISPLAY '1'.")),
    ("marks", False, fence("sh", "ls", "<!-- not run: -->")),
    ("marks", False, fence("sh", "ls", "<!-- notrun: it is too long -->")),
    ("marks", False, "# A page\n\nA line.\n\n    tenon info models/four_bar.urdf\n"),
    ("marks", False, fence("c", "int main(void) { }", "<!-- file: capi/examples/c/atlas.c -->")),
    ("marks", False, fence("text", "x", "<!-- file: LICENSE -->")),
    ("marks", False, "# A page\n\nTake `tenon-0.0.9-linux-x86_64.tar.gz`.\n"),
    ("marks", False, "# A page\n\nTake `libtenon-dev_0.0.9_amd64.deb`.\n"),
)


def can_fail(languages):
    wrong = []
    for number, (what, good, text) in enumerate(PAGES):
        try:
            found = marks({"page": text}) if what == "marks" else run_page(languages, what, "page", text)[0]
        except Skipped as reason:
            print(f"page {number} not tried: {reason}")
            continue
        if good != (not found):
            wrong.append(f"page {number} ({what}) should {'pass' if good else 'fail'}: {text}\n{found}")
    print(f"{len(PAGES)} pages tried")
    return wrong


def main(what, library, program, folder, c, cpp):
    own = os.path.join(os.path.abspath(folder), what)
    os.makedirs(own, exist_ok=True)
    languages = Languages(library, program, own, c, cpp)
    if what == "can_fail":
        wrong = can_fail(languages)
    elif what == "marks":
        wrong = marks(pages.assembled())
    else:
        wrong, count = [], 0
        try:
            for name, text in sorted(pages.assembled().items()):
                faults, here = run_page(languages, what, name, text)
                wrong, count = wrong + faults, count + here
        except Skipped as reason:
            print(f"SKIPPED: {reason}")
            return 0
        print(f"{count} blocks were run")
        if not count and what not in LEAST:
            print("SKIPPED: no page has a block of this language")
            return 0
        if count < LEAST.get(what, 1):
            wrong.append(f"{count} blocks are fewer than there were")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
