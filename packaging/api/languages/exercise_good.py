"""The robots of exercise.py, and good values of all arguments there."""

from dataclasses import dataclass

from . import layers, meanings
from .exercise_values import (
    STATES, Batch, Buffer, Fill, Handle, In, Join, Literal, Number, Out, Record, Result, Saved, Struct, Text,
)  # fmt: skip


# ---- robots


@dataclass
class Scene:
    """A robot with rows; of its workspace `<name>_work`, and batches `<name>_batch` and `<name>_single`."""

    name: str
    sizes: dict
    link: int  # that is asked about
    closed: bool = False  # q closes the loops
    row_major: bool = False  # matrices of derivatives

    def length(self, text, values=()):
        """The number that a length of api.json is."""
        known = {**self.sizes, "triangle": self.sizes["nv"] * (self.sizes["nv"] + 1) // 2, **dict(values)}
        known["solution"], known["loads"] = known["nv"] + known["m"], 6 * known["link_count"]
        known.setdefault("spanning nv", known["nv"])
        result = 1
        for part in text.split(" or ")[0].split(" x "):
            result *= int(part) if part.isdigit() else known[part]
        return result


def sizes(nq, nv, nyq, ny, links, m, constraints, loop_rows, joints, convention_nq, rows):
    names = "nq nv nyq ny links m constraints joints convention_nq".split()
    told = dict(zip(names, (nq, nv, nyq, ny, links, m, constraints, joints, convention_nq)))
    told["parameters"] = 10 * links
    return {**told, "loop rows": loop_rows, "ratios": 0, "rows of it": rows, "columns": 2, "capacity": 3, "link_count": 2}


SCENES = (
    Scene("arm", sizes(7, 7, 7, 7, 11, 6, 1, 0, 7, 7, 6), 8),
    Scene("dog", sizes(19, 18, 19, 18, 39, 12, 4, 0, 13, 19, 3), 5, row_major=True),
    Scene("bars", sizes(3, 3, 1, 1, 4, 3, 1, 2, 3, 3, 3), 2, True),
)
ROCK = "<robot name='rock'><link name='stone'/></robot>"
FEET = (5, 12, 19, 26)
IDENTITY = (0.125, 0.0, 0.25, 0.0, 0.0, 0.0, 1.0)
NUMBERS = {
    "axes": 1, "constraint": 0, "active": 1, "frequency": 8.0, "damping_ratio": 0.75, "positions": 0, "velocities": 0,
    "columns": 2, "capacity": 3, "dt": 0.0078125, "seed": 7, "zeros": 1, "convention": 1, "direction": 1, "loop_method": 1, "joint": 0,
    "warning": 0, "cluster": 0, "loop": 0, "states": STATES, "state": 1, "mass": 0.5, "kind": 1, "value": 2, "index": 3, "algorithm": 1,
}  # fmt: skip
OPTIONS = {
    "tenon_projection_options": (("max_iterations", 5), ("tolerance", 0.0009765625)),
    "tenon_solve_options": (("method", 2), ("max_iterations", 40), ("absolute_tolerance", 2.0**-33)),
    "tenon_delassus_options": (("method", 2),),
    "tenon_damped_options": (("method", 3), ("mu", 4096.0)),
    "tenon_closing_options": (("moves", 1),),
    "tenon_assembly_options": (("starts", 4),),
    "tenon_workspace_options": (("instruction_set", 1), ("methods", 6), ("products", 255)),
    "tenonx_trace_options": (("iterations", 2), ("mu", 1024.0)),
    "tenon_rollout_options": (("steps", 2),),
    "tenon_derivative_options": (("accumulate", 1),),
}


class Good:
    """A part of exercise.Calls."""

    def fill(self, size, name):
        return Fill(size, sum(map(ord, name)) % 17)

    def source(self, scene, name, size):
        """Good numbers."""
        z = scene.sizes
        if not size:
            return Fill(0, 0)
        if name in ("q", "from", "guess", "q_target") or name == "in" and size == z["nq"] != z["nv"]:
            return Saved(scene.name + "_q", z["nq"]) if size == z["nq"] else self.fill(size, name)
        if name == "to":
            return Saved(scene.name + "_to", z["nq"])
        if name == "y":
            return Saved(scene.name + "_y", z["nyq"])
        if name in ("pose", "second_pose", "poses", "frames", "anchors"):
            return Literal(IDENTITY * (size // 7))
        if name in ("weights", "compliance", "frequencies", "damping_ratios", "stiffness", "damping", "friction",
                    "armatures", "masses", "payload_masses", "restitution", "active"):  # fmt: skip
            return Literal((1.0,) * size)
        if name in ("inertia", "inertias", "payload_inertias"):
            return Literal((0.125, 0.0, 0.0, 0.125, 0.0, 0.125) * (size // 6))
        if name == "pi":
            return Literal((2.0, 0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
        if name == "actuated":
            return Literal(tuple(int(i >= 6 or size < 10) for i in range(size)), True)
        if name == "joints":
            return Literal(tuple(reversed(range(size))), True)
        if name == "links":
            return Literal((scene.link, 1), True)
        return self.fill(size, name)

    def batch(self, scene, a, states):
        function_steps = 2
        size = scene.length(a.length, {"states": states})
        name, written = a.c["name"], a.role != "in"
        if written and (meanings.records_of(a.c.get("note")) or name in ("qdd_out", "lambda_out")):
            return Batch(states * size * function_steps, size, None, True, 1, size * function_steps, size, 0, states, 2)
        if a.role == "out":  # the numbers of one kind side by side
            return Batch(states * size, size, None, True, states, 1, 0, 0, states)
        one = self.source(scene, name, size)
        if name in ("gravity", "wrenches"):  # the same for all
            return Batch(size, size, one, written, 1, 0, 0, 0, states)
        if isinstance(one, Fill):
            return Batch(states * size, size, Fill(states * size, one.k), written, 1, size, 0, 0, states)
        others = tuple(Saved(f"{scene.name}_q{s}", size) for s in range(states)) if name == "q" else (one,) * states
        return Batch(states * size, size, Join(others), written, 1, size, 0, 0, states)

    def good(self, scene, method, owner, states=STATES):
        """Good values of all arguments, nothing left out."""
        values = {}
        first = method.function["arguments"][0]
        if method.kind == "method":
            values[first["name"]] = Handle(owner)
        for a in method.arguments:
            name, z = a.c["name"], {**scene.sizes, "states": states}
            if a.kind in ("array", "matrix"):
                size = scene.length(a.length, {**z, "joint_count": z["joints"]})
                shape = None
                if a.kind == "matrix":
                    shape = tuple(scene.length(p, z) for p in a.length.split(" x "))
                    shape = shape[::-1] if scene.row_major and meanings.turns(method, a) else shape
                source = self.source(scene, name, size)
                if a.base == "int32_t" and isinstance(source, Literal):
                    source = Literal(tuple(map(int, source.numbers)), True)
                if a.role == "in":
                    values[name] = In(source, shape)
                else:
                    start = source if a.role == "inout" else None
                    values[name] = Out(size, shape, start, None, a.base == "int32_t")
            elif a.kind == "batch_array":
                values[name] = self.batch(scene, a, states)
            elif a.kind == "struct":
                records = {s["name"] for s in layers.records(self.api)}
                fields = OPTIONS.get(a.base, ())
                if scene.row_major and a.base == "tenon_derivative_options":
                    fields += (("row_major", 1),)
                values[name] = Record(a.base) if a.base in records else Struct(a.base, fields)
            elif a.kind == "object":
                values[name] = Handle(scene.name + "_rows")
            elif a.kind == "value":
                values[name] = Number(scene.link if name == "link" else states if name == "states" else NUMBERS[name])
            elif a.kind == "text":
                values[name] = Text({"algorithm": "constrained_aba"}[name])
            elif a.kind == "text_buffer":
                values[name] = Buffer()
            elif a.kind == "result":
                values[name] = Result()
            else:
                raise KeyError(f"{method.function['name']}: what is a good {name}?")
        return values

    def batch_of(self, scene, struct, name):
        """An array in a struct."""
        length = " x ".join(meanings.field_length(self.fields[struct][name])[0])
        role = "out" if name.endswith("_out") else "in"
        return self.batch(scene, layers.Argument({"name": name, "length": length, "role": role}, "batch_array"), STATES)
