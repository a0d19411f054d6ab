// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Orders of dimensions: which a layout has, how one becomes another, and the format that
/// has it. Internal to convert.

#ifndef CAIRN_CONVERT_INTERMEDIATES_ORDER_H
#define CAIRN_CONVERT_INTERMEDIATES_ORDER_H

#include "tensor/local.h"

/// Dimensions, the slowest first.
typedef struct cairn_dims {
    int dim[CAIRN_MAX_ORDER];
} cairn_dims;

/// d0, d1, ...
cairn_dims cairn_dims_natural(int order);

/// The dimensions as levels 0..levels-1 of a layout name them, then the others.
cairn_dims cairn_dims_of(const cairn_layout *layout, int levels);

/// Put @p dim before all others, which stay in their order.
void cairn_dims_move_to_front(cairn_dims *dims, int dim);

/// How many of the first of @p wanted have to be moved to the front, the last of them
/// first, to make @p wanted of @p dims: the others come one after the other as it is.
int cairn_dims_moves(const cairn_dims *dims, const cairn_dims *wanted, int order);

/// The format whose first level, a dimension, is complete, and whose others are trimmed,
/// an entry a node. With @p heads: the first levels of that layout are complete instead,
/// and all dimensions are below them; of one that a head has the quotient of, the rest.
///
/// @param[in]  heads   NULL, or a layout
/// @param[in]  count   of which so many levels are heads.
/// @param[out] format  cairn_format_destroy(). Unchanged on failure.
cairn_status cairn_dims_format(cairn_env          *env,
                               const cairn_dims   *dims,
                               int                 order,
                               const cairn_layout *heads,
                               int                 count,
                               cairn_format      **format);

/// Look at some 4,000 entries of a tensor, or of sorted coordinates: how many nodes of
/// level E of @p to, whose levels down to there are direct, each of them has on average.
///
/// @param[out] each  Between 0 and 1: how little they share. Unchanged on failure.
cairn_status cairn_sample_nodes(cairn_env           *env,
                                const cairn_local   *from,
                                const cairn_entries *entries,
                                const cairn_layout  *to,
                                double              *each);

#endif
