// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text that grows. A failed allocation is remembered and told once, by
/// cairn_text_take(), so that printers need no check after every piece.

#ifndef CAIRN_BASE_TEXT_H
#define CAIRN_BASE_TEXT_H

#include "base/env.h"

typedef struct cairn_text {
    cairn_env   *env;
    char        *data; ///< NUL-terminated once something was added; else NULL.
    size_t       length, capacity;
    cairn_status status; ///< The first failure.
} cairn_text;

/// Start an empty text.
void cairn_text_init(cairn_text *text, cairn_env *env);

/// Free the text; for a text that was not taken.
void cairn_text_fini(cairn_text *text);

/// Append formatted text.
void cairn_text_add(cairn_text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/// Append @p length bytes.
void cairn_text_add_bytes(cairn_text *text, const char *bytes, size_t length);

/// Hand the text over: @p string is freed with cairn_free(). The text is empty after.
///
/// @retval CAIRN_NO_MEMORY  Some piece could not be added; the text is freed.
cairn_status cairn_text_take(cairn_text *text, char **string);

/// Write @p value as the shortest decimal without exponent that reads back the same
/// (0.5, 0, 12, 0.0000001). @p out has at least 400 bytes.
void cairn_print_decimal(char *out, double value);

/// Write seconds for people: "12.3 us".
///
/// @param[out] text  [16]
/// @return @p text.
char *cairn_print_seconds(double seconds, char *text);

#endif
