// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// All queries of an encoding, one after the other, here or in src/query.

#include "base/wide.h"
#include "groups/spread.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *cairn_groups_label(const cairn_groups *set, int q, char text[32])
{
    if (set->encoding->query[q].name) return set->encoding->query[q].name;
    snprintf(text, 32, "query %d", q);
    return text;
}

/* ---- a set ---- */

void cairn_group_numbers_fini(cairn_env *env, cairn_group_numbers *numbers)
{
    cairn_free(env, numbers->number);
    cairn_free(env, numbers->by_number);
    cairn_free(env, numbers->rest_start);
    cairn_free(env, numbers->rest_arm);
    cairn_free(env, numbers->arm);
    cairn_free(env, numbers->skip);
    cairn_free(env, numbers->skips);
}

static void destroy_query(cairn_env *env, cairn_group_query *all, int q)
{
    cairn_group_query *s = &all[q];

    cairn_free(env, (void *)s->forms.group.form);
    cairn_free(env, (void *)s->forms.traverse.form);
    cairn_free(env, (void *)s->forms.by.form);
    cairn_group_index_fini(env, &s->index);
    cairn_free(env, s->of);
    cairn_free(env, s->total);
    if (s->at_entry != s->enumerated.number) cairn_free(env, s->at_entry);
    cairn_group_numbers_fini(env, &s->enumerated);
    for (int64_t k = 0; k < s->lists.group.n; k++)
        cairn_free(env, s->lists.list[k].t);
    cairn_tuples_fini(env, &s->lists.group);
    cairn_free(env, s->lists.list);
    cairn_free(env, s->spread.crossing);
    cairn_free(env, s->spread.rest_arm);
    cairn_free(env, s->spread.rest_start);
    cairn_group_index_fini(env, &s->spread.others);
    cairn_free(env, s->spread.totals);
    cairn_free(env, s->first);
    if (s->spread.joint) cairn_group_joint_fini(env, q, s->spread.joint);
    cairn_free(env, s->spread.joint);
}

void cairn_groups_destroy(cairn_env *env, cairn_groups **groups)
{
    cairn_groups *set = *groups;

    if (!set) return;
    cairn_query_set_destroy(env, &set->definition);
    for (int q = 0; set->query && q < set->encoding->queries; q++)
        destroy_query(env, set->query, q);
    cairn_free(env, set->query);
    cairn_free(env, set->rows);
    cairn_free(env, set->algebra);
    cairn_free(env, set);
    *groups = NULL;
}

/// Can all queries be answered here?
static cairn_status plan_all(cairn_groups *set)
{
    bool possible = true;

    assert(set->answers == CAIRN_GROUPS_SOME && !set->algebra);
    CAIRN_TRY(CAIRN_NEW(set->env, 1, &set->algebra));
    cairn_algebra_init(set->algebra, set->env, set->order);
    for (int q = 0; q < set->encoding->queries && possible; q++)
        CAIRN_TRY(cairn_groups_plan(set, q, &possible));
    set->answers = possible ? CAIRN_GROUPS_ALL : CAIRN_GROUPS_SOME;
    return CAIRN_OK;
}

cairn_status cairn_groups_begin(cairn_env            *env,
                                const cairn_encoding *encoding,
                                const cairn_shape    *shape,
                                const cairn_interval *box,
                                const cairn_entries  *entries,
                                bool                  definition,
                                cairn_groups        **groups)
{
    cairn_groups *set;
    cairn_status  status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &set));
    set->env      = env;
    set->encoding = encoding;
    set->shape    = *shape;
    set->order    = shape->order;
    set->entries  = entries;
    memcpy(set->box, box, (size_t)shape->order * sizeof *box);
    set->reference = definition;
    CAIRN_GO(undo, CAIRN_NEW_ZERO(env, encoding->queries, &set->query));
    if (!definition) CAIRN_GO(undo, plan_all(set));
    *groups = set;
    return CAIRN_OK;
undo:
    cairn_groups_destroy(env, &set);
    return status;
}

/* ---- one query ---- */

/// An earlier sum of the same elements with the same groups, which is never put in another
/// order; -1: there is none.
static int query_of_groups(const cairn_groups *set, int q)
{
    const cairn_group_query *s = &set->query[q];

    for (int r = 0; r < q; r++) {
        const cairn_group_query *other = &set->query[r];
        bool same = other->index.begin && other->query->func == CAIRN_QUERY_SUM
                    && other->query->arg == s->query->arg
                    && other->forms.group.count == s->forms.group.count;

        for (int f = 0; f < s->forms.group.count && same; f++)
            same =
                cairn_form_equal(&other->forms.group.form[f], &s->forms.group.form[f]);
        if (same) return r;
    }
    return -1;
}

/// The groups of all elements.
static cairn_status enter_groups(cairn_groups *set, int q)
{
    cairn_group_query *s                        = &set->query[q];
    cairn_group_column column[CAIRN_MAX_LEVELS] = {{.own = NULL}};
    const int64_t     *value[CAIRN_MAX_LEVELS];
    cairn_status       status = CAIRN_OK;

    assert(!s->index.begin && !s->of);
    assert(s->query->arg < q
           && (s->query->arg < 0 || set->query[s->query->arg].index.begin));
    s->elements =
        s->query->arg < 0 ? set->entries->n : set->query[s->query->arg].index.groups;
    const int known = query_of_groups(set, q);

    if (known >= 0)
        return cairn_group_index_share(set->env, s->elements, &set->query[known].index,
                                       &s->index);
    for (int f = 0; f < s->forms.group.count; f++) {
        CAIRN_GO(done,
                 cairn_groups_column(set, q, &s->forms.group.form[f], &column[f]));
        value[f] = column[f].data;
    }
    status = cairn_group_index_make(set->env, s->elements, s->forms.group.count, value,
                                    &s->index);
done:
    for (int f = 0; f < CAIRN_MAX_LEVELS; f++)
        cairn_free(set->env, column[f].own);
    return status;
}

/// The least and the largest number of elements that have one; none: least > largest. That
/// none is the least of all integers: one less is the largest, which is no least number.
CAIRN_WIDE static cairn_interval range_of(int64_t n, const int64_t *value)
{
    int64_t below = INT64_MAX, most = CAIRN_NO_NUMBER;

    for (int64_t p = 0; p < n; p++) {
        const int64_t less = (int64_t)((uint64_t)value[p] - 1);

        below = less < below ? less : below;
        most  = value[p] > most ? value[p] : most;
    }
    return (cairn_interval){below == INT64_MAX ? below : below + 1, most};
}

static cairn_status run_function(cairn_groups *set, int q)
{
    switch (set->query[q].query->func) {
    case CAIRN_QUERY_SUM:
        CAIRN_TRY(enter_groups(set, q));
        return cairn_groups_sum(set, q);
    case CAIRN_QUERY_ENUM:
        CAIRN_TRY(enter_groups(set, q));
        return cairn_groups_enum(set, q);
    case CAIRN_QUERY_REORDER:
    case CAIRN_QUERY_SCHEDULE: break;
    }
    return cairn_groups_place(set, q);
}

static cairn_status answer(cairn_groups *set, int q)
{
    cairn_group_query *s   = &set->query[q];
    const bool         sum = s->query->func == CAIRN_QUERY_SUM;
    cairn_interval     span;
    const int64_t     *of;

    assert(!s->at_entry && !s->filled); /* once a query */
    CAIRN_TRY(cairn_groups_know(set, q));
    CAIRN_TRY(run_function(set, q));
    span = range_of(sum ? s->index.groups : s->elements,
                    sum ? s->total : s->enumerated.number);
    cairn_visit(set->env, sum ? s->index.groups : s->elements);
    s->span = span.lo > span.hi ? (cairn_interval){0, -1} : span;
    /* what values at entries will be made of: nothing may fail then */
    if (sum && s->query->arg >= 0) CAIRN_TRY(cairn_groups_of(set, q, &of));
    if (s->query->func == CAIRN_QUERY_ENUM && s->query->arg < 0) {
        s->at_entry = s->enumerated.number;
        return CAIRN_OK;
    }
    return CAIRN_NEW(set->env, set->entries->n, &s->at_entry);
}

/// Let all ranks answer here, or none.
static cairn_status settle(cairn_groups *set)
{
    int64_t not = set->answers != CAIRN_GROUPS_ALL;

    assert(set->answers != CAIRN_GROUPS_BEGUN && !set->definition);
    CAIRN_TRY(cairn_exchange_max(&set->meeting, CAIRN_OK, &not ));
    if (not )
        return cairn_exchange_meet(
            &set->meeting, cairn_query_begin(set->env, set->encoding, &set->shape,
                                             set->box, set->entries, &set->definition));
    return set->spread ? cairn_groups_meet(set) : CAIRN_OK;
}

/// What needs a number that only another rank knows is asked of src/query, from the first
/// query on: there every rank knows all.
static cairn_status hand_over(cairn_groups *set, int q, const cairn_query_net *net)
{
    cairn_status status = cairn_query_begin(set->env, set->encoding, &set->shape,
                                            set->box, set->entries, &set->definition);

    status = net->agree(net->user, status);
    for (int r = 0; r <= q && status == CAIRN_OK; r++)
        status = cairn_query_step(set->definition, r, net);
    return status;
}

cairn_status cairn_groups_step(cairn_groups *set, int q, const cairn_query_net *net)
{
    const int64_t before = set->env->visited;
    cairn_status  status;

    assert(q >= 0 && q < set->encoding->queries && !set->meeting.net);
    set->spread  = net && net->size > 1;
    set->meeting = (cairn_meeting){set->env, set->spread ? net : NULL, false};
    status       = set->answers == CAIRN_GROUPS_BEGUN ? CAIRN_OK : settle(set);
    if (status == CAIRN_OK) set->answers = CAIRN_GROUPS_BEGUN;
    if (status == CAIRN_OK && set->definition)
        status = cairn_query_step(set->definition, q, net);
    else if (status == CAIRN_OK)
        status = cairn_exchange_meet(&set->meeting, answer(set, q));
    if (status == CAIRN_UNSUPPORTED && set->spread && !set->definition)
        status = hand_over(set, q, net);
    set->meeting.net = NULL;
    set->query[q].visits += set->env->visited - before;
    return status;
}

/* ---- values at entries ---- */

/// The group of query @p q that each entry is in, by way of the groups that it is over.
static void entry_groups(const cairn_groups *set, int q, int64_t *group)
{
    const cairn_group_query *s = &set->query[q];
    const cairn_group_index *x = &s->index;

    if (s->query->arg >= 0) {
        entry_groups(set, s->query->arg, group);
        for (int64_t p = 0; p < set->entries->n; p++)
            group[p] = s->of[group[p]];
        return;
    }
    for (int64_t g = 0; g < x->groups; g++)
        for (int64_t k = x->begin[g]; k < x->begin[g + 1]; k++)
            group[cairn_group_index_element(x, k)] = g;
}

/// Look values up by group.
static void fill(const cairn_groups *set, int q)
{
    cairn_group_query *s     = &set->query[q];
    const bool         sum   = s->query->func == CAIRN_QUERY_SUM;
    const int64_t     *value = sum ? s->total : s->enumerated.number;

    assert(s->at_entry && value && !s->filled);
    cairn_visit(set->env, 2 * set->entries->n);
    entry_groups(set, s->query->func == CAIRN_QUERY_ENUM ? s->query->arg : q,
                 s->at_entry);
    for (int64_t p = 0; p < set->entries->n; p++)
        s->at_entry[p] = value[s->at_entry[p]];
    s->filled = true;
}

const int64_t *cairn_groups_at_entries(const cairn_groups *set, int q)
{
    assert(set->answers == CAIRN_GROUPS_BEGUN);
    if (set->definition) return cairn_query_at_entries(set->definition, q);
    if (!set->query[q].filled
        && set->query[q].at_entry != set->query[q].enumerated.number)
        fill(set, q);
    return set->query[q].at_entry;
}

cairn_interval cairn_groups_span(const cairn_groups *set, int q)
{
    return set->definition ? cairn_query_span(set->definition, q) : set->query[q].span;
}

bool cairn_groups_is_joint(const cairn_groups *set, int q)
{
    return set->query[q].spread.crosses;
}

bool cairn_groups_is_reference(const cairn_groups *set)
{
    return set->reference;
}

cairn_query_class cairn_groups_class(const cairn_groups *set, int q)
{
    const cairn_group_query *s = &set->query[q];

    if (set->definition || set->many >> q & 1) return CAIRN_CLASS_OTHER;
    /* where nothing is asked of what is not stored any order will do */
    return s->forms.order.known == CAIRN_CLASS_OTHER && !s->asks ? CAIRN_CLASS_BOX
                                                                 : s->forms.order.known;
}

int64_t cairn_groups_visits(const cairn_groups *set, int q)
{
    return set->query[q].visits;
}
