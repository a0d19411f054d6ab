// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the entries of a tensor are stored, found by their coordinates. Positions of a
/// row are mostly come to in the order of their columns, whatever the format, and so are
/// those that a caller asks for: then an entry is the next of its row. Internal to the room.

#ifndef CAIRN_CONVERT_ENTRY_INDEX_H
#define CAIRN_CONVERT_ENTRY_INDEX_H

#include "tensor/local.h"

/// Where an entry is stored.
typedef struct cairn_target {
    int64_t   part;
    cairn_pos value;
} cairn_target;

typedef struct cairn_entry_index {
    const cairn_local   *local;
    const cairn_entries *entries; ///< Sorted.
    int64_t              first_row, rows;
    cairn_pos           *begin;  ///< [rows + 1] entries before each row.
    cairn_pos           *next;   ///< [rows] behind the entry found last.
    cairn_target        *stored; ///< [entries->n]
} cairn_entry_index;

/// Find where a tensor has its entries.
///
/// Local. Takes 16 bytes a row and 16 an entry until cairn_entry_index_fini(), which is called
/// on failure, too.
///
/// @param[in] local    What was built of @p entries.
/// @param[in] entries  Sorted, none twice, all in @p rows rows from @p first_row on.
cairn_status cairn_entry_index_init(cairn_entry_index   *index,
                                    const cairn_local   *local,
                                    const cairn_entries *entries,
                                    int64_t              first_row,
                                    int64_t              rows);

/// Where the entry at @p d, which there is, is stored.
cairn_target cairn_entry_index_at(cairn_entry_index *index, const cairn_coord *d);

void cairn_entry_index_fini(cairn_entry_index *index);

#endif
