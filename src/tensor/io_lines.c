// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the readers of files whose lines are entries share: counting and refusing lines.

#include "tensor/io_number.h"

#include <inttypes.h>
#include <string.h>

void cairn_count_lines(const char *begin,
                       const char *end,
                       char        comment,
                       int64_t    *lines,
                       cairn_pos  *entries)
{
    const char *p = begin;

    *lines = *entries = 0;
    while (p < end) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        const char *const stop    = newline ? newline : end;

        while (p < stop && cairn_is_blank(*p))
            p++;
        *entries += p < stop && *p != comment;
        ++*lines;
        p = newline ? newline + 1 : end;
    }
}

cairn_status cairn_fail_line(cairn_env              *env,
                             const char             *name,
                             const cairn_text_range *range,
                             int64_t                 lines,
                             int64_t                 bytes,
                             const char             *why)
{
    if (range->first_line == 0)
        return cairn_fail(env, CAIRN_BAD_FILE, "read: %s: byte %" PRId64 ": %s", name,
                          range->offset + bytes, why);
    return cairn_fail(env, CAIRN_BAD_FILE, "read: %s: line %" PRId64 ": %s", name,
                      range->first_line + lines, why);
}
