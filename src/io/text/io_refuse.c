// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the readers say alike.

#include "io/text/io_refuse.h"

#include "io/text/io_number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

cairn_text_place cairn_place_in(cairn_env              *env,
                                const char             *name,
                                const cairn_text_range *range,
                                int64_t                 lines,
                                int64_t                 bytes)
{
    return (cairn_text_place){.env  = env,
                              .name = name,
                              .line = range->first_line ? range->first_line + lines : 0,
                              .offset = range->offset + bytes};
}

cairn_status
cairn_refuse(cairn_text_place at, cairn_status status, const char *fmt, ...)
{
    char    why[256], column[40] = "";
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    if (at.column) snprintf(column, sizeof column, "column %" PRId64 ": ", at.column);
    return cairn_fail(at.env, status, "read: %s: %s %" PRId64 ": %s%s", at.name,
                      at.line ? "line" : "byte", at.line ? at.line : at.offset, column,
                      why);
}

cairn_status cairn_refuse_integer(cairn_text_place at,
                                  const char      *what,
                                  const char      *begin,
                                  const char      *end,
                                  int              error)
{
    char text[48];

    cairn_print_token(begin, end, text);
    return error == -1 ? cairn_refuse(at, CAIRN_BAD_FILE, "%s '%s' is not an integer",
                                      what, text)
                       : cairn_refuse(at, CAIRN_BAD_FILE, "%s %s is beyond 64 bits",
                                      what, text);
}

cairn_status
cairn_refuse_double(cairn_text_place at, const char *begin, const char *end, int error)
{
    char text[48];

    cairn_print_token(begin, end, text);
    return error == -1
               ? cairn_refuse(at, CAIRN_BAD_FILE, "value '%s' is not a number", text)
               : cairn_refuse(at, CAIRN_BAD_FILE,
                              "value %s is beyond the range of a double", text);
}

cairn_status
cairn_refuse_entry(cairn_text_place at, const char *word, cairn_coord i, cairn_coord j)
{
    return cairn_refuse(at, CAIRN_BAD_FILE,
                        "entry (%" PRId64 ",%" PRId64
                        ") is %s the diagonal of a %s matrix",
                        i + 1, j + 1, i < j ? "above" : "on", word);
}
