"""The calls of exercise.py as a program of classes: what those of C#, Java and JavaScript have in common. Each says how things are
spelled there."""

import json

from . import exercise, layers, shapes
from .exercise import Batch, Callback, Handle, In, Struct, Text, Texts
from .exercise_program import Base

# What is returned cannot be missing, a batch has its own arrays of statuses, sets are finished where they are used, and K is
# looked at before C sees it.
LACKS = {"null_new", "null_result", "null_record", "null_buffer", "status", "unfinished", "shape of tenon_constraints_add_rows"}


class Program(Base):
    """A step is a function that makes the arguments, calls, and returns what is to be printed."""

    FILL, JOIN = "fill({}, {})", "join({})"

    def __init__(self, api):
        super().__init__(api)
        self.calls = {call.c: call for call in shapes.calls(api)}

    def whole(self, x):
        return self.large(x) if abs(x) >= 2**31 else str(x)

    # ---- a step

    def written(self, value, integers=False):
        """An array that is written, declared before the call."""
        name = self.name()
        numbers = self.zeros(value.size, integers) if value.source is None else self.numbers(value.source)
        self.code.append(self.declare(name, numbers, integers))
        return name

    def batch(self, value, label):
        data = self.name()
        numbers = f"{self.zeros(value.size)}" if value.source is None else self.numbers(value.source)
        self.code.append(
            self.declare(data, self.singles(numbers) if self.float else numbers, kind="float" if self.float else None)
        )
        if value.written:
            self.after.append(self.hash(label, data))
        strides = (value.first, value.count, value.number, value.state, value.record)
        return self.view(data, [self.whole(x) for x in strides])

    def argument(self, a, value, c):
        """An expression for an argument; c: its name in C."""
        if value is None:
            return self.nothing(a)
        if a.kind == "value":
            return self.value(a, value.value)
        if isinstance(value, Text):
            return json.dumps(value.text)
        if isinstance(value, Texts):
            return self.strings([json.dumps(t) for t in value.texts])
        if isinstance(value, Callback):
            return self.CALLBACKS[value.name]
        if isinstance(value, Batch):
            return self.batch(value, c)
        if isinstance(value, Handle):
            return self.object(a.base, value)
        if isinstance(value, Struct):
            return self.options(value)
        if isinstance(value, In):
            numbers = self.numbers(value.source)
            return self.matrix(value.shape, numbers) if value.shape else numbers
        name = self.written(value, value.integers)
        self.after.append(self.hash(c, name))
        if value.save:
            self.saves.append((value.save, name))
        return self.matrix(value.shape, name) if value.shape else name

    def option(self, struct, name, x):
        """The value of a field of options."""
        f = self.fields[struct][name]
        return self.field(x, lambda number: self.number_field(f, number), lambda array: self.batch(array, name), self.options)

    def step(self, step):
        call = self.calls.get(step.function)
        self.float, self.code, self.after, self.saves, self.counter = self.owner(step) in self.single, [], [], [], 0
        first = step.method.function["arguments"][0] if step.method.function["arguments"] else {}
        self.first = step.values.get(first.get("name")) if call.method.kind in ("method", "destructor") else None
        if step.method.kind == "destructor":
            return [self.destroyed(first["base"], self.first)]
        values = {a.c["name"]: step.values.get(a.c["name"]) for a in call.given + call.written}
        made = {}
        for a in step.method.function["arguments"]:  # in the order of C, in which what is written is printed
            one = next((x for x in call.given + call.written if x.c["name"] == a["name"]), None)
            value = step.values.get(a["name"])
            if call.of_batch(a["name"]) and a["kind"] == "array":
                self.after += [self.codes(a["name"])] if value is not None else []
            elif a["name"] == "needed":
                self.after += [self.needed()] if value is not None else []
            elif one in call.singles:
                self.after += [self.single_result(call, one, value)] if value is not None else []
            elif one:
                made[a["name"]] = self.argument(one, value, a["name"])
        return self.called(step, call, made, values)

    def printed_record(self, a, value, result):
        """The fields of a record, as C prints them."""
        parts = [self.printed_field(f, result) for f in layers.fields(self.structs[value.type])]
        return self.record(a.c["name"], parts)

    def text(self):
        functions = []
        for step in self.steps:
            if exercise.sayable(step, LACKS):
                functions.append(self.function(step, self.step(step)))
        return self.program(functions)
