"""Java, the layer: of what type arguments and results are, and how long what is written is."""

from .common import pascal
from .java_structs import LENGTHS, SCALARS, is_enum, owned_type
from .shapes import camel, struct_name
from .spellings import sides

SIZES = {
    **LENGTHS,
    "rows of it": "set().info(constraint).rowCount",
    "convention_nq": "(direction == Direction.TO_OTHER ? model.conventionNq(convention) : nq())",
}
REFERENCES = {"int": "IntByReference", "long": "LongByReference", "double": "DoubleByReference"}
# Others call these.
INTERNAL = {"tenon_constraints_finish": "finishOnce"}
RENAMED = {"RowsAt": "Rows"}


def size(numbers, call):
    parts = list(sides(numbers, call, SIZES, camel, "n({})"))
    return parts[0] if len(parts) == 1 else f"Matrix.size({', '.join(parts)})"


def type_of(a, call, simple=False):
    """Of an argument. simple: of a batch, arrays of double."""
    if a.kind == "batch_array":
        return "double[]" if simple else "BatchArray"
    if a.kind == "array":
        return SCALARS[a.base] + "[]"
    if a.kind == "value":
        return "boolean" if a.flag else pascal(a.enum) if is_enum(a) else SCALARS[a.base]
    known = {"matrix": "Matrix", "text": "String", "texts": "String[]", "callback": "ImplicitConstraint"}
    return known.get(a.kind) or struct_name(a.base)


def default_of(a):
    if a.kind != "value":
        return "null"
    if is_enum(a):
        return f"{pascal(a.enum)}.{a.default[len(f'TENON_{a.enum}_'):]}"
    return str(a.default)


def result_type(call, outputs):
    if not outputs:
        return "void"
    if len(outputs) == 1:
        return owned_type(outputs[0])
    name = RENAMED.get(call.result_name, call.result_name)
    return "Workspace.Motion" if name == "Motion" else name
