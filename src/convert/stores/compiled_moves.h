// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that are moved whole: their entries stand side by side in the source and in the
/// target, in the same order. So where the first of them goes is found once for each row,
/// and no cursor is needed while they are copied. Internal to convert.

#ifndef CAIRN_CONVERT_COMPILED_MOVES_H
#define CAIRN_CONVERT_COMPILED_MOVES_H

#include "convert/compiled.h"

/// Levels of the target, from the first on, that dimension @p row and numbers by row give.
int cairn_moves_levels(const cairn_compiled *c, int row);

/// Do rows lie in the source as runs of entries, and can they in the target? Its first
/// @p levels levels follow from the row; of the trimmed ones below entries are the nodes.
/// That entries of a row come in their order is for the caller to know. False, too, where
/// rows have so few entries that it does not pay.
bool cairn_moves_fit(const cairn_compiled *c, int row, int levels);

/// The specification of a phase over rows, and that of MOVE.
cairn_convert_spec
cairn_moves_spec(const cairn_compiled *c, cairn_convert_phase phase, int row);

/// Divide the rows among threads: `ranges` of the member, by where rows begin. Pairs with
/// cairn_thread_ranges_fini().
cairn_status cairn_moves_divide(cairn_compiled *c, int64_t rows);

/// Run MOVE over all rows, each to its `place`. @p all: positions count all banks' entries;
/// else each bank's.
cairn_status cairn_moves_run(const cairn_compiled *c, bool all);

#endif
