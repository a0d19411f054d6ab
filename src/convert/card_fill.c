// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passes on a card behind the first: nodes are numbered, and arrays filled.

#include "convert/card_steps.h"

/// Number the nodes of a depth, which are row @p row. @param[out] nodes  How many.
static cairn_status
number_depth(cairn_compiled *c, cairn_card_work *w, int depth, int row, uint32_t *nodes)
{
    const cairn_grid_address its =
        w->number + (cairn_grid_address)(row * w->args.stride) * sizeof *nodes;

    w->args.digit = c->keys.fields.shift[depth];
    w->args.end   = w->source.positions;
    w->args.added = cairn_card_address(its);
    CAIRN_TRY(cairn_card_start_keys(w, CAIRN_GRID_KEYS_HEADS, w->source.positions + 1));
    CAIRN_TRY(cairn_card_add_up(w, its, w->source.positions + 1));
    return w->grids->fetch(
        w->program, nodes,
        its + (cairn_grid_address)w->source.positions * sizeof *nodes, sizeof *nodes);
}

static cairn_status number(cairn_compiled *c, cairn_card_work *w)
{
    const cairn_layout *to     = c->m->layout;
    const uint32_t      depths = cairn_grid_convert_depths(to);
    cairn_bank         *bank   = &c->m->bank[0];
    int                 row    = 0;

    for (int depth = 0; depth < to->levels; depth++) {
        uint32_t nodes;

        if (!(depths >> depth & 1)) continue;
        CAIRN_TRY(number_depth(c, w, depth, row++, &nodes));
        for (int l = to->first; l <= to->last; l++)
            if (to->level[l].depth == depth) bank->nodes[l] = nodes;
    }
    bank->end = w->entries;
    return CAIRN_OK;
}

cairn_status cairn_card_count(cairn_compiled *c)
{
    return cairn_card_note(c, number(c, c->program.card));
}

static cairn_status fill_level(const cairn_compiled *c, cairn_card_work *w, int l)
{
    const cairn_level        *level = &c->m->layout->level[l];
    const cairn_kernel_level *view  = &w->part->view.level[l];

    if (level->determined) {
        w->args.end = view->idx_length;
        return cairn_card_start(w, CAIRN_GRID_CONVERT_HOLES + l, w->args.end);
    }
    if (!level->has_ptr) return CAIRN_OK;
    w->args.end = view->ptr_length;
    return cairn_card_start(w, CAIRN_GRID_CONVERT_PTR + l, w->args.end);
}

/// Numbers of rows by which some level goes.
static bool reads_tables(const cairn_compiled *c)
{
    const cairn_layout *to   = c->m->layout;
    uint32_t            used = 0;

    for (int l = 0; l < to->levels; l++)
        used |= cairn_form_queries(to->algebra, &to->level[l].form);
    return used & c->m->rows.tables;
}

/// Where the entries of each row begin among all, and what is numbered by row.
static cairn_status send_slots(cairn_compiled *c, cairn_card_work *w)
{
    const cairn_numbered_rows *rows = &c->m->rows;
    cairn_grid_address         first, table = 0;

    CAIRN_TRY(cairn_rows_begin(c));
    CAIRN_TRY(cairn_card_send_small(w, c->rows.first, rows->n + 1, &first));
    if (reads_tables(c))
        CAIRN_TRY(cairn_card_send_small(w, rows->table,
                                        c->m->encoding->queries * rows->n, &table));
    w->args.first      = cairn_card_address(first);
    w->args.table      = cairn_card_address(table);
    w->args.table_rows = rows->n;
    return CAIRN_OK;
}

static cairn_status fill(cairn_compiled *c, cairn_card_work *w)
{
    const bool         slots = c->m->rows.along || c->m->blocks;
    cairn_grid_address cursor;

    CAIRN_TRY(cairn_card_take_target(c, w));
    w->args.capacity = w->entries;
    if (slots) {
        CAIRN_TRY(
            cairn_card_send_small(w, c->groups.begin, c->facts.groups + 1, &cursor));
        w->args.cursor = cairn_card_address(cursor);
    }
    if (c->m->rows.along) CAIRN_TRY(send_slots(c, w));
    for (int l = 0; l < c->m->layout->levels && !slots; l++)
        CAIRN_TRY(fill_level(c, w, l));
    w->args.end = w->entries;
    CAIRN_TRY(cairn_card_start(w, CAIRN_GRID_CONVERT_FILL, w->entries));
    return cairn_card_fetch_target(w);
}

cairn_status cairn_card_fill(cairn_compiled *c, const cairn_part *part)
{
    c->program.card->part = part;
    return cairn_card_note(c, fill(c, c->program.card));
}
