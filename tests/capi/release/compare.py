"""Compares what the example atlas.c printed on two systems: the numbers within 1e-12 of the largest.

    python3 tests/capi/release/compare.py here.txt there.txt
"""

import math
import struct
import sys


def numbers(path):
    with open(path, encoding="utf-8") as file:
        status, *lines = file.read().split("\n")[:-1]
    bits = [line.split(" = ")[1] for line in lines]
    return status, [struct.unpack(">d", bytes.fromhex(text))[0] for text in bits], bits


def main():
    (status, here, bits), (other, there, other_bits) = map(numbers, sys.argv[1:3])
    if status != other or len(here) != len(there) or not here:
        sys.exit(f"{sys.argv[2]} says {other} with {len(there)} numbers, {sys.argv[1]} {status} with {len(here)}")
    if not all(map(math.isfinite, here + there)):  # max() passes over them
        sys.exit("a number is not finite")
    largest = max(map(abs, here))
    apart = max(abs(a - b) for a, b in zip(here, there)) / largest
    print(f"{sys.argv[2]}: {'the same bits' if bits == other_bits else f'apart by {apart:.1e} of the largest'}")
    if not apart <= 1e-12:
        sys.exit("further apart than 1e-12")


main()
