// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering of elements by classes, and whether numbers clash.

#include "query/numbering.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

cairn_status cairn_number_overflow(cairn_env *env)
{
    return cairn_fail(env, CAIRN_OVERFLOW, "query: enum: a number leaves 64 bits");
}

static cairn_status sort_elements(cairn_env *env, cairn_numbering *b)
{
    const int64_t *key[1 + CAIRN_MAX_LEVELS + CAIRN_MAX_ORDER];
    int64_t        p = 0;

    key[0] = b->group;
    memcpy(key + 1, b->key, (size_t)b->keys * sizeof *key);
    cairn_visit(env, b->groups + b->n);
    CAIRN_TRY(cairn_sort_order(env, b->n, b->keys + 1, key, b->order));
    for (int64_t g = 0; g <= b->groups; g++) {
        while (p < b->n && b->group[b->order[p]] < g)
            p++;
        b->first[g] = p;
    }
    return CAIRN_OK;
}

static cairn_status several_starts(cairn_env *env)
{
    return cairn_fail(
        env, CAIRN_BAD_QUERY,
        "query: enum: a class of elements of one group has several starts");
}

/// All elements of a group count from one start. They do ascend.
static cairn_status number_alike(cairn_env *env, cairn_numbering *b)
{
    int64_t end;

    cairn_visit(env, b->groups + b->n);
    for (int64_t g = 0; g < b->groups; g++) {
        const int64_t begin = b->first[g], n = b->first[g + 1] - begin;

        if (__builtin_add_overflow(b->one_start, n, &end))
            return cairn_number_overflow(env);
        for (int64_t k = 0; k < n; k++)
            b->number[b->order[begin + k]] = b->one_start + k;
    }
    b->ascends = true;
    return CAIRN_OK;
}

static int64_t arm_of(const cairn_numbering *b, int64_t p)
{
    return b->arm ? b->arm[p] : 0;
}

/// Each class of a group counts from its start.
static cairn_status number_classes(cairn_env *env, cairn_numbering *b)
{
    int64_t next[CAIRN_MAX_CASES + 1], start[CAIRN_MAX_CASES + 1];

    cairn_visit(env, b->groups + b->n);
    for (int64_t g = 0; g < b->groups; g++) {
        uint32_t begun = 0;

        for (int64_t k = b->first[g]; k < b->first[g + 1]; k++) {
            const int64_t p = b->order[k], arm = arm_of(b, p);

            if (!(begun >> arm & 1))
                next[arm] = start[arm] = cairn_numbering_start(b, p);
            begun |= 1U << arm;
            if (cairn_numbering_start(b, p) != start[arm]) return several_starts(env);
            b->number[p] = next[arm];
            if (start[arm] == CAIRN_NO_NUMBER) continue;
            if (__builtin_add_overflow(next[arm], 1, &next[arm]))
                return cairn_number_overflow(env);
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_number_elements(cairn_env *env, cairn_numbering *batch)
{
    CAIRN_TRY(sort_elements(env, batch));
    if (batch->distance) return cairn_number_distance(env, batch);
    if (!batch->start && batch->one_start != CAIRN_NO_NUMBER)
        return number_alike(env, batch);
    return number_classes(env, batch);
}

/* ---- uniqueness ---- */

static cairn_status refuse(cairn_query_set    *set,
                           int                 q,
                           const cairn_tuples *groups,
                           int64_t             group,
                           int64_t             number)
{
    char text[32], tuple[32 * CAIRN_MAX_LEVELS] = "";

    for (int k = 0, at = 0; k < groups->width; k++)
        at += snprintf(tuple + at, sizeof tuple - (size_t)at, "%s%" PRId64,
                       k ? "," : "", cairn_tuples_at(groups, group)[k]);
    return cairn_fail(set->env, CAIRN_BAD_QUERY,
                      "query: %s: two elements of group (%s) get the number %" PRId64,
                      cairn_query_label(set, set->state[q].query, text), tuple, number);
}

static bool ascends(const cairn_numbering *b)
{
    if (b->ascends) return true;
    for (int64_t g = 0; g < b->groups; g++)
        for (int64_t k = b->first[g] + 1; k < b->first[g + 1]; k++)
            if (b->number[b->order[k - 1]] >= b->number[b->order[k]]) return false;
    return true;
}

static cairn_status check_pairs(cairn_query_set       *set,
                                int                    q,
                                const cairn_numbering *b,
                                const cairn_tuples    *groups,
                                const int64_t         *by_number)
{
    for (int64_t g = 0; g < b->groups; g++)
        for (int64_t k = b->first[g] + 1; k < b->first[g + 1]; k++) {
            const int64_t number = b->number[by_number[k]];

            if (number != CAIRN_NO_NUMBER && number == b->number[by_number[k - 1]])
                return refuse(set, q, groups, g, number);
        }
    return CAIRN_OK;
}

/// The least number of the group that is at least @p from, or CAIRN_NO_NUMBER.
static int64_t
least_from(const cairn_numbering *b, const int64_t *by_number, int64_t g, int64_t from)
{
    int64_t lo = b->first[g], hi = b->first[g + 1];

    if (lo < hi && b->number[cairn_order_at(by_number, hi - 1)] < from)
        return CAIRN_NO_NUMBER; /* the usual case */
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (b->number[cairn_order_at(by_number, mid)] < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < b->first[g + 1] ? b->number[cairn_order_at(by_number, lo)]
                                : CAIRN_NO_NUMBER;
}

/// Usually the others begin behind all numbers; only else are they counted.
static cairn_status check_rest(cairn_query_set       *set,
                               int                    q,
                               const cairn_numbering *b,
                               const cairn_tuples    *groups,
                               const int64_t         *rest_start,
                               const int64_t         *by_number)
{
    for (int64_t g = 0; g < b->groups; g++) {
        const int64_t from = rest_start[g];
        const int64_t next = from == CAIRN_NO_NUMBER
                                 ? CAIRN_NO_NUMBER
                                 : least_from(b, by_number, g, from);
        int64_t       count, room;

        if (next == CAIRN_NO_NUMBER || __builtin_sub_overflow(next, from, &room))
            continue;
        CAIRN_TRY(cairn_query_count(set, q, cairn_tuples_at(groups, g), &count));
        count -= b->first[g + 1] - b->first[g];
        if (room < count) return refuse(set, q, groups, g, next);
    }
    return CAIRN_OK;
}

cairn_status cairn_number_check(cairn_query_set       *set,
                                int                    q,
                                const cairn_numbering *batch,
                                const cairn_tuples    *groups,
                                const int64_t         *rest_start,
                                int64_t              **by_number)
{
    const int64_t *key[2] = {batch->group, batch->number};
    int64_t       *sorted = NULL;
    cairn_status   status = CAIRN_OK;

    cairn_visit(set->env, batch->groups + batch->n);
    if (!ascends(batch)) {
        cairn_visit(set->env, batch->groups + batch->n);
        CAIRN_TRY(CAIRN_NEW(set->env, batch->n, &sorted));
        CAIRN_GO(undo, cairn_sort_order(set->env, batch->n, 2, key, sorted));
        CAIRN_GO(undo, check_pairs(set, q, batch, groups, sorted));
    }
    if (rest_start) cairn_visit(set->env, batch->groups);
    if (rest_start)
        CAIRN_GO(undo, check_rest(set, q, batch, groups, rest_start,
                                  sorted ? sorted : batch->order));
    *by_number = sorted;
    return CAIRN_OK;
undo:
    cairn_free(set->env, sorted);
    return status;
}
