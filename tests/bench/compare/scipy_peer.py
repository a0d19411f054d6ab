# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's side of the comparison (scipy.c): scipy_peer.py version | FILE.

FILE has a line of 256 bytes (operation, rows, columns, entries, columns of the operand,
block, element type) and the arrays. Then words come on standard input: "run" is answered
by the seconds that one run took, "result" by the raw product, or by the number of entries
and the sum over them.
"""
import sys
import time
import warnings

try:
    import numpy
    import scipy
    import scipy.sparse
except ImportError:
    sys.exit(77)

warnings.simplefilter("ignore")
if sys.argv[1] == "version":
    print(scipy.__version__)
    sys.exit(0)

with open(sys.argv[1], "rb") as file:
    words = file.read(256).split(b"\0")[0].decode().split()
    verb = words[0]
    rows, cols, nnz, k, block = map(int, words[1:6])
    first = numpy.fromfile(file, numpy.int32, nnz if verb.startswith("coo") else rows + 1)
    second = numpy.fromfile(file, numpy.int32, nnz)
    val = numpy.fromfile(file, words[6], nnz)
    x = numpy.fromfile(file, words[6], cols * k)
    if k > 1:
        x = x.reshape(cols, k)

if verb.startswith("coo"):
    a = scipy.sparse.coo_matrix((val, (first, second)), shape=(rows, cols))
else:
    a = scipy.sparse.csr_matrix((val, second, first), shape=(rows, cols))
run = {
    "product": lambda: a @ x,
    "csr-csc": lambda: a.tocsc(),
    "coo-csr": lambda: a.tocsr(),
    "coo-dia": lambda: a.todia(),
    "csr-bcsr": lambda: a.tobsr((block, block)),
}[verb]


def entries(made):
    """The number of entries, and the sum that tells them apart (bench_sum_of)."""
    made = made.tocoo()
    there = made.data != 0
    i = made.row[there].astype(numpy.uint64)
    j = made.col[there].astype(numpy.uint64)
    bits = numpy.ascontiguousarray(made.data[there], dtype=numpy.float64).view(numpy.uint64)
    weight = i * numpy.uint64(1000003) + j * numpy.uint64(998244353) + numpy.uint64(1)
    return "%d %d" % (bits.size, int((bits * weight).sum(dtype=numpy.uint64)))


made = None
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "run":
        made = None
        begin = time.perf_counter()
        made = run()
        print("%.9f" % (time.perf_counter() - begin), flush=True)
    elif verb == "product":
        print("bytes", flush=True)
        sys.stdout.buffer.write(numpy.ascontiguousarray(made).tobytes())
        sys.stdout.buffer.flush()
    else:
        with numpy.errstate(over="ignore"):
            print(entries(made), flush=True)
