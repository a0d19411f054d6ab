// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Planning a path. Where more than one route (plan_route.h) leads from one encoding to
/// another (from levels to levels, or by way of the coordinates), the one that moves fewer
/// bytes is taken. Members of hybrids meet in coordinates.

#include "rules/path_state.h"
#include "rules/plan_route.h"

/* ---- routes ---- */

static bool is_better(const cairn_path *a, const cairn_path *b)
{
    if (a->total.bytes != b->total.bytes) return a->total.bytes < b->total.bytes;
    return a->rules < b->rules;
}

/// The same rules in the same order.
static bool is_same(const cairn_path *a, const cairn_path *b)
{
    for (int k = 0; k < a->rules && a->rules == b->rules; k++)
        if (a->rule[k].kind != b->rule[k].kind || a->rule[k].a != b->rule[k].a
            || a->rule[k].b != b->rule[k].b || a->rule[k].c != b->rule[k].c)
            return false;
    return a->rules == b->rules;
}

/// The best route between two encodings.
static cairn_status plan_best(cairn_env            *env,
                              int                   order,
                              const int64_t        *extent,
                              const cairn_encoding *from,
                              const cairn_encoding *to,
                              cairn_path          **path)
{
    cairn_path *direct = NULL, *other = NULL;

    CAIRN_TRY(cairn_plan_route(env, order, extent, from, to, false, &direct));
    direct->routes = 1;
    if (from && to) {
        const cairn_status status =
            cairn_plan_route(env, order, extent, from, to, true, &other);

        if (status != CAIRN_OK) {
            cairn_path_destroy(&direct);
            return status;
        }
        if (is_better(other, direct)) {
            cairn_path *const swap = direct;

            direct = other;
            other  = swap;
        }
        if (!is_same(direct, other)) {
            direct->routes = 2;
            direct->others = other->total.bytes;
        }
        cairn_path_destroy(&other);
    }
    *path = direct;
    return CAIRN_OK;
}

/* ---- formats ---- */

/// Append the rules of the best path between two encodings, about member @p member (-1:
/// no mark), and follow whether the entries are in order after it.
static cairn_status append_best(cairn_path_state     *state,
                                const cairn_encoding *from,
                                const cairn_encoding *to,
                                int                   member)
{
    cairn_path  *part   = NULL;
    cairn_status status = CAIRN_OK;

    if (member >= 0)
        CAIRN_TRY(cairn_path_state_apply(
            state, (cairn_rule){.kind = CAIRN_RULE_MEMBER, .a = member}));
    CAIRN_TRY(plan_best(state->env, state->order, state->extent, from, to, &part));
    for (int k = 0; k < part->rules && status == CAIRN_OK; k++)
        status = cairn_path_add(state->path, part->rule[k], part->work[k]);
    state->sorted = part->sorted;
    cairn_path_destroy(&part);
    return status;
}

/// Members of hybrids meet in coordinates.
static cairn_status
plan_hybrid(cairn_path_state *state, const cairn_format *from, const cairn_format *to)
{
    if (from && from->hybrid) {
        for (int m = 0; m < from->members; m++)
            CAIRN_TRY(append_best(state, from->member[m], NULL, m));
        CAIRN_TRY(
            cairn_path_state_apply(state, (cairn_rule){.kind = CAIRN_RULE_COMPOSE}));
    } else if (from) {
        CAIRN_TRY(append_best(state, from->member[0], NULL, -1));
    }
    if (!state->sorted)
        CAIRN_TRY(cairn_path_state_apply(state, (cairn_rule){.kind = CAIRN_RULE_SORT}));
    if (!to->hybrid) return append_best(state, NULL, to->member[0], -1);
    CAIRN_TRY(
        cairn_path_state_apply(state, (cairn_rule){.kind = CAIRN_RULE_DECOMPOSE}));
    for (int m = 0; m < to->members; m++)
        CAIRN_TRY(append_best(state, NULL, to->member[m], m));
    return CAIRN_OK;
}

cairn_status cairn_path_plan(cairn_env          *env,
                             const cairn_format *from,
                             const cairn_format *to,
                             const int64_t      *extent,
                             cairn_path        **path)
{
    cairn_path_state state;

    CAIRN_CHECK(
        !from || from->order == to->order, env, CAIRN_BAD_SHAPE,
        "format: order: it stores tensors of order %d, but this one has order %d",
        to->order, from ? from->order : 0);
    if (!to->hybrid && !(from && from->hybrid))
        return plan_best(env, to->order, extent, from ? from->member[0] : NULL,
                         to->member[0], path);
    CAIRN_TRY(cairn_path_state_init(env, to->order, extent, &state));
    const cairn_status status = plan_hybrid(&state, from, to);

    if (status == CAIRN_OK) {
        *path           = state.path;
        (*path)->routes = 1;
        (*path)->sorted = state.sorted;
        state.path      = NULL;
    }
    cairn_path_state_fini(&state);
    return status;
}
