// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases LANES and RANKED: formats in which the entries of a row stand one behind the
/// other, in a lane that the row alone gives.

#include "lower/conversion/convert_steps.h"

/// Complete levels, but for the numbered one and the last.
static uint32_t lane_levels(const cairn_layout *to)
{
    uint32_t levels = 0;

    for (int l = 0; l < to->levels - 1; l++)
        if (l != to->last && !to->level[l].determined.on) levels |= 1U << l;
    return levels;
}

void cairn_convert_lower_lanes(cairn_convert *c)
{
    cairn_ir      *b      = &c->ir;
    const uint32_t levels = lane_levels(c->to);

    cairn_convert_open_shares(c);
    cairn_convert_visit(c, false);
    for (int l = 0; l < c->levels; l++)
        if (levels >> l & 1)
            c->here.e[l] = cairn_ir_use(
                b, cairn_ir_let(b, cairn_convert_form(c, &c->target[l]), "e%d", l));
    cairn_ir_store(
        b, cairn_convert_small(c, CAIRN_CONVERT_list, "list"), c->here.turn,
        cairn_convert_combine(c, cairn_ir_int(b, 0), 0, c->to->levels, levels));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}

void cairn_convert_lower_ranked(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    cairn_convert_open_shares(c);
    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);

    const cairn_ir_x first =
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_convert_group(c));

    cairn_convert_write(
        c,
        cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_add(b, first, c->here.e[c->to->last]), "node")),
        NULL);
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
