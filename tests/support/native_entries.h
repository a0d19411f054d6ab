// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A segment of a native file back into entries and the text of its format.

#ifndef CAIRN_TESTS_NATIVE_ENTRIES_H
#define CAIRN_TESTS_NATIVE_ENTRIES_H

#include "format/language.h"
#include "io/io_native.h"

/// @param[in,out] shape  Order 0 before. @p entries are initialised.
/// @param[out]    text   Freed by the caller.
static inline cairn_status native_entries(cairn_env     *env,
                                          const char    *begin,
                                          int64_t        length,
                                          cairn_shape   *shape,
                                          cairn_entries *entries,
                                          char         **text)
{
    cairn_local  *tensor = NULL;
    cairn_format *format = NULL;
    cairn_status  status =
        cairn_native_read_tensor(env, "segment", begin, length, &tensor, &format);

    if (status == CAIRN_OK)
        status = cairn_native_add_entries(env, "segment", tensor, shape, entries);
    if (status == CAIRN_OK) status = cairn_format_print(env, format, text);
    cairn_local_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

#endif
