// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `schedule`: the groups of an earlier query, in traverse order, each to the bucket with
/// the least load. The buckets are one device's: a rank schedules its own groups.

#include "query/buckets.h"
#include "query/set.h"

#include <string.h>

/// Keys: windows, traverse, id.
typedef struct {
    cairn_column   column[3 * CAIRN_MAX_LEVELS];
    int            windows, keys;
    const int64_t *key[3 * CAIRN_MAX_LEVELS];
} columns;

static cairn_status
add_columns(cairn_query_set *set, int q, const cairn_query_map *map, columns *c)
{
    for (int f = 0; f < map->count; f++, c->keys++) {
        CAIRN_TRY(cairn_elements_column(set, &set->state[q].elements, map, f,
                                        &c->column[c->keys]));
        c->key[c->keys] = c->column[c->keys].data;
    }
    return CAIRN_OK;
}

static bool same_window(const columns *c, int64_t x, int64_t y)
{
    for (int k = 0; k < c->windows; k++)
        if (c->key[k][x] != c->key[k][y]) return false;
    return true;
}

/// Hand out groups order[0..n-1] of one window. At most n buckets can be used.
static cairn_status
hand_out(cairn_query_set *set, int q, const int64_t *order, int64_t n, cairn_buckets *b)
{
    cairn_query_state *s    = &set->state[q];
    const int64_t     *load = set->state[s->query->arg].total;

    cairn_buckets_start(b, n < s->query->buckets ? n : s->query->buckets);
    for (int64_t k = 0; k < n; k++)
        if (!cairn_buckets_add(b, load[order[k]], &s->number[order[k]]))
            return cairn_fail(set->env, CAIRN_OVERFLOW,
                              "query: schedule: the load of a bucket leaves 64 bits");
    return CAIRN_OK;
}

static cairn_status hand_out_all(cairn_query_set *set,
                                 int              q,
                                 const columns   *c,
                                 const int64_t   *order,
                                 cairn_buckets   *b)
{
    const int64_t n = set->state[q].elements.n;

    cairn_visit(set->env, 2 * n);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && same_window(c, order[begin], order[end]))
            end++;
        CAIRN_TRY(hand_out(set, q, order + begin, end - begin, b));
    }
    return CAIRN_OK;
}

static cairn_status
run(cairn_query_set *set, int q, columns *c, int64_t *order, cairn_buckets *b)
{
    cairn_query_state *s = &set->state[q];

    CAIRN_TRY(add_columns(set, q, &s->group, c));
    c->windows = c->keys;
    CAIRN_TRY(add_columns(set, q, &s->traverse, c));
    CAIRN_TRY(add_columns(set, q, &set->state[s->query->arg].group, c));
    CAIRN_CHECK(c->keys <= CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER, set->env,
                CAIRN_UNSUPPORTED, "query: schedule: more than %d keys",
                CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER);
    CAIRN_TRY(cairn_sort_order(set->env, s->elements.n, c->keys, c->key, order));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->number));
    CAIRN_TRY(hand_out_all(set, q, c, order, b));
    return CAIRN_NEW(set->env, set->entries->n, &s->at_entry);
}

/// Room for as many buckets as can be used.
static cairn_status make_buckets(cairn_query_set *set, int q, cairn_buckets *b)
{
    const cairn_query_state *s    = &set->state[q];
    const int64_t           *load = set->state[s->query->arg].total;
    const int64_t            n    = s->elements.n;
    bool                     ring = true;

    for (int64_t g = 0; g < n; g++)
        ring = ring && load[g] >= 0;
    return cairn_buckets_init(set->env, n < s->query->buckets ? n : s->query->buckets,
                              ring, b);
}

cairn_status cairn_query_run_schedule(cairn_query_set *set, int q)
{
    cairn_query_state *s     = &set->state[q];
    columns            c     = {.keys = 0};
    cairn_buckets      b     = {.n = 0};
    int64_t           *order = NULL;
    cairn_status       status;

    CAIRN_TRY(cairn_elements_of(set, q, true, &s->elements));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->elements.n, &order));
    CAIRN_GO(done, make_buckets(set, q, &b));
    status = run(set, q, &c, order, &b);
done:
    for (int k = 0; k < 3 * CAIRN_MAX_LEVELS; k++)
        cairn_free(set->env, c.column[k].own);
    cairn_free(set->env, order);
    cairn_buckets_fini(set->env, &b);
    return status;
}
