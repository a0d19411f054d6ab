// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// FILL of a target in which the entries of a row stand one behind the other, in a lane
/// that the row alone gives. A key is a row and a column, and keys come in order: so the
/// number of an entry along its row is how far it stands behind the first of the row. And of
/// one in which groups of entries stand so, whose numbers keys have. And PAD of both.

#include "lower/grid_conversion/grid_convert_steps.h"

/// Dimensions from the key at @p p. @return the row, from the first of the box.
static cairn_ir_x stand_at_row(cairn_convert *c, cairn_ir_x p)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x word = cairn_grid_convert_key_at(c, p, "word");
    const cairn_ir_x row  = cairn_ir_use(
         b, cairn_ir_let(b,
                         cairn_ir_binary(
                             b, CAIRN_IR_SHIFT_RIGHT, word,
                             cairn_convert_element(c, CAIRN_CONVERT_shift, "shift", 0)),
                         "row"));
    const cairn_ir_x col =
        cairn_ir_binary(b, CAIRN_IR_BITS_AND, word,
                        cairn_convert_element(c, CAIRN_CONVERT_mask, "mask", 1));

    c->here.dim[c->spec->along.row] = cairn_ir_use(
        b,
        cairn_ir_let(
            b,
            cairn_ir_add(b, row, cairn_convert_element(c, CAIRN_CONVERT_low, "low", 0)),
            "d%d", c->spec->along.row));
    c->here.dim[c->spec->along.col] = cairn_ir_use(
        b,
        cairn_ir_let(
            b,
            cairn_ir_add(b, col, cairn_convert_element(c, CAIRN_CONVERT_low, "low", 1)),
            "d%d", c->spec->along.col));
    return row;
}

/// Write the value into the slot whose number level E has, of the group that the levels
/// above it give.
static void write_slot(cairn_convert *c)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x group =
        cairn_ir_load(b, cairn_convert_cursors(c), cairn_convert_group(c));

    cairn_convert_write(
        c,
        cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_add(b, group, c->here.e[c->to->last]), "node")),
        NULL);
}

void cairn_grid_convert_lower_slots(cairn_convert *c)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x p   = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "p");
    const cairn_ir_x row = stand_at_row(c, p);
    const cairn_ir_x at =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p);
    const cairn_ir_x first =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_first, "first"), row);

    c->numbers.rank = cairn_ir_declare(b, cairn_ir_sub(b, p, first), "rank");
    c->here.value   = cairn_grid_convert_value(c, at);
    c->here.first =
        cairn_ir_eq(b, cairn_ir_use(b, c->numbers.rank), cairn_ir_int(b, 0));
    cairn_convert_indices(c, c->levels);
    write_slot(c);
    cairn_grid_convert_close(c);
}

static cairn_ir_x let(cairn_convert *c, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, value, "%s", name));
}

/// Lane @p k of all groups. Slots of neighbours lie side by side.
static cairn_convert_lane lane_at(cairn_convert *c, cairn_ir_x k)
{
    cairn_ir          *b      = &c->ir;
    cairn_ir_array    *cursor = cairn_convert_cursors(c);
    cairn_convert_lane s      = {.lanes =
                                     cairn_convert_scalar(c, CAIRN_CONVERT_lanes, "lanes")};
    const cairn_ir_x   g    = let(c, cairn_ir_binary(b, CAIRN_IR_DIV, k, s.lanes), "g");
    const cairn_ir_x   node = let(c, cairn_ir_load(b, cursor, g), "node");
    const cairn_ir_x   next = cairn_ir_load(b, cursor, cairn_ir_add_int(b, g, 1));

    s.base =
        let(c, cairn_ir_add(b, k, cairn_ir_mul(b, cairn_ir_sub(b, node, g), s.lanes)),
            "base");
    s.stop = let(
        c,
        cairn_ir_add(b, s.base, cairn_ir_mul(b, cairn_ir_sub(b, next, node), s.lanes)),
        "stop");
    s.next = cairn_ir_declare(b, s.base, "next");
    return s;
}

void cairn_grid_convert_lower_pad(cairn_convert *c)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x k = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "k");
    const cairn_convert_lane s     = lane_at(c, k);
    const cairn_ir_x         place = let(
                c, cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_order, "order"), k),
                "place");
    cairn_ir_array *first = cairn_convert_small(c, CAIRN_CONVERT_first, "first");

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_int(b, 0), place));
    const cairn_ir_x entries =
        cairn_ir_sub(b, cairn_ir_load(b, first, place),
                     cairn_ir_load(b, first, cairn_ir_add_int(b, place, -1)));

    cairn_ir_assign(b, s.next,
                    cairn_ir_add(b, s.base, cairn_ir_mul(b, entries, s.lanes)));
    cairn_convert_put_padding(c, &s);
    cairn_ir_else(b);
    cairn_convert_put_holes(c, &s);
    cairn_ir_end(b);
    cairn_grid_convert_close(c);
}

/* Keys are in the order of the source: each has all that is asked for. */
void cairn_grid_convert_lower_lines(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    cairn_convert_read_fields(c);
    const cairn_ir_x p    = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "p");
    const cairn_ir_x word = cairn_grid_convert_key_at(c, p, "word");

    cairn_ir_if(
        b,
        cairn_ir_ne(b, word, cairn_convert_scalar(c, CAIRN_GRID_CONVERT_dead, "dead")));
    c->here.word[0] = word;
    cairn_convert_indices(c, c->levels);
    c->here.value = cairn_grid_convert_value(
        c, cairn_ir_load(b, cairn_convert_small(c, CAIRN_GRID_CONVERT_at, "at"), p));
    write_slot(c);
    cairn_ir_end(b);
    cairn_grid_convert_close(c);
}

/// The level whose index says which group a slot has.
static int index_level(const cairn_layout *to)
{
    int l = to->last + 1;

    while (!to->level[l].determined.on)
        l++;
    return l;
}

static void put_index(cairn_convert *c, const cairn_convert_lane *s, cairn_ir_x value)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x next = cairn_ir_use(b, s->next);

    cairn_ir_store(b, cairn_convert_idx(c, 1, index_level(c->to)), next, value);
    cairn_ir_assign(b, s->next, cairn_ir_add(b, next, s->lanes));
}

static void put_holes_of_line(cairn_convert *c, const cairn_convert_lane *s)
{
    cairn_ir        *b    = &c->ir;
    const int        D    = index_level(c->to);
    const cairn_ir_x hole = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 1, D}, CAIRN_IR_I64, "B%d_hole", D);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, s->next), s->stop));
    put_index(c, s, hole);
    cairn_ir_end(b);
}

/// The groups of a line, listed from @p begin to @p end, and behind them those that it
/// lacks, as far as there are slots. The list ascends: the next of it that was not met
/// tells whether a value is lacking.
static void put_line(cairn_convert            *c,
                     const cairn_convert_lane *s,
                     cairn_ir_x                begin,
                     cairn_ir_x                end)
{
    cairn_ir       *b    = &c->ir;
    cairn_ir_array *list = cairn_convert_small(c, CAIRN_CONVERT_line_list, "line_list");
    const cairn_ir_x all =
        cairn_convert_scalar(c, CAIRN_CONVERT_line_slots, "line_slots");
    cairn_ir_var *const q      = cairn_ir_declare(b, begin, "q");
    cairn_ir_var *const met    = cairn_ir_declare(b, begin, "met");
    cairn_ir_var *const absent = cairn_ir_declare(b, cairn_ir_int(b, 0), "absent");
    const cairn_ir_x    m = cairn_ir_use(b, met), x = cairn_ir_use(b, absent);

    cairn_ir_while(b, cairn_ir_lt(b, cairn_ir_use(b, q), end));
    put_index(c, s, cairn_ir_load(b, list, cairn_ir_use(b, q)));
    cairn_convert_increase(c, q);
    cairn_ir_end(b);
    cairn_ir_while(b, cairn_ir_and(b, cairn_ir_lt(b, x, all),
                                   cairn_ir_lt(b, cairn_ir_use(b, s->next), s->stop)));
    const cairn_ir_x present = let(
        c, cairn_ir_select(b, cairn_ir_lt(b, m, end), cairn_ir_load(b, list, m), all),
        "present");

    cairn_ir_if(b, cairn_ir_eq(b, present, x));
    cairn_convert_increase(c, met);
    cairn_ir_else(b);
    put_index(c, s, x);
    cairn_ir_end(b);
    cairn_convert_increase(c, absent);
    cairn_ir_end(b);
}

void cairn_grid_convert_lower_pad_lines(cairn_convert *c)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x k = cairn_grid_convert_open(c, cairn_grid_convert_end(c), "k");
    const cairn_convert_lane s    = lane_at(c, k);
    const cairn_ir_x         line = let(
                c, cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_order, "order"), k),
                "line");
    cairn_ir_array *first =
        cairn_convert_small(c, CAIRN_CONVERT_line_first, "line_first");

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_int(b, 0), line));
    const cairn_ir_x begin =
        let(c, cairn_ir_load(b, first, cairn_ir_add_int(b, line, -1)), "begin");

    put_line(c, &s, begin, let(c, cairn_ir_load(b, first, line), "end_of_line"));
    cairn_ir_end(b);
    put_holes_of_line(c, &s);
    cairn_grid_convert_close(c);
}
