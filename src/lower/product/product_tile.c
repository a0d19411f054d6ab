// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Many rows at once. A level of rows below the entries is cut into tiles of as many
/// rows as registers hold sums for; all entries of a tile's rows are added while the
/// sums stay there. One test a tile tells whether all of its positions are inside; if
/// not, its rows are done one by one, with guards, in the same order.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

/* Vectors of a tile with 32 registers and with 16 (measured on Zen 5, f64, ms with 4, 8,
 * 16 vectors: five diagonals 1.44, 1.21, 1.12, fifteen 1.31, 1.15, 1.07, twenty-seven
 * 2.19, 1.73, 1.49); of gathers, which have addresses to work out, fewer: of separate
 * streams, and of a constant block. */
enum { VECTORS = 16, FEW_VECTORS = 8, GATHERS = 4, BLOCK_GATHERS = 8 };

/* ---- The shape of a tile ---- */

/// The largest part of @p size, at most @p most, into which it can be divided; whole
/// vectors of @p lanes are better than others. Where no part fills a vector (a prime),
/// whole vectors with the fewest tiles and rows beside them, which are done one by one.
static int divide(int64_t size, int most, int lanes)
{
    int     best   = 1;
    int64_t fewest = INT64_MAX;

    for (int k = 1; k <= most && k <= size; k++)
        if (size % k == 0 && (k % lanes == 0 || best % lanes != 0)) best = k;
    if (best >= lanes) return best;
    for (int k = lanes; k <= most && k <= size; k += lanes)
        if (size / k + size % k < fewest) {
            fewest = size / k + size % k;
            best   = k;
        }
    return best;
}

/// Rows from @p offset to @p width as vectors, largest first.
static void cut_strips(const build *e, int width, int lanes, cairn_sums *shape)
{
    int offset = 0;

    while (offset < width) {
        const int left = width - offset;
        int       n    = lanes;

        if (shape->strips == CAIRN_ROW_STRIPS) {
            if (e->b->status == CAIRN_OK)
                e->b->status = cairn_fail(e->b->env, CAIRN_NO_KERNEL,
                                          "product: a tile: %d rows by %d lanes are "
                                          "more than %d strips",
                                          width, lanes, CAIRN_ROW_STRIPS);
            return;
        }

        while (n > left)
            n /= 2;
        if (left == 3 && lanes >= 4 && e->p->tile.beyond) n = 4;
        shape->strip[shape->strips++] =
            (cairn_row_strip){offset, n, n > left ? left : n};
        offset += n;
    }
}

/// @return rows of a tile.
static int shape_tile(const build *e, cairn_sums *shape)
{
    const cairn_product_plan *p          = e->p;
    const int                 most_lanes = cairn_product_lanes(p->product);
    /* Indices of 64 bits: as many go into one vector of the target. */
    const int  stored  = p->product->vector_bytes / 8;
    const int  lanes   = p->tile.reach == CAIRN_REACH_GATHER && stored < most_lanes
                             ? stored
                             : most_lanes;
    const bool gathers = p->tile.reach == CAIRN_REACH_GATHER;
    const int  vectors = p->product->vector_bytes == 64 ? VECTORS : FEW_VECTORS;
    int        width   = (gathers ? GATHERS : vectors) * lanes;

    if (p->tile.kind == CAIRN_TILE_ROWS) {
        for (int k = 0; k < p->tile.constant; k++)
            shape->strip[shape->strips++] = (cairn_row_strip){k, 1, 1};
        return (int)p->tile.constant;
    }
    const int most = (gathers ? BLOCK_GATHERS : vectors) * lanes;

    if (p->tile.constant)
        width = p->tile.constant <= most ? (int)p->tile.constant
                                         : divide(p->tile.constant, most, lanes);
    cut_strips(e, width, lanes, shape);
    return width;
}

/* ---- Is all of a tile inside? ---- */

typedef struct {
    build            *e;
    const cairn_nest *nest;
    cairn_ir_x        first; ///< Place (or row) of the tile's first row.
    int               width;
    int               below;      ///< First level entered below the row; -1: none.
    cairn_ir_x        begin, end; ///< Its range.
} extent;

/// Are the level's indices ascending over its range?
static bool ascends(const extent *t, int l)
{
    const cairn_level *level = &t->e->p->layout->level[l];

    return l == t->below && level->trimmed && level->arrays.has_idx;
}

/// Smallest or largest index of level @p l in the tile.
static cairn_ir_x index_bound(const extent *t, int l, bool upper)
{
    const cairn_product_plan *p  = t->e->p;
    cairn_ir                 *b  = t->e->b;
    const cairn_ir_x          lo = cairn_nest_lo(t->nest, l);
    const cairn_ir_x          last =
        cairn_ir_add_int(b, cairn_ir_add(b, lo, cairn_nest_size(t->nest, l)), -1);

    if (l == p->tile.level && !p->tile.shifted)
        return cairn_ir_add(b, lo,
                            cairn_ir_add_int(b, t->first, upper ? t->width - 1 : 0));
    if (t->nest->index[l]) return t->nest->index[l];
    if (ascends(t, l))
        return cairn_ir_load(b, cairn_nest_idx(t->nest, l),
                             upper ? cairn_ir_add_int(b, t->end, -1) : t->begin);
    return upper ? last : lo;
}

/// Smallest or largest value of a combination, level @p but left out; what is added
/// first.
static cairn_ir_x
bound(const extent *t, const cairn_linear *linear, int but, bool upper)
{
    cairn_ir  *b   = t->e->b;
    cairn_ir_x sum = NULL;

    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < linear->terms; k++) {
            const int64_t num = linear->num[k];

            if (linear->var[k] == but || (num > 0) != (pass == 0)) continue;
            const cairn_ir_x index = index_bound(t, linear->var[k], upper == (num > 0));

            if (!sum)
                sum = cairn_ir_mul_int(b, index, num);
            else if (num > 0)
                sum = cairn_ir_add(b, sum, cairn_ir_mul_int(b, index, num));
            else
                sum = cairn_ir_sub(b, sum, cairn_ir_mul_int(b, index, -num));
        }
    if (!sum) return cairn_ir_int(b, linear->constant);
    return cairn_ir_add_int(b, sum, linear->constant);
}

static cairn_ir_x both(cairn_ir *b, cairn_ir_x x, cairn_ir_x y)
{
    return x && y ? cairn_ir_and(b, x, y) : x ? x : y;
}

/// All positions of dimension @p k, and @p beyond more, lie in the box.
static cairn_ir_x dim_inside(const extent *t, int k, int beyond)
{
    build              *e      = t->e;
    const cairn_linear *linear = &e->p->layout->inverse.dim[k];

    return both(e->b, cairn_ir_le(e->b, e->lo[k], bound(t, linear, -1, false)),
                cairn_ir_lt(e->b,
                            cairn_ir_add_int(e->b, bound(t, linear, -1, true), beyond),
                            e->end[k]));
}

/// What the levels but the tiled one take away from the row.
static cairn_linear without_tiled(const cairn_product_plan *p)
{
    cairn_linear rest = p->layout->inverse.dim[p->out];

    rest.constant = -rest.constant;
    for (int k = 0; k < rest.terms; k++)
        rest.num[k] = -rest.num[k];
    return rest;
}

/// Places of a tile that runs over rows exist.
static cairn_ir_x places_inside(const extent *t)
{
    build             *e    = t->e;
    cairn_ir          *b    = e->b;
    const int          l    = e->p->tile.level;
    const cairn_linear rest = without_tiled(e->p);
    const cairn_ir_x   last = cairn_ir_add_int(b, t->first, t->width - 1);
    const cairn_ir_x   lo   = cairn_nest_lo(t->nest, l);
    const cairn_ir_x   end  = cairn_ir_add(b, lo, cairn_nest_size(t->nest, l));

    return both(
        b, cairn_ir_le(b, lo, cairn_ir_add(b, t->first, bound(t, &rest, l, false))),
        cairn_ir_lt(b, cairn_ir_add(b, last, bound(t, &rest, l, true)), end));
}

/// Lanes that are read beyond the rows or columns that are used.
static int lanes_beyond(const build *e, const cairn_sums *shape)
{
    const cairn_row_strip *last = &shape->strip[shape->strips - 1];

    if (!e->p->tile.beyond) return 0;
    return last->used < last->lanes || e->p->chains == 3 ? 1 : 0;
}

/// The condition; NULL where it always holds.
static cairn_ir_x all_inside(extent *t, const cairn_sums *shape)
{
    const cairn_product_plan *p       = t->e->p;
    cairn_ir                 *b       = t->e->b;
    const int                 beyond  = lanes_beyond(t->e, shape);
    cairn_ir_x                entries = NULL, rows = NULL;
    cairn_ir_x                nodes;

    t->below = p->order.known < p->order.levels ? p->order.level[p->order.known] : -1;
    if (t->e->run) {
        t->begin = t->e->run;
        t->end   = t->e->run_end;
    } else if (t->below >= 0 && !p->layout->level[t->below].determined.on) {
        cairn_nest_range(t->nest, t->below, &t->begin, &t->end);
    }
    if (p->guard_x || beyond) entries = dim_inside(t, p->in, beyond);
    if (p->tile.shifted) entries = both(b, entries, places_inside(t));
    if (beyond) {
        nodes = cairn_ir_param(
            b,
            (cairn_ir_field){.source = CAIRN_IR_LEVEL_NODES, .level = p->layout->last},
            CAIRN_IR_I64, "A%d_nodes", p->layout->last);
        entries = both(b, entries, cairn_ir_lt(b, t->end, nodes));
    }
    if (entries && t->below >= 0 && ascends(t, t->below))
        entries =
            cairn_ir_binary(b, CAIRN_IR_OR, cairn_ir_eq(b, t->begin, t->end), entries);
    if (p->guard_row && !p->tile.moved && p->tile.kind != CAIRN_TILE_NONE)
        rows = dim_inside(t, p->out, 0);
    return both(b, rows, entries);
}

/* ---- The loop ---- */

/// The rows of a tile at once.
static void at_once(build *e, const cairn_nest *nest, cairn_sums *shape)
{
    cairn_nest at = *nest;

    shape->inside = true;
    if (e->p->tile.shifted)
        at.dim[e->p->out] = shape->first;
    else if (e->p->tile.level >= 0) {
        at.terse = true;
        cairn_nest_stand(&at, e->p->tile.level, shape->first);
        at.terse = nest->terse;
    }
    for (int l = 0; l < e->p->layout->levels; l++)
        if (e->p->tile.lanes & e->p->order.rows & 1U << l) at.entered |= 1U << l;
    cairn_product_group(e, &at, shape);
}

/// The rows from @p first to @p end one by one.
static void
one_by_one(build *e, const cairn_nest *nest, int at, cairn_ir_x first, cairn_ir_x end)
{
    const cairn_product_plan *p   = e->p;
    cairn_nest                row = *nest;

    if (p->tile.shifted) {
        cairn_ir_stmt *loop =
            cairn_ir_for(e->b, first, end, 1, "rows", "%c", "ij"[p->out]);

        row.open++;
        row.dim[p->out] = e->place = cairn_ir_loop_var(e->b, loop);
    } else {
        cairn_nest_enter_range(&row, p->tile.level, first, end);
        e->place = row.place[p->tile.level];
        for (int k = at + 1; k < p->order.known; k++)
            cairn_nest_enter(&row, p->order.level[k]);
    }
    cairn_product_row(e, &row);
    e->place = NULL;
    cairn_nest_leave(&row, nest->open);
}

static void one_tile(build            *e,
                     const cairn_nest *nest,
                     int               at,
                     cairn_sums       *shape,
                     int               width,
                     cairn_ir_x        end)
{
    cairn_ir        *b = e->b;
    extent           t = {.e = e, .nest = nest, .first = shape->first, .width = width};
    const cairn_ir_x after = cairn_ir_add_int(b, shape->first, width);
    const cairn_ir_x whole = end ? cairn_ir_le(b, after, end) : NULL;
    const cairn_ir_x test  = both(b, whole, all_inside(&t, shape));

    if (!test) {
        at_once(e, nest, shape);
        return;
    }
    cairn_ir_if(b, test);
    at_once(e, nest, shape);
    cairn_ir_else(b);
    one_by_one(e, nest, at, shape->first, end ? cairn_ir_min(b, after, end) : after);
    cairn_ir_end(b);
}

void cairn_product_tile(build *e, cairn_nest *nest, int at)
{
    const cairn_product_plan *p     = e->p;
    cairn_ir                 *b     = e->b;
    cairn_sums                shape = {.strips = 0};
    const int                 width = shape_tile(e, &shape);
    cairn_ir_x                begin = cairn_ir_int(b, 0), end;
    char                      name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];
    const bool divided = e->share.begin && p->share.level == p->tile.level;

    if (e->items && e->items->lane) {
        one_by_one(e, nest, at, e->items->lane, cairn_ir_add_int(b, e->items->lane, 1));
        return;
    }
    e->width = width;
    if (p->tile.constant == width && !divided) {
        shape.first = begin;
        one_tile(e, nest, at, &shape, width, NULL);
        return;
    }
    end = cairn_nest_size(nest, p->tile.level);
    if (divided) {
        begin = e->share.begin;
        end   = e->share.end;
    }
    if (p->tile.shifted) {
        begin = cairn_ir_add(b, e->lo[p->out], begin);
        end   = divided ? cairn_ir_add(b, e->lo[p->out], end) : e->end[p->out];
    }
    if (p->tile.shifted && p->product->columns != 1) { /* the columns are the lanes */
        one_by_one(e, nest, at, begin, end);
        return;
    }
    cairn_nest_name(p->layout, p->tile.level, name);
    cairn_nest_note(p->layout, p->tile.level, note);
    cairn_ir_stmt *loop = cairn_ir_for(
        b, begin, end, width, p->tile.shifted ? "rows" : note, "%s%s0",
        p->tile.shifted ? "" : "p", p->tile.shifted ? p->out ? "j" : "i" : name);

    shape.first = cairn_ir_loop_var(b, loop);
    one_tile(e, nest, at, &shape, width, end);
    cairn_ir_end(b);
}

/// A row alone: with guards, or where x can leave the box only at the end of a block row,
/// without them for most rows.
void cairn_product_row(build *e, cairn_nest *nest)
{
    const cairn_product_plan *p    = e->p;
    const int                 open = nest->open;
    const bool ready = e->items && (e->items->staged || e->items->partial);
    cairn_sums shape = {.strips = 1, .strip = {{0, 1, 1}}, .single = true};
    cairn_ir_x test  = NULL;

    cairn_nest_dim(nest, p->out);
    if (p->guard_row) cairn_nest_guard(nest, p->out);
    shape.first  = e->place;
    shape.inside = !p->guard_x && !p->tile.shifted && p->layout->inverse.exact;
    if (!ready && !shape.inside && cairn_product_needs_term(p)) {
        cairn_nest at = *nest;

        for (int k = p->order.known; k < p->order.levels; k++)
            cairn_nest_enter(&at, p->order.level[k]);
        cairn_product_guard(e, &at);
        nest->open   = at.open;
        shape.inside = true;
    }
    if (!ready && !e->place && p->sum == CAIRN_SUM_COLUMNS && !e->columns.first) {
        extent t = {.e = e, .nest = nest, .width = 1};

        test = all_inside(&t, &shape);
    }
    if (test) {
        cairn_ir_if(e->b, test);
        shape.inside = true;
        cairn_product_group(e, nest, &shape);
        cairn_ir_else(e->b);
        shape.inside = false;
        cairn_product_group(e, nest, &shape);
        cairn_ir_end(e->b);
    } else {
        cairn_product_group(e, nest, &shape);
    }
    cairn_nest_leave(nest, open);
}
