# SPDX-License-Identifier: BSD-3-Clause
"""A tensor of the library's with its plans, which A and A.T share; and how one is made."""

import collections
import ctypes
import functools
import warnings

import numpy as np

from . import _errors, _inputs
from ._context import Shared
from ._library import (BAD_ARGUMENT, BORROW, COPY, ORDER, AutoInfo, AutoOptions,
                       Compressed, CoordsOut, PartInfo, PlanInfo, PlanOptions, PlanPart,
                       ProductOptions, SourceInfo, lib)

PLANS = 8  # Most plans that a tensor keeps: one for each number of columns and each How.

# How products are planned: the text of a place, the path of a plan, each None or bytes;
# whether results are the same for all places; and a number where ranks have places of their
# own, whose plans are the same ones nevertheless.
How = collections.namedtuple("How", "place file reproducible number")
OPEN = How(None, None, False, 0)


class _Format:
    """A format's text, checked."""

    def __init__(self, context, text):
        self.context = context
        self.pointer = ctypes.c_void_p()
        try:
            code = text.encode()
        except UnicodeEncodeError:
            _inputs.value_error("format", "is no text that has UTF-8")
        if b"\0" in code:
            _inputs.value_error("format", "has a NUL in it")
        context._call(lib.cairn_format_create, context._pointer, code,
                      ctypes.byref(self.pointer))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with self.context._lock:
            lib.cairn_format_destroy(ctypes.byref(self.pointer))

    @property
    def text(self):
        return lib.cairn_format_text(self.pointer).decode()


class Stored(Shared):
    """What is destroyed together: plans, then the tensor, then what it borrows."""

    def __init__(self, context, pointer, given=None, borrowed=False, why=""):
        self.context = context
        self._lock = context._lock
        self._users = 1
        context._enter()
        self._pointer = pointer
        self.plans = {}
        self._hows = 0
        self.given = given
        self.borrowed = given.keep() if borrowed else ()
        self.why = why
        self.closed = False  # Left already: by close(), or with its context.
        self.dtype = np.dtype(np.float32 if lib.cairn_tensor_dtype(pointer) else np.float64)
        self._measure()
        context._keep(self)

    def __del__(self):
        if not self.context._forked and not self.closed:
            self._leave()

    def _destroy(self):
        self.context._bury(self)

    def _end(self, destroy=lib.cairn_tensor_destroy, byref=ctypes.byref):
        """Give all back. Collective."""
        self.forget()
        destroy(byref(self._pointer))
        self.context._leave()

    def alive(self):
        """Refuse what was closed."""
        self.context._alive()
        if self.closed:
            raise _errors.CairnRuntimeError("cairn: the tensor was closed")

    @property
    def pointer(self):
        self.alive()
        return self._pointer

    def close(self):
        """End plans, and all else when no array is out any more. Collective."""
        with self._lock:
            self.context._alive()
            if not self.closed:
                self.forget()
                self.closed = True
                self._leave()
        self.context._reap()

    def forget(self, key=None, destroy=lib.cairn_plan_destroy, byref=ctypes.byref):
        """End a plan, or all: no tensor has it at hand any more. Collective."""
        for gone in list(self.plans) if key is None else [key]:
            plan = self.plans.pop(gone)
            for each in list(self.context._tensors):
                if each._plan == plan.value:
                    each._vector = each._plan = None
            destroy(byref(plan))

    def _measure(self):
        self.parts = parts(self)
        self.nnz = sum(part.nnz for part in self.parts)
        self.nbytes = sum(part.bytes for part in self.parts)
        extent, first, end = (ctypes.c_int64 * ORDER)(), ctypes.c_int64(), ctypes.c_int64()
        lib.cairn_tensor_shape(self._pointer, extent)
        lib.cairn_tensor_rows(self._pointer, ctypes.byref(first), ctypes.byref(end))
        self.shape = tuple(extent[:2])
        self.rows = first.value, end.value  # This rank's: first, and one past the last.

    @property
    def text(self):
        return lib.cairn_format_text(lib.cairn_tensor_format(self.pointer)).decode()

    def plan(self, columns, transposed, how):
        """The address of a plan, made if there is none yet."""
        key = (columns, transposed, how)
        with self.context._lock:
            if key not in self.plans:
                self.plans[key] = self._make_plan(columns, transposed, how)
                if len(self.plans) > PLANS:  # Vectors' plans are the last to go.
                    others = [each for each in self.plans if each != key]
                    self.forget(min(others, key=lambda each: each[0] == 1))
            return self.plans[key].value

    def how(self, place, file, reproducible):
        """A How of a view's own."""
        if not self.context.lends:
            self._hows += 1
        return How(place, file, reproducible, self._hows)

    def _open(self, place):
        """Have the devices that this rank's place names. Others' plans are made anew where
        they use devices that are opened anew for it."""
        context = self.context
        members = lib.cairn_format_members(lib.cairn_tensor_format(self.pointer))
        arguments = lib.cairn_devices_check, context._pointer, place, None, members
        named = place is not None and context._devices is None
        if context._any(named and arguments[0](*arguments[1:]) == BAD_ARGUMENT):
            self._forget_all()
        context._together(lambda: named and context._call(*arguments))

    def _forget_all(self):
        for each in self.context._all_stored():
            each.forget()

    def _make_plan(self, columns, transposed, how):
        product = ProductOptions(columns=columns, transposed=transposed, alpha=1.0)
        options = PlanOptions(product=ctypes.pointer(product), place=how.place,
                              plan=how.file, reproducible=how.reproducible)
        plan = ctypes.c_void_p()
        arguments = (lib.cairn_plan_create_with, self.pointer, ctypes.byref(options),
                     ctypes.byref(plan))
        if how is not OPEN:
            self._open(how.place)
        try:
            self.context._call(*arguments)
        except _errors.CairnError as error:
            if error.status != "BAD_ARGUMENT" or not self.context._any(how.file):
                raise
            self._forget_all()  # The file may name devices that are not open yet.
            self.context._call(*arguments)
        info = plan_info(self.context, plan)
        if info.route == b"reference" and info.why:
            warnings.warn(f"{self.text}: products are interpreted, which is slow: "
                          f"{info.why.decode()}", _errors.CompilerWarning, stacklevel=2)
        return plan

    def run(self, plan, x, y):
        self.context._call(lib.cairn_plan_run, plan, x, y)


def plan_info(context, plan):
    info = PlanInfo()
    context._call(lib.cairn_plan_describe, plan, ctypes.byref(info))
    return info


def listed(context, pointer, kind, call, free, count):
    """What the library lists, as a list of structs of a kind."""
    first, size = ctypes.c_void_p(), ctypes.sizeof(kind)
    with context._lock:
        call(pointer, size, ctypes.byref(count), ctypes.byref(first))
        found = [kind.from_buffer_copy(ctypes.string_at(first.value + k * size, size))
                 for k in range(count.value)]
        free(pointer, ctypes.byref(first))
    return found


def parts(stored):
    """Of each part a PartInfo."""
    return listed(stored.context, stored.pointer, PartInfo,
                  functools.partial(stored.context._call, lib.cairn_tensor_parts_sized),
                  lib.cairn_parts_free, ctypes.c_int64())


def plan_parts(stored, plan):
    """Of each part of a plan, of all ranks, a PlanPart."""
    return listed(stored.context, plan, PlanPart,
                  functools.partial(stored.context._call, lib.cairn_plan_parts_sized),
                  lib.cairn_plan_parts_free, ctypes.c_int64())


def _index_type(*most):
    return np.dtype(np.int32 if max(most) < 2**31 else np.int64)


def compressed(stored, by_columns):
    """(ptr, idx, values) of the entries by rows, or by columns."""
    entries = lib.cairn_tensor_entries(stored.pointer)
    dtype = _index_type(entries, *stored.shape)
    lines = stored.shape[1] if by_columns else stored.rows[1] - stored.rows[0]
    ptr = np.empty(lines + 1, dtype)
    idx, values = np.empty(entries, dtype), np.empty(entries, stored.dtype)
    out = Compressed(ptr_length=len(ptr), length=entries, ptr_bits=8 * dtype.itemsize,
                     idx_bits=8 * dtype.itemsize, dtype=_inputs.DTYPES[stored.dtype])
    # Arrays of no element have an address, too.
    out.ptr, out.idx, out.val = ptr.ctypes.data, idx.ctypes.data, values.ctypes.data
    stored.context._call(lib.cairn_tensor_to_csc if by_columns else lib.cairn_tensor_to_csr,
                         stored.pointer, ctypes.byref(out))
    return ptr, idx[:out.entries], values[:out.entries]


def coordinates(stored):
    """(rows, cols, values) of the entries, row by row."""
    entries = lib.cairn_tensor_entries(stored.pointer)
    dtype = _index_type(*stored.shape)
    rows, cols = np.empty(entries, dtype), np.empty(entries, dtype)
    values = np.empty(entries, stored.dtype)
    out = CoordsOut(idx_bits=8 * dtype.itemsize, length=entries,
                    dtype=_inputs.DTYPES[stored.dtype])
    out.idx[:2] = rows.ctypes.data, cols.ctypes.data
    out.val = values.ctypes.data
    stored.context._call(lib.cairn_tensor_to_coords, stored.pointer, ctypes.byref(out))
    return rows[:out.entries], cols[:out.entries], values[:out.entries]


class Source:
    """Entries of a file or of a tensor, while they are needed."""

    def __init__(self, context, pointer):
        self.context, self.pointer = context, pointer

    @classmethod
    def of_tensor(cls, context, tensor):
        pointer = ctypes.c_void_p()
        context._call(lib.cairn_source_from_tensor, tensor, ctypes.byref(pointer))
        return cls(context, pointer)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with self.context._lock:
            lib.cairn_source_destroy(ctypes.byref(self.pointer))

    def describe(self):
        info = SourceInfo()
        self.context._call(lib.cairn_source_describe, self.pointer, ctypes.byref(info))
        return info

    def spy(self, width, height):
        """Entries in each of height x width cells."""
        count = np.empty((height, width), np.int64)
        self.context._call(lib.cairn_source_spy, self.pointer, width, height,
                           count.ctypes.data)
        return count

    def choose(self, dtype, products):
        """A format, and why it is that."""
        format, info = _Format.__new__(_Format), AutoInfo()
        format.context, format.pointer = self.context, ctypes.c_void_p()
        options = AutoOptions(replays=products)
        self.context._call(lib.cairn_format_auto, self.pointer, _inputs.DTYPES[dtype], None,
                           ctypes.byref(options), ctypes.byref(format.pointer),
                           ctypes.byref(info))
        return format, "\n".join(line.value.decode() for line in info.why if line.value)


def _lend(context, given):
    """A tensor over the arrays that were given, or a list of its own where they cannot be
    borrowed as they are."""
    if context.lends:
        try:
            return given.make(context, BORROW, None, 0)
        except _errors.CairnValueError:
            pass
    return given.make(context, COPY, None, 0)


def _choose_and_make(context, given, products):
    lent = _lend(context, given)
    try:
        with Source.of_tensor(context, lent) as source:
            format, why = source.choose(given.dtype, products)
        with format:
            if isinstance(given, _inputs.List):
                return _inputs.convert(context, lent, format.pointer, products), why
            return given.make(context, COPY, format.pointer, products), why
    finally:
        with context._lock:
            lib.cairn_tensor_destroy(ctypes.byref(lent))


def _from_arrays(context, given, text, copy, products):
    if text == "auto":
        pointer, why = _choose_and_make(context, given, products or 0)
        return Stored(context, pointer, given, why=why)
    with _Format(context, text) as format, _Format(context, given.own) as own:
        if not copy and products is None and format.text == own.text and (
                context.lends or given.own == "csr"):
            try:
                return Stored(context, given.make(context, BORROW, None, 0), given, True)
            except _errors.CairnValueError:
                pass  # A list out of order is stored; what is wrong is said then.
        return Stored(context, given.make(context, COPY, format.pointer, products or 0),
                      given)


def _from_native(context, given, text, products):
    pointer = given.read(context)
    try:
        if lib.cairn_format_order(lib.cairn_tensor_format(pointer)) != 2:
            raise _errors.CairnNotSupported("tensor: a: the file's tensor is no matrix")
        with Source.of_tensor(context, pointer) as source:
            given.shape = tuple(source.describe().extent[:2])
        stored = np.dtype(np.float32 if lib.cairn_tensor_dtype(pointer) else np.float64)
        if given.given is not None and given.dtype != stored:
            _inputs.value_error("dtype", f"{given.dtype}: the file has {stored}")
        if text != "auto":
            read = pointer
            with _Format(context, text) as format:
                pointer = _inputs.convert(context, read, format.pointer, products or 0)
            lib.cairn_tensor_destroy(ctypes.byref(read))
    except BaseException:
        with context._lock:
            lib.cairn_tensor_destroy(ctypes.byref(pointer))
        raise
    return Stored(context, pointer, given)


def _from_file(context, given, text, products):
    if given.is_native(context):
        return _from_native(context, given, text, products)
    with Source(context, given.source(context)) as source:
        info = source.describe()
        if info.order != 2:
            raise _errors.CairnNotSupported(
                f"tensor: a: the file's tensor has order {info.order}; products are of "
                "matrices")
        given.shape = tuple(info.extent[:2])
        why = ""
        if text == "auto":
            format, why = source.choose(given.dtype, products or 0)
        else:
            format = _Format(context, text)
        with format:
            pointer = _inputs.store(context, source.pointer, format.pointer, given.dtype,
                                    products or 0)
    return Stored(context, pointer, given, why=why)


def make(context, a, text, dtype, copy, products):
    """Store what was handed over."""
    context._reap()
    given = context._look(_inputs.look, a, dtype)
    if isinstance(given, _inputs.File):
        return _from_file(context, given, text, products)
    return _from_arrays(context, given, text, copy, products)


def converted(stored, text, products):
    """The same tensor in another format."""
    context = stored.context
    context._reap()
    why = ""
    if text == "auto":
        with Source.of_tensor(context, stored.pointer) as source:
            format, why = source.choose(stored.dtype, products or 0)
    else:
        format = _Format(context, text)
    with format:
        pointer = _inputs.convert(context, stored.pointer, format.pointer, products or 0)
    return Stored(context, pointer, Converted(stored.shape), why=why)


class Converted:
    """What a tensor was made of that was made of another one: no arrays of a program."""

    def __init__(self, shape):
        self.shape = shape

    def keep(self):
        return ()

    def update_count(self):
        return None
