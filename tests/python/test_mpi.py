# SPDX-License-Identifier: BSD-3-Clause
"""Matrices on several ranks. Every rank runs all of it: mpirun -n N python test_mpi.py"""

import gc
import os
import runpy
import sys
import tempfile

try:
    from mpi4py import MPI
except ImportError:
    print("skipped: no mpi4py here")
    sys.exit(77)

import numpy as np
import scipy.sparse as sp

import cairn
import cairn.mpi
from support import matrix

comm = MPI.COMM_WORLD
rng = np.random.default_rng(int(os.environ.get("SEED_CLOCK", "1")))


def refused(kind, words, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as error:
        assert words in str(error), str(error)
        return
    raise AssertionError(f"nobody says: {words}")


class Broken:
    """A matrix whose rows are not to be had."""

    def tocsr(self):
        raise MemoryError("made up")


def mine(n):
    """Rows of this rank: unlike many on each, none on some."""
    cuts = np.sort(rng.integers(0, n + 1, comm.size - 1)) if comm.size > 1 else []
    cuts = [0, *cuts, n]
    return slice(cuts[comm.rank], cuts[comm.rank + 1])


def whole(y):
    return np.concatenate(comm.allgather(y))


def close(found, expected, about):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=str(about))


def check(A, S, about):
    """Products of all shapes, and what comes out again."""
    assert A.shape == S.shape, (A.shape, about)
    x = rng.random((S.shape[1], 3))
    own = x[slice(*A.columns)]
    close(whole(A @ np.ascontiguousarray(own[:, 0])), S @ x[:, 0], about)
    close(whole(A @ own), S @ x, about)
    close(whole(A.dot(own[:, 1])), S @ x[:, 1], about)
    z = rng.random(S.shape[0])
    close(whole(A.T @ z[slice(*A.T.columns)]), S.T @ z, about)
    ptr = A.tocsr()
    assert ptr.shape == (A.rows[1] - A.rows[0], S.shape[1])
    close(ptr.toarray(), S.toarray()[slice(*A.rows)], about)
    shown = A.__binsparse_descriptor__()["binsparse"]
    assert shown["shape"] == list(ptr.shape), (shown, about)
    assert len(A.__binsparse__()["pointers_to_1"]) == ptr.shape[0] + 1


with cairn.mpi.Context(comm, threads=1) as context:
    assert f"{comm.size} ranks" in repr(context)
    for case, format in enumerate(["csr", "auto", "bdia<4>", "coo", "sell-sigma<2,8>",
                                   "hybrid<bdia<4>,csr,0.5>", "bcsr<2,2>"]):
        S, _ = matrix(rng, 23 + case, 23 + case, 0.3)
        rows = mine(S.shape[0])
        part = S[rows].asformat(["csr", "coo", "csc"][case % 3])
        A = cairn.tensor(part, format, context=context)
        check(A, S, format)
        if case < 2:  # New values, in the order of the rows that were given.
            A.update(2 * part.data)
            check(A, 2 * S, format)
        for to in "ell", "csr @ nnz":
            check(A.to(to), 2 * S if case < 2 else S, (format, to))
    # Arrays that are borrowed where they lie.
    S, _ = matrix(rng, 31, 31, 0.3)
    part = sp.csr_array(S[mine(31)])
    A = cairn.tensor(part, "csr", context=context)
    part.data *= 3
    A.update()
    check(A, 3 * S, "borrowed")
    # A matrix with other columns than rows; one with more ranks than rows.
    for shape in (17, 40), (40, 17), (2, 3):
        S, _ = matrix(rng, *shape, 0.4)
        check(cairn.tensor(S[mine(shape[0])], "csr", context=context), S, shape)
    # Entries on any rank.
    S, _ = matrix(rng, 19, 19, 0.5)
    coo = S.tocoo()
    its = slice(comm.rank, None, comm.size)
    A = cairn.tensor((coo.row[its], coo.col[its], coo.data[its], S.shape), "csr", context=context)
    check(A, S, "list")
    refused(cairn.CairnNotSupported, "a list of several ranks", A.update, coo.data[its])
    refused(cairn.CairnTypeError, "pickle", A.__reduce__)
    # Widths of indices, and of values, that are not the same on all ranks.
    last = comm.rank == comm.size - 1
    S, _ = matrix(rng, 29, 29, 0.3)
    S.data = S.data.astype(np.float32).astype(float)
    for format in "csr", "auto":
        part = sp.csr_array(S[mine(29)])
        part.indices = part.indices.astype(np.int64 if last else np.int32)
        part.indptr = part.indptr.astype(np.int32 if last else np.int64)
        part.data = part.data.astype(float if last else np.float32)
        A = cairn.tensor(part, format, context=context)
        assert A.dtype == np.float64
        check(A, S, format)
    its, coo = slice(comm.rank, None, comm.size), S.tocoo()
    kind = np.int64 if last else np.int32
    check(cairn.tensor((coo.row[its].astype(kind), coo.col[its].astype(kind), coo.data[its], S.shape),
                       "csr", context=context), S, "a list's widths")
    # Places: each rank's own, and what is wrong on one is told by all.
    S, _ = matrix(rng, 40, 40, 0.3)
    A = cairn.tensor(S[mine(40)], "hybrid<bdia<4>,csr,0.5>", context=context)
    P = A.plan("cpu:0" if last else None)
    check(P, S, "places")
    assert sorted({(p.rank, p.device) for p in P.placement}) == [(rank, "cpu:0") for rank in range(comm.size)]
    assert [each.rank for each in cairn.devices(context)] == list(range(comm.size))
    refused(cairn.CairnError, "no kind of device is called 'moon'", A.plan, "moon" if last else "cpu")
    refused(cairn.CairnError, "place: is a int", A.plan, 3 if last else None)
    check(A, S, "after a refusal")
    for path, words in ("a\0b", "path: has a NUL"), (3, "path: 3 is no path"):
        refused(cairn.CairnError, words, P.save_plan, path if last else "unused.json")
    assert not os.path.exists("unused.json")
    # Devices that one rank opens: all ranks make their plans anew.
    P = cairn.tensor(S[mine(40)], "cisr<512>", context=context).plan("pim" if last else None)
    check(P, S, "a rank's own device")
    assert [each.rank for each in cairn.devices(context) if each.id == "pim:0"] == [comm.size - 1]
    check(A, S, "plans made anew")
    # Tensors that are forgotten, on each rank at another time, and closed ones.
    del P
    kept, used = [], []
    for k in range(12):
        A = cairn.tensor(S[mine(40)], "ell", context=context)
        A @ np.ones(A.columns[1] - A.columns[0])
        if k % comm.size == comm.rank:
            kept.append(A)
        if k % 4 == comm.rank:
            kept.clear()
            gc.collect()
        used.append(len(context._all_stored()))
    kept.clear()
    assert used[-1] < used[0] + 10, used
    B = cairn.tensor(S[mine(40)], "ell", context=context)
    before, memory = len(context._all_stored()), context.memory
    array = B.arrays["val"] if last else None
    B.T.close()
    B.close()
    refused(cairn.CairnRuntimeError, "the tensor was closed", B.dot, np.ones(B.columns[1] - B.columns[0]))
    assert len(context._all_stored()) == before and array is None or array.sum() >= 0
    refused(cairn.CairnRuntimeError, "arrays of a tensor are in use", context.close)
    del array
    A.close()
    assert len(context._all_stored()) <= before - 2 and context.memory < memory
    A = cairn.tensor(S[mine(40)], "csr", context=context)
    S, _ = matrix(rng, 19, 19, 0.5)
    coo, first = S.tocoo(), comm.rank == 0
    A = cairn.tensor((coo.row[its], coo.col[its], coo.data[its], S.shape), "csr", context=context)
    # A file.
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    path = os.path.join(folder, "a.cairn")
    A.write(path)
    check(cairn.tensor(path, context=context), S, "file")
    # Each rank's own settings of a context; what is wrong on one is told by all.
    for named in (dict(devices="cpu"), dict(threads=1), dict(memory=2**30)):
        with cairn.mpi.Context(comm, **(named if last else {})) as own:
            check(cairn.tensor(S[mine(19)], "csr", context=own), S, named)
    for named, words in ((dict(devices="moon"), "no kind of device is called 'moon'"),
                         (dict(devices=3), "devices: is a int, no text"),
                         (dict(threads="many"), "threads: is 'many', no integer"),
                         (dict(memory=2**64), "is too large")):
        refused(cairn.CairnError, words, cairn.mpi.Context, comm, **(named if last else {}))
    # What is wrong on one rank is told by all.
    bad = (coo.row[its], coo.col[its], coo.data[its][:-1] if comm.rank == 0 else coo.data[its], S.shape)
    refused(cairn.CairnError, "values: has", cairn.tensor, bad, "csr", context=context)
    first = comm.rank == 0
    refused(Exception, "made up", cairn.tensor, Broken() if first else sp.csr_array(S[mine(19)]),
            context=context)
    if comm.size > 1:
        refused(cairn.CairnTypeError, "ranks disagree: csr on rank 0, coo on rank 1", cairn.tensor,
                sp.csr_array(S[:7]) if first else (coo.row, coo.col, coo.data, S.shape),
                context=context)
    refused(cairn.CairnTypeError, "is a ndarray", cairn.tensor, np.eye(3), context=context)
    refused(cairn.CairnTypeError, "no communicator", cairn.mpi.Context, 3)
    comm.barrier()
    if comm.rank == 0:
        os.remove(path)
        os.rmdir(folder)
refused(cairn.CairnRuntimeError, "was closed", A.__matmul__, np.ones(A.columns[1] - A.columns[0]))

# The example.
here = os.path.dirname(os.path.abspath(__file__))
names = runpy.run_path(os.path.join(here, "..", "..", "docs", "examples", "python_ranks.py"))
assert names["error"] < 1e-7 and names["steps"] > 10, names

# A communicator of some, while the others do something else; nothing is closed by hand.
some = comm.Split(0 if comm.rank == 0 else MPI.UNDEFINED)
if some != MPI.COMM_NULL:
    S, _ = matrix(rng, 9, 9)
    left = cairn.mpi.Context(some)
    B = cairn.tensor(S, "csr", context=left)
    np.testing.assert_allclose(B @ np.ones(9), S @ np.ones(9))
print("ok")
