"""Python: calls with arrays as arguments. What each argument of a computation is, for the package, and for its extension
module how functions of each shape are called."""

import re

from .common import MARK, Types
from .python import SCALARS
from .python_plans import wrapped

# Roles: what Python gives, and what of it C takes.
VALUES = {"int32_t": "i", "double": "d", "uint64_t": "u"}
SLOTS = {"w": "p", "s": "p", "a": "pn", "b": "pn", "o": "pn", "x": "pn", "m": "pni", "M": "pni"}
C_TYPES = {"p": "void *", "n": "size_t", "i": "int32_t", "d": "double", "u": "uint64_t"}

ROLES = '''"""The computations of a workspace: how ctypes spreads their arguments; what these are, a letter each, and their
names; the types of structs among them; and whether a call takes so long that other threads are to run.

w the workspace   a numbers, read   o numbers, written   x numbers, changed in place   b int32 numbers, read
m a matrix, read   M a matrix, written   s a struct or a single number of ctypes   i int32   u uint64   d double
"""

from __future__ import annotations

from . import _raw
from ._arrays import INTEGERS, given, part, written

CALLS: dict[str, tuple] = {'''
# How each is spread for ctypes.
RESERVED = {"lambda": "force", "in": "read", "from": "start"}
SPREAD = {
    "a": "*given({0})",
    "b": "*given({0}, INTEGERS)",
    "o": '*written({0}, "{0} is written")',
    "x": '*written({0}, "{0} is changed in place")',
    "m": '*part({0}, "{0}", False)',
    "M": '*part({0}, "{0}", True)',
}

HEADER = """
/* A call of each shape that functions have: of arguments p pointer, n size, i int32_t, d double, u uint64_t. */
#ifndef TENON_CALLS_H
#define TENON_CALLS_H

#include <stddef.h>
#include <stdint.h>

#define TENON_CALLS_MOST_SLOTS %d

typedef union tenon_slot {
  void *p;
  size_t n;
  int32_t i;
  double d;
  uint64_t u;
} tenon_slot;

typedef void (*tenon_function)(void);

static const char *const tenon_call_shapes[] = {
%s
};

/* Calls f, of the shape of that number, with the arguments s. */
static int32_t tenon_call(int shape, tenon_function f, const tenon_slot *s) {
  switch (shape) {
%s
    default:
      return INT32_MIN;
  }
}

#endif
"""


def takes_long(function):
    """Whether its cost is more than linear, or that of each step or column: then other threads of Python run meanwhile.
    (They do where a call writes vectors of 128 numbers or more, too, and in all calls through ctypes.)"""
    cost = re.search(r"Cost: (.*?)(?= Allocates:| Threads:| Since:|$)", function["comment"])
    return bool(cost) and not re.match(r"O\((1|[a-z]|n \+ m|links|n \+ links)\)(?! a (?:step|column))", cost[1])


def roles_of(function, types):
    """The letters and the names, or None where an argument has none of these roles."""
    roles, names = "", []
    for a in function["arguments"]:
        kind, base = a["kind"], a["base"]
        if kind in ("count", "leading_dimension"):
            continue
        if kind == "object" and base == "tenon_workspace":
            roles += "w"
        elif kind == "array" and base == "double" and "leading_dimension" in a:
            roles += "m" if a["role"] == "in" else "M"
        elif kind == "array" and base == "double":
            roles += {"in": "a", "out": "o", "inout": "x"}[a["role"]]
        elif kind == "array" and base == "int32_t" and a["role"] == "in":
            roles += "b"
        elif kind == "result" or kind == "struct" and base in types.structs:
            roles += "s"
        elif kind == "value" and base in VALUES:
            roles += VALUES[base]
        else:
            return None
        names.append(a["name"])
    return roles, names


def files(api):
    types, calls, shapes = Types(api), {}, set()
    for function in api["functions"]:
        arguments = function["arguments"]
        if not arguments or arguments[0]["base"] != "tenon_workspace" or function["result"]["type"] != "tenon_status":
            continue
        found = roles_of(function, types)
        if found:
            told = [a for a in arguments if a["name"] in found[1]]
            kinds = [a["base"] if role == "s" else None for role, a in zip(found[0], told)]
            calls[function["name"]] = (*found, [SCALARS.get(k, k) for k in kinds], takes_long(function))
            shapes.add("".join(SLOTS.get(role, role) for role in found[0]))
    shapes = sorted(shapes)
    table = [f"# {MARK}", ROLES]
    for name, (roles, names, structs, long) in calls.items():
        taken = [RESERVED.get(n, n) for n in names[1:]]
        spread = ", ".join(SPREAD.get(role, "{0}").format(n) for role, n in zip(roles[1:], taken))
        types = ", ".join(f"_raw.{s}" if s else "None" for s in structs)
        spread += "," if len(taken) == 1 else ""
        table += [f'    "{name}": (', wrapped(f"        lambda {', '.join(taken)}: ({spread}),")]
        table += [f'        "{roles}", "{" ".join(names)}",']
        table += [f"        ({types}), {long},", "    ),"]
    cases = []
    for number, shape in enumerate(shapes):
        kinds = ", ".join(C_TYPES[slot] for slot in shape)
        given = ", ".join(f"s[{place}].{slot}" for place, slot in enumerate(shape))
        cases += [f"    case {number}:", f"      return ((int32_t(*)({kinds}))f)({given});"]
    names = ",\n".join(f'    "{shape}"' for shape in shapes)
    header = HEADER % (max(map(len, shapes)), names, "\n".join(cases))
    return {
        "python/tenon/_roles.py": "\n".join([*table, "}", ""]),
        "python/native/tenon_calls.h": f"/* {MARK} */{header}",
    }
