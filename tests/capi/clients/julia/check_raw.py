"""The raw layer of Julia, which is not run here: it parses, and each ccall has the symbol, the types and the arguments of
packaging/api.json; structs have its offsets by Julia's rules, which are C's; constants have its values.

    python3 check_raw.py <raw.jl> <api.json>        (tree-sitter and tree-sitter-julia)
"""

import json
import re
import sys

import tree_sitter
import tree_sitter_julia

NUMBERS = {
    "int32_t": ("Int32", 4), "uint32_t": ("UInt32", 4), "int64_t": ("Int64", 8), "uint64_t": ("UInt64", 8),
    "size_t": ("Csize_t", 8), "ptrdiff_t": ("Cptrdiff_t", 8), "double": ("Float64", 8), "tenon_status": ("Int32", 4),
}  # fmt: skip


def wanted(c, callbacks):
    """The Julia types that stand for a C type as the header spells it."""
    words = re.sub(r"\bconst\b", " ", c).replace("*", " * ").split()
    base, stars = words[0], words.count("*")
    if base in callbacks:
        return {"Ptr{Cvoid}"}
    if base == "void":
        return {"Cvoid"} if stars == 0 else {"Ptr{Cvoid}"}
    if base == "char":
        return {"Ptr{Cchar}", "Cstring"} if stars == 1 else {"Ptr{Cstring}", "Ptr{Ptr{Cchar}}"}
    name = NUMBERS[base][0] if base in NUMBERS else base
    return {"Ptr{" * stars + name + "}" * stars}


def text(node):
    return "".join(node.text.decode().split())


class Check:
    def __init__(self, source, api):
        self.root = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language())).parse(source).root_node
        self.api, self.faults = api, []
        self.callbacks = {c["name"] for c in api["callbacks"]}
        self.definitions, self.structs, self.constants = {}, {}, {}
        for node in self.root.named_children:
            if node.type == "assignment":
                call, _, body = node.children
                self.definitions.setdefault(text(call.named_children[0]), []).append((call, body))
            elif node.type == "struct_definition":
                fields = [c for c in node.named_children if c.type == "typed_expression"]
                self.structs[text(node.named_children[0])] = [tuple(map(text, f.named_children)) for f in fields]
            elif node.type == "const_statement":
                name, _, value = node.named_children[0].children
                self.constants[text(name)] = text(value)
            elif node.type != "line_comment":
                self.faults.append(f"line {node.start_point.row + 1}: a {node.type} in a file of declarations")

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")

    def errors(self, node):
        if node.is_error or node.is_missing:
            self.fault(f"line {node.start_point.row + 1}", "this is no Julia")
        elif node.has_error:
            for child in node.children:
                self.errors(child)

    def function(self, f):
        name = f["name"]
        if len(self.definitions.get(name, [])) != 1:
            return self.fault(name, f"{len(self.definitions.get(name, []))} definitions")
        call, body = self.definitions[name][0]
        parameters = [text(a) for a in call.named_children[1].named_children]
        if [p.rstrip("_") for p in parameters] != [a["name"] for a in f["arguments"]]:
            self.fault(name, f"has the arguments {parameters}")
        if body.type != "call_expression":
            return self.fault(name, f"is {text(body)}")
        callee, arguments = body.named_children
        symbol, result, types, *passed = arguments.named_children
        if text(callee) != "ccall" or text(symbol) != f"(:{name},libtenon)":
            self.fault(name, f"calls {text(callee)} {text(symbol)}")
        if types.type != "tuple_expression":
            return self.fault(name, f"{text(types)} is no tuple of types")
        if text(result) not in wanted(f["result"]["type"], self.callbacks):
            self.fault(name, f"returns {text(result)}, and C {f['result']['type']}")
        types = [text(t) for t in types.named_children]
        if len(types) != len(f["arguments"]):
            self.fault(name, f"{len(types)} types of {len(f['arguments'])} arguments")
        for a, type_ in zip(f["arguments"], types):
            if type_ not in wanted(a["type"], self.callbacks):
                self.fault(name, f"{a['name']} is {type_}, and C {a['type']}")
        if [text(p) for p in passed] != parameters:
            self.fault(name, f"takes {parameters} and passes {[text(p) for p in passed]}")

    def struct(self, s):
        fields = self.structs.get(s["name"])
        if fields is None or [f for f, _ in fields] != [f["name"] for f in s["fields"]]:
            return self.fault(s["name"], f"has the fields {fields}")
        end, sizes = 0, {julia: size for julia, size in NUMBERS.values()}
        for (name, type_), field in zip(fields, s["fields"]):
            count, one = 1, type_
            if type_.startswith("NTuple{"):
                count, one = type_[7:-1].split(",", 1)
            size = 8 if one.startswith("Ptr{") or one == "Cstring" else sizes[one]
            if one not in wanted(field["type"].split("[")[0], self.callbacks):
                self.fault(s["name"], f"{name} is {type_}, and C {field['type']}")
            offset = -(-end // size) * size
            if offset != field["offset"]:
                self.fault(s["name"], f"{name} is at {offset}, and in C at {field['offset']}")
            end = offset + size * int(count)
        if -(-end // s["alignment"]) * s["alignment"] != s["size"]:
            self.fault(s["name"], f"ends at {end} and has {s['size']} bytes in C")

    def run(self):
        self.errors(self.root)
        for f in self.api["functions"]:
            self.function(f)
        for s in self.api["structs"]:
            self.struct(s)
        values = [v for e in self.api["enums"] for v in e["values"]] + self.api["constants"]
        for v in values:
            if not self.constants.get(v["name"], "").endswith(f"({v['value']})"):
                self.fault(v["name"], f"is {self.constants.get(v['name'])}, and in C {v['value']}")
        for name in self.definitions.keys() - {f["name"] for f in self.api["functions"]}:
            self.fault(name, "is no function of the headers")
        print(
            f"{len(self.definitions)} functions, {len(self.structs)} structs and handles, {len(self.constants)} constants"
        )
        return self.faults


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as julia, open(sys.argv[2], encoding="utf-8") as description:
        faults = Check(julia.read(), json.load(description)).run()
    print("\n".join(faults[:40]))
    sys.exit(1 if faults else 0)
