"""Python: members of the layer's classes that are more than a call of a function with its arguments, and follow from
what the function is all the same: what makes objects, copies, what is known once, names and what finds them, functions
of the user."""

from . import meanings, shapes
from .python_plans import AT_ONCE, option
from .python_types import class_name, struct_name
from .python_words import SHOWN

INDEX = {"tenon_constraints": "index"}  # what finds a constraint in a set; elsewhere link_index, joint_index
# Numbers of all joints, of what joint info tells.
OF_JOINTS = {
    "lower": "Lower limits of joints of one position, one for each joint; infinite where there is none.",
    "upper": "Upper limits likewise.",
}


def name_of(handle):
    return class_name(handle[len("tenon_") :])


# ---- objects


def body(p, writer):
    """What writes the body of a method of this kind, or None."""
    return {
        "init": lambda p: init(p, writer), "clone": clone, "once": once, "length": length, "item": item,
    }.get(p.kind, (lambda p: counted(p, writer)) if p.function in shapes.FINISHED else None)  # fmt: skip


def init(p, writer):
    """What an object is made of it knows; a set of constraints is finished first."""
    out, passed = [], []
    for a in p.method.arguments:
        name = a.c["name"]
        if a.kind == "object":
            own = f"None if {name} is None else {name}.finish()" if name == "constraints" else name
            out.append(f"self.{name} = {own}")
            passed.append(f"handed({name})")
        elif a.kind == "text":
            passed.append(f"{name}.encode()")
        elif a.kind == "struct":
            passed.append(f"structs.{option(a.base)}(how)")
    if p.method.owner == "tenon_batch":
        out.append(f"chosen = structs.{option(p.chosen.base)}(how)")
        out.append("single = chosen is not None and chosen.precision == Precision.SINGLE")
        out.append("self.dtype = np.dtype(np.float32 if single else np.float64)")
        passed[-1] = "chosen"
    out += ["self.finished = False"] if p.method.owner == "tenon_constraints" else []
    out.append(f"self._make(lib.{p.function}, {', '.join(passed)})")
    for many, one, _ in AT_ONCE.get(p.function, ()):
        out += [f"for {many[:-1]} in each({many}):", f"    self.{one}(*{many[:-1]})"]
    return out


def more_parameters(p):
    one = "str | int"
    return [f"{many}: {one} | Iterable[{one} | tuple[{one}, ArrayLike]] = ()" for many, _, _ in AT_ONCE.get(p.function, ())]


def more_words(p, api):
    out = [f"{many}: {words}" for many, _, words in AT_ONCE.get(p.function, ())]
    for _, a in p.inputs:
        if a.kind == "callback":
            out.append(f"function: {called(api, a)['comment'].split(chr(10))[0]}")
            out.append("What it raises is raised by the computation, when that has ended.")
    return out


def made(p, given):
    """Another object than that whose method it is keeps the functions of the user alive, too."""
    if p.kind == "classmethod":
        return [f"return cls.__new__(cls)._make({given})"]
    kind = name_of(p.method.makes)
    return [f"from .{p.method.makes[len('tenon_') :]} import {kind}", "", f"made = {kind}.__new__({kind})",
            "made._kept = self._kept", f"return made._make({given})"]  # fmt: skip


def clone(p):
    return [f"return self._like()._make(lib.{p.function}, self._pointer)"]


def once(p):
    done = [f"    call(lib.{p.function}, self._pointer)", "    self.finished = True"]
    return ["if not self.finished:", *done, "return self"]


def length(p):
    return [f"return max(0, lib.{p.function}(self._pointer))"]


def item(p):
    """By name, or by an index that may count from the end."""
    (name, _), (told, a) = p.inputs[0], p.outs[0]
    return [
        "self.finish()", f"place = self.index({name})", "if self._pointer and not -len(self) <= place < len(self):",
        f'    raise IndexError(f"no {name} number {{place}}; there are {{len(self)}}")',
        f"{told} = prepared(_raw.{a.base})",
        f'check(lib.{p.function}(self._pointer, place % max(len(self), 1), {told}), f"{name} {{{name}}}")',
        f"return structs.{option(a.base)}({told})",
    ]  # fmt: skip


def counted(p, writer):
    return ["self.finish()", *writer.told(p)]


def tuple_of(p, words):
    """The class of several results."""
    out = [f"class {p.tuple}(NamedTuple):", words, ""]
    for n, a in p.outs:
        absent = " | None" if (p.function, n) in meanings.NEEDS else ""
        out += [f"    {n.removesuffix('_out')}: {'int' if a.kind == 'result' else 'np.ndarray'}{absent}"]
    for f in p.borrowed:
        if f["name"].endswith("_out"):
            out += [f"    {f['name'].removesuffix('_out').replace('lambda', 'force')}: np.ndarray"]
    return [*out, "", ""]


# ---- what is known


def facts(owner, mine, again):
    """How it is freed, what it says of itself, and what it learns when it is made."""
    out = [f"    _destroy = lib.{owner}_destroy", f'    _again = "{again}"']
    out += [f'    _shown = "{SHOWN[owner]}"'] if owner in SHOWN else []
    if any(p.kind == "init" and any(a.kind == "object" for a in p.method.arguments) for p in mine):
        out += ["    model: Model"]
    out += ["    nq: int", "    nv: int", "    m: int"] if owner in ("tenon_workspace", "tenon_batch") else []
    known = [p for p in mine if p.kind in ("attribute", "size")]
    if known:
        out += ["", "    def _read(self) -> None:", '        """What does not change with each call."""']
    for p in known:
        done, base = f"lib.{p.function}(self._pointer)", p.method.function["result"]["base"]
        kind = {"char": "str", "double": "float"}.get(base, "int")
        done = f"text({done})" if kind == "str" else f"bool({done})" if p.name == "floating_base" else done
        kind = "bool" if p.name == "floating_base" else kind
        out += [f"        self.{p.name}{': ' + kind if p.kind == 'attribute' else ''} = {done}"]
    return [*out, ""]


def others(owner, mine, writer):
    out = finders(owner, [p.function for p in mine])
    names = {p.name for p in mine}
    if "describe" in names:
        out += ["    def __str__(self) -> str:", "        return self.describe()", ""]
    if "neutral" in names:
        out += ["    def zeros(self) -> np.ndarray:", '        """A velocity, acceleration or force of zeros."""']
        out += ["        return np.zeros(self.nv)", ""]
    if "joint" in names:
        for field, words in OF_JOINTS.items():
            out += ["    @property", f"    def {field}(self) -> np.ndarray:", f'        """{words}"""']
            out += [f"        return np.array([self.joint(i).{field} for i in range(self.joint_count)])", ""]
    structs = {p.chosen.base for p in mine if p.chosen and not p.by_name} if owner == "tenon_workspace" else ()
    for base in sorted(structs):
        name, struct = option(base), struct_name({"name": base})
        out += ["    @staticmethod", f"    def {name}(**how: Unpack[{struct}]) -> _raw.{base}:"]
        out += ['        """Options of the calls that take them as `options`."""', f"        return structs.{name}(how)", ""]
    for stem, enum, functions in shapes.chosen(writer.api, [p for p in mine if p.method.kind == "method"]):
        out += choice(stem, enum, functions, writer)
    return out


def choice(stem, enum, functions, writer):
    """One method for those whose names end in the constants of a kind."""
    kind, (_, p) = class_name(enum["name"]), functions[0]
    arrays_first = sorted(p.inputs, key=lambda pair: pair[1].kind == "value")
    taken = ["self", *(f"{n}: {writer.hint(p, n, a)}" for n, a in arrays_first)]
    taken += [f"{n}: {writer.hint(p, n, a)} | None = None" for n, a in p.optional]
    taken += [f"{enum['name']}: {kind} | str = {kind}.{functions[0][0]}", f"options: _raw.{p.chosen.base} | None = None"]
    taken += [f"**how: Unpack[{struct_name({'name': p.chosen.base})}]"]
    given = ", ".join([*(n for n, _ in p.inputs), *(n for n, _ in p.optional), "options", "**how"])
    out = [f"    def {stem}(", *(f"        {one}," for one in taken), f"    ) -> {writer.returned(p)}:"]
    out += [f'        """{" or ".join(f.name for _, f in functions)}, as `{enum["name"]}` says."""']
    out += [f"        chosen = constant({kind}, {enum['name']})"]
    for constant, f in functions[1:]:
        out += [f"        if chosen == {kind}.{constant}:", f"            return self.{f.name}({given})"]
    return [*out, f"        return self.{p.name}({given})", ""]


def finders(owner, functions):
    """link_index of find_link, and so on; the names of all links, of link_name and link_count."""
    out = []
    for name in (f[len(owner) + 1 :] for f in functions if f.startswith(owner + "_")):
        if name.startswith("find_"):
            one = name[len("find_") :]
            out += [f"    def {INDEX.get(owner, one + '_index')}(self, {one}: str | int) -> int:"]
            out += [f'        """Index of the {one} of a name. A number is taken as it is."""']
            out += [f"        return self.{name}({one}) if isinstance({one}, str) else int({one})", ""]
            if one == "link" and owner == "tenon_model":
                out += ["    def _indices(self, links: Iterable[str | int]) -> np.ndarray:"]
                out += ["        return np.array([self.link_index(link) for link in links], dtype=np.int32)", ""]
        thing = name.removesuffix("_name")
        if f"{owner}_{thing}_count" in functions and (name.endswith("_name") or name == "warning"):
            out += ["    @property", f"    def {thing}s(self) -> tuple[str, ...]:", f'        """All of {name}."""']
            out += [f"        return tuple(map(self.{name}, range(self.{thing}_count)))", ""]
    return out


# ---- functions of the user


def called(api, a):
    return next(c for c in api["callbacks"] if c["name"] == a.base)


def lengths(api, a):
    """Of the numbers that a function of the user reads and writes: {name: (length, whether it reads them)}."""
    return shapes.callback_lengths(called(api, a))


def callback(api, a, name, before):
    """What is passed for a function of the user, and for what releases it; before: what is said before the call."""
    c, every = called(api, a), lengths(api, a)
    if name != "function":
        return [f"_raw.{a.base}()"]
    read = [f"at({n}, {size}).copy()" for n, (size, is_read) in every.items() if is_read]
    written = [f"at({n}, {size})" for n, (size, is_read) in every.items() if not is_read]
    written = [w.replace("rows * nv", "nv, rows") + (".T" if "*" in w else "") for w in written]  # column-major
    taken = ", ".join("_" if x["name"] == "user" else x["name"] for x in c["arguments"])
    before += [f"def evaluate({taken}):", f"    results = function({', '.join(read)})",
               f"    for place, result in zip(({', '.join(written)}), results):",
               "        place[...] = np.reshape(result, place.shape)", "    return Status.OK", "",
               f"callback = _raw.{a.base}(guarded(evaluate, Status.NOT_FINITE))", "self._kept += (callback,)"]  # fmt: skip
    return ["callback", "None"]
