"""Python: members of the layer's classes that are more than a call of a function with its arguments, and follow from what
the function is all the same: what setters said, read back; copies; names and what finds them."""

from . import meanings
from .python_types import class_name, struct_name

INDEX = {"tenon_constraints": "index"}  # what finds a constraint in a set; elsewhere link_index, joint_index


def shape(factors, sizes, spanning=False):
    """Of numbers of a state, the last factors first: 7 x constraints is constraints x 7 in numpy."""
    parts = [part if part.isdigit() else sizes[part] for part in reversed(factors)]
    parts = [p.replace("self.n", "self.model.n") if spanning and p in ("self.nq", "self.nv") else p for p in parts]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def shapes(p, sizes, spanning=False):
    return "{" + ", ".join(f'"{n}": {shape(meanings.factors(a.length), sizes, spanning)}' for n, a in p.outs) + "}"


def told(p, sizes):
    """What was set for the states of a batch, by name; one array alone is out."""
    spanning = p.function == "tenon_batch_robots"  # a robot has damping for each of its velocities
    if len(p.outs) > 1:
        done = f"return self._told(lib.{p.function}, states, {shapes(p, sizes, spanning)}, given)"
        return ["self, states: int, **given: np.ndarray | bool", "dict[str, np.ndarray]", [done]]
    (_, a), = p.outs
    size = shape(meanings.factors(a.length), sizes, spanning)
    body = [f"shape = {size}", 'out, written = self._written(out, "out", states, int(np.prod(shape, dtype=int)))']
    body += [f"self._set(lib.{p.function}, states, written)", "return out.reshape(states, *shape)"]
    return ["self, states: int, out: np.ndarray | None = None", "np.ndarray", body]


def all_told(p, sizes):
    """The same of a workspace."""
    each = [
        f'"{n}": np.empty({" * ".join(sizes.get(s, s) for s in meanings.factors(a.length))}'
        f"{', np.int32' if a.base == 'int32_t' else ''}),"
        for n, a in p.outs
    ]
    places = "(x for array in told.values() for x in (array.ctypes.data, array.size))"
    body = ["told = {", *("    " + one for one in each), "}"]
    body += [f"self._done(lib.{p.function}(self._pointer, *{places}))", "return told"]
    return ["self", "dict[str, np.ndarray]", body]


def setting(p, sizes):
    """A call of a batch with numbers, a struct or an array that it does not compute."""
    taken, passed, body, results, kinds = ["self"], [], [], [], []
    for name, a in [*p.inputs, *p.outs]:
        kind = class_name(meanings.CONSTANTS[name]) if name in meanings.CONSTANTS else None
        if a.kind == "value":
            taken.append(f"{name}: {kind + ' | str' if kind else 'int'}")
            passed.append(f"constant({kind}, {name})" if kind else f"int({name})")
        elif a.kind == "result":
            body.append(f"{name} = ctypes.c_int32()")
            passed.append(f"ctypes.byref({name})")
            results.append(f"{kind}({name}.value)" if kind else f"{name}.value")
            kinds.append(kind or "int")
        elif a.kind == "struct":
            body.append(f"{name} = prepared(_raw.{a.base})")
            passed.append(f"ctypes.byref({name})")
            results.append(f"record({name})")
            kinds.append(struct_name({"name": a.base}))
        else:
            taken.append("out: np.ndarray | None = None")
            size = sizes[a.length].replace("self.n", "self.model.n")  # meanings.EVERY_JOINT
            body.append(f"out = np.empty({size}) if out is None else out")
            passed.append("out.ctypes.data, out.size")
            results.append("out")
            kinds.append("np.ndarray")
    body.append(f"self._set(lib.{p.function}, {', '.join(passed)})")
    body.append(f"return {', '.join(results)}" if results else "self._count()")
    kind = f"tuple[{', '.join(kinds)}]" if len(kinds) > 1 else kinds[0] if kinds else "None"
    return [", ".join(taken), kind, body]


def rule(p):
    """What writes a function, or None."""
    if p.kind != "hand":
        return None
    if p.name == "clone":
        return lambda p, sizes: ["self", class_name(p.method.owner[len("tenon_") :]), [f"return self._cloned(lib.{p.function})"]]
    if p.method.owner == "tenon_workspace" and p.name == "all_settings":
        return all_told
    if p.method.owner == "tenon_batch" and not any(a.c["name"] == "status" for a in p.method.arguments):
        arrays = [a for _, a in p.outs if a.kind == "batch_array"]
        return None if p.name == "__init__" else told if arrays else setting
    return None


def finders(owner, functions):
    """link_index of find_link, and so on; the names of all links, of link_name and link_count."""
    out = []
    for name in (f[len(owner) + 1 :] for f in functions if f.startswith(owner + "_")):
        if name.startswith("find_"):
            one = name[len("find_") :]
            out += [f"    def {INDEX.get(owner, one + '_index')}(self, {one}: str | int) -> int:"]
            out += [f'        """Index of the {one} of a name. A number is taken as it is."""']
            out += [f"        return self.{name}({one}) if isinstance({one}, str) else int({one})", ""]
        one = name[: -len("_count")]
        made = next((f for f in (one + "_name", one) if f"{owner}_{f}" in functions), None)
        text = made and functions[f"{owner}_{made}"]["result"]["base"] == "char"
        if name.endswith("_count") and text:
            out += ["    @property", f"    def {one}s(self) -> tuple[str, ...]:"]
            out += [f'        """All of {made}."""', f"        return tuple(map(self.{made}, range(self.{name})))", ""]
    return out
