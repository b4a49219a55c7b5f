"""The layer of Julia, which is not run here: its files parse; what it calls of tenon.h is there, with as many arguments as
there are, counts behind the arrays that they count; a constant or struct of the headers is one; fields of structs of the
library are fields; every other name that is called, or stands for a value, is defined in the package, by Julia or where it is used;
functions of the package get as many arguments as one of their definitions takes; what is exported is defined; the name of
the library is its SONAME; README and project agree with the files.

    python3 check_layer.py <capi/clients/julia> <api.json> <libtenon.so>        (tree-sitter and tree-sitter-julia)
"""

import glob
import json
import os
import re
import struct
import sys
import tomllib

import tree_sitter
import tree_sitter_julia

# Names of Julia itself, and of its modules Libdl, Printf and Test, that the layer uses.
JULIA = set(
    """AbstractArray AbstractMatrix AbstractString AbstractVector Array Base Bool Cchar Csize_t DenseArray DenseMatrix
    DenseVector ENV ARGS Exception Float64 GC IO Int Int32 Integer Libdl Matrix Nothing Ptr Real Ref String Symbol Sys
    Type UInt64 Union Vector C_NULL abs basename close collect copy eachindex error false fill fill! finalize finalizer
    get hcat in include isempty join joinpath length max maximum new nothing occursin ones open pointer print println
    range reinterpret reshape resize! rethrow setproperty! size sizeof string sum throw true trues unsafe_string view
    zeros Any Dict Float32 NTuple Pair PermutedDimsArray Set StridedArray Tuple Core NaN Cvoid @cfunction @error any
    eltype end fieldcount fieldnames fieldtype filter first foreach get haskey init keys last lastindex map min ndims one
    pairs parse pointer_from_objref prod push! reduce stride strides typeof unsafe_pointer_to_objref unsafe_wrap vec zip
    isa""".split()
)
PREFIXES = ("Base.", "GC.", "Sys.", "Libdl.")
# Structs of the library by the variables that hold them in this layer, beside those that prepared() made.
HELD = {"there": "tenon_batch_array"}


def text(node):
    return "".join(node.text.decode().split())


def walk(node):
    yield node
    for child in node.named_children:
        yield from walk(child)


def soname(path):
    """DT_SONAME of a 64-bit ELF file."""
    with open(path, "rb") as file:
        data = file.read()
    start, count, size = struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<H", data, 0x3C), 64
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * i) for i in range(count)]
    for section in sections:
        if section[1] == 6:  # the dynamic section; its link is the table of strings
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 16):
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == 14:
                    return data[strings + value : data.index(b"\0", strings + value)].decode()
    return None


class Check:
    def __init__(self, folder, api):
        self.folder, self.faults, self.calls, self.lengths = folder, [], 0, 0
        self.functions = {f["name"]: [a["name"] for a in f["arguments"]] for f in api["functions"]}
        self.structs = {s["name"]: {f["name"] for f in s["fields"]} for s in api["structs"]}
        values = [v for e in api["enums"] for v in e["values"]] + api["constants"]
        handles = {w for f in api["functions"] for a in f["arguments"] for w in re.findall(r"tenonx?_\w+", a["type"])}
        self.raw = self.functions.keys() | self.structs.keys() | {v["name"] for v in values} | handles
        self.definitions, self.globals = {}, set()
        self.parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))

    def fault(self, file, node, what):
        self.faults.append(f"{file}:{node.start_point.row + 1}: {what}")

    def parse(self, file, source):
        root = self.parser.parse(source).root_node
        for node in [root, *walk(root)] if root.has_error else []:
            if node.is_error or node.is_missing:
                self.fault(file, node, "this is no Julia")
        return root

    # ---- what is defined

    def signature(self, node):
        """The call in the head of a definition: f(x), f(x) where T, or f(x)::T."""
        while node is not None and node.type in ("signature", "where_expression", "typed_expression"):
            node = node.named_children[0]
        return node if node is not None and node.type == "call_expression" else None

    def definition(self, node):
        if node.type == "function_definition":
            return self.signature(node.named_children[0])
        if node.type == "assignment" and node.named_children[0].type in ("call_expression", "where_expression"):
            return self.signature(node.named_children[0])
        return None

    def takes(self, call):
        """How many arguments a definition takes at least and at most, and its keywords; None: any."""
        arguments, least, most, keywords = call.named_children[1], 0, 0, set()
        for argument in arguments.named_children:
            splat, named = argument.type == "splat_expression", argument.type == "named_argument"
            if not self.positional(arguments, argument):
                name = text(argument.named_children[0] if named else argument).split("::")[0]
                keywords = None if splat or keywords is None else keywords | {name}
            elif splat:
                most = 99
            else:
                least, most = least + (not named), most + 1
        return least, most, keywords

    @staticmethod
    def positional(arguments, argument):
        """Whether a named argument stands before the semicolon."""
        semicolons = [c.start_byte for c in arguments.children if c.type == ";"]
        return not semicolons or argument.start_byte < semicolons[0]

    def collect(self, root):
        for node in walk(root):
            call = self.definition(node)
            if call is not None:
                self.definitions.setdefault(text(call.named_children[0]), []).append(self.takes(call))
            elif node.type == "struct_definition":
                name = text(next(w for w in walk(node) if w.type == "identifier"))
                fields = [c for c in node.named_children if c.type == "typed_expression"]
                self.globals.add(name)
                inner = [d for d in map(self.definition, walk(node)) if d is not None]
                if not inner:
                    self.definitions.setdefault(name, []).append((len(fields), len(fields), set()))
            elif node.type == "const_statement":
                self.globals.add(text(node.named_children[0].named_children[0]))
            elif node.type == "module_definition":
                self.globals.add(text(node.named_children[0]))

    # ---- what is used

    def locals_of(self, root):
        """Names that a file binds anywhere: arguments, assignments, loops. A check of spelling, not of scope."""
        names = set()
        for node in walk(root):
            targets = []
            if node.type == "assignment":
                targets = [node.named_children[0]]
            elif node.type == "for_binding":
                targets = [node.named_children[0]]
            elif node.type == "catch_clause":
                targets = node.named_children[:1]
            elif node.type == "struct_definition":
                targets = [c for c in node.named_children if c.type == "typed_expression"]
            elif node.type == "parametrized_type_expression" or node.type == "where_expression":
                names |= {text(w) for w in walk(node) if w.type == "identifier" and len(text(w)) == 1}
            elif node.type in ("do_clause", "arrow_function_expression"):
                targets = node.named_children[:1]
            call = self.definition(node)
            if call is not None:
                targets = call.named_children[1].named_children
            for target in targets:
                if target.type in ("call_expression", "field_expression", "index_expression"):
                    continue
                if target.type in ("named_argument", "typed_expression"):
                    target = target.named_children[0]
                names |= {text(w) for w in walk(target) if w.type == "identifier"}
        return names

    def raw_call(self, file, node, name, arguments):
        self.calls += 1
        if name not in self.functions:
            return self.fault(file, node, f"{name} is no function of the headers")
        wanted = self.functions[name]
        if len(arguments) != len(wanted):
            return self.fault(file, node, f"{name} gets {len(arguments)} arguments and takes {len(wanted)}")
        for i in range(1, 0 if name.endswith("_init") else len(wanted)):
            counted = wanted[i] == wanted[i - 1] + "_count" or wanted[i].endswith("_size")
            counted_here = re.fullmatch(r"length\((\w+)\)|sizeof\((\w+)\)", text(arguments[i]))
            if counted_here and (not counted or (counted_here[1] or counted_here[2]) != text(arguments[i - 1])):
                self.fault(file, node, f"{name}: {text(arguments[i])} stands for {wanted[i]}")
            if wanted[i] == wanted[i - 1] + "_count" and text(arguments[i - 1]) == "C_NULL" and text(arguments[i]) != "0":
                self.fault(file, node, f"{name}: no {wanted[i - 1]}, and {text(arguments[i])} of it")
            if text(arguments[i]) == "0" and wanted[i].endswith("_count") and text(arguments[i - 1]) != "C_NULL":
                self.fault(file, node, f"{name}: {text(arguments[i - 1])} has no numbers")

    def call(self, file, node):
        callee, arguments = node.named_children[0], node.named_children[1]
        if arguments.type != "argument_list":
            return
        name = text(callee)
        given = [a for a in arguments.named_children if a.type != "named_argument"]
        named = {text(a.named_children[0]) for a in arguments.named_children if a.type == "named_argument"}
        splats = [a for a in given if a.type == "splat_expression" and self.positional(arguments, a)]
        given = [a for a in given if a.type != "splat_expression"]
        count = len(given) + any(c.type == "do_clause" for c in node.named_children)
        for prefix in ("Raw.", "Tenon.Raw."):
            if name.startswith(prefix):
                if name[len(prefix) :] not in self.structs:
                    self.raw_call(file, node, name[len(prefix) :], given)
                return
        takes = self.definitions.get(name)
        if takes and not splats and not any(
            least <= count <= most and (keywords is None or named <= keywords) for least, most, keywords in takes
        ):
            self.fault(file, node, f"{name} gets {count} arguments and {named or 'no keywords'}; it takes {takes}")

    def counts(self, file, root):
        """x = given(q, nq, "q"), and then x, nq: an array goes out with the length that it was found to have, and where C
        calls it by the name that messages call it."""
        for function in walk(root):
            if self.definition(function) is None:
                continue
            known, aliases = {}, {}
            for node in walk(function):
                if node.type != "assignment":
                    continue
                left, right = node.named_children[0], node.named_children[-1]
                pairs = [(left, right)]
                if left.type == right.type == "open_tuple":
                    pairs = zip(left.named_children, right.named_children)
                for name, value in pairs:
                    looked = re.fullmatch(r'(?:given|optional)\(\w+,(.+),"(\w+)"\)', text(value))
                    if looked:
                        known[text(name)] = looked.groups()
                    elif value.type == "field_expression":
                        aliases[text(name)] = text(value)
            for node in walk(function):
                name = text(node.named_children[0]).removeprefix("Raw.") if node.type == "call_expression" else ""
                if name not in self.functions or node.named_children[1].type != "argument_list":
                    continue
                arguments, wanted = [text(a) for a in node.named_children[1].named_children], self.functions[name]
                for i in range(len(wanted) - 1):
                    looked = re.fullmatch(r'given\(\w+,(.+),"(\w+)"\)', arguments[i])
                    count, called = looked.groups() if looked else known.get(arguments[i], (None, None))
                    if count is None or wanted[i + 1] != wanted[i] + "_count":
                        continue
                    self.lengths += 1
                    if aliases.get(count, count) != aliases.get(arguments[i + 1], arguments[i + 1]):
                        self.fault(file, node, f"{name}: {called} has {count} numbers, and not {arguments[i + 1]}")
                    if called != wanted[i]:
                        self.fault(file, node, f"{name}: {called} stands for {wanted[i]}")

    def fields(self, file, root):
        """chosen.field where chosen = prepared(Raw.struct, ...)."""
        for function in walk(root):
            if self.definition(function) is None:
                continue
            held = dict(HELD)
            for node in walk(function):
                if node.type == "assignment":
                    made = re.match(r"prepared\(Raw\.(\w+),Raw\.(\w+)\)", text(node.named_children[-1]))
                    if made:
                        held[text(node.named_children[0])] = made[1]
                        if made[2] != made[1] + "_init":
                            self.fault(file, node, f"{made[1]} is prepared by {made[2]}")
            for node in walk(function):
                if node.type == "field_expression":
                    owner, field = text(node.named_children[0]), text(node.named_children[-1])
                    if owner in held and field not in self.structs[held[owner]]:
                        self.fault(file, node, f"{held[owner]} has no field {field}")

    def names(self, file, root, known):
        heads = {head.id for head in map(self.definition, walk(root)) if head is not None}
        for node in walk(root):
            if node.type == "call_expression" and node.id not in heads:
                self.call(file, node)
            if node.type == "field_expression":
                whole = text(node)
                first = whole.split(".")[0]
                for prefix in ("Raw.", "Tenon.Raw."):
                    if whole.startswith(prefix) and whole[len(prefix) :].split(".")[0] not in self.raw:
                        self.fault(file, node, f"{whole} is not in the headers")
                if first.isidentifier() and first not in known and not whole.startswith(PREFIXES):
                    self.fault(file, node, f"{first} is not defined")
            if node.type == "identifier" and text(node) not in known:
                above = node.parent
                in_field = above.type == "field_expression" and above.named_children[0] != node
                keyword = above.type in ("named_argument", "named_field") and above.named_children[0] == node
                if not in_field and not keyword and above.type not in ("macro_identifier", "quote_expression"):
                    self.fault(file, node, f"{text(node)} is not defined")

    def run(self, library):
        files = sorted(glob.glob(os.path.join(self.folder, "**/*.jl"), recursive=True))
        names = [os.path.relpath(path, self.folder) for path in files]
        roots = {}
        for path, name in zip(files, names):
            if name != "src/raw.jl":
                with open(path, "rb") as file:
                    roots[name] = self.parse(name, file.read())
        package = {name: root for name, root in roots.items() if name.startswith("src/")}
        for root in package.values():
            self.collect(root)
        own = JULIA | self.globals | self.definitions.keys() | {"Tenon"}
        with open(os.path.join(self.folder, "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```julia\n(.*?)```", file.read(), flags=re.S)
        for i, block in enumerate(blocks):
            roots[f"README.md, block {i + 1}"] = self.parse(f"README.md, block {i + 1}", block.encode())
        for name, root in roots.items():
            if name not in package:
                self.collect(root)
            self.names(name, root, own | self.locals_of(root) | self.definitions.keys() | {"Printf", "Test", "path"})
            self.fields(name, root)
            self.counts(name, root)
        exports = "".join(root.text.decode() + "\n" for root in package.values())
        self.package(names, roots["src/Tenon.jl"], exports, library)
        print(f"{len(roots)} files, {self.calls} calls of the library, {self.lengths} lengths, {len(self.definitions)} functions")
        return self.faults

    def package(self, names, root, exports, library):
        with open(os.path.join(self.folder, "Project.toml"), "rb") as file:
            project = tomllib.load(file)
        if project["name"] != "Tenon" or not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", project["uuid"]):
            self.faults.append("Project.toml: name or uuid")
        if project["version"] != self.version:
            self.faults.append(f"Project.toml: version {project['version']}, and the library {self.version}")
        source = root.text.decode()
        included = {f"src/{name}" for name in re.findall(r'include\("(.*?)"\)', source)}
        if included | {"src/Tenon.jl"} != {name for name in names if name.startswith("src/")}:
            self.faults.append(f"src/Tenon.jl includes {sorted(included)}")
        exported = {n for line in re.findall(r"^export (.*)$", exports, flags=re.M) for n in line.split(", ")}
        for name in sorted(exported - self.globals - self.definitions.keys()):
            self.faults.append(f"{name} is exported and not defined")
        if len(exported) < 50 or f'"{soname(library)}"' not in source:
            self.faults.append(f"{len(exported)} names are exported; {soname(library)} is not what libtenon is")
        for name in set(re.findall(r"^using (\w+)", source, flags=re.M)) - project["deps"].keys():
            self.faults.append(f"{name} is used and not in Project.toml")


def main(folder, api, library):
    with open(api, encoding="utf-8") as file:
        described = json.load(file)
    check = Check(folder, described)
    check.version = described["version"]
    faults = check.run(library)
    print("\n".join(faults[:40]))
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
