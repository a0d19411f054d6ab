// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a call returns. A call either succeeds, or returns one of the statuses below
/// and leaves its outputs untouched; the exact cause, with the values, is the message
/// of the context (cairn_context_message()). In an MPI job a collective call returns
/// the same status on every rank.
///
/// Wrong arguments: a pointer that a call needs and that is NULL, a number that is none of
/// an enumeration's values, a size that is negative. Every call that returns a status
/// returns CAIRN_BAD_ARGUMENT, or what it names more exactly, and the message has the
/// function and the argument: "cairn_source_read: path: is NULL". Where NULL is allowed,
/// the argument's line says so. Of a collective call, one rank's wrong argument becomes
/// the failure of all. But where the context is NULL itself, or the object that leads to
/// it, no message can be kept: the status is returned, there is no message, and the other
/// ranks wait, since this one cannot reach them. Of a context that could not be created
/// nothing but the message can be had. Functions that return no status take NULL for an
/// object that has nothing: they return 0 or NULL, and free nothing. A pointer that is not
/// NULL is trusted to point to what its type says.
///
/// Structs that a call reads or fills begin with their size, as the program was compiled:
/// the macro of a struct's name in capitals sets it, and all else to its default. Of a
/// smaller one than the library's, of an older program, as much is read or filled as there
/// is. A larger one, of a newer program, must be 0 behind what the library knows. A size of
/// 0, or one that no struct has, is CAIRN_BAD_ARGUMENT: "cairn_plan_describe: info->size: is
/// 0: set it to sizeof(cairn_plan_info), as CAIRN_PLAN_INFO does".

#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include <stdbool.h>

#if defined(__GNUC__)
#    define CAIRN_API __attribute__((visibility("default")))
#else
#    define CAIRN_API
#endif

/// What goes in a later version. A compiler warns of its use where CAIRN_WARN_DEPRECATED is
/// defined, which is a program's own choice: no warning becomes an error unasked.
#if defined(CAIRN_WARN_DEPRECATED) && defined(__GNUC__)
#    define CAIRN_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#    define CAIRN_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Every status: name, value, text.
#define CAIRN_STATUS_MAP(X)                                             \
    X(OK, 0, "success")                                                 \
    X(NO_MEMORY, -1, "out of memory")                                   \
    X(BAD_SHAPE, -2, "extents or orders do not agree")                  \
    X(BAD_COORD, -3, "coordinate outside the extent of its mode")       \
    X(UNSUPPORTED, -4, "not in this version")                           \
    X(COMM, -5, "communication failed")                                 \
    X(BAD_SYNTAX, -6, "the text is not in the format language")         \
    X(BAD_FORMAT, -7, "the format has no meaning")                      \
    X(BAD_FILE, -8, "the file's content is wrong")                      \
    X(IO, -9, "a file cannot be read or written")                       \
    X(BAD_OPTION, -10, "an option or its value is wrong")               \
    X(NOT_VERIFIED, -11, "the result differs from the independent one") \
    X(NO_DEVICE, -12, "the device is absent or lost")                   \
    X(OVERFLOW, -13, "an integer or a storage width is too small")      \
    X(BAD_QUERY, -14, "a query has no meaning on this tensor")          \
    X(BAD_ARGUMENT, -15, "an argument is out of its range")             \
    X(NO_KERNEL, -16, "no compiled function is to be had here")         \
    X(ATTENTION, -17, "something on this machine needs attention")      \
    X(NOT_CONVERGED, -18, "a solver ended before its tolerance")

typedef enum {
#define X(name, value, text) CAIRN_##name = (value),
    CAIRN_STATUS_MAP(X)
#undef X
} cairn_status;

/// Return the constant text of @p status, or "unknown status".
///
/// Local.
CAIRN_API const char *cairn_status_text(cairn_status status);

/// Was what was asked right, and failed on this machine (memory, files, devices, ranks, a
/// result that differs)? Then it may succeed elsewhere, or later; else it is wrong whatever
/// the machine. CAIRN_OK is no failure.
///
/// Local.
CAIRN_API bool cairn_status_failed_here(cairn_status status);

/// Deprecated, here for one version: exit statuses are a program's own. The command's are 0,
/// 1 for what failed here, 2 for what is wrong on any machine.
CAIRN_DEPRECATED("choose an exit status; cairn_status_failed_here() helps")
static inline int cairn_status_exit(cairn_status status)
{
    if (status == CAIRN_OK) return 0;
    return cairn_status_failed_here(status) ? 1 : 2;
}

#ifdef __cplusplus
}
#endif

#endif
