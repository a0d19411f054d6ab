// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stable sorting of words that carry something with them. What is sorted by several keys
/// packs them into one word first.

#ifndef CAIRN_TENSOR_SORT_ITEMS_H
#define CAIRN_TENSOR_SORT_ITEMS_H

#include "base/env.h"

typedef struct cairn_item {
    uint64_t word;
    int64_t  load; ///< A row's number, or the bits of a value.
} cairn_item;

/// The least of some keys, and the bits that the distance to the greatest takes.
typedef struct cairn_key_range {
    int64_t least;
    int     bits;
} cairn_key_range;

/// Find the range of key[0..n-1]; n > 0.
cairn_key_range cairn_key_range_of(cairn_pos n, const int64_t *key);

/// Append a key to a word that holds the keys before it.
static inline uint64_t
cairn_pack_key(uint64_t word, int64_t key, const cairn_key_range *range)
{
    const uint64_t distance = (uint64_t)key - (uint64_t)range->least;

    /* A shift by 64 happens for the first key only, where word is 0. */
    return (range->bits < 64 ? word << range->bits : 0) | distance;
}

/// Sort by the last @p bits bits of the words, stably; the bits before are all the same.
///
/// @param items    [n]; overwritten, as scratch is.
/// @param scratch  [n]
/// @return The array of the two that holds the result.
///
/// Cost: a pass to buckets that fit a core's cache, then one pass there for each 10 bits
/// in which a bucket's words differ (measured: 10 to 12 ns an item; as many passes over
/// all of memory take half as long again).
cairn_item *
cairn_sort_items(cairn_pos n, int bits, cairn_item *items, cairn_item *scratch);

#endif
