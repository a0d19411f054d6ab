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
/// one in 64, come to no more than all, and what differs by no more than the bound that they
/// give agrees. All else is held against the bound above.
/// Source: Huang & Abraham, IEEE Trans. Computers C-33 (1984) 518, of products of matrices.
/// Internal to the API.

#ifndef CAIRN_API_GUARD_H
#define CAIRN_API_GUARD_H

#include "api/api.h"

/// Sums of one member's columns on this rank.
typedef struct cairn_guard_sums {
    double *w;    ///< [columns] 1'A
    double *size; ///< [columns] 1'|A|
} cairn_guard_sums;

/// How a check ended.
typedef struct cairn_guard_verdict {
    bool   checked;    ///< Else x is not finite, or too large.
    double difference; ///< |1'y - w.x|
    double bound;
} cairn_guard_verdict;

/// Sums of the columns of all members together, of own ones or of those of other ranks.
/// Where most are 0, as those of a discrete Laplacian are, only the others are listed: first
/// blocks of neighbours (guard_passes.h), then single ones.
typedef struct cairn_guard_columns {
    double  *w;  ///< [8 blocks + singles]
    int64_t *at; ///< [blocks + singles] Which those are, a block by its first;
                 ///< NULL: single ones, all, in order.
    int64_t blocks;
    int64_t singles;
    double *size; ///< [leaves][sample] 1'|A| of the first columns of each leaf.
    int64_t columns;
} cairn_guard_columns;

enum { CAIRN_GUARD_OWN, CAIRN_GUARD_GHOSTS, CAIRN_GUARD_SIDES };

typedef struct cairn_guard {
    int64_t columns; ///< Own ones first, then those of other ranks, ascending.
    int64_t own;
    int64_t longest; ///< Entries of a row, at most.
    int64_t updates; ///< Of the tensor's values that the sums have.
    int64_t closer;  ///< Checks that took the second look.
    int     members;
    cairn_guard_columns all[CAIRN_GUARD_SIDES];
    cairn_guard_sums    sums[CAIRN_MAX_MEMBERS]; ///< [members]
    cairn_guard_info    info;                    ///< Of this rank.
} cairn_guard;

/// Sum the columns.
///
/// Local. @param[out] guard  Released with cairn_guard_destroy(). Unchanged on failure.
cairn_status cairn_guard_create(const cairn_plan *plan, cairn_guard **guard);

void cairn_guard_destroy(cairn_env *env, cairn_guard **guard);

/// Hold the y of a run against its x, by the second look. Local.
cairn_guard_verdict
cairn_guard_compare(const cairn_plan *plan, const void *x, const void *y);

/// The same, and repair: where sums do not agree and the arrays are as they were, rows of y
/// that are wrong are computed again from them, and it is logged.
///
/// Local. Allocates where sums do not agree, or values were changed since.
///
/// @param[in]     x  [own rows of X] As the run has read it; what it fetched is there still.
/// @param[in,out] y    [rows of this rank]
/// @param[in]     sum  What the kernels have summed on the way; NULL: y is added up.
/// @retval CAIRN_NOT_VERIFIED  A member's arrays are not what they were: the message has the
///                             rank and the member.
cairn_status cairn_guard_check(const cairn_plan  *plan,
                               const void        *x,
                               void              *y,
                               const long double *sum);

/// Before a run that is to be checked. Local.
void cairn_guard_begin(const cairn_plan *plan);

/// Check the run behind cairn_guard_begin(), whose kernels may have added up y.
cairn_status cairn_guard_end(const cairn_plan *plan, const void *x, void *y);

#endif
