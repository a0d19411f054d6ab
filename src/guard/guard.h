// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checks of products by sums of columns: y = A x has the sum 1'y = (1'A) x, whatever was
/// done to get y. Each member of this rank has its w = 1'A and 1'|A|, over the columns that
/// its rows meet; after a run the sum of this rank's y stands against w.x.
///
/// They differ by rounding: a row's sum has as many additions as its longest row at most,
/// sums of y and of w.x have 67 each and are joined in long double, and w was summed in
/// long double. So
///
///     |1'y - w.x|  <=  4 eps n (1'|A|).|x|,    n = the longest row + 134 + members
///
/// with a term eps32 (1'|A|).|x| for a y in f32, which is rounded once more. The factor 4
/// leaves room for orders of additions other than this, since (1'|A|).|x| >= sum |a x|. A sum
/// of y that kernels made has up to 2,048 additions (plan/replay_y_sum.h): one that is beyond
/// the bound decides nothing, y is read and added up here then.
///
/// (1'|A|).|x| is a sum as dear as w.x, and seldom needed: some of its terms, of many columns
/// one in 64 or 256, come to no more than all, and what differs by no more than the bound that
/// they give agrees. All else is held against the bound above.
/// Source: Huang & Abraham, IEEE Trans. Computers C-33 (1984) 518, of products of matrices.

#ifndef CAIRN_GUARD_GUARD_H
#define CAIRN_GUARD_GUARD_H

#include "guard/guard_state.h"

/// Sum the columns of what is multiplied, y = A x, by the operands of its product.
///
/// Local.
///
/// @param[in]  local  Outlives the guard.
/// @param[out] guard  Released with cairn_guard_destroy(). Unchanged on failure.
cairn_status cairn_guard_create(const cairn_local    *local,
                                const cairn_operands *operands,
                                cairn_guard         **guard);

void cairn_guard_destroy(cairn_guard **guard);

/// Hold the y of a run against its x, by a first look and perhaps a second; where sums do not
/// agree and the arrays are as they were, rows of y that are wrong are computed again from
/// them, and it is logged.
///
/// Local. Allocates where sums do not agree, or values were changed since.
///
/// @param[in]     operands  The run's.
/// @param[in]     x    [own rows of X] As the run has read it; what it fetched is there still.
/// @param[in,out] y    [rows of this rank]
/// @param[in]     sum  What the kernels have summed on the way; NULL: y is added up.
/// @retval CAIRN_NOT_VERIFIED  A member's arrays are not what they were: the message has the
///                             rank and the member.
cairn_status cairn_guard_check(cairn_guard          *guard,
                               const cairn_operands *operands,
                               const void           *x,
                               void                 *y,
                               const long double    *sum);

#endif
