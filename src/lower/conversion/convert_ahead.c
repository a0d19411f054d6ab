// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking ahead: where a later entry goes, and lines of memory that are asked for before
/// they are read.

#include "lower/conversion/convert_steps.h"

#include <string.h>

enum { LINE = 64 };

static int64_t size_of(const cairn_ir_array *array)
{
    return array->stride ? array->stride : cairn_ir_type_bytes(array->type);
}

/// Ask for what @p array has from @p at on: as many elements as are before @p end, or if
/// that is NULL a line; some way behind them.
static void ask(cairn_convert        *c,
                const cairn_ir_array *array,
                cairn_ir_x            at,
                cairn_ir_x            end,
                int64_t               ahead)
{
    const int64_t size = size_of(array), step = size < LINE ? LINE / size : 1;

    if (end)
        at = cairn_ir_loop_var(&c->ir,
                               cairn_ir_for(&c->ir, at, end, step, NULL, "asked"));
    cairn_ir_prefetch(&c->ir, array, at, ahead * size, 3, false);
    if (end) cairn_ir_end(&c->ir);
}

/// Ask for all that the source has of entries; see ask().
static void
ask_for_entries(cairn_convert *c, cairn_ir_x at, cairn_ir_x end, int64_t ahead)
{
    for (int l = 0; c->from && l <= c->from->last; l++)
        if (c->from->level[l].arrays.has_idx)
            ask(c, cairn_convert_idx(c, 0, l), at, end, ahead);
    if (c->from) {
        ask(c, cairn_convert_values(c, 0), at, end, ahead);
        return;
    }
    for (int d = 0; d < c->spec->order; d++)
        ask(c, cairn_convert_coordinates(c, d), at, end, ahead);
    ask(c, cairn_convert_entry_values(c), at, end, ahead);
}

/// Where rows begin, by row; NULL: nothing tells.
static cairn_ir_array *starts(cairn_convert *c)
{
    const bool dense = c->from && !c->from->level[0].trimmed;

    if (!dense) return cairn_convert_small(c, CAIRN_CONVERT_first, "first");
    return c->from->first == 1 && c->from->level[1].arrays.has_ptr
               ? cairn_convert_ptr(c, 0, 1)
               : NULL;
}

static cairn_ir_x
start_of(cairn_convert *c, cairn_ir_array *begin, cairn_ir_x row, const char *name)
{
    return cairn_ir_use(
        &c->ir, cairn_ir_let(&c->ir, cairn_ir_load(&c->ir, begin, row), "%s", name));
}

void cairn_convert_ask_for_row(cairn_convert *c, cairn_ir_x row)
{
    cairn_ir_array *begin = starts(c);

    if (begin) ask_for_entries(c, start_of(c, begin, row, "line"), NULL, 0);
}

void cairn_convert_ask_behind_row(cairn_convert *c, cairn_ir_x row, int64_t ahead)
{
    cairn_ir_array *begin = starts(c);

    if (!begin) return;
    const cairn_ir_x first = start_of(c, begin, row, "begin_of_row");
    const cairn_ir_x end =
        start_of(c, begin, cairn_ir_add_int(&c->ir, row, 1), "row_end");

    ask_for_entries(c, first, end, ahead);
}

bool cairn_convert_can_look_ahead(const cairn_convert *c)
{
    for (int l = 0; l < c->to->first; l++) {
        const uint32_t dims = cairn_form_dims(c->algebra, &c->target[l]);

        if ((dims & (dims - 1)) != 0 || cairn_form_queries(c->algebra, &c->target[l]))
            return false;
    }
    if (c->spec->source != CAIRN_CONVERT_PART) return true;
    return c->from && c->from->inverse.exact && c->inner.level == c->from->levels - 1;
}

/// The turn some turns on, or the last.
static cairn_ir_x later_turn(cairn_convert *c, int64_t distance)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x last = cairn_ir_sub(b, cairn_convert_end(c), cairn_ir_int(b, 1));

    return cairn_ir_use(
        b, cairn_ir_let(
               b, cairn_ir_min(b, cairn_ir_add_int(b, c->here.turn, distance), last),
               "then"));
}

/// Coordinates some entries on, as far as the array goes.
static void move_entries(cairn_convert *c, int64_t distance)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x then = later_turn(c, distance);

    for (int d = 0; d < c->spec->order; d++) {
        c->here.dim[d] = cairn_ir_load(b, cairn_convert_coordinates(c, d), then);
    }
}

/// A key some keys on, as far as they go.
static void move_keys(cairn_convert *c, int64_t distance)
{
    cairn_ir        *b    = &c->ir;
    const cairn_ir_x then = later_turn(c, distance);

    c->here.word[0] = cairn_ir_use(
        b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_words(c, 0), then), "ahead"));
}

/// The innermost level some nodes on; those above stay.
static void move_level(cairn_convert *c, int64_t distance)
{
    cairn_ir        *b     = &c->ir;
    const int        l     = c->inner.level;
    const cairn_ir_x nodes = cairn_ir_param(
        b, (cairn_ir_field){CAIRN_IR_LEVEL_NODES, 0, l}, CAIRN_IR_I64, "A%d_nodes", l);
    const cairn_ir_x then = cairn_ir_use(
        b, cairn_ir_let(b,
                        cairn_ir_min(b, cairn_ir_add_int(b, c->inner.node, distance),
                                     cairn_ir_add_int(b, nodes, -1)),
                        "then"));
    cairn_ir_x e[CAIRN_MAX_LEVELS];

    for (int k = 0; k < c->from->levels; k++)
        e[k] = c->here.stored[k];
    e[l] = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, cairn_convert_idx(c, 0, l), then), "ahead"));
    for (int k = 0; k < c->spec->order; k++)
        c->here.dim[k] = cairn_convert_scaled(c, e, k);
}

cairn_ir_x cairn_convert_look_ahead(cairn_convert *c, int64_t distance)
{
    cairn_convert now = *c; /* what is known here is not known there */

    for (int k = 0; k < CAIRN_MAX_ATOMS; k++)
        c->here.atom[k] = NULL;
    for (int l = 0; l < CAIRN_MAX_LEVELS; l++)
        c->here.index[l] = NULL;
    switch (c->spec->source) {
    case CAIRN_CONVERT_ENTRIES: move_entries(c, distance); break;
    case CAIRN_CONVERT_KEYS: move_keys(c, distance); break;
    default: move_level(c, distance);
    }
    if (c->here.word[0])
        cairn_convert_indices(c, c->to->first);
    else
        for (int l = 0; l < c->to->first; l++)
            c->here.e[l] = cairn_convert_form(c, &c->target[l]);
    const cairn_ir_x group =
        cairn_convert_combine(c, cairn_ir_int(&c->ir, 0), 0, c->to->first, UINT32_MAX);

    memcpy(c->here.dim, now.here.dim, sizeof c->here.dim);
    memcpy(c->here.atom, now.here.atom, sizeof c->here.atom);
    memcpy(c->here.index, now.here.index, sizeof c->here.index);
    memcpy(c->here.e, now.here.e, sizeof c->here.e);
    c->here.word[0] = now.here.word[0];
    return group;
}
