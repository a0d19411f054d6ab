// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases MARK and PLACE: groups of entries come one after the other, and the indices of
/// the one trimmed level are few enough for an array with a slot for each. MARK notes
/// which a group has: slot[x] is one more than the node, and a node before the group's
/// first is another group's. PLACE finds the node of an index there.

#include "lower/convert_steps.h"

static cairn_ir_array *slots_of(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_slot, "slot");
}

static cairn_ir_array *list_of(cairn_convert *c)
{
    return cairn_convert_small(c, CAIRN_CONVERT_list, "list");
}

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

static void increase(cairn_convert *c, cairn_ir_var *var)
{
    cairn_ir_assign(&c->ir, var,
                    cairn_ir_add_int(&c->ir, cairn_ir_use(&c->ir, var), 1));
}

/// This thread's slot of an index; with one group all threads have the same.
static cairn_ir_x slot_at(cairn_convert *c, cairn_ir_x x, bool common)
{
    cairn_ir *b = &c->ir;

    if (common) return x;
    return cairn_ir_add(
        b, x,
        cairn_ir_mul(b, c->thread,
                     cairn_convert_scalar(c, CAIRN_CONVERT_slots, "slots")));
}

/* ---- MARK ---- */

/// Where a thread stands.
typedef struct {
    cairn_ir_var *entries, *nodes;
    cairn_ir_var *first, *group; ///< Groups: the first met, and the one at hand.
    cairn_ir_var *begin;         ///< Its first node.
} marker;

/// Groups that nobody has end where the next one begins.
static void begin_group(cairn_convert *c, marker *m, cairn_ir_x group)
{
    cairn_ir *b = &c->ir;

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_use(b, m->first), cairn_ir_int(b, 0)));
    cairn_ir_assign(b, m->first, group);
    cairn_ir_assign(b, m->group, cairn_ir_add_int(b, group, -1));
    cairn_ir_end(b);
    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, m->group), group));
    increase(c, m->group);
    cairn_ir_store(b, cairn_convert_cursors(c), cairn_ir_use(b, m->group),
                   cairn_ir_use(b, m->nodes));
    cairn_ir_end(b);
    cairn_ir_assign(b, m->begin, cairn_ir_use(b, m->nodes));
}

static void mark_index(cairn_convert *c, marker *m)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x x    = offset_of(c);
    const cairn_ir_x slot = slot_at(c, x, false);

    if (c->to->first == 0) {
        cairn_ir_store(b, slots_of(c), slot, cairn_ir_int(b, 1));
        return;
    }
    cairn_ir_if(b, cairn_ir_le(b, cairn_ir_load(b, slots_of(c), slot),
                               cairn_ir_use(b, m->begin)));
    cairn_ir_store(b, list_of(c), cairn_ir_use(b, m->nodes), x);
    increase(c, m->nodes);
    cairn_ir_store(b, slots_of(c), slot, cairn_ir_use(b, m->nodes));
    cairn_ir_end(b);
}

static void mark_entry(cairn_convert *c, marker *m)
{
    cairn_ir *b = &c->ir;

    cairn_convert_indices(c, c->to->last + 1);
    if (c->to->first > 0) {
        const cairn_ir_x group = cairn_convert_group(c);

        cairn_ir_if(b, cairn_ir_ne(b, group, cairn_ir_use(b, m->group)));
        begin_group(c, m, group);
        cairn_ir_end(b);
    }
    mark_index(c, m);
    increase(c, m->entries);
}

void cairn_convert_lower_mark(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    marker    m = {0};

    cairn_convert_open_shares(c);

    const cairn_ir_x offset = cairn_ir_load(
        b, cairn_convert_array(c, CAIRN_CONVERT_offset, "offset"), c->thread);

    m.entries = cairn_ir_declare(b, cairn_ir_int(b, 0), "entries");
    m.nodes   = cairn_ir_declare(b, offset, "nodes");
    m.first   = cairn_ir_declare(b, cairn_ir_int(b, -1), "first_group");
    m.group   = cairn_ir_declare(b, cairn_ir_int(b, -1), "group_now");
    m.begin   = cairn_ir_declare(b, cairn_ir_use(b, m.nodes), "begin_of_group");
    cairn_convert_visit(c, false);
    mark_entry(c, &m);
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_use(b, m.entries));
    cairn_convert_tell(c, 1, cairn_ir_use(b, m.nodes));
    cairn_convert_tell(c, 2, cairn_ir_use(b, m.first));
    cairn_convert_tell(c, 3, cairn_ir_use(b, m.group));
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
    const cairn_ir_x x =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, list_of(c), q), "its"));
    const cairn_ir_x e =
        cairn_ir_add(b, x, cairn_convert_element(c, CAIRN_CONVERT_low, "low", E));

    cairn_ir_store(b, slots_of(c), c->thread ? slot_at(c, x, false) : x, q);
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
    const cairn_ir_x slot = slot_at(c, offset_of(c), one);
    const cairn_ir_x node =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, slots_of(c), slot), "node"));

    cairn_convert_write(c, node, NULL);
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
