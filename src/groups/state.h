// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of this room share: the state of each query. An *element* of a query is
/// an entry, or a group of the earlier query that it is taken over; entries stand in the
/// order of their positions and groups in that of their values, so that elements' numbers
/// are the order of last resort.

#ifndef CAIRN_GROUPS_STATE_H
#define CAIRN_GROUPS_STATE_H

#include "groups/exchange.h"
#include "groups/groups.h"
#include "groups/index.h"
#include "groups/order.h"
#include "groups/runs.h"
#include "groups/tuples.h"

/// Integers of a record that travels.
enum { CAIRN_MAX_RECORD = CAIRN_MAX_SORT_KEYS };

/// What a `with` says of the elements without an entry: one case for all of them, or for
/// all of one group.
typedef struct cairn_group_rest {
    bool        known; ///< One of the two.
    bool        one;   ///< For all.
    int         arm;   ///< one: which case,
    cairn_start start; ///< and where it starts; of a query that is one for the group.
} cairn_group_rest;

/// Unstored elements of a group in key order, as far as they have been asked for.
typedef struct cairn_group_list {
    int64_t  n;
    bool     complete;
    int64_t *t; ///< [n] numbers of their positions (cairn_group_box_place()).
} cairn_group_list;

/// What is kept on several ranks only.
typedef struct cairn_group_spread {
    bool     crosses;  ///< Some rank has groups that cross ranks; all of them know.
    uint8_t *crossing; ///< crosses: [groups]
    int *rest_arm; ///< ENUM: [groups] of those that cross: the case of elements without
    int64_t          *rest_start; ///< an entry (-1: none), and their start.
    bool              known;      ///< SUM: so are all groups that cross,
    cairn_group_index others;     ///< these,
    int64_t          *totals;     ///< [others.groups] and their totals.
    struct cairn_group_joint
        *joint; ///< ENUM: all elements of groups that cross, if they
                ///< will be asked for.
} cairn_group_spread;

/// Groups with a list, of lines whose keys are no digits.
typedef struct cairn_group_lists {
    cairn_tuples      group;
    int64_t           room;
    cairn_group_list *list; ///< [room]
} cairn_group_lists;

/// Positions in whose order the groups of a sum are listed: their first ones, as far as
/// groups may have a position in this rank's box.
typedef struct cairn_group_listing {
    cairn_query_order order;
    cairn_group_box   box; ///< Of all of them.
} cairn_group_listing;

/// The expressions of an `enum`: of its groupBy, its traverseBy, and its distance, if any.
typedef struct cairn_group_forms {
    cairn_forms       group, traverse, by; ///< Own.
    cairn_query_order order;
} cairn_group_forms;

/// ENUM: numbers of elements.
typedef struct cairn_group_numbers {
    int64_t *number;    ///< [elements]
    int64_t *by_number; ///< Elements by (group, number); NULL: index,
    bool     later;     ///< unless cairn_groups_find_numbers() is still to find out.
    bool     in_turn; ///< Those of a group follow each other in the index, as is known,
    int64_t  from;    ///< from this one on.
    int64_t
        *rest_start;   ///< [groups] number of the first element without an entry. NULL:
                       ///< none have numbers.
    uint8_t *rest_arm; ///< [groups] case of elements without an entry, if elements with
                       ///< one share it. NULL: never.
    uint8_t *arm;      ///< [elements] with rest_arm.
    int64_t *skip;  ///< [elements] group by group from begin[g] on: how many elements
                    ///< without a case in common with the rest come first.
    int64_t *skips; ///< [groups] how many of these there are; -1: not counted yet.
} cairn_group_numbers;

void cairn_group_numbers_fini(cairn_env *env, cairn_group_numbers *numbers);

/// How many elements that are skipped come before the k-th that is not: before the t-th one
/// of them lie skip[t] - t others.
static inline int64_t
cairn_group_skips_before(const int64_t *skip, int64_t skips, int64_t k)
{
    int64_t lo = 0, hi = skips;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (skip[mid] - mid > k)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

typedef struct cairn_group_query {
    const cairn_query *query;
    cairn_group_forms  forms;
    cairn_group_rest   rest;
    bool               asks; ///< Something depends on elements without an entry.
    int64_t            elements;
    cairn_group_index index; ///< Groups that have an element; elements by (group, key).
    int64_t          *of;    ///< [elements] group of each. NULL: not asked for yet.
    int64_t          *total; ///< SUM: [groups]
    cairn_group_numbers enumerated;
    cairn_coord *first; ///< REORDER, SCHEDULE: [elements][order] where groups begin.
    cairn_group_lists  lists;    ///< Of unstored elements.
    int64_t           *at_entry; ///< [entries] values; may be those of `enumerated`,
    bool               filled;   ///< else set once they have been asked for.
    cairn_interval     span;
    int64_t            visits;
    cairn_group_spread spread;
} cairn_group_query;

struct cairn_groups {
    cairn_env       *env;
    cairn_query_set *definition; ///< If not NULL this answers, and nothing below.
    bool             reference;  ///< That was asked for.
    enum {
        CAIRN_GROUPS_SOME,
        CAIRN_GROUPS_ALL,
        CAIRN_GROUPS_BEGUN
    } answers; ///< What of the queries this room can answer; then it has begun.
    bool                  spread;  ///< There are several ranks,
    int                   ranks;   ///< so many,
    cairn_interval       *rows;    ///< [ranks] with these rows.
    cairn_meeting         meeting; ///< While a query is answered.
    const cairn_encoding *encoding;
    const cairn_entries  *entries;
    cairn_shape           shape;
    cairn_interval        box[CAIRN_MAX_ORDER];
    cairn_algebra        *algebra;
    int                   order;
    uint32_t              many;  ///< Bit q: it lists far more groups than entries.
    cairn_group_query    *query; ///< [queries]
};

/// Fail because a sum of query @p q leaves 64 bits (sum.c).
cairn_status cairn_groups_sum_overflows(cairn_groups *set, int q);

/* ---- maps over elements (columns.c) ---- */

/// A column of values; `own` is what must be freed.
typedef struct cairn_group_column {
    const int64_t *data;
    int64_t       *own;
} cairn_group_column;

/// Values of a form at all elements of query @p q. CAIRN_NO_NUMBER where a query that is
/// in it has none.
cairn_status cairn_groups_column(cairn_groups       *set,
                                 int                 q,
                                 const cairn_form   *form,
                                 cairn_group_column *column);

/// Values of query @p r at all elements of query @p q.
cairn_status
cairn_groups_values(cairn_groups *set, int q, int r, cairn_group_column *column);

/// Group of every element of query @p q; borrowed.
cairn_status cairn_groups_of(cairn_groups *set, int q, const int64_t **of);

/// First position of group number @p g of query @p r, whose forms have no queries.
cairn_status cairn_groups_first(cairn_groups *set, int r, int64_t g, cairn_coord *d);

/// Position of element @p p of query @p q.
cairn_status cairn_groups_position(cairn_groups *set, int q, int64_t p, cairn_coord *d);

/* ---- values at a position (value.c) ---- */

/// Value of query @p r at a position; groups of it stand for their first one.
cairn_status
cairn_groups_value(cairn_groups *set, int r, const cairn_coord *d, int64_t *value);

/// Element of query @p q at a position, or -1: none is known there.
cairn_status cairn_groups_element_at(cairn_groups      *set,
                                     int                q,
                                     const cairn_coord *d,
                                     int64_t           *element);

/// What the `with` of query @p q says of an unstored element at @p d: the case and the
/// number to start with, or CAIRN_NO_NUMBER.
cairn_status cairn_groups_rest(cairn_groups      *set,
                               int                q,
                               const cairn_coord *d,
                               int               *arm,
                               int64_t           *start);

/// What it says of an element that has an entry on no rank, in the group in which @p d is,
/// which may be any position of it.
cairn_status cairn_groups_rest_of_none(cairn_groups      *set,
                                       int                q,
                                       const cairn_coord *d,
                                       int               *arm,
                                       int64_t           *start);

/// Does a condition on a number hold?
bool cairn_groups_number_holds(const cairn_case *when, int64_t value);

/// Does a condition on a position's value?
bool cairn_groups_position_holds(const cairn_case *when, bool stored, double value);

/* ---- elements by their numbers (find.c) ---- */

/// The element of a reorder that has a place, or -1: there is none, or it is another rank's.
int64_t cairn_groups_at_place(const cairn_groups *set, int q, int64_t number);

/// Elements of one group that have no entry, and numbers from a start on.
typedef struct cairn_group_remainder {
    bool            any;   ///< There are some.
    int64_t         g;     ///< Number of the group, or -1: it has no element.
    int64_t         start; ///< any: the number of the first,
    cairn_group_box box;   ///< and the positions of the group.
} cairn_group_remainder;

cairn_status cairn_groups_find_remainder(cairn_groups          *set,
                                         int                    q,
                                         const int64_t         *group,
                                         cairn_group_remainder *rest);

/// Elements number @p k to @p k + @p n - 1 of those, as far as there are so many, where
/// keys are no digits: row @p at and those behind are written.
cairn_status cairn_groups_list_remainder(cairn_groups                *set,
                                         int                          q,
                                         const int64_t               *group,
                                         const cairn_group_remainder *rest,
                                         int64_t                      k,
                                         int64_t                      n,
                                         cairn_coord *const          *d,
                                         bool                        *found,
                                         int64_t                      at);

enum { CAIRN_GROUPS_AT_ONCE = 512 };

/// The elements of an enum with @p n numbers, at most CAIRN_GROUPS_AT_ONCE, of groups with
/// the values @p group ([groupBy] columns), where @p ok, which becomes false where there is
/// none. @p rests: elements with an entry count as none.
///
/// @param[out] d  [order] columns of [n]: positions; 0 where there is no element.
cairn_status cairn_groups_find_all(cairn_groups         *set,
                                   int                   q,
                                   bool                  rests,
                                   int                   n,
                                   const int64_t        *number,
                                   const int64_t *const *group,
                                   cairn_coord *const   *d,
                                   bool                 *ok);

/// Make sure that elements of an enum are found by number: where none is asked for, they
/// are not put in that order.
cairn_status cairn_groups_find_numbers(cairn_groups *set, int q);

/// The k-th element of an enum by (group, number), which cairn_groups_find_numbers() saw to.
static inline int64_t cairn_groups_by_number(const cairn_group_query *s, int64_t k)
{
    return s->enumerated.by_number ? s->enumerated.by_number[k]
                                   : cairn_group_index_element(&s->index, k);
}

/* ---- what can be answered (plan.c) ---- */

/// Find forms, order and rest of query @p q, from the text alone; false: not answered
/// here.
cairn_status cairn_groups_plan(cairn_groups *set, int q, bool *possible);

/* ---- the functions ---- */

cairn_status cairn_groups_sum(cairn_groups *set, int q);
cairn_status cairn_groups_enum(cairn_groups *set, int q);

/// The same of a reorder or schedule: its elements are all groups, by their values.
cairn_status cairn_groups_place(cairn_groups *set, int q);

/// Total of a group of sum @p q that has no element.
cairn_status
cairn_groups_sum_rest(cairn_groups *set, int q, const int64_t *tuple, int64_t *total);

/// Elements of a group that count as `skip`, in key order by rank.
cairn_status cairn_groups_find_skips(cairn_groups *set, int q, int64_t g);

/// Find how query @p q, a reorder or schedule, lists groups.
/// @param[out] listing  Its order may be of class OTHER: it cannot be said.
void cairn_groups_list_by(const cairn_groups *set, int q, cairn_group_listing *listing);

/// Queries whose values forms use.
static inline uint32_t cairn_forms_queries(const cairn_algebra *algebra,
                                           const cairn_forms   *map)
{
    uint32_t uses = 0;

    for (int f = 0; f < map->count; f++)
        uses |= cairn_form_queries(algebra, &map->form[f]);
    return uses;
}

/// Name of a query for messages.
const char *cairn_groups_label(const cairn_groups *set, int q, char text[32]);

#endif
