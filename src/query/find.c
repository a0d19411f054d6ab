// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a number back to the element that has it.

#include "query/set.h"

/// Index k in [lo, hi) with number[by[k]] == wanted, or -1.
static int64_t
search(const int64_t *number, const int64_t *by, int64_t lo, int64_t hi, int64_t wanted)
{
    /* most that are looked for are elements without an entry, behind all others */
    if (lo < hi && number[by[hi - 1]] < wanted) return -1;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2, here = number[by[mid]];

        if (here == wanted) return mid;
        if (here < wanted)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

static bool is_here(const cairn_query_set *set, int64_t entry)
{
    return entry >= set->offset && entry < set->offset + set->own;
}

/// Which groups of query @p r have an entry of this rank?
static cairn_status find_held(cairn_query_set *set, int r)
{
    cairn_query_state *s = &set->state[r];
    cairn_element      element;
    int64_t            tuple[CAIRN_MAX_LEVELS];

    if (s->touched.held) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->touched.n, &s->touched.held));
    for (int64_t p = set->offset; p < set->offset + set->own; p++) {
        cairn_element_entry(set, p, &element);
        CAIRN_TRY(cairn_query_tuple(set, &s->group, &element, tuple));
        s->touched.held[cairn_query_table_find(&s->touched, tuple)] = 1;
    }
    return CAIRN_OK;
}

/// Is element @p p one with an entry of this rank, or its group this rank's alone? Other
/// elements of a group that crosses ranks are not known here.
static cairn_status
is_known(cairn_query_set *set, int q, const int64_t *group, int64_t p, bool *known)
{
    const cairn_query_state *s        = &set->state[q];
    const cairn_elements    *elements = &s->elements;
    cairn_element            element;
    int64_t                  g;

    *known = !cairn_group_crosses(set, &s->group, group);
    if (*known) return CAIRN_OK;
    if (elements->q < 0) {
        *known = is_here(set, elements->all ? elements->entry[p] : p);
        return CAIRN_OK;
    }
    CAIRN_TRY(find_held(set, elements->q));
    cairn_element_get(set, q, p, &element);
    g      = cairn_query_table_find(&set->state[elements->q].touched, element.tuple);
    *known = g >= 0 && set->state[elements->q].touched.held[g];
    return CAIRN_OK;
}

/// Position of the k-th element without an entry of a group.
static cairn_status find_unstored(cairn_query_set *set,
                                  int              q,
                                  const int64_t   *group,
                                  int64_t          g,
                                  int64_t          k,
                                  cairn_coord     *d,
                                  bool            *found)
{
    const cairn_unstored *list;

    if (set->state[q].line.on) {
        *found = cairn_line_element(set, q, group, g, k, d);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_query_unstored(set, q, group, &list));
    *found = k >= 0 && k < list->n;
    if (*found) memcpy(d, list->d + k * set->order, (size_t)set->order * sizeof *d);
    return CAIRN_OK;
}

/// Number of the first element without an entry of a group that no element touched;
/// CAIRN_NO_NUMBER also where there is none, or 64 bits do not hold it.
static cairn_status
first_number(cairn_query_set *set, int q, const int64_t *group, int64_t *start)
{
    cairn_element element;
    cairn_coord   d[CAIRN_MAX_ORDER];
    bool          found;

    *start = CAIRN_NO_NUMBER;
    CAIRN_TRY(find_unstored(set, q, group, -1, 0, d, &found));
    if (!found) return CAIRN_OK;
    cairn_element_at(set, d, -1, &element);

    const cairn_status status =
        cairn_query_start(set, &set->state[q].rest, &element, start);

    if (status == CAIRN_OVERFLOW) *start = CAIRN_NO_NUMBER;
    return status == CAIRN_OVERFLOW ? CAIRN_OK : status;
}

/// Among the elements of the group that have no entry.
static cairn_status find_rest(cairn_query_set *set,
                              int              q,
                              int64_t          number,
                              const int64_t   *group,
                              int64_t          g,
                              cairn_coord     *d,
                              bool            *found)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  start, k;

    if (!s->lazy || s->rest.kind == CAIRN_START_NONE
        || cairn_group_crosses(set, &s->group, group))
        return CAIRN_OK;
    if (g >= 0)
        start = s->num.rest_start[g];
    else
        CAIRN_TRY(first_number(set, q, group, &start));
    if (start == CAIRN_NO_NUMBER || __builtin_sub_overflow(number, start, &k))
        return CAIRN_OK;
    return find_unstored(set, q, group, g, k, d, found);
}

static cairn_status find_number(cairn_query_set *set,
                                int              q,
                                int64_t          number,
                                const int64_t   *group,
                                cairn_coord     *d,
                                bool            *found)
{
    const cairn_query_state *s = &set->state[q];
    const int64_t            g = cairn_query_find_group(set, q, group);
    const int64_t            k = g < 0 ? -1
                                       : search(s->num.number, s->num.by_number, s->num.first[g],
                                                s->num.first[g + 1], number);
    cairn_element            element;

    if (k < 0) return find_rest(set, q, number, group, g, d, found);
    CAIRN_TRY(is_known(set, q, group, s->num.by_number[k], found));
    cairn_element_get(set, q, s->num.by_number[k], &element);
    cairn_element_place(set, &element);
    memcpy(d, element.d, (size_t)set->order * sizeof *d);
    return CAIRN_OK;
}

static void
find_place(cairn_query_set *set, int q, int64_t place, cairn_coord *d, bool *found)
{
    const cairn_query_state *s = &set->state[q];
    cairn_element            element;

    if (place < 0 || place >= s->elements.n) return;
    cairn_element_get(set, q, s->num.order[place], &element);
    cairn_element_place(set, &element);
    memcpy(d, element.d, (size_t)set->order * sizeof *d);
    *found = set->size < 2
             || cairn_group_is_on(set, &set->state[s->elements.q].group, element.tuple,
                                  set->rank);
}

cairn_status cairn_query_element(cairn_query_set *set,
                                 int              q,
                                 int64_t          number,
                                 const int64_t   *group,
                                 cairn_coord     *d,
                                 bool            *found)
{
    const cairn_query_func func   = set->state[q].query->func;
    cairn_status           status = CAIRN_OK;
    cairn_coord            at[CAIRN_MAX_ORDER];

    *found = false;
    cairn_visit(set->env, 1);
    if (func == CAIRN_QUERY_REORDER)
        find_place(set, q, number, at, found);
    else if (func == CAIRN_QUERY_ENUM && number != CAIRN_NO_NUMBER)
        status = find_number(set, q, number, group, at, found);
    if (status == CAIRN_OK && *found) memcpy(d, at, (size_t)set->order * sizeof *d);
    return status;
}
