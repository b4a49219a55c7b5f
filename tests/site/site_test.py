"""Builds the documentation site and looks at it: python3 site_test.py <folder to build in>.

It is built without a warning; its pages load nothing from elsewhere; links between them lead somewhere; formulas are
MathML; every function has a heading to link to. And the build fails where it should: a link that leads nowhere, a formula
that is none, a picture that is not there.
"""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SITE = os.path.join(ROOT, "packaging/site")
PYTHON = os.path.join(ROOT, "build/site_tools/bin/python3")
# What of a tag is loaded with the page; where a link leads is the reader's choice.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("object", "data")}
MISTAKES = (
    "[nowhere](nowhere.md)",
    "[no such heading](#no-such-heading)",
    "$\\frac{1$",
    "$\\nosuchcommand x$",
    ":::{picture} none.svg\nNothing.\n:::",
    "![none](/static/none.svg)",
)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.loaded, self.links, self.ids, self.math = [], [], set(), 0
        self.open, self.astray = [], 0  # elements, and columns of code that do not stand beside each other
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.math += tag == "math"
        classes = (dict(attrs).get("class") or "").split()
        self.astray += (bool(self.open) and "beside" in self.open[-1][1]) != ("column" in classes)
        if tag not in ("area", "br", "col", "hr", "img", "input", "link", "meta"):
            self.open.append((tag, classes))
        for name, value in attrs:
            if (tag, name) == ("a", "href") and value and not re.match(r"[a-z]+:", value):
                self.links.append(value)
            if name == "id":
                self.ids.add(value)
            if (tag, name) in LOADED and value and "//" in value and not value.startswith("data:"):
                self.loaded.append(value)
            if name == "style" and value and "url(http" in value:
                self.loaded.append(value)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass


def built(site, out, work):
    command = [PYTHON, "-B", os.path.join(site, "build.py"), out, work]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def lost_links(pages):
    """Links of {path: page} that lead to no page or to no heading."""
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            file, _, heading = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            there = target in pages or (file and os.path.exists(target))
            if not there or (heading and target in pages and heading not in pages[target].ids):
                wrong.append(f"{path}: {link} leads nowhere")
    return wrong


def looked_at(out):
    wrong, pages = [], {}
    for folder, _, names in os.walk(out):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith((".html", ".css")):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                if name.endswith(".css"):
                    wrong += [f"{path} loads {word}" for word in ("url(http", "@import") if word in text]
                    continue
                pages[path] = Page(text)
                wrong += [f"{path} loads {one}" for one in pages[path].loaded]
                if ":::" in text or pages[path].astray:
                    wrong.append(f"{path}: a fence of colons is not closed where it should be")
    wrong += lost_links(pages)
    math, ids = sum(page.math for page in pages.values()), set().union(*(page.ids for page in pages.values()))
    with open(os.path.join(ROOT, "packaging/api.json"), encoding="utf-8") as file:
        described = json.load(file)
    names = [one["name"] for kind in ("functions", "structs") for one in described[kind]]
    wrong += [f"no page describes {name}" for name in names if name.replace("_", "-") not in ids]
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {math} formulas, {links} links, {len(names)} functions and structs")
    if len(pages) < 40 or math < 40 or links < 1000:
        wrong.append("there should be more pages and formulas")
    return wrong


def main(folder):
    if not os.path.exists(PYTHON):
        print("SKIPPED: Sphinx is not installed; run packaging/setup.sh site")
        return 0
    out, work = os.path.join(folder, "site"), os.path.join(folder, "work")
    shutil.rmtree(out, ignore_errors=True)
    done = built(SITE, out, work)
    if done.returncode:
        print(done.stdout)
        return 1
    wrong = looked_at(out)
    # Each mistake stands on the only page of a site, which is built without it too.
    source = os.path.join(folder, "mistake")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(os.path.join(work, "source/static"), os.path.join(source, "static"))
    for name in ("conf.py", "site_extension.py"):
        shutil.copy(os.path.join(work, "source", name), source)
    with open(os.path.join(source, "api.json"), "w", encoding="utf-8") as file:
        json.dump({"version": "0", "functions": [], "structs": [], "enums": [], "handles": [], "callbacks": []}, file)
    for text in ("", *MISTAKES):
        with open(os.path.join(source, "index.md"), "w", encoding="utf-8") as file:
            file.write(f"# A page\n\n{text}\n")
        command = [PYTHON, "-B", "-m", "sphinx", "--fail-on-warning", "-E", "-q", source, os.path.join(folder, "bad")]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if (text == "") != (ended.returncode == 0):
            wrong.append(f"a page with '{text}' should {'fail' if text else 'pass'}: {ended.stdout}")
    print("\n".join(wrong) if wrong else f"and {len(MISTAKES)} mistakes were seen")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    sys.exit(main(os.path.abspath(sys.argv[1])))
