// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// REGROUPED where visits are of any size, lists of their own or positions that some of a
/// block's have and some have not: each value that counts is listed by row, with a mark
/// where a visit begins. A row is an item's, which goes through its visits one by one and
/// deals their values to chains and cuts as the processor does. Any nest has such a grid;
/// it is for those that have no other.
///
/// A word of `at` is four times the row of X, and 1 where a visit begins, and 2 where
/// there is no term: in a visit without values, or a block's column outside of X.

#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

enum { WORDS = 4, BEGINS = 1, EMPTY = 2 };

/* ---- Listing them ---- */

/// What of a row is counted or listed.
typedef struct {
    cairn_ir_array *first;
    cairn_ir_x      row;
    cairn_ir_var   *next;   ///< Where the next value goes; or how many there are.
    cairn_ir_var   *begins; ///< BEGINS until the visit at hand has a value; then 0.
    bool            counts;
} listing;

static cairn_ir_array *word_array(cairn_ir *b, int field, const char *name)
{
    return cairn_grid_array(b, field, CAIRN_IR_U32, name);
}

static cairn_ir_array *at_array(cairn_ir *b)
{
    return cairn_grid_array(b, CAIRN_GRID_at, CAIRN_IR_I64, "at");
}

/// List, or count, one value.
static void put(cairn_ir *b, const listing *l, cairn_ir_x value, cairn_ir_x word)
{
    const cairn_ir_x k = cairn_ir_use(b, l->next);

    if (!l->counts) {
        cairn_ir_store(b, word_array(b, CAIRN_GRID_via, "via"), k, value);
        cairn_ir_store(b, at_array(b), k, word);
    }
    cairn_ir_assign(b, l->next, cairn_ir_add_int(b, k, 1));
}

/// Open the loops of all levels below the row.
static void open_values(cairn_product_build *e, cairn_nest *nest)
{
    const cairn_product_plan *p = e->p;

    if (e->run) {
        cairn_ir_stmt *const loop =
            cairn_ir_for(e->b, e->run, e->run_end, 1, "the run", "p");

        nest->open++;
        for (int l = p->order.run; l <= p->order.run_last; l++)
            nest->node[l] = cairn_ir_loop_var(e->b, loop);
    }
    for (int k = p->order.known; k < p->order.levels; k++)
        cairn_nest_enter(nest, p->order.level[k]);
}

/// The word of the value at hand. Of a block's columns all are listed, since their chains
/// follow from their places; of others those that the processor adds.
static cairn_ir_x word_of(cairn_product_build *e, cairn_nest *nest, const listing *l)
{
    const cairn_product_plan *p      = e->p;
    cairn_ir                 *b      = e->b;
    const cairn_ir_x          j      = cairn_nest_dim(nest, p->in);
    const cairn_ir_x          begins = cairn_ir_use(b, l->begins);

    if (p->sum == CAIRN_SUM_COLUMNS && p->guard_x) {
        const cairn_ir_x inside = cairn_ir_and(b, cairn_ir_le(b, e->lo[p->in], j),
                                               cairn_ir_lt(b, j, e->end[p->in]));

        return cairn_ir_add(b, begins,
                            cairn_ir_select(b, inside, cairn_ir_mul_int(b, j, WORDS),
                                            cairn_ir_int(b, EMPTY)));
    }
    if (p->guard_x) cairn_nest_guard(nest, p->in);
    if (!p->layout->inverse.exact) cairn_nest_check(nest);
    return cairn_ir_add(b, begins, cairn_ir_mul_int(b, j, WORDS));
}

/// All values of a visit; where there is none, what says that there was one, unless the
/// processor leaves it out then: as many words as a block has columns, for a visit's values
/// are taken a block at a time.
static void visit_values(cairn_product_build *e, cairn_nest *nest, bool counts)
{
    cairn_ir *b = e->b;
    listing   l = {.first = word_array(b, CAIRN_GRID_first, "first"), .counts = counts};

    cairn_nest_dim(nest, e->p->out);
    if (e->p->guard_row) cairn_nest_guard(nest, e->p->out);
    l.row = cairn_ir_use(
        b, cairn_ir_let(b, cairn_product_y_at(e, nest->dim[e->p->out], NULL), "row"));
    l.next = cairn_ir_declare(
        b, cairn_ir_cast(b, CAIRN_IR_I64, cairn_ir_load(b, l.first, l.row)), "next");
    l.begins = cairn_ir_declare(b, cairn_ir_int(b, BEGINS), "begins");

    cairn_nest values = *nest;

    open_values(e, &values);
    const cairn_ir_x word = word_of(e, &values, &l);

    put(b, &l, cairn_nest_value(&values), word);
    cairn_ir_assign(b, l.begins, cairn_ir_int(b, 0));
    cairn_nest_leave(&values, nest->open);
    if (!cairn_product_needs_term(e->p)) {
        cairn_ir_if(b, cairn_ir_ne(b, cairn_ir_use(b, l.begins), cairn_ir_int(b, 0)));
        put(b, &l, cairn_ir_int(b, 0), cairn_ir_int(b, BEGINS + EMPTY));
        for (int c = 1; e->p->sum == CAIRN_SUM_COLUMNS && c < e->p->chains; c++)
            put(b, &l, cairn_ir_int(b, 0), cairn_ir_int(b, EMPTY));
        cairn_ir_end(b);
    }
    cairn_ir_store(b, l.first, l.row, cairn_ir_use(b, l.next));
}

void cairn_grid_count_values(cairn_product_build *e, cairn_nest *nest)
{
    visit_values(e, nest, true);
}

void cairn_grid_list_values(cairn_product_build *e, cairn_nest *nest)
{
    visit_values(e, nest, false);
}

/* ---- Doing them ---- */

/// Values listed, from which a visit's total is made.
typedef struct {
    build            *g;
    const cairn_nest *nest;
    cairn_sums        sums;
    cairn_ir_var     *row[CAIRN_VECTORS]; ///< What its whole cuts come to.
} visit;

static cairn_ir_x word_at(build *g, cairn_ir_x k)
{
    return cairn_ir_load(g->e.b, at_array(g->e.b), k);
}

/// The terms of what is listed at @p k, whose word is @p word, one a column.
static void
find_terms(const visit *v, cairn_ir_x k, cairn_ir_x word, int vectors, cairn_ir_x *term)
{
    cairn_product_build *e  = &v->g->e;
    cairn_ir            *b  = e->b;
    const cairn_ir_x     at = cairn_ir_load(b, word_array(b, CAIRN_GRID_via, "via"), k);
    const cairn_ir_x     a  = cairn_ir_use(
             b, cairn_ir_let(b, cairn_product_value_at(e, v->nest, at, 1), "a"));
    const cairn_ir_x j = cairn_ir_use(
        b, cairn_ir_let(
               b, cairn_ir_binary(b, CAIRN_IR_DIV, word, cairn_ir_int(b, WORDS)), "j"));

    for (int n = 0; n < vectors; n++) {
        const cairn_ir_x x =
            cairn_product_x(e, e->columns.first ? cairn_product_x_at(e, j, n) : j, 1);

        term[n] = cairn_ir_mul(b, a, x);
    }
}

/// Add what is listed at @p k to chain @p chain.
static void add_term(visit *v, cairn_ir_x k, int chain)
{
    cairn_ir        *b    = v->g->e.b;
    const cairn_ir_x word = cairn_ir_use(b, cairn_ir_let(b, word_at(v->g, k), "w"));
    const cairn_ir_x half =
        cairn_ir_binary(b, CAIRN_IR_DIV, word, cairn_ir_int(b, EMPTY));
    const cairn_ir_x empty = cairn_ir_binary(b, CAIRN_IR_MOD, half, cairn_ir_int(b, 2));
    cairn_ir_x       term[CAIRN_VECTORS];

    cairn_ir_if(b, cairn_ir_eq(b, empty, cairn_ir_int(b, 0)));
    find_terms(v, k, word, v->sums.vectors, term);
    for (int n = 0; n < v->sums.vectors; n++) {
        cairn_ir_var *const sum = v->sums.sum[0][chain][n];

        cairn_ir_assign(b, sum, cairn_ir_add(b, cairn_ir_use(b, sum), term[n]));
    }
    cairn_ir_end(b);
}

/// Add @p begin .. @p end - 1, which begin at a chain's first.
static void add_stretch(visit *v, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir  *b      = v->g->e.b;
    const int  chains = v->sums.chains;
    cairn_ir_x whole  = end;

    if (chains > 1 && v->g->e.p->sum == CAIRN_SUM_FOUR) {
        const cairn_ir_x rest = cairn_ir_binary(
            b, CAIRN_IR_MOD, cairn_ir_sub(b, end, begin), cairn_ir_int(b, chains));

        whole = cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, end, rest), "whole"));
    }
    const cairn_ir_x k =
        cairn_ir_loop_var(b, cairn_ir_for(b, begin, whole, chains, NULL, "k"));

    for (int c = 0; c < chains; c++)
        add_term(v, cairn_ir_add_int(b, k, c), c);
    cairn_ir_end(b);
    if (whole == end) return;
    add_term(v, cairn_ir_loop_var(b, cairn_ir_for(b, whole, end, 1, NULL, "k")), 0);
    cairn_ir_end(b);
}

/// Add whole cuts from @p begin on, while more is left. @return what is left.
static cairn_ir_x add_cuts(visit *v, cairn_ir_x begin, cairn_ir_x end)
{
    const cairn_ir_x    zero = cairn_ir_real(v->g->e.b, v->g->p->product.accumulate, 0);
    cairn_ir           *b    = v->g->e.b;
    cairn_ir_var *const at   = cairn_ir_declare(b, begin, "cut");
    const cairn_ir_x    here = cairn_ir_use(b, at);

    for (int n = 0; n < v->sums.vectors; n++)
        v->row[n] = cairn_ir_declare(b, zero, "row_%d", n);
    cairn_ir_while(
        b, cairn_ir_lt(b, cairn_ir_int(b, CAIRN_CUT), cairn_ir_sub(b, end, here)));
    const cairn_ir_x from = cairn_ir_use(b, cairn_ir_let(b, here, "from"));
    const cairn_ir_x stop =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add_int(b, from, CAIRN_CUT), "stop"));

    add_stretch(v, from, stop);
    for (int n = 0; n < v->sums.vectors; n++) {
        cairn_ir_assign(b, v->row[n],
                        cairn_ir_add(b, cairn_ir_use(b, v->row[n]),
                                     cairn_product_total(&v->g->e, &v->sums, 0, n)));
        for (int c = 0; c < v->sums.chains; c++)
            cairn_ir_assign(b, v->sums.sum[0][c][n], zero);
    }
    cairn_ir_assign(b, at, stop);
    cairn_ir_end(b);
    return cairn_ir_use(b, cairn_ir_let(b, here, "rest"));
}

/// The visit listed at @p begin .. @p end - 1; its totals are in @p total.
static void build_visit(build            *g,
                        const cairn_nest *nest,
                        cairn_ir_x        begin,
                        cairn_ir_x        end,
                        cairn_ir_x       *total)
{
    visit v = {
        .g    = g,
        .nest = nest,
        .sums = {.strips = 1, .strip = {{0, 1, 1}}, .single = true}
    };

    if (g->e.p->order.known
        == g->e.p->order.levels) { /* its only term joins Y itself */
        find_terms(&v, begin, word_at(g, begin),
                   g->p->grid.group ? g->p->grid.width : 1, total);
        return;
    }
    cairn_product_declare(&g->e, &v.sums);
    if (g->p->grid.cuts) begin = add_cuts(&v, begin, end);
    add_stretch(&v, begin, end);
    for (int n = 0; n < v.sums.vectors; n++) {
        const cairn_ir_x sum = cairn_product_total(&g->e, &v.sums, 0, n);

        total[n] = g->p->grid.cuts
                       ? cairn_ir_add(g->e.b, cairn_ir_use(g->e.b, v.row[n]), sum)
                       : sum;
    }
}

/// A row that is met once at most.
static void build_once(build            *g,
                       const cairn_nest *nest,
                       cairn_ir_x        y,
                       cairn_ir_x        begin,
                       cairn_ir_x        end)
{
    cairn_ir  *b = g->e.b;
    cairn_ir_x total[CAIRN_VECTORS];

    cairn_ir_if(b, cairn_ir_lt(b, begin, end));
    build_visit(g, nest, begin, end, total);
    for (int n = 0; n < (g->p->grid.group ? g->p->grid.width : 1); n++)
        cairn_product_join_total(&g->e, cairn_ir_add_int(b, y, n), total[n]);
    cairn_ir_end(b);
}

/// A row that is met again and again.
static void build_often(build            *g,
                        const cairn_nest *nest,
                        cairn_ir_x        y,
                        cairn_ir_x        begin,
                        cairn_ir_x        end)
{
    cairn_ir     *b       = g->e.b;
    const int     vectors = g->p->grid.group ? g->p->grid.width : 1;
    cairn_ir_var *sum[CAIRN_VECTORS], *at, *next;
    cairn_ir_x    total[CAIRN_VECTORS];

    cairn_grid_open_visited(g, begin, end);
    for (int n = 0; n < vectors; n++)
        sum[n] = cairn_product_open_row(&g->e, cairn_ir_add_int(b, y, n));
    at = cairn_ir_declare(b, begin, "at_visit");
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, at), end));
    next = cairn_ir_declare(b, cairn_ir_add_int(b, cairn_ir_use(b, at), 1), "next");
    const cairn_ir_x goes_on =
        cairn_ir_eq(b,
                    cairn_ir_binary(b, CAIRN_IR_MOD, word_at(g, cairn_ir_use(b, next)),
                                    cairn_ir_int(b, 2)),
                    cairn_ir_int(b, 0));

    cairn_ir_while(
        b, cairn_ir_and(b, cairn_ir_lt(b, cairn_ir_use(b, next), end), goes_on));
    cairn_ir_assign(b, next, cairn_ir_add_int(b, cairn_ir_use(b, next), 1));
    cairn_ir_end(b);
    build_visit(g, nest, cairn_ir_use(b, cairn_ir_let(b, cairn_ir_use(b, at), "visit")),
                cairn_ir_use(b, cairn_ir_let(b, cairn_ir_use(b, next), "visit_end")),
                total);
    for (int n = 0; n < vectors; n++)
        cairn_product_join_visit(&g->e, total[n], sum[n]);
    cairn_ir_assign(b, at, cairn_ir_use(b, next));
    cairn_ir_end(b);
    for (int n = 0; n < vectors; n++)
        cairn_product_close_row(&g->e, cairn_ir_add_int(b, y, n), sum[n]);
    cairn_grid_close_visited(g);
}

void cairn_grid_build_values(build *g)
{
    cairn_ir  *b = g->e.b;
    cairn_nest nest;

    cairn_product_begin(&g->e, &nest);
    const cairn_ir_x q = g->p->grid.group ? cairn_grid_open_columns(g, "rows", "q")
                                          : cairn_grid_open_items(b, 1, "rows", "q");
    const cairn_ir_x y =
        g->e.columns.first ? cairn_product_row_at(&g->e, q, g->e.columns.first) : q;
    const cairn_ir_x begin =
        cairn_ir_use(b, cairn_ir_let(b, cairn_grid_first_visit(g, q), "first_value"));
    const cairn_ir_x end = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_grid_first_visit(g, cairn_ir_add_int(b, q, 1)), "end"));

    if (g->e.p->order.once)
        build_once(g, &nest, y, begin, end);
    else
        build_often(g, &nest, y, begin, end);
    if (g->p->grid.group) {
        cairn_grid_close_columns(g);
        return;
    }
    cairn_ir_end(b);
    cairn_ir_end(b);
}
