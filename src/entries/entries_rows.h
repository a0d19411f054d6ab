// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's list of a matrix's entries by rows, looked at, its rows' begins found and its
/// columns copied in one loop: each index is read once.

#ifndef CAIRN_ENTRIES_ENTRIES_ROWS_H
#define CAIRN_ENTRIES_ENTRIES_ROWS_H

#include "entries/entries.h"

/// What is read, and what becomes of it.
typedef struct cairn_rows_copy {
    const cairn_given *given;      ///< Its arrays lie apart, if cairn_rows_copy_fits().
    cairn_coord least[2], most[2]; ///< Coordinates that there may be, without the base.
    void       *column;            ///< [n] gets the columns as they are named,
    int         column_bits;       ///< which these hold: 8, 16, 32 or 64.
    uint32_t   *first; ///< [rows + 1] gets where the rows from `least[0]` on begin.
} cairn_rows_copy;

/// Can entries of the list be copied so: two arrays of indices, and a range that numbers of
/// their width, which are signed, hold?
bool cairn_rows_copy_fits(const cairn_rows_copy *copy);

/// Look at entries begin..end-1, each of which must be within and come after the one before
/// it, and copy them. The rows behind that of entry @p begin - 1, which must be within, are
/// begun, up to that of the last; where it is the list's last, all that are left.
///
/// @return false: they are in no order; what was written so far is of no use, and within the
///         arrays.
bool cairn_rows_copy_some(const cairn_rows_copy *copy, cairn_pos begin, cairn_pos end);

#endif
