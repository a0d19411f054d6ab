// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers along rows: entries come row by row, and the number of an entry is how many of
/// its row came before.

#include "lower/convert_steps.h"

void cairn_convert_declare_rank(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    c->rank     = cairn_ir_declare(b, cairn_ir_int(b, 0), "rank");
    c->rank_row = cairn_ir_declare(b, cairn_ir_int(b, -1), "rank_row");
    c->fewest   = cairn_ir_declare(b, cairn_ir_int(b, INT64_MAX), "fewest");
    c->most     = cairn_ir_declare(b, cairn_ir_int(b, 0), "most");
}

/// The row that ends here had rank + 1 entries.
static void end_row(cairn_convert *c)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x count = cairn_ir_add_int(b, cairn_ir_use(b, c->rank), 1);

    cairn_ir_if(b, cairn_ir_le(b, cairn_ir_int(b, 0), cairn_ir_use(b, c->rank_row)));
    cairn_ir_assign(b, c->fewest, cairn_ir_min(b, cairn_ir_use(b, c->fewest), count));
    cairn_ir_assign(b, c->most, cairn_ir_max(b, cairn_ir_use(b, c->most), count));
    if (c->spec->phase == CAIRN_CONVERT_MARK || c->spec->phase == CAIRN_CONVERT_PACK) {
        const cairn_ir_x lo = cairn_convert_element(c, CAIRN_CONVERT_box, "box",
                                                    2 * (int64_t)c->spec->rank_row);

        cairn_ir_store(b, cairn_convert_small(c, CAIRN_CONVERT_counts, "counts"),
                       cairn_ir_sub(b, cairn_ir_use(b, c->rank_row), lo), count);
    }
    cairn_ir_end(b);
}

void cairn_convert_number_entry(cairn_convert *c)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x row = c->dim[c->spec->rank_row];

    cairn_ir_if(b, cairn_ir_ne(b, row, cairn_ir_use(b, c->rank_row)));
    end_row(c);
    cairn_ir_assign(b, c->rank_row, row);
    cairn_ir_assign(b, c->rank, cairn_ir_int(b, 0));
    cairn_ir_else(b);
    cairn_ir_assign(b, c->rank, cairn_ir_add_int(b, cairn_ir_use(b, c->rank), 1));
    cairn_ir_end(b);
}

void cairn_convert_tell_ranks(cairn_convert *c)
{
    end_row(c);
    cairn_convert_tell(c, 4, cairn_ir_use(&c->ir, c->fewest));
    cairn_convert_tell(c, 5, cairn_ir_use(&c->ir, c->most));
}
