# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of other libraries by __binsparse__, and ours for them."""

import unittest

import numpy as np

import cairn
from support import Case, matrix

VALUE, TYPE = cairn.CairnValueError, cairn.CairnTypeError


class Other:
    """What a library's matrix shows of itself."""

    def __init__(self, shape, format, arrays, version="0.1", **header):
        types = {name: array.dtype.name for name, array in arrays.items()}
        types.update(header.pop("types", {}))
        self.header = {"version": version, "format": format, "shape": list(shape),
                       "number_of_stored_values": len(arrays["indices_1"]),
                       "data_types": types, **header}
        self.arrays = arrays

    def __binsparse_descriptor__(self):
        return {"binsparse": self.header, "original_source": "a test"}

    def __binsparse__(self):
        return self.arrays


def levels(*kinds, transpose=None, word="level_desc"):
    """A custom format."""
    level = {word: "element"}
    for kind, rank in reversed(kinds):
        level = {word: kind, "rank": rank, "level": level}
    made = {"custom": {"level": level}}
    if transpose:
        made["custom"]["transpose"] = transpose
    return made


def lines(S, by):
    """Compressed rows or columns, and likewise without the empty ones."""
    S = S.asformat(by)
    full = {"pointers_to_1": S.indptr, "indices_1": S.indices, "values": S.data}
    kept = np.flatnonzero(np.diff(S.indptr))
    return full, {**full, "indices_0": kept,
                  "pointers_to_1": np.append(S.indptr[kept], S.indptr[-1])}


class Binsparse(Case):
    def setUp(self):
        self.rng = np.random.default_rng(3)

    def test_all_formats_are_taken(self):
        for index in np.int32, np.int64, np.uint16:
            S, dense = matrix(self.rng, 23, 17, 0.2)
            coo = S.tocoo()
            rows, thin = lines(S, "csr")
            columns, thin_columns = lines(S, "csc")
            entries = {"indices_0": coo.row, "indices_1": coo.col, "values": coo.data}
            by_columns = {"indices_0": coo.col, "indices_1": coo.row, "values": coo.data}
            one, two, plane = ("sparse", 1), ("dense", 1), ("sparse", 2)
            for format, arrays in (
                    ("CSR", rows), ("CSC", columns), ("DCSR", thin), ("DCSC", thin_columns),
                    ("COO", entries), ("COOR", entries), ("COOC", by_columns),
                    (levels(two, one), rows), (levels(two, one, transpose=[1, 0]), columns),
                    (levels(two, one, transpose=[0, 1], word="level_kind"), rows),
                    (levels(one, one), thin), (levels(one, one, transpose=[1, 0]), thin_columns),
                    (levels(plane), entries), (levels(plane, transpose=[1, 0]), by_columns)):
                arrays = {name: array if name == "values" else array.astype(index)
                          for name, array in arrays.items()}
                for version in "0.1", "0.1.0":
                    for spec in "csr", "auto", "ell":
                        with self.subTest(format=format, index=index, spec=spec):
                            a = cairn.tensor(Other(S.shape, format, arrays, version), spec)
                            np.testing.assert_array_equal(a.toarray(), dense)

    def test_values_of_other_types(self):
        S, dense = matrix(self.rng, 9, 9, 0.5)
        rows, _ = lines(S, "csr")
        same = {**rows, "values": np.array([2.5])}
        a = cairn.tensor(Other(S.shape, "CSR", same, types={"values": "iso[float64]"}), "csr")
        np.testing.assert_array_equal(a.toarray(), 2.5 * (dense != 0))
        a = cairn.tensor(Other(S.shape, "CSR", {**rows, "values": np.ones(S.nnz, np.uint8)},
                               types={"values": "bint8"}), "csr")
        np.testing.assert_array_equal(a.toarray(), dense != 0)
        a = cairn.tensor(Other(S.shape, "CSR", {**rows, "values": S.data.astype(np.float32)}))
        self.assertEqual(a.dtype, np.float32)

    def test_what_is_refused(self):
        S, _ = matrix(self.rng, 9, 9, 0.5)
        rows, _ = lines(S, "csr")
        missing = Other(S.shape, "CSR", rows)
        del missing.header["data_types"]["values"]
        for other, kind, words in (
                (Other(S.shape, "CSR", rows, "0.2"), VALUE, "version 0.2 is not 0.1"),
                (Other(S.shape, "DMATR", rows), VALUE, "DMATR is no format"),
                (Other(S.shape, "CVEC", rows), VALUE, "CVEC is no format"),
                (Other((9, 9, 9), "CSR", rows), VALUE, "has 3 extents"),
                (Other(S.shape, levels(("dense", 2)), rows), VALUE, "levels dense 2"),
                (Other(S.shape, {"custom": 3}, rows), VALUE, "binsparse: "),
                (Other(S.shape, "COO", rows), VALUE, "binsparse: 'indices_0'"),
                (missing, VALUE, "binsparse: 'values'"),
                (Other(S.shape, "CSR", rows, structure="symmetric_lower"),
                 cairn.CairnNotSupported, "structures"),
                (Other(S.shape, "CSR", {**rows, "fill_value": np.ones(1)}, fill=True),
                 cairn.CairnNotSupported, "fills"),
                (Other(S.shape, "CSR", {**rows, "indices_1": rows["indices_1"] + 1}, index_base=1),
                 cairn.CairnNotSupported, "tensor: a: binsparse: index_base 1 is not taken"),
                (Other(S.shape, "CSR", rows, types={"values": "complex[float64]"}), TYPE,
                 "complex[float64]"),
                (Other(S.shape, "CSR", {**rows, "indices_1": rows["indices_1"] + 5}), VALUE,
                 "column")):
            with self.subTest(words=words), self.assertRaises(kind) as caught:
                cairn.tensor(other, "csr")
            self.assertIn(words, str(caught.exception))

    def test_an_index_base_of_zero_is_taken(self):
        S, dense = matrix(self.rng, 9, 9, 0.5)
        a = cairn.tensor(Other(S.shape, "CSR", lines(S, "csr")[0], index_base=0), "csr")
        np.testing.assert_array_equal(a.toarray(), dense)

    def test_ours(self):
        S, dense = matrix(self.rng, 31, 12, 0.3)
        for a, expected in ((cairn.tensor(S, "bdia<4>"), dense),
                            (cairn.tensor(S, "ell").T, dense.T),
                            (cairn.tensor(S.astype(np.float32), "csc"), dense.astype("f4"))):
            said, arrays = a.__binsparse_descriptor__()["binsparse"], a.__binsparse__()
            self.assertEqual((said["version"], said["format"], tuple(said["shape"])),
                             ("0.1", "CSR", expected.shape))
            self.assertEqual(said["data_types"],
                             {name: array.dtype.name for name, array in arrays.items()})
            made = np.zeros(expected.shape, expected.dtype)
            ptr = arrays["pointers_to_1"]
            for i in range(expected.shape[0]):
                own = slice(ptr[i], ptr[i + 1])
                made[i, arrays["indices_1"][own]] = arrays["values"][own]
            self.assertEqual(said["number_of_stored_values"], np.count_nonzero(expected))
            np.testing.assert_array_equal(made, expected)


if __name__ == "__main__":
    unittest.main()
