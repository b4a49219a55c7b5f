"""What the block above a function says of each argument. The manner of the headers (tenon.h, section 5; README.md here):

name: ...          a note, up to the next one; "q, v: ..." and "*index: ..." too
q: nq.  J: 6 x nv  a note begins with how many numbers there are
NULL               in a note: the argument may be NULL ("set to NULL" says what is written)
written            the function writes it; read and written, read first: it reads it before
as tenon_other     the note of the argument of that name there
Others as tenon_other, the rest as ..., otherwise as ..., arguments as ...: the notes that are missing
"""

import re

FIXED = {"Allocates", "Threads", "Status", "Cost", "Since", "Units", "Others", "Arrays"}
INHERIT = re.compile(
    r"(?:[Oo]thers|[Tt]he rest|[Oo]therwise|[Aa]rguments|[Aa]rrays)(?:[\w, ]*:)? as (tenonx?_\w+|there)"
)
SIZES = (
    *("nq", "nv", "nyq", "ny", "m", "links", "parameters", "loop rows", "rows of it", "convention_nq", "constraints"),
    "ratios",
    *("rows", "row_count", "states", "link_count", "joint_count", "columns", "capacity", "dependent", "independent"),
    *("triangle", "solution", "spanning nv", "loads"),
)
SIZE = rf"(?:\d+|{'|'.join(SIZES)})"
LENGTH = re.compile(rf"^({SIZE}(?: (?:x|or) {SIZE})*)(?!\w)")


def split(block, arguments):
    """{argument: note} and the text before the first note."""
    words = "|".join(sorted(map(re.escape, set(arguments) | FIXED), key=len, reverse=True))
    one = rf"\*?(?:{words})(?: \([^)]*\))?"
    label = re.compile(rf"(?:^|(?<=[.;,)\n] )|(?<=  )|(?<=\n)){one}(?:(?:, and |, | and ){one})*:(?= )")
    notes, last = {}, None
    description = block
    for match in label.finditer(block):
        names = re.findall(rf"(?:^|[ ,*])({words})(?=[ ,:])", match[0])
        if last is None:
            description = block[: match.start()]
        else:
            last[1] = block[last[2] : match.start()]
            _store(notes, last)
        last = [names, "", match.end()]
    if last:
        last[1] = block[last[2] :]
        _store(notes, last)
    return notes, description.strip()


def _store(notes, last):
    for name in last[0]:
        text = re.sub(r"\s+", " ", last[1]).strip().rstrip(";").strip()
        notes[name] = f"{notes[name]} {text}" if name in notes else text


class Notes:
    """Of all functions: what their blocks say of their arguments, references followed."""

    def __init__(self, functions):
        """functions: {name: (block, [arguments])}"""
        self.functions, self.own, self.text = functions, {}, {}
        for name, (block, arguments) in functions.items():
            self.own[name], self.text[name] = split(block, arguments)

    def of(self, function, argument, seen=()):
        """The note of an argument, "" where there is none. A reference to another function is replaced by what is there."""
        if function in seen or function not in self.functions:
            return ""
        seen = (*seen, function)
        note = self.own[function].get(argument, "")
        other = re.match(r"^(?:.*[,;] )?as (tenonx?_\w+)", note)
        if other and other[1] != function:
            there = self.of(other[1], argument, seen)
            return (there + " " + re.sub(r"(?:^|[,;] )as tenonx?_\w+[,.]?", "", note)).strip() if there else note
        if note:
            return note
        block = self.functions[function][0]
        for match in INHERIT.finditer(block):
            target = match[1]
            if target == "there":
                named = re.search(r"\b(tenonx?_\w+)", block)
                target = named[1] if named else ""
            there = self.of(target, argument, seen)
            if there:
                return there
        return ""


def length(note):
    match = LENGTH.match(note)
    return match[1] if match else None


def may_be_null(note):
    text = re.sub(r"set to NULL|\(NULL[^)]*\)", "", note)
    return bool(re.search(r"\bNULL\b", text))


def role(const, note):
    """in, out or inout: what is const is read; all else is written, and read where the note says so."""
    if const:
        return "in"
    return "inout" if re.search(r"\bread (?:and written|first)", note) else "out"
