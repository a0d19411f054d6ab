# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments of every public call: an exception of the fitting kind, whose text
names the argument; and nothing else happens."""

import inspect
import pickle
import unittest

import numpy as np
import scipy.sparse as sp

import cairn
from support import matrix

VALUE, TYPE = cairn.CairnValueError, cairn.CairnTypeError


class Rows:
    """Compressed rows of whatever kind."""

    format = "csr"

    def __init__(self, ptr, idx, values, shape=(2, 3)):
        self.indptr, self.indices, self.data, self.shape = ptr, idx, values, shape


ONES = np.ones(3)
GOOD = ([0, 1, 1], [0, 1, 2], ONES, (2, 3))

# What is handed to tensor(), the exception, and what its text has.
MATRICES = [
    (None, TYPE, "tensor: a: is a NoneType"),
    (7, TYPE, "tensor: a: is a int"),
    (ONES, VALUE, "tensor: a: has 1 dimensions"),
    (np.ones((2, 2, 2)), VALUE, "tensor: a: has 3 dimensions"),
    (np.ones((2, 2), complex), TYPE, "tensor: a: has values of complex128"),
    (np.array([["a", "b"]]), TYPE, "tensor: a: has values of <U1"),
    ((1, 2, 3), TYPE, "tensor: a: is a tuple of 3"),
    (([0], [0, 1], [1.0, 2.0], (2, 2)), VALUE, "tensor: cols: has 2 elements, rows has 1"),
    (([0, 1], [0, 1], [1.0], (2, 2)), VALUE, "tensor: values: has 1 elements"),
    (([0.5], [0], [1.0], (2, 2)), TYPE, "tensor: rows: are float64, no integers"),
    (([[0]], [0], [1.0], (2, 2)), VALUE, "tensor: rows: has 2 dimensions"),
    (([0], [0], [[1.0]], (2, 2)), VALUE, "tensor: values: has 2 dimensions"),
    (([0], [0], [1j], (2, 2)), TYPE, "tensor: values: are complex128"),
    (([0], [0], [None], (2, 2)), TYPE, "tensor: values: are object"),
    ((np.array([2**63], np.uint64), [0], [1.0], (2, 2)), VALUE, "tensor: rows: "),
    (([0], [0], [1.0], (2,)), VALUE, "tensor: shape: has 1 extents"),
    (([0], [0], [1.0], (2, 2.5)), TYPE, "tensor: shape: is (2, 2.5)"),
    (([0], [0], [1.0], 4), TYPE, "tensor: shape: is 4"),
    (([0], [0], [1.0], (2, -1)), VALUE, "tensor: shape: -1 is negative"),
    (([0], [0], [1.0], (2, 2**64)), VALUE, "tensor: shape: "),
    (([0], [0], [1.0], (2, 2**62)), VALUE, "extent"),
    (([5], [0], [1.0], (2, 2)), VALUE, "5"),
    (([0], [-1], [1.0], (2, 2)), VALUE, "-1"),
    (Rows([0, 1], [0], [1.0]), VALUE, "tensor: indptr: has 2 elements, not 3"),
    (Rows([1, 1, 1], [0], [1.0]), VALUE, "tensor: indptr: begins with 1"),
    (Rows([0, 9, 1], [0], [1.0]), VALUE, "tensor: indptr: descends"),
    (Rows([0, -9, 1], [0], [1.0]), VALUE, "tensor: indptr: descends"),
    (Rows([0, 1, 2], [0], [1.0]), VALUE, "tensor: indices: has 1 elements"),
    (Rows([0, 1, 2], [0, 1], [1.0]), VALUE, "tensor: data: has 1 elements"),
    (Rows([0, 1, 2], [0, 3], [1.0, 1.0]), VALUE, "column 3"),
    (Rows([0, 1, 2], [0, -1], [1.0, 1.0]), VALUE, "column -1"),
    (Rows([0, 1, 2], [0.0, 1.0], [1.0, 1.0]), TYPE, "tensor: indices: are float64"),
    (Rows([0, 1, 2], [0, 1], ["a", "b"]), TYPE, "tensor: data: are <U1"),
    ("no/such/file.mtx", cairn.CairnOSError, "no/such/file.mtx"),
    ("a\0b", VALUE, "tensor: a: has a NUL"),
    (__file__, VALUE, "test_arguments.py"),
]

# Arguments of tensor() beside a good matrix.
SETTINGS = [
    (dict(format=3), TYPE, "tensor: format: is a int"),
    (dict(format="cs"), VALUE, "did you mean"),
    (dict(format="csr<"), VALUE, "format:1:5"),
    (dict(format="c\0"), VALUE, "tensor: format: has a NUL"),
    (dict(format="\ud800"), VALUE, "tensor: format: "),
    (dict(format="csf<3>"), VALUE, "order 3"),
    (dict(dtype=np.int32), VALUE, "tensor: dtype: int32 is not"),
    (dict(dtype=np.float16), VALUE, "tensor: dtype: float16"),
    (dict(dtype="no type"), TYPE, "tensor: dtype: 'no type'"),
    (dict(products=-1), VALUE, "tensor: products: -1"),
    (dict(products=1.5), TYPE, "tensor: products: is 1.5"),
    (dict(products=2**70), VALUE, "tensor: products: "),
    (dict(context=1), TYPE, "tensor: context: is a int"),
]


class Arguments(unittest.TestCase):
    def refused(self, kind, text, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertIsInstance(caught.exception, cairn.CairnError)

    def test_matrices(self):
        for a, kind, text in MATRICES:
            for spec in ("csr", "coo", "ell", "auto"):
                with self.subTest(text=text, format=spec):
                    self.refused(kind, text, cairn.tensor, a, spec)

    def test_settings(self):
        for named, kind, text in SETTINGS:
            with self.subTest(text=text):
                self.refused(kind, text, cairn.tensor, GOOD, **named)

    def test_contexts(self):
        for named, kind, text in [(dict(threads=0), VALUE, "threads"),
                                  (dict(threads=-2), VALUE, "threads"),
                                  (dict(threads=2.0), TYPE, "Context: threads: is 2.0"),
                                  (dict(threads=2**40), VALUE, "Context: threads: "),
                                  (dict(memory=0), VALUE, "bytes"),
                                  (dict(memory="1G"), TYPE, "Context: memory: is '1G'"),
                                  (dict(devices=2), TYPE, "Context: devices: is a int"),
                                  (dict(devices="moon"), VALUE, "called 'moon'"),
                                  (dict(devices="c\0"), VALUE, "devices: has a NUL")]:
            with self.subTest(**named):
                self.refused(kind, text, cairn.Context, **named)
        self.refused(TYPE, "catalogue: context: ", cairn.catalogue, 1)
        self.refused(TYPE, "devices: context: ", cairn.devices, 1)

    def test_operands(self):
        a = cairn.tensor(GOOD, "csr")
        for x, kind, text in [(np.ones(2), VALUE, "has shape (2,)"),
                              (np.ones((2, 3)), VALUE, "has shape (2, 3)"),
                              (np.ones((3, 1, 1)), VALUE, "has shape (3, 1, 1)"),
                              (1.0, VALUE, "has shape ()"),
                              (None, TYPE, "object"),
                              (["a", "b", "c"], TYPE, "no numbers"),
                              (sp.eye(3, format="csr"), TYPE, "is sparse")]:
            for call in (a.__matmul__, a.dot, a.matvec, a.matmat, a.T.rmatvec, a.T.rmatmat):
                with self.subTest(text=text, call=call.__name__):
                    self.refused(kind, text, call, x)
        self.refused(VALUE, "has shape (3,)", a.__rmatmul__, np.ones(3))

    def test_out(self):
        a = cairn.tensor(GOOD, "csr")
        frozen = np.empty(2)
        frozen.flags.writeable = False
        for out, kind, text in [(np.empty(3), TYPE, "dot: out: is no array of float64"),
                                (np.empty(2, np.float32), TYPE, "dot: out: "),
                                ([0.0, 0.0], TYPE, "dot: out: "),
                                (frozen, VALUE, "dot: out: is not writeable"),
                                (np.empty(4)[::2], VALUE, "dot: out: ")]:
            self.refused(kind, text, a.dot, ONES, out)
        self.refused(TYPE, "dot: out: ", a.dot, 1j * ONES, np.empty(2))

    def test_others(self):
        a = cairn.tensor(GOOD, "ell")
        self.refused(TYPE, "to: format: is a NoneType", a.to, None)
        self.refused(VALUE, "did you mean", a.to, "elll")
        self.refused(VALUE, "to: products: -1", a.to, "csr", products=-1)
        self.refused(TYPE, "write: path: 3", a.write, 3.5)
        self.refused(VALUE, "write: path: has a NUL", a.write, "a\0b")
        self.refused(cairn.CairnOSError, "no/such", a.write, "no/such/folder/a.mtx")
        self.refused(TYPE, "plan: place: is a int", a.plan, 3)
        self.refused(VALUE, "plan: place: has a NUL", a.plan, "c\0")
        self.refused(VALUE, "plan: place: is no text", a.plan, "\ud800")
        self.refused(VALUE, "no kind of device is called 'moon'", a.plan, "moon")
        self.refused(VALUE, "the format has 1 member", a.plan, "1=cpu")
        self.refused(cairn.CairnRuntimeError, "cpu:7", a.plan, "cpu:7")
        self.refused(TYPE, "plan: file: 3", a.plan, file=3.5)
        self.refused(TYPE, "plan: file: there is a place", a.plan, "cpu", file="x")
        self.refused(cairn.CairnOSError, "no/such", a.plan, file="no/such")
        self.refused(VALUE, "test_arguments.py:1:1", a.plan, file=__file__)
        self.refused(TYPE, "save_plan: path: 3", a.save_plan, 3.5)
        self.refused(cairn.CairnOSError, "no/such", a.save_plan, "no/such/plan.json")
        np.testing.assert_array_equal(a @ ONES, [1, 2])
        self.refused(VALUE, "update: values: has 2 elements, not 3", a.update, np.ones(2))
        self.refused(TYPE, "update: values: there are none", a.update)
        self.refused(TYPE, "update: values: are <U1", a.update, ["a", "b", "c"])
        self.refused(VALUE, "update: values: has 2 dimensions", a.update, np.ones((3, 1)))
        self.refused(VALUE, "made of another one", a.to("csr").update, ONES)
        frozen = np.ones(1)
        frozen.flags.writeable = False
        b = cairn.tensor(Rows(np.array([0, 1, 1]), np.array([0]), frozen), "csr")
        self.refused(VALUE, "update: values: the borrowed", b.update, np.ones(1))

    def test_a_failure_leaves_all_as_it_was(self):
        a = cairn.tensor(GOOD, "csr")

        def fail():
            for given, _, _ in MATRICES:
                try:
                    cairn.tensor(given, "ell")
                except cairn.CairnError:
                    pass

        fail()  # a context keeps the formats of what it is given
        used = a.context.memory
        fail()
        self.assertEqual(a.context.memory, used)
        np.testing.assert_array_equal(a @ ONES, [1, 2])

    def test_statuses_are_named(self):
        with self.assertRaises(ValueError) as caught:
            cairn.tensor(GOOD, "cs")
        self.assertEqual(caught.exception.status, "BAD_FORMAT")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), str(again), again.status),
                         (VALUE, str(caught.exception), "BAD_FORMAT"))

    def test_all_that_is_public_is_here(self):
        """A new call has its wrong arguments in this file."""
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        public = [name for name, what in inspect.getmembers(cairn.Tensor, callable)
                  if not name.startswith("_")]
        taking = [name for name in public
                  if len(inspect.signature(getattr(cairn.Tensor, name)).parameters) > 1]
        for name in taking:
            self.assertIn(f"a.{name}" if not name.startswith("r") else f".{name}", text)


if __name__ == "__main__":
    unittest.main()
