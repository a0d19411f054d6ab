// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What moving values into another storage takes, and the move that takes nothing. Other
/// moves: value_storage.h.

#ifndef CAIRN_TENSOR_VALUE_MOVES_H
#define CAIRN_TENSOR_VALUE_MOVES_H

#include "tensor/local.h"

/// Bytes of the values of a group's parts by another layout, behind a dictionary if it has
/// one.
///
/// @param[in] part  [group->first + group->count]
int64_t cairn_group_values_room(const cairn_group  *group,
                                const cairn_part   *part,
                                const cairn_layout *layout);

/// Store the values of a group by a narrower layout without a dictionary, each part's where
/// they are.
///
/// Local.
///
/// @param[in] layout  Taken over.
void cairn_group_store_in_place(cairn_local  *tensor,
                                cairn_group  *group,
                                cairn_layout *layout);

#endif
