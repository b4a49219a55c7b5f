"""Programs that ask a compiler for the layouts of all structs, and what they should print.

    python3 layouts.py <api.json> c|fortran|rust|text

A line for each struct: its name, its size, and the offsets of its fields. text: the lines as api.json has them.
"""

import json
import sys

from languages.fortran import distinct
from languages.rust import name_of


def text(structs):
    for s in structs:
        yield " ".join(map(str, [s["name"], s["size"], *(f["offset"] for f in s["fields"])]))


def c(structs):
    yield '#include <stddef.h>\n#include <stdio.h>\n#include "tenonx.h"\nvoid print_layouts(void) {'
    for s in structs:
        yield f'  printf("{s["name"]} %d", (int)sizeof({s["name"]}));'
        yield from (f'  printf(" %d", (int)offsetof({s["name"]}, {f["name"]}));' for f in s["fields"])
        yield '  printf("\\n");'
    yield "}"


# The macro of Rust's library is of Rust 1.77.
OFFSET_OF = """macro_rules! offset_of {
    ($type:ty, $field:ident) => {{
        let memory = MaybeUninit::<$type>::uninit();
        let start = memory.as_ptr();
        unsafe { addr_of!((*start).$field) as usize - start as usize }
    }};
}"""


def rust(structs):
    yield "use core::mem::{size_of, MaybeUninit};\nuse core::ptr::addr_of;\nuse tenon_sys::*;"
    yield OFFSET_OF + "\npub fn print_layouts() {"
    for s in structs:
        yield f'    print!("{s["name"]} {{}}", size_of::<{s["name"]}>());'
        yield from (f'    print!(" {{}}", offset_of!({s["name"]}, {name_of(f["name"])}));' for f in s["fields"])
        yield "    println!();"
    yield "}"


def fortran(structs):
    yield "subroutine print_layouts()\n  use tenon_raw\n  implicit none"
    yield from (f"  type({s['name']}), target :: s{i}" for i, s in enumerate(structs))
    for i, s in enumerate(structs):
        yield f"  write (*, '(a, 1x, i0)', advance='no') '{s['name']}', c_sizeof(s{i})"
        for name, f in zip(distinct([f["name"] for f in s["fields"]]), s["fields"]):
            field = f"s{i}%{name}" + ("(1)" if "extent" in f else "")
            offset = f"transfer(c_loc({field}), 0_c_intptr_t) - transfer(c_loc(s{i}), 0_c_intptr_t)"
            yield f"  write (*, '(1x, i0)', advance='no') {offset}"
        yield "  write (*, '(a)') ''"
    yield "end subroutine print_layouts"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        described = json.load(file)["structs"]
    print("\n".join({"c": c, "fortran": fortran, "rust": rust, "text": text}[sys.argv[2]](described)))
