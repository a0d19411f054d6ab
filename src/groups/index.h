// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The group index: for every group that has an element its number, and where its elements
/// begin. Groups are numbered by their values, ascending. They are found in a dense array
/// where all that are possible are few, else by a search in the sorted list.

#ifndef CAIRN_GROUPS_INDEX_H
#define CAIRN_GROUPS_INDEX_H

#include "format/algebra.h"

#include <assert.h>

typedef struct cairn_group_index {
    int      width; ///< Values of a group.
    int64_t  groups;
    int64_t *tuple; ///< [groups][width]
    int64_t *begin; ///< [groups + 1]
    int64_t *order; ///< [n] elements by (group, number); NULL: as they stand.
    int64_t *dense; ///< [product of sizes] a group's number, or -1. NULL: search.
    int64_t  lo[CAIRN_MAX_LEVELS], size[CAIRN_MAX_LEVELS];
} cairn_group_index;

/// Enter n elements whose groups' values are value[0 .. width-1][element].
///
/// Memory: 8 bytes an element (none where they stand group by group), 8 (width + 1) a
/// group, and what sorting takes.
/// Cost: two passes where groups are dense or stand in order, else a sort.
cairn_status cairn_group_index_make(cairn_env            *env,
                                    int64_t               n,
                                    int                   width,
                                    const int64_t *const *value,
                                    cairn_group_index    *index);

/// Make the index of the same n elements by the same values anew from another, which was
/// not changed since: what no one writes is held in common.
///
/// Memory: 8 bytes an element, unless they stand group by group.
cairn_status cairn_group_index_share(cairn_env               *env,
                                     int64_t                  n,
                                     const cairn_group_index *other,
                                     cairn_group_index       *index);

void cairn_group_index_fini(cairn_env *env, cairn_group_index *index);

/// Does one share the groups of the other, so that numbers of groups are the same?
static inline bool cairn_group_index_is_shared(const cairn_group_index *a,
                                               const cairn_group_index *b)
{
    return a->tuple && a->tuple == b->tuple;
}

/// Number of the group with @p tuple, or -1.
int64_t cairn_group_index_find(const cairn_group_index *index, const int64_t *tuple);

static inline int64_t cairn_group_index_element(const cairn_group_index *index,
                                                int64_t                  k)
{
    return index->order ? index->order[k] : k;
}

static inline const int64_t *cairn_group_index_tuple(const cairn_group_index *index,
                                                     int64_t                  g)
{
    assert(g >= 0 && g < index->groups);
    return index->tuple + g * index->width;
}

#endif
