"""What the examples share: a library with the argument types of the functions that they call."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_size_t

MESSAGE = [c_char_p, c_size_t]
ARRAY = [POINTER(c_double), c_size_t]


def load(path, functions):
    """functions: of each name the type of its result and those of its arguments."""
    library = ctypes.CDLL(path)
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
