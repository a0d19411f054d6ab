// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phase MIRROR: where a target is the source with two dimensions exchanged, and the
/// pattern is symmetric in them, an entry of the target has its index where the source
/// has one, and its value where the source has that of the mirrored entry. So nothing is
/// counted and nothing dealt out: each group's cursor runs through its nodes, and finds
/// the mirrored entries in order. What it finds proves the symmetry, or ends the attempt.

#include "lower/conversion/convert_steps.h"

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
        || layout->packs.count > 0 || layout->pads || !layout->inverse.exact)
        return false;
    for (int l = 0; l < E; l++)
        if (layout->level[l].determined.on) return false;
    return level->arrays.has_ptr && level->arrays.has_idx && !level->gaps;
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

/// Where a group's cursor stands, which then goes on: the entry's mirrored one, or none.
static cairn_ir_x take_mirrored(cairn_convert *c, int E)
{
    cairn_ir             *b      = &c->ir;
    cairn_ir_array *const cursor = cairn_convert_cursors(c);
    const cairn_ir_x      nodes  = cairn_ir_param(
              b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, E}, CAIRN_IR_I64, "A%d_nodes", E);
    const cairn_ir_x group = cairn_convert_group(c);
    const cairn_ir_x at =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, cursor, group), "at"));
    const cairn_ir_x mirror = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_min(b, at, cairn_ir_add_int(b, nodes, -1)), "mirror"));

    cairn_ir_store(b, cursor, group, cairn_ir_add_int(b, at, 1));
    return mirror;
}

/// The attempt ends where @p condition holds.
static void give_up_if(cairn_convert *c, cairn_ir_x condition)
{
    cairn_ir_if(&c->ir, condition);
    cairn_ir_return(&c->ir, cairn_ir_int(&c->ir, 0));
    cairn_ir_end(&c->ir);
}

/// The value at node @p to is that at node @p from of the source.
static void take_value(cairn_convert *c, cairn_ir_x to, cairn_ir_x from)
{
    cairn_ir_store(&c->ir, cairn_convert_values(c, 1), to,
                   cairn_convert_as_value(
                       c, cairn_ir_load(&c->ir, cairn_convert_values(c, 0), from)));
}

/// Two levels: entries before a row's cursor were met from the other side, and those from
/// there on are not before the diagonal, or one has no mirrored entry. A cursor that has
/// left its row is found when the row's turn comes, since rows met are still to come.
static void lower_halved(cairn_convert *c)
{
    cairn_ir             *b      = &c->ir;
    cairn_ir_array *const ptr    = cairn_convert_ptr(c, 0, 1);
    cairn_ir_array *const idx    = cairn_convert_idx(c, 0, 1);
    cairn_ir_array *const cursor = cairn_convert_cursors(c);
    const cairn_ir_x      begin = cairn_convert_begin(c), end = cairn_convert_end(c);
    cairn_ir_x            e[CAIRN_MAX_LEVELS];

    const cairn_ir_x row =
        cairn_ir_loop_var(b, cairn_ir_for(b, begin, end, 1, "rows", "p0"));
    const cairn_ir_x row_end = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, ptr, cairn_ir_add_int(b, row, 1)), "row_end"));
    const cairn_ir_x first =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, cursor, row), "first"));

    e[0] = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_add(b, cairn_convert_low(c, 0, 0), row), "s0"));
    give_up_if(c, cairn_ir_lt(b, row_end, first));
    cairn_ir_if(b, cairn_ir_lt(b, first, row_end));
    give_up_if(c, cairn_ir_lt(b, cairn_ir_load(b, idx, first), e[0]));
    cairn_ir_end(b);

    const cairn_ir_x node =
        cairn_ir_loop_var(b, cairn_ir_for(b, first, row_end, 1, "nodes", "p1"));

    e[1] = cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, idx, node), "s1"));
    cairn_convert_stand_in_part(c, e, node, false);
    cairn_convert_indices(c, c->levels);
    const cairn_ir_x mirror = take_mirrored(c, 1);

    give_up_if(c, cairn_ir_ne(b, cairn_ir_load(b, idx, mirror), e[0]));
    take_value(c, node, mirror);
    take_value(c, mirror, node);
    cairn_ir_end(b);
    cairn_ir_store(b, cursor, row, row_end);
    cairn_ir_end(b);
    if (!(c->spec->omit.idx >> 1 & 1)) {
        const cairn_ir_x at = cairn_ir_loop_var(
            b, cairn_ir_for(b, cairn_ir_load(b, ptr, begin), cairn_ir_load(b, ptr, end),
                            1, "nodes", "at"));

        cairn_ir_store(b, cairn_convert_idx(c, 1, 1), at, cairn_ir_load(b, idx, at));
        cairn_ir_end(b);
    }
    cairn_convert_tell(c, 0, cairn_ir_int(b, 1));
}

void cairn_convert_lower_mirror(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    const int E = c->to->last;

    if (c->spec->rows.halved) {
        lower_halved(c);
        return;
    }
    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->levels);
    const cairn_ir_x mirror = take_mirrored(c, E);

    give_up_if(c, cairn_ir_ne(b, cairn_ir_load(b, cairn_convert_idx(c, 0, E), mirror),
                              c->here.e[E]));
    if (!(c->spec->omit.idx >> E & 1))
        cairn_ir_store(b, cairn_convert_idx(c, 1, E), c->inner.node, c->here.stored[E]);
    take_value(c, c->inner.node, mirror);
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_int(b, 1));
}
