// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Few entries of a matrix, sorted by two plain counting passes: they are moved to their
/// columns, and from there to their rows, straight in the arrays that are wanted. There the
/// columns of a row ascend, and repeats stand side by side in the order given. What is far
/// apart costs little as long as all of it is in cache. Repeats can be added up between the
/// two.
///
/// Two threads need no counts of their own: in each pass one goes from the first entry on
/// and fills from where a column or row begins, the other from the last one back and fills
/// from where it ends, until they meet.

#ifndef CAIRN_ENTRIES_ENTRIES_COLUMNS_H
#define CAIRN_ENTRIES_ENTRIES_COLUMNS_H

#include "entries/entries.h"

/// An entry; extents that fit have less than 32 bits.
typedef struct cairn_column_item {
    uint64_t place; ///< Its column, above 32 bits of its row.
    double   value;
} cairn_column_item;

/// Entries ordered by column.
typedef struct cairn_columns {
    cairn_pos          n;
    int64_t            rows;
    int                threads; ///< 1 or 2.
    cairn_column_item *item;    ///< [n] by column, those of one in the order given.
    uint32_t          *line;    ///< [rows + 1] how many are in rows before each.
    bool               once;    ///< Repeats were added up.
} cairn_columns;

/// Are there so few entries, rows and columns that this is the fastest way?
bool cairn_columns_fit(const cairn_given *given);

/// Order entries that fit, with extents. Where a few of them say that others are there twice,
/// repeats are added up, too.
///
/// @param[out] inside   The coordinates are within the extents; else nothing was ordered.
/// @param[out] columns  Give back with cairn_columns_fini(), on failure, too.
///
/// Memory: 16 bytes an entry and 4 a row; meanwhile 4 a column and thread, or what
/// cairn_columns_combine() takes.
cairn_status cairn_columns_order(cairn_env         *env,
                                 const cairn_given *given,
                                 bool              *inside,
                                 cairn_columns     *columns);

void cairn_columns_fini(cairn_env *env, cairn_columns *columns);

/// Place the columns and values of all entries by row and column, repeats in the order
/// given.
///
/// @param[in]  idx_bits  Of an element of @p idx: 8, 16, 32 or 64.
/// @param[out] idx       [n] caller's array.
/// @param[out] value     [n] caller's array.
///
/// Memory: meanwhile 4 bytes a row and thread.
cairn_status cairn_columns_place(cairn_env           *env,
                                 const cairn_columns *columns,
                                 int                  idx_bits,
                                 void                *idx,
                                 double              *value);

/// Is an entry there twice, in an array that cairn_columns_place() filled?
bool cairn_columns_repeat(const cairn_columns *columns, int idx_bits, const void *idx);

/// Add up repeats, in the order given; `n` is then how many entries there are.
///
/// Memory: meanwhile 8 bytes a row and thread.
cairn_status cairn_columns_combine(cairn_env *env, cairn_columns *columns);

/// Fill entries, which have room, sorted, duplicates added.
///
/// @param[out] entries  Unchanged on failure.
cairn_status cairn_columns_sort(cairn_env           *env,
                                const cairn_columns *columns,
                                cairn_entries       *entries);

#endif
