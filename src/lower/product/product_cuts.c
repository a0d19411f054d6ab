// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The cuts of long rows that threads share: whole cuts are summed first, each into a
/// place of its own, and rows add up the sums in order. Where a cut begins follows from
/// the row, and no two begin within 4,096 nodes, so that the node tells the place.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

static cairn_ir_array *partial_of(const build *e)
{
    return cairn_ir_array_of(
        e->b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_partial},
        e->p->product->accumulate, "partial");
}

/// Place of the cut that begins at node @p at, for the columns at hand.
static cairn_ir_x place_of(const build *e, cairn_ir_x at, int vector)
{
    cairn_ir        *b = e->b;
    const cairn_ir_x place =
        cairn_ir_binary(b, CAIRN_IR_DIV, at, cairn_ir_int(b, CAIRN_CUT));

    if (!e->columns.first) return place;
    const cairn_ir_x row = cairn_ir_mul(
        b, place, cairn_product_arg(b, CAIRN_PRODUCT_columns, CAIRN_IR_I64, "columns"));

    return cairn_ir_add(
        b, row, cairn_ir_add_int(b, e->columns.first, vector * e->columns.lanes));
}

cairn_ir_x cairn_product_partial(build *e, cairn_ir_x at, int vector)
{
    const int lanes = e->columns.first ? e->columns.lanes : 1;

    return cairn_ir_load_lanes(e->b, partial_of(e), place_of(e, at, vector), lanes);
}

/// Several columns: add the nodes @p begin .. @p end - 1 one after the other. Levels from
/// number @p at of the order on have not been entered; the nodes are of the first.
static void add_nodes(build      *e,
                      cairn_nest *nest,
                      cairn_sums *s,
                      int         at,
                      cairn_ir_x  begin,
                      cairn_ir_x  end)
{
    const cairn_ir_x run = e->run, run_end = e->run_end;
    const int        open = nest->open;
    cairn_nest       here = *nest;

    e->rest = true;
    if (e->p->order.run >= 0) {
        e->run     = begin;
        e->run_end = end;
        cairn_product_add(e, &here, s, at);
    } else {
        cairn_nest_enter_range(&here, e->p->order.level[at], begin, end);
        cairn_product_fetch(e, &here, s, at + 1);
        cairn_product_add(e, &here, s, at + 1);
    }
    cairn_nest_leave(&here, open);
    e->rest    = false;
    e->run     = run;
    e->run_end = run_end;
}

/// Number in the order of the level whose nodes are the row's entries; of a run the first
/// level below the row.
static int loop_of(const cairn_product_plan *p)
{
    int at = p->order.known;

    while (p->order.run < 0 && p->order.level[at] != p->share.cuts.level)
        at++;
    return at;
}

/// What the sums of the whole cuts @p begin .. @p end - 1 come to joins @p s before what
/// it has.
static void join_cuts(build *e, cairn_sums *s, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir        *b    = e->b;
    const cairn_ir_x zero = cairn_ir_splat(
        b, cairn_ir_real(b, e->p->product->accumulate, 0), e->columns.lanes);
    cairn_ir_var *row[CAIRN_VECTORS];

    cairn_ir_if(b, cairn_ir_lt(b, begin, end));
    for (int v = 0; v < s->vectors; v++)
        row[v] = cairn_ir_declare(b, zero, s->vectors > 1 ? "row_%d" : "row", v);
    cairn_ir_stmt *loop = cairn_ir_for(b, begin, end, CAIRN_CUT, NULL, "at");

    for (int v = 0; v < s->vectors; v++)
        cairn_ir_assign(
            b, row[v],
            cairn_ir_add(b, cairn_ir_use(b, row[v]),
                         cairn_product_partial(e, cairn_ir_loop_var(b, loop), v)));
    cairn_ir_end(b);
    for (int v = 0; v < s->vectors; v++)
        cairn_ir_assign(
            b, s->sum[0][0][v],
            cairn_ir_add(b, cairn_ir_use(b, row[v]), cairn_ir_use(b, s->sum[0][0][v])));
    cairn_ir_end(b);
}

void cairn_product_rest(build *e, cairn_nest *nest, cairn_sums *s)
{
    const cairn_product_plan *p     = e->p;
    cairn_ir                 *b     = e->b;
    const int                 at    = loop_of(p);
    cairn_ir_x                begin = e->run, end = e->run_end;

    for (int k = p->order.known; k < at; k++)
        cairn_nest_enter(nest, p->order.level[k]);
    if (p->order.run < 0) cairn_nest_range(nest, p->order.level[at], &begin, &end);
    begin              = cairn_ir_use(b, cairn_ir_let(b, begin, "p_begin"));
    end                = cairn_ir_use(b, cairn_ir_let(b, end, "p_end"));
    cairn_ir_var *rest = cairn_ir_declare(b, begin, "rest");

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_int(b, CAIRN_CUT),
                                  cairn_ir_sub(b, end, cairn_ir_use(b, rest))));
    cairn_ir_assign(b, rest, cairn_ir_add_int(b, cairn_ir_use(b, rest), CAIRN_CUT));
    cairn_ir_end(b);
    add_nodes(e, nest, s, at, cairn_ir_use(b, rest), end);
    join_cuts(e, s, begin, cairn_ir_use(b, rest));
}

void cairn_product_join_pieces(build *e, cairn_sums *s)
{
    const cairn_product_items *items = e->items;
    cairn_ir                  *b     = e->b;
    cairn_ir_stmt             *loop =
        cairn_ir_for(b, items->first, items->end, items->stride, "pieces", "k");
    const cairn_ir_x k = cairn_ir_loop_var(b, loop);
    const cairn_ir_x at =
        e->columns.first ? cairn_product_row_at(e, k, e->columns.first) : k;

    for (int v = 0; v < s->vectors; v++) {
        cairn_ir_var *const row = s->sum[0][0][v];

        cairn_ir_assign(
            b, row,
            cairn_ir_add(b, cairn_ir_use(b, row),
                         cairn_ir_load(b, items->partial, cairn_ir_add_int(b, at, v))));
    }
    cairn_ir_end(b);
}

/// What a cut's code is built from.
typedef struct {
    const cairn_nest *nest;
    cairn_ir_x        at; ///< Its first node.
} whole_cut;

/// One cut, for the columns at hand.
static void build_cut(build *e, void *user)
{
    const whole_cut *cut  = user;
    cairn_ir        *b    = e->b;
    cairn_nest       nest = *cut->nest;
    cairn_sums s = {.strips = 1, .strip = {{0, 1, 1}}, .single = true, .inside = true};

    cairn_product_declare(e, &s);
    if (e->columns.first)
        add_nodes(e, &nest, &s, loop_of(e->p), cut->at,
                  cairn_ir_add_int(b, cut->at, CAIRN_CUT));
    else
        cairn_product_chains_cut(e, &nest, &s, cut->at);
    for (int v = 0; v < s.vectors; v++)
        cairn_ir_store(b, partial_of(e), place_of(e, cut->at, v),
                       cairn_product_total(e, &s, 0, v));
}

static cairn_ir_x arg(build *e, int field, const char *name)
{
    return cairn_product_arg(e->b, field, CAIRN_IR_I64, name);
}

static cairn_ir_array *cut_of(const build *e)
{
    return cairn_ir_array_of(
        e->b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_cut},
        CAIRN_IR_I64, "cut");
}

cairn_ir_var *cairn_product_first_cut(build *e, cairn_ir_x begin)
{
    cairn_ir *b = e->b;

    if (!e->p->share.cuts.any || !e->p->layout->level[e->p->order.run].top) return NULL;
    cairn_ir_array *const cut  = cut_of(e);
    cairn_ir_var *const   next = cairn_ir_declare(b, cairn_ir_int(b, 0), "next");
    const cairn_ir_x      k    = cairn_ir_use(b, next);

    cairn_ir_while(
        b, cairn_ir_and(b, cairn_ir_lt(b, k, arg(e, CAIRN_PRODUCT_cuts, "cuts")),
                        cairn_ir_lt(b, cairn_ir_load(b, cut, k), begin)));
    cairn_ir_assign(b, next, cairn_ir_add_int(b, k, 1));
    cairn_ir_end(b);
    return next;
}

void cairn_product_pass_cuts(build *e, cairn_ir_var *next, cairn_ir_var *q)
{
    cairn_ir             *b   = e->b;
    cairn_ir_array *const cut = cut_of(e);
    const cairn_ir_x      k   = cairn_ir_use(b, next);

    cairn_ir_while(
        b, cairn_ir_and(b, cairn_ir_lt(b, k, arg(e, CAIRN_PRODUCT_cuts, "cuts")),
                        cairn_ir_eq(b, cairn_ir_load(b, cut, k), cairn_ir_use(b, q))));
    cairn_ir_assign(b, q, cairn_ir_add_int(b, cairn_ir_use(b, q), CAIRN_CUT));
    cairn_ir_assign(b, next, cairn_ir_add_int(b, k, 1));
    cairn_ir_end(b);
    cairn_ir_assign(b, q, cairn_ir_add_int(b, cairn_ir_use(b, q), 1));
}

/// The cuts of one thread.
static void build_cutter(build *e, cairn_ir_x t)
{
    cairn_ir *const  b       = e->b;
    const cairn_ir_x cuts    = arg(e, CAIRN_PRODUCT_cuts, "cuts");
    const cairn_ir_x cutters = arg(e, CAIRN_PRODUCT_cutters, "cutters");
    cairn_nest       nest;
    cairn_ir_stmt   *loop = cairn_ir_for(
          b, cairn_ir_binary(b, CAIRN_IR_DIV, cairn_ir_mul(b, cuts, t), cutters),
          cairn_ir_binary(b, CAIRN_IR_DIV,
                          cairn_ir_mul(b, cuts, cairn_ir_add_int(b, t, 1)), cutters),
          1, NULL, "k");
    whole_cut one = {.nest = &nest};

    one.at = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, cut_of(e), cairn_ir_loop_var(b, loop)), "at"));
    cairn_nest_begin(&nest, b, e->p->layout, 0);
    if (e->p->product->columns == 1 || e->looped)
        build_cut(e, &one);
    else
        cairn_product_columns(e, 1, build_cut, &one);
    cairn_ir_end(b);
}

void cairn_product_cuts(build *e)
{
    cairn_ir *const b = e->b;

    if (!e->p->share.cuts.any) return;
    cairn_ir_if(b,
                cairn_ir_lt(b, cairn_ir_int(b, 0), arg(e, CAIRN_PRODUCT_cuts, "cuts")));
    cairn_ir_stmt *threads =
        cairn_ir_for(b, cairn_ir_int(b, 0), arg(e, CAIRN_PRODUCT_cutters, "cutters"), 1,
                     "threads: whole cuts of long rows", "t");

    threads->turns = CAIRN_TURNS_THREADS;
    build_cutter(e, cairn_ir_loop_var(b, threads));
    cairn_ir_end(b);
    cairn_ir_end(b);
}
