// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `reorder` and `schedule`: all groups of an earlier query, empty ones too, in the order of
/// their windows and keys. They are given places that run on over the windows, or in each
/// window a bucket, that with the least load, the first of equals. The buckets are one
/// device's: ranks schedule each its own groups.

#include "query/set.h"

/// Keys of all elements: the rank, if each has its own; windows; the value; traverse.
typedef struct {
    int64_t *key[2 * CAIRN_MAX_LEVELS + 2];
    int      keys, windows;
    int64_t *value; ///< [n]
} columns;

static void columns_fini(cairn_env *env, columns *c)
{
    for (int k = 0; k < c->keys; k++)
        cairn_free(env, c->key[k]);
    cairn_free(env, c->value);
}

static cairn_status
add_columns(cairn_query_set *set, int q, const cairn_query_map *map, columns *c)
{
    for (int f = 0; f < map->count; f++)
        CAIRN_TRY(cairn_elements_column(set, q, map, f, &c->key[c->keys++]));
    return CAIRN_OK;
}

/// Values of the groups; and if they order them, complemented for `descend`.
static cairn_status add_values(cairn_query_set *set, int q, columns *c)
{
    const cairn_query_state *s     = &set->state[q];
    const int64_t           *total = set->state[s->query->arg].listed.total;
    const bool               order = s->query->func == CAIRN_QUERY_REORDER;

    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->value));
    if (order) CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &c->key[c->keys++]));
    cairn_visit(set->env, s->elements.n);
    for (int64_t p = 0; p < s->elements.n; p++) {
        c->value[p] = total[s->elements.group ? s->elements.group[p] : p];
        if (order)
            c->key[c->keys - 1][p] = s->query->descend ? ~c->value[p] : c->value[p];
    }
    return CAIRN_OK;
}

static cairn_status order_groups(cairn_query_set *set, int q, columns *c)
{
    cairn_query_state *s = &set->state[q];
    const int64_t      n = s->elements.n;

    if (s->own) {
        CAIRN_TRY(CAIRN_NEW(set->env, n, &c->key[c->keys++]));
        memcpy(c->key[0], s->elements.share, (size_t)n * sizeof *s->elements.share);
    }
    CAIRN_TRY(add_columns(set, q, &s->group, c));
    c->windows = c->keys;
    CAIRN_TRY(add_values(set, q, c));
    CAIRN_TRY(add_columns(set, q, &s->traverse, c));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &s->num.number));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &s->num.order));
    return cairn_sort_order(set->env, n, c->keys, (const int64_t *const *)c->key,
                            s->num.order);
}

cairn_status cairn_query_run_reorder(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    columns            c = {.keys = 0};
    cairn_status       status;

    CAIRN_TRY(cairn_elements_find(set, q, true));
    status = order_groups(set, q, &c);
    columns_fini(set->env, &c);
    for (int64_t k = 0; status == CAIRN_OK && k < s->elements.n; k++)
        s->num.number[s->num.order[k]] = k;
    return status;
}

/* ---- buckets ---- */

/// Buckets as a heap by (load, number).
typedef struct {
    int64_t n;
    struct bucket {
        int64_t load, number;
    } * heap; ///< [n]
} buckets;

static bool less(const struct bucket *x, const struct bucket *y)
{
    return x->load != y->load ? x->load < y->load : x->number < y->number;
}

/// Let the bucket at the top sink to where its load belongs.
static void sink(buckets *b)
{
    int64_t at = 0, child;

    while ((child = 2 * at + 1) < b->n) {
        if (child + 1 < b->n && less(&b->heap[child + 1], &b->heap[child])) child++;
        if (!less(&b->heap[child], &b->heap[at])) return;
        const struct bucket down = b->heap[at];

        b->heap[at]    = b->heap[child];
        b->heap[child] = down;
        at             = child;
    }
}

/// Hand out groups order[0..n-1] of one window. At most n buckets can be used.
static cairn_status hand_out(cairn_query_set *set,
                             int              q,
                             const columns   *c,
                             const int64_t   *order,
                             buckets         *b)
{
    cairn_query_state *s = &set->state[q];
    const int64_t      n = b->n;

    if (b->n > s->query->buckets) b->n = s->query->buckets;
    for (int64_t k = 0; k < b->n; k++)
        b->heap[k] = (struct bucket){0, k};
    for (int64_t k = 0; k < n; k++) {
        s->num.number[order[k]] = b->heap[0].number;
        CAIRN_CHECK(!__builtin_add_overflow(b->heap[0].load, c->value[order[k]],
                                            &b->heap[0].load),
                    set->env, CAIRN_OVERFLOW,
                    "query: schedule: the load of a bucket leaves 64 bits");
        sink(b);
    }
    return CAIRN_OK;
}

static bool same_window(const columns *c, int64_t x, int64_t y)
{
    for (int k = 0; k < c->windows; k++)
        if (c->key[k][x] != c->key[k][y]) return false;
    return true;
}

static cairn_status hand_out_all(cairn_query_set *set, int q, const columns *c)
{
    const cairn_query_state *s = &set->state[q];
    const int64_t            n = s->elements.n;
    buckets                  b = {.n = 0};
    cairn_status             status =
        CAIRN_NEW(set->env, n < s->query->buckets ? n : s->query->buckets, &b.heap);

    cairn_visit(set->env, n);
    for (int64_t begin = 0, end; begin < n && status == CAIRN_OK; begin = end) {
        end = begin + 1;
        while (end < n && same_window(c, s->num.order[begin], s->num.order[end]))
            end++;
        b.n    = end - begin;
        status = hand_out(set, q, c, s->num.order + begin, &b);
    }
    cairn_free(set->env, b.heap);
    return status;
}

cairn_status cairn_query_run_schedule(cairn_query_set *set, int q)
{
    columns      c = {.keys = 0};
    cairn_status status;

    CAIRN_TRY(cairn_elements_find(set, q, true));
    status = order_groups(set, q, &c);
    if (status == CAIRN_OK) status = hand_out_all(set, q, &c);
    columns_fini(set->env, &c);
    return status;
}
