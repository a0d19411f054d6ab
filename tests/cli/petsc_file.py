# SPDX-License-Identifier: BSD-3-Clause
"""Binary files of PETSc beside the command. Usage: petsc_file.py CAIRN FOLDER [MPIEXEC]"""
import os, random, struct, subprocess, sys

cairn, folder, mpiexec = sys.argv[1:]
a, b, out = (os.path.join(folder, name) for name in ("a.petsc", "b.petsc", "b.mtx"))
draw = random.Random(int(os.environ.get("SEED_CLOCK", "1")))
MATRIX, VECTOR, SET = 1211216, 1211214, 1211218


def run(*words, ranks=1):
    """On several ranks no leaks are looked for: MPI keeps memory until a process ends."""
    launch = [mpiexec, "-n", str(ranks)] if ranks > 1 else []
    asan = os.environ.get("ASAN_OPTIONS", "") + (":detect_leaks=0" if ranks > 1 else "")
    return subprocess.run([*launch, cairn, *words], capture_output=True, text=True,
                          env=dict(os.environ, ASAN_OPTIONS=asan))


def must(*words, ranks=1):
    done = run(*words, ranks=ranks)
    assert done.returncode == 0, (words, ranks, done.stderr)


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


def get(path):
    with open(path, "rb") as file:
        return file.read()


def ints(numbers, width=4):
    return struct.pack(">%d%s" % (len(numbers), "i" if width == 4 else "q"), *numbers)


def reals(numbers):
    return struct.pack(">%dd" % len(numbers), *numbers)


def sparse(rows, columns, entries, width=4):
    """Entries {(i, j): v}; the columns of a row in any order."""
    lengths = [0] * rows
    for i, _ in entries:
        lengths[i] += 1
    keys = sorted(entries, key=lambda key: key[0])
    return (ints([MATRIX, rows, columns, len(keys), *lengths], width)
            + ints([j for _, j in keys], width) + reals([entries[key] for key in keys]))


def dense(rows, columns, entries, width=4):
    return (ints([MATRIX, rows, columns, -1], width)
            + reals([entries.get((i, j), 0) for i in range(rows) for j in range(columns)]))


def matrix(path):
    """Rows, columns and entries of a Matrix Market file."""
    with open(path) as file:
        lines = [line.split() for line in file if line[0] != "%"]
    return (int(lines[0][0]), int(lines[0][1]),
            {(int(i) - 1, int(j) - 1): float(v) for i, j, v in lines[1:]})


def some(rows, columns):
    share = draw.choice([0, 0.1, 0.4, 1])
    cells = [(i, j) for i in range(rows) for j in range(columns) if draw.random() < share]
    draw.shuffle(cells)
    return {cell: draw.choice([0.5, -3.25, 1e20, 7.0]) for cell in cells}


launches = [1, 2, 3] if mpiexec else [1]
for case in range(48):
    rows, columns = draw.randrange(0, 24), draw.randrange(0, 24)
    entries = some(rows, columns)
    width = (4, 8)[case % 2]
    data = (sparse if case % 5 else dense)(rows, columns, entries, width)
    if case % 3 == 0:  # what PETSc's examples have behind their matrices
        data += ints([VECTOR, 5], width) + reals([1.0] * 5)
    put(a, data)
    ranks = launches[case % len(launches)] if case < 9 else 1
    must("convert", a, "--to", "coo", "-o", out, ranks=ranks)
    assert matrix(out) == (rows, columns, entries), (case, ranks)

# Values to the bit, NaN and infinities too; a zero that is stored stays one.
odd = [0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), float("nan"), 0.0]
put(a, sparse(2, 9, {(k % 2, k): v for k, v in enumerate(odd)}))
must("convert", a, "--to", "csr", "-o", b)
assert get(b) == get(a)
must("convert", a, "--to", "ell", "-o", b)
assert get(b) == get(a)

# Written: the bytes of PETSc, on any number of ranks, with rows that have no entries.
for case in range(6):
    rows, columns = draw.randrange(1, 40), draw.randrange(1, 9)
    entries = {(i, j): v for (i, j), v in some(rows, columns).items() if i % 7 not in (0, 3)}
    entries = dict(sorted(entries.items()))
    put(a, sparse(rows, columns, entries))
    for ending, width in ("petsc", 4), ("petsc64", 8):
        path = os.path.join(folder, "w." + ending)
        for ranks in launches[:1 + case % 3]:
            must("convert", a, "--to", "csr", "-o", path, ranks=ranks)
            assert get(path) == sparse(rows, columns, entries, width), (case, ranks, ending)
        must("convert", path, "--to", "csr", "-o", b)
        assert get(b) == get(a), case
assert not os.path.exists(b + ".info")

# 32 bits where they suffice; what is called as the file's options is emptied.
put(b + ".info", b"-matload_block_size 3\n")
put(out, b"%%MatrixMarket matrix coordinate real general\n2 3000000000 1\n2 2999999999 4\n")
must("convert", out, "--to", "coo", "-o", b)
assert get(b) == sparse(2, 3000000000, {(1, 2999999998): 4.0}, 8)
assert get(b + ".info") == b""


def refused(data, words, ranks):
    put(a, data)
    said = None
    for ranks in sorted({1, ranks}):
        done = run("info", a, ranks=ranks)
        lines = [line for line in done.stderr.splitlines() if line.startswith("cairn: ")]
        assert done.returncode == 2 and len(lines) == 1, (words, ranks, done.stderr)
        assert words in lines[0] and (said or lines[0]) == lines[0], (words, lines, said)
        said = lines[0]


good = {(0, 0): 1.0, (0, 2): 2.0, (1, 1): 3.0, (2, 0): 4.0}
whole = sparse(3, 3, good)
head = ints([MATRIX, 3, 3, 4])
values = reals([1, 2, 3, 4])
for case, (data, words) in enumerate([
    (ints([VECTOR, 3]) + reals([1, 2, 3]), "byte 0: a PETSc file that begins with another object"),
    (ints([SET, 3], 8) + ints([1, 2, 3], 8), "class 1211218"),
    (ints([MATRIX, -3, 3, 4]) + whole[16:], "byte 4: -3 rows"),
    (ints([MATRIX, 3, -1, 4]) + whole[16:], "byte 8: -1 columns"),
    (ints([MATRIX, 3, 3, -2]) + whole[16:], "byte 12: -2 entries"),
    (ints([MATRIX, 3, 3, 1 << 30]) + whole[16:], "the file is cut"),
    (ints([MATRIX, 1 << 62, 3, 4], 8) + bytes(64), "the file is cut"),
    (ints([MATRIX, 1 << 40, 1 << 40, -1], 8) + bytes(64), "the file is cut"),
    (head + ints([2, -1, 3, 0, 2, 1, 0]) + values, "byte 20: row 1 has -1 entries"),
    (head + ints([2, 1, 5, 0, 2, 1, 0]) + values, "byte 24: row 2 has 5 entries"),
    (head + ints([2, 1, 0, 0, 2, 1, 0]) + values, "byte 16: the rows have fewer entries than the 4"),
    (head + ints([4, 4, 4, 0, 2, 1, 0]) + values, "byte 16: the rows have more entries than the 4"),
    (head + ints([2, 1, 1, 0, 3, 1, 0]) + values, "byte 32: row 0: column 3 is not within 0..2"),
    (head + ints([2, 1, 1, 0, 2, 1, -7]) + values, "byte 40: row 2: column -7"),
    (whole + b"more", "something else behind"),
    (whole[:44] + bytes(64), "byte 44: values of 16 bytes: complex"),
    (whole[:44 + 16], "byte 44: values of 4 bytes: single precision, or the file is cut"),
    (ints([MATRIX, (1 << 61) + 5, 0, 0], 8) + bytes(8), "the file is cut"),
]):
    refused(data, words, launches[-1] if case % 4 == 0 or "row" in words else 1)

# Damage: every cut, and one bit of every byte, is refused in one line or read.
for width in 4, 8:
    data = sparse(3, 3, good, width)
    for step in range(0, len(data), 4):
        put(a, data[:step] + bytes([data[step] ^ 1 << step % 8]) + data[step + 1:])
        done = run("info", a)
        assert done.returncode in (0, 2) and done.stderr.count("\n") <= 1, (step, done)
        put(a, data[:step])
        done = run("info", a)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (step, done)

# A tensor that is no matrix leaves an older file as it is.
tensor = os.path.join(folder, "t.tns")
put(tensor, b"1 1 1 5\n")
put(b, whole)
done = run("convert", tensor, "--to", "csf<3>", "-o", b)
assert done.returncode == 2 and "is no matrix" in done.stderr, done.stderr
assert get(b) == whole
assert not [name for name in os.listdir(folder) if ".part" in name]
print("ok")
