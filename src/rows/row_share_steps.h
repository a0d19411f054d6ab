// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two ways to make a share. Internal to rows.

#ifndef CAIRN_ROWS_ROW_SHARE_STEPS_H
#define CAIRN_ROWS_ROW_SHARE_STEPS_H

#include "rows/row_share.h"

/// Are the share's arrays stretches of the member's?
cairn_status cairn_row_share_is_stretch(const cairn_row_share *share, bool *is);

/// Lend the arrays of the share's one part. Its layout is there.
cairn_status cairn_row_share_lend(cairn_row_share *share, int64_t held);

/// Store what lies in the rows, in arrays of its own. Its layout is there.
cairn_status cairn_row_share_walk(cairn_row_share *share, int64_t held);

#endif
