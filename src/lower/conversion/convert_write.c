// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What all phases that fill have in common: positions of complete levels, values,
/// determined levels.

#include "lower/conversion/convert_steps.h"

cairn_ir_x cairn_convert_combine(cairn_convert *c,
                                 cairn_ir_x     at,
                                 int            begin,
                                 int            end,
                                 uint32_t       mask)
{
    cairn_ir *b = &c->ir;

    for (int k = begin; k < end; k++)
        if (mask >> k & 1)
            at =
                cairn_ir_add(b, cairn_ir_mul(b, at, cairn_convert_size(c, 1, k)),
                             cairn_ir_sub(b, c->here.e[k], cairn_convert_low(c, 1, k)));
    return at;
}

/// @p at, moved to where the bank's array begins.
static cairn_ir_x moved(cairn_convert *c, cairn_ir_x at, const cairn_ir_x *delta, int l)
{
    return delta ? cairn_ir_add(&c->ir, at, delta[l]) : at;
}

void cairn_convert_write(cairn_convert *c, cairn_ir_x node, const cairn_ir_x *delta)
{
    const cairn_layout *to = c->to;
    cairn_ir           *b  = &c->ir;
    cairn_ir_x          p  = node;

    for (int l = to->last + 1; l < to->levels; l++) {
        if (l <= to->partition) continue;
        if (!to->level[l].determined.on) {
            p = cairn_convert_combine(c, p, l, l + 1, UINT32_MAX);
            continue;
        }
        if (c->spec->omit.determined) continue;
        const cairn_ir_x at =
            to->level[l].determined.per_node
                ? p
                : cairn_convert_combine(c, cairn_ir_int(b, 0), to->partition + 1, l,
                                        to->level[l].determined.by);
        const bool once = c->here.first && !to->level[l].determined.per_node;

        if (once) cairn_ir_if(b, c->here.first);
        cairn_ir_store(b, cairn_convert_idx(c, 1, l), moved(c, at, delta, l),
                       c->here.e[l]);
        if (once) cairn_ir_end(b);
    }
    cairn_ir_store(b, cairn_convert_values(c, 1), moved(c, p, delta, to->levels),
                   cairn_convert_as_value(c, c->here.value));
}

void cairn_convert_write_holes(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    for (int l = c->to->last + 1; l < c->to->levels; l++) {
        if (!c->to->level[l].determined.on) continue;
        const cairn_ir_x hole =
            cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 1, l}, CAIRN_IR_I64,
                           "B%d_hole", l);
        cairn_ir_stmt *loop =
            cairn_ir_for(b, cairn_ir_int(b, 0),
                         cairn_convert_element(c, CAIRN_CONVERT_length, "length", l), 1,
                         "no element yet", "h");

        cairn_ir_store(b, cairn_convert_idx(c, 1, l), cairn_ir_loop_var(b, loop), hole);
        cairn_ir_end(b);
    }
}

cairn_ir_array *cairn_convert_cursors(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_cursor, "cursor");
}

cairn_ir_x cairn_convert_group(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    return cairn_ir_use(b, cairn_ir_let(b,
                                        cairn_convert_combine(c, cairn_ir_int(b, 0), 0,
                                                              c->to->first, UINT32_MAX),
                                        "group"));
}
