# SPDX-License-Identifier: BSD-3-Clause
"""What cairn.tensor() takes, as arrays that the library takes: compressed rows or columns,
lists of coordinates, files. Index arrays of 32 and 64 bits go as they are."""

import ctypes
import os

import numpy as np

from . import _errors
from ._context import integer
from ._library import BORROW, BY_NNZ, COPY, F32, F64, Coords, StoreOptions, lib

DTYPES = {np.dtype(np.float64): F64, np.dtype(np.float32): F32}
_NAMES = {"f64": np.float64, "f32": np.float32}


def type_error(name, why, call="tensor"):
    raise _errors.CairnTypeError(f"{call}: {name}: {why}")


def value_error(name, why, call="tensor"):
    raise _errors.CairnValueError(f"{call}: {name}: {why}")


def chosen_dtype(dtype, values=None):
    """The type of the tensor's values: what was asked for, else that of the values where
    it is float32, else float64."""
    if dtype is None:
        return np.dtype(np.float32 if values is not None and values.dtype == np.float32
                        else np.float64)
    try:
        chosen = np.dtype(_NAMES.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except TypeError:
        type_error("dtype", f"{dtype!r} is no type")
    if chosen not in DTYPES:
        value_error("dtype", f"{chosen} is not float64 or float32")
    return chosen


def address(array):
    """Of an array's first element; None of an empty one."""
    return array.ctypes.data if array.size else None


_nothing = np.zeros(1)


def any_address(array):
    """Of an array's first element, or of something: NULL would have a meaning."""
    return array.ctypes.data if array.size else _nothing.ctypes.data


def indices(name, array):
    """Numbers of 32 or 64 bits side by side: the array itself, if it is that."""
    array = np.asarray(array)
    if array.ndim != 1:
        value_error(name, f"has {array.ndim} dimensions, not 1")
    if array.dtype.kind not in "iu":
        if array.size:
            type_error(name, f"are {array.dtype}, no integers")
        array = array.astype(np.int64)
    if array.dtype == np.uint64 and array.size and int(array.max()) >= 2**63:
        value_error(name, f"{array.max()} is too large an index")
    if array.dtype not in (np.int32, np.int64):
        array = array.astype(np.int64)
    return np.require(array, requirements=["C", "A"])


def numbers(name, array, dtype=None, call="tensor"):
    """Values side by side, of the tensor's type: the array itself, if it is that."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiub":
        type_error(name, f"are {array.dtype}; values are real numbers", call)
    if array.ndim != 1:
        value_error(name, f"has {array.ndim} dimensions, not 1", call)
    dtype = chosen_dtype(dtype, array)
    return np.require(array.astype(dtype, copy=False), requirements=["C", "A"])


def extents(shape):
    """Two extents."""
    try:
        pair = [integer("tensor", "shape", n, 64) for n in shape]
    except TypeError:
        type_error("shape", f"is {shape!r}, no pair of numbers")
    if len(pair) != 2:
        value_error("shape", f"has {len(pair)} extents; a matrix has 2")
    if min(pair) < 0:
        value_error("shape", f"{min(pair)} is negative")
    return tuple(pair)


def widened(array, itemsize):
    """An array's numbers with so many bytes: the array itself, if it has them."""
    return array.astype(f"{array.dtype.kind}{itemsize}", copy=False)


class Lines:
    """Compressed rows or columns of a program."""

    def __init__(self, matrix, dtype, by_columns):
        self.by_columns = by_columns
        self.shape = extents(matrix.shape)
        self.ptr = indices("indptr", matrix.indptr)
        self.idx = indices("indices", matrix.indices)
        self.values = numbers("data", matrix.data, dtype)
        self.dtype = self.values.dtype
        lines = self.shape[1] if by_columns else self.shape[0]
        if len(self.ptr) != lines + 1:
            value_error("indptr", f"has {len(self.ptr)} elements, not {lines + 1}")
        entries = int(self.ptr[-1])
        if self.ptr[0] != 0:
            value_error("indptr", f"begins with {self.ptr[0]}, not 0")
        if not 0 <= int(self.ptr.min()) <= int(self.ptr.max()) <= entries:
            value_error("indptr", "descends")
        for name, array in (("indices", self.idx), ("data", self.values)):
            if len(array) < entries:
                value_error(name, f"has {array.size} elements; indptr ends with {entries}")

    own = property(lambda self: "csc" if self.by_columns else "csr")

    @property
    def widths(self):
        """Bytes of a number of each array."""
        return self.ptr.itemsize, self.idx.itemsize, self.values.itemsize

    def widen(self, ptr, idx, value):
        """Have numbers of so many bytes, or more as they are."""
        self.ptr, self.idx = widened(self.ptr, ptr), widened(self.idx, idx)
        self.values = widened(self.values, value)
        self.dtype = self.values.dtype

    def update_count(self):
        """Values that an update has."""
        return int(self.ptr[-1])

    def arranged(self, values):
        """Values in the order in which they were given to the library."""
        return values

    def keep(self):
        return self.ptr, self.idx, self.values

    def make(self, context, mode, format, products):
        """A tensor of them. Products are the context's: the call has no number of them."""
        function = lib.cairn_tensor_from_csc if self.by_columns else lib.cairn_tensor_from_csr
        pointer = ctypes.c_void_p()
        with context._lock:
            context._call(lib.cairn_context_set_replays, context._pointer, products)
            try:
                first, rows = context._placed(self.shape[0])
                context._call(function, context._pointer, rows, self.shape[1], first,
                              self.shape[0], address(self.ptr), 8 * self.ptr.itemsize, address(self.idx),
                              8 * self.idx.itemsize, address(self.values),
                              DTYPES[self.dtype], mode, format, ctypes.byref(pointer))
            finally:
                context._call(lib.cairn_context_set_replays, context._pointer, 0)
        return pointer


class Ordered(Lines):
    """The entries of a list by rows, in each row as they stand."""

    def __init__(self, given, values):
        self.by_columns = False
        self.shape, self.dtype = given.shape, given.dtype
        self.order = np.argsort(given.rows, kind="stable")
        self.ptr = np.zeros(self.shape[0] + 1, np.int64)
        np.cumsum(np.bincount(given.rows, minlength=self.shape[0]), out=self.ptr[1:])
        self.idx = given.cols[self.order]
        self.values = self.arranged(values)

    def arranged(self, values):
        return values[self.order]


class List:
    """Coordinates and values in arrays of their own."""

    own = "coo"

    def __init__(self, rows, cols, values, shape, dtype):
        self.shape = extents(shape)
        self.rows, self.cols = indices("rows", rows), indices("cols", cols)
        if self.rows.dtype != self.cols.dtype:
            self.rows, self.cols = (a.astype(np.int64, copy=False)
                                    for a in (self.rows, self.cols))
        self.values = numbers("values", values, dtype)
        self.dtype = self.values.dtype
        for name, array in (("cols", self.cols), ("values", self.values)):
            if len(array) != len(self.rows):
                value_error(name, f"has {len(array)} elements, rows has {len(self.rows)}")

    @property
    def widths(self):
        return self.rows.itemsize, self.values.itemsize

    def widen(self, idx, value):
        self.rows, self.cols = widened(self.rows, idx), widened(self.cols, idx)
        self.values = widened(self.values, value)
        self.dtype = self.values.dtype

    def keep(self):
        return self.rows, self.cols, self.values

    def update_count(self):
        """Values that an update has."""
        return len(self.values)

    def make(self, context, mode, format, products):
        """A tensor of them."""
        in_ = Coords()
        in_.order, in_.rows, in_.entries = 2, -1, len(self.values)
        in_.extent[:2] = self.shape
        in_.idx[:2] = address(self.rows), address(self.cols)
        in_.idx_bits = 8 * self.rows.itemsize
        in_.val, in_.dtype = address(self.values), DTYPES[self.dtype]
        in_.replays = products if format else 0
        pointer = ctypes.c_void_p()
        context._call(lib.cairn_tensor_from_coords, context._pointer, ctypes.byref(in_),
                      mode, format, ctypes.byref(pointer))
        return pointer


def path(name, given, call="tensor"):
    """A path as bytes."""
    try:
        code = os.fsencode(given)
    except (TypeError, UnicodeEncodeError):
        type_error(name, f"{given!r} is no path", call)
    if b"\0" in code:
        value_error(name, "has a NUL in it", call)
    return code


class File:
    """A file that the library reads."""

    own = None
    widths = ()

    def __init__(self, given, dtype):
        self.path = path("a", given)
        self.dtype = chosen_dtype(dtype)
        self.given = dtype
        self.native = False

    def keep(self):
        return ()

    def update_count(self):
        return None

    def widen(self):
        pass

    def is_native(self, context):
        native = ctypes.c_bool()
        context._call(lib.cairn_file_is_native, context._pointer, self.path,
                      ctypes.byref(native))
        self.native = native.value
        return self.native

    def read(self, context):
        """The tensor that a .cairn file holds."""
        pointer = ctypes.c_void_p()
        context._call(lib.cairn_tensor_read, context._pointer, self.path,
                      ctypes.byref(pointer))
        return pointer

    def source(self, context):
        """Its entries."""
        pointer = ctypes.c_void_p()
        context._call(lib.cairn_source_read, context._pointer, self.path, BY_NNZ,
                      ctypes.byref(pointer))
        return pointer


def store(context, source, format, dtype, products):
    """A source's entries, stored."""
    options = StoreOptions(replays=products)
    pointer = ctypes.c_void_p()
    context._call(lib.cairn_tensor_create_with, source, format, DTYPES[dtype],
                  ctypes.byref(options), ctypes.byref(pointer))
    return pointer


def convert(context, tensor, format, products):
    """A tensor in another format."""
    options = StoreOptions(replays=products)
    pointer = ctypes.c_void_p()
    context._call(lib.cairn_tensor_convert_with, tensor, format, ctypes.byref(options),
                  ctypes.byref(pointer))
    return pointer


def _dense(a, dtype):
    """The entries of a dense array that are not 0, row by row."""
    if a.ndim != 2:
        value_error("a", f"has {a.ndim} dimensions; a matrix has 2")
    if a.dtype.kind not in "fiub":
        type_error("a", f"has values of {a.dtype}; they are real numbers")
    rows, cols = np.nonzero(a)  # Of a masked array those that are not masked.
    values = np.asarray(a)[rows, cols]  # Picked from a numpy.matrix they have two dimensions.
    return List(rows, cols, values, a.shape, dtype)


class _Compressed:
    """Arrays by the names that SciPy has for them."""

    def __init__(self, ptr, idx, values, shape):
        self.indptr, self.indices, self.data, self.shape = ptr, idx, values, shape


# Levels of a custom format of binsparse, the outermost first: an alias of them.
_ALIASES = {("dense 1", "sparse 1"): "CSR", ("sparse 2",): "COO",
            ("sparse 1", "sparse 1"): "DCSR"}


def _binsparse_format(header):
    """An alias, and whether it is of the transpose."""
    given = header["format"]
    if isinstance(given, str):
        name = {"COOR": "COO"}.get(given, given)
        if name not in ("CSR", "CSC", "COO", "COOC", "DCSR", "DCSC"):
            value_error("a", f"binsparse: {given} is no format of matrices that is taken")
        # By columns: the arrays are those of the transpose by rows.
        return (name.replace("CSC", "CSR").replace("COOC", "COO"), name.endswith("C"))
    custom = given["custom"]
    kinds, level = [], custom["level"]
    while "level" in level:
        kinds.append(f"{level.get('level_desc', level.get('level_kind'))} "
                     f"{level.get('rank', 1)}")
        level = level["level"]
    order = list(custom.get("transpose", [0, 1]))
    if tuple(kinds) not in _ALIASES or sorted(order) != [0, 1]:
        value_error("a", f"binsparse: levels {', '.join(kinds)} are not taken")
    return _ALIASES[tuple(kinds)], order == [1, 0]


def _from_binsparse(a, dtype):
    """A matrix of a library that has the protocol."""
    try:
        return _binsparse(a, dtype)
    except (KeyError, TypeError, AttributeError) as error:
        if isinstance(error, _errors.CairnError):
            raise
        value_error("a", f"binsparse: {error} is missing, or not as described")


def _binsparse(a, dtype):
    """A descriptor, and arrays by names."""
    header, arrays = a.__binsparse_descriptor__()["binsparse"], a.__binsparse__()
    if str(header["version"]).split(".")[:2] != ["0", "1"]:
        value_error("a", f"binsparse: version {header['version']} is not 0.1")
    shape = extents(header["shape"])
    format, transposed = _binsparse_format(header)
    types = header["data_types"]
    if header.get("structure") or (header.get("fill") and np.any(
            np.asarray(_array(arrays.get("fill_value", np.zeros(1)))) != 0)):
        raise _errors.CairnNotSupported("tensor: a: binsparse: structures and fills that are "
                                        "not 0 are not taken: give all entries")

    if header.get("index_base", 0) != 0:
        raise _errors.CairnNotSupported(f"tensor: a: binsparse: index_base "
                                        f"{header['index_base']} is not taken: indices are "
                                        "counted from 0")

    def array(name):
        found = _array(arrays[name])
        if types[name].startswith("complex"):
            type_error("a", f"binsparse: {name} are {types[name]}; values are real numbers")
        return found

    count, values = int(header["number_of_stored_values"]), array("values")
    if types["values"].startswith("iso[") and len(values) == 1:
        values = np.broadcast_to(values, (count,))
    idx = array("indices_1")
    if format == "CSR":
        return Lines(_Compressed(array("pointers_to_1"), idx, values, shape), dtype, transposed)
    outer = array("indices_0")
    if format == "DCSR":
        outer = np.repeat(outer, np.diff(array("pointers_to_1").astype(np.int64)))
    rows, cols = (idx, outer) if transposed else (outer, idx)
    return List(rows, cols, values, shape, dtype)


def _array(a):
    """A dense array of whatever offers one; None of what does not."""
    if isinstance(a, np.ndarray):
        return a
    if hasattr(a, "__dlpack__"):
        try:
            return np.from_dlpack(a)
        except (RuntimeError, TypeError, ValueError, BufferError) as error:
            value_error("a", f"its memory is not to be had: {error}")
    if hasattr(a, "__array__") or hasattr(a, "__array_interface__"):
        return np.asarray(a)
    return None


def look(a, dtype):
    """What was handed over."""
    if isinstance(a, (str, os.PathLike)):
        return File(a, dtype)
    if isinstance(a, (tuple, list)):
        if len(a) != 4:
            type_error("a", f"is a {type(a).__name__} of {len(a)}; "
                            "(rows, cols, values, shape) are 4")
        return List(*a, dtype)
    kind = getattr(a, "format", None)
    if kind in ("csr", "csc") and hasattr(a, "indptr"):
        return Lines(a, dtype, kind == "csc")
    if kind == "coo" and hasattr(a, "row"):
        return List(a.row, a.col, a.data, a.shape, dtype)
    if hasattr(a, "tocsr"):
        return Lines(a.tocsr(), dtype, False)
    if hasattr(a, "__binsparse__"):
        return _from_binsparse(a, dtype)
    array = _array(a)
    if array is None:
        type_error("a", f"is a {type(a).__name__}: no sparse matrix, dense array, tuple "
                        "(rows, cols, values, shape) or path of a file")
    return _dense(array, dtype)
