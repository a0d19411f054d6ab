// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is visited, as loops: entries, keys or rows; parts have a file of their own.

#include "lower/conversion/convert_steps.h"

#include <string.h>

void cairn_convert_opened(cairn_convert *c)
{
    c->opened++;
}

cairn_ir_x cairn_convert_begin(cairn_convert *c)
{
    return c->here.begin ? c->here.begin
                         : cairn_convert_scalar(c, CAIRN_CONVERT_begin, "begin");
}

cairn_ir_x cairn_convert_end(cairn_convert *c)
{
    return c->here.end ? c->here.end
                       : cairn_convert_scalar(c, CAIRN_CONVERT_end, "end");
}

/* ---- threads ---- */

void cairn_convert_open_shares(cairn_convert *c)
{
    cairn_ir       *b     = &c->ir;
    cairn_ir_array *share = cairn_convert_array(c, CAIRN_CONVERT_share, "share");
    cairn_ir_stmt  *loop  = cairn_ir_for(
          b, cairn_ir_int(b, 0), cairn_convert_scalar(c, CAIRN_CONVERT_shares, "shares"),
          1, "threads", "t");

    loop->turns    = CAIRN_TURNS_THREADS;
    c->here.thread = cairn_ir_loop_var(b, loop);
    c->here.begin  = cairn_ir_use(
         b, cairn_ir_let(b, cairn_ir_load(b, share, c->here.thread), "begin"));
    c->here.end = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, share, cairn_ir_add_int(b, c->here.thread, 1)),
                     "end"));
}

void cairn_convert_close_shares(cairn_convert *c)
{
    cairn_ir_end(&c->ir);
    c->here.begin = c->here.end = c->here.thread = NULL;
}

void cairn_convert_tell(cairn_convert *c, int k, cairn_ir_x value)
{
    cairn_ir  *b  = &c->ir;
    cairn_ir_x at = cairn_ir_int(b, k);

    if (c->here.thread)
        at = cairn_ir_add(b, cairn_ir_mul_int(b, c->here.thread, CAIRN_CONVERT_FACTS),
                          at);
    cairn_ir_store(b, cairn_convert_array(c, CAIRN_CONVERT_facts, "facts"), at, value);
}

/* ---- entries and keys ---- */

static void open_turns(cairn_convert *c, const char *note, const char *name)
{
    cairn_ir_stmt *loop = cairn_ir_for(&c->ir, cairn_convert_begin(c),
                                       cairn_convert_end(c), 1, note, "%s", name);

    if (loop && c->spec->phase == CAIRN_CONVERT_HISTOGRAM)
        loop->unroll = CAIRN_CONVERT_COUNTED;
    cairn_convert_opened(c);
    c->here.turn = loop ? cairn_ir_loop_var(&c->ir, loop) : NULL;
}

/* The loop or the condition that follows needs what was let; conditions nest. */
void cairn_convert_require(cairn_convert *c, cairn_ir_x condition)
{
    cairn_ir_if(&c->ir, condition);
    cairn_convert_opened(c);
}

void cairn_convert_stand_at(cairn_convert *c, cairn_ir_x position)
{
    c->here.position = position;
    if (c->spec->members.one)
        cairn_convert_require(
            c, cairn_ir_eq(&c->ir,
                           cairn_ir_load(&c->ir, cairn_convert_members(c), position),
                           cairn_convert_scalar(c, CAIRN_CONVERT_which, "which")));
}

cairn_ir_x cairn_convert_next_row(cairn_convert *c)
{
    if (c->here.row) return c->here.row;

    cairn_ir        *b     = &c->ir;
    cairn_ir_array  *order = cairn_convert_small(c, CAIRN_CONVERT_order, "order");
    const cairn_ir_x last  = cairn_ir_add_int(b, cairn_convert_end(c), -1);
    cairn_ir_stmt *loop = cairn_ir_for(b, cairn_convert_begin(c), cairn_convert_end(c),
                                       1, "rows in order", "r");
    const cairn_ir_x r  = cairn_ir_loop_var(b, loop);

    cairn_convert_opened(c);
    cairn_convert_ask_for_row(
        c,
        cairn_ir_use(
            b, cairn_ir_let(
                   b,
                   cairn_ir_load(
                       b, order,
                       cairn_ir_min(b, cairn_ir_add_int(b, r, CAIRN_CONVERT_ROWS_AHEAD),
                                    last)),
                   "later")));
    return cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, order, r), "row"));
}

cairn_ir_x cairn_convert_open_rows(cairn_convert *c, const char *note, const char *name)
{
    cairn_ir        *b     = &c->ir;
    const cairn_ir_x row   = cairn_convert_next_row(c);
    cairn_ir_array  *first = cairn_convert_small(c, CAIRN_CONVERT_first, "first");
    cairn_ir_stmt   *loop  = cairn_ir_for(
           b, cairn_ir_load(b, first, row),
           cairn_ir_load(b, first, cairn_ir_add_int(b, row, 1)), 1, note, "%s", name);

    cairn_convert_opened(c);
    return cairn_ir_loop_var(b, loop);
}

static void visit_entries(cairn_convert *c, bool value)
{
    if (c->spec->rows.ordered)
        c->here.turn = cairn_convert_open_rows(c, "entries", "k");
    else
        open_turns(c, "entries", "k");
    cairn_convert_stand_at(c, c->here.turn);
    for (int d = 0; d < c->spec->order; d++) {
        c->here.dim[d] = cairn_ir_use(
            &c->ir, cairn_ir_let(&c->ir,
                                 cairn_ir_load(&c->ir, cairn_convert_coordinates(c, d),
                                               c->here.turn),
                                 "d%d", d));
    }
    if (!value) return;
    c->here.value = cairn_ir_use(
        &c->ir,
        cairn_ir_let(&c->ir,
                     cairn_ir_load(&c->ir, cairn_convert_entry_values(c), c->here.turn),
                     "v"));
}

static void visit_keys(cairn_convert *c, bool value)
{
    open_turns(c, "sorted keys", "k");
    for (int w = 0; w < (c->spec->keys.split ? 2 : 1); w++)
        c->here.word[w] = cairn_ir_use(
            &c->ir,
            cairn_ir_let(&c->ir,
                         cairn_ir_load(&c->ir, cairn_convert_words(c, w), c->here.turn),
                         w ? "high_word" : "word"));
    if (!value) return;
    c->here.value = cairn_ir_use(
        &c->ir,
        cairn_ir_let(&c->ir,
                     cairn_ir_load(&c->ir, cairn_convert_moved(c), c->here.turn), "v"));
}

void cairn_convert_open_blocks(cairn_convert *c, cairn_ir_x *begin, cairn_ir_x *end)
{
    cairn_ir      *b    = &c->ir;
    cairn_ir_stmt *loop = cairn_ir_for(b, cairn_convert_begin(c), cairn_convert_end(c),
                                       CAIRN_CONVERT_BLOCK, "blocks", "b");

    *begin = cairn_ir_loop_var(b, loop);
    *end   = cairn_ir_use(
          b,
          cairn_ir_let(b,
                       cairn_ir_min(b, cairn_ir_add_int(b, *begin, CAIRN_CONVERT_BLOCK),
                                    cairn_convert_end(c)),
                       "stop"));
}

void cairn_convert_visit_block(cairn_convert *c,
                               cairn_ir_x     begin,
                               cairn_ir_x     end,
                               bool           value)
{
    const cairn_ir_x whole[] = {c->here.begin, c->here.end};

    memset(c->here.atom, 0, sizeof c->here.atom); /* they are those of another loop */
    c->here.begin = begin;
    c->here.end   = end;
    if (c->spec->source == CAIRN_CONVERT_ENTRIES)
        visit_entries(c, value);
    else
        visit_keys(c, value);
    c->here.begin = whole[0];
    c->here.end   = whole[1];
}

/* ---- rows ---- */

/// Turns are places in `order`; rows without entries are left out.
static void open_ordered(cairn_convert *c)
{
    cairn_ir       *b     = &c->ir;
    cairn_ir_array *order = cairn_convert_small(c, CAIRN_CONVERT_order, "order");

    open_turns(c, "rows in order", "r");
    c->here.turn =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, order, c->here.turn), "row"));

    const cairn_ir_x next =
        cairn_convert_first_of(c, cairn_ir_add_int(b, c->here.turn, 1));

    c->here.count = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_sub(b, next, cairn_convert_first_of(c, c->here.turn)),
                     "count"));
    cairn_convert_require(c, cairn_ir_ne(b, c->here.count, cairn_ir_int(b, 0)));
}

static void visit_rows(cairn_convert *c)
{
    if (c->spec->rows.ordered)
        open_ordered(c);
    else
        open_turns(c, "rows", "k");
    cairn_convert_stand_in_row(c, c->here.turn);
}

/* ---- all ---- */

void cairn_convert_visit(cairn_convert *c, bool value)
{
    const bool entries = c->spec->source == CAIRN_CONVERT_ENTRIES
                         || c->spec->source == CAIRN_CONVERT_PART;
    const bool rank   = c->spec->along.on && entries,
               blocks = c->spec->blocks.query && entries;

    if (rank) cairn_convert_declare_rank(c);
    if (blocks) cairn_convert_declare_blocks(c);
    switch (c->spec->source) {
    case CAIRN_CONVERT_ENTRIES: visit_entries(c, value); break;
    case CAIRN_CONVERT_PART: cairn_convert_visit_part(c, value); break;
    case CAIRN_CONVERT_ROWS: visit_rows(c); break;
    default: visit_keys(c, value); break;
    }
    if (rank) cairn_convert_number_entry(c);
    if (blocks) cairn_convert_number_block(c);
}

void cairn_convert_leave(cairn_convert *c)
{
    for (; c->opened > 0; c->opened--)
        cairn_ir_end(&c->ir);
}
