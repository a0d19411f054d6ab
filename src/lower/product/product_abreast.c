// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows abreast: as many next to each other as a vector has lanes, of one length, each with
/// the columns of the one before one further on, as inside bands and stencils. Then neighbours
/// of a column's entries take neighbours of x, which are loaded as they lie, and their values,
/// a row's length apart, are loaded four columns at a time and turned. The four chains of a
/// row are four vectors; each lane adds its row's terms in the order of product_chains.c.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

/// Rows at hand.
typedef struct {
    const cairn_nest *nest;          ///< Stands at the first.
    int               lanes;         ///< How many there are.
    cairn_ir_x        first, length; ///< Their first entry; entries of a row.
} rows;

/// Have all rows the length of the first?
static cairn_ir_x are_as_long(build *e, const rows *r)
{
    cairn_ir             *b   = e->b;
    const int             l   = e->p->layout->last;
    const cairn_ir_array *ptr = cairn_nest_ptr(r->nest, l);
    const cairn_ir_x      q   = cairn_nest_node(r->nest, e->p->order.level[0]);

    return cairn_ir_ahead(
        b, cairn_ir_load_lanes(b, ptr, cairn_ir_add_int(b, q, 1), r->lanes),
        cairn_ir_load_lanes(b, ptr, q, r->lanes), r->length);
}

/// Are @p lanes entries from @p at on followed, a row's length behind, by the next columns?
static cairn_ir_x goes_on(build *e, const rows *r, cairn_ir_x at, int lanes)
{
    cairn_ir             *b   = e->b;
    const cairn_ir_array *idx = cairn_nest_idx(r->nest, e->p->layout->last);

    return cairn_ir_ahead(
        b, cairn_ir_load_lanes(b, idx, cairn_ir_add(b, at, r->length), lanes),
        cairn_ir_load_lanes(b, idx, at, lanes), cairn_ir_int(b, 1));
}

/// Pass the entries of all rows but the last, as long as they go on. @return whether all do:
/// what is left at the end is looked at together with some that were before.
static cairn_ir_x all_go_on(build *e, const rows *r)
{
    cairn_ir        *b     = e->b;
    const int        lanes = 2 * r->lanes;
    cairn_ir_var    *p     = cairn_ir_declare(b, r->first, "p");
    const cairn_ir_x stop  = cairn_ir_use(
         b,
         cairn_ir_let(
             b, cairn_ir_add(b, r->first, cairn_ir_mul_int(b, r->length, r->lanes - 1)),
             "p_end"));
    const cairn_ir_x after = cairn_ir_add_int(b, cairn_ir_use(b, p), lanes);

    cairn_ir_while(b, cairn_ir_and(b, cairn_ir_le(b, after, stop),
                                   goes_on(e, r, cairn_ir_use(b, p), lanes)));
    cairn_ir_assign(b, p, after);
    cairn_ir_end(b);
    return cairn_ir_and(b, cairn_ir_lt(b, stop, after),
                        goes_on(e, r, cairn_ir_add_int(b, stop, -lanes), lanes));
}

/// Fetch ahead of column @p k of the four from entry @p at of the first row on: of the entries
/// of all rows, as they stand, its share. Of f32 two columns' is a line.
static void fetch(build *e, const rows *r, const cairn_sums *s, cairn_ir_x at, int k)
{
    cairn_ir        *b      = e->b;
    cairn_nest       nest   = *r->nest;
    const cairn_ir_x column = cairn_ir_add_int(b, cairn_ir_sub(b, at, r->first), k);

    if (!e->p->hints.stream || (e->p->layout->values.bits < 64 && k % 2)) return;
    nest.terse = true;
    cairn_nest_stand(&nest, e->p->layout->last,
                     cairn_ir_add(b, r->first, cairn_ir_mul_int(b, column, r->lanes)));
    cairn_product_fetch(e, &nest, s, e->p->order.levels);
}

/// Add column @p k of the four from entry @p at of the first row on.
static void
add_column(build *e, const rows *r, cairn_sums *s, cairn_ir_x at, int k, int chain)
{
    cairn_ir           *b      = e->b;
    const cairn_layout *layout = e->p->layout;
    cairn_nest          nest   = *r->nest;

    fetch(e, r, s, at, k);
    nest.terse = true;
    cairn_nest_stand(&nest, layout->last, cairn_ir_add_int(b, at, k));
    const cairn_ir_x x = cairn_product_x(e, cairn_nest_dim(&nest, e->p->in), r->lanes);

    cairn_nest_stand(&nest, layout->last, at);
    const cairn_ir_x place = cairn_nest_value(&nest);
    const cairn_ir_x value =
        layout->values.kind == CAIRN_VALUE_ONE
            ? cairn_product_value_at(e, &nest, place, r->lanes)
            : cairn_ir_cast(b, e->p->product->accumulate,
                            cairn_ir_column(b, cairn_nest_values(&nest), place,
                                            r->length, r->lanes, k));
    cairn_ir_var *const sum = s->sum[0][chain][0];

    cairn_ir_assign(b, sum,
                    cairn_ir_add(b, cairn_ir_use(b, sum), cairn_ir_mul(b, value, x)));
}

/// Four columns a turn, one to a chain; what is left, up to three, to the first. Each number
/// that may be left has a branch of its own, so that its columns are loaded once: with one
/// branch for each column rows of 15 took 1.4 times as long.
static void add_rows(build *e, const rows *r, cairn_sums *s)
{
    cairn_ir        *b    = e->b;
    const cairn_ir_x last = cairn_ir_use(
        b,
        cairn_ir_let(
            b, cairn_ir_add(b, r->first, cairn_ir_add_int(b, r->length, -CAIRN_CHAINS)),
            "last"));
    const cairn_ir_x rest =
        cairn_ir_use(b, cairn_ir_let(b,
                                     cairn_ir_binary(b, CAIRN_IR_MOD, r->length,
                                                     cairn_ir_int(b, CAIRN_CHAINS)),
                                     "rest"));
    cairn_ir_stmt *const loop = cairn_ir_for(b, r->first, cairn_ir_add_int(b, last, 1),
                                             CAIRN_CHAINS, NULL, "p");

    for (int k = 0; k < CAIRN_CHAINS; k++)
        add_column(e, r, s, cairn_ir_loop_var(b, loop), k, k);
    cairn_ir_end(b);
    for (int left = 1; left < CAIRN_CHAINS; left++) {
        cairn_ir_if(b, cairn_ir_eq(b, rest, cairn_ir_int(b, left)));
        for (int k = CAIRN_CHAINS - left; k < CAIRN_CHAINS; k++)
            add_column(e, r, s, last, k, 0);
        cairn_ir_end(b);
    }
}

/// The rows at hand, all of which are there, if they go on alike; then @p next is behind them.
static void rows_as_lanes(build *e, rows *r, cairn_ir_var *next)
{
    cairn_ir  *b    = e->b;
    cairn_nest nest = *r->nest;
    cairn_sums s    = {.strips  = 1,
                       .strip   = {{0, r->lanes, r->lanes}},
                       .chains  = CAIRN_CHAINS,
                       .vectors = 1,
                       .inside  = true,
                       .single  = true};

    cairn_ir_if(b, all_go_on(e, r));
    cairn_nest_dim(&nest, e->p->out);
    r->nest = &nest;
    for (int c = 0; c < CAIRN_CHAINS; c++)
        s.sum[0][c][0] = cairn_ir_declare(
            b,
            cairn_ir_splat(b, cairn_ir_real(b, e->p->product->accumulate, 0), r->lanes),
            "s%c", 'a' + c);
    add_rows(e, r, &s);
    cairn_product_store(e, &nest, &s);
    cairn_ir_assign(b, next, cairn_ir_add_int(b, cairn_ir_use(b, next), r->lanes));
    cairn_ir_end(b);
}

void cairn_product_abreast(build      *e,
                           cairn_nest *nest,
                           int         at,
                           cairn_ir_x  begin,
                           cairn_ir_x  end)
{
    const cairn_product_plan *p = e->p;
    cairn_ir                 *b = e->b;
    const int                 l = p->order.level[at];
    char                      name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];
    rows       r = {.nest = nest, .lanes = cairn_product_lanes(p->product)};
    cairn_ir_x row_end;

    cairn_nest_name(p->layout, l, name);
    cairn_nest_note(p->layout, l, note);
    cairn_ir_note(b, "%s: rows abreast, where columns go on alike", note);
    cairn_ir_var *const row = cairn_ir_declare(b, begin, "p%s", name);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, row), end));
    cairn_nest_stand(nest, l, cairn_ir_use(b, row));
    cairn_ir_var *const next = cairn_ir_declare(b, cairn_ir_use(b, row), "next");

    cairn_nest_range(nest, p->layout->last, &r.first, &row_end);
    r.first = cairn_ir_use(b, cairn_ir_let(b, r.first, "first"));
    r.length =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, row_end, r.first), "length"));

    const cairn_ir_x there =
        cairn_ir_le(b, cairn_ir_add_int(b, cairn_ir_use(b, row), r.lanes), end);
    const cairn_ir_x fits =
        cairn_ir_and(b, cairn_ir_le(b, cairn_ir_int(b, CAIRN_CHAINS), r.length),
                     cairn_ir_le(b, r.length, cairn_ir_int(b, CAIRN_CUT)));

    cairn_ir_if(b, cairn_ir_and(b, cairn_ir_and(b, there, fits), are_as_long(e, &r)));
    rows_as_lanes(e, &r, next);
    cairn_ir_end(b);
    cairn_ir_if(b, cairn_ir_eq(b, cairn_ir_use(b, next), cairn_ir_use(b, row)));
    cairn_product_enter(e, nest, at + 1);
    cairn_ir_assign(b, next, cairn_ir_add_int(b, cairn_ir_use(b, next), 1));
    cairn_ir_end(b);
    cairn_ir_assign(b, row, cairn_ir_use(b, next));
    cairn_ir_end(b);
}
