// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats for tests by the catalogue's names, whatever these are: tests/renamed builds
/// some tests over a catalogue in which every name begins with CAIRN_RENAMED.

#ifndef CAIRN_TESTS_SUPPORT_NAMES_H
#define CAIRN_TESTS_SUPPORT_NAMES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef CAIRN_RENAMED
#    define CAIRN_RENAMED ""
#endif

/// Put @p text into @p out, every name in front of the first # with the prefix. (A text
/// from # on is an encoding or a hybrid of its own, and has no names.)
static inline const char *by_name(const char *text, char *out, size_t size)
{
    bool inside = false; /* a name or number */

    out[0] = '\0';
    for (size_t n = 0; *text; text++) {
        const bool word = isalnum((unsigned char)*text) || strchr("_.+-", *text);

        if (*text == '#') {
            snprintf(out + n, size - n, "%s", text);
            return out;
        }
        if (word && !inside && isalpha((unsigned char)*text))
            n += (size_t)snprintf(out + n, size - n, "%s", CAIRN_RENAMED);
        n += (size_t)snprintf(out + n, size - n, "%c", *text);
        inside = word;
    }
    return out;
}

#endif
