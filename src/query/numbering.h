// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering elements by group, class and order: what `enum` does on the rank that numbers,
/// be it with its own elements or with those that others sent.

#ifndef CAIRN_QUERY_NUMBERING_H
#define CAIRN_QUERY_NUMBERING_H

#include "query/set.h"

/// Elements to be numbered: what enum needs to know of them, on the rank that numbers.
typedef struct cairn_numbering {
    int64_t        n, groups;
    const int64_t *group; ///< [n]
    const int64_t *arm;   ///< [n] NULL: all in one class.
    const int64_t *start; ///< [n] CAIRN_NO_NUMBER: none. NULL: all one_start.
    int64_t        one_start;
    int            keys;
    const int64_t *key[CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER]; ///< Traverse, then id.
    int64_t        distance;
    int            bys;
    const int64_t *by[CAIRN_MAX_LEVELS]; ///< Keys of the distance.
    int64_t       *number;               ///< [n] out.
    int64_t       *order;   ///< [n] out: by (group, traverse, id). NULL: as they stand.
    int64_t       *first;   ///< [groups + 1] out: a group's begin in order.
    bool           ascends; ///< out: in every group numbers ascend with `order`.
} cairn_numbering;

static inline int64_t cairn_numbering_start(const cairn_numbering *b, int64_t p)
{
    return b->start ? b->start[p] : b->one_start;
}

/// Number elements that are in order, each `distance` from the last one of its keys.
cairn_status cairn_number_distance(cairn_env *env, cairn_numbering *batch);

/// Refuse a number beyond 64 bits.
cairn_status cairn_number_overflow(cairn_env *env);

/// Number elements of groups; see `enum` in docs/language.md.
cairn_status cairn_number_elements(cairn_env *env, cairn_numbering *batch);

/// Refuse two elements of one group of query @p q with the same number, among them the
/// others that are not looked at, numbered from rest_start[group] on.
///
/// @param[in]  groups     Their tuples.
/// @param[out] by_number  The elements by (group, number); NULL: `order` is that.
cairn_status cairn_number_check(cairn_query_set       *set,
                                int                    q,
                                const cairn_numbering *batch,
                                const cairn_tuples    *groups,
                                const int64_t         *rest_start,
                                int64_t              **by_number);

/// Number the elements of crossing groups of enum query @p q on the ranks that own the
/// groups (`distance` is one rank's own).
///
/// Collective if the set has a net. Not before every rank numbered its own in @p batch;
/// @p mine is this rank's status so far.
cairn_status cairn_enum_share(cairn_query_set       *set,
                              int                    q,
                              cairn_status           mine,
                              const cairn_numbering *batch);

#endif
