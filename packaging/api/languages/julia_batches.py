"""Julia: the functions of batches. Of each array a state has a column, or numbers in the shape that its length tells."""

import re

from . import meanings, python_plans, shapes


class Batches:
    """Of Writer, in julia_methods.py."""

    @staticmethod
    def read(p):
        return [a for _, a in [*p.inputs, *p.optional] if a.kind == "batch_array"]

    def by_keyword(self, p):
        """Whether outputs are given by name: many, of which few are wanted."""
        return p.method.owner == "tenon_batch" and p.function in python_plans.TOLD

    def filled(self, p, a):
        """What an array of a batch is that may be left out."""
        value = shapes.FILLED.get(a.c["name"]) if a.kind == "batch_array" else None
        return None if value is None else f"fill({float(value)}, {self.count(p, a)})"

    def asks_states(self, p):
        """Whether no array tells how many states there are."""
        of_states = p.method.owner == "tenon_batch" and any(a.name == "states" for a in p.method.arguments)
        return of_states and not self.read(p) and (self.by_keyword(p) or not self.arrays(p))

    @staticmethod
    def wide(p):
        """Whether it works on several columns of each state."""
        return p.method.owner == "tenon_batch" and any(a.name == "columns" for a in p.method.arguments)

    def count(self, p, a):
        return self.product(self.size(p, a))

    @staticmethod
    def product(parts):
        return " * ".join(f"({part})" if " + " in part else part for part in parts)

    def shape(self, p, a):
        """Columns follow each other; else each size of the length is one of the array."""
        size = self.size(p, a)
        return [self.product(size)] if "columns" in size else size

    @staticmethod
    def each(a):
        every = meanings.records_of(a.note)
        return [{"step": "steps", "record": "records"}[every]] if every else []

    def batch(self, p):
        m = p.method
        if not m.status:
            return self.plain(p)
        if not p.borrowed and not any(a.kind == "batch_array" for a in m.arguments):
            if p.outs:
                return [re.sub(r"\bwork\b", "batch", line) for line in self.computation(p)]
            call = f"done(batch, Raw.{p.function}({', '.join(self.passed(p, {}))}))".replace("work.", "batch.")
            body = [call, *(["count!(batch)"] if p.name == "set_coordinates" else []), "return nothing"]
            return self.lines(p, self.head(self.called(p), *self.parameters(p)), self.indented(body))
        positional, keywords = self.parameters(p)
        outs, body, own, held = self.arrays(p), [], {"status": "batch.codes", "iterations": "batch.iterations"}, []
        arrays = [*outs, *self.read(p)]
        counts = {a.c["name"]: self.count(p, a) for a in arrays}
        own |= {"columns": "columns"} if self.wide(p) else {}
        own["states"] = "states" if self.asks_states(p) else "n"
        if own["states"] == "n":
            teller = (self.read(p) or outs)[0].c["name"]
            kept = any(a.name == "status" for a in m.arguments)
            told = f'begin_states(batch, {teller}, {counts[teller]}, "{teller}")' if kept else f"states_of({teller}, {counts[teller]})"
            body.append(f"n = {told}")
        if any(map(self.each, arrays)):
            body.append("steps, records = steps_of(how)")
        for a in arrays:
            n, kind = a.c["name"], "output" if a.role != "in" else "input"
            given = [f"batch, {n}, {counts[n]}, {own['states']}", f'"{n}"', *self.each(a)]
            body.append(f"{n}_ = {kind}({', '.join(given)})")
            own[n] = f"reference({n}_)"
            held.append(f"{n}_")
        if p.chosen is not None and p.by_name:
            how = f"with_arrays(batch, Raw.{p.chosen.base}, how, {own['states']})" if p.borrowed else "how"
            body.append(f"chosen = options_of(Raw.{p.chosen.base}, {how})")
            held.append("chosen")
        if p.chosen is not None:
            own[p.chosen.c["name"]] = "reference(chosen)" if p.by_name else "reference(options)"
        own |= {a["name"]: f"length({own[a['of']]})" for a in m.function["arguments"] if a["kind"] == "count" and a["of"] in own}
        passed = [own.get(a["name"], word) for a, word in zip(m.function["arguments"], self.passed(p, own))]
        body.append(f"GC.@preserve {' '.join(held)} done(batch, Raw.{p.function}({', '.join(passed)}))")
        names = [a.c["name"] for a in outs]
        body.append(f"return {', '.join(self.named([(re.sub('_out$', '', n), n) for n in names])) or 'nothing'}")
        out = self.lines(p, self.head(self.called(p), positional, keywords), self.indented(body))
        return out + (self.made_of_states(p, positional, keywords, counts) if outs else [])

    def made_of_states(self, p, positional, keywords, counts):
        """The form that makes its outputs."""
        outs, body = self.arrays(p), []
        names = [a.c["name"] for a in outs]
        rest = [x for x in positional if x not in names]
        keywords = [k for k in keywords if k.split(" = ")[0] not in names]
        states = "states"
        if self.read(p):
            first = self.read(p)[0].c["name"]
            states = f"states_of({first}, {counts[first]})"
        elif not self.asks_states(p):
            rest.append("states")
        zeros = {}
        for a in outs:
            n = a.c["name"]
            shape = self.shape(p, a)
            if meanings.turns(p.method, a):
                shape = [f"turned(how, {', '.join(shape)})..."]
            zeros[n] = f"zeros(number_type(batch), {', '.join([*shape, *self.each(a), states])})"
            needs = meanings.NEEDS.get((p.function, n))
            zeros[n] = f"{needs} === nothing ? nothing : {zeros[n]}" if needs else zeros[n]
        body += ["steps, records = steps_of(how)"] if any(map(self.each, outs)) else []
        given = [x for x in rest if x != "states" or self.asks_states(p)]
        given = [x.split("::")[0].split(" = ")[0] for x in given]
        words = [k if k.endswith("...") else "{0} = {0}".format(k.split(" = ")[0]) for k in keywords]
        if self.by_keyword(p):
            words += [f"{n} = {value}" for n, value in zeros.items()]
        else:
            given = [*zeros.values(), *given]
        body.append(f"return {p.name}!({', '.join(given)}{'; ' + ', '.join(words) if words else ''})")
        return [self.head(p.name, rest, keywords), self.indented(body), "end", ""]
