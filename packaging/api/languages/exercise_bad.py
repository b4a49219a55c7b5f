"""The bad calls of exercise.py: good ones with one argument spoilt, unknown names, wrong and closed objects.

Their tags, for what a language may have no words for: null (a pointer that must be there is not; also null_in, null_out,
null_batch, null_text, null_struct, ... by what it points at; null_states: the array that may tell how many they are), states
(a number of states beyond all memory), closed, unfinished (a set that nobody finished), finished (a set that is filled
afterwards), other_model (a set of one), shape (of a matrix), out_size (of an array that is written), status (of a batch's
array of statuses), strides (of results on each other), empty (an array of no numbers, which may look as if it were absent),
reach (an array shorter than its strides say), overflow (sizes beyond all addresses), own_check (the library's words, where a
layer has refused the call itself)."""

from dataclasses import replace

from .common import OF_KINEMATICS
from .exercise_values import (
    Batch, Fill, Handle, In, Join, Literal, New, Number, Out, Result, Saved, Struct, Text, Texts,
)  # fmt: skip

HUGE = 2**62


class Bad:
    """A part of exercise.Calls."""

    def bad(self):
        self.add("tenon_model_load_urdf", path=Text("models/panda_arm.urdf"), options=None, model=New("other"))
        self.add("tenon_constraints_create", model=Handle("other"), constraints=New("other_rows"))
        self.add("tenon_constraints_finish", constraints=Handle("other_rows"))
        best = {}
        for step in self.steps:
            owner = next((v.name for v in step.values.values() if isinstance(v, Handle)), "")
            known, values = (step.function, owner.endswith("_single")), step.values.values()
            if step.method.status and "no_states" not in step.tags and not owner.startswith("rock"):
                empty = sum(v is None or isinstance(v, (In, Out, Batch)) and not v.size for v in values)
                if known not in best or empty < best[known][0]:
                    best[known] = empty, step
        for _, step in best.values():
            self.spoil(step)
        for name, how in (("tenon_model_find_link", "nowhere"), ("tenon_model_find_joint", "iiwa_joint_8"),
                          ("tenon_constraints_find_constraint", "foot"), ("tenon_builder_find_link", "rigth")):  # fmt: skip
            method = self.methods[name]
            owner = {"tenon_model": "arm", "tenon_constraints": "arm_rows", "tenon_builder": "builder"}[method.owner]
            first = method.function["arguments"][0]["name"]
            self.add(name, {first: Handle(owner)}, why="an unknown name", name=Text(how), index=Result())
        for name in ("tenonx_loop_method_from_name", "tenonx_traceable_from_name"):
            written = "value" if "loop" in name else "algorithm"
            self.add(name, {written: Result()}, why="an unknown name", name=Text("nothing"))
        self.add("tenon_constant_from_name", kind=Number(1), name=Text("nothing"), value=Result(), why="an unknown name")
        self.add("tenon_constant_from_name", kind=Number(99), name=Text("ok"), value=Result(), why="an unknown kind")
        for name in ("arm_work", "dog_work"):
            few = In(Saved("arm_q", 7)) if name == "dog_work" else In(Literal((float("nan"),) * 7))
            self.add("tenon_gravity_force", workspace=Handle(name), q=few, g=Out(7), why="another robot's q, or NaN")
            tags = ("own_check",) if name == "dog_work" else ()
            self.add("tenon_workspace_message", {"workspace": Handle(name)}, tags)
        for rows in ("unfinished", "other_rows"):
            for kind in ("workspace", "batch"):
                tags = ("unfinished",) if rows == "unfinished" else ("other_model",)
                self.add(f"tenon_{kind}_create", {kind: New("none")}, tags, "a wrong set", model=Handle("arm"),
                         constraints=Handle(rows), options=None)  # fmt: skip
        self.add("tenon_model_load_urdf", path=Text("models/nothing.urdf"), options=None, model=New("none"), why="no file")
        self.add("tenon_model_parse_urdf", text=Text("<robot name='r'>"), options=None, model=New("none"), why="no XML")
        for fields in ((("base", 9),), (("gravity", Literal((float("inf"), 0.0, 0.0))),)):
            self.add("tenon_model_load_urdf", path=Text("models/iiwa14.urdf"), model=New("none"), why="bad options",
                     options=Struct("tenon_model_options", fields))  # fmt: skip
        for size in (5, 7):
            wrong = Struct("tenon_constraint_options", (("weights", In(Literal((1.0,) * size))),))
            self.add("tenon_constraints_add_weld", constraints=Handle("unfinished"), link=Number(8), pose=None, options=wrong,
                     index=Result(), why="weights of another size")  # fmt: skip
            damped = Struct("tenon_damped_options", (("row_mu", In(Literal((64.0,) * size))),))
            self.add("tenon_delassus_inverse", workspace=Handle("arm_work"), options=damped, why="row_mu of another size",
                     q=In(Saved("arm_q", 7)), inverse=Out(36, (6, 6)))  # fmt: skip
        self.add("tenon_delassus_inverse", workspace=Handle("arm_work"), q=In(Saved("arm_q", 7)), inverse=Out(36, (6, 6)),
                 options=Struct("tenon_damped_options", (("row_mu", In(Literal((64.0,) * 6))),)))  # fmt: skip

    def spoil(self, step):
        values = step.values
        if step.method.function["header"] in OF_KINEMATICS:  # what it asks for is there
            scene = next(s for s in self.scenes if values["workspace"].name == s.name + "_work")
            kinematics = self.methods["tenon_kinematics"]
            self.add("tenon_kinematics", self.good(scene, kinematics, values["workspace"].name))
        for a in step.method.function["arguments"]:
            name, value = a["name"], values.get(a["name"], self)
            if value is self:
                continue

            def again(changed, why, *tags):
                self.add(step.function, {**values, name: changed}, tags, f"{name} {why}")

            # Fewer links, or none, leave numbers of matrices to spare.
            some = name == "links" and step.method.owner == "tenon_workspace"
            if isinstance(value, In) and not value.shape:
                if value.size and not some:
                    empty = ["empty"] if value.size == 1 else []
                    again(In(self.resized(value.source, -1)), "one too short", *empty)
                again(In(self.resized(value.source, 1)), "one too long")
            elif isinstance(value, Out) and not value.shape and "count" in a:
                for more in (-1, 1) if value.size else (1,):
                    source = value.source and self.resized(value.source, more)
                    tags = () if source else ("out_size", "status") if name in ("status", "iterations") else ("out_size",)
                    tags += ("empty",) if value.size + more == 0 else ()
                    again(replace(value, size=value.size + more, source=source, save=None), f"{more} numbers", *tags)
            elif isinstance(value, (In, Out)) and value.shape:
                rows, columns = value.shape
                for shape in ((rows - 1, columns), (rows, columns - 1)):
                    size = shape[0] * shape[1]
                    if min(shape) < 1:  # nothing, which may be NULL in one language and not in another
                        continue
                    if isinstance(value, In):
                        again(In(self.fill(size, name), shape), f"{shape[0]} x {shape[1]}", "shape")
                    else:
                        again(Out(size, shape), f"{shape[0]} x {shape[1]}", "shape", "out_size")
            elif isinstance(value, Batch):
                self.spoil_batch(value, again)
            elif isinstance(value, Struct) and value.type in ("tenon_rollout_options", "tenon_batch_parameters"):
                self.spoil_fields(value, again)
            elif isinstance(value, Handle):
                again(Handle(value.name + "_gone", True), "closed", "closed")
            elif isinstance(value, Number) and name in ("link", "constraint", "joint", "cluster", "loop", "second_link"):
                again(Number(999), "out of range")
            elif isinstance(value, Number) and name == "states" and value.value:
                again(Number(HUGE), "too many", "overflow", "states")
            must = not a.get("null") and not some and not isinstance(value, (Number, Handle, Texts))
            if must and value is not None:
                wanted = (b["name"] for b in step.method.function["arguments"] if not b.get("null"))
                first = next((k for k in wanted if isinstance(values.get(k), Batch)), None)
                again(None, "NULL", "null", f"null_{type(value).__name__.lower()}", *(["null_states"] if name == first else []))

    def spoil_batch(self, value, again):
        for more in (-1, 1):
            count = value.count + more
            if count < 0:
                continue
            states, per = max(value.states, 1), max(value.records, 1)
            size = states * per * count
            source = value.source and Fill(size, 2)
            again(replace(value, size=size, count=count, source=source, number=1, state=count * per if value.state else 0,
                          record=count if value.record else 0), f"of {count} numbers")  # fmt: skip
        if value.written:
            again(replace(value, state=0), "with results on each other", "strides")
            if value.count > 1:  # else no second step is taken
                again(replace(value, number=0), "with results on each other", "strides")
        again(replace(value, state=HUGE), "with strides beyond all addresses", "overflow")
        again(replace(value, state=-HUGE * 2), "with strides beyond all addresses", "overflow")
        if "size" in self.fields["tenon_batch_array"] and value.size:
            source = value.source and self.resized(value.source, -1)
            again(replace(value, size=value.size - 1, source=source), "one too short", "reach")

    def spoil_fields(self, value, again):
        for name, array in value.fields:
            if isinstance(array, Batch):

                def within(changed, why, *tags, name=name):
                    fields = tuple((n, changed if n == name else x) for n, x in value.fields)
                    again(Struct(value.type, fields), f".{name} {why}", *tags)

                self.spoil_batch(array, within)

    @staticmethod
    def resized(source, more):
        size = source.size + more
        if isinstance(source, Literal):
            numbers = source.numbers[:size] + source.numbers[:1] * more if source.numbers else (1,) * more
            return Literal(numbers, source.integers)
        if isinstance(source, Join):
            last = Bad.resized(source.parts[-1], more)
            return Join((*source.parts[:-1], last))
        return Fill(size, 3)
