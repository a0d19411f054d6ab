// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions on a card of the driver that pretends (tests/fake_cuda).

#ifndef CAIRN_TESTS_SUPPORT_CARD_CONVERSIONS_H
#define CAIRN_TESTS_SUPPORT_CARD_CONVERSIONS_H

#include "support/card_plans.h"
#include "support/conversion.h"
#include "support/convert_by.h"

static inline bool is_on_card(const cairn_pass *pass)
{
    return pass->place.device && strcmp(pass->place.device, "cuda:0") == 0;
}

#endif
