"""The two forms of a function in layers of typed languages, which their templates write out: one that takes all arguments,
arrays to be written among them, and one that allocates these and returns them."""

import re

from .meanings import EVERY_JOINT, ONLY, factors, records_of, value_constants

FIXED = {"3", "6", "7", "9"}  # lengths that a type may have


class Value:
    """An argument: what it is in the signature, what is said before the call, what C gets, and what is returned of it."""

    def __init__(self):
        self.given, self.before, self.passed, self.result, self.type = None, [], {}, None, None
        self.lifetime = False


class Form:
    """A language says: name_of (an argument), object and raw (words of a call), message_size, product (of sizes), as_<kind>
    (what arguments are), known (sizes), and first (what comes before the rest of what is said before the call)."""

    by_hand = ()  # functions with callbacks

    def __init__(self, api, method):
        self.api, self.m, self.f, self.c_name = api, method, method.function, method.function["name"]
        self.batch = method.owner == "tenon_batch"
        first = self.f["arguments"][0] if self.f["arguments"] else {}
        self.cloning = method.kind == "constructor" and first.get("kind") == "object" and first["base"] == method.makes
        if self.cloning:  # a method of what it clones
            method.arguments = [a for a in method.arguments if a.kind != "object"]
        self.bound = method.kind == "method" or self.cloning
        self.structs = {s["name"]: s for s in api["structs"]}
        self.values = {a.name: self.argument(a) for a in method.arguments if self.c_name not in self.by_hand}

    def argument(self, a):
        v = Value()
        getattr(self, "as_" + a.kind)(a, v, self.name_of(a.name), a.c["base"])
        return v

    # ---- what is what

    def own_status(self, a):
        """The statuses of a batch are kept by the batch."""
        return self.batch and a.name == "status"

    def arrays(self):
        """What the form that allocates returns beside single numbers."""
        kinds = ("array", "matrix", "batch_array")
        added = ("batch_array",)  # that what is written is added to, where options ask for it, is for the other form
        written = [a for a in self.m.arguments if a.role == "out" or a.role == "inout" and (a.null or a.kind in added)]
        return [a for a in written if a.kind in kinds and not self.own_status(a)]

    def wanted(self):
        return [a for a in self.arrays() if a.name in ONLY.get(self.c_name, {a.name})]

    def told(self, a):
        """Whether a record is filled."""
        return a.kind == "struct" and a.role == "inout"

    def borrows(self, struct):
        """Whether options hold arrays of a batch."""
        return any(f["base"] == "tenon_batch_array" for f in self.structs[struct]["fields"])

    def texted(self):
        return any(a.kind == "text_buffer" for a in self.m.arguments)

    def has(self, name):
        return any(a.name == name for a in self.m.arguments)

    def by_q(self):
        """The form that allocates knows the number of states from q."""
        return self.batch and self.has("states") and self.has("q")

    def constants(self, a):
        return value_constants(a, self.m)

    def columns(self):
        """The matrix that tells how many columns a call works on."""
        if self.batch or not self.has("columns"):
            return None
        return next(self.name_of(a.name) for a in self.m.arguments if a.kind == "matrix" and a.role == "in")

    def shown(self):
        """Names of the arguments that a user gives."""
        return [a.name for a in self.m.arguments if self.values[a.name].given]

    def results(self):
        return [(self.name_of(name), v) for name, v in self.values.items() if v.result]

    # ---- lengths

    def size(self, symbol):
        """An expression of one factor of a length."""
        if symbol.isdigit():
            return symbol
        every = self.c_name in EVERY_JOINT and symbol in ("nq", "nv")
        return self.known()["every " + symbol if every else symbol]

    def sizes(self, a):
        if self.c_name.startswith("tenon_convert_"):  # states of other libraries have every joint
            return [self.known()["converted q" if self.c_name.endswith("configuration") else "converted v"]]
        return [self.size(s) for s in factors(a.length)]

    def number(self, a):
        """Of how many numbers an array is."""
        parts = self.sizes(a)
        return parts[0] if len(parts) == 1 else self.product.format(", ".join(parts))

    def records(self, a):
        return self.known()[f"each {records_of(a.note)}"]

    # ---- the call

    def in_c(self):
        """The arguments of the call, in its order."""
        passed = {k: x for v in self.values.values() for k, x in v.passed.items()}
        for place, a in enumerate(self.f["arguments"]):
            if place == 0 and self.bound:
                yield self.object()
            else:
                yield {"message": "message", "message_size": self.message_size}.get(a["kind"]) or passed[a["name"]]

    def call(self):
        return self.raw() + f"({', '.join(self.in_c())})"

    def before(self):
        """What is said before the call: first how many columns there are, which shapes need, and what changes a batch."""
        lines = [line for v in self.values.values() for line in v.before]
        lines = [line for place, line in enumerate(lines) if line not in lines[:place]]
        return sorted(lines, key=lambda line: not re.match(self.first, line))
