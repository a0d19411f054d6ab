# SPDX-License-Identifier: BSD-3-Clause
"""One reading by SciPy ("scipy FILE") or by fast_matrix_market on N threads ("fmm N FILE").

Exits with 77 where the package is not installed. A file of one entry is read before the
clock starts, since packages load parts of themselves then.
"""
import io
import sys
import time

try:
    import numpy
    if sys.argv[1] == "scipy":
        import scipy.io
    else:
        import fast_matrix_market
except ImportError:
    sys.exit(77)



def read(file):
    if sys.argv[1] == "scipy":
        return scipy.io.mmread(file)
    return fast_matrix_market.mmread(file, parallelism=int(sys.argv[2]))


read(io.BytesIO(b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n"))
begin = time.perf_counter()
matrix = read(sys.argv[-1])
seconds = time.perf_counter() - begin

with numpy.errstate(over="ignore"):
    i = matrix.row.astype(numpy.uint64)
    j = matrix.col.astype(numpy.uint64)
    bits = numpy.ascontiguousarray(matrix.data, dtype=numpy.float64).view(numpy.uint64)
    weight = i * numpy.uint64(1000003) + j * numpy.uint64(998244353) + numpy.uint64(1)
    total = int((bits * weight).sum(dtype=numpy.uint64))
print("%.9f %d %d" % (seconds, matrix.nnz, total))
