"""Robots, rows on them and states for statuses_test.py, and how many numbers each array of a function has."""

import ctypes
import functools

STATES = 3  # of a batch
ROOM = 16000  # numbers in every matrix: more than any function asks here
MATRICES = {
    "A", "B", "C", "G", "J", "J_bar", "K", "Lambda", "M", "N", "X", "inverse", "dtau_dq", "dtau_dv", "dtau_da", "dqdd_dq",
    "dqdd_dv", "dqdd_dtau", "dqdd_ddesired", "dlambda_dq", "dlambda_dv", "dlambda_dtau", "dlambda_ddesired", "dx_dq", "dx_dv", "dx_dtau", "dx_ddesired", "Y",
    "dx_dinertia", "dx_darmature", "dx_ddamping", "dx_dfriction", "dx_dwrenches", "dx_dgravity",
    "dpi_dtheta", "dv_dq", "dv_dv", "dimpulse_dq", "dimpulse_dv", "dvelocity_dq", "dvelocity_dv", "dacceleration_dq",
    "dacceleration_dv", "dacceleration_da", "dmomentum_dq", "dmomentum_dv", "drate_dq", "drate_dv", "dg_dq", "dg_dgravity",
    "hessian_qq", "hessian_qv", "hessian_vv", "hessian_qa", "hessian_qtau", "hessian_qdesired",
}  # fmt: skip
# Good values of scalars that are not 0.
SCALARS = {
    "ld": 100, "lda": 100, "ldb": 100, "ldc": 100, "ldg": 100, "ldj": 100, "ldk": 100, "ldl": 100, "ldm": 100, "ldn": 100,
    "lddesired": 100, "ldy": 40, "ldinertia": 60, "ldarmature": 100, "lddamping": 100, "ldfriction": 100, "ldpi": 100, "ldiq": 100, "ldiv": 100, "ldvq": 100, "ldhq": 100, "ldhv": 100, "ldgravity": 100, "ldwrenches": 100,
    "ldqq": 100, "ldqv": 100, "ldvv": 100, "ldqa": 100, "ldqtau": 100, "ldqdesired": 100,
    "ldq": 100, "ldv": 100, "ldtau": 100, "ldr": 100, "ldx": 100, "columns": 2, "capacity": 2, "dt": 1e-3, "mass": 1.0,
    "ratio": 2.0, "rows": 1, "row_count": 2, "link": 1, "second_link": 2, "seed": 1, "method": 0,
}  # fmt: skip
NEED_KINEMATICS = {
    "tenon_energy_regressors", "tenon_link_pose", "tenon_link_velocity", "tenon_link_acceleration", "tenon_link_jacobian", "tenon_point_jacobian",
    "tenon_point_bias_acceleration", "tenon_link_bias_acceleration", "tenon_center_of_mass", "tenon_centroidal_momentum",
    "tenon_centroidal_momentum_matrix", "tenon_centroidal_momentum_bias", "tenon_energy",
    "tenon_point_velocity_derivatives", "tenon_point_acceleration_derivatives", "tenon_center_of_mass_derivatives",
    "tenon_centroidal_momentum_derivatives", "tenon_energy_gradients",
}  # fmt: skip
CHANGE_THE_WORKSPACE = {
    "tenon_workspace_set_gravity", "tenon_workspace_set_anchor", "tenon_workspace_set_guess", "tenon_workspace_anchor_here",
    "tenon_workspace_set_coordinates", "tenon_workspace_set_active", "tenon_workspace_set_gains",
    "tenon_workspace_set_weights", "tenon_workspace_set_compliance", "tenon_batch_set_gravity", "tenon_batch_set_anchor",
    "tenon_batch_set_coordinates", "tenon_batch_set_anchors", "tenon_batch_anchor_here", "tenon_batch_set_active",
    "tenon_batch_set_gains", "tenon_batch_set_parameters", "tenon_batch_set_guess", "tenon_workspace_set_frame",
    "tenon_workspace_set_constraints", "tenon_workspace_set_payload", "tenon_workspace_set_inertia",
    "tenon_workspace_set_joint_parameters",
}  # fmt: skip


def numbers(values, room=4000):
    array = (ctypes.c_double * max(room, len(values)))()
    array[: len(values)] = values
    return array


class Scene:
    """A robot, rows on it, and a state; the sizes of all arrays that functions ask for."""

    def __init__(self, test, name, build, rows=None, closed=False, prepare=None):
        self.test, self.name, self.build, self.rows, self.closed, self.prepare = test, name, build, rows, closed, prepare
        self.model = build(test)
        self.constraints = test.made("tenon_constraints_create", self.model)
        if rows:
            rows(test, self.model, self.constraints)
        test.good(test.c.tenon_constraints_finish(self.constraints, None, 0))
        self.state = {}
        self.count = test.c.tenon_constraints_constraint_count(self.constraints)
        self.renew()
        c = test.c
        self.nq, self.nv = c.tenon_model_nq(self.model), c.tenon_model_nv(self.model)
        self.ny, self.nyq = c.tenon_model_ny(self.model), c.tenon_model_nyq(self.model)
        self.m = c.tenon_constraints_row_count(self.constraints)
        self.first_rows = self.rows_of_first()
        self.links, self.joints = c.tenon_model_link_count(self.model), c.tenon_model_joint_count(self.model)
        self.loop_rows, self.ratios = c.tenon_model_loop_row_count(self.model), c.tenon_model_ratio_count(self.model)
        q = numbers([])
        if closed:
            test.good(c.tenon_workspace_guess(self.workspace, q, self.nq), self.workspace)
        else:
            test.good(c.tenon_random(self.workspace, 1, q, self.nq), self.workspace)
        self.q = list(q[: self.nq])

    def rows_of_first(self):
        info = self.test.options("tenon_constraint_info")
        status = self.test.c.tenon_constraints_constraint_info(self.constraints, 0, ctypes.byref(info))
        return info.row_count if status == 0 else 0

    def renew(self):
        if getattr(self, "workspace", None):
            self.test.c.tenon_workspace_destroy(self.workspace)
            self.test.c.tenon_batch_destroy(self.batch)
        self.workspace = self.test.made("tenon_workspace_create", self.model, self.constraints, None)
        told = self.test.options("tenon_batch_options", reports=1)
        self.batch = self.test.made("tenon_batch_create", self.model, self.constraints, ctypes.byref(told))
        origin = self.test.batch_array([0, 0, 0, 0, 0, 0, 1] * self.count, 7 * self.count, 1)  # where workspaces begin
        self.test.good(self.test.c.tenon_batch_set_anchors(self.batch, 1, origin.value))
        if self.prepare:
            self.prepare(self.test, self)

    def ready(self, function, place=None, speed=None):
        """What must be called before: once, good. place: of a floating base; speed: of all coordinates."""
        c, w, q = self.test.c, self.workspace, numbers(self.q)
        if function in NEED_KINEMATICS:
            v = numbers([speed or 0.1] * self.nv if not self.closed else [0.0] * self.nv)
            if place and c.tenon_model_floating_base(self.model):
                q[0] = q[1] = q[2] = place
            c.tenon_kinematics(w, q, self.nq, v, self.nv, None if place or speed else v, self.nv)
        elif function in ("tenon_mass_matrix_solve", "tenon_mass_matrix_multiply"):
            c.tenon_mass_matrix_factor(w, q, self.nq)
        elif function == "tenon_delassus_solve":
            c.tenon_delassus_factor(w, None, q, self.nq)
        elif function == "tenon_batch_report":
            x, u = self.test.batch_array(self.q, self.nq, 1), self.test.batch_array([0.0] * self.nv, self.nv, 1)
            c.tenon_batch_constrained_dynamics(
                self.batch, None, 1, x.value, u.value, u.value, None, None, u.value, None, None, 0, None, 0
            )

    @functools.lru_cache(maxsize=None)
    def size(self, function, name):
        """How many numbers an array has. Matrices may have more than they need."""
        special = {
            ("tenon_link_velocity", "velocity"): 6,
            ("tenon_center_of_mass", "velocity"): 3,
            ("tenon_center_of_mass_derivatives", "acceleration"): 3,
            ("tenon_convert_configuration", "in"): self.nq,
            ("tenon_convert_configuration", "out"): self.test.c.tenon_convention_nq(self.model, 0),
            ("tenon_builder_add_coupling", "ratios"): 1,
            ("tenon_builder_add_coupling", "offsets"): 1,
            ("tenon_workspace_set_guess", "q"): self.nq,
            ("tenon_energy_regressors", "kinetic"): 10 * self.links,
            ("tenon_energy_regressors", "potential"): 10 * self.links,
            ("tenon_batch_set_guess", "q"): self.nq,
        }
        if function.endswith("_constraints"):
            special |= {(function, "weights"): self.m, (function, "compliance"): self.m}
        if (function, name) in special:
            return special[function, name]
        by_name = {
            "q": self.nq, "from": self.nq, "to": self.nq, "next": self.nq, "guess": self.nq, "y": self.nyq,
            "v": self.nv, "a": self.nv, "tau": self.nv, "qdd": self.nv, "c": self.nv, "g": self.nv, "in": self.nv,
            "out": self.nv, "actuated": self.nv, "ydot": self.ny, "yddot": self.ny, "tau_y": self.ny, "wrenches": 6 * self.links,
            "desired": self.m, "lambda": self.m, "impulse": self.m, "restitution": 1, "rhs": self.m, "row_mu": self.m,
            "weights": self.first_rows, "compliance": self.first_rows,
            "position_error": self.m, "row_velocity": self.m, "k": self.loop_rows, "phi": self.loop_rows,
            "gravity": 3, "point": 3, "position": 3, "center_of_mass": 3, "inertia": 6, "pose": 7, "second_pose": 7,
            "rotation": 9, "acceleration": 6, "momentum": 6, "bias": 6, "rate": 6, "kinetic_q": self.nv, "kinetic_v": self.nv,
            "potential_q": self.nv, "joints": self.joints, "joint": self.joints,
            "armatures": self.nv, "damping": self.nv, "friction": self.nv, "active": self.count,
            "frequencies": self.count, "damping_ratios": self.count, "anchors": 7 * self.count, "frames": 7 * self.count,
            "v_index": self.ny, "q_index": self.nyq, "assemblies": 2 * self.nq, "gradient": self.nv,
            "gradient_q": self.nv, "gradient_v": self.nv, "gradient_a": self.nv, "gradient_tau": self.nv, "dq": self.nv,
            "dv": self.nv, "da": self.nv, "dtau": self.nv, "dqdd": self.nv, "gradient_next_q": self.nv,
            "gradient_next_v": self.nv, "next_q": self.nq, "next_v": self.nv, "dnext_q": self.nv, "dnext_v": self.nv,
            "gradient_inertia": 10 * self.links, "gradient_armature": self.nv, "gradient_damping": self.nv,
            "gradient_friction": self.nv, "gradient_wrenches": 6 * self.links, "gradient_gravity": 3, "theta": 10, "pi": 10,
            "gradient_ratios": self.ratios,
            "gradient_lambda": self.m, "gradient_desired": self.m, "ddesired": self.m, "dlambda": self.m,
            "v_after": self.nv, "dv_after": self.nv, "gradient_impulse": self.m, "dimpulse": self.m,
            "product_q": self.nv, "product_v": self.nv, "product_a": self.nv, "product_tau": self.nv, "product_desired": self.m,
        }  # fmt: skip
        if name in by_name:
            return by_name[name]
        if name in MATRICES:
            return ROOM
        raise KeyError(f"{function}: how many numbers has {name}? Tell statuses_test.py")

    def batch_size(self, function, name):
        """The same of one state of a batch."""
        if function in ("tenon_batch_mass_matrix_lower", "tenon_batch_mass_matrix_factor") and name in ("M", "L"):
            return self.nv * (self.nv + 1) // 2
        by_name = {
            **dict.fromkeys(("M", *(n for n in MATRICES if n.startswith(("dtau_d", "dqdd_d", "hessian")))), self.nv * self.nv),
            **dict.fromkeys(("dqdd_ddesired", "dlambda_dq", "dlambda_dv", "dlambda_dtau", "hessian_qdesired"), self.nv * self.m),
            "dlambda_ddesired": self.m * self.m, "restitution": self.m, "dv_dq": self.nv * self.nv, "dv_dv": self.nv * self.nv,
            "dimpulse_dq": self.m * self.nv, "dimpulse_dv": self.m * self.nv,
            "A": self.m * self.m, "B": 2 * self.m, "X": 2 * self.m, "poses": 14, "velocities": 12, "accelerations": 12,
            **dict.fromkeys(("pose_gradients", "velocity_gradients", "acceleration_gradients"), 12),
            **dict.fromkeys(("dposes", "dvelocities", "daccelerations"), 12),
            **dict.fromkeys(("centers", "center_gradients", "dcenters"), 3),
            **dict.fromkeys(("center_velocities", "center_velocity_gradients", "dcenter_velocities"), 3),
            **dict.fromkeys(("momenta", "momentum_gradients", "dmomenta"), 6),
            **dict.fromkeys(("kinetic", "kinetic_gradients", "dkinetic", "potential", "potential_gradients", "dpotential"), 1),
            "jacobians": 12 * self.nv, "q_out": self.nq, "v_out": self.nv, "active": self.count, "frequencies": self.count,
            "damping_ratios": self.count, "masses": self.links, "centers_of_mass": 3 * self.links,
            "inertias": 6 * self.links, "armatures": self.nv, "damping": self.nv, "friction": self.nv, "weights": self.m,
            "compliance": self.m, "frames": 7 * self.count, "stiffness": self.nv, "q_target": self.nq,
            "v_target": self.nv, "record_gradient_q": self.nv, "record_gradient_v": self.nv, "qdd_out": self.nv, "lambda_out": self.m, "anchors": 7 * self.count,
            "payload_masses": self.links, "payload_centers_of_mass": 3 * self.links, "payload_inertias": 6 * self.links,
        }  # fmt: skip
        if function in ("tenon_batch_set_anchors", "tenon_batch_anchors"):
            return 7 * self.count
        if function == "tenon_batch_joint_torque_regressor" and name == "Y":
            return 10 * self.links * self.nv
        return by_name[name] if name in by_name else self.size(function, name)

    def values(self, function, name, size):
        """Good numbers for an array."""
        if name in ("q", "from", "to", "guess"):
            return self.q
        if (function, name) in (("tenon_convert_configuration", "in"), ("tenon_workspace_set_guess", "q"), ("tenon_batch_set_guess", "q")):
            return self.q
        if name in ("pose", "second_pose"):
            return [0, 0, 0, 0, 0, 0, 1]
        if name in ("poses", "anchors", "frames"):
            return [0, 0, 0, 0, 0, 0, 1] * self.count
        if name == "active":
            return [1.0] * size
        if name == "inertia":
            return [1, 0, 0, 1, 0, 1]
        if name == "pi":
            return [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
        if name == "y":
            y = numbers([])
            self.test.c.tenon_independent_position(self.workspace, numbers(self.q), self.nq, y, self.nyq)
            return list(y[: self.nyq])
        if self.closed and name in ("v", "ydot"):
            return [0.0] * size
        return [0.1] * min(size, ROOM)


def weld(test, constraints, link, **fields):
    options = test.options("tenon_constraint_options", **fields)
    test.good(test.c.tenon_constraints_add_weld(constraints, link, None, 0, ctypes.byref(options), None, None, 0))


def closure(test, constraints, first, second):
    test.good(test.c.tenon_constraints_add_closure(constraints, first, None, 0, second, None, 0, None, None, None, 0))


HELD = ctypes.create_string_buffer(b"held")
SOFT = (ctypes.c_double * 6)(*[1e-3] * 6)
SLIDER = b"""<robot name='slider'><link name='base'/>%s
<joint name='j' type='planar'><parent link='base'/><child link='left'/><axis xyz='0 0 1'/></joint>
<loop name='pin' type='revolute'><predecessor link='base'><origin xyz='0.2 0 0'/></predecessor>
<successor link='left'><origin xyz='0.2 0 0'/></successor><axis xyz='0 0 1'/></loop></robot>"""
PARALLELOGRAM = b"""<robot name='parallelogram'><link name='base'/>%s%s%s
<joint name='j1' type='continuous'><parent link='base'/><child link='left'/><axis xyz='0 0 1'/></joint>
<joint name='j2' type='continuous' independent='false'><parent link='left'/><child link='top'/><origin xyz='0.5 0 0'/>
<axis xyz='0 0 1'/></joint>
<joint name='j3' type='continuous' independent='false'><parent link='base'/><child link='right'/><origin xyz='1 0 0'/>
<axis xyz='0 0 1'/></joint>
<loop name='closure' type='revolute'><predecessor link='top'><origin xyz='1 0 0'/></predecessor>
<successor link='right'><origin xyz='0.5 0 0'/></successor><axis xyz='0 0 1'/></loop></robot>"""


def solid(name, inertia=b"0.1"):
    return (
        b"<link name='%s'><inertial><origin xyz='0.25 0 0'/><mass value='1'/><inertia ixx='%s' iyy='0.1' izz='0.1' "
        b"ixy='0' ixz='0' iyz='0'/></inertial></link>" % (name, inertia)
    )


def parsed(test, text, **fields):
    options = test.options("tenon_model_options", **fields)
    return test.made("tenon_model_parse_urdf", text, len(text), ctypes.byref(options))


def feet(test, model, constraints):
    weld(test, constraints, test.link(model, "l_foot"), name=ctypes.addressof(HELD))
    weld(test, constraints, test.link(model, "r_foot"))


def same_foot_twice(test, model, constraints):
    for _ in range(2):
        weld(test, constraints, test.link(model, "l_foot"), name=ctypes.addressof(HELD), frequency=10.0)


def anchors_apart(test, scene):
    anchor = numbers([0, 0, 0, 0, 0, 0, 1])
    for constraint in (0, 1):
        anchor[0] = 0.1 * constraint
        test.good(test.c.tenon_workspace_set_anchor(scene.workspace, constraint, anchor, 7), scene.workspace)


def anchor_away(test, scene):
    anchor = numbers([0.1, 0.1, 0.1, 0, 0, 0, 1])
    test.good(test.c.tenon_workspace_set_anchor(scene.workspace, 0, anchor, 7), scene.workspace)


def hands(test, model, constraints):
    weld(test, constraints, test.link(model, "l_foot"), name=ctypes.addressof(HELD))
    closure(test, constraints, test.link(model, "l_hand"), test.link(model, "r_hand"))


def softly(test, model, constraints):
    weld(test, constraints, test.link(model, "iiwa_link_7"), name=ctypes.addressof(HELD),
         compliance=ctypes.addressof(SOFT), compliance_count=6)  # fmt: skip


def root_and_hand(test, model, constraints):
    """Rows that nothing moves."""
    weld(test, constraints, 0, name=ctypes.addressof(HELD), frequency=1.0)
    weld(test, constraints, test.link(model, "iiwa_link_7"), frequency=1.0)


def last_link(test, model, constraints):
    last = test.c.tenon_model_link_count(model) - 1
    weld(test, constraints, last, name=ctypes.addressof(HELD), rows=0x38, frequency=1.0)


def urdfs():
    """Wrong ones, but for the last."""
    link = b"<link name='%s'><inertial><mass value='%s'/><inertia ixx='%s' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    joint = b"<joint name='j' type='%s'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/></joint>"
    robot = b"<robot name='r'>%s</robot>"
    base = link % (b"a", b"1", b"1")
    return (
        robot % b"",
        robot % (base + link % (b"b", b"1", b"1")),  # two roots
        robot % (base + link % (b"b", b"-1", b"1") + joint % b"revolute"),
        robot % (base + link % (b"b", b"1", b"0") + joint % b"revolute"),
        robot % (base + link % (b"b", b"one", b"1") + joint % b"revolute"),
        robot % (base + link % (b"b", b"1", b"1") + joint % b"hovering"),
        robot % (base + link % (b"b", b"1", b"1") + joint % b"continuous" + b"<loop name='l' type='ball'/>"),
    )


def spoilt_arrays(test, size):
    """Of states of a batch, as fields of a struct: numbers of many kinds, and one too many."""
    arrays = []
    for count in (size, size + 1):
        for x in (float("nan"), 0.0, -1.0, 1.0, 1e300):
            arrays.append(test.batch_array([x] * count, count).keep[2])
    return arrays


def spoilt_builders(test, argument):
    """What was done and the builder, as argument(builder)."""
    for what, change in (
        ("empty", lambda b: None),
        ("with two roots", lambda b: test.c.tenon_builder_add_link(b, b"a", 1.0, None, 0, None, 0, None, None, 0)),
    ):
        builder = test.made("tenon_builder_create", b"r") if what == "empty" else test.builder("")
        change(builder)
        yield what, argument(builder)
    builder = test.made("tenon_builder_create", b"r")
    for name in (b"a", b"b"):
        test.c.tenon_builder_add_link(builder, name, -1.0, None, 0, None, 0, None, None, 0)
    joint = test.options("tenon_joint_options", parent_link=0, child_link=1)
    test.c.tenon_builder_add_joint(builder, b"j", ctypes.byref(joint), None, 0)
    yield "with a negative mass", argument(builder)
    for kind in ("_PLANAR", "_UNIVERSAL", "_FLOATING"):
        builder = test.builder("")
        loop = test.options("tenon_loop_options", link=1, second_link=2, type=test.k["TENON_JOINT_TYPE" + kind])
        test.c.tenon_builder_add_loop(builder, b"l", ctypes.byref(loop), None, 0)
        yield f"with a loop of type {kind}", argument(builder)


def scenes(test):
    embed, rows = test.k["TENON_LOOP_TREATMENT_EMBED"], test.k["TENON_LOOP_TREATMENT_ROWS"]
    bars = PARALLELOGRAM % (solid(b"left"), solid(b"top"), solid(b"right"))
    # The second body's inertia about the first axis turns negative with the second joint.
    indefinite = b"<robot name='p'><link name='base'/>" + solid(b"left") + solid(b"right", b"1").replace(
        b"iyy='0.1' izz='0.1'", b"iyy='9' izz='-9'") + (
        b"<joint name='j' type='continuous'><parent link='base'/><child link='left'/><axis xyz='0 0 1'/></joint>"
        b"<joint name='k' type='continuous'><parent link='left'/><child link='right'/><axis xyz='1 0 0'/></joint></robot>"
    )  # fmt: skip
    yield Scene(test, "Atlas on its feet", lambda t: t.robot("atlas", base=1), feet)
    yield Scene(test, "one foot held at two places", lambda t: t.robot("atlas", base=1), same_foot_twice, prepare=anchors_apart)
    yield Scene(test, "Atlas with its hands together", lambda t: t.robot("atlas", base=1), hands)
    yield Scene(test, "an arm held softly", lambda t: t.robot("iiwa14"), softly)
    yield Scene(test, "an arm held at its root too", lambda t: t.robot("iiwa14"), root_and_hand)
    yield Scene(test, "a linkage", lambda t: t.robot("six_bar", loop_treatment=embed), last_link, closed=True)
    yield Scene(test, "a linkage by rows", lambda t: t.robot("six_bar", loop_treatment=rows), last_link, closed=True)
    yield Scene(test, "a leg of rods", lambda t: t.robot("strandbeest_leg"), last_link, closed=True)
    yield Scene(test, "a leg with rotors", lambda t: t.robot("mini_cheetah", base=1), last_link, closed=True)
    flat = Scene(test, "flat bars", lambda t: parsed(t, bars), last_link, closed=True)
    flat.q = [0.0] * flat.nq
    yield flat
    flat = Scene(test, "flat bars by rows", lambda t: parsed(t, bars, loop_treatment=rows), last_link, closed=True)
    flat.q = [0.0] * flat.nq
    yield flat
    turned = Scene(test, "an indefinite inertia", lambda t: parsed(t, indefinite, tolerant_inertias=1), last_link,
                   prepare=anchor_away)  # fmt: skip
    turned.q = [0.0, 0.0]
    yield turned
    # Derivatives of steps are of robots without rows.
    yield Scene(test, "a dog that floats", lambda t: t.robot("go1", base=1))
    turned = Scene(test, "an indefinite inertia alone", lambda t: parsed(t, indefinite, tolerant_inertias=1))
    turned.q = [0.0, 0.0]
    yield turned
    short = bars.replace(b"<origin xyz='1 0 0'/></predecessor>", b"<origin xyz='0.7 0 0'/></predecessor>")
    yield Scene(test, "bars that do not reach everywhere", lambda t: parsed(t, short), last_link, closed=True)
    yield Scene(test, "a pinned plate", lambda t: parsed(t, SLIDER % solid(b"left")), last_link, closed=True)
    yield Scene(test, "one link", lambda t: parsed(t, b"<robot name='r'><link name='a'/></robot>"))
