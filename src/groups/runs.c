// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks in a line by counting in each run, and merging runs by a heap.

#include "groups/runs.h"

#include <string.h>

/// Value of key @p k at the open dimension's @p t; the last key is that itself.
static int64_t key_at(const cairn_line_runs *r, int k, int64_t t)
{
    static const int64_t none[CAIRN_MAX_QUERIES];
    cairn_coord          d[CAIRN_MAX_ORDER];

    if (k == r->order->forms) return r->order->down ? -t : t;
    cairn_group_box_place(r->order, r->box, t, d);
    return cairn_form_value(r->order->algebra, r->order->form[k], d, none);
}

static int64_t length_of(const cairn_line_runs *r, int64_t run)
{
    return (r->box->size - run + r->order->period - 1) / r->order->period;
}

/// Position number @p k of a run, the first in key order being number 0.
static int64_t position_of(const cairn_line_runs *r, int64_t run, int64_t k)
{
    const int64_t at = r->advance > 0 ? k : length_of(r, run) - 1 - k;

    return r->box->span[r->box->dim].lo + run + at * r->order->period;
}

cairn_status cairn_line_runs_init(cairn_env               *env,
                                  const cairn_query_order *order,
                                  const cairn_group_box   *box,
                                  cairn_line_runs         *made)
{
    cairn_line_runs r = {
        .env = env, .order = order, .box = box, .keys = order->forms + 1};
    cairn_status status;

    r.runs = box->size < order->period ? box->size : order->period;
    while (r.mover < order->forms && order->advance[r.mover] == 0)
        r.mover++;
    r.advance = r.mover < order->forms ? order->advance[r.mover]
                : order->down          ? -order->period
                                       : order->period;
    CAIRN_GO(undo, CAIRN_NEW(env, r.runs * r.keys, &r.key));
    CAIRN_GO(undo, CAIRN_NEW_ZERO(env, r.runs, &r.next));
    CAIRN_GO(undo, CAIRN_NEW(env, r.runs, &r.heap));
    cairn_visit(env, r.runs);
    for (int64_t run = 0; run < r.runs; run++)
        for (int k = 0; k < r.keys; k++)
            r.key[run * r.keys + k] = key_at(&r, k, position_of(&r, run, 0));
    r.heaped = -1; /* not merging yet */
    *made    = r;
    return CAIRN_OK;
undo:
    cairn_line_runs_fini(&r);
    return status;
}

void cairn_line_runs_fini(cairn_line_runs *r)
{
    cairn_free(r->env, r->key);
    cairn_free(r->env, r->next);
    cairn_free(r->env, r->heap);
    memset(r, 0, sizeof *r);
}

/// Compare keys behind the mover at two positions.
static int compare_rest(const cairn_line_runs *r, int64_t s, int64_t t)
{
    for (int k = r->mover + 1; k < r->keys; k++) {
        const int64_t a = key_at(r, k, s), b = key_at(r, k, t);

        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

/// Positions of a run that come before the one at @p t with the keys @p key up to the
/// mover.
static int64_t
count_before(const cairn_line_runs *r, int64_t run, const int64_t *key, int64_t t)
{
    const int64_t *mine = r->key + run * r->keys;
    const int64_t  all  = length_of(r, run);
    const int64_t  step = r->advance > 0 ? r->advance : -r->advance;

    for (int k = 0; k < r->mover; k++)
        if (mine[k] != key[k]) return mine[k] < key[k] ? all : 0;

    const int64_t gap = key[r->mover] - mine[r->mover];

    if (gap < 0) return 0;

    const int64_t less = gap / step + (gap % step != 0); /* with a smaller key */

    if (less >= all) return all;
    if (gap % step != 0) return less;
    return less + (compare_rest(r, position_of(r, run, less), t) < 0);
}

int64_t cairn_line_runs_rank(const cairn_line_runs *r, int64_t t)
{
    int64_t key[CAIRN_MAX_KEYS + 1], rank = 0;

    for (int k = 0; k <= r->mover; k++)
        key[k] = key_at(r, k, t);
    cairn_visit(r->env, r->runs);
    for (int64_t run = 0; run < r->runs; run++)
        rank += count_before(r, run, key, t);
    return rank;
}

/// Does the next position of run @p a come before that of @p b?
static bool comes_first(const cairn_line_runs *r, int64_t a, int64_t b)
{
    const int64_t *x = r->key + a * r->keys, *y = r->key + b * r->keys;
    const int64_t  step = r->advance > 0 ? r->advance : -r->advance;

    for (int k = 0; k < r->mover; k++)
        if (x[k] != y[k]) return x[k] < y[k];

    const int64_t u = x[r->mover] + r->next[a] * step,
                  v = y[r->mover] + r->next[b] * step;

    if (u != v) return u < v;
    return compare_rest(r, position_of(r, a, r->next[a]), position_of(r, b, r->next[b]))
           < 0;
}

static void sink(cairn_line_runs *r, int64_t at)
{
    const int64_t run = r->heap[at];

    for (int64_t child; (child = 2 * at + 1) < r->heaped; at = child) {
        if (child + 1 < r->heaped && comes_first(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (!comes_first(r, r->heap[child], run)) break;
        r->heap[at] = r->heap[child];
    }
    r->heap[at] = run;
}

int64_t cairn_line_runs_next(cairn_line_runs *r)
{
    if (r->heaped < 0) {
        r->heaped = r->runs;
        for (int64_t run = 0; run < r->runs; run++)
            r->heap[run] = run;
        for (int64_t at = r->runs / 2; at-- > 0;)
            sink(r, at);
    }
    if (r->heaped == 0) return -1;

    const int64_t run = r->heap[0], t = position_of(r, run, r->next[run]);

    cairn_visit(r->env, 1);
    if (++r->next[run] == length_of(r, run)) r->heap[0] = r->heap[--r->heaped];
    if (r->heaped > 0) sink(r, 0);
    return t;
}
