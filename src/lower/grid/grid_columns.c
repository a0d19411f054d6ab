// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Grids for several columns: an item has `width` columns of a row, or of the rows of a
/// block, and `group` items beside each other have the row's next ones, so that they load
/// neighbouring elements of X for the same value and index. Columns beyond those of one
/// group of items are another group's, which comes later: what of X all rows read for
/// those at hand stays near.

#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

static cairn_ir_x named(build *g, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(g->e.b, cairn_ir_let(g->e.b, value, "%s", name));
}

/// @p x divided by @p by, and what is left over.
static cairn_ir_x quotient(build *g, cairn_ir_x x, cairn_ir_x by)
{
    return cairn_ir_binary(g->e.b, CAIRN_IR_DIV, x, by);
}

static cairn_ir_x remainder_of(build *g, cairn_ir_x x, cairn_ir_x by)
{
    return cairn_ir_binary(g->e.b, CAIRN_IR_MOD, x, by);
}

/// @p x divided by @p by, rounded up.
static cairn_ir_x parts_of(build *g, cairn_ir_x x, int64_t by)
{
    cairn_ir *b = g->e.b;

    return quotient(g, cairn_ir_add_int(b, x, by - 1), cairn_ir_int(b, by));
}

static cairn_ir_x columns_of(build *g)
{
    return cairn_grid_number(g->e.b, CAIRN_GRID_columns, "columns");
}

/// Columns of a group of items.
static int64_t span_of(const build *g)
{
    return (int64_t)g->p->grid.group * g->p->grid.width;
}

/// What a group of items does.
typedef struct {
    cairn_ir_x turn;  ///< Tile, piece, or items' number, counted from 0 on,
    cairn_ir_x first; ///< and the first of its columns.
} turn;

/// Open the loop of groups over @p turns turns for every chunk of columns, all turns of one
/// before the next.
static turn open_groups(build *g, cairn_ir_x turns, const char *note)
{
    cairn_ir            *b      = g->e.b;
    const cairn_ir_x     chunks = parts_of(g, columns_of(g), span_of(g));
    cairn_ir_stmt *const groups = cairn_ir_for(
        b, cairn_ir_int(b, 0), cairn_ir_mul(b, turns, chunks), 1, note, "g");
    const cairn_ir_x k = cairn_ir_loop_var(b, groups);

    groups->turns = CAIRN_TURNS_GROUPS;
    return (turn){.turn = named(g, remainder_of(g, k, turns), "turn"),
                  .first =
                      named(g, cairn_ir_mul_int(b, quotient(g, k, turns), span_of(g)),
                            "columns_at")};
}

/// Turns of the launch.
static cairn_ir_x count_turns(build *g)
{
    cairn_ir *b = g->e.b;

    return named(g,
                 cairn_ir_sub(b, cairn_grid_number(b, CAIRN_GRID_to, "to"),
                              cairn_grid_number(b, CAIRN_GRID_from, "from")),
                 "turns");
}

static cairn_ir_x from_on(build *g, cairn_ir_x k)
{
    return cairn_ir_add(g->e.b, cairn_grid_number(g->e.b, CAIRN_GRID_from, "from"), k);
}

/// Open what item @p t of a row's does, from column @p first on. @return the row's number.
static cairn_ir_x open_columns(build *g, cairn_ir_x t, cairn_ir_x first)
{
    cairn_ir        *b     = g->e.b;
    const cairn_ir_x group = cairn_ir_int(b, g->p->grid.group);
    const cairn_ir_x lane  = remainder_of(g, t, group);
    const cairn_ir_x c     = named(
            g, cairn_ir_add(b, first, cairn_ir_mul_int(b, lane, g->p->grid.width)), "c");

    cairn_ir_if(b, cairn_ir_lt(b, c, columns_of(g)));
    g->e.columns.first   = c;
    g->e.columns.lanes   = 1;
    g->e.columns.vectors = g->p->grid.width;
    g->e.looped          = true;
    return quotient(g, t, group);
}

static void close_columns(build *g)
{
    g->e.columns.first = NULL;
    cairn_ir_end(g->e.b);
}

cairn_ir_x cairn_grid_open_columns(build *g, const char *note, const char *name)
{
    enum { ITEMS = CAIRN_GRID_ITEMS };
    cairn_ir        *b = g->e.b;
    const cairn_ir_x all =
        named(g, cairn_ir_mul_int(b, count_turns(g), g->p->grid.group), "all");
    const turn at = open_groups(g, named(g, parts_of(g, all, ITEMS), "blocks"), note);
    const cairn_ir_x begin = cairn_ir_mul_int(b, at.turn, ITEMS);
    const cairn_ir_x t     = cairn_grid_open_turns(
            b, begin, cairn_ir_min(b, cairn_ir_add_int(b, begin, ITEMS), all), NULL, "t");

    return named(g, from_on(g, open_columns(g, t, at.first)), name);
}

void cairn_grid_close_columns(build *g)
{
    close_columns(g);
    cairn_ir_end(g->e.b);
    cairn_ir_end(g->e.b);
}

void cairn_grid_build_columns_lanes(build *g)
{
    cairn_nest nest;

    cairn_product_begin(&g->e, &nest);
    cairn_grid_build_lane(g, &nest, cairn_grid_open_columns(g, "lanes", "q"));
    cairn_grid_close_columns(g);
}

/* ---- Lists ---- */

/// Number in the order of the first level that is not stood on at a row of a list.
static int first_below(const build *g)
{
    const cairn_product_plan *p = g->e.p;
    int                       k = p->order.known;

    for (int n = 0; n < p->order.known && g->p->tall > 1; n++)
        if (p->order.level[n] == p->tile.level) k = n;
    return k;
}

/// Tile @p k: its first list, and where its lists end that are not left to others.
static void find_lists(build            *g,
                       const cairn_nest *nest,
                       cairn_ir_x        k,
                       cairn_ir_x       *begin,
                       cairn_ir_x       *end)
{
    cairn_ir *b = g->e.b;

    *begin = named(g, cairn_grid_word(g, CAIRN_GRID_tile, "tile", k), "lists");
    *end =
        named(g, cairn_grid_word(g, CAIRN_GRID_tile, "tile", cairn_ir_add_int(b, k, 1)),
              "lists_end");
    if (!g->p->grid.cuts || g->p->grid.shape != CAIRN_GRID_LISTS) return;
    const cairn_ir_x nodes = cairn_ir_sub(b, cairn_grid_begin_of(g, nest, *end),
                                          cairn_grid_begin_of(g, nest, *begin));
    const cairn_ir_x fits  = cairn_ir_le(b, nodes, cairn_ir_int(b, CAIRN_CUT));

    *end = named(g, cairn_ir_select(b, fits, *end, *begin), "end");
}

/// Open the items of the rows of a tile's lists, @p high for each. @return the row's number.
static cairn_ir_x
open_rows(build *g, const cairn_nest *nest, const char *note, int64_t high)
{
    cairn_ir     *b    = g->e.b;
    const turn    at   = open_groups(g, count_turns(g), note);
    const int64_t each = high * g->p->grid.group;
    cairn_ir_x    begin, end;

    find_lists(g, nest, from_on(g, at.turn), &begin, &end);
    return open_columns(g,
                        cairn_grid_open_turns(b, cairn_ir_mul_int(b, begin, each),
                                              cairn_ir_mul_int(b, end, each), "rows",
                                              "t"),
                        at.first);
}

void cairn_grid_build_columns_tiles(build *g)
{
    const int64_t       high  = g->p->grid.high / g->p->tall;
    cairn_product_items items = {.lane = NULL};
    cairn_ir           *b     = g->e.b;
    cairn_nest          nest;

    cairn_product_begin(&g->e, &nest);
    const cairn_ir_x z    = named(g, open_rows(g, &nest, "tiles of lists", high), "z");
    const cairn_ir_x rows = cairn_ir_int(b, high);

    cairn_grid_stand_at_list(g, &nest, named(g, quotient(g, z, rows), "list"));
    cairn_grid_stand_at_row(g, &nest, remainder_of(g, z, rows));
    g->e.items = &items;
    cairn_product_enter(&g->e, &nest, first_below(g));
    g->e.items = NULL;
    cairn_grid_close_columns(g);
}

static cairn_ir_array *partial_of(build *g)
{
    return cairn_grid_array(g->e.b, CAIRN_GRID_partial, g->p->product.accumulate,
                            "partial");
}

void cairn_grid_build_columns_pieces(build *g)
{
    cairn_ir           *b     = g->e.b;
    cairn_product_items items = {.lane = NULL};
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};
    cairn_nest nest;

    cairn_product_begin(&g->e, &nest);
    const turn       at = open_groups(g, count_turns(g), "pieces of long lists");
    const cairn_ir_x k  = named(g, from_on(g, at.turn), "piece");
    const cairn_ir_x begin =
        named(g, cairn_grid_word(g, CAIRN_GRID_piece_at, "piece_at", k), "begin");
    const cairn_ir_x end =
        named(g, cairn_grid_word(g, CAIRN_GRID_piece_end, "piece_end", k), "end");
    const cairn_ir_x t = cairn_grid_open_turns(
        b, cairn_ir_int(b, 0), cairn_ir_int(b, g->p->grid.group), "columns", "t");

    open_columns(g, t, at.first);
    g->e.items = &items;
    cairn_product_declare(&g->e, &s);
    cairn_grid_add_nodes(g, &nest, &s, begin, end);
    cairn_nest_leave(&nest, 0);
    for (int v = 0; v < s.vectors; v++)
        cairn_ir_store(
            b, partial_of(g),
            cairn_ir_add_int(b, cairn_product_row_at(&g->e, k, g->e.columns.first), v),
            cairn_product_total(&g->e, &s, 0, v));
    g->e.items = NULL;
    cairn_grid_close_columns(g);
}

void cairn_grid_build_columns_join(build *g)
{
    cairn_ir           *b     = g->e.b;
    cairn_product_items items = {.stride = 1};
    cairn_nest          nest;

    cairn_product_begin(&g->e, &nest);
    const cairn_ir_x j = cairn_grid_open_columns(g, "long lists", "long_row");

    cairn_grid_stand_at_list(
        g, &nest,
        named(g, cairn_grid_word(g, CAIRN_GRID_long_list, "long_list", j), "list"));
    items.partial = partial_of(g);
    items.first   = cairn_grid_word(g, CAIRN_GRID_piece_first, "piece_first", j);
    items.end     = cairn_grid_word(g, CAIRN_GRID_piece_first, "piece_first",
                                    cairn_ir_add_int(b, j, 1));
    g->e.items    = &items;
    cairn_product_row(&g->e, &nest);
    g->e.items = NULL;
    cairn_grid_close_columns(g);
}

/* ---- Visits ---- */

/// Add value number @p p from visit @p v on to @p sum, of each column; without one, let the
/// term join @p row as it is.
static void add_term(build            *g,
                     const cairn_nest *nest,
                     cairn_ir_x        v,
                     cairn_ir_x        p,
                     cairn_ir_var    **sum,
                     cairn_ir_var    **row)
{
    cairn_product_build *e = &g->e;
    cairn_ir            *b = e->b;
    cairn_ir_x           j, at;

    cairn_grid_locate_visit(g, v, p, &j, &at);
    const cairn_ir_x inside = cairn_grid_is_inside(g, j);

    if (inside) cairn_ir_if(b, inside);
    const cairn_ir_x a = named(g, cairn_product_value_at(e, nest, at, 1), "a");

    for (int k = 0; k < e->columns.vectors; k++) {
        const cairn_ir_x x    = cairn_product_x(e, cairn_product_x_at(e, j, k), 1);
        const cairn_ir_x term = cairn_ir_mul(b, a, x);

        if (sum)
            cairn_ir_assign(b, sum[k], cairn_ir_add(b, cairn_ir_use(b, sum[k]), term));
        else
            cairn_product_join_visit(e, term, row[k]);
    }
    if (inside) cairn_ir_end(b);
}

/// A visit of several values, or whose only one is a sum's.
static void
add_visit(build *g, const cairn_nest *nest, cairn_ir_x v, cairn_ir_var **row)
{
    cairn_product_build *e    = &g->e;
    cairn_ir            *b    = e->b;
    const cairn_ir_x     zero = cairn_ir_real(b, g->p->product.accumulate, 0);
    cairn_ir_var        *sum[CAIRN_VECTORS];

    for (int k = 0; k < e->columns.vectors; k++)
        sum[k] = cairn_ir_declare(b, zero, "s_%d", k);
    cairn_ir_stmt *const loop =
        cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, g->p->grid.block), 1,
                     "values of the visit", "p");

    add_term(g, nest, v, cairn_ir_loop_var(b, loop), sum, NULL);
    cairn_ir_end(b);
    for (int k = 0; k < e->columns.vectors; k++)
        cairn_product_join_visit(e, cairn_ir_use(b, sum[k]), row[k]);
}

void cairn_grid_build_columns_visits(build *g)
{
    cairn_product_build *e = &g->e;
    cairn_ir            *b = e->b;
    cairn_ir_var        *row[CAIRN_VECTORS];
    cairn_nest           nest;

    cairn_product_begin(e, &nest);
    const cairn_ir_x q = named(g, open_rows(g, &nest, "tiles of visits", 1), "q");
    const cairn_ir_x at =
        named(g, cairn_product_row_at(e, q, e->columns.first), "y_at");

    const cairn_ir_x begin = cairn_grid_first_visit(g, q);
    const cairn_ir_x end   = cairn_grid_first_visit(g, cairn_ir_add_int(b, q, 1));

    cairn_grid_open_visited(g, begin, end);
    for (int k = 0; k < e->columns.vectors; k++)
        row[k] = cairn_product_open_row(e, cairn_ir_add_int(b, at, k));
    cairn_ir_stmt *const loop =
        cairn_ir_for(b, begin, end, 1, "visits of the row", "v");

    if (e->p->order.known == e->p->order.levels)
        add_term(g, &nest, cairn_ir_loop_var(b, loop), cairn_ir_int(b, 0), NULL, row);
    else
        add_visit(g, &nest, cairn_ir_loop_var(b, loop), row);
    cairn_ir_end(b);
    for (int k = 0; k < e->columns.vectors; k++)
        cairn_product_close_row(e, cairn_ir_add_int(b, at, k), row[k]);
    cairn_grid_close_visited(g);
    cairn_grid_close_columns(g);
}
