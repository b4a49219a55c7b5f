"""What each function is in the layers, in the manner of a language: the class that it belongs to, its name there, and the
arguments that a user gives. What a layer can tell by itself (counts, leading dimensions, struct_size, messages) is left out."""

from dataclasses import dataclass, field

HANDLES = ("tenon_model", "tenon_builder", "tenon_constraints", "tenon_workspace", "tenon_batch")
TOLD = {"count", "leading_dimension", "message", "message_size", "struct_size", "user"}
# Objects that keep the message of their last call; the others hand it over as an argument.
KEEP_MESSAGES = {"tenon_workspace": "tenon_workspace_message", "tenon_batch": "tenon_batch_message"}


@dataclass
class Argument:
    """As api.json has it (c), of the kind: object, new_object, struct, array, matrix, batch_array, text, texts, text_buffer,
    callback, result, value. A matrix is an array with a leading dimension; columns may be those of a value."""

    c: dict
    kind: str

    def __getattr__(self, name):
        return self.c.get(name)


@dataclass
class Method:
    function: dict
    owner: str  # the handle that it is a method of, or that it makes; None: it belongs to no object
    name: str  # without the prefix of its owner: constrained_dynamics, find_link
    kind: str  # method, constructor, destructor, init (of a struct) or free
    arguments: list = field(default_factory=list)  # without the object itself and what a layer tells
    makes: str = None  # the handle that it makes

    @property
    def status(self):
        """Whether it returns a status, and not a number or a text."""
        return self.function["result"]["base"] == "tenon_status" and self.function["name"] != "tenon_status_at"

    @property
    def message(self):
        """Where the words of an error are: "argument", the function that has them, or None."""
        if any(a["kind"] == "message" for a in self.function["arguments"]):
            return "argument"
        return KEEP_MESSAGES.get(self.owner) if self.kind == "method" else None


def methods(api):
    """All functions of the headers, in their order."""
    for function in api["functions"]:
        arguments = function["arguments"]
        first = arguments[0] if arguments else {}
        owner = first["base"] if first.get("kind") == "object" else None
        made = next((a["base"] for a in arguments if a["kind"] == "new_object"), None)
        kind = "method" if owner else "free"
        if function["name"] == f"{owner}_destroy":
            kind = "destructor"
        elif made and (owner is None or function["name"].startswith(made + "_")):
            kind, owner = "constructor", made
        elif first.get("kind") == "struct" and function["name"] == first["base"] + "_init":
            kind = "init"
        name = function["name"].replace("tenonx_", "tenon_")
        for prefix in (f"{owner}_", "tenon_"):
            if name.startswith(prefix):
                name = name[len(prefix) :]
                break
        visible = [
            Argument(a, "matrix" if "leading_dimension" in a else a["kind"])
            for a in arguments[1 if kind in ("method", "destructor") else 0 :]
            if a["kind"] not in TOLD
        ]
        yield Method(function, owner, name, kind, visible, made)


def fields(struct):
    """The fields that a user sees: without struct_size, what is reserved, and counts of other fields."""
    counts = {f.get("count_field") for f in struct["fields"]}
    return [f for f in struct["fields"] if f["name"] not in {"struct_size", "reserved"} | counts]


def shown(struct):
    """Without what goes with a function of the user, which keeps what it needs."""
    return [f for f in fields(struct) if f["name"] != "log_user"]


def records(api):
    """Structs that tell something: a function fills what its _init prepared."""
    filled = {a["base"] for f in api["functions"] for a in f["arguments"] if a["kind"] == "struct" and a["role"] == "inout"}
    return [s for s in api["structs"] if s["name"] in filled]


def options(api):
    """Structs that a user fills and functions read."""
    told = {s["name"] for s in records(api)}
    return [s for s in api["structs"] if s["init"] and s["name"] not in told]
