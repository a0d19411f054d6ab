# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the package share."""

import re
import unittest

import numpy as np
import scipy.sparse as sp

import cairn


def formats():
    """Every format of the catalogue that stores matrices, with arguments where it has to
    have some, as the refusal of the bare name shows them; and a hybrid."""
    found = []
    for name in cairn.catalogue():
        for spec in (name, f"{name}<2>"):
            try:
                cairn.tensor(sp.eye(4, format="csr"), spec)
            except cairn.CairnValueError as error:
                match = re.search(r"as in '([^']*)'", str(error))
                if not match:
                    continue
                spec = match.group(1)
            found.append(spec)
            break
    return found + ["hybrid<bdia<4>,csr,0.5>"]


def matrix(rng, rows, cols, density=0.2, dtype=np.float64, kind="csr", index=np.int32):
    """A random matrix, its values no small integers, some rows empty."""
    dense = np.where(rng.random((rows, cols)) < density,
                     rng.uniform(0.5, 1.5, (rows, cols)), 0).astype(dtype)
    dense[::5] = 0
    made = sp.csr_array(dense).asformat(kind)
    for name in ("indptr", "indices", "row", "col"):
        if hasattr(made, name):
            setattr(made, name, getattr(made, name).astype(index))
    return made, dense


class Case(unittest.TestCase):
    def close(self, found, expected, dtype=np.float64, about=None):
        """Equal but for the order of additions."""
        self.assertEqual(found.shape, expected.shape, about)
        np.testing.assert_allclose(found, expected, err_msg=str(about),
                                   rtol=1e-12 if dtype == np.float64 else 2e-5,
                                   atol=1e-13 if dtype == np.float64 else 1e-5)
