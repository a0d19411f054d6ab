// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Columns of a share by numbers of its own. Where one stored index alone says in which
/// group of consecutive columns a position is, a share can have another array for that
/// level, with the places of the groups in a list: then X need not be as long as the
/// tensor is wide. No other index, no value and no order changes, so the terms of a row
/// stay what they are.

#ifndef CAIRN_ROWS_ROW_SHARE_COLUMNS_H
#define CAIRN_ROWS_ROW_SHARE_COLUMNS_H

#include "rows/row_share.h"

/// Column j is in group j / width, which is the index of a level.
typedef struct cairn_column_groups {
    int     level; ///< -1: no level says it.
    int64_t width;
} cairn_column_groups;

/// Which level says it.
cairn_column_groups cairn_column_groups_of(const cairn_layout *layout);

/// Bytes that the other array takes.
int64_t cairn_row_share_column_bytes(const cairn_row_share     *share,
                                     const cairn_column_groups *groups);

/// The group of position @p k of the level.
static inline int64_t cairn_row_share_group_at(const cairn_row_share     *share,
                                               const cairn_column_groups *groups,
                                               cairn_pos                  k)
{
    const cairn_kernel_level *level = &share->local->part[0].view.level[groups->level];

    return cairn_load_int(level->idx, k, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// Is that what stands where there is no element?
static inline bool cairn_row_share_is_hole(const cairn_row_share     *share,
                                           const cairn_column_groups *groups,
                                           int64_t                    group)
{
    return share->local->group[0].layout->level[groups->level].determined.on
           && group == share->local->part[0].view.level[groups->level].hole;
}

/// Number columns anew. The share's box has the new columns then, as many as the groups
/// have, from 0 on; of the tensor's last group no more than there are.
///
/// Local. The share's arrays are lent.
///
/// @param[in] list   [n] Groups that the share's positions are in, ascending; from number
///                   @p from on.
/// @param[in] from   Group numbers below it are for what is in no group of the list.
cairn_status cairn_row_share_number_columns(cairn_row_share           *share,
                                            const cairn_column_groups *groups,
                                            const int64_t             *list,
                                            int64_t                    n,
                                            int64_t                    from);

#endif
