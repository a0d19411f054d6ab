#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The least that ranks must send each other for y = A x, counted from the file alone.

Usage: nodes.py FILE CUT...   (a square Matrix Market file; rank r has the rows from the r-th
cut, from 0, up to the next, and the same of x)

Prints messages and bytes: one message from each rank that owns something which another one
reads, and 8 bytes for each column that a rank reads and does not own.
"""

import sys
from bisect import bisect_right


def entries(file):
    """Rows and columns, from 0, of all entries; of a symmetric file also those not written."""
    mirrored = file.readline().split()[4].lower() != "general"
    sizes = next(line for line in file if not line.startswith("%"))
    if len(set(sizes.split()[:2])) != 1:
        sys.exit("nodes.py: the matrix is not square")
    for line in file:
        words = line.split()
        if words:
            i, j = int(words[0]) - 1, int(words[1]) - 1
            yield i, j
            if mirrored and i != j:
                yield j, i


def main():
    cuts = [int(cut) for cut in sys.argv[2:]]
    needed = set()  # (rank, column)
    with open(sys.argv[1], encoding="ascii") as file:
        for i, j in entries(file):
            rank = bisect_right(cuts, i) - 1
            if not cuts[rank] <= j < cuts[rank + 1]:
                needed.add((rank, j))
    pairs = {(rank, bisect_right(cuts, j) - 1) for rank, j in needed}
    print(len(pairs), 8 * len(needed))


if __name__ == "__main__":
    main()
