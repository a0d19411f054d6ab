// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two ways to make a share. Internal to convert.

#ifndef CAIRN_CONVERT_ROW_SHARE_STEPS_H
#define CAIRN_CONVERT_ROW_SHARE_STEPS_H

#include "convert/row_share.h"

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

/// Are the share's arrays stretches of the member's?
cairn_status cairn_row_share_is_stretch(const cairn_row_share *share, bool *is);

/// Lend the arrays of the share's one part. Its layout is there.
cairn_status cairn_row_share_lend(cairn_row_share *share, int64_t held);

/// Store what lies in the rows, in arrays of its own. Its layout is there.
cairn_status cairn_row_share_walk(cairn_row_share *share, int64_t held);

#endif
