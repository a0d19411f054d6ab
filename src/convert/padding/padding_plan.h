// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Padding by a recipe, made short: which of its checks can fail. Internal to convert.

#ifndef CAIRN_CONVERT_PADDING_PLAN_H
#define CAIRN_CONVERT_PADDING_PLAN_H

#include "format/layout.h"

typedef struct cairn_padding_plan {
    uint32_t levels; ///< Bit l: at the position found, level l may have another index.
    uint32_t dims;   ///< Bit k: dimension k may lie outside the box.
    uint64_t steps; ///< Bit s: a query step may have found another element than the one
                    ///< at the position.
} cairn_padding_plan;

/// All that can be checked is.
///
/// @param[in] l      A determined level.
/// @param[in] above  Levels that its recipe may read.
void cairn_padding_plan_init(const cairn_layout *layout,
                             int                 l,
                             uint32_t            above,
                             cairn_padding_plan *plan);

/// Leave out what follows from the recipe and the ranges of the levels above.
///
/// @param[in] form   [steps][CAIRN_MAX_LEVELS] groupBy of the query that a step's query is
///                   taken over.
void cairn_padding_plan_find(const cairn_layout *layout,
                             int                 l,
                             const cairn_form   *form,
                             cairn_padding_plan *plan);

/// Do all levels above that ask queries follow from the number by which a recipe looks for
/// its element? Then whatever has that number has these indices.
///
/// @param[in] s      The recipe's only query step.
/// @param[in] above  Levels that it may read.
bool cairn_padding_plan_is_of_number(const cairn_layout *layout,
                                     int                 l,
                                     int                 s,
                                     uint32_t            above);

#endif
