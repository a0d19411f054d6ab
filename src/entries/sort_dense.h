// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Words that are near each other, ordered without comparing any: each sets a bit of its
/// own, and how many are set before that is where its item goes. Internal to tensor.

#ifndef CAIRN_ENTRIES_SORT_DENSE_H
#define CAIRN_ENTRIES_SORT_DENSE_H

#include "entries/sort_items.h"

/// Are there so many items for the words that are possible that this pays?
bool cairn_dense_fits(cairn_pos n, int split, int64_t lines);

/// As cairn_sort_lines(), which it serves: items that fit.
bool cairn_sort_dense(cairn_pos         n,
                      int               split,
                      uint64_t          first,
                      int64_t           lines,
                      const cairn_item *items,
                      cairn_item       *scratch,
                      cairn_item       *to,
                      uint32_t         *begin);

#endif
