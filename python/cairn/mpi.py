# SPDX-License-Identifier: BSD-3-Clause
"""Matrices whose rows are on the ranks of an MPI job.

    from mpi4py import MPI
    import cairn, cairn.mpi

    with cairn.mpi.Context(MPI.COMM_WORLD) as context:
        A = cairn.tensor(my_rows, context=context)  # this rank's rows, all columns
        y = A @ x                                   # this rank's elements of x and of y

Needs mpi4py and a library that was built with the MPI that mpi4py was built with: that of
Debian's package, or `pip install . --config-settings mpi=on`.

Making tensors, products, conversions, plan(), placement, update() and close() are
collective: all ranks call them, in the same order.
"""

import atexit
import ctypes
import os
import weakref

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
    devices   Of this rank; see cairn.Context.

    A tensor is made of each rank's consecutive rows with all columns (what has tocsr(), or
    compressed rows), of a list (rows, cols, values, shape) of any entries on any ranks, or
    of a file. A.shape is the matrix's, A.rows and A.columns say which elements of y and of
    x are this rank's.

    Ranks have to take a tensor's messages apart together, and collect garbage at different
    times: a tensor that nothing refers to any more stays until all ranks have none left of
    it, and the next tensor is made, or one is closed. Tensor.close() ends one at once. What
    is still open when Python ends is closed then, before MPI is.
    """

    lends = False

    def __init__(self, comm, threads=None, memory=None, devices=None):
        if not isinstance(comm, MPI.Comm) or comm == MPI.COMM_NULL:
            raise _errors.CairnTypeError("Context: comm: is no communicator of mpi4py's")
        self._comm = comm
        self._made = 0  # Tensors so far, which are numbered alike on all ranks.
        self._live = {}  # Those that something on this rank refers to, by number, weakly,
        self._dead = {}  # and those that nothing does.
        super().__init__(threads, memory, devices)
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
        """End all tensors of the context, and the context. Collective.

        Raises CairnRuntimeError: views of a tensor's arrays are out on some rank.
        """
        if self._closed:
            return
        every = self._all_stored()
        if self._any(any(stored._users > 1 - stored.closed for stored in every
                         if stored not in self._dead.values())):
            raise _errors.CairnRuntimeError("close: arrays of a tensor are in use (A.arrays)")
        _open.remove(self)
        for stored in every:
            stored.closed = True
            stored._end()
        self._live.clear()
        self._dead.clear()
        self._closed = True
        self._leave()

    def _create(self, out):
        return lib.cairn_context_create_fortran(self._comm.py2f(), out)

    def _together(self, call):
        return self._exchange(call, lambda result: None)[0]

    def _exchange(self, call, about):
        """What a call returns, and what is to be said about it on every rank."""
        result = error = None
        try:
            result = call()
        except Exception as own:  # Whatever the caller's object raises: ranks wait.
            error = own
        said = self._comm.allgather((None if error else about(result),
                                     error and (str(error) or repr(error))))
        if error:
            raise error
        for rank, (_, text) in enumerate(said):
            if text:
                raise _errors.CairnRuntimeError(f"{text} (on rank {rank})")
        return result, [each for each, _ in said]

    def _any(self, flag):
        return self._comm.allreduce(bool(flag), MPI.LOR)

    def _look(self, look, a, dtype):
        given, said = self._exchange(lambda: look(self._rows_of(a), dtype),
                                     lambda given: (given.own, given.widths))
        for rank, (own, _) in enumerate(said):
            if own != said[0][0]:
                raise _errors.CairnTypeError(
                    f"tensor: a: ranks disagree: {said[0][0] or 'a file'} on rank 0, "
                    f"{own or 'a file'} on rank {rank}")
        # One rank's int32 arrays, another's int64: all have the wider.
        given.widen(*map(max, zip(*(widths for _, widths in said))))
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

    def _owned(self, stored, transposed, how):
        plan = stored.plan(1, transposed, how)
        owned = []
        for call in lib.cairn_plan_rows, lib.cairn_plan_columns:
            first, end = ctypes.c_int64(), ctypes.c_int64()
            call(plan, ctypes.byref(first), ctypes.byref(end))
            owned.append((first.value, end.value))
        return owned

    def _keep(self, stored):
        stored.number = self._made
        self._live[stored.number] = weakref.ref(stored)
        self._made += 1

    def _bury(self, stored):
        self._live.pop(stored.number, None)
        self._dead[stored.number] = stored

    def _reap(self):
        everywhere = set.intersection(*map(set, self._comm.allgather(list(self._dead))))
        for number in sorted(everywhere):
            self._dead.pop(number)._end()

    def _all_stored(self):
        numbered = dict(self._dead)
        numbered.update((number, stored()) for number, stored in list(self._live.items()))
        return [numbered[number] for number in sorted(numbered)]


@atexit.register
def _close_all():
    if MPI.Is_initialized() and not MPI.Is_finalized():
        for context in list(_open):
            try:
                context.close()
            except _errors.CairnRuntimeError:
                pass  # All ranks alike leave it as it is.

