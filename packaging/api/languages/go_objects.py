"""Go, the layer: the types of objects, and what they have beside a method for each function, as their functions tell: what
they are made from, what the last call left, sizes, how things are found by name, and a step in time."""

from . import layers, shapes
from .common import camel, comment
from .go_layer import HEAD, NAMES, OWN, grouped, name_of
from .go_structs import public

ABOUT = {
    "tenon_constraints": "The functions Add... return the index of the constraint.",
    "tenon_workspace": "wrenches: 6 for each link, [moment about its origin; force] along link axes; nil: none.",
    "tenon_batch": "Slices have the numbers of one state after those of another: q is states x nq. An input of the numbers of one "
    "state is the same for all; nil is none. Without joints a state has no numbers, and a call is of one. A state that fails "
    "spoils only itself: its Status is negative, and the call returns an error when the others are done. The precision is that "
    "of T.",
}
# What sizes are asked of where the model and the set may be closed.
SIZES = {"nq": "Nq", "nv": "Nv", "nyq": "Nyq", "ny": "Ny", "links": "LinkCount", "loopRows": "LoopRowCount", "ratios": "RatioCount"}
SYSTEM = """
// Sizes, where the model and the set may be closed.
type system struct {{
	{names} int

	rows, converted []int // of each constraint; of positions in each convention
}}

// systemOf finishes the set, and makes an empty one where there is none.
func systemOf(model *Model, set *Constraints) (*Constraints, system, error) {{
	s := system{{{sizes}}}
	if set == nil {{
		var err error
		if set, err = NewConstraints(model); err != nil {{
			return nil, s, err
		}}
	}}
	if err := set.Finish(); err != nil {{
		return nil, s, err
	}}
	for i := range set.Count() {{
		info, err := set.ConstraintInfo(i)
		if err != nil {{
			return nil, s, err
		}}
		s.rows = append(s.rows, info.RowCount)
	}}
	for i := range ConstantCount(raw.TENON_CONSTANT_CONVENTION) {{
		s.converted = append(s.converted, model.ConventionNq(Convention(i)))
	}}
	return set, s, nil
}}"""


def function(about, head, *lines):
    return ["", *([comment(about, "// ")] if about else []), f"func {head} {{", *("\t" + line for line in lines), "}"]


def done(receiver, kept):
    lines = [] if kept else ["w.status = Status(status)"]
    lines += ["if status < 0 {", f"\treturn &Error{{Status(status), {receiver[1]}.Message()}}", "}", "return nil"]
    return function(None, f"{receiver} done(status int32) error", *lines)


def declared(api, owner, own, kind, receiver):
    handle = next(h for h in api["handles"] if h["name"] == owner)
    name, generic = camel(owner), "[T Real]" if "[T]" in kind else ""
    text = " ".join([handle["comment"].split("\n")[0], ABOUT.get(owner, "")]).strip()
    made, kept = shapes.made_from(own), shapes.codes(own)
    fields = [f"object[raw.{name}]"]
    fields += ["finished bool"] if any(c.c in shapes.ONCE for c in own) else []
    fields += ["system"] if any(optional for _, optional in made) else []
    fields += [f"{n} []int32" for n in kept if n == "status"] or (["status Status"] if owner in layers.KEEP_MESSAGES else [])
    out = ["", comment(f"{name}: {text}", "// "), f"type {name}{generic} struct {{", *("\t" + f for f in fields), "}"]
    if not any(c.creates for c in own):
        about = f"New{name} takes over one that calls of package raw made."
        lines = [f"made := &{name}{{}}", f"made.own(handle, raw.{name}Destroy)", "return made"]
        out += function(about, f"New{name}(handle *raw.{name}) *{name}", *lines)
    if owner in layers.KEEP_MESSAGES:
        out += done(receiver, kept)
    if kept:
        of = receiver[1]
        out += function("Status is that of a state in the last call.", f"{receiver} Status(state int) Status",
                        f"return Status({of}.status[state])")  # fmt: skip
        lines = ["k.states(states)", f"{of}.status = zeros[int32](k, max(states, 0))"]
        out += function(None, f"{receiver} begin(k *kept, states int)", *lines)
    elif owner in layers.KEEP_MESSAGES:
        about = "Status of the last computation: OK, or which caveat its answer has."
        out += function(about, f"{receiver} Status() Status", "return w.status")
        out += function("Zeros are velocities, or forces.", f"{receiver} Zeros() []float64", "return make([]float64, max(w.Nv(), 0))")
    return out


def found(owner, own, receiver):
    """Where a name is known to be right."""
    out, by_name = [], {c.name: c for c in own}
    for thing, index in shapes.lookups(own, owner):
        name = NAMES[by_name[index].c]
        about = f"Must{public(thing)} is {name} where the name is known to be right: it panics where it is not."
        lines = [f"index, err := {receiver[1]}.{name}(name)", "if err != nil {", "\tpanic(err)", "}", "return index"]
        out += function(about, f"{receiver} Must{public(thing)}(name string) int", *lines)
    return out


def stepped(api, own, receiver):
    """Of functions whose names end in the constants of a kind the first, without what is returned."""
    out, types = [], {"array": "[]float64", "value": "float64"}
    for stem, _, values in shapes.chosen(api, own):
        call = values[0][1]
        given = [a for a in call.given if a.kind != "struct"]
        options = [(name_of(a.name), "*" + camel(a.base)) for a in call.given if a.kind == "struct"]
        shown = [(name_of(a.name), types[a.kind]) for a in shapes.arrays_first(given)] + options
        inner = ["nil" if a.written else name_of(a.name) for a in by_c(call)]
        about = f"{public(stem)} is {public(call.name)}: {' and '.join(a.name for a in given if a.place)} change in place."
        line = f"return {receiver[1]}.{public(call.name)}Into({', '.join(inner)})"
        out += function(about, f"{receiver} {public(stem)}({grouped(shown)}) error", line)
    return out


def by_c(call):
    place = {a["name"]: i for i, a in enumerate(call.function["arguments"])}
    return sorted(call.given + call.written, key=lambda a: place[a.c["name"]])


def files(api):
    calls, out = list(shapes.calls(api)), [HEAD, 'import "tenon/raw"']
    for owner in layers.HANDLES:
        kind = camel(owner) + "[T]" * (owner == "tenon_batch")
        receiver = f"({OWN[owner]} *{kind})"
        own = [c for c in calls if c.owner == owner]
        out += declared(api, owner, own, kind, receiver) + found(owner, own, receiver)
        for things, count, one in shapes.lists(own, owner):
            about = f"{public(things)} are all of {public(one)}, by index."
            line = f"return names({receiver[1]}.{public(count)}(), {receiver[1]}.{public(one)})"
            out += function(about, f"{receiver} {public(things)}() []string", line)
        out += stepped(api, own, receiver)
    sizes = ", ".join(f"{name}: model.{call}()" for name, call in SIZES.items())
    out += [SYSTEM.format(names=", ".join(SIZES), sizes=sizes)]
    return {"go/objects.go": "\n".join([*out, ""])}
