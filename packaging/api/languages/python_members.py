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


def of_links(p, sizes):
    """A computation of a batch for chosen links: each output has a record for each of them, a matrix its columns."""
    taken, states, passed, body, results = ["self"], [], {}, [], []
    for name, a in sorted(p.inputs, key=lambda pair: (pair[1].kind == "value", bool(pair[1].null), pair[1].kind == "array")):
        if a.kind == "array":
            taken.append(f"{name}: Sequence[str | int]")
            body.append(f"indices, {a.length} = self.model._link_indices({name}), len({name})")
            passed[name] = f"indices.ctypes.data, {a.length}"
        elif a.kind == "batch_array":
            taken.append(f"{name}: ArrayLike" + (" | None = None" if a.null else ""))
            states.append(f"{name}={name}")
            passed[name] = f'self._given({name}, "{name}")'
        else:
            kind = class_name(meanings.CONSTANTS[name])
            taken.append(f"{name}: {kind} | str = {kind}.WORLD")
            passed[name] = f"constant({kind}, {name})"
    body.append(f"states = self._states({', '.join(states)})")
    for name, a in p.outs:
        parts = [s if s.isdigit() else sizes.get(s, s) for s in meanings.factors(a.length)]
        needed = meanings.NEEDS.get((p.function, name))
        absent = f"{name} is False" + (f" or {needed} is None" if needed else "")
        written = f'self._written({name}, "{name}", states, {" * ".join(parts)})'
        body.append(f"{name}, to_{name} = (None, None) if {absent} else {written}  # type: ignore[arg-type,assignment]")
        passed[name] = f"to_{name}"
        swapped = f".swapaxes({len(parts) - 1}, {len(parts)})" if len(parts) > 2 else ""
        results.append(f"None if {name} is None else {name}.reshape(states, {', '.join(reversed(parts))}){swapped}")
    taken += ["raises: bool = True", *(f"{n}: np.ndarray | bool | None = None" for n, _ in p.outs)]
    every = ", ".join(passed[a.c["name"]] for a in p.method.arguments if a.c["name"] in passed)
    body += [f"self._run(lib.{p.function}, raises, states, {every})", f"return {p.tuple}(  # type: ignore[arg-type]"]
    return [", ".join(taken), p.tuple, [*body, *(f"    {one}," for one in results), ")"]]


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
    if p.method.owner == "tenon_batch" and any(n == "links" for n, _ in p.inputs):
        return of_links
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
            if one == "link" and owner == "tenon_model":
                out += ["    def _link_indices(self, links: Iterable[str | int]) -> np.ndarray:"]
                out += ["        return np.array([self.link_index(link) for link in links], dtype=np.int32)", ""]
        one = name[: -len("_count")]
        made = next((f for f in (one + "_name", one) if f"{owner}_{f}" in functions), None)
        text = made and functions[f"{owner}_{made}"]["result"]["base"] == "char"
        if name.endswith("_count") and text:
            out += ["    @property", f"    def {one}s(self) -> tuple[str, ...]:"]
            out += [f'        """All of {made}."""', f"        return tuple(map(self.{made}, range(self.{name})))", ""]
    return out
