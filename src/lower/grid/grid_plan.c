// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which grid a product has: from what was decided for the product itself.

#include "lower/grid/grid_steps.h"

typedef cairn_grid_plan plan;

/* Sums that a group's items keep between the tiles of a long list; and those of several
   columns that an item has in registers. */
enum { MOST_CHAINS = 512, MOST_SUMS = 16, MOST_GROUP = 32 };

/// Values of a node of level @p list, and rows among them; 0: not the same for all.
static bool count_block(plan *g, int list)
{
    const cairn_layout *layout = g->plan.layout;

    g->grid.block = g->grid.high = 1;
    for (int l = list + 1; l < layout->levels; l++) {
        const int64_t size = cairn_plan_constant(layout, l);

        if (layout->level[l].trimmed && !cairn_nest_loops(layout, l)) continue;
        if (layout->level[l].trimmed || size <= 0) return false;
        if (size > CAIRN_GRID_TILE || g->grid.block * size > CAIRN_GRID_TILE)
            return false;
        g->grid.block *= size;
        if (g->plan.order.rows >> l & 1) g->grid.high *= size;
    }
    return g->grid.high * g->plan.chains <= MOST_CHAINS;
}

/// Levels that stand above number @p list, banks left out.
static uint32_t levels_above(const plan *g, int list)
{
    const int first = g->plan.layout->partition + 1;

    return ((1U << list) - 1) & ~((1U << first) - 1);
}

/// Do levels above the list's follow from its number?
static bool stands_by_number(const plan *g, int list)
{
    const cairn_layout *layout = g->plan.layout;

    for (int l = layout->partition + 1; l < list; l++)
        if (layout->level[l].arrays.has_ptr) return false;
    return true;
}

/// The lists of a run of rows.
static bool lists_by_idx(plan *g)
{
    const cairn_product_plan *p     = &g->plan;
    const uint32_t            above = levels_above(g, p->order.run);

    g->grid.by    = CAIRN_GRID_BY_IDX;
    g->grid.level = p->order.run;
    g->grid.list  = p->order.run_last;
    g->below      = p->order.known;
    for (int l = p->order.run; l <= p->order.run_last; l++)
        if (cairn_nest_reads(p->layout, l)) g->grid.same |= 1U << l;
    return (cairn_nest_levels_of(p->layout, p->out) & above) == 0
           && (cairn_nest_levels_of(p->layout, p->in) & above) == 0;
}

/// The lists under the nodes above the first level that loops below the row.
static bool lists_below(plan *g)
{
    const cairn_product_plan *p      = &g->plan;
    const cairn_layout       *layout = p->layout;
    int                       k      = p->order.known;

    while (k < p->order.levels && !cairn_nest_loops(layout, p->order.level[k]))
        k++;
    if (k == p->order.levels) return false;
    const int l   = p->order.level[k];
    g->grid.level = g->grid.list = l;
    g->grid.by = layout->level[l].trimmed ? CAIRN_GRID_BY_PTR : CAIRN_GRID_BY_SIZE;
    g->below   = k + 1;
    if (layout->level[l].trimmed && !layout->level[l].arrays.has_ptr) return false;
    return stands_by_number(g, l)
           && (cairn_nest_levels_of(layout, p->in) & levels_above(g, l)) == 0;
}

/// Does the processor cut a row's sum?
static bool is_cut(const plan *g)
{
    const cairn_product_plan *p       = &g->plan;
    cairn_product             product = g->product;
    cairn_product_plan        here;

    if (product.columns == 1) return p->sum == CAIRN_SUM_FOUR && !p->layout->pads;
    product.vector_bytes = 2 * CAIRN_ITEMS;
    cairn_product_plan_make(p->layout, &product, &here);
    return here.share.cuts.any;
}

/// Rows of a block are an item's, of several columns all, for which it loads X once; it has
/// fewer columns where there are many.
static void take_rows(plan *g)
{
    const cairn_product_plan *p = &g->plan;

    if (g->product.columns == 1 || p->tile.kind != CAIRN_TILE_ROWS) return;
    g->tall = (int)p->tile.constant;
    for (; g->tall * g->grid.width > MOST_SUMS && g->grid.width > 1; g->grid.width /= 2)
        if (g->grid.group < MOST_GROUP) g->grid.group *= 2;
}

static bool fits_lists(plan *g)
{
    const cairn_product_plan *p = &g->plan;

    if (!p->order.once || p->tile.shifted || p->order.known == p->order.levels)
        return false;
    if (cairn_plan_any_determined(p, 0)) return false;
    if (p->order.run >= 0 ? !lists_by_idx(g) : !lists_below(g)) return false;
    g->grid.cuts = is_cut(g);
    if (p->tile.level > g->grid.list) take_rows(g);
    return count_block(g, g->grid.list);
}

static bool fits_lanes(plan *g)
{
    const cairn_product_plan *p    = &g->plan;
    const cairn_share_kind    kind = p->share.kind;

    if (!p->order.once) return false;
    /* Without a loop below it a value goes to all columns at once, not to an item's. */
    if (g->product.columns != 1 && p->order.known == p->order.levels) return false;
    if (kind != CAIRN_SHARE_EVEN && kind != CAIRN_SHARE_ROWS && kind != CAIRN_SHARE_PTR)
        return false;
    g->grid.level  = p->share.level;
    g->grid.rows   = p->tile.shifted;
    g->grid.beside = p->tile.kind == CAIRN_TILE_LANES;
    g->grid.each   = 1;
    /* Rows of a slice or a block of diagonals are lanes beside each other. */
    if (p->tile.kind != CAIRN_TILE_NONE && p->tile.level != p->share.level) {
        take_rows(g);
        g->grid.each = g->tall > 1 ? 1 : p->tile.constant;
    }
    return g->grid.each > 0;
}

int64_t cairn_grid_stride(const cairn_product_plan *p, int l)
{
    int64_t stride = 1;

    for (int k = l + 1; k < p->layout->levels; k++) {
        if (p->layout->level[k].trimmed || p->layout->level[k].determined.on) continue;
        stride *= cairn_plan_constant(p->layout, k);
    }
    return stride;
}

/// Does every visit of a row have as many values, so far apart?
static bool fits_regrouped(plan *g)
{
    const cairn_product_plan *p      = &g->plan;
    const cairn_layout       *layout = p->layout;

    if (p->order.once || cairn_product_result(&g->product) != g->product.accumulate)
        return false;
    g->grid.by    = CAIRN_GRID_BY_IDX;
    g->grid.block = g->grid.high = 1;
    for (int k = p->order.known; k < p->order.levels; k++) {
        const int     l    = p->order.level[k];
        const int64_t size = cairn_plan_constant(layout, l);

        if (!cairn_nest_loops(layout, l)) continue;
        if (layout->level[l].trimmed || size <= 0 || size > CAIRN_GRID_TILE)
            return false;
        g->grid.block *= size;
        if (g->grid.block > CAIRN_GRID_TILE || cairn_grid_stride(p, l) == 0)
            return false;
    }
    /* Of one value it is seen while it is listed whether it counts. */
    return g->grid.block == 1
           || (layout->inverse.exact && !cairn_plan_any_determined(p, p->order.known));
}

/// Any nest: each value is listed. Where a row is met again, Y is as wide as sums are.
static bool fits_listed(plan *g)
{
    if (g->plan.tile.shifted) return false;
    if (!g->plan.order.once
        && cairn_product_result(&g->product) != g->product.accumulate)
        return false;
    g->grid.listed = true;
    g->grid.block = g->grid.high = 1;
    g->grid.cuts                 = is_cut(g);
    return true;
}

/// Those of a vector, or of several columns.
static cairn_grid_hints hints_of(const cairn_product *product)
{
    const cairn_grid_hints *given = &product->grid_hints;
    cairn_grid_hints        hints = {.batch  = given->batch,
                                     .narrow = given->narrow,
                                     .groups = given->groups,
                                     .banks  = given->banks};

    if (product->columns == 1) {
        hints.staged = given->staged;
        hints.pieces = given->pieces;
        hints.starts = given->starts;
        hints.early  = given->early;
        return hints;
    }
    hints.width = given->width > 0 ? given->width : 1;
    hints.group = given->group > 0 ? given->group : 1;
    return hints;
}

/// Leave out hints without effect here, so that keys that differ are kernels that differ.
static void settle_hints(plan *g)
{
    enum { STAGED = 4 };
    cairn_grid_hints *h      = &g->product.grid_hints;
    const cairn_grid *grid   = &g->grid;
    const bool        vector = !grid->group && !grid->listed;
    const bool        lists  = vector && grid->shape == CAIRN_GRID_LISTS;
    const int         chains = (int)grid->high * g->plan.chains;

    if (!vector || grid->shape == CAIRN_GRID_LANES) h->staged = 0;
    h->staged      = h->staged > STAGED ? CAIRN_GRID_STAGED : STAGED;
    g->grid.pieces = 1;
    while (lists && 2 * g->grid.pieces <= h->pieces
           && 2 * g->grid.pieces <= CAIRN_GRID_PIECES
           && 2 * g->grid.pieces * chains <= CAIRN_GRID_ITEMS
           && 2 * g->grid.pieces * grid->block <= CAIRN_GRID_TILE)
        g->grid.pieces *= 2;
    h->pieces = g->grid.pieces;
    h->starts = h->starts && lists && grid->by != CAIRN_GRID_BY_SIZE;
    /* A place that follows from the row may be none where a guard fails. */
    h->early = h->early && vector && grid->shape == CAIRN_GRID_LANES && grid->beside
               && !grid->rows && !cairn_plan_any_determined(&g->plan, 0);
}

void cairn_grid_plan_make(const cairn_layout  *layout,
                          const cairn_product *product,
                          cairn_grid_plan     *g)
{
    *g                      = (plan){.product = *product, .tall = 1};
    g->product.vector_bytes = CAIRN_ITEMS;
    g->product.hints        = (cairn_product_hints){.stream = false};
    g->product.grid_hints   = hints_of(product);
    cairn_product_plan_make(layout, &g->product, &g->plan);
    if (product->rounds) return;
    /* Rows that no turn meets are nobody's to set. */
    if (!g->plan.order.complete && !product->adds) return;
    static const struct {
        bool (*fits)(plan *g);
        cairn_grid_shape shape;
    } ways[] = {
        {fits_lists,     CAIRN_GRID_LISTS    },
        {fits_lanes,     CAIRN_GRID_LANES    },
        {fits_regrouped, CAIRN_GRID_REGROUPED},
        {fits_listed,    CAIRN_GRID_REGROUPED}
    };

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        g->grid = (cairn_grid){.group = g->product.grid_hints.group,
                               .width = g->product.grid_hints.width};
        g->tall = 1;
        if (!ways[k].fits(g)) continue;
        g->grid.shape = ways[k].shape;
        settle_hints(g);
        return;
    }
    g->grid = (cairn_grid){.shape = CAIRN_GRID_NONE};
}

cairn_grid cairn_grid_of(const cairn_layout *layout, const cairn_product *product)
{
    cairn_grid_plan plan;

    cairn_grid_plan_make(layout, product, &plan);
    return plan.grid;
}
