// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers along rows: entries come row by row, and the number of an entry is how many of
/// its row came before.

#include "lower/conversion/convert_steps.h"

void cairn_convert_declare_rank(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    c->numbers.rank     = cairn_ir_declare(b, cairn_ir_int(b, 0), "rank");
    c->numbers.rank_row = cairn_ir_declare(b, cairn_ir_int(b, -1), "rank_row");
}

void cairn_convert_number_entry(cairn_convert *c)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x row = c->here.dim[c->spec->along.row];

    cairn_ir_if(b, cairn_ir_ne(b, row, cairn_ir_use(b, c->numbers.rank_row)));
    cairn_ir_assign(b, c->numbers.rank_row, row);
    cairn_ir_assign(b, c->numbers.rank, cairn_ir_int(b, 0));
    cairn_ir_else(b);
    cairn_ir_assign(b, c->numbers.rank,
                    cairn_ir_add_int(b, cairn_ir_use(b, c->numbers.rank), 1));
    cairn_ir_end(b);
}
