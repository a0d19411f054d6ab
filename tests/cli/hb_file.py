# SPDX-License-Identifier: BSD-3-Clause
"""Harwell-Boeing files that the command writes, read by cards here, by SciPy and by the
command itself. Usage: hb_file.py CAIRN FOLDER [MPIEXEC]"""
import os, random, re, struct, subprocess, sys

try:
    import scipy.io
except ImportError:
    scipy = None

cairn, folder, mpiexec = sys.argv[1:]
draw = random.Random(int(os.environ.get("SEED_CLOCK", "1")))
launches = [1, 2, 3] if mpiexec else [1]
mtx, back = (os.path.join(folder, name) for name in ("a.mtx", "back.mtx"))


def at(name):
    return os.path.join(folder, name)


def run(*words, ranks=1):
    """On several ranks no leaks are looked for: MPI keeps memory until a process ends."""
    launch = [mpiexec, "-n", str(ranks)] if ranks > 1 else []
    asan = os.environ.get("ASAN_OPTIONS", "") + (":detect_leaks=0" if ranks > 1 else "")
    return subprocess.run([*launch, cairn, *words], capture_output=True, text=True,
                          env=dict(os.environ, ASAN_OPTIONS=asan))


def must(*words, ranks=1):
    done = run(*words, ranks=ranks)
    assert done.returncode == 0, (words, ranks, done.stderr)


def bits(entries):
    """NaNs have no sign in text."""
    return {key: "nan" if v != v else struct.pack("d", v) for key, v in entries.items()}


def put_matrix(rows, columns, entries):
    with open(mtx, "w") as file:
        file.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n"
                   % (rows, columns, len(entries)))
        for (i, j), v in entries.items():
            file.write("%d %d %r\n" % (i + 1, j + 1, v))


def get_matrix(path):
    with open(path) as file:
        lines = [line.split() for line in file if line[0] != "%"]
    return (int(lines[0][0]), int(lines[0][1]),
            {(int(i) - 1, int(j) - 1): float(v) for i, j, v in lines[1:]})


def fields(lines, form, count):
    """Take the cards of a section: fields of one width, as many on each as the form says."""
    repeat, width = (int(n) for n in re.match(r"\((\d+)[IE](\d+)", form).groups())
    found = []
    for first in range(0, count, repeat):
        line = lines.pop(0)
        here = min(repeat, count - first)
        assert len(line) == here * width <= 80, line
        found += [line[k * width:(k + 1) * width] for k in range(here)]
    return found


def cards(path):
    """Type, rows, columns and the stored entries of a file, column by column."""
    with open(path) as file:
        lines = file.read().split("\n")
    assert lines.pop() == ""
    title, counts, sizes, forms = (lines.pop(0) for _ in range(4))
    assert len(title) == 80 and len(counts) == len(sizes) == 70 and len(forms) == 72
    total, *sections, rhs = (int(counts[k:k + 14]) for k in range(0, 70, 14))
    rows, columns, stored, elements = (int(sizes[k:k + 14]) for k in range(14, 70, 14))
    assert total == sum(sections) == len(lines) and rhs == elements == 0
    pointers = [int(f) for f in fields(lines, forms[:16], columns + 1)]
    assert sections[0] == total - len(lines)
    indices = [int(f) for f in fields(lines, forms[16:32], stored)]
    values = [1.0] * stored
    if sizes[0] != "P":
        assert forms[32:].strip() == "(3E26.16)"
        values = [float(f) for f in fields(lines, forms[32:], stored)]
    assert not lines and pointers[0] == 1 and pointers[-1] == stored + 1
    found = {}
    for j in range(columns):
        part = range(pointers[j] - 1, pointers[j + 1] - 1)
        assert all(indices[p] < indices[p + 1] for p in part[:-1]), "rows ascend"
        found.update({(indices[p] - 1, j): values[p] for p in part})
    assert len(found) == stored
    return sizes[:14].strip(), rows, columns, found


SPECIAL = [0.1, -0.0, 5e-324, -2.2250738585072011e-308, 1.7976931348623157e308, 1e100, 0.0,
           float("inf"), float("-inf"), float("nan"), 123456789012345678.0]


def value():
    if draw.random() < 0.3:
        return draw.choice(SPECIAL)
    number = struct.unpack("d", struct.pack("Q", draw.getrandbits(64)))[0]
    return number if number == number else 1 / 3


def some(rows, columns):
    share = draw.choice([0, 0.1, 0.4, 1])
    return {(i, j): value() for i in range(rows) for j in range(columns)
            if draw.random() < share}


by_scipy = 0
for case in range(40):
    rows, columns = draw.randrange(0, 26), draw.randrange(0, 26)
    entries = some(rows, columns)
    put_matrix(rows, columns, entries)
    path = at(("x.rua", "x.hb")[case % 2])
    ranks = launches[case % len(launches)] if case < 6 else 1
    must("convert", mtx, "--to", "csr", "-o", path, ranks=ranks)
    kind, *shape, found = cards(path)
    assert kind == "RUA" and shape == [rows, columns], (case, kind, shape)
    assert bits(found) == bits(entries), (case, ranks)
    must("convert", path, "--to", "coo", "-o", back)
    assert bits(get_matrix(back)[2]) == bits(entries), (case, ranks)
    if scipy and columns and entries:
        theirs = scipy.io.hb_read(path).tocoo()
        assert theirs.shape == (rows, columns)
        assert bits({(i, j): v for i, j, v in zip(theirs.row.tolist(), theirs.col.tolist(),
                                                  theirs.data.tolist())}) == bits(entries)
        by_scipy += 1
assert not scipy or by_scipy > 10

# More than one chunk of text, wide numbers, and formats that pad; the same bytes on any
# number of ranks. (The diagonals begin and end with zeros that only the source has.)
put_matrix(70000, 3, {(i, i % 3): 1 / (i + 1) for i in range(0, 70000, 7)})
for ranks in launches:
    must("convert", mtx, "--to", "ell", "-o", at("%d.rua" % ranks), ranks=ranks)
    with open(at("1.rua"), "rb") as one, open(at("%d.rua" % ranks), "rb") as file:
        assert one.read() == file.read(), ranks
assert cards(at("1.rua"))[3] == get_matrix(mtx)[2]

# Symmetric matrices have their lower triangle, patterns no values.
for case in range(16):
    n, ones = draw.randrange(0, 20), case % 2 == 0
    lower = {(i, j): 1.0 if ones else v for (i, j), v in some(n, n).items() if i >= j}
    whole = {**lower, **{(j, i): v for (i, j), v in lower.items()}}
    put_matrix(n, n, whole)
    for ending in ("psa", "rsa", "pua") if ones else ("rsa",):
        path = at("s." + ending)
        ranks = launches[(case + 1) % len(launches)] if case < 4 else 1
        must("convert", mtx, "--to", "csr", "-o", path, ranks=ranks)
        kind, *_, found = cards(path)
        assert kind == ending.upper()
        assert bits(found) == bits(whole if ending == "pua" else lower), (case, ranks)
        must("convert", path, "--to", "csr", "-o", back)
        assert bits(get_matrix(back)[2]) == bits(whole), (case, ranks)
must("generate", "fem3", "--n", "60", "--degree", "5", "-o", at("f.mtx"))
for ranks in launches[-1:]:
    must("generate", "fem3", "--n", "60", "--degree", "5", "-o", at("f.rsa"), ranks=ranks)
    must("convert", at("f.rsa"), "--to", "csr", "-o", back)
    assert get_matrix(back) == get_matrix(at("f.mtx")), ranks


def refused(ending, rows, columns, entries, words):
    """In one line, the same on any number of ranks, and an older file stays."""
    path, said = at("r." + ending), None
    put_matrix(rows, columns, entries)
    with open(path, "w") as file:
        file.write("older")
    for ranks in sorted({1, draw.choice(launches)}):
        done = run("convert", mtx, "--to", "coo", "-o", path, ranks=ranks)
        lines = [line for line in done.stderr.splitlines() if line.startswith("cairn: ")]
        assert done.returncode == 2 and len(lines) == 1, (words, ranks, done.stderr)
        assert words in lines[0] and (said or lines[0]) == lines[0], (words, lines, said)
        said = lines[0]
        with open(path) as file:
            assert file.read() == "older"


refused("rsa", 3, 4, {}, "a symmetric matrix is square, but this is 3 x 4: write it as .rua")
refused("psa", 4, 3, {}, "write it as .pua")
near = 1.0 + 2.0 ** -52
refused("rsa", 3, 3, {(0, 1): 1.0, (1, 0): near, (2, 2): 5.0},
        "entry (1, 2) is not its mirror image to the bit: write it as .rua")
refused("rsa", 9, 9, {(0, 0): 1.0, (7, 8): 1.0}, "entry (8, 9) is not its mirror image")
refused("rsa", 9, 9, {(8, 7): 1.0, (0, 0): 1.0}, "entry (9, 8) is not its mirror image")
refused("rsa", 2, 2, {(0, 1): 0.0, (1, 0): -0.0}, "entry (1, 2) is not its mirror image")
refused("psa", 3, 3, {(0, 1): 1.0}, "write it as .pua")
refused("pua", 3, 3, {(0, 0): 1.0, (2, 1): near}, "entry (3, 2) is 1.0000000000000002: a pattern")
refused("psa", 2, 2, {(0, 1): 2.0, (1, 0): 2.0}, "write it as .rsa")
refused("rua", 10 ** 14, 2, {(5, 1): 2.0}, "100000000000000 rows: Harwell-Boeing has 14 digits")
refused("hb", 2, 10 ** 14, {(0, 1): 2.0}, "100000000000000 columns: Harwell-Boeing")
put_matrix(10 ** 14 - 1, 2, {(10 ** 14 - 2, 1): 2.0})
must("convert", mtx, "--to", "coo", "-o", at("x.rua"))
assert cards(at("x.rua"))[1:] == (10 ** 14 - 1, 2, {(10 ** 14 - 2, 1): 2.0})
with open(at("t.tns"), "w") as file:
    file.write("1 1 1 5\n")
done = run("convert", at("t.tns"), "--to", "csf<3>", "-o", at("x.rua"))
assert done.returncode == 2 and "a tensor of order 3 is no matrix" in done.stderr, done.stderr
assert not [name for name in os.listdir(folder) if ".part" in name]
print("ok" if scipy else "ok, but skipped: no SciPy to read them")
