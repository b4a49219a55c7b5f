"""Pages of all functions, structs and constants, from packaging/api.json, in the sections of the parts of tenon.h."""

import json
import re
import textwrap

SECTION = re.compile(r"^/\* ---- (.*?) -+ \*/$", flags=re.M)
ROLES = {"in": "read", "out": "written", "inout": "read and written"}


def plain(text):
    """Text of a comment, none of whose signs mean anything to Markdown; names become code."""
    text = re.sub(r"([\\*_`<>\[\]{}$#|~])", r"\\\1", text)

    def code(match):
        return f"`{match.group(0)}`".replace("\\", "")

    names = r"(tenonx?|TENONX?)(\\_\w+)+(\\_\\\*)?", r"\\_[A-Z][A-Z0-9_\\]*[A-Z0-9]"
    return re.sub(rf"(?<![\w`])({'|'.join(names)})(?!\w)", code, text)


def comment(text):
    """Paragraphs of a comment; its indented lines, which are formulas and tables, stay as they are."""
    out, formula = [], []

    def flush():
        if formula:
            out.append("```text\n" + textwrap.dedent("\n".join(formula)) + "\n```")
            formula.clear()

    for line in text.split("\n"):
        if re.match(r"    |  \S.*\S   ", line):
            formula.append(line[2:])
        else:
            flush()
            if line.strip():
                # A comment's list would be taken for one of Markdown's.
                out.append(re.sub(r"^(\s*)([-+]|\d+\.)(\s)", r"\1\\\2\3", plain(line.strip())))
    flush()
    return "\n\n".join(out)


def joined(lines):
    """Lines of a paragraph as one, as packaging/api.json has them."""
    text = ""
    for before, line in zip([""] + lines, lines):
        apart = not line or not before or line.startswith("  ") or before.startswith("    ")
        text += ("\n" if apart else " ") + line
    return text.strip("\n")


def slug(name):
    return re.sub(r"[^a-z]+", "_", name.lower()).strip("_")


def sections(header):
    """[(title, text)] of tenon.h."""
    found = list(SECTION.finditer(header))
    ends = [match.start() for match in found[1:]] + [len(header)]
    return [(match.group(1), header[match.end() : end]) for match, end in zip(found, ends)]


def prototype(function):
    arguments = []
    for one in function["arguments"]:
        space = "" if one["type"].endswith("*") else " "
        arguments.append(f"{one['type']}{space}{one['name']}")
    result = function["result"]["type"]
    head = f"{result}{'' if result.endswith('*') else ' '}{function['name']}("
    line, lines = head, []
    for number, argument in enumerate(arguments or ["void"]):
        piece = argument + (");" if number == len(arguments or [0]) - 1 else ", ")
        if len(line) + len(piece.rstrip()) > 90:
            lines.append(line.rstrip())
            line = "    "
        line += piece
    return "\n".join(lines + [line])


def cell(text):
    return text.replace("\n", " ") or " "


def role(argument):
    kind = argument.get("kind", "value").replace("_", " ")
    words = [kind if kind != "value" else ""]
    if argument.get("of"):
        words = [f"{kind} of `{argument['of']}`"]
    if argument.get("pointers") and argument.get("role") and kind not in ("message", "user", "callback"):
        words.append(ROLES[argument["role"]])
    if argument.get("null"):
        words.append("may be NULL")
    return ", ".join(word for word in words if word)


FACT = re.compile(r"(?:^|(?<=\. ))(Allocates|Threads|Status|Cost|Since)(?: \(of [^)]*\))?: ", flags=re.M)


def facts(text):
    """A comment as its text and, as a list, what it allocates, its threads, statuses and cost."""
    begin = FACT.search(text)
    if not begin:
        return comment(text)
    parts = FACT.split(text[begin.start() :])[1:]
    rows = [f"- **{name}**: {plain(' '.join(said.split()))}" for name, said in zip(parts[::2], parts[1::2])]
    return comment(text[: begin.start()]) + "\n\n" + "\n".join(rows)


def function_text(function):
    lines = [f"### {function['name']}", "", "<!-- declaration -->", "```c", prototype(function), "```", ""]
    lines += [facts(function["comment"]), ""]
    if function["arguments"]:
        lines += ["| argument | type | what | how many |", "| --- | --- | --- | --- |"]
        for one in function["arguments"]:
            length = plain(one["length"]) if one.get("length") else " "
            lines.append(f"| `{one['name']}` | `{one['type'].strip()}` | {cell(role(one))} | {cell(length)} |")
        lines.append("")
    return "\n".join(lines)


def struct_text(struct):
    lines = [f"### {struct['name']}", "", comment(struct["comment"]), ""]
    size = f"{struct['size']} bytes, aligned to {struct['alignment']}"
    begun = struct["fields"][0]["name"] == "struct_size"
    grows = "; later versions may add fields at its end" if begun else "; its layout is fixed"
    prepared = f"; prepared by `{struct['init']}`" if struct.get("init") else ""
    lines += [f"{size}{prepared}{grows}.", "", "| offset | field | type | what |", "| --- | --- | --- | --- |"]
    for field in struct["fields"]:
        kind = field["type"] + (f"[{field['extent']}]" if field.get("extent") else "")
        lines.append(f"| {field['offset']} | `{field['name']}` | `{kind}` | {cell(plain(field['comment']))} |")
    return "\n".join(lines) + "\n"


def callback_text(callback):
    arguments = ", ".join(f"`{one['type']} {one['name']}`".replace("* ", "*") for one in callback["arguments"])
    text = [f"### {callback['name']}", "", comment(callback["comment"]), "", f"Its arguments: {arguments}."]
    return "\n".join(text) + "\n"


def enum_text(enum):
    lines = [f"## {enum['name'].replace('_', ' ')}", "", comment(enum["comment"]), ""]
    if enum["kind"]:
        lines += [f"Their names: `tenon_constant_name` with `{enum['kind']}`.", ""]
    lines += ["| constant | value | what |", "| --- | --- | --- |"]
    for value in enum["values"]:
        lines.append(f"| `{value['name']}` | {value['value']} | {cell(plain(value['comment']))} |")
    return "\n".join(lines) + "\n"


def pages(described, header):
    api = json.loads(described)
    made, toc, table = {}, [], []
    placed = set()

    def page(title, texts, intro=""):
        path = f"api/{slug(title)}"
        made[path + ".md"] = f"# {title}\n\n{intro}\n\n" + "\n".join(texts)
        toc.append(slug(title))
        return slug(title)

    everything = {kind: [one for one in api[kind] if one["header"] != "tenonx.h"] for kind in ("functions", "structs")}
    for title, text in sections(header):
        mine = [f for f in everything["functions"] if re.search(rf"TENON_API[^;]*?\b{f['name']}\(", text)]
        structs = [s for s in everything["structs"] if re.search(rf"^typedef struct {s['name']} \{{", text, flags=re.M)]
        callbacks = [c for c in api["callbacks"] if re.search(rf"\(\*{c['name']}\)", text)]
        if not mine:
            continue
        placed |= {one["name"] for one in mine + structs + callbacks}
        texts = ["## Functions\n"] + [function_text(one) for one in mine]
        if callbacks:
            texts += ["## Callbacks\n"] + [callback_text(one) for one in callbacks]
        if structs:
            texts += ["## Structs\n"] + [struct_text(one) for one in structs]
        where = page(title, texts)
        table += [(one["name"], one["brief"], where) for one in mine]
    extra = {kind: [one for one in api[kind] if one["header"] == "tenonx.h"] for kind in ("functions", "structs")}
    where = page(
        "Experimental (tenonx.h)",
        ["## Functions\n"] + [function_text(one) for one in extra["functions"]]
        + ["## Structs\n"] + [struct_text(one) for one in extra["structs"]],
        "Nothing here is promised: it may change or go with any version ([what is promised](../abi.md)).",
    )  # fmt: skip
    table += [(one["name"], one["brief"], where) for one in extra["functions"]]
    placed |= {one["name"] for kind in extra.values() for one in kind}
    missing = {one["name"] for kind in ("functions", "structs", "callbacks") for one in api[kind]} - placed
    if missing:
        raise SystemExit(f"in no section of the header: {sorted(missing)}")
    handles = [f"## {one['name']}\n\n{comment(one['comment'] or 'Many states of one robot.')}\n\nMade by "
               + ", ".join(f"`{name}`" for name in one["create"]) + f"; freed by `{one['destroy']}`.\n"
               for one in api["handles"]]  # fmt: skip
    page("Objects", handles)
    page("Constants", [enum_text(one) for one in api["enums"]])
    sizes = "\n".join(f"| {plain(name)} | {plain(text)} |" for name, text in api["sizes"].items())
    index = "\n".join(f"| `{name}` | {cell(plain(brief))} |" for name, brief, _ in sorted(table))
    made["api/index.md"] = (
        "# API\n\nEvery function, struct and constant of version " + api["version"] + ", made from `packaging/api.json`, "
        "which is made from the headers. How they are called, and what holds for all of them, is in "
        "[Conventions](../concepts/conventions.md).\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(toc)
        + "\n```\n\n## Sizes\n\nIn the tables of arguments these stand for lengths:\n\n| | |\n| --- | --- |\n" + sizes
        + "\n\n## All functions\n\n| | |\n| --- | --- |\n" + index + "\n"
    )  # fmt: skip
    return made
