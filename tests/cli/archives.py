# SPDX-License-Identifier: BSD-3-Clause
"""Matrices as arrays by the names of binsparse, for scripts that have the command read and
write them. Their arguments: CAIRN FOLDER"""
import os, subprocess, sys
import numpy as np

cairn, folder = sys.argv[1:]
b = os.path.join(folder, "b.mtx")
rng = np.random.default_rng(int(os.environ.get("SEED_CLOCK", "1")))


def run(*words):
    return subprocess.run([cairn, *words], capture_output=True, text=True)


def must(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done.stderr)


def dense_of_mtx(path):
    lines = [line.split() for line in open(path) if line[0] != "%"]
    dense = np.zeros([int(n) for n in lines[0][:2]])
    for i, j, v in lines[1:]:
        dense[int(i) - 1, int(j) - 1] = float(v)
    return dense


def text_of(kind, shape, stored, version="0.1.0", **more):
    return {"binsparse": {"version": version, "format": kind, "shape": list(shape),
                          "number_of_stored_values": stored, "data_types": {}, **more}}


def compress(lines, across, many, listed, integer):
    """Pointers, or listed lines and pointers."""
    count = np.bincount(lines, minlength=many)
    names = {"indices_1": across.astype(integer)}
    if listed:
        names["indices_0"] = np.flatnonzero(count).astype(integer)
        count = count[count > 0]
    wide = np.promote_types(integer, np.min_scalar_type(across.size))
    names["pointers_to_1"] = np.concatenate([[0], np.cumsum(count)]).astype(wide)
    return names


def arrays_of(dense, kind, integer, real):
    """The arrays that a matrix has in a format of the specification."""
    if kind in ("DMAT", "DMATR", "DMATC"):
        flat = dense.flatten("F" if kind == "DMATC" else "C")
        return {"values": flat.astype(real)}
    i, j = np.nonzero(dense)
    if kind.endswith("C"):
        order = np.lexsort((i, j))
        i, j = i[order], j[order]
    names = {"values": dense[i, j].astype(real)}
    if kind in ("COO", "COOR", "COOC"):
        first, second = (j, i) if kind == "COOC" else (i, j)
        return {**names, "indices_0": first.astype(integer),
                "indices_1": second.astype(integer)}
    lines, across = (j, i) if kind.endswith("C") else (i, j)
    many = dense.shape[kind.endswith("C")]
    return {**names, **compress(lines, across, many, kind[0] == "D", integer)}


def dense_of_arrays(text, z):
    """As a reader has it that knows the specification alone."""
    shape, kind, stored = text["shape"], text["format"], text["number_of_stored_values"]
    values = z["values"]
    if text["data_types"]["values"].startswith("iso["):
        values = np.full(stored, values[0])
    assert text["data_types"]["values"].strip("iso[]") == str(z["values"].dtype)
    if kind.startswith("DMAT"):
        return values.reshape(shape, order="F" if kind == "DMATC" else "C")
    dense = np.zeros(shape)
    if kind == "COO":
        dense[z["indices_0"], z["indices_1"]] = values
        return dense
    lines = z["indices_0"] if kind[0] == "D" else np.arange(shape[kind.endswith("C")])
    lines = np.repeat(lines, np.diff(z["pointers_to_1"].astype(int)))
    across = z["indices_1"]
    dense[(across, lines) if kind.endswith("C") else (lines, across)] = values
    return dense


def draw(rows, columns):
    dense = rng.integers(-40, 40, (rows, columns)) / 4.0
    return dense * (rng.random((rows, columns)) < rng.random())


kinds = ["CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC", "DMAT", "DMATR", "DMATC"]
integers = ["uint64", "int64", "uint32", "int32", "uint16", "uint8"]


def put(dense):
    """Into the file of entries."""
    i, j = np.nonzero(dense)
    with open(b, "w") as out:
        out.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" %
                  (*dense.shape, i.size))
        out.writelines("%d %d %r\n" % (x + 1, y + 1, float(dense[x, y])) for x, y in zip(i, j))


def check_full(path):
    """Dense formats whose values are all one, or all zero, are read again."""
    for dense in np.full((3, 2), 7.0), np.zeros((2, 4)):
        put(dense)
        must("convert", b, "--to", "dense<2>", "-o", path)
        must("convert", path, "--to", "csr", "-o", b)
        assert np.array_equal(dense_of_mtx(b), dense), dense


def refused(path, words):
    done = run("info", path)
    assert done.returncode == 2 and words in done.stderr, (words, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
