"""What the steps of exercise.py are made of."""

from dataclasses import dataclass

from . import layers

STATES = 3  # of a batch


# ---- numbers


@dataclass(frozen=True)
class Fill:
    """Number i is ((7 i + 13 k) mod 17 - 8) / 16: without rounding in single precision too."""

    size: int
    k: int


@dataclass(frozen=True)
class Literal:
    numbers: tuple
    integers: bool = False  # int32_t, not double

    @property
    def size(self):
        return len(self.numbers)


@dataclass(frozen=True)
class Saved:
    """What a step before wrote."""

    name: str
    size: int


@dataclass(frozen=True)
class Join:
    """One behind the other."""

    parts: tuple

    @property
    def size(self):
        return sum(p.size for p in self.parts)


# ---- arguments; None: NULL


@dataclass(frozen=True)
class In:
    source: object
    shape: tuple = None  # of a matrix, rows and columns; its leading dimension is rows

    @property
    def size(self):
        return self.source.size


@dataclass(frozen=True)
class Out:
    """Written; where source is not None it is read first, a copy of that."""

    size: int
    shape: tuple = None
    source: object = None
    save: str = None
    integers: bool = False


@dataclass(frozen=True)
class Batch:
    """A tenon_batch_array on `size` numbers, of the precision of the batch. source None: zeros that are written."""

    size: int
    count: int
    source: object = None
    written: bool = False
    number: int = 1
    state: int = 0
    record: int = 0
    first: int = 0
    states: int = STATES
    records: int = 0  # 0: none, else the array is states x records x count


@dataclass(frozen=True)
class Struct:
    """Options: the defaults but for these fields. Fields of arrays: In (with a count field) or Literal (of fixed size)."""

    type: str
    fields: tuple = ()  # pairs


@dataclass(frozen=True)
class Record:
    """Filled by the call, and printed."""

    type: str


@dataclass(frozen=True)
class Number:
    value: object


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Texts:
    texts: tuple


@dataclass(frozen=True)
class Buffer:
    """The whole text that the call writes."""


@dataclass(frozen=True)
class Result:
    """One number, written."""


@dataclass(frozen=True)
class Callback:
    """log: prints "log <level> <quoted text>" at once. circle: of q and v of two joints
    phi = q0 q0 + q1 - 0.25,  K = [2 q0, 1],  Kdot_v = 2 v0 v0, multiplied from left to right, without fused operations."""

    name: str


@dataclass(frozen=True)
class Handle:
    name: str
    closed: bool = False


@dataclass(frozen=True)
class New:
    name: str


@dataclass
class Step:
    number: int
    method: layers.Method
    values: dict  # by the names of C, the object of a method too
    tags: frozenset = frozenset()  # what a language may be unable to say; see exercise_bad.py
    why: str = ""  # of a bad one

    @property
    def function(self):
        return self.method.function["name"]
