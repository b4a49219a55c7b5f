"""What the templates of programs have in common: each says how things are spelled in its language."""

import json

from .exercise import Batch, Callback, Fill, Handle, In, Join, Literal, New, Out, Saved, Struct, Text, calls


class Base:
    FILL, SAVED, JOIN, NULL = "filled({}, {})", "{}", "joined({})", None
    CALLBACKS = {"log": "log", "circle": "circle"}
    quoted = staticmethod(json.dumps)

    def __init__(self, api):
        self.api, self.counter = api, 0
        self.steps, self.single = calls(api)
        self.structs = {s["name"]: s for s in api["structs"]}
        self.fields = {name: {f["name"]: f for f in s["fields"]} for name, s in self.structs.items()}
        self.kinds, self.kept = {}, set()  # of objects; numbers that later steps take
        for step in self.steps:
            for a in step.method.function["arguments"]:
                value = step.values.get(a["name"])
                if isinstance(value, New):
                    self.kinds[value.name] = a["base"]
                if isinstance(value, Out) and value.save:
                    self.kept.add(value.save)

    def name(self):
        self.counter += 1
        return f"a{self.counter}"

    @staticmethod
    def owner(step):
        """The first object of a step."""
        return next((v.name for v in step.values.values() if isinstance(v, Handle)), "")

    @staticmethod
    def new(step):
        """What the object is called that a step makes."""
        return next((v.name for v in step.values.values() if isinstance(v, New)), None)

    def number(self, x, integer=False):
        if x != x:
            return self.NAN
        if x in (float("inf"), float("-inf")):
            return self.INFINITY
        return str(int(x)) if integer else repr(float(x))

    def numbers(self, source):
        """An expression: an array of its own."""
        if isinstance(source, Fill):
            return self.FILL.format(source.size, source.k)
        if isinstance(source, Saved):
            return self.SAVED.format(source.name)
        if isinstance(source, Join):
            return self.joined([self.numbers(part) for part in source.parts])
        return self.array(", ".join(self.number(x, source.integers) for x in source.numbers), source.integers)

    def joined(self, parts):
        return self.JOIN.format(", ".join(parts))

    def fixed(self, source):
        """Numbers of a field of fixed size."""
        return self.numbers(source)

    def field(self, x, number, batch, options):
        """The value of a field of options, by what makes an expression of a number, of an array of a batch, of options."""
        if x is None:
            return self.NULL
        if isinstance(x, (Batch, Struct)):
            return batch(x) if isinstance(x, Batch) else options(x)
        if isinstance(x, (In, Literal)):
            return self.numbers(x.source) if isinstance(x, In) else self.fixed(x)
        if isinstance(x, Text):
            return self.quoted(x.text)
        return self.CALLBACKS[x.name] if isinstance(x, Callback) else number(x)
