// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// LISTS: a tile's terms are multiplied by all items as they lie side by side, then
/// added by an item a row; long lists in pieces, an item a chain; and what joins them.

#include "lower/grid_steps.h"

typedef cairn_grid_build build;

enum {
    BATCH = 4, ///< Values an item has in flight at once.
    SLOTS = CAIRN_GRID_TILE + CAIRN_GRID_TILE / 16
};

/* ---- Where things stand ---- */

cairn_ir_x cairn_grid_begin_of(build *g, const cairn_nest *nest, cairn_ir_x q)
{
    cairn_ir *b = g->e.b;
    const int l = g->p->grid.list;

    switch (g->p->grid.by) {
    case CAIRN_GRID_BY_PTR: return cairn_ir_load(b, cairn_nest_ptr(nest, l), q);
    case CAIRN_GRID_BY_SIZE: return cairn_ir_mul(b, q, cairn_nest_size(nest, l));
    default:
        return cairn_ir_load(
            b, cairn_grid_array(b, CAIRN_GRID_first, CAIRN_IR_U32, "first"), q);
    }
}

/// Stand on the levels above list @p q.
static void stand_above(build *g, cairn_nest *nest, cairn_ir_x q)
{
    const cairn_layout *layout = nest->layout;
    cairn_ir           *b      = nest->b;
    const int           first  = layout->partition + 1;

    for (int l = g->p->grid.list - 1; l >= first; l--) {
        const cairn_level *level = &layout->level[l];

        if (level->trimmed) {
            cairn_nest_stand(nest, l, q);
            if (level->top) q = cairn_ir_int(b, 0);
        } else if (l == first || cairn_plan_constant(layout, l) == 1) {
            cairn_nest_stand(nest, l, l == first ? q : cairn_ir_int(b, 0));
        } else {
            const cairn_ir_x size = cairn_nest_size(nest, l);

            cairn_nest_stand(nest, l, cairn_ir_binary(b, CAIRN_IR_MOD, q, size));
            q = cairn_ir_binary(b, CAIRN_IR_DIV, q, size);
        }
    }
}

void cairn_grid_stand_at_list(build *g, cairn_nest *nest, cairn_ir_x q)
{
    cairn_product_build *e = &g->e;

    if (g->p->grid.by != CAIRN_GRID_BY_IDX) {
        stand_above(g, nest, q);
        return;
    }
    e->run =
        cairn_ir_use(e->b, cairn_ir_let(e->b, cairn_grid_begin_of(g, nest, q), "p"));
    e->run_end = cairn_grid_begin_of(g, nest, cairn_ir_add_int(e->b, q, 1));
    for (int l = g->p->grid.level; l <= g->p->grid.list; l++)
        cairn_nest_stand(nest, l, e->run);
}

void cairn_grid_stand_at_row(build *g, cairn_nest *nest, cairn_ir_x r)
{
    const cairn_product_plan *p    = g->e.p;
    cairn_ir                 *b    = nest->b;
    int64_t                   left = g->p->grid.high / g->p->tall;

    for (int l = p->layout->levels - 1; l > g->p->grid.list; l--) {
        const int64_t    size = cairn_plan_constant(p->layout, l);
        const cairn_ir_x n    = cairn_ir_int(b, size);

        if (!(p->order.rows >> l & 1) || p->layout->level[l].trimmed) continue;
        if (g->p->tall > 1 && l == p->tile.level) continue;
        cairn_nest_stand(nest, l,
                         size < left ? cairn_ir_binary(b, CAIRN_IR_MOD, r, n) : r);
        if (size < left) r = cairn_ir_binary(b, CAIRN_IR_DIV, r, n);
        left /= size;
    }
    if (p->tile.level >= 0 && g->p->tall == 1) g->e.place = nest->place[p->tile.level];
}

/// Stand at row number @p z, counted through the rows of all lists.
static void stand_at(build *g, cairn_nest *nest, cairn_ir_x z)
{
    cairn_ir        *b    = g->e.b;
    const cairn_ir_x high = cairn_ir_int(b, g->p->grid.high);

    cairn_grid_stand_at_list(
        g, nest,
        cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_binary(b, CAIRN_IR_DIV, z, high), "list")));
    cairn_grid_stand_at_row(g, nest, cairn_ir_binary(b, CAIRN_IR_MOD, z, high));
}

/// Stand at value number @p p of those from node @p begin on.
static void stand_at_value(build *g, cairn_nest *nest, cairn_ir_x begin, cairn_ir_x p)
{
    const cairn_layout *layout = nest->layout;
    const cairn_grid   *grid   = &g->p->grid;
    cairn_ir           *b      = nest->b;
    const cairn_ir_x    node   = cairn_ir_add(
             b, begin, cairn_ir_binary(b, CAIRN_IR_DIV, p, cairn_ir_int(b, grid->block)));
    int64_t below = 1; /* values under a place of the level at hand */

    nest->terse = true;
    if (grid->by == CAIRN_GRID_BY_SIZE)
        cairn_nest_stand(
            nest, grid->list,
            cairn_ir_binary(b, CAIRN_IR_MOD, node, cairn_nest_size(nest, grid->list)));
    for (int l = grid->level; l <= grid->list && grid->by != CAIRN_GRID_BY_SIZE; l++)
        cairn_nest_stand(nest, l, node);
    for (int l = layout->levels - 1; l > grid->list; l--) {
        const int64_t    size = cairn_plan_constant(layout, l);
        const cairn_ir_x at =
            cairn_ir_binary(b, CAIRN_IR_DIV, p, cairn_ir_int(b, below));

        if (layout->level[l].trimmed) {
            cairn_nest_stand(nest, l, node);
            continue;
        }
        cairn_nest_stand(nest, l,
                         cairn_ir_binary(b, CAIRN_IR_MOD, at, cairn_ir_int(b, size)));
        below *= size;
    }
}

/* ---- Terms ---- */

/// A few values of a tile: their numbers there, rows of X, values and elements of X.
typedef struct {
    cairn_ir_x p[BATCH], inside[BATCH], a[BATCH], x[BATCH];
} batch;

cairn_ir_x cairn_grid_is_inside(build *g, cairn_ir_x j)
{
    const cairn_product_plan *p = g->e.p;
    cairn_ir                 *b = g->e.b;

    /* Where visits are of one value, those outside are not listed. */
    if (!p->guard_x) return NULL;
    if (g->p->grid.shape == CAIRN_GRID_REGROUPED && cairn_product_adds_one(p))
        return NULL;
    return cairn_ir_use(b,
                        cairn_ir_let(b,
                                     cairn_ir_and(b, cairn_ir_le(b, g->e.lo[p->in], j),
                                                  cairn_ir_lt(b, j, g->e.end[p->in])),
                                     "inside"));
}

static cairn_ir_x if_inside(build *g, const batch *v, int k, cairn_ir_x value)
{
    if (!v->inside[k]) return value;
    return cairn_ir_select(g->e.b, v->inside[k], value,
                           cairn_ir_real(g->e.b, g->p->product.accumulate, 0));
}

/// Where the value number @p p of those from node @p begin on is, and its row of X.
static void locate_value(build            *g,
                         const cairn_nest *above,
                         cairn_ir_x        begin,
                         cairn_ir_x        p,
                         cairn_ir_x       *j,
                         cairn_ir_x       *value)
{
    cairn_ir  *b    = g->e.b;
    cairn_nest nest = *above;

    stand_at_value(g, &nest, begin, p);
    *j     = cairn_nest_dim(&nest, g->e.p->in);
    *value = cairn_ir_add(b, cairn_ir_mul_int(b, begin, g->p->grid.block), p);
}

/// Load what a batch needs, indices first, then all values, then all of x: so many are in
/// flight at once.
static void load_batch(build *g, const cairn_nest *above, cairn_ir_x begin, batch *v)
{
    cairn_product_build *e = &g->e;
    cairn_ir            *b = e->b;
    cairn_ir_x           j[BATCH], at[BATCH];

    for (int k = 0; k < BATCH; k++) {
        if (g->p->grid.shape == CAIRN_GRID_REGROUPED)
            cairn_grid_locate_visit(g, begin, v->p[k], &j[k], &at[k]);
        else
            locate_value(g, above, begin, v->p[k], &j[k], &at[k]);
        v->inside[k] = cairn_grid_is_inside(g, j[k]);
    }
    for (int k = 0; k < BATCH; k++)
        v->a[k] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_product_value_at(e, above, at[k], 1), "a"));
    for (int k = 0; k < BATCH; k++)
        v->x[k] = cairn_ir_use(
            b, cairn_ir_let(b, if_inside(g, v, k, cairn_product_x(e, j[k], 1)), "xj"));
}

void cairn_grid_stage(build            *g,
                      const cairn_nest *above,
                      cairn_ir_array   *staged,
                      cairn_ir_x        begin,
                      cairn_ir_x        n)
{
    enum { STEP = CAIRN_GRID_ITEMS };
    cairn_ir        *b = g->e.b;
    batch            v;
    const cairn_ir_x t = cairn_grid_open_turns(
        b, cairn_ir_int(b, 0), cairn_ir_int(b, STEP), "products of values and x", "t");
    const cairn_ir_x u =
        cairn_ir_loop_var(b, cairn_ir_for(b, t, n, BATCH * STEP, NULL, "u"));
    const cairn_ir_x last = cairn_ir_add_int(b, n, -1);

    v.p[0] = u;
    for (int k = 1; k < BATCH; k++)
        v.p[k] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_min(b, cairn_ir_add_int(b, u, k * STEP), last),
                            "v"));
    load_batch(g, above, begin, &v);
    for (int k = 0; k < BATCH; k++) {
        if (k > 0) cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_add_int(b, u, k * STEP), n));
        cairn_ir_store(b, staged, cairn_product_slot(b, v.p[k]),
                       if_inside(g, &v, k, cairn_ir_mul(b, v.a[k], v.x[k])));
        if (k > 0) cairn_ir_end(b);
    }
    cairn_ir_end(b);
    cairn_ir_end(b);
}

cairn_ir_array *cairn_grid_open_staged(build *g)
{
    return cairn_ir_shared(g->e.b, g->p->product.accumulate, SLOTS, "staged");
}

cairn_ir_x cairn_grid_word(build *g, int field, const char *array, cairn_ir_x at)
{
    cairn_ir *b = g->e.b;

    return cairn_ir_load(b, cairn_grid_array(b, field, CAIRN_IR_I64, array), at);
}

static cairn_ir_x named(build *g, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(g->e.b, cairn_ir_let(g->e.b, value, "%s", name));
}

/* ---- Tiles ---- */

cairn_grid_tile cairn_grid_open_tile(build *g, const cairn_nest *nest, const char *note)
{
    const int64_t    high = g->p->grid.high;
    cairn_ir        *b    = g->e.b;
    const cairn_ir_x k    = cairn_grid_open_groups(b, note, "g");
    cairn_grid_tile  t    = {.staged = cairn_grid_open_staged(g)};
    const cairn_ir_x lists =
        named(g, cairn_grid_word(g, CAIRN_GRID_tile, "tile", k), "lists");
    const cairn_ir_x end =
        named(g, cairn_grid_word(g, CAIRN_GRID_tile, "tile", cairn_ir_add_int(b, k, 1)),
              "lists_end");

    t.begin            = named(g, cairn_grid_begin_of(g, nest, lists), "begin");
    const cairn_ir_x n = named(
        g,
        cairn_ir_mul_int(b, cairn_ir_sub(b, cairn_grid_begin_of(g, nest, end), t.begin),
                         g->p->grid.block),
        "n");
    const cairn_ir_x fits =
        named(g, cairn_ir_le(b, n, cairn_ir_int(b, CAIRN_GRID_TILE)), "fits");

    t.values = named(g, cairn_ir_select(b, fits, n, cairn_ir_int(b, 0)), "values");
    t.row    = cairn_ir_mul_int(b, lists, high);
    t.end    = named(g, cairn_ir_mul_int(b, cairn_ir_select(b, fits, end, lists), high),
                     "rows_end");
    return t;
}

void cairn_grid_build_tiles(build *g)
{
    cairn_product_build *e     = &g->e;
    cairn_product_items  items = {.lane = NULL};
    cairn_nest           nest;

    cairn_product_begin(e, &nest);
    const cairn_grid_tile t = cairn_grid_open_tile(g, &nest, "tiles of lists");

    cairn_grid_stage(g, &nest, t.staged, t.begin, t.values);
    cairn_ir_barrier(e->b);
    stand_at(g, &nest, cairn_grid_open_turns(e->b, t.row, t.end, "rows", "r"));
    items.staged = t.staged;
    items.base   = cairn_ir_mul_int(e->b, t.begin, g->p->grid.block);
    e->items     = &items;
    cairn_product_row(e, &nest);
    e->items = NULL;
    cairn_ir_end(e->b);
    cairn_ir_end(e->b);
}

/* ---- Pieces of long lists ---- */

/// A piece while it is built.
typedef struct {
    cairn_ir_array *staged, *chain;
    cairn_ir_x      begin, end; ///< Nodes of the piece,
    cairn_ir_x      at, stop;   ///< and those at hand.
} piece;

/// Stand above the piece; @return what its nodes count from there.
static cairn_ir_x stand_above_piece(build *g, cairn_nest *nest, const piece *c)
{
    cairn_ir *b = g->e.b;

    if (g->p->grid.by != CAIRN_GRID_BY_SIZE) return cairn_ir_int(b, 0);
    const cairn_ir_x size = cairn_nest_size(nest, g->p->grid.list);
    const cairn_ir_x list =
        named(g, cairn_ir_binary(b, CAIRN_IR_DIV, c->begin, size), "list");

    stand_above(g, nest, list);
    return named(g, cairn_ir_mul(b, list, size), "before");
}

void cairn_grid_add_nodes(build      *g,
                          cairn_nest *nest,
                          cairn_sums *s,
                          cairn_ir_x  begin,
                          cairn_ir_x  end)
{
    const cairn_product_plan *p = g->e.p;

    for (int k = p->order.known; k < g->p->below - 1; k++)
        cairn_nest_enter(nest, p->order.level[k]);
    if (g->p->grid.by == CAIRN_GRID_BY_IDX) {
        g->e.run     = begin;
        g->e.run_end = end;
    } else {
        cairn_nest_enter_range(nest, g->p->grid.list, begin, end);
    }
    cairn_product_add(&g->e, nest, s, g->p->below);
    g->e.run = g->e.run_end = NULL;
}

/// The terms at hand that chain number @p c, counted through the rows of the list, has.
static void
build_chain(build *g, const cairn_nest *above, const piece *at, cairn_ir_x c)
{
    const cairn_product_plan *p      = g->e.p;
    cairn_ir                 *b      = g->e.b;
    const cairn_ir_x          chains = cairn_ir_int(b, p->chains);
    cairn_nest                nest   = *above;
    cairn_product_items       items  = {.staged = at->staged};

    const cairn_ir_x before = stand_above_piece(g, &nest, at);
    const cairn_ir_x begin  = cairn_ir_sub(b, at->at, before);
    const cairn_ir_x end    = cairn_ir_sub(b, at->stop, before);

    cairn_grid_stand_at_row(g, &nest, cairn_ir_binary(b, CAIRN_IR_DIV, c, chains));
    items.base   = cairn_ir_mul_int(b, at->at, g->p->grid.block);
    items.chain  = cairn_ir_binary(b, CAIRN_IR_MOD, c, chains);
    g->e.items   = &items;
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    s.first = g->e.place;
    cairn_product_declare(&g->e, &s);
    cairn_ir_assign(b, s.sum[0][0][0], cairn_ir_load(b, at->chain, c));
    if (p->sum == CAIRN_SUM_FOUR) {
        const cairn_ir_x four  = cairn_ir_int(b, CAIRN_CHAINS);
        const cairn_ir_x n     = cairn_ir_sub(b, at->end, at->begin);
        const cairn_ir_x whole = cairn_ir_add(
            b, cairn_ir_sub(b, at->begin, before),
            cairn_ir_mul(b, cairn_ir_binary(b, CAIRN_IR_DIV, n, four), four));

        cairn_product_one_chain(&g->e, &nest, &s, begin, end, whole, items.chain);
    } else {
        cairn_grid_add_nodes(g, &nest, &s, begin, end);
    }
    cairn_nest_leave(&nest, above->open);
    cairn_ir_store(b, at->chain, c, cairn_ir_use(b, s.sum[0][0][0]));
    g->e.items = NULL;
    g->e.place = NULL;
}

/// What the chains of row @p r of piece @p k come to.
static void build_total(build *g, const piece *at, cairn_ir_x k, cairn_ir_x r)
{
    const cairn_product_plan *p    = g->e.p;
    cairn_ir                 *b    = g->e.b;
    const cairn_ir_type       type = g->p->product.accumulate;
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    cairn_product_declare(&g->e, &s);
    for (int c = 0; c < p->chains; c++) {
        const cairn_ir_x from =
            cairn_ir_add_int(b, cairn_ir_mul_int(b, r, p->chains), c);

        cairn_ir_assign(b, s.sum[0][c][0], cairn_ir_load(b, at->chain, from));
    }
    cairn_ir_store(b, cairn_grid_array(b, CAIRN_GRID_partial, type, "partial"),
                   cairn_ir_add(b, cairn_ir_mul_int(b, k, g->p->grid.high), r),
                   cairn_product_total(&g->e, &s, 0, 0));
}

void cairn_grid_build_pieces(build *g)
{
    const cairn_grid   *grid   = &g->p->grid;
    cairn_ir           *b      = g->e.b;
    const cairn_ir_type type   = g->p->product.accumulate;
    const int64_t       chains = grid->high * g->e.p->chains;
    const cairn_ir_x    zero = cairn_ir_int(b, 0), all = cairn_ir_int(b, chains);
    cairn_nest          nest;
    piece               at;

    cairn_product_begin(&g->e, &nest);
    const cairn_ir_x k = cairn_grid_open_groups(b, "pieces of long lists", "g");

    at.staged = cairn_grid_open_staged(g);
    at.chain  = cairn_ir_shared(b, type, chains, "chain");
    at.begin =
        named(g, cairn_grid_word(g, CAIRN_GRID_piece_at, "piece_at", k), "begin");
    at.end = named(g, cairn_grid_word(g, CAIRN_GRID_piece_end, "piece_end", k), "end");
    const cairn_ir_x c = cairn_grid_open_turns(b, zero, all, NULL, "c");

    cairn_ir_store(b, at.chain, c, cairn_ir_real(b, type, 0));
    cairn_ir_end(b);
    cairn_ir_stmt *const loop = cairn_ir_for(
        b, at.begin, at.end, CAIRN_GRID_TILE / grid->block, "as many as a tile", "p");

    at.at   = cairn_ir_loop_var(b, loop);
    at.stop = named(g, cairn_ir_min(b, cairn_ir_add_int(b, at.at, loop->step), at.end),
                    "stop");
    cairn_grid_stage(g, &nest, at.staged, at.at,
                     cairn_ir_mul_int(b, cairn_ir_sub(b, at.stop, at.at), grid->block));
    cairn_ir_barrier(b);
    build_chain(g, &nest, &at, cairn_grid_open_turns(b, zero, all, "chains", "c"));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
    build_total(g, &at, k,
                cairn_grid_open_turns(b, zero, cairn_ir_int(b, grid->high), NULL, "r"));
    cairn_ir_end(b);
    cairn_ir_end(b);
}

/* ---- What joins them ---- */

void cairn_grid_build_join(build *g)
{
    const int64_t        high  = g->p->grid.high;
    cairn_product_build *e     = &g->e;
    cairn_ir            *b     = e->b;
    cairn_product_items  items = {.stride = high};
    cairn_nest           nest;

    cairn_product_begin(e, &nest);
    const cairn_ir_x z = cairn_grid_open_items(b, high, "rows of long lists", "z");
    const cairn_ir_x j = named(
        g, cairn_ir_binary(b, CAIRN_IR_DIV, z, cairn_ir_int(b, high)), "long_row");
    const cairn_ir_x r = cairn_ir_binary(b, CAIRN_IR_MOD, z, cairn_ir_int(b, high));

    cairn_grid_stand_at_list(
        g, &nest,
        named(g, cairn_grid_word(g, CAIRN_GRID_long_list, "long_list", j), "list"));
    cairn_grid_stand_at_row(g, &nest, r);
    items.partial =
        cairn_grid_array(b, CAIRN_GRID_partial, g->p->product.accumulate, "partial");
    items.first = cairn_ir_add(
        b,
        cairn_ir_mul_int(
            b, cairn_grid_word(g, CAIRN_GRID_piece_first, "piece_first", j), high),
        r);
    items.end =
        cairn_ir_mul_int(b,
                         cairn_grid_word(g, CAIRN_GRID_piece_first, "piece_first",
                                         cairn_ir_add_int(b, j, 1)),
                         high);
    e->items = &items;
    cairn_product_row(e, &nest);
    e->items = NULL;
    cairn_ir_end(b);
    cairn_ir_end(b);
}
