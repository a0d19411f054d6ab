// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a row's terms are added, how rows are divided among threads, which hints count.

#include "lower/product/product_plan.h"

typedef cairn_product_plan plan;

static int loops_from(const plan *p, int from)
{
    int loops = 0;

    for (int k = from; k < p->order.levels; k++)
        loops += cairn_nest_loops(p->layout, p->order.level[k]);
    return loops;
}

/// Do rows share the stored nodes of level @p l, being told apart by levels below it? Then
/// which nodes there are, and so the number of a row's term among them, depends on the
/// other rows, that is on the rank.
static bool rows_share_nodes(const plan *p, int l)
{
    return (p->order.rows >> l >> 1) != 0;
}

/// Are the terms of a row one loop over neighbouring entries?
static bool sums_one_list(const plan *p)
{
    return p->layout->inverse.exact && p->order.known < p->order.levels
           && p->tile.kind == CAIRN_TILE_NONE && !p->guard_x
           && !cairn_plan_any_determined(p, p->order.known)
           && !rows_share_nodes(p, p->order.level[p->order.known])
           && loops_from(p, p->order.known) + (p->order.run >= 0) == 1;
}

void cairn_plan_choose_sum(plan *p)
{
    const int last =
        p->order.levels > p->order.known ? p->order.level[p->order.levels - 1] : -1;
    const int64_t block = last >= 0 && cairn_plan_is_below(p->layout, last)
                              ? cairn_plan_constant(p->layout, last)
                              : 0;
    const bool    few   = p->tile.kind == CAIRN_TILE_NONE
                     || (p->tile.constant >= 2 && p->tile.constant <= CAIRN_BLOCK);

    p->sum    = CAIRN_SUM_ONE;
    p->chains = 1;
    if (p->product->columns != 1 || !p->layout->inverse.exact
        || p->order.known == p->order.levels)
        return;
    if (block >= 2 && block <= CAIRN_BLOCK && few) {
        p->sum    = CAIRN_SUM_COLUMNS;
        p->chains = (int)block;
    } else if (sums_one_list(p)) {
        p->sum    = CAIRN_SUM_FOUR;
        p->chains = 4;
    }
}

int cairn_plan_first_varying(const plan *p)
{
    int k = p->order.known;

    while (p->order.run < 0 && k < p->order.levels
           && !cairn_nest_loops(p->layout, p->order.level[k]))
        k++;
    return k;
}

/// Is x reached by stored indices, or, where none is stored, does the loop's own place
/// count once, so that neighbouring entries have neighbouring elements? (A loop over
/// slots may not count at all: all of its entries have the same.)
static bool reaches_by_lanes(const plan *p)
{
    const cairn_linear *in     = &p->layout->inverse.dim[p->in];
    int                 stored = 0, counted = 0;

    for (int k = cairn_plan_first_varying(p); k < p->order.levels; k++) {
        const int     l      = p->order.level[k];
        const int64_t factor = cairn_plan_factor(in, l);

        if (factor == 0) continue;
        if (p->layout->level[l].arrays.has_idx) {
            stored++;
        } else if (cairn_nest_loops(p->layout, l)) {
            if (factor != 1 || in->den != 1) return false;
            counted++;
        }
    }
    return stored ? counted == 0 : counted == 1;
}

bool cairn_plan_packs_chains(const plan *p)
{
    const cairn_layout *layout = p->layout;
    const int           lanes =
        p->product->vector_bytes / cairn_ir_type_bytes(p->product->accumulate);

    if (p->sum != CAIRN_SUM_FOUR || lanes < CAIRN_CHAINS || layout->values.tuple >= 0)
        return false;
    for (int k = cairn_plan_first_varying(p); k < p->order.levels; k++)
        if (layout->level[p->order.level[k]].arrays.has_idx
            && layout->level[p->order.level[k]].arrays.tuple >= 0)
            return false;
    return reaches_by_lanes(p);
}

/// Do the values behind a block's belong to the next node of the level below the row?
bool cairn_plan_has_beyond(const plan *p)
{
    if (p->order.known == p->order.levels
        || cairn_plan_any_determined(p, p->order.known))
        return false;
    return p->order.level[p->order.known] == p->layout->last
           && p->layout->values.tuple < 0 && p->layout->inverse.exact;
}

bool cairn_plan_ends_in_list(const plan *p)
{
    const cairn_layout *layout = p->layout;
    const int           l      = layout->last;

    return p->order.known + 1 == p->order.levels && p->order.level[p->order.known] == l
           && layout->level[l].arrays.has_ptr && layout->level[l].arrays.has_idx
           && p->tile.kind == CAIRN_TILE_NONE
           && cairn_plan_factor(&layout->inverse.dim[p->in], l) == 1;
}

/// May entries of the rows before be read, to be left out? All are stored ones of one list,
/// and each says alone which x it takes.
static bool reads_before(const plan *p)
{
    const int l = p->layout->last;

    return cairn_plan_ends_in_list(p) && cairn_plan_packs_chains(p) && !p->layout->pads
           && !p->layout->level[l].gaps
           && cairn_nest_levels_of(p->layout, p->in) == 1U << l;
}

/// Are rows, none of which is left out, the nodes of one level, and their entries one list,
/// so that those of a row stand behind those of the row before?
static bool rows_stand_together(const plan *p)
{
    return reads_before(p) && p->layout->last == 1 && p->order.known == 1
           && p->order.run < 0 && !p->guard_row && p->layout->partition < 0;
}

/// May rows be summed abreast, each in a lane? They are places of a level without gaps, their
/// entries one list, and x is where an entry's column says.
static bool rows_are_lanes(const plan *p)
{
    const cairn_layout *layout = p->layout;
    const cairn_linear *out    = &layout->inverse.dim[p->out];
    const int           lanes =
        p->product->vector_bytes / cairn_ir_type_bytes(p->product->accumulate);

    return rows_stand_together(p) && (lanes == 4 || lanes == 8)
           && p->order.level[0] == 0 && !layout->level[0].trimmed
           && !layout->level[0].arrays.has_idx && !p->guard_x
           && cairn_plan_factor(out, 0) == 1 && out->den == 1
           && layout->inverse.dim[p->in].den == 1
           && (layout->values.kind == CAIRN_VALUE_ONE
               || (layout->values.kind == CAIRN_VALUE_FLOAT
                   && layout->values.bits >= 32));
}

/// The next level below @p l, with a ptr, under dense levels only; -1: none.
static int ptr_below(const cairn_layout *layout, int l)
{
    for (int k = l + 1; k < layout->levels && k <= layout->first; k++)
        if (layout->level[k].arrays.has_ptr) return k;
    if (layout->level[l].trimmed && l + 1 < layout->levels
        && layout->level[l + 1].arrays.has_ptr)
        return l + 1;
    return -1;
}

/// Threads divide the indices of number @p k of the order under every parent, and where
/// parents are one loop also these: in bands a thread meets few of the others'.
static cairn_share scattered(const plan *p, int k)
{
    const int  l     = p->order.level[k];
    const bool outer = k == 1 && p->order.level[0] == l - 1
                       && l - 1 == p->layout->partition + 1
                       && cairn_nest_loops(p->layout, l - 1);

    return (cairn_share){.kind   = CAIRN_SHARE_SCATTER,
                         .level  = l,
                         .ptr    = outer ? l - 1 : -1,
                         .grain  = 1,
                         .listed = outer && p->order.levels == 2};
}

/// The cuts of a row that threads may share: a term follows from its node alone, not from
/// what was entered above.
cairn_cuts cairn_plan_choose_cuts(const plan *p)
{
    const cairn_layout *layout = p->layout;
    cairn_cuts          cuts   = {.any = false, .level = p->order.run};
    uint32_t            above  = 0;
    int                 k      = p->order.known;

    if (layout->pads || !sums_one_list(p)) return cuts;
    /* Items cannot add up what others have summed. */
    if (p->product->vector_bytes <= CAIRN_ITEMS) return cuts;
    while (p->order.run < 0 && !cairn_nest_loops(layout, p->order.level[k]))
        k++;
    for (int m = 0; m < k; m++)
        above |= 1U << p->order.level[m];
    if (p->order.run < 0) cuts.level = p->order.level[k];
    for (int l = p->order.run; p->order.run >= 0 && l <= p->order.run_last; l++)
        if (cairn_nest_reads(layout, l)) cuts.same |= 1U << l;
    cuts.any = layout->level[cuts.level].trimmed
               && (cairn_nest_levels_of(layout, p->in) & above) == 0;
    return cuts;
}

/* Rows that are added up one after the other: so many by themselves are 256 additions,
   and of tiles half as many in each of a vector's chains; the end of a leaf, which is no
   branch that a processor learns, is seldom. A member that adds to what others have set
   has entries in few of its rows, often, and a leaf's end would come after next to none:
   64,000 rows with 1,920 entries in all took 3 us less so (gcc 12, Zen 5). */
enum { LEAF_ROWS = 256, LEAF_ROWS_ADDED = 2048, LEAF_TILES = 64 };

int64_t cairn_plan_leaf(const plan *p, const cairn_share *share)
{
    if (share->grain > 1) return LEAF_TILES * share->grain;
    if (p->tile.kind != CAIRN_TILE_NONE) return LEAF_TILES;
    return p->product->adds ? LEAF_ROWS_ADDED : LEAF_ROWS;
}

/// The first level, as they are entered, of which every index has rows of its own.
cairn_share cairn_plan_choose_share(const plan *p)
{
    const cairn_layout *layout = p->layout;

    if (p->tile.shifted)
        return (cairn_share){
            .kind = CAIRN_SHARE_ROWS, .level = p->tile.level, .grain = 64};
    for (int k = 0; k < p->order.known && layout->inverse.exact; k++) {
        const int          l     = p->order.level[k];
        const cairn_level *level = &layout->level[l];
        cairn_share        share = {
                   .kind = CAIRN_SHARE_EVEN, .level = l, .ptr = -1, .grain = 1};

        if (!(p->order.rows >> l & 1) || level->determined.on
            || !cairn_plan_function_of(layout, l, p->out))
            continue;
        if (level->indirect && !p->order.once) continue;
        if (level->trimmed && !level->top) {
            if (level->arrays.has_ptr && level->arrays.has_idx) return scattered(p, k);
            continue;
        }
        if (level->trimmed && !level->arrays.has_idx) continue;
        if (l == p->tile.level && p->tile.constant == 0) share.grain = 64;
        if (level->trimmed && level->depth > l) {
            share.kind = CAIRN_SHARE_IDX;
        } else if (l == layout->partition + 1 && ptr_below(layout, l) >= 0) {
            share.kind = CAIRN_SHARE_PTR;
            share.ptr  = ptr_below(layout, l);
        }
        return share;
    }
    return (cairn_share){.kind = CAIRN_SHARE_NONE, .ptr = -1, .grain = 1};
}

/// Does it pay to fetch the matrix ahead? Blocks, gathers and separate streams gain; a
/// wide tile of one stream is followed by the machine itself.
static bool gains_by_fetching(const plan *p)
{
    return p->tile.kind != CAIRN_TILE_LANES || p->tile.reach == CAIRN_REACH_GATHER
           || p->tile.constant <= CAIRN_BLOCK;
}

/// Leave out hints without effect, so that keys that differ are kernels that differ.
cairn_product_hints cairn_plan_choose_hints(const plan *p)
{
    const cairn_product_hints given = p->product->hints;
    const bool                sums  = p->order.known < p->order.levels;
    cairn_product_hints       hints = {.stream = false};

    if (p->product->columns == 1) {
        hints.stream    = given.stream && sums && gains_by_fetching(p);
        hints.uneven    = given.uneven && sums && reads_before(p);
        hints.runs      = given.runs && sums && reads_before(p);
        hints.abreast   = given.abreast && sums && rows_are_lanes(p);
        hints.scattered = given.scattered && hints.stream && !hints.abreast
                          && p->tile.kind == CAIRN_TILE_NONE;
        hints.alike  = given.alike && sums && !hints.abreast && rows_stand_together(p);
        hints.beside = given.beside && sums && !hints.abreast && !hints.alike
                       && rows_stand_together(p);
    } else if (sums) {
        hints.fetch_x    = given.fetch_x && !p->tile.shifted;
        hints.bypass_y   = given.bypass_y && !p->product->adds && p->order.once;
        hints.by_columns = given.by_columns;
        hints.follow_x   = given.follow_x && cairn_plan_ends_in_list(p);
    }
    return hints;
}

bool cairn_plan_looks_for_empty(const plan *p)
{
    const cairn_product_hints *hints = &p->hints;

    return p->product->adds && p->product->columns == 1
           && p->order.known < p->order.levels && rows_stand_together(p)
           && !p->layout->level[0].arrays.has_idx && !hints->abreast && !hints->alike
           && !hints->beside;
}
