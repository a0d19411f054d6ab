// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a product's kernel is divided among threads: by positions of one level whose
/// indices have disjoint rows, so that no thread shares a row and the division changes
/// no bits. What the level is follows from the layout; where to cut, from the part.

#ifndef CAIRN_LOWER_SHARE_H
#define CAIRN_LOWER_SHARE_H

#include "lower/abi.h"

typedef enum {
    CAIRN_SHARE_NONE, ///< One thread.
    CAIRN_SHARE_EVEN, ///< Places of a dense level, alike.
    CAIRN_SHARE_ROWS, ///< Rows row_lo..row_end, alike; counted from 0.
    CAIRN_SHARE_PTR, ///< Places of a dense level or nodes of the top one, by the entries
                     ///< that the ptr of level `ptr` says are below.
    CAIRN_SHARE_IDX, ///< Nodes of the top level, alike, cut where its idx changes.
} cairn_share_kind;

typedef struct cairn_share {
    cairn_share_kind kind;
    int              level; ///< That is divided.
    int              ptr;   ///< PTR: dense levels level+1..ptr-1 lie between.
    int64_t          grain; ///< Cuts are multiples of it (not of IDX).
} cairn_share;

/// Divide a part: thread t gets positions share[t] .. share[t+1]-1.
///
/// Local.
///
/// @param[in]  rows     ROWS: how many there are.
/// @param[in]  threads  At least 1.
/// @param[out] share    [threads + 1].
/// @return how many threads have work to do: what `shares` of the arguments shall be;
///         share[] has as many entries and one more.
int64_t cairn_share_fill(const cairn_share       *division,
                         const cairn_kernel_part *part,
                         int64_t                  rows,
                         int                      threads,
                         int64_t                 *share);

#endif
