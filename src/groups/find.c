// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a number back to the element that has it: a search among the group's elements, then
/// the k-th position that is none of them.

#include "groups/spread.h"

#include <assert.h>
#include <string.h>

/// Element of group @p g with the number, or -1.
static int64_t search(const cairn_group_query *s, int64_t g, int64_t number)
{
    int64_t lo = s->index.begin[g], hi = s->index.begin[g + 1], guess;

    if (lo == hi) return -1;
    if (s->enumerated.in_turn)
        return __builtin_sub_overflow(number, s->enumerated.from, &guess) || guess < 0
                       || guess >= hi - lo
                   ? -1
                   : cairn_groups_by_number(s, lo + guess);
    const int64_t last = s->enumerated.number[cairn_groups_by_number(s, hi - 1)];

    /* most that are looked for are elements without an entry, behind all others */
    if (number > last) return -1;
    /* and numbers mostly have no gaps */
    if (!__builtin_sub_overflow(last, number, &guess) && guess < hi - lo
        && s->enumerated.number[cairn_groups_by_number(s, hi - 1 - guess)] == number)
        return cairn_groups_by_number(s, hi - 1 - guess);
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2, p = cairn_groups_by_number(s, mid);

        if (s->enumerated.number[p] == number) return p;
        if (s->enumerated.number[p] < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

/// The k-th rank that is not skipped.
static int64_t free_rank(const int64_t *skip, int64_t skips, int64_t k)
{
    return k + cairn_group_skips_before(skip, skips, k);
}

/* ---- groups whose keys are no digits: lists ---- */

/// Elements of a group that are not numbered with those without an entry, in key order.
typedef struct {
    cairn_groups          *set;
    int                    q;
    int64_t                g; ///< -1: it has no elements.
    int64_t                k, end;
    int64_t                number; ///< Of the next one's position; -1: there is none.
    const cairn_group_box *box;
} skipping;

static cairn_status next_skip(skipping *s)
{
    const cairn_group_query *query = &s->set->query[s->q];
    cairn_coord              d[CAIRN_MAX_ORDER];

    s->number = -1;
    for (; s->k < s->end && s->number < 0; s->k++) {
        const int64_t p = cairn_group_index_element(&query->index, s->k);

        if (query->enumerated.rest_arm
            && query->enumerated.arm[p] == query->enumerated.rest_arm[s->g])
            continue;
        CAIRN_TRY(cairn_groups_position(s->set, s->q, p, d));
        s->number = cairn_group_box_number(&query->forms.order, s->box, d);
    }
    return CAIRN_OK;
}

static cairn_status begin_skips(cairn_groups          *set,
                                int                    q,
                                int64_t                g,
                                const cairn_group_box *box,
                                skipping              *s)
{
    const cairn_group_index *x = &set->query[q].index;

    *s = (skipping){.set = set, .q = q, .g = g, .box = box, .number = -1};
    if (g < 0) return CAIRN_OK;
    s->k   = x->begin[g];
    s->end = x->begin[g + 1];
    return next_skip(s);
}

/// List at least @p most positions that are not skipped, in key order, if there are so many.
static cairn_status list_positions(cairn_groups          *set,
                                   int                    q,
                                   const cairn_group_box *box,
                                   int64_t                g,
                                   int64_t                most,
                                   cairn_group_list      *list)
{
    cairn_line_runs runs;
    skipping        skip;
    int64_t         number = 0;
    cairn_status    status;

    if (most > box->size) most = box->size;
    CAIRN_TRY(cairn_realloc(set->env, most, sizeof *list->t, (void **)&list->t));
    CAIRN_TRY(begin_skips(set, q, g, box, &skip));
    CAIRN_TRY(cairn_line_runs_init(set->env, &set->query[q].forms.order, box, &runs));
    list->n = 0;
    while (list->n < most) {
        CAIRN_GO(done, cairn_line_runs_next(&runs, &number));
        if (number < 0) break;
        if (number == skip.number)
            CAIRN_GO(done, next_skip(&skip));
        else
            list->t[list->n++] = number;
    }
    list->complete = list->n < most || most == box->size;
    status         = CAIRN_OK;
done:
    cairn_line_runs_fini(&runs);
    return status;
}

/// The list of a group, which holds number @p k or is complete.
static cairn_status find_list(cairn_groups            *set,
                              int                      q,
                              const int64_t           *group,
                              const cairn_group_box   *box,
                              int64_t                  g,
                              int64_t                  k,
                              const cairn_group_list **found)
{
    cairn_group_query *s    = &set->query[q];
    const int64_t      kept = s->lists.group.n;
    int64_t            at;

    if (kept == s->lists.room) {
        const int64_t more = 2 * s->lists.room + 16;

        CAIRN_TRY(cairn_realloc(set->env, more, sizeof *s->lists.list,
                                (void **)&s->lists.list));
        s->lists.room = more;
    }
    CAIRN_TRY(cairn_tuples_add(set->env, &s->lists.group, group, &at));
    cairn_group_list *list = &s->lists.list[at];

    if (at == kept) *list = (cairn_group_list){.n = 0};
    if (k >= list->n && !list->complete)
        CAIRN_TRY(list_positions(set, q, box, g, k < 3 ? 4 : 2 * k, list));
    *found = list;
    return CAIRN_OK;
}

/* ---- elements without an entry ---- */

/// Element number @p k of those of the group that are not skipped, from a list.
static cairn_status at_list(cairn_groups          *set,
                            int                    q,
                            const int64_t         *group,
                            const cairn_group_box *box,
                            int64_t                g,
                            int64_t                k,
                            cairn_coord           *d,
                            bool                  *found)
{
    const cairn_group_list *list;

    if (k < 0 || k >= box->size) return CAIRN_OK;
    CAIRN_TRY(find_list(set, q, group, box, g, k, &list));
    if (k >= list->n) return CAIRN_OK;
    *found = true;
    cairn_group_box_place(&set->query[q].forms.order, box, list->t[k], d);
    return CAIRN_OK;
}

/// The same by arithmetic.
static cairn_status at_rank(cairn_groups          *set,
                            int                    q,
                            const cairn_group_box *box,
                            int64_t                g,
                            int64_t                k,
                            cairn_coord           *d,
                            bool                  *found)
{
    cairn_group_query *s = &set->query[q];

    if (g >= 0) CAIRN_TRY(cairn_groups_find_skips(set, q, g));
    const int64_t skips = g < 0 ? 0 : s->enumerated.skips[g];

    if (k < 0 || k >= box->size - skips) return CAIRN_OK;
    *found = true;
    cairn_group_box_at(
        &s->forms.order, box,
        skips ? free_rank(s->enumerated.skip + s->index.begin[g], skips, k) : k, d);
    return CAIRN_OK;
}

/// The same of group number @p g, or -1.
static cairn_status find_remainder(cairn_groups          *set,
                                   int                    q,
                                   int64_t                g,
                                   const int64_t         *group,
                                   cairn_group_remainder *rest)
{
    cairn_group_query *s = &set->query[q];
    cairn_coord        d[CAIRN_MAX_ORDER];
    int                arm;

    rest->any = false;
    rest->g   = g;
    if (s->rest.one && s->rest.start.kind == CAIRN_START_NONE) return CAIRN_OK;
    if (cairn_groups_crosses(set, &s->forms.group, group)) return CAIRN_OK;
    cairn_group_box_enter(&s->forms.order, group, &rest->box);
    if (rest->box.empty) return CAIRN_OK;
    if (rest->g >= 0) {
        if (rest->box.size == s->index.begin[rest->g + 1] - s->index.begin[rest->g])
            return CAIRN_OK;
        rest->start = s->enumerated.rest_start[rest->g];
    } else if (s->rest.one && s->rest.start.kind == CAIRN_START_CONST) {
        rest->start = s->rest.start.value;
    } else {
        cairn_group_box_first(&s->forms.order, &rest->box, d);
        const cairn_status status =
            cairn_groups_rest_of_none(set, q, d, &arm, &rest->start);

        if (status == CAIRN_OVERFLOW) return CAIRN_OK;
        CAIRN_TRY(status);
    }
    rest->any = rest->start != CAIRN_NO_NUMBER;
    return CAIRN_OK;
}

cairn_status cairn_groups_find_remainder(cairn_groups          *set,
                                         int                    q,
                                         const int64_t         *group,
                                         cairn_group_remainder *rest)
{
    return find_remainder(set, q, cairn_group_index_find(&set->query[q].index, group),
                          group, rest);
}

cairn_status cairn_groups_list_remainder(cairn_groups                *set,
                                         int                          q,
                                         const int64_t               *group,
                                         const cairn_group_remainder *rest,
                                         int64_t                      k,
                                         int64_t                      n,
                                         cairn_coord *const          *d,
                                         bool                        *found,
                                         int64_t                      at)
{
    cairn_coord one[CAIRN_MAX_ORDER];

    for (int64_t p = 0; p < n; p++) {
        bool *const its = &found[at + p];

        CAIRN_TRY(at_list(set, q, group, &rest->box, rest->g, k + p, one, its));
        for (int j = 0; j < set->order && *its; j++)
            d[j][at + p] = one[j];
    }
    return CAIRN_OK;
}

static cairn_status find_rest(cairn_groups  *set,
                              int            q,
                              int64_t        number,
                              int64_t        g,
                              const int64_t *group,
                              cairn_coord   *d,
                              bool          *found)
{
    cairn_group_remainder rest;
    int64_t               k;

    CAIRN_TRY(find_remainder(set, q, g, group, &rest));
    if (!rest.any || __builtin_sub_overflow(number, rest.start, &k)) return CAIRN_OK;
    return set->query[q].forms.order.runs.on
               ? at_list(set, q, group, &rest.box, rest.g, k, d, found)
               : at_rank(set, q, &rest.box, rest.g, k, d, found);
}

/// The element that has a place, or -1: it is another rank's.
static int64_t search_places(const cairn_group_query *s, int64_t number)
{
    int64_t lo = 0, hi = s->elements;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (s->enumerated.number[s->enumerated.by_number[mid]] < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->elements
                   && s->enumerated.number[s->enumerated.by_number[lo]] == number
               ? s->enumerated.by_number[lo]
               : -1;
}

int64_t cairn_groups_at_place(const cairn_groups *set, int q, int64_t number)
{
    const cairn_group_query *s = &set->query[q];

    if (set->spread) return search_places(s, number);
    return number >= 0 && number < s->elements ? s->enumerated.by_number[number] : -1;
}

/// The group that has a place.
static void
find_place(const cairn_groups *set, int q, int64_t number, cairn_coord *d, bool *found)
{
    const int64_t e = cairn_groups_at_place(set, q, number);

    *found = e >= 0;
    if (*found)
        memcpy(d, set->query[q].first + e * set->order, (size_t)set->order * sizeof *d);
}

/// The element with a number in a group, of an enum.
static cairn_status find(cairn_groups  *set,
                         int            q,
                         int64_t        number,
                         const int64_t *group,
                         cairn_coord   *d,
                         bool          *found)
{
    if (set->query[q].enumerated.later) CAIRN_TRY(cairn_groups_find_numbers(set, q));
    const int64_t g = cairn_group_index_find(&set->query[q].index, group);
    const int64_t p = g < 0 ? -1 : search(&set->query[q], g, number);

    if (p < 0) return find_rest(set, q, number, g, group, d, found);
    *found = true;
    return cairn_groups_position(set, q, p, d);
}

cairn_status cairn_groups_element(cairn_groups  *set,
                                  int            q,
                                  int64_t        number,
                                  const int64_t *group,
                                  cairn_coord   *d,
                                  bool          *found)
{
    const int64_t before = set->env->visited;
    cairn_coord   at[CAIRN_MAX_ORDER];

    if (set->definition) {
        const cairn_status status =
            cairn_query_element(set->definition, q, number, group, d, found);

        set->query[q].visits += set->env->visited - before;
        return status;
    }
    *found = false;
    if (number == CAIRN_NO_NUMBER || set->query[q].query->func == CAIRN_QUERY_SCHEDULE
        || set->query[q].query->func == CAIRN_QUERY_SUM)
        return CAIRN_OK;
    cairn_visit(set->env, 1);
    cairn_status status = CAIRN_OK;

    if (set->query[q].query->func == CAIRN_QUERY_ENUM)
        status = find(set, q, number, group, at, found);
    else
        find_place(set, q, number, at, found);

    set->query[q].visits += set->env->visited - before;
    if (status == CAIRN_OK && *found) memcpy(d, at, (size_t)set->order * sizeof *d);
    return status;
}

/* ---- many at once ---- */

/// Groups of the rows, or -1.
static void find_groups(const cairn_group_query *s,
                        int                      n,
                        const int64_t *const    *group,
                        const bool              *ok,
                        int64_t                 *g)
{
    const int width = s->forms.group.count;
    int64_t   tuple[CAIRN_MAX_LEVELS];

    for (int p = 0; p < n; p++) {
        g[p] = -1;
        if (!ok[p]) continue;
        for (int f = 0; f < width; f++)
            tuple[f] = group[f][p];
        g[p] = cairn_group_index_find(&s->index, tuple);
    }
}

/// Leave out those of the numbers that elements with an entry have; which they are is not
/// looked up where numbers follow each other.
static void leave_entries(const cairn_group_query *s,
                          int                      n,
                          const int64_t           *number,
                          const int64_t           *g,
                          bool                    *ok)
{
    const cairn_group_index *x = &s->index;
    int64_t                  k;

    for (int p = 0; p < n; p++) {
        if (g[p] < 0) continue;
        if (!s->enumerated.in_turn)
            ok[p] = search(s, g[p], number[p]) < 0;
        else if (!__builtin_sub_overflow(number[p], s->enumerated.from, &k))
            ok[p] = k < 0 || k >= x->begin[g[p] + 1] - x->begin[g[p]];
    }
}

/// Those without an entry.
static cairn_status find_rests(cairn_groups         *set,
                               int                   q,
                               int                   n,
                               const int64_t        *number,
                               const int64_t *const *group,
                               const int64_t        *g,
                               const int64_t        *element,
                               cairn_coord *const   *d,
                               bool                 *ok)
{
    const int   width = set->query[q].forms.group.count;
    int64_t     tuple[CAIRN_MAX_LEVELS];
    cairn_coord at[CAIRN_MAX_ORDER];

    for (int p = 0; p < n; p++) {
        if (!ok[p] || element[p] >= 0) continue;
        for (int f = 0; f < width; f++)
            tuple[f] = group[f][p];
        ok[p] = false;
        if (number[p] != CAIRN_NO_NUMBER)
            CAIRN_TRY(find_rest(set, q, number[p], g[p], tuple, at, &ok[p]));
        for (int k = 0; k < set->order; k++)
            d[k][p] = ok[p] ? at[k] : 0;
    }
    return CAIRN_OK;
}

cairn_status cairn_groups_find_all(cairn_groups         *set,
                                   int                   q,
                                   bool                  rests,
                                   int                   n,
                                   const int64_t        *number,
                                   const int64_t *const *group,
                                   cairn_coord *const   *d,
                                   bool                 *ok)
{
    const cairn_group_query *s = &set->query[q];
    int64_t                  g[CAIRN_GROUPS_AT_ONCE], element[CAIRN_GROUPS_AT_ONCE];
    cairn_coord              at[CAIRN_MAX_ORDER];

    assert(n <= CAIRN_GROUPS_AT_ONCE && !set->definition);
    if (s->enumerated.later) CAIRN_TRY(cairn_groups_find_numbers(set, q));
    cairn_visit(set->env, n);
    find_groups(s, n, group, ok, g);
    if (rests) leave_entries(s, n, number, g, ok);
    /* one loop, so that what is waited for at one of them does not hold up the others */
    for (int p = 0; p < n; p++)
        element[p] = rests || g[p] < 0 ? -1 : search(s, g[p], number[p]);
    for (int k = 0; k < set->order && s->query->arg < 0; k++)
        for (int p = 0; p < n; p++)
            d[k][p] = element[p] < 0 ? 0 : set->entries->coord[k][element[p]];
    for (int p = 0; p < n && s->query->arg >= 0; p++) {
        if (element[p] >= 0) CAIRN_TRY(cairn_groups_position(set, q, element[p], at));
        for (int k = 0; k < set->order; k++)
            d[k][p] = element[p] < 0 ? 0 : at[k];
    }
    return find_rests(set, q, n, number, group, g, element, d, ok);
}
