// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a choice of a format (auto/choice.h) has of a context. Internal to the API.

#ifndef CAIRN_API_AUTO_CONTEXT_H
#define CAIRN_API_AUTO_CONTEXT_H

#include "api/api.h"
#include "auto/choice.h"

/// Local. The context outlives what is returned.
cairn_choice_context cairn_choice_context_of(cairn_context *context);

/// Were all ranks asked the same, and has none failed until here?
///
/// Collective. @param[in] replays  As ranks are to have it alike.
/// @retval CAIRN_BAD_ARGUMENT  They were not.
cairn_status cairn_choice_agree(cairn_context               *context,
                                cairn_dtype                  dtype,
                                const cairn_product_options *product,
                                const cairn_auto_options    *options,
                                int64_t                      replays,
                                cairn_status                 status);

#endif
