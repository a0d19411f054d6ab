// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of entries that are all nodes, come in order within each group, and whose group
/// follows from their row: the rows are dealt out to the groups, and moved whole.

#include "convert/compiled_moves.h"
#include "convert/compiled_starts.h"

#include <string.h>

static cairn_status applies(cairn_compiled *c, bool *may)
{
    const int row = cairn_starts_row(&c->origin);

    *may = row >= 0 && cairn_facts_scatter(c->m->layout, &c->facts)
           && (!c->m->rows.on || c->m->rows.row == row)
           && c->m->layout->first <= cairn_moves_levels(c, row)
           && cairn_moves_fit(c, row, cairn_moves_levels(c, row));
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    (void)c;
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_RUN));
    CAIRN_TRY(cairn_passes_offsets(w));
    return cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, CAIRN_STORES_DIRECT);
}

static cairn_status load(cairn_compiled *c)
{
    const int                row    = cairn_starts_row(&c->origin);
    const cairn_convert_spec groups = cairn_moves_spec(c, CAIRN_CONVERT_GROUPS, row);
    const cairn_convert_spec move   = cairn_moves_spec(c, CAIRN_CONVERT_MOVE, row);

    CAIRN_TRY(cairn_compiled_load(c, &groups, &c->count));
    return cairn_compiled_load(c, &move, &c->move);
}

static int64_t rows_of(const cairn_compiled *c)
{
    const cairn_interval box = c->origin.box[cairn_starts_row(&c->origin)];

    return box.hi - box.lo + 1;
}

/// Which group each row is of, for now in `place`.
static cairn_status find_groups(const cairn_compiled *c)
{
    int64_t            share[2] = {0, rows_of(c)};
    cairn_convert_args args     = {.share      = share,
                                   .shares     = 1,
                                   .box        = &c->origin.box[0].lo,
                                   .table      = c->origin.table,
                                   .table_rows = c->origin.rows,
                                   .list       = c->place};

    return cairn_phase_run(c->m->env, &c->count, NULL,
                           (cairn_kernel_part *)&c->empty.view, &args);
}

/// Where each group begins; there is one more.
static void begin_groups(cairn_compiled *c)
{
    const int64_t rows   = rows_of(c);
    uint32_t      before = 0;

    memset(c->cursor, 0, (size_t)(c->facts.groups + 1) * sizeof *c->cursor);
    for (int64_t i = 0; i < rows; i++)
        c->cursor[c->place[i]] += c->row_first[i + 1] - c->row_first[i];
    for (int64_t g = 0; g <= c->facts.groups; g++) {
        const uint32_t here = c->cursor[g];

        c->cursor[g] = before;
        before += here;
    }
}

/// Rows follow each other in their groups. When all have their places, each cursor stands
/// where the next group begins.
static void place_rows(cairn_compiled *c)
{
    const int64_t rows = rows_of(c);

    for (int64_t i = 0; i < rows; i++) {
        uint32_t *const cursor = &c->cursor[c->place[i]];

        c->place[i] = *cursor;
        *cursor += c->row_first[i + 1] - c->row_first[i];
    }
    memmove(c->cursor + 1, c->cursor, (size_t)c->facts.groups * sizeof *c->cursor);
    c->cursor[0] = 0;
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const    env  = c->m->env;
    const cairn_layout *to   = c->m->layout;
    const int           row  = cairn_starts_row(&c->origin);
    const int64_t       each = c->facts.groups / to->banks;

    CAIRN_TRY(cairn_starts_find(env, &c->origin, row, c->build->loader->threads,
                                &c->row_first));
    CAIRN_TRY(cairn_moves_divide(c, rows_of(c)));
    CAIRN_TRY(CAIRN_NEW(env, rows_of(c), &c->place));
    CAIRN_TRY(CAIRN_NEW(env, c->facts.groups + 1, &c->cursor));
    CAIRN_TRY(find_groups(c));
    begin_groups(c);
    place_rows(c);
    for (int64_t b = 0; b < to->banks; b++) {
        cairn_bank *bank = &c->m->bank[b];

        bank->begin = c->cursor[b * each];
        bank->end   = c->cursor[(b + 1) * each];
        for (int l = to->first; l <= to->last; l++)
            bank->nodes[l] = bank->end - bank->begin;
    }
    return CAIRN_OK;
}

/// The first bank's turn is all banks' turn.
static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    (void)args, (void)part;
    if (bank > 0) return CAIRN_OK;
    for (int64_t b = 0; b < c->m->layout->banks; b++)
        cairn_compiled_write_ptrs(c, b, &c->m->part[b].view);
    return cairn_moves_run(c, true);
}

const cairn_method cairn_method_whole_rows = {
    .name    = "rows",
    .needs   = "rows must lie together in the source, and give the first levels",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
