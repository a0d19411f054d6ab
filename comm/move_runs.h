// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that change their ranks and are cut at columns, too: what a rank has of a row in each
/// part of the columns is a run of the arrays, and is counted, sent and copied as one. What
/// stays with its rank goes from array to array, and many rows at once where they stay
/// whole. So lists of rows get to ranks that have blocks of the matrix, and back, and, as
/// whole rows, to ranks by whatever number each row is to have.

#ifndef CAIRN_COMM_MOVE_RUNS_H
#define CAIRN_COMM_MOVE_RUNS_H

#include "comm/column_names.h"
#include "entries/entries_sent.h"
#include "format/encoding.h"
#include "tensor/local.h"

/// Which rank stores what of a matrix: rank i*q + j the rows of part i in the columns of part
/// j. A row stands q times, as comm/column_parts.h has it; q = 1: as it is.
typedef struct cairn_row_grid {
    int                p, q; ///< p * q ranks.
    const cairn_coord *row;  ///< [p+1] Where row parts begin,
    const cairn_coord *col;  ///< [q+1] and column parts.
} cairn_row_grid;

/// Where the stored rows of a rank begin.
static inline cairn_coord cairn_row_grid_first(const cairn_row_grid *grid, int rank)
{
    const int i = rank / grid->q, j = rank % grid->q;

    return grid->q * grid->row[i] + j * (grid->row[i + 1] - grid->row[i]);
}

/// Rows of a rank, as its list has them, and which rows of the grid they are.
typedef struct cairn_moving_rows {
    int64_t     n;
    cairn_coord first; ///< The first; the others follow it, or
    const cairn_coord
        *row;   ///< NULL, or [n] each: in any order where q is 1, else ascending.
    bool mixed; ///< Several ranks have runs of a row, and not those with lower columns
                ///< first: what has come is put in order.
} cairn_moving_rows;

/// Can a rank's rows be cut so? It is one part, of complete rows that list their columns in
/// ascending order, in elements as wide as those of the encoding on the same columns.
///
/// Local.
///
/// @param[out] fit  Unchanged on failure.
cairn_status
cairn_runs_fit(const cairn_local *tensor, const cairn_encoding *list, bool *fit);

/// List the same rows, with other columns, each row in their order.
///
/// Local.
///
/// @param[in]  own    A matrix of which the runs fit.
/// @param[in]  names  Of all of its columns.
/// @param[in]  list   A format that lists complete rows, and their columns; of one member. It
///                    outlives @p fresh.
/// @param[in]  held   Bytes that count against the limit beside it.
/// @param[out] fresh  Destroy with cairn_local_destroy(). Unchanged on failure.
///
/// Cost: beside the new arrays 48 bytes for each entry of the longest row, and thread.
cairn_status cairn_runs_rename(const cairn_local        *own,
                               const cairn_column_names *names,
                               const cairn_format       *list,
                               int64_t                   held,
                               cairn_local             **fresh);

/// Give each rank the rows of its part in its columns.
///
/// Collective.
///
/// @param[in]  own    A matrix of which the runs fit, on all ranks.
/// @param[in]  rows   Which rows of @p to these are,
/// @param[in]  to     and of which grid; its columns are those of @p own.
/// @param[in]  list   As of cairn_runs_rename().
/// @param[in]  held   Bytes that count against the limit beside it.
/// @param[out] fresh  The rows by that format, numbered as they are stored. Destroy with
///                    cairn_local_destroy(). Unchanged on failure.
/// @param[out] sent   As of cairn_entries_to_owners(): columns and values in as many bytes, and
///                    rows in as many, or, where that is less, the row of each run and its
///                    length. Each message counts 16 bytes more, which say what it has.
/// @retval CAIRN_NO_MEMORY  On any rank; all return it.
///
/// Cost: beside the new arrays 8 bytes for each new row, and for each old one and each cut of
/// its columns, and, where the rows of a rank are not in order, once more; for an entry that
/// goes its index, its value and what it has in the message, for one that comes the message.
cairn_status cairn_runs_move(cairn_comm              *comm,
                             const cairn_local       *own,
                             const cairn_moving_rows *rows,
                             const cairn_row_grid    *to,
                             const cairn_format      *list,
                             int64_t                  held,
                             cairn_local            **fresh,
                             cairn_entries_sent      *sent);

#endif
