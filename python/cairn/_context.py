# SPDX-License-Identifier: BSD-3-Clause
"""Contexts: how many threads, how much memory. One thread at a time is in a context."""

import ctypes
import operator
import os
import threading
import weakref

from . import _errors
from ._library import lib

_default = None
_default_lock = threading.Lock()
_contexts = weakref.WeakSet()
_FORKED = ("cairn: this process was forked from one that had a context, whose threads it "
           "does not have: start processes by spawn, and pickle tensors")
_forked = False


class Shared:
    """Something of the library's that goes when the last that needs it has left: of a cycle
    of garbage Python finalizes objects in any order."""

    def _enter(self):
        with self._lock:
            self._users += 1

    def _leave(self):
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._destroy()


class Context(Shared):
    """What tensors share: threads, a limit of memory, and a lock, since one thread at a
    time may be in a context. Most programs use the one that is made when it is needed;
    two threads that want to multiply at the same time have a context each.

    threads   Of the processor; None: CAIRN_THREADS, OMP_NUM_THREADS, or the cores there.
    memory    Bytes that all that belongs to the context may take; None: CAIRN_MEMORY, or
              half of what the machine has available.
    devices   Which devices there are, as the command's --devices has it: "cpu:2,opencl",
              files of simulated ones, "all"; None: CAIRN_DEVICES, or the processor, and
              what places name (Tensor.plan()).
    """

    def __init__(self, threads=None, memory=None, devices=None):
        self._tensors = weakref.WeakSet()
        self._lock = threading.RLock()
        self._users = 1
        self._forked = _forked
        self._closed = False
        self._devices = devices  # None: whatever places name is opened.
        if _forked:
            raise _errors.CairnRuntimeError(_FORKED)
        self._pointer = handle = ctypes.c_void_p()
        status = self._create(ctypes.byref(handle))
        if status:
            self._fail(status)

        def settings():
            if threads is not None:
                self._call(lib.cairn_context_set_threads, handle,
                           integer("Context", "threads", threads, 32))
            if memory is not None:
                self._call(lib.cairn_context_set_memory, handle,
                           integer("Context", "memory", memory, 64))
            if devices is not None:
                self._call(lib.cairn_devices_check, handle, None,
                           text("Context", "devices", devices), 0)

        self._together(settings)  # Whatever the others have: each rank has its own.
        _contexts.add(self)

    def __del__(self):
        if getattr(self, "_pointer", None) and not self._forked and not self._closed:
            self._leave()

    def _create(self, out):
        return lib.cairn_context_create(out)

    def _destroy(self, destroy=lib.cairn_context_destroy, byref=ctypes.byref):
        destroy(byref(self._pointer))

    def __repr__(self):
        return f"<cairn.Context of {self.threads} threads>"

    @property
    def threads(self):
        """Threads of the processor."""
        return lib.cairn_context_threads(self._pointer)

    @property
    def memory(self):
        """Bytes that are allocated now."""
        used = ctypes.c_int64()
        with self._lock:
            lib.cairn_context_memory(self._pointer, ctypes.byref(used), None, None)
        return used.value

    def _fail(self, status):
        raise _errors.failure(status, (lib.cairn_context_message(self._pointer)
                                       or b"").decode(errors="replace"))

    def _alive(self):
        if self._forked:
            raise _errors.CairnRuntimeError(_FORKED)
        if self._closed:
            raise _errors.CairnRuntimeError("cairn: the context was closed")

    # ---- what is otherwise where there are several ranks (mpi.py) ----

    # One process has all of a matrix: its arrays may be borrowed where that is found out by
    # trying, and tensors may be pickled.
    lends = True

    def _together(self, call):
        """What a local call returns; a failure on one rank is one on all."""
        return call()

    def _any(self, flag):
        """Whether it holds on some rank."""
        return flag

    def _look(self, look, a, dtype):
        """Look at what was handed over; a failure on one rank is one on all."""
        return look(a, dtype)

    def _placed(self, rows):
        """(first row, rows of the matrix) of this rank's rows."""
        return 0, rows

    def _owned(self, stored, transposed, how):
        """Which elements of y and of x are this rank's: of each the first, and one past the
        last."""
        rows, columns = stored.shape[::-1] if transposed else stored.shape
        return (0, rows), (0, columns)

    def _keep(self, stored):
        """A tensor was made."""

    def _bury(self, stored):
        """A tensor of which nothing is left but the library's."""
        stored._end()

    def _reap(self):
        """End the tensors that are left on no rank. Collective."""

    def _all_stored(self):
        """The tensors that there are, in the same order on all ranks."""
        return {each._stored for each in list(self._tensors)}

    def _call(self, function, *arguments):
        """Call a function that returns a status; a failure becomes an exception."""
        self._alive()
        with self._lock:
            status = function(*arguments)
            if status:
                self._fail(status)


def integer(call, name, value, bits):
    """An argument as an int that the library's signed type of so many bits holds."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _errors.CairnTypeError(
            f"{call}: {name}: is {value!r}, no integer") from None
    if number.bit_length() >= bits:
        raise _errors.CairnValueError(f"{call}: {name}: {number} is too large")
    return number


def text(call, name, value):
    """An argument as the library's text."""
    if not isinstance(value, str):
        raise _errors.CairnTypeError(
            f"{call}: {name}: is a {type(value).__name__}, no text")
    try:
        code = value.encode()
    except UnicodeEncodeError:
        raise _errors.CairnValueError(f"{call}: {name}: is no text that has UTF-8") from None
    if b"\0" in code:
        raise _errors.CairnValueError(f"{call}: {name}: has a NUL in it")
    return code


def chosen(call, context):
    """The context that is meant: the default one for None."""
    global _default
    if context is None:
        with _default_lock:
            if _default is None:
                _default = Context()
            return _default
    if not isinstance(context, Context):
        raise _errors.CairnTypeError(
            f"{call}: context: is a {type(context).__name__}, no cairn.Context")
    return context


def _after_fork():
    """A child has the memory of its parent's contexts and none of their threads, nor of
    OpenMP's: a product would wait for these for ever."""
    global _default, _default_lock, _forked
    _default = None
    _default_lock = threading.Lock()
    for context in list(_contexts):
        _forked = context._forked = True
        for tensor in list(context._tensors):
            tensor._vector = None


os.register_at_fork(after_in_child=_after_fork)
