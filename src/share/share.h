// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a product's kernel is divided among threads: by positions of one level whose
/// indices have disjoint rows, so that no thread shares a row and the division changes
/// no bits. What the level is follows from the layout; where to cut, from the part.
///
/// Where such a level stands below others (columns stored above rows), every thread goes
/// through the levels above and takes, under each parent, the nodes whose indices are its
/// own: SCATTER. A row's terms keep their order.
///
/// Long rows are cut after every 4,096 of their entries on any thread or device; whole
/// cuts are computed first, each by any thread, and rows add up what they find (lower/
/// work_partition.h has both for a part).

#ifndef CAIRN_SHARE_SHARE_H
#define CAIRN_SHARE_SHARE_H

#include "share/abi.h"

#include <stdbool.h>

typedef enum {
    CAIRN_SHARE_NONE, ///< One thread.
    CAIRN_SHARE_EVEN, ///< Places of a dense level, alike.
    CAIRN_SHARE_ROWS, ///< Rows row_lo..row_end, alike; counted from 0.
    CAIRN_SHARE_PTR, ///< Places of a dense level or nodes of the top one, by the entries
                     ///< that the ptr of level `ptr` says are below.
    CAIRN_SHARE_IDX,     ///< Nodes of the top level, alike, cut where its idx changes.
    CAIRN_SHARE_SCATTER, ///< Nodes of a level with ptr and idx under every parent, by
                         ///< their idx.
} cairn_share_kind;

enum {
    CAIRN_CUT          = 4096, ///< Entries of a row, after which a new sum begins.
    CAIRN_SHARE_FIELDS = 4 ///< Of SCATTER, for each thread (share/work_partition.h).
};

/// Where the entries of a row are neighbouring nodes that all threads may sum.
typedef struct cairn_cuts {
    bool     any;
    int      level; ///< Whose nodes under one parent they are,
    uint32_t same;  ///< as long as idx stays the same in the levels whose bits are set.
} cairn_cuts;

typedef struct cairn_share {
    cairn_share_kind kind;
    int              level; ///< That is divided.
    int ptr; ///< PTR: dense levels level+1..ptr-1 lie between. SCATTER: the level above,
             ///< if a thread's range of it is known; or -1.
    int64_t grain; ///< Cuts are multiples of it (not of IDX, SCATTER).
    int64_t leaf; ///< Positions whose rows of Y are added up one after the other, where
                  ///< the kernel sums Y (cairn_product.sums_y); a thread's first leaf
                  ///< begins with its positions.
    bool       listed; ///< SCATTER: nodes may be listed one by one.
    cairn_cuts cuts;
} cairn_share;

/// Divide a part: thread t gets positions share[t] .. share[t+1]-1.
///
/// Local. Not for SCATTER.
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

/// The same where the first nodes of @p cuts whole cuts are @p cut, ascending: their
/// entries are no work of this division's.
int64_t cairn_share_fill_beside(const cairn_share       *division,
                                const cairn_kernel_part *part,
                                int64_t                  rows,
                                int                      threads,
                                const int64_t           *cut,
                                int64_t                  cuts,
                                int64_t                 *share);

#endif
