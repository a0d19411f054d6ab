// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries as words, scattered to buckets that fit a core's cache: what any order of entries
/// starts from. A word has the coordinates of an entry side by side in 63 bits, the first
/// the most significant; an item is a word with its value.

#ifndef CAIRN_ENTRIES_ENTRIES_PARTITION_H
#define CAIRN_ENTRIES_ENTRIES_PARTITION_H

#include "entries/entries_columns.h"
#include "entries/sort_items.h"

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

/// Items in buckets. All words of a bucket are less than those of the next; within a
/// bucket items stand in the order given. Few entries are ordered by column instead, and
/// then there are no buckets.
typedef struct cairn_bucketed {
    int            order;
    cairn_pos      n;
    cairn_words    words;
    int64_t        buckets;
    cairn_pos     *begin;    ///< [buckets] first item,
    cairn_pos     *count;    ///< [buckets] items,
    cairn_pos     *made;     ///< [buckets] room for what they become,
    cairn_pos     *at;       ///< [buckets] items of the buckets before.
    uint64_t      *least;    ///< [buckets + 1] words that go to it are not less.
    cairn_pos      most;     ///< Items of the largest bucket.
    cairn_item    *items;    ///< With gaps between buckets.
    cairn_pos      room;     ///< Items that were given.
    int            threads;  ///< That are worth their while.
    cairn_columns *columns;  ///< NULL; or few entries by column, in place of buckets.
    bool           repeats;  ///< An entry was seen that is there twice.
    bool           combined; ///< All buckets are sorted, each word once.
} cairn_bucketed;

/// Partition entries into buckets, straight from where they were given.
///
/// @param words    A layout; where it turns out too wide it is measured anew.
/// @param inside   The coordinates are within the layout; else nothing was scattered.
/// @param bucketed    Give back with cairn_bucketed_fini(), on failure, too.
///
/// Memory: 16 bytes an entry; while they are scattered up to 0.5 MB for each thread.
cairn_status cairn_entries_partition(cairn_env         *env,
                                     const cairn_given *given,
                                     const cairn_words *words,
                                     bool              *inside,
                                     cairn_bucketed    *bucketed);

/// Allocate the arrays of buckets, whose number and whose items' are set.
cairn_status cairn_bucketed_create(cairn_env *env, cairn_bucketed *bucketed);

void cairn_bucketed_fini(cairn_env *env, cairn_bucketed *bucketed);

/// Fill entries with those in buckets, sorted, duplicates added; they stay there.
///
/// @param entries  With room for them. Unchanged on failure.
///
/// Memory: 16 bytes for each thread and item of the largest bucket, at most 8 an entry
/// unless one bucket has more.
cairn_status cairn_bucketed_sort(cairn_env            *env,
                                 const cairn_bucketed *bucketed,
                                 cairn_entries        *entries);

/// Add up repeats, in the order given, where they are: buckets are sorted and have each word
/// once; `n` is how many entries there are then.
///
/// @param bucketed  Unchanged on failure.
///
/// Memory: 48 bytes for each thread and item of the largest bucket, at most 8 an entry
/// unless one bucket has more; of few entries as cairn_columns_combine() says.
cairn_status cairn_bucketed_combine(cairn_env *env, cairn_bucketed *bucketed);

/// As cairn_entries_take(), but what is in no order is only put in buckets, or ordered by
/// column; then `bucketed->n` > 0, and there are no entries.
///
/// @param bucketed  Give back with cairn_bucketed_fini(), on failure, too.
cairn_status cairn_entries_take_or_partition(cairn_env         *env,
                                             const cairn_given *given,
                                             cairn_entries     *entries,
                                             cairn_bucketed    *bucketed);

/// cairn_bucketed_sort() into entries without room.
cairn_status cairn_entries_take_bucketed(cairn_env      *env,
                                         cairn_bucketed *bucketed,
                                         cairn_entries  *entries);

/// Threads that may order buckets at once: each has room for @p items items, all together
/// for no more than half of those in buckets, or for one bucket.
int cairn_bucketed_sorters(const cairn_bucketed *bucketed, cairn_pos items);

#endif
