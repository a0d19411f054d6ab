// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases HISTOGRAM and SCATTER: every entry is a node, and goes where the next one of
/// its group goes. Stores that miss the cache are the limit; so lines are asked for before
/// they are written. A cursor goes on to the line behind its own, which is the one that is
/// asked for at each entry: no other entry has to be looked at (measured on Zen 5, 27 points
/// of 64^3, kept memory: 31 ms without, 24 where entry 32 places on was looked at, 16 so).
/// Keys of a bucket, whose groups come in no order, are looked at ahead all the same.

#include "lower/conversion/convert_steps.h"

enum {
    AHEAD = 32, ///< Keys between a prefetch and its use (measured).
    LINE  = 64, ///< Bytes.
};

/// This thread's cursor of a group.
static cairn_ir_x cursor_at(cairn_convert *c, cairn_ir_x group)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x groups = cairn_convert_scalar(c, CAIRN_CONVERT_groups, "groups");

    return cairn_ir_add(b, cairn_ir_mul(b, c->here.thread, groups), group);
}

void cairn_convert_lower_histogram(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    cairn_convert_open_shares(c);
    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->to->first);

    const cairn_ir_x at = cursor_at(c, cairn_convert_group(c));

    cairn_ir_store(
        b, cairn_convert_cursors(c), at,
        cairn_ir_add_int(b, cairn_ir_load(b, cairn_convert_cursors(c), at), 1));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}

/// Elements from the first bank's arrays to those of the entry's bank; false: one bank.
static bool bank_delta(cairn_convert *c, cairn_ir_x *delta)
{
    cairn_ir       *b = &c->ir;
    cairn_ir_array *array;
    cairn_ir_x      base;

    if (c->to->partition < 0) return false;
    array = cairn_convert_array(c, CAIRN_CONVERT_delta, "delta");
    base  = cairn_ir_use(
         b, cairn_ir_let(
                b,
                cairn_ir_mul_int(b,
                                 cairn_convert_combine(c, cairn_ir_int(b, 0), 0,
                                                       c->to->partition + 1, UINT32_MAX),
                                 c->to->levels + 1),
                "bank_row"));
    for (int l = 0; l <= c->to->levels; l++)
        delta[l] = cairn_ir_load(b, array, cairn_ir_add_int(b, base, l));
    return true;
}

/// Ask for lines that are @p behind bytes behind node @p to, to write them.
static void ask_for_lines(cairn_convert *c, cairn_ir_x to, int64_t behind)
{
    cairn_ir *b = &c->ir;

    for (int l = c->to->first; l <= c->to->last; l++)
        if (c->to->level[l].arrays.has_idx && c->to->level[l].arrays.tuple < 0)
            cairn_ir_prefetch(b, cairn_convert_idx(c, 1, l), to, behind, 3, true);
    cairn_ir_prefetch(b, cairn_convert_values(c, 1), to, behind, 3, true);
}

/// Ask for the lines of the key some keys on.
static void ask_for_later_key(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    if (!c->spec->ahead || !cairn_convert_can_look_ahead(c)) return;
    ask_for_lines(
        c,
        cairn_ir_use(
            b, cairn_ir_let(
                   b,
                   cairn_ir_load(b, cairn_convert_cursors(c),
                                 cursor_at(c, cairn_convert_look_ahead(c, AHEAD))),
                   "line")),
        0);
}

/// The node of the entry: where its group's cursor stands, which then goes on.
static cairn_ir_x take_node(cairn_convert *c)
{
    cairn_ir             *b      = &c->ir;
    cairn_ir_array *const array  = cairn_convert_cursors(c);
    const cairn_ir_x      cursor = cursor_at(c, cairn_convert_group(c));
    const cairn_ir_x      at =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, array, cursor), "at"));

    cairn_ir_store(b, array, cursor, cairn_ir_add_int(b, at, 1));
    return at;
}

static void write_entry(cairn_convert *c, cairn_ir_x at)
{
    cairn_ir_x delta[CAIRN_MAX_LEVELS + 1];
    const bool banks = bank_delta(c, delta);

    for (int l = c->to->first; l <= c->to->last; l++)
        if (c->to->level[l].arrays.has_idx)
            cairn_ir_store(&c->ir, cairn_convert_idx(c, 1, l),
                           banks ? cairn_ir_add(&c->ir, at, delta[l]) : at,
                           c->here.e[l]);
    cairn_convert_write(c, at, banks ? delta : NULL);
}

/// Keys in the order of the nodes.
static void append_keys(cairn_convert *c)
{
    cairn_ir        *b      = &c->ir;
    const cairn_ir_x before = cairn_ir_use(
        b, cairn_ir_let(b, cairn_convert_element(c, CAIRN_CONVERT_offset, "offset", 0),
                        "before"));

    cairn_convert_read_fields(c);
    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);
    write_entry(
        c,
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add(b, before, c->here.turn), "at")));
    cairn_convert_leave(c);
}

/// Keys in order within each group, all of one thread's cursors.
static void deal_keys(cairn_convert *c)
{
    cairn_convert_read_fields(c);
    c->here.thread = cairn_ir_int(&c->ir, 0);
    cairn_convert_visit(c, true);
    ask_for_later_key(c);
    cairn_convert_indices(c, c->levels);
    write_entry(c, take_node(c));
    cairn_convert_leave(c);
}

void cairn_convert_lower_scatter(cairn_convert *c)
{
    cairn_convert_write_holes(c);
    if (c->spec->source == CAIRN_CONVERT_KEYS) {
        if (c->spec->keys.grouped)
            deal_keys(c);
        else
            append_keys(c);
        return;
    }
    cairn_convert_open_shares(c);
    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);
    const cairn_ir_x at = take_node(c);

    if (c->spec->ahead && c->to->partition < 0) ask_for_lines(c, at, LINE);
    write_entry(c, at);
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
