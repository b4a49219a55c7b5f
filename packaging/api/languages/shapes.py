"""How the layers of typed languages call each function: what of its arguments is given, changed in place, written or told by
others, and how long what is written is. C#, Java and JavaScript have a Call of each, with the names of these layers; Rust and
Go a Form, since they have each function twice: with all arguments, memory to be written among them, and with this allocated."""

import re
from dataclasses import dataclass, field, replace

from . import layers, meanings
from .meanings import CONSTANTS, EVERY_JOINT, ONLY, RESULTS, records_of, value_constants

# Names other than those of layers.py: shorter, or what a language calls it.
NAMES = {
    "tenon_version": "version_number",
    "tenon_version_string": "version",
    "tenon_model_load_urdf": "load",
    "tenon_model_parse_urdf": "parse",
    "tenon_builder_load_urdf": "load",
    "tenon_builder_parse_urdf": "parse",
    "tenon_model_find_link": "link_index",
    "tenon_model_find_joint": "joint_index",
    "tenon_builder_find_link": "link_index",
    "tenon_constraints_find_constraint": "index",
    "tenon_constraints_constraint_count": "count",
    "tenon_constraints_constraint_info": "info",
    "tenon_model_link_info": "link",
    "tenon_model_joint_info": "joint",
    "tenon_model_cluster_info": "cluster",
    "tenon_model_loop_info": "loop",
    "tenon_point_jacobian": "jacobian",
    "tenon_workspace_constraints": "all_constraints",
    "tenon_batch_constraints": "all_settings",
    "tenon_workspace_set_constraints": "set_all_constraints",
    **meanings.COUNTS,
}
ARGUMENTS = {"in": "given", "out": "converted", "row_velocity": "velocity"}
# Of arguments, results and fields what is 1 or 0; the notes do not say.
FLAGS = {
    *("ignore_loops", "ignore_mimic", "tolerant_inertias", "is_frame", "folded", "dependent", "closes_loop", "active"),
    *("warm_start", "accelerate", "constant_map", "disable_branch_lanes", "tenon_model_floating_base"),
}
# What may be left out though C asks for it: constants by their names.
DEFAULTS = {
    "axes": "TENON_AXES_WORLD",
    "damping_ratio": 1,
    "offset": 0,
    "mass": 0,
}
# Arrays of a batch that may be left out: what fills them then.
FILLED = {"damping_ratios": 1}
# What is asked of a finished set: layers finish it before.
FINISHED = {"tenon_constraints_row_count", "tenon_constraints_constraint_info"}
# What is done once: what layers say of it.
ONCE = {"tenon_constraints_finish": "Ends the filling; the first workspace or batch does it too."}
# What objects have as properties, where the language has such; set_... of the same name changes it.
PROPERTIES = {"tenon_workspace_gravity"}
# Options as many programs need them: their name, a field and its value.
PRESETS = {"tenon_model_options": ("floating", "base", "FLOATING", "Of a model that is free to move in space.")}
# May be missing in C; here they are asked for.
ASKED = {("tenon_constrained_inverse_dynamics", "lambda")}
RETURNED = {"constrained_dynamics": "Motion", "constraint_rows": "RowsAt", "rollout": "Records"}
RETURNED.update(step_semi_implicit_euler="Motion", step_runge_kutta_4="Motion")


NAMED = {"link", "second_link", "joint", "constraint"}  # numbers of things that have names
MEMORY = ("array", "matrix", "batch_array")
FIXED = {"3", "6", "7", "9"}  # lengths that a type may have


@dataclass
class Argument:
    """One that is given, or written: kind and c as in layers.py. place: changed in place. told: by another argument."""

    c: dict
    kind: str
    name: str
    written: bool = False
    place: bool = False
    optional: bool = False
    default: object = None
    enum: str = None
    flag: bool = False
    factors: list = field(default_factory=list)

    @property
    def result(self):
        """Its name among the results."""
        return re.sub("_out$", "", self.name)

    @property
    def base(self):
        return self.c["base"]

    @property
    def note(self):
        return self.c["note"]

    @property
    def thing(self):
        """Of what it is a number, where that may be found by name: of link for second_link."""
        return self.c["name"].removeprefix("second_") if self.kind == "value" and self.c["name"] in NAMED else None


@dataclass
class Call:
    method: layers.Method
    name: str
    given: list = field(default_factory=list)  # and changed in place
    written: list = field(default_factory=list)
    told: dict = field(default_factory=dict)  # name of a value: the matrix that tells it, and "rows" or "columns"
    enum: str = None  # of the result
    flag: bool = False

    @property
    def function(self):
        return self.method.function

    @property
    def c(self):
        return self.function["name"]

    @property
    def owner(self):
        return self.method.owner

    @property
    def tells_records(self):
        """Whether a result has numbers a record."""
        return any(meanings.records_of(a.note) == "record" for a in self.returned if a.kind == "batch_array")

    @property
    def rolls(self):
        """Whether it has numbers a step or a record."""
        return any(meanings.records_of(a.note) for a in self.given + self.written if a.kind == "batch_array")

    @property
    def required(self):
        return [a for a in self.given if not a.optional and a.default is None]

    @property
    def left_out(self):
        """May be left out: options come last."""
        rest = [a for a in self.given if a.optional or a.default is not None]
        return [a for a in rest if a.kind != "struct"] + [a for a in rest if a.kind == "struct"]

    @property
    def arrays(self):
        """What is written into memory of the caller."""
        return [a for a in self.written if a.kind in MEMORY]

    @property
    def singles(self):
        return [a for a in self.written if a.kind in ("result", "struct", "text_buffer", "new_object")]

    @property
    def returned(self):
        wanted = ONLY.get(self.c)
        return [a for a in self.written if wanted is None or a.c["name"] in wanted]

    @property
    def result_name(self):
        # Those of a batch are other arrays than those of a workspace.
        batch = "Batch" if self.owner == "tenon_batch" and self.name.endswith(("_derivatives", "_hessian")) else ""
        return RETURNED.get(self.name) or batch + "".join(p[:1].upper() + p[1:] for p in self.name.split("_")) + "Result"

    @property
    def creates(self):
        return self.method.kind == "constructor" and self.method.name == "create"

    @property
    def teller(self):
        """The input of a batch whose numbers tell how many states there are."""
        return next((a for a in self.given if a.kind == "batch_array"), None)

    def named(self, a):
        """Whether a name does for a number."""
        return bool(a.thing) and not self.name.endswith("_name")

    def of_batch(self, name):
        return self.owner == "tenon_batch" and name in ("status", "iterations")


def camel(name):
    """position_error: positionError; J_bar: JBar."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def struct_name(name):
    """tenon_solve_options: SolveOptions."""
    return pascal(re.sub(r"^tenonx?_", "", name))


def object_name(handle):
    return struct_name(handle)


def factors(length):
    """6 x nv x link_count: [6, nv, link_count]. Of two lengths the first."""
    return [int(f) if f.isdigit() else f for f in meanings.factors(length or "") if f]


def field_factors(f):
    """Of a tenon_batch_array in a struct; and whether there is one a step or a record."""
    numbers, every = meanings.field_length(f)
    return [int(n) if n.isdigit() else n for n in numbers], every


def batched(struct):
    return any(f["base"] == "tenon_batch_array" for f in struct["fields"])


def clones(method):
    """Whether it makes another one of its object, whose method it is then."""
    first = method.function["arguments"][0] if method.function["arguments"] else {}
    return method.kind == "constructor" and first.get("kind") == "object" and first["base"] == method.makes


def fills(a):
    """Whether an argument is memory that a call fills, or adds to, where there is some, and does not change in place."""
    added = a.null or a.kind == "batch_array"
    return a.kind in MEMORY and (a.role == "out" or a.role == "inout" and bool(added))


def calls(api):
    for method in layers.methods(api):
        yield call_of(method)


def call_of(method):
    function = method.function
    if clones(method):
        method = replace(method, kind="method", arguments=method.arguments[1:])
    name = function["name"]
    call = Call(method, NAMES.get(name, method.name), enum=RESULTS.get(method.name), flag=name in FLAGS)
    by_name = {a.c["name"]: a for a in method.arguments}
    for a in method.arguments:
        if a.kind == "matrix" and a.c["role"] == "in":
            for symbol, side in zip(factors(a.c["length"]), ("rows", "columns")):
                if symbol in by_name and by_name[symbol].kind == "value":
                    call.told[symbol] = (a.c["name"], side)
    for a in method.arguments:
        own = a.c["name"]
        if own in call.told or call.of_batch(own) or own in ("needed", "release"):
            continue  # what only C needs: release, where layers keep what the user gave
        role = a.c.get("role", "in")
        one = Argument(a.c, a.kind, ARGUMENTS.get(own, own), factors=factors(a.c.get("length")))
        one.optional = bool(a.c.get("null")) and (name, own) not in ASKED
        if a.kind in ("value", "result"):
            one.enum = CONSTANTS.get(own) or (
                "loop_method" if name == "tenonx_loop_method_from_name" and own == "value" else None
            )
            one.flag = own in FLAGS
            one.enum = "status" if a.c["base"] == "tenon_status" else one.enum
        if a.kind == "value" and own in DEFAULTS:
            one.default = DEFAULTS[own]
        one.place = a.kind in ("array", "matrix") and role == "inout" and not one.optional
        one.written = a.kind in ("result", "text_buffer", "new_object", "struct") and role != "in" or fills(a)
        if method.kind == "init":
            one.written = False
        (call.written if one.written else call.given).append(one)
    return call


def made_from(own):
    """The objects that one is made from: [(name, whether there may be none)]."""
    create = next((c for c in own if c.creates), None)
    return [(a.name, a.optional) for a in create.given if a.kind == "object"] if create else []


def codes(own):
    """What a batch keeps of each state: status, iterations."""
    return list(dict.fromkeys(a["name"] for c in own for a in c.function["arguments"] if c.of_batch(a["name"])))


def lists(calls, owner):
    """What an object has several of, by a count and a text of each: [(links, link_count, link_name)]."""
    own = {c.name: c for c in calls if c.owner == owner}
    for name, call in own.items():
        thing = name.removesuffix("_name")
        if call.function["result"]["base"] == "char" and len(call.given) == 1 and thing + "_count" in own:
            yield thing + "s", thing + "_count", name


def lookups(calls, owner):
    """Which of its things an object finds by name: [(link, link_index)]."""
    for call in calls:
        if call.owner == owner and call.name.endswith("index"):
            yield {"index": "constraint"}.get(call.name, call.name.removesuffix("_index")), call.name


def finders(calls, owner):
    """What its functions ask of and what it was made from finds by name: [(link, model, link_index)]."""
    own = [c for c in calls if c.owner == owner]
    asked = {a.thing for c in own for a in c.given}
    found = {thing for thing, _ in lookups(calls, owner)}
    for part, _ in made_from(own):
        for thing, index in lookups(calls, f"tenon_{part}"):
            if thing in asked - found:
                found.add(thing)
                yield thing, part, index


def arrays_first(arguments):
    return sorted(arguments, key=lambda a: a.kind == "value")


@dataclass
class Choice:
    """Calls of an object whose names end in the constants of a kind, all of them: what is one method by a constant."""

    name: str
    enum: dict
    values: list  # (constant, call)

    def __post_init__(self):
        self.first, call = self.values[0]
        self.needed = arrays_first(a for a in call.required if a.kind != "struct")
        self.options = [a for a in call.given if a.kind == "struct"]
        self.changed = [a.name for a in self.needed if a.place]

    def passed(self, local, null):
        """To the form of a class that writes into arrays of the caller: none, and nothing that may be left out but options."""
        call = self.values[0][1]
        nulls = [null] * (len(call.left_out) - len(self.options) + len(call.arrays))
        return ", ".join([*(local(a.name) for a in call.required), *nulls, *(local(a.name) for a in self.options)])


def chosen(api, own):
    """(name, enum, values) of each choice."""
    by_name = {c.name: c for c in own}
    for enum in api["enums"]:
        values = [v["name"][len(enum["prefix"]) :] for v in enum["values"]]
        for name in by_name:
            stem = name.removesuffix(values[0].lower())
            ends = {v: f"{stem}{v.lower()}" for v in values}
            if stem.endswith("_") and len(values) > 1 and stem != name and all(e in by_name for e in ends.values()):
                yield stem[:-1], enum, [(v, by_name[e]) for v, e in ends.items()]


def left_to_layers(call):
    """Of a call with arrays of a batch: the only one, of flags; two, with what fills the second where it is left out."""
    arrays = [a for a in call.given if a.kind == "batch_array"]
    flags = len(arrays) == 1 and arrays[0].c["name"] in FLAGS
    filled = len(arrays) == 2 and arrays[1].c["name"] in FILLED
    return arrays[0] if flags else None, (*arrays, FILLED[arrays[1].c["name"]]) if filled else None


def callback_lengths(callback):
    """Of the numbers of a function of the user, as its comment tells: {name: (length, whether they are only read)}."""
    out = {}
    for a in callback["arguments"]:
        if a["base"] == "double":
            told = rf"\b{a['name']}(?:: their (n\w)|(?: = [^,]*?)? \((rows(?: x nv)?)[,)])"
            found = re.search(told, callback["comment"])
            out[a["name"]] = ((found[1] or found[2]).replace(" x ", " * "), a["const"])
    return out


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
        self.cloning = clones(method)
        if self.cloning:
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
        return [a for a in self.m.arguments if fills(a) and not self.own_status(a)]

    def wanted(self):
        return [a for a in self.arrays() if a.name in ONLY.get(self.c_name, {a.name})]

    def told(self, a):
        """Whether a record is filled."""
        return a.kind == "struct" and a.role == "inout"

    def borrows(self, struct):
        """Whether options hold arrays of a batch."""
        return batched(self.structs[struct])

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
        return [self.size(s) for s in meanings.factors(a.length)]

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
