// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// REGROUPED: what meets rows again and again is listed by row on the host, in the order
/// in which it meets them. Lists of visits are then done as other lists are: their terms
/// are multiplied by all items, and an item a row joins one visit after the other, as the
/// processor does. Long lists are done by one item of a group, a tile at a time.

#include "ir/passes.h"
#include "lower/grid/grid_steps.h"

typedef cairn_grid_build build;

/* ---- Listing them ---- */

/// Stand on all levels below the row, at the first value of the visit.
static void stand_at_first(cairn_product_build *e, cairn_nest *nest)
{
    const cairn_product_plan *p = e->p;

    for (int k = p->order.known; k < p->order.levels; k++) {
        const int l = p->order.level[k];

        if (p->layout->level[l].trimmed || p->layout->level[l].determined.on)
            cairn_nest_enter(nest, l);
        else
            cairn_nest_stand(nest, l, cairn_ir_int(e->b, 0));
    }
}

/// Stand at a visit; what the processor leaves out is left out.
static void stand_at_visit(cairn_product_build *e, cairn_nest *nest)
{
    const cairn_product_plan *p = e->p;

    cairn_nest_dim(nest, p->out);
    if (p->guard_row) cairn_nest_guard(nest, p->out);
    stand_at_first(e, nest);
    cairn_nest_dim(nest, p->in);
    if (!cairn_product_adds_one(p)) return;
    if (p->guard_x) cairn_nest_guard(nest, p->in);
    if (!p->layout->inverse.exact) cairn_nest_check(nest);
}

static cairn_ir_array *word_array(cairn_ir *b, int field, const char *name)
{
    return cairn_grid_array(b, field, CAIRN_IR_U32, name);
}

static void count_visit(cairn_product_build *e, cairn_nest *nest)
{
    cairn_ir             *b     = e->b;
    cairn_ir_array *const first = word_array(b, CAIRN_GRID_first, "first");

    stand_at_visit(e, nest);
    const cairn_ir_x row = cairn_product_y_at(e, nest->dim[e->p->out], NULL);

    cairn_ir_store(b, first, row, cairn_ir_add_int(b, cairn_ir_load(b, first, row), 1));
}

static void list_visit(cairn_product_build *e, cairn_nest *nest)
{
    cairn_ir             *b     = e->b;
    cairn_ir_array *const first = word_array(b, CAIRN_GRID_first, "first");

    stand_at_visit(e, nest);
    const cairn_ir_x row = cairn_product_y_at(e, nest->dim[e->p->out], NULL);
    const cairn_ir_x at =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, first, row), "k"));

    cairn_ir_store(b, word_array(b, CAIRN_GRID_via, "via"), at, cairn_nest_value(nest));
    cairn_ir_store(b, cairn_grid_array(b, CAIRN_GRID_at, CAIRN_IR_I64, "at"), at,
                   nest->dim[e->p->in]);
    cairn_ir_store(b, first, row, cairn_ir_add_int(b, at, 1));
}

cairn_status cairn_grid_lower_visits(cairn_env           *env,
                                     const cairn_layout  *layout,
                                     const cairn_product *product,
                                     bool                 counts,
                                     const char          *name,
                                     cairn_ir_function  **function)
{
    cairn_product_items items = {.meet = counts ? count_visit : list_visit};
    cairn_grid_plan     plan;
    cairn_nest          nest;
    cairn_ir            b;

    cairn_grid_plan_make(layout, product, &plan);
    CAIRN_CHECK(plan.grid.shape == CAIRN_GRID_REGROUPED, env, CAIRN_UNSUPPORTED,
                "product: %s: its rows are not visited", name);
    if (plan.grid.listed)
        items.meet = counts ? cairn_grid_count_values : cairn_grid_list_values;
    cairn_ir_begin(&b, env, name, CAIRN_ABI_GRID);
    cairn_product_build e = {.b = &b, .p = &plan.plan, .items = &items};

    if (b.status == CAIRN_OK) {
        cairn_ir_describe(&b, counts ? "Visits of each row, counted."
                                     : "Visits of each row, listed.");
        cairn_product_take_arguments(&e);
        cairn_product_begin(&e, &nest);
        cairn_product_enter(&e, &nest, 0);
    }
    return cairn_passes_finish(env, &b, function);
}

/* ---- Doing them ---- */

void cairn_grid_locate_visit(build      *g,
                             cairn_ir_x  begin,
                             cairn_ir_x  p,
                             cairn_ir_x *j,
                             cairn_ir_x *value)
{
    const cairn_product_plan *plan  = g->e.p;
    cairn_ir                 *b     = g->e.b;
    const cairn_ir_x          block = cairn_ir_int(b, g->p->grid.block);
    const cairn_ir_x          visit = cairn_ir_use(
                 b, cairn_ir_let(
                        b, cairn_ir_add(b, begin, cairn_ir_binary(b, CAIRN_IR_DIV, p, block)),
                        "visit"));
    int64_t below = 1;

    *value = cairn_ir_load(b, word_array(b, CAIRN_GRID_via, "via"), visit);
    *j =
        cairn_ir_load(b, cairn_grid_array(b, CAIRN_GRID_at, CAIRN_IR_I64, "at"), visit);
    for (int k = plan->order.levels - 1; k >= plan->order.known; k--) {
        const int     l    = plan->order.level[k];
        const int64_t size = cairn_plan_constant(plan->layout, l);

        if (!cairn_nest_loops(plan->layout, l)) continue;
        const cairn_ir_x at =
            cairn_ir_binary(b, CAIRN_IR_MOD,
                            cairn_ir_binary(b, CAIRN_IR_DIV, p, cairn_ir_int(b, below)),
                            cairn_ir_int(b, size));

        *value = cairn_ir_add(b, *value,
                              cairn_ir_mul_int(b, at, cairn_grid_stride(plan, l)));
        *j     = cairn_ir_add(
                b, *j,
                cairn_ir_mul_int(
                    b, at, cairn_plan_factor(&plan->layout->inverse.dim[plan->in], l)));
        below *= size;
    }
    *j = cairn_ir_use(b, cairn_ir_let(b, *j, "%c", "ij"[plan->in]));
}

static cairn_ir_x named(build *g, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(g->e.b, cairn_ir_let(g->e.b, value, "%s", name));
}

cairn_ir_x cairn_grid_first_visit(build *g, cairn_ir_x q)
{
    return cairn_ir_load(g->e.b, word_array(g->e.b, CAIRN_GRID_first, "first"), q);
}

void cairn_grid_open_visited(build *g, cairn_ir_x begin, cairn_ir_x end)
{
    if (g->p->product.grid_hints.banks)
        cairn_ir_if(g->e.b, cairn_ir_lt(g->e.b, begin, end));
}

void cairn_grid_close_visited(build *g)
{
    if (g->p->product.grid_hints.banks) cairn_ir_end(g->e.b);
}

/// Join the visits @p begin .. @p end - 1 to @p sum; the first that is staged is @p base.
static void join_visits(build            *g,
                        const cairn_nest *above,
                        cairn_ir_array   *staged,
                        cairn_ir_var     *sum,
                        cairn_ir_x        base,
                        cairn_ir_x        begin,
                        cairn_ir_x        end)
{
    cairn_ir        *b    = g->e.b;
    cairn_nest       nest = *above;
    const cairn_ir_x v =
        cairn_ir_loop_var(b, cairn_ir_for(b, begin, end, 1, "visits of the row", "v"));
    const cairn_product_items items = {.staged = staged,
                                       .visit  = cairn_ir_sub(b, v, base)};

    /* All that is asked of the levels is their places below the row. */
    nest.terse = true;
    for (int l = 0; l < nest.layout->levels; l++)
        nest.node[l] = nest.place[l] = cairn_ir_int(b, 0);
    g->e.items = &items;
    cairn_product_visit(&g->e, &nest, sum);
    g->e.items = NULL;
    cairn_ir_end(b);
}

void cairn_grid_build_visits(build *g)
{
    cairn_ir  *b = g->e.b;
    cairn_nest nest;

    cairn_product_begin(&g->e, &nest);
    const cairn_grid_tile t = cairn_grid_open_tile(g, &nest, "tiles of visits");

    cairn_grid_stage(g, &nest, t.staged, t.begin, t.values);
    cairn_ir_barrier(b);
    const cairn_ir_x q     = cairn_grid_open_turns(b, t.row, t.end, "rows", "r");
    const cairn_ir_x begin = cairn_grid_first_visit(g, q);
    const cairn_ir_x end   = cairn_grid_first_visit(g, cairn_ir_add_int(b, q, 1));

    cairn_grid_open_visited(g, begin, end);
    cairn_ir_var *const sum = cairn_product_open_row(&g->e, q);

    join_visits(g, &nest, t.staged, sum, t.begin, begin, end);
    cairn_product_close_row(&g->e, q, sum);
    cairn_grid_close_visited(g);
    cairn_ir_end(b);
    cairn_ir_end(b);
}

/// The one item that adds.
static void open_item(build *g)
{
    cairn_grid_open_turns(g->e.b, cairn_ir_int(g->e.b, 0), cairn_ir_int(g->e.b, 1),
                          NULL, "t");
}

void cairn_grid_build_long_visits(build *g)
{
    cairn_ir        *b    = g->e.b;
    const cairn_ir_x zero = cairn_ir_int(b, 0);
    cairn_nest       nest;

    cairn_product_begin(&g->e, &nest);
    const cairn_ir_x      k = cairn_grid_open_groups(b, "long lists of visits", "g");
    cairn_ir_array *const staged = cairn_grid_open_staged(g);
    cairn_ir_array *const kept =
        cairn_ir_shared(b, g->p->product.accumulate, 1, "sum_so_far");
    const cairn_ir_x q = named(
        g,
        cairn_ir_load(
            b, cairn_grid_array(b, CAIRN_GRID_long_list, CAIRN_IR_I64, "long_list"), k),
        "row");
    const cairn_ir_x end =
        named(g, cairn_grid_first_visit(g, cairn_ir_add_int(b, q, 1)), "end");

    open_item(g);
    cairn_ir_store(b, kept, zero, cairn_ir_use(b, cairn_product_open_row(&g->e, q)));
    cairn_ir_end(b);
    cairn_ir_stmt *const loop =
        cairn_ir_for(b, cairn_grid_first_visit(g, q), end,
                     CAIRN_GRID_TILE / g->p->grid.block, "as many as a tile", "v");
    const cairn_ir_x at = cairn_ir_loop_var(b, loop);
    const cairn_ir_x stop =
        named(g, cairn_ir_min(b, cairn_ir_add_int(b, at, loop->step), end), "stop");

    cairn_grid_stage(g, &nest, staged, at,
                     cairn_ir_mul_int(b, cairn_ir_sub(b, stop, at), g->p->grid.block));
    cairn_ir_barrier(b);
    open_item(g);
    cairn_ir_var *const sum = cairn_ir_declare(b, cairn_ir_load(b, kept, zero), "sum");

    join_visits(g, &nest, staged, sum, at, at, stop);
    cairn_ir_store(b, kept, zero, cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    cairn_ir_end(b);
    open_item(g);
    cairn_product_close_row(&g->e, q,
                            cairn_ir_declare(b, cairn_ir_load(b, kept, zero), "sum"));
    cairn_ir_end(b);
    cairn_ir_end(b);
}
