// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Following rules, and what they cost.

#include "rules/path_state.h"

enum { DIGIT_BITS = 11 }; ///< Of one pass of a sort (entries/sort.c).

cairn_status cairn_path_state_init(cairn_env        *env,
                                   int               order,
                                   const int64_t    *extent,
                                   cairn_path_state *state)
{
    cairn_status status;

    *state = (cairn_path_state){.env    = env,
                                .extent = extent,
                                .order  = order,
                                .levels = order,
                                .first  = 0,
                                .last   = order - 1,
                                .sorted = true};
    CAIRN_GO(done, CAIRN_NEW(env, 1, &state->algebra));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, CAIRN_TABLE_LEVELS, &state->level));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, 1, &state->path));
    state->path->env = env;
    cairn_pass_list_init(&state->path->program, env);
    cairn_algebra_init(state->algebra, env, order);
    for (int k = 0; k < order; k++)
        state->level[k] = (cairn_digit){
            .root = {.terms = 1, .term = {{k, 1}}},
              .lo = 1
        };
    return CAIRN_OK;
done:
    cairn_path_state_fini(state);
    return status;
}

void cairn_path_state_fini(cairn_path_state *state)
{
    cairn_free(state->env, state->algebra);
    cairn_free(state->env, state->level);
    cairn_path_destroy(&state->path);
}

void cairn_path_destroy(cairn_path **path)
{
    if (!path || !*path) return;
    cairn_env *env = (*path)->env;

    cairn_path_drop_text(*path);
    cairn_free(env, (*path)->rule);
    cairn_free(env, (*path)->work);
    cairn_pass_list_fini(&(*path)->program);
    cairn_free(env, (*path)->how);
    cairn_free(env, *path);
    *path = NULL;
}

/// Passes of a radix sort by all dimensions; levels are functions of them.
static int sort_passes(const cairn_path_state *state)
{
    int bits = 0;

    for (int k = 0; k < state->order; k++) {
        const int64_t extent = state->extent ? state->extent[k] : 1 << 20;

        bits += extent > 1 ? 64 - __builtin_clzll((uint64_t)extent - 1) : 0;
    }
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

/// The table holds 8 bytes an entry for each level and the value.
static cairn_rule_work work_of(const cairn_path_state *state, const cairn_rule *rule)
{
    const int columns = state->levels + 1, passes = sort_passes(state);

    switch (rule->kind) {
    case CAIRN_RULE_SCALE:
    case CAIRN_RULE_UNSCALE:
    case CAIRN_RULE_SHIFT: return (cairn_rule_work){16, 1, 1, 0};
    case CAIRN_RULE_SKEW: return (cairn_rule_work){24, 2, 1, 0};
    case CAIRN_RULE_TILE_SPLIT: return (cairn_rule_work){24, 2, 1, 0};
    case CAIRN_RULE_TILE_UNION: return (cairn_rule_work){24, 2, 1, 0};
    case CAIRN_RULE_SORT: /* pairs of a word and a row; then every column moves */
        return (cairn_rule_work){8.0 * state->levels + passes * 48 + columns * 24,
                                 passes * 4.0 + columns, passes + columns, 40};
    case CAIRN_RULE_SUM: return (cairn_rule_work){8.0 * state->order + 16, 8, 1, 16};
    case CAIRN_RULE_SCHEDULE:
        return (cairn_rule_work){8.0 * state->order + 16, 16, 1, 16};
    case CAIRN_RULE_ENUMERATE:
    case CAIRN_RULE_REORDER: /* they sort by group and key */
        return (cairn_rule_work){8.0 * state->order + passes * 48, passes * 4.0 + 8,
                                 passes + 1, 56};
    case CAIRN_RULE_COMPOSE:
    case CAIRN_RULE_DECOMPOSE:
        return (cairn_rule_work){16.0 * columns + 2, 2, 2, 8.0 * columns + 1};
    default: return (cairn_rule_work){0, 0, 0, 0};
    }
}

cairn_status cairn_path_add(cairn_path *path, cairn_rule rule, cairn_rule_work work)
{
    if (path->rules == path->capacity) {
        const int capacity = path->capacity ? 2 * path->capacity : 16;

        CAIRN_TRY(cairn_realloc(path->env, capacity, sizeof *path->rule,
                                (void **)&path->rule));
        CAIRN_TRY(cairn_realloc(path->env, capacity, sizeof *path->work,
                                (void **)&path->work));
        path->capacity = capacity;
    }
    path->rule[path->rules]   = rule;
    path->work[path->rules++] = work;
    path->total.bytes += work.bytes;
    path->total.operations += work.operations;
    path->total.passes += work.passes;
    if (work.memory > path->total.memory) path->total.memory = work.memory;
    return CAIRN_OK;
}

static void remove_level(cairn_path_state *state, int l)
{
    for (int k = l; k + 1 < state->levels; k++)
        state->level[k] = state->level[k + 1];
    state->levels--;
    if (l <= state->last) state->last--;
}

/// Does the order by (e0, e1, ...) stay that of the entries?
static bool stays_sorted(const cairn_path_state *state, const cairn_rule *rule)
{
    switch (rule->kind) {
    case CAIRN_RULE_SORT: return true;
    case CAIRN_RULE_SWAP:
    case CAIRN_RULE_COMPOSE: return false;
    case CAIRN_RULE_SCALE: return state->sorted && rule->c > 0;
    case CAIRN_RULE_SKEW: return state->sorted && rule->a < rule->b;
    case CAIRN_RULE_TILE_SPLIT:
        return state->sorted && (rule->c == 1 || rule->a == state->levels - 1);
    case CAIRN_RULE_TILE_UNION: return state->sorted && rule->b == rule->a + 1;
    case CAIRN_RULE_DROP: return state->sorted && rule->a == state->levels - 1;
    default: return state->sorted;
    }
}

static void follow(cairn_path_state *state, const cairn_rule *rule)
{
    switch (rule->kind) {
    case CAIRN_RULE_SWAP: {
        const cairn_digit level = state->level[rule->a];

        state->level[rule->a] = state->level[rule->b];
        state->level[rule->b] = level;
        break;
    }
    case CAIRN_RULE_TILE_SPLIT: state->levels++; break;
    case CAIRN_RULE_SUM:
    case CAIRN_RULE_ENUMERATE:
    case CAIRN_RULE_REORDER:
    case CAIRN_RULE_SCHEDULE: state->levels += rule->appends; break;
    case CAIRN_RULE_TILE_UNION: remove_level(state, rule->b); break;
    case CAIRN_RULE_DROP: remove_level(state, rule->a); break;
    case CAIRN_RULE_TRIM: state->first--; break;
    case CAIRN_RULE_FILL: state->first++; break;
    case CAIRN_RULE_VECTORIZE: state->last--; break;
    case CAIRN_RULE_DEVECTORIZE:
        if (state->first > state->last) state->first = rule->a;
        state->last = rule->a;
        break;
    default: break;
    }
}

cairn_status cairn_path_state_apply(cairn_path_state *state, cairn_rule rule)
{
    const bool appends = rule.kind == CAIRN_RULE_TILE_SPLIT || rule.appends;

    CAIRN_CHECK(!appends || state->levels < CAIRN_TABLE_LEVELS, state->env,
                CAIRN_UNSUPPORTED,
                "format: path: the conversion needs more than %d levels at once",
                CAIRN_TABLE_LEVELS);
    CAIRN_TRY(cairn_path_add(state->path, rule, work_of(state, &rule)));
    state->sorted = stays_sorted(state, &rule);
    follow(state, &rule);
    return CAIRN_OK;
}

cairn_status cairn_path_state_add_zero(cairn_path_state *state)
{
    CAIRN_TRY(cairn_path_state_apply(
        state, (cairn_rule){.kind = CAIRN_RULE_TILE_SPLIT, .a = 0, .c = 1}));
    state->level[state->levels - 1] = (cairn_digit){.lo = 1};
    return CAIRN_OK;
}

cairn_status cairn_path_state_add_linear(cairn_path_state *state,
                                         const int64_t    *factor,
                                         int               levels,
                                         int64_t           constant,
                                         int64_t           den,
                                         int               l)
{
    for (int k = 0; k < levels; k++)
        if (k != l && factor[k] != 0)
            CAIRN_TRY(cairn_path_state_apply(
                state, (cairn_rule){CAIRN_RULE_SKEW, k, l, factor[k], false, NULL}));
    if (constant != 0)
        CAIRN_TRY(cairn_path_state_apply(
            state, (cairn_rule){.kind = CAIRN_RULE_SHIFT, .a = l, .c = constant}));
    if (den != 1)
        CAIRN_TRY(cairn_path_state_apply(
            state, (cairn_rule){.kind = CAIRN_RULE_UNSCALE, .a = l, .c = den}));
    return CAIRN_OK;
}
