# SPDX-License-Identifier: BSD-3-Clause
"""Tensors, as programs have them."""

import collections
import ctypes
import weakref

import numpy as np

from . import _arrays, _errors, _inputs, _picture, _stored
from ._context import chosen, integer, text
from ._library import COPY, lib

_run = lib.cairn_plan_run
_ndarray, _empty = np.ndarray, np.empty
_addressof, _over = ctypes.addressof, ctypes.c_char.from_buffer


def _text(call, format):
    if not isinstance(format, str):
        _inputs.type_error("format", f"is a {type(format).__name__}, no text", call)
    return format


def _where(place, file):
    """A place and a plan's path, checked."""
    if place is not None and file is not None:
        _inputs.type_error("file", "there is a place, too", "plan")
    return (None if place is None else text("plan", "place", place),
            None if file is None else _inputs.path("file", file, "plan"))


# What a device does in products: a member of the format on a rank, or a share of its rows
# (of the rank's, from first_row on). `seconds` is the median of its runs, 0 before the first.
Part = collections.namedtuple("Part", "member rank share device first_row rows nnz nbytes "
                                      "route clock seconds note")


def _products(call, products):
    if products is None:
        return None
    number = integer(call, "products", products, 64)
    if number < 0:
        _inputs.value_error("products", f"{number} is negative", call)
    return number


def tensor(a, format="auto", dtype=None, *, copy=False, products=None, context=None):
    """Store a matrix in a format.

    a         A sparse matrix or array of SciPy's, of any kind; a dense array of two
              dimensions (NumPy's, or one that has __dlpack__ or __array__), whose zeros
              are left out; a sparse one that has __binsparse__; a tuple (rows, cols,
              values, shape), in any order, repeats added; the path of a file (Matrix Market, Harwell-Boeing, .cairn); another
              tensor. Index arrays of int32 and int64 are taken as they are.
    format    A text of the format language, "csr" or "bdia<64>"; "auto": chosen for the
              matrix and this machine, but a .cairn file keeps its own.
    dtype     numpy.float64 or numpy.float32, of the values and of products; None: that of
              the values where it is float32, else float64.
    copy      Whether the arrays are copied where a format is that of the arrays (csr, csc,
              coo in order): by default they are borrowed, and must stay as they are but for
              values that update() tells of.
    products  How many products will come, for "auto" and for storing values narrow (from
              100 on, exactly); None: 1000 for "auto", else nothing is said.
    context   A Context; None: the one that all share.

    Raises CairnError: a CairnValueError, CairnTypeError, CairnMemoryError, CairnOSError ...
    A CompilerWarning says that products of this format are interpreted here.
    """
    format = _text("tensor", format)
    products = _products("tensor", products)
    if isinstance(a, Tensor):
        if dtype is not None and _inputs.chosen_dtype(dtype) != a.dtype:
            a = a.triples()
        elif context is None or context is a._stored.context:
            return a.to(format, products=products)
        else:
            a = a.triples()
    context = chosen("tensor", context)
    with context._lock:
        made = _stored.make(context, a, format, dtype, copy, products)
    return Tensor(made)


class Tensor:
    """A sparse matrix in a format; cairn.tensor() makes them. A.T is a view of A, which
    shares its arrays. scipy.sparse.linalg takes it as an operator.

    shape     (rows, columns)
    dtype     numpy.float64 or numpy.float32: of values, and of products
    nnz       entries that are stored, padding not counted
    nbytes    bytes of all arrays
    rows      (first, one past the last) of the elements of y that this process has: all,
              but on several ranks (cairn.mpi)
    columns   likewise, of x
    """

    __slots__ = ("_stored", "_transposed", "_how", "_vector", "_rows", "_across", "_plan",
                 "_mask", "_lock", "_turned", "_origin", "shape", "dtype", "rows", "columns",
                 "__weakref__")
    ndim = 2
    __array_ufunc__ = None  # x @ A is A's to compute.

    def __init__(self, stored, transposed=False, how=_stored.OPEN):
        self._stored = stored
        self._transposed = transposed
        self._how = how
        self.shape = stored.shape[::-1] if transposed else stored.shape
        self.dtype = stored.dtype
        self.rows, self.columns = stored.context._owned(stored, transposed, how)
        self._rows = self.rows[1] - self.rows[0]
        self._across = self.columns[1] - self.columns[0]
        self._mask = self.dtype.itemsize - 1
        self._lock = stored.context._lock
        self._vector = self._plan = self._turned = self._origin = None
        stored.context._tensors.add(self)
        if not transposed or how is not _stored.OPEN:
            self._prime()

    def _prime(self):
        """Have the plan of A @ x at hand."""
        self._plan = self._stored.plan(1, self._transposed, self._how)
        self._vector = (self._across,)

    # ---- products ----

    def __matmul__(self, x):
        # What most calls are, a vector that can be used where it lies, has no more words
        # than it needs.
        if type(x) is _ndarray and x.dtype is self.dtype and x.shape == self._vector:
            y = _empty(self._rows, x.dtype)
            try:
                at = _addressof(_over(x))
                to = _addressof(_over(y))
            except (TypeError, ValueError):  # Read-only, strided, or empty.
                return self._apply(x)
            if at & self._mask:
                return self._apply(x)
            with self._lock:
                if self._vector is None:  # Another thread has ended the plan.
                    return self._apply(x)
                status = _run(self._plan, at, to)
                if status:
                    self._stored.context._fail(status)
            return y
        return self._apply(x)

    def __rmatmul__(self, x):
        x = np.asarray(x)
        return self.T @ x if x.ndim < 2 else np.ascontiguousarray((self.T @ x.T).T)

    def _operand(self, x, call):
        """The dense operand as an array of this type, row-major."""
        if hasattr(x, "tocsr"):
            _inputs.type_error("x", "is sparse; products are with dense arrays", call)
        x = np.asarray(x)
        if x.dtype.kind not in "fiubc":
            _inputs.type_error("x", f"has values of {x.dtype}, no numbers", call)
        if x.ndim not in (1, 2) or x.shape[0] != self._across:
            _inputs.value_error("x", f"has shape {x.shape}; the matrix has shape "
                                     f"{(self._rows, self._across)}", call)
        return x

    def _result(self, out, shape, call):
        if out is None:
            return np.empty(shape, self.dtype)
        if not isinstance(out, np.ndarray) or out.dtype != self.dtype or out.shape != shape:
            _inputs.type_error("out", f"is no array of {self.dtype} with shape {shape}",
                               call)
        if not out.flags.carray:
            _inputs.value_error("out", "is not writeable, or its elements do not lie side "
                                       "by side", call)
        return out

    def _apply(self, x, out=None, call="A @ x"):
        x = self._operand(x, call)
        if x.dtype.kind == "c":
            if out is not None:
                _inputs.type_error("out", "a complex x has none", call)
            return self._apply(x.real) + 1j * self._apply(x.imag)
        x = np.require(x.astype(self.dtype, copy=False), requirements=["C", "A"])
        y = self._result(out, (self._rows,) + x.shape[1:], call)
        columns = 1 if x.ndim == 1 else x.shape[1]
        self._stored.alive()
        if 0 in self.shape or columns == 0:
            y[...] = 0
            return y
        with self._lock:
            plan = self._stored.plan(columns, self._transposed, self._how)
            self._stored.run(plan, _inputs.any_address(x), _inputs.any_address(y))
            if self._vector is None or columns == 1:
                self._prime()
        return y

    def dot(self, x, out=None):
        """A @ x, of a vector or of columns; into `out` (C-contiguous, of this dtype, no
        part of x) if there is one."""
        return self._apply(x, out, "dot")

    def matvec(self, x):
        """A @ x of x with shape (n,) or (n, 1), as LinearOperator has it."""
        return self @ x

    def rmatvec(self, x):
        """A.T @ x."""
        return self.T @ x

    matmat, rmatmat = matvec, rmatvec

    # ---- the matrix ----

    @property
    def T(self):
        """The transpose: the same arrays, other products. A view that stays with the
        tensor, so that `A.T @ x` again and again, and rmatvec(), find their plan at hand.
        `A.T.T` is A, as long as anybody has A, which its view does not keep."""
        turned = self._turned
        if turned is None and self._origin is not None:
            turned = self._origin()
        if turned is None:
            turned = Tensor(self._stored, not self._transposed, self._how)
            turned._origin = weakref.ref(self)
            self._turned = turned
        return turned

    H = T

    # ---- devices ----

    def plan(self, place=None, *, file=None, reproducible=False):
        """The same tensor, its products on devices by name: a view, as A.T is one, which
        multiplies as A does, by plans of its own.

        place         Which device computes which member of the format: "auto" (None), "cpu",
                      "0=cpu:0,1=opencl"; devices joined by + divide a member's rows,
                      "cpu:0+cpu:1", "cpu:0*0.6+opencl*0.4". Which devices there are is said
                      to the Context; without, the processor and what places name.
        file          The path of a plan, of save_plan() or `cairn run --plan-out`, that says
                      so instead. A plan is for a number of columns, and for a matrix.
        reproducible  Whether results have the same bits for every placement and division.

        Collective on several ranks; each may have places of its own. Raises CairnError: the
        text is malformed, or names members or devices that are not there.
        """
        place, file = self.context._together(lambda: _where(place, file))
        return Tensor(self._stored, self._transposed,
                      self._stored.how(place, file, bool(reproducible)))

    @property
    def placement(self):
        """What each device does in A @ x: a list, by member, rank and share. Collective on
        several ranks."""
        plan = self._stored.plan(1, self._transposed, self._how)
        return [Part(p.member, p.rank, p.share, p.device.decode(), p.first_row, p.rows, p.nnz,
                     p.bytes, p.route.decode(), p.clock.decode(), p.seconds, p.note.decode())
                for p in _stored.plan_parts(self._stored, plan)]

    def save_plan(self, path):
        """Write which device computes what in A @ x, as a file that people read and edit,
        for plan(file=path) and `cairn run --plan`. Collective on several ranks."""
        path = self.context._together(lambda: _inputs.path("path", path, "save_plan"))
        plan = self._stored.plan(1, self._transposed, self._how)
        self._stored.context._call(lib.cairn_plan_save, plan, path)

    def close(self):
        """Give the memory back now, of all that share the arrays (A.T, A.plan()): they are
        refused from then on. Arrays that are out (A.arrays) stay, and keep theirs. Closing
        twice is nothing. Collective on several ranks. Not needed on one process, where it
        goes with the last that refers to it."""
        self._stored.close()

    def transpose(self):
        return self.T

    @property
    def nnz(self):
        return self._stored.nnz

    @property
    def nbytes(self):
        return self._stored.nbytes

    @property
    def format(self):
        """The canonical text of the format; of A.T that of A, whose arrays it has."""
        return self._stored.text

    @property
    def context(self):
        return self._stored.context

    @property
    def arrays(self):
        """The format's arrays by name ("ptr1", "idx1", "val"), where they lie: nothing is
        copied, nothing can be written. Of a format with several members or banks each name
        has the part's number before it ("0.val"). Each array keeps the tensor; while any is
        there update() is refused. bf16 values are shown as uint16, values that are all
        equal as one."""
        return _arrays.arrays(self._stored, self._stored.parts)

    def triples(self):
        """(rows, cols, values, shape), row by row: what cairn.tensor() takes."""
        if not self._transposed:
            return (*_stored.coordinates(self._stored), self.shape)
        ptr, idx, values = self._lines()
        rows = np.repeat(np.arange(self.shape[0], dtype=idx.dtype), np.diff(ptr))
        return rows, idx, values, self.shape

    def _lines(self):
        return _stored.compressed(self._stored, self._transposed)

    def tocsr(self):
        """A scipy.sparse.csr_array of the entries."""
        from scipy.sparse import csr_array
        ptr, idx, values = self._lines()
        return csr_array((values, idx, ptr), shape=(len(ptr) - 1, self.shape[1]))

    def tocoo(self):
        """A scipy.sparse.coo_array of the entries."""
        from scipy.sparse import coo_array
        rows, cols, values, shape = self.triples()
        return coo_array((values, (rows, cols)), shape=shape)

    def __binsparse_descriptor__(self):
        """What __binsparse__() has, as binsparse describes it."""
        ptr, idx, values = self._lines()
        types = {"pointers_to_1": ptr, "indices_1": idx, "values": values}
        return {"binsparse": {"version": "0.1", "format": "CSR",
                              "shape": [len(ptr) - 1, self.shape[1]],
                              "number_of_stored_values": len(values),
                              "data_types": {name: array.dtype.name
                                             for name, array in types.items()}},
                "original_source": f"cairn, version {lib.cairn_version().decode()}"}

    def __binsparse__(self):
        """The entries by rows, in arrays of their own: binsparse's CSR."""
        return dict(zip(("pointers_to_1", "indices_1", "values"), self._lines()))

    def toarray(self):
        """A dense array."""
        rows, cols, values, shape = self.triples()
        dense = np.zeros(shape, self.dtype)
        dense[rows, cols] = values
        return dense

    def to(self, format, *, products=None):
        """The same matrix in another format, as a tensor of its own. It cannot be
        updated."""
        format, products = _text("to", format), _products("to", products)
        if self._transposed:
            return tensor(self.triples(), format, copy=True, products=products,
                          context=self._stored.context)
        return Tensor(_stored.converted(self._stored, format, products))

    def write(self, path):
        """Write a file: .mtx as text, any other name as .cairn, with the format."""
        if self._transposed:
            return self.to("csr").write(path)
        written = ctypes.c_int64()
        self._stored.context._call(lib.cairn_tensor_write, self._stored.pointer,
                                   _inputs.path("path", path, "write"),
                                   ctypes.byref(written))
        return written.value

    # ---- new values ----

    def update(self, values=None):
        """New values for the same pattern, in the order of the arrays that the tensor was
        made of; all tensors that share the arrays (A.T) have them. Of a tensor that borrows
        its arrays they are written into the borrowed one; without `values` they are there
        already.

        Raises CairnValueError: there are more or fewer values; the tensor was made of
        something else than arrays; views of its arrays are out.
        """
        stored = self._stored
        count = stored.given.update_count()
        if count is None:
            raise _errors.CairnValueError(
                "update: the tensor was made of another one or of a file: make it of arrays")
        if values is not None:
            values = _inputs.numbers("values", values, self.dtype, "update")
            if len(values) != count:
                _inputs.value_error("values", f"has {len(values)} elements, not {count}",
                                    "update")
        elif not stored.borrowed:
            _inputs.type_error("values", "there are none, and none are borrowed", "update")
        with self._lock:
            self._update(stored, values, count)

    def _update(self, stored, values, count):
        if stored.borrowed:
            own = stored.borrowed[-1]
            if values is not None and not own.flags.writeable:
                _inputs.value_error("values", "the borrowed ones cannot be written",
                                    "update")
            if values is not None:
                own[:count] = values
            values = own
        elif isinstance(stored.given, _inputs.List):
            if not stored.context.lends:
                raise _errors.CairnNotSupported("update: a list of several ranks: make the "
                                                "tensor of each rank's rows")
            self._by_rows(stored, values)
            return
        else:
            values = stored.given.arranged(values)
        if count:
            stored.context._call(lib.cairn_tensor_update, stored.pointer,
                                 values.ctypes.data)

    def _by_rows(self, stored, values):
        """A list of coordinates was sorted, and what was where is not known: it is stored
        once more, by rows, and from then on has new values as rows have."""
        lines = _inputs.Ordered(stored.given, values)
        format = lib.cairn_tensor_format(stored.pointer)
        again = _stored.Stored(stored.context,
                               lines.make(stored.context, COPY, format, 0), lines,
                               why=stored.why)
        for each in list(stored.context._tensors):
            if each._stored is stored:
                each._stored, each._vector = again, None

    # ---- what people see ----

    def explain(self):
        """How the matrix is stored and why, and how A @ x is computed, as text."""
        return _picture.explain(self)

    def __repr__(self):
        return _picture.line(self)

    def _repr_svg_(self):
        return _picture.svg(self)

    def __reduce__(self):
        if not self._stored.context.lends:
            raise _errors.CairnTypeError("pickle: a matrix of several ranks has no process "
                                         "of its own: pickle its rows, A.tocsr()")
        ptr, idx, values = _stored.compressed(self._stored, False)
        return _again, (ptr, idx, values, self._stored.shape, self.format,
                        self._transposed)


class _Rows:
    """Compressed rows, as tensor() takes them."""

    format = "csr"

    def __init__(self, ptr, idx, values, shape):
        self.indptr, self.indices, self.data, self.shape = ptr, idx, values, shape


def _again(ptr, idx, values, shape, format, transposed):
    """A tensor from what pickle kept of it."""
    made = tensor(_Rows(ptr, idx, values, shape), format, values.dtype, copy=True)
    return made.T if transposed else made
