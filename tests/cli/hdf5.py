# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files that h5py writes and reads, beside the command. Usage: hdf5.py CAIRN FOLDER"""
import json, os, sys
import h5py
import numpy as np
from archives import (arrays_of, b, check_full, dense_of_arrays, dense_of_mtx, draw, folder, integers, kinds,
                      must, put, refused, rng, run, text_of)

a = os.path.join(folder, "a.h5")


def save(text, group=None, options={}, **arrays):
    """As libraries do: texts of fixed length or not, in the root or a group, in chunks or not."""
    with h5py.File(a, "w") as file:
        to = file.create_group(group) if group else file
        to.attrs["binsparse"] = json.dumps(text) if rng.random() < 0.5 else \
            np.bytes_(json.dumps(text))
        for name, array in arrays.items():
            to.create_dataset(name, data=array, **(options if array.size else {}))
        if group:
            file.create_group("of_others").create_dataset("values", data=np.arange(3))


put(np.eye(2))
done = run("convert", b, "--to", "csr", "-o", a)
if done.returncode == 1 and "hdf5:" in done.stderr:
    sys.exit(77)

# What h5py writes.
ways = [{}, dict(chunks=True), dict(chunks=True, compression="gzip", shuffle=True),
        dict(chunks=True, fletcher32=True)]
for case in range(60):
    dense = draw(*rng.integers(1, 30, 2))
    kind = kinds[case % len(kinds)]
    arrays = arrays_of(dense, kind, integers[case % len(integers)], ["f8", "f4", ">f8"][case % 3])
    if kind in ("DMAT", "DMATR") and case % 4:
        arrays["values"] = arrays["values"].reshape(dense.shape)
    save(text_of(kind, dense.shape, dense.size if kind[:2] == "DM" else np.count_nonzero(dense)),
         ["", "matrix"][case % 2], ways[case % 4], **arrays)
    must("convert", a, "--to", "csr", "-o", b)
    assert np.array_equal(dense_of_mtx(b), dense), (case, kind)
# More than the reader has in memory at a time: rows of two dimensions are cut anywhere.
dense = rng.integers(-9, 9, (997, 101)).astype(float)
save(text_of("DMATR", dense.shape, dense.size), values=dense)
must("convert", a, "--to", "csr", "-o", b)
assert np.array_equal(dense_of_mtx(b), dense)

# What h5py reads: formats that binsparse has, and arrays of any other with a text of ours.
for case in range(30):
    dense = draw(*rng.integers(1, 30, 2))
    if case % 4 == 0:
        dense[dense != 0] = 2.5
    put(dense)
    to = ["csr", "csc", "coo", "dcsr", "dcsc", "dense<2>"][case % 6]
    must("convert", b, "--to", to, "-o", a, "--dtype", ["f64", "f32"][case % 2])
    with h5py.File(a) as file:
        text = json.loads(file.attrs["binsparse"])["binsparse"]
        arrays = {name: np.asarray(file[name]) for name in file if name != "cairn"}
    assert np.array_equal(dense_of_arrays(text, arrays), dense), (case, to)
    must("convert", a, "--to", "coo", "-o", b)
    assert np.array_equal(dense_of_mtx(b), dense), (case, to)
    once = open(a, "rb").read()
    must("convert", b, "--to", to, "-o", a, "--dtype", ["f64", "f32"][case % 2])
    assert open(a, "rb").read() == once, "other bytes at another time"
must("convert", b, "--to", "bdia<3>", "-o", a)
with h5py.File(a) as file:
    ours = json.loads(file["cairn"][()])["cairn"]
    assert "binsparse" not in file.attrs and "#encoding" in json.dumps(ours)
    assert len(file) > 2 and all('"%s"' % name in json.dumps(ours) for name in file if name != "cairn")
refused(a, "a format of Cairn's alone")

check_full(a)

# MATLAB 7.3, behind a block of its own, and what PETSc calls hdf5_mat; nothing stored.
for case in range(12):
    dense = draw(*rng.integers(1, 20, 2)) if case else np.zeros((4, 3))
    j, i = np.nonzero(dense.T)
    with h5py.File(a, "w", **(dict(userblock_size=512) if case % 2 else {})) as file:
        to = file.create_group("A")
        to.attrs["MATLAB_class"] = np.bytes_("double")
        to.attrs["MATLAB_sparse"] = np.uint64(dense.shape[0])
        to["jc"] = np.concatenate([[0], np.cumsum(np.bincount(j, minlength=dense.shape[1]))]).astype("u8")
        if i.size:
            to["ir"] = i.astype(["u8", "i4"][case % 2])
            to["data"] = dense[i, j]
    if case % 2:
        with open(a, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(128))
    must("convert", a, "--to", "csr", "-o", b)
    assert np.array_equal(dense_of_mtx(b), dense), case

# What is not such a file, or lies.
values = np.array([1.0, 2.0, 3.0])
good = dict(values=values, pointers_to_1=np.array([0, 1, 2, 3]), indices_1=np.array([0, 1, 2]))
csr = text_of("CSR", (3, 3), 3)
for change, words in [
    (dict(indices_1=np.array([0, 1, 3])), "index 3 is not within 0..2"),
    (dict(indices_1=np.array([0.0, 1, 2])), "no integers"),
    (dict(indices_1=np.array([0, 1])), "it has 2 elements, not 3"),
    (dict(pointers_to_1=np.array([0, 2, 1, 3])), "pointers_to_1[2]: 1"),
    (dict(values=values + 1j), "complex"),
    (dict(values=np.array([b"a", b"b", b"c"])), "texts"),
    (dict(values=np.zeros((3, 1, 1))), "three dimensions"),
]:
    save(csr, **{**good, **change})
    refused(a, words)
save({"other": 1}, **good)
refused(a, "no object")
with h5py.File(a, "w") as file:
    file["values"] = values
refused(a, "no group with an attribute")
with h5py.File(a, "w") as file:
    for name in "A", "B":
        file.create_group(name).attrs["MATLAB_sparse"] = np.uint64(3)
refused(a, "several matrices: A, B")
with h5py.File(a, "w") as file:
    file.create_group("A").attrs["MATLAB_sparse"] = np.float64(3)
refused(a, "no number of rows")
save(csr, **{name: array for name, array in good.items() if name != "values"})
refused(a, "values: it is missing")
# Sizes that nothing is behind: of elements, of chunks.
huge = 1 << 40
for options, words in [(dict(chunks=(1 << 10,)), "0 bytes are stored"),
                       (dict(chunks=(1 << 24,)), "chunks are of more than 64 MiB"),
                       ({}, "0 bytes are stored")]:
    save(text_of("DVEC", (huge,), huge))
    with h5py.File(a, "r+") as file:
        file.create_dataset("values", (huge,), "f8", **options)
    refused(a, words)

# Cut anywhere it is refused in one line; so is what only begins like it.
save(csr, **good)
whole = open(a, "rb").read()
for length in range(0, len(whole), 101):
    with open(a, "wb") as file:
        file.write(whole[:length])
    done = run("info", a)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, (length, done)

# Bytes that are others, the same in every run, since what they do is the library's, which may
# end the process, and reads past its own arrays (a sanitizer says): where it does not, it says
# nothing by itself, at its end neither.
damage = np.random.default_rng(5)
for case in range(0 if "ASAN_OPTIONS" in os.environ else 80):
    damaged = bytearray(whole)
    for at in damage.integers(0, min(len(whole), 2600), 1 + case % 4):
        damaged[at] = damage.integers(256)
    with open(a, "wb") as file:
        file.write(damaged)
    done = run("info", a)
    assert done.returncode < 0 or (
        done.returncode in (0, 2) and done.stderr.count("\n") == done.returncode // 2), (case, done)

# What fails leaves an older file as it is, and nothing else.
put(np.eye(2))
with open(a, "wb") as file:
    file.write(whole)
done = run("convert", b, "--to", "csr", "-o", a, "--memory", "1")
assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
assert open(a, "rb").read() == whole
assert sorted(os.listdir(folder)) == ["a.h5", "b.mtx"], os.listdir(folder)
print("ok")
