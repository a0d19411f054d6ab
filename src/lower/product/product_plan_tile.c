// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which level of rows is tiled, and whether its rows are lanes of vectors.

#include "lower/product/product_plan.h"

typedef cairn_product_plan plan;

/// Nothing with positions of its own comes after level @p l: neighbouring places have
/// neighbouring values.
static bool has_unit_stride(const cairn_layout *layout, int l)
{
    for (int k = l + 1; k < layout->levels; k++)
        if (!layout->level[k].determined.on && cairn_plan_constant(layout, k) != 1)
            return false;
    return layout->values.tuple < 0;
}

/// Determined levels whose index differs from place to place of level @p l.
static uint32_t differing(const cairn_layout *layout, int l)
{
    uint32_t levels = 0;

    for (int k = l + 1; k < layout->levels; k++)
        if (layout->level[k].determined.on && layout->level[k].determined.by >> l & 1)
            levels |= 1U << k;
    return levels;
}

/// Do the indices of level @p k lie one after the other along level @p l?
static bool lie_along(const cairn_layout *layout, int k, int l)
{
    for (int m = l + 1; m < k; m++)
        if (layout->level[k].determined.by >> m & 1
            && cairn_plan_constant(layout, m) != 1)
            return false;
    return layout->level[k].arrays.tuple < 0;
}

/// Can the rows of the tiled level be lanes? How do they reach x?
static bool fits_lanes(plan *p, int l)
{
    const cairn_linear *in     = &p->layout->inverse.dim[p->in];
    const int64_t       factor = cairn_plan_factor(in, l);
    int                 stored = 0;

    if (p->product->columns != 1 || !has_unit_stride(p->layout, l)) return false;
    for (int k = 0; k < p->layout->levels; k++) {
        if (!(p->tile.lanes >> k & 1)) continue;
        if (!lie_along(p->layout, k, l)) return false;
        if (cairn_plan_factor(in, k) == 0) continue;
        if (p->order.rows >> k & 1) return false; /* rows in any order, their x too */
        stored++;
    }
    if (!p->tile.moved && cairn_plan_factor(&p->layout->inverse.dim[p->out], l) != 1)
        return false;
    if (stored > 1 || (stored == 1 && factor != 0)) return false;
    if (factor != 0 && factor != 1) return false;
    p->tile.reach = stored        ? CAIRN_REACH_GATHER
                    : factor == 1 ? CAIRN_REACH_NEXT
                                  : CAIRN_REACH_ONE;
    return true;
}

/// The row's last dense level below the entries, if it is the last that is entered.
static int level_to_tile(const plan *p)
{
    int tiled = -1;

    for (int k = 0; k < p->order.known; k++) {
        const int l = p->order.level[k];

        if (p->layout->level[l].determined.on) continue;
        tiled = cairn_plan_is_below(p->layout, l) && p->order.rows >> l & 1
                        && cairn_plan_constant(p->layout, l) != 1
                    ? l
                    : -1;
    }
    return tiled;
}

/// Where rows are few and known: some at once, each with sums of its own.
static bool fits_rows(plan *p, int l)
{
    const int64_t size = cairn_plan_constant(p->layout, l);

    p->tile.reach = cairn_plan_factor(&p->layout->inverse.dim[p->in], l)
                        ? CAIRN_REACH_NEXT
                        : CAIRN_REACH_ONE;
    return size >= 2 && size <= CAIRN_BLOCK && p->tile.lanes == 0 && !p->tile.moved;
}

/// Enter determined levels of the row that are alike in all lanes before the tiled level:
/// they are loaded once a tile, and a hole of theirs leaves out the tile.
static void hoist_determined(plan *p)
{
    int at = 0, to;

    while (p->order.level[at] != p->tile.level)
        at++;
    to = at;
    for (int k = at + 1; k < p->order.known; k++) {
        const int l = p->order.level[k];

        if (p->tile.lanes >> l & 1) continue;
        for (int m = k; m > to; m--)
            p->order.level[m] = p->order.level[m - 1];
        p->order.level[to++] = l;
    }
}

void cairn_plan_choose_tile(plan *p)
{
    const int l = level_to_tile(p);

    p->tile.kind  = CAIRN_TILE_NONE;
    p->tile.level = -1;
    if (l < 0 || !p->layout->inverse.exact || p->order.known == p->order.levels) return;
    p->tile.lanes = differing(p->layout, l);
    p->tile.moved = (p->tile.lanes & p->order.rows) != 0;
    if (fits_lanes(p, l))
        p->tile.kind = CAIRN_TILE_LANES;
    else if (fits_rows(p, l))
        p->tile.kind = CAIRN_TILE_ROWS;
    if (p->tile.kind == CAIRN_TILE_NONE) {
        p->tile.lanes = 0;
        p->tile.moved = false;
        return;
    }
    p->tile.level    = l;
    p->tile.constant = cairn_plan_constant(p->layout, l);
    hoist_determined(p);
}

/// The row follows from a dense level and from levels of entries above it, all of which
/// are terms of its sum: loop over rows, and let the place follow.
bool cairn_plan_shift(plan *p)
{
    const cairn_layout *layout = p->layout;
    const cairn_linear *out    = &layout->inverse.dim[p->out];
    const int           l      = layout->levels - 1;

    if (!layout->inverse.exact || layout->partition >= 0) return false;
    if (l <= 0 || !cairn_plan_is_below(layout, l) || cairn_plan_constant(layout, l))
        return false;
    if ((p->order.rows & ~(1U << l)) == 0) return false; /* as it is, it may be moved */
    if (cairn_plan_factor(out, l) != 1 || layout->values.tuple >= 0) return false;
    for (int k = 0; k < l; k++)
        if (!layout->level[k].trimmed || !layout->level[k].arrays.has_idx
            || layout->level[k].gaps)
            return false;
    const int64_t factor = cairn_plan_factor(&layout->inverse.dim[p->in], l);

    if (factor != 0 && factor != 1) return false;
    p->tile.reach   = factor == 1 ? CAIRN_REACH_NEXT : CAIRN_REACH_ONE;
    p->tile.kind    = CAIRN_TILE_LANES;
    p->tile.level   = l;
    p->tile.shifted = p->order.once = p->order.complete = true;
    p->order.levels = p->order.known = 0;
    p->tile.constant                 = 0;
    for (int k = 0; k < l; k++)
        cairn_plan_append(p, k);
    return true;
}
