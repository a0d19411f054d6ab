// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Value maps: at one element, over chunks of them, and of those that nobody looks at.

#include "query/columns.h"

typedef enum { CAIRN_NO, CAIRN_YES, CAIRN_MAYBE } cairn_maybe;

static bool compare_int(int64_t a, cairn_relation relation, int64_t b)
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
    return compare_int(value, when->relation, when->constant);
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

/* ---- over chunks ---- */

/// Does the case hold of all or none of the elements, whatever their numbers?
static cairn_maybe holds_of_all(const cairn_case *when, const cairn_elements *elements)
{
    if (elements->kind != CAIRN_ELEMENTS_ENTRIES || when->var != CAIRN_ARG_VALUE
        || when->constant != 0)
        return CAIRN_MAYBE;
    if (when->relation == CAIRN_REL_EQ) return CAIRN_NO;
    return when->relation == CAIRN_REL_NE ? CAIRN_YES : CAIRN_MAYBE;
}

/// What the case compares; of an entry's value nothing must be found.
static bool find_when(cairn_rules *rules, int c)
{
    const int var = rules->query->when[c].var;

    if (rules->elements->kind == CAIRN_ELEMENTS_BOX) return false;
    if (var == CAIRN_ARG_VALUE && rules->elements->kind == CAIRN_ELEMENTS_ENTRIES)
        return true;
    return cairn_input_of_query(rules->set, rules->elements,
                                var == CAIRN_ARG_VALUE ? rules->elements->q : var,
                                &rules->when[c]);
}

static bool find_then(cairn_rules *rules, const cairn_start *start, int arm)
{
    static const int64_t none = CAIRN_NO_NUMBER;

    if (start->kind == CAIRN_START_QUERY)
        return cairn_input_of_query(rules->set, rules->elements, (int)start->value,
                                    &rules->then[arm]);
    rules->then[arm] = (cairn_input){
        .data = start->kind == CAIRN_START_CONST ? &start->value : &none, .scale = 1};
    return true;
}

void cairn_rules_init(cairn_query_set      *set,
                      int                   q,
                      const cairn_elements *elements,
                      cairn_rules          *rules)
{
    const cairn_query *query = set->state[q].query;
    int                arms  = 0, c;

    *rules =
        (cairn_rules){.set = set, .query = query, .elements = elements, .fast = true};
    for (c = 0; c < query->cases; c++) {
        const cairn_maybe yes = holds_of_all(&query->when[c], elements);

        if (yes == CAIRN_NO) {
            rules->never |= 1U << c;
            continue;
        }
        arms++;
        rules->arm  = c;
        rules->fast = rules->fast && (yes == CAIRN_YES || find_when(rules, c))
                      && find_then(rules, &query->when[c].start, c);
        if (yes == CAIRN_YES) break;
    }
    if (c == query->cases) {
        arms++;
        rules->arm  = c;
        rules->fast = rules->fast && find_then(rules, &query->otherwise, c);
    }
    rules->last    = c;
    rules->one_arm = rules->fast && arms == 1;
    if (!rules->one_arm || rules->then[rules->arm].step) return;
    rules->one_start = true;
    rules->start     = *rules->then[rules->arm].data;
}

static cairn_status read_slowly(const cairn_rules *rules,
                                int64_t            begin,
                                int                n,
                                int64_t           *arm,
                                int64_t           *start)
{
    cairn_element element;

    for (int k = 0; k < n; k++) {
        int which;

        cairn_element_get(rules->set, rules->elements, begin + k, &element);
        CAIRN_TRY(
            cairn_query_rule(rules->set, rules->query, &element, &which, &start[k]));
        if (arm) arm[k] = which;
    }
    return CAIRN_OK;
}

static bool case_holds(const cairn_rules *rules, int c, int64_t p)
{
    const cairn_case *when = &rules->query->when[c];

    if (!rules->when[c].data)
        return position_holds(when, true, rules->set->entries->value[p]);
    return number_holds(when, cairn_input_at(&rules->when[c], p));
}

cairn_status cairn_rules_read(const cairn_rules *rules,
                              int64_t            begin,
                              int                n,
                              int64_t           *arm,
                              int64_t           *start)
{
    cairn_visit(rules->set->env, n);
    if (!rules->fast) return read_slowly(rules, begin, n, arm, start);
    for (int k = 0; k < n; k++) {
        int c = 0;

        while (c < rules->last
               && (rules->never >> c & 1 || !case_holds(rules, c, begin + k)))
            c++;
        start[k] = cairn_input_at(&rules->then[c], begin + k);
        if (arm) arm[k] = c;
    }
    return CAIRN_OK;
}
