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

void cairn_text_add(cairn_text *text, const char *fmt, ...)
{
    va_list args;

    if (!reserve(text, 0)) return;

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
