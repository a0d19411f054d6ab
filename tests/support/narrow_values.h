// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sets of values that are narrower than f64, and formats that ask for them.

#ifndef CAIRN_TESTS_SUPPORT_NARROW_VALUES_H
#define CAIRN_TESTS_SUPPORT_NARROW_VALUES_H

#include "random_format.h"

typedef enum {
    NARROW_PATTERN, ///< All are 1.
    NARROW_ONE,     ///< All are the same.
    NARROW_I8,
    NARROW_I16,
    NARROW_FEW, ///< At most 32 different ones.
    NARROW_F32, ///< Floats that are no integers.
    NARROW_MIXED,
    NARROW_SETS
} narrow_set;

/// A value of a set: of at most nine bits and a power of two, so that sums are exact.
static inline double narrow_value(uint64_t *state, narrow_set set)
{
    switch (set) {
    case NARROW_PATTERN: return 1;
    case NARROW_ONE: return -3.625;
    case NARROW_I8: return random_below(state, 256) - 128;
    case NARROW_I16: return 2 * random_below(state, 500) - 499;
    case NARROW_FEW: return (random_below(state, 32) - 16) / 64.0;
    default: return (1 + random_below(state, 500)) / 8.0;
    }
}

/// A type by name that holds a set, or `exact`.
static inline const char *narrow_type(uint64_t *state, narrow_set set)
{
    static const char *const types[NARROW_SETS] = {
        [NARROW_PATTERN] = "i8",  [NARROW_ONE] = "dict8", [NARROW_I8] = "i8",
        [NARROW_I16] = "i16",     [NARROW_FEW] = "dict8", [NARROW_F32] = "f32",
        [NARROW_MIXED] = "dict16"};

    return random_chance(state, 60) ? "exact" : types[set];
}

/// The place behind the encoding that begins at @p text.
static inline char *narrow_end(char *text)
{
    int depth = 0;

    for (; *text; text++) {
        depth += *text == '{' ? 1 : *text == '}' ? -1 : 0;
        if (*text == '}' && depth == 0) return text;
    }
    return text;
}

/// Write val(TYPE) into every encoding of a format's text.
static inline void narrow_text(char *text, const char *type)
{
    static char rest[RANDOM_FORMAT];
    char        what[40];

    for (char *at = text; (at = strstr(at, "encoding<"));) {
        char *const end    = narrow_end(at);
        char *const layout = strstr(at, "layout<");
        const bool  inside = layout && layout < end;
        char *const place  = inside ? strchr(layout, '>') : end;

        snprintf(what, sizeof what, inside ? ", val(%s)" : ", layout<val(%s)> ", type);
        strcpy(rest, place);
        strcpy(place, what);
        strcat(place, rest);
        at = place + strlen(what);
    }
}

#endif
