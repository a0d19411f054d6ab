// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Structure of a sparse tensor, counted over the entries that are stored. One rank's
/// part is counted here; rows are whole on a rank, so parts combine by the rule that
/// stands beside each number. Memory goes with the entries, never with the extents.

#ifndef CAIRN_TENSOR_STATISTICS_H
#define CAIRN_TENSOR_STATISTICS_H

#include "entries/entries.h"

/// What a part counts. The last three are for matrices (order 2): 0 and NULL otherwise.
typedef struct cairn_statistics {
    cairn_pos nnz;             ///< Entries, explicit zeros included. Sum.
    cairn_pos max_row;         ///< Most entries with one d0. Maximum.
    int64_t   filled_rows;     ///< d0 that have an entry. Sum; the others are empty.
    int64_t   bandwidth_lower; ///< max(0, max(i-j)). Maximum.
    int64_t   bandwidth_upper; ///< max(0, max(j-i)). Maximum.
    int64_t   diagonals;       ///< Length of `diagonal`. Size of the union.
    int64_t  *diagonal;        ///< The distinct d1-d0, ascending. Union.
} cairn_statistics;

/// Count one rank's entries.
///
/// Local.
///
/// @param[in]  entries     Sorted by (d0, d1, ...), without duplicates, whole rows.
/// @param[out] statistics  Released with cairn_statistics_fini(). Unchanged on failure.
///
/// Cost: O(nnz), and O(D log D) time and O(D) memory for D distinct diagonals.
cairn_status cairn_statistics_count(cairn_env           *env,
                                    const cairn_entries *entries,
                                    cairn_statistics    *statistics);

void cairn_statistics_fini(cairn_env *env, cairn_statistics *statistics);

/// Sort @p n values and drop repeats, in place: the union, where the parts' diagonals
/// were joined in one array. @return How many are left, at the front, ascending.
int64_t cairn_distinct(int64_t *value, int64_t n);

#endif
