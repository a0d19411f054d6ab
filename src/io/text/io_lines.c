// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the readers of files whose lines are entries share: counting them.

#include "io/text/io_number.h"

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

        p = cairn_skip_blanks(p, stop);
        *entries += p < stop && *p != comment;
        ++*lines;
        p = newline ? newline + 1 : end;
    }
}
