// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `sum`: per group, the starts of its elements. Elements without an entry all start
/// with one constant (`lazy`); if it is not 0 they are counted: positions of the group
/// less those stored. Else every element is looked at.

#include "query/set.h"

static cairn_status overflow(cairn_query_set *set, const cairn_query *query)
{
    char text[32];

    return cairn_fail(set->env, CAIRN_OVERFLOW, "query: %s: a sum leaves 64 bits",
                      cairn_query_label(set, query, text));
}

/// Decide which elements must be looked at.
static void decide(cairn_query_set *set, int q)
{
    cairn_query_state *s   = &set->state[q];
    const int          arg = s->query->arg;

    s->rest = (cairn_start){.kind = CAIRN_START_CONST};
    s->lazy = cairn_query_rest_constant(set, s->query, &s->rest.value);
    if (s->rest.value == 0) return;
    if (arg >= 0 || s->group.queries) s->lazy = false;
}

/// Add what the positions that were not looked at give to a group of @p count entries.
static cairn_status add_rest(cairn_query_set *set,
                             int              q,
                             const int64_t   *tuple,
                             int64_t          count,
                             int64_t         *total)
{
    const cairn_query_state *s = &set->state[q];
    int64_t                  rest;

    if (!s->lazy || s->rest.value == 0) return CAIRN_OK;
    rest = cairn_group_positions(set, &s->group, tuple) - count;
    if (__builtin_mul_overflow(rest, s->rest.value, &rest)
        || __builtin_add_overflow(*total, rest, total))
        return overflow(set, s->query);
    return CAIRN_OK;
}

cairn_status
cairn_sum_untouched(cairn_query_set *set, int q, const int64_t *tuple, int64_t *total)
{
    *total = 0;
    return add_rest(set, q, tuple, 0, total);
}

static cairn_status add_elements(cairn_query_set *set, int q, int64_t *count)
{
    cairn_query_state *s = &set->state[q];
    cairn_element      element;

    cairn_visit(set->env, s->elements.n);
    for (int64_t p = 0; p < s->elements.n; p++) {
        const int64_t g = s->num.group_of[p];
        int64_t       start;
        int           arm;

        cairn_element_get(set, q, p, &element);
        CAIRN_TRY(cairn_query_rule(set, s->query, &element, &arm, &start));
        count[g]++;
        if (start != CAIRN_NO_NUMBER
            && __builtin_add_overflow(s->touched.total[g], start, &s->touched.total[g]))
            return overflow(set, s->query);
    }
    return CAIRN_OK;
}

cairn_status cairn_query_run_sum(cairn_query_set *set, int q)
{
    cairn_query_state *s     = &set->state[q];
    int64_t           *count = NULL;
    cairn_status       status;

    decide(set, q);
    CAIRN_TRY(cairn_elements_find(set, q, !s->lazy));
    CAIRN_TRY(cairn_query_group(set, q, NULL));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->touched.n, &s->touched.total));
    CAIRN_TRY(CAIRN_NEW_ZERO(set->env, s->touched.n, &count));
    status = add_elements(set, q, count);
    for (int64_t g = 0; g < s->touched.n && status == CAIRN_OK; g++)
        status = add_rest(set, q, cairn_query_table_at(&s->touched, g), count[g],
                          &s->touched.total[g]);
    cairn_free(set->env, count);
    return status;
}
