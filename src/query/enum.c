// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `enum`: numbers for the elements of each group. Stored elements get theirs here;
/// the others, where they are numbered apart from all stored ones, only when asked for.

#include "query/set.h"

#include <inttypes.h>
#include <stdio.h>

/// What the value map says of every element of the query.
typedef struct {
    uint8_t *arm;
    int64_t *start;
} starts;

static void starts_fini(cairn_env *env, starts *w)
{
    cairn_free(env, w->arm);
    cairn_free(env, w->start);
    *w = (starts){.arm = NULL};
}

static cairn_status find_starts(cairn_query_set *set, int q, starts *w)
{
    const int64_t n = set->state[q].elements.n;
    cairn_element element;
    int           arm;

    starts_fini(set->env, w);
    CAIRN_TRY(CAIRN_NEW(set->env, n, &w->arm));
    CAIRN_TRY(CAIRN_NEW(set->env, n, &w->start));
    cairn_visit(set->env, n);
    for (int64_t p = 0; p < n; p++) {
        cairn_element_get(set, q, p, &element);
        CAIRN_TRY(
            cairn_query_rule(set, set->state[q].query, &element, &arm, &w->start[p]));
        w->arm[p] = (uint8_t)arm;
    }
    return CAIRN_OK;
}

/// Where the others start must be known without looking at them: a constant, or a sum,
/// which is one for the group. The value of the groups numbered here is 0 for all others.
static bool start_is_known(const cairn_query_set *set, cairn_query_state *s)
{
    if (s->rest.kind != CAIRN_START_QUERY) return true;
    if (s->rest.value == s->query->arg) {
        const cairn_query_state *arg = &set->state[s->query->arg];

        s->rest = (cairn_start){.kind = CAIRN_START_CONST};
        return arg->lazy && arg->rest.value == 0;
    }
    return set->encoding->query[s->rest.value].func == CAIRN_QUERY_SUM;
}

/// Are the elements without an entry numbered apart from all others?
static bool are_apart(const cairn_query_set *set, int q, int arm, const starts *w)
{
    cairn_query_state *s = &set->state[q];

    if (s->rest.kind == CAIRN_START_NONE) return true;
    if (s->query->distance || s->group.queries || !start_is_known(set, s)
        || (s->query->arg >= 0 && set->state[s->query->arg].group.queries))
        return false;
    for (int64_t p = 0; p < s->elements.n; p++)
        if (w->arm[p] == arm) return false;
    return true;
}

/// Leave the elements that have no entry out of the numbering, or look at all.
static cairn_status find_elements(cairn_query_set *set, int q, starts *w)
{
    cairn_query_state *s = &set->state[q];
    int                arm;

    CAIRN_TRY(cairn_elements_find(set, q, false));
    s->lazy = cairn_query_rest(set, s->query, &arm, &s->rest);
    if (s->lazy) CAIRN_TRY(find_starts(set, q, w));
    s->lazy = s->lazy && are_apart(set, q, arm, w);
    if (s->lazy) return CAIRN_OK;
    cairn_free(set->env, s->elements.group);
    cairn_free(set->env, s->elements.share);
    CAIRN_TRY(cairn_elements_find(set, q, true));
    return find_starts(set, q, w);
}

/// Elements by (group, traverse), and where groups begin.
static cairn_status order_elements(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    const int64_t      n = s->elements.n;
    int64_t            k = 0;

    CAIRN_TRY(CAIRN_NEW(set->env, n, &s->num.order));
    CAIRN_TRY(cairn_query_group(set, q, s->num.order));
    CAIRN_TRY(CAIRN_NEW(set->env, s->touched.n + 1, &s->num.first));
    cairn_visit(set->env, n);
    for (int64_t g = 0; g <= s->touched.n; g++) {
        while (k < n && s->num.group_of[s->num.order[k]] < g)
            k++;
        s->num.first[g] = k;
    }
    return CAIRN_OK;
}

/* ---- numbers ---- */

static cairn_status overflow(cairn_env *env)
{
    return cairn_fail(env, CAIRN_OVERFLOW, "query: enum: a number leaves 64 bits");
}

/// Each class of a group counts from its start.
static cairn_status number_classes(cairn_query_set *set, int q, const starts *w)
{
    cairn_query_state *s = &set->state[q];
    int64_t            next[CAIRN_MAX_CASES + 1], start[CAIRN_MAX_CASES + 1];

    cairn_visit(set->env, s->elements.n);
    for (int64_t g = 0; g < s->touched.n; g++) {
        uint32_t begun = 0;

        for (int64_t k = s->num.first[g]; k < s->num.first[g + 1]; k++) {
            const int64_t p   = s->num.order[k];
            const int     arm = w->arm[p];

            if (!(begun >> arm & 1)) next[arm] = start[arm] = w->start[p];
            begun |= 1U << arm;
            CAIRN_CHECK(w->start[p] == start[arm], set->env, CAIRN_BAD_QUERY,
                        "query: enum: a class of elements of one group has several "
                        "starts");
            s->num.number[p] = next[arm];
            if (start[arm] == CAIRN_NO_NUMBER) continue;
            if (__builtin_add_overflow(next[arm], 1, &next[arm]))
                return overflow(set->env);
        }
    }
    return CAIRN_OK;
}

/// Each `distance` from the last one of its keys.
static cairn_status number_distance(cairn_query_set *set, int q, const starts *w)
{
    cairn_query_state *s                            = &set->state[q];
    int64_t           *column[CAIRN_MAX_LEVELS + 1] = {s->num.group_of};
    int64_t           *key                          = NULL;
    cairn_query_table  keys                         = {.width = 1 + s->by.count};
    cairn_status       status                       = CAIRN_OK;

    for (int f = 0; f < s->by.count; f++)
        CAIRN_GO(done, cairn_elements_column(set, q, &s->by, f, &column[1 + f]));
    CAIRN_GO(done, CAIRN_NEW(set->env, s->elements.n, &key));
    CAIRN_GO(done, cairn_query_table_make(set->env, s->elements.n, keys.width, column,
                                          &keys, key, NULL));
    status = cairn_distance_number(
        set->env,
        &(cairn_distance){s->elements.n, s->touched.n, s->num.order, s->num.first,
                          w->start, key, keys.n, s->query->distance, s->num.number});
done:
    for (int f = 0; f < s->by.count; f++)
        cairn_free(set->env, column[1 + f]);
    cairn_free(set->env, key);
    cairn_query_table_fini(set->env, &keys);
    return status;
}

/// Where the others of each group begin: their start is one for the group.
static cairn_status find_rest_starts(cairn_query_set *set, int q)
{
    cairn_query_state *s = &set->state[q];
    cairn_element      element;

    if (!s->lazy || s->rest.kind == CAIRN_START_NONE) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(set->env, s->touched.n, &s->num.rest_start));
    cairn_visit(set->env, s->touched.n);
    for (int64_t g = 0; g < s->touched.n; g++) {
        cairn_element_get(set, q, s->num.order[s->num.first[g]], &element);
        CAIRN_TRY(cairn_query_start(set, &s->rest, &element, &s->num.rest_start[g]));
    }
    return CAIRN_OK;
}

/* ---- uniqueness ---- */

static cairn_status refuse(cairn_query_set *set, int q, int64_t g, int64_t number)
{
    const cairn_query_state *s = &set->state[q];
    char                     text[32], tuple[32 * CAIRN_MAX_LEVELS] = "";

    for (int k = s->own, at = 0; k < s->touched.width; k++)
        at += snprintf(tuple + at, sizeof tuple - (size_t)at, "%s%" PRId64,
                       k > s->own ? "," : "", cairn_query_table_at(&s->touched, g)[k]);
    return cairn_fail(set->env, CAIRN_BAD_QUERY,
                      "query: %s: two elements of group (%s) get the number %" PRId64,
                      cairn_query_label(set, s->query, text), tuple, number);
}

/// The others of a group are numbered from its rest_start on, as many as there are.
static cairn_status check_rest(cairn_query_set *set, int q, int64_t g)
{
    cairn_query_state *s    = &set->state[q];
    const int64_t      from = s->num.rest_start[g];
    int64_t            k    = s->num.first[g], next, count, room;

    while (k < s->num.first[g + 1] && s->num.number[s->num.by_number[k]] < from)
        k++;
    if (from == CAIRN_NO_NUMBER || k == s->num.first[g + 1]) return CAIRN_OK;
    next = s->num.number[s->num.by_number[k]];
    if (__builtin_sub_overflow(next, from, &room)) return CAIRN_OK;
    CAIRN_TRY(cairn_query_count(set, q, cairn_query_table_at(&s->touched, g), &count));
    count -= s->num.first[g + 1] - s->num.first[g];
    return room < count ? refuse(set, q, g, next) : CAIRN_OK;
}

/// Refuse two elements of one group with the same number.
static cairn_status check(cairn_query_set *set, int q)
{
    cairn_query_state *s      = &set->state[q];
    const int64_t     *key[2] = {s->num.group_of, s->num.number};

    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->num.by_number));
    CAIRN_TRY(cairn_sort_order(set->env, s->elements.n, 2, key, s->num.by_number));
    cairn_visit(set->env, 2 * s->elements.n);
    for (int64_t g = 0; g < s->touched.n; g++)
        for (int64_t k = s->num.first[g] + 1; k < s->num.first[g + 1]; k++) {
            const int64_t number = s->num.number[s->num.by_number[k]];

            if (number != CAIRN_NO_NUMBER
                && number == s->num.number[s->num.by_number[k - 1]])
                return refuse(set, q, g, number);
        }
    for (int64_t g = 0; s->num.rest_start && g < s->touched.n; g++)
        CAIRN_TRY(check_rest(set, q, g));
    return CAIRN_OK;
}

/* ---- the query ---- */

static cairn_status number(cairn_query_set *set, int q, const starts *w)
{
    cairn_query_state *s = &set->state[q];

    cairn_query_find_line(set, q);
    CAIRN_TRY(order_elements(set, q));
    CAIRN_TRY(CAIRN_NEW(set->env, s->elements.n, &s->num.number));
    CAIRN_TRY(s->query->distance ? number_distance(set, q, w)
                                 : number_classes(set, q, w));
    CAIRN_TRY(find_rest_starts(set, q));
    return check(set, q);
}

cairn_status cairn_query_run_enum(cairn_query_set *set, int q)
{
    starts       w      = {.arm = NULL};
    cairn_status status = find_elements(set, q, &w);

    if (status == CAIRN_OK) status = number(set, q, &w);
    starts_fini(set->env, &w);
    return status;
}
