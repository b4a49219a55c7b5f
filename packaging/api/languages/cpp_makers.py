"""C++: what makes objects, and functions of the program that the library calls."""

from . import layers
from .common import camel, comment
from .python_types import struct_name

CLASSES = {
    "tenon_model": ("ModelCalls", "template <class Self>"),
    "tenon_builder": ("BuilderCalls", "template <class Self>"),
    "tenon_constraints": ("ConstraintsCalls", "template <class Self>"),
    "tenon_workspace": ("WorkspaceCalls", "template <class Self>"),
    "tenon_batch": ("BatchCalls", "template <class Self, class Real>"),
}
# What makes an object, and how it is called; None: a constructor.
MAKERS = {
    "tenon_model_load_urdf": "load", "tenon_model_parse_urdf": "parse", "tenon_builder_load_urdf": "load",
    "tenon_builder_parse_urdf": "parse", "tenon_builder_create": None, "tenon_builder_finish": "finish",
    "tenon_constraints_create": None, "tenon_workspace_create": None, "tenon_workspace_clone": "clone",
    "tenon_batch_create": None, "tenon_batch_clone": "clone",
}  # fmt: skip
# How many numbers the arrays are of that a callback is given.
LENGTHS = {"q": ("nq",), "v": ("nv",), "phi": ("rows",), "K": ("rows", "nv"), "Kdot_v": ("rows",)}
CALLBACK = """inline Status call_{name}({parameters}) noexcept {{
  try {{
    return (*static_cast<const {name}*>(user))({arguments});
  }} catch (...) {{
    return TENON_NOT_FINITE;
  }}
}}"""
RELEASE = """template <class T>
void release(void* user) noexcept {
  delete static_cast<T*>(user);
}"""


class Makers:
    # ---- callbacks

    def called_back(self, p):
        """The name of the function that is handed over, or None."""
        kinds = [a["base"] for a in p.method.function["arguments"] if a["kind"] == "callback"]
        return camel(kinds[0].removesuffix("_callback")) if kinds else None

    def functions(self):
        """The types of these functions, and what the library calls in their place."""
        handed = {a["base"] for f in self.api["functions"] for a in f["arguments"] if a["kind"] == "callback"}
        for c in self.api["callbacks"]:
            arrays = [(("In" if a["role"] == "in" else "Out"), a["name"]) for a in c["arguments"] if a["name"] in LENGTHS]
            if c["name"] not in handed or not arrays:
                continue
            name = camel(c["name"].removesuffix("_callback"))
            about = c["comment"] + "\nWhat it throws is TENON_NOT_FINITE. */"
            yield comment(about, "/* ", " * ", width=118)
            yield f"using {name} = std::function<Status({', '.join(f'{kind} {n}' for kind, n in arrays)})>;"
            types = {"int32_t": "std::int32_t"}
            parameters = [f"{types.get(a['type'], a['type'])} {a['name']}" for a in c["arguments"]]
            sizes = {n: " * ".join(f"std::size_t({x})" for x in LENGTHS[n]) for _, n in arrays}
            arguments = ", ".join(f"{kind}({n}, {sizes[n]})" for kind, n in arrays)
            words = CALLBACK.format(name=name, parameters=", ".join(parameters), arguments=arguments)
            yield from ["namespace detail {", words, RELEASE, "}  // namespace detail", ""]

    # ---- objects

    def handed(self, m):
        """What is given to a function that makes an object: (type, name, default), and what C gets."""
        given, passed = [], []
        for a in m.function["arguments"]:
            name, kind = a["name"], a["kind"]
            if kind == "new_object":
                passed.append("made")
            elif kind in ("message", "message_size", "count"):
                passed.append(kind if kind != "count" else f"{a['of']}.size()")
            elif kind == "text":
                given.append(("std::string_view" if "count" in a else "const std::string&", name, None))
                passed.append(f"{name}.{'data' if 'count' in a else 'c_str'}()")
            elif kind == "struct" and "Real" in CLASSES[m.owner][1]:  # the precision is that of Real
                given.append((f"{struct_name({'name': a['base']})}", "options", "{}"))
                passed.append("(options.precision = precision, &options)")
            elif kind == "struct":
                given.append((f"Chosen<{a['base']}>", "options", "{}"))
                passed.append("options.get()")
            elif a["base"] == m.owner:
                passed.append("self().get()")
            else:
                given.append((f"const detail::Handle<{a['base']}>{'*' if a['null'] else '&'}", name, None))
                passed.append(f"{name} == nullptr ? nullptr : {name}->open()" if a["null"] else f"{name}.get()")
        return given, ", ".join(passed)

    def making(self, owner):
        """The handle that a class is, and whatever makes one: constructors, or where these are by hand what they call."""
        name = CLASSES[owner][0]
        destroy = next(h["destroy"] for h in self.api["handles"] if h["name"] == owner)
        out = ["  /* Of any call that makes one: call(&made, message, message_size). */", "  template <class Call>",
               f"  {name}(detail::Made, Call&& call) : detail::Handle<{owner}>({destroy}, std::forward<Call>(call)) {{}}", ""]  # fmt: skip
        if any(word in ("load", "parse") for f, word in MAKERS.items() if f.startswith(owner + "_")):
            out += ["  template <class Call>", "  static Self made(Call&& call) {",
                    "    return Self(detail::Made{}, std::forward<Call>(call));", "  }", ""]  # fmt: skip
        for m in layers.methods(self.api):
            if m.function["name"] not in MAKERS or m.owner != owner:
                continue
            given, passed = self.handed(m)
            word, made = MAKERS[m.function["name"]], m.makes
            call = f"[&]({made}** made, char* message, std::size_t message_size) {{ return {m.function['name']}({passed}); }}"
            doc = [comment(f"{m.function['brief'].rstrip(' .;,')}. */", "  /* ", "   * ", width=118)]
            if word is None:
                lines = [f"  explicit {name}({self.listed(given)}) : {name}(detail::Made{{}}, {call}) {{}}"]
                if any("Handle<" in kind for kind, _, _ in given):  # for those by hand, which keep the objects
                    doc, lines = [" protected:", *doc], [*lines, "", " public:"]
            elif made != owner:  # a class that comes later
                lines = [f"  template <class Made = {CLASSES[made][0].removesuffix('Calls')}>",
                         f"  Made {word}({self.listed(given)}) const {{ return Made(detail::Made{{}}, {call}); }}"]  # fmt: skip
            elif m.function["arguments"][0]["base"] == owner:
                lines = [f"  Self {word}() const {{ return Self(self(), {call}); }}"]
            else:
                lines = [f"  static Self {word}({self.listed(given)}) {{ return Self(detail::Made{{}}, {call}); }}"]
            out += [*doc, *lines, ""]
        return out
