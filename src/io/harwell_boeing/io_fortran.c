// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fortran formats and fields. A field is rewritten as C writes numbers and then parsed
/// like any other.

#include "io/harwell_boeing/io_fortran.h"

#include "io/text/io_number.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FORMAT = 80 }; ///< Characters of a format, blanks left out.

static void skip_comma(const char **p)
{
    *p += **p == ',';
}

/// Digits, at least one, of a number up to @p most.
static bool take_number(const char **p, int most, int *value)
{
    int sum = 0;

    if (!cairn_is_digit(**p)) return false;
    for (; cairn_is_digit(**p); ++*p) {
        sum = 10 * sum + (**p - '0');
        if (sum > most) return false;
    }
    *value = sum;
    return true;
}

/// An optional scale factor, kP or -kP, and the comma behind it.
static bool take_scale(const char **p, cairn_fortran_format *format)
{
    const char *at       = *p;
    const bool  negative = *at == '-';
    int         scale;

    at += *at == '-' || *at == '+';
    if (!take_number(&at, 99, &scale) || *at != 'P') return !negative;
    format->scale = negative ? -scale : scale;
    *p            = at + 1;
    skip_comma(p);
    return true;
}

/// Letter, width, and what may follow: "I5", "E25.16", "ES24.15", "D22.15E3".
static bool take_field(const char **p, cairn_fortran_format *format)
{
    const char letter = **p;
    int        ignored;

    if (!letter || !strchr("IEDFG", letter)) return false;
    ++*p;
    if (letter == 'E' && (**p == 'S' || **p == 'N')) ++*p; /* alike when read */
    format->kind = letter == 'I' ? 'I' : 'F';
    if (!take_number(p, CAIRN_FORTRAN_WIDTH, &format->width) || format->width == 0)
        return false;
    if (**p == '.') {
        ++*p;
        if (!take_number(p, CAIRN_FORTRAN_WIDTH, &format->decimals)) return false;
    }
    if (format->kind == 'F' && **p == 'E') {
        ++*p;
        if (!take_number(p, 9, &ignored)) return false;
    }
    if (format->kind == 'I') format->decimals = 0; /* the least digits to be printed */
    return true;
}

/// What stands between the outer parentheses: a scale, a repeat count, and a field or
/// the same again in parentheses.
static bool take_items(const char **p, cairn_fortran_format *format)
{
    int repeat, inner;

    if (!take_scale(p, format)) return false;
    if (take_number(p, CAIRN_FORTRAN_REPEAT, &repeat)) format->repeat = repeat;
    if (**p != '(') return take_field(p, format);
    ++*p;
    if (!take_scale(p, format)) return false;
    if (take_number(p, CAIRN_FORTRAN_REPEAT, &inner)) format->repeat *= inner;
    if (format->repeat > CAIRN_FORTRAN_REPEAT) return false;
    return take_field(p, format) && *(*p)++ == ')';
}

bool cairn_fortran_parse(const char           *begin,
                         const char           *end,
                         cairn_fortran_format *format)
{
    char                 text[MOST_FORMAT + 1];
    size_t               n     = 0;
    const char          *p     = text;
    cairn_fortran_format fresh = {.repeat = 1};

    for (const char *c = begin; c < end; c++) {
        if (cairn_is_blank(*c)) continue;
        if (n == MOST_FORMAT) return false;
        text[n++] = (char)toupper((unsigned char)*c);
    }
    text[n] = '\0';
    if (*p++ != '(' || !take_items(&p, &fresh) || fresh.repeat == 0) return false;
    if (strcmp(p, ")") != 0 || n != strlen(text)) return false;
    *format = fresh;
    return true;
}

/// Copy a field without its blanks. @return Characters.
static size_t squeeze(const char *begin, const char *end, char *out)
{
    size_t n = 0;

    for (const char *p = begin; p < end && n < CAIRN_FORTRAN_WIDTH; p++)
        if (!cairn_is_blank(*p)) out[n++] = *p;
    return n;
}

int cairn_fortran_integer(const char *begin, const char *end, int64_t *value)
{
    char         text[CAIRN_FORTRAN_WIDTH];
    const size_t n = squeeze(begin, end, text);

    return cairn_parse_integer(text, text + n, value);
}

/// The end of sign, digits and point; whether there was a point.
static const char *skip_mantissa(const char *p, const char *end, bool *point)
{
    *point = false;
    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && (cairn_is_digit(*p) || (*p == '.' && !*point)); p++)
        *point = *point || *p == '.';
    return p;
}

static bool is_exponent_letter(char c)
{
    return c == 'E' || c == 'D' || c == 'Q' || c == 'e' || c == 'd' || c == 'q';
}

/// What stands behind a mantissa: a letter and an integer, or an integer with its sign.
static int read_exponent(const char *p, const char *end, int64_t *exponent)
{
    const int64_t     beyond = 1000000; /* further than any field's digits reach */
    const char *const digits = p + is_exponent_letter(*p);
    const int         error  = cairn_parse_integer(digits, end, exponent);

    if (error == -1) return -1;
    if (error == -2) *exponent = *digits == '-' ? -beyond : beyond;
    if (*exponent > beyond) *exponent = beyond;
    if (*exponent < -beyond) *exponent = -beyond;
    return 0;
}

/// Whether a field needs no rewriting: a word (nan, infinity), or a number with a point
/// and an exponent after its letter, or neither exponent nor scale.
static bool
is_plain(const char *begin, const char *p, const char *end, bool point, int scale)
{
    if (p == begin) return true;
    if (p == end) return point && scale == 0;
    if (*p == 'Q' || *p == 'q') return false;
    return is_exponent_letter(*p) ? point : isalpha((unsigned char)*p) != 0;
}

int cairn_fortran_real(const cairn_fortran_format *format,
                       const char                 *begin,
                       const char                 *end,
                       double                     *value)
{
    char              text[CAIRN_FORTRAN_WIDTH + 32];
    const char *const stop = text + squeeze(begin, end, text);
    bool              point;
    char *const       p        = text + (skip_mantissa(text, stop, &point) - text);
    int64_t           exponent = -format->scale;

    if (is_plain(text, p, stop, point, format->scale))
        return cairn_parse_double(text, stop, value);
    if (p < stop && read_exponent(p, stop, &exponent) != 0) return -1;
    if (!point) exponent -= format->decimals;

    const int length = snprintf(p, 32, "e%" PRId64, exponent);

    return cairn_parse_double(text, p + length, value);
}
