// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Dividing a member's rows: how much it stores in each, and where to cut so that a share
/// has a given part of that. Cuts are at multiples of the encoding's row grain, so that no
/// block is cut.

#ifndef CAIRN_PLACE_DIVIDE_H
#define CAIRN_PLACE_DIVIDE_H

#include "tensor/local.h"

/// What a member stores, by row of this rank's box.
typedef struct cairn_row_weights {
    const cairn_local *tensor;
    int                member;
    cairn_coord        first; ///< Row of the box.
    int64_t            rows, grain;
    int64_t *before; ///< [rows+1] positions stored before each row, padding included;
        ///< NULL: the arrays tell. A member without any weighs as its rows.
} cairn_row_weights;

/// Count.
///
/// Local. Walks the member once where its arrays do not tell (rows/row_share.h).
///
/// @param[out] weights  Release with cairn_row_weights_fini(). Unchanged on failure.
cairn_status cairn_row_weights_init(const cairn_local *tensor,
                                    int                member,
                                    cairn_row_weights *weights);

void cairn_row_weights_fini(cairn_row_weights *weights);

/// The part, of 1, of what is stored that lies in rows first..end-1.
double cairn_row_weights_part(const cairn_row_weights *weights,
                              cairn_coord              first,
                              cairn_coord              end);

/// The row before which as near as can be the part @p part of all lies.
cairn_coord cairn_row_weights_cut(const cairn_row_weights *weights, double part);

/// The last row, at a multiple of the grain, that is not after @p row; the box's first if
/// there is none.
cairn_coord cairn_row_weights_floor(const cairn_row_weights *weights, cairn_coord row);

#endif
