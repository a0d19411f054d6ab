# SPDX-License-Identifier: BSD-3-Clause
"""Matrices whose rows are on the ranks of an MPI job.

    from mpi4py import MPI
    import cairn, cairn.mpi

    with cairn.mpi.Context(MPI.COMM_WORLD) as context:
        A = cairn.tensor(my_rows, context=context)  # this rank's rows, all columns
        y = A @ x                                   # this rank's elements of x and of y

Needs mpi4py and a library that was built with the MPI that mpi4py was built with: that of
Debian's package, or `pip install . --config-settings mpi=on`.

Making tensors, products, conversions, update() and close() are collective: all ranks call
them, in the same order.
"""

import atexit
import ctypes
import os

from mpi4py import MPI

from . import _context, _errors, _inputs
from ._library import lib

__all__ = ["Context"]

_open = []  # Contexts in the order in which they were made, the same on all ranks.


class Context(_context.Context):
    """What tensors on the ranks of a communicator share.

    comm      mpi4py's; the library has a duplicate of its own.
    threads   Of each rank; None: CAIRN_THREADS, OMP_NUM_THREADS, or the rank's cores.
    memory    Bytes for each rank; None: CAIRN_MEMORY, or the rank's part of half of what
              the machine has available.

    A tensor is made of each rank's consecutive rows with all columns (what has tocsr(), or
    compressed rows), of a list (rows, cols, values, shape) of any entries on any ranks, or
    of a file. A.shape is the matrix's, A.rows and A.columns say which elements of y and of
    x are this rank's.

    Tensors stay until close(), since ranks collect garbage at different times and have to
    take their messages apart together; what is still open when Python ends is closed then,
    before MPI is.
    """

    lends = False

    def __init__(self, comm, threads=None, memory=None):
        if not isinstance(comm, MPI.Comm) or comm == MPI.COMM_NULL:
            raise _errors.CairnTypeError("Context: comm: is no communicator of mpi4py's")
        self._comm = comm
        self._made = []
        super().__init__(threads, memory)
        _open.append(self)

    def __repr__(self):
        return f"<cairn.mpi.Context of {self._comm.size} ranks, {self.threads} threads each>"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        # Ranks that go on cannot be waited for by one that failed.
        if error[0] is None:
            self.close()

    def close(self):
        """End all tensors of the context, and the context. Collective."""
        if self._closed:
            return
        _open.remove(self)
        for tensor in list(self._tensors):
            tensor._vector = None
        for stored in self._made:
            stored.closed = True
            stored._leave()
        self._made.clear()
        self._closed = True
        self._leave()

    def _create(self, out):
        return lib.cairn_context_create_fortran(self._comm.py2f(), out)

    def _look(self, look, a, dtype):
        given = error = None
        try:
            given = look(self._rows_of(a), dtype)
        except Exception as own:  # Whatever the caller's object raises: ranks wait.
            error = own
        said = self._comm.allgather((given and given.own, error and (str(error) or repr(error))))
        if error:
            raise error
        for rank, (own, text) in enumerate(said):
            if text:
                raise _errors.CairnRuntimeError(f"{text} (on rank {rank})")
        for rank, (own, text) in enumerate(said):
            if own != said[0][0]:
                raise _errors.CairnTypeError(
                    f"tensor: a: ranks disagree: {said[0][0] or 'a file'} on rank 0, "
                    f"{own or 'a file'} on rank {rank}")
        return given

    @staticmethod
    def _rows_of(a):
        if isinstance(a, (str, os.PathLike, tuple, list)) or getattr(a, "format", "") == "csr":
            return a
        if hasattr(a, "tocsr"):
            return a.tocsr()
        _inputs.type_error("a", f"is a {type(a).__name__}: on several ranks there are sparse "
                                "rows, lists (rows, cols, values, shape) and paths of files")

    def _placed(self, rows):
        first = self._comm.exscan(rows)
        return first or 0, self._comm.allreduce(rows)

    def _owned(self, stored, transposed):
        plan = stored.plan(1, transposed)
        owned = []
        for call in lib.cairn_plan_rows, lib.cairn_plan_columns:
            first, end = ctypes.c_int64(), ctypes.c_int64()
            call(plan, ctypes.byref(first), ctypes.byref(end))
            owned.append((first.value, end.value))
        return owned

    def _keep(self, stored):
        self._made.append(stored)


@atexit.register
def _close_all():
    if MPI.Is_initialized() and not MPI.Is_finalized():
        for context in list(_open):
            context.close()
