// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The scanner for any machine: a line token by token, digits 8 bytes at a time. It also
/// takes lines with several blanks, tabs, a CR, and signs before values.

#include "io/text/io_scan.h"

#include "io/text/io_number.h"
#include "io/text/io_power.h"
#include "io/text/io_scan_words.h"

/// An exponent beyond it is left to the careful parser.
enum { MOST_EXPONENT = 10000 };

/// An index of 1..extent and the blanks before it.
static inline const char *
take_index(const char *p, const char *end, cairn_coord extent, cairn_coord *index)
{
    uint64_t          value = 0;
    const char *const begin = cairn_skip_blanks(p, end);
    const char *const stop  = cairn_take_digits(begin, end, &value);

    /* Of the value 0 too little 1 makes too much. */
    if (!stop || value - 1 >= (uint64_t)extent) return NULL;
    *index = (cairn_coord)(value - 1);
    return stop;
}

/// The exponent behind its letter.
static inline const char *
take_exponent(const char *p, const char *end, int64_t *exponent)
{
    const bool negative = p < end && *p == '-';
    uint64_t   value    = 0;

    p += p < end && (*p == '-' || *p == '+');

    const char *const stop = cairn_take_digits(p, end, &value);

    if (!stop || stop == p || value > MOST_EXPONENT) return NULL;
    *exponent += negative ? -(int64_t)value : (int64_t)value;
    return stop;
}

/// Digits with a point and an exponent, both optional.
static inline const char *
take_decimal(const char *begin, const char *end, double *value)
{
    uint64_t    mantissa = 0;
    int64_t     exponent = 0;
    const char *p        = cairn_take_digits(begin, end, &mantissa);
    bool        digit;

    if (!p) return NULL;
    digit = p > begin;
    if (*p == '.') {
        const char *const fraction = p + 1;

        p = cairn_take_digits(fraction, end, &mantissa);
        if (!p) return NULL;
        exponent = fraction - p;
        digit    = digit || exponent < 0;
    }
    if (!digit) return NULL;
    if ((*p | 0x20) == 'e' || (*p | 0x20) == 'd')
        p = take_exponent(p + 1, end, &exponent);
    return p && cairn_scale_decimal(mantissa, exponent, value) ? p : NULL;
}

static inline const char *
take_integer(const char *p, const char *end, bool negative, double *value)
{
    uint64_t          sum  = 0;
    const char *const stop = cairn_take_digits(p, end, &sum);

    if (!stop || stop == p || sum > INT64_MAX) return NULL;
    *value = (double)(negative ? -(int64_t)sum : (int64_t)sum); /* no integer is -0 */
    return stop;
}

/// A value, the blanks before it and its sign.
static inline const char *
take_value(const cairn_scan *scan, const char *p, double *value)
{
    const char *const end = scan->end;

    p = cairn_skip_blanks(p, end);
    if (p == end) return NULL;

    const bool negative = *p == '-';

    p += negative || *p == '+';
    if (scan->integer) return take_integer(p, end, negative, value);
    p      = take_decimal(p, end, value);
    *value = cairn_apply_sign(*value, negative);
    return p;
}

/// NULL unless a blank stands at @p p (and @p p is not NULL).
static inline const char *need_blank(const char *p, const char *end)
{
    return p && p < end && cairn_is_blank(*p) ? p : NULL;
}

/// Take the line at @p p. Returns where the next one begins, or NULL if it is unusual,
/// wrong, or too near to the end.
static inline const char *
scan_line(const cairn_scan *scan, const char *p, scanned_line *line)
{
    const char *const end = scan->end;

    line->value = 1.0;
    p           = need_blank(take_index(p, end, scan->rows, &line->i), end);
    if (!p) return NULL;
    p = take_index(p, end, scan->cols, &line->j);
    if (!scan->pattern) {
        p = need_blank(p, end);
        if (p) p = take_value(scan, p, &line->value);
    }
    if (!p) return NULL;
    p = cairn_skip_blanks(p, end);
    return p < end && *p == '\n' ? p + 1 : NULL;
}

static void run(cairn_scan *scan, int64_t most)
{
    for (scanned_line line; most > 0; most--) {
        const char *const next = scan_line(scan, scan->p, &line);

        if (!next || !cairn_put_line(scan, &line)) return;
        scan->p = next;
        scan->lines++;
    }
}

static bool usable(void)
{
    return true;
}

const cairn_scanner cairn_scanner_words = {.name   = "words",
                                           .usable = usable,
                                           .run    = run};

const cairn_scanner *cairn_scanner_best(void)
{
    return cairn_scanner_avx512.usable() ? &cairn_scanner_avx512 : &cairn_scanner_words;
}
