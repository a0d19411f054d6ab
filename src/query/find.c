// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a number back to the element that has it.

#include "query/runs.h"

#include <string.h>

/// Index k in [lo, hi) with number[by[k]] == wanted, or -1. Numbers mostly have no gaps,
/// so that the first try hits.
static int64_t search(const cairn_query_set *set,
                      const int64_t         *number,
                      const int64_t         *by,
                      int64_t                lo,
                      int64_t                hi,
                      int64_t                wanted)
{
    const int64_t begin = lo;

    while (lo < hi && number[cairn_order_at(by, lo)] == CAIRN_NO_NUMBER)
        lo++;
    if (lo > begin) cairn_visit(set->env, lo - begin);
    if (lo >= hi || wanted < number[cairn_order_at(by, lo)]
        || wanted > number[cairn_order_at(by, hi - 1)])
        return -1;

    int64_t guess;

    if (!__builtin_sub_overflow(wanted, number[cairn_order_at(by, lo)], &guess)
        && guess < hi - lo && number[cairn_order_at(by, lo + guess)] == wanted)
        return lo + guess;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2, here = number[cairn_order_at(by, mid)];

        if (here == wanted) return mid;
        if (here < wanted)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

static bool position(const cairn_query_set *set,
                     const cairn_elements  *elements,
                     int64_t                p,
                     cairn_coord           *d)
{
    const cairn_query_state *arg;

    switch (elements->kind) {
    case CAIRN_ELEMENTS_ENTRIES:
        for (int k = 0; k < set->order; k++)
            d[k] = set->entries->coord[k][p];
        return true;
    case CAIRN_ELEMENTS_BOX: cairn_box_position(set, p, d); return true;
    case CAIRN_ELEMENTS_GROUPS: break;
    }
    arg = &set->state[elements->q];
    if (arg->origin) {
        memcpy(d, arg->origin + p * set->order, (size_t)set->order * sizeof *d);
        return true;
    }
    return cairn_group_first(set, &arg->group, cairn_tuples_at(&arg->groups, p), d);
}

/// Number of the first element without an entry of a group that no element touched;
/// CAIRN_NO_NUMBER also where 64 bits do not hold it.
static cairn_status rest_start(cairn_query_set         *set,
                               const cairn_query_state *s,
                               const cairn_coord       *d,
                               int64_t                 *start)
{
    cairn_element element;

    cairn_element_at(set, d, -1, &element);
    const cairn_status status = cairn_query_start(set, &s->rest, &element, start);

    if (status == CAIRN_OVERFLOW) *start = CAIRN_NO_NUMBER;
    return status == CAIRN_OVERFLOW ? CAIRN_OK : status;
}

static cairn_status on_line(cairn_query_set *set,
                            int              q,
                            int64_t          number,
                            const int64_t   *group,
                            int64_t          g,
                            cairn_coord     *d,
                            bool            *found)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  start, k;

    if (g >= 0)
        start = s->rest_start[g];
    else if (cairn_line_element(set, q, group, -1, 0, d))
        CAIRN_TRY(rest_start(set, s, d, &start));
    else
        return CAIRN_OK;
    *found = start != CAIRN_NO_NUMBER && !__builtin_sub_overflow(number, start, &k)
             && cairn_line_element(set, q, group, g, k, d);
    return CAIRN_OK;
}

static cairn_status in_list(cairn_query_set *set,
                            int              q,
                            int64_t          number,
                            const int64_t   *group,
                            int64_t          g,
                            cairn_coord     *d,
                            bool            *found)
{
    const cairn_query_state *s = &set->state[q];
    const cairn_unstored    *list;
    int64_t                  start, k;

    CAIRN_TRY(cairn_query_unstored(set, q, group, &list));
    if (!list || list->n == 0) return CAIRN_OK;
    if (g >= 0)
        start = s->rest_start[g];
    else
        CAIRN_TRY(rest_start(set, s, list->d, &start));
    if (start == CAIRN_NO_NUMBER || number < start
        || __builtin_sub_overflow(number, start, &k) || k >= list->n)
        return CAIRN_OK;
    memcpy(d, list->d + k * set->order, (size_t)set->order * sizeof *d);
    *found = true;
    return CAIRN_OK;
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
    const cairn_query_state *s       = &set->state[q];
    const bool               crosses = g >= 0 ? s->crossing && s->crossing[g]
                                              : cairn_group_crosses(set, &s->group, group);

    if (!s->lazy || s->rest.kind == CAIRN_START_NONE || crosses) return CAIRN_OK;
    return s->line.on ? on_line(set, q, number, group, g, d, found)
                      : in_list(set, q, number, group, g, d, found);
}

/// Element @p at of the order, if there is one.
static bool
numbered(cairn_query_set *set, int q, const int64_t *by, int64_t at, cairn_coord *d)
{
    const cairn_query_state *s = &set->state[q];

    return at >= 0 && position(set, &s->elements, cairn_order_at(by, at), d);
}

/// Which groups of query @p r have an entry here?
static cairn_status find_held(cairn_query_set *set, int r)
{
    cairn_query_state *s    = &set->state[r];
    cairn_runs         runs = cairn_runs_of(set, r);
    int64_t            begin, end, group;

    if (s->held) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->groups.n, &s->held));
    while (cairn_runs_next(&runs, &begin, &end, &group))
        s->held[group] = 1;
    return CAIRN_OK;
}

/// Is the element one with an entry here, or in a group of this rank alone? Of a group that
/// crosses ranks the others are not told.
static cairn_status
is_known(cairn_query_set *set, int q, int64_t g, int64_t p, bool *known)
{
    const cairn_query_state *s = &set->state[q];

    *known = !s->crossing || !s->crossing[g]
             || s->elements.kind == CAIRN_ELEMENTS_ENTRIES
             || (s->elements.kind == CAIRN_ELEMENTS_BOX && s->elements.entry[p] >= 0);
    if (*known || s->elements.kind != CAIRN_ELEMENTS_GROUPS) return CAIRN_OK;
    CAIRN_TRY(find_held(set, s->elements.q));
    *known = set->state[s->elements.q].held[p];
    return CAIRN_OK;
}

cairn_status cairn_query_element(cairn_query_set *set,
                                 int              q,
                                 int64_t          number,
                                 const int64_t   *group,
                                 cairn_coord     *d,
                                 bool            *found)
{
    const cairn_query_state *s = &set->state[q];
    cairn_coord              at[CAIRN_MAX_ORDER];

    *found = false;
    if (s->query->func == CAIRN_QUERY_REORDER) {
        *found =
            numbered(set, q, s->order,
                     search(set, s->number, s->order, 0, s->elements.n, number), at);
    } else if (s->query->func == CAIRN_QUERY_ENUM && number != CAIRN_NO_NUMBER) {
        const int64_t *by = s->by_number ? s->by_number : s->order;
        const int64_t  g  = cairn_query_find_group(set, q, group);
        const int64_t  k =
            g < 0 ? -1
                   : search(set, s->number, by, s->first[g], s->first[g + 1], number);

        if (k >= 0) {
            CAIRN_TRY(is_known(set, q, g, cairn_order_at(by, k), found));
            *found = *found && numbered(set, q, by, k, at);
        } else
            CAIRN_TRY(find_rest(set, q, number, group, g, at, found));
    }
    if (*found) memcpy(d, at, (size_t)set->order * sizeof *d);
    return CAIRN_OK;
}
