// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries sorted as words (entries_partition.h). Internal to tensor.

#ifndef CAIRN_ENTRIES_ENTRIES_WORDS_H
#define CAIRN_ENTRIES_ENTRIES_WORDS_H

#include "entries/entries_partition.h"

/// Fill entries with those given, sorted, duplicates added.
///
/// @param words    A layout; where it turns out too wide it is measured anew.
/// @param inside   The coordinates are within the layout; else nothing was filled.
/// @param entries  With room for those given, of which it may be the arrays. Unchanged on
///                 failure.
///
/// Memory: as cairn_entries_sort() says.
cairn_status cairn_entries_by_words(cairn_env         *env,
                                    const cairn_given *given,
                                    const cairn_words *words,
                                    bool              *inside,
                                    cairn_entries     *entries);

#endif
