// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stable sorting of words that carry something with them. What is sorted by several keys
/// packs them into one word first.

#ifndef CAIRN_ENTRIES_SORT_ITEMS_H
#define CAIRN_ENTRIES_SORT_ITEMS_H

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

/// The range of keys between two.
static inline cairn_key_range cairn_key_range_between(int64_t least, int64_t most)
{
    /* Unsigned: the distance of two int64_t may need all 64 bits. */
    const uint64_t distance = (uint64_t)most - (uint64_t)least;

    return (cairn_key_range){least, distance ? 64 - __builtin_clzll(distance) : 0};
}

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
/// @param split    As of cairn_sort_handles().
/// @param low      Its lowest bits are left out: items that differ in no others come in
///                 their order already.
/// @param items    [n]; overwritten, as scratch is.
/// @param scratch  [n]
/// @return The array of the two that holds the result.
///
/// Cost: a pass to buckets that fit a core's cache, then cairn_sort_handles() there.
cairn_item *cairn_sort_items(cairn_pos   n,
                             int         bits,
                             int         split,
                             int         low,
                             cairn_item *items,
                             cairn_item *scratch);

/// As cairn_sort_items(), on up to @p threads threads where there are many items: a
/// thread's share is counted and scattered to buckets, then the buckets are shared out.
/// The result is the same for any number of threads.
///
/// @param[out] sorted  The array of the two that holds the result. On failure neither was
///                     written.
///
/// Memory: 8 KB a thread.
cairn_status cairn_sort_many(cairn_env   *env,
                             int          threads,
                             cairn_pos    n,
                             int          bits,
                             int          split,
                             int          low,
                             cairn_item  *items,
                             cairn_item  *scratch,
                             cairn_item **sorted);

/// Sort words of several fields by their last @p bits bits, stably. What the order in which
/// they come has of the wanted one is not sorted again: the lowest fields, where they
/// ascend by themselves, and the highest, where they do.
///
/// @param fields   The words' fields: all begin below @p bits.
/// @param begin    [fields] their lowest bits, in any order.
/// @param split    As of cairn_sort_handles().
/// @param low      As of cairn_sort_items(); where a field begins, or @p bits.
///
/// Other arguments, result and memory as of cairn_sort_many().
cairn_status cairn_sort_fields(cairn_env     *env,
                               int            threads,
                               cairn_pos      n,
                               int            bits,
                               int            fields,
                               const int64_t *begin,
                               int            split,
                               int            low,
                               cairn_item    *items,
                               cairn_item    *scratch,
                               cairn_item   **sorted);

enum {
    CAIRN_HANDLE_BITS  = 18, ///< Of a handle, its lowest: the number of an item.
    CAIRN_HANDLE_KEY   = 64 - CAIRN_HANDLE_BITS, ///< The bits above: its key.
    CAIRN_HANDLES      = 1 << 15, ///< Items at most: half a megabyte, as their handles.
    CAIRN_MANY_HANDLES = 1 << CAIRN_HANDLE_BITS,
};

/// Order items that lie in cache, stably, and leave them where they are.
///
/// @param n       At most CAIRN_HANDLES.
/// @param split   Bits of the word's lowest field, below 64: the narrower the ranges of
///                the fields are among these items, the fewer passes. 0: one field.
/// @param low     As of cairn_sort_items().
/// @param handle  [2*n]
/// @return [n] the order: the low CAIRN_HANDLE_BITS bits of the k-th number the item that
///         comes k-th. NULL: the words differ in more bits than a handle has room for.
const uint64_t *cairn_sort_handles(cairn_pos         n,
                                   int               split,
                                   int               low,
                                   const cairn_item *items,
                                   uint64_t         *handle);

/// The same of up to CAIRN_MANY_HANDLES items, whose words differ in their last @p bits
/// bits alone: nothing is measured, and digits are wide, since passes are what counts where
/// handles do not fit a core's cache.
const uint64_t *cairn_sort_many_handles(cairn_pos         n,
                                        int               bits,
                                        int               low,
                                        const cairn_item *items,
                                        uint64_t         *handle);

/// Order the rows 0 to @p n - 1 by keys, stably, without any items.
///
/// @param n     At most CAIRN_MANY_HANDLES.
/// @param bits  Of a key, at most CAIRN_HANDLE_KEY.
/// @param key   [n] overwritten, as room is.
/// @param room  [n]
/// @return The array of the two that holds the order: the low CAIRN_HANDLE_BITS bits of the
///         k-th number are the row that comes k-th.
uint64_t *cairn_sort_row_handles(cairn_pos n, int bits, uint64_t *key, uint64_t *room);

/// The item that comes k-th.
static inline const cairn_item *
cairn_handled_item(const cairn_item *items, const uint64_t *order, cairn_pos k)
{
    return &items[order[k] & (((uint64_t)1 << CAIRN_HANDLE_BITS) - 1)];
}

#endif
