"""Python: what the methods of a batch do: computations of many states, what each has of its own, and what is told."""

from . import meanings
from .python_plans import CONSTANTS, SIZES, TOLD, option
from .python_types import class_name

# What robots of a batch have of their own is of each of their velocities, whatever the coordinates are.
SPANNING = {"tenon_batch_set_parameters", "tenon_batch_robots", *meanings.EVERY_JOINT}


def computes(p):
    return any(a.c["name"] == "status" for a in p.method.arguments)


def shape(p, factors):
    """Numbers of a state, the last factors first: 7 x constraints is constraints x 7 in numpy."""
    parts = [part if part.isdigit() else SIZES.get(part, part) for part in reversed(factors)]
    return [one.replace("self.n", "self.model.n") if p.function in SPANNING else one for one in parts]


def borrowed(p):
    """Of the arrays in options: (name, shape, whether they are written, what they have such numbers for)."""
    for f in p.borrowed:
        factors, every = meanings.field_length(f)
        yield f["name"], shape(p, factors), f["name"].endswith("_out"), every


def more_parameters(p):
    out = []
    if any(word == "m x columns" for word in (a.length for _, a in p.inputs)):
        out.append("columns: int | None = None")
    if any(written for _, _, written, _ in borrowed(p)):
        out.append("accelerations: bool = False")
    out += ["raises: bool = True"] if computes(p) else []
    out += ["*"] if p.borrowed else []
    for name, _, written, _ in borrowed(p):
        out.append(f"{name}: np.ndarray | bool | None = False" if written else f"{name}: ArrayLike | None = None")
    return out


def returned(p):
    """Of a rollout: without accelerations, where these are not asked for."""
    if not any(written for _, _, written, _ in borrowed(p)):
        return None
    return f"tuple[np.ndarray, np.ndarray] | {p.tuple}" if p.tuple else "tuple[np.ndarray, ...]"


def body(writer, p):
    if not p.method.status:
        return writer.told(p)
    if computes(p):
        return computation(writer, p)
    arrays = [(n, a) for n, a in [*p.inputs, *p.optional] if a.kind == "batch_array"]
    if p.outs:
        return told(p)
    if arrays or p.borrowed:
        return setting(p, arrays)
    each = [f"*given({n})" if a.kind == "array" else writer.value(p, n, a) for n, a in p.inputs]
    done = f"self._tell(lib.{p.function}, {', '.join(each)})"
    return [done, "self._read()"] if p.name == "set_coordinates" else [done]


def setting(p, arrays):
    """What each state has of its own."""
    every = [(n, shape(p, meanings.factors(a.length))) for n, a in arrays] or [(n, s) for n, s, _, _ in borrowed(p)]
    out = [f'{n} = self._setting({n}, "{n}", {", ".join(s)})' for n, s in every]
    out.append(f"states = states_of({', '.join(f'{n}={n}' for n, _ in every)})")
    given = [f'self._given({n}, "{n}")' for n, _ in every]
    if not arrays:
        fields = ", ".join(f'"{n}": {x}' for (n, _), x in zip(every, given))
        given = [f"structs.{option(p.chosen.base)}({{{fields}}})"]
    return [*out, f"self._tell(lib.{p.function}, states, {', '.join(given)})"]


def told(p):
    """What was set, or how the last call went."""
    out, passed, results = [], ["states"] if any(n == "states" for n, _ in p.inputs) else [], []
    passed += [n for n, _ in p.inputs if n != "states"]
    for name, a in p.outs:
        own = "out" if a is p.outs[0][1] and a.kind in ("array", "batch_array") and p.function not in TOLD else name
        if a.kind == "batch_array":
            parts = shape(p, meanings.factors(a.length))
            out.append(f'{own}, to_{own} = self._written({own}, "{name}", states, {" * ".join(parts)})')
            passed.append(f"to_{own}")
            whole = f"(states, {', '.join(parts)})"
            results.append(whole if p.function in TOLD else f"{own}.reshape{whole}")
        elif a.kind == "array":
            out.append(f"{own} = np.empty({shape(p, [a.length])[0]}) if {own} is None else {own}")
            passed.append(f"{own}.ctypes.data, {own}.size")
            results.append(own)
        elif a.kind == "struct":
            out.append(f"{own} = prepared(_raw.{a.base})")
            passed.append(own)
            results.append(f"structs.{option(a.base)}({own})")
        else:
            kind = class_name(CONSTANTS[name])
            out.append(f"{own} = c_int32()")
            passed.append(f"ctypes.byref({own})")
            results.append(f"{kind}({own}.value)")
    out.append(f"self._tell(lib.{p.function}, {', '.join(passed)})")
    if p.function in TOLD:
        out += ["told = {", *(f'    "{n}": ({n}, {x}),' for (n, _), x in zip(p.outs, results)), "}"]
        return [*out, "return {n: x.reshape(shape) for n, (x, shape) in told.items() if x is not None}"]
    return [*out, f"return {', '.join(results)}"]


def computation(writer, p):
    """Inputs are arrays of all states, or one for all; outputs are new or given."""
    out, passed, states, results = [], {}, [], []
    records, columns = p.borrowed, more_parameters(p)[0] == "columns: int | None = None"
    if records:
        fill = f"structs.{option(p.chosen.base)}"
        out += [f"chosen = {fill}(how, prepared(_raw.{p.chosen.base}))"]
        out += ["steps, records = chosen.steps, chosen.steps // max(chosen.every, 1)"]
    if columns:
        out += ["apart = columns is None and np.ndim(B) == 3  # matrices; else their numbers, column by column",
                "columns = columns or (np.shape(B)[2] if apart else 1)",
                "B = np.swapaxes(B, 1, 2).reshape(len(B), -1) if apart else B"]  # fmt: skip
    given = {}
    for name, a in [*p.inputs, *p.optional]:
        if a.kind == "batch_array":
            states.append(name)
            every = meanings.records_of(a.note)
            more = f", {every}s" if every else ""
            if "number_stride of 0" in a.note:  # one number serves
                more += f", count={shape(p, meanings.factors(a.length))[0]}"
            given[name] = passed[a.c["name"]] = f'self._given({name}, "{name}"{more})'
        elif a.kind == "array":
            out.append(f"indices, {a.length} = self.model._indices({name}), len({name})")
            passed[a.c["name"]] = f"indices.ctypes.data, {a.length}"
        else:
            passed[a.c["name"]] = writer.value(p, name, a)
    read = [(n, every) for n, _, written, every in borrowed(p) if not written]
    out += [line for name, a in [*p.inputs, *p.optional] if (line := in_a_row(name, a))]
    states += [n for n, _ in read]
    out.append(f"states = states_of({', '.join(f'{n}={n}' for n in states)})")
    for name, a in p.outs:
        own = writer.out_name(p, name)
        code, result = output(p, own, name, a, meanings.records_of(a.note))
        out.append(code)
        passed[a.c["name"]] = f"to_{own}"
        results.append(result)
    fields, more = [f'"{n}": self._given({n}, "{n}"{", steps" if every == "step" else ""})' for n, every in read], []
    for name, (size,), _, _ in (x for x in borrowed(p) if x[2]):
        out.append(f"{name} = None if accelerations and {name} is False else {name}")
        out.append(f'{name}, to_{name} = self._written({name}, "{name}", states, records, {size})')
        fields.append(f'"{name}": to_{name}')
        more.append(name)
    if records:
        out.append(f"{fill}({{{', '.join(fields)}}}, chosen)")
    before = ""
    if p.chosen:
        before = f", before=({'chosen' if records else writer.made(p)},)"
    counts = ", counts=True" if any(a.c["name"] == "iterations" for a in p.method.arguments) else ""
    passed |= {"columns": "columns"} if columns else {}
    every = [passed[a.c["name"]] for a in p.method.arguments if a.c["name"] in passed]
    out.append(f"self._run(lib.{p.function}, raises, states, {', '.join(every)}{before}{counts})")
    if columns:
        return [*out, f"return {results[0]}.reshape(states, columns, self.m).swapaxes(1, 2) if apart else {results[0]}"]
    if records:
        few = ", ".join(results)
        return [*out, f"return {p.tuple or ''}({few}, {', '.join(more)}) if accelerations else ({few})"]
    if p.tuple:
        return [*out, f"return {p.tuple}(  # type: ignore[arg-type]", *(f"    {one}," for one in results), ")"]
    words = ", ".join(results)
    if len(words) > 100:  # a line that breaks is in brackets
        return [*out, "return (", f"    {words},", ")"]
    return [*out, f"return {words}"] if results else out


def in_a_row(name, a):
    """Of what outputs give with dimensions of its own: these are taken too, of inputs. None: there are none."""
    factors = meanings.factors(a.length) if a.kind == "batch_array" else []
    if factors == ["1"]:
        return f"{name} = in_a_row({name})"
    if len(factors) == 2 and factors[0].isdigit() and factors[1] == "link_count":
        return f"{name} = in_a_row({name}, link_count, {factors[0]})"
    return None


def matrix_of(p, a):
    """Whether an output has matrices: derivatives, with columns of what they are by, maybe apart, or symmetric ones."""
    factors = meanings.factors(a.length)
    if p.tuple or len(factors) != 2 or a.kind != "batch_array" or not computes(p) or factors[0].isdigit():
        return None  # six of each link are numbers one behind the other
    if a.role == "inout" or factors[1] == "parameters":
        return "apart"
    return "flat" if factors[0] == factors[1] else None


def output(p, own, name, a, records):
    """What is written, and what is returned of it."""
    factors = meanings.factors(a.length)
    parts = [s if s.isdigit() else SIZES.get(s, s) for s in factors]
    needed = meanings.NEEDS.get((p.function, name))
    given = f"False if {needed} is None else {own}" if needed else own
    start, matrix = ", start=0" if a.role == "inout" else "", matrix_of(p, a)
    if matrix:
        layout = ', row_major=how.get("row_major", 0)' if meanings.has_layout(p.method, a) else ""
        size = f'{", ".join(parts)}{start}, matrix="{matrix}"{layout}'
        return f'{own}, to_{own} = self._written({own}, "{own}", states, {size})', own
    if p.tuple and not records:  # a record of each, a matrix its columns
        swapped = f".swapaxes({len(parts) - 1}, {len(parts)})" if len(parts) > 2 else ""
        inner = "" if parts == ["1"] else ", " + ", ".join(reversed(parts))  # of one number there is one a state
        result = f"None if {own} is None else {own}.reshape(states{inner}){swapped}"
    else:
        result = own
    size = f"{records}s, {' * '.join(parts)}" if records else " * ".join(parts)
    return f'{own}, to_{own} = self._written({given}, "{own}", states, {size}{start})', result
