// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which kernel computes a member's product: what it is asked for follows from the
/// layout, the operation, and whether the member is the first one. Plans ask for it,
/// `cairn emit` prints it, and some of it comes with the library.

#ifndef CAIRN_LOWER_PRODUCT_CHOICE_H
#define CAIRN_LOWER_PRODUCT_CHOICE_H

#include "lower/product/product.h"

#include <cairn/expr.h>

/// Choose; the hints stay empty.
///
/// A kernel that meets all rows of Y once may set the first member's: the others add, and
/// so do all where parts of banks have rows in common. Y is f64 where a row is met more
/// than once, where it holds something before (other members' sums, or beta*Y) or gets
/// something after, and where rows are summed over ranks. Who is not first leaves rows
/// without entries alone: those before it have added to all (cairn_operands_begin()).
///
/// @param[in] first         Nothing was added to Y before.
/// @param[in] wide          Something will be added to Y after: Y is f64.
/// @param[in] vector_bytes  Of the target: 16, 32 or 64; 8: it has no vectors.
cairn_product cairn_product_choose(const cairn_layout          *layout,
                                   const cairn_product_options *op,
                                   bool                         first,
                                   bool                         wide,
                                   int                          vector_bytes);

/// Let the last kernel that adds to an f64 Y round what comes of it into an f32 Y, if it
/// meets every row once: Y is read once more and written narrow, in place of a pass over
/// all of it. A row without entries gets 0 added, which leaves its bits, since none is -0.
///
/// @param[in,out] product  As chosen. @return Does it round?
bool cairn_product_round(const cairn_layout *layout, cairn_product *product);

/// Let a kernel add up on the way, in f64, what it adds to rows of Y, or sets: share.leaf
/// positions (share/share.h) one after the other, in as many chains as a vector has lanes
/// where rows are its lanes. Y has the same bits. Only kernels of one vector that meet no row
/// twice, whose threads divide their outermost loop, which round nothing but what they set,
/// and which have no branchless ends of rows.
///
/// @param[in,out] product  As chosen. @return Does it?
bool cairn_product_sum_y(const cairn_layout *layout, cairn_product *product);

#endif
