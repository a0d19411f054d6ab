// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which rows ranks own as the text of a format says it, where that says more than equal
/// counts of entries.

#ifndef CAIRN_COMM_DISTRIBUTE_TEXT_H
#define CAIRN_COMM_DISTRIBUTE_TEXT_H

#include "comm/renumber.h"
#include "format/encoding.h"
#include "tensor/local.h"

/// Cut rows as a text says.
///
/// Collective; @p distribution is the same on all ranks.
///
/// @param[in]  distribution  `nnz`, `cost` and what is unsaid cut nothing: the caller counts
///                           entries (cairn_rows_by_entries(), cairn_rows_by_counts()).
/// @param[in]  grain         Of `rows`, as cairn_rows_equal() has it. The rows of an
///                           expression are those that it names, whatever the grain.
/// @param[out] rows          Unchanged where nothing is cut, and on failure.
/// @param[out] cut           Whether it was.
/// @param[out] scattered     The rows of ranks are not consecutive, ranks do not follow each
///                           other, or share rows: nothing is cut. NULL: that is refused.
/// @retval CAIRN_BAD_QUERY    An expression names a rank outside 0..ranks-1 for some row, or
///                            has no value for it.
/// @retval CAIRN_ATTENTION    `blocks` for another number of ranks.
/// @retval CAIRN_UNSUPPORTED  Scattered rows or `blocks` where these are refused, or more
///                            rows than are looked at.
///
/// Cost: an expression that rises or falls with the rows is evaluated at some of them; any
/// other at all rows, an equal share on every rank.
cairn_status cairn_rows_by_text(cairn_comm               *comm,
                                const cairn_distribution *distribution,
                                cairn_coord               extent,
                                cairn_coord               grain,
                                cairn_rows               *rows,
                                bool                     *cut,
                                bool                     *scattered);

/// Number scattered rows, and those that stand once for each part of the columns.
///
/// Collective.
///
/// @param[in] distribution  An expression, whose rows are scattered, or `graph`, or `blocks`.
/// @param[in] shape         Of the tensor; a square matrix for `graph`.
/// @param[in] grain         Row parts of `blocks` are cut at multiples of it, by entries.
/// @param[in] entries       Of this rank, anywhere; those of `graph` are looked at, and rows
///                          of those of `blocks`.
/// @retval CAIRN_BAD_SHAPE  A graph of what is no square matrix, blocks of what is none.
/// @retval CAIRN_ATTENTION  `graph`, and there is no PT-Scotch here; `blocks` for another
///                          number of ranks.
cairn_status cairn_renumbering_by_text(cairn_comm               *comm,
                                       const cairn_distribution *distribution,
                                       const cairn_shape        *shape,
                                       cairn_coord               grain,
                                       const cairn_entries      *entries,
                                       cairn_renumbering       **renumbering);

#endif
