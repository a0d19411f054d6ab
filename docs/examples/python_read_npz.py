# SPDX-License-Identifier: BSD-3-Clause
"""Any format of Cairn's out of an .npz that `cairn convert` wrote, with numpy alone.
Its text `cairn` says of each part how the levels number their nodes, so the walk below is
all there is to know: docs/language.md has the idea, docs/files.md the fields."""
import json
import sys

import numpy as np


def read(path):
    """Return the archive's arrays by name, and the text about them."""
    arrays = dict(np.load(path))
    return arrays, json.loads(str(arrays["cairn"]))["cairn"]


def take(arrays, of, per=1):
    """Elements of an array, which may be fields of structs, `per` side by side in each."""
    kind = np.dtype(of["type"])
    if of["length"] == 0:
        return np.empty(0, kind)
    shape, strides = (of["length"] // per, per), (of["stride"], kind.itemsize)
    return np.ndarray(shape, kind, arrays[of["array"]], of["offset"], strides).ravel()


def values_of(arrays, of, kind):
    """Values as the matrix has them, however they are stored."""
    stored = take(arrays, of, of["block"])
    if of["kind"] == "one":
        stored = np.repeat(stored, of["count"])
    if of["kind"] == "bfloat":  # the upper half of an f32
        stored = (stored.astype("<u4") << 16).view("<f4")
    if of["kind"] == "code":
        stored = take(arrays, of["dictionary"])[stored]
    return stored.astype(kind)


def indices_below(arrays, level, n, steps, last):
    """Of a level's nodes: under which of the n nodes above they are, and their indices."""
    lo, size, under = level["lo"], level["size"], np.arange(n)
    idx = take(arrays, level["idx"]).astype(np.int64) if "idx" in level else None
    if "over" in level:  # the levels above determine it: one index for each combination
        place = np.zeros(n, np.int64)
        for k in level["over"]:
            place = last if k < 0 else place * steps[k][2] + steps[k][0] - steps[k][1]
        return under, idx[place]
    if level["kind"] == "dense":
        return np.repeat(under, size), lo + np.tile(np.arange(size), n)
    if level["kind"] == "singleton":
        return under, idx
    ptr = np.array([0, level["nodes"]])  # at the top, where it is not stored
    if "ptr" in level:
        ptr = take(arrays, level["ptr"]).astype(np.int64)
    under = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    place = np.arange(len(under)) - ptr[under]
    return under, lo + place if idx is None else idx  # a ragged level has none


def part_entries(arrays, part, shape, kind):
    """Coordinates and values of one part."""
    n, last, steps, bank = 1, np.zeros(1, np.int64), [], part["bank"]
    for k in range(part["partition"], -1, -1):  # the bank's own indices of those levels
        lo, size = part["levels"][k]["lo"], part["levels"][k]["size"]
        bank, digit = divmod(bank, size)
        steps.insert(0, (np.array([lo + digit]), lo, size))
    for level in part["levels"][len(steps):]:
        under, index = indices_below(arrays, level, n, steps, last)
        steps = [(e[under], lo, size) for e, lo, size in steps]
        steps.append((index, level["lo"], level["size"]))
        n = len(index)
        last = last[under] if level["kind"] == "dense" or "over" in level else np.arange(n)
    values = values_of(arrays, part["values"], kind)
    keep = values != 0 if part["pads"] else np.ones(n, bool)
    found = []
    for d, extent in zip(part["dimensions"], shape):
        x = np.full(n, d["constant"])
        for factor, (e, *_) in zip(d["factors"], steps):
            x += factor * e
        x //= d["divisor"]
        keep &= (0 <= x) & (x < extent)  # what hangs over holds 0
        found.append(x)
    return [x[keep] for x in found] + [values[keep]]


def entries(path):
    """Return an array of indices for each dimension, and one of the values."""
    arrays, t = read(path)
    parts = [part_entries(arrays, part, t["shape"], t["type"]) for part in t["parts"]]
    return [np.concatenate(columns) for columns in zip(*parts)]


def matrix(path):
    import scipy.sparse
    rows, columns, values = entries(path)
    return scipy.sparse.coo_matrix((values, (rows, columns)), shape=read(path)[1]["shape"])


if __name__ == "__main__" and sys.argv[1:]:
    for entry in sorted(zip(*(x.tolist() for x in entries(sys.argv[1])))):
        print(*entry)
