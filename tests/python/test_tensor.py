# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in, products, and matrices out, held to SciPy's and to dense arrays."""

import gc
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import weakref

import numpy as np
import scipy.sparse as sp

import cairn
from support import Case, formats, matrix

CYCLES = """
import gc
import cairn, numpy as np

for collected in (True, True, False):  # The last one when the interpreter ends.
    names = {"cairn": cairn, "np": np}
    exec('''
def f(): pass
A = cairn.tensor(np.eye(9), "ell")
own = cairn.Context(threads=1)
A = cairn.tensor(np.eye(9), "ell", context=own)
y = A @ np.ones(9)
try:
    A @ np.ones(3)
except cairn.CairnError as error:
    kept = error
''', names)
    names["f"].me = names
    del names
    if collected:
        gc.collect()
"""
KINDS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")


class Formats(Case):
    def check(self, spec, dtype):
        rng = np.random.default_rng(7)
        source, dense = matrix(rng, 23, 17, dtype=dtype)
        a = cairn.tensor(source, spec)
        self.assertEqual((a.shape, a.dtype), ((23, 17), dtype))
        self.assertGreaterEqual(a.nnz, np.count_nonzero(dense))
        for columns in ((), (3,)):
            x = rng.random((17, *columns)).astype(dtype)
            z = rng.random((23, *columns)).astype(dtype)
            self.close(a @ x, dense @ x, dtype, spec)
            self.close(a.T @ z, dense.T @ z, dtype, spec)
            self.close(z.T @ a, z.T @ dense, dtype, spec)
        np.testing.assert_array_equal(a.tocsr().toarray(), dense)
        np.testing.assert_array_equal(a.T.tocsr().toarray(), dense.T)
        np.testing.assert_array_equal(a.tocoo().toarray(), dense)
        np.testing.assert_array_equal(a.T.toarray(), dense.T)
        again = pickle.loads(pickle.dumps(a))
        self.assertEqual((again.format, again.dtype), (a.format, dtype))
        np.testing.assert_array_equal(again.toarray(), dense)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(a.T)).toarray(), dense.T)

    def test_every_format_of_the_catalogue(self):
        specs = formats()
        self.assertGreater(len(specs), 20)
        for spec in specs:
            for dtype in (np.float64, np.float32):
                with self.subTest(format=spec, dtype=dtype.__name__):
                    self.check(spec, dtype)

    def test_every_format_has_new_values(self):
        rng = np.random.default_rng(8)
        x = rng.random(17)
        for spec in formats():
            for kind in ("csr", "csc", "coo"):
                with self.subTest(format=spec, kind=kind):
                    source, dense = matrix(rng, 23, 17, kind=kind)
                    a = cairn.tensor(source, spec, copy=True)
                    t = a.T
                    for factor in (2.0, 3.0):
                        a.update(factor * source.data)
                        self.close(a @ x, factor * (dense @ x), about=spec)
                        np.testing.assert_array_equal(t.toarray(), factor * dense.T)

    def test_to_another_format_and_back(self):
        source, dense = matrix(np.random.default_rng(9), 20, 31)
        for spec in ("auto", "bcsr<2,3>", "coo"):
            b = cairn.tensor(source, "csr").to(spec)
            np.testing.assert_array_equal(b.to("csc").toarray(), dense)
            np.testing.assert_array_equal(b.T.to("csr").toarray(), dense.T)


    def test_the_transpose_is_one_view(self):
        source, dense = matrix(np.random.default_rng(12), 20, 31)
        a = cairn.tensor(source, "ell", copy=True)
        t = a.T
        self.assertIs(a.T, t)
        self.assertIs(t.T, a)
        placed = a.plan()
        self.assertIs(placed.T.T, placed)
        self.assertEqual((t.T.shape, t.shape), (a.shape, (31, 20)))
        self.close(t.T @ np.ones(31), dense @ np.ones(31))
        self.assertIsNot(a.plan().T, t)
        alone = weakref.ref(a)
        del a
        self.assertIsNone(alone())  # The view keeps the arrays, and no tensor the other.
        self.close(t @ np.ones(20), dense.T @ np.ones(20))
        again = t.T  # Of which the tensor is the view.
        self.assertIs(again.T, t)
        self.close(again @ np.ones(31), dense @ np.ones(31))
        t.close()
        with self.assertRaisesRegex(cairn.CairnRuntimeError, "closed"):
            t @ np.ones(20)


class Inputs(Case):
    def test_numpy_matrices(self):
        source, dense = matrix(np.random.default_rng(13), 7, 9)
        np.testing.assert_array_equal(cairn.tensor(source.todense(), "csr").toarray(), dense)
        np.testing.assert_array_equal(cairn.tensor(np.asmatrix(dense)).toarray(), dense)

    def test_masked_entries_are_none(self):
        source = np.ma.MaskedArray([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
        np.testing.assert_array_equal(cairn.tensor(source).toarray(), [[1.0, 0.0], [3.0, 4.0]])

    def test_random_matrices_of_every_kind(self):
        rng = np.random.default_rng(1)
        for case in range(60):
            rows, cols = rng.integers(0, 40, 2)
            dtype = (np.float64, np.float32)[case % 2]
            index = (np.int32, np.int64)[case // 2 % 2]
            kind = KINDS[case % len(KINDS)]
            if min(rows, cols) == 0:
                kind = "csr"
            spec = ("csr", "coo", "csc", "ell", "auto")[case % 5]
            with self.subTest(case=case, kind=kind, format=spec):
                source, dense = matrix(rng, rows, cols, rng.random(), dtype, kind, index)
                a = cairn.tensor(source, spec)
                x, z = rng.random(cols).astype(dtype), rng.random(rows).astype(dtype)
                self.close(a @ x, dense @ x, dtype)
                self.close(a.T @ z, dense.T @ z, dtype)
                np.testing.assert_array_equal(a.toarray(), dense)

    def test_lists_in_any_order_with_repeats(self):
        rng = np.random.default_rng(2)
        for index in (np.int8, np.uint16, np.int32, np.int64, np.uint64):
            for spec in ("coo", "csr", "ell", "auto"):
                rows, cols = (rng.integers(0, 12, 200).astype(index) for _ in range(2))
                values, x = rng.random(200), rng.random(12)
                expected = sp.coo_array((values, (rows.astype(int), cols.astype(int))),
                                        shape=(12, 12))
                a = cairn.tensor((rows, cols, values, (12, 12)), spec)
                t = a.T
                self.close(a @ x, expected @ x)
                for factor in (2, 5):
                    a.update(factor * values)
                    self.close(a @ x, factor * (expected @ x))
                    self.close(t @ x, factor * (expected.T @ x))

    def test_rows_with_columns_in_any_order_and_repeats(self):
        ptr = np.array([0, 3, 3, 6])
        idx = np.array([4, 0, 4, 2, 1, 0])
        values = np.arange(1.0, 7.0)
        source = sp.csr_array((values, idx, ptr), shape=(3, 5))
        x = np.arange(5.0) + 1
        for spec in ("csr", "csc", "coo", "ell", "auto"):
            a = cairn.tensor(source.copy(), spec)
            self.close(a @ x, source @ x, about=spec)
            a.update(2 * values)
            self.close(a @ x, 2 * (source @ x), about=spec)

    def test_dense_arrays_and_dlpack(self):
        dense = np.array([[0, 1.5, 0], [2, 0, 0]])

        class Elsewhere:  # As a library offers an array that is no NumPy array.
            def __dlpack__(self, **options):
                return dense.__dlpack__()

            def __dlpack_device__(self):
                return dense.__dlpack_device__()

        for given in (dense, dense.astype(np.float32), np.asfortranarray(dense), Elsewhere(),
                      dense > 1, (2 * dense).astype(np.int8)):
            a = cairn.tensor(given, "csr")
            np.testing.assert_array_equal(a.toarray(), given if not isinstance(
                given, Elsewhere) else dense)
        self.assertEqual(cairn.tensor(dense.astype(np.float32)).dtype, np.float32)
        self.assertEqual(cairn.tensor(dense, dtype="f32").dtype, np.float32)

    def test_integers_and_strided_arrays_are_taken(self):
        twice = np.repeat(np.arange(6), 2)
        a = cairn.tensor((twice[::2], twice[::2], np.arange(1, 7), (6, 6)), "csr")
        np.testing.assert_array_equal(a.toarray(), np.diag(np.arange(1.0, 7.0)))

    def test_tensors_of_tensors(self):
        source, dense = matrix(np.random.default_rng(3), 8, 9)
        a = cairn.tensor(source, "csr")
        for b in (cairn.tensor(a, "coo"), cairn.tensor(a, "coo", np.float32),
                  cairn.tensor(a, "coo", context=cairn.Context(threads=1))):
            self.close(b.toarray(), dense.astype(b.dtype), b.dtype)

    def test_files(self):
        source, dense = matrix(np.random.default_rng(4), 12, 7)
        with tempfile.TemporaryDirectory() as folder:
            text, own = (os.path.join(folder, name) for name in ("a.mtx", "a.cairn"))
            a = cairn.tensor(source, "bcsr<2,2>")
            self.assertGreater(a.write(text), 0)
            a.write(own)
            for path in (text, own):
                for spec in ("auto", "csr", "coo"):
                    b = cairn.tensor(path, spec)
                    self.assertEqual(b.shape, (12, 7))
                    np.testing.assert_array_equal(b.toarray(), dense)
            self.assertEqual(cairn.tensor(own).format, a.format)
            self.assertEqual(cairn.tensor(text, dtype=np.float32).dtype, np.float32)
            a.T.write(own)
            np.testing.assert_array_equal(cairn.tensor(own).toarray(), dense.T)

    def test_empty_matrices(self):
        for shape in ((0, 0), (0, 5), (5, 0), (5, 5)):
            for spec in ("csr", "coo", "bdia<4>", "auto"):
                with self.subTest(shape=shape, format=spec):
                    a = cairn.tensor(sp.csr_array(shape), spec)
                    self.assertEqual(a.nnz, 0)
                    np.testing.assert_array_equal(a @ np.ones(shape[1]), np.zeros(shape[0]))
                    np.testing.assert_array_equal(a.T @ np.ones(shape[0]),
                                                  np.zeros(shape[1]))
                    self.assertEqual((a @ np.ones((shape[1], 0))).shape, (shape[0], 0))
                    self.assertEqual(a.tocsr().shape, shape)
                    self.assertIn("<svg", a._repr_svg_())


class Operands(Case):
    def setUp(self):
        self.source, self.dense = matrix(np.random.default_rng(5), 30, 20)
        self.a = cairn.tensor(self.source, "csr")

    def test_vectors_of_any_kind(self):
        x = np.random.default_rng(6).random(40)
        frozen = x[:20].copy()
        frozen.flags.writeable = False
        odd = np.frombuffer(b"\0" + x[:20].tobytes(), np.uint8)[1:].view(np.float64)
        for each in (x[:20], x[::2], x[::-2], frozen, odd, x[:20].astype(np.float32),
                     np.arange(20), x[:20].astype(">f8"), list(x[:20])):
            self.close(self.a @ each, self.dense @ np.asarray(each, float))
        self.close(self.a @ (x[:20] + 2j), self.dense @ (x[:20] + 2j))

    def test_columns_of_any_order(self):
        x = np.random.default_rng(6).random((20, 6))
        for each in (x, np.asfortranarray(x), x[:, ::2], x[:, :1]):
            self.close(self.a @ each, self.dense @ each)
        for columns in range(1, 20):  # More plans than are kept.
            self.close(self.a @ np.ones((20, columns)),
                       self.dense @ np.ones((20, columns)))

    def test_out(self):
        x, y = np.random.default_rng(6).random(20), np.empty(30)
        self.assertIs(self.a.dot(x, out=y), y)
        self.close(y, self.dense @ x)

    def test_results_are_arrays_of_their_own(self):
        first = self.a @ np.ones(20)
        kept = first.copy()
        self.a @ np.zeros(20)
        np.testing.assert_array_equal(first, kept)


class Arrays(Case):
    def test_borrowed_arrays_are_the_programs_own(self):
        for kind in ("csr", "csc", "coo"):
            for index in (np.int32, np.int64):
                source, dense = matrix(np.random.default_rng(1), 9, 9, kind=kind,
                                       index=index)
                a = cairn.tensor(source, kind)
                arrays = a.arrays
                self.assertTrue(np.shares_memory(arrays["val"], source.data))
                own = source.col if kind == "coo" else source.indices
                self.assertEqual(own.dtype, index)
                self.assertTrue(np.shares_memory(arrays["idx1"], own), (kind, index))
                del arrays
                source.data *= 2
                a.update()
                self.close(a @ np.ones(9), 2 * dense @ np.ones(9))
                a.update(source.data / 2)
                self.close(a @ np.ones(9), dense @ np.ones(9))
                self.assertFalse(np.shares_memory(
                    cairn.tensor(source, kind, copy=True).arrays["val"], source.data))

    def test_a_tensor_keeps_what_it_borrows_and_no_longer(self):
        class Kept(np.ndarray):
            pass

        source, dense = matrix(np.random.default_rng(1), 9, 9)
        values = Kept(source.data.shape)
        values[:] = source.data
        alive = weakref.ref(values)
        source.data = values
        a = cairn.tensor(source, "csr")
        del source, values
        gc.collect()
        self.assertIsNotNone(alive())
        self.close(a @ np.ones(9), dense @ np.ones(9))
        del a
        gc.collect()
        self.assertIsNone(alive())

    def test_views_outlive_the_tensor_and_are_released(self):
        context = cairn.Context(threads=1)
        source, dense = matrix(np.random.default_rng(1), 200, 200)
        cairn.tensor(source, "ell", context=context)
        before = context.memory
        a = cairn.tensor(source, "ell", context=context)
        arrays = a.arrays
        value = arrays["val"]
        self.assertFalse(value.flags.writeable)
        total = value.sum()
        del a, arrays
        gc.collect()
        self.assertAlmostEqual(total, dense.sum())
        self.assertEqual(value.sum(), total)
        self.assertGreater(context.memory, before + value.nbytes)
        del value
        gc.collect()
        self.assertLessEqual(context.memory, before)

    def test_cycles_of_garbage_go_in_any_order(self):
        """A context, tensors and views of them that are found dead at once: in a process
        whose freed memory is overwritten."""
        done = subprocess.run([sys.executable, "-c", CYCLES], capture_output=True, text=True,
                              env=dict(os.environ, MALLOC_PERTURB_="165"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_update_waits_for_views(self):
        source, dense = matrix(np.random.default_rng(1), 9, 9)
        a = cairn.tensor(source, "ell")
        view = a.arrays["val"]
        with self.assertRaisesRegex(cairn.CairnValueError, "view"):
            a.update(source.data * 2)
        del view
        a.update(source.data * 2)
        self.close(a @ np.ones(9), 2 * dense @ np.ones(9))

    def test_what_the_arrays_hold(self):
        dense = np.diag([1.0, 2.0, 3.0])
        dense[0, 2] = 4
        arrays = cairn.tensor(dense, "csr", copy=True).arrays
        self.assertEqual([list(arrays[name]) for name in ("ptr1", "idx1", "val")],
                         [[0, 2, 3, 4], [0, 2, 1, 2], [1, 4, 2, 3]])
        rows = cairn.tensor(dense, "lil").arrays  # Tuples of a column and a value.
        self.assertEqual((list(rows["idx1"]), list(rows["val"].ravel())),
                         ([0, 2, 1, 2], [1, 4, 2, 3]))
        parts = cairn.tensor(dense, "c2sr<2>").arrays  # Two banks.
        self.assertEqual((list(parts["0.val"]), list(parts["1.val"])), ([1, 4, 3], [2]))

    def test_narrow_values(self):
        for values, type, shown in (([1, 2, 3], "i8", np.int8), ([7, 7, 7], "iso", np.float64),
                                    ([0.5, 1.5, 2], "f32", np.float32)):
            source = sp.csr_array(np.diag(np.array(values, float)))
            a = cairn.tensor(source, "csr", copy=True, products=1000)
            self.assertEqual(a.arrays["val"].dtype, shown)
            self.assertIn(f"values as {type}", a.explain())
            np.testing.assert_array_equal(a @ np.ones(3), values)
            a.update(np.array([1.1, 2.2, 3.3]))
            self.close(a @ np.ones(3), np.array([1.1, 2.2, 3.3]))


class Shown(Case):
    def test_repr_explain_and_picture(self):
        source, _ = matrix(np.random.default_rng(1), 30, 20)
        a = cairn.tensor(source, "hybrid<bdia<4>,csr,0.5>")
        self.assertIn("30 x 20, float64", repr(a))
        self.assertIn("20 x 30", repr(a.T))
        for text in ("format: #hybrid", "part: #encoding", "stored: ", "A @ x: "):
            self.assertIn(text, a.explain())
        self.assertIn("chosen: ", cairn.tensor(source).explain())
        import xml.dom.minidom
        for each in (a, a.T):
            picture = xml.dom.minidom.parseString(each._repr_svg_())
            cells = [node for node in picture.getElementsByTagName("rect")
                     if node.hasAttribute("opacity")]
            self.assertEqual(len(cells), source.nnz)

    def test_the_default_context_and_others(self):
        own = cairn.Context(threads=1, memory=1 << 30)
        self.assertEqual(own.threads, 1)
        self.assertIn("1 threads", repr(own))
        self.assertIs(cairn.tensor(np.eye(3), context=own).context, own)
        small = cairn.Context(memory=100000)
        with self.assertRaises(MemoryError) as caught:
            cairn.tensor(sp.eye(100000, format="csr"), "coo", context=small)
        self.assertEqual(caught.exception.status, "NO_MEMORY")


if __name__ == "__main__":
    unittest.main()
