// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of this room share: the state of each query, elements, and the
/// evaluation of maps and value maps at an element.
///
/// A query looks at its *elements* one by one. For (value) these are the entries, or all
/// positions of the rank's box; for (q) the groups of q that were touched by an entry, or
/// all that were listed. Which of the two is decided once per query: the second only if
/// the elements without an entry cannot be treated alike (`lazy`).

#ifndef CAIRN_QUERY_SET_H
#define CAIRN_QUERY_SET_H

#include "query/exchange.h"
#include "query/tuples.h"

/// A map of a query as forms.
typedef struct cairn_query_map {
    int         count;
    cairn_form *form;    ///< [count]
    uint32_t    queries; ///< Bit q: the value of query q is used.
} cairn_query_map;

typedef struct cairn_elements {
    enum {
        CAIRN_ELEMENTS_ENTRIES, ///< Element p is entry p.
        CAIRN_ELEMENTS_BOX,     ///< Position number p of the rank's box, row-major.
        CAIRN_ELEMENTS_GROUPS,  ///< Group p of query q.
    } kind;
    int      q;
    int64_t  n;
    int64_t *entry; ///< BOX: [n] the entry at the position, or -1.
} cairn_elements;

/// Where a map or a value map is evaluated. For a group the position is its first one,
/// and is looked for only when somebody needs it.
typedef struct cairn_element {
    int         q;     ///< CAIRN_ARG_VALUE, or the query whose group it is.
    int64_t     entry; ///< A position's entry; -1: not stored.
    int64_t     group; ///< Number of the group in query q; -1: one that was not listed,
    int64_t     tuple[CAIRN_MAX_LEVELS]; ///< with this tuple.
    bool        placed;                  ///< d is set.
    cairn_coord d[CAIRN_MAX_ORDER];
} cairn_element;

/// A group that runs along one dimension, or along one expression of the earlier query's
/// groups: the others follow from the group's tuple.
typedef struct cairn_line {
    bool           on;
    int            along;       ///< The dimension or expression.
    cairn_interval range;       ///< All of it exists.
    int from[CAIRN_MAX_LEVELS]; ///< Which value of the group gives the others.
} cairn_line;

/// Elements of one group that have no entry, in traverse order, listed when asked for.
typedef struct cairn_unstored {
    int64_t      n;
    cairn_coord *d; ///< [n][order] positions, first positions of groups.
} cairn_unstored;

typedef struct cairn_query_state {
    const cairn_query *query;
    cairn_query_map    group, traverse, by;
    cairn_tuples       groups;
    uint8_t *crossing; ///< [groups.n] 1: has positions on other ranks. NULL: none.
    int64_t  touched;  ///< Groups with an element that was looked at;
    bool     entered;  ///< SUM: each of them has an entry.
    bool     listed;   ///< SUM: the others with a position here follow them.
    int      same; ///< ENUM: the query whose groups, of the same elements, these are;
                   ///< -1: they are its own.
    uint8_t     *held;   ///< SUM: [groups.n] 1: has an entry. NULL: not asked yet.
    cairn_coord *origin; ///< SUM by a query's value, listed: first positions.

    cairn_elements elements;
    int64_t       *group_of; ///< SUM, ENUM: [elements.n] number of the element's group;
    int64_t       *begin;    ///< NULL where groups are runs of entries: [touched + 1].
    bool           lazy;     ///< Elements not looked at are alike:
    cairn_start    rest;     ///< what the value map says of them.

    int64_t *total;       ///< SUM: [groups.n]
    int64_t *entry_group; ///< SUM over a box: [entries] group of every entry.

    int64_t *number; ///< ENUM, REORDER, SCHEDULE: [elements.n]
    int64_t *order;  ///< ENUM: elements by (group, traverse, id); NULL: as they stand.
                     ///< REORDER: by place.
    int64_t *first;  ///< ENUM: [groups + 1] where each group begins in `order`.
    int64_t *by_number; ///< ENUM: `order` by (group, number); NULL: it is that already.
    int64_t *rest_start; ///< ENUM, lazy: [groups] number of the first other element.

    int64_t       *at_entry; ///< [entries]; may be `number`.
    bool           filled;   ///< at_entry holds what it should.
    cairn_interval span;
    bool           spanned; ///< ENUM: span is known.

    cairn_line      line;
    cairn_tuples    asked;     ///< Groups whose unstored elements were listed,
    int64_t         unstoreds; ///< how many of them have
    cairn_unstored *unstored;  ///< [asked.n] their lists.
} cairn_query_state;

struct cairn_query_set {
    cairn_env            *env;
    const cairn_encoding *encoding;
    cairn_algebra        *algebra;
    int                   order;
    cairn_interval        global[CAIRN_MAX_ORDER];
    cairn_interval        box[CAIRN_MAX_ORDER];
    const cairn_entries  *entries;
    cairn_meeting         meeting; ///< While running, if there are several ranks.
    bool                  spread;  ///< There are several ranks.
    bool
        groups_only; ///< Nobody looks for a group by its tuple, or at an entry's value.
    cairn_query_state *state; ///< [queries]
};

/* ---- evaluation (evaluate.c, evaluate_query.c, rules.c) ---- */

/// Forms of all maps of query @p q.
cairn_status cairn_query_maps(cairn_query_set *set, int q);

/// Start at a position (@p entry -1: not stored), or at a group of query @p q: one that
/// has a number, or any by its tuple.
void cairn_element_at(const cairn_query_set *set,
                      const cairn_coord     *d,
                      int64_t                entry,
                      cairn_element         *element);
void cairn_element_group(const cairn_query_set *set,
                         int                    q,
                         int64_t                group,
                         cairn_element         *element);
void cairn_element_tuple(const cairn_query_set *set,
                         int                    q,
                         const int64_t         *tuple,
                         cairn_element         *element);

/// Set d to the first position of the element's group, if that was not done yet.
void cairn_element_place(const cairn_query_set *set, cairn_element *element);

/// Start at element number @p p.
void cairn_element_get(const cairn_query_set *set,
                       const cairn_elements  *elements,
                       int64_t                p,
                       cairn_element         *element);

/// Value of a form of a map at an element; CAIRN_NO_NUMBER if a query in it has none.
cairn_status cairn_query_form(cairn_query_set       *set,
                              const cairn_query_map *map,
                              int                    f,
                              cairn_element         *element,
                              int64_t               *value);

/// Values of all forms of a map.
cairn_status cairn_query_tuple(cairn_query_set       *set,
                               const cairn_query_map *map,
                               cairn_element         *element,
                               int64_t               *tuple);

/// Value of query @p r at an element.
cairn_status
cairn_query_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value);

/// What the value map of @p query says of an element: @p arm is the case's number (its
/// `otherwise` is the last) and @p start the number to start with, or CAIRN_NO_NUMBER.
cairn_status cairn_query_rule(cairn_query_set   *set,
                              const cairn_query *query,
                              cairn_element     *element,
                              int               *arm,
                              int64_t           *start);

/// What a start means at an element.
cairn_status cairn_query_start(cairn_query_set   *set,
                               const cairn_start *start,
                               cairn_element     *element,
                               int64_t           *value);

/// The arm in which all unstored elements fall, if that can be said: false otherwise.
bool cairn_query_rest(const cairn_query_set *set,
                      const cairn_query     *query,
                      int                   *arm,
                      cairn_start           *start);

/// Do all elements without an entry start with the same constant (none: 0)?
bool cairn_query_rest_constant(const cairn_query_set *set,
                               const cairn_query     *query,
                               int64_t               *value);

/// Entry at a position, or -1.
int64_t cairn_entry_find(const cairn_query_set *set, const cairn_coord *d);

/// Number in the rank's box of a position, or -1 outside; and the position of a number.
int64_t cairn_box_number(const cairn_query_set *set, const cairn_coord *d);
void    cairn_box_position(const cairn_query_set *set, int64_t number, cairn_coord *d);

/* ---- elements and groups (elements.c, groups_list.c) ---- */

/// Groups of query @p q by number, and how many are its own.
static inline const cairn_tuples *cairn_query_groups(const cairn_query_set *set, int q)
{
    const int same = set->state[q].same;

    return &set->state[same < 0 ? q : same].groups;
}

static inline int64_t cairn_query_group_count(const cairn_query_set *set, int q)
{
    const cairn_query_state *s = &set->state[q];

    return s->same < 0 ? s->groups.n : s->touched;
}

/// Number of a group of query @p q, or -1.
static inline int64_t
cairn_query_find_group(const cairn_query_set *set, int q, const int64_t *tuple)
{
    const int64_t g = cairn_tuples_find(cairn_query_groups(set, q), tuple);

    return g < cairn_query_group_count(set, q) ? g : -1;
}

/// Group of element @p p, when @p last is that of the element before it; 0 at the first.
static inline int64_t
cairn_group_at(const cairn_query_state *s, int64_t p, int64_t last)
{
    return s->group_of ? s->group_of[p] : last + (p == s->begin[last + 1]);
}

/// Which element is the k-th by (group, traverse, id).
static inline int64_t cairn_order_at(const int64_t *order, int64_t k)
{
    return order ? order[k] : k;
}

/// A column of values; `own` is what must be freed.
typedef struct cairn_column {
    const int64_t *data;
    int64_t       *own;
} cairn_column;

/// Values of form @p f of a map at all elements.
cairn_status cairn_elements_column(cairn_query_set       *set,
                                   const cairn_elements  *elements,
                                   const cairn_query_map *map,
                                   int                    f,
                                   cairn_column          *column);

/// The elements of query @p q: those looked at if @p all is false, or all.
cairn_status
cairn_elements_of(cairn_query_set *set, int q, bool all, cairn_elements *elements);

/// Enter the groups of all elements of query @p q; sets group_of, or `begin` and `first`
/// where groups are runs of entries. An enum takes those of an earlier query if it has
/// the same.
cairn_status cairn_query_group(cairn_query_set *set, int q);

/// Add the groups of sum query @p q that have a position in this rank's box, empty ones
/// too. Collective.
cairn_status cairn_query_list(cairn_query_set *set, int q);

/// List the groups of all sums before query @p q, so that their values are known at every
/// position of this rank's box. Collective; nothing on one rank.
cairn_status cairn_query_know_all(cairn_query_set *set, int q);

/// Is the form one dimension, or its floor, so that all values of its range exist?
bool cairn_form_is_stepwise(const cairn_algebra *algebra, const cairn_form *form);

/// The dimension that a form is, or -1.
int cairn_form_plain_dim(const cairn_query_set *set, const cairn_form *form);

/// First position in id order of the group with @p tuple in the tensor; false if none.
bool cairn_group_first(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       cairn_coord           *d);

/// Is dimension @p k of a group's first position known from its tuple alone? Then it is
/// tuple[f] * divisor, or for @p f = -1 the first of all.
bool cairn_group_first_dim(const cairn_query_set *set,
                           const cairn_query_map *map,
                           int                    k,
                           int                   *f,
                           int64_t               *divisor);

/// Number of positions of the group with @p tuple in the tensor (forms over dimensions).
int64_t cairn_group_positions(const cairn_query_set *set,
                              const cairn_query_map *map,
                              const int64_t         *tuple);

/// Does the group have positions outside this rank's box?
bool cairn_group_crosses(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple);

/// True if no group can cross ranks (dimension 0 is one of the expressions), and the
/// same on every rank.
bool cairn_map_is_local(const cairn_query_set *set, const cairn_query_map *map);

/// Set `crossing` for all groups of query @p q.
cairn_status cairn_query_mark_crossing(cairn_query_set *set, int q);

/// Total of a group of sum query @p q that no element touched.
cairn_status
cairn_sum_untouched(cairn_query_set *set, int q, const int64_t *tuple, int64_t *total);

/// The unstored elements of a group of enum query @p q, listed at the first time. The
/// list is NULL where they are not known: the group has positions on other ranks.
cairn_status cairn_query_unstored(cairn_query_set       *set,
                                  int                    q,
                                  const int64_t         *group,
                                  const cairn_unstored **list);

/* ---- the four functions ---- */

cairn_status cairn_query_run_sum(cairn_query_set *set, int q);
cairn_status cairn_query_run_enum(cairn_query_set *set, int q);
cairn_status cairn_query_run_reorder(cairn_query_set *set, int q);
cairn_status cairn_query_run_schedule(cairn_query_set *set, int q);

/// How many elements a group of enum query @p q has in the tensor.
cairn_status
cairn_query_count(cairn_query_set *set, int q, const int64_t *group, int64_t *count);

/// Find out whether the groups of enum query @p q are lines. Elements that tie stand in
/// id order, so that a line is walked upwards.
void cairn_query_find_line(cairn_query_set *set, int q);

/// The element of a line that has rank @p k among those without an entry. @p g is the
/// group's number, -1: no element was looked at.
bool cairn_line_element(const cairn_query_set *set,
                        int                    q,
                        const int64_t         *group,
                        int64_t                g,
                        int64_t                k,
                        cairn_coord           *d);

/// The name of a query for messages: its name, or "query 2".
const char *
cairn_query_label(const cairn_query_set *set, const cairn_query *query, char text[32]);

#endif
