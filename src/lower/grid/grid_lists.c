// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// LISTS: a tile's terms are multiplied by all items as they lie side by side, then
/// added by an item a row; and what joins the pieces of long lists (grid_pieces.c).

#include "ir/ir_rewrite.h"
#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

enum { SLOTS = CAIRN_GRID_TILE + CAIRN_GRID_TILE / 16 };

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

static cairn_ir_x
if_inside(build *g, const cairn_grid_batch *v, int k, cairn_ir_x value)
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

void cairn_grid_load(build *g, const cairn_nest *above, cairn_grid_batch *v)
{
    cairn_product_build *e = &g->e;
    cairn_ir            *b = e->b;
    cairn_ir_x           j[CAIRN_GRID_STAGED], at[CAIRN_GRID_STAGED];

    for (int k = 0; k < v->count; k++) {
        if (g->p->grid.shape == CAIRN_GRID_REGROUPED)
            cairn_grid_locate_visit(g, v->begin[k], v->p[k], &j[k], &at[k]);
        else
            locate_value(g, above, v->begin[k], v->p[k], &j[k], &at[k]);
        v->inside[k] = cairn_grid_is_inside(g, j[k]);
    }
    for (int k = 0; k < v->count; k++)
        v->a[k] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_product_value_at(e, above, at[k], 1), "a"));
    for (int k = 0; k < v->count; k++)
        v->x[k] = cairn_ir_use(
            b, cairn_ir_let(b, if_inside(g, v, k, cairn_product_x(e, j[k], 1)), "xj"));
}

cairn_ir_x cairn_grid_product(build *g, const cairn_grid_batch *v, int k)
{
    return if_inside(g, v, k, cairn_ir_mul(g->e.b, v->a[k], v->x[k]));
}

void cairn_grid_stage_turns(build            *g,
                            const cairn_nest *above,
                            cairn_ir_array   *staged,
                            cairn_ir_x        begin,
                            cairn_ir_x        n,
                            cairn_ir_x        t)
{
    enum { STEP = CAIRN_GRID_ITEMS };
    cairn_ir        *b = g->e.b;
    cairn_grid_batch v = {.count = g->p->product.grid_hints.staged};
    const cairn_ir_x u =
        cairn_ir_loop_var(b, cairn_ir_for(b, t, n, v.count * STEP, NULL, "u"));
    const cairn_ir_x last = cairn_ir_add_int(b, n, -1);

    for (int k = 0; k < v.count; k++) {
        v.begin[k] = begin;
        v.p[k]     = u;
        if (k > 0)
            v.p[k] = cairn_ir_use(
                b,
                cairn_ir_let(b, cairn_ir_min(b, cairn_ir_add_int(b, u, k * STEP), last),
                             "v"));
    }
    cairn_grid_load(g, above, &v);
    /* What is behind the last value is stored, too, where it is not read: without a branch
       all loads stand before all stores. */
    for (int k = 0; k < v.count; k++)
        cairn_ir_store(b, staged,
                       cairn_product_slot(b, cairn_ir_add_int(b, u, k * STEP)),
                       cairn_grid_product(g, &v, k));
    cairn_ir_end(b);
}

void cairn_grid_stage(build            *g,
                      const cairn_nest *above,
                      cairn_ir_array   *staged,
                      cairn_ir_x        begin,
                      cairn_ir_x        n)
{
    cairn_ir *b = g->e.b;

    cairn_grid_stage_turns(g, above, staged, begin, n,
                           cairn_grid_open_turns(b, cairn_ir_int(b, 0),
                                                 cairn_ir_int(b, CAIRN_GRID_ITEMS),
                                                 "products of values and x", "t"));
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
    cairn_ir_x fits =
        cairn_ir_le(b, n, cairn_ir_int(b, cairn_grid_longest(&g->p->grid)));

    /* What is long is alone. */
    if (g->p->grid.pieces > 1)
        fits = cairn_ir_or(b, fits, cairn_ir_lt(b, cairn_ir_add_int(b, lists, 1), end));
    fits = named(g, fits, "fits");

    t.lists     = lists;
    t.lists_end = cairn_ir_select(b, fits, end, lists);
    t.values    = named(g, cairn_ir_select(b, fits, n, cairn_ir_int(b, 0)), "values");
    t.row       = cairn_ir_mul_int(b, lists, high);
    t.end = named(g, cairn_ir_mul_int(b, cairn_ir_select(b, fits, end, lists), high),
                  "rows_end");
    return t;
}

/// Where the lists of a tile begin, shared.
typedef struct {
    cairn_ir_array       *shared; ///< Nodes behind the tile's first one.
    const cairn_ir_array *from;   ///< What says it to all groups.
    cairn_ir_x            lists, end, begin;
} tile_starts;

static tile_starts
open_starts(build *g, const cairn_nest *nest, const cairn_grid_tile *t)
{
    cairn_ir   *b = g->e.b;
    tile_starts s = {.begin = t->begin, .lists = t->lists, .end = t->lists_end};

    s.shared = cairn_ir_shared(b, CAIRN_IR_U16, CAIRN_GRID_TILE + 1, "starts");
    s.from   = g->p->grid.by == CAIRN_GRID_BY_PTR
                   ? cairn_nest_ptr(nest, g->p->grid.list)
                   : cairn_grid_array(b, CAIRN_GRID_first, CAIRN_IR_U32, "first");
    return s;
}

static void share_start(build *g, const tile_starts *s, cairn_ir_x k, cairn_ir_x at)
{
    cairn_ir *b = g->e.b;

    cairn_ir_store(b, s->shared, k,
                   cairn_ir_cast(b, CAIRN_IR_U16, cairn_ir_sub(b, at, s->begin)));
}

/// A tile's products; and where its lists begin, which is on its way with them: what comes
/// behind the barrier need not wait for it then.
static void stage_tile(build                 *g,
                       const cairn_nest      *nest,
                       const cairn_grid_tile *t,
                       const tile_starts     *s)
{
    enum { AHEAD = 2 }; /* starts of an item that are on their way with its values */
    cairn_ir        *b = g->e.b;
    const cairn_ir_x turn =
        cairn_grid_open_turns(b, cairn_ir_int(b, 0), cairn_ir_int(b, CAIRN_GRID_ITEMS),
                              "products of values and x", "t");
    cairn_ir_x at[AHEAD] = {NULL};

    for (int n = 0; s->shared && n < AHEAD; n++) {
        const cairn_ir_x list =
            cairn_ir_add_int(b, cairn_ir_add(b, s->lists, turn), n * CAIRN_GRID_ITEMS);

        at[n] = named(g, cairn_grid_begin_of(g, nest, cairn_ir_min(b, list, s->end)),
                      "start");
    }
    cairn_grid_stage_turns(g, nest, t->staged, t->begin, t->values, turn);
    for (int n = 0; s->shared && n < AHEAD; n++)
        share_start(g, s, cairn_ir_add_int(b, turn, n * CAIRN_GRID_ITEMS), at[n]);
    cairn_ir_end(b);
    if (!s->shared) return;
    const cairn_ir_x k = cairn_grid_open_turns(
        b, cairn_ir_int(b, AHEAD * CAIRN_GRID_ITEMS),
        cairn_ir_add_int(b, cairn_ir_sub(b, s->end, s->lists), 1), NULL, "k");

    share_start(g, s, k, cairn_grid_begin_of(g, nest, cairn_ir_add(b, s->lists, k)));
    cairn_ir_end(b);
}

/// Where a list of the tile begins, from what is shared.
static cairn_ir_x from_starts(cairn_ir *b, cairn_ir_x x, void *user)
{
    const tile_starts *s = user;

    if (x->op != CAIRN_IR_LOAD || x->array != s->from) return NULL;
    const cairn_ir_x start =
        cairn_ir_load(b, s->shared, cairn_ir_sub(b, x->a, s->lists));

    return cairn_ir_cast(
        b, x->type, cairn_ir_add(b, cairn_ir_cast(b, s->begin->type, start), s->begin));
}

void cairn_grid_build_tiles(build *g)
{
    cairn_product_build *e      = &g->e;
    cairn_product_items  items  = {.lane = NULL};
    tile_starts          starts = {.shared = NULL};
    cairn_nest           nest;

    cairn_product_begin(e, &nest);
    const cairn_grid_tile t = cairn_grid_open_tile(g, &nest, "tiles of lists");

    if (g->p->product.grid_hints.starts) starts = open_starts(g, &nest, &t);
    stage_tile(g, &nest, &t, &starts);
    cairn_ir_barrier(e->b);
    cairn_ir_stmt *const rows = cairn_ir_for(e->b, t.row, t.end, 1, "rows", "r");

    rows->turns = CAIRN_TURNS_ITEMS;
    stand_at(g, &nest, cairn_ir_loop_var(e->b, rows));
    items.staged = t.staged;
    items.base   = cairn_ir_mul_int(e->b, t.begin, g->p->grid.block);
    e->items     = &items;
    cairn_product_row(e, &nest);
    e->items = NULL;
    cairn_ir_end(e->b);
    if (starts.shared) cairn_ir_rewrite_block(e->b, rows->body, from_starts, &starts);
    cairn_ir_end(e->b);
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
