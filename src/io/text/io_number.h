// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers in text, for the readers of this room: integers here, doubles in io.h. A
/// token is a range of bytes without an end mark; it may have any length.

#ifndef CAIRN_IO_IO_NUMBER_H
#define CAIRN_IO_IO_NUMBER_H

#include "io/io.h"

/// Whether @p c separates tokens of one line; the CR of a CRLF does.
static inline bool cairn_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline bool cairn_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/// Where the blanks from @p p on end.
static inline const char *cairn_skip_blanks(const char *p, const char *end)
{
    while (p < end && cairn_is_blank(*p))
        p++;
    return p;
}

/// Where the token from @p p on ends.
static inline const char *cairn_skip_token(const char *p, const char *end)
{
    while (p < end && !cairn_is_blank(*p))
        p++;
    return p;
}

/// Take digits while the value has room for one more. @return Where the rest begins.
static inline const char *
cairn_take_index(const char *p, const char *end, int64_t *value)
{
    const int64_t room = INT64_MAX / 10 - 1; /* below it one more digit fits */
    int64_t       sum  = 0;

    while (p < end && cairn_is_digit(*p) && sum < room)
        sum = 10 * sum + (*p++ - '0');
    *value = sum;
    return p;
}

/// Parse a decimal integer with an optional sign; the whole token.
/// @return 0; -1 not an integer; -2 beyond 64 bits.
int cairn_parse_integer(const char *begin, const char *end, int64_t *value);

/// Copy the begin of a token for a message: at most 40 bytes, what is not printable
/// becomes '?'. Returns @p out.
const char *cairn_print_token(const char *begin, const char *end, char out[48]);

#endif
