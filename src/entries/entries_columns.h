// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Few entries of a matrix, sorted by two plain counting passes: scattered to their columns,
/// and from there to their rows, where columns then stand in order and duplicates side by
/// side. What is far apart costs little as long as all of it is in cache.

#ifndef CAIRN_ENTRIES_ENTRIES_COLUMNS_H
#define CAIRN_ENTRIES_ENTRIES_COLUMNS_H

#include "entries/entries_partition.h"

/// Are there so few entries, rows and columns that this is the fastest way?
bool cairn_columns_fit(const cairn_given *given);

/// Scatter the entries of a matrix with extents, fewer than 2^32, by column: one bucket,
/// with the begins of its lines.
///
/// @param words   Of the extents.
/// @param inside  The coordinates are within the extents; else nothing was scattered.
/// @param bucketed   Give back with cairn_bucketed_fini(), on failure, too.
///
/// Memory: 16 bytes an entry, 4 a row; meanwhile 4 a column.
cairn_status cairn_columns_partition(cairn_env         *env,
                                     const cairn_given *given,
                                     const cairn_words *words,
                                     bool              *inside,
                                     cairn_bucketed    *bucketed);

/// cairn_bucketed_sort() of such. Memory: 4 bytes a row.
cairn_status cairn_columns_sort(cairn_env            *env,
                                const cairn_bucketed *bucketed,
                                cairn_entries        *entries);

#endif
