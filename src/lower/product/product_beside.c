// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Long rows, four at once, each in its own chains. Rows next to each other reach about the
/// same columns at about the same time, so that a line of x is loaded once for all where a
/// row by itself goes through all of x before the next one begins; and additions of one row
/// need not wait for those before them.

#include "lower/product/product_steps.h"

typedef cairn_product_build build;

/// Have all rows from the one at hand on, of node @p q, a turn of entries? So they have no
/// row that is left as it is for having none.
static cairn_ir_x are_long(build *e, const cairn_nest *nest, cairn_ir_x q)
{
    cairn_ir             *b     = e->b;
    const cairn_ir_array *ptr   = cairn_nest_ptr(nest, e->p->layout->last);
    cairn_ir_x            all   = NULL;
    cairn_ir_x            begin = cairn_ir_load(b, ptr, q);

    for (int r = 0; r < CAIRN_BESIDE; r++) {
        const cairn_ir_x end = cairn_ir_load(b, ptr, cairn_ir_add_int(b, q, r + 1));
        const cairn_ir_x has =
            cairn_ir_le(b, cairn_ir_int(b, CAIRN_TURN), cairn_ir_sub(b, end, begin));

        all   = all ? cairn_ir_and(b, all, has) : has;
        begin = end;
    }
    return all;
}

/// The rows from node @p q on: their sums, and what they join.
static void add_rows(build *e, const cairn_nest *nest, int level, cairn_ir_x q)
{
    cairn_nest row[CAIRN_BESIDE];
    cairn_sums sums[CAIRN_BESIDE];

    cairn_product_stand_rows(e, nest, level, q, CAIRN_BESIDE, row, sums);
    cairn_product_chains_beside(e, row, sums);
    for (int r = 0; r < CAIRN_BESIDE; r++)
        cairn_product_store(e, &row[r], &sums[r]);
}

void cairn_product_beside(build      *e,
                          cairn_nest *nest,
                          int         at,
                          cairn_ir_x  begin,
                          cairn_ir_x  end)
{
    cairn_ir *b = e->b;
    const int l = e->p->order.level[at];
    char      name[CAIRN_NEST_NAME], note[CAIRN_NEST_NOTE];

    cairn_nest_name(e->p->layout, l, name);
    cairn_nest_note(e->p->layout, l, note);
    cairn_ir_note(b, "%s: long rows side by side", note);
    cairn_ir_var *const row = cairn_ir_declare(b, begin, "p%s", name);
    const cairn_ir_x    q   = cairn_ir_use(b, row);

    cairn_ir_while(b, cairn_ir_lt(b, q, end));
    cairn_nest_stand(nest, l, q);
    cairn_nest       alone = *nest;
    const cairn_ir_x there = cairn_ir_le(b, cairn_ir_add_int(b, q, CAIRN_BESIDE), end);

    cairn_ir_if(b, cairn_ir_and(b, there, are_long(e, nest, q)));
    add_rows(e, nest, l, q);
    cairn_ir_assign(b, row, cairn_ir_add_int(b, q, CAIRN_BESIDE));
    cairn_ir_else(b);
    cairn_product_enter(e, &alone, at + 1);
    cairn_ir_assign(b, row, cairn_ir_add_int(b, q, 1));
    cairn_ir_end(b);
    cairn_ir_end(b);
}
