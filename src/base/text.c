// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text that grows.

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cairn_text_init(cairn_text *text, cairn_env *env)
{
    *text = (cairn_text){.env = env, .status = CAIRN_OK};
}

void cairn_text_fini(cairn_text *text)
{
    cairn_free(text->env, text->data);
    cairn_text_init(text, text->env);
}

/// Make room for @p more bytes and the end; false when there is no memory.
static bool reserve(cairn_text *text, size_t more)
{
    if (text->status != CAIRN_OK) return false;
    if (text->length + more + 1 <= text->capacity) return true;

    const size_t capacity = 2 * (text->length + more) + 64;

    text->status = cairn_realloc(text->env, (int64_t)capacity, 1, (void **)&text->data);
    if (text->status != CAIRN_OK) return false;
    text->capacity = capacity;
    return true;
}

void cairn_text_add_bytes(cairn_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length)) return;
    if (length) memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

/// Append an integer in base 10 or 16.
static void add_integer(cairn_text *text, bool negative, uint64_t size, unsigned base)
{
    char  digits[24];
    char *first = digits + sizeof digits;

    do
        *--first = "0123456789abcdef"[size % base];
    while ((size /= base) > 0);
    if (negative) *--first = '-';
    cairn_text_add_bytes(text, first, (size_t)(digits + sizeof digits - first));
}

/// @param plus  With its sign where it is not negative, too.
static void add_signed(cairn_text *text, int64_t value, bool plus)
{
    if (plus && value >= 0) cairn_text_add_bytes(text, "+", 1);
    add_integer(text, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

/// Append a text of %s, %c, %d, %lld, %+lld, %x and %% alone, as nearly all are, which the C
/// library takes several times as long for. @return false: it has others; some of it may
/// have been added.
static bool add_plain(cairn_text *text, const char *fmt, va_list args)
{
    while (*fmt) {
        const size_t length = strcspn(fmt, "%");
        const char  *string;
        char         letter;
        bool         plus;

        cairn_text_add_bytes(text, fmt, length);
        fmt += length;
        if (!*fmt) break;
        switch (*++fmt) {
        case 's':
            string = va_arg(args, const char *);
            if (!string) return false;
            cairn_text_add_bytes(text, string, strlen(string));
            break;
        case 'c':
            letter = (char)va_arg(args, int);
            cairn_text_add_bytes(text, &letter, 1);
            break;
        case 'd': add_signed(text, va_arg(args, int), false); break;
        case 'x': add_integer(text, false, va_arg(args, unsigned), 16); break;
        case '%': cairn_text_add_bytes(text, fmt, 1); break;
        case '+':
        case 'l':
            plus = *fmt == '+';
            if (strncmp(fmt + plus, "lld", 3) != 0) return false;
            fmt += plus + 2;
            add_signed(text, va_arg(args, long long), plus);
            break;
        default: return false;
        }
        fmt++;
    }
    return true;
}

void cairn_text_add(cairn_text *text, const char *fmt, ...)
{
    va_list args;

    if (!reserve(text, 0)) return;

    const size_t before = text->length;

    va_start(args, fmt);
    const bool plain = add_plain(text, fmt, args);
    va_end(args);
    if (plain) return;
    text->length = before;

    const size_t room = text->capacity - text->length;

    va_start(args, fmt);
    const int length = vsnprintf(text->data + text->length, room, fmt, args);
    va_end(args);
    if (length >= 0 && (size_t)length >= room) { /* once more, where it fits */
        if (!reserve(text, (size_t)length)) return;
        va_start(args, fmt);
        vsnprintf(text->data + text->length, (size_t)length + 1, fmt, args);
        va_end(args);
    }
    if (length >= 0) text->length += (size_t)length;
}

cairn_status cairn_text_take(cairn_text *text, char **string)
{
    if (!reserve(text, 0)) {
        const cairn_status status = text->status;

        cairn_text_fini(text);
        return status;
    }
    text->data[text->length] = '\0';
    *string                  = text->data;
    cairn_text_init(text, text->env);
    return CAIRN_OK;
}

void cairn_print_decimal(char *out, double value)
{
    /* %.*f never writes an exponent; 340 decimals reach the smallest double. */
    for (int decimals = 0; decimals <= 340; decimals++) {
        snprintf(out, 400, "%.*f", decimals, value);
        if (strtod(out, NULL) == value) return;
    }
}

char *cairn_print_seconds(double seconds, char *text)
{
    /* Three digits: what rounds to 1000 goes to the larger unit. */
    if (seconds < 999.5e-6)
        snprintf(text, 16, "%.3g us", 1e6 * seconds);
    else if (seconds < 999.5e-3)
        snprintf(text, 16, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, 16, "%.3g s", seconds);
    return text;
}
