# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices in any format, and their products.

    A = cairn.tensor(scipy_matrix)              # a format that fits it is chosen
    A = cairn.tensor(scipy_matrix, "bdia<64>")  # or named
    y = A @ x

docs/python.md of the source is the manual; cairn.tensor and cairn.Tensor have docstrings.
"""

from ._catalogue import catalogue
from ._context import Context
from ._devices import Device, devices
from ._errors import (CairnError, CairnMemoryError, CairnNotSupported, CairnOSError,
                      CairnOverflowError, CairnRuntimeError, CairnTypeError,
                      CairnValueError, CompilerWarning)
from ._library import lib as _lib
from ._tensor import Part, Tensor, tensor

__version__ = _lib.cairn_version().decode()
__all__ = ["CairnError", "CairnMemoryError", "CairnNotSupported", "CairnOSError",
           "CairnOverflowError", "CairnRuntimeError", "CairnTypeError", "CairnValueError",
           "CompilerWarning", "Context", "Device", "Part", "Tensor", "catalogue", "devices",
           "tensor"]
