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
    NARROW_FEW,  ///< At most 32 different ones.
    NARROW_F16,  ///< Of f16, no integers.
    NARROW_BF16, ///< Of bf16, beyond f16.
    NARROW_F32,  ///< Floats that are of no narrower type.
    NARROW_MIXED,
    NARROW_EDGES, ///< Signed zeros, NaNs with payloads, subnormals, beyond 2^53.
    NARROW_SETS
} narrow_set;

static inline double narrow_from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/// What is easily lost: by an integer, by a float, by a comparison of values.
static inline double narrow_edge(uint64_t *state)
{
    static const uint64_t edges[] = {
        0x8000000000000000,
        0, /* zeros */
        0x7ff8000000abcdef,
        0xfff8000000000123, /* NaNs of f64 alone, */
        0x7ff8000020000000,
        0xfffc000000000000, /* and of f32, too */
        0x7ff0000000000000,
        0xfff0000000000000, /* infinities */
        1,
        0x800012688b70e62b, /* subnormals of f64, */
        0x36a0000000000000,
        0xb800000000000000, /* of f32 */
        0x4340000000000000,
        0x4340000000000001, /* 2^53, and 2 more */
        0x40e0000000000000,
        0xc0e0000000000000, /* 32768 and its opposite */
        0x3ff0000000000000,
        0x4008000000000000, /* 1 and 3 */
    };

    return narrow_from_bits(
        edges[random_below(state, (int)(sizeof edges / sizeof *edges))]);
}

/// A value of a set: but for edges of at most nine bits and a power of two, so that
/// sums are exact.
static inline double narrow_value(uint64_t *state, narrow_set set)
{
    switch (set) {
    case NARROW_PATTERN: return 1;
    case NARROW_ONE: return -3.625;
    case NARROW_I8: return random_below(state, 256) - 128;
    case NARROW_I16: return 2 * random_below(state, 500) - 499;
    case NARROW_FEW: return (random_below(state, 32) - 16) / 64.0;
    case NARROW_BF16:
        return (128 + random_below(state, 128))
               * (1024.0 * (1 << random_below(state, 3)))
               * (random_chance(state, 50) ? 1 : -1);
    case NARROW_F32:
        return (257 + 2 * random_below(state, 120))
               / (double)(INT64_C(1) << (40 + random_below(state, 4)));
    case NARROW_EDGES: return narrow_edge(state);
    default: return (1 + random_below(state, 500)) / 8.0;
    }
}

/// A type by name that holds a set, or `exact`.
static inline const char *narrow_type(uint64_t *state, narrow_set set)
{
    static const char *const types[NARROW_SETS] = {
        [NARROW_PATTERN] = "i8", [NARROW_ONE] = "dict8", [NARROW_I8] = "i8",
        [NARROW_I16] = "i16",    [NARROW_FEW] = "dict8", [NARROW_F16] = "f16",
        [NARROW_BF16] = "bf16",  [NARROW_F32] = "f32",   [NARROW_MIXED] = "dict16",
        [NARROW_EDGES] = "dict8"};

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
