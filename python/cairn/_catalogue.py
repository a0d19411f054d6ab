# SPDX-License-Identifier: BSD-3-Clause
"""The formats that have names."""

import ctypes

from ._context import chosen
from ._library import lib


def catalogue(context=None):
    """Names of formats, each with what it is: {"csr": "Compressed rows.", ...}."""
    context = chosen("catalogue", context)
    found = {}
    with context._lock:
        name = lib.cairn_catalogue_name(context._pointer, 0)
        while name is not None:
            note = ctypes.c_void_p()
            context._call(lib.cairn_catalogue_note, context._pointer, name,
                          ctypes.byref(note))
            found[name.decode()] = ctypes.string_at(note.value).decode()
            lib.cairn_text_free(context._pointer, ctypes.byref(note))
            name = lib.cairn_catalogue_name(context._pointer, len(found))
    return found
