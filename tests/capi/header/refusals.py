"""What the header promises of every call that fails: nothing was written, and a message says why.

Refusals.call makes the calls of statuses_test.py and compares what their arguments point at before and after.
"""

import ctypes

# A negative status of a batch is that of one state; the others were computed (section "Batches" of the header).
WRITTEN_ALL_THE_SAME = {"tenon_batch_array*", "tenon_batch*", "tenon_constraints*", "tenon_builder*", "tenon_workspace*"}


def memory_of(x):
    """Arrays and structs that an argument holds."""
    if isinstance(x, (ctypes.Array, ctypes.Structure)):
        return [x]
    if isinstance(x, (tuple, list)):
        return [found for part in x for found in memory_of(part)]
    if isinstance(x, ctypes._Pointer) and x and issubclass(x._type_, (ctypes.Array, ctypes.Structure)):
        return [x.contents]
    return []


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


class Refusals:
    def __init__(self, c):
        self.c, self.faults = c, {}

    def call(self, function, arguments, where):
        """The status of the call. All that it may write, or may not, is compared."""
        kept = []
        of_states = function.name.startswith("tenon_batch")
        for p, a in zip(function.parameters, arguments):
            if "*" not in p.type or p.type.endswith("**") or p.name == "message" or p.type in WRITTEN_ALL_THE_SAME:
                continue
            if of_states and p.name in ("status", "iterations"):
                continue
            found = {id(x): x for x in memory_of(a.value) + memory_of(a.keep)}
            kept += [(p.name, x, bytes(x)) for x in found.values()]
        status = getattr(self.c, function.name)(*[a.value for a in arguments])
        if status < 0:
            for name, memory, before in kept:
                if bytes(memory) != before:
                    self.fault(function, f"{status}, but wrote {name}", where)
        own = any(p.name == "message" for p in function.parameters)  # a clone's: not in the workspace
        for p, a in zip(function.parameters, arguments):
            text = self.message(p, a) if p.name == "message" or not own else None
            if text is None:
                continue
            if not is_utf8(text):
                self.fault(function, f"{status}, with a message that is not UTF-8", where)
            elif status < 0 and not text:
                self.fault(function, f"{status}, without a message", where)
            elif status == 0 and text:
                self.fault(function, f"{status}, with the message '{text.decode()}'", where)
        return status

    def message(self, p, a):
        """None where this argument has none."""
        if p.name == "message":
            return a.value.value if a.value is not None else None
        if p.type in ("tenon_workspace*", "tenon_batch*") and a.value:
            return getattr(self.c, p.type[:-1] + "_message")(a.value)
        return None

    def fault(self, function, what, where):
        self.faults.setdefault((function.name, what[:30]), f"{function.name}: {what} ({where})")
