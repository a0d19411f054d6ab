// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A part's rows in more pieces than there are threads, for threads that take them over
/// from each other (base/thread_team.h). A piece is a call of the product's kernel with one
/// share, so that the kernel is the same, and so are the bits: no row is cut, whole cuts of
/// long rows are summed first, and which thread does a piece changes nothing. Products that
/// scatter have none: what a thread does of them is no stretch of rows.

#ifndef CAIRN_DEVICES_CPU_PIECES_H
#define CAIRN_DEVICES_CPU_PIECES_H

#include "base/env.h"
#include "share/work_partition.h"

typedef struct cairn_cpu_pieces {
    int      pieces; ///< 0: the part has none.
    int64_t *begin;  ///< [pieces + 1] positions, as of share[] (share/share.h).
} cairn_cpu_pieces;

/// Divide a part that has been divided among threads.
///
/// Local.
///
/// @param[in]  rows       ROWS: how many there are.
/// @param[in]  partition  Of @p part; keeps its cuts.
/// @param[out] pieces     Release with cairn_cpu_pieces_fini(). Unchanged on failure.
cairn_status cairn_cpu_pieces_make(cairn_env                  *env,
                                   const cairn_share          *share,
                                   const cairn_kernel_part    *part,
                                   int64_t                     rows,
                                   const cairn_work_partition *partition,
                                   cairn_cpu_pieces           *pieces);

void cairn_cpu_pieces_fini(cairn_env *env, cairn_cpu_pieces *pieces);

/// Run a kernel on all pieces.
///
/// @param[in]  args    With the partition's fields.
/// @param[out] status  What a kernel returned that failed, else 0.
/// @return false: the threads are another run's, and nothing was done.
bool cairn_cpu_pieces_run(const cairn_cpu_pieces   *pieces,
                          cairn_thread_team        *team,
                          int                       threads,
                          cairn_product_fn          run,
                          const cairn_kernel_part  *part,
                          const cairn_product_args *args,
                          int64_t                  *status);

#endif
