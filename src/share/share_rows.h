// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stretches of rows of a part: a product's kernel that is called with one share, from the
/// position of a stretch's first row to that of the next stretch's, does these rows and no
/// other. What a kernel adds to a row, and in which order, does not depend on where a share
/// begins (lower/product.h): the bits are those of the whole.

#ifndef CAIRN_SHARE_SHARE_ROWS_H
#define CAIRN_SHARE_SHARE_ROWS_H

#include "format/layout.h"
#include "share/share.h"

/// Stretches begin at multiples of so many rows of the whole tensor; 0: the division does
/// not follow the rows. It does where the level that is divided is of rows, or of blocks,
/// slices or sorting windows of consecutive rows.
int64_t cairn_share_row_grain(const cairn_share *division, const cairn_layout *layout);

/// The position at which the stretch from @p row on begins.
///
/// @param[in] division  Has a grain.
/// @param[in] row  A multiple of it; or one past the last of the layout's box: the end of
///                 all positions.
int64_t cairn_share_row_position(const cairn_share       *division,
                                 const cairn_layout      *layout,
                                 const cairn_kernel_part *part,
                                 int64_t                  row);

#endif
