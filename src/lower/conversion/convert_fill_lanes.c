// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phase STAND: lane by lane, the entries of its row stand one behind the other, and
/// behind them the row's padding, while its lines are in cache. What follows from the row
/// is computed once; entries are not numbered but counted by where the next one goes.

#include "lower/conversion/convert_steps.h"

enum { AHEAD = 256 }; ///< Entries that are asked for before they are read (measured).

static int column_level(const cairn_convert *c)
{
    return c->to->levels - 1;
}

static cairn_ir_x let(cairn_convert *c, cairn_ir_x value, const char *name)
{
    return cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, value, "%s", name));
}

/// `column` and `value` into the next slot.
static void
put(cairn_convert *c, const cairn_convert_lane *s, cairn_ir_x column, cairn_ir_x value)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x next = cairn_ir_use(b, s->next);

    cairn_ir_store(b, cairn_convert_idx(c, 1, column_level(c)), next, column);
    cairn_ir_store(b, cairn_convert_values(c, 1), next,
                   cairn_convert_as_value(c, value));
    cairn_ir_assign(b, s->next, cairn_ir_add(b, next, s->lanes));
}

static void put_entries(cairn_convert *c, const cairn_convert_lane *s)
{
    cairn_convert_visit(c, true);
    put(c, s, let(c, cairn_convert_form(c, &c->target[column_level(c)]), "column"),
        c->here.value);
    cairn_convert_leave(c);
}

static cairn_ir_x hole(cairn_convert *c)
{
    return cairn_ir_param(&c->ir,
                          (cairn_ir_field){CAIRN_IR_LEVEL_HOLE, 1, column_level(c)},
                          CAIRN_IR_I64, "B%d_hole", column_level(c));
}

/// While there are slots, and if @p more is given, while it holds.
static void open_rest(cairn_convert *c, const cairn_convert_lane *s, cairn_ir_x more)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x room = cairn_ir_lt(b, cairn_ir_use(b, s->next), s->stop);

    cairn_ir_while(b, more ? cairn_ir_and(b, more, room) : room);
}

void cairn_convert_put_holes(cairn_convert *c, const cairn_convert_lane *s)
{
    open_rest(c, s, NULL);
    put(c, s, hole(c), cairn_convert_no_value(c, 1));
    cairn_ir_end(&c->ir);
}

/// The columns up to @p limit, which the row lacks.
static void put_run(cairn_convert            *c,
                    const cairn_convert_lane *s,
                    cairn_ir_var             *absent,
                    cairn_ir_x                limit)
{
    cairn_ir *b = &c->ir;

    open_rest(c, s, cairn_ir_lt(b, cairn_ir_use(b, absent), limit));
    put(c, s, cairn_ir_use(b, absent), cairn_convert_no_value(c, 1));
    cairn_convert_increase(c, absent);
    cairn_ir_end(b);
}

/* Before each column that the row has are those that it lacks, and behind the last. */
void cairn_convert_put_padding(cairn_convert *c, const cairn_convert_lane *s)
{
    cairn_ir        *b   = &c->ir;
    const int64_t    col = c->spec->along.col;
    const cairn_ir_x low = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * col);
    const cairn_ir_x high =
        cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * col + 1);
    const cairn_ir_x end    = let(c, cairn_ir_use(b, s->next), "end_of_row");
    cairn_ir_var    *absent = cairn_ir_declare(b, low, "absent");
    cairn_ir_var    *met    = cairn_ir_declare(b, s->base, "met");

    open_rest(c, s, cairn_ir_lt(b, cairn_ir_use(b, met), end));
    const cairn_ir_x column =
        let(c,
            cairn_ir_load(b, cairn_convert_idx(c, 1, column_level(c)),
                          cairn_ir_use(b, met)),
            "present");

    put_run(c, s, absent, column);
    cairn_ir_assign(b, absent, cairn_ir_add_int(b, column, 1));
    cairn_ir_assign(b, met, cairn_ir_add(b, cairn_ir_use(b, met), s->lanes));
    cairn_ir_end(b);
    put_run(c, s, absent, cairn_ir_add_int(b, high, 1));
    cairn_convert_put_holes(c, s);
}

/// Indices of the levels that the row determines.
static void put_determined(cairn_convert *c, cairn_ir_x row)
{
    cairn_ir        *b   = &c->ir;
    const int        d   = c->spec->tables.row;
    const uint32_t   S   = 1U << c->to->last;
    const cairn_ir_x low = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * d);

    for (int k = 0; k < CAIRN_MAX_ATOMS; k++)
        c->here.atom[k] = NULL; /* the visit's */
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++)
        c->here.index[l] = NULL;
    c->here.dim[d] = cairn_ir_add(b, row, low);
    for (int l = 0; l < column_level(c); l++) {
        const cairn_level *level = &c->to->level[l];

        if (!level->determined.on) continue;
        for (int k = 0; k <= l; k++)
            if (k == l || (level->determined.by & ~S) >> k & 1)
                c->here.e[k] = cairn_convert_form(c, &c->target[k]);
        cairn_ir_store(
            b, cairn_convert_idx(c, 1, l),
            cairn_convert_combine(c, cairn_ir_int(b, 0), 0, l, level->determined.by),
            c->here.e[l]);
    }
}

/// Open the loops over groups, and over lanes of each as far as they are the share's.
static cairn_ir_x open_lanes(cairn_convert *c, cairn_convert_lane *s)
{
    cairn_ir        *b      = &c->ir;
    cairn_ir_array  *cursor = cairn_convert_cursors(c);
    const cairn_ir_x begin = cairn_convert_begin(c), end = cairn_convert_end(c);

    s->lanes = cairn_convert_scalar(c, CAIRN_CONVERT_lanes, "lanes");

    cairn_ir_stmt *groups = cairn_ir_for(
        b, cairn_ir_binary(b, CAIRN_IR_DIV, begin, s->lanes),
        cairn_ir_binary(b, CAIRN_IR_DIV,
                        cairn_ir_add_int(b, cairn_ir_add(b, end, s->lanes), -1),
                        s->lanes),
        1, "groups", "g");
    const cairn_ir_x g     = cairn_ir_loop_var(b, groups);
    const cairn_ir_x first = let(c, cairn_ir_mul(b, g, s->lanes), "first_lane");
    const cairn_ir_x node  = let(c, cairn_ir_load(b, cursor, g), "node");
    const cairn_ir_x size  = let(
         c,
         cairn_ir_mul(
             b,
             cairn_ir_sub(b, cairn_ir_load(b, cursor, cairn_ir_add_int(b, g, 1)), node),
             s->lanes),
         "size");
    const cairn_ir_x begins =
        let(c, cairn_ir_sub(b, cairn_ir_mul(b, node, s->lanes), first), "begins");
    cairn_ir_stmt *lanes = cairn_ir_for(
        b, cairn_ir_max(b, begin, first),
        cairn_ir_min(b, end, cairn_ir_add(b, first, s->lanes)), 1, "lanes", "k");
    const cairn_ir_x k = cairn_ir_loop_var(b, lanes);

    s->base = let(c, cairn_ir_add(b, begins, k), "base");
    s->stop = let(c, cairn_ir_add(b, s->base, size), "stop");
    s->next = cairn_ir_declare(b, s->base, "next");
    return let(
        c, cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_order, "order"), k),
        "place");
}

void cairn_convert_lower_stand(cairn_convert *c)
{
    cairn_ir          *b = &c->ir;
    cairn_convert_lane s;

    if (!c->spec->ahead) cairn_convert_open_shares(c);
    const cairn_ir_x place = open_lanes(c, &s);

    cairn_ir_if(b, cairn_ir_lt(b, cairn_ir_int(b, 0), place));
    c->here.row = let(c, cairn_ir_add_int(b, place, -1), "row");
    if (c->spec->ahead) cairn_convert_ask_behind_row(c, c->here.row, AHEAD);
    put_entries(c, &s);
    put_determined(c, c->here.row);
    cairn_convert_put_padding(c, &s);
    cairn_ir_else(b);
    cairn_convert_put_holes(c, &s);
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_end(b);
    if (!c->spec->ahead) cairn_convert_close_shares(c);
}
