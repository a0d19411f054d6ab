// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups of records, by sorting them.

#include "query/set.h"

void cairn_query_table_fini(cairn_env *env, cairn_query_table *table)
{
    cairn_free(env, table->tuple);
    cairn_free(env, table->total);
    cairn_free(env, table->held);
    cairn_free(env, table->first);
    *table = (cairn_query_table){.width = table->width};
}

int64_t cairn_query_table_find(const cairn_query_table *table, const int64_t *tuple)
{
    int64_t lo = 0, hi = table->n, guess;

    /* rows mostly have no gaps */
    if (table->width == 1 && hi > 0
        && !__builtin_sub_overflow(tuple[0], table->tuple[0], &guess) && guess >= 0
        && guess < hi && table->tuple[guess] == tuple[0])
        return guess;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const int     at =
            cairn_tuple_compare(table->width, cairn_query_table_at(table, mid), tuple);

        if (at == 0) return mid;
        if (at < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

static bool differ(int width, int64_t *const *column, int64_t p, int64_t than)
{
    for (int k = 0; k < width; k++)
        if (column[k][p] != column[k][than]) return true;
    return false;
}

cairn_status cairn_query_table_make(cairn_env         *env,
                                    int64_t            n,
                                    int                keys,
                                    int64_t *const    *column,
                                    cairn_query_table *table,
                                    int64_t           *group_of,
                                    int64_t           *order)
{
    const int    width = table->width;
    int64_t     *own = NULL, groups = 0;
    cairn_status status;

    if (!order) CAIRN_GO(done, CAIRN_NEW(env, n, &own));
    if (!order) order = own;
    CAIRN_GO(done,
             cairn_sort_order(env, n, keys, (const int64_t *const *)column, order));
    cairn_visit(env, 2 * n);
    for (int64_t k = 0; k < n; k++)
        groups += k == 0 || differ(width, column, order[k], order[k - 1]);
    CAIRN_GO(done, CAIRN_NEW(env, groups * width, &table->tuple));
    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || differ(width, column, order[k], order[k - 1])) {
            for (int f = 0; f < width; f++)
                table->tuple[table->n * width + f] = column[f][order[k]];
            table->n++;
        }
        if (group_of) group_of[order[k]] = table->n - 1;
    }
    table->known = true;
done:
    cairn_free(env, own);
    return status;
}

/// Whose each element is, as a column.
static cairn_status share_column(cairn_query_set *set, int q, int64_t **column)
{
    const int64_t n = set->state[q].elements.n;
    cairn_element element;

    CAIRN_TRY(CAIRN_NEW(set->env, n, column));
    for (int64_t p = 0; p < n; p++) {
        cairn_element_get(set, q, p, &element);
        (*column)[p] = cairn_element_share(set, &element);
    }
    return CAIRN_OK;
}

cairn_status cairn_query_group(cairn_query_set *set, int q, int64_t *order)
{
    cairn_query_state     *s                                = &set->state[q];
    const cairn_query_map *map[2]                           = {&s->group, &s->traverse};
    int64_t               *column[2 * CAIRN_MAX_LEVELS + 1] = {NULL};
    int                    keys                             = s->own;
    cairn_status           status                           = CAIRN_OK;

    s->touched.width = s->own + s->group.count;
    if (s->own) CAIRN_GO(done, share_column(set, q, &column[0]));
    for (int m = 0; m < (order ? 2 : 1); m++)
        for (int f = 0; f < map[m]->count; f++)
            CAIRN_GO(done, cairn_elements_column(set, q, map[m], f, &column[keys++]));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->elements.n, &s->num.group_of));
    status = cairn_query_table_make(set->env, s->elements.n, keys, column, &s->touched,
                                    s->num.group_of, order);
done:
    for (int k = 0; k < 2 * CAIRN_MAX_LEVELS + 1; k++)
        cairn_free(set->env, column[k]);
    return status;
}

int64_t cairn_query_find_group(const cairn_query_set *set, int q, const int64_t *tuple)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  key[CAIRN_MAX_LEVELS + 1];

    key[0] = set->rank;
    if (s->group.count)
        memcpy(key + s->own, tuple, (size_t)s->group.count * sizeof *tuple);
    return cairn_query_table_find(&s->touched, key);
}
