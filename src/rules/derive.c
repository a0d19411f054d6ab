// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From one index map to another. Where both sides' levels are digits that tile their
/// roots, the roots that change are united, new ones are made of old ones by elimination
/// (each a rational combination of those that are there), split into their digits, and
/// the levels put in order. Roots that both sides cut alike are left alone.

#include "format/known.h"
#include "rules/path_state.h"

#include <assert.h>

typedef struct {
    cairn_path_state  *state;
    const cairn_digit *target;
    int                n;
    int  root[CAIRN_MAX_LEVELS]; ///< The targets' roots: target number of the first,
    int  roots;                  ///< how many.
    bool kept[CAIRN_MAX_LEVELS]; ///< The root and its digits stay as they are.
    bool made[CAIRN_MAX_LEVELS]; ///< A level holds this root.
    /// The level holds a root (or digit) that is wanted.
    bool taken[CAIRN_TABLE_LEVELS];
} deriver;

/// A wanted root as a combination of the levels.
typedef struct {
    int64_t factor[CAIRN_TABLE_LEVELS];
    int64_t constant, den;
} combination;

static const cairn_form *root_of(const deriver *d, int r)
{
    return &d->target[d->root[r]].root;
}

static void list_roots(deriver *d)
{
    for (int k = 0; k < d->n; k++) {
        int r = 0;

        while (r < d->roots && !cairn_form_equal(root_of(d, r), &d->target[k].root))
            r++;
        if (r == d->roots) d->root[d->roots++] = k;
    }
}

/// Is @p form the root of a level now?
static bool is_root(const cairn_path_state *state, const cairn_form *form)
{
    return cairn_digit_at(state->level, state->levels, form, 1) >= 0;
}

/// Both sides cut the root into the same digits.
static bool cut_alike(const deriver *d, const cairn_form *root)
{
    for (int k = 0; k < d->n; k++) {
        if (!cairn_form_equal(&d->target[k].root, root)) continue;
        const int l =
            cairn_digit_at(d->state->level, d->state->levels, root, d->target[k].lo);

        if (l < 0 || d->state->level[l].hi != d->target[k].hi) return false;
    }
    return true;
}

/// Know what the levels hold, @p roots: as if each were united already (a root is a
/// variable at its first digit, the other digits are none).
static cairn_status
know_levels(const cairn_path_state *state, bool roots, cairn_known *known)
{
    for (int l = 0; l < state->levels; l++) {
        cairn_form form = state->level[l].root;

        if (roots && state->level[l].lo != 1) {
            cairn_known_skip(known);
            continue;
        }
        if (!roots)
            CAIRN_TRY(cairn_digit_form(state->algebra, &state->level[l], &form));
        CAIRN_TRY(cairn_known_add(known, &form, NULL, NULL));
    }
    return CAIRN_OK;
}

static void spread(const cairn_linear *linear, combination *out)
{
    *out = (combination){.constant = linear->constant, .den = linear->den};
    for (int k = 0; k < linear->terms; k++)
        out->factor[linear->var[k]] = linear->num[k];
}

/// Solve for wanted roots that no level holds; @p solvable is false where
/// there is no answer.
static cairn_status solve(deriver *d, bool roots, combination *out, bool *solvable)
{
    cairn_known *known;

    CAIRN_TRY(cairn_known_create(d->state->env, d->state->algebra, &known));
    cairn_status status = know_levels(d->state, roots, known);

    *solvable = true;
    for (int r = 0; r < d->roots && status == CAIRN_OK; r++) {
        cairn_linear linear;
        bool         is_known = false;

        if (d->made[r]) continue;
        status    = cairn_known_solve(known, root_of(d, r), &is_known, &linear);
        *solvable = *solvable && is_known;
        if (status == CAIRN_OK && is_known) spread(&linear, &out[r]);
    }
    cairn_known_destroy(d->state->env, &known);
    return status;
}

/// Decide which roots stay as they are: cut alike, and no other root is made of them.
static void keep_roots(deriver *d, const combination *need)
{
    for (int r = 0; r < d->roots; r++) {
        bool keep = d->made[r] && cut_alike(d, root_of(d, r));

        for (int s = 0; s < d->roots && keep; s++) {
            const int l =
                cairn_digit_at(d->state->level, d->state->levels, root_of(d, r), 1);

            if (!d->made[s] && need[s].factor[l] != 0) keep = false;
        }
        d->kept[r] = keep;
    }
}

static bool is_kept(const deriver *d, const cairn_form *root)
{
    for (int r = 0; r < d->roots; r++)
        if (cairn_form_equal(root_of(d, r), root)) return d->kept[r];
    return false;
}

/// Join the digits of @p root, from the top down.
static cairn_status unite(cairn_path_state *state, const cairn_form *root)
{
    for (;;) {
        int top = 0, low = 0;

        while (state->level[top].hi || !cairn_form_equal(&state->level[top].root, root))
            top++;
        if (state->level[top].lo == 1) return CAIRN_OK;
        while (state->level[low].hi != state->level[top].lo
               || !cairn_form_equal(&state->level[low].root, root))
            low++;

        const cairn_rule rule = {.kind = CAIRN_RULE_TILE_UNION,
                                 .a    = top,
                                 .b    = low,
                                 .c    = state->level[top].lo / state->level[low].lo};

        state->level[top].lo = state->level[low].lo;
        CAIRN_TRY(cairn_path_state_apply(state, rule));
    }
}

static cairn_status unite_roots(deriver *d)
{
    cairn_path_state *state = d->state;

    for (int l = 0; l < state->levels; l++) {
        const cairn_form root = state->level[l].root;

        if (cairn_digit_is_whole(&state->level[l]) || is_kept(d, &root)) continue;
        CAIRN_TRY(unite(state, &root));
        l = -1; /* positions moved */
    }
    return CAIRN_OK;
}

/// Mark levels whose root is wanted.
static void take_levels(deriver *d)
{
    for (int l = 0; l < d->state->levels; l++) {
        d->taken[l] = false;
        for (int r = 0; r < d->roots; r++)
            if (cairn_form_equal(root_of(d, r), &d->state->level[l].root))
                d->taken[l] = true;
    }
}

/// How good it is to turn level @p l into root @p r: best where no other root needs what
/// the level holds, and where it needs no scaling.
static int merit(const deriver *d, const combination *need, int r, int l)
{
    int merit = 1;

    if (d->taken[l] || need[r].factor[l] == 0) return 0;
    if (need[r].factor[l] == need[r].den) merit += 2;
    if (need[r].factor[l] == -need[r].den) merit += 1;
    for (int s = 0; s < d->roots; s++)
        if (s != r && !d->made[s] && need[s].factor[l] != 0) return merit;
    return merit + 4;
}

/// Turn level @p l into root @p r.
static cairn_status make_root(deriver *d, const combination *need, int r, int l)
{
    const combination *c = &need[r];

    if (c->factor[l] != 1)
        CAIRN_TRY(cairn_path_state_apply(
            d->state,
            (cairn_rule){.kind = CAIRN_RULE_SCALE, .a = l, .c = c->factor[l]}));
    CAIRN_TRY(cairn_path_state_add_linear(d->state, c->factor, d->state->levels,
                                          c->constant, c->den, l));
    d->state->level[l] = (cairn_digit){*root_of(d, r), 1, 0};
    d->made[r] = d->taken[l] = true;
    return CAIRN_OK;
}

/// Make root @p r of a new level: all that it is made of is wanted as it stands.
static cairn_status add_root(deriver *d, const combination *need, int r)
{
    cairn_path_state *state = d->state;

    CAIRN_TRY(cairn_path_state_add_zero(state));

    const int l = state->levels - 1;

    CAIRN_TRY(cairn_path_state_add_linear(state, need[r].factor, l, need[r].constant,
                                          need[r].den, l));
    state->level[l] = (cairn_digit){*root_of(d, r), 1, 0};
    d->made[r] = d->taken[l] = true;
    return CAIRN_OK;
}

/// Make one more root; @p done once all are there.
static cairn_status make_next(deriver *d, combination *need, bool *done)
{
    int  best = 0, best_root = -1, best_level = -1;
    bool solvable;

    CAIRN_TRY(solve(d, false, need, &solvable));
    assert(solvable); /* each step keeps the span of the levels */
    (void)solvable;
    *done = true;
    for (int r = 0; r < d->roots; r++) {
        if (d->made[r]) continue;
        *done = false;
        if (best_root < 0) best_root = r;
        for (int l = 0; l < d->state->levels; l++) {
            const int m = merit(d, need, r, l);

            if (m > best) best = m, best_root = r, best_level = l;
        }
    }
    if (*done) return CAIRN_OK;
    return best_level >= 0 ? make_root(d, need, best_root, best_level)
                           : add_root(d, need, best_root);
}

static cairn_status drop_rest(deriver *d)
{
    for (int l = d->state->levels - 1; l >= 0; l--)
        if (!d->taken[l])
            CAIRN_TRY(cairn_path_state_apply(
                d->state, (cairn_rule){.kind = CAIRN_RULE_DROP, .a = l}));
    return CAIRN_OK;
}

/// Cut the whole root at level @p l as the targets want it.
static cairn_status split(deriver *d, int l)
{
    cairn_path_state *state = d->state;
    const cairn_form  root  = state->level[l].root;

    for (;;) {
        const int64_t lo = state->level[l].lo;
        const int     k  = cairn_digit_at(d->target, d->n, &root, lo);

        assert(k >= 0); /* the targets tile their roots */
        const int64_t hi = d->target[k].hi;

        if (!hi) return CAIRN_OK;
        state->level[l].lo = hi;
        CAIRN_TRY(cairn_path_state_apply(
            state, (cairn_rule){.kind = CAIRN_RULE_TILE_SPLIT, .a = l, .c = hi / lo}));
        state->level[state->levels - 1] = (cairn_digit){root, lo, hi};
    }
}

static cairn_status split_roots(deriver *d)
{
    const int levels = d->state->levels;

    for (int l = 0; l < levels; l++)
        if (cairn_digit_is_whole(&d->state->level[l])) CAIRN_TRY(split(d, l));
    return CAIRN_OK;
}

static cairn_status order_levels(deriver *d)
{
    for (int k = 0; k < d->n; k++) {
        const int l = cairn_digit_at(d->state->level, d->state->levels,
                                     &d->target[k].root, d->target[k].lo);

        if (l != k)
            CAIRN_TRY(cairn_path_state_apply(
                d->state, (cairn_rule){.kind = CAIRN_RULE_SWAP, .a = k, .b = l}));
    }
    return CAIRN_OK;
}

static cairn_status derive(deriver *d, combination *need, bool *able)
{
    bool done = false;

    list_roots(d);
    for (int r = 0; r < d->roots; r++)
        d->made[r] = is_root(d->state, root_of(d, r));
    CAIRN_TRY(solve(d, true, need, able));
    if (!*able) return CAIRN_OK;
    keep_roots(d, need);
    CAIRN_TRY(unite_roots(d));
    take_levels(d);
    while (!done)
        CAIRN_TRY(make_next(d, need, &done));
    CAIRN_TRY(drop_rest(d));
    CAIRN_TRY(split_roots(d));
    return order_levels(d);
}

cairn_status
cairn_path_state_derive(cairn_path_state *state, const cairn_digit *target, int n)
{
    bool able = cairn_digits_tile_all(state->level, state->levels)
                && cairn_digits_tile_all(target, n);
    deriver     *d      = NULL;
    combination *need   = NULL;
    cairn_status status = CAIRN_OK;

    if (able) {
        CAIRN_GO(done, CAIRN_NEW_ZERO(state->env, 1, &d));
        CAIRN_GO(done, CAIRN_NEW_ZERO(state->env, CAIRN_MAX_LEVELS, &need));
        d->state  = state;
        d->target = target;
        d->n      = n;
        CAIRN_GO(done, derive(d, need, &able));
    }
    if (!able) status = cairn_path_state_derive_by_parts(state, target, n);
done:
    cairn_free(state->env, d);
    cairn_free(state->env, need);
    return status;
}
