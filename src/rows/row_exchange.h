// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that change their ranks: the pass EXCHANGE. A tensor that lists its entries row by
/// row is cut at other rows. Rows that stay with their rank stay as they are; those that
/// go are sent as they lie in its arrays, to each rank at most one message; and what a rank
/// has then is a tensor in the same format on its new rows, to be converted like any other.
///
/// Ranks have rows in ascending order, before and after.

#ifndef CAIRN_ROWS_ROW_EXCHANGE_H
#define CAIRN_ROWS_ROW_EXCHANGE_H

#include "entries/entries_sent.h"
#include "query/query.h"
#include "tensor/local.h"

/// Can rows of this tensor be cut elsewhere as they are? Only where each rank says so.
///
/// Local.
bool cairn_rows_exchangeable(const cairn_local *tensor);

/// Give each rank its new rows.
///
/// Collective.
///
/// @param[in]  own    [count] of this rank, at least one, exchangeable, of one format and
///                    shape, their rows one behind the other. They outlive @p fresh, which
///                    may have their arrays, where no row comes to this rank from another.
/// @param[in]  first  [size + 1] Rank r gets the rows first[r] .. first[r+1]-1.
/// @param[in]  held   Bytes that count against the limit beside it.
/// @param[out] fresh  NULL: the new rows are those of the one tensor of @p own. Destroy with
///                    cairn_local_destroy(). Unchanged on failure.
/// @param[out] sent   The same on all ranks. A message counts with its header
///                    (row_message.h).
/// @retval CAIRN_NO_MEMORY  On any rank; all return it. What the rows take is refused
///                          before any of it is allocated.
///
/// Cost: beside the new arrays what is sent and received, once each, and a ptr of the rows
/// that are cut.
cairn_status cairn_rows_exchange(cairn_env                *env,
                                 const cairn_local *const *own,
                                 int                       count,
                                 const cairn_coord        *first,
                                 const cairn_query_net    *net,
                                 int64_t                   held,
                                 cairn_local             **fresh,
                                 cairn_entries_sent       *sent);

#endif
