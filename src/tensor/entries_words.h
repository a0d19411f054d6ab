// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries sorted as words: the coordinates of each side by side in 63 bits, the first the
/// most significant, with its value beside them. Internal to tensor.

#ifndef CAIRN_TENSOR_ENTRIES_WORDS_H
#define CAIRN_TENSOR_ENTRIES_WORDS_H

#include "tensor/entries.h"
#include "tensor/sort_items.h"

/// How coordinates lie in words.
typedef struct cairn_words {
    cairn_key_range range[CAIRN_MAX_ORDER];
    int             bits; ///< Of a word in all.
} cairn_words;

/// Lay out coordinates between the least and the greatest that are given.
/// @return false: 63 bits do not hold them. Also when there are none.
bool cairn_words_measure(const cairn_given *given, cairn_words *words);

/// Lay out coordinates within the extents that they are to lie in.
/// @return false: 63 bits do not hold them.
bool cairn_words_within(const cairn_given *given, cairn_words *words);

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
                                    cairn_words       *words,
                                    bool              *inside,
                                    cairn_entries     *entries);

#endif
