"""Python: the methods of the layer's classes, one for each function, and the functions that belong to no object."""

import os
import re
import sys

from . import layers, meanings, python_members
from .common import MARK, Types, comment, enumerations
from .python_plans import (
    CLASSES, CONSTANTS, DEFAULTS, FREE, HEAD, PARAMETERS, READ, SIZES, TUPLES, TYPES, moves, plans, word, wrapped,
)  # fmt: skip
from .python_types import class_name, struct_name

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import notes  # noqa: E402


class Writer:
    def __init__(self, api):
        self.api, self.types = api, Types(api)
        self.enums = {e["name"] for e in api["enums"]}
        self.blocks = notes.Notes({f["name"]: (f["comment"], [a["name"] for a in f["arguments"]]) for f in api["functions"]})

    # ---- parts of a method

    def hint(self, p, name, a):
        if a.c["name"] in ("link", "joint", "constraint", "second_link"):
            return "str | int"
        if a.c["name"] in CONSTANTS and a.kind == "value":
            return f"{class_name(CONSTANTS[a.c['name']])} | str"
        if a.c["name"] == "active" and a.kind == "value":
            return "bool"
        if a.kind == "object":
            return "Constraints | None"
        if a.kind == "text":
            return {"path": "str | os.PathLike", "text": "str | bytes"}.get(a.c["name"], "str")
        if a.kind == "texts":
            return "str | Iterable[str]"
        if a.kind in ("array", "matrix", "batch_array"):
            return "np.ndarray" if name in p.in_place else "ArrayLike"
        return TYPES[a.base]

    def parameters(self, p):
        out = ["cls" if p.kind == "classmethod" else "self"] if p.kind != "free" else []
        for name, a in p.inputs:
            out.append(f"{name}: {self.hint(p, name, a)}")
        for name, a in p.optional:
            default = DEFAULTS.get((p.function, name), "Axes.WORLD" if name == "axes" else "None")
            hint = self.hint(p, name, a)
            out.append(f"{name}: {hint}{' | None' if default == 'None' and 'None' not in hint else ''} = {default}")
        if p.chosen and not p.by_name:
            out.append(f"options: _raw.{p.chosen.base} | None = None")
        for name, a in self.arrays(p):
            hint = "np.ndarray | bool | None" if a.null and len(self.arrays(p)) > 1 else "np.ndarray | None"
            out.append(f"{self.out_name(p, name)}: {hint} = None")
        if p.method.owner == "tenon_batch" and any(a.kind == "batch_array" for _, a in p.outs + p.inputs):
            out += ["raises: bool = True"] if any(a.c["name"] == "status" for a in p.method.arguments) else []
        if p.chosen and p.chosen.base == PARAMETERS:
            out += ["*", *(f"{name}: ArrayLike | None = None" for name, _ in self.parameter_fields())]
        elif p.by_name:
            out.append(f"**how: Unpack[{struct_name({'name': p.chosen.base})}]")
        return out

    @staticmethod
    def arrays(p):
        """Outputs that a caller may give."""
        if p.kind == "property" or p.method.owner == "tenon_model":
            return []
        return [(n, a) for n, a in p.outs if a.kind in ("array", "matrix", "batch_array") and a.base != "int32_t"]

    def out_name(self, p, name):
        """The first one is out, but where a step leaves them."""
        return "out" if self.arrays(p)[0][0] == name and not moves(p) else name

    def returned(self, p):
        """The type, and what its parts are."""
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
        if p.function == "tenon_find_assemblies":
            return "np.ndarray"
        if p.function in TUPLES:
            return TUPLES[p.function]
        if kinds:
            return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
        if p.function == "tenon_normalize":
            return "np.ndarray"
        return "Status" if p.in_place else "None"

    def doc(self, p, indent="        "):
        f = p.method.function
        words = self.blocks.text[p.function] or f["brief"]
        words = re.split(r" (?:Allocates|Threads|Status|Cost|Since):", words)[0]
        lines = [comment(words.replace("\\", "\\\\").split("\n\n")[0].replace("\n", " "), indent + '"""', indent, width=116)]
        for name, a in [*p.inputs, *p.optional, *p.outs]:
            note = self.blocks.of(p.function, a.c["name"])
            note = re.split(r" (?:Allocates|Threads|Status|Cost|Since|Others|Arrays)[,:]", note)[0]
            note = re.sub(r"\bNULL\b", "None", note)
            if note and a.kind in ("array", "matrix", "batch_array", "text", "texts", "value"):
                lines.append(comment(f"{name}: {note}".replace("\\", "\\\\"), indent, indent + "    "))
        if p.chosen and p.chosen.base == PARAMETERS:
            known = {f["name"]: f["comment"] for f in self.types.structs[PARAMETERS]["fields"]}
            lines += [comment(f"{name}: {known[name]}", indent, indent + "    ") for name, _ in self.parameter_fields()]
        text = "\n".join(line.rstrip() for line in lines)
        return text + ('"""' if "\n" not in text and not text.endswith('"') else f'\n{indent}"""')

    def size(self, p, a):
        """Of an output: a shape as expressions."""
        spanning = p.method.function["header"] == "tenon/loops.h" or p.name in ("joint_parameters", "guess", "set_guess")
        if p.name.startswith("convert_"):
            return [f'self._converted({"0" if "configuration" in p.name else "1"}, convention, direction)']
        parts = []
        for part in a.length.split(" or ")[0].split(" x "):
            one = part if part.isdigit() else SIZES[part]
            parts.append(one.replace("self.n", "self.model.n") if spanning and part in ("nq", "nv") else one)
        return parts

    def value(self, p, name, a):
        """What is passed for an input by calls.tenon_...: an expression."""
        c = a.c["name"]
        if c in ("link", "second_link", "joint") and a.kind == "value":
            find = "joint_index" if c == "joint" else "link_index"
            own = p.method.owner in ("tenon_model", "tenon_builder")
            return f"self.{'' if own else 'model.'}{find}({name})"
        if c == "constraint":
            return f"self._index_of({name})"
        if c in CONSTANTS and a.kind == "value":
            return f"constant({class_name(CONSTANTS[c])}, {name})"
        if c == "active" and a.kind == "value":
            return f"int({name})"
        if c == "restitution":
            return f"None if {name} is None else np.atleast_1d({name})"
        return name

    # ---- computations of a workspace

    def workspace(self, p):
        body, passed, results = [], {}, []
        if any(a.c["name"] == "columns" for a in p.method.arguments):
            before = "".join(f", {n}" for n, a in p.inputs if n != "B")
            return [f"return self._product(calls.{p.function}, B, out{before})"]
        for name, a in [*p.inputs, *p.optional]:
            passed[a.c["name"]] = self.value(p, name, a)
        if p.chosen:
            passed[p.chosen.c["name"]] = f"options(_raw.{p.chosen.base}, how)" if p.by_name else "options"
        for name, a in p.outs:
            own = self.out_name(p, name) if (name, a) in self.arrays(p) else name
            passed[a.c["name"]] = own
            if moves(p):
                continue
            if a.kind == "result":
                body.append(f"{own} = ctypes.{self.ctype(a)}()")
                kind = class_name(CONSTANTS[a.c["name"]]) if a.c["name"] in CONSTANTS else None
                results.append(f"{kind}({own}.value)" if kind else f"{own}.value")
                continue
            if a.kind == "struct":
                body.append(f"{own} = prepared(_raw.{a.base})")
                results.append(f"record({own})")
                continue
            size = self.size(p, a)
            if p.function == "tenon_find_assemblies":
                made = f"np.empty(({size[1]}, {size[0]}))"
            elif a.kind == "matrix":
                made = f"matrix(None, {', '.join(size)})"
            elif name == "rotation":
                made, passed[a.c["name"]] = 'np.empty((3, 3), order="F")', f"{own}.T"
            else:
                zeros = a.role == "inout"
                made = f"np.{'zeros' if zeros else 'empty'}({size[0]})"
            if p.kind == "property":
                body.append(f"{own} = {made}")
            elif a.null and len(self.arrays(p)) > 1:
                shape = ", ".join(size) if a.kind == "matrix" else size[0]
                body.append(f"{own} = wanted({own}, {shape})  # type: ignore[assignment]")
            elif a.kind == "matrix":
                body.append(f"{own} = matrix({own}, {', '.join(size)})")
            else:
                body.append(f"{own} = {made} if {own} is None else {own}")
            results.append(own)
        every = [passed.get(a.c["name"], "None") for a in p.method.arguments]
        done = f"self._done(calls.{p.function}({', '.join(['self._address', *every])}))"
        if p.function == "tenon_find_assemblies":
            return [*body, done, "return out[: found.value].copy()"]
        if not results:
            if p.function == "tenon_normalize":
                return [*body, done, "return q"]
            if p.function == "tenon_workspace_set_coordinates":
                return [*body, done, "self._count()"]
            return [*body, f"return Status({done})" if p.in_place else done]
        if p.function in TUPLES:
            return [*body, done, f"return {TUPLES[p.function]}({', '.join(results)})  # type: ignore"]
        words = ", ".join(results)
        if len(words) > 80:
            return [*body, done, "return (  # type: ignore", f"    {words},", ")"]
        return [*body, done, f"return {words}" + ("  # type: ignore" if len(results) > 1 else "")]

    @staticmethod
    def ctype(a):
        return {"double": "c_double", "size_t": "c_size_t"}.get(a.base, "c_int32")

    # ---- calls of other objects

    def plain(self, p):
        """Of a model, a builder or a set: by ctypes."""
        f, m, body, results = p.method.function, p.method, [], []
        passed = [] if m.kind == "constructor" or p.kind == "free" else ["self._pointer"]
        texts = [a for _, a in p.outs if a.kind == "text_buffer"]
        for a in m.arguments:
            name = word(m, a)
            if a.kind == "new_object" or a in texts or texts and a.kind == "result":
                continue
            if a.kind == "object":
                passed.append(f"handed({name})")
            elif a is p.chosen:
                passed.append(f"options(_raw.{a.base}, how)")
            elif a.kind == "text":
                passed.append({"path": f"os.fsencode({name})", "text": f"*source({name})"}.get(a.c["name"], f"{name}.encode()"))
            elif a.kind == "texts":
                passed.append(f"*names({name})")
            elif a.kind == "matrix":
                body.append(f"{name} = given_matrix({name})")
                passed.append(f"{name}.ctypes.data, {name}.size, max(len({name}), 1)")
            elif a.c["name"] == "row_count":
                passed.append("np.shape(K)[0]")
            elif a.kind == "array" and a.role == "in":
                passed.append(f"*given({name})")
            elif a.kind == "array":
                size = a.length if a.length.isdigit() else f"self.{a.length}, dtype=np.int32"
                body.append(f"{name} = np.empty({size})")
                passed.append(f"{name}.ctypes.data, {name}.size")
                results.append(name)
            elif a.kind == "result":
                body.append(f"{name} = ctypes.{self.ctype(a)}(-1)")
                passed.append(name)
                results.append(f"{name}.value")
            elif a.kind == "struct":
                body.append(f"{name} = prepared(_raw.{a.base})")
                passed.append(name)
                results.append(f"record({name})")
            else:
                passed.append(self.value(p, name, a))
        given = ", ".join([f"lib.{p.function}", *passed])
        if m.kind == "constructor":
            return [f"return cls._made({given})"]
        if texts:
            message = any(a["kind"] == "message" for a in f["arguments"])
            return [*body, f"return whole_text({given}, says={message})"]
        if not m.status:
            done = f"lib.{p.function}({', '.join(passed)})"
            return [f"return text({done})" if f["result"]["base"] == "char" else f"return {done}"]
        if any(a["kind"] == "message" for a in f["arguments"]):
            body.append(f"call({given})")
        else:
            what = "".join(" {" + n + "}" for n, _ in p.inputs)
            text = f'f"{m.name}{what}"' if what else f'"{m.name}"'
            body.append(f"check(lib.{p.function}({', '.join(passed)}), {text})")
        return [*body, f"return {', '.join(results)}"] if results else body

    # ---- batches

    def batch(self, p):
        if p.kind == "property" or not p.method.status:
            done = f"lib.{p.function}(self._pointer)"
            if p.method.function["result"]["base"] == "char":
                return [f"return text({done})"]
            return [f"return {'InstructionSet(' + done + ')' if 'instruction' in p.name else done}"]
        arrays = [(n, a) for n, a in [*p.inputs, *p.optional] if a.kind == "batch_array"]
        if p.chosen and p.chosen.base == PARAMETERS:
            shapes = [(n, self.shape(factors).replace("self.nv", "self.model.nv")) for n, factors in self.parameter_fields()]
            of_each = [f"    {n}=({n}, {shape})," for n, shape in shapes]
            chosen = f"options(_raw.{PARAMETERS}, rows)"
            return ["states, rows = self._settings(", *of_each, ")", f"self._set(lib.{p.function}, states, {chosen})"]
        if not arrays:
            each = [f"*given({n})" if a.kind == "array" else self.value(p, n, a) for n, a in p.inputs]
            return [f"self._set(lib.{p.function}, {', '.join(each)})"]
        if not any(a.c["name"] == "status" for a in p.method.arguments):
            of_each = ", ".join(f"{n}=({n}, {self.shape(meanings.factors(a.length))})" for n, a in arrays)
            return [f"states, rows = self._settings({of_each})", f"self._set(lib.{p.function}, states, *rows.values())"]
        body = [f"states = self._states({', '.join(f'{n}={n}' for n, _ in arrays)})"]
        passed, results = {a.c["name"]: f'self._given({n}, "{n}")' for n, a in arrays}, []
        for name, a in p.outs:
            own, size = self.out_name(p, name), a.length.split(" x ")
            absent = f"(None, None) if {own} is False else " if a.null else ""
            if len(size) == 2 and a.role == "inout":
                body.append(f"{own}, to_{own} = {absent}self._matrices({own}, '{own}', states)".replace("'", '"'))
                passed[a.c["name"]] = f"to_{own}"
                results.append(own)
                continue
            shape = ["states", *(SIZES[s] for s in size)]
            start = f"np.zeros((states, {shape[1]}), self.dtype) if {own} is None else {own}" if a.role == "inout" else own
            flat = f'_flat({own}, "{own}", states, {shape[1]})' if len(shape) == 3 else start
            done = f'self._written({flat}, "{own}", states, {" * ".join(shape[1:])})'
            body.append(f"{own}, to_{own} = {absent}{done}")
            passed[a.c["name"]] = f"to_{own}"
            results.append(f"{own}.reshape({', '.join(shape)})" if len(shape) == 3 else own)
        before = ""
        if p.chosen:
            before = f", before=({'options(_raw.' + p.chosen.base + ', how)' if p.by_name else 'options'},)"
        counts = ", counts=True" if any(a.c["name"] == "iterations" for a in p.method.arguments) else ""
        passed |= {a.c["name"]: n for n, a in p.inputs if a.kind == "value"}
        every = [passed[a.c["name"]] for a in p.method.arguments if a.c["name"] in passed]
        body.append(f"self._run(lib.{p.function}, raises, states, {', '.join(every)}{before}{counts})")
        return [*body, f"return {', '.join(results)}"] if results else body

    @staticmethod
    def shape(factors):
        return python_members.shape(factors, SIZES)

    def parameter_fields(self):
        struct = self.types.structs[PARAMETERS]
        return [(f["name"], meanings.field_length(f)[0]) for f in layers.fields(struct)]

    # ---- all

    def member(self, p, rule):
        """What is more than a call (python_members.py)."""
        taken, result, body = rule(p, SIZES)
        head = ["    @property"] if p.function in READ else []
        lines = [wrapped(f"        {line}") for line in body]
        return [*head, wrapped(f"    def {p.name}({taken}) -> {result}:"), self.doc(p), *lines, ""]

    def method(self, p):
        m = p.method
        body = {"tenon_workspace": self.workspace, "tenon_batch": self.batch}.get(m.owner, self.plain)
        if m.owner == "tenon_workspace" and not m.status:
            done = f"lib.{p.function}(self._pointer)"
            kind = {"char": f"text({done})"}.get(m.function["result"]["base"], done)
            lines = [f"return {'InstructionSet(' + done + ')' if 'instruction' in p.name else kind}"]
        else:
            lines = body(p)
        result = self.returned(p) if m.status else {"char": "str"}.get(m.function["result"]["base"], "int")
        result = {"classmethod": class_name(m.makes.replace("tenon_", "")) if m.makes else "", "free": result}.get(p.kind, result)
        result = "InstructionSet" if "instruction" in p.name else result
        head = {"classmethod": ["    @classmethod"], "property": ["    @property"]}.get(p.kind, [])
        indent, parameters = ("    " if p.kind != "free" else ""), self.parameters(p)
        signature = f"{indent}def {p.name}({', '.join(parameters)}) -> {result}:"
        if len(signature) > 120:
            inner = "".join(f"{indent}    {x},\n" for x in parameters)
            signature = f"{indent}def {p.name}(\n{inner}{indent}) -> {result}:"
        body = [wrapped(f"{indent}    {line}") for line in lines]
        setter = []
        if p.kind == "property" and any(f"_set_{p.name}" in f["name"] for f in self.api["functions"]) and p.name == "gravity":
            setter = [f"    @{p.name}.setter", f"    def {p.name}(self, value: ArrayLike) -> None:",
                      f"        self.set_{p.name}(value)", ""]  # fmt: skip
        return [*head, signature, self.doc(p, indent + "    "), *body, "", *setter]

    def text(self):
        every = list(plans(self.api))
        names = sorted({class_name(e["name"]) for e in enumerations(self.api)} & {
            "Axes", "Convention", "Coordinates", "Direction", "InstructionSet", "LoopMethod", "Status"
        } | {struct_name(s) for s in layers.records(self.api)})  # fmt: skip
        named = sorted({struct_name({"name": p.chosen.base}) for p in every if p.by_name and p.chosen.base != PARAMETERS})
        imported = wrapped("    " + ", ".join(names) + ",").replace("\n        ", "\n    ")
        chosen = wrapped("    " + ", ".join(named) + ",")
        out = [f"# {MARK}", HEAD % (imported, chosen)]
        for function, name in TUPLES.items():
            p = next(p for p in every if p.function == function)
            out += [f"class {name}(NamedTuple):", self.doc(p, "    "), ""]
            for n, a in p.outs:
                absent = " | None" if (function, n) in meanings.NEEDS else ""
                out += [f"    {n}: {'int' if a.kind == 'result' else 'np.ndarray'}{absent}"]
            out += ["", ""]
        out += ["def _flat(out: np.ndarray | None, name: str, states: int, rows: int) -> np.ndarray | None:"]
        out += ['    """Square matrices of states as rows of numbers; not a copy."""']
        out += ['    if getattr(out, "shape", None) != (states, rows, rows):', "        return out"]
        out += ["    flat = out.reshape(states, rows * rows)  # type: ignore[union-attr]"]
        out += ["    if flat.size and not np.shares_memory(flat, out):  # type: ignore[arg-type]"]
        out += ['        raise ValueError(f"{name} is to be contiguous")', "    return flat", "", ""]
        for owner, (name, words) in CLASSES.items():
            out += [f"class {name}:", f'    """{words}"""', ""]
            mine = [p for p in every if p.method.owner == owner]
            facts = [p for p in mine if p.kind == "attribute"]
            if facts:
                out += ["    def _read(self) -> None:", '        """What never changes."""']
                for p in facts:
                    done, base = f"lib.{p.function}(self._pointer)", p.method.function["result"]["base"]
                    kind = {"char": "str", "double": "float"}.get(base, "int")
                    done = f"text({done})" if kind == "str" else f"bool({done})" if p.name == "floating_base" else done
                    kind = "bool" if p.name == "floating_base" else kind
                    out += [f"        self.{p.name}: {kind} = {done}"]
                out += [""]
            if owner in ("tenon_workspace", "tenon_batch"):
                out += ["    model: Any", "    nq: int", "    nv: int", "    m: int", ""]
            for p in mine:
                rule = python_members.rule(p)
                if rule:
                    out += self.member(p, rule)
                elif p.kind not in ("attribute", "hand"):
                    out += self.method(p)
            out += python_members.finders(owner, {f["name"]: f for f in self.api["functions"]})
            out += [""]
        return re.sub(r"\n{4,}", "\n\n\n", "\n".join(out)).rstrip() + "\n"

    def free(self):
        out = [f"# {MARK}", FREE]
        for p in plans(self.api):
            if p.kind == "free":
                out += [*self.method(p), ""]
        return "\n".join(out).rstrip() + "\n"


def files(api):
    writer = Writer(api)
    return {"python/tenon/_methods.py": writer.text(), "python/tenon/functions.py": writer.free()}
