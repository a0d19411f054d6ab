// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the lowering of a product will do, in a few words.

#include "auto/leaf.h"

#include "lower/product/product_choice.h"
#include "lower/product/product_plan.h"

static const char *const units[] = {
#define X(leaf, unit) unit,
    CAIRN_LEAF_MAP(X)
#undef X
};

static cairn_leaf_kind unlisted(cairn_leaf_kind kind)
{
    return kind == CAIRN_LEAF_RUN_LISTED ? CAIRN_LEAF_RUN : kind;
}

bool cairn_leaf_is_like(const cairn_leaf *leaf, const cairn_leaf *other)
{
    return unlisted(leaf->kind) == unlisted(other->kind) && leaf->rows == other->rows
           && leaf->cols == other->cols;
}

const char *cairn_leaf_unit(const cairn_leaf *leaf)
{
    return units[leaf->kind];
}

/// Columns that are unrolled below the row: a complete level of a constant size.
static int columns_of(const cairn_product_plan *p)
{
    const int last =
        p->order.levels > p->order.known ? p->order.level[p->order.levels - 1] : -1;

    if (p->sum == CAIRN_SUM_COLUMNS) return p->chains;
    if (last < 0 || !cairn_plan_is_below(p->layout, last)) return 1;
    const int64_t size = cairn_plan_constant(p->layout, last);

    return size >= 1 && size <= CAIRN_BLOCK ? (int)size : 1;
}

static int rows_of(const cairn_product_plan *p)
{
    if (p->tile.kind == CAIRN_TILE_NONE) return 1;
    return p->tile.constant <= INT32_MAX ? (int)p->tile.constant : 0;
}

/// Is the index of the row stored?
static bool lists_rows(const cairn_product_plan *p)
{
    for (int k = 0; k < p->order.known; k++)
        if (p->order.rows >> p->order.level[k] & 1
            && p->layout->level[p->order.level[k]].arrays.has_idx)
            return true;
    return false;
}

static cairn_leaf_kind scattered(const cairn_product_plan *p, const cairn_leaf *leaf)
{
    if (leaf->alone) return CAIRN_LEAF_SCATTER_LOOP;
    return leaf->rows > 1 || leaf->cols > 1 ? CAIRN_LEAF_SCATTER_BLOCK
           : p->layout->inverse.exact       ? CAIRN_LEAF_SCATTER
                                            : CAIRN_LEAF_SCATTER_LOOP;
}

static cairn_leaf_kind lanes(const cairn_product_plan *p)
{
    switch (p->tile.reach) {
    case CAIRN_REACH_NEXT: return CAIRN_LEAF_STRETCH;
    case CAIRN_REACH_ONE: return CAIRN_LEAF_BLOCK_LANES;
    case CAIRN_REACH_GATHER: break;
    }
    if (p->tile.moved) return CAIRN_LEAF_SLOTS_MOVED;
    return p->tile.constant ? CAIRN_LEAF_SLOTS : CAIRN_LEAF_TABLE;
}

/// Has every row as many blocks?
static bool is_table(const cairn_layout *layout)
{
    for (int l = layout->last + 1; l < layout->levels; l++)
        if (cairn_plan_is_below(layout, l) && !cairn_plan_constant(layout, l))
            return layout->first == 0;
    return false;
}

/// With one column or many, a row of entries is a loop over them.
static cairn_leaf_kind kind_of(const cairn_product_plan *p, const cairn_leaf *leaf)
{
    if (!p->order.once) return scattered(p, leaf);
    if (p->tile.kind == CAIRN_TILE_LANES) return lanes(p);
    if (p->tile.kind == CAIRN_TILE_ROWS || leaf->cols > 1)
        return is_table(p->layout) ? CAIRN_LEAF_BLOCK_TABLE : CAIRN_LEAF_BLOCK;
    if (p->order.run >= 0) return CAIRN_LEAF_RUN_FOUND;
    if (p->sum == CAIRN_SUM_FOUR || cairn_plan_ends_in_list(p))
        return lists_rows(p) ? CAIRN_LEAF_RUN_LISTED : CAIRN_LEAF_RUN;
    return CAIRN_LEAF_LOOP;
}

static bool is_by_rows(const cairn_product_plan *p)
{
    const int at = p->order.once ? 0 : p->order.levels - 1;

    return p->order.levels > 0
           && cairn_plan_function_of(p->layout, p->order.level[at], p->out);
}

cairn_leaf cairn_leaf_of(const cairn_layout *layout, const cairn_product_options *op)
{
    enum { VECTOR = 32 }; /* bytes: what most processors have */

    const cairn_product product = cairn_product_choose(layout, op, true, false, VECTOR);
    cairn_product_plan  p;

    cairn_product_plan_make(layout, &product, &p);
    cairn_leaf leaf = {.rows       = rows_of(&p),
                       .cols       = columns_of(&p),
                       .alone      = p.share.kind == CAIRN_SHARE_NONE,
                       .moved      = p.tile.moved,
                       .finds_rows = p.order.run >= 0};

    leaf.by_rows = p.tile.shifted || is_by_rows(&p);
    leaf.kind    = kind_of(&p, &leaf);
    return leaf;
}
