// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Places over all ranks. Where every window is one rank's, a rank's places stand behind
/// the groups of all lower windows of others, whose counts it is told; else groups are cut
/// into ranges, windows first, of which each rank puts one in order.

#include "groups/splitters.h"
#include "groups/spread.h"

#include <string.h>

/// What the listing rank works with; see cairn_groups_share_places().
typedef struct {
    int                   windows, keys, ids;
    const int64_t *const *key;
    const int64_t *const *id;
} listing;

/// Windows of this rank, ascending.
typedef struct {
    int      width;
    int64_t  n;
    int64_t *tuple;  ///< [n][width]
    int64_t *count;  ///< [n] groups,
    int64_t *before; ///< [n] and those in lower windows of all ranks.
} windows;

static void windows_fini(cairn_env *env, windows *w)
{
    cairn_free(env, w->tuple);
    cairn_free(env, w->count);
    cairn_free(env, w->before);
}

static bool same_window(const int64_t *const *key, int width, int64_t a, int64_t b)
{
    for (int k = 0; k < width; k++)
        if (key[k][a] != key[k][b]) return false;
    return true;
}

/// Of elements in order.
static cairn_status find_windows(cairn_env            *env,
                                 int64_t               n,
                                 const int64_t        *order,
                                 int                   width,
                                 const int64_t *const *key,
                                 windows              *w)
{
    w->width = width;
    for (int64_t k = 0; k < n; k++)
        w->n += k == 0 || !same_window(key, width, order[k - 1], order[k]);
    CAIRN_TRY(CAIRN_NEW(env, w->n * width + 1, &w->tuple));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, w->n, &w->count));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, w->n, &w->before));
    cairn_visit(env, 2 * n);
    for (int64_t k = 0, at = -1; k < n; k++) {
        at += k == 0 || !same_window(key, width, order[k - 1], order[k]);
        w->count[at]++;
        for (int f = 0; f < width; f++)
            w->tuple[at * width + f] = key[f][order[k]];
    }
    return CAIRN_OK;
}

static int compare(int width, const int64_t *a, const int64_t *b)
{
    for (int k = 0; k < width; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* ---- counts of windows ---- */

/// To every rank: how many groups, the first window and the last.
static cairn_status
pack_bounds(cairn_groups *set, const windows *w, int64_t all, cairn_exchange *travel)
{
    const int size = set->meeting.net->size;

    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, 2 * w->width + 1, size));
    for (int r = 0; r < size; r++) {
        int64_t *record = travel->record + r * travel->width;

        record[0]     = all;
        travel->to[r] = r;
        for (int k = 0; k < w->width; k++) {
            record[1 + k]            = w->n ? w->tuple[k] : 0;
            record[1 + w->width + k] = w->n ? w->tuple[(w->n - 1) * w->width + k] : 0;
        }
    }
    return CAIRN_OK;
}

/// Have no two ranks windows between each other's? Every rank finds the same. Then @p mine
/// is how many groups those with lower windows have.
static bool
are_apart(const cairn_groups *set, const cairn_exchange *travel, int64_t *mine)
{
    const int      width = (travel->width - 1) / 2;
    const int64_t *me    = travel->in + set->meeting.net->rank * travel->width;

    *mine = 0;
    for (int r = 0; r < travel->received; r++) {
        const int64_t *a = travel->in + r * travel->width;

        if (a[0] && me[0] && compare(width, a + 1, me + 1) < 0) *mine += a[0];
        for (int s = 0; s < r; s++) {
            const int64_t *b = travel->in + s * travel->width;

            if (a[0] && b[0] && compare(width, a + 1 + width, b + 1) >= 0
                && compare(width, b + 1 + width, a + 1) >= 0)
                return false;
        }
    }
    return true;
}

/// Records (window, count) of this rank's windows, to every rank.
static cairn_status
pack_windows(cairn_groups *set, const windows *w, cairn_exchange *travel)
{
    const int size = set->meeting.net->size;

    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, w->width + 1, w->n * size));
    for (int64_t k = 0; k < w->n; k++)
        for (int r = 0; r < size; r++) {
            int64_t *record = travel->record + (k * size + r) * travel->width;

            memcpy(record, w->tuple + k * w->width, (size_t)w->width * sizeof *record);
            record[w->width]         = w->count[k];
            travel->to[k * size + r] = r;
        }
    return CAIRN_OK;
}

/// Windows of all ranks in order: those of this rank stand among them in theirs.
static cairn_status
count_before(cairn_groups *set, const cairn_exchange *travel, windows *w)
{
    cairn_group_records in = {.n = 0};
    int                 key[CAIRN_MAX_RECORD];
    int64_t             before = 0, mine = 0;
    cairn_status        status;

    for (int k = 0; k <= w->width; k++)
        key[k] = k;
    CAIRN_GO(done, cairn_group_records_take(set->env, travel, w->width + 1, key, &in));
    cairn_visit(set->env, in.n);
    for (int64_t k = 0; k < in.n && mine < w->n; k++) {
        const int64_t *record = travel->in + in.order[k] * travel->width;

        if (compare(w->width, record, w->tuple + mine * w->width) == 0)
            w->before[mine++] = before;
        before += record[w->width];
    }
    status = CAIRN_OK;
done:
    cairn_group_records_fini(set->env, &in);
    return status;
}

/// How many groups come before those of each window. @p mine: this rank's status so far.
static cairn_status
share_windows(cairn_groups *set, cairn_status mine, int64_t n, windows *w)
{
    cairn_exchange bounds = {.n = 0}, all = {.n = 0};
    cairn_status   status = mine;
    int64_t        before;

    if (status == CAIRN_OK) status = pack_bounds(set, w, n, &bounds);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &bounds));
    if (are_apart(set, &bounds, &before)) {
        for (int64_t k = 0; k < w->n; k++) {
            w->before[k] = before;
            before += w->count[k];
        }
        goto done;
    }
    status = pack_windows(set, w, &all);
    status = cairn_exchange_send(&set->meeting, status, &all);
    if (status == CAIRN_OK) status = count_before(set, &all, w);
done:
    cairn_exchange_fini(&set->meeting, &bounds);
    cairn_exchange_fini(&set->meeting, &all);
    return status;
}

/// Give places to elements in order, window by window.
static void number_windows(cairn_env            *env,
                           int64_t               n,
                           const int64_t        *order,
                           const int64_t *const *key,
                           const windows        *w,
                           int64_t              *place)
{
    cairn_visit(env, n);
    for (int64_t k = 0, at = -1, next = 0; k < n; k++) {
        if (k == 0 || !same_window(key, w->width, order[k - 1], order[k]))
            next = w->before[++at];
        place[order[k]] = next++;
    }
}

static cairn_status stay(cairn_groups *set, int q, const listing *l)
{
    cairn_group_query *s = &set->query[q];
    windows            w = {.n = 0};
    cairn_status status  = find_windows(set->env, s->elements, s->enumerated.by_number,
                                        l->windows, l->key, &w);

    status = share_windows(set, status, s->elements, &w);
    if (status == CAIRN_OK)
        number_windows(set->env, s->elements, s->enumerated.by_number, l->key, &w,
                       s->enumerated.number);
    windows_fini(set->env, &w);
    return status;
}

/* ---- windows that several ranks have ---- */

/// A group as a record: what orders it, and what tells it from all others.
static void write_record(const listing *l, int64_t element, int64_t *record)
{
    for (int k = 0; k < l->keys; k++)
        record[k] = l->key[k][element];
    for (int k = 0; k < l->ids; k++)
        record[l->keys + k] = l->id[k][element];
}

/// Agree on the groups at which ranks begin. @p splitter is freed with cairn_free(), also on
/// failure.
static cairn_status
split(cairn_groups *set, int q, const listing *l, int64_t **splitter)
{
    const cairn_query_net   *net     = set->meeting.net;
    const cairn_group_query *s       = &set->query[q];
    const int                width   = l->keys + l->ids;
    const int64_t            samples = cairn_samples(net, s->elements);
    int64_t                 *sample  = NULL;
    cairn_status             status;

    status = CAIRN_NEW(set->env, (int64_t)net->size * width, splitter);
    if (status == CAIRN_OK) status = CAIRN_NEW(set->env, samples * width, &sample);
    for (int64_t k = 0; k < samples && status == CAIRN_OK; k++)
        write_record(l,
                     s->enumerated.by_number[cairn_sample_at(s->elements, samples, k)],
                     sample + k * width);
    CAIRN_GO(done, cairn_exchange_meet(&set->meeting, status));
    status = cairn_exchange_meet(
        &set->meeting, cairn_splitters_choose(set->env, net, CAIRN_OK, s->elements,
                                              width, sample, *splitter));
done:
    cairn_free(set->env, sample);
    return status;
}

/// Every group goes to the rank in whose range it is.
static cairn_status pack(cairn_groups   *set,
                         int             q,
                         const listing  *l,
                         const int64_t  *splitter,
                         cairn_exchange *travel)
{
    const int64_t n = set->query[q].elements;

    CAIRN_TRY(cairn_exchange_init(&set->meeting, travel, l->keys + l->ids, n));
    cairn_visit(set->env, n);
    for (int64_t e = 0; e < n; e++) {
        int64_t *record = travel->record + e * travel->width;

        write_record(l, e, record);
        travel->to[e] = cairn_splitters_rank(set->meeting.net->size, travel->width,
                                             splitter, record);
    }
    return CAIRN_OK;
}

/// Groups of a rank's range, each once.
typedef struct {
    cairn_group_records in;
    int64_t             n;
    int64_t            *place; ///< [received] the place of each record's, from 0.
} owned;

static void owned_fini(cairn_env *env, owned *o)
{
    cairn_group_records_fini(env, &o->in);
    cairn_free(env, o->place);
}

static cairn_status take(cairn_groups *set, const cairn_exchange *travel, owned *o)
{
    int key[CAIRN_MAX_RECORD];

    for (int k = 0; k < travel->width; k++)
        key[k] = k;
    CAIRN_TRY(cairn_group_records_take(set->env, travel, travel->width, key, &o->in));
    CAIRN_TRY(CAIRN_NEW(set->env, o->in.n, &o->place));
    cairn_visit(set->env, o->in.n);
    for (int64_t k = 0; k < o->in.n; k++) {
        o->n += k == 0
                || !cairn_group_records_agree(&o->in, 0, travel->width,
                                              o->in.order[k - 1], o->in.order[k]);
        o->place[o->in.order[k]] = o->n - 1;
    }
    return CAIRN_OK;
}

static cairn_status travel_all(cairn_groups *set, int q, const listing *l)
{
    cairn_exchange travel   = {.n = 0};
    owned          o        = {.n = 0};
    int64_t       *splitter = NULL, before;
    cairn_status   status   = split(set, q, l, &splitter);

    if (status == CAIRN_OK) status = pack(set, q, l, splitter, &travel);
    CAIRN_GO(done, cairn_exchange_send(&set->meeting, status, &travel));
    CAIRN_GO(done, cairn_exchange_meet(&set->meeting, take(set, &travel, &o)));
    CAIRN_GO(done, cairn_exchange_meet(&set->meeting,
                                       cairn_sum_before(set->env, set->meeting.net,
                                                        CAIRN_OK, o.n, &before)));
    for (int64_t k = 0; k < o.in.n; k++)
        o.place[k] += before;
    status = cairn_exchange_return(&set->meeting, CAIRN_OK, &travel, o.place,
                                   set->query[q].enumerated.number);
done:
    cairn_free(set->env, splitter);
    owned_fini(set->env, &o);
    cairn_exchange_fini(&set->meeting, &travel);
    return status;
}

cairn_status cairn_groups_share_places(cairn_groups         *set,
                                       int                   q,
                                       int                   windows,
                                       int                   keys,
                                       const int64_t *const *key,
                                       int                   ids,
                                       const int64_t *const *id)
{
    const cairn_group_query *s     = &set->query[q];
    const listing            l     = {windows, keys, ids, key, id};
    int64_t                  cross = 0, tuple[CAIRN_MAX_LEVELS];

    if (!cairn_groups_stay(set, &s->forms.group)) {
        const bool valued = cairn_forms_queries(set->algebra, &s->forms.group);

        for (int64_t e = 0; e < s->elements && !cross; e++) {
            for (int k = 0; k < windows; k++)
                tuple[k] = key[k][e];
            cross = valued || cairn_groups_crosses(set, &s->forms.group, tuple);
        }
        CAIRN_TRY(cairn_exchange_max(&set->meeting, CAIRN_OK, &cross));
    }
    set->query[q].spread.crosses = cross;
    return cross ? travel_all(set, q, &l) : stay(set, q, &l);
}
