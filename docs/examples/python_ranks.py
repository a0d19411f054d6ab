# SPDX-License-Identifier: BSD-3-Clause
"""A Poisson problem on the ranks of an MPI job, by conjugate gradients: each rank has some of
the grid's rows, makes these alone, and knows its elements of every vector.

    mpirun -n 2 python3 docs/examples/python_ranks.py
"""

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import cairn
import cairn.mpi

N = 60  # The grid is N x N.


def my_rows(comm):
    """The 5-point stencil's rows of this rank, with all columns."""
    first, end = (N * N * r // comm.size for r in (comm.rank, comm.rank + 1))
    row = np.arange(first, end)
    x, y = row % N, row // N
    entries = [(row, row, 4.0)]
    for inside, step in (x > 0, -1), (x < N - 1, 1), (y > 0, -N), (y < N - 1, N):
        entries.append((row[inside], row[inside] + step, -1.0))
    rows, cols = (np.concatenate([e[k] for e in entries]) for k in (0, 1))
    values = np.concatenate([np.full(len(e[0]), e[2]) for e in entries])
    return sp.csr_array((values, (rows - first, cols)), shape=(end - first, N * N))


def dot(comm, a, b):
    return comm.allreduce(float(a @ b))


def solve(comm, A, b, tolerance):
    """x with |b - A x| at most tolerance |b|, and how many steps it took."""
    x, r = np.zeros_like(b), b.copy()
    p, rr, steps = r.copy(), dot(comm, r, r), 0
    limit = tolerance**2 * rr
    while rr > limit:
        q = A @ p
        alpha = rr / dot(comm, p, q)
        x += alpha * p
        r -= alpha * q
        before, rr = rr, dot(comm, r, r)
        p = r + rr / before * p
        steps += 1
    return x, steps


comm = MPI.COMM_WORLD
with cairn.mpi.Context(comm) as context:
    A = cairn.tensor(my_rows(comm), "bdia<64>", context=context)
    b = np.ones(A.rows[1] - A.rows[0])
    x, steps = solve(comm, A, b, 1e-10)
    error = comm.allreduce(float(np.abs(b - A @ x).max()), MPI.MAX)
    if comm.rank == 0:
        print(f"{A.shape[0]} unknowns on {comm.size} ranks: {steps} steps, residual below "
              f"{10.0 ** np.ceil(np.log10(error)):.0e}")
