"""Every function is driven into every status that its block in the header lists, and into no other.

    python3 statuses_test.py <libtenon.so> <include folder> <models folder>

Each function is called on several robots with good arguments, then with each argument spoilt in every way that its type
can be: NULL, wrong counts, NaN, numbers too large, quaternions off unit norm, indices and constants out of range, structs
of the wrong size. What it returns must be in its list. What is in its list and never came must be excused below. A call
that fails must write nothing and say why (refusals.py)."""

import ctypes
import os
import sys
import tempfile
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import header as header_reader  # noqa: E402
from refusals import Refusals  # noqa: E402
from statuses_scenes import CHANGE_THE_WORKSPACE, NEED_KINEMATICS, SCALARS, STATES, numbers, scenes, spoilt_arrays, spoilt_builders, urdfs  # noqa: E402

NAN, INFINITY = float("nan"), float("inf")

# Not to be had on purpose: there is always memory here (allocation/calls_test.cpp takes it away), and no known fault inside.
NEVER_CAUSED = {"TENON_OUT_OF_MEMORY", "TENON_INTERNAL_ERROR"}

# Listed, and not reached here, with the reason.
NEAR_THE_RANGE = "tenon_kinematics keeps finite numbers only; the turn of axes that could push the largest over is not found"
NO_SUCH_ROBOT = "no robot here has loops and an inertia that is not positive where they are closed"
EXCUSED = {
    **dict.fromkeys((f"tenon_link_{what}" for what in ("pose", "velocity", "acceleration", "jacobian")),
                    {"TENON_NOT_FINITE": NEAR_THE_RANGE}),
    **dict.fromkeys(("tenon_center_of_mass_derivatives", "tenon_centroidal_momentum_derivatives"),
                    {"TENON_NOT_FINITE": NEAR_THE_RANGE}),
    "tenon_workspace_set_joint_parameters": {"TENON_INVALID_INERTIA": "no robot here needs its armature"},
    "tenon_close_loop_velocities": {"TENON_NOT_POSITIVE_DEFINITE": NO_SUCH_ROBOT},
    "tenonx_count_operations": {"TENON_SINGULAR_CONFIGURATION": "a robot that closes at dead centres alone is refused"},
    "tenonx_generate_c": {
        "TENON_SINGULAR_CONFIGURATION": "a robot that closes at dead centres alone is refused",
        "TENON_NOT_POSITIVE_DEFINITE": "a model with such an inertia is refused, unless it depends on the state",
    },
}


TEXTS = {"name": b"dense", "algorithm": b"rnea", "path": None, "text": None}


# What numbers of an array become.
CHANGES = (
    ("NaN", lambda x: NAN), ("infinite", lambda x: INFINITY), ("1e300", lambda x: 1e300), ("1e200", lambda x: 1e200),
    ("0", lambda x: 0.0), ("doubled", lambda x: 2 * x), ("negative", lambda x: -1.0), ("2", lambda x: 2.0),
    ("1e120", lambda x: 1e120),
)  # fmt: skip
# What a call on a batch writes.
BATCH_OUTPUTS = {
    "": ("qdd", "M", "L", "poses", "velocities", "accelerations", "jacobians", "lambda", "A", "X", "q_out", "v_out",
         "centers", "center_velocities", "momenta", "kinetic", "potential", "Y"),
    "tenon_batch_inverse_dynamics": ("tau",),
    "tenon_batch_set_anchors": (),
}


class Argument:
    """One argument of a call: `value` is passed; `keep` holds what it points at."""

    def __init__(self, value, keep=None):
        self.value, self.keep = value, keep


class Test:
    def __init__(self, library, include, models):
        self.models = models
        self.header = header_reader.Header(header_reader.paths(include))
        self.c = header_reader.load(library, self.header)
        self.k = self.header.constants
        self.seen = defaultdict(set)
        self.refusals = Refusals(self.c)
        self.calls = 0
        self.where = defaultdict(str)

    # ---- making things

    def good(self, status, workspace=None):
        if status < 0:
            text = self.c.tenon_workspace_message(workspace).decode() if workspace else ""
            raise SystemExit(f"the set-up failed: {self.header.status_names[status]} {text}")

    def made(self, function, *arguments):
        out = ctypes.c_void_p()
        text = ctypes.create_string_buffer(512)
        status = getattr(self.c, function)(*arguments, ctypes.byref(out), text, 512)
        if status < 0:
            raise SystemExit(f"{function}: {text.value.decode()}")
        return out

    def options(self, struct, /, **fields):
        type_ = self.header.structs[struct]
        room = (ctypes.c_char * (ctypes.sizeof(type_) + 64))()  # more than its size, which calls are told wrong
        options = ctypes.cast(room, ctypes.POINTER(type_)).contents
        getattr(self.c, struct + "_init")(ctypes.byref(options), ctypes.sizeof(options))
        for field, value in fields.items():
            setattr(options, field, value)
        return options

    def robot(self, name, /, **fields):
        options = self.options("tenon_model_options", **fields)
        path = os.path.join(self.models, name + ".urdf").encode()
        return self.made("tenon_model_load_urdf", path, ctypes.byref(options))

    def link(self, model, name):
        index = ctypes.c_int32()
        self.good(self.c.tenon_model_find_link(model, name.encode(), ctypes.byref(index), None, 0))
        return index.value

    # ---- arguments

    def arguments(self, function, scene):
        """Good arguments, and for each a list of spoilt ones: (what was done, {index: Argument})."""
        parameters = function.parameters
        good, spoilt = [], []
        for i, p in enumerate(parameters):
            counts = i + 1 < len(parameters) and parameters[i + 1].name in (p.name + "_count", "text_size", "size",
                                                                           "joint_count", "message_size")  # fmt: skip
            good.append(self.argument(function, scene, p, i))
            for what, argument in self.spoil(function, scene, p, good[i]):
                changes = {i: argument}
                if p.name == "text" and not p.written and argument.value is not None:
                    changes[i + 1] = Argument(len(argument.value))
                spoilt.append((f"{p.name} {what}", changes))
            if counts and p.name not in ("message",):
                size = self.argument(function, scene, parameters[i + 1], i + 1).value
                for other in {size + 1, 0, 3} - {size}:
                    spoilt.append((f"{p.name} with count {other}", {i + 1: Argument(other)}))
        return good, spoilt

    def argument(self, function, scene, p, i):
        c = self.c
        if p.name in ("workspace", "model", "constraints") and p.type.count("*") == 1:
            if p.name == "constraints" and function.name.startswith(("tenon_constraints_add", "tenon_constraints_finish")):
                return Argument(self.made("tenon_constraints_create", scene.model), "destroy")
            return Argument(getattr(scene, p.name))
        if p.type == "tenon_batch*":
            return Argument(scene.batch)
        if p.type == "tenon_batch_array*" and not function.name.endswith("_init"):
            size = scene.batch_size(function.name, p.name)
            written = p.name in BATCH_OUTPUTS.get(function.name, BATCH_OUTPUTS[""])
            values = scene.values(function.name, p.name, size) if not written and p.name != "B" else []
            return self.batch_array([*values, *[0.1] * size][:size], size)
        if p.name == "builder" and p.type == "tenon_builder*":
            return Argument(self.builder(function.name))
        if p.type.endswith("**") and p.type != "char**":
            return Argument(ctypes.pointer(ctypes.c_void_p()))
        if p.name == "message" or (p.type == "char*" and p.written):
            return Argument(ctypes.create_string_buffer(4096))
        if p.name == "message_size":
            return Argument(512)
        if p.type == "char*":
            return Argument(self.text(function, scene, p))
        if p.type == "char**":
            names = (ctypes.c_char_p * 1)(b"j1" if p.name != "independent" else b"j2")
            return Argument(names, names)
        if p.type == "double*":
            alone = p.name in ("gap", "kinetic", "potential", "mass") and function.name != "tenon_energy_regressors"
            size = 1 if alone else scene.size(function.name, p.name)
            written = p.written and p.name not in ("q", "v")
            values = numbers([] if written else scene.values(function.name, p.name, size), max(size, 4000))
            return Argument(values, (size,))
        if p.type in ("int32_t*", "size_t*", "tenon_status*"):
            element = ctypes.c_size_t if p.type == "size_t*" else ctypes.c_int32
            array = (element * 1000)()
            if p.name == "actuated":
                for k in range(1000):
                    array[k] = 0 if k < 6 and c.tenon_model_floating_base(scene.model) else 1
            if p.name in ("active", "joints"):
                array[:] = range(1000) if p.name == "joints" else [1] * 1000
            return Argument(array)
        if p.type.endswith("_callback"):
            return Argument(header_reader.CALLBACKS[p.type])
        if p.type == "void*":
            return Argument(None)
        struct = p.type.rstrip("*")
        if struct in self.header.structs:
            return self.struct_argument(function, scene, struct)
        if p.type == "size_t":
            return Argument(self.count(function, scene, p, i))
        if p.type in header_reader.SCALARS:
            if p.name == "link" and function.name.startswith("tenon_builder"):
                return Argument(0)
            return Argument(SCALARS.get(p.name, 0))
        raise KeyError(f"{function.name}: what is a good {p.type} {p.name}? Tell statuses_test.py")

    def batch_array(self, values, size, states=STATES):
        """The same numbers for each state."""
        place = ctypes.addressof(data := numbers(list(values) * states))
        array = self.options("tenon_batch_array", data=place, size=len(data), count=size, state_stride=size)
        array.kept = data
        return Argument(ctypes.pointer(array), (size, data, array, list(values)))

    def spoil_batch_array(self, good):
        size, _, _, values = good.keep
        for what, change in CHANGES:
            yield what, self.batch_array([change(x) for x in values], size)
        yield "of state 1 alone NaN", self.batch_array([*values, *[NAN] * size, *values], size, 1)
        yield "uneven", self.batch_array([(-1) ** k * (k % 5) for k in range(size)], size)
        yield "far off", self.batch_array([x + (k % 3 - 1) * 1.3 for k, x in enumerate(values)], size)
        faults = [("data", None), ("count", size + 1), ("state_stride", 0), ("number_stride", 0), ("number_stride", -1)]
        faults += [("state_stride", -size), ("size", 0), ("first", 1), ("reserved", 1), ("struct_size", 3)]
        for field, value in faults:
            setattr((argument := self.batch_array(values, size)).value.contents, field, value)
            yield f"with {field} {value}", argument

    def count(self, function, scene, p, i):
        if p.name in ("state", "states", "status_count", "iterations_count", "link_count"):
            return {"state": 0, "link_count": 2}.get(p.name, STATES)
        before = function.parameters[i - 1]
        if p.name == "size":
            return ctypes.sizeof(self.header.structs[before.type.rstrip("*")])
        if p.name == "text_size":
            return 512 if before.written else len(self.text(function, scene, before))
        if before.type == "char**" or p.name in ("ratios_count", "offsets_count"):
            return 1
        if p.name == "joint_count":
            return scene.joints
        return scene.size(function.name, before.name)

    def text(self, function, scene, p):
        urdf = os.path.join(self.models, "six_bar.urdf")
        if p.name == "path":
            return urdf.encode()
        if p.name == "text":
            return open(urdf, "rb").read()
        if p.name == "name":
            if "find_link" in function.name:
                name = b"base" if "builder" in function.name else self.c.tenon_model_link_name(scene.model, 0)
                return name
            if "find_joint" in function.name:
                return self.c.tenon_model_joint_name(scene.model, 0) or b"none"
            if "find_constraint" in function.name:
                return b"held"
            if "_from_" in function.name:  # of a status; or of tenonx.h
                return getattr(self.c, function.name.replace("from_", "").replace("constant_name", "status_string"))(0)
            return b"a new name"
        return TEXTS[p.name]

    def builder(self, function):
        """A base and two arms on it."""
        builder = self.made("tenon_builder_create", b"arms")
        index = ctypes.c_int32()
        inertia = numbers([1, 0, 0, 1, 0, 1])
        for name in (b"base", b"left", b"right"):
            self.good(self.c.tenon_builder_add_link(builder, name, 1.0, None, 0, inertia, 6, ctypes.byref(index), None, 0))
        for number, name in ((1, b"j1"), (2, b"j2")):
            if function != "tenon_builder_add_joint" or number == 1:
                joint = self.options("tenon_joint_options", parent_link=0, child_link=number)
                self.good(self.c.tenon_builder_add_joint(builder, name, ctypes.byref(joint), None, 0))
        return builder

    def struct_argument(self, function, scene, struct, /, **fields):
        options = self.options(struct, **fields)
        keep = []
        if struct == "tenon_joint_options":
            options.parent_link, options.child_link = 0, 2
        if struct == "tenon_loop_options":
            options.link, options.second_link = 1, 2
        if struct.endswith("_arguments"):
            for field, _ in options._fields_:
                if field + "_count" in dict(options._fields_):
                    size = scene.size(function.name, field)
                    array = numbers(scene.values(function.name, field, size))
                    keep.append(array)
                    if field not in fields:
                        setattr(options, field, ctypes.addressof(array))
                        setattr(options, field + "_count", size)
            if "dt" in dict(options._fields_) and "dt" not in fields:
                options.dt = 1e-3
        return Argument(ctypes.pointer(options), (options, keep))

    # ---- spoiling

    def spoil(self, function, scene, p, good):
        if "*" in p.type and p.name != "message":
            yield "NULL", Argument(None)
        if p.type == "double*" and good.keep and (not p.written or p.name in ("q", "v", "lambda")):
            size = good.keep[0]
            values = list(good.value[: min(size, 4000)])
            for what, change in CHANGES:
                yield what, Argument(numbers([change(x) for x in values]), good.keep)
            yield "NaN at the end", Argument(numbers(values[:-1] + [NAN] if values else []), good.keep)
            yield "uneven", Argument(numbers([(-1) ** k * (k % 5) for k, _ in enumerate(values)]), good.keep)
            if p.name in ("q", "guess", "y", "from", "to"):
                moved = list(values)
                for k in range(len(moved)):
                    moved[k] += (k % 3 - 1) * 1.3
                yield "far off", Argument(numbers(moved), good.keep)
                for k in range(min(len(values), 8)):
                    yield f"far off at {k}", Argument(numbers([x + 2.5 * (j == k) for j, x in enumerate(values)]), good.keep)
        if p.type == "double":
            for x in (NAN, INFINITY, -1.0, 1e300, 0.0, 1e7):
                yield str(x), Argument(x)
        yield from [("behind the last one", Argument(STATES))] if (p.name, p.type) == ("state", "size_t") else ()
        if p.type == "int32_t":
            for x in (-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99, 2**31 - 1):
                if x != good.value and not (p.name.startswith("ld") and 0 < x < 100 and False):
                    if p.name in ("columns", "capacity", "row_count", "rows") and x > 99:
                        continue
                    yield str(x), Argument(x)
        if p.type == "int32_t*" and not p.written:
            for x in (-1, 7, 0, 1, 10**6):
                yield f"all {x}", Argument((ctypes.c_int32 * 1000)(*([x] * 1000)))
        if p.type == "char*" and not p.written:
            for text in (b"", b"nowhere", b"\xff\xfe", b"no such/file", b"<robot", b"<robot name='r'/>", *urdfs()):
                yield repr(text[:20]), Argument(text)
            if p.name == "path":
                for number, text in enumerate(urdfs()):
                    path = os.path.join(self.folder, f"spoilt_{number}.urdf")
                    open(path, "wb").write(text)
                    yield "of a spoilt file " + repr(text[15:60]), Argument(path.encode())
            if p.name == "algorithm":
                for text in (b"pv", b"constrained_aba", b"dense", b"aba", b"c_aba", b"caba_osim", b"crba", b"prox_ltl"):
                    yield repr(text), Argument(text)
        if p.type == "char**":
            yield "a NULL inside", Argument((ctypes.c_char_p * 1)(None))
            yield "a bad name inside", Argument((ctypes.c_char_p * 1)(b"\xff"))
        if p.type.endswith("_callback"):
            yield "NULL", Argument(header_reader.SCALARS[p.type]())
        if p.type == "tenon_batch_array*" and not function.name.endswith("_init"):
            yield from self.spoil_batch_array(good)
            return
        struct = p.type.rstrip("*")
        if struct in self.header.structs:
            yield from self.spoil_struct(function, scene, struct, p)
        if p.name == "constraints" and p.type == "tenon_constraints*":
            yield "of a builder that is not finished", Argument(self.made("tenon_constraints_create", scene.model))
            other = self.made("tenon_constraints_create", self.other_model)
            self.good(self.c.tenon_constraints_finish(other, None, 0))
            yield "of another model, finished", Argument(other)
        if p.name == "builder" and p.type == "tenon_builder*" and function.name == "tenon_builder_finish":
            yield from spoilt_builders(self, Argument)

    folder, other_model = "", None

    def spoil_struct(self, function, scene, struct, p):
        type_ = self.header.structs[struct]
        size = ctypes.sizeof(type_)
        for wrong in (0, 4, 5000):
            argument = self.struct_argument(function, scene, struct)
            argument.value.contents.struct_size = wrong
            yield f"of size {wrong}", argument
        longer = (ctypes.c_char * (size + 8))()
        argument = self.struct_argument(function, scene, struct)
        ctypes.memmove(longer, argument.value, size)
        longer[size] = b"\x01"
        ctypes.cast(longer, ctypes.POINTER(ctypes.c_uint32))[0] = size + 8
        yield "with an unknown field", Argument(ctypes.pointer(longer), (longer, argument.keep))
        for field, c_type in type_._fields_:
            if field == "struct_size":
                continue
            for value in self.field_values(struct, field, c_type, scene):
                argument = self.struct_argument(function, scene, struct)
                kept = value
                if isinstance(value, (ctypes.Array, ctypes.Structure)) and c_type is ctypes.c_void_p:
                    value = ctypes.addressof(value)
                setattr(argument.value.contents, field, value)
                if field in ("weights", "compliance", "row_mu"):
                    setattr(argument.value.contents, field + "_count", 3 if field != "row_mu" else scene.m)
                argument.keep = (argument.keep, kept)
                yield f"with {field} = {value if not isinstance(value, ctypes.Array) else list(value)[:8]}", argument

    def field_values(self, struct, field, c_type, scene):
        if field == "threads":
            return (-1, 0, 1, 2, 2000)
        if field in ("steps", "every"):
            return (0, 1, 5)
        if c_type in (ctypes.c_int32,):
            return (-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99, 1000)
        if c_type is ctypes.c_uint32:
            return (0, 0x38, 0x100, 0x80000000)
        if c_type is ctypes.c_double:
            return (NAN, INFINITY, -1.0, 0.0, 1e-3, 1.0, 1e300)
        if c_type is ctypes.c_size_t:
            return (0, 1, 2**40)
        if c_type is ctypes.c_void_p:
            if field in ("name", "floating_joint_name", "function_name"):
                return tuple(ctypes.create_string_buffer(t) for t in (b"", b"\xff", b"if", b"a name"))
            if field in ("options", "solve"):
                return (None, *self.solve_options(scene))
            if struct in ("tenon_batch_parameters", "tenon_rollout_options"):
                return spoilt_arrays(self, scene.batch_size(struct, field))
            arrays = [None]
            for x in (NAN, 0.0, -1.0, 1.0, 1e300, 0.3):
                arrays.append(numbers([x] * 400))
            return tuple(arrays)
        if issubclass(c_type, ctypes.Array):
            n = c_type._length_
            return tuple(c_type(*([x] * n)) for x in (NAN, 0.0, 1.0, 1e300))
        return () if issubclass(c_type, ctypes._CFuncPtr) else (0, 1)

    def solve_options(self, scene):
        """All methods, by tenon_solve_options as they are inside of arguments structs."""
        self.kept_options = [
            self.options("tenon_solve_options", **fields)
            for fields in (
                *({"method": m} for m in (*range(9), 99)), {"max_iterations": 1, "method": 6}, {"tikhonov": 1.0}, {"mu": NAN},
                {"tikhonov": 1.0, "method": 1}, {"warm_start": 1}, {"struct_size": 3},
            )
        ]  # fmt: skip
        for options in self.kept_options:
            buffer = (ctypes.c_char * ctypes.sizeof(options)).from_buffer(options)
            yield buffer

    # ---- calling

    def call(self, function, scene, arguments, what, **motion):
        scene.ready(function.name, **motion)
        for p, a in zip(function.parameters, arguments):
            if p.type in ("tenon_workspace*", "tenon_batch*") and a.value:  # that of now: some calls get a new one afterwards
                a.value = scene.workspace if p.type == "tenon_workspace*" else scene.batch
        status = self.refusals.call(function, arguments, f"{scene.name}: {what}")
        self.calls += 1
        name = self.header.status_names.get(status, f"status {status}")
        if name not in self.seen[function.name]:
            self.seen[function.name].add(name)
            self.where[function.name, name] = f"{scene.name}: {what}"
        if function.name in CHANGE_THE_WORKSPACE:
            scene.renew()
        for p, a in zip(function.parameters, arguments):
            if p.type.endswith("**") and p.type != "char**" and a.value and a.value.contents.value:
                getattr(self.c, p.type.rstrip("*") + "_destroy")(a.value.contents)

    def drive(self, scene, function):
        self.scene = scene
        good, spoilt = self.arguments(function, scene)
        self.call(function, scene, good, "good arguments")
        if function.name == "tenon_convert_configuration":  # quaternions of ours
            for what, spoilt_in in self.spoil(function, scene, function.parameters[5], good[5]):
                arguments = list(good)
                arguments[2] = Argument(self.k["TENON_DIRECTION_TO_OTHER"])
                arguments[5] = spoilt_in
                self.call(function, scene, arguments, "to the other, in " + what)
        if function.name in NEED_KINEMATICS:
            for motion in ({"place": 1.7e308}, {"place": -1e155}, {"speed": 1e153}, {"speed": 1e200}, {"speed": 1e307}):
                for axes in (0, 1):
                    arguments = [Argument(axes) if p.name == "axes" else a for p, a in zip(function.parameters, good)]
                    self.call(function, scene, arguments, f"{motion}", **motion)
        fresh = any(p.written and "*" in p.type for p in function.parameters)
        for what, changes in spoilt:
            arguments = list(good)
            if fresh:  # of what a call writes
                for i, p in enumerate(function.parameters):
                    if p.type == "double*" and p.written or p.type in ("tenon_constraints*", "tenon_builder*") and p.written:
                        arguments[i] = self.argument(function, scene, p, i)
            for i, a in changes.items():
                arguments[i] = a
            self.call(function, scene, arguments, what)

    def report(self):
        listed = self.header.listed
        functions = [f for f in self.header.functions.values() if f.result == "tenon_status" and not f.name.endswith("status_at")]
        bad = []
        for function in functions:
            name, seen = function.name, self.seen[function.name]
            mine = listed.get(name, set())
            if not mine:
                bad.append(f"{name}: no list of statuses in the header")
            for status in sorted(seen - mine):
                bad.append(f"{name}: returned {status}, which is not in its list ({self.where[name, status]})")
            for status in sorted(mine - seen - NEVER_CAUSED - EXCUSED.get(name, {}).keys()):
                bad.append(f"{name}: lists {status}, which never came")
            for status in sorted(EXCUSED.get(name, {}).keys() & seen):
                bad.append(f"{name}: {status} is excused and came all the same ({self.where[name, status]})")
        for name in sorted(EXCUSED.keys() - {f.name for f in functions}):
            bad.append(f"{name}: excused, and no such function")
        print(f"{len(functions)} functions, {self.calls} calls, {sum(len(s) for s in self.seen.values())} pairs of function and status")
        return bad + sorted(self.refusals.faults.values())


def main(library, include, models):
    test = Test(library, include, models)
    with tempfile.TemporaryDirectory() as folder:
        test.folder = folder
        test.other_model = test.robot("panda_arm")
        for number, scene in enumerate(scenes(test)):
            for function in test.header.functions.values():
                if function.result != "tenon_status" or function.name == "tenon_status_at":
                    continue
                about_workspaces = any(p.type in ("tenon_workspace*", "tenon_batch*") for p in function.parameters)
                about_models = any(p.type in ("tenon_model*", "tenon_constraints*") for p in function.parameters)
                if number == 0 or about_workspaces or about_models:
                    test.drive(scene, function)
    faults = test.report()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: statuses_test.py <libtenon.so> <include folder> <models folder>")
    sys.exit(main(*sys.argv[1:]))
