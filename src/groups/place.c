// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `reorder` and `schedule`: all groups of an earlier sum, those without an element too,
/// listed by arithmetic and put in order: by value, or each handed to a bucket.

#include "entries/entries.h"
#include "format/columns.h"
#include "format/points.h"
#include "groups/buckets.h"
#include "groups/spread.h"
#include "groups/walk.h"

#include <assert.h>
#include <string.h>

/* Groups that are listed at a cost that goes with entries. */
enum { GROUPS_PER_ENTRY = 4, GROUPS_ALWAYS = 4096 };

enum { ROWS = 256 }; /* of groups that are looked at together */

/// The groups that are put in order, in the order of their forms.
typedef struct {
    int64_t        n;
    int            width, order;
    cairn_coord   *d;                             ///< [n][order] first positions.
    const int64_t *id[CAIRN_MAX_LEVELS];          ///< [width] columns of their values,
    int64_t       *tuple;                         ///< in this.
    int64_t       *value;                         ///< [n] of the sum.
    int64_t       *key[2 * CAIRN_MAX_LEVELS + 1]; ///< Own columns, NULL-ended.
    int            keys, windows;
} listing;

static void listing_fini(cairn_env *env, listing *l)
{
    cairn_free(env, l->d);
    cairn_free(env, l->tuple);
    cairn_free(env, l->value);
    for (int k = 0; k < l->keys; k++)
        cairn_free(env, l->key[k]);
}

/// Has the group that begins at @p d a position in this rank's box?
static bool is_here(const cairn_groups *set,
                    const cairn_forms  *map,
                    const int64_t      *tuple,
                    const cairn_coord  *d)
{
    cairn_points points;
    cairn_coord  some[CAIRN_MAX_ORDER];

    if (!set->spread || (d[0] >= set->box[0].lo && d[0] <= set->box[0].hi)) return true;
    cairn_points_init(&points, set->algebra, map->count, map->form, tuple, set->box);
    const bool found = cairn_points_next(&points, some);

    cairn_visit(set->env, points.steps);
    return found;
}

/// Some groups of a listing, by columns.
typedef struct {
    int64_t        begin, n;
    cairn_coord    at[CAIRN_MAX_ORDER][ROWS]; ///< First positions,
    cairn_coord   *to[CAIRN_MAX_ORDER];       ///< where they are,
    const int64_t *from[CAIRN_MAX_ORDER];     ///< and are read.
} chunk;

static void chunk_init(chunk *c)
{
    c->begin = c->n = 0;
    for (int k = 0; k < CAIRN_MAX_ORDER; k++)
        c->from[k] = c->to[k] = c->at[k];
}

/// The groups behind those of a chunk; false: there are none.
static bool next_chunk(const listing *l, chunk *c)
{
    c->begin += c->n;
    c->n = l->n - c->begin < ROWS ? l->n - c->begin : ROWS;
    return c->n > 0;
}

/// Walk over all of them.
static cairn_status
walk_groups(cairn_groups *set, int r, const cairn_group_listing *by, listing *l)
{
    const cairn_forms  *map = &set->query[r].forms.group;
    int64_t             tuple[CAIRN_MAX_LEVELS];
    cairn_position_walk walk;
    chunk               c;

    cairn_position_walk_init(&by->order, &by->box, &walk);
    cairn_position_walk_seek(&walk, 0);
    for (chunk_init(&c); next_chunk(l, &c);) {
        cairn_position_walk_take(&walk, c.n, c.to, 0);
        for (int f = 0; f < l->width; f++)
            cairn_form_columns(set->algebra, &map->form[f], c.from, NULL, c.n,
                               l->tuple + f * l->n + c.begin);
        for (int64_t e = 0; e < c.n; e++)
            for (int k = 0; k < l->order; k++)
                l->d[(c.begin + e) * l->order + k] = c.at[k][e];
    }
    for (int64_t e = 0; e < l->n; e++) {
        for (int f = 0; f < l->width; f++)
            tuple[f] = l->id[f][e];
        CAIRN_TRY(cairn_groups_total(set, r, tuple, &l->value[e]));
    }
    return CAIRN_OK;
}

/// List all groups of query @p r by the order of query @p q.
static cairn_status list_groups(cairn_groups *set, int q, int r, listing *l)
{
    static const int64_t none[CAIRN_MAX_QUERIES];
    const cairn_forms   *map = &set->query[r].forms.group;
    int64_t              tuple[CAIRN_MAX_LEVELS], n = 0;

    cairn_group_listing      by;
    const cairn_query_order *order = &by.order;
    const cairn_group_box   *box   = &by.box;

    cairn_groups_list_by(set, q, &by);
    l->n     = cairn_box_is_empty(set->box, set->order) ? 0 : box->size;
    l->width = map->count;
    l->order = set->order;
    CAIRN_TRY(cairn_check_room(set->env, "groups of a query",
                               (__int128)l->n * 8 * (4 + l->width + l->order)));
    CAIRN_TRY(CAIRN_NEW(set->env, l->n * l->order, &l->d));
    CAIRN_TRY(CAIRN_NEW(set->env, l->n * l->width, &l->tuple));
    CAIRN_TRY(CAIRN_NEW(set->env, l->n, &l->value));
    for (int f = 0; f < l->width; f++)
        l->id[f] = l->tuple + f * box->size;
    cairn_visit(set->env, l->n);
    if (!set->spread && l->n > 0) return walk_groups(set, r, &by, l);
    for (int64_t e = 0; e < l->n; e++) {
        cairn_coord *d = l->d + n * l->order;

        cairn_group_box_at(order, box, e, d);
        for (int f = 0; f < l->width; f++)
            tuple[f] = cairn_form_value(set->algebra, &map->form[f], d, none);
        if (!is_here(set, map, tuple, d)) continue;
        for (int f = 0; f < l->width; f++)
            l->tuple[f * box->size + n] = tuple[f];
        CAIRN_TRY(cairn_groups_total(set, r, tuple, &l->value[n++]));
    }
    l->n = n;
    return CAIRN_OK;
}

/// Value of a form at a position.
static cairn_status value_at(cairn_groups      *set,
                             const cairn_form  *form,
                             const cairn_coord *d,
                             int64_t           *value)
{
    const uint32_t uses                      = cairn_form_queries(set->algebra, form);
    int64_t        number[CAIRN_MAX_QUERIES] = {0};

    for (int r = 0; uses >> r; r++) {
        if (!(uses >> r & 1)) continue;
        CAIRN_TRY(cairn_groups_value(set, r, d, &number[r]));
        if (number[r] == CAIRN_NO_NUMBER) {
            *value = CAIRN_NO_NUMBER;
            return CAIRN_OK;
        }
    }
    *value = cairn_form_value(set->algebra, form, d, number);
    return CAIRN_OK;
}

/// Values of a form without queries at all groups.
static void add_columns(const cairn_groups *set,
                        const cairn_form   *form,
                        const listing      *l,
                        int64_t            *key)
{
    chunk c;

    for (chunk_init(&c); next_chunk(l, &c);) {
        for (int64_t e = 0; e < c.n; e++)
            for (int k = 0; k < l->order; k++)
                c.at[k][e] = l->d[(c.begin + e) * l->order + k];
        cairn_form_columns(set->algebra, form, c.from, NULL, c.n, key + c.begin);
    }
}

/// Add the values of a map as keys.
static cairn_status add_keys(cairn_groups *set, const cairn_forms *map, listing *l)
{
    for (int f = 0; f < map->count; f++) {
        const cairn_form *form = &map->form[f];
        int64_t          *key;

        CAIRN_TRY(CAIRN_NEW(set->env, l->n, &key));
        l->key[l->keys++] = key;
        cairn_visit(set->env, l->n);
        if (!cairn_form_queries(set->algebra, form)) {
            add_columns(set, form, l, key);
            continue;
        }
        for (int64_t e = 0; e < l->n; e++)
            CAIRN_TRY(value_at(set, form, l->d + e * l->order, &key[e]));
    }
    return CAIRN_OK;
}

/// Add the groups' values as a key, complemented where large ones come first.
static cairn_status add_value(cairn_groups *set, int q, listing *l)
{
    int64_t *key;

    CAIRN_TRY(CAIRN_NEW(set->env, l->n, &key));
    l->key[l->keys++] = key;
    for (int64_t e = 0; e < l->n; e++)
        key[e] = set->query[q].query->descend ? ~l->value[e] : l->value[e];
    return CAIRN_OK;
}

/// Let groups be found by their values.
static cairn_status make_index(cairn_groups *set, int q, const listing *l)
{
    cairn_group_query       *s   = &set->query[q];
    const cairn_group_index *arg = &set->query[s->query->arg].index;

    CAIRN_TRY(cairn_group_index_make(set->env, l->n, l->width, l->id, &s->index));
    CAIRN_TRY(CAIRN_NEW(set->env, arg->groups, &s->of));
    cairn_visit(set->env, arg->groups);
    for (int64_t g = 0; g < arg->groups; g++)
        s->of[g] = cairn_group_index_find(&s->index, cairn_group_index_tuple(arg, g));
    return CAIRN_OK;
}

static bool same_window(const listing *l, int64_t x, int64_t y)
{
    for (int k = 0; k < l->windows; k++)
        if (l->key[k][x] != l->key[k][y]) return false;
    return true;
}

/// Hand the groups of each window out, each to the bucket that has least.
static cairn_status
hand_out(cairn_groups *set, int q, const listing *l, cairn_buckets *b)
{
    cairn_group_query *s     = &set->query[q];
    const int64_t     *order = s->enumerated.by_number;

    cairn_visit(set->env, 2 * l->n);
    for (int64_t begin = 0, end; begin < l->n; begin = end) {
        end = begin + 1;
        while (end < l->n && same_window(l, order[begin], order[end]))
            end++;
        cairn_buckets_start(b, end - begin < s->query->buckets ? end - begin
                                                               : s->query->buckets);
        for (int64_t k = begin; k < end; k++)
            if (!cairn_buckets_add(b, l->value[order[k]],
                                   &s->enumerated.number[order[k]]))
                return cairn_fail(
                    set->env, CAIRN_OVERFLOW,
                    "query: schedule: the load of a bucket leaves 64 bits");
    }
    return CAIRN_OK;
}

static cairn_status schedule(cairn_groups *set, int q, const listing *l)
{
    const cairn_query *query = set->query[q].query;
    bool               ring  = true;
    cairn_buckets      b;

    for (int64_t e = 0; e < l->n; e++)
        ring = ring && l->value[e] >= 0;
    CAIRN_TRY(cairn_buckets_init(
        set->env, l->n < query->buckets ? l->n : query->buckets, ring, &b));
    const cairn_status status = hand_out(set, q, l, &b);

    cairn_buckets_fini(set->env, &b);
    return status;
}

/// Are there far more groups than entries, on some rank? What goes with groups does not go
/// with what is stored then.
static cairn_status find_many(cairn_groups *set, int q, const listing *l)
{
    int64_t many = l->n > GROUPS_PER_ENTRY * set->entries->n + GROUPS_ALWAYS;

    CAIRN_TRY(cairn_exchange_max(&set->meeting, CAIRN_OK, &many));
    if (many) set->many |= 1U << q;
    return CAIRN_OK;
}

static cairn_status place(cairn_groups *set, int q, listing *l)
{
    cairn_group_query *s       = &set->query[q];
    const bool         reorder = s->query->func == CAIRN_QUERY_REORDER;

    CAIRN_TRY(list_groups(set, q, s->query->arg, l));
    CAIRN_TRY(find_many(set, q, l));
    CAIRN_TRY(make_index(set, q, l));
    CAIRN_TRY(add_keys(set, &s->forms.group, l));
    l->windows = l->keys;
    if (reorder) CAIRN_TRY(add_value(set, q, l));
    CAIRN_TRY(add_keys(set, &s->forms.traverse, l));
    CAIRN_TRY(CAIRN_NEW(set->env, l->n, &s->enumerated.number));
    CAIRN_TRY(CAIRN_NEW(set->env, l->n, &s->enumerated.by_number));
    cairn_visit(set->env, l->n);
    CAIRN_TRY(cairn_sort_order(set->env, l->n, l->keys, (const int64_t *const *)l->key,
                               s->enumerated.by_number));
    s->elements = l->n;
    s->first    = l->d;
    l->d        = NULL;
    if (!reorder) return schedule(set, q, l);
    if (set->spread)
        return cairn_groups_share_places(set, q, l->windows, l->keys,
                                         (const int64_t *const *)l->key, l->width,
                                         l->id);
    for (int64_t k = 0; k < l->n; k++)
        s->enumerated.number[s->enumerated.by_number[k]] = k;
    return CAIRN_OK;
}

cairn_status cairn_groups_place(cairn_groups *set, int q)
{
    listing            l      = {.n = 0};
    const cairn_status status = place(set, q, &l);
    assert(status != CAIRN_OK || set->query[q].enumerated.number);

    listing_fini(set->env, &l);
    return status;
}
