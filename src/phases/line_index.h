// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The group index of compiled passes: groups of entries on *lines*. A line is all groups
/// that agree in all expressions but the last, whose values are *places* on it, as blocks
/// along a row of blocks are, and nodes of a trimmed level below what stands above it.
/// Either every place of every line has a group, or those with entries are listed, line by
/// line. Generated functions fill an index, each range of the source its own lists or
/// counts, which are then joined, put in order and numbered.
///
/// The index of src/groups has whole tuples and the elements of each group, in 64 bits.
///
/// Memory: 4 bytes a group and range where all have one; else 4 for each group listed, and
/// as many for its count and its number, 4 a line, and 4 for each place and range.

#ifndef CAIRN_PHASES_LINE_INDEX_H
#define CAIRN_PHASES_LINE_INDEX_H

#include "base/offsets.h"
#include "phases/thread_ranges.h"

typedef struct cairn_line_index {
    int64_t   lines, places; ///< Lines; places of each.
    bool      listed;        ///< Those with entries are listed; else all have a group.
    int64_t   n;             ///< Groups.
    uint32_t *begin; ///< LISTED: [lines + 1] where the groups of each line begin.
    uint32_t *place; ///< LISTED: [n] places of groups, from the first on.
    uint32_t
        *count; ///< [n] what their entries add up to; until they are joined, of all
                ///< groups for each range. NULL: nothing was counted.
    uint32_t *number; ///< [n] how many groups of its line come before; NULL: not yet.
    uint32_t *slot;   ///< LISTED: [ranges][places] for the line at hand.
} cairn_line_index;

/// Make room for what functions find; `lines`, `places`, `listed` are set.
///
/// @param[in] most    Groups that can be listed; 0: there is no list yet. Pages that are
///                    not touched cost nothing.
/// @param[in] counts  Groups that are listed have counts, too.
cairn_status cairn_line_index_create(cairn_env                 *env,
                                     const cairn_thread_ranges *ranges,
                                     cairn_pos                  most,
                                     bool                       counts,
                                     cairn_line_index          *index);
void         cairn_line_index_fini(cairn_env *env, cairn_line_index *index);

/// The arguments of functions that are about it.
void cairn_line_index_args(const cairn_line_index    *index,
                           const cairn_thread_ranges *ranges,
                           cairn_convert_args        *args);

/// Bring together what the ranges have found: their lists, each of which began at its
/// offset and went as far as its facts[1] says, or their counts.
void cairn_line_index_join(const cairn_thread_ranges *ranges, cairn_line_index *index);

/// Sort the places of each line; @p counts: and their counts, for which `slot` has room for
/// all places and threads. What is in order already costs one look; long lists are sorted by
/// bits, in time linear in their length and the words that their places span. Holds a bit
/// for each place and thread, if any list is long.
cairn_status cairn_line_index_sort(cairn_env        *env,
                                   int               threads,
                                   bool              counts,
                                   cairn_line_index *index);

/// Number the groups listed on each line.
cairn_status
cairn_line_index_number(cairn_env *env, int threads, cairn_line_index *index);

/// The group of a line that has @p number; -1: none of those listed.
int64_t
cairn_line_index_find(const cairn_line_index *index, int64_t line, int64_t number);

/// The place number @p k of those that a line, whose groups are in order, lacks.
int64_t
cairn_line_index_lacking(const cairn_line_index *index, int64_t line, int64_t k);

/// Groups of a line that are listed.
static inline int64_t cairn_line_index_groups(const cairn_line_index *index,
                                              int64_t                 line)
{
    return index->begin[line + 1] - (int64_t)index->begin[line];
}

/// Where the groups of a line begin; and the place of group @p q of it.
static inline int64_t cairn_line_index_begin(const cairn_line_index *index,
                                             int64_t                 line)
{
    return index->listed ? index->begin[line] : line * index->places;
}

static inline int64_t
cairn_line_index_place(const cairn_line_index *index, int64_t line, int64_t q)
{
    return index->listed ? index->place[q] : q - line * index->places;
}

/// Counts of @p n groups become begins; behind the last there is one more.
static inline void cairn_begin_groups(uint32_t *count, int64_t n)
{
    count[n] = cairn_offsets_small(n, 0, count);
}

#endif
