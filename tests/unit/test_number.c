// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers in text: every accepted spelling gives the double that strtod gives.

#include "io/text/io_number.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, double *value)
{
    return cairn_parse_double(text, text + strlen(text), value);
}

/// xorshift64*: the same cases on every machine.
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static void expect_same_as_strtod(const char *text)
{
    double       mine     = -1.0;
    const double expected = strtod(text, NULL);

    if (isinf(expected)) {
        cr_assert_eq(parse(text, &mine), -2, "%s", text);
        return;
    }
    cr_assert_eq(parse(text, &mine), 0, "%s", text);
    cr_assert(memcmp(&mine, &expected, sizeof mine) == 0, "%s: %a is not %a", text,
              mine, expected);
}

Test(number, random_doubles_read_back_bit_for_bit)
{
    static const char *const formats[] = {"%.17g", "%.16g", "%.15e", "%.6g",
                                          "%.3f",  "%.20e", "%.40g", "%+.18e"};
    uint64_t                 state     = 20240607;
    char                     text[512];

    for (int n = 0; n < 1000000; n++) {
        const uint64_t bits = next_random(&state);
        double         value;

        memcpy(&value, &bits, sizeof value);
        /* Most exponents of random bits are extreme; files have moderate ones. */
        if (n % 2) value = ldexp((double)(bits >> 11), (int)(bits & 127) - 117);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, formats[n % 8], value);
        expect_same_as_strtod(text);
    }
}

Test(number, random_digits_and_exponents_are_rounded_right)
{
    uint64_t state = 7;
    char     text[64];

    for (int n = 0; n < 1000000; n++) {
        const uint64_t digits   = next_random(&state) >> (next_random(&state) % 60);
        const int      exponent = (int)(next_random(&state) % 700) - 350;

        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits,
                 n % 3 ? exponent % 30 : exponent);
        expect_same_as_strtod(text);
    }
}

/// The middle of two doubles, exactly and with one digit more far behind.
Test(number, halfway_cases_are_rounded_right)
{
    static const char *const cases[] = {
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999999999999999",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301e276",
        "0.000000000000000000000000000000000000000000000000000001234567890123456789",
        "7.2057594037927933e16",
        "1e23",
        "8.41e21",
        "-0.0",
        "-0e999999999999999999999",
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_same_as_strtod(cases[k]);
}

/// Every power of two with all its digits, and its neighbours.
Test(number, powers_of_two_are_exact)
{
    char text[1200];

    for (int e = -1074; e <= 1023; e++) {
        const double power = ldexp(1.0, e);

        snprintf(text, sizeof text, "%.770e", power);
        expect_same_as_strtod(text);
        snprintf(text, sizeof text, "%.17g", nextafter(power, 0.0));
        expect_same_as_strtod(text);
        snprintf(text, sizeof text, "%.17g", nextafter(power, INFINITY));
        expect_same_as_strtod(text);
    }
}

#if LDBL_MANT_DIG > DBL_MANT_DIG
/// The middle of two neighbours with all its digits, the same cut to 17 .. 25 digits,
/// and with one digit more behind all of them.
Test(number, random_middles_of_doubles_are_rounded_right)
{
    uint64_t state = 31;
    char     text[1200];

    for (int n = 0; n < 40000; n++) {
        const uint64_t    bits   = next_random(&state) >> 11 | UINT64_C(1) << 52;
        const int         e      = (int)(next_random(&state) % 2000) - 1074;
        const long double middle = ldexpl((long double)bits + 0.5L, n % 2 ? e : e / 40);

        snprintf(text, sizeof text, "%.*Le", 16 + n % 10, middle);
        expect_same_as_strtod(text);
        snprintf(text, sizeof text, "%.800Le", middle);
        expect_same_as_strtod(text);
        *strchr(text, 'e') = '\0';
        snprintf(text + strlen(text), 16, "1e%d", (int)floorl(log10l(middle)));
        expect_same_as_strtod(text);
    }
}
#endif

Test(number, a_token_may_have_any_length)
{
    enum { LENGTH = 5000 };
    char   text[LENGTH + 32] = "";
    double value             = 0.0;

    memset(text, '9', LENGTH);
    text[1] = '.';
    cr_assert_eq(cairn_parse_double(text, text + LENGTH, &value), 0);
    cr_assert_eq(value, 10.0);

    memset(text, '0', LENGTH);
    text[1] = '.';
    strcpy(text + LENGTH, "123e5001");
    expect_same_as_strtod(text);
    cr_assert_eq(cairn_parse_double(text, text + LENGTH + 8, &value), 0);
    cr_assert_eq(value, 123.0);

    memset(text, '1', LENGTH);
    strcpy(text + LENGTH, "e-5000");
    expect_same_as_strtod(text);

    memset(text, '0', LENGTH);
    memcpy(text, "9007199254740993.", 17);
    text[LENGTH - 1] = '1';
    text[LENGTH]     = '\0';
    expect_same_as_strtod(text);
}

Test(number, fortran_exponents_and_words_are_numbers)
{
    double value;

    cr_assert(parse("1.5D1", &value) == 0 && value == 15.0);
    cr_assert(parse("-2d+00", &value) == 0 && value == -2.0);
    cr_assert(parse("NaN", &value) == 0 && isnan(value));
    cr_assert(parse("-inf", &value) == 0 && isinf(value) && value < 0);
    cr_assert(parse("+Infinity", &value) == 0 && isinf(value) && value > 0);
    cr_assert(parse(".5", &value) == 0 && value == 0.5);
    cr_assert(parse("5.", &value) == 0 && value == 5.0);
    cr_assert(parse("1e-999", &value) == 0 && value == 0.0);
}

Test(number, anything_else_is_refused)
{
    static const char *const cases[] = {
        "",     "+",     "-",      ".",     "e5",   "1e",    "1e+",      "1.2.3",
        "1x",   "0x10",  "nan(1)", "infin", "--1",  "1 ",    " 1",       "1,5",
        "1e5.", "1d5e3", "in",     "na",    "1e 5", "1_000", "infinity1"};
    double value = 42.0;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        cr_expect_eq(parse(cases[k], &value), -1, "'%s'", cases[k]);
    cr_expect_eq(cairn_parse_double("1\0", "1\0" + 2, &value), -1);
    cr_expect_eq(parse("1e999", &value), -2);
    cr_expect_eq(parse("-1e309", &value), -2);
    cr_expect_eq(value, 42.0, "unchanged on failure");
}

Test(number, integers_are_exact_within_64_bits)
{
    static const struct {
        const char *text;
        int         error;
        int64_t     value;
    } cases[] = {
        {"0",                     0,  0        },
        {"-0",                    0,  0        },
        {"+17",                   0,  17       },
        {"9223372036854775807",   0,  INT64_MAX},
        {"-9223372036854775808",  0,  INT64_MIN},
        {"9223372036854775808",   -2, 0        },
        {"-9223372036854775809",  -2, 0        },
        {"99999999999999999999",  -2, 0        },
        {"99999999999999999999x", -1, 0        },
        {"1.5",                   -1, 0        },
        {"-",                     -1, 0        },
        {"",                      -1, 0        },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *text  = cases[k].text;
        int64_t     value = 0;

        cr_expect_eq(cairn_parse_integer(text, text + strlen(text), &value),
                     cases[k].error, "%s", text);
        cr_expect_eq(value, cases[k].value, "%s", text);
    }
}
