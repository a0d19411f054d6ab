// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Planning one route. Between encodings whose maps agree only mutations and layout
/// change. Else what stores nodes is taken apart (Split, Trim, Devectorize), levels are
/// remapped, entries sorted if their order was lost, and the mutations of the new format
/// made. Queries see coordinates, so they come first in what leads to a format that has
/// them; the numbers that a source's queries gave are dropped, never trusted: a padded
/// source has lost its explicit zeros, and numbers with them.

#include "rules/plan_route.h"

#include "rules/path_state.h"

/* ---- one rule ---- */

static cairn_status at_level(cairn_path_state *state, cairn_rule_kind kind, int level)
{
    return cairn_path_state_apply(state, (cairn_rule){.kind = kind, .a = level});
}

/* ---- encodings as states ---- */

/// The digits of an encoding's levels.
static cairn_status
digits_of(cairn_algebra *algebra, const cairn_encoding *encoding, cairn_digit *digit)
{
    for (int l = 0; l < encoding->map.count; l++) {
        cairn_form form;

        CAIRN_TRY(cairn_form_of(algebra, encoding->map.expr[l], &form));
        digit[l] = cairn_digit_of(algebra, &form);
    }
    return CAIRN_OK;
}

static uint32_t indirect_levels(const cairn_encoding *encoding)
{
    uint32_t levels = 0;

    for (int l = 0; l < encoding->map.count; l++)
        if (cairn_expr_is_indirect(encoding->map.expr[l])) levels |= 1U << l;
    return levels;
}

typedef struct {
    cairn_path_state      state;
    const cairn_encoding *from, *to;      ///< NULL: coordinates, sorted.
    uint32_t              merged;         ///< Levels merged now.
    bool                  by_coordinates; ///< The route.
    cairn_digit           target[CAIRN_MAX_LEVELS];
    uint32_t              from_indirect; ///< Bit l: level l of the source is a query's.
} planner;

static cairn_status start(planner *p)
{
    cairn_path_state *state = &p->state;

    if (p->from) {
        CAIRN_TRY(digits_of(state->algebra, p->from, state->level));
        p->from_indirect = indirect_levels(p->from);
        state->levels    = p->from->map.count;
        state->first     = p->from->trim_first;
        state->last      = p->from->trim_last;
        p->merged        = p->from->merged;
    }
    if (p->to) CAIRN_TRY(digits_of(state->algebra, p->to, p->target));
    return CAIRN_OK;
}

/// Nothing but mutations and layout differs, and no query has to run.
static bool same_map(const planner *p)
{
    if (!p->from || !p->to || p->from_indirect || p->to->queries
        || p->from->map.count != p->to->map.count)
        return false;
    for (int l = 0; l < p->state.levels; l++)
        if (!cairn_digit_equal(&p->state.level[l], &p->target[l])) return false;
    return true;
}

/* ---- layout ---- */

static bool has_pack(const cairn_encoding *encoding, const cairn_pack *pack)
{
    for (int k = 0; encoding && k < encoding->packs; k++)
        if (encoding->pack[k].first == pack->first
            && encoding->pack[k].last == pack->last
            && encoding->pack[k].novalue == pack->novalue)
            return true;
    return false;
}

/// Packs of one encoding that the other lacks.
static cairn_status change_packs(planner              *p,
                                 cairn_rule_kind       kind,
                                 const cairn_encoding *of,
                                 const cairn_encoding *other)
{
    for (int k = 0; of && k < of->packs; k++) {
        const cairn_pack *pack = &of->pack[k];

        if (has_pack(other, pack)) continue;
        CAIRN_TRY(cairn_path_state_apply(
            &p->state,
            (cairn_rule){kind, pack->first, pack->last, pack->novalue, false, NULL}));
    }
    return CAIRN_OK;
}

static int partition_of(const cairn_encoding *encoding)
{
    return encoding ? encoding->partition : -1;
}

static cairn_status undo_layout(planner *p, bool same)
{
    const cairn_encoding *to = same ? p->to : NULL;

    if (partition_of(p->from) >= 0 && partition_of(p->from) != partition_of(to))
        CAIRN_TRY(at_level(&p->state, CAIRN_RULE_GATHER, p->from->partition));
    return change_packs(p, CAIRN_RULE_UNPACK, p->from, to);
}

static cairn_status change_width(planner *p, int level, int idx, int was, int bits)
{
    if (was == bits) return CAIRN_OK;
    return cairn_path_state_apply(
        &p->state, (cairn_rule){CAIRN_RULE_BITS, level, idx, bits, false, NULL});
}

/// Widths given by hand, and the type of values.
static cairn_status change_widths(planner *p)
{
    static const cairn_encoding none;
    const cairn_encoding       *from = p->from ? p->from : &none;
    const cairn_encoding       *to   = p->to ? p->to : &none;

    CAIRN_TRY(change_width(p, -1, 0, from->all_bits.ptr, to->all_bits.ptr));
    CAIRN_TRY(change_width(p, -1, 1, from->all_bits.idx, to->all_bits.idx));
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++) {
        CAIRN_TRY(change_width(p, l, 0, from->bits[l].ptr, to->bits[l].ptr));
        CAIRN_TRY(change_width(p, l, 1, from->bits[l].idx, to->bits[l].idx));
    }
    if (from->val == to->val) return CAIRN_OK;
    return at_level(&p->state, CAIRN_RULE_VAL, (int)to->val);
}

static cairn_status make_layout(planner *p, bool same)
{
    const cairn_encoding *from = same ? p->from : NULL;

    CAIRN_TRY(change_packs(p, CAIRN_RULE_PACK, p->to, from));
    if (partition_of(p->to) >= 0 && partition_of(p->to) != partition_of(from))
        CAIRN_TRY(at_level(&p->state, CAIRN_RULE_PARTITION, p->to->partition));
    return change_widths(p);
}

/* ---- mutations ---- */

static cairn_status split(planner *p, uint32_t levels)
{
    for (int l = CAIRN_MAX_LEVELS - 1; l >= 0; l--) {
        if (!(p->merged & levels & 1U << l)) continue;
        CAIRN_TRY(at_level(&p->state, CAIRN_RULE_SPLIT, l));
        p->merged &= ~(1U << l);
    }
    return CAIRN_OK;
}

static cairn_status merge(planner *p, uint32_t levels)
{
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++) {
        if (!(levels & ~p->merged & 1U << l)) continue;
        CAIRN_TRY(at_level(&p->state, CAIRN_RULE_MERGE, l));
        p->merged |= 1U << l;
    }
    return CAIRN_OK;
}

/// Extend the trimmed range down to level @p last and up to level @p first.
static cairn_status extend_range(planner *p, int first, int last)
{
    cairn_path_state *state = &p->state;

    if (state->first > state->last)
        CAIRN_TRY(at_level(state, CAIRN_RULE_DEVECTORIZE, last));
    while (state->last < last)
        CAIRN_TRY(at_level(state, CAIRN_RULE_DEVECTORIZE, state->last + 1));
    while (state->first > first)
        CAIRN_TRY(at_level(state, CAIRN_RULE_TRIM, state->first - 1));
    return CAIRN_OK;
}

static bool is_untrimmed(const cairn_path_state *state)
{
    return state->first > state->last;
}

/// From whatever mutations there are to those of the target.
static cairn_status mutate(planner *p)
{
    cairn_path_state     *state = &p->state;
    const cairn_encoding *to    = p->to;

    CAIRN_TRY(split(p, ~to->merged));
    if (to->trimmed) CAIRN_TRY(extend_range(p, to->trim_first, to->trim_last));
    while (!is_untrimmed(state) && (!to->trimmed || state->first < to->trim_first))
        CAIRN_TRY(at_level(state, CAIRN_RULE_FILL, state->first));
    CAIRN_TRY(merge(p, to->merged));
    while (to->trimmed && state->last > to->trim_last)
        CAIRN_TRY(at_level(state, CAIRN_RULE_VECTORIZE, state->last));
    return CAIRN_OK;
}

/* ---- maps ---- */

static cairn_status sort(planner *p)
{
    if (p->state.sorted) return CAIRN_OK;
    return cairn_path_state_apply(&p->state, (cairn_rule){.kind = CAIRN_RULE_SORT});
}

/// Stored entries level by level, without the numbers of queries.
static cairn_status take_apart(planner *p)
{
    CAIRN_TRY(undo_layout(p, false));
    CAIRN_TRY(split(p, UINT32_MAX));
    CAIRN_TRY(extend_range(p, 0, p->state.levels - 1));
    for (int l = CAIRN_MAX_LEVELS - 1; l >= 0; l--)
        if (p->from_indirect >> l & 1)
            CAIRN_TRY(at_level(&p->state, CAIRN_RULE_DROP, l));
    return CAIRN_OK;
}

static cairn_status to_coordinates(planner *p)
{
    cairn_digit dim[CAIRN_MAX_ORDER];

    for (int k = 0; k < p->state.order; k++)
        dim[k] = (cairn_digit){
            .root = {.terms = 1, .term = {{k, 1}}},
              .lo = 1
        };
    return cairn_path_state_derive(&p->state, dim, p->state.order);
}

static bool uses_query(const planner *p, int q)
{
    for (int l = 0; l < p->to->map.count; l++)
        if (cairn_form_queries(p->state.algebra, &p->target[l].root) >> q & 1)
            return true;
    return false;
}

static cairn_rule_kind rule_of(cairn_query_func func)
{
    switch (func) {
    case CAIRN_QUERY_SUM: return CAIRN_RULE_SUM;
    case CAIRN_QUERY_ENUM: return CAIRN_RULE_ENUMERATE;
    case CAIRN_QUERY_REORDER: return CAIRN_RULE_REORDER;
    default: return CAIRN_RULE_SCHEDULE;
    }
}

/// The form of a query's value, by an expression, so that it gets its atom.
static cairn_status query_form(planner *p, int q, cairn_form *form)
{
    const cairn_expr expr = {.op = CAIRN_EXPR_QUERY, .value = q};

    return cairn_form_of(p->state.algebra, &expr, form);
}

static cairn_status run_queries(planner *p)
{
    cairn_path_state *state = &p->state;

    for (int q = 0; q < p->to->queries; q++) {
        const cairn_query *query   = &p->to->query[q];
        const bool         appends = uses_query(p, q);

        CAIRN_TRY(
            cairn_path_state_apply(state, (cairn_rule){.kind    = rule_of(query->func),
                                                       .a       = q,
                                                       .appends = appends,
                                                       .query   = query->name}));
        if (!appends) continue;
        state->level[state->levels - 1] = (cairn_digit){.lo = 1};
        CAIRN_TRY(query_form(p, q, &state->level[state->levels - 1].root));
    }
    return CAIRN_OK;
}

static cairn_status plan_route(planner *p)
{
    CAIRN_TRY(start(p));
    if (same_map(p)) {
        CAIRN_TRY(undo_layout(p, true));
        CAIRN_TRY(mutate(p));
        return make_layout(p, true);
    }
    if (p->from) CAIRN_TRY(take_apart(p));
    if (!p->to) return to_coordinates(p);
    if (p->to->queries > 0 || p->by_coordinates) CAIRN_TRY(to_coordinates(p));
    if (p->to->queries > 0) {
        CAIRN_TRY(sort(p));
        CAIRN_TRY(run_queries(p));
    }
    CAIRN_TRY(cairn_path_state_derive(&p->state, p->target, p->to->map.count));
    CAIRN_TRY(sort(p));
    CAIRN_TRY(mutate(p));
    return make_layout(p, false);
}

cairn_status cairn_plan_route(cairn_env            *env,
                              int                   order,
                              const int64_t        *extent,
                              const cairn_encoding *from,
                              const cairn_encoding *to,
                              bool                  by_coordinates,
                              cairn_path          **path)
{
    planner *p;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p));
    cairn_status status = cairn_path_state_init(env, order, extent, &p->state);

    if (status == CAIRN_OK) {
        p->from           = from;
        p->to             = to;
        p->by_coordinates = by_coordinates;
        status            = plan_route(p);
        if (status == CAIRN_OK) {
            *path           = p->state.path;
            (*path)->sorted = p->state.sorted;
            p->state.path   = NULL;
        }
        cairn_path_state_fini(&p->state);
    }
    cairn_free(env, p);
    return status;
}
