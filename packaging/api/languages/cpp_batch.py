"""C++: the methods of a batch, whose arrays are of many states."""

from .meanings import NEEDS, factors, records_of

# The order of what is given, where it is not that of C: what is asked for comes before what may be left out.
ORDER = {
    "tenon_batch_kinematics": ("q", "links", "v", "axes"),
    "tenon_batch_kinematics_vjp": ("q", "links", "v", "pose_gradients", "velocity_gradients", "axes", "options"),
    "tenon_batch_kinematics_jvp": ("q", "links", "v", "dq", "dv", "axes", "options"),
    "tenon_batch_link_motion": ("q", "links", "v", "a", "axes"),
    "tenon_batch_link_motion_vjp": ("q", "links", "v", "a", "pose_gradients", "velocity_gradients", "acceleration_gradients",
                                    "axes", "options"),
    "tenon_batch_link_motion_jvp": ("q", "links", "v", "a", "dq", "dv", "da", "axes", "options"),
    "tenon_batch_rollout": ("q", "v", "tau", "options", "wrenches"),
    **dict.fromkeys(("tenon_batch_rollout_vjp", "tenon_batch_rollout_parameter_vjp"),
                    ("q", "v", "tau", "options", "wrenches", "record_gradient_q", "record_gradient_v")),
}
# How many records there are of what has some.
RECORDS = {"step": "options.steps", "record": "options.steps / (options.every == 0 ? 1 : options.every)"}


# Of each number of an array that is left out.
DEFAULTS = {("tenon_batch_set_gains", "damping_ratios"): "1"}


class BatchMethods:
    def factor(self, p, a, symbol):
        """One factor of a length, as an expression."""
        counted = next((c["of"] for c in p.method.function["arguments"] if c["name"] == symbol and c["kind"] == "count"), None)
        if counted:
            return f"{counted}.size()"
        if symbol == "columns":
            return "detail::counted(columns)"
        if symbol == "nv" and "spanning" in a.note:
            return "self().model().nv()"
        words = {"triangle": "detail::product({self().nv(), self().nv() + 1}) / 2", "links": "detail::counted(self().model().link_count())"}
        return symbol if symbol.isdigit() else words.get(symbol) or self.sizes[symbol]

    def given(self, p):
        """(type, name, default) of what is read."""
        inputs = [(t, n, "{}" if (p.function, n) in DEFAULTS else d) for t, n, d in self.inputs(p)]
        if any(a["name"] == "columns" for a in p.method.function["arguments"]):
            place = next((i for i, (_, _, default) in enumerate(inputs) if default is not None), len(inputs))
            inputs.insert(place, ("std::int32_t", "columns", "1"))
        if any(self.recorded(a) for a in p.method.arguments):
            inputs = [(f"const {p.chosen.base}&" if n == "options" else t, n, None if n == "options" else d) for t, n, d in inputs]
        if p.function in ORDER:
            inputs.sort(key=lambda one: ORDER[p.function].index(one[1]))
        if self.states_given(p):
            inputs.insert(0, ("std::size_t", "states", None))
        return inputs

    @staticmethod
    def recorded(a):
        return records_of(a.note) if a.kind == "batch_array" else None

    @staticmethod
    def states_given(p):
        """Whether no array that is read tells how many states there are."""
        read = any(a.kind == "batch_array" and a.role == "in" for a in p.method.arguments)
        return not read and any(a.c["name"] == "states" for a in p.method.arguments)

    def batch(self, p):
        m, f = p.method, p.method.function
        if not m.status:
            return [x.replace("detail::named", "") for x in self.plain(p)]
        inputs = self.given(p)
        if not any(a.kind == "batch_array" for a in m.arguments):
            if self.states_given(p):
                return [self.doc(p), f"  Status {p.name}({self.listed(inputs)}) {{ return self().done({self.call(p)}); }}"]
            return self.computation(p)
        read = [a for _, a in [*p.inputs, *p.optional] if a.kind == "batch_array"]
        written = [a for _, a in p.outs]
        parts = {a.c["name"]: [self.factor(p, a, symbol) for symbol in factors(a.length)] for a in read + written}
        counts = {n: x[0] if len(x) == 1 else f"detail::product({{{', '.join(x)}}})" for n, x in parts.items()}
        start = read[0].c["name"] if read else None
        first = f'("{start}", {start}, {counts[start]})' if read else None
        lines, own = [f"const std::size_t n = {'self().begin' + first if first else 'states'};"], {"states": "n"}
        missing = [a for a in read if (p.function, a.c["name"]) in DEFAULTS]
        lines += [f"const Numbers {a.c['name']}_default({counts[a.c['name']]}, Real({DEFAULTS[p.function, a.c['name']]}));" for a in missing]
        for a in read + written:
            name, records = a.c["name"], self.recorded(a)
            more = f", {RECORDS[records]}" if records else ""
            given = f"{name}.given() ? {name} : Input({name}_default)" if a in missing else name
            lines.append(f'const Array {name}_array("{self.field(name)}", {given}, {counts[name]}, n{more});')
            own[name] = f"{name}_array"
        outs = [("Output", a.c["name"], None) for a in written]
        name = p.name + ("_into" if outs else "")
        text = [self.doc(p), f"  Status {name}({self.listed(outs + inputs)}) {{", *(f"    {x}" for x in lines),
                f"    return self().done({p.function}({self.passed_batch(p, own)}));", "  }"]  # fmt: skip
        own = f'{start}.states("{start}", {counts[start]})' if read else "states"
        return text + self.returning(p, name, inputs, own, parts) if outs else text

    @staticmethod
    def field(name):
        return name.removesuffix("_out")

    def returning(self, p, name, inputs, states, parts):
        """The form that returns new arrays. Where states have no statuses of their own, what fails always throws."""
        names = [a.c["name"] for _, a in p.outs]
        kind = "Motions" if len(names) > 1 else "Numbers"
        one = p.function.replace("tenon_batch_", "tenon_")
        one = one if one in self.results_of else p.function
        of_one = self.results_of.get(one)
        text = []
        if len(names) > 1 and of_one not in (None, "Motion"):
            kind = of_one
        # Of several functions of batches that return the same, the first has the type.
        if kind == of_one and one == next(f for f, known in self.results_of.items() if known == kind and self.in_batches(f)):
            text.append(f"  struct {kind} {{\n    Numbers {', '.join(map(self.field, names))};\n  }};")
        # What an output needs is not left out here.
        needed = {NEEDS.get((p.function, n)) for n in names}
        inputs = [(t, n, None if n in needed else default) for t, n, default in inputs]
        text.append(f"  {kind} {p.name}({self.listed(inputs)}) {{")
        text.append(f"    const std::size_t n = {states};")
        made = []
        for _, a in p.outs:
            records = self.recorded(a)
            sizes = ["n", *([RECORDS[records]] if records else []), *parts[a.c["name"]]]
            made.append(f"Numbers(detail::product({{{', '.join(sizes)}}}))")
        out = [f"out.{self.field(n)}" for n in names] if len(names) > 1 else ["out"]
        call = f"{name}({', '.join([*out, *(n for _, n, _ in inputs)])})"
        has_status = any(a["name"] == "status" for a in p.method.function["arguments"])
        start = f"{kind} out{{{', '.join(made)}}};" if len(names) > 1 else f"Numbers out{made[0].removeprefix('Numbers')};"
        return [*text, f"    {start}", f"    {call if has_status else f'self().sure({call})'};", "    return out;", "  }"]

    def in_batches(self, function):
        name = "tenon_batch_" + function.removeprefix("tenon_").removeprefix("batch_")
        return any(f["name"] == name for f in self.api["functions"])

    def passed_batch(self, p, own):
        kept = {"status": "self().status_", "iterations": "self().iterations_"}
        out = []
        for place, a in enumerate(p.method.function["arguments"]):
            name = a["name"]
            if place == 0:
                out.append("self().get()")
            elif name in kept:
                out.append(f"{kept[name]}.data()")
            elif a["kind"] == "count":
                out.append(f"{kept.get(a['of'], a['of'])}.size()")
            elif a["kind"] == "array":
                out.append(f"{name}.data()")
            elif a["kind"] == "struct":
                by_reference = any(self.recorded(x) for x in p.method.arguments)
                out.append("&options" if by_reference else "options.get()")
            else:
                out.append(own.get(name, name))
        return ", ".join(out)
