// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows next to each other that have the same columns (share/alike_rows.h): up to
/// CAIRN_ALIKE_MOST of them are summed side by side, each in its own chains, so that
/// columns and x are loaded once for all.

#include "lower/product/product_steps.h"
#include "share/alike_rows.h"

typedef cairn_product_build build;

/// The first of the rows at hand, and where its entries are.
typedef struct {
    const cairn_nest *nest;
    int               level; ///< Of rows.
    cairn_ir_var     *q;     ///< The row's node there.
    cairn_ir_x        begin, stop;
} first_row;

/// @p count rows that are alike: their sums, and what they join.
static void add_rows(build *e, const first_row *first, int count)
{
    cairn_nest row[CAIRN_ALIKE_MOST];
    cairn_sums sums[CAIRN_ALIKE_MOST];

    cairn_product_stand_rows(e, first->nest, first->level, cairn_ir_use(e->b, first->q),
                             count, row, sums);
    cairn_product_chains_alike(e, &row[0], sums, count, first->begin, first->stop);
    for (int k = 0; k < count; k++)
        cairn_product_store(e, &row[k], &sums[k]);
}

/// Rows by how many are alike, the most first; a row alone as if nobody had looked.
static void
add_alike_or_alone(build *e, const first_row *first, int at, cairn_ir_x rows)
{
    cairn_ir  *b     = e->b;
    cairn_nest alone = *first->nest;

    for (int count = CAIRN_ALIKE_MOST; count > 1; count--) {
        cairn_ir_if(b, cairn_ir_eq(b, rows, cairn_ir_int(b, count)));
        add_rows(e, first, count);
        cairn_ir_else(b);
    }
    cairn_product_enter(e, &alone, at + 1);
    for (int count = CAIRN_ALIKE_MOST; count > 1; count--)
        cairn_ir_end(b);
}

void cairn_product_alike(build      *e,
                         cairn_nest *nest,
                         int         at,
                         cairn_ir_x  begin,
                         cairn_ir_x  end)
{
    cairn_ir             *b     = e->b;
    const int             l     = e->p->order.level[at];
    const cairn_ir_array *alike = cairn_ir_array_of(
        b, (cairn_ir_field){.source = CAIRN_IR_ARG, .level = CAIRN_PRODUCT_alike},
        CAIRN_IR_U8, "alike");
    char name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];

    cairn_nest_name(e->p->layout, l, name);
    cairn_nest_note(e->p->layout, l, note);
    cairn_ir_note(b, "%s: rows of the same columns side by side", note);
    cairn_ir_var *const q    = cairn_ir_declare(b, begin, "p%s", name);
    const cairn_ir_x    node = cairn_ir_use(b, q);

    cairn_ir_while(b, cairn_ir_lt(b, node, end));
    cairn_nest_stand(nest, l, node);
    first_row        first = {.nest = nest, .level = l, .q = q};
    const cairn_ir_x rows =
        cairn_ir_use(b, cairn_ir_let(b,
                                     cairn_ir_min(b, cairn_ir_load(b, alike, node),
                                                  cairn_ir_sub(b, end, node)),
                                     "rows"));

    cairn_nest_range(nest, e->p->layout->last, &first.begin, &first.stop);
    add_alike_or_alone(e, &first, at, rows);
    cairn_ir_assign(b, q, cairn_ir_add(b, node, rows));
    cairn_ir_end(b);
}
