// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Running all queries of an encoding, one after the other.

#include "query/set.h"

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

static cairn_status run_function(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];

    s->query = &set->encoding->query[q];
    s->own =
        set->size > 1 && (s->query->func == CAIRN_QUERY_SCHEDULE || s->query->distance);
    CAIRN_TRY(check_arg(set, q));
    CAIRN_TRY(cairn_query_maps(set, q));
    switch (s->query->func) {
    case CAIRN_QUERY_SUM: return cairn_query_run_sum(set, q);
    case CAIRN_QUERY_ENUM: return cairn_query_run_enum(set, q);
    case CAIRN_QUERY_REORDER: return cairn_query_run_reorder(set, q);
    case CAIRN_QUERY_SCHEDULE: break;
    }
    return cairn_query_run_schedule(set, q);
}

/// Values at all entries.
static cairn_status find_at_entries(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    cairn_element      element;
    int64_t           *value;
    cairn_status       status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(set->env, set->entries->n, &value));
    cairn_visit(set->env, set->entries->n);
    for (int64_t p = 0; p < set->entries->n && status == CAIRN_OK; p++) {
        cairn_element_entry(set, p, &element);
        status = cairn_query_value(set, q, &element, &value[p]);
    }
    s->at_entry = value;
    return status;
}

static void widen(cairn_interval *span, int64_t value)
{
    if (value == CAIRN_NO_NUMBER) return;
    if (value < span->lo) span->lo = value;
    if (value > span->hi) span->hi = value;
}

/// Does this rank have the group, of those that reorder or schedule look at?
static bool is_own(cairn_query_set *set, int q, int64_t p)
{
    const cairn_elements *elements = &set->state[q].elements;

    if (elements->share) return elements->share[p] == set->rank;
    return set->size < 2
           || cairn_group_is_on(
               set, &set->state[elements->q].group,
               cairn_query_table_at(cairn_elements_table(set, elements), p), set->rank);
}

static void find_span(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    const bool         groups =
        s->query->func == CAIRN_QUERY_REORDER || s->query->func == CAIRN_QUERY_SCHEDULE;

    s->span = (cairn_interval){INT64_MAX, INT64_MIN};
    cairn_visit(set->env, groups ? s->elements.n : set->own);
    for (int64_t p = 0; groups && p < s->elements.n; p++)
        if (is_own(set, q, p)) widen(&s->span, s->num.number[p]);
    for (int64_t p = 0; !groups && p < set->own; p++)
        widen(&s->span, s->at_entry[set->offset + p]);
    if (s->span.lo > s->span.hi) s->span = (cairn_interval){0, -1};
}

static cairn_status run_one(cairn_query_set *set, int q)
{
    CAIRN_TRY(run_function(set, q));
    CAIRN_TRY(find_at_entries(set, q));
    find_span(set, q);
    return CAIRN_OK;
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
    cairn_entries_init(&made->gathered, shape->order);
    made->order   = shape->order;
    made->entries = entries;
    made->own     = entries->n;
    made->size    = 1;
    for (int k = 0; k < shape->order; k++) {
        made->global[k] = (cairn_interval){0, shape->extent[k] - 1};
        made->box[k] = made->domain[k] = box[k];
    }
    *set = made;
    return CAIRN_OK;
}

cairn_status cairn_query_step(cairn_query_set *set, int q, const cairn_query_net *net)
{
    if (!net || net->size < 2) return run_one(set, q);
    if (!set->rows) CAIRN_TRY(cairn_query_gather(set, net));
    return net->agree(net->user, run_one(set, q));
}

static void destroy_state(cairn_env *env, cairn_query_state *s)
{
    cairn_free(env, s->group.form);
    cairn_free(env, s->traverse.form);
    cairn_free(env, s->by.form);
    cairn_query_table_fini(env, &s->touched);
    cairn_query_table_fini(env, &s->listed);
    cairn_free(env, s->elements.entry);
    cairn_free(env, s->elements.group);
    cairn_free(env, s->elements.share);
    cairn_free(env, s->num.group_of);
    cairn_free(env, s->num.number);
    cairn_free(env, s->num.order);
    cairn_free(env, s->num.first);
    cairn_free(env, s->num.by_number);
    cairn_free(env, s->num.rest_start);
    cairn_free(env, s->at_entry);
    for (int64_t k = 0; k < s->lists.n; k++)
        cairn_free(env, s->lists.list[k].tuple);
    cairn_free(env, s->lists.list);
}

void cairn_query_set_destroy(cairn_env *env, cairn_query_set **set)
{
    if (!*set) return;
    for (int q = 0; q < (*set)->encoding->queries; q++)
        destroy_state(env, &(*set)->state[q]);
    cairn_entries_fini(env, &(*set)->gathered);
    cairn_free(env, (*set)->rows);
    cairn_free(env, (*set)->state);
    cairn_free(env, (*set)->algebra);
    cairn_free(env, *set);
    *set = NULL;
}

const int64_t *cairn_query_at_entries(const cairn_query_set *set, int q)
{
    return set->state[q].at_entry + set->offset;
}

cairn_interval cairn_query_span(const cairn_query_set *set, int q)
{
    return set->state[q].span;
}
