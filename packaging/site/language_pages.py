"""References of the layers in Python, C++ and Rust: their classes and what these can, read out of the layers."""

import ast
import os
import re

CLIENTS = "capi/clients"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def first_sentence(text):
    text = " ".join(text.split())
    match = re.match(r".*?(?<!Eq)(?<!Alg)[.:](?=\s|$)", text)
    return (match[0] if match else text).rstrip(".:") + "."


def python(root):
    """(class, signature, comment) of what is public."""
    for name in ("_core", "_batches", "model", "builder", "constraints", "workspace", "batch", "functions"):
        for node in ast.parse(read(root, CLIENTS, "python/tenon", name + ".py")).body:
            if isinstance(node, ast.FunctionDef) and name == "functions":
                yield "", _signature(node), ast.get_docstring(node) or ""
            elif isinstance(node, ast.ClassDef) and node.name not in ("Error", "Handle"):
                owner = {"Computing": "Workspace", "Batches": "Batch"}.get(node.name, node.name)
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and re.match(r"[a-z]|__init__", method.name):
                        yield owner, _signature(method), ast.get_docstring(method) or ""


def _signature(node):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(?:self|cls)(?:, )?", "", arguments)
    returns = " -> " + ast.unparse(node.returns) if node.returns else ""
    return f"{node.name}({arguments}){returns}"


def cpp(root):
    folder = os.path.join(root, CLIENTS, "cpp/tenon")
    for name in ("methods.hpp", "objects.hpp"):
        owner, public, about, inside = "", False, [], False
        lines = read(folder, name).split("\n")
        for number, line in enumerate(lines):
            kind = re.match(r"(class|struct) (\w+).*\{$", line)
            if kind:
                owner, public = re.sub("Calls$", "", kind[2]), kind[1] == "struct"
            elif re.match(r" (public|private|protected):$", line):
                public = "public" in line
            elif inside or re.match(r"  (/\*|//) ", line):
                about.append(re.sub(r"^(/\*|//|\*) ?|\s*\*/$", "", line.strip()))
                inside = (inside or "/*" in line) and "*/" not in line
            else:
                text = line
                begins = re.match(r"  (?:explicit |static |const )*[\w:<>&]+.*\(", line)
                if public and begins and not re.search(r"= (?:delete|default);|detail::Made,", line):
                    while not re.search(r"[{;]", text):
                        number += 1
                        text += " " + lines[number].strip()
                    found = re.match(r"(.*?\)(?: const)?)(?: \{| : |;)", text)
                    signature = found[1] if found else text
                    if not re.match(r"  (?:return|if|for|throw|using|template)\b", text) and owner:
                        yield owner, re.sub(r"Calls\(", "(", " ".join(signature.split())), " ".join(about)
                about = []


def rust(root):
    folder = os.path.join(root, CLIENTS, "rust/tenon/src")
    for name in ("calls.rs", "objects.rs"):
        owner, about = "", []
        lines = read(folder, name).split("\n")
        for number, line in enumerate(lines):
            if re.match(r"\s*///", line):
                about.append(line.strip()[3:].strip())
                continue
            kind = re.match(r"impl(?:<.*?>)? (\w+)", line)
            if kind:
                owner = "" if " for " in line else kind[1]
            owner = "" if line.startswith("}") else owner
            if re.match(r"\s*pub fn ", line) and (owner or line.startswith("pub")):
                text = line
                while "{" not in text:
                    number += 1
                    text += " " + lines[number].strip()
                signature = " ".join(text.split("{")[0].replace("pub fn", "fn").split())
                yield owner, signature, "\n".join(about).split("\n\n")[0].replace("\\", "")
            if not re.match(r"\s*#\[", line):
                about = []


LANGUAGES = {"python": ("Python", python), "cpp": ("C++", cpp), "rust": ("Rust", rust)}


def pages(root):
    made = {}
    for key, (name, members) in LANGUAGES.items():
        classes = {}
        for owner, signature, about in members(root):
            classes.setdefault(owner, {}).setdefault(signature, about)
        count = sum(map(len, classes.values()))
        if count < 150:
            raise SystemExit(f"of the layer of {name} no more than {count} calls were read")
        about_all = "What the layer has, class by class; arguments are those of the [function of C](../api/index.md) of the same"
        text = [f"# {name}", "", about_all + " name, where all is told.", ""]
        for owner, calls in sorted(classes.items(), key=lambda one: (not one[0], one[0])):
            text += [f"## {owner or 'Functions'}", ""]
            for signature, about in calls.items():
                said = re.sub(r"([\\*_`<>\[\]{}$#|~])", r"\\\1", first_sentence(about)) if about.strip() else ""
                text += [f"- `{signature}`" + (f"  \n  {said}" if said else "")]
            text.append("")
        made[f"reference/{key}.md"] = "\n".join(text)
    made["reference/index.md"] = (
        "# Languages\n\nThe layers of Python, C++ and Rust, as they are. C#, Java, JavaScript, Go and Julia have the same\n"
        "functions under the same names, in the spelling of their language: [all clients](../quickstart/clients.md).\n\n"
        "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(LANGUAGES) + "\n```\n"
    )
    return made
