// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Any map to any map: the dimensions come back one by one as rational combinations of
/// the levels, and from them each new level is built term by term, floors and remainders
/// from the inside out. More rules than digits need, but nothing is out of its reach.

#include "format/known.h"
#include "rules/path_state.h"

static bool is_variable(const cairn_path_state *state, int l)
{
    const int single = cairn_form_atom(&state->level[l].root);

    if (!cairn_digit_is_whole(&state->level[l]) || single < 0) return false;
    const cairn_atom_kind kind = state->algebra->atom[single].kind;

    return kind == CAIRN_ATOM_DIM || kind == CAIRN_ATOM_QUERY;
}

static bool is_plain(const cairn_path_state *state)
{
    for (int l = 0; l < state->levels; l++)
        if (!is_variable(state, l)) return false;
    return true;
}

/// A remainder whose floor is the same everywhere in the tensor gives back what it is a
/// remainder of. (Without extents: the layout will refuse it if it is not.)
static cairn_status cover_digit(cairn_path_state *state, cairn_known *known, int a)
{
    const cairn_atom atom = state->algebra->atom[a];
    cairn_interval   whole[CAIRN_MAX_ORDER], range = {0, 0};
    cairn_form       floor;

    if (atom.kind != CAIRN_ATOM_MOD || cairn_form_queries(state->algebra, &atom.form))
        return CAIRN_OK;
    CAIRN_TRY(cairn_form_div(state->algebra, &atom.form, atom.divisor, &floor));
    if (state->extent) {
        for (int k = 0; k < state->order; k++)
            whole[k] = (cairn_interval){0, state->extent[k] - 1};
        CAIRN_TRY(cairn_form_range(state->algebra, &floor, whole, NULL, &range));
    }
    if (range.lo < range.hi) return CAIRN_OK;
    return cairn_known_add_constant(known, &floor, range.lo > range.hi ? 0 : range.lo);
}

static cairn_status know(cairn_path_state *state, cairn_known *known)
{
    const int atoms = state->algebra->atoms;

    for (int l = 0; l < state->levels; l++) {
        cairn_form form;

        CAIRN_TRY(cairn_digit_form(state->algebra, &state->level[l], &form));
        CAIRN_TRY(cairn_known_add(known, &form, NULL, NULL));
    }
    for (int a = 0; a < atoms; a++)
        CAIRN_TRY(cover_digit(state, known, a));
    return CAIRN_OK;
}

/// Append dimension @p k, made of the first @p levels levels.
static cairn_status
add_dimension(cairn_path_state *state, cairn_known *known, int levels, int k)
{
    const cairn_form form                       = {.terms = 1, .term = {{k, 1}}};
    int64_t          factor[CAIRN_TABLE_LEVELS] = {0};
    cairn_linear     linear;
    bool             is_known;

    CAIRN_TRY(cairn_known_solve(known, &form, &is_known, &linear));
    CAIRN_CHECK(is_known, state->env, CAIRN_BAD_FORMAT,
                "format: path: the levels do not give back d%d", k);
    for (int t = 0; t < linear.terms; t++)
        factor[linear.var[t]] = linear.num[t];
    CAIRN_TRY(cairn_path_state_add_zero(state));
    CAIRN_TRY(cairn_path_state_add_linear(state, factor, levels, linear.constant,
                                          linear.den, state->levels - 1));
    state->level[state->levels - 1] = (cairn_digit){form, 1, 0};
    return CAIRN_OK;
}

static cairn_status drop(cairn_path_state *state, int l)
{
    return cairn_path_state_apply(state, (cairn_rule){.kind = CAIRN_RULE_DROP, .a = l});
}

/// The level among the first @p levels that holds dimension @p k whole, or -1.
static int dimension_level(const cairn_path_state *state, int levels, int k)
{
    for (int l = 0; l < levels; l++)
        if (is_variable(state, l) && state->level[l].root.term[0].atom == k) return l;
    return -1;
}

/// Leave only the dimensions, each once.
static cairn_status make_plain(cairn_path_state *state)
{
    const int    levels                   = state->levels;
    bool         kept[CAIRN_TABLE_LEVELS] = {false};
    cairn_known *known;

    CAIRN_TRY(cairn_known_create(state->env, state->algebra, &known));
    cairn_status status = know(state, known);

    for (int k = 0; k < state->order && status == CAIRN_OK; k++) {
        const int l = dimension_level(state, levels, k);

        if (l >= 0)
            kept[l] = true;
        else
            status = add_dimension(state, known, levels, k);
    }
    cairn_known_destroy(state->env, &known);
    for (int l = levels - 1; l >= 0 && status == CAIRN_OK; l--)
        if (!kept[l]) status = drop(state, l);
    return status;
}

static int variable_level(const cairn_path_state *state, int atom)
{
    int l = 0;

    while (!is_variable(state, l) || state->level[l].root.term[0].atom != atom)
        l++;
    return l;
}

static cairn_status add_form(cairn_path_state *state, const cairn_form *form);

/// Add @p factor times an atom to level @p to.
static cairn_status add_atom(cairn_path_state *state, int a, int64_t factor, int to)
{
    const cairn_atom atom = state->algebra->atom[a];
    cairn_rule       skew = {CAIRN_RULE_SKEW, 0, to, factor, false, NULL};

    if (atom.kind == CAIRN_ATOM_DIM || atom.kind == CAIRN_ATOM_QUERY) {
        skew.a = variable_level(state, a);
        return cairn_path_state_apply(state, skew);
    }
    CAIRN_TRY(add_form(state, &atom.form));

    const int quotient = state->levels - 1;

    CAIRN_TRY(cairn_path_state_apply(
        state,
        (cairn_rule){.kind = CAIRN_RULE_TILE_SPLIT, .a = quotient, .c = atom.divisor}));
    state->level[quotient + 1] = (cairn_digit){.lo = 1};
    skew.a                     = atom.kind == CAIRN_ATOM_DIV ? quotient : quotient + 1;
    CAIRN_TRY(cairn_path_state_apply(state, skew));
    CAIRN_TRY(drop(state, quotient + 1));
    return drop(state, quotient);
}

/// Append a level that holds @p form.
static cairn_status add_form(cairn_path_state *state, const cairn_form *form)
{
    const cairn_form wanted = *form; /* atoms may move while inner ones are entered */

    CAIRN_TRY(cairn_path_state_add_zero(state));

    const int l = state->levels - 1;

    for (int t = 0; t < wanted.terms; t++)
        CAIRN_TRY(add_atom(state, wanted.term[t].atom, wanted.term[t].factor, l));
    if (wanted.constant != 0)
        CAIRN_TRY(cairn_path_state_apply(
            state,
            (cairn_rule){.kind = CAIRN_RULE_SHIFT, .a = l, .c = wanted.constant}));
    return CAIRN_OK;
}

/// Where each target is: a variable that is one already, or a level built for it.
static cairn_status
build_levels(cairn_path_state *state, const cairn_digit *target, int n, int *where)
{
    bool taken[CAIRN_TABLE_LEVELS] = {false};

    for (int k = 0; k < n; k++) {
        int        l = 0;
        cairn_form form;

        while (l < state->levels
               && (taken[l] || !cairn_digit_equal(&state->level[l], &target[k])))
            l++;
        if (l == state->levels) {
            CAIRN_TRY(cairn_digit_form(state->algebra, &target[k], &form));
            CAIRN_TRY(add_form(state, &form));
            state->level[l] = target[k];
        }
        taken[l] = true;
        where[k] = l;
    }
    return CAIRN_OK;
}

/// Drop the levels that are no target.
static cairn_status drop_others(cairn_path_state *state, int n, int *where)
{
    for (int l = state->levels - 1; l >= 0; l--) {
        int k = 0;

        while (k < n && where[k] != l)
            k++;
        if (k < n) continue;
        CAIRN_TRY(drop(state, l));
        for (k = 0; k < n; k++)
            where[k] -= where[k] > l;
    }
    return CAIRN_OK;
}

static cairn_status order_levels(cairn_path_state *state, int n, int *where)
{
    for (int k = 0; k < n; k++) {
        const int l = where[k];

        if (l == k) continue;
        CAIRN_TRY(cairn_path_state_apply(
            state, (cairn_rule){.kind = CAIRN_RULE_SWAP, .a = k, .b = l}));
        for (int other = k + 1; other < n; other++)
            if (where[other] == k) where[other] = l;
    }
    return CAIRN_OK;
}

cairn_status cairn_path_state_derive_by_parts(cairn_path_state  *state,
                                              const cairn_digit *target,
                                              int                n)
{
    int where[CAIRN_MAX_LEVELS];

    if (!is_plain(state)) {
        CAIRN_TRY(make_plain(state));
        if (cairn_digits_tile_all(target, n))
            return cairn_path_state_derive(state, target, n);
    }
    CAIRN_TRY(build_levels(state, target, n, where));
    CAIRN_TRY(drop_others(state, n, where));
    return order_levels(state, n, where);
}
