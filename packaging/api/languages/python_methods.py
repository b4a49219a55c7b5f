"""Python: the methods of the layer's classes, one for each function, and the functions that belong to no object."""

import os
import re
import sys

from . import layers, meanings, python_batch, python_calls, python_members, python_notes
from .common import MARK, Types, comment
from .python_plans import (
    CONSTANTS, DEFAULTS, PARAMETERS, SIZES, TOLD, TUPLES, TYPES, imports, moves, option, plans, word, wrapped,
)  # fmt: skip
from .python_types import class_name, struct_name
from .python_words import CLASSES, FREE

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import notes  # noqa: E402

LINKS = ("link", "second_link", "joint")
CTYPES = {"double": "c_double", "size_t": "c_size_t"}


class Writer:
    def __init__(self, api):
        self.api, self.types = api, Types(api)
        self.blocks = notes.Notes({f["name"]: (f["comment"], [a["name"] for a in f["arguments"]]) for f in api["functions"]})
        self.every = list(plans(api))
        self.notes = python_notes.Notes(api, self.every)

    # ---- parts of a method

    def hint(self, p, name, a):
        if name in (*LINKS, "constraint"):
            return "str | int"
        if a.c["name"] in CONSTANTS and a.kind == "value":
            return f"{class_name(CONSTANTS[a.c['name']])} | str"
        if a.c["name"] == "active" and a.kind == "value":
            return "bool"
        if a.kind == "object":
            kind = class_name(a.base.replace("tenon_", ""))
            return kind + (" | None" if a.null else "")
        if a.kind == "callback":
            results = ", ".join("ArrayLike" for _, (_, read) in python_members.lengths(self.api, a).items() if not read)
            read = ", ".join("np.ndarray" for _, (_, read) in python_members.lengths(self.api, a).items() if read)
            return f"Callable[[{read}], tuple[{results}]]"
        if a.kind == "text":
            return {"path": "str | os.PathLike", "text": "str | bytes"}.get(a.c["name"], "str")
        if a.kind == "texts":
            return "str | Iterable[str]"
        if name == "links":
            return "Sequence[str | int]"
        if a.kind in ("array", "matrix", "batch_array"):
            return "np.ndarray" if name in p.in_place else "ArrayLike"
        return TYPES[a.base]

    def parameters(self, p):
        out = ["cls" if p.kind == "classmethod" else "self"] if p.kind != "free" else []
        for name, a in p.inputs:
            out.append(f"{name}: {self.hint(p, name, a)}")
        out += [*(f"{link}: str | int" for link in p.links), "/"] if p.links else []
        for name, a in p.optional:
            default = DEFAULTS.get((p.function, name), "Axes.WORLD" if name == "axes" else "None")
            hint = self.hint(p, name, a)
            out.append(f"{name}: {hint}{' | None' if default == 'None' and 'None' not in hint else ''} = {default}")
        if p.chosen and not p.by_name:
            out.append(f"options: _raw.{p.chosen.base} | None = None")
        for name, a in self.arrays(p):
            hint = "np.ndarray | bool | None" if a.null and len(self.arrays(p)) > 1 else "np.ndarray | None"
            out.append(f"{self.out_name(p, name)}: {hint} = None")
        out += python_batch.more_parameters(p) if p.method.owner == "tenon_batch" else []
        out += python_members.more_parameters(p)
        if p.chosen and p.chosen.base != PARAMETERS:
            out.append(f"**how: Unpack[{struct_name({'name': p.chosen.base})}]")
        return out

    @staticmethod
    def made(p):
        """Options, by name or as they were made before."""
        make = f"structs.{option(p.chosen.base)}"
        return f"{make}(how)" if p.by_name else f"by_name(options, {make}, how)"

    @staticmethod
    def arrays(p):
        """Outputs that a caller may give."""
        if p.kind == "property" or p.method.owner == "tenon_model" or p.function == "tenon_workspace_constraints":
            return []
        return [(n, a) for n, a in p.outs if a.kind in ("array", "matrix", "batch_array") and a.base != "int32_t"]

    @staticmethod
    def out_name(p, name):
        """The first one is out, but where a step leaves them, and where a batch has results of many kinds."""
        named = moves(p) or p.function in TOLD or p.tuple and p.method.owner == "tenon_batch"
        return "out" if Writer.arrays(p)[0][0] == name and not named else name

    def returned(self, p):
        """The type, and what its parts are."""
        result = p.method.function["result"]["base"]
        if p.kind in ("classmethod", "clone") or p.method.makes and p.kind != "init":
            return class_name(p.method.makes.replace("tenon_", ""))
        if "instruction" in p.name:
            return "InstructionSet"
        if p.kind == "once":
            return class_name(p.method.owner.replace("tenon_", ""))
        if not p.method.status:
            return {"char": "str"}.get(result, "int")
        kinds = []
        for name, a in p.outs if not moves(p) else ():
            if a.kind in ("array", "matrix", "batch_array"):
                kinds.append("np.ndarray")
            elif a.kind == "struct":
                kinds.append(struct_name({"name": a.base}))
            elif a.kind == "text_buffer":
                return "str"
            elif a.c["name"] in CONSTANTS:
                kinds.append(class_name(CONSTANTS[a.c["name"]]))
            else:
                kinds.append(TYPES[a.base])
        if p.function == "tenon_find_assemblies" or p.function == "tenon_normalize":
            return "np.ndarray"
        if p.function in TOLD:
            return "dict[str, np.ndarray]"
        if p.function in TUPLES or python_batch.returned(p):
            return python_batch.returned(p) or TUPLES[p.function]
        if kinds:
            return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
        return "Status" if p.in_place else "None"

    def doc(self, p, indent="        "):
        f = p.method.function
        words = self.blocks.text[p.function] or f["brief"]
        words = re.split(r" (?:Allocates|Threads|Status|Cost|Since):", words)[0].split("\n\n")[0]
        words = self.notes.words(words.replace("\\", "\\\\"), p.method.owner)
        lines = [comment(words, indent + '"""', indent, width=116)]
        for name, a in [*p.inputs, *p.optional, *p.outs]:
            note = self.blocks.of(p.function, a.c["name"])
            note = re.split(r" (?:Allocates|Threads|Status|Cost|Since|Others|Arrays)[,:]", note)[0]
            given = [*self.arrays(p)] if (name, a) in p.outs else []
            absent = "None" if (name, a) not in p.outs else "False" if len(given) > 1 else ""
            note = self.notes.note(note, p.method.owner, absent)
            own = self.out_name(p, name) if (name, a) in given else name
            name = f"{own} ({name})" if own != name else name
            if note and a.kind in ("array", "matrix", "batch_array", "text", "texts", "value"):
                lines.append(comment(f"{name}: {note}".replace("\\", "\\\\"), indent, indent + "    "))
        for f in p.borrowed:
            note = self.notes.note(f["comment"], p.method.owner, "False" if f["name"].endswith("_out") else "None")
            lines.append(comment(f"{f['name']}: {note}", indent, indent + "    "))
        if p.chosen and not p.by_name:
            name = option(p.chosen.base)
            lines.append(comment(f"options: of {name}, made once for many calls; or by name, as method=\"dense\" "
                                 f"(types.{struct_name({'name': p.chosen.base})}).", indent, indent + "    "))  # fmt: skip
        more = [self.notes.note(words, p.method.owner, "") for words in python_members.more_words(p, self.api)]
        lines += [comment(words, indent, indent + "    ") for words in more]
        text = "\n".join(line.rstrip() for line in lines)
        return text + ('"""' if "\n" not in text and not text.endswith('"') else f'\n{indent}"""')

    def size(self, p, a):
        """Of an output: a shape as expressions."""
        if p.name.startswith("convert_"):
            of_other = "self.model.convention_nq(convention)" if "configuration" in p.name else "self.model.nv"
            own = "self.nq" if "configuration" in p.name else "self.nv"
            return [f"{of_other} if constant(Direction, direction) == Direction.TO_OTHER else {own}"]
        parts = []
        for part in a.length.split(" or ")[0].split(" x "):
            one = part if part.isdigit() else SIZES[part]
            every = p.function in meanings.EVERY_JOINT and part in ("nq", "nv")
            parts.append(one.replace("self.n", "self.model.n") if every else one)
        return parts

    def value(self, p, name, a):
        """What is passed for an input: an expression."""
        c = a.c["name"]
        if c in LINKS and a.kind == "value":
            find = "joint_index" if c == "joint" else "link_index"
            own = p.method.owner in ("tenon_model", "tenon_builder")
            return f"self.{'' if own else 'model.'}{find}({name})"
        if c == "constraint" and a.kind == "value":
            return f"self.{'' if p.method.owner == 'tenon_constraints' else '_held.'}index({name})"
        if c in CONSTANTS and a.kind == "value":
            return f"constant({class_name(CONSTANTS[c])}, {name})"
        if c == "active" and a.kind == "value":
            return f"int({name})"
        if c == "links":
            return f"self.model._indices({name})"
        if a.kind in ("array", "matrix") and a.role == "in" and a.length in ("7", "6", "m or 1"):
            # Of a pose that is not turned a position will do, of an inertia a matrix, of all alike one number.
            many = f"None if {name} is None else np.atleast_1d({name})"
            return {"7": f"placed({name})", "6": f"six({name})", "m or 1": many}[a.length]
        return name

    # ---- computations of a workspace

    def workspace(self, p):
        body, passed, results = [], {}, []
        if not p.method.status:
            return self.told(p)
        for name, a in [*p.inputs, *p.optional]:
            passed[a.c["name"]] = self.value(p, name, a)
        if any(a.c["name"] == "columns" for a in p.method.arguments):  # a vector gives a vector, a matrix a matrix
            matrices = {a.role: a.c["name"] for a in p.method.arguments if a.kind == "matrix"}
            source, target = matrices["in"], matrices["out"]
            body += [f"single, {source} = np.ndim({source}) == 1, given_matrix({source})",
                     f"result = matrix(out[:, np.newaxis] if single and out is not None else out, *{source}.shape)"]  # fmt: skip
            passed |= {"columns": f"{source}.shape[1]", target: "result"}
            every = ", ".join(passed[a.c["name"]] for a in p.method.arguments)
            done = f"self._done(calls.{p.function}(self._address, {every}))"
            return [*body, done, "return out if out is not None else result[:, 0] if single else result"]
        if p.chosen:
            passed[p.chosen.c["name"]] = self.made(p)
        for name, a in p.outs:
            own = self.out_name(p, name) if (name, a) in self.arrays(p) else name
            passed[a.c["name"]] = f'in_order({own}, "{own}", how)' if meanings.has_layout(p.method, a) else own
            if moves(p):
                continue
            if a.kind == "result":
                body.append(f"{own} = ctypes.{CTYPES.get(a.base, 'c_int32')}()")
                kind = class_name(CONSTANTS[a.c["name"]]) if a.c["name"] in CONSTANTS else None
                results.append(f"{kind}({own}.value)" if kind else f"{own}.value")
                continue
            if a.kind == "struct":
                body.append(f"{own} = prepared(_raw.{a.base})")
                results.append(f"structs.{option(a.base)}({own})")
                continue
            size = self.size(p, a)
            if p.function == "tenon_find_assemblies":
                made = f"np.empty(({size[1]}, {size[0]}))"
            elif a.kind == "matrix":
                made = f"matrix(None, {', '.join(size)})"
            elif name == "rotation":
                made, passed[a.c["name"]] = 'np.empty((3, 3), order="F")', f"{own}.T"
            else:
                many = " * ".join(size) + (", np.int32" if a.base == "int32_t" else "")
                made = f"np.{'zeros' if a.role == 'inout' else 'empty'}({many})"
            if (name, a) not in self.arrays(p):
                body.append(f"{own} = {made}")
            elif a.null and len(self.arrays(p)) > 1:
                shape = f"{made} if {own} is None else {own}"
                if a.kind == "matrix":
                    kind, how = ("derivative", ", how") if meanings.has_layout(p.method, a) else ("matrix", "")
                    shape = f'{kind}({own}, {", ".join(size)}, "{own}"{how})'
                body.append(f"{own} = None if {own} is False else {shape}  # type: ignore[assignment]")
            elif a.kind == "matrix":
                named = "" if own == "out" else f', "{own}"'
                body.append(f"{own} = matrix({own}, {', '.join(size)}{named})")
            else:
                body.append(f"{own} = {made} if {own} is None else {own}")
            results.append(own)
        every = [passed.get(a.c["name"], "None") for a in p.method.arguments]
        if not python_calls.roles_of(p.method.function, self.types):
            each = "".join(f", {n}.ctypes.data, {n}.size" for n in every)
            return [*body, *self.ended(p, f"self._done(lib.{p.function}(self._pointer{each}))", results)]
        return [*body, *self.ended(p, f"self._done(calls.{p.function}({', '.join(['self._address', *every])}))", results)]

    @staticmethod
    def ended(p, done, results):
        if p.function == "tenon_find_assemblies":
            return [done, "return out[: found.value].copy()"]
        if p.function == "tenon_normalize":
            return [done, "return q"]
        if p.name == "set_coordinates":
            return [done, "self._read()"]
        if p.function in TOLD:
            return [done, f"return {{{', '.join(f'{chr(34)}{n}{chr(34)}: {n}' for n, _ in p.outs)}}}"]
        if not results:
            return [f"return Status({done})" if p.in_place else done]
        words = ", ".join(results)
        if p.function in TUPLES:
            return [done, f"return {TUPLES[p.function]}({words})  # type: ignore"]
        if len(words) > 80:
            return [done, "return (  # type: ignore", f"    {words},", ")"]
        return [done, f"return {words}" + ("  # type: ignore" if len(results) > 1 else "")]

    # ---- calls of other objects

    @staticmethod
    def told(p):
        """What a function without a status returns."""
        f = p.method.function
        names = ["self._pointer"] if p.method.owner else []
        done = f"lib.{p.function}({', '.join([*names, *(n for n, _ in p.inputs)])})"
        if f["result"]["base"] == "char":
            return [f"return text({done})"]
        return [f"return {'InstructionSet(' + done + ')' if 'instruction' in p.name else done}"]

    def plain(self, p):
        """Of a model, a builder or a set: by ctypes."""
        f, m, body, results = p.method.function, p.method, [], []
        passed = [] if m.kind == "constructor" or p.kind == "free" else ["self._pointer"]
        texts = [a for _, a in p.outs if a.kind == "text_buffer"]
        counts = [n for n, a in p.inputs if a.kind == "texts"]
        for a in m.arguments:
            name = word(m, a)
            if a.kind == "new_object" or a in texts or texts and a.kind == "result":
                continue
            if a.kind == "object":
                passed.append(f"handed({name})")
            elif a is p.chosen:
                more = "".join(f'"{n}": {class_name(k)}.{v}, ' for n, k, v in p.fixed)
                links = "".join(f', "{n}": self.link_index({n})' for n in p.links)
                passed.append(f"structs.{option(a.base)}({'{' + more + '**how' + links + '}' if more or links else 'how'})")
            elif a.kind == "text" and a.c["name"] == "text":
                body.append("text = text.encode() if isinstance(text, str) else text")
                passed.append("text, len(text)")
            elif a.kind == "text":
                passed.append({"path": f"os.fsencode({name})"}.get(a.c["name"], f"{name}.encode()"))
            elif a.kind == "texts":
                body.append(f"{name} = [{name}] if isinstance({name}, str) else list({name})")
                passed.append(f"(c_char_p * len({name}))(*map(str.encode, {name})), len({name})")
            elif a.kind == "callback":
                passed += python_members.callback(self.api, a, name, body)
            elif a.kind == "matrix":
                if set(a.length.split(" x ")) <= set(counts):  # these numbers, row by row, where they are no matrix
                    shape = ", ".join(f"len({n})" for n in a.length.split(" x "))
                    body.append(f"{name} = np.reshape({name}, ({shape})) if np.ndim({name}) < 2 else {name}")
                body.append(f"{name} = given_matrix({name})")
                passed.append(f"{name}.ctypes.data, {name}.size, max(len({name}), 1)")
            elif a.c["name"] == "row_count":
                passed.append("np.shape(K)[0]")
            elif a.kind == "array" and a.role == "in":
                passed.append(f"*given({self.value(p, name, a)})")
            elif a.kind == "array":
                size = a.length if a.length.isdigit() else f"self.{a.length}, dtype=np.int32"
                body.append(f"{name} = np.empty({size})")
                passed.append(f"{name}.ctypes.data, {name}.size")
                results.append(name)
            elif a.kind == "result":
                body.append(f"{name} = ctypes.{CTYPES.get(a.base, 'c_int32')}(-1)")
                passed.append(name)
                results.append(f"{name}.value")
            elif a.kind == "struct":
                body.append(f"{name} = prepared(_raw.{a.base})")
                passed.append(name)
                results.append(f"structs.{option(a.base)}({name})")
            else:
                passed.append(self.numbered(p, a, self.value(p, name, a)))
        given = ", ".join([f"lib.{p.function}", *passed])
        if m.makes:
            return [*body, *python_members.made(p, given)]
        if texts:
            return [*body, f"return whole_text({given})"]
        if not m.status:
            return self.told(p) if p.kind == "free" else self.sized(p, passed)
        if any(a["kind"] == "message" for a in f["arguments"]):
            body.append(f"call({given})")
        else:
            what = "".join(" {" + n + "}" for n, _ in p.inputs)
            text = f'f"{m.name}{what}"' if what else f'"{m.name}"'
            body.append(f"check(lib.{p.function}({', '.join(passed)}), {text})")
        return [*body, f"return {', '.join(results)}"] if results else body

    def numbered(self, p, a, given):
        """Where the library says no more than that there is none of this number, Python says how many there are."""
        count, f = f"{p.method.owner}_{a.c['name']}_count", p.method.function
        if not any(g["name"] == count for g in self.api["functions"]) or f["arguments"][-1]["kind"] == "message_size":
            return given
        of_text = ", of_text=True" if f["result"]["base"] == "char" else ""
        return f'self._in_range("{a.c["name"]}", {given}{of_text})'

    @staticmethod
    def sized(p, passed):
        done = f"lib.{p.function}({', '.join(passed)})"
        return [f"return text({done})" if p.method.function["result"]["base"] == "char" else f"return {done}"]

    # ---- all

    def method(self, p):
        bodies = {"tenon_workspace": self.workspace, "tenon_batch": lambda p: python_batch.body(self, p)}
        body = bodies.get(p.method.owner, self.plain)
        lines = (python_members.body(p, self) or body)(p)
        head = {"classmethod": ["    @classmethod"], "property": ["    @property"]}.get(p.kind, [])
        indent, parameters = ("    " if p.kind != "free" else ""), self.parameters(p)
        result = "None" if p.kind == "init" else self.returned(p)
        signature = f"{indent}def {p.name}({', '.join(parameters)}) -> {result}:"
        if len(signature) > 120:
            inner = "".join(f"{indent}    {x},\n" for x in parameters)
            signature = f"{indent}def {p.name}(\n{inner}{indent}) -> {result}:"
        body = [wrapped(f"{indent}    {line}".rstrip()) for line in lines]
        setter = []
        if p.kind == "property" and any(q.name == f"set_{p.name}" and q.method.owner == p.method.owner for q in self.every):
            (name, a), = p.outs[:1] if len(p.outs) == 1 else [(None, None)]
            if name and a.kind == "array":
                setter = [f"    @{p.name}.setter", f"    def {p.name}(self, value: ArrayLike) -> None:",
                          f"        self.set_{p.name}(value)", ""]  # fmt: skip
        return [*head, signature, self.doc(p, indent + "    "), *body, "", *setter]

    def module(self, owner):
        """The class of an object."""
        mine = [p for p in self.every if p.method.owner == owner]
        out = []
        for p in mine:
            if p.tuple:
                out += python_members.tuple_of(p, self.doc(p, "    "))
        base, again, words = CLASSES[owner]
        name = class_name(owner[len("tenon_") :])
        out += [f"class {name}({base}):", comment(words.split("\n")[0], '    """', "    ")]
        out += [f"    {line}".rstrip() for line in words.split("\n")[1:]]
        out[-1] += '"""'
        out += ["", *python_members.facts(owner, mine, again)]
        for p in mine:
            if p.kind not in ("attribute", "size"):
                out += self.method(p)
        out += python_members.others(owner, mine, self)
        text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(out)).rstrip() + "\n"
        return f'# {MARK}\n"""{words.split(chr(10))[0]}"""\n\n{imports(self.api, out)}\n\n\n{text}'

    def free(self):
        out = []
        for p in self.every:
            if p.kind == "free":
                out += [*self.method(p), ""]
        return f'# {MARK}\n"""{FREE}"""\n\n{imports(self.api, out)}\n\n\n' + "\n".join(out).rstrip() + "\n"


def files(api):
    writer = Writer(api)
    out = {f"python/tenon/{owner[len('tenon_'):]}.py": writer.module(owner) for owner in layers.HANDLES}
    return {**out, "python/tenon/functions.py": writer.free()}
