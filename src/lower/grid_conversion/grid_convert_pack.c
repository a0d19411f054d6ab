// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PACK: from a position of the source, if it is no list of coordinates, up its levels to
/// the indices of all, by which it is a key of the target. A level that stores nodes
/// under parents is left by a binary search in its ptr, a complete one by division.

#include "lower/grid_conversion/grid_convert_steps.h"

cairn_grid_search cairn_grid_search_open(cairn_ir *b, cairn_ir_x from, cairn_ir_x till)
{
    cairn_ir_var    *low  = cairn_ir_declare(b, from, "from");
    cairn_ir_var    *high = cairn_ir_declare(b, till, "till");
    const cairn_ir_x lo = cairn_ir_use(b, low), hi = cairn_ir_use(b, high);

    cairn_ir_while(b, cairn_ir_lt(b, lo, hi));
    const cairn_ir_x middle = cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_binary(b, CAIRN_IR_DIV, cairn_ir_add(b, lo, hi),
                                        cairn_ir_int(b, 2)),
                        "middle"));

    return (cairn_grid_search){low, high, lo, middle};
}

cairn_ir_x
cairn_grid_search_close(cairn_ir *b, const cairn_grid_search *s, cairn_ir_x before)
{
    cairn_ir_if(b, before);
    cairn_ir_assign(b, s->low, cairn_ir_add_int(b, s->middle, 1));
    cairn_ir_else(b);
    cairn_ir_assign(b, s->high, s->middle);
    cairn_ir_end(b);
    cairn_ir_end(b);
    return s->lo;
}

/// Places of a level's parents: of all levels above, the nodes that there are.
static cairn_ir_x places_above(cairn_convert *c, int l)
{
    cairn_ir *b = &c->ir;

    if (l == c->from->partition + 1) return cairn_ir_int(b, 1); /* of a bank */
    const cairn_level *above = &c->from->level[l - 1];

    if (above->trimmed)
        return cairn_ir_param(b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, l - 1},
                              CAIRN_IR_I64, "A%d_nodes", l - 1);
    if (above->determined.on) return places_above(c, l - 1);
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

    if (level->determined.on) { /* the others are read where all above is known */
        if (level->determined.per_node)
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
    if (level->arrays.has_idx)
        e[l] = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_idx(c, 0, l), node),
                            "s%d", l));
    if (level->top) return cairn_ir_int(b, 0);
    return level->arrays.has_ptr ? find_parent(c, l, node) : node;
}

/// Indices of determined levels that stand once for all nodes; holes are no entries.
static void read_determined(cairn_convert *c, cairn_ir_x *e)
{
    cairn_ir *b = &c->ir;

    for (int l = c->from->partition + 1; l < c->from->levels; l++) {
        const cairn_level *level = &c->from->level[l];

        if (!level->determined.on) continue;
        if (!level->determined.per_node)
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

/// Stand at position @p p: dimensions are known then.
static void stand(cairn_convert *c, cairn_ir_x p)
{
    cairn_ir  *b                   = &c->ir;
    cairn_ir_x e[CAIRN_MAX_LEVELS] = {NULL};
    cairn_ir_x node                = p;

    if (!c->from) {
        c->here.turn = p; /* whose numbers are read */
        cairn_convert_stand_at(c, p);
        for (int k = 0; k < c->spec->order; k++)
            c->here.dim[k] = cairn_ir_use(
                b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_coordinates(c, k), p),
                                "d%d", k));
        return;
    }
    for (int l = 0; l <= c->from->partition; l++)
        e[l] = cairn_convert_element(c, CAIRN_CONVERT_outer, "outer", l);
    for (int l = c->from->levels - 1; l > c->from->partition; l--)
        node = leave(c, e, l, node);
    read_determined(c, e);
    cairn_convert_stand_in_part(c, e, p, false);
}

/// Where a group is listed in its line, by a binary search for its last expression.
static cairn_ir_x find_in_line(cairn_convert *c)
{
    cairn_ir        *b    = &c->ir;
    const int        last = c->spec->blocks.query->group_by.count - 1;
    const cairn_ir_x line = cairn_convert_group_number(c, last, "line");
    cairn_ir_array  *first =
        cairn_convert_small(c, CAIRN_CONVERT_line_first, "line_first");
    cairn_ir_array *list = cairn_convert_small(c, CAIRN_CONVERT_line_list, "line_list");
    const cairn_ir_x x   = cairn_ir_use(
          b, cairn_ir_let(
                 b,
                 cairn_ir_sub(b, cairn_convert_form(c, &c->numbers.block_form[last]),
                              cairn_convert_element(c, CAIRN_CONVERT_group_low,
                                                    "group_low", last)),
                 "place"));
    const cairn_grid_search s =
        cairn_grid_search_open(b, cairn_ir_load(b, first, line),
                               cairn_ir_load(b, first, cairn_ir_add_int(b, line, 1)));

    return cairn_grid_search_close(b, &s,
                                   cairn_ir_lt(b, cairn_ir_load(b, list, s.middle), x));
}

/// The number that the entry's group has in its line, if a query gives one.
static void number_group(cairn_convert *c)
{
    const cairn_query *query = c->spec->blocks.query;
    cairn_ir          *b     = &c->ir;

    if (!query) return;
    const cairn_ir_x at =
        c->spec->blocks.listed
            ? find_in_line(c)
            : cairn_convert_group_number(c, query->group_by.count, "block");

    c->numbers.block_number = cairn_ir_use(
        b, cairn_ir_let(
               b,
               cairn_ir_load(
                   b, cairn_convert_small(c, CAIRN_CONVERT_rank_of, "rank_of"), at),
               "number"));
}

/// The indices of all levels.
static cairn_ir_x key_of_levels(cairn_convert *c)
{
    cairn_ir  *b   = &c->ir;
    cairn_ir_x key = cairn_ir_int(b, 0);

    number_group(c);
    cairn_convert_indices(c, c->levels);
    for (int l = 0; l < c->levels; l++)
        key = cairn_ir_binary(
            b, CAIRN_IR_BITS_OR, key,
            cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT,
                            cairn_ir_sub(b, c->here.e[l], c->fields.low[l]),
                            c->fields.shift[l]));
    return key;
}

/// The row, and in it the column.
static cairn_ir_x key_of_row(cairn_convert *c)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x row = cairn_ir_sub(
                         b, c->here.dim[c->spec->along.row],
                         cairn_convert_element(c, CAIRN_CONVERT_low, "low", 0)),
                     col = cairn_ir_sub(
                         b, c->here.dim[c->spec->along.col],
                         cairn_convert_element(c, CAIRN_CONVERT_low, "low", 1));

    return cairn_ir_binary(
        b, CAIRN_IR_BITS_OR,
        cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT, row,
                        cairn_convert_element(c, CAIRN_CONVERT_shift, "shift", 0)),
        col);
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
    cairn_ir_store(
        b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p,
        cairn_ir_add(b, p, cairn_convert_scalar(c, CAIRN_CONVERT_begin, "before")));
    stand(c, p);
    cairn_ir_store(b, keys, p, along ? key_of_row(c) : key_of_levels(c));
    cairn_convert_leave(c);
    cairn_grid_convert_close(c);
}
