// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Running all queries of an encoding, one after the other.

#include "query/exchange.h"
#include "query/runs.h"

#include <string.h>

static cairn_status check_arg(cairn_query_set *set, int q)
{
    const cairn_query *query = &set->encoding->query[q];
    const bool         needs =
        query->func == CAIRN_QUERY_REORDER || query->func == CAIRN_QUERY_SCHEDULE;
    char text[32];

    if (query->arg < 0 ? !needs
                       : set->encoding->query[query->arg].func == CAIRN_QUERY_SUM)
        return CAIRN_OK;
    return cairn_fail(set->env, CAIRN_BAD_QUERY,
                      "query: %s: it must run over %s, whose groups have values",
                      cairn_query_label(set, query, text),
                      needs ? "an earlier sum" : "value or an earlier sum");
}

static cairn_status run_query(cairn_query_set *set, int q)
{
    set->state[q].query = &set->encoding->query[q];
    set->state[q].same  = -1;
    cairn_tuples_init(&set->state[q].asked, set->state[q].query->group_by.count);
    CAIRN_TRY(check_arg(set, q));
    CAIRN_TRY(cairn_query_maps(set, q));
    switch (set->state[q].query->func) {
    case CAIRN_QUERY_SUM: return cairn_query_run_sum(set, q);
    case CAIRN_QUERY_ENUM: return cairn_query_run_enum(set, q);
    case CAIRN_QUERY_REORDER: return cairn_query_run_reorder(set, q);
    case CAIRN_QUERY_SCHEDULE: break;
    }
    return cairn_query_run_schedule(set, q);
}

static void widen(cairn_interval *span, int64_t n, const int64_t *value)
{
    int64_t lo = span->lo, hi = span->hi;

    for (int64_t p = 0; p < n; p++) { /* none is the least number: never the largest */
        const int64_t here = value[p] == CAIRN_NO_NUMBER ? INT64_MAX : value[p];

        lo = here < lo ? here : lo;
        hi = value[p] > hi ? value[p] : hi;
    }
    *span = (cairn_interval){lo, hi};
}

/// Of the groups that have an entry.
static void widen_by_groups(const cairn_query_set *set, int q, cairn_interval *span)
{
    const cairn_query_state *s    = &set->state[q];
    cairn_runs               runs = cairn_runs_of(set, q);
    int64_t                  begin, end, group;

    if (s->entered) {
        widen(span, s->touched, s->total);
        return;
    }
    while (cairn_runs_next(&runs, &begin, &end, &group))
        widen(span, 1, &s->total[group]);
}

static void find_span(cairn_query_set *set, int q)
{
    cairn_query_state *s    = &set->state[q];
    cairn_interval     span = {INT64_MAX, INT64_MIN};

    if (s->spanned) return;
    cairn_visit(set->env, s->elements.n + set->entries->n);
    switch (s->query->func) {
    case CAIRN_QUERY_SUM: widen_by_groups(set, q, &span); break;
    case CAIRN_QUERY_ENUM:
        widen(&span, set->entries->n, cairn_query_at_entries(set, q));
        break;
    case CAIRN_QUERY_REORDER:
    case CAIRN_QUERY_SCHEDULE: widen(&span, s->elements.n, s->number); break;
    }
    s->span = span.lo > span.hi ? (cairn_interval){0, -1} : span;
}

cairn_status cairn_query_begin(cairn_env            *env,
                               const cairn_encoding *encoding,
                               const cairn_shape    *shape,
                               const cairn_interval *box,
                               const cairn_entries  *entries,
                               cairn_query_set     **set)
{
    cairn_query_set *made;
    cairn_status     status;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &made));
    made->env      = env;
    made->encoding = encoding;
    status         = CAIRN_NEW(env, 1, &made->algebra);
    if (status == CAIRN_OK)
        status = CAIRN_NEW_ZERO(env, encoding->queries, &made->state);
    if (status != CAIRN_OK) {
        cairn_free(env, made->algebra);
        cairn_free(env, made);
        return status;
    }
    cairn_algebra_init(made->algebra, env, shape->order);
    made->order   = shape->order;
    made->entries = entries;
    for (int k = 0; k < shape->order; k++) {
        made->global[k] = (cairn_interval){0, shape->extent[k] - 1};
        made->box[k]    = box[k];
    }
    *set = made;
    return CAIRN_OK;
}

static cairn_status run_one(cairn_query_set *set, int q)
{
    CAIRN_TRY(run_query(set, q));
    find_span(set, q);
    return CAIRN_OK;
}

cairn_status cairn_query_step(cairn_query_set *set, int q, const cairn_query_net *net)
{
    set->spread  = net && net->size > 1;
    set->meeting = (cairn_meeting){set->env, set->spread ? net : NULL, false};

    const cairn_status status = cairn_exchange_meet(&set->meeting, run_one(set, q));

    set->meeting.net = NULL;
    return status;
}

cairn_status cairn_query_run(cairn_env             *env,
                             const cairn_encoding  *encoding,
                             const cairn_shape     *shape,
                             const cairn_interval  *box,
                             const cairn_entries   *entries,
                             const cairn_query_net *net,
                             cairn_query_set      **set)
{
    cairn_query_set *made = NULL;
    cairn_status status = cairn_query_begin(env, encoding, shape, box, entries, &made);

    if (net && net->size > 1) status = net->agree(net->user, status);
    for (int q = 0; q < encoding->queries && status == CAIRN_OK; q++)
        status = cairn_query_step(made, q, net);
    if (status == CAIRN_OK)
        *set = made;
    else
        cairn_query_set_destroy(env, &made);
    return status;
}

static void destroy_state(cairn_env *env, cairn_query_state *s)
{
    cairn_free(env, s->group.form);
    cairn_free(env, s->traverse.form);
    cairn_free(env, s->by.form);
    cairn_tuples_fini(env, &s->groups);
    cairn_free(env, s->crossing);
    cairn_free(env, s->origin);
    cairn_free(env, s->held);
    cairn_free(env, s->elements.entry);
    cairn_free(env, s->entry_group);
    if (s->first != s->begin) cairn_free(env, s->first);
    if (s->same < 0) {
        cairn_free(env, s->group_of);
        cairn_free(env, s->begin);
    }
    cairn_free(env, s->total);
    if (s->at_entry != s->number) cairn_free(env, s->at_entry);
    cairn_free(env, s->number);
    cairn_free(env, s->order);
    cairn_free(env, s->by_number);
    cairn_free(env, s->rest_start);
    for (int64_t k = 0; k < s->asked.n; k++)
        cairn_free(env, s->unstored[k].d);
    cairn_tuples_fini(env, &s->asked);
    cairn_free(env, s->unstored);
}

void cairn_query_set_destroy(cairn_env *env, cairn_query_set **set)
{
    if (!*set) return;
    for (int q = 0; q < (*set)->encoding->queries; q++)
        destroy_state(env, &(*set)->state[q]);
    cairn_free(env, (*set)->state);
    cairn_free(env, (*set)->algebra);
    cairn_free(env, *set);
    *set = NULL;
}

/// Look the values up group by group.
static void fill(const cairn_query_set *set, int q)
{
    cairn_query_state *s     = &set->state[q];
    const bool         sum   = s->query->func == CAIRN_QUERY_SUM;
    const int64_t     *value = sum ? s->total : s->number;
    cairn_runs         runs  = cairn_runs_of(set, sum ? q : s->query->arg);
    int64_t            begin, end, group;

    cairn_visit(set->env, set->entries->n);
    while (cairn_runs_next(&runs, &begin, &end, &group))
        for (int64_t p = begin; p < end; p++)
            s->at_entry[p] = value[group];
    s->filled = true;
}

const int64_t *cairn_query_at_entries(const cairn_query_set *set, int q)
{
    if (!set->state[q].filled) fill(set, q);
    return set->state[q].at_entry;
}

cairn_interval cairn_query_span(const cairn_query_set *set, int q)
{
    return set->state[q].span;
}
