// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cases of all elements of a query: one for all where a text like `value ne 0` says so,
/// else one column after the other.

#include "groups/starts.h"

/// Values that cases compare with, and starts, by case.
typedef struct {
    cairn_group_column when[CAIRN_MAX_CASES], then[CAIRN_MAX_CASES + 1];
} inputs;

static const cairn_start *start_of(const cairn_query *query, int arm)
{
    return arm < query->cases ? &query->when[arm].start : &query->otherwise;
}

/// Is the case about whether a position is stored?
static bool asks_stored(const cairn_query *query, const cairn_case *when)
{
    return query->arg < 0 && when->var == CAIRN_ARG_VALUE && when->constant == 0
           && (when->relation == CAIRN_REL_EQ || when->relation == CAIRN_REL_NE);
}

/// The one case of all elements, if the text tells.
static bool one_for_all(const cairn_query *query, cairn_group_starts *s)
{
    int arm = 0;

    for (; arm < query->cases; arm++) {
        if (!asks_stored(query, &query->when[arm])) return false;
        if (query->when[arm].relation == CAIRN_REL_NE) break;
    }
    const cairn_start *start = start_of(query, arm);

    s->one_arm   = arm;
    s->one_start = start->kind == CAIRN_START_CONST ? start->value : CAIRN_NO_NUMBER;
    s->one       = start->kind != CAIRN_START_QUERY;
    return s->one;
}

static cairn_status find_inputs(cairn_groups *set, int q, inputs *in)
{
    const cairn_query *query = set->query[q].query;

    for (int c = 0; c <= query->cases; c++) {
        const cairn_start *start = start_of(query, c);

        if (start->kind == CAIRN_START_QUERY)
            CAIRN_TRY(cairn_groups_values(set, q, (int)start->value, &in->then[c]));
        if (c == query->cases) break;
        const int var = query->when[c].var < 0 ? query->arg : query->when[c].var;

        if (var >= 0) CAIRN_TRY(cairn_groups_values(set, q, var, &in->when[c]));
    }
    return CAIRN_OK;
}

static bool
holds(const cairn_groups *set, const cairn_case *when, const int64_t *value, int64_t p)
{
    return value ? cairn_groups_number_holds(when, value[p])
                 : cairn_groups_position_holds(when, true, set->entries->value[p]);
}

static void
decide(const cairn_groups *set, int q, const inputs *in, cairn_group_starts *s)
{
    const cairn_query *query = set->query[q].query;

    for (int64_t p = 0; p < set->query[q].elements; p++) {
        int c = 0;

        while (c < query->cases && !holds(set, &query->when[c], in->when[c].data, p))
            c++;
        const cairn_start *start = start_of(query, c);

        s->arm[p]   = (uint8_t)c;
        s->start[p] = start->kind == CAIRN_START_CONST  ? start->value
                      : start->kind == CAIRN_START_NONE ? CAIRN_NO_NUMBER
                                                        : in->then[c].data[p];
    }
}

/// Cases of groups, one after the other: what is asked of none must not be looked for, since
/// another rank may have it.
static cairn_status decide_groups(cairn_groups *set, int q, cairn_group_starts *s)
{
    const cairn_query *query = set->query[q].query;
    cairn_coord        d[CAIRN_MAX_ORDER];
    int64_t            value;

    for (int64_t p = 0; p < set->query[q].elements; p++) {
        int c = 0;

        CAIRN_TRY(cairn_groups_position(set, q, p, d));
        for (; c < query->cases; c++) {
            const int var = query->when[c].var < 0 ? query->arg : query->when[c].var;

            value = set->query[query->arg].total[p];
            if (var != query->arg) CAIRN_TRY(cairn_groups_value(set, var, d, &value));
            if (cairn_groups_number_holds(&query->when[c], value)) break;
        }
        const cairn_start *start = start_of(query, c);

        value = start->kind == CAIRN_START_CONST ? start->value : CAIRN_NO_NUMBER;
        if (start->kind == CAIRN_START_QUERY && (int)start->value == query->arg)
            value = set->query[query->arg].total[p];
        else if (start->kind == CAIRN_START_QUERY)
            CAIRN_TRY(cairn_groups_value(set, (int)start->value, d, &value));
        s->arm[p]   = (uint8_t)c;
        s->start[p] = value;
    }
    return CAIRN_OK;
}

cairn_status
cairn_group_starts_find(cairn_groups *set, int q, cairn_group_starts *starts)
{
    const int64_t n  = set->query[q].elements;
    inputs        in = {.when = {{.own = NULL}}};
    cairn_status  status;

    if (one_for_all(set->query[q].query, starts)) return CAIRN_OK;
    CAIRN_GO(done, CAIRN_NEW(set->env, n, &starts->arm));
    CAIRN_GO(done, CAIRN_NEW(set->env, n, &starts->start));
    cairn_visit(set->env, n);
    if (set->spread && set->query[q].query->arg >= 0) {
        status = decide_groups(set, q, starts);
        goto done;
    }
    CAIRN_GO(done, find_inputs(set, q, &in));
    decide(set, q, &in, starts);
done:
    for (int c = 0; c <= CAIRN_MAX_CASES; c++) {
        if (c < CAIRN_MAX_CASES) cairn_free(set->env, in.when[c].own);
        cairn_free(set->env, in.then[c].own);
    }
    return status;
}

void cairn_group_starts_fini(cairn_env *env, cairn_group_starts *starts)
{
    cairn_free(env, starts->arm);
    cairn_free(env, starts->start);
    starts->arm   = NULL;
    starts->start = NULL;
}
