# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of any format in an archive: read by a reader of 100 lines that knows nothing of
Cairn, and by SciPy where it has a class for them.
Usage: npz_formats.py CAIRN FOLDER READER"""
import importlib.util, itertools, json, os, subprocess, sys
import numpy as np

try:
    import scipy.sparse
except ImportError:
    scipy = None

cairn, folder, path_of_reader = sys.argv[1:]
with open(path_of_reader) as file:
    assert len(file.readlines()) <= 100, "the reader is longer than it says"
spec = importlib.util.spec_from_file_location("reader", path_of_reader)
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)
a, b = os.path.join(folder, "a.npz"), os.path.join(folder, "b.mtx")
rng = np.random.default_rng(int(os.environ.get("SEED_CLOCK", "1")))

FORMATS = """csr csc coo dcsr dcsc dense<2> dok lil dia dia-variant bcsr<2,2> bcsr<3,1> bcsc<2,3>
bcoo<2,2> bdcsr<3,2> csb<4,4> bdia<3> c2sr<3> ell sell<4> sell-sigma<2,8> bell<2> cisr<2>
cisr-plus<3> serpens<2,4,2> hybrid<bdia<4>,csr,0.6> hybrid<dia,ell,0.5> csf<2>""".split() + [
    # Levels in other orders, trims in the middle, tuples above values, other widths.
    "#encoding<{ idx_map<(d0,d1)->(d0/2,d1/2,d0%2,d1%2)>, mutation<merge(0,1,2), trim(2,3)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0+d1,d1)>, mutation<merge(0), trim(0,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d1-2*d0,d0)>, mutation<merge(0), trim(0,0)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0%3,d1%2,d0/3,d1/2)>, mutation<merge(0..2), trim(3,3)>, "
    "layout<partition(1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, layout<pack(1,2)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1/4,d1%4)>, mutation<merge(0), trim(1,1)>, "
    "layout<pack(1,1)> }>",
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
    "bits<idx(1) = 64, ptr(1) = 64> }>",
]
TYPES = {"f16": "float", "bf16": "bfloat", "f32": "float", "dict8": "code", "dict16": "code"}
CLASSES = {"csr": "csr", "csc": "csc", "coo": "coo", "dia": "dia", "dia-variant": "dia",
           "bcsr<2,2>": "bsr", "bcsr<3,1>": "bsr"}


def run(*words):
    return subprocess.run([cairn, *words], capture_output=True, text=True)


def must(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done.stderr)


def draw(rows, columns, values):
    dense = values[rng.integers(0, len(values), (rows, columns))]
    return dense * (rng.random((rows, columns)) < rng.choice([0, 0.05, 0.3, 1]))


def put(dense):
    i, j = np.nonzero(dense)
    with open(b, "w") as out:
        out.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n"
                  % (*dense.shape, i.size))
        out.writelines("%d %d %r\n" % (x + 1, y + 1, float(dense[x, y]))
                       for x, y in zip(i, j))


def dense_of(path, shape):
    dense, seen = np.zeros(shape), np.zeros(shape, bool)
    for i, j, v in zip(*reader.entries(path)):
        assert not seen[i, j], "an entry stands twice"
        dense[i, j], seen[i, j] = v, True
    return dense, seen


# Values that are stored as f64, i8, i16, f32 and one for all.
kinds = [rng.standard_normal(50), np.arange(1.0, 9), np.array([300.0, -7]),
         np.array([0.5, 1 / 1024 + 2.0 ** 14]), np.array([2.5])]
CLASSES[FORMATS[-1]] = "csr"
classes = set()
for case, (name, values) in enumerate(itertools.product(FORMATS, kinds)):
    rows, columns = 6 * rng.integers(1, 6, 2)
    if case % 4 == 0:
        rows, columns = rng.integers(1, 24, 2)
    dense = draw(rows, columns, values)
    dtype = ["f64", "f32"][case % 2]
    put(dense)
    must("convert", b, "--to", name, "-o", a, "--dtype", dtype)
    expected = dense.astype(np.float32) if dtype == "f32" else dense
    found, _ = dense_of(a, dense.shape)
    assert np.array_equal(found, expected), (name, dtype, case)
    must("format", name, b, "--json", os.path.join(folder, "f.json"), "--dtype", dtype)
    with open(os.path.join(folder, "f.json")) as file:
        assert reader.read(a)[1]["format"] == json.load(file)["format"]
    with np.load(a) as archive:
        kind = CLASSES.get(name)
        if kind == "bsr":
            r, c = (int(n) for n in name[5:-1].split(","))
            kind = kind if rows % r == columns % c == 0 else None
        assert ("format" in archive.files) == (kind is not None), (name, dense.shape)
    if kind and scipy:
        theirs = scipy.sparse.load_npz(a)
        assert theirs.format == kind and theirs.shape == dense.shape
        assert theirs.dtype == expected.dtype
        assert np.array_equal(theirs.toarray(), expected), (name, dense.shape)
        # SciPy and NumPy add up in orders of their own.
        x = np.arange(columns)
        assert np.allclose(theirs @ x, expected @ x, rtol=1e-5, atol=1e-3)
        classes.add(kind)
    if name in ("csr", "csc", "coo"):  # read by the command as ever
        must("convert", a, "--to", "coo", "-o", b)
assert not scipy or len(classes) == 5, classes

# Types that the text names are in the archive, where nobody else looks at the values.
exact = draw(9, 8, np.array([0.25, -3.0, 1.5, 7.0]))
put(exact)
for val, name in itertools.product(TYPES, ("sell<4>", "csr")):
    must("format", name, "--json", os.path.join(folder, "f.json"))
    with open(os.path.join(folder, "f.json")) as file:
        text = json.load(file)["format"][:-len(" }>")] + ", layout<val(%s)> }>" % val
    must("convert", b, "--to", text, "-o", a)
    assert np.array_equal(dense_of(a, exact.shape)[0], exact), text
    kind = reader.read(a)[1]["parts"][0]["values"]["kind"]
    assert kind == ("float" if name == "csr" else TYPES[val]), (text, kind)

# A zero that is stored stays where nothing pads; tensors of three dimensions.
with open(b, "w") as out:
    out.write("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0\n3 1 4\n")
must("convert", b, "--to", "dcsr", "-o", a)
assert dense_of(a, (3, 3))[1].sum() == 2
with open(os.path.join(folder, "t.tns"), "w") as out:
    out.write("1 2 3 4.5\n4 1 2 -1\n2 2 2 8\n")
must("convert", os.path.join(folder, "t.tns"), "--to", "csf<3>", "-o", a)
assert sorted(zip(*(x.tolist() for x in reader.entries(a)))) == [
    (0, 1, 2, 4.5), (1, 1, 1, 8.0), (3, 0, 1, -1.0)]

# What binsparse lacks is for readers of arrays; the command says so in one line.
must("convert", b, "--to", "bcsr<1,3>", "-o", a)
done = run("info", a)
assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
assert "a format of Cairn's alone" in done.stderr, done.stderr
assert not [name for name in os.listdir(folder) if ".part" in name]
print("ok" if scipy else "ok, but skipped: no SciPy to load them")
