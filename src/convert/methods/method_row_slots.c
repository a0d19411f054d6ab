// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of rows that were counted before, and whose entries are numbered along them:
/// each row has slots in a group (convert/passes/pass_slots.c).

#include "convert/passes.h"
#include "convert/stores/fill_lanes.h"

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may              = c->m->rows.along;
    c->slots.by_lanes = *may && cairn_rows_are_read(c, &c->slots.source_is_list)
                        && !(c->slots.source_is_list && c->origin.filter.member);
    return CAIRN_OK;
}

static cairn_convert_spec fill_spec(const cairn_compiled *c, int64_t lanes)
{
    cairn_convert_spec fill = cairn_compiled_spec(c, CAIRN_CONVERT_RANKED);

    if (!c->slots.by_lanes) return fill;
    fill.phase        = CAIRN_CONVERT_STAND;
    fill.along.on     = false;
    fill.along.col    = c->m->rows.col;
    fill.rows.ordered = true;
    fill.ahead        = cairn_lanes_are_far(c->m->layout, lanes);
    return fill;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_layout *to       = c->m->layout;
    const bool          by_lanes = c->slots.by_lanes;
    const int64_t       all      = cairn_slots_lanes(to);
    const bool tiled = by_lanes && cairn_lanes_are_tiled(to, all, c->facts.entries);
    const cairn_convert_spec fill  = fill_spec(c, all);
    const cairn_convert_spec lanes = cairn_slots_lanes_spec(c);

    w->program->division =
        (cairn_source_division){.groups = !by_lanes, .most = INT64_MAX};
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_slots));
    cairn_passes_call(w, &lanes);
    CAIRN_TRY(cairn_passes_move(
        w, CAIRN_PASS_MOVE, by_lanes ? CAIRN_UNIT_RUN : CAIRN_UNIT_ENTRY,
        tiled ? CAIRN_STORES_TILED : CAIRN_STORES_DIRECT, &cairn_move_to_slots));
    cairn_passes_call(w, &fill);
    return cairn_passes_pad(w, &cairn_pad_slots);
}

const cairn_method cairn_method_row_slots = {
    .name    = "row-slots",
    .needs   = "queries must number the entries along rows",
    .applies = applies,
    .passes  = passes,
};
