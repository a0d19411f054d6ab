# SPDX-License-Identifier: BSD-3-Clause
"""Failures as exceptions: each is a CairnError, and the exception of Python's own that
fits. The text is the library's line, "WHAT: WHERE: WHY"."""

from ._library import lib


class CairnError(Exception):
    """A failure; `status` is the name of the library's status ("BAD_FORMAT"), or "" where
    an argument was refused before the library saw it."""

    status = ""


class CairnValueError(CairnError, ValueError):
    """Something in an argument, a format's text or a file's content is wrong."""


class CairnTypeError(CairnError, TypeError):
    """An argument is of a type that is not taken."""


class CairnMemoryError(CairnError, MemoryError):
    """What is needed exceeds the context's limit, or what the machine has."""


class CairnOverflowError(CairnError, OverflowError):
    """A width does not hold a number."""


class CairnOSError(CairnError, OSError):
    """A file cannot be read or written."""


class CairnNotSupported(CairnError, NotImplementedError):
    """Not in this version."""


class CairnRuntimeError(CairnError, RuntimeError):
    """Failed on this machine: a device, a compiler."""


class CompilerWarning(UserWarning):
    """A product of a format needs a compiler, which is not here: it is interpreted, and
    slow."""


# cairn_status -n is at n.
_STATUSES = [None, ("NO_MEMORY", CairnMemoryError), ("BAD_SHAPE", CairnValueError),
             ("BAD_COORD", CairnValueError), ("UNSUPPORTED", CairnNotSupported),
             ("COMM", CairnRuntimeError), ("BAD_SYNTAX", CairnValueError),
             ("BAD_FORMAT", CairnValueError), ("BAD_FILE", CairnValueError),
             ("IO", CairnOSError), ("BAD_OPTION", CairnValueError),
             ("NOT_VERIFIED", CairnRuntimeError), ("NO_DEVICE", CairnRuntimeError),
             ("OVERFLOW", CairnOverflowError), ("BAD_QUERY", CairnValueError),
             ("BAD_ARGUMENT", CairnValueError), ("NO_KERNEL", CairnRuntimeError),
             ("ATTENTION", CairnRuntimeError), ("NOT_CONVERGED", CairnRuntimeError)]


def failure(status, message):
    """The exception of a status, with the context's message."""
    name, kind = ("", CairnRuntimeError)
    if 0 < -status < len(_STATUSES):
        name, kind = _STATUSES[-status]
    error = kind(message or lib.cairn_status_text(status).decode())
    error.status = name
    return error
