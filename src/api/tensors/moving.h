// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that change their ranks, in conversions and where a file is read on other ranks than
/// those that wrote it: cut anew, exchanged, converted. Internal to the API.

#ifndef CAIRN_API_MOVING_H
#define CAIRN_API_MOVING_H

#include "api/api.h"

/// How rows get to other ranks: what every rank can do.
typedef enum {
    CAIRN_MOVING_COORDINATES, ///< Entry by entry, sorted and stored anew.
    CAIRN_MOVING_LISTS,       ///< From lists of rows that are made first.
    CAIRN_MOVING_ROWS,        ///< As they lie.
} cairn_moving_way;

/// Choose a way for what a rank has, the same on all.
///
/// Collective.
cairn_status cairn_moving_way_choose(cairn_context            *context,
                                     const cairn_local *const *own,
                                     int64_t                   count,
                                     cairn_moving_way         *way);

/// A format that lists rows: dimensions in their order, rows with a pointer each, or, where
/// most would have no entry, nothing but coordinates. Local.
///
/// @param[in] entries  Of all ranks.
cairn_status cairn_create_list_format(cairn_context     *context,
                                      const cairn_shape *shape,
                                      int64_t            entries,
                                      cairn_format     **format);

/// List a tensor's rows, on the ranks where they are, by the format above.
///
/// Collective.
///
/// @param[out] list  Destroy with cairn_tensor_destroy(); also after a failure.
cairn_status cairn_tensor_list_rows(const cairn_tensor *tensor, cairn_tensor **list);

/// Store rows that have reached their ranks.
///
/// Collective.
///
/// @param[in]     from  On the new rows.
/// @param[in]     held  Bytes of arrays in memory, those of @p from among them.
/// @param[in,out] to    Format, rows and element type are set; gets arrays.
cairn_status
cairn_tensor_build_from(const cairn_local *from, int64_t held, cairn_tensor *to);

/// Add the pass that moved rows to other ranks, and what was sent for it, before what a
/// build has listed.
///
/// Local.
///
/// @param[in] before  Passes that made what was exchanged, an intermediate; NULL: none did.
/// @param[in] pass    Its intermediate is set here.
cairn_status cairn_path_add_exchange(cairn_path             *path,
                                     const cairn_pass_list  *before,
                                     const cairn_pass       *pass,
                                     const cairn_path_moves *moves);

/// Note a task of an exchange before all that the build has noted. Local.
///
/// @param[in] label  Constant.
void cairn_task_log_begin(cairn_task_log *log,
                          const char     *label,
                          int64_t         bytes,
                          double          begin,
                          double          end);

/// Exchange rows, and store what a rank has then. They go as the format says, or by equal
/// counts of entries, cut at multiples of its grain.
///
/// Collective.
///
/// @param[in]     own   [count] of this rank, at least one (rows/row_exchange.h).
/// @param[in]     list  NULL, or the tensor that was made to be exchanged, for its passes.
/// @param[in]     held  Bytes of arrays in memory beside it.
/// @param[in,out] to    Context, format and element type are set; gets rows and arrays.
cairn_status cairn_tensor_build_moving(const cairn_local *const *own,
                                       int                       count,
                                       const cairn_tensor       *list,
                                       int64_t                   held,
                                       cairn_tensor             *to);

/// Convert from rows by places, or to them.
///
/// Collective.
///
/// @param[in,out] to  Prepared (cairn_tensor_prepare()); gets rows, places and arrays.
///
/// Cost: a list of the new rows, unless the arrays are taken from it, and what
/// cairn_runs_move() says; where the tensor does not list its rows, a list of these, too; where
/// columns have places, a list with other columns, and cairn_column_names_create(). Where most
/// rows have no entry, by the reference way, or if a method is asked for, the entries as
/// coordinates (8 bytes each, and the value), beside the arrays of both. An entry
/// that changes its rank is sent once, as narrow as cairn_entries_to_owners() has it, and
/// others are not.
cairn_status cairn_tensor_convert_places(const cairn_tensor *tensor, cairn_tensor *to);

/// Arrays that were another tensor's, which is no more, are this one's.
void cairn_tensor_own_arrays(cairn_tensor *tensor);

/// Entries that a rank stores.
int64_t cairn_local_nnz(const cairn_local *local);

#endif
