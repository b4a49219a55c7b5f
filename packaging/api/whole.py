"""tenon.h as one text, with its parts in the place of the lines that include them.

    python3 whole.py <tenon.h>      prints it
"""

import os
import re
import sys

PART = re.compile(r'^#include "(tenon/\w+\.h)".*\n', flags=re.M)
# A part includes those it needs, which the whole has before it.
OTHER = re.compile(r'^#include "\w+\.h"\n', flags=re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def whole(path, read=read):
    """The text of the header at path; read: how the text of a file is found, also of another commit."""
    folder = os.path.dirname(path)
    return PART.sub(lambda part: OTHER.sub("", read(os.path.join(folder, part[1]))), read(path))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(whole(sys.argv[1]), end="")
