// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of a transposed product whose bits do not depend on the number of ranks. The rows
/// of A are cut where the matrix alone says (cairn_row_cuts), and all rows between two cuts
/// are on one rank, whose sums of them, one for each member, are made apart. Before a run
/// the rows of X go to the ranks that have the same rows of A; after it the sums go to the
/// owners of the rows of Y, which add them in order: by member, then by cut.

#ifndef CAIRN_PLAN_CUT_SUMS_H
#define CAIRN_PLAN_CUT_SUMS_H

#include "comm/distribute.h"
#include "place/placement.h"

typedef struct cairn_cut_sums cairn_cut_sums;

/// What is exchanged.
typedef struct cairn_cut_sums_of {
    const cairn_row_cuts *cuts;       ///< With `rows`: the ranks' rows of A.
    const cairn_rows     *x_rows;     ///< Owners of the rows of X,
    const cairn_rows     *y_rows;     ///< and of those of Y.
    cairn_pos             columns;    ///< Of X and Y.
    int                   value_bits; ///< Of X: 32 or 64.
    int                   members;
} cairn_cut_sums_of;

/// Prepare the messages.
///
/// Collective.
///
/// @param[in]  own   [members][cuts] This rank's sums, each [columns of A][columns]; NULL
///                   where another rank has the rows, or nobody has any.
/// @param[in]  held  Bytes that count against the limit beside what this takes.
/// @param[out] sums  Destroy with cairn_cut_sums_destroy(). Unchanged on failure.
/// @retval CAIRN_NO_MEMORY  On any rank; every rank then returns it.
cairn_status cairn_cut_sums_create(cairn_comm              *comm,
                                   const cairn_cut_sums_of *of,
                                   double *const           *own,
                                   int64_t                  held,
                                   cairn_cut_sums         **sums);

void cairn_cut_sums_destroy(cairn_cut_sums **sums);

/// Rows of X of this rank's rows of A, [rows][columns], after cairn_cut_sums_begin().
const void *cairn_cut_sums_x(const cairn_cut_sums *sums);

/// Bring X. Collective; allocates nothing.
///
/// @param[in] x  [owned rows][columns]
cairn_status cairn_cut_sums_begin(cairn_cut_sums *sums, const void *x);

/// Send the sums, and add those of all ranks in order. Collective; allocates nothing.
///
/// @param[in,out] y  [owned rows][columns] Has beta*Y.
cairn_status cairn_cut_sums_end(cairn_cut_sums *sums, double *y);

/// Bytes of memory beside the sums themselves.
int64_t cairn_cut_sums_bytes(const cairn_cut_sums *sums);

/// What a run's messages are for this rank: how many it sends and receives, and the bytes
/// of the direction that has more.
void cairn_cut_sums_traffic(const cairn_cut_sums *sums,
                            int64_t              *messages,
                            int64_t              *bytes);

#endif
