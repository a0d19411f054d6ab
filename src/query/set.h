// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the files of this room share: the state of each query, elements, and the
/// evaluation of maps and value maps at an element.
///
/// A query looks at its *elements* one by one. For (value) these are the entries, or all
/// positions; for (q) the groups of q that have an element that was looked at, or all that
/// have a position. Which of the two is decided once per query: the second only if the
/// elements without an entry cannot be treated alike (`lazy`).
///
/// Elements stand in id order: positions as their coordinates ascend, groups as their values
/// do. So a stable sort by (group, traverse) is the order that enum and reorder ask for.

#ifndef CAIRN_QUERY_SET_H
#define CAIRN_QUERY_SET_H

#include "query/query.h"

#include <string.h>

/// A map of a query as forms.
typedef struct cairn_query_map {
    int         count;
    cairn_form *form;    ///< [count]
    uint32_t    queries; ///< Bit q: the value of query q is used.
} cairn_query_map;

/// Groups, ascending by their values.
typedef struct cairn_query_table {
    int          width;
    int64_t      n;
    int64_t     *tuple; ///< [n][width]
    int64_t     *total; ///< SUM: [n]
    bool         known; ///< It was made.
    uint8_t     *held;  ///< [n] 1: has an entry of this rank. NULL: not asked yet.
    cairn_coord *first; ///< [n][order] first positions; NULL: they are searched for.
} cairn_query_table;

typedef struct cairn_elements {
    int      q;   ///< CAIRN_ARG_VALUE: positions; else groups of this query.
    bool     all; ///< Also those without an entry.
    int64_t  n;
    int64_t *entry; ///< Positions, all: [n] the entry at each, or -1.
    int64_t *group; ///< Groups that ranks have each for itself: [n] which of them all,
    int64_t
        *share; ///< [n] and which rank's, by (group, rank). NULL: element p is group p.
} cairn_elements;

/// Where a map or a value map is evaluated. For a group the position is its first one,
/// and is found only when it is needed.
typedef struct cairn_element {
    int                      q; ///< CAIRN_ARG_VALUE, or the query whose group it is.
    int64_t                  entry; ///< A position's entry; -1: not stored.
    const cairn_query_table *table; ///< Where the group stands; NULL: it is not known.
    int64_t                  group; ///< Its number there.
    int64_t                  share; ///< The rank that has it; -1: that of its position.
    int64_t                  tuple[CAIRN_MAX_LEVELS];
    bool                     placed; ///< d is set.
    cairn_coord              d[CAIRN_MAX_ORDER];
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
    int64_t     *tuple; ///< The group's.
    cairn_coord *d;     ///< [n][order] positions, first positions of groups.
} cairn_unstored;

typedef struct cairn_unstored_lists {
    int64_t         n, room;
    cairn_unstored *list; ///< [n] by group.
} cairn_unstored_lists;

/// Numbers of elements, and their order.
typedef struct cairn_query_numbers {
    int64_t *group_of;   ///< SUM, ENUM: [elements] in `touched`.
    int64_t *number;     ///< ENUM, REORDER, SCHEDULE: [elements]
    int64_t *order;      ///< [elements] by (group, traverse, id); REORDER: by place.
    int64_t *first;      ///< ENUM: [groups + 1] where each begins in `order`.
    int64_t *by_number;  ///< ENUM: [elements] by (group, number).
    int64_t *rest_start; ///< ENUM, lazy: [groups] number of the first other element.
} cairn_query_numbers;

typedef struct cairn_query_state {
    const cairn_query *query;
    cairn_query_map    group, traverse, by;
    bool own; ///< Several ranks have it each for itself: the groups' first
              ///< value is the rank.
    cairn_query_table    touched; ///< Groups with an element that was looked at.
    cairn_query_table    listed;  ///< SUM: all that have a position, once asked for.
    cairn_elements       elements;
    bool                 lazy; ///< Elements not looked at are alike:
    cairn_start          rest; ///< what the value map says of them.
    cairn_query_numbers  num;
    int64_t             *at_entry; ///< [entries]
    cairn_interval       span;
    cairn_line           line;
    cairn_unstored_lists lists;
} cairn_query_state;

struct cairn_query_set {
    cairn_env            *env;
    const cairn_encoding *encoding;
    cairn_algebra        *algebra;
    int                   order;
    cairn_interval        global[CAIRN_MAX_ORDER];
    cairn_interval        box[CAIRN_MAX_ORDER];    ///< This rank's;
    cairn_interval        domain[CAIRN_MAX_ORDER]; ///< what all ranks have.
    const cairn_entries  *entries;                 ///< Of all ranks,
    cairn_pos             offset, own; ///< of which this many are this one's.
    int                   size, rank;
    cairn_interval       *rows; ///< [size] rows of each, if there are several.
    cairn_entries         gathered;
    cairn_query_state    *state; ///< [queries]
};

/* ---- several ranks (gather.c) ---- */

/// Learn the entries and rows of all ranks. Collective.
cairn_status cairn_query_gather(cairn_query_set *set, const cairn_query_net *net);

/// The rank that has a row.
int64_t cairn_query_owner(const cairn_query_set *set, cairn_coord row);

/* ---- elements (elements.c) ---- */

/// Forms of all maps of query @p q.
cairn_status cairn_query_maps(cairn_query_set *set, int q);

/// Start at a position (@p entry -1: not stored), at group number @p group of a table of
/// query @p q, or at any group of it by its tuple.
void cairn_element_at(const cairn_query_set *set,
                      const cairn_coord     *d,
                      int64_t                entry,
                      cairn_element         *element);
void cairn_element_group(const cairn_query_set   *set,
                         int                      q,
                         const cairn_query_table *table,
                         int64_t                  group,
                         cairn_element           *element);
void cairn_element_tuple(const cairn_query_set *set,
                         int                    q,
                         const int64_t         *tuple,
                         cairn_element         *element);
void cairn_element_entry(const cairn_query_set *set, int64_t p, cairn_element *element);

/// Start at element number @p p of query @p q.
void cairn_element_get(const cairn_query_set *set,
                       int                    q,
                       int64_t                p,
                       cairn_element         *element);

/// Set d to the first position of the element's group, if that was not done yet.
void cairn_element_place(const cairn_query_set *set, cairn_element *element);

/// The rank whose share an element is in.
int64_t cairn_element_share(const cairn_query_set *set, cairn_element *element);

/// Number of the element of query @p q at an element of any query, or -1: it was not looked
/// at.
cairn_status
cairn_element_number(cairn_query_set *set, int q, cairn_element *at, int64_t *number);

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

/// Values of form @p f of a map at all elements of query @p q: [n], the caller's to free.
cairn_status cairn_elements_column(cairn_query_set       *set,
                                   int                    q,
                                   const cairn_query_map *map,
                                   int                    f,
                                   int64_t              **column);

/// The elements of query @p q: those looked at if @p all is false, or all.
cairn_status cairn_elements_find(cairn_query_set *set, int q, bool all);

/// Where the groups stand that are the elements of a query.
const cairn_query_table *cairn_elements_table(const cairn_query_set *set,
                                              const cairn_elements  *elements);

/// Row-major number of a position of the domain, -1: it is outside; and back.
int64_t cairn_box_number(const cairn_query_set *set, const cairn_coord *d);
void    cairn_box_position(const cairn_query_set *set, int64_t number, cairn_coord *d);

/// The entry at a position, or -1.
int64_t cairn_entry_find(const cairn_query_set *set, const cairn_coord *d);

/* ---- values (values.c, rules.c) ---- */

/// Value of query @p r at an element of any query.
cairn_status
cairn_query_value(cairn_query_set *set, int r, cairn_element *element, int64_t *value);

/// What the value map of @p query says of an element: which case (the number of cases:
/// `otherwise`) and the number to start with, or CAIRN_NO_NUMBER.
cairn_status cairn_query_rule(cairn_query_set   *set,
                              const cairn_query *query,
                              cairn_element     *element,
                              int               *arm,
                              int64_t           *start);

/// The number at the end of a `->`.
cairn_status cairn_query_start(cairn_query_set   *set,
                               const cairn_start *start,
                               cairn_element     *element,
                               int64_t           *value);

/// What the value map says of every element that has no entry; false: not the same.
bool cairn_query_rest(const cairn_query_set *set,
                      const cairn_query     *query,
                      int                   *arm,
                      cairn_start           *start);

/// The same where only the number matters, and nothing is 0: false if not one constant.
bool cairn_query_rest_constant(const cairn_query_set *set,
                               const cairn_query     *query,
                               int64_t               *value);

/* ---- groups (table.c, list.c, positions.c, line.c, unstored.c) ---- */

void cairn_query_table_fini(cairn_env *env, cairn_query_table *table);

/// Number of the group with @p tuple, or -1.
int64_t cairn_query_table_find(const cairn_query_table *table, const int64_t *tuple);

static inline const int64_t *cairn_query_table_at(const cairn_query_table *table,
                                                  int64_t                  g)
{
    return table->tuple + g * table->width;
}

/// Order of tuples of integers: below, at or above 0.
static inline int cairn_tuple_compare(int width, const int64_t *a, const int64_t *b)
{
    for (int k = 0; k < width; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/// Sort records into groups.
///
/// @param[in]  column    [keys] of [n]: the groups' values, then what else orders records.
/// @param[in,out] table  With its width, and nothing else; their groups.
/// @param[out] group_of  [n] the group of each; NULL: not wanted.
/// @param[out] order     [n] which comes first, second, ...; NULL likewise.
cairn_status cairn_query_table_make(cairn_env         *env,
                                    int64_t            n,
                                    int                keys,
                                    int64_t *const    *column,
                                    cairn_query_table *table,
                                    int64_t           *group_of,
                                    int64_t           *order);

/// Enter the groups of all elements of query @p q: `touched` and `group_of`.
/// @param[out] order  [elements] by (group, traverse, id); NULL: not wanted.
cairn_status cairn_query_group(cairn_query_set *set, int q, int64_t *order);

/// List the groups of sum query @p q that have a position, empty ones too.
cairn_status cairn_query_list(cairn_query_set *set, int q);

/// Number of the group of enum query @p q with @p tuple on this rank, or -1.
int64_t cairn_query_find_group(const cairn_query_set *set, int q, const int64_t *tuple);

/// First position in id order of the group with @p tuple in a box; false if none.
bool cairn_group_first(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       const cairn_interval  *box,
                       cairn_coord           *d);

/// Has the group a position among the rows of rank @p r?
bool cairn_group_is_on(const cairn_query_set *set,
                       const cairn_query_map *map,
                       const int64_t         *tuple,
                       int                    r);

/// Number of positions of the group with @p tuple in the tensor (forms over dimensions).
int64_t cairn_group_positions(const cairn_query_set *set,
                              const cairn_query_map *map,
                              const int64_t         *tuple);

/// Does the group have positions outside this rank's box?
bool cairn_group_crosses(const cairn_query_set *set,
                         const cairn_query_map *map,
                         const int64_t         *tuple);

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

/// How many elements a group of enum query @p q has in the tensor.
cairn_status
cairn_query_count(cairn_query_set *set, int q, const int64_t *group, int64_t *count);

/// The elements of a group of enum query @p q that were not looked at, listed at the first
/// time; the list is good until the next is asked for.
cairn_status cairn_query_unstored(cairn_query_set       *set,
                                  int                    q,
                                  const int64_t         *group,
                                  const cairn_unstored **list);

/* ---- the four functions ---- */

cairn_status cairn_query_run_sum(cairn_query_set *set, int q);
cairn_status cairn_query_run_enum(cairn_query_set *set, int q);
cairn_status cairn_query_run_reorder(cairn_query_set *set, int q);
cairn_status cairn_query_run_schedule(cairn_query_set *set, int q);

/// Total of a group of sum query @p q that no element touched.
cairn_status
cairn_sum_untouched(cairn_query_set *set, int q, const int64_t *tuple, int64_t *total);

/// Elements to be numbered with a distance, in the order in which they take numbers.
typedef struct cairn_distance {
    int64_t        n, groups;
    const int64_t *order; ///< [n] by group,
    const int64_t *first; ///< [groups + 1] where each begins.
    const int64_t *start; ///< [n] CAIRN_NO_NUMBER: none.
    const int64_t *key;   ///< [n] numbers of the keys of the distance, below `keys`.
    int64_t        keys, distance;
    int64_t       *number; ///< [n] out.
} cairn_distance;

cairn_status cairn_distance_number(cairn_env *env, const cairn_distance *d);

/// The name of a query for messages: its name, or "query 2".
const char *
cairn_query_label(const cairn_query_set *set, const cairn_query *query, char text[32]);

#endif
