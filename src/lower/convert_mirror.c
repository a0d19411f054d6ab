// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phase MIRROR: where a target is the source with two dimensions exchanged, and the
/// pattern is symmetric in them, an entry of the target has its index where the source
/// has one, and its value where the source has that of the mirrored entry. So nothing is
/// counted and nothing dealt out: each group's cursor runs through its nodes, and finds
/// the mirrored entries in order. What it finds proves the symmetry, or ends the attempt.

#include "lower/convert_steps.h"

/// The dimension that is the index of a level; -1: it is something else.
static int dimension_of(const cairn_level *level, int order)
{
    return level->indirect ? -1 : cairn_form_dimension(&level->form, order);
}

/// Complete levels above one trimmed level, with values at its nodes and no padding.
static bool is_plain(const cairn_layout *layout)
{
    const int          E     = layout->levels - 1;
    const cairn_level *level = &layout->level[E];

    if (layout->first != E || layout->last != E || E == 0 || layout->partition >= 0
        || layout->tuples > 0 || layout->pads || !layout->exact)
        return false;
    for (int l = 0; l < E; l++)
        if (layout->level[l].determined) return false;
    return level->has_ptr && level->has_idx && !level->gaps;
}

bool cairn_convert_can_mirror(const cairn_layout *from, const cairn_layout *to)
{
    int exchanged = 0;

    if (from->levels != to->levels || from->levels != from->order || !is_plain(from)
        || !is_plain(to))
        return false;
    for (int l = 0; l < from->levels; l++) {
        const int a = dimension_of(&from->level[l], from->order);
        const int b = dimension_of(&to->level[l], from->order);

        if (a < 0 || b < 0) return false;
        exchanged += a != b;
    }
    return exchanged == 2;
}

void cairn_convert_lower_mirror(cairn_convert *c)
{
    cairn_ir        *b     = &c->ir;
    const int        E     = c->to->last;
    const cairn_ir_x nodes = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, E}, CAIRN_IR_I64, "A%d_nodes", E);

    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->levels);

    cairn_ir_array *const cursor = cairn_convert_cursors(c);
    const cairn_ir_x      group  = cairn_convert_group(c);
    const cairn_ir_x      at =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, cursor, group), "at"));
    const cairn_ir_x mirror = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_min(b, at, cairn_ir_add_int(b, nodes, -1)), "mirror"));

    cairn_ir_store(b, cursor, group, cairn_ir_add_int(b, at, 1));
    cairn_ir_if(b, cairn_ir_ne(b, cairn_ir_load(b, cairn_convert_idx(c, 0, E), mirror),
                               c->here.e[E]));
    cairn_ir_return(b, cairn_ir_int(b, 0));
    cairn_ir_end(b);
    if (!(c->spec->omit.idx >> E & 1))
        cairn_ir_store(b, cairn_convert_idx(c, 1, E), c->inner.node, c->here.stored[E]);
    cairn_ir_store(b, cairn_convert_values(c, 1), c->inner.node,
                   cairn_convert_as_value(
                       c, cairn_ir_load(b, cairn_convert_values(c, 0), mirror)));
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_int(b, 1));
}
