# SPDX-License-Identifier: BSD-3-Clause
"""Archives that numpy writes and reads, beside the command. Usage: npz.py CAIRN FOLDER"""
import json, os
import numpy as np
from archives import (arrays_of, b, check_full, dense_of_arrays, dense_of_mtx, draw, folder, integers, kinds,
                      must, put, refused, rng, run, text_of)

a = os.path.join(folder, "a.npz")


def save(path, text, **arrays):
    np.savez(path, binsparse=np.array(json.dumps(text)), **arrays)


def dense_of_archive(path):
    z = np.load(path)
    return dense_of_arrays(json.loads(str(z["binsparse"]))["binsparse"], z)


for case in range(60):
    dense = draw(*rng.integers(1, 30, 2))
    kind = kinds[case % len(kinds)]
    arrays = arrays_of(dense, kind, integers[case % len(integers)], ["f8", "f4"][case % 2])
    if case % 3 == 0 and np.all(dense == np.rint(dense)):
        arrays["values"] = arrays["values"].astype("i2")
    if case % 7 == 0 and kind == "DMATC":
        arrays["values"] = np.asfortranarray(dense)
    save(a, text_of(kind, dense.shape, arrays["values"].size,
                    "0.1" if case % 2 else "0.1.0"), **arrays)
    must("convert", a, "--to", "csr", "-o", b)
    assert np.array_equal(dense_of_mtx(b), dense), (case, kind)

for case in range(40):
    dense = draw(*rng.integers(1, 30, 2))
    if case % 4 == 0:
        dense[dense != 0] = 2.5
    put(dense)
    to = ["csr", "csc", "coo", "dcsr", "dcsc", "dense<2>"][case % 6]
    dtype = ["f64", "f32"][case % 2]
    must("convert", b, "--to", to, "-o", a, "--dtype", dtype)
    assert np.array_equal(dense_of_archive(a), dense), (case, to)
    must("convert", a, "--to", "coo", "-o", b)
    assert np.array_equal(dense_of_mtx(b), dense), (case, to)

# One value for all; triangles; vectors; repeats are added; arrays that nobody asks for.
entries = dict(indices_0=np.array([1, 2, 2]), indices_1=np.array([0, 0, 1]))
save(a, text_of("COO", (3, 3), 3, data_types={"values": "iso[float64]"}),
     values=np.array([4.0]), more=np.arange(3), **entries)
must("convert", a, "--to", "csr", "-o", b)
assert dense_of_mtx(b).tolist() == [[0, 0, 0], [4, 0, 0], [4, 4, 0]]
values = np.array([1.0, 2.0, 3.0])
lower = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
for name, sign in ("symmetric_", 1), ("skew_symmetric_", -1):
    save(a, text_of("COO", (3, 3), 3, structure=name + "lower"), values=values, **entries)
    must("convert", a, "--to", "csr", "-o", b)
    assert np.array_equal(dense_of_mtx(b), np.tril(lower) + sign * np.triu(lower))
    save(a, text_of("COO", (3, 3), 3, structure=name + "upper"), values=values,
         indices_0=entries["indices_1"], indices_1=entries["indices_0"])
    must("convert", a, "--to", "csr", "-o", b)
    assert np.array_equal(dense_of_mtx(b), sign * np.tril(lower) + np.triu(lower))
save(a, text_of("CVEC", (9,), 2), values=values[:2], indices_0=np.array([3, 8]))
must("convert", a, "--to", "csf<1>", "-o", os.path.join(folder, "v.tns"))
assert open(os.path.join(folder, "v.tns")).read().split() == ["4", "1", "9", "2"]
for shape in (3, 1), (1, 3):  # One line lies in both orders, and numpy says one of them.
    save(a, text_of("DMATC", shape, 3), values=np.asfortranarray(values.reshape(shape)))
    must("convert", a, "--to", "csr", "-o", b)
    assert dense_of_mtx(b).flatten().tolist() == [1, 2, 3]
save(a, text_of("DVEC", (3,), 3), values=values)
must("info", a)
save(a, text_of("COO", (3, 3), 3), values=values, indices_0=np.array([1, 1, 1]),
     indices_1=np.array([2, 2, 0]))
must("convert", a, "--to", "csr", "-o", b)
assert dense_of_mtx(b).tolist() == [[0, 0, 0], [3, 0, 3], [0, 0, 0]]


good = dict(values=values, pointers_to_1=np.array([0, 1, 2, 3]), indices_1=np.array([0, 1, 2]))
csr = text_of("CSR", (3, 3), 3)
for change, words in [
    (dict(indices_1=np.array([0, 1, 3])), "index 3 is not within 0..2"),
    (dict(indices_1=np.array([0, -1, 2])), "index -1"),
    (dict(indices_1=np.array([0.0, 1, 2])), "no integers"),
    (dict(indices_1=np.array([0, 1])), "it has 2 elements, not 3"),
    (dict(pointers_to_1=np.array([0, 2, 1, 3])), "pointers_to_1[2]: 1"),
    (dict(pointers_to_1=np.array([1, 1, 2, 3])), "pointers_to_1[0]: 1"),
    (dict(pointers_to_1=np.array([0, 1, 2, 4])), "pointers_to_1[3]: 4"),
    (dict(pointers_to_1=np.array([0, 3])), "2 elements, not 4"),
    (dict(values=values + 1j), "complex"),
    (dict(values=values.astype(">f8")), "big-endian"),
    (dict(values=np.zeros((3, 1, 1))), "three dimensions"),
]:
    save(a, csr, **{**good, **change})
    refused(a, words)
for text, words in [
    (text_of("CSR", (3, 3), 3, "0.2"), "version 0.2"),
    (text_of("CSF", (3, 3), 3), "format CSF"),
    (text_of("CSR", (3,), 3), "shape"),
    (text_of("CSR", (3, -3), 3), "extent 1"),
    (text_of("CSR", (3, 3), 4), "elements"),
    (text_of("CSR", (3, 3), 3, fill=True), "fill"),
    (text_of("CSR", (3, 3), 3, structure="hermitian_lower"), "hermitian_lower"),
    (text_of("CSR", (3, 4), 3, structure="symmetric_lower"), "not square"),
    (text_of("DMAT", (1 << 30, 1 << 30), 1 << 60, data_types={"values": "iso[f8]"}), "dense"),
    ({"other": 1}, "no object"),
]:
    save(a, text, **good)
    refused(a, words)
np.savez(a, **good)
refused(a, "no text \"binsparse\"")
np.savez_compressed(a, binsparse=np.array(json.dumps(csr)), **good)
refused(a, "compressed")

# Damage: every cut, and one bit of every byte.
save(a, csr, **good)
whole = open(a, "rb").read()
for step in range(0, len(whole), 7):
    for damaged in whole[:step], whole[:step] + bytes([whole[step] ^ 1 << step % 8]) + whole[step + 1:]:
        open(a, "wb").write(damaged)
        done = run("info", a)
        assert done.returncode in (0, 2) and done.stderr.count("\n") <= 1, (step, done)
        assert done.returncode == 2 or len(damaged) == len(whole), step

# What fails leaves an older file as it is.
open(b, "w").write("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n")
open(a, "wb").write(whole)
done = run("convert", b, "--to", "csr", "-o", a, "--memory", "1")
assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
assert open(a, "rb").read() == whole
assert not [name for name in os.listdir(folder) if ".part" in name]
check_full(a)
print("ok")
