// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases MARK and PLACE: groups of entries come one after the other, and the indices of
/// the one trimmed level are few enough for an array with a slot for each. MARK notes
/// which a group has: slot[x] is one more than the node, and a node before the group's
/// first is another group's. PLACE finds the node of an index there.

#include "lower/convert_steps.h"

/// The index of the trimmed level, from the least of its range.
static cairn_ir_x offset_of(cairn_convert *c)
{
    const int E = c->to->last;

    return cairn_ir_use(
        &c->ir, cairn_ir_let(
                    &c->ir,
                    cairn_ir_sub(&c->ir, c->e[E],
                                 cairn_convert_element(c, CAIRN_CONVERT_low, "low", E)),
                    "x"));
}

/* ---- MARK ---- */

void cairn_convert_lower_mark(cairn_convert *c)
{
    cairn_ir            *b   = &c->ir;
    const bool           one = c->to->first == 0;
    cairn_convert_lister s;

    cairn_convert_open_shares(c);
    cairn_convert_declare_lister(c, &s, "group");
    cairn_ir_var *entries = cairn_ir_declare(b, cairn_ir_int(b, 0), "entries");

    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->to->last + 1);
    if (!one) cairn_convert_enter_group(c, &s, cairn_convert_group(c));

    const cairn_ir_x x = offset_of(c);

    if (one)
        cairn_ir_store(b, cairn_convert_slots(c), cairn_convert_slot_at(c, x),
                       cairn_ir_int(b, 1));
    else
        cairn_convert_list_offset(c, &s, x, NULL);
    cairn_convert_increase(c, entries);
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_use(b, entries));
    cairn_convert_tell_lister(c, &s);
    cairn_convert_close_shares(c);
}

/* ---- PLACE ---- */

/// Where the index of every node of level E stands: into its slot, and for padding.
static void enter_nodes(cairn_convert *c, cairn_ir_x group)
{
    cairn_ir      *b    = &c->ir;
    const int      E    = c->to->last;
    cairn_ir_stmt *loop = cairn_ir_for(
        b, cairn_ir_load(b, cairn_convert_cursors(c), group),
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_ir_add_int(b, group, 1)), 1,
        "nodes of the group", "q");
    const cairn_ir_x q = cairn_ir_loop_var(b, loop);
    const cairn_ir_x x = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_list(c), q), "its"));
    const cairn_ir_x e =
        cairn_ir_add(b, x, cairn_convert_element(c, CAIRN_CONVERT_low, "low", E));

    cairn_ir_store(b, cairn_convert_slots(c),
                   c->thread ? cairn_convert_slot_at(c, x) : x, q);
    if (c->to->level[E].has_idx) cairn_ir_store(b, cairn_convert_idx(c, 1, E), q, e);
    if (cairn_convert_needs_tuples(c->to) && !c->spec->rank) {
        cairn_ir_array  *tuple = cairn_convert_array(c, CAIRN_CONVERT_tuple, "tuple");
        const cairn_ir_x nodes =
            cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 1, E},
                           CAIRN_IR_I64, "B%d_nodes", E);

        for (int l = 0; l <= E; l++)
            cairn_ir_store(b, tuple, cairn_ir_add(b, cairn_ir_mul_int(b, nodes, l), q),
                           l < E ? c->e[l] : e);
    }
    cairn_ir_end(b);
}

void cairn_convert_lower_place(cairn_convert *c)
{
    cairn_ir  *b   = &c->ir;
    const bool one = c->to->first == 0;

    cairn_convert_write_holes(c);
    if (one) enter_nodes(c, cairn_ir_int(b, 0));
    cairn_convert_open_shares(c);

    cairn_ir_var *current = cairn_ir_declare(b, cairn_ir_int(b, -1), "current");

    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);
    if (!one) {
        const cairn_ir_x group = cairn_convert_group(c);

        cairn_ir_if(b, cairn_ir_ne(b, group, cairn_ir_use(b, current)));
        cairn_ir_assign(b, current, group);
        enter_nodes(c, group);
        cairn_ir_end(b);
    }
    /* With one group all threads have the same slots. */
    const cairn_ir_x x    = offset_of(c);
    const cairn_ir_x slot = one ? x : cairn_convert_slot_at(c, x);
    const cairn_ir_x node = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_slots(c), slot), "node"));

    cairn_convert_write(c, node, NULL);
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
