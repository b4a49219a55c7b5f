"""The blocks of code of a page, and what the comments before them say of them:

    <!-- not run: REASON -->         no test runs it; the page says so and why
    <!-- peer: NAME -->              code of another library, run where that is installed (packaging/site.sh --peers)
    <!-- output -->                  what the block before it prints; "..." stands for anything
    <!-- declaration -->             a declaration in C, which is compiled beside the header
    <!-- file: PATH -->              a file of the repository, from an `example:` of pages.py
    <!-- prelude LANGUAGE            lines that come before each block of this language on the page, and are not shown:
    ... -->                          what it takes to make a whole program of a few lines
"""

import re

# A comment of these kinds is a mark; others are comments.
MARK = re.compile(r"<!-- (not run|peer|output|declaration|file|prelude)(?:[:]? ([^\n]*?))?(?:\n(.*?))? ?-->", flags=re.S)
FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*(\{?[\w+-]*\}?)[^\n`]*\n(.*?)^\1\2[ ]*$", flags=re.M | re.S)
# Fences of MyST that hold text and not code.
DIRECTIVES = ("{toctree}", "{math}", "{picture}", "{note}", "{raw}", "{list-table}")
# Languages whose blocks are never run, and why.
NEVER_RUN = {
    "julia": "the test capi.layer.julia runs the package and its examples",
    "toml": "it is a file of settings",
    "json": "it is a file of settings",
}


class Block:
    def __init__(self, language, text, line, mark, said):
        self.language, self.text, self.line, self.mark, self.said = language, text, line, mark, said
        self.output = None

    def __repr__(self):
        return f"line {self.line} ({self.language or 'no language'}{', ' + self.mark if self.mark else ''})"


def blocks_of(page):
    """(blocks, {language: prelude}) of the text of a page."""
    found, preludes, end = [], {}, 0
    marks = [match for match in MARK.finditer(page)]
    for match in marks:
        if match.group(1) == "prelude":
            preludes[match.group(2)] = match.group(3)
    for fence in FENCE.finditer(page):
        indent, _, language, text = fence.groups()
        before = page[end : fence.start()].rstrip()
        end = fence.end()
        if language in DIRECTIVES:
            continue
        mark, said = None, None
        for match in marks:
            if match.group(1) != "prelude" and match.end() == len(page[: fence.start()].rstrip()):
                mark, said = match.group(1), match.group(2)
        if mark is None and before.endswith("-->") and "<!-- " in before.split("\n")[-1] and "note" not in before:
            raise ValueError(f"what is meant by {before.splitlines()[-1]}")
        text = re.sub(rf"^{indent}", "", text, flags=re.M)
        if mark is None and language in NEVER_RUN:
            mark, said = "not run", NEVER_RUN[language]
        block = Block(language, text, page.count("\n", 0, fence.start()) + 1, mark, said)
        if mark == "output" and found:
            found[-1].output = text
        found.append(block)
    return found, preludes


def indented_blocks(page):
    """Lines that Markdown takes for code because of their indent: a fence says of which language."""

    def empty(match):
        return "\n" * match.group(0).count("\n")

    lines, wrong, listed = MARK.sub(empty, FENCE.sub(empty, page)).split("\n"), [], False
    for number, line in enumerate(lines):
        if re.match(r"\s*([-*+]|\d+[.)]) ", line):
            listed = True
        elif line.strip() and not line.startswith(" "):
            listed = False
        if line.startswith("    ") and line.strip() and not listed and not lines[number - 1].strip():
            wrong.append(number + 1)
    return wrong


def with_notes(page):
    """Marks as readers see them."""

    def note(match):
        kind, said = match.group(1), match.group(2)
        if kind == "not run":
            return f"{match.group(0)}\n:::{{container}} note-of-block\nNo test runs this: {said}.\n:::\n"
        if kind == "peer":
            return f"{match.group(0)}\n:::{{container}} note-of-block\nTested where {said} is installed.\n:::\n"
        if kind == "output":
            return f"{match.group(0)}\n:::{{container}} note-of-block\nIt prints\n:::\n"
        if kind == "file":
            return f"{match.group(0)}\n:::{{container}} note-of-block\n`{said}`\n:::\n"
        return match.group(0)

    page = MARK.sub(note, page)
    for language, said in NEVER_RUN.items():
        seen = f":::{{container}} note-of-block\nNo test runs this: {said}.\n:::\n\n"
        page = re.sub(rf"(?<!:::\n\n)^```{language}$", lambda match, seen=seen: seen + match.group(0), page, flags=re.M)
    return page
