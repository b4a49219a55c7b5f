"""C++: the methods of the layer's classes, one for each function, in a header that the classes of tenon.hpp are made of. What
writes arrays has two forms, as tenon.hpp tells: name_into for the caller's, name for new ones."""

from . import layers, meanings, python_plans
from .common import MARK, OF_KINEMATICS, comment
from .cpp_batch import BatchMethods
from .cpp_makers import CLASSES, MAKERS, Makers
from .python_types import struct_name

SCALARS = {"double": "double", "int32_t": "std::int32_t", "uint64_t": "std::uint64_t", "size_t": "std::size_t",
           "tenon_status": "Status"}  # fmt: skip
SIZES = {
    "nq": "self().nq()", "nv": "self().nv()", "m": "self().m()", "nyq": "self().model().nyq()",
    "spanning nv": "self().model().nv()", "ny": "self().model().ny()", "links": "std::size_t(self().model().link_count())",
    "solution": "(self().nv() + self().m())", "parameters": "10 * std::size_t(self().model().link_count())",
    "ratios": "std::size_t(self().model().ratio_count())", "loads": "6 * links.size()",
    "loop rows": "std::size_t(self().model().loop_row_count())", "capacity": "std::size_t(capacity)",
    "rows of it": "detail::counted(self().constraints_.info(constraint).row_count)", "constraints": "self().constraint_count()",
}  # fmt: skip
DEFAULTS = {
    ("tenon_integrate", "dt"): None, ("tenon_random", "seed"): None, ("tenon_find_assemblies", "capacity"): "20",
    ("tenon_workspace_set_gains", "damping_ratio"): "1", ("tenon_workspace_set_active", "active"): "true",
    ("tenon_builder_add_gear", "offset"): "0", ("tenon_joint_torque_regressor", "zeros"): "1",
}  # fmt: skip
# What a call with several results returns.
STRUCTS = {
    "tenon_constrained_dynamics": "Motion", "tenon_constraint_rows": "RowValues",
    "tenon_operational_space": "OperationalSpace", "tenon_loop_map": "LoopMap", "tenon_loop_jacobian": "LoopRows",
    "tenon_underactuated_inverse_dynamics": "Torques", "tenon_workspace_constraint_settings": "Settings",
    "tenon_workspace_payload": "Body", "tenon_workspace_inertia": "Body",
    "tenon_workspace_joint_parameters": "JointParameters", "tenon_workspace_constraints": "AllSettings",
    "tenon_inverse_dynamics_derivatives": "InverseDerivatives", "tenon_inverse_dynamics_vjp": "InverseGradients",
    "tenon_inverse_dynamics_jvp": "InverseChange", "tenon_forward_dynamics_derivatives": "ForwardDerivatives",
    "tenon_forward_dynamics_vjp": "ForwardGradients", "tenon_forward_dynamics_jvp": "ForwardChange",
    "tenon_constrained_dynamics_derivatives": "ConstrainedDerivatives",
    "tenon_constrained_solution_derivatives": "SolutionDerivatives",
    "tenon_constrained_dynamics_vjp": "ConstrainedGradients", "tenon_constrained_dynamics_jvp": "ConstrainedChange",
    "tenon_inverse_dynamics_hessian": "InverseHessian", "tenon_forward_dynamics_hessian": "ForwardHessian",
    "tenon_constrained_dynamics_hessian": "ConstrainedHessian",
    "tenon_inverse_dynamics_hvp": "InverseProducts", "tenon_forward_dynamics_hvp": "ForwardProducts",
    "tenon_constrained_dynamics_hvp": "ConstrainedProducts",
    "tenon_impact_derivatives": "ImpactDerivatives", "tenon_impact_vjp": "ImpactGradients",
    "tenon_impact_jvp": "ImpactChange", "tenon_batch_impact": "Impact",
    "tenon_point_velocity_derivatives": "PointVelocityDerivatives",
    "tenon_point_acceleration_derivatives": "PointAccelerationDerivatives",
    "tenon_center_of_mass_derivatives": "CenterOfMassDerivatives",
    "tenon_centroidal_momentum_derivatives": "MomentumDerivatives", "tenon_energy_gradients": "EnergyGradients",
    "tenon_gravity_force_derivatives": "GravityForceDerivatives",
    "tenon_energy_regressors": "EnergyRegressors", "tenon_inverse_dynamics_parameter_vjp": "InverseParameterGradients",
    "tenon_forward_dynamics_parameter_vjp": "ForwardParameterGradients",
    "tenon_constrained_dynamics_parameter_vjp": "ConstrainedParameterGradients",
    "tenon_constrained_dynamics_parameter_derivatives": "ParameterDerivatives",
    "tenon_constrained_dynamics_load_derivatives": "LoadDerivatives",
    "tenon_inertia_from_log_cholesky": "LinkParameters",
    "tenon_batch_robots": "Robots", "tenon_batch_constraints": "Settings", "tenon_batch_kinematics": "Links",
    "tenon_batch_kinematics_vjp": "LinkGradients", "tenon_batch_kinematics_jvp": "LinkChanges",
    "tenon_batch_link_motion": "LinkMotion", "tenon_batch_link_motion_vjp": "LinkMotionGradients",
    "tenon_batch_link_motion_jvp": "LinkMotionChanges",
    "tenon_batch_centroidal": "Centroidal", "tenon_batch_centroidal_vjp": "CentroidalGradients",
    "tenon_batch_centroidal_jvp": "CentroidalChanges",
    "tenon_batch_centroidal_parameter_vjp": "CentroidalParameterGradients",
    "tenon_batch_rollout": "Records", "tenon_batch_rollout_vjp": "RolloutGradients",
    "tenon_batch_rollout_parameter_vjp": "RolloutParameterGradients",
    "tenon_step_semi_implicit_euler_vjp": "StepGradients", "tenon_step_semi_implicit_euler_jvp": "StepChange",
    "tenon_step_runge_kutta_4_vjp": "StepGradients", "tenon_step_runge_kutta_4_jvp": "StepChange",
}  # fmt: skip
PAIRS = {"tenon_energy", "tenon_workspace_coordinates", "tenon_batch_coordinates"}
BY_HAND = {*MAKERS, "tenon_constraints_finish"}
NAMES = {
    "tenon_constraints_constraint_count": "count", "tenon_constraints_constraint_info": "info",
    **meanings.COUNTS,
    "tenon_workspace_constraint_settings": "settings", "tenon_workspace_constraints": "all_settings",
    "tenon_version": "version_number", "tenon_version_string": "version",
}  # fmt: skip
UNSIGNED = {"nq", "nv", "nyq", "ny", "m", "row_count", "convention_nq"}
HEAD = """/* %s
 *
 * What every function of tenon.h and tenonx.h is in the classes of tenon.hpp, which is made of these. */
#ifndef TENON_METHODS_HPP
#define TENON_METHODS_HPP

#if __has_include(<tenonx.h>)
#include <tenonx.h>
#define TENON_HAS_TENONX 1
#else
#define TENON_HAS_TENONX 0
#endif

namespace tenon {
inline namespace cpp {

class Model;
"""


def plans(api):
    for m in layers.methods(api):
        f = m.function["name"]
        if m.kind in ("init", "destructor") or f in BY_HAND:
            continue
        if f in python_plans.APART:
            for output, name in python_plans.APART[f].items():
                aside = [a for a in m.arguments if a.role != "in" and a.c["name"] != output]
                yield python_plans.plan(api, m, name, aside)
            continue
        name = NAMES.get(f, python_plans.NAMES.get(f, m.name))
        yield python_plans.plan(api, m, name, [a for a in m.arguments if a.c["base"] == "tenon_release_callback"])


class Writer(BatchMethods, Makers):
    def __init__(self, api):
        self.api = api
        self.callbacks = {c["name"]: c for c in api["callbacks"]}
        self.sizes, self.results_of = SIZES, STRUCTS

    # ---- arguments

    def inputs(self, p):
        """(type, name, default) of what is read, changed in place, and options."""
        for _, a in p.inputs:
            yield self.type(p, a), a.c["name"], None
        for _, a in p.optional:
            key = (p.function, a.c["name"])
            if key in DEFAULTS or a.c["name"] not in ("axes",) and not a.null:
                default = DEFAULTS.get(key)
            else:
                default = "TENON_AXES_WORLD" if a.c["name"] == "axes" else "nullptr" if a.kind == "object" else "{}"
            yield self.type(p, a), a.c["name"], default
        if p.chosen is not None:
            yield f"Chosen<{p.chosen.base}>", "options", None if not p.chosen.null else "{}"

    def type(self, p, a):
        c = a.c["name"]
        if a.kind == "value" and c in ("link", "second_link", "joint", "constraint") and p.method.owner != "tenon_builder":
            return "Which"
        if c == "active" and a.kind == "value":
            return "bool"
        if a.kind == "value":
            return SCALARS[a.base]
        if a.kind == "text":
            return "const std::string&"
        if a.kind == "callback":
            return self.called_back(p)
        if a.kind == "texts":
            return "const std::vector<std::string>&"
        if a.kind == "object":
            return f"const detail::Handle<{a.base}>*"
        if a.kind == "matrix":
            return "InMatrix" if a.role == "in" else "OutMatrix"
        if a.kind == "batch_array":
            return "Input" if a.role == "in" else "Output"
        if a.base == "int32_t":
            return "Span<const std::int32_t>" if a.role == "in" else "Span<std::int32_t>"
        return "In" if a.role == "in" else "Out"

    def out_type(self, a):
        if a.kind == "result":
            return f"{SCALARS[a.base]}*"
        if a.kind == "struct":
            return f"{a.base}*"
        return self.type(None, a)

    @staticmethod
    def listed(parameters):
        return ", ".join(f"{t} {n}" + (f" = {d}" if d is not None else "") for t, n, d in parameters)

    # ---- what is passed to C

    def passed(self, p, own=None):
        """Of each argument of C; own: other words for some."""
        own, out = own or {}, []
        aside = {a.c["name"] for a in p.aside}
        for a in p.method.function["arguments"]:
            name, kind = a["name"], a["kind"]
            base = own.get(name, name)
            if kind == "object" and a is p.method.function["arguments"][0] and p.method.kind == "method":
                out.append("self().get()")
            elif kind == "count":
                of = a["of"]
                whole = next(x for x in p.method.function["arguments"] if x["name"] == of)
                if whole["kind"] in ("text", "texts") and of not in own:
                    out.append(f"{of}.size()")
                else:
                    size = "count" if "leading_dimension" in whole else "size"
                    out.append("0" if of in aside else f"{own.get(of, of)}.{size}()")
            elif kind == "leading_dimension":
                out.append("0" if a["of"] in aside else f"{own.get(a['of'], a['of'])}.leading()")
            elif kind == "message":
                out.append("text")
            elif kind == "message_size":
                out.append("size")
            elif kind == "callback":
                kept = self.called_back(p)
                out.append(f"detail::release<{kept}>" if name in aside else f"detail::call_{kept}")
            elif kind == "user":
                out.append("user.get()")
            elif name in aside:
                out.append("nullptr")
            elif kind == "object":
                out.append(f"{base} == nullptr ? nullptr : {base}->open()")
            elif kind == "text":
                out.append(f"{base}.c_str()")
            elif kind == "texts":
                out.append(f"detail::pointers({base}).data()")
            elif kind == "array":
                out.append(f"{base}.data()")
            elif kind == "struct" and p.chosen is not None and p.chosen.c is a:
                out.append("options.get()")
            elif kind in ("struct", "result"):
                out.append(base)
            elif name in ("link", "second_link", "joint") and p.method.owner != "tenon_builder":
                find = "joint_index" if name == "joint" else "link_index"
                out.append(f"self(){'' if p.method.owner == 'tenon_model' else '.model()'}.{find}({base})")
            elif name == "constraint":
                out.append(f"self().index({base})")
            elif name == "columns":
                out.append(f"detail::columns(B, {own.get('X', 'X')})")
            elif name == "row_count":
                out.append("detail::narrow(K.rows(), \"the number of rows\")")
            elif name == "active":
                out.append(f"{base} ? 1 : 0")
            else:
                out.append(base)
        return ", ".join(out)

    def call(self, p, own=None):
        return f"{p.function}({self.passed(p, own)})"

    def size(self, p, a):
        """Of an output: rows and columns, or a count."""
        spanning = p.method.function["header"] == "tenon/loops.h" or p.name in ("joint_parameters", "guess", "set_guess")
        if p.name.startswith("convert_"):
            q = "configuration" in p.name  # another library has every joint
            other = f"self().model().{'convention_nq(convention)' if q else 'nv()'}"
            return [f"(direction == TENON_DIRECTION_TO_OTHER ? {other} : self().n{'q' if q else 'v'}())"]
        parts = []
        for part in a.length.split(" or ")[0].split(" x "):
            if part == "columns":
                parts.append("B.cols()")
                continue
            one = part if part.isdigit() else SIZES[part]
            parts.append(one.replace("self().n", "self().model().n") if spanning and part in ("nq", "nv") else one)
        return parts

    # ---- methods

    def doc(self, p):
        brief = p.method.function["brief"].replace(";.", ".").rstrip(" .;,") + "."
        return comment(f"{brief} */", "  /* ", "   * ", width=118)

    def computation(self, p):
        """Of a workspace."""
        asks = p.method.function["header"] in OF_KINEMATICS or any(a.role == "in" and a.kind == "array" for a in p.method.arguments)
        const = "" if asks else " const"
        outs = [(self.out_type(a), a.c["name"], None) for _, a in p.outs]
        inputs = list(self.inputs(p))
        if p.in_place:
            late = [(t, n, "{}" if t.startswith("Out") else "nullptr") for t, n, _ in outs]
            if any(d is None for _, _, d in inputs[inputs.index(next(x for x in inputs)) :]) and p.chosen and not p.chosen.null:
                raise KeyError(p.function)
            return [self.doc(p), f"  Status {p.name}({self.listed(inputs + late)}) {{",
                    f"    return self().done({self.call(p)});", "  }"]  # fmt: skip
        if not outs:
            return [self.doc(p), f"  Status {p.name}({self.listed(inputs)}) {{ return self().done({self.call(p)}); }}"]
        lines = [self.doc(p), f"  Status {p.name}_into({self.listed(outs + inputs)}) {{",
                 f"    return self().done({self.call(p)});", "  }"]  # fmt: skip
        kind, made, own, result = self.results(p)
        lines += [f"  {kind} {p.name}({self.listed(inputs)}){const} {{", *(f"    {m}" for m in made)]
        sure = f"self().sure({self.call(p, own)})"
        if kind in STRUCTS.values():
            lines += [f"    out.status = {sure};"]
        else:
            lines += [f"    {sure};"]
        if p.function == "tenon_find_assemblies":
            lines += ["    out.resize(self().model().nq() * std::size_t(count));"]
        return [*lines, f"    return {result};", "  }"]

    def results(self, p):
        """The type of a result, statements that make it, words for its parts, what is returned."""
        if p.function in STRUCTS:
            made, own = [f"{STRUCTS[p.function]} out;"], {}
            for name, a in p.outs:
                field = f"out.{name if name != 'force' else 'lambda'}"
                own[a.c["name"]] = self.part(p, a, field, made, True)
            return STRUCTS[p.function], made, own, "out"
        if p.function in PAIRS:
            kind = SCALARS[p.outs[0][1].base]
            own = {p.outs[0][1].c["name"]: "&out.first", p.outs[1][1].c["name"]: "&out.second"}
            return f"std::pair<{kind}, {kind}>", [f"std::pair<{kind}, {kind}> out;"], own, "out"
        made, own = [], {}
        if p.function == "tenon_find_assemblies":
            made = ["std::int32_t count = 0;", f"Vector out(detail::product({{{', '.join(self.size(p, p.outs[0][1]))}}}));"]
            return "Vector", made, {"assemblies": "out", "found": "&count"}, "out"
        _, a = p.outs[0]
        own[a.c["name"]] = self.part(p, a, "out", made, False)
        return self.kind_of(p, a), made, own, "out"

    def kind_of(self, p, a):
        if a.kind == "result":
            return SCALARS[a.base]
        if a.kind == "struct":
            return struct_name({"name": a.base})
        if a.kind == "matrix":
            return "Matrix"
        size = self.size(p, a) if p.method.owner == "tenon_workspace" and p.kind != "free" else [a.length]
        if a.base == "int32_t":
            return "std::vector<std::int32_t>"
        return f"std::array<double, {size[0]}>" if size[0].isdigit() else "Vector"

    def part(self, p, a, name, made, declared):
        """How C gets at one result, which `made` makes room for."""
        kind = self.kind_of(p, a)
        if a.kind in ("result", "struct"):
            if not declared:
                made.append(f"{kind} out{'{}' if a.kind == 'result' else ''};")
            return f"&{name}"
        size = self.size(p, a)
        if a.kind == "matrix":
            sized = f"({', '.join(size)})"
            if meanings.turns(p.method, a):
                sized = f"(detail::laid(options.get(), {', '.join(size)}))"
            made.append(f"{name} = Matrix{sized};" if declared else f"Matrix out{sized};")
            made.append(f"OutMatrix {a.c['name']}_span({name});")
            return f"{a.c['name']}_span"
        if kind.startswith("std::array"):
            if not declared:
                made.append(f"{kind} out{{}};")
        else:
            count = size[0] if len(size) == 1 else f"detail::product({{{', '.join(size)}}})"
            made.append(f"{name} = {kind}({count});" if declared else f"{kind} out({count});")
        return name

    def plain(self, p):
        """Of a model, a builder, a set or nothing: with a message, or the number or text itself."""
        f, m = p.method.function, p.method
        free = p.kind == "free"
        const = "" if free or m.owner == "tenon_builder" and not m.name.startswith("find") else " const"
        inputs = list(self.inputs(p))
        head = "inline " if free else ""
        if not m.status:
            kind = {"char": "std::string", "double": "double", "size_t": "std::size_t"}.get(f["result"]["base"], "std::int32_t")
            done = self.call(p)
            if f["name"] in layers.KEEP_MESSAGES.values():
                kind = "const char*"
            elif kind == "std::string":
                done = f"detail::named({done})"
            if p.name in UNSIGNED:
                kind, done = "std::size_t", f"detail::counted({done})"
            if p.name == "floating_base":
                kind, done = "bool", done + " == 1"
            before = "self().finish(); " if p.function == "tenon_constraints_row_count" else ""
            return [self.doc(p), f"  {head}{kind} {p.name}({self.listed(inputs)}){const} {{ {before}return {done}; }}"]
        said = any(a["kind"] == "message" for a in f["arguments"])
        around = "detail::checked([&](char* text, std::size_t size) { return %s; })" if said else f'detail::checked(%s, "{m.name}")'
        texts = [a for _, a in p.outs if a.kind == "text_buffer"]
        lines, own, kind, result = [], {}, "void", None
        if texts:
            buffer = texts[0].c["name"]
            passed = self.passed(p, {buffer: buffer, "needed": "needed"}).replace(f"{buffer}.c_str()", buffer)
            passed = self.passed(p, {"needed": "&needed"}).split(", ")
            place = next(i for i, a in enumerate(f["arguments"]) if a["name"] == buffer)
            first, second = list(passed), list(passed)
            first[place : place + 2], second[place : place + 2] = ["nullptr", "0"], ["words.data()", "words.size()"]
            return [self.doc(p), f"  {head}std::string {p.name}({self.listed(inputs)}){const} {{", "    std::size_t needed = 0;",
                    f"    {around % (p.function + '(' + ', '.join(first) + ')')};", "    std::string words(needed, '\\0');",
                    f"    {around % (p.function + '(' + ', '.join(second) + ')')};", "    words.resize(needed - 1);",
                    "    return words;", "  }"]  # fmt: skip
        if p.outs:
            _, a = p.outs[0]
            kind, result = self.kind_of(p, a), "out"
            if a.kind == "array":
                lines.append(f"{kind} out{'{}' if a.length.isdigit() else f'(self().{a.length}())'};")
                own[a.c["name"]] = "out"
            else:
                lines.append(f"{kind} out{' = -1' if a.kind == 'result' else ''};")
                own[a.c["name"]] = "&out"
        before = ["self().finish();"] if p.name == "info" else []
        if self.called_back(p):
            before = [f"auto user = std::make_unique<{self.called_back(p)}>(std::move(callback));"]
            return [self.doc(p), f"  {kind} {p.name}({self.listed(inputs)}) {{", f"    {before[0]}", f"    {around % self.call(p)};",
                    "    user.release(); /* to the library */", "  }"]  # fmt: skip
        lines = [*before, *lines, (around % self.call(p, own)) + ";", *(["return out;"] if result else [])]
        return [self.doc(p), f"  {head}{kind} {p.name}({self.listed(inputs)}){const} {{", *(f"    {x}" for x in lines), "  }"]

    def lookup(self, p):
        """Behind find_link: link_index, of an index or a name."""
        of = p.name.removeprefix("find_")
        if of == p.name or not any(a.kind == "text" for a in p.method.arguments) or p.kind == "free":
            return []
        name = "index" if of == "constraint" else f"{of}_index"
        return [f"  std::int32_t {name}(Which {of}) const {{", f"    return {of}.by([&](const char* name) {{ return {p.name}(name); }});",
                "  }"]  # fmt: skip

    def plural(self, p, names):
        """Behind warning(i), where there is warning_count: warnings."""
        if f"{p.name}_count" not in names or p.method.function["result"]["base"] != "char":
            return []
        return [f"  std::vector<std::string> {p.name}s() const {{", "    std::vector<std::string> all;",
                f"    for (std::int32_t i = 0; i < {p.name}_count(); ++i) all.push_back({p.name}(i));", "    return all;", "  }"]  # fmt: skip

    # ---- all

    def structs(self):
        every = {p.function: p for p in plans(self.api)}
        for function, name in {name: f for f, name in reversed(STRUCTS.items())}.items():
            function, name = name, function
            p = every[function]
            if p.method.owner == "tenon_batch":
                continue
            yield f"/* What {p.name} returns; status: 0, or a caveat. */"
            yield f"struct {name} {{"
            for word, a in p.outs:
                field = "lambda" if word == "force" else word
                zero = "{}" if a.kind == "result" or "array" in self.kind_of(p, a) else ""
                yield f"  {self.kind_of(p, a)} {field}{zero};"
            yield "  Status status = TENON_OK;"
            yield "};"
            yield ""

    def text(self):
        every = list(plans(self.api))
        out = [HEAD % MARK, *self.prepared(), *self.functions(), *self.structs()]
        for owner, (name, template) in CLASSES.items():
            out += [template, f"class {name} : public detail::Handle<{owner}> {{", " public:", *self.making(owner)]
            if owner == "tenon_batch":
                out += ["  using Input = States<const Real>;", "  using Output = States<Real>;",
                        "  using Numbers = std::vector<Real>;", "  using Array = BatchArray<Real>;",
                        "  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>);",
                        "  static constexpr std::int32_t precision =",
                        "      std::is_same_v<Real, float> ? TENON_PRECISION_SINGLE : TENON_PRECISION_DOUBLE;",
                        "  struct Motions {", "    Numbers qdd, lambda;", "  };", ""]  # fmt: skip
            body = {"tenon_workspace": self.computation, "tenon_batch": self.batch}.get(owner, self.plain)
            experimental = False
            names = {p.name for p in every if p.method.owner == owner}
            for p in every:
                if p.method.owner != owner:
                    continue
                if (p.method.function["header"] == "tenonx.h") != experimental:
                    experimental = not experimental
                    out += ["#if TENON_HAS_TENONX"]
                out += (self.plain(p) if owner == "tenon_workspace" and not p.method.status else body(p)) + self.lookup(p) + self.plural(p, names) + [""]
            out += ["#endif", ""] if experimental else []
            out += [" private:", "  Self& self() { return static_cast<Self&>(*this); }",
                    "  const Self& self() const { return static_cast<const Self&>(*this); }", "};", ""]  # fmt: skip
        experimental = False
        for p in every:
            if p.kind == "free":
                if (p.method.function["header"] == "tenonx.h") != experimental:
                    experimental = not experimental
                    out += ["#if TENON_HAS_TENONX"]
                out += [line[2:] for block in self.plain(p) for line in block.split("\n")] + [""]
        out += ["#endif", ""]
        return "\n".join([*out, "}  // namespace cpp", "}  // namespace tenon", "", "#endif", ""])

    def prepared(self):
        """Names of the structs that the library prepares."""
        for s in self.api["structs"]:
            if s["init"] and s["name"] != "tenon_batch_array":
                experimental = s["name"].startswith("tenonx")
                yield from ["#if TENON_HAS_TENONX"] if experimental else []
                yield f"using {struct_name(s)} = detail::Prepared<{s['name']}, {s['init']}>;"
                yield from ["#endif"] if experimental else []
        yield ""


def files(api):
    return {"cpp/tenon/methods.hpp": Writer(api).text()}
