// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks by counting in each run, and merging runs by a heap.

#include "groups/runs.h"

#include <string.h>

/// Value of key @p k at a position.
static int64_t key_at(const cairn_line_runs *r, int k, const cairn_coord *d)
{
    static const int64_t     none[CAIRN_MAX_QUERIES];
    const cairn_query_order *o = r->order;

    return o->runs.form[k] ? cairn_form_value(o->algebra, o->runs.form[k], d, none)
                           : d[o->runs.dim[k]];
}

static int64_t length_of(const cairn_line_runs *r, int64_t run)
{
    return (r->length - run % r->each + r->order->runs.period - 1)
           / r->order->runs.period;
}

/// Number of the k-th position of a run, in key order.
static int64_t number_of(const cairn_line_runs *r, int64_t run, int64_t k)
{
    const int64_t at = r->advance > 0 ? k : length_of(r, run) - 1 - k;

    return run / r->each * r->length + run % r->each + at * r->order->runs.period;
}

static void
position_of(const cairn_line_runs *r, int64_t run, int64_t k, cairn_coord *d)
{
    cairn_group_box_place(r->order, r->box, number_of(r, run, k), d);
}

cairn_status cairn_line_runs_init(cairn_env               *env,
                                  const cairn_query_order *order,
                                  const cairn_group_box   *box,
                                  cairn_line_runs         *made)
{
    cairn_line_runs r = {.env = env, .order = order, .box = box, .heaped = -1};
    cairn_coord     d[CAIRN_MAX_ORDER];

    r.length = box->count[order->runs.along];
    r.each   = r.length < order->runs.period ? r.length : order->runs.period;
    r.runs   = box->size / r.length * r.each;
    while (order->runs.advance[r.mover] == 0)
        r.mover++;
    r.advance       = order->runs.advance[r.mover];
    const int width = r.mover + 1;

    CAIRN_TRY(CAIRN_NEW(env, r.runs * width, &r.key));
    cairn_visit(env, r.runs);
    for (int64_t run = 0; run < r.runs; run++) {
        position_of(&r, run, 0, d);
        for (int k = 0; k < width; k++)
            r.key[run * width + k] = key_at(&r, k, d);
    }
    *made = r;
    return CAIRN_OK;
}

void cairn_line_runs_fini(cairn_line_runs *r)
{
    cairn_free(r->env, r->key);
    cairn_free(r->env, r->next);
    cairn_free(r->env, r->heap);
    memset(r, 0, sizeof *r);
}

/// Compare keys behind the mover at two positions.
static int
compare_rest(const cairn_line_runs *r, const cairn_coord *c, const cairn_coord *d)
{
    for (int k = r->mover + 1; k < r->order->runs.keys; k++) {
        const int64_t a = key_at(r, k, c), b = key_at(r, k, d);

        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

static int64_t step_of(const cairn_line_runs *r)
{
    return r->advance > 0 ? r->advance : -r->advance;
}

/// Positions of a run that come before the one at @p d with the keys @p key up to the
/// mover.
static int64_t count_before(const cairn_line_runs *r,
                            int64_t                run,
                            const int64_t         *key,
                            const cairn_coord     *d)
{
    const int64_t *mine = r->key + run * (r->mover + 1);
    const int64_t  all = length_of(r, run), step = step_of(r);
    cairn_coord    c[CAIRN_MAX_ORDER];

    for (int k = 0; k < r->mover; k++)
        if (mine[k] != key[k]) return mine[k] < key[k] ? all : 0;

    const int64_t gap = key[r->mover] - mine[r->mover];

    if (gap < 0) return 0;

    const int64_t less = gap / step + (gap % step != 0); /* with a smaller key */

    if (less >= all) return all;
    if (gap % step != 0) return less;
    position_of(r, run, less, c);
    return less + (compare_rest(r, c, d) < 0);
}

int64_t cairn_line_runs_rank(const cairn_line_runs *r, const cairn_coord *d)
{
    int64_t key[CAIRN_MAX_KEYS], rank = 0;

    for (int k = 0; k <= r->mover; k++)
        key[k] = key_at(r, k, d);
    cairn_visit(r->env, r->runs);
    for (int64_t run = 0; run < r->runs; run++)
        rank += count_before(r, run, key, d);
    return rank;
}

/// Does the next position of run @p a come before that of run @p b?
static bool comes_first(const cairn_line_runs *r, int64_t a, int64_t b)
{
    const int      width = r->mover + 1;
    const int64_t *x = r->key + a * width, *y = r->key + b * width, step = step_of(r);
    cairn_coord    c[CAIRN_MAX_ORDER], d[CAIRN_MAX_ORDER];

    for (int k = 0; k < r->mover; k++)
        if (x[k] != y[k]) return x[k] < y[k];

    const int64_t u = x[r->mover] + r->next[a] * step;
    const int64_t v = y[r->mover] + r->next[b] * step;

    if (u != v) return u < v;
    position_of(r, a, r->next[a], c);
    position_of(r, b, r->next[b], d);
    return compare_rest(r, c, d) < 0;
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

static cairn_status begin_merge(cairn_line_runs *r)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(r->env, r->runs, &r->next));
    CAIRN_TRY(CAIRN_NEW(r->env, r->runs, &r->heap));
    cairn_visit(r->env, r->runs);
    r->heaped = r->runs;
    for (int64_t run = 0; run < r->runs; run++)
        r->heap[run] = run;
    for (int64_t at = r->runs / 2; at-- > 0;)
        sink(r, at);
    return CAIRN_OK;
}

cairn_status cairn_line_runs_next(cairn_line_runs *r, int64_t *number)
{
    if (r->heaped < 0) CAIRN_TRY(begin_merge(r));
    *number = -1;
    if (r->heaped == 0) return CAIRN_OK;

    const int64_t run = r->heap[0];

    *number = number_of(r, run, r->next[run]);
    cairn_visit(r->env, 1);
    if (++r->next[run] == length_of(r, run)) r->heap[0] = r->heap[--r->heaped];
    if (r->heaped > 0) sink(r, 0);
    return CAIRN_OK;
}
