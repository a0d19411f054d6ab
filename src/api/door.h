// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The door of the public calls: each looks at its arguments before anything else, and
/// names the first that is wrong: "cairn_source_read: path: is NULL". What only the work
/// itself can find (coordinates outside their extents, texts that are no format) is found
/// there. Functions that return no status have no door: they take NULL for "nothing".
///
///     CAIRN_ENTER(context, CAIRN_GIVEN(text), CAIRN_GIVEN(format));
///
/// A collective call on a rank with a wrong argument goes to the first agreement of the
/// other ranks, which are at work already, and all return its status: no rank waits, and
/// no message is added. So the first message of every
/// collective call is an agreement (cairn_comm_agree()). Where there is no context, there
/// is no message. Internal to api.

#ifndef CAIRN_API_DOOR_H
#define CAIRN_API_DOOR_H

#include "api/api.h"
#include "base/sized.h"

#include <limits.h>

/// An argument, and what it may be.
typedef struct cairn_argument {
    const char *name; ///< As the header calls it.
    enum {
        CAIRN_ARGUMENT_POINTER,
        CAIRN_ARGUMENT_CHOICE,
        CAIRN_ARGUMENT_NUMBER,
        CAIRN_ARGUMENT_STRUCT
    } kind;
    int64_t     number; ///< Of a pointer: 0, it is NULL; else 1.
    int64_t     least, most;
    const char *type;  ///< Of a struct that begins with its size,
    const void *given; ///< the caller's; NULL is right here,
    size_t      known; ///< and the library's size.
} cairn_argument;

/// A pointer that is not NULL; one of an enumeration's values, which are 0 to @p last;
/// a number from @p least to @p most.
#define CAIRN_GIVEN(pointer)                                                        \
    {                                                                               \
        .name = #pointer, .kind = CAIRN_ARGUMENT_POINTER, .number = (pointer) != 0, \
        .least = 1, .most = 1                                                       \
    }
#define CAIRN_ONE_OF(value, last)                                              \
    {                                                                          \
        .name = #value, .kind = CAIRN_ARGUMENT_CHOICE, .number = (int)(value), \
        .least = 0, .most = (last)                                             \
    }
#define CAIRN_WITHIN(value, lowest, highest)                              \
    {                                                                     \
        .name = #value, .kind = CAIRN_ARGUMENT_NUMBER, .number = (value), \
        .least = (lowest), .most = (highest)                              \
    }

/// A struct of the caller's whose first field says how large it is (base/sized.h), or
/// NULL.
#define CAIRN_SIZED(pointer, of)                                      \
    {                                                                 \
        .name = #pointer, .kind = CAIRN_ARGUMENT_STRUCT, .type = #of, \
        .given = (pointer), .known = sizeof(of)                       \
    }

/// The size of a list's elements, as a caller knows them.
#define CAIRN_ELEMENT(size) CAIRN_WITHIN(size, sizeof(size_t), CAIRN_SIZED_MOST)

/// Read a caller's struct that came in, or NULL for all defaults, into @p own, which has
/// the defaults, and go on with that: whatever version the caller is of, it is whole.
#define CAIRN_READ(pointer, own) \
    (cairn_sized_read(&(own), sizeof(own), (pointer)), (pointer) = &(own))

/// Fill a caller's struct that came in; NULL: nothing.
#define CAIRN_WRITE(pointer, own)                                       \
    do {                                                                \
        if (pointer) cairn_sized_write((pointer), &(own), sizeof(own)); \
    } while (0)

/// The context that a handle belongs to; NULL: there is no handle.
#define CAIRN_CONTEXT_OF(handle) ((handle) ? (handle)->context : NULL)

/// Refuse the first of a call's arguments that is wrong. Local.
///
/// @param[in] env  Gets the message; NULL: there is none to tell it to.
/// @retval CAIRN_BAD_ARGUMENT  Or @p env is NULL.
cairn_status cairn_enter(cairn_env            *env,
                         const char           *call,
                         const cairn_argument *argument,
                         size_t                count);

/// The same of a collective call: where it fails, ranks that are within agree on that.
///
/// @param[in] comm  NULL: there is no context.
cairn_status cairn_enter_together(cairn_comm           *comm,
                                  const char           *call,
                                  const cairn_argument *argument,
                                  size_t                count);

/// Fit a list that all ranks have to the size of the caller's elements: all or none.
///
/// Collective.
///
/// @param[in,out] list  As of cairn_sized_list(); NULL on failure.
cairn_status
cairn_list_fit(cairn_comm *comm, size_t size, size_t known, int64_t count, void **list);

/// What a context has; NULL of none, and of one that could not be created, whose message
/// stays as it is.
cairn_env  *cairn_door_env(cairn_context *context);
cairn_comm *cairn_door_comm(cairn_context *context);

/// The context that a format was made in; NULL of none.
cairn_context *cairn_format_context(const cairn_format *format);

#define CAIRN_ARGUMENTS(...)                         \
    __func__, (const cairn_argument[]){__VA_ARGS__}, \
        sizeof((const cairn_argument[]){__VA_ARGS__}) / sizeof(cairn_argument)

/// Leave the function unless its arguments are right: a local call, one that has nothing
/// but a format, and a collective one.
#define CAIRN_ENTER(context, ...) \
    CAIRN_TRY(cairn_enter(cairn_door_env(context), CAIRN_ARGUMENTS(__VA_ARGS__)))
#define CAIRN_ENTER_FORMAT(format, ...) \
    CAIRN_TRY(                          \
        cairn_enter((format) ? (format)->env : NULL, CAIRN_ARGUMENTS(__VA_ARGS__)))
#define CAIRN_ENTER_TOGETHER(context, ...) \
    CAIRN_TRY(                             \
        cairn_enter_together(cairn_door_comm(context), CAIRN_ARGUMENTS(__VA_ARGS__)))

#endif
