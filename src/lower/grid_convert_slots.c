// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// FILL of a target in which the entries of a row stand one behind the other, in a lane
/// that the row alone gives. Keys are rows, and come in order: so the number of an entry
/// along its row is how far it stands behind the first of the row.

#include "lower/grid_convert_steps.h"

void cairn_grid_convert_lower_slots(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    c->trusted         = true;
    const cairn_ir_x p = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "p");
    const cairn_ir_x at =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p);

    cairn_grid_convert_stand(c, cairn_ir_use(b, cairn_ir_let(b, at, "from")), true);
    const cairn_ir_x first =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_first, "first"),
                      cairn_grid_convert_row(c));

    c->numbers.rank = cairn_ir_declare(b, cairn_ir_sub(b, p, first), "rank");
    c->here.first =
        cairn_ir_eq(b, cairn_ir_use(b, c->numbers.rank), cairn_ir_int(b, 0));
    cairn_convert_indices(c, c->levels);
    const cairn_ir_x group =
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_convert_group(c));

    cairn_convert_write(
        c,
        cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_add(b, group, c->here.e[c->to->last]), "node")),
        NULL);
    cairn_convert_leave(c);
    cairn_grid_convert_close(c);
}
