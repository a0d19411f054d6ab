// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A token as a number, held to strtod and strtoll, and to a grammar written anew here.

#include "fuzz.h"
#include "io/text/io_number.h"

#include <errno.h>
#include <math.h>

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/// [sign] digits [. digits] [e|d [sign] digits], with a digit before or after the point.
static bool is_decimal(const char *text)
{
    size_t n;

    text += *text == '-' || *text == '+';
    n = digits(text);
    text += n;
    if (*text == '.') {
        const size_t fraction = digits(++text);

        n += fraction;
        text += fraction;
    }
    if (n == 0) return false;
    if (!*text) return true;
    if (!strchr("eEdD", *text)) return false;
    text++;
    text += *text == '-' || *text == '+';
    return *text && digits(text) == strlen(text);
}

/// strtod of a copy with e for d.
static double reference(const char *text)
{
    char *copy = fuzz_copy(text, strlen(text) + 1);

    for (char *c = copy; *c; c++)
        if (*c == 'd' || *c == 'D') *c = 'e';
    const double value = strtod(copy, NULL);

    free(copy);
    return value;
}

static void check_double(const char *begin, const char *end, const char *text)
{
    double    value  = 0;
    const int status = cairn_parse_double(begin, end, &value);

    FUZZ_CHECK(status == 0 || status == -1 || status == -2, "%d", status);
    if (!is_decimal(text)) {
        FUZZ_CHECK(status == -1 || isnan(value) || isinf(value), "%s: %g", text, value);
        FUZZ_CHECK(status != -2, "%s is no number, and beyond the range", text);
        return;
    }
    const double want = reference(text);

    FUZZ_CHECK(status != -1, "%s is no number", text);
    FUZZ_CHECK((status == -2) == (bool)isinf(want), "%s: %d", text, status);
    FUZZ_CHECK(status || memcmp(&value, &want, sizeof want) == 0, "%s: %a, not %a",
               text, value, want);
}

static void check_integer(const char *begin, const char *end, const char *text)
{
    const char *bare   = text + (*text == '-' || *text == '+');
    int64_t     value  = 0;
    const int   status = cairn_parse_integer(begin, end, &value);

    FUZZ_CHECK((status == -1) == (!*bare || digits(bare) != strlen(bare)), "%s: %d",
               text, status);
    if (status == -1) return;
    errno                = 0;
    const long long want = strtoll(text, NULL, 10);

    FUZZ_CHECK((status == -2) == (errno == ERANGE), "%s: %d", text, status);
    FUZZ_CHECK(status || value == want, "%s: %lld", text, (long long)value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, 0, size)) return 0; /* strtod would end there */
    char *token = fuzz_copy(data, size), *text = calloc(size + 1, 1), shown[48];

    memcpy(text, data, size);
    check_double(token, token + size, text);
    check_integer(token, token + size, text);
    FUZZ_CHECK(strlen(cairn_print_token(token, token + size, shown)) < sizeof shown,
               "%s", text);
    free(text);
    free(token);
    return 0;
}
