// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Doubles as "%.17g" and "%.16E" print them. The 17 digits are the integer next to
/// value * 10^k, from a product with 128 bits of the power (io_power.h), whose error is less
/// than 2^-64 of a unit: too little to change what is next, unless two integers are
/// equally near. Then, and for subnormal numbers, printf decides.

#include "io/text/io_power.h"
#include "io/text/io_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS   = 17,
    MOST     = 308,  ///< Powers beyond are not in the table.
    FRACTION = 52,   ///< Bits of a double behind the first.
    BIAS     = 1075, ///< Of the exponent, when the fraction is an integer.
};

#define LEAST_17 UINT64_C(10000000000000000) ///< Of 17 digits.

size_t cairn_print_integer(char *out, int64_t value)
{
    char     digits[24];
    size_t   n = 0, sign = value < 0;
    uint64_t left = sign ? -(uint64_t)value : (uint64_t)value;

    do
        digits[n++] = (char)('0' + left % 10);
    while (left /= 10);
    if (sign) *out++ = '-';
    for (size_t k = 0; k < n; k++)
        out[k] = digits[n - 1 - k];
    return n + sign;
}

/// Find mantissa * 2^exponent * 10^k, rounded to an integer; false if two are as near.
/// The mantissa's first bit is set, and the result lies between 2^53 and 2^62.
static bool scale(uint64_t mantissa, int exponent, int k, uint64_t *digits)
{
    const cairn_power      *power = &cairn_power_of_five[k - CAIRN_POWER_LEAST];
    const unsigned __int128 more  = (unsigned __int128)mantissa * power->low >> 64;
    const unsigned __int128 all   = (unsigned __int128)mantissa * power->high + more;

    /* 217706 / 2^16 is log2(10): 10^k is the power's 128 bits times 2^(that - 127). */
    const int      below = -1 - exponent - (217706 * k >> 16); /* bits of a fraction */
    const uint64_t high = (uint64_t)(all >> 64), low = (uint64_t)all;
    const uint64_t whole    = high >> below;
    const uint64_t fraction = high << (64 - below) | low >> below;
    const uint64_t half     = UINT64_C(1) << 63;

    if (fraction - (half - 2) <= 4) return false;
    *digits = whole + (fraction > half);
    return true;
}

/// 17 digits and the exponent of the first of them.
static bool find_digits(double value, uint64_t *digits, int *exponent)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);

    const int      biased   = (int)(bits >> FRACTION & 0x7ff);
    const uint64_t mantissa = (bits | UINT64_C(1) << FRACTION) << 11;
    const int      two      = biased - BIAS - 11;

    if (biased == 0 || biased == 0x7ff) return false;
    /* 78913 / 2^18 is log10(2): the first digit's exponent, or one less. */
    *exponent = (two + 63) * 78913 >> 18;
    for (int more = 0; more < 2; more++, ++*exponent) {
        const int k = DIGITS - 1 - *exponent;

        if (k > MOST || !scale(mantissa, two, k, digits) || *digits < LEAST_17)
            return false;
        if (*digits < 10 * LEAST_17) return true;
    }
    return false;
}

/// Write the digits; returns how many are left without the zeros at their end.
static int print_digits(char text[DIGITS], uint64_t digits)
{
    uint32_t upper = (uint32_t)(digits / 100000000),
             lower = (uint32_t)(digits % 100000000);
    int n          = DIGITS;

    for (int k = 8; k >= 0; k--, upper /= 10)
        text[k] = (char)('0' + upper % 10);
    for (int k = 16; k >= 9; k--, lower /= 10)
        text[k] = (char)('0' + lower % 10);
    while (n > 1 && text[n - 1] == '0')
        n--;
    return n;
}

static char *put(char *out, const char *text, int n)
{
    memcpy(out, text, (size_t)n);
    return out + n;
}

static char *put_zeros(char *out, int n)
{
    memset(out, '0', (size_t)n);
    return out + n;
}

/// d.ddde+xx, where @p letter is the e.
static char *
put_scientific(char *out, const char *text, int n, int exponent, char letter)
{
    *out++ = text[0];
    if (n > 1) *out++ = '.';
    out      = put(out, text + 1, n - 1);
    *out++   = letter;
    *out++   = exponent < 0 ? '-' : '+';
    exponent = abs(exponent);
    if (exponent >= 100) *out++ = (char)('0' + exponent / 100);
    *out++ = (char)('0' + exponent / 10 % 10);
    *out++ = (char)('0' + exponent % 10);
    return out;
}

/// ddd.ddd; exponents from -4 to 16.
static char *put_fixed(char *out, const char *text, int n, int exponent)
{
    if (exponent < 0) return put(put_zeros(put(out, "0.", 2), -exponent - 1), text, n);
    if (n <= exponent + 1) return put_zeros(put(out, text, n), exponent + 1 - n);
    out    = put(out, text, exponent + 1);
    *out++ = '.';
    return put(out, text + exponent + 1, n - exponent - 1);
}

static size_t print_by_printf(char *out, const char *format, double value)
{
    const size_t n = (size_t)snprintf(out, 32, format, value);

    /* The user's locale may write a decimal comma. */
    for (size_t k = 0; k < n; k++)
        if (out[k] == ',') out[k] = '.';
    return n;
}

size_t cairn_print_double(char *out, double value)
{
    const double whole = 1e15; /* below it %.17g prints integers without exponent */
    char         text[DIGITS];
    uint64_t     digits;
    int          exponent;

    if (isnan(value)) return (size_t)sprintf(out, "nan"); /* never "-nan" */
    if (fabs(value) < whole && value == (double)(int64_t)value
        && (value != 0.0 || !signbit(value)))
        return cairn_print_integer(out, (int64_t)value);
    if (!find_digits(value, &digits, &exponent))
        return print_by_printf(out, "%.17g", value);

    const int   n  = print_digits(text, digits);
    char *const at = put(out, "-", signbit(value) != 0);

    return (size_t)((exponent < -4 || exponent >= DIGITS
                         ? put_scientific(at, text, n, exponent, 'e')
                         : put_fixed(at, text, n, exponent))
                    - out);
}

size_t cairn_print_fortran(char *out, double value)
{
    char     text[DIGITS];
    uint64_t digits;
    int      exponent;

    if (isnan(value)) return (size_t)sprintf(out, "NaN");
    if (isinf(value)) return (size_t)sprintf(out, value < 0.0 ? "-Inf" : "Inf");
    if (!find_digits(value, &digits, &exponent))
        return print_by_printf(out, "%.16E", value);
    print_digits(text, digits);

    char *const at = put(out, "-", signbit(value) != 0);

    return (size_t)(put_scientific(at, text, DIGITS, exponent, 'E') - out);
}
