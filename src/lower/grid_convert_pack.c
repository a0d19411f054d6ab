// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PACK: from a position of the source up its levels to the indices of all, by which it is
/// a key of the target. A level that stores nodes under parents is left by a binary search
/// in its ptr, a complete one by division.

#include "lower/grid_convert_steps.h"

/// Places of a level's parents: of all levels above, the nodes that there are.
static cairn_ir_x places_above(cairn_convert *c, int l)
{
    cairn_ir *b = &c->ir;

    if (l == 0) return cairn_ir_int(b, 1);
    const cairn_level *above = &c->from->level[l - 1];

    if (above->trimmed)
        return cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, l - 1},
                              CAIRN_IR_I64, "A%d_nodes", l - 1);
    if (above->determined) return places_above(c, l - 1);
    return cairn_ir_mul(b, places_above(c, l - 1), cairn_convert_size(c, 0, l - 1));
}

/// The last parent whose nodes begin at or before @p node: with those that have none
/// behind it, it is the one that has it.
static cairn_ir_x find_parent(cairn_convert *c, int l, cairn_ir_x node)
{
    cairn_ir        *b    = &c->ir;
    cairn_ir_array  *ptr  = cairn_convert_ptr(c, 0, l);
    cairn_ir_var    *low  = cairn_ir_declare(b, cairn_ir_int(b, 0), "low%d", l);
    cairn_ir_var    *high = cairn_ir_declare(b, places_above(c, l), "high%d", l);
    const cairn_ir_x lo = cairn_ir_use(b, low), hi = cairn_ir_use(b, high);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_add_int(b, lo, 1), hi));
    const cairn_ir_x middle = cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_binary(b, CAIRN_IR_DIV, cairn_ir_add(b, lo, hi),
                                        cairn_ir_int(b, 2)),
                        "middle%d", l));

    cairn_ir_if(b, cairn_ir_le(b, cairn_ir_load(b, ptr, middle), node));
    cairn_ir_assign(b, low, middle);
    cairn_ir_else(b);
    cairn_ir_assign(b, high, middle);
    cairn_ir_end(b);
    cairn_ir_end(b);
    return lo;
}

/// Leave level @p l upwards. @return the place above it.
static cairn_ir_x leave(cairn_convert *c, cairn_ir_x *e, int l, cairn_ir_x node)
{
    const cairn_level *level = &c->from->level[l];
    cairn_ir          *b     = &c->ir;

    if (level->determined) { /* the others are read where all above is known */
        if (level->per_node)
            e[l] = cairn_ir_use(
                b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_idx(c, 0, l), node),
                                "s%d", l));
        return node;
    }
    if (!level->trimmed) {
        const cairn_ir_x size = cairn_convert_size(c, 0, l);
        const cairn_ir_x k    = cairn_ir_binary(b, CAIRN_IR_MOD, node, size);

        e[l] = cairn_ir_use(
            b,
            cairn_ir_let(b, cairn_ir_add(b, cairn_convert_low(c, 0, l), k), "s%d", l));
        return cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_binary(b, CAIRN_IR_DIV, node, size), "n%d", l));
    }
    if (level->has_idx)
        e[l] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_idx(c, 0, l), node),
                            "s%d", l));
    if (level->top) return cairn_ir_int(b, 0);
    return level->has_ptr ? find_parent(c, l, node) : node;
}

/// Indices of determined levels that stand once for all nodes; holes are no entries.
static void read_determined(cairn_convert *c, cairn_ir_x *e)
{
    cairn_ir *b = &c->ir;

    for (int l = 0; l < c->from->levels; l++) {
        const cairn_level *level = &c->from->level[l];

        if (!level->determined) continue;
        if (!level->per_node)
            e[l] = cairn_ir_use(
                b, cairn_ir_let(b,
                                cairn_ir_load(b, cairn_convert_idx(c, 0, l),
                                              cairn_convert_combination(c, e, l)),
                                "s%d", l));
        cairn_convert_require(
            c,
            cairn_ir_ne(b, e[l],
                        cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 0, l},
                                       CAIRN_IR_I64, "A%d_hole", l)));
    }
}

void cairn_grid_convert_stand(cairn_convert *c, cairn_ir_x p, bool value)
{
    cairn_ir_x e[CAIRN_MAX_LEVELS] = {NULL};
    cairn_ir_x node                = p;

    for (int l = c->from->levels - 1; l >= 0; l--)
        node = leave(c, e, l, node);
    read_determined(c, e);
    cairn_convert_stand_in_part(c, e, p, value);
}

/// The indices of all levels.
static cairn_ir_x key_of_levels(cairn_convert *c)
{
    cairn_ir  *b   = &c->ir;
    cairn_ir_x key = cairn_ir_int(b, 0);

    cairn_convert_indices(c, c->levels);
    for (int l = 0; l < c->levels; l++)
        key = cairn_ir_binary(
            b, CAIRN_IR_BITS_OR, key,
            cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT,
                            cairn_ir_sub(b, c->here.e[l], c->fields.low[l]),
                            c->fields.shift[l]));
    return key;
}

cairn_ir_x cairn_grid_convert_row(cairn_convert *c)
{
    const int row = c->spec->along.row;

    return cairn_ir_sub(
        &c->ir, c->here.dim[row],
        cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * (int64_t)row));
}

void cairn_grid_convert_lower_pack(cairn_convert *c)
{
    const bool along = c->spec->along.on;
    cairn_ir  *b     = &c->ir;

    c->trusted = true;
    if (!along) cairn_convert_read_fields(c);
    const cairn_ir_x p    = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "p");
    cairn_ir_array  *keys = cairn_grid_convert_keys(c);

    cairn_ir_store(b, keys, p,
                   cairn_convert_scalar(c, CAIRN_GRID_CONVERT_dead, "dead"));
    cairn_ir_store(b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p, p);
    cairn_grid_convert_stand(c, p, false);
    cairn_ir_store(b, keys, p, along ? cairn_grid_convert_row(c) : key_of_levels(c));
    cairn_convert_leave(c);
    cairn_grid_convert_close(c);
}
