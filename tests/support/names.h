// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Formats for tests by the catalogue's names, whatever these are: tests/renamed links
/// tests once more, with a catalogue in which every name begins with a prefix.

#ifndef CAIRN_TESTS_SUPPORT_NAMES_H
#define CAIRN_TESTS_SUPPORT_NAMES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// In tests/renamed alone: what all names begin with.
extern const char cairn_renamed_prefix[] __attribute__((weak));

static inline const char *name_prefix(void)
{
    return cairn_renamed_prefix ? cairn_renamed_prefix : "";
}

/// Where an encoding that begins at @p text ends: behind its braces and the > after them.
static inline const char *encoding_end(const char *text)
{
    int depth = 0;

    for (bool begun = false; *text && (!begun || depth > 0); text++) {
        depth += (*text == '{') - (*text == '}');
        begun = begun || *text == '{';
    }
    return *text == '>' ? text + 1 : text;
}

/// Put @p text into @p out, every name of the catalogue with the prefix: those of uses and
/// of the members of a #hybrid<{ fmats = [...] ... }>, not those inside of an #encoding.
static inline const char *by_name(const char *text, char *out, size_t size)
{
    const bool  hybrid  = strncmp(text, "#hybrid", 7) == 0;
    const char *members = hybrid ? strchr(text, '[') : NULL;
    bool        inside  = false; /* a name or number */
    size_t      n       = 0;
    int         nested  = 0;

    out[0] = '\0';
    if (members) {
        n    = (size_t)snprintf(out, size, "%.*s", (int)(members + 1 - text), text);
        text = members + 1;
    }
    for (; *text; text++) {
        const bool word = isalnum((unsigned char)*text) || strchr("_.+-", *text);

        if (*text == '#') {
            const char *const end = encoding_end(text);

            n += (size_t)snprintf(out + n, size - n, "%.*s", (int)(end - text), text);
            text   = end - 1;
            inside = false;
            continue;
        }
        nested += (*text == '<') - (*text == '>');
        if (members && nested == 0 && *text == ']') {
            snprintf(out + n, size - n, "%s", text);
            return out;
        }
        if (word && !inside && isalpha((unsigned char)*text))
            n += (size_t)snprintf(out + n, size - n, "%s", name_prefix());
        n += (size_t)snprintf(out + n, size - n, "%c", *text);
        inside = word;
    }
    return out;
}

/// The same, for a while: until it is asked for the fourth time again.
static inline const char *named(const char *text)
{
    static char buffer[4][8192];
    static int  last;

    last = (last + 1) % 4;
    return by_name(text, buffer[last], sizeof buffer[last]);
}

#endif
