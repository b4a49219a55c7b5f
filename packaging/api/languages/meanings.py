"""What numbers mean, for layers that give them types: lengths of arrays, kinds of constants, flags."""

import re

# What sizes are called.
COUNTS = {
    f"tenon_{owner}_{of}_count": size
    for owner in ("workspace", "batch")
    for of, size in (("position", "nq"), ("velocity", "nv"), ("row", "m"))
}
# Results that are a choice, and the arguments that may be NULL where one of them is not wanted: api.json does not tell.
CONSTANTS = {
    "axes": "axes",
    "convention": "convention",
    "direction": "direction",
    "loop_method": "loop_method",
    "positions": "coordinates",
    "velocities": "coordinates",
}
RESULTS = {"instruction_set": "instruction_set", "traceable_traits": "trait", "status_at": "status"}
FLAGS = {"active", "floating_base"}
# Calls between the coordinates of every joint and independent ones: nq and nv are those of the model, whatever the
# coordinates of the workspace are.
EVERY_JOINT = {
    *("tenon_workspace_set_guess", "tenon_workspace_guess", "tenon_loop_gap", "tenon_check_loops", "tenon_close_loops"),
    *("tenon_close_loop_velocities", "tenon_independent_position", "tenon_spanning_position", "tenon_find_assemblies"),
    *("tenon_independent_velocity", "tenon_spanning_velocity", "tenon_spanning_acceleration", "tenon_independent_force"),
    *("tenon_spanning_force", "tenon_loop_map", "tenon_loop_jacobian", "tenon_workspace_joint_parameters"),
    *("tenon_batch_guess", "tenon_batch_set_guess"),
}
# The outputs of the form that allocates, where it has not all.
ONLY = {"tenon_link_pose": {"pose"}}
# Outputs that can only be had with an input that may be absent.
NEEDS = {
    ("tenon_batch_kinematics", "velocities"): "v",
    ("tenon_batch_kinematics_vjp", "velocities"): "v",
    ("tenon_batch_kinematics_jvp", "velocities"): "v",
    ("tenon_batch_kinematics_jvp", "dvelocities"): "v",
    **{(f"tenon_batch_link_motion{form}", value): "v" for form in ("", "_vjp", "_jvp") for value in ("velocities", "accelerations")},
    **{("tenon_batch_link_motion_jvp", change): "v" for change in ("dvelocities", "daccelerations")},
    **{(f"tenon_batch_centroidal{form}", value): "v"
       for form in ("", "_vjp", "_jvp") for value in ("center_velocities", "momenta", "kinetic")},
    **{("tenon_batch_centroidal_jvp", change): "v" for change in ("dcenter_velocities", "dmomenta", "dkinetic")},
    ("tenon_loop_map", "g"): "v",
    ("tenon_loop_jacobian", "k"): "v",
}


def factors(length):
    """The factors of a length: 6 x nv x link_count; of alternatives, as m or 1, the first."""
    return [part.strip() for part in length.split(" or ")[0].split(" x ")]


def field_length(field):
    """(factors, records) of an array of a batch in a struct, whose comment begins with its length."""
    match = re.match(r"([\w ]+?)(?: (?:a|an) (step|record))?(?:[,;.]|$)", field["comment"])
    return factors(match[1]), match[2]


def records_of(note):
    """What an array has such numbers for beside states: a step, a record, or None."""
    match = re.match(r"[\w ]+? (?:a|an) (step|record)\b", note or "")
    return match[1] if match else None


def flag(field):
    """Whether a field is yes or no."""
    comment = field["comment"]
    told = comment.startswith(("1:", "1 or 0")) or field["name"].startswith("disable_")
    return field["base"] == "int32_t" and not field["pointers"] and "enum" not in field and told


def value_constants(argument, method):
    """The kind of constants of a number, or None."""
    if argument.c["base"] != "int32_t" or (argument.kind == "result" and not method.name.endswith("coordinates")):
        return None
    return CONSTANTS.get(argument.name)


def described(function, names):
    """What a doc comment tells: the first sentence, and the notes of the arguments of these names."""
    notes = [(a["name"], a["note"]) for a in function["arguments"] if a["name"] in names and a.get("note")]
    return function["brief"], notes


def dense(array):
    """Whether an array of exercise.py has one state after the other, or one for all, as a slice without strides."""
    records = max(array.records, 1)
    states = array.state in (0, array.count * records) if not array.written else array.state == array.count * records
    return array.number == 1 and array.first == 0 and states and array.record == (array.count if array.records else 0)


def has_layout(method, argument):
    """Whether a matrix of derivatives is written, of which options say whether it is row-major."""
    if argument.c["role"] == "in" or not any(a["base"] == "tenon_derivative_options" for a in method.function["arguments"]):
        return False
    sides = factors(argument.c.get("length") or "")
    return "leading_dimension" in argument.c or argument.kind == "batch_array" and len(sides) == 2 and not sides[0].isdigit()


def turns(method, argument):
    """Whether the matrix has another shape where it is row-major: layers whose matrices are column-major take its transpose."""
    return has_layout(method, argument) and len(set(factors(argument.c["length"]))) > 1
