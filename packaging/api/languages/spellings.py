"""How languages of classes spell types and lengths: what C#, Java and JavaScript have in common."""

import re
from dataclasses import dataclass, field

from .common import pascal
from .shapes import FLAGS, codes, struct_name

# The symbols of lengths, as objects know them; of a model itself, and elsewhere.
LENGTHS = {"nq": "nq", "nv": "nv", "m": "m", "ny": "model.ny", "nyq": "model.nyq", "links": "model.link_count",
           "parameters": "10 * model.link_count", "loop rows": "model.loop_row_count", "ratios": "model.ratio_count", "constraints": "constraint_count",
           "triangle": "nv * (nv + 1) / 2", "solution": "(nv + m)", "spanning nv": "model.nv",
           "ny of a model": "ny", "nyq of a model": "nyq"}  # fmt: skip


def lengths(spelled):
    """LENGTHS in a language: spelled(names) of names of members, one of the other."""
    return {symbol: re.sub(r"[a-z][a-z_.]*", lambda found: spelled(found[0]), text) for symbol, text in LENGTHS.items()}


def sides(numbers, call, known, local, counted, given="{}", side=str):
    """What the factors of a length are: told by matrices, given, counted, or what an object knows. call: None in a struct."""
    for f in numbers:
        one = next((a for a in call.given if f in (a.name, a.c.get("count"))), None) if call else None
        if f == "loads":  # six of each chosen link
            yield "6 * " + counted.format(local("links"))
        elif call and f in call.told:
            yield f"{local(call.told[f][0])}.{side(call.told[f][1])}"
        elif one:
            yield (given if one.kind == "value" else counted).format(local(one.name))
        else:
            of_model = call and call.owner == "tenon_model" and known.get(f"{f} of a model")
            yield str(f) if isinstance(f, int) else of_model or known[f]


@dataclass
class Types:
    """How a language of classes calls them. bits: kinds of constants that are numbers there."""

    scalars: dict
    text: str
    flag: str
    log: str
    bits: set = field(default_factory=set)

    def is_enum(self, a):
        return bool(a.enum) and a.enum not in self.bits

    def owned(self, a):
        """Of what is returned: arrays of its own."""
        if a.kind in ("array", "result"):
            of_enum = a.kind == "result" and self.is_enum(a)
            return pascal(a.enum) if of_enum else self.scalars[a.base] + ("[]" if a.kind == "array" else "")
        known = {"matrix": "Matrix", "batch_array": "double[]", "text_buffer": self.text}
        return known.get(a.kind) or struct_name(a.base)

    def of_field(self, f):
        if f["name"] in FLAGS:
            return self.flag
        if f.get("enum") and not f.get("mask") and f["enum"] not in self.bits:
            return pascal(f["enum"])
        known = {"tenon_log_callback": self.log, "char": self.text}
        if f["base"] not in self.scalars:
            return known.get(f["base"]) or struct_name(f["base"])
        return self.scalars[f["base"]] + ("[]" if "extent" in f or f["pointers"] else "")


class Arguments:
    """What a method hands to C. A language has a method for each kind: a is the argument, known what a user sees of it, n its
    name there."""

    def __init__(self, call):
        self.call, self.codes = call, codes([call])
        self.known = {a.c["name"]: a for a in call.given + call.written}

    def passed(self, local):
        for a in self.call.function["arguments"]:
            known = self.known.get(a["name"])
            yield getattr(self, known.kind if known else a["kind"])(a, known, local(known.name if known else a["name"]))

    def user(self, a, known, n):
        return "null"
