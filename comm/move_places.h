// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that ranks list, on their way to where the text of a distribution has them: to
/// ranks, to blocks of the matrix, or to places. They go as runs of the lists' arrays
/// (comm/move_runs.h). Where columns are numbered by places, before or after, the list gets
/// other columns first, which are asked for once each.

#ifndef CAIRN_COMM_MOVE_PLACES_H
#define CAIRN_COMM_MOVE_PLACES_H

#include "comm/distribute.h"
#include "comm/renumber.h"
#include "entries/entries_sent.h"
#include "format/encoding.h"
#include "tensor/local.h"

/// Where rows are to go. The same on all ranks.
typedef struct cairn_rows_aim {
    const cairn_shape        *shape; ///< Of the matrix, as the user has it.
    const cairn_distribution *said;
    int64_t                   grain; ///< As cairn_rows_by_text() has it.
    /// Cut rows where the text leaves that to counts. Collective.
    cairn_status (*cut)(void                   *user,
                        cairn_coord             extent,
                        const cairn_row_counts *counts,
                        cairn_rows             *rows);
    void *user;
    bool  scattered; ///< To places that are not consecutive (cairn_rows_may_run()).
} cairn_rows_aim;

/// A rank's rows, as they lie.
typedef struct cairn_listed_rows {
    const cairn_local *own;  ///< A matrix of which the runs fit (cairn_runs_fit()).
    const cairn_rows  *rows; ///< Who has which, by number or by place,
    const cairn_renumbering *places; ///< and these; NULL: by number.
    const cairn_format      *list;   ///< As of cairn_runs_rename().
    int64_t held; ///< Bytes that count against the limit beside what is made.
} cairn_listed_rows;

/// What was sent, and when: `asked` from `begin` to `send`.
typedef struct cairn_rows_sent {
    cairn_entries_sent sent;
    int64_t            asked; ///< Bytes that all ranks had sent before.
    double             begin, send, end;
} cairn_rows_sent;

/// Can rows go as runs at all? Not those of tensors that are no matrix, or that stand for
/// members, nor more than are counted.
///
/// Collective.
///
/// @param[in]     had   Places by which they lie; NULL: by number.
/// @param[in,out] aim   Gets `scattered`.
/// @param[out]    rows  If so: how many are stored after, of all ranks.
/// @param[out]    may   The same on all ranks.
/// @retval        CAIRN_BAD_QUERY, CAIRN_ATTENTION, CAIRN_UNSUPPORTED  As
///                cairn_rows_by_text() has it.
cairn_status cairn_rows_may_run(cairn_comm              *comm,
                                const cairn_renumbering *had,
                                cairn_rows_aim          *aim,
                                int64_t                 *rows,
                                bool                    *may);

/// Give each rank its rows.
///
/// Collective.
///
/// @param[in,out] rows    Replaced by who has which after.
/// @param[in,out] places  NULL; gets the places, if there are some. Destroy with
///                        cairn_renumbering_destroy(), also after a failure.
/// @param[out]    fresh   A list of the rows. Destroy with cairn_local_destroy(). Unchanged on
///                        failure.
/// @param[in,out] sent    `begin` is set.
/// @retval        CAIRN_NO_MEMORY  On any rank; all return it.
///
/// Cost: what cairn_runs_move() says; where columns have places, a list with other columns,
/// and cairn_column_names_create(); for a graph, the entries as coordinates.
cairn_status cairn_rows_move(cairn_comm              *comm,
                             const cairn_listed_rows *from,
                             const cairn_rows_aim    *aim,
                             cairn_rows              *rows,
                             cairn_renumbering      **places,
                             cairn_local            **fresh,
                             cairn_rows_sent         *sent);

#endif
