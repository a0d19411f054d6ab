// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The text of a format, all of its members with val(TYPE).

#ifndef CAIRN_TESTS_SUPPORT_VAL_FORMAT_H
#define CAIRN_TESTS_SUPPORT_VAL_FORMAT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// Where an encoding that begins at @p at ends: at its closing brace.
static inline const char *val_encoding_end(const char *at)
{
    int depth = 0;

    for (at = strstr(at, "<{"); *at; at++) {
        depth += at[0] == '<' && at[1] == '{';
        if (at[0] == '}' && at[1] == '>' && --depth == 0) return at;
    }
    return at;
}

/// @param[in] text  Canonical, without val.
static inline void
val_format(const char *text, const char *type, char *out, size_t size)
{
    const char *at = text;

    out[0] = '\0';
    for (;;) {
        const char *begin = strstr(at, "#encoding<{");

        if (!begin) break;
        const char *end = val_encoding_end(begin), *layout = strstr(begin, "layout<"),
                   *bits   = strstr(begin, ", bits<");
        const bool  has    = layout && layout < end;
        const char *insert = has                  ? strchr(layout, '>')
                             : bits && bits < end ? bits
                                                  : end - 1;

        snprintf(out + strlen(out), size - strlen(out),
                 has ? "%.*s, val(%s)" : "%.*s, layout<val(%s)>", (int)(insert - at),
                 at, type);
        snprintf(out + strlen(out), size - strlen(out), "%.*s", (int)(end - insert),
                 insert);
        at = end;
    }
    snprintf(out + strlen(out), size - strlen(out), "%s", at);
}

#endif
