// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the rows of a source begin, without a visit of its entries: from its ptr, or by
/// holding the index of each entry's row against the one before.

#ifndef CAIRN_PHASES_ROW_STARTS_H
#define CAIRN_PHASES_ROW_STARTS_H

#include "phases/origin.h"

/// Does every row lie in the source as a run of entries, which are its innermost nodes?
/// So coordinates do, and parts of levels that are a dimension each, the outermost being
/// the row, that store no padding. @p row: the dimension along which rows are numbered.
bool cairn_starts_fit(const cairn_origin *origin, int row);

/// The dimension whose rows those are: of the outermost level; -1: it is none.
int cairn_starts_row(const cairn_origin *origin);

/// Find where each row of the box begins, if cairn_starts_fit().
///
/// Local.
///
/// @param[in]  threads  That share the work, where there are entries enough.
/// @param[out] first    [rows + 1] entries before each; freed with cairn_free().
/// @retval CAIRN_NO_KERNEL  More rows or entries than 32 bits number.
///
/// Cost: a pass over one ptr, or over the indices of one level. Memory: the array.
cairn_status cairn_starts_find(cairn_env          *env,
                               const cairn_origin *origin,
                               int                 row,
                               int                 threads,
                               uint32_t          **first);

/// Likewise, into @p first, which has room; nothing can fail.
void cairn_starts_write(const cairn_origin *origin,
                        int                 row,
                        int                 threads,
                        uint32_t           *first);

/// Likewise, of entries begin..end-1 of coordinates or of a list alone: where the rows behind
/// that of the entry before them begin, up to that of the last of them; and if there are no
/// others, all rows that are left.
///
/// @param[in] begin, end  Not equal. These entries, and the one before, are in order.
void cairn_starts_write_some(const cairn_origin *origin,
                             int                 row,
                             int64_t             begin,
                             int64_t             end,
                             uint32_t           *first);

/// How many entries each row has, likewise.
///
/// @param[out] count  [rows]
cairn_status cairn_starts_count(cairn_env          *env,
                                const cairn_origin *origin,
                                int                 row,
                                int                 threads,
                                uint32_t           *count);

/// Cut rows into ranges of about as many entries.
///
/// @param[out] cut  [ranges + 1] rows.
void cairn_starts_cut(const uint32_t *first,
                      int64_t         rows,
                      int64_t         ranges,
                      int64_t        *cut);

#endif
