# SPDX-License-Identifier: BSD-3-Clause
"""The arrays of a tensor where they lie: NumPy arrays over the library's memory. Each
keeps the tensor; the library's view of a part ends when the last of its arrays is gone."""

import ctypes

import numpy as np

from ._library import BFLOAT, CODE, FLOAT, INTEGER, ONE, PartView, lib


class _View:
    """A part's view, which is out until nothing refers to it."""

    def __init__(self, stored, part):
        self.stored = None
        self.struct = PartView()
        stored.context._call(lib.cairn_tensor_part_get, stored.pointer, part,
                             ctypes.byref(self.struct))
        self.stored = stored
        stored._enter()

    def __del__(self, restore=lib.cairn_tensor_part_restore, byref=ctypes.byref):
        stored = self.stored
        if stored and not stored.context._forked:
            with stored.context._lock:
                restore(stored._pointer, byref(self.struct))
                stored._leave()


class _Memory:
    """What numpy makes an array over, and keeps."""

    def __init__(self, view, address, dtype, shape, strides):
        self.view = view
        self.__array_interface__ = {"version": 3, "typestr": dtype.str, "shape": shape,
                                    "data": (address, True), "strides": strides}


def _over(view, address, dtype, shape, strides=None):
    if 0 in shape or not address:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(view, address, dtype, shape, strides))


def _index_type(bits, signed):
    return np.dtype(f"{'i' if signed else 'u'}{bits // 8}")


def _value_type(part):
    """bf16, which NumPy lacks, as the 16 bits that it is."""
    kind = {FLOAT: "f", ONE: "f", INTEGER: "i", CODE: "u", BFLOAT: "u"}[part.val_kind]
    return np.dtype(f"{kind}{part.val_bits // 8}")


def _values(view, part):
    dtype = _value_type(part)
    if part.val_kind == ONE:
        return _over(view, part.val, dtype, (min(part.values, 1),))
    if part.val_block <= 1 and part.val_stride in (0, dtype.itemsize):
        return _over(view, part.val, dtype, (part.values,))
    block = max(part.val_block, 1)
    return _over(view, part.val, dtype, (part.values // block, block),
                 (part.val_stride, dtype.itemsize))


def _named(view, part):
    """The arrays of a part, by the names that `cairn format` gives them."""
    arrays = {}
    for number in range(part.levels):
        level = part.level[number]
        if level.ptr_bits:
            arrays[f"ptr{number}"] = _over(view, level.ptr,
                                           _index_type(level.ptr_bits, False),
                                           (level.ptr_length,))
        if level.idx_bits:
            dtype = _index_type(level.idx_bits, level.idx_signed)
            arrays[f"idx{number}"] = _over(view, level.idx, dtype, (level.idx_length,),
                                           (level.idx_stride or dtype.itemsize,))
    arrays["val"] = _values(view, part)
    if part.val_kind == CODE:
        arrays["dict"] = _over(view, part.dictionary, np.dtype(np.float64),
                               (1 << part.val_bits,))
    return arrays


def arrays(stored, infos):
    """All arrays of a tensor; of one with several parts each name has the part's number
    before it."""
    found = {}
    mine = [info for info in infos if info.local >= 0]
    for info in mine:
        view = _View(stored, info.local)
        for name, array in _named(view, view.struct.arrays.contents).items():
            found[name if len(mine) == 1 else f"{info.local}.{name}"] = array
    return found
