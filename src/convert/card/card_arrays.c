// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Memory of a conversion on a card, and what goes there and back.

#include "convert/card/card_steps.h"

cairn_status cairn_card_take(cairn_card_work    *w,
                             int64_t             bytes,
                             const char         *what,
                             cairn_grid_address *at)
{
    return w->grids->take(w->program, bytes, what, at);
}

cairn_status cairn_card_send_small(cairn_card_work    *w,
                                   const uint32_t     *number,
                                   int64_t             n,
                                   cairn_grid_address *there)
{
    const int64_t bytes = n * (int64_t)sizeof *number;

    CAIRN_TRY(cairn_card_take(w, bytes, "numbers", there));
    return w->grids->send(w->program, *there, number, bytes);
}

/// Queries whose numbers of rows some level goes by.
static uint32_t tables_read(const cairn_compiled *c)
{
    const cairn_layout *to   = c->m->layout;
    uint32_t            used = 0;

    for (int l = 0; l < to->levels; l++)
        used |= cairn_form_queries(to->algebra, &to->level[l].form);
    return used & c->m->rows.tables;
}

cairn_status cairn_card_send_table(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_numbered_rows *rows  = &c->m->rows;
    const uint32_t             read  = rows->on ? tables_read(c) : 0;
    const int64_t              bytes = rows->n * (int64_t)sizeof *rows->table;
    cairn_grid_address         table;

    if (!read) return CAIRN_OK;
    CAIRN_TRY(
        cairn_card_take(w, c->m->encoding->queries * bytes, "numbers of rows", &table));
    for (int q = 0; read >> q; q++)
        if (read >> q & 1)
            CAIRN_TRY(w->grids->send(w->program,
                                     table + (cairn_grid_address)(q * bytes),
                                     rows->table + q * rows->n, bytes));
    w->args.table      = cairn_card_address(table);
    w->args.table_rows = rows->n;
    return CAIRN_OK;
}

/// Is an array of the target written here before entries are filled in there? Of slots all
/// that their lanes alone give; of lines where they begin.
static bool is_written_here(const cairn_compiled *c, const cairn_array *array)
{
    if (array->kind == CAIRN_ARRAY_PTR) return c->m->rows.along || c->m->blocks;
    return c->m->rows.along && array->kind != CAIRN_ARRAY_VAL
           && array->level < c->m->layout->levels - 1;
}

cairn_status cairn_card_take_target(const cairn_compiled *c, cairn_card_work *w)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    int64_t     at[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(w->part, array);
    int64_t     most   = 0;

    /* Every bank lies where the one before did, which has been fetched. */
    for (int64_t k = 0; k < c->m->layout->banks && !w->target; k++) {
        const int64_t bytes = cairn_grid_places(&c->m->part[k], at);

        most = bytes > most ? bytes : most;
    }
    if (!w->target) CAIRN_TRY(cairn_card_take(w, most, "arrays", &w->target));
    cairn_grid_places(w->part, at);
    for (int k = 0; k < arrays; k++) {
        w->to[k] = w->target + (cairn_grid_address)at[k];
        if (is_written_here(c, &array[k]))
            CAIRN_TRY(
                w->grids->send(w->program, w->to[k], array[k].data, array[k].bytes));
        else
            CAIRN_TRY(w->grids->clear(w->program, w->to[k], array[k].bytes));
    }
    return CAIRN_OK;
}

cairn_status cairn_card_fetch_target(cairn_card_work *w)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(w->part, array);

    for (int k = 0; k < arrays; k++)
        if (array[k].bytes > 0)
            CAIRN_TRY(
                w->grids->fetch(w->program, array[k].data, w->to[k], array[k].bytes));
    return CAIRN_OK;
}

/* ---- the source ---- */

/// Bytes of an array, so that the next begins where any element may.
static int64_t padded(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/// Are the part's values in an array, by themselves or as fields of its tuples?
static bool has_values(const cairn_part *part, const cairn_array *array)
{
    return array->kind == CAIRN_ARRAY_VAL
           || (array->kind == CAIRN_ARRAY_TUPLES
               && array->tuple == part->layout->values.tuple);
}

/// Was array @p k of the source's only part there before?
static bool is_there(const cairn_card_work *w, int k)
{
    return w->source.there && w->source.array[k] != 0;
}

/* Parts are looked at one after the other: all arrays of one but that with the values may
   lie where those of the one before did, since what is sent comes after what was started. */
static cairn_status take_parts(const cairn_compiled *c, cairn_card_work *w)
{
    const int64_t parts = cairn_origin_group(&c->origin)->count;
    int64_t       most = 0, values = 0;

    if (cairn_card_has_source(c) > 0) {
        w->source.there = true;
        CAIRN_TRY(w->grids->borrow(w->program, c->origin.from, c->origin.member,
                                   w->source.array));
    }
    for (int64_t k = 0; k < parts; k++) {
        const cairn_part *const part = cairn_origin_part(&c->origin, k);
        cairn_array             array[CAIRN_MAX_ARRAYS];
        const int               arrays = cairn_part_arrays(part, array);
        int64_t                 bytes  = 0;

        for (int a = 0; a < arrays; a++) {
            if (is_there(w, a)) continue;
            if (has_values(part, &array[a]))
                values += array[a].bytes;
            else
                bytes += padded(array[a].bytes);
        }
        most = bytes > most ? bytes : most;
    }
    CAIRN_TRY(cairn_card_take(w, values, "values", &w->source.values));
    return cairn_card_take(w, most, "arrays", &w->source.indices);
}

/// The numbers that queries gave every entry.
static cairn_status take_numbers(const cairn_compiled *c, cairn_card_work *w)
{
    const int64_t      bytes  = c->origin.entries->n * (int64_t)sizeof(int64_t);
    const int64_t    **number = &w->args.number0;
    cairn_grid_address at;

    for (int q = 0; c->origin.queries >> q; q++) {
        if (!(c->origin.queries >> q & 1)) continue;
        CAIRN_TRY(cairn_card_take(w, bytes, "numbers of entries", &at));
        CAIRN_TRY(w->grids->send(w->program, at,
                                 cairn_groups_at_entries(c->origin.set, q), bytes));
        number[q] = cairn_card_address(at);
    }
    return CAIRN_OK;
}

/// Coordinates, by dimension, and values.
static cairn_status take_entries(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_entries *e     = c->origin.entries;
    const int64_t        bytes = e->n * (int64_t)sizeof(int64_t);
    const int64_t      **coord = &w->args.coord0;
    cairn_grid_address   at;

    w->source.part = &c->empty; /* nothing is read of it */
    CAIRN_TRY(cairn_card_take(w, (e->order + 1) * bytes, "coordinates", &at));
    for (int k = 0; k < e->order; k++, at += (cairn_grid_address)bytes) {
        CAIRN_TRY(w->grids->send(w->program, at, e->coord[k], bytes));
        coord[k] = cairn_card_address(at);
    }
    CAIRN_TRY(w->grids->send(w->program, at, e->value, bytes));
    w->args.value = cairn_card_address(at);
    return take_numbers(c, w);
}

cairn_status cairn_card_take_source(const cairn_compiled *c, cairn_card_work *w)
{
    const uint8_t *member = c->origin.filter.member;

    w->source.positions = cairn_origin_positions(&c->origin);
    w->args.which       = c->origin.filter.which;
    if (member) {
        CAIRN_TRY(
            cairn_card_take(w, w->source.positions, "members", &w->source.members));
        CAIRN_TRY(
            w->grids->send(w->program, w->source.members, member, w->source.positions));
    }
    return c->origin.from ? take_parts(c, w) : take_entries(c, w);
}

cairn_status
cairn_card_send_part(const cairn_compiled *c, cairn_card_work *w, int64_t number)
{
    cairn_array        array[CAIRN_MAX_ARRAYS];
    cairn_grid_address next = w->source.indices;

    w->source.part   = cairn_origin_part(&c->origin, number);
    const int arrays = cairn_part_arrays(w->source.part, array);

    for (int k = 0; k < arrays; k++) {
        const bool                values = has_values(w->source.part, &array[k]);
        cairn_grid_address *const its    = &w->source.array[k];

        if (is_there(w, k)) continue;
        *its = values ? w->source.values + w->source.sent : next;
        CAIRN_TRY(w->grids->send(w->program, *its, array[k].data, array[k].bytes));
        if (values)
            w->source.sent += (cairn_grid_address)array[k].bytes;
        else
            next += (cairn_grid_address)padded(array[k].bytes);
    }
    return CAIRN_OK;
}

void cairn_card_join_values(cairn_card_work *w)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(w->source.part, array);

    for (int k = 0; k < arrays && !w->source.there; k++)
        if (has_values(w->source.part, &array[k]))
            w->source.array[k] = w->source.values;
}
