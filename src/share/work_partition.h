// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part's work divided among threads, made once and used whenever a product's kernel
/// runs: who does which positions, which cuts of long rows are summed first, and, where
/// columns are stored above rows, which nodes under each parent are whose. None of it
/// changes a bit of Y.
///
/// SCATTER: of share[] thread t has four numbers from share[4t] on. It goes through the
/// parents q from the first to before the second and finds its nodes there at first[k]
/// and last[k], k = q + the third. Where few nodes stand under a parent, they are listed
/// instead: its steps are those from the first to before the second, and start from the
/// parent that is the third and the node that is the fourth. Then no loop is so short
/// that its end comes as a surprise to the processor.

#ifndef CAIRN_SHARE_WORK_PARTITION_H
#define CAIRN_SHARE_WORK_PARTITION_H

#include "base/env.h"
#include "share/share.h"

typedef struct cairn_work_partition {
    int64_t     shares;  ///< Threads that have work.
    int64_t    *share;   ///< As the kind of share says (share.h).
    int64_t     cuts;    ///< Whole cuts of long rows,
    int64_t    *cut;     ///< [cuts] where they begin, ascending,
    int64_t     cutters; ///< and threads that share them.
    double     *partial; ///< [last cut / 4096 + 1][columns] their sums.
    int64_t     visits;  ///< SCATTER: of parents, by all threads together;
    const void *first;   ///< [visits] a thread's first node there
    const void *last;    ///< and its end, of the type of the level's ptr,
    char       *own;     ///< whose memory this is; NULL: they are the ptr's.
    int64_t     steps;   ///< Or else all nodes by thread,
    uint16_t   *step;    ///< [steps][2] parents and nodes passed since the one before.
    uint8_t *alike; ///< [rows] as share/alike_rows.h says; NULL: nobody asks for them.
} cairn_work_partition;

/// Divide @p part.
///
/// Local. Time: the entries of the ptr or, where rows follow each other in a list or
/// columns are stored above rows, of the idx, are looked at once. Memory: 16 bytes and
/// @p columns values for 4,096 entries of long rows; for scattered products at most as
/// much as the values take, and so many threads less where more would be needed.
///
/// @param[in]  rows      ROWS: how many there are.
/// @param[in]  columns   Of X and Y.
/// @param[in]  threads   At least 1.
/// @param[out] partition  Release with cairn_work_partition_fini(). Unchanged on failure.
cairn_status cairn_work_partition_make(cairn_env               *env,
                                       const cairn_share       *share,
                                       const cairn_kernel_part *part,
                                       int64_t                  rows,
                                       int64_t                  columns,
                                       int64_t                  threads,
                                       cairn_work_partition    *partition);

void cairn_work_partition_fini(cairn_env *env, cairn_work_partition *partition);

/// Fill in what the arguments of a kernel say of a partition.
void cairn_work_partition_use(const cairn_work_partition *partition,
                              cairn_product_args         *args);

/* Steps of cairn_work_partition_create(), for its files alone. On failure the caller
   releases. */

/// Find the whole cuts.
cairn_status cairn_work_partition_cut(cairn_env               *env,
                                      const cairn_cuts        *cuts,
                                      const cairn_kernel_part *part,
                                      int64_t                  columns,
                                      int64_t                  threads,
                                      cairn_work_partition    *partition);

/// Find the nodes of each thread under each parent.
cairn_status cairn_work_partition_scatter(cairn_env               *env,
                                          const cairn_share       *share,
                                          const cairn_kernel_part *part,
                                          int64_t                  threads,
                                          cairn_work_partition    *partition);

#endif
