// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Elements with an entry come by their numbers; between them those without one, which
/// are the positions of the group in key order but for some that are skipped.

#include "groups/elements.h"

#include "base/wide.h"
#include "groups/spread.h"
#include "groups/walk.h"

#include <string.h>

enum {
    /* Numbers that are kept. A group's are asked for again and again where levels that
       hold what is found against them move slower than its numbers. */
    KEPT = 512,
};

/// What was found of numbers of a group: `length` of them, from the first that was asked
/// for on, as far as they were asked for.
typedef struct {
    int64_t      first;
    int          length;
    cairn_coord *d; ///< [order][KEPT] positions.
    enum { UNKNOWN, NONE, FOUND } is[KEPT];
} found_numbers;

/// A walk over elements of a group without an entry.
typedef struct {
    bool                on;
    int64_t             k;    ///< The next of them, by number,
    int64_t             skip; ///< so many skipped ones being before it.
    cairn_position_walk at;
} rest_walk;

struct cairn_elements {
    cairn_groups *set;
    int           q;
    bool          one;   ///< They are asked for one by one.
    bool          rests; ///< Those with an entry need not be found.
    bool          begun; ///< `group` is one, and what follows is of it.
    int64_t       group[CAIRN_MAX_LEVELS];
    int64_t       next;           ///< Number that the next run goes on with.
    int64_t       stored, end;    ///< Elements with an entry by number: the next, all.
    cairn_group_remainder rest;   ///< Those without.
    rest_walk             walked; ///< Of those, where they are walked.
    bool                  again; ///< Numbers of some group were asked for again: so the
    found_numbers         kept;  ///< latest group's are kept.
    cairn_coord          *place; ///< Of places: [order][elements] positions; or NULL.
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
    if ((*elements)->one) return CAIRN_OK;
    CAIRN_TRY(cairn_groups_find_numbers(set, q));
    return CAIRN_NEW(env, (int64_t)set->order * KEPT, &(*elements)->kept.d);
}

void cairn_elements_destroy(cairn_env *env, cairn_elements **elements)
{
    if (*elements) {
        cairn_free(env, (*elements)->kept.d);
        cairn_free(env, (*elements)->place);
    }
    cairn_free(env, *elements);
    *elements = NULL;
}

void cairn_elements_leave_entries(cairn_elements *e)
{
    const cairn_group_query *s = &e->set->query[e->q];

    e->rests = !e->one && !e->set->spread && s->query->arg == CAIRN_ARG_VALUE;
}

bool cairn_elements_are_entries(const cairn_elements *e)
{
    const cairn_group_query *s = &e->set->query[e->q];

    return !e->one && !e->set->spread && s->query->arg == CAIRN_ARG_VALUE && s->rest.one
           && s->rest.start.kind == CAIRN_START_NONE;
}

/* ---- places ---- */

bool cairn_elements_are_places(const cairn_elements *e)
{
    return !e->set->definition
           && e->set->query[e->q].query->func == CAIRN_QUERY_REORDER;
}

/// Where each place's group begins, place after place: padding asks in that order.
static cairn_status list_places(cairn_elements *e)
{
    const cairn_group_query *s     = &e->set->query[e->q];
    const int                order = e->set->order;

    CAIRN_TRY(CAIRN_NEW(e->set->env, s->elements * order, &e->place));
    cairn_visit(e->set->env, s->elements);
    for (int64_t number = 0; number < s->elements; number++) {
        const cairn_coord *from = s->first + s->enumerated.by_number[number] * order;

        for (int k = 0; k < order; k++)
            e->place[k * s->elements + number] = from[k];
    }
    return CAIRN_OK;
}

/// Places that are all this rank's.
CAIRN_WIDE static cairn_status find_own_places(cairn_elements     *e,
                                               int                 n,
                                               const int64_t      *number,
                                               cairn_coord *const *d,
                                               bool               *ok)
{
    const int64_t places = e->set->query[e->q].elements;

    if (!e->place) CAIRN_TRY(list_places(e));
    for (int p = 0; p < n; p++)
        ok[p] = ok[p] && number[p] >= 0 && number[p] < places;
    for (int k = 0; k < e->set->order; k++)
        for (int p = 0; p < n; p++)
            d[k][p] = ok[p] ? e->place[k * places + number[p]] : 0;
    return CAIRN_OK;
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
    if (!e->set->spread) return find_own_places(e, n, number, d, ok);
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
    memset(e->kept.is, 0, (size_t)e->kept.length * sizeof *e->kept.is);
    e->kept.length = 0;
    e->kept.first  = number;
    CAIRN_TRY(cairn_groups_find_remainder(e->set, e->q, group, &e->rest));
    e->walked.on = e->rest.any && !s->forms.order.runs.on;
    if (e->walked.on) {
        if (e->rest.g >= 0) CAIRN_TRY(cairn_groups_find_skips(e->set, e->q, e->rest.g));
        cairn_position_walk_init(&s->forms.order, &e->rest.box, &e->walked.at);
        e->walked.k    = -1;
        e->walked.skip = 0;
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

    if (k < e->walked.k || e->walked.k < 0)
        e->walked.skip = cairn_group_skips_before(skip, skips, k);
    while (e->walked.skip < skips && skip[e->walked.skip] - e->walked.skip <= k)
        e->walked.skip++;
    e->walked.k = k;
    cairn_position_walk_seek(&e->walked.at, k + e->walked.skip);
}

/// Write @p n of them, from number @p k on, all of which are there.
static void
take_rest(cairn_elements *e, int64_t k, int64_t n, cairn_coord *const *d, int64_t at)
{
    const int64_t *skip = skipped(e), skips = skips_of(e);

    for (int64_t now; n > 0; k += now, at += now, n -= now) {
        seek_rest(e, k);
        now = e->walked.skip < skips ? skip[e->walked.skip] - e->walked.skip - k : n;
        if (now > n) now = n;
        cairn_position_walk_take(&e->walked.at, now, d, at);
        e->walked.k = k + now;
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
    if (!e->walked.on)
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

/// Rows from @p at on.
static cairn_status read_run(cairn_elements     *e,
                             int64_t             first,
                             int64_t             n,
                             cairn_coord *const *d,
                             bool               *found,
                             int64_t             at)
{
    const cairn_group_query *s = &e->set->query[e->q];
    cairn_coord              its[CAIRN_MAX_ORDER];

    for (int64_t now; n > 0; first += now, at += now, n -= now) {
        now = n;
        if (e->stored < e->end) now = run_before(number_at(s, e->stored), first, n);
        if (now > 0) {
            CAIRN_TRY(read_rest(e, first, now, d, found, at));
            continue;
        }
        CAIRN_TRY(cairn_groups_position(e->set, e->q,
                                        cairn_groups_by_number(s, e->stored++), its));
        for (int k = 0; k < e->set->order; k++)
            d[k][at] = its[k];
        found[at] = true;
        now       = 1;
    }
    return CAIRN_OK;
}

/* ---- numbers that are asked for again ---- */

/// Take what is kept of @p n numbers. @return how many of the first it was.
static int take_kept(const cairn_elements *e,
                     int64_t               first,
                     int                   n,
                     cairn_coord *const   *d,
                     bool                 *found)
{
    const found_numbers *const kept = &e->kept;
    const int64_t              at   = first - kept->first;
    int                        now  = 0;

    if (at < 0 || at >= kept->length) return 0;
    if (n > kept->length - at) n = (int)(kept->length - at);
    for (; now < n && kept->is[at + now] != UNKNOWN; now++)
        found[now] = kept->is[at + now] == FOUND;
    for (int k = 0; k < e->set->order; k++)
        memcpy(d[k], kept->d + k * KEPT + at, (size_t)now * sizeof *d[k]);
    return now;
}

/// Keep what was found of @p n numbers, in rows from @p from on.
static void keep(cairn_elements     *e,
                 int64_t             first,
                 int                 n,
                 cairn_coord *const *d,
                 const bool         *found,
                 int                 from)
{
    found_numbers *const kept = &e->kept;
    const int64_t        at   = first - kept->first;

    if (at < 0 || at > KEPT - n) return;
    for (int p = 0; p < n; p++)
        kept->is[at + p] = found[from + p] ? FOUND : NONE;
    for (int k = 0; k < e->set->order; k++)
        memcpy(kept->d + k * KEPT + at, d[k] + from, (size_t)n * sizeof *d[k]);
    if (at + n > kept->length) kept->length = (int)at + n;
}

static bool is_entered(const cairn_elements *e, const int64_t *group)
{
    bool same = e->begun;

    for (int f = 0; f < e->set->query[e->q].forms.group.count && same; f++)
        same = e->group[f] == group[f];
    return same;
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
    const bool       same   = is_entered(e, group);
    cairn_status     status = CAIRN_OK;

    /* at the ends of what is a number nothing is added up */
    if (e->one || (!same && n < CAIRN_ELEMENTS_WORTH_READING) || first < INT64_MIN / 2
        || first > INT64_MAX / 2)
        return read_one_by_one(e, group, first, n, d, found);
    const int kept = same ? take_kept(e, first, n, d, found) : 0;

    e->again = e->again || (same && first < e->next);

    cairn_visit(env, n);
    if (kept < n) {
        first += kept;
        if (!same)
            status = enter(e, group, first);
        else if (first != e->next)
            seek_stored(e, first);
        if (status == CAIRN_OK) status = read_run(e, first, n - kept, d, found, kept);
        if (status == CAIRN_OK && e->again) keep(e, first, n - kept, d, found, kept);
        e->begun = status == CAIRN_OK;
        e->next  = first + n - kept;
    }
    e->set->query[e->q].visits += env->visited - before;
    return status;
}

/* ---- each of another group ---- */

/// One by one where src/query is asked, or what is asked for is no enum.
static cairn_status find_each(cairn_elements       *e,
                              int                   n,
                              const int64_t        *number,
                              const int64_t *const *group,
                              cairn_coord *const   *d,
                              bool                 *ok)
{
    const int width = e->set->encoding->query[e->q].group_by.count;
    int64_t   tuple[CAIRN_MAX_LEVELS];

    for (int p = 0; p < n; p++) {
        cairn_coord *to[CAIRN_MAX_ORDER];

        for (int f = 0; f < width; f++)
            tuple[f] = group[f][p];
        for (int k = 0; k < e->set->order; k++) {
            to[k]    = d[k] + p;
            to[k][0] = 0;
        }
        if (ok[p]) CAIRN_TRY(read_one_by_one(e, tuple, number[p], 1, to, &ok[p]));
    }
    return CAIRN_OK;
}

cairn_status cairn_elements_of_groups(cairn_elements       *e,
                                      int                   n,
                                      const int64_t        *number,
                                      const int64_t *const *group,
                                      cairn_coord *const   *d,
                                      bool                 *ok)
{
    const int64_t  before = e->set->env->visited;
    cairn_status   status = CAIRN_OK;
    const int64_t *its[CAIRN_MAX_LEVELS];
    cairn_coord   *to[CAIRN_MAX_ORDER];

    if (e->one) return find_each(e, n, number, group, d, ok);
    for (int p = 0, now; p < n && status == CAIRN_OK; p += now) {
        now = n - p < CAIRN_GROUPS_AT_ONCE ? n - p : CAIRN_GROUPS_AT_ONCE;
        for (int f = 0; f < e->set->query[e->q].forms.group.count; f++)
            its[f] = group[f] + p;
        for (int k = 0; k < e->set->order; k++)
            to[k] = d[k] + p;
        status = cairn_groups_find_all(e->set, e->q, e->rests, now, number + p, its, to,
                                       ok + p);
    }
    e->set->query[e->q].visits += e->set->env->visited - before;
    return status;
}
