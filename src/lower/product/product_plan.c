// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The analysis of a layout for products: everything from the structure of its levels.

#include "lower/product/product_plan.h"

#include <stdlib.h>

typedef cairn_product_plan plan;

/// Bit k set: the expression names dimension k.
static uint32_t expr_dims(const cairn_expr *expr)
{
    if (!expr) return 0;
    if (expr->op == CAIRN_EXPR_DIM) return 1U << expr->value;
    return expr_dims(expr->a) | expr_dims(expr->b);
}

/// Does the query give every index of dimension @p k one number, whatever the others are?
static bool numbers_dim(const cairn_layout *layout, int query, int k)
{
    const cairn_query *q    = &layout->encoding->query[query];
    uint32_t           dims = 0;

    if (q->func != CAIRN_QUERY_REORDER && q->func != CAIRN_QUERY_SCHEDULE) return false;
    if (q->arg < 0) return false;
    const cairn_map *map = &layout->encoding->query[q->arg].group_by;

    for (int g = 0; g < map->count; g++)
        dims |= expr_dims(map->expr[g]);
    return dims == 1U << k;
}

/// Is the level's index a function of dimension @p k alone?
bool cairn_plan_function_of(const cairn_layout *layout, int l, int k)
{
    const cairn_level *level = &layout->level[l];

    if (level->indirect) return numbers_dim(layout, level->query, k);
    return (cairn_form_dims(layout->algebra, &level->form) & ~(1U << k)) == 0;
}

bool cairn_plan_is_below(const cairn_layout *layout, int l)
{
    return l > layout->last && !layout->level[l].determined.on;
}

void cairn_plan_append(plan *p, int l)
{
    p->order.level[p->order.levels++] = l;
}

int64_t cairn_plan_constant(const cairn_layout *layout, int l)
{
    int64_t lo, size;

    return cairn_nest_constant(layout, l, &lo, &size) ? size : 0;
}

int64_t cairn_plan_factor(const cairn_linear *linear, int l)
{
    for (int t = 0; t < linear->terms; t++)
        if (linear->var[t] == l) return linear->num[t];
    return 0;
}

bool cairn_plan_any_determined(const plan *p, int from)
{
    for (int k = from; k < p->order.levels; k++)
        if (p->layout->level[p->order.level[k]].determined.on) return true;
    return false;
}

static bool dense_levels_only(const plan *p, uint32_t levels)
{
    for (int l = 0; l < p->layout->levels; l++)
        if (levels >> l & 1
            && (p->layout->level[l].trimmed || p->layout->level[l].determined.on))
            return false;
    return true;
}

/// May the level be entered as soon as the levels above the entries are? Its positions
/// are by arithmetic, and only the row says which of them matter.
static bool may_move(const plan *p, int l)
{
    const cairn_level *level = &p->layout->level[l];

    if (level->determined.on)
        return !level->determined.per_node && dense_levels_only(p, level->determined.by)
               && (level->determined.by & ~p->order.rows) == 0;
    return cairn_plan_is_below(p->layout, l)
           && cairn_plan_function_of(p->layout, l, p->out);
}

/// The last level of the row that stays where it is; -1: none.
static int last_fixed(const plan *p)
{
    int fixed = p->layout->partition;

    for (int l = p->layout->partition + 1; l < p->layout->levels; l++)
        if (p->order.rows >> l & 1 && !may_move(p, l)) fixed = l;
    return fixed;
}

/// Levels of the row first, as far as they can; each row's terms keep their order.
static void order_levels(plan *p)
{
    const int n = p->layout->levels, fixed = last_fixed(p);

    for (int l = p->layout->partition + 1; l <= fixed; l++)
        cairn_plan_append(p, l);
    for (int pass = 0; pass < 2;
         pass++) /* dense ones, then those that they determine */
        for (int l = fixed + 1; l < n; l++)
            if (p->order.rows >> l & 1
                && p->layout->level[l].determined.on == (pass == 1))
                cairn_plan_append(p, l);
    p->order.known = p->order.levels;
    for (int l = fixed + 1; l < n; l++)
        if (!(p->order.rows >> l & 1)) cairn_plan_append(p, l);
}

/// A row that a determined level says is met once only if it says all of it: with other
/// levels beside it, tuples that contradict each other name rows, too.
static bool names_row(const plan *p, int l)
{
    const cairn_linear *out  = &p->layout->inverse.dim[p->out];
    const cairn_form   *form = &p->layout->level[l].form;

    return out->terms == 1 && out->var[0] == l && out->num[0] == 1 && out->constant == 0
           && cairn_form_atom(form) == p->out;
}

/// Is there one tuple of the row's levels for each row, and nothing else above the sum?
static bool meets_once(const plan *p)
{
    int64_t lo, size;

    if (!p->layout->inverse.exact) return false;
    for (int k = 0; k < p->order.known; k++) {
        const int l = p->order.level[k];

        if (cairn_nest_constant(p->layout, l, &lo, &size) && size == 1) continue;
        if (!(p->order.rows >> l & 1)) return false;
        if (p->layout->level[l].determined.on
                ? !names_row(p, l)
                : !cairn_plan_function_of(p->layout, l, p->out))
            return false;
    }
    return true;
}

/// Nodes of one row that follow each other: the levels first..last of the row that have
/// as many nodes as the entries below have.
static void find_run(plan *p)
{
    const cairn_layout *layout = p->layout;
    int                 last   = -1;

    p->order.run = p->order.run_last = -1;
    for (int k = 0; k < p->order.known; k++)
        if (layout->level[p->order.level[k]].trimmed) last = p->order.level[k];
    if (last < 0 || layout->level[last].depth == last) return;
    p->order.run_last = last;
    for (int l = last; l >= layout->first; l--) {
        if (layout->level[l].depth != layout->level[last].depth) break;
        if (!layout->level[l].arrays.has_idx) p->order.once = false;
        p->order.run = l;
    }
    if (!p->order.once) p->order.run = p->order.run_last = -1;
}

/// Every row of the box has a tuple of dense levels.
static bool is_complete(const plan *p)
{
    for (int l = 0; l < p->layout->levels; l++) {
        const cairn_level *level = &p->layout->level[l];

        if (!(p->order.rows >> l & 1)) continue;
        if (l <= p->layout->partition || level->trimmed) return false;
        if (level->indirect
            && p->layout->encoding->query[level->query].func != CAIRN_QUERY_REORDER)
            return false;
    }
    return p->order.once && p->order.known < p->order.levels;
}

static uint32_t all_levels(const cairn_layout *layout)
{
    return (uint32_t)((1ULL << layout->levels) - 1);
}

static uint32_t known_levels(const plan *p)
{
    uint32_t levels = 0;

    for (int k = 0; k < p->order.known; k++)
        levels |= 1U << p->order.level[k];
    return levels;
}

void cairn_product_plan_make(const cairn_layout  *layout,
                             const cairn_product *product,
                             cairn_product_plan  *p)
{
    *p            = (cairn_product_plan){.layout     = layout,
                                         .product    = product,
                                         .out        = product->transposed ? 1 : 0,
                                         .in         = product->transposed ? 0 : 1,
                                         .order.run  = -1,
                                         .tile.level = -1};
    p->order.rows = cairn_nest_levels_of(layout, p->out);
    if (!cairn_plan_shift(p)) {
        order_levels(p);
        p->order.once = meets_once(p);
        find_run(p);
        p->order.complete = is_complete(p);
        cairn_plan_choose_tile(p);
    }
    /* A tile that runs over rows visits those of the box. */
    p->guard_row =
        !p->tile.shifted && !cairn_nest_inside(layout, p->out, known_levels(p));
    /* Holes of a tile's lanes are not skipped: they vouch for nothing. */
    p->guard_x = !cairn_nest_inside(layout, p->in, all_levels(layout) & ~p->tile.lanes);
    cairn_plan_choose_sum(p);
    p->tile.beyond = cairn_plan_has_beyond(p);
    p->share       = cairn_plan_choose_share(p);
    if (product->sums_y) p->share.leaf = cairn_plan_leaf(p, &p->share);
    p->hints = cairn_plan_choose_hints(p);
    p->empty = cairn_plan_looks_for_empty(p);

    p->share.cuts = cairn_plan_choose_cuts(p);
}

/// Does a row lie in one bank, whatever else the bank follows from?
static bool has_rows_alone(const plan *p)
{
    int64_t lo, size;

    for (int l = 0; l <= p->layout->partition; l++) {
        if (cairn_nest_constant(p->layout, l, &lo, &size) && size == 1) continue;
        if (!cairn_plan_function_of(p->layout, l, p->out)) return false;
    }
    return true;
}

/// Do no two positions of the levels that a row is computed from have the same row? Then
/// the row tells them, as digits of a number are told by it: all smaller digits together
/// come to less than one of the next.
static bool tells_levels(const plan *p)
{
    const cairn_linear *row = &p->layout->inverse.dim[p->out];

    for (int l = 0; l < p->layout->levels; l++) {
        const int64_t one  = llabs(cairn_plan_factor(row, l));
        int64_t       rest = one - 1, most;

        if (one == 0) continue;
        if (!p->layout->level[l].sized) return false;
        for (int m = 0; m < p->layout->levels; m++) {
            const int64_t each = llabs(cairn_plan_factor(row, m));

            if (m == l || each == 0 || each > one || (each == one && m > l)
                || p->layout->level[m].size <= 1)
                continue;
            if (__builtin_mul_overflow(each, p->layout->level[m].size - 1, &most)
                || most > rest)
                return false;
            rest -= most;
        }
    }
    return true;
}

/// Is the bank of whatever is met that of the row which is found there? Since the row tells
/// the levels that it is computed from, banks' among them; or since it is an index of
/// nodes, which only a bank with entries of the row has.
static bool has_rows_of_bank(const plan *p)
{
    const cairn_layout *layout  = p->layout;
    const cairn_linear *row     = &layout->inverse.dim[p->out];
    bool                follows = tells_levels(p), stored = true;
    int64_t             lo, size;

    for (int l = 0; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (l > layout->partition)
            stored = stored && (!(p->order.rows >> l & 1) || level->trimmed);
        else if (!cairn_nest_constant(layout, l, &lo, &size) || size > 1)
            follows = follows && cairn_plan_factor(row, l) != 0;
    }
    return follows || stored;
}

cairn_product_rows cairn_product_rows_of(const cairn_layout  *layout,
                                         const cairn_product *product)
{
    cairn_product_plan plan;

    cairn_product_plan_make(layout, product, &plan);
    return (cairn_product_rows){.once   = plan.order.once,
                                .single = plan.order.once && has_rows_alone(&plan),
                                .apart =
                                    has_rows_alone(&plan) && has_rows_of_bank(&plan),
                                .all = plan.order.complete};
}
