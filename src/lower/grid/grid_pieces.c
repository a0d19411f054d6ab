// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// LISTS: pieces of lists that are longer than a tile. A group does a few of them side by
/// side: all items multiply the next terms of each, then an item a chain adds those of its
/// piece. A chain of additions takes as long as its terms are many, whatever the items: of
/// four pieces side by side there are four times as many chains at work, each a quarter as
/// long, for as many terms that a group shares.

#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

/* So far apart that the four chains of four pieces meet different banks: 260 + 260/16 is 4
   modulo the 16 banks of f64 (of eight pieces 132 + 132/16 is 12). */
enum { APART = 4 };

/// The pieces of a group.
typedef struct {
    cairn_ir_array *staged, *chain;
    cairn_ir_x      first, count;             ///< Number of the first; of them.
    cairn_ir_x      begin[CAIRN_GRID_PIECES]; ///< Nodes of each; of those that there
    cairn_ir_x      end[CAIRN_GRID_PIECES];   ///< are not the last one's.
    cairn_ir_x      at;                       ///< Nodes behind each begin: the next
    int64_t         nodes;                    ///< so many are at hand.
} pieces;

/// A piece of them.
typedef struct {
    cairn_ir_x number;     ///< In the group.
    cairn_ir_x begin, end; ///< Nodes of the piece,
    cairn_ir_x at, stop;   ///< and those at hand.
} piece;

static cairn_ir_x named(build *g, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(g->e.b, cairn_ir_let(g->e.b, value, "%s", name));
}

/// Terms of a piece that the group shares at once, and from one piece's to the next.
static int64_t size_of(const cairn_grid *grid)
{
    return CAIRN_GRID_TILE / grid->pieces;
}

static int64_t apart(const cairn_grid *grid)
{
    return size_of(grid) + (grid->pieces > 1 ? APART : 0);
}

/* ---- Products ---- */

/// Multiply the terms of round @p round, item @p t's: as many as it has in flight at once.
static void
stage_round(build *g, const cairn_nest *above, const pieces *c, cairn_ir_x t, int round)
{
    enum { STEP = CAIRN_GRID_ITEMS };
    const cairn_grid *grid = &g->p->grid;
    cairn_ir         *b    = g->e.b;
    const cairn_ir_x  past = cairn_ir_mul_int(b, c->at, grid->block);
    cairn_grid_batch  v    = {.count = g->p->product.grid_hints.staged};
    cairn_ir_x        o[CAIRN_GRID_STAGED], p[CAIRN_GRID_STAGED], n[CAIRN_GRID_STAGED];
    int               number[CAIRN_GRID_STAGED];

    for (int k = 0; k < v.count; k++) {
        const int64_t at = (int64_t)(round * v.count + k) * STEP;

        number[k]  = (int)(at / size_of(grid));
        v.begin[k] = c->begin[number[k]];
        o[k]       = cairn_ir_add_int(b, t, at % size_of(grid));
        p[k]       = cairn_ir_add(b, past, o[k]);
        n[k]       = cairn_ir_mul_int(
                  b, cairn_ir_sub(b, c->end[number[k]], c->begin[number[k]]), grid->block);
        v.p[k] = named(g, cairn_ir_min(b, p[k], cairn_ir_add_int(b, n[k], -1)), "v");
    }
    cairn_grid_load(g, above, &v);
    for (int k = 0; k < v.count; k++)
        cairn_ir_store(
            b, c->staged,
            cairn_product_slot(b, cairn_ir_add_int(b, o[k], number[k] * apart(grid))),
            cairn_grid_product(g, &v, k));
}

static void stage(build *g, const cairn_nest *above, const pieces *c)
{
    cairn_ir *b = g->e.b;
    const int rounds =
        CAIRN_GRID_TILE / (CAIRN_GRID_ITEMS * g->p->product.grid_hints.staged);
    const cairn_ir_x t =
        cairn_grid_open_turns(b, cairn_ir_int(b, 0), cairn_ir_int(b, CAIRN_GRID_ITEMS),
                              "products of values and x", "t");

    for (int round = 0; round < rounds; round++)
        stage_round(g, above, c, t, round);
    cairn_ir_end(b);
}

/* ---- Sums ---- */

/// Stand above the piece; @return what its nodes count from there.
static cairn_ir_x stand_above_piece(build *g, cairn_nest *nest, const piece *c)
{
    cairn_ir *b = g->e.b;

    if (g->p->grid.by != CAIRN_GRID_BY_SIZE) return cairn_ir_int(b, 0);
    const cairn_ir_x size = cairn_nest_size(nest, g->p->grid.list);
    const cairn_ir_x list =
        named(g, cairn_ir_binary(b, CAIRN_IR_DIV, c->begin, size), "list");

    cairn_grid_stand_at_list(g, nest, list);
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

/// Piece number @p q of the group, and its nodes at hand.
static piece piece_of(build *g, const pieces *c, cairn_ir_x q)
{
    cairn_ir        *b = g->e.b;
    const cairn_ir_x k = cairn_ir_add(b, c->first, q);
    piece            p = {.number = q, .begin = c->begin[0], .end = c->end[0]};

    if (g->p->grid.pieces > 1) {
        p.begin =
            named(g, cairn_grid_word(g, CAIRN_GRID_piece_at, "piece_at", k), "begin");
        p.end =
            named(g, cairn_grid_word(g, CAIRN_GRID_piece_end, "piece_end", k), "end");
    }
    p.at = cairn_ir_add(b, p.begin, c->at);
    p.stop =
        named(g, cairn_ir_min(b, cairn_ir_add_int(b, p.at, c->nodes), p.end), "stop");
    return p;
}

/// The terms at hand that chain number @p c of them, counted through the rows of the
/// pieces' lists, has.
static void
build_chain(build *g, const cairn_nest *above, const pieces *all, cairn_ir_x c)
{
    const cairn_product_plan *p          = g->e.p;
    cairn_ir                 *b          = g->e.b;
    const cairn_ir_x          chains     = cairn_ir_int(b, p->chains);
    const cairn_ir_x          of_a_piece = cairn_ir_int(b, g->p->grid.high * p->chains);
    const bool                many       = g->p->grid.pieces > 1;
    cairn_nest                nest       = *above;
    cairn_product_items       items      = {.staged = all->staged};

    const piece at = piece_of(
        g, all,
        many ? named(g, cairn_ir_binary(b, CAIRN_IR_DIV, c, of_a_piece), "piece")
             : cairn_ir_int(b, 0));
    const cairn_ir_x own = many ? cairn_ir_binary(b, CAIRN_IR_MOD, c, of_a_piece) : c;
    const cairn_ir_x before = stand_above_piece(g, &nest, &at);
    const cairn_ir_x begin  = cairn_ir_sub(b, at.at, before);
    const cairn_ir_x end    = cairn_ir_sub(b, at.stop, before);

    cairn_grid_stand_at_row(g, &nest, cairn_ir_binary(b, CAIRN_IR_DIV, own, chains));
    items.base   = cairn_ir_sub(b, cairn_ir_mul_int(b, at.at, g->p->grid.block),
                                cairn_ir_mul_int(b, at.number, apart(&g->p->grid)));
    items.chain  = cairn_ir_binary(b, CAIRN_IR_MOD, own, chains);
    g->e.items   = &items;
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    s.first = g->e.place;
    cairn_product_declare(&g->e, &s);
    cairn_ir_assign(b, s.sum[0][0][0], cairn_ir_load(b, all->chain, c));
    if (p->sum == CAIRN_SUM_FOUR) {
        const cairn_ir_x four  = cairn_ir_int(b, CAIRN_CHAINS);
        const cairn_ir_x n     = cairn_ir_sub(b, at.end, at.begin);
        const cairn_ir_x whole = cairn_ir_add(
            b, cairn_ir_sub(b, at.begin, before),
            cairn_ir_mul(b, cairn_ir_binary(b, CAIRN_IR_DIV, n, four), four));

        cairn_product_one_chain(&g->e, &nest, &s, begin, end, whole, items.chain);
    } else {
        cairn_grid_add_nodes(g, &nest, &s, begin, end);
    }
    cairn_nest_leave(&nest, above->open);
    cairn_ir_store(b, all->chain, c, cairn_ir_use(b, s.sum[0][0][0]));
    g->e.items = NULL;
    g->e.place = NULL;
}

/// What the chains of row @p r, counted through the rows of the pieces, come to.
static void build_total(build *g, const pieces *all, cairn_ir_x r)
{
    const cairn_product_plan *p    = g->e.p;
    cairn_ir                 *b    = g->e.b;
    const cairn_ir_type       type = g->p->product.accumulate;
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    cairn_product_declare(&g->e, &s);
    for (int c = 0; c < p->chains; c++) {
        const cairn_ir_x from =
            cairn_ir_add_int(b, cairn_ir_mul_int(b, r, p->chains), c);

        cairn_ir_assign(b, s.sum[0][c][0], cairn_ir_load(b, all->chain, from));
    }
    cairn_ir_store(b, cairn_grid_array(b, CAIRN_GRID_partial, type, "partial"),
                   cairn_ir_add(b, cairn_ir_mul_int(b, all->first, g->p->grid.high), r),
                   cairn_product_total(&g->e, &s, 0, 0));
}

/* ---- The group ---- */

/// Open the loop over groups of pieces; find where each begins and ends.
static pieces open_pieces(build *g)
{
    const cairn_grid *grid  = &g->p->grid;
    cairn_ir         *b     = g->e.b;
    const cairn_ir_x  most  = cairn_ir_int(b, grid->pieces);
    const int64_t     slots = apart(grid) * grid->pieces;
    pieces     c = {.count = cairn_ir_int(b, 1), .nodes = size_of(grid) / grid->block};
    cairn_ir_x last = NULL;

    if (grid->pieces == 1) {
        c.first = cairn_grid_open_groups(b, "pieces of long lists", "g");
    } else {
        const cairn_ir_x from  = cairn_grid_number(b, CAIRN_GRID_from, "from");
        const cairn_ir_x to    = cairn_grid_number(b, CAIRN_GRID_to, "to");
        const cairn_ir_x turns = cairn_ir_binary(
            b, CAIRN_IR_DIV,
            cairn_ir_add_int(b, cairn_ir_sub(b, to, from), grid->pieces - 1), most);
        cairn_ir_stmt *const groups = cairn_ir_for(
            b, cairn_ir_int(b, 0), turns, 1, "pieces of long lists, some a group", "g");

        groups->turns = CAIRN_TURNS_GROUPS;
        c.first       = named(
                  g,
                  cairn_ir_add(b, from, cairn_ir_mul(b, cairn_ir_loop_var(b, groups), most)),
                  "first");
        c.count =
            named(g, cairn_ir_min(b, most, cairn_ir_sub(b, to, c.first)), "count");
        last = cairn_ir_add_int(b, to, -1);
    }
    c.staged =
        cairn_ir_shared(b, g->p->product.accumulate, slots + slots / 16, "staged");
    c.chain = cairn_ir_shared(b, g->p->product.accumulate,
                              grid->pieces * grid->high * g->e.p->chains, "chain");
    for (int k = 0; k < grid->pieces; k++) {
        cairn_ir_x at = cairn_ir_add_int(b, c.first, k);

        if (k > 0) at = cairn_ir_min(b, at, last);
        c.begin[k] =
            named(g, cairn_grid_word(g, CAIRN_GRID_piece_at, "piece_at", at), "begin");
        c.end[k] =
            named(g, cairn_grid_word(g, CAIRN_GRID_piece_end, "piece_end", at), "end");
    }
    return c;
}

void cairn_grid_build_pieces(build *g)
{
    const cairn_grid   *grid = &g->p->grid;
    cairn_ir           *b    = g->e.b;
    const cairn_ir_type type = g->p->product.accumulate;
    const cairn_ir_x    zero = cairn_ir_int(b, 0);
    cairn_nest          nest;

    cairn_product_begin(&g->e, &nest);
    pieces           c      = open_pieces(g);
    const cairn_ir_x chains = cairn_ir_mul_int(b, c.count, grid->high * g->e.p->chains);
    cairn_ir_x       longest = cairn_ir_sub(b, c.end[0], c.begin[0]);

    for (int k = 1; k < grid->pieces; k++)
        longest = cairn_ir_max(b, longest, cairn_ir_sub(b, c.end[k], c.begin[k]));
    if (grid->pieces > 1) longest = named(g, longest, "longest");
    const cairn_ir_x cleared = cairn_grid_open_turns(b, zero, chains, NULL, "c");

    cairn_ir_store(b, c.chain, cleared, cairn_ir_real(b, type, 0));
    cairn_ir_end(b);
    c.at = cairn_ir_loop_var(
        b, cairn_ir_for(b, zero, longest, c.nodes, "as many as are shared", "p"));
    stage(g, &nest, &c);
    cairn_ir_barrier(b);
    build_chain(g, &nest, &c, cairn_grid_open_turns(b, zero, chains, "chains", "c"));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
    build_total(g, &c,
                cairn_grid_open_turns(b, zero, cairn_ir_mul_int(b, c.count, grid->high),
                                      NULL, "r"));
    cairn_ir_end(b);
    cairn_ir_end(b);
}
