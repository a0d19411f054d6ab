// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All groups of a sum that have a position: every combination of values that its forms may
/// have is tried, or every position of the dimensions that they use, whichever is less.

#include "format/points.h"
#include "query/set.h"

/// Groups while they are listed.
typedef struct {
    cairn_query_set       *set;
    const cairn_query_map *map;
    cairn_query_table     *table;
    cairn_interval         box[CAIRN_MAX_ORDER]; ///< Positions that are tried.
    cairn_interval         range[CAIRN_MAX_LEVELS];
    int64_t                n;
    int64_t               *column[CAIRN_MAX_LEVELS]; ///< [n] of each form.
} lister;

static cairn_status make_room(lister *l, __int128 most)
{
    cairn_env *env = l->set->env;

    CAIRN_TRY(
        cairn_check_room(env, "groups of a query", most * (16 * l->map->count + 48)));
    CAIRN_CHECK(most <= INT64_MAX / 512, env, CAIRN_NO_MEMORY,
                "query: the groups are too many to list");
    for (int f = 0; f < l->map->count; f++)
        CAIRN_TRY(CAIRN_NEW(env, (int64_t)most, &l->column[f]));
    return CAIRN_OK;
}

static void add(lister *l, const int64_t *tuple)
{
    for (int f = 0; f < l->map->count; f++)
        l->column[f][l->n] = tuple[f];
    l->n++;
}

/// The next combination of values; false after the last.
static bool next(int n, const cairn_interval *range, int64_t *at)
{
    for (int k = n - 1; k >= 0; k--) {
        if (at[k] < range[k].hi) return at[k]++, true;
        at[k] = range[k].lo;
    }
    return false;
}

static cairn_status try_values(lister *l, __int128 most)
{
    const int   n = l->map->count;
    int64_t     tuple[CAIRN_MAX_LEVELS];
    cairn_coord d[CAIRN_MAX_ORDER];

    CAIRN_TRY(make_room(l, most));
    for (int f = 0; f < n; f++)
        tuple[f] = l->range[f].lo;
    do
        if (cairn_group_first(l->set, l->map, tuple, l->box, d)) add(l, tuple);
    while (next(n, l->range, tuple));
    return CAIRN_OK;
}

static cairn_status try_positions(lister *l, __int128 most)
{
    cairn_query_set *set = l->set;
    int64_t          tuple[CAIRN_MAX_LEVELS];
    cairn_coord      d[CAIRN_MAX_ORDER];
    cairn_element    element;

    CAIRN_TRY(make_room(l, most));
    cairn_visit(set->env, (int64_t)most);
    for (int k = 0; k < set->order; k++)
        d[k] = l->box[k].lo;
    do {
        cairn_element_at(set, d, l->map->queries ? cairn_entry_find(set, d) : -1,
                         &element);
        CAIRN_TRY(cairn_query_tuple(set, l->map, &element, tuple));
        add(l, tuple);
    } while (next(set->order, l->box, d));
    return CAIRN_OK;
}

static cairn_status list_tuples(lister *l)
{
    const cairn_query_set *set    = l->set;
    uint32_t               used   = 0;
    __int128               values = 1, positions = 1;

    for (int f = 0; f < l->map->count; f++)
        used |= cairn_form_dims(set->algebra, &l->map->form[f]);
    for (int k = 0; k < set->order; k++) {
        l->box[k] = set->domain[k];
        if (!l->map->queries && !(used >> k & 1)) l->box[k].hi = l->box[k].lo;
        positions =
            cairn_count_times((int64_t)positions, cairn_interval_size(l->box[k]));
    }
    if (l->map->queries) return try_positions(l, positions);
    for (int f = 0; f < l->map->count; f++) {
        CAIRN_TRY(cairn_form_range(set->algebra, &l->map->form[f], set->domain, NULL,
                                   &l->range[f]));
        values = cairn_count_times((int64_t)values, cairn_interval_size(l->range[f]));
    }
    return values < positions ? try_values(l, values) : try_positions(l, positions);
}

/// First positions of groups that cannot be searched for: all have been tried, the last one
/// that is written down here is the first.
static cairn_status keep_first(lister *l, const int64_t *group_of)
{
    cairn_query_set   *set   = l->set;
    cairn_query_table *table = l->table;

    CAIRN_TRY(CAIRN_NEW(set->env, table->n * set->order, &table->first));
    for (int64_t p = l->n - 1; p >= 0; p--)
        cairn_box_position(set, p, table->first + group_of[p] * set->order);
    return CAIRN_OK;
}

static cairn_status find_totals(cairn_query_set *set, int q, cairn_query_table *table)
{
    const cairn_query_table *touched = &set->state[q].touched;

    CAIRN_TRY(CAIRN_NEW(set->env, table->n, &table->total));
    cairn_visit(set->env, table->n);
    for (int64_t g = 0; g < table->n; g++) {
        const int64_t *tuple = cairn_query_table_at(table, g);
        const int64_t  known = cairn_query_table_find(touched, tuple);

        if (known >= 0)
            table->total[g] = touched->total[known];
        else
            CAIRN_TRY(cairn_sum_untouched(set, q, tuple, &table->total[g]));
    }
    return CAIRN_OK;
}

cairn_status cairn_query_list(cairn_query_set *set, int q)
{
    cairn_query_state *s        = &set->state[q];
    lister             l        = {.set = set, .map = &s->group, .table = &s->listed};
    int64_t           *group_of = NULL;
    cairn_status       status;

    if (s->listed.known) return CAIRN_OK;
    s->listed.width = s->group.count;
    if (!cairn_box_is_empty(set->domain, set->order)) CAIRN_GO(done, list_tuples(&l));
    if (s->group.queries) CAIRN_GO(done, CAIRN_NEW(set->env, l.n, &group_of));
    CAIRN_GO(done, cairn_query_table_make(set->env, l.n, s->group.count, l.column,
                                          &s->listed, group_of, NULL));
    if (group_of) CAIRN_GO(done, keep_first(&l, group_of));
    CAIRN_GO(done, find_totals(set, q, &s->listed));
done:
    cairn_free(set->env, group_of);
    for (int f = 0; f < s->group.count; f++)
        cairn_free(set->env, l.column[f]);
    return status;
}
