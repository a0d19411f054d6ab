// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The groups of a sum, entry by entry: neighbours in one group come as one run. Sums over
/// the groups of earlier sums are followed down to the one that looked at entries.

#ifndef CAIRN_QUERY_RUNS_H
#define CAIRN_QUERY_RUNS_H

#include "query/set.h"

typedef struct cairn_runs {
    const cairn_query_state *base; ///< The sum that looked at entries or positions.
    const int64_t           *of;   ///< [n] its groups; NULL: they are runs.
    int64_t        n, at, next;    ///< Entries; where the next run begins; its group.
    int            hops;
    const int64_t *hop[CAIRN_MAX_QUERIES]; ///< [hops] from groups to groups of groups.
} cairn_runs;

/// Start at the first entry of the groups of sum query @p q.
static inline cairn_runs cairn_runs_of(const cairn_query_set *set, int q)
{
    cairn_runs runs = {.n = set->entries->n};

    for (; set->state[q].elements.kind == CAIRN_ELEMENTS_GROUPS;
         q = set->state[q].elements.q)
        runs.hop[runs.hops++] = set->state[q].group_of;
    runs.base = &set->state[q];
    runs.of   = runs.base->entry_group ? runs.base->entry_group : runs.base->group_of;
    return runs;
}

/// The next entries begin..end-1 and their group; false after the last.
static inline bool
cairn_runs_next(cairn_runs *runs, int64_t *begin, int64_t *end, int64_t *group)
{
    int64_t at = runs->at;

    if (at == runs->n) return false;
    *begin = at;
    if (runs->of) {
        *group = runs->of[at++];
        while (at < runs->n && runs->of[at] == *group)
            at++;
    } else {
        *group = runs->next++;
        at     = runs->base->begin[runs->next];
    }
    *end = runs->at = at;
    for (int h = runs->hops - 1; h >= 0; h--)
        *group = runs->hop[h][*group];
    return true;
}

#endif
