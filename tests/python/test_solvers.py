# SPDX-License-Identifier: BSD-3-Clause
"""scipy.sparse.linalg and PyAMG with tensors as operators, held to the same calls with
SciPy's matrices."""

import importlib.util
import unittest

import numpy as np
import scipy.sparse as sp
from scipy.sparse import linalg

import cairn
from support import Case

FORMATS = ("auto", "csr", "bdia<64>", "bcsr<2,2>")


def grid(n):
    """The Laplacian of an n x n grid."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (n, n))
    one = sp.identity(n)
    return sp.csr_matrix(sp.kron(line, one) + sp.kron(one, line))


class Solvers(Case):
    def setUp(self):
        self.source = grid(20)
        self.b = np.random.default_rng(1).random(400)
        self.exact = linalg.spsolve(self.source.tocsc(), self.b)

    def test_cg_and_gmres_take_the_same_steps(self):
        for solver in (linalg.cg, linalg.gmres):
            for spec in FORMATS:
                steps = {}
                for name, a in (("scipy", self.source),
                                ("cairn", cairn.tensor(self.source, spec))):
                    seen = []
                    x, failed = solver(a, self.b, callback=seen.append, atol=0,
                                       **({"callback_type": "x"} if solver is linalg.gmres
                                          else {}))
                    self.assertEqual(failed, 0)
                    steps[name] = len(seen)
                    self.assertLess(np.linalg.norm(self.source @ x - self.b),
                                    1e-4 * np.linalg.norm(self.b))
                self.assertEqual(steps["scipy"], steps["cairn"], (solver.__name__, spec))

    def test_eigsh(self):
        expected = np.sort(linalg.eigsh(self.source, 4, v0=self.b)[0])
        for spec in FORMATS:
            a = cairn.tensor(self.source, spec)
            np.testing.assert_allclose(np.sort(linalg.eigsh(a, 4, v0=self.b)[0]), expected,
                                       rtol=1e-9)

    def test_lobpcg(self):
        x = np.random.default_rng(2).random((400, 4))
        expected = np.sort(linalg.eigsh(self.source, 4, v0=self.b)[0])
        a = cairn.tensor(self.source, "bdia<64>")
        found, _ = linalg.lobpcg(a, x, tol=1e-7, maxiter=400)
        np.testing.assert_allclose(np.sort(found), expected, rtol=1e-5)

    def test_svds_of_a_rectangle(self):
        source = sp.random(60, 40, 0.2, "csr", random_state=3)
        expected = np.linalg.svd(source.toarray(), compute_uv=False)[:3]
        for spec in FORMATS:
            a = cairn.tensor(source, spec)
            found = linalg.svds(a, 3, return_singular_vectors=False, v0=np.ones(40))
            np.testing.assert_allclose(np.sort(found)[::-1], expected, rtol=1e-8)

    def test_as_part_of_other_operators(self):
        a = linalg.aslinearoperator(cairn.tensor(self.source, "csr"))
        both = 2 * a + linalg.aslinearoperator(self.source.T)
        self.close(both @ self.b, 3 * (self.source @ self.b))
        self.close(a.H @ self.b, self.source @ self.b)

    @unittest.skipUnless(importlib.util.find_spec("pyamg"), "PyAMG is not here")
    def test_smoothed_aggregation_over_tensors(self):
        import pyamg
        amg = pyamg.smoothed_aggregation_solver(self.source, max_coarse=10)
        a = cairn.tensor(self.source)
        steps = []
        x, failed = linalg.cg(a, self.b, M=amg.aspreconditioner(), callback=steps.append,
                              atol=0)
        self.assertEqual(failed, 0)
        for level in amg.levels[:-1]:  # The ways between levels in a format of ours.
            level.P, level.R = cairn.tensor(level.P, "ell"), cairn.tensor(level.R, "csc")
        again = []
        y, failed = linalg.cg(a, self.b, M=amg.aspreconditioner(), callback=again.append,
                               atol=0)
        self.assertEqual((failed, len(again)), (0, len(steps)))
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8)


if __name__ == "__main__":
    unittest.main()
