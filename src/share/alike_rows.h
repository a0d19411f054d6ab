// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows next to each other that have the same columns, as the unknowns of a mesh's point
/// have. A product sums a few of them side by side, and loads columns and x once for all.
///
/// Source: the inodes of PETSc: Balay, Gropp, Curfman McInnes, Smith, Efficient Management
/// of Parallelism in Object-Oriented Numerical Software Libraries, in Modern Software Tools
/// for Scientific Computing, 1997. Theirs are lists of the sizes of all groups; here each
/// row says how many follow, so that threads may begin with any.

#ifndef CAIRN_SHARE_ALIKE_ROWS_H
#define CAIRN_SHARE_ALIKE_ROWS_H

#include "base/env.h"
#include "share/share.h"

enum {
    CAIRN_ALIKE_MOST  = 3, ///< Rows that are summed side by side, at most.
    CAIRN_ALIKE_LEAST = 4  ///< Entries of such a row, at least; at most CAIRN_CUT.
};

/// Are rows @p q and @p q + 1 alike: of so many entries, with the same indices in the same
/// order?
///
/// @param[in] level  Of a row's entries: with ptr, and with idx that lie side by side.
bool cairn_rows_are_alike(const cairn_kernel_level *level, int64_t q);

/// Count for each row how many from it on are alike, itself included: 1 to CAIRN_ALIKE_MOST.
///
/// Local. Time: indices of rows that are as long as the next one are compared once.
///
/// @param[out] alike  [rows]; freed with cairn_free(). Unchanged on failure.
cairn_status cairn_alike_rows_count(cairn_env                *env,
                                    const cairn_kernel_level *level,
                                    uint8_t                 **alike);

#endif
