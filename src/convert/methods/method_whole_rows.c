// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of entries that are all nodes, come in order within each group, and whose group
/// follows from their row: the rows are scattered to the groups, and moved whole.

#include "convert/passes.h"
#include "convert/stores/compiled_moves.h"
#include "phases/row_starts.h"

static cairn_status applies(cairn_compiled *c, bool *may)
{
    const int row = cairn_starts_row(&c->origin);

    *may = row >= 0 && cairn_facts_scatter(c->m->layout, &c->facts)
           && (!c->m->rows.on || c->m->rows.row == row)
           && c->m->layout->first <= cairn_moves_levels(c, row)
           && cairn_moves_fit(c, row, cairn_moves_levels(c, row));
    if (*may) c->m->rows.row = row;
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const int                row    = c->m->rows.row;
    const cairn_convert_spec groups = cairn_moves_spec(c, CAIRN_CONVERT_GROUPS, row);
    const cairn_convert_spec move   = cairn_moves_spec(c, CAIRN_CONVERT_MOVE, row);

    w->program->division.rows = true;
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_RUN, &cairn_count_rows));
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_row_groups));
    cairn_pass_written(w)->bytes += cairn_pass_group_bytes(c, w);
    cairn_passes_call(w, &groups);
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, CAIRN_STORES_DIRECT,
                                &cairn_move_rows));
    cairn_passes_call(w, &move);
    return CAIRN_OK;
}

const cairn_method cairn_method_whole_rows = {
    .name    = "rows",
    .needs   = "rows must lie together in the source, and give the first levels",
    .applies = applies,
    .passes  = passes,
};
