// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that add to Y, those without entries several at once. A member of a hybrid that has
/// what others left over has entries in few rows, and what the others cost by themselves,
/// their two ends and the branches of a sum, is most of such a product.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

/// What the rows from node @p q to before @p stop add, which have no entries: an empty sum
/// each, so that a -0 of Y becomes 0 as in every other row.
static void
add_nothing(build *e, cairn_nest nest, int level, cairn_ir_x q, cairn_ir_x stop)
{
    cairn_sums sum = {
        .strips = 1, .strip = {{0, 1, 1}}, .inside = true, .single = true};
    const int open = nest.open;

    cairn_nest_enter_range(&nest, level, q, stop);
    cairn_nest_dim(&nest, e->p->out);
    cairn_product_declare(e, &sum);
    cairn_product_store(e, &nest, &sum);
    cairn_nest_leave(&nest, open);
}

/// How many of the rows from node @p begin to before @p end are looked at together: all,
/// unless entries are few among them. A look at each CAIRN_EMPTY would only be one more
/// branch to learn where most of these have some.
static cairn_ir_x
rows_of_look(build *e, const cairn_nest *nest, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir             *b    = e->b;
    const cairn_ir_array *ptr  = cairn_nest_ptr(nest, e->p->layout->last);
    const cairn_ir_x      rows = cairn_ir_sub(b, end, begin);
    const cairn_ir_x      entries =
        cairn_ir_sub(b, cairn_ir_load(b, ptr, end), cairn_ir_load(b, ptr, begin));
    cairn_ir_var *const look = cairn_ir_declare(b, rows, "look");

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_mul_int(b, entries, 2 * CAIRN_EMPTY), rows));
    cairn_ir_assign(b, look, cairn_ir_int(b, CAIRN_EMPTY));
    cairn_ir_end(b);
    return cairn_ir_use(b, look);
}

void cairn_product_empty(build      *e,
                         cairn_nest *nest,
                         int         at,
                         cairn_ir_x  begin,
                         cairn_ir_x  end)
{
    cairn_ir             *b    = e->b;
    const int             l    = e->p->order.level[at];
    const cairn_ir_array *ptr  = cairn_nest_ptr(nest, e->p->layout->last);
    const cairn_ir_x      look = rows_of_look(e, nest, begin, end);
    char                  name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];

    cairn_nest_name(e->p->layout, l, name);
    cairn_nest_note(e->p->layout, l, note);
    cairn_ir_note(b, "%s: rows without entries together", note);
    cairn_ir_var *const first = cairn_ir_declare(b, begin, "p%s_first", name);
    const cairn_ir_x    q     = cairn_ir_use(b, first);

    cairn_ir_while(b, cairn_ir_lt(b, q, end));
    const cairn_ir_x stop =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_min(b, cairn_ir_add(b, q, look), end),
                                     "p%s_end", name));

    cairn_ir_if(b,
                cairn_ir_eq(b, cairn_ir_load(b, ptr, q), cairn_ir_load(b, ptr, stop)));
    add_nothing(e, *nest, l, q, stop);
    cairn_ir_else(b);
    cairn_nest rows = *nest;

    cairn_nest_enter_range(&rows, l, q, stop);
    cairn_product_enter(e, &rows, at + 1);
    cairn_nest_leave(&rows, nest->open);
    cairn_ir_end(b);
    cairn_ir_assign(b, first, stop);
    cairn_ir_end(b);
}
