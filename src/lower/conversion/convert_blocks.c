// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of groups: they were counted before, and each has a number in its line of
/// groups. An entry's is found by arithmetic, or, where groups are listed line by line, in
/// slots that have the numbers of the line at hand. And phase CUT, which sends entries on
/// by their numbers.

#include "lower/conversion/convert_steps.h"

cairn_ir_x cairn_convert_group_number(cairn_convert *c, int end, const char *name)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, 0);

    for (int f = 0; f < end; f++) {
        const cairn_ir_x low =
            cairn_convert_element(c, CAIRN_CONVERT_group_low, "group_low", f);
        const cairn_ir_x size =
            cairn_convert_element(c, CAIRN_CONVERT_group_size, "group_size", f);

        at = cairn_ir_add(
            b, cairn_ir_mul(b, at, size),
            cairn_ir_sub(b, cairn_convert_form(c, &c->numbers.block_form[f]), low));
    }
    return cairn_ir_use(b, cairn_ir_let(b, at, "%s", name));
}

/// This thread's slot of a value of the last expression.
static cairn_ir_x slot_at(cairn_convert *c, cairn_ir_x x)
{
    cairn_ir *b = &c->ir;

    if (!c->here.thread) return x;
    return cairn_ir_add(
        b, x,
        cairn_ir_mul(b, c->here.thread,
                     cairn_convert_scalar(c, CAIRN_CONVERT_line_slots, "line_slots")));
}

/// Put the numbers of a line's groups into their slots.
static void enter_line(cairn_convert *c, cairn_ir_x line)
{
    cairn_ir       *b = &c->ir;
    cairn_ir_array *first =
        cairn_convert_small(c, CAIRN_CONVERT_line_first, "line_first");
    cairn_ir_array *list = cairn_convert_small(c, CAIRN_CONVERT_line_list, "line_list");
    cairn_ir_array *slot = cairn_convert_small(c, CAIRN_CONVERT_line_slot, "line_slot");
    cairn_ir_array *rank = cairn_convert_small(c, CAIRN_CONVERT_rank_of, "rank_of");
    cairn_ir_stmt  *loop =
        cairn_ir_for(b, cairn_ir_load(b, first, line),
                     cairn_ir_load(b, first, cairn_ir_add_int(b, line, 1)), 1,
                     "groups of the line", "q");
    const cairn_ir_x q = cairn_ir_loop_var(b, loop);

    cairn_ir_store(b, slot, slot_at(c, cairn_ir_load(b, list, q)),
                   cairn_ir_load(b, rank, q));
    cairn_ir_end(b);
}

void cairn_convert_declare_blocks(cairn_convert *c)
{
    if (c->spec->blocks.listed)
        c->numbers.block_line =
            cairn_ir_declare(&c->ir, cairn_ir_int(&c->ir, -1), "line_now");
}

/// Where the number of the entry's group stands in the line at hand.
static cairn_ir_x place_in_line(cairn_convert *c)
{
    cairn_ir        *b    = &c->ir;
    const int        last = c->spec->blocks.query->group_by.count - 1;
    const cairn_ir_x line = cairn_convert_group_number(c, last, "line");
    const cairn_ir_x x    = cairn_ir_sub(
           b, cairn_convert_form(c, &c->numbers.block_form[last]),
           cairn_convert_element(c, CAIRN_CONVERT_group_low, "group_low", last));

    cairn_ir_if(b, cairn_ir_ne(b, line, cairn_ir_use(b, c->numbers.block_line)));
    cairn_ir_assign(b, c->numbers.block_line, line);
    enter_line(c, line);
    cairn_ir_end(b);
    return slot_at(c, x);
}

/* Of listed groups the line's numbers are copied to its slots. Entries that have numbers
 * each count on in a copy, too: the slots of the line, or of all groups. */
void cairn_convert_number_block(cairn_convert *c)
{
    cairn_ir       *b      = &c->ir;
    const bool      listed = c->spec->blocks.listed, each = c->spec->blocks.each;
    cairn_ir_x      at = listed ? place_in_line(c)
                                : cairn_convert_group_number(
                                    c, c->spec->blocks.query->group_by.count, "block");
    cairn_ir_array *numbers =
        listed || each ? cairn_convert_small(c, CAIRN_CONVERT_line_slot, "line_slot")
                       : cairn_convert_small(c, CAIRN_CONVERT_rank_of, "rank_of");

    if (each) at = cairn_ir_use(b, cairn_ir_let(b, at, "place"));
    c->numbers.block_number =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, numbers, at), "number"));
    if (each)
        cairn_ir_store(b, numbers, at, cairn_ir_add_int(b, c->numbers.block_number, 1));
}

void cairn_convert_lower_cut(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    cairn_convert_open_shares(c);

    cairn_ir_var *most = cairn_ir_declare(b, cairn_ir_int(b, -1), "largest");

    cairn_convert_visit(c, false);
    cairn_convert_indices(c, 1);
    cairn_ir_assign(b, most, cairn_ir_max(b, cairn_ir_use(b, most), c->here.e[0]));
    cairn_ir_if(b, cairn_ir_le(b, cairn_convert_scalar(c, CAIRN_CONVERT_cut, "cut"),
                               c->here.e[0]));
    cairn_ir_store(
        b, cairn_convert_members(c), c->here.position,
        cairn_ir_add_int(b, cairn_convert_scalar(c, CAIRN_CONVERT_which, "which"), 1));
    cairn_ir_end(b);
    cairn_convert_leave(c);
    cairn_convert_tell(c, 0, cairn_ir_use(b, most));
    cairn_convert_close_shares(c);
}
