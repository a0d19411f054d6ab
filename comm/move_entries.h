// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moving entries to the ranks that own their rows.

#ifndef CAIRN_COMM_MOVE_ENTRIES_H
#define CAIRN_COMM_MOVE_ENTRIES_H

#include "comm/distribute.h"
#include "entries/entries_sent.h"

/// Move every entry to the owner of its row. Entries from lower ranks come first and
/// keep their order, so that file order survives.
///
/// Collective. On failure @p entries is unchanged, but where messages failed: then it is
/// empty.
///
/// @param[out] sent  The same on all ranks; may be NULL. Each message counts 8 bytes more,
///                   which say how many entries it has.
///
/// Cost: beside the entries, and what comes to them, 4 bytes an entry, and 8 for each that
/// goes or comes. A message has an entry's coordinates in 8, 16, 32 or 64 bits each, and its
/// value as an integer of 8 or 16 bits, as f32 or as f64: the narrowest for each dimension
/// and for the value in which nothing that goes to another rank is changed.
cairn_status cairn_entries_to_owners(cairn_comm         *comm,
                                     const cairn_rows   *rows,
                                     cairn_entries      *entries,
                                     cairn_entries_sent *sent);

#endif
