# SPDX-License-Identifier: BSD-3-Clause
"""A tensor of the library's with its plans, which A and A.T share; and how one is made."""

import ctypes
import warnings

import numpy as np

from . import _errors, _inputs
from ._context import Shared
from ._library import (BORROW, COPY, ORDER, AutoInfo, AutoOptions, Compressed, CoordsOut,
                       PartInfo, PlanInfo, ProductOptions, SourceInfo, lib)

PLANS = 8  # Most plans that a tensor keeps: one for each number of columns.


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
        self.pointer = pointer
        self.plans = {}
        self.given = given
        self.borrowed = given.keep() if borrowed else ()
        self.why = why
        self.closed = False  # Left already, with its context.
        self.dtype = np.dtype(np.float32 if lib.cairn_tensor_dtype(pointer) else np.float64)
        self._measure()
        context._keep(self)

    def __del__(self):
        if not self.context._forked and not self.closed:
            self._leave()

    def _destroy(self, destroy_plan=lib.cairn_plan_destroy,
                 destroy=lib.cairn_tensor_destroy, byref=ctypes.byref):
        while self.plans:
            destroy_plan(byref(self.plans.popitem()[1]))
        destroy(byref(self.pointer))
        self.context._leave()

    def _measure(self):
        self.parts = parts(self)
        self.nnz = sum(part.nnz for part in self.parts)
        self.nbytes = sum(part.bytes for part in self.parts)
        extent, first, end = (ctypes.c_int64 * ORDER)(), ctypes.c_int64(), ctypes.c_int64()
        lib.cairn_tensor_shape(self.pointer, extent)
        lib.cairn_tensor_rows(self.pointer, ctypes.byref(first), ctypes.byref(end))
        self.shape = tuple(extent[:2])
        self.rows = first.value, end.value  # This rank's: first, and one past the last.

    @property
    def text(self):
        return lib.cairn_format_text(lib.cairn_tensor_format(self.pointer)).decode()

    def plan(self, columns, transposed):
        """The address of a plan, made if there is none yet."""
        key = (columns, transposed)
        with self.context._lock:
            if key not in self.plans:
                if len(self.plans) >= PLANS:
                    lib.cairn_plan_destroy(
                        ctypes.byref(self.plans.pop(next(iter(self.plans)))))
                self.plans[key] = self._make_plan(columns, transposed)
            return self.plans[key].value

    def _make_plan(self, columns, transposed):
        product = ProductOptions(columns=columns, transposed=transposed, alpha=1.0)
        plan = ctypes.c_void_p()
        self.context._call(lib.cairn_plan_create_product, self.pointer,
                           ctypes.byref(product), ctypes.byref(plan))
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


def parts(stored):
    """Of each part a PartInfo."""
    count, first = ctypes.c_int64(), ctypes.c_void_p()
    context = stored.context
    with context._lock:
        context._call(lib.cairn_tensor_parts_sized, stored.pointer,
                      ctypes.sizeof(PartInfo), ctypes.byref(count), ctypes.byref(first))
        found = [PartInfo.from_buffer_copy((ctypes.c_char * ctypes.sizeof(PartInfo))
                                           .from_address(first.value
                                                         + k * ctypes.sizeof(PartInfo)))
                 for k in range(count.value)]
        lib.cairn_parts_free(stored.pointer, ctypes.byref(first))
    return found


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
    given = context._look(_inputs.look, a, dtype)
    if isinstance(given, _inputs.File):
        return _from_file(context, given, text, products)
    return _from_arrays(context, given, text, copy, products)


def converted(stored, text, products):
    """The same tensor in another format."""
    context = stored.context
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
