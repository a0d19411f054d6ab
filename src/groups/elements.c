// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements with an entry come by their numbers; between them those without one, which
/// are the positions of the group in key order but for some that are skipped.

#include "groups/elements.h"

#include "groups/spread.h"
#include "groups/walk.h"

#include <string.h>

/* Numbers of another group for which finding out how its elements go on pays (measured:
   bench_queries, a group a position). */
enum { WORTH_ENTERING = 4 };

struct cairn_elements {
    cairn_groups *set;
    int           q;
    bool          one;   ///< They are asked for one by one.
    bool          begun; ///< `group` is one, and what follows is of it.
    int64_t       group[CAIRN_MAX_LEVELS];
    int64_t       next;          ///< Number that the next run goes on with.
    int64_t       stored, end;   ///< Elements with an entry by number: the next, all.
    cairn_group_remainder rest;  ///< Those without.
    bool                  walks; ///< They are walked,
    int64_t               k;     ///< and this is the next of them,
    int64_t               skip;  ///< so many skipped ones being before it.
    cairn_position_walk   walk;
};

cairn_status cairn_elements_create(cairn_env       *env,
                                   cairn_groups    *set,
                                   int              q,
                                   cairn_elements **elements)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, elements));
    (*elements)->set = set;
    (*elements)->q   = q;
    (*elements)->one = set->definition || set->query[q].query->func != CAIRN_QUERY_ENUM;
    return CAIRN_OK;
}

void cairn_elements_destroy(cairn_env *env, cairn_elements **elements)
{
    cairn_free(env, *elements);
    *elements = NULL;
}

/* ---- places ---- */

bool cairn_elements_are_places(const cairn_elements *e)
{
    return !e->set->definition
           && e->set->query[e->q].query->func == CAIRN_QUERY_REORDER;
}

cairn_status cairn_elements_places(cairn_elements     *e,
                                   int                 n,
                                   const int64_t      *number,
                                   cairn_coord *const *d,
                                   bool               *ok)
{
    cairn_group_query *s     = &e->set->query[e->q];
    const int          order = e->set->order;

    cairn_visit(e->set->env, n);
    s->visits += n;
    for (int p = 0; p < n; p++) {
        int64_t its = -1;

        if (ok[p]) its = cairn_groups_at_place(e->set, e->q, number[p]);
        ok[p] = its >= 0;
        for (int k = 0; k < order; k++)
            d[k][p] = ok[p] ? s->first[its * order + k] : 0;
    }
    return CAIRN_OK;
}

/* ---- groups ---- */

static int64_t number_at(const cairn_group_query *s, int64_t k)
{
    return s->enumerated.number[cairn_groups_by_number(s, k)];
}

/// Go to the first element with an entry whose number is @p number or more.
static void seek_stored(cairn_elements *e, int64_t number)
{
    const cairn_group_query *s  = &e->set->query[e->q];
    const int64_t            g  = e->rest.g;
    int64_t                  lo = g < 0 ? 0 : s->index.begin[g];
    int64_t                  hi = g < 0 ? 0 : s->index.begin[g + 1];

    e->end = hi;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (number_at(s, mid) < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    e->stored = lo;
}

static cairn_status enter(cairn_elements *e, const int64_t *group, int64_t number)
{
    cairn_group_query *s = &e->set->query[e->q];

    e->begun = false;
    CAIRN_TRY(cairn_groups_find_remainder(e->set, e->q, group, &e->rest));
    e->walks = e->rest.any && !s->forms.order.runs.on;
    if (e->walks) {
        if (e->rest.g >= 0) CAIRN_TRY(cairn_groups_find_skips(e->set, e->q, e->rest.g));
        cairn_position_walk_init(&s->forms.order, &e->rest.box, &e->walk);
        e->k    = -1;
        e->skip = 0;
    }
    seek_stored(e, number);
    memcpy(e->group, group, (size_t)s->forms.group.count * sizeof *group);
    e->begun = true;
    return CAIRN_OK;
}

/* ---- elements without an entry ---- */

static int64_t skips_of(const cairn_elements *e)
{
    return e->rest.g < 0 ? 0 : e->set->query[e->q].enumerated.skips[e->rest.g];
}

static const int64_t *skipped(const cairn_elements *e)
{
    const cairn_group_query *s = &e->set->query[e->q];

    return e->rest.g < 0 ? NULL : s->enumerated.skip + s->index.begin[e->rest.g];
}

/// Walk to number @p k of them.
static void seek_rest(cairn_elements *e, int64_t k)
{
    const int64_t *skip = skipped(e), skips = skips_of(e);

    if (k < e->k || e->k < 0) {
        int64_t lo = 0, hi = skips;

        while (lo < hi) {
            const int64_t mid = lo + (hi - lo) / 2;

            if (skip[mid] - mid > k)
                hi = mid;
            else
                lo = mid + 1;
        }
        e->skip = lo;
    }
    while (e->skip < skips && skip[e->skip] - e->skip <= k)
        e->skip++;
    e->k = k;
    cairn_position_walk_seek(&e->walk, k + e->skip);
}

/// Write @p n of them, from number @p k on, all of which are there.
static void
take_rest(cairn_elements *e, int64_t k, int64_t n, cairn_coord *const *d, int64_t at)
{
    const int64_t *skip = skipped(e), skips = skips_of(e);

    for (int64_t now; n > 0; k += now, at += now, n -= now) {
        seek_rest(e, k);
        now = e->skip < skips ? skip[e->skip] - e->skip - k : n;
        if (now > n) now = n;
        cairn_position_walk_take(&e->walk, now, d, at);
        e->k = k + now;
    }
}

static void
set_none(const cairn_elements *e, int64_t n, cairn_coord *const *d, int64_t at)
{
    for (int k = 0; k < e->set->order; k++)
        memset(d[k] + at, 0, (size_t)n * sizeof *d[k]);
}

/// The numbers of a run that no element with an entry has.
static cairn_status read_rest(cairn_elements     *e,
                              int64_t             number,
                              int64_t             n,
                              cairn_coord *const *d,
                              bool               *found,
                              int64_t             at)
{
    const cairn_group_box *box  = &e->rest.box;
    int64_t                left = 0, before = 0, k;

    set_none(e, n, d, at);
    memset(found + at, 0, (size_t)n);
    if (!e->rest.any || __builtin_sub_overflow(number, e->rest.start, &k)
        || k > INT64_MAX - n)
        return CAIRN_OK;
    if (!e->walks)
        return cairn_groups_list_remainder(e->set, e->q, e->group, &e->rest, k, n, d,
                                           found, at);
    if (k < 0) {
        before = k < -n ? n : -k;
        k      = 0;
    }
    left = box->size - skips_of(e) - k;
    left = left < n - before ? left : n - before;
    if (left <= 0) return CAIRN_OK;
    take_rest(e, k, left, d, at + before);
    memset(found + at + before, true, (size_t)left);
    return CAIRN_OK;
}

/* ---- runs ---- */

static cairn_status read_one_by_one(cairn_elements     *e,
                                    const int64_t      *group,
                                    int64_t             first,
                                    int                 n,
                                    cairn_coord *const *d,
                                    bool               *found)
{
    cairn_coord at[CAIRN_MAX_ORDER];

    for (int p = 0; p < n; p++) {
        CAIRN_TRY(cairn_groups_element(e->set, e->q, first + p, group, at, &found[p]));
        for (int k = 0; k < e->set->order; k++)
            d[k][p] = found[p] ? at[k] : 0;
    }
    return CAIRN_OK;
}

/// How many of @p most numbers from @p number on come before @p stored?
static int64_t run_before(int64_t stored, int64_t number, int64_t most)
{
    int64_t before;

    return __builtin_sub_overflow(stored, number, &before) || before > most ? most
                                                                            : before;
}

static cairn_status
read_run(cairn_elements *e, int64_t first, int n, cairn_coord *const *d, bool *found)
{
    const cairn_group_query *s = &e->set->query[e->q];
    cairn_coord              at[CAIRN_MAX_ORDER];

    for (int64_t p = 0, now; p < n; p += now) {
        const int64_t number = first + p;

        now = n - p;
        if (e->stored < e->end) now = run_before(number_at(s, e->stored), number, now);
        if (now > 0) {
            CAIRN_TRY(read_rest(e, number, now, d, found, p));
            continue;
        }
        CAIRN_TRY(cairn_groups_position(e->set, e->q,
                                        cairn_groups_by_number(s, e->stored++), at));
        for (int k = 0; k < e->set->order; k++)
            d[k][p] = at[k];
        found[p] = true;
        now      = 1;
    }
    return CAIRN_OK;
}

static bool goes_on(const cairn_elements *e, const int64_t *group, int64_t first)
{
    if (!e->begun || first < e->next) return false;
    for (int f = 0; f < e->set->query[e->q].forms.group.count; f++)
        if (e->group[f] != group[f]) return false;
    return true;
}

cairn_status cairn_elements_read(cairn_elements     *e,
                                 const int64_t      *group,
                                 int64_t             first,
                                 int                 n,
                                 cairn_coord *const *d,
                                 bool               *found)
{
    cairn_env *const env    = e->set->env;
    const int64_t    before = env->visited;
    cairn_status     status = CAIRN_OK;

    const bool on = goes_on(e, group, first);

    /* at the ends of what is a number nothing is added up */
    if (e->one || (!on && n < WORTH_ENTERING) || first < INT64_MIN / 2
        || first > INT64_MAX / 2)
        return read_one_by_one(e, group, first, n, d, found);
    if (!on)
        status = enter(e, group, first);
    else if (first > e->next)
        seek_stored(e, first);
    cairn_visit(env, n);
    if (status == CAIRN_OK) status = read_run(e, first, n, d, found);
    e->begun = status == CAIRN_OK;
    e->next  = first + n;
    e->set->query[e->q].visits += env->visited - before;
    return status;
}
