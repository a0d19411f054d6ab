# SPDX-License-Identifier: BSD-3-Clause
"""Devices by name, placement, plans as files, plans that end, and tensors that are closed."""

import gc
import json
import os
import tempfile
import threading
import unittest

import numpy as np

import cairn
from support import Case, matrix

HYBRID = "hybrid<bdia<8>,csr,0.6>"


class Devices(Case):
    def setUp(self):
        self.rng = np.random.default_rng(int(os.environ.get("SEED_CLOCK", "1")))
        self.S, _ = matrix(self.rng, 240, 200, 0.1)
        self.x = self.rng.random(200)

    def test_devices_are_those_of_the_context(self):
        two = cairn.Context(devices="cpu:2")
        self.assertEqual([each.id for each in cairn.devices(two)], ["cpu:0", "cpu:1"])
        for each in cairn.devices(two):
            self.assertEqual((each.kind, each.clock, each.rank), ("cpu", "measured", 0))
            self.assertGreaterEqual(each.cores, 1)
            self.assertGreater(each.memory, 0)
        self.assertEqual([each.id for each in cairn.devices(cairn.Context())], ["cpu:0"])

    def test_places(self):
        two = cairn.Context(devices="cpu:2")
        a = cairn.tensor(self.S, HYBRID, context=two)
        for place, expected in (
                ("0=cpu:0,1=cpu:1", [(0, 0, "cpu:0"), (1, 0, "cpu:1")]),
                ("0=cpu:1,1=cpu:0", [(0, 0, "cpu:1"), (1, 0, "cpu:0")]),
                ("cpu:1", [(0, 0, "cpu:1"), (1, 0, "cpu:1")]),
                ("cpu:0*0.6+cpu:1*0.4", [(0, 0, "cpu:0"), (0, 1, "cpu:1"), (1, 0, "cpu:0"),
                                         (1, 1, "cpu:1")])):
            with self.subTest(place=place):
                placed = a.plan(place)
                found = placed.placement
                self.assertEqual([(p.member, p.share, p.device) for p in found], expected)
                self.assertEqual(sum(p.rows for p in found), 2 * 240)
                self.assertEqual(sum(p.nnz for p in found), a.nnz)
                self.close(placed @ self.x, self.S @ self.x)
                self.close(placed @ np.ones((200, 3)), self.S @ np.ones((200, 3)))
                self.close(placed.T @ np.ones(240), self.S.T @ np.ones(240))
                self.assertEqual({p.device for p in placed.T.placement},
                                 {device for _, _, device in expected})
                if "1=" in place:
                    self.assertIn("member 1, 240 rows from 0 on: cpu:", placed.explain())
        # The same arrays: new values are all views'.
        a.update(2 * self.S.data)
        self.close(placed @ self.x, 2 * (self.S @ self.x))
        self.assertEqual({p.seconds > 0 for p in placed.placement}, {True})

    def test_bits_are_the_same_in_all_places(self):
        two = cairn.Context(devices="cpu:2")
        a = cairn.tensor(self.S, HYBRID, context=two)
        z = self.rng.random(240)
        expected = a.T.plan(reproducible=True) @ z
        for place in "0=cpu:1,1=cpu:0", "cpu:0+cpu:1":
            np.testing.assert_array_equal(a.plan(place, reproducible=True).T @ z, expected)

    def test_places_open_devices_and_others_go_on(self):
        """`pim` is there from the plan that names it on, though plans are alive."""
        own = cairn.Context()
        a = cairn.tensor(self.S, "csr", context=own)
        other = cairn.tensor(self.S, "ell", context=own)
        first = other @ self.x
        on = cairn.tensor(self.S, "cisr<512>", context=own).plan("pim")
        self.assertEqual([(p.device, p.clock) for p in on.placement], [("pim:0", "simulated")])
        self.close(on @ self.x, self.S @ self.x)
        np.testing.assert_array_equal(other @ self.x, first)
        self.close(a @ self.x, self.S @ self.x)
        self.assertEqual([each.kind for each in cairn.devices(own)], ["cpu", "pim"])

    def test_plans_as_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            two = cairn.Context(devices="cpu:2")
            a = cairn.tensor(self.S, HYBRID, context=two)
            a.plan("0=cpu:1,1=cpu:0").save_plan(path)
            with open(path, encoding="utf-8") as file:
                self.assertIn("cpu:1", json.dumps(json.load(file)))
            again = a.plan(file=path)
            self.assertEqual([p.device for p in again.placement], ["cpu:1", "cpu:0"])
            self.close(again @ self.x, self.S @ self.x)
            # It names devices that another context has to open first.
            b = cairn.tensor(self.S, "cisr<512>", context=cairn.Context())
            b.plan("pim").save_plan(path)
            c = cairn.tensor(self.S, "cisr<512>", context=cairn.Context())
            self.assertEqual([p.device for p in c.plan(file=path).placement], ["pim:0"])
            self.close(c @ self.x, self.S @ self.x)

    def test_any_number_of_columns(self):
        """A plan that has gone is made anew, not used once more."""
        a = cairn.tensor(self.S, "csr", context=cairn.Context(threads=1))
        views = [a, *(a.plan("cpu", reproducible=bool(k % 2)) for k in range(3))]
        for columns in list(range(1, 14)) + [1, 2]:
            for each in views:
                x = self.rng.random((200, columns))
                self.close(each @ x, self.S @ x)
                self.close(each @ self.x, self.S @ self.x)
                self.close(each.T @ np.ones((240, columns)),
                           self.S.T @ np.ones((240, columns)))
        self.assertLessEqual(len(a._stored.plans), 8)

    def test_plans_end_while_threads_multiply(self):
        a = cairn.tensor(self.S, "csr", context=cairn.Context(threads=1))
        wrong = []

        def multiply(columns):
            for k in range(60):
                x = np.ones(200) if columns == 1 else np.ones((200, columns + k % 7))
                if not np.allclose(a @ x, self.S @ x):
                    wrong.append(columns)

        threads = [threading.Thread(target=multiply, args=(n,)) for n in (1, 1, 2, 8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(wrong, [])

    def test_close(self):
        own = cairn.Context(threads=1)
        cairn.tensor(self.S, "ell", context=own).close()  # the context keeps formats
        used = own.memory
        a = cairn.tensor(self.S, "ell", context=own)
        views = a, a.T, a.plan("cpu")
        arrays = a.arrays
        total = arrays["val"].sum()
        views[1].close()
        for each in views:
            for call in (lambda: each @ np.ones(each.shape[1]), lambda: each.arrays,
                         lambda: each @ np.ones((each.shape[1], 0)),
                         lambda: each.format, each.tocsr, each.explain, each.triples,
                         lambda: each.to("csr"), lambda: each.placement, each.plan,
                         lambda: each.update(self.S.data), lambda: each.write("no.mtx"),
                         lambda: each.save_plan("no.json"), each.__reduce__):
                with self.assertRaisesRegex(cairn.CairnRuntimeError, "the tensor was closed"):
                    call()
            self.assertEqual(repr(each), "<cairn Tensor, closed>")
            each.close()
        self.assertGreater(own.memory, used)
        self.assertEqual(arrays["val"].sum(), total)
        del arrays
        gc.collect()
        self.assertEqual(own.memory, used)


if __name__ == "__main__":
    unittest.main()
