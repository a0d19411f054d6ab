// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Decimal text to the nearest double. Most numbers in files have few digits and small
/// exponents, and one exact multiplication or division rounds them right (Clinger, "How
/// to read floating point numbers accurately", PLDI 1990); with 17 digits a product of
/// 128 bits decides (io_power.h). The rest goes to strtod, cut to as many digits as can
/// matter.

#include "io/text/io_number.h"

#include "io/text/io_power.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    WORD_DIGITS = 19,  ///< Digits that always fit 64 bits.
    TEXT_DIGITS = 800, ///< No double, nor the middle of two, has more than 768.
};

/// What was scanned: mantissa * 10^exponent, more digits behind it unless exact.
typedef struct {
    uint64_t mantissa; ///< The first 19 significant digits.
    int      digits;   ///< Significant digits in it.
    int64_t  exponent; ///< Power of ten of its last digit.
    bool     exact;    ///< No digit but 0 was left out.
} decimal;

int cairn_parse_integer(const char *begin, const char *end, int64_t *value)
{
    const bool  negative = begin < end && *begin == '-';
    const char *p        = begin + (begin < end && (*begin == '-' || *begin == '+'));
    int64_t     sum      = 0;
    bool        over     = false;

    if (p == end) return -1;
    for (; p < end; p++) {
        const int digit = *p - '0';

        if (!cairn_is_digit(*p)) return -1;
        /* Downwards when negative, so that the least integer is not beyond. */
        over = over || __builtin_mul_overflow(sum, 10, &sum)
               || __builtin_add_overflow(sum, negative ? -digit : digit, &sum);
    }
    if (over) return -2;
    *value = sum;
    return 0;
}

const char *cairn_print_token(const char *begin, const char *end, char out[48])
{
    const size_t whole = (size_t)(end - begin), n = whole < 40 ? whole : 40;

    for (size_t k = 0; k < n; k++)
        out[k] = begin[k] >= ' ' && begin[k] <= '~' ? begin[k] : '?';
    strcpy(out + n, whole > n ? "..." : "");
    return out;
}

/// @p kept and @p dropped: what a digit in the mantissa, or left out, does to the
/// exponent (0 and +1 before the point, -1 and 0 after it).
static const char *
scan_digits(const char *p, const char *end, int kept, int dropped, decimal *d)
{
    for (; p < end && cairn_is_digit(*p); p++) {
        const unsigned digit = (unsigned)(*p - '0');

        if (d->digits < WORD_DIGITS) {
            d->mantissa = 10 * d->mantissa + digit;
            d->digits += d->mantissa != 0;
            d->exponent += kept;
        } else {
            d->exact = d->exact && digit == 0;
            d->exponent += dropped;
        }
    }
    return p;
}

/// The exponent after its letter; NULL when it is none.
static const char *scan_exponent(const char *p, const char *end, decimal *d)
{
    const int64_t beyond = INT64_C(1000000000000000); /* more than any token is long */
    const bool    negative = p < end && *p == '-';
    int64_t       exponent = 0;

    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !cairn_is_digit(*p)) return NULL;
    for (; p < end && cairn_is_digit(*p); p++)
        if (exponent < beyond) exponent = 10 * exponent + (*p - '0');
    d->exponent += negative ? -exponent : exponent;
    return p;
}

/// Scan a number without its sign; false unless it is the whole token.
static bool scan(const char *begin, const char *end, decimal *d)
{
    const char *p     = scan_digits(begin, end, 0, 1, d);
    bool        digit = p > begin;

    if (p < end && *p == '.') {
        const char *const fraction = p + 1;

        p     = scan_digits(fraction, end, -1, 0, d);
        digit = digit || p > fraction;
    }
    if (!digit) return false;
    if (p < end && (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D'))
        p = scan_exponent(p + 1, end, d);
    return p == end;
}

/// nan, inf and infinity in any case.
static bool scan_word(const char *begin, const char *end, double *value)
{
    const size_t n = (size_t)(end - begin);

    if (n == 3 && strncasecmp(begin, "nan", n) == 0)
        *value = (double)NAN;
    else if ((n == 3 && strncasecmp(begin, "inf", n) == 0)
             || (n == 8 && strncasecmp(begin, "infinity", n) == 0))
        *value = (double)INFINITY;
    else
        return false;
    return true;
}

/// Both operands are exact, so the one operation rounds right.
static bool convert_exactly(const decimal *d, double *value)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (!d->exact || d->mantissa > (UINT64_C(1) << 53)) return false;
    if (d->exponent < -22 || d->exponent > 22) return false;
    if (d->exponent < 0)
        *value = (double)d->mantissa / power[-d->exponent];
    else
        *value = (double)d->mantissa * power[d->exponent];
    return true;
}

/// With more digits than fit, the next greater mantissa must give the same double.
static bool convert_scaled(const decimal *d, double *value)
{
    double next;

    if (!cairn_scale_decimal(d->mantissa, d->exponent, value)) return false;
    return d->exact
           || (cairn_scale_decimal(d->mantissa + 1, d->exponent, &next)
               && next == *value);
}

/// Collect significant digits; one more digit stands for all that are left out.
static int collect_digits(const char *begin, const char *end, char *text, bool *more)
{
    int n = 0;

    *more = false;
    for (const char *p = begin; p < end && (cairn_is_digit(*p) || *p == '.'); p++) {
        if (*p == '.' || (n == 0 && *p == '0')) continue;
        if (n < TEXT_DIGITS)
            text[n++] = *p;
        else
            *more = *more || *p != '0';
    }
    return n;
}

static double convert_any(const char *begin, const char *end, const decimal *d)
{
    char    text[TEXT_DIGITS + 32];
    bool    more;
    int     n        = collect_digits(begin, end, text, &more);
    int64_t exponent = d->exponent - (n > WORD_DIGITS ? n - WORD_DIGITS : 0);

    if (more) {
        text[n++] = '1';
        exponent--;
    }
    /* Beyond these limits nothing of at most 801 digits is a finite double or above 0. */
    if (exponent > 100000) exponent = 100000;
    if (exponent < -100000) exponent = -100000;
    snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)exponent);

    /* The user's locale may write a decimal comma. glibc's "C" object is static. */
    const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double   value  = locale ? strtod_l(text, NULL, locale) : strtod(text, NULL);

    if (locale) freelocale(locale);
    return value;
}

int cairn_parse_double(const char *begin, const char *end, double *value)
{
    const bool        negative = begin < end && *begin == '-';
    const char *const p = begin + (begin < end && (*begin == '-' || *begin == '+'));
    decimal           d = {.exact = true};
    double            result = 0.0;

    if (!scan(p, end, &d)) {
        if (!scan_word(p, end, &result)) return -1;
    } else if (d.mantissa != 0 && !convert_exactly(&d, &result)
               && !convert_scaled(&d, &result)) {
        result = convert_any(p, end, &d);
        if (isinf(result)) return -2;
    }
    *value = negative ? -result : result;
    return 0;
}
