"""Calls that reach every function of a layer, in the manner of no language: good ones on several robots, then bad ones made of
these. A template for each language (exercise_<language>.py) makes a program of them that uses its layer; what all programs
print is what that of C does (exercise_c.py).

A line for each step:  <number> <function> <status or result> <argument>=<what was written> ...
Nothing but the status of a call that failed. A status is its name, as tenon_status_string has it; a whole number is decimal,
a double its bits in 16 hexadecimal digits; numbers of an array are hashed (64-bit FNV-1a of their bytes, little-endian, 16
digits); a text is in quotes, the text of a buffer <bytes>:<hash>; a struct {field=value,...}; NULL is null, a new object
new. Programs run in the folder that has models/."""

from dataclasses import replace

from . import layers
from .exercise_bad import Bad
from .exercise_good import FEET, IDENTITY, OPTIONS, ROCK, SCENES, Good, Scene, sizes
from .meanings import NEEDS
from .exercise_values import (  # the templates take them from here
    STATES, Batch, Buffer, Callback, Fill, Handle, In, Join, Literal, New, Number, Out, Record, Result, Saved, Step, Struct,
    Text, Texts,
)  # fmt: skip


# Whose bad arguments change nothing and need no scene of their own come from this one.
OF_LOOPS = {"tenon_model_cluster_info", "tenon_model_loop_info"}
# What tells of settings: so many states as are asked for.
OF_OUTPUTS = {"tenon_batch_anchors", "tenon_batch_robots", "tenon_batch_constraints"}
# Where loops are embedded.
UNSUPPORTED_WITH_LOOPS = {"tenon_underactuated_inverse_dynamics", "tenon_batch_rollout_vjp", "tenon_batch_rollout_parameter_vjp"}
# What is called in independent coordinates too.
OF_INDEPENDENT = (
    *("tenon_mass_matrix", "tenon_forward_dynamics", "tenon_step_runge_kutta_4", "tenon_inverse_dynamics_derivatives"),
    *("tenon_forward_dynamics_vjp", "tenon_inverse_dynamics_parameter_vjp", "tenon_inverse_dynamics_ratio_vjp"),
    *("tenon_forward_dynamics_derivatives", "tenon_forward_dynamics_parameter_vjp", "tenon_joint_torque_regressor"),
)
# What needs all of its arguments, or what others need.
NEVER_LEAN = {"tenon_center_of_mass", "tenon_kinematics", "tenon_workspace_set_inertia"}


def of_step(name):
    """Derivatives of steps, of robots without rows."""
    return "_step_" in name and name.endswith(("_vjp", "_jvp"))


class Calls(Good, Bad):
    scenes = SCENES

    def __init__(self, api):
        self.api, self.steps = api, []
        self.methods = {m.function["name"]: m for m in layers.methods(api)}
        self.single = set()  # batches of floats
        self.fields = {s["name"]: {f["name"]: f for f in s["fields"]} for s in api["structs"]}

    def add(self, function, values=None, tags=(), why="", **more):
        values = {**(values or {}), **more}
        if why:  # what the good calls made stays
            one = "single_" * any(isinstance(v, Handle) and v.name.replace("_gone", "") in self.single for v in values.values())
            names = {k: f"no_{one}{function[6:]}" if k == "clone" else "no_" + k for k in values}
            self.single |= {n for n in names.values() if n.startswith("no_single_")}
            values = {k: New(names[k]) if isinstance(v, New) else v for k, v in values.items()}
            values = {k: replace(v, save=None) if isinstance(v, Out) else v for k, v in values.items()}
        self.steps.append(Step(len(self.steps), self.methods[function], values, frozenset(tags), why))

    # ---- good calls

    def free(self):
        for name in ("tenon_version", "tenon_version_string", "tenonx_loop_method_count", "tenonx_traceable_count",
                     "tenon_build_info"):  # fmt: skip
            self.add(name)
        for kind in range(19):
            self.add("tenon_constant_count", kind=Number(kind))
        self.add("tenon_constant_name", kind=Number(1), value=Number(2))
        self.add("tenon_constant_name", kind=Number(99), value=Number(2))
        self.add("tenon_constant_from_name", kind=Number(1), name=Text("constrained_aba"), value=Result())
        self.add("tenon_status_string", value=Number(-20))
        self.add("tenon_status_at", index=Number(3))
        self.add("tenonx_loop_method_name", value=Number(2))
        self.add("tenonx_loop_method_from_name", name=Text("projection"), value=Result())
        self.add("tenonx_traceable_name", algorithm=Number(1))
        self.add("tenonx_traceable_from_name", name=Text("crba"), algorithm=Result())
        self.add("tenonx_traceable_summary", algorithm=Number(1))
        self.add("tenonx_traceable_traits", algorithm=Number(1))

    def make(self):
        """The scenes' objects."""
        told = (("base", 0), ("log_level", 1), ("log_callback", Callback("log")), ("gravity", Literal((0.0, 0.25, -9.75))))
        for name, path, fields in (
            ("arm", "models/iiwa14.urdf", told),
            ("dog", "models/go1.urdf", (("base", 1), ("floating_joint_name", Text("trunk_joint")))),
            ("bars", "models/four_bar.urdf", None),
        ):
            chosen = Struct("tenon_model_options", fields) if fields else None
            self.add("tenon_model_load_urdf", path=Text(path), options=chosen, model=New(name))
            self.add("tenon_constraints_create", model=Handle(name), constraints=New(name + "_rows"))
        on, options = Handle("arm_rows"), (("name", Text("hand")), ("frequency", 16.0), ("damping_ratio", 0.5))
        more = (("weights", In(Literal((1.0, 2.0, 1.0, 2.0, 1.0, 2.0)))), ("compliance", In(Literal((0.0625,) * 6))))
        self.add("tenon_constraints_add_weld", constraints=on, link=Number(8), pose=In(Literal(IDENTITY)),
                 options=Struct("tenon_constraint_options", options + more), index=Result())  # fmt: skip
        for foot in FEET:
            self.add("tenon_constraints_add_point", constraints=Handle("dog_rows"), link=Number(foot),
                     point=In(Literal((0.0, 0.0, -0.015625))), options=None, index=Result())  # fmt: skip
        self.add("tenon_constraints_add_point", constraints=Handle("bars_rows"), link=Number(2), point=None,
                 options=Struct("tenon_constraint_options", (("name", Text("bar")), ("axes", 1))), index=None)  # fmt: skip
        self.add("tenon_constraints_create", model=Handle("arm"), constraints=New("mixed"))
        self.add("tenon_constraints_add_rows", constraints=Handle("mixed"), link=Number(6), row_count=Number(2),
                 K=In(Fill(12, 3), (2, 6)), options=None, index=Result())  # fmt: skip
        self.add("tenon_constraints_add_closure", constraints=Handle("mixed"), link=Number(8), pose=In(Literal(IDENTITY)),
                 second_link=Number(-2), second_pose=None, index=Result(),
                 options=Struct("tenon_constraint_options", (("rows", 0x38),)))  # fmt: skip
        self.add("tenon_constraints_create", model=Handle("arm"), constraints=New("unfinished"))
        for name in ("arm_rows", "dog_rows", "bars_rows", "mixed"):
            self.add("tenon_constraints_finish", constraints=Handle(name))
            self.add("tenon_constraints_constraint_count", constraints=Handle(name))
            self.add("tenon_constraints_row_count", constraints=Handle(name))
            info = Record("tenon_constraint_info")
            self.add("tenon_constraints_constraint_info", constraints=Handle(name), constraint=Number(0), info=info)
        self.add("tenon_constraints_find_constraint", constraints=on, name=Text("hand"), index=Result())
        for scene in SCENES:
            model, rows = Handle(scene.name), Handle(scene.name + "_rows")
            options = Struct("tenon_workspace_options", OPTIONS["tenon_workspace_options"])
            self.add("tenon_workspace_create", model=model, constraints=rows, options=None,
                     workspace=New(scene.name + "_work"))  # fmt: skip
            if scene.name == "arm":
                self.add("tenon_workspace_create", model=model, constraints=None, options=options,
                         workspace=New("arm_alone"))  # fmt: skip
            for kind, fields in (("batch", (("threads", 2), ("reports", 1))), ("single", (("precision", 1), ("reports", 1)))):
                self.add("tenon_batch_create", model=model, constraints=rows, batch=New(f"{scene.name}_{kind}"),
                         options=Struct("tenon_batch_options", fields))  # fmt: skip
                if scene.name == "arm":
                    self.add("tenon_batch_create", model=model, constraints=None, batch=New(f"arm_alone_{kind}"),
                             options=Struct("tenon_batch_options", fields))  # fmt: skip
            self.single |= {scene.name + "_single", scene.name + "_single_clone", "arm_alone_single"}

    def states(self, scene):
        """The configurations that calls take."""
        work, z = Handle(scene.name + "_work"), scene.sizes
        for seed in range(STATES):
            self.add("tenon_random", workspace=work, seed=Number(seed + 1), q=Out(z["nq"], None, None, f"{scene.name}_q{seed}"))
            if scene.closed:
                self.add("tenon_close_loops", workspace=work, options=None, gap=None,
                         q=Out(z["nq"], None, Saved(f"{scene.name}_q{seed}", z["nq"]), f"{scene.name}_q{seed}"))  # fmt: skip
        self.add("tenon_random", workspace=work, seed=Number(2**63 + 5), q=Out(z["nq"], None, None, scene.name + "_q"))
        if scene.closed:
            self.add("tenon_workspace_guess", workspace=work, q=Out(z["nq"], None, None, scene.name + "_q"))
        self.add("tenon_random", workspace=work, seed=Number(9), q=Out(z["nq"], None, None, scene.name + "_to"))
        here = In(Saved(scene.name + "_q", z["nq"]))
        self.add("tenon_independent_position", workspace=work, q=here, y=Out(z["nyq"], None, None, scene.name + "_y"))

    def of_model(self, scene):
        for name, method in self.methods.items():
            if method.owner == "tenon_model" and method.kind == "method" and self.fits(scene, name):
                if name.startswith("tenon_model_find"):
                    told = {"arm": ("iiwa_link_7", "iiwa_joint_3"), "dog": ("FL_foot", "RR_hip_joint"), "bars": ("link3", "joint2")}
                    text = Text(told[scene.name]["joint" in name])
                    self.add(name, model=Handle(scene.name), name=text, index=Result())
                    continue
                self.add(name, self.good(scene, method, scene.name))
        trace = Struct("tenonx_trace_options", (("function_name", Text("arm_crba")), ("lanes", 4)))
        self.add("tenonx_generate_c", model=Handle(scene.name), constraints=None, algorithm=Text("rnea"), options=trace,
                 text=Buffer(), needed=Result())  # fmt: skip

    def fits(self, scene, name):
        """What a robot has, and what is asked for elsewhere."""
        if method_makes := self.methods[name].makes:
            return not method_makes
        if name in OF_LOOPS:
            return scene.closed
        if of_step(name):
            return scene.name == "arm"
        if name == "tenonx_generate_c" or scene.closed and name in UNSUPPORTED_WITH_LOOPS:
            return False
        if scene.closed and name.endswith(("_derivatives", "_vjp", "_jvp", "_hessian", "_hvp")):
            # No second ones with embedded loops, and none where rows contradict each other, as those of this scene do.
            return not (name.endswith(("_hessian", "_hvp")) or "_constrained_" in name or "_impact_" in name)
        return True

    def of_workspace(self, scene):
        owner = scene.name + "_work"
        for name, method in self.methods.items():
            if method.owner != "tenon_workspace" or method.kind != "method" or not self.fits(scene, name):
                continue
            self.add(name, self.good(scene, method, "arm_alone" if of_step(name) else owner))
            if name == "tenon_workspace_set_constraints":  # rigid again, as not all that follows takes soft rows
                self.steps[-1].values["compliance"] = In(Literal((0.0,) * scene.sizes["m"]))
            # The same with nothing that may be missing, but one result.
            lean, written = {}, False
            for a in method.arguments:
                value = self.steps[-1].values[a.c["name"]]
                keep = a.role != "in" and not written and not (a.role == "inout" and a.null)
                lean[a.c["name"]] = None if a.null and not keep else value
                written = written or isinstance(value, (Out, Result))
            if any(v is None for v in lean.values()) and name not in NEVER_LEAN:
                self.add(name, {**self.steps[-1].values, **lean})
        self.add("tenon_workspace_clone", workspace=Handle(owner), clone=New(scene.name + "_clone"))
        dynamics = self.methods["tenon_constrained_dynamics"]
        self.add("tenon_constrained_dynamics", self.good(scene, dynamics, scene.name + "_clone"))
        if scene.name == "arm":  # an answer with a caveat: rows twice
            few = Struct("tenon_solve_options", (("method", 2), ("max_iterations", 1), ("mu", 0.0625), ("accelerate", 0)))
            values = self.good(scene, self.methods["tenon_constrained_dynamics"], owner)
            self.add("tenon_constrained_dynamics", {**values, "options": few})
            self.add("tenon_workspace_report", workspace=Handle(owner), report=Record("tenon_solve_report"))
        if scene.closed:
            self.add("tenon_workspace_set_coordinates", workspace=Handle(owner), positions=Number(1), velocities=Number(1))
            own = {**scene.sizes, "nq": scene.sizes["nyq"], "nv": scene.sizes["ny"], "spanning nv": scene.sizes["nv"]}
            small = replace(scene, sizes=own)
            for name in OF_INDEPENDENT:
                self.add(name, self.good(small, self.methods[name], owner) | {"q": self.q_of(small, name)})
            for name in ("position", "velocity"):
                self.add(f"tenon_workspace_{name}_count", workspace=Handle(owner))
            self.add("tenon_workspace_set_coordinates", workspace=Handle(owner), positions=Number(0), velocities=Number(0))

    @staticmethod
    def q_of(scene, name):
        y = Saved(scene.name + "_y", scene.sizes["nyq"])
        return Out(y.size, None, y) if "step" in name else In(y)

    def of_batch(self, scene, kind):
        owner = f"{scene.name}_{kind}"
        for name, method in self.methods.items():
            if method.owner != "tenon_batch" or method.kind != "method" or not self.fits(scene, name):
                continue
            values = self.good(scene, method, f"arm_alone_{kind}" if of_step(name) else owner)
            if name == "tenon_batch_set_parameters":
                for names in (("masses", "centers_of_mass", "inertias"), ("armatures", "damping", "friction", "gravity"),
                              ("weights", "compliance", "frames"),
                              ("payload_masses", "payload_centers_of_mass", "payload_inertias")):  # fmt: skip
                    chosen = tuple((n, self.batch_of(scene, "tenon_batch_parameters", n)) for n in names)
                    self.add(name, {**values, "parameters": Struct("tenon_batch_parameters", chosen)})
                continue
            if name == "tenon_batch_rollout":
                fields = (("integrator", 0), ("dt", 0.0078125), ("steps", 4), ("every", 2), ("solve", None))
                single_joints = scene.name != "dog"  # stiffness is for joints of one coordinate
                names = ("stiffness", "damping", "q_target", "v_target", "qdd_out", "lambda_out")
                names = names if single_joints else names[4:]
                fields += tuple((n, self.batch_of(scene, "tenon_rollout_options", n)) for n in names)
                self.add(name, {**values, "options": Struct("tenon_rollout_options", fields)})
                z = scene.sizes["nv"]
                of_steps = Batch(STATES * 4 * z, z, Fill(STATES * 4 * z, 5), False, 1, 4 * z, z, 0, STATES, 4)
                solve = Struct("tenon_solve_options", (("method", 2), ("max_iterations", 30)))
                fields = (("integrator", 1), ("steps", 4), ("every", 2), ("solve", solve))
                values = {**values, "options": Struct("tenon_rollout_options", fields), "tau": of_steps}
                self.add(name, {**values, "wrenches": None, "status": None})
                continue
            self.add(name, values)
            lean = {a.c["name"]: None for a in method.arguments if a.null and a.role != "out"}
            if name.startswith("tenon_batch_rollout") and name.endswith("_vjp"):  # its arrays are for the steps that these say
                del lean["options"]
            if lean:
                lean |= {output: None for function, output in NEEDS if function == name}
                self.add(name, {**values, **lean})
        self.add("tenon_batch_clone", batch=Handle(owner), clone=New(f"{scene.name}_{kind}_clone"))
        self.add("tenon_batch_mass_matrix",
                 self.good(scene, self.methods["tenon_batch_mass_matrix"], f"{scene.name}_{kind}_clone"))
        # No states, and nothing to read or write.
        for name, method in self.methods.items():
            takes_arrays = any(a.kind == "batch_array" for a in method.arguments)
            if method.owner == "tenon_batch" and takes_arrays and name not in OF_OUTPUTS:
                self.add(name, self.good(scene, method, owner, 0), tags=("no_states",))

    def of_builder(self):
        b = Handle("builder")
        self.add("tenon_builder_create", name=Text("arms"), builder=New("builder"))
        inertia = In(Literal((1.0, 0.0, 0.0, 1.0, 0.0, 1.0)))
        for name in ("base", "left", "right", "far"):
            self.add("tenon_builder_add_link", builder=b, name=Text(name), mass=Number(1.5), inertia=inertia,
                     center_of_mass=In(Literal((0.0, 0.25, 0.5))), index=Result())  # fmt: skip
        self.add("tenon_builder_find_link", builder=b, name=Text("right"), index=Result())
        for name, parent, child in (("j1", 0, 1), ("j2", 0, 2), ("j3", 2, 3)):
            fields = (("type", 1), ("parent_link", parent), ("child_link", child), ("origin", Literal(IDENTITY)),
                      ("axis", Literal((0.0, 1.0, 0.0))), ("armature", 0.125), ("lower", -2.0), ("upper", 2.5),
                      ("velocity", 3.0), ("effort", 40.0), ("damping", 0.5), ("friction", 0.25), ("dependent", 0))  # fmt: skip
            self.add("tenon_builder_add_joint", builder=b, name=Text(name), options=Struct("tenon_joint_options", fields))
        self.add("tenon_builder_add_frame", builder=b, name=Text("tip"), link=Number(3), pose=In(Literal(IDENTITY)))
        self.add("tenon_builder_finish", builder=b, options=None, model=New("free_arms"))
        self.add("tenon_builder_add_gear", builder=b, name=Text("gear"), link=Number(1), second_link=Number(2),
                 ratio=Number(2.0), offset=Number(0.5))  # fmt: skip
        self.add("tenon_builder_finish", builder=b, options=None, model=New("geared_arms"))
        self.add("tenon_model_describe", model=Handle("geared_arms"), text=Buffer(), needed=Result())
        self.add("tenon_builder_load_urdf", path=Text("models/iiwa14.urdf"), options=None, builder=New("tied"))
        ties = {"dependent": Texts(("iiwa_joint_7", "iiwa_joint_6")), "independent": Texts(("iiwa_joint_1",))}
        self.add("tenon_builder_add_coupling", builder=Handle("tied"), name=Text("tie"), ratios=In(Literal((0.5, -0.25)), (2, 1)),
                 offsets=In(Literal((0.0, 0.125))), **ties)  # fmt: skip
        self.add("tenon_builder_add_implicit", builder=Handle("tied"), name=Text("circle"), rows=Number(1),
                 joints=Texts(("iiwa_joint_3", "iiwa_joint_4")), callback=Callback("circle"))  # fmt: skip
        self.add("tenon_builder_finish", builder=Handle("tied"), options=None, model=New("tied_arm"))
        self.add("tenon_model_loop_info", model=Handle("tied_arm"), loop=Number(1), info=Record("tenon_loop_info"))
        self.add("tenon_workspace_create", model=Handle("tied_arm"), constraints=None, options=None, workspace=New("tied_work"))
        self.add("tenon_workspace_guess", workspace=Handle("tied_work"), q=Out(7, None, None, "tied_q"))
        self.add("tenon_forward_dynamics", workspace=Handle("tied_work"), q=In(Saved("tied_q", 7)), v=In(Fill(7, 1)),
                 tau=In(Fill(7, 2)), wrenches=None, qdd=Out(7))  # fmt: skip
        self.add("tenon_builder_parse_urdf", text=Text(ROCK), options=None, builder=New("rocks"))
        self.add("tenon_builder_create", name=Text("loop"), builder=New("looped"))
        looped = Handle("looped")
        for name in ("base", "left", "top", "right"):
            self.add("tenon_builder_add_link", builder=looped, name=Text(name), mass=Number(1.0), inertia=inertia,
                     center_of_mass=None, index=None)  # fmt: skip
        for name, parent, child, x, follows in (("a", 0, 1, 0.0, 0), ("b", 1, 2, 0.5, 1), ("c", 0, 3, 1.0, 1)):
            fields = (("parent_link", parent), ("child_link", child), ("origin", Literal((x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))),
                      ("axis", Literal((0.0, 0.0, 1.0))), ("dependent", follows))  # fmt: skip
            self.add("tenon_builder_add_joint", builder=looped, name=Text(name), options=Struct("tenon_joint_options", fields))
        ends = (("type", 1), ("link", 2), ("second_link", 3), ("pose", Literal((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))),
                ("second_pose", Literal((0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))), ("axis", Literal((0.0, 0.0, 1.0))))  # fmt: skip
        self.add("tenon_builder_add_loop", builder=looped, name=Text("pin"), options=Struct("tenon_loop_options", ends))
        by_rows = Struct("tenon_model_options", (("loop_treatment", 2),))
        self.add("tenon_builder_finish", builder=looped, options=by_rows, model=New("by_rows"))
        self.add("tenon_workspace_create", model=Handle("by_rows"), constraints=None, options=None, workspace=New("by_rows_work"))
        self.add("tenon_workspace_row_count", workspace=Handle("by_rows_work"))

    def without_coordinates(self):
        """A robot that does not move: arrays of no numbers."""
        self.add("tenon_model_parse_urdf", text=Text(ROCK), options=None, model=New("rock"))
        self.add("tenon_workspace_create", model=Handle("rock"), constraints=None, options=None, workspace=New("rock_work"))
        self.add("tenon_batch_create", model=Handle("rock"), constraints=None, options=None, batch=New("rock_batch"))
        rock = Scene("rock", {**sizes(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), "link_count": 1}, 0)
        for name in ("neutral", "kinematics", "link_jacobian", "inverse_dynamics", "mass_matrix", "forward_dynamics",
                     "constrained_dynamics", "delassus", "integrate", "loop_map", "constraint_rows"):  # fmt: skip
            method = self.methods["tenon_" + name]
            self.add("tenon_" + name, self.good(rock, method, "rock_work"))
        for name in ("forward_dynamics", "mass_matrix", "kinematics", "constrained_dynamics"):
            values = self.good(rock, self.methods["tenon_batch_" + name], "rock_batch")
            if name == "kinematics":
                values["links"] = In(Literal((0,), True))
            for key, value in values.items():
                if isinstance(value, Batch) and isinstance(value.source, Join):
                    values[key] = replace(value, source=Literal(()))
            self.add("tenon_batch_" + name, values)

    def close(self):
        """In an order of no kind: what is left goes on working."""
        for name in ("arm", "arm_rows", "builder", "tied", "dog"):
            owner = "tenon_builder" if name in ("builder", "tied") else "tenon_constraints" if "rows" in name else "tenon_model"
            self.add(owner + "_destroy", {owner[6:]: Handle(name)})
        self.add("tenon_gravity_force", workspace=Handle("arm_work"), q=In(Saved("arm_q", 7)), g=Out(7))
        self.add("tenon_forward_dynamics", workspace=Handle("tied_work"), q=In(Saved("tied_q", 7)), v=In(Fill(7, 1)),
                 tau=In(Fill(7, 2)), wrenches=None, qdd=Out(7))  # fmt: skip
        self.add("tenon_workspace_destroy", workspace=Handle("arm_work"))
        self.add("tenon_batch_destroy", batch=Handle("arm_batch"))

    def all(self):
        self.free()
        self.make()
        self.of_builder()
        for scene in SCENES:
            self.states(scene)
            self.of_model(scene)
            self.of_workspace(scene)
            for kind in ("batch", "single"):
                self.of_batch(scene, kind)
        self.without_coordinates()
        self.bad()
        self.close()
        return self


def calls(api):
    """The steps, and the names of batches in single precision. Every function but those that prepare structs has one."""
    made = Calls(api).all()
    reached = {step.function for step in made.steps if not step.why}
    missing = [m.function["name"] for m in made.methods.values() if m.kind != "init" and m.function["name"] not in reached]
    if missing:
        raise ValueError(f"no good call of {missing}")
    done = set()
    for step in made.steps:  # what is asked of a finished set
        if step.method.owner == "tenon_constraints" and step.function.startswith("tenon_constraints_add_"):
            step.tags |= {"finished"} if step.values["constraints"].name in done else set()
        elif step.function == "tenon_constraints_finish" and not step.why:
            done.add(step.values["constraints"].name)
    return made.steps, made.single


def sayable(step, lacks):
    """Whether a language can say it; lacks: functions, tags, or "<tag> of <function>"."""
    return step.function not in lacks and not any(tag in lacks or f"{tag} of {step.function}" in lacks for tag in step.tags)


def comparable(text, steps, lacks):
    """What a program printed, without the steps that a language cannot say."""
    left_out = {str(s.number) for s in steps if not sayable(s, lacks)}
    return [line for line in text.splitlines() if line.split(" ", 1)[0] not in left_out]
