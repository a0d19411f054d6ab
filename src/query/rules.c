// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value maps: at one element, and of all that are not taken one by one.

#include "query/set.h"

typedef enum { CAIRN_NO, CAIRN_YES, CAIRN_MAYBE } cairn_maybe;

static bool compare_double(double a, cairn_relation relation, double b)
{
    switch (relation) {
    case CAIRN_REL_EQ: return a == b;
    case CAIRN_REL_NE: return a != b;
    case CAIRN_REL_GT: return a > b;
    case CAIRN_REL_GE: return a >= b;
    case CAIRN_REL_LT: return a < b;
    case CAIRN_REL_LE: return a <= b;
    }
    return false;
}

/// `value eq 0` asks whether the position is stored; other comparisons ask the value.
static bool position_holds(const cairn_case *when, bool stored, double value)
{
    if (when->constant == 0 && when->relation == CAIRN_REL_EQ) return !stored;
    if (when->constant == 0 && when->relation == CAIRN_REL_NE) return stored;
    return compare_double(value, when->relation, (double)when->constant);
}

/// Nothing holds of an element without a number, except that it differs.
static bool number_holds(const cairn_case *when, int64_t value)
{
    if (value == CAIRN_NO_NUMBER) return when->relation == CAIRN_REL_NE;
    return cairn_relation_holds(value, when->relation, when->constant);
}

static cairn_status
holds(cairn_query_set *set, const cairn_case *when, cairn_element *element, bool *yes)
{
    int64_t value;

    if (when->var == CAIRN_ARG_VALUE && element->q < 0) {
        const bool stored = element->entry >= 0;

        *yes = position_holds(when, stored,
                              stored ? set->entries->value[element->entry] : 0.0);
        return CAIRN_OK;
    }
    /* of a group, `value` is its value */
    CAIRN_TRY(cairn_query_value(set, when->var < 0 ? element->q : when->var, element,
                                &value));
    *yes = number_holds(when, value);
    return CAIRN_OK;
}

cairn_status cairn_query_start(cairn_query_set   *set,
                               const cairn_start *start,
                               cairn_element     *element,
                               int64_t           *value)
{
    *value = start->kind == CAIRN_START_CONST ? start->value : CAIRN_NO_NUMBER;
    if (start->kind != CAIRN_START_QUERY) return CAIRN_OK;
    return cairn_query_value(set, (int)start->value, element, value);
}

cairn_status cairn_query_rule(cairn_query_set   *set,
                              const cairn_query *query,
                              cairn_element     *element,
                              int               *arm,
                              int64_t           *start)
{
    for (*arm = 0; *arm < query->cases; ++*arm) {
        bool yes;

        CAIRN_TRY(holds(set, &query->when[*arm], element, &yes));
        if (yes)
            return cairn_query_start(set, &query->when[*arm].start, element, start);
    }
    return cairn_query_start(set, &query->otherwise, element, start);
}

/// Does the condition hold of every element that has no entry?
static cairn_maybe
rest_holds(const cairn_query_set *set, const cairn_query *query, const cairn_case *when)
{
    const cairn_query_state *arg = query->arg >= 0 ? &set->state[query->arg] : NULL;

    if (!arg && when->var == CAIRN_ARG_VALUE)
        return position_holds(when, false, 0.0) ? CAIRN_YES : CAIRN_NO;
    if (arg && (when->var == CAIRN_ARG_VALUE || when->var == query->arg) && arg->lazy
        && arg->rest.value == 0)
        return number_holds(when, 0) ? CAIRN_YES : CAIRN_NO;
    return CAIRN_MAYBE;
}

bool cairn_query_rest(const cairn_query_set *set,
                      const cairn_query     *query,
                      int                   *arm,
                      cairn_start           *start)
{
    for (*arm = 0; *arm < query->cases; ++*arm) {
        const cairn_maybe yes = rest_holds(set, query, &query->when[*arm]);

        if (yes == CAIRN_MAYBE) return false;
        *start = query->when[*arm].start;
        if (yes == CAIRN_YES) return true;
    }
    *start = query->otherwise;
    return true;
}

/// Is the start a constant, the same as in the arms before?
static bool same_constant(const cairn_start *start, bool *any, int64_t *value)
{
    const int64_t here = start->kind == CAIRN_START_NONE ? 0 : start->value;

    if (start->kind == CAIRN_START_QUERY || (*any && here != *value)) return false;
    *any   = true;
    *value = here;
    return true;
}

bool cairn_query_rest_constant(const cairn_query_set *set,
                               const cairn_query     *query,
                               int64_t               *value)
{
    bool any = false;

    for (int c = 0; c < query->cases; c++) {
        const cairn_maybe yes = rest_holds(set, query, &query->when[c]);

        if (yes != CAIRN_NO && !same_constant(&query->when[c].start, &any, value))
            return false;
        if (yes == CAIRN_YES) return true;
    }
    return same_constant(&query->otherwise, &any, value);
}
