// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passes on a card behind the first: nodes are numbered, and arrays filled.

#include "convert/card/card_steps.h"
#include "convert/numbers/compiled_blocks.h"
#include "convert/passes.h"

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

/// Where each bank's entries begin, and how many nodes it has.
static cairn_status find_banks(cairn_compiled *c, cairn_card_work *w)
{
    const cairn_layout *to     = c->m->layout;
    const uint32_t      depths = cairn_grid_convert_depths(to);
    const int           rows   = 1 + __builtin_popcount(depths);
    const int64_t       ends   = to->banks + 1;
    const int64_t       bytes  = rows * ends * (int64_t)sizeof(uint32_t);
    uint32_t           *found  = NULL;
    cairn_grid_address  there;
    cairn_status        status;

    CAIRN_TRY(cairn_card_take(w, bytes, "banks", &there));
    w->args.end      = ends;
    w->args.capacity = w->entries;
    w->args.cursor   = cairn_card_address(there);
    CAIRN_TRY(cairn_card_start(w, CAIRN_GRID_CONVERT_BANKS, ends));
    CAIRN_TRY(CAIRN_NEW(c->m->env, rows * ends, &found));
    CAIRN_GO(done, w->grids->fetch(w->program, found, there, bytes));
    for (int64_t b = 0; b < to->banks; b++) {
        cairn_bank *bank = &c->m->bank[b];

        bank->begin = found[b];
        bank->end   = found[b + 1];
        for (int l = to->first; l <= to->last; l++) {
            const uint32_t  above = depths & ((UINT32_C(1) << to->level[l].depth) - 1);
            const uint32_t *row   = found + (1 + __builtin_popcount(above)) * ends;

            bank->nodes[l] = row[b + 1] - row[b];
        }
    }
done:
    cairn_free(c->m->env, found);
    return status;
}

/// Count the nodes of each group, holes between them among these, and find where it begins.
static cairn_status count_with_gaps(cairn_compiled *c, cairn_card_work *w)
{
    const int64_t      ends = c->facts.groups + 1;
    cairn_grid_address groups;
    uint32_t           nodes;

    CAIRN_TRY(cairn_card_take(w, ends * (int64_t)sizeof nodes, "groups", &groups));
    w->args.end      = ends;
    w->args.capacity = w->entries;
    w->args.cursor   = cairn_card_address(groups);
    CAIRN_TRY(cairn_card_start(w, CAIRN_GRID_CONVERT_GAPS, ends));
    CAIRN_TRY(cairn_card_add_up(w, groups, ends));
    CAIRN_TRY(w->grids->fetch(
        w->program, &nodes, groups + (cairn_grid_address)c->facts.groups * sizeof nodes,
        sizeof nodes));
    c->m->bank[0].nodes[c->m->layout->last] = nodes;
    return CAIRN_OK;
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
    if (cairn_grid_convert_has_gaps(to)) return count_with_gaps(c, w);
    return to->partition < 0 ? CAIRN_OK : find_banks(c, w);
}

cairn_status cairn_card_count(cairn_compiled *c)
{
    return cairn_card_note(c, number(c, c->program.card));
}

static cairn_status fill_level(const cairn_compiled *c, cairn_card_work *w, int l)
{
    const cairn_level        *level = &c->m->layout->level[l];
    const cairn_kernel_level *view  = &w->part->view.level[l];

    if (level->determined.on) {
        w->args.end = view->idx_length;
        return cairn_card_start(w, CAIRN_GRID_CONVERT_HOLES + l, w->args.end);
    }
    if (!level->arrays.has_ptr) return CAIRN_OK;
    w->args.end = view->ptr_length;
    return cairn_card_start(w, CAIRN_GRID_CONVERT_PTR + l, w->args.end);
}

/// Where the entries of each row begin among all, and what is numbered by row.
static cairn_status send_slots(cairn_compiled *c, cairn_card_work *w)
{
    cairn_grid_address first;

    CAIRN_TRY(cairn_rows_begin(c));
    CAIRN_TRY(cairn_card_send_small(w, c->rows.first, c->m->rows.n + 1, &first));
    w->args.first = cairn_card_address(first);
    return cairn_card_send_table(c, w);
}

static cairn_status fill(cairn_compiled *c, cairn_card_work *w)
{
    const bool         slots   = c->m->rows.along || c->m->blocks;
    const cairn_bank  *bank    = &c->m->bank[w->part->where.bank];
    const cairn_pos    entries = slots ? w->entries : bank->end - bank->begin;
    cairn_grid_address cursor, first = (cairn_grid_address)(slots ? 0 : bank->begin);

    CAIRN_TRY(cairn_card_take_target(c, w));
    w->args.capacity = entries;
    w->args.key      = cairn_card_address(w->key[0] + first * sizeof(uint64_t));
    w->args.at       = cairn_card_address(w->at[0] + first * sizeof(uint32_t));
    w->args.number   = cairn_card_address(w->number + first * sizeof(uint32_t));
    if (slots) {
        CAIRN_TRY(
            cairn_card_send_small(w, c->groups.begin, c->facts.groups + 1, &cursor));
        w->args.cursor = cairn_card_address(cursor);
    }
    if (c->m->rows.along) CAIRN_TRY(send_slots(c, w));
    for (int l = 0; l < c->m->layout->levels && !slots; l++)
        CAIRN_TRY(fill_level(c, w, l));
    w->args.end = entries;
    CAIRN_TRY(cairn_card_start(w, CAIRN_GRID_CONVERT_FILL, entries));
    return slots ? CAIRN_OK : cairn_card_fetch_target(w);
}

cairn_status cairn_card_fill(cairn_compiled *c, const cairn_part *part)
{
    c->program.card->part = part;
    return cairn_card_note(c, fill(c, c->program.card));
}

/// The groups of each line, if they are not there since keys were made, and how many are
/// numbered where no entry is.
static cairn_status send_lines(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_blocks *b = c->m->blocks;
    cairn_grid_address  at;

    w->args.line_slots = b->width < 0 ? 0 : b->along.places;
    if (b->along.begin == c->origin.groups.index->begin) return CAIRN_OK;
    CAIRN_TRY(cairn_card_send_small(w, b->along.begin, b->along.lines + 1, &at));
    w->args.line_first = cairn_card_address(at);
    CAIRN_TRY(cairn_card_send_small(w, b->along.place, b->along.n, &at));
    w->args.line_list = cairn_card_address(at);
    return CAIRN_OK;
}

static cairn_status pad(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_layout *to    = c->m->layout;
    const bool          rows  = c->m->rows.along;
    const int64_t       lanes = rows ? cairn_slots_lanes(to) : cairn_lines_lanes(to);
    const int64_t       all   = lanes * c->facts.groups;
    cairn_grid_address  order;

    CAIRN_TRY(
        cairn_card_send_small(w, rows ? c->slots.row_of : c->slots.lane, all, &order));
    if (!rows) CAIRN_TRY(send_lines(c, w));
    w->args.order = cairn_card_address(order);
    w->args.lanes = lanes;
    w->args.end   = all;
    CAIRN_TRY(cairn_card_start(w, CAIRN_GRID_CONVERT_PAD, all));
    return cairn_card_fetch_target(w);
}

cairn_status cairn_card_pad(cairn_compiled *c)
{
    return cairn_card_note(c, pad(c, c->program.card));
}
