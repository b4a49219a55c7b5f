"""The headers as a C compiler reads them: declarations with their types, layouts and comments, by libclang."""

import glob
import os
import re

from clang import cindex

# 64-bit machines that Tenon is for. Their layouts are compared; none of the types here depends on the machine.
TARGETS = (
    "x86_64-linux-gnu",
    "aarch64-linux-gnu",
    "x86_64-pc-windows-msvc",
    "x86_64-w64-mingw32",
    "arm64-apple-macos11",
)

# So that the description depends on no system headers.
STDDEF = """
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
"""
STDINT = """
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
"""


def names(include):
    """The headers, by their paths in the folder."""
    whole = sorted(os.path.relpath(path, include) for path in glob.glob(os.path.join(include, "**/*.h"), recursive=True))
    return [name.replace(os.sep, "/") for name in whole]


def cleaned(comment):
    """The text of a comment: without marks, lines joined; lines that are indented more (tables, formulas) stay lines."""
    lines = comment[2:-2].split("\n")
    lines = [lines[0].strip()] + [
        re.sub(r"^\s*\* ?", "", line) if re.match(r"^\s*\*", line) else line.strip() for line in lines[1:]
    ]
    text = ""
    for line in lines:
        line = line.rstrip()
        if not line:
            text = text.rstrip("\n") + "\n\n" if text else ""
        elif line.startswith("  "):
            text = text.rstrip("\n") + "\n" + line + "\n"
        else:
            text += line if not text or text.endswith("\n") else " " + line
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class Comments:
    """Where the comments of a header stand, to find the one that belongs to a declaration."""

    def __init__(self, tokens):
        self.ends, self.starts = {}, {}  # last line: comment; first line: comment
        for token in tokens:
            if token.kind == cindex.TokenKind.COMMENT:
                start, end = token.extent.start, token.extent.end
                self.ends[end.line] = (start.line, start.column, cleaned(token.spelling))
                self.starts.setdefault(start.line, (start.column, end.line, cleaned(token.spelling)))

    def above(self, line):
        """The block that ends on the line before, and is not the end of a declaration's line."""
        start, column, text = self.ends.get(line - 1, (0, 0, ""))
        return text if column <= 3 else ""

    def beside(self, line, column):
        """The comment that begins on the line, behind the declaration."""
        start, _, text = self.starts.get(line, (0, 0, ""))
        return text if start > column else ""


class Header:
    """functions, structs, handles, callbacks and macros of one target, in the order of the headers."""

    def __init__(self, include, target):
        self.folder = include
        unit = cindex.Index.create().parse(
            "all.h",
            args=["-x", "c", "-std=c99", "-target", target, "-nostdinc", "-I/stubs", "-I" + include, "-DTENON_STATIC"],
            unsaved_files=[
                ("all.h", '#include "tenonx.h"\n'),
                ("/stubs/stddef.h", STDDEF),
                ("/stubs/stdint.h", STDINT),
            ],
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
        faults = [str(d) for d in unit.diagnostics]
        if faults:
            raise SystemExit("the headers do not compile:\n" + "\n".join(faults))
        self.comments = {}
        self.names = names(include)
        for name in self.names:
            file = unit.get_file(os.path.join(include, name))
            whole = cindex.SourceRange.from_locations(
                cindex.SourceLocation.from_position(unit, file, 1, 1),
                cindex.SourceLocation.from_offset(unit, file, os.path.getsize(file.name)),
            )
            self.comments[name] = Comments(unit.get_tokens(extent=whole))
        self.cursors = []
        for cursor in unit.cursor.get_children():
            if cursor.location.file and self.name_of(cursor) in self.names:
                self.cursors.append(cursor)

    def comments_of(self, cursor):
        return self.comments[self.name_of(cursor)]

    def name_of(self, cursor):
        return os.path.relpath(cursor.location.file.name, self.folder).replace(os.sep, "/")

    def of_kind(self, kind):
        return [c for c in self.cursors if c.kind == kind]

    def manual(self, name):
        """The comment at the head of a header, behind the one for clang-format."""
        return min((line, about) for line, about in self.comments[name].starts.items() if line > 1)[1][2]


def type_of(type_):
    """A C type: what stands at the end of its pointers, how many these are, and whether it may be written through."""
    pointers, const, sizes = 0, False, []
    spelling = type_.spelling
    while type_.kind == cindex.TypeKind.CONSTANTARRAY:
        sizes.append(type_.element_count)
        type_ = type_.element_type
    while type_.kind == cindex.TypeKind.POINTER:
        pointers += 1
        type_ = type_.get_pointee()
        const = const or type_.is_const_qualified() if pointers == 1 else const
    base = type_.spelling.replace("const ", "").strip()
    const = const or (pointers > 0 and type_.is_const_qualified())
    result = {"type": re.sub(r"\s*\[\d+\]$", "", spelling), "base": base, "pointers": pointers}
    if pointers:
        result["const"] = const
    if sizes:
        result["extent"] = sizes[0]
    return result
