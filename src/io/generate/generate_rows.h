// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Inside of generate.h: making one row after the other. A maker is given a problem
/// that was checked; the same code first counts, where the number is not known ahead,
/// and then writes into entries that have room.

#ifndef CAIRN_IO_GENERATE_ROWS_H
#define CAIRN_IO_GENERATE_ROWS_H

#include "io/generate/generate.h"

typedef struct cairn_maker {
    const cairn_generator *problem;
    uint64_t               pattern, value; ///< The keys P and V.
    cairn_entries         *entries;        ///< With room for all; NULL: only count.
    cairn_pos              count;          ///< Entries made.
    int64_t               *column; ///< [picked per row] distinct columns of one row.
    int64_t               *slot;  ///< [slots] hash table: column + 1, or 0 where empty.
    int64_t                slots; ///< A power of two, at least twice what is picked.
} cairn_maker;

/// How a kind makes its rows.
typedef struct cairn_row_kind {
    /// Make row @p i, columns ascending. NULL: not made by rows (rmat).
    void (*make)(cairn_maker *maker, cairn_coord i);
    /// Most entries of a row; NULL: known only by counting.
    int64_t (*most)(const cairn_generator *problem);
    /// Columns that a row picks at random; NULL: none.
    int64_t (*picked)(const cairn_generator *problem);
} cairn_row_kind;

/// How rows of @p kind are made.
const cairn_row_kind *cairn_row_kind_of(cairn_generator_kind kind);

/// Add one entry, or count it.
static inline void
cairn_maker_add(cairn_maker *maker, cairn_coord i, cairn_coord j, double value)
{
    if (maker->entries) {
        maker->entries->coord[0][maker->count] = i;
        maker->entries->coord[1][maker->count] = j;
        maker->entries->value[maker->count]    = value;
    }
    maker->count++;
}

/// The value v(i,j) of a random entry.
double cairn_maker_value(const cairn_maker *maker, cairn_coord i, cairn_coord j);

/// Add, or count, the edges of rmat whose rows are first .. last-1: in the order drawn,
/// with repeats, value 0.
void cairn_maker_edges(cairn_maker *maker, cairn_coord first, cairn_coord last);

#endif
