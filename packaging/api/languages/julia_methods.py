"""Julia: the functions of the layer, one for each of the headers, and what it has to know of structs. What writes has two
forms: f!(outputs..., object, inputs...) and f(object, inputs...), which makes the outputs. Numbers of links, joints, constraints
and coordinates count from 1."""

from . import julia_objects, layers, meanings, python_plans, shapes
from .common import MARK
from .julia_batches import Batches
from .julia_objects import FACTS, OBJECTS, documented

INDEX_ARGUMENTS = {"link", "second_link", "joint", "constraint", "cluster", "loop", "warning"}
INDEX_FIELDS = {
    "parent_link", "child_link", "link", "second_link", "joint", "body", "cluster", "first_joint", "parent_joint", "q_index",
    "v_index", "y_index", "first_row", "first_loop", "position_loop", "velocity_loop",
}  # fmt: skip
NAMES = {
    "tenon_point_jacobian": "jacobian",
    "tenon_workspace_constraint_settings": "settings", "tenon_workspace_constraints": "all_settings",
    "tenon_batch_constraints": "all_settings",
    "tenon_workspace_report": "report",
    "tenon_version_string": "version", "tenon_version": "version_number", "tenon_constraints_constraint_info": "constraint_info",
}  # fmt: skip
POSITIONAL = {"tenon_kinematics": ("v", "a"), "tenon_constrained_inverse_dynamics": ("lambda",),
              "tenon_check_loops": ("v",), "tenon_loop_map": ("v",), "tenon_loop_jacobian": ("v",),
              "tenon_spanning_position": ("guess",), "tenon_workspace_set_weights": ("weights",),
              "tenon_workspace_set_compliance": ("compliance",)}  # fmt: skip
CONSTANTS = {"axes": "AXES", "convention": "CONVENTION", "direction": "DIRECTION", "positions": "COORDINATES",
             "velocities": "COORDINATES"}  # fmt: skip
SIZES = {
    "nq": "work.nq", "nv": "work.nv", "m": "work.m", "nyq": "independent_count(work.model, false)",
    "spanning nv": "work.model.nv",
    "ny": "independent_count(work.model, true)", "links": "link_count(work.model)", "parameters": "10 * link_count(work.model)",
    "loop rows": "loop_row_count(work.model)", "ratios": "ratio_count(work.model)",
    "capacity": "capacity", "rows of it": "rows_of(work, constraint)", "columns": "size(B, 2)", "triangle": "triangle(work)",
    "solution": "(work.nv + work.m)", "constraints": "constraint_count(work)", "link_count": "length(links)",
    "loads": "6 * length(links)",
}  # fmt: skip
RESULTS = {"double": ("0.0", "Float64"), "int32_t": ("Int32(0)", "Int32"), "size_t": ("Csize_t(0)", "Csize_t")}
HEAD = """# %s
# What every function of tenon.h and tenonx.h is in the layer.
"""


def plans(api):
    for m in layers.methods(api):
        f = m.function["name"]
        if m.kind in ("init", "destructor") or m.makes or f in FACTS:
            continue
        if f in python_plans.APART:
            for output, name in python_plans.APART[f].items():
                aside = [a for a in m.arguments if a.role != "in" and a.c["name"] != output]
                yield python_plans.plan(api, m, name, aside)
            continue
        yield python_plans.plan(api, m, NAMES.get(f, m.name), [])


class Writer(Batches):
    def __init__(self, api):
        self.api = api
        self.enums = {e["name"]: e for e in api["enums"]}

    # ---- arguments

    @staticmethod
    def object(p):
        """Its name and type."""
        return OBJECTS[p.method.owner] if p.method.owner else (None, None)

    def arrays(self, p):
        """Outputs that a caller may give."""
        if p.method.owner == "tenon_model":
            return []
        return [a for _, a in p.outs if a.kind in ("array", "matrix", "batch_array") and a.base != "int32_t"]

    def size(self, p, a):
        spanning = p.method.function["header"] == "tenon/loops.h" or p.name in ("joint_parameters", "guess", "set_guess")
        if p.name.startswith("convert_"):
            return [f"converted(work, {'false' if 'configuration' in p.name else 'true'}, convention, direction)"]
        parts = []
        for part in a.length.split(" or ")[0].split(" x "):
            one = part if part.isdigit() else SIZES[part]
            parts.append(one.replace("work.n", "work.model.n") if spanning and part in ("nq", "nv") else one)
        if p.method.owner != "tenon_batch":
            return parts
        return [one.replace("work", "batch").replace("size(B, 2)", "columns") for one in parts]

    def parameters(self, p):
        """Positional ones, and keywords."""
        (name, kind), batch = self.object(p), p.method.owner == "tenon_batch"
        outs = [a.c["name"] for a in self.arrays(p)]
        beside = p.in_place or self.by_keyword(p)
        positional = [*([] if beside else outs), *p.in_place, *([f"{name}::{kind}"] if name else [])]
        positional += ["states"] if self.asks_states(p) else []
        keywords = ["columns = 1"] if self.wide(p) else []
        for given, a in sorted(p.inputs, key=lambda pair: batch and pair[1].kind == "array"):  # chosen links behind states
            c, same = a.c["name"], self.filled(p, a)
            if a.kind == "callback":
                positional.insert(0, c)
            elif given not in p.in_place:
                positional.append(f"{c} = {same}" if same else c)
        moved = POSITIONAL.get(p.function, ())
        for given, a in p.optional:
            c = a.c["name"]
            default = {"axes": ":world", "offset": "0.0", "damping_ratio": "1.0", "active": "true", "mass": "0.0",
                       "capacity": "20", "seed": "1", "dt": "1.0"}.get(c, "nothing")  # fmt: skip
            same = self.filled(p, a)
            if c == "second_link":
                positional.append(c)
            elif same:
                positional.append(f"{c} = {same}")
            elif c == "axes" and not batch or c in moved or p.method.owner not in ("tenon_workspace", "tenon_batch"):
                positional.append(f"{c} = {default}")
            elif default != "nothing" and c not in ("capacity", "axes"):
                positional.append(c if c in ("dt", "seed") else f"{c} = {default}")
            else:
                keywords.append(f"{c} = {default}")
        keywords += [f"{n} = nothing" for n in outs] if beside else []
        if p.chosen is not None:
            keywords.append("how..." if p.by_name else "options = nothing")
        return positional, keywords

    def called(self, p):
        """The name of the function that is written: with ! where it changes something."""
        m = p.method
        changes = bool(self.arrays(p)) or bool(p.in_place) or not p.outs
        if m.owner not in ("tenon_workspace", "tenon_batch"):
            changes = m.name.startswith("add_") or p.function in shapes.ONCE
        return p.name + "!" * bool(changes and m.status)

    def passed(self, p, own):
        """Of each argument of C."""
        out, name = [], self.object(p)[0]
        aside = {a.c["name"] for a in p.aside}
        whole = {a["name"]: a for a in p.method.function["arguments"]}
        for i, a in enumerate(p.method.function["arguments"]):
            n, kind = a["name"], a["kind"]
            if i == 0 and p.method.kind == "method":
                out.append(name)
            elif n in own:
                out.append(own[n])
            elif kind == "count":
                of = whole[a["of"]]
                if a["of"] in aside:
                    out.append("0")
                elif of["kind"] == "array" and "leading_dimension" not in of and of["role"] == "in" and of["base"] == "double":
                    out.append(self.needed(p, next(x for x in p.method.arguments if x.c is of)))
                elif a["of"] in own and "leading_dimension" not in of:
                    out.append(own[a["of"] + "_count"])
                else:
                    out.append(f"numbers_in({a['of']})")
            elif kind == "leading_dimension":
                out.append("0" if a["of"] in aside else f"leading({a['of']})")
            elif kind in ("message", "message_size"):
                out.append({"message": "message", "message_size": "size"}[kind])
            elif n in aside:
                out.append("C_NULL")
            elif kind == "object":
                out.append(f"open_pointer({n})")
            elif kind == "texts":
                out.append(f"texts({n})")
            elif kind == "text":
                out.append(f"String({n})")
            elif kind == "array" and n in ("K", "ratios") and "leading_dimension" in a:
                out.append(n)
            elif kind == "array" and "leading_dimension" in a:
                out.append(f"given_table({n}, {', '.join(self.size(p, next(x for x in p.method.arguments if x.c is a)))}, \"{n}\")")
            elif kind == "array" and n == "links":
                out.append(f"Int32[index_of(find_link, {name}.model, link) for link in links]")
            elif n == "release":  # the builder holds it
                out.append("C_NULL")
            elif kind == "callback":
                out.append(f"pointer_of_{a['base']}()")
            elif kind == "user":
                out.append("pointer_from_objref(user)")
            elif kind == "array" and a["base"] == "int32_t":
                out.append(f"indices({n})" if n == "joints" else f"whole_numbers({n})")
            elif kind == "array":
                argument = next(x for x in p.method.arguments if x.c is a)
                call = "optional" if argument.null else "given"
                out.append(f'{call}({n}, {self.needed(p, argument)}, "{n}")')
            elif n in CONSTANTS and kind == "value":
                out.append(f"constant(Raw.TENON_CONSTANT_{CONSTANTS[n]}, {n})")
            elif n == "loop_method":
                out.append(f"loop_method_of({n})")
            elif n in ("constraint", "joint", "link", "second_link"):
                thing, part = n.replace("second_", ""), "constraints" if n == "constraint" else "model"
                has = p.method.owner == f"tenon_{part}" or thing == "link" and p.method.owner == "tenon_builder"
                out.append(f"index_of(find_{thing}, {name}{'' if has else '.' + part}, {n})")
            elif n in INDEX_ARGUMENTS:
                out.append(f"to_index({n})")
            elif n == "columns":
                out.append("columns_of(B)")
            elif n == "row_count":
                out.append("rows_in(K)")
            else:
                out.append(n)
        return out

    def needed(self, p, a):
        """How many numbers an input is to have: that of the library, where it counts."""
        if p.method.owner == "tenon_workspace" and not p.name.startswith("convert_") and a.c["name"] != "restitution":
            size = self.size(p, a)
            return size[0] if len(size) == 1 else " * ".join(size)
        return f"numbers_in({a.c['name']})"

    # ---- functions

    def doc(self, p):
        return documented(p.method.function["brief"].replace(";.", ".").rstrip(" .;,") + ".")

    def lines(self, p, head, body):
        call = head + f"\n{body}\nend"
        return [self.doc(p), call, ""]

    @staticmethod
    def wrapped(text, indent):
        """A call, its arguments on lines of their own where it is long."""
        if len(text) + indent <= 118:
            return text
        out, row = [], ""
        for part in text.split(", "):
            if row and indent + len(row) + len(part) > 116:
                out.append(row + ",")
                row = "    " + part
            else:
                row = f"{row}, {part}" if row else part
        return ("\n" + " " * indent).join([*out, row])

    def head(self, name, positional, keywords):
        inner = ", ".join(positional) + (f"; {', '.join(keywords)}" if keywords else "")
        return self.wrapped(f"function {name}({inner})", 0).replace("\n    ", "\n        ")

    def table_shape(self, p, a):
        """Of a matrix; of one that options say is row-major the transpose."""
        shape = ", ".join(self.size(p, a))
        return f"turned(how, {shape})..." if meanings.turns(p.method, a) else shape

    def checked(self, p, a, name):
        """An output as the library takes it, and its count."""
        size = self.size(p, a)
        if a.kind == "matrix":
            return f'table({name}, {self.table_shape(p, a)}, "{name}")', f"numbers_in({name})"
        count = " * ".join(size)
        if p.function == "tenon_find_assemblies":
            return f'table({name}, {", ".join(size)}, "{name}")', f"numbers_in({name})"
        return f'written({name}, {count}, "{name}")', f"numbers_in({name})"

    def computation(self, p):
        """Of a workspace."""
        positional, keywords = self.parameters(p)
        own, body, results = {}, [], []
        for a in self.arrays(p):
            n = a.c["name"]
            own[n], own[n + "_count"] = self.checked(p, a, n)
        for n in p.in_place:
            a = next(x for w, x in p.inputs if w == n)
            own[n] = f'written({n}, {self.needed(p, a)}, "{n}")'
            own[n + "_count"] = self.needed(p, a)
        preserve = ""
        if p.chosen is not None:
            c = p.chosen.c["name"]
            if p.by_name:
                body.append(f"chosen = options_of(Raw.{p.chosen.base}, how)")
                own[c], preserve = "reference(chosen)", "GC.@preserve chosen "
            else:
                own[c] = "reference(options)"
        for _, a in p.outs:
            n = a.c["name"]
            if a.kind == "result":
                body.append(f"{n} = Ref({RESULTS[a.base][0]})")
                own[n] = n
                results.append(self.result(a, f"{n}[]"))
            elif a.kind == "struct":
                body.append(f"{n} = prepared(Raw.{a.base})")
                own[n] = f"Ref({n})"
                results.append(f"record({n})")
            elif a.base == "int32_t":
                body.append(f"{n} = zeros(Int32, {' * '.join(self.size(p, a))})")
                own[n], own[n + "_count"] = n, f"length({n})"
                results.append(n)
        call = f"Raw.{p.function}({', '.join(self.passed(p, own))})"
        body.append(f"{preserve}done(work, {call})")
        body += ["count!(work)"] if p.name == "set_coordinates" else []
        if p.function == "tenon_find_assemblies":
            results = ["Int(found[])"]
        given = [a.c["name"] for a in self.arrays(p)] if not p.in_place else []
        if p.function == "tenon_find_assemblies":
            back = results
        else:
            labels = [a.c["name"] for _, a in p.outs if a.kind in ("result", "struct") or a.base == "int32_t"]
            back = [*((n, n) for n in given), *zip(labels, results)]
            back = back or [(n, n) for n in p.in_place]
            back = self.named(back)
        body.append(f"return {', '.join(back) or 'nothing'}")
        out = self.lines(p, self.head(self.called(p), positional, keywords), self.indented(body))
        if given:
            out += self.made(p, positional, keywords, given)
        return out

    @staticmethod
    def named(pairs):
        """Several results have names."""
        if len(pairs) < 2:
            return [x for _, x in pairs]
        words = {"row_velocity": "velocity"}
        return ["(" + ", ".join(f"{words.get(n, n)} = {x}" for n, x in pairs) + ")"]

    def made(self, p, positional, keywords, given):
        """The form that makes its outputs."""
        rest = positional[len(given) :]
        zeros = []
        for a in self.arrays(p):
            zeros.append(f"zeros({self.table_shape(p, a) if a.kind == 'matrix' else ', '.join(self.size(p, a))})")
        passed = [*zeros, *(x.split("::")[0].split(" = ")[0] for x in rest)]
        words = [k if k.endswith("...") else "{0} = {0}".format(k.split(" = ")[0]) for k in keywords]
        call = f"{p.name}!({', '.join(passed)}{'; ' + ', '.join(words) if words else ''})"
        head = self.head(p.name, rest, keywords)
        if p.function == "tenon_find_assemblies":
            body = ["assemblies = zeros(work.model.nq, capacity)", call.replace(zeros[0], "assemblies").replace(
                "find_assemblies!", "found = find_assemblies!"), "return assemblies[:, 1:found]"]  # fmt: skip
            return [head, self.indented(body), "end", ""]
        return [head, self.indented([f"return {call}"]), "end", ""]

    def indented(self, body):
        return "\n".join("    " + self.wrapped(line, 4) for line in body)

    @staticmethod
    def result(a, text):
        if a.c["name"] in CONSTANTS:
            return f"name_of(Raw.TENON_CONSTANT_{CONSTANTS[a.c['name']]}, {text})"
        return f"from_index({text})" if a.c["name"] == "index" else f"Int({text})" if a.base != "double" else text

    def plain(self, p):
        """Of a model, a builder, a set, or nothing."""
        positional, keywords = self.parameters(p)
        f, m, body, own, preserve = p.method.function, p.method, [], {}, ""
        if not m.status:
            call = f"Raw.{p.function}({', '.join(self.passed(p, own))})"
            base = f["result"]["base"]
            object_ = self.object(p)[0]
            done = f"told({call})" if base == "char" else call if base == "double" else f"Int({call})"
            if base == "char" and object_:
                done = f"GC.@preserve {object_} {done}"
            if p.function in shapes.FINISHED:
                done = done.replace("(set)", "(finish!(set))")
            return self.lines(p, self.head(p.name, positional, keywords), self.indented([f"return {done}"]))
        texts = [a for _, a in p.outs if a.kind == "text_buffer"]
        if p.chosen is not None:
            body.append(f"chosen = options_of(Raw.{p.chosen.base}, how)")
            own[p.chosen.c["name"]], preserve = "reference(chosen)", "GC.@preserve chosen "
        results = []
        for n, a in p.outs:
            n = a.c["name"]
            if a.kind == "result":
                body.append(f"{n} = Ref({RESULTS[a.base][0]})")
                own[n] = n
                results.append(self.result(a, f"{n}[]"))
            elif a.kind == "struct":
                body.append(f"{n} = prepared(Raw.{a.base})")
                own[n] = f"Ref({n})"
                results.append(f"record({n})")
            elif a.kind == "array" and a.base == "double":
                body.append(f"{n} = zeros({a.length})")
                own[n], own[n + "_count"] = n, f"length({n})"
                results.append(n)
            elif a.kind == "array":
                size = f"independent_count(model, {'true' if a.length == 'ny' else 'false'})"
                body.append(f"{n} = zeros(Int32, {size})")
                own[n], own[n + "_count"] = n, f"length({n})"
                results.append(f"Int.({n}) .+ 1")
        for a in m.arguments:
            if a.kind == "matrix" and a.c["name"] == "ratios":
                body.insert(0, "ratios = ratio_table(ratios)")
            elif a.kind == "matrix":
                body.insert(0, f"{a.c['name']} = Matrix{{Float64}}({a.c['name']})")
        message = any(a["kind"] == "message" for a in f["arguments"])
        if texts:
            n = texts[0].c["name"]
            passed = self.passed(p, {**own, n: "text", n + "_count": "length(text)"})
            place = next(i for i, a in enumerate(f["arguments"]) if a["name"] == n)
            sizes = [*passed]
            passed[place : place + 2], sizes[place : place + 2] = ["text", "length(text)"], ["C_NULL", "0"]
            body = [line for line in body if not line.startswith(f"{n} =")]
            for words in (sizes, passed):
                call = f"Raw.{p.function}({', '.join(words)})"
                if words is passed:
                    body.append("text = zeros(Cchar, needed[])")
                body.append(f"{preserve}ask((message, size) -> {call})" if message else f'check({call}, "{m.name}")')
            body.append("return GC.@preserve text unsafe_string(pointer(text))")
            return self.lines(p, self.head(p.name, positional, keywords), self.indented(body))
        call = f"Raw.{p.function}({', '.join(self.passed(p, own))})"
        which = next((a.c["name"] for a in m.arguments if a.c["name"] in INDEX_ARGUMENTS), None)
        said = f"there is no {which} ${which}" if which else m.name
        body.append(f"{preserve}ask((message, size) -> {call})" if message else f'check({call}, "{said}")')
        if p.function in shapes.FINISHED:
            body.insert(0, "finish!(set)")
        if any(a.kind == "callback" for a in m.arguments):
            body[:0] = ["user = User(callback)", f"push!({self.object(p)[0]}.kept, user)"]
        if p.function in shapes.ONCE:
            body = ["set.finished && return set", *body, "set.finished = true"]
            results = ["set"]
        records = any(a.kind == "struct" for _, a in p.outs)
        back = ", ".join(results) or "nothing"
        body.append(f"return GC.@preserve {self.object(p)[0]} {back}" if records and self.object(p)[0] else f"return {back}")
        return self.lines(p, self.head(self.called(p), positional, keywords), self.indented(body))

    def one_for_all(self, plans):
        """For functions whose names end in the constants of a kind one that takes the constant."""
        for stem, enum, values in shapes.chosen(self.api, plans):
            first, choice = values[0][1], enum["name"]
            (name, kind), inputs = self.object(first), [a for w, a in first.inputs if w not in first.in_place]
            given = [f"{name}::{kind}", *first.in_place, *(a.c["name"] for a in shapes.arrays_first(inputs))]
            outs = [a.c["name"] for a in self.arrays(first)]
            positional, keywords = self.parameters(first)
            keywords = [k for k in keywords if k.split(" = ")[0] not in outs]
            passed = ", ".join(x.split("::")[0] for x in positional)
            words = ", ".join("{0} = {0}".format(k.split(" = ")[0]) for k in keywords)
            body = [f"chosen = constant(Raw.{enum['kind']}, {choice})"]
            for value, p in reversed(values):
                asked = "" if p is first else f"chosen == Raw.{enum['prefix']}{value} && "
                body.append(f"{asked}return {self.called(p)}({passed}; {words})")
            about = f"By a method of choice, :{' or :'.join(v.lower() for v, _ in values)}: {' and '.join(first.in_place)} change in place."
            head = self.head(stem + "!", given, [f"{choice} = :{values[0][0].lower()}", *keywords])
            yield from [documented(about), f"{head}\n{self.indented(body)}\nend", ""]

    def text(self):
        out = [HEAD % MARK, *self.one_for_all([p for p in plans(self.api) if p.method.owner == "tenon_workspace"])]
        names = {"step!"}
        for p in plans(self.api):
            kind = {"tenon_workspace": self.computation, "tenon_batch": self.batch}.get(p.method.owner, self.plain)
            if p.method.owner == "tenon_workspace" and not p.method.status:
                kind = self.plain
            made = kind(p)
            names |= {line.split("(")[0][len("function ") :] for block in made for line in block.split("\n")
                      if line.startswith("function ")}  # fmt: skip
            out += made
        exported = sorted(names - {"version_number", "message", "warning", "frame", "frame!", "width", "convention_nq"})
        rows, row = [], "export"
        for name in exported:
            if len(row) + len(name) > 116:
                rows.append(row.rstrip(","))
                row = "export"
            row += f" {name},"
        return "\n".join([*out, *rows, row.rstrip(","), ""])


    def types(self):
        def product(factors):
            return self.product([str(f) if isinstance(f, int) else SIZES[f].replace("work", "batch") for f in factors])

        return julia_objects.text(self.api, INDEX_FIELDS, product, lambda line: self.wrapped(line, len(line) - len(line.lstrip())))


def files(api):
    writer = Writer(api)
    return {"julia/src/types.jl": writer.types(), "julia/src/methods.jl": writer.text()}
