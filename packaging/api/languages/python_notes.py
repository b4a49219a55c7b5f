"""Python: what the headers say, in words of Python: of their functions, structs and constants by the names that these have
there, and of arguments what a caller of Python needs to know."""

import re

from . import layers
from .common import enumerations
from .python_types import class_name, struct_name

# What C needs to be told, and Python knows: how far apart columns are, that an output is written.
APART = r"leading dimension"
LEADING = rf",? (?:column-major )?with (?:the same )?{APART}(?: ld\w+| rows)?|,? ?{APART} \w+(?: >= \w+(?: \+ \w+)?)?"
OF_C = (
    (LEADING, ""),
    (r",? written, or read and written with accumulate", ", or added to with accumulate"),
    (r",? likewise read and written", ", likewise"),
    (r"\bread and written\b", "changed in place"),
    (r",? ?(?:likewise )?\bwritten\b(?! )", ""),
    (r"[;,] (?:may be|or) None(?=[.;]|$)", "; None: not wanted"),
)
# What is left where words are gone.
MENDS = (
    *((r"^[;,.] ?", ""), (r" +([.,;])", r"\1"), (r"[;,.]+(?=[;.])", ""), (r",(?=,)", "")),
    *((r"; (?=[A-Z])(?!None|False)", ". "),),
)


class Notes:
    def __init__(self, api, every):
        """every: the plans of all functions."""
        self.names = {}
        for p in every:
            owner = p.method.owner
            own = p.name if not p.name.startswith("__") else class_name(owner[len("tenon_") :])
            self.names.setdefault(p.function, (owner, own))
        kinds = {s["name"]: struct_name(s) for s in api["structs"]}
        kinds |= {h: class_name(h[len("tenon_") :]) for h in layers.HANDLES}
        self.kinds = {**kinds, "tenon_batch_array": "array", "tenon_status": "Status"}
        self.constants = {
            v["name"]: f"{class_name(enum['name'])}.{v['name'][len(enum['prefix']):]}"
            for enum in enumerations(api)
            for v in enum["values"]
        }
        self.constants |= {enum["prefix"]: class_name(enum["name"]) for enum in enumerations(api)}
        self.constants |= {c["name"]: c["name"][len("TENON_") :] for c in api["constants"]}

    def named(self, match, owner):
        """A name of C as one of Python."""
        name = match[0]
        if name in self.names:
            other, own = self.names[name]
            return own if other in (owner, None) else f"{class_name(other[len('tenon_') :])}.{own}"
        return self.kinds.get(name) or self.constants.get(name) or name

    def words(self, text, owner):
        """A description."""
        text = re.sub(r"[^.]*\bfor NULL\.", "", text)
        text = re.sub(r"\bNULL\b", "None", text)
        text = re.sub(r"(\w+)->(\w+)|(?<=\W)->(\w+)", lambda m: m[2] or m[3], text)
        text = re.sub(r"\b(TENON_\w+_)\*", r"\1", text)
        return re.sub(r"\b(?:tenonx?_\w+|TENONX?_\w+)", lambda m: self.named(m, owner), text).strip()

    def note(self, text, owner, absent):
        """The note of an argument. absent: what says that an output is not wanted; null: it always is there."""
        text = self.words(text, owner)
        for words, other in OF_C:
            text = re.sub(words, other, text)
        text = re.sub(r"[;,]? ?\bNone: not wanted", f"; {absent}: not wanted" if absent else "", text)
        for words, other in MENDS:
            text = re.sub(words, other, text)
        parts = re.split(r"(?<=[.;]) ", text.rstrip(";").strip())
        once = [part for k, part in enumerate(parts) if not any(p.startswith(part.rstrip(".;")) for p in parts[:k])]
        return " ".join(once).rstrip(";").strip()
