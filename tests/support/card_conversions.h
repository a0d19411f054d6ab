// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions on a card of the driver that pretends (tests/fake_cuda).

#ifndef CAIRN_TESTS_SUPPORT_CARD_CONVERSIONS_H
#define CAIRN_TESTS_SUPPORT_CARD_CONVERSIONS_H

#include "support/card_plans.h"
#include "support/conversion.h"

/// Convert by a method; "": by any. @return NULL: it does not apply, and the message has a
/// reason.
static inline cairn_tensor *
convert_by(cairn_tensor *from, const char *text, const char *method)
{
    char *const   word   = context->env.options.convert;
    cairn_format *format = must_format(context, text);
    cairn_tensor *made   = NULL;

    snprintf(word, sizeof context->env.options.convert, "%s", method);
    const cairn_status status = cairn_tensor_convert(from, format, &made);

    word[0] = '\0';
    cairn_format_destroy(&format);
    if (status == CAIRN_OK) return made;
    cr_expect_eq(status, CAIRN_BAD_OPTION, "into %s: %s", text, context->env.message);
    return NULL;
}

static inline bool is_on_card(const cairn_pass *pass)
{
    return pass->place.device && strcmp(pass->place.device, "cuda:0") == 0;
}

#endif
