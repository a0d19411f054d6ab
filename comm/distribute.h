// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Who owns which rows (indices of mode 0). Ranks own consecutive rows; boundaries are
/// rounded to a grain (so that blocks and sorting windows stay whole) where there are rows
/// enough. No array has a length of the number of rows: dimensions may be beyond 2^31 with
/// few entries.

#ifndef CAIRN_COMM_DISTRIBUTE_H
#define CAIRN_COMM_DISTRIBUTE_H

#include "comm/comm.h"
#include "entries/entries.h"

/// Rank r owns rows first[r] .. first[r+1]-1 (none when they are equal).
typedef struct cairn_rows {
    int          size;
    cairn_coord *first; ///< [size+1]; first[0] = 0, first[size] = the extent.
} cairn_rows;

/// Equal numbers of rows, boundaries multiples of @p grain.
/// When extent < size * grain the boundaries are not rounded.
cairn_status cairn_rows_equal(cairn_comm *comm,
                              cairn_coord extent,
                              cairn_coord grain,
                              cairn_rows *rows);

/// What ranks are thought to take, the same on all of them. Rows are cut so that ranks end
/// together: the cost of a rank's rows is as its speed.
typedef struct cairn_row_costs {
    int64_t  row, entry; ///< Of each, from 0 to 2^31, not both 0.
    int64_t *speed;      ///< [size] of each rank, from 1 to 2^20.
} cairn_row_costs;

/// Equal numbers of entries, boundaries multiples of @p grain as above.
///
/// Collective. Cost: 64 reductions of `size` integers (bisection over the rows), each
/// with one binary search per boundary in this rank's sorted rows.
///
/// @param[in] costs  Cut by these; NULL: by the entries alone, as much for each rank.
cairn_status cairn_rows_by_entries(cairn_comm            *comm,
                                   const cairn_entries   *entries,
                                   cairn_coord            extent,
                                   cairn_coord            grain,
                                   const cairn_row_costs *costs,
                                   cairn_rows            *rows);

/// How the entries of this rank lie, where they are not there as coordinates.
typedef struct cairn_row_counts {
    int64_t entries; ///< In all.
    /// How many of them are in rows before @p row, any from 0 to the extent.
    int64_t (*before)(const void *user, cairn_coord row);
    const void *user;
} cairn_row_counts;

/// The same by how many entries lie before a row. Collective, at the same cost, but for
/// what `before` takes.
cairn_status cairn_rows_by_counts(cairn_comm             *comm,
                                  const cairn_row_counts *counts,
                                  cairn_coord             extent,
                                  cairn_coord             grain,
                                  const cairn_row_costs  *costs,
                                  cairn_rows             *rows);

/// Copy rows. Local. @p copy is unchanged on failure.
cairn_status cairn_rows_copy(cairn_env *env, const cairn_rows *rows, cairn_rows *copy);

void cairn_rows_fini(cairn_env *env, cairn_rows *rows);

/// Rank that owns @p row. Local.
int cairn_rows_owner(const cairn_rows *rows, cairn_coord row);

#endif
