// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares: rows of one member as a tensor of its own, for one of several devices. A share
/// has the member's e-tuples that lie in its rows, in their order, and the layout that
/// the member's encoding has on these rows. Ranges that follow from the whole (widths,
/// places, numbers of queries) are the member's, and no query is run again. Everything
/// that the member stores at a position of these rows the share stores too, padding
/// included: a row's product is made of the same terms in the same order, and so has the
/// same bits.
///
/// Two ways. Where the first level follows the rows, a share's arrays are stretches of
/// the member's and are lent to it; only each ptr is copied, and counts from 0 again. Else
/// the member is walked, and what lies in the rows is stored anew. The second is the
/// reference way, and goes for every layout.
///
/// What stays in a walked share: levels that are complete and numbered by a query have
/// all their indices in each share; a level that keeps its gaps has gaps where others'
/// entries were.

#ifndef CAIRN_ROWS_ROW_SHARE_H
#define CAIRN_ROWS_ROW_SHARE_H

#include "tensor/local.h"

typedef struct cairn_row_share {
    const cairn_local *tensor; ///< Of whose member it has rows; outlives it.
    int                member, number;
    cairn_interval     rows;
    cairn_local       *local; ///< One group, with these rows as its box.
    bool               lent;  ///< Its arrays, but each ptr, are the tensor's.
    int64_t            bytes; ///< That it takes itself.
} cairn_row_share;

/// The member's group, and its k-th part.
static inline const cairn_group *cairn_row_share_group(const cairn_row_share *share)
{
    return &share->tensor->group[share->member];
}

static inline const cairn_part *cairn_row_share_part(const cairn_row_share *share,
                                                     int64_t                k)
{
    return &share->tensor->part[cairn_row_share_group(share)->first + k];
}

typedef enum {
    CAIRN_SHARE_LENT_IF_POSSIBLE,
    CAIRN_SHARE_LENT_OR_NONE, ///< Without arrays where they cannot be lent.
    CAIRN_SHARE_WALKED,
} cairn_row_share_way;

/// Make a share of the rows @p rows, which are of the tensor's box; there may be none.
///
/// Local.
///
/// @param[in]  number  Of the share, from 0.
/// @param[in]  held    Bytes that count against the limit beside it.
/// @param[out] share   Release with cairn_row_share_fini(), also after a failure.
/// @retval CAIRN_NO_MEMORY  It exceeds the limit.
///
/// Cost: lent, a pass over each ptr, and where the layout pads, over the values of these
/// rows; walked, two walks over the member, or its part in these rows where a level
/// gives it (cairn_layout_row_level()), and 8 bytes an entry and level for the moment.
cairn_status cairn_row_share_init(const cairn_local  *tensor,
                                  int                 member,
                                  cairn_interval      rows,
                                  int                 number,
                                  cairn_row_share_way way,
                                  int64_t             held,
                                  cairn_row_share    *share);

void cairn_row_share_fini(cairn_row_share *share);

/// Bring the tensor's values, which have changed while the pattern stays. A share whose
/// arrays are lent has them already.
///
/// Local. Allocates and frees what making the share took.
cairn_status cairn_row_share_refresh(cairn_row_share *share);

/// Is it known without a walk how much a member stores before a row?
bool cairn_row_positions_known(const cairn_local *tensor, int member);

/// Positions that a member of which that is known stores before the block of rows that
/// @p row is in, padding included; @p row may be one past the last of the box.
cairn_pos
cairn_row_positions_before(const cairn_local *tensor, int member, cairn_coord row);

/// Count what was stored as zero where a layout pads, and so looks like padding, with the
/// last of @p count shares that together are a member: their entries are the member's.
void cairn_row_shares_settle(cairn_row_share *const *share, int count);

#endif
