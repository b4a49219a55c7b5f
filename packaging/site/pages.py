"""Makes the pages that Sphinx reads: those of packaging/site, with what they include from elsewhere in the repository, and
those that are made of packaging/api.json and bench/results. Needs nothing but Python.

A page says, on a line of its own,

    <!-- include: capi/clients/go/README.md -->             the whole text below its title
    <!-- include: README.md#Build -->                       one section of it, without its heading
    <!-- include: a/README.md | b/README.md#Section -->     the first of these that is there
    <!-- example: capi/clients/cpp/examples/atlas.cpp -->   a source file as a block of code
    <!-- header: What each method takes -->                 the comment of tenon.h that begins so

Links of what is included lead to the page that has the file, or become the file's path. Its blocks by indent are commands
that a reader types to install, build or call, or what these print: they are shown, and the page says that no test runs them.
"""

import glob
import os
import re
import shutil
import sys

import api_pages
import blocks
import language_pages
import report_pages

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../api"))
import whole  # noqa: E402

ROOT = os.path.abspath(os.path.join(HERE, "../.."))
LANGUAGES = {".c": "c", ".cpp": "cpp", ".go": "go", ".java": "java", ".js": "js", ".jl": "julia", ".py": "python",
             ".rs": "rust", ".urdf": "xml", ".f90": "fortran", ".lua": "lua", ".m": "octave", ".cs": "csharp", ".h": "c"}  # fmt: skip
INCLUDE = re.compile(r"^<!-- (include|example|header): (.*?) -->$", flags=re.M)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write(text, *path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def section(text, heading):
    """What stands below a heading, up to the next one of its rank or higher."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n", text, flags=re.M)
    if not found:
        return None
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found.group(1))}}} ", rest, flags=re.M)
    return rest[: end.start()] if end else rest


def demoted(text, least):
    """Headings of what is included stand below the page's own, whose rank is `least`: no rank is left out."""
    inside, ranks = False, []
    lines = text.split("\n")
    for line in lines:
        inside ^= line.startswith("```")
        if not inside and re.match(r"#+ ", line):
            ranks.append(len(line) - len(line.lstrip("#")))
    move = least + 1 - min(ranks, default=least + 1)
    inside = False
    for number, line in enumerate(lines):
        inside ^= line.startswith("```")
        if not inside and re.match(r"#+ ", line):
            lines[number] = "#" * move + line if move >= 0 else line[-move:]
    return "\n".join(lines)


def fenced(text):
    """Blocks by indent as fences."""
    out, block, inside = [], [], False
    lines = text.split("\n")
    for number, line in enumerate(lines + [""]):
        inside ^= line.startswith("```")
        begins = not inside and line.startswith("    ") and (block or number == 0 or not lines[number - 1].strip())
        if begins or (block and not line.strip() and any(lines[number + 1 : number + 2])
                      and lines[number + 1].startswith("    ")):  # fmt: skip
            block.append(line[4:])
            continue
        if block:
            out += ["<!-- not run: it is for your own shell -->", "```sh", *block, "```"]
            block = []
        out.append(line)
    return "\n".join(out[:-1])


class Pages:
    def __init__(self):
        self.text, self.page_of = {}, {}
        for folder, folders, names in os.walk(HERE):
            folders[:] = sorted(name for name in folders if not name.startswith("__"))
            for name in sorted(names):
                if name.endswith(".md"):
                    path = os.path.relpath(os.path.join(folder, name), HERE)
                    self.text[path] = read(folder, name)
        self.add_languages()
        for page, text in self.text.items():
            for kind, what in INCLUDE.findall(text):
                for choice in what.split(" | "):
                    if kind == "include" and "#" not in choice:
                        self.page_of.setdefault(choice, page)

    def add_languages(self):
        """A page for each client that has a README, with its example `atlas`; C and Python have pages of their own."""
        names = []
        for readme in sorted(glob.glob(os.path.join(ROOT, "capi/clients/**/README.md"), recursive=True)):
            folder = os.path.relpath(os.path.dirname(readme), ROOT)
            if "node_modules" in folder or folder in ("capi/clients", "capi/clients/python"):
                continue
            title = re.match(r"# (?:Tenon for )?(.*)", read(readme)).group(1)
            name = re.sub(r"\W+", "_", folder.split("/")[2]).lower()
            text = f"# {title}\n\n<!-- include: {folder}/README.md -->\n"
            for example in sorted(glob.glob(os.path.join(ROOT, folder, "examples/**/atlas.*"), recursive=True)
                                  + glob.glob(os.path.join(ROOT, folder, "examples/atlas/main.*"))):  # fmt: skip
                text += f"\n## A whole program\n\n<!-- example: {os.path.relpath(example, ROOT)} -->\n"
            self.text[f"quickstart/{name}.md"] = text
            names.append(name)
        index = "quickstart/index.md"
        self.text[index] = self.text[index].replace("<!-- languages -->", "\n".join(names))

    def relinked(self, text, source, page):
        """Links of a file of the repository, on a page of the site."""

        def linked(match):
            mark, label, target, anchor = match.groups()
            if re.match(r"[a-z]+:", target):
                return match.group(0)
            path = os.path.normpath(os.path.join(os.path.dirname(source), target))
            if not os.path.exists(os.path.join(ROOT, path)):
                raise SystemExit(f"{source} links to {target}, which is not there")
            if mark:
                return f"![{label}](/{self.pictured(path)})"
            if path in self.page_of:
                return f"[{label}]({os.path.relpath(self.page_of[path], os.path.dirname(page) or '.')}{anchor or ''})"
            return f"{label}" if label.strip("`") == path else f"{label} (`{path}`)"

        return "".join(
            part if number % 2 else LINK.sub(linked, part)
            for number, part in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S))
        )

    @staticmethod
    def pictured(path):
        """Where a picture of the repository stands among the pages."""
        return "pictures/" + path.replace("/", "_")

    def included(self, page, before, what):
        for choice in what.split(" | "):
            source, _, heading = choice.partition("#")
            if not os.path.exists(os.path.join(ROOT, source)):
                continue
            text = read(ROOT, source)
            text = section(text, heading) if heading else re.sub(r"\A# .*\n", "", text)
            if text is not None:
                ranks = re.findall(r"^(#+) ", before, flags=re.M)
                return self.relinked(demoted(fenced(text.strip("\n")), len(ranks[-1])), source, page)
        raise SystemExit(f"{page} includes {what}, which is not there")

    @staticmethod
    def example(path):
        text = read(ROOT, path).rstrip("\n")
        return f"<!-- file: {path} -->\n```{LANGUAGES[os.path.splitext(path)[1]]}\n{text}\n```"

    @staticmethod
    def header_comment(begin):
        text = whole.whole(os.path.join(ROOT, "include/tenon.h"))
        at = text.index("/* " + begin)
        lines = text[at : text.index("*/", at)].split("\n")
        return api_pages.comment(api_pages.joined([re.sub(r"^ ?/?\* ?", "", line).rstrip() for line in lines]))

    def assembled(self, page):
        text, out, at = self.text[page], "", 0
        for match in INCLUDE.finditer(text):
            out += text[at : match.start()]
            kind, what = match.groups()
            if kind == "include":
                out += self.included(page, out, what)
            else:
                out += self.example(what) if kind == "example" else self.header_comment(what)
            at = match.end()
        return out + text[at:]


def assembled():
    """{path: text} of all pages, with the marks of their blocks."""
    pages = Pages()
    made = {page: pages.assembled(page) for page in pages.text}
    made.update(api_pages.pages(read(ROOT, "packaging/api.json"), whole.whole(os.path.join(ROOT, "include/tenon.h"))))
    made.update(language_pages.pages(ROOT))
    for page, text in report_pages.pages(ROOT).items():
        made[page] = made.get(page, "") + text
    return made


def write_all(out):
    """Writes all pages, and what Sphinx needs beside them, to the folder `out`."""
    shutil.rmtree(out, ignore_errors=True)
    pictures = {Pages.pictured(path): path for path in report_pages.pictures(ROOT)}
    for page, text in assembled().items():
        write(blocks.with_notes(text), out, page)
        for picture in re.findall(r"\(/(pictures/[^)\s]+)\)", text):
            os.makedirs(os.path.join(out, "pictures"), exist_ok=True)
            shutil.copy(os.path.join(ROOT, pictures[picture]), os.path.join(out, picture))
    for folder in ("drawings", "static"):
        shutil.copytree(os.path.join(HERE, folder), os.path.join(out, folder))
    for name in ("conf.py", "site_extension.py"):
        shutil.copy(os.path.join(HERE, name), out)
    shutil.copy(os.path.join(ROOT, "packaging/api.json"), out)
