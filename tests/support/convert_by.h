// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions by a method that is named.

#ifndef CAIRN_TESTS_SUPPORT_CONVERT_BY_H
#define CAIRN_TESTS_SUPPORT_CONVERT_BY_H

#include "support/device_work.h"

/// Convert by a method; "": by any. @return NULL: it does not apply, and the message has a
/// reason.
static inline cairn_tensor *
convert_by(cairn_tensor *from, const char *text, const char *method)
{
    cairn_context *const context = from->context;
    char *const          word    = context->env.options.convert;
    cairn_format        *format  = must_format(context, text);
    cairn_tensor        *made    = NULL;

    snprintf(word, sizeof context->env.options.convert, "%s", method);
    const cairn_status status = cairn_tensor_convert(from, format, &made);

    word[0] = '\0';
    cairn_format_destroy(&format);
    if (status == CAIRN_OK) return made;
    cr_expect_eq(status, CAIRN_BAD_OPTION, "into %s: %s", text, context->env.message);
    return NULL;
}

#endif
