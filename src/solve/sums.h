// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes over the rows of a rank, by its threads, some leaves at a time (tree.h), and sums
/// that come of them over all ranks. A pass does all that there is to do with a row while it
/// is in the cache (vectors.h): updates first, then products of what has become of it.
///
/// With `reproducible` a rank sends the sums of the nodes that lie whole in its rows, by one
/// gathering, and each adds all of them up to the root. Without, ranks add their own up, and
/// the transport adds these. What a rank adds besides is whether something failed on it,
/// whether its caller wants to end, how far its checkpoint is (keep.h), and what is made beside
/// its iterations (beside.h): a solver needs no other agreement.

#ifndef CAIRN_SOLVE_SUMS_H
#define CAIRN_SOLVE_SUMS_H

#include "comm/comm.h"
#include "solve/tree.h"

/* 8: of six vectors 24 KB, where a first-level cache has 32 or more; of the ten of pipelined
 * CG with a preconditioner 40 KB, some from the second level. The passes of CG over
 * 8,000 rows took 4.2 us so, by single leaves 6.8, by 4 of them 4.7, by 32 4.5 (Zen 5). */
enum { CAIRN_PASS_LEAVES = 8, CAIRN_PASS_ROWS = CAIRN_PASS_LEAVES * CAIRN_LEAF_ROWS };

/// Do rows i to i+n-1 of this rank, n <= CAIRN_PASS_ROWS, the first of which begins a leaf or
/// this rank's rows, and set the sums of their leaves: sum s of leaf k is sum[k * count + s],
/// where the pass has @p count sums.
typedef void cairn_pass_fn(void *user, int64_t i, int64_t n, double *sum);

/// Rows of this rank among those of all.
typedef struct cairn_solve_rows {
    int64_t first, count, total;
} cairn_solve_rows;

/// Numbers of a rank that travel with its sums.
enum {
    CAIRN_SUMS_PENDING, ///< It has a part of a checkpoint to write, or
    CAIRN_SUMS_FAILED,  ///< could not write it;
    CAIRN_SUMS_DUE,     ///< it says that it is time for one.
    CAIRN_SUMS_ASKS,  ///< What makes another format beside the iterations waits for it,
    CAIRN_SUMS_ENDED, ///< or has ended.
    CAIRN_SUMS_BEFORE, ///< Seconds of a product before,
    CAIRN_SUMS_AFTER,  ///< and in the other format.
    CAIRN_SUMS_SAID
};

/// How sums go over ranks; as `comm/comm.h` has it none of it on one.
typedef struct cairn_sums_exchange {
    bool             reproducible;
    int              widest; ///< Nodes of the rank that has most.
    int             *nodes;  ///< [ranks] Of each,
    cairn_tree_node *node;   ///< [ranks][widest] and which.
    double          *mine;   ///< [flags + widest * most] Flags, and sums.
    double          *all;    ///< [ranks][flags + widest * most]
    cairn_tree       whole;
} cairn_sums_exchange;

/// What ranks tell each other beside sums.
typedef struct cairn_sums_notices {
    cairn_status failed; ///< On this rank, since the last reduction began,
    cairn_status told;   ///< and before it.
    bool         wants;  ///< This rank's caller wants to end,
    bool         ends;   ///< and some rank's did at the last reduction.
    double       says[CAIRN_SUMS_SAID];  ///< Of this rank, at the next reduction.
    double       heard[CAIRN_SUMS_SAID]; ///< Sums over all ranks, at the last one.
} cairn_sums_notices;

typedef struct cairn_row_sums {
    cairn_comm         *comm;
    cairn_solve_rows    rows;
    int                 threads;
    int                 most;   ///< Sums of a pass.
    cairn_tree         *part;   ///< [threads]
    cairn_tree          mine;   ///< Of the last pass.
    int                 count;  ///< Of sums of the reduction that began last.
    double             *result; ///< [most] Of the last that ended.
    cairn_sums_exchange exchange;
    cairn_sums_notices  notices;
    int64_t             reductions;
} cairn_row_sums;

/// Prepare sums of @p most at a time.
///
/// Collective.
///
/// @param[in]  reproducible  The same bits on any number of ranks.
/// @param[out] sums  Destroy with cairn_sums_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  Reproducible, and rows begin elsewhere than at a leaf.
cairn_status cairn_sums_create(cairn_comm             *comm,
                               const cairn_solve_rows *rows,
                               bool                    reproducible,
                               int                     most,
                               cairn_row_sums        **sums);

void cairn_sums_destroy(cairn_env *env, cairn_row_sums **sums);

/// Go over all rows of this rank. Local.
///
/// @param[in] count  Of the sums that @p rows sets of each leaf; 0: none.
void cairn_sums_pass(cairn_row_sums *sums, cairn_pass_fn *rows, void *user, int count);

/// Begin to add the sums of the last pass over ranks; and wait for `result`.
///
/// Collective.
///
/// @return What failed on some rank since the last reduction (cairn_sums_notices.failed).
cairn_status cairn_sums_begin(cairn_row_sums *sums);
cairn_status cairn_sums_end(cairn_row_sums *sums);

/// A pass, and its sums over ranks. Collective.
cairn_status
cairn_sums_of(cairn_row_sums *sums, cairn_pass_fn *rows, void *user, int count);

#endif
