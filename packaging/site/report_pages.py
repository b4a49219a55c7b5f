"""What the pages of benchmarks and of pictures say of bench/results, as it is committed."""

import glob
import json
import os
import re

QUANTITIES = {"aba": "forward dynamics", "rnea": "inverse dynamics", "crba": "mass matrix",
              "constrained": "constrained dynamics", "delassus": "Delassus matrix",
              "damped_inverse": "damped inverse"}  # fmt: skip


def pictures(root):
    found = glob.glob(os.path.join(root, "bench/results/**/*.svg"), recursive=True)
    for folder in ("packaging", "packaging/site/gallery"):
        found += glob.glob(os.path.join(root, folder, "*.svg"))
    return sorted(os.path.relpath(path, root) for path in found)


def title_of(root, picture):
    """What a plot calls itself: its largest text."""
    with open(os.path.join(root, picture), encoding="utf-8") as file:
        texts = re.findall(r"<text([^>]*)>([^<]+)</text>", file.read())
    sized = [(float((re.search(r'font-size="([\d.]+)', how) or [0, 0])[1]), text) for how, text in texts]
    best = max((size for size, _ in sized), default=0)
    return next((text for size, text in sized if size == best), picture) if best else os.path.basename(picture)


def shown(root, picture):
    name = "pictures/" + picture.replace("/", "_")
    title = re.sub(r"([\\*_`<>\[\]$])", r"\\\1", title_of(root, picture))
    return f"![{title}](/{name})\n\n`{picture}`\n"


def ranges(summary):
    lines = ["| | least | middle | most | rows |", "| --- | --- | --- | --- | --- |"]
    for quantity, words in QUANTITIES.items():
        ratios = sorted(row["ratio"] for row in summary["rows"] if row["quantity"] == quantity and row.get("ratio"))
        if ratios:
            middle = ratios[len(ratios) // 2]
            lines.append(f"| {words} | {ratios[0]:.2f} | {middle:.2f} | {ratios[-1]:.2f} | {len(ratios)} |")
    return "\n".join(lines)


def machine(root, folder):
    path = os.path.join(root, "bench/results", folder)
    with open(os.path.join(path, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    with open(os.path.join(path, "tables.md"), encoding="utf-8") as file:
        tables = file.read()
    about = summary["machine"]
    lines = [f"## {about['cpu']}, {about['isa']}\n", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in about.items() if name != "command"]
    lines += ["", "How many times as fast as Pinocchio's fastest method and build Tenon is by its defaults, one state a",
              "call, over the robots below:\n", ranges(summary), ""]  # fmt: skip
    lines += [shown(root, one) for one in pictures(root) if f"/{folder}/" in one]
    begin = tables.index("## One state a call")
    lines.append(re.sub(r"^(#+) ", r"#\1 ", tables[begin:], flags=re.M))
    return "\n".join(lines)


def derivatives(root):
    """The tables of bench/derivatives.sh, a section for each machine."""
    parts = []
    for path in sorted(glob.glob(os.path.join(root, "bench/results/*/derivatives.md"))):
        with open(path, encoding="utf-8") as file:
            table = file.read()
        cpu, isa = (re.search(rf"^\| {name} \| (.*) \|$", table, flags=re.M)[1] for name in ("cpu", "isa"))
        parts += [f"## {cpu}, {isa}\n", re.sub(r"^#(#+) ", r"##\1 ", table[table.index("\n") :].strip(), flags=re.M)]
    return "\n".join(parts)


def pages(root):
    folders = sorted(os.path.basename(os.path.dirname(path))
                     for path in glob.glob(os.path.join(root, "bench/results/*/summary.json")))  # fmt: skip
    studies = [one for one in pictures(root) if one.startswith("bench/results/") and one.count("/") == 2]
    gallery = ["## Plots of the studies\n", "By the programs in `bench/studies`; the numbers are beside them.\n"]
    gallery += [shown(root, one) for one in studies]
    gallery += ["## Plots of the benchmarks\n", "[Benchmarks](benchmarks.md) tells how they were measured.\n"]
    gallery += [shown(root, one) for one in pictures(root) if re.match(r"bench/results/\w+/", one)]
    return {
        "benchmarks.md": "\n" + "\n".join(machine(root, folder) for folder in folders),
        "benchmarks_derivatives.md": "\n" + derivatives(root),
        "gallery.md": "\n" + "\n".join(gallery),
    }
