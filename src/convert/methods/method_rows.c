// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of rows that can be read in any order, and whose numbers give the first levels
/// of the target: the rows are put in order, not the entries. Then nodes are counted and
/// appended, bank by bank; or those of rows are, and the entries are moved row by row.

#include "convert/kept.h"
#include "convert/passes.h"
#include "convert/stores/compiled_moves.h"
#include "format/normal.h"
#include "phases/row_starts.h"

/// Find the levels of the target, from the first on, that the row and its numbers give,
/// and the first through which the row is known: it follows from that and those above it.
static cairn_status find_levels(cairn_compiled *c)
{
    c->rows.levels = cairn_moves_levels(c, c->m->rows.row);
    return cairn_kept_known_through(c->m->env, c->build->format, c->m->layout,
                                    c->m->rows.row, &c->rows.known);
}

/// Do the counts of rows say where their entries lie?
bool cairn_rows_count_all(const cairn_compiled *c)
{
    const uint32_t *count = cairn_compiled_counts(c);
    int64_t         n     = 0;

    if (!c->m->rows.on) return true; /* they will be counted for that */
    if (c->origin.filter.member
        || !cairn_query_counts(&c->m->encoding->query[c->m->rows.count], 1))
        return false;
    if (c->build->planned) return c->facts.entries <= UINT32_MAX;
    for (int64_t i = 0; i < c->m->rows.n; i++)
        n += count[i];
    return n == c->facts.entries && n <= UINT32_MAX;
}

/// Is the outermost loop over a part one over rows? @p source_is_list: over their entries.
static bool part_has_rows(const cairn_compiled *c, bool *source_is_list)
{
    const cairn_layout      *layout = cairn_origin_layout(&c->origin);
    const cairn_kernel_part *view   = cairn_compiled_source(c);

    if (cairn_origin_group(&c->origin)->count != 1 || layout->partition >= 0
        || layout->levels == 0
        || cairn_form_atom(&layout->level[0].form) != c->m->rows.row)
        return false;
    *source_is_list = layout->level[0].trimmed;
    return !*source_is_list
           || (layout->level[0].top && !layout->pads
               && view->level[0].nodes == c->facts.entries);
}

static bool has_rows(const cairn_compiled *c, bool *source_is_list)
{
    *source_is_list = true;
    if (!c->origin.from) return c->m->rows.row == 0;
    return part_has_rows(c, source_is_list);
}

bool cairn_rows_are_read(const cairn_compiled *c, bool *source_is_list)
{
    return c->facts.trusted && has_rows(c, source_is_list);
}

/// Do nodes need no counting? They are the entries, or the rows that have any.
bool cairn_rows_are_counted(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    for (int l = to->first; l <= to->last; l++) {
        const int depth = to->level[l].depth;

        if (to->level[l].gaps
            || (depth < c->facts.order.distinct
                && (depth < c->rows.known || depth >= c->rows.levels)))
            return false;
    }
    return cairn_rows_count_all(c);
}

/// Entries are nodes of one level, whose ptr says which row they are of; those of levels
/// above are rows, and known.
static bool is_moved(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    for (int l = to->first + 1; l <= to->last; l++)
        if (to->level[l].arrays.has_ptr
            && to->level[l - 1].depth >= c->facts.order.distinct)
            return false;
    return to->first <= to->last && cairn_rows_are_counted(c)
           && cairn_moves_fit(c, c->m->rows.row, c->rows.levels);
}

static cairn_status applies(cairn_compiled *c, bool *fits)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin);
    const cairn_layout *to   = c->m->layout;
    int                 sorted;
    bool                source_is_list;

    if (!c->m->rows.on) c->m->rows.row = cairn_starts_row(&c->origin);
    *fits = false;
    if (!c->facts.trusted || c->m->rows.row < 0) return CAIRN_OK;
    CAIRN_TRY(find_levels(c));
    if (c->rows.levels <= to->partition || c->rows.known >= c->rows.levels)
        return CAIRN_OK;
    if (!is_moved(c)
        && (!c->m->rows.on || !has_rows(c, &source_is_list)
            || (source_is_list && !cairn_rows_count_all(c))))
        return CAIRN_OK;
    CAIRN_TRY(cairn_kept_sorted_within(c->m->env, c->build->format, from, to,
                                       c->m->rows.row, c->rows.levels, &sorted));
    *fits = sorted > to->last;
    return CAIRN_OK;
}

/// Nodes of rows, then entries whole row by whole row.
static cairn_status pass_moves(const cairn_compiled *c, cairn_pass_writer *w)
{
    const int                row  = c->m->rows.row;
    cairn_convert_spec       fill = cairn_moves_spec(c, CAIRN_CONVERT_FILL, row);
    const cairn_convert_spec move = cairn_moves_spec(c, CAIRN_CONVERT_MOVE, row);

    fill.rows.ordered         = true;
    w->program->division.rows = true;
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_rows));
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_RUN, CAIRN_STORES_DIRECT,
                                &cairn_move_rows_banked));
    cairn_passes_call(w, &fill);
    cairn_passes_call(w, &move);
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const bool         counted = cairn_rows_are_counted(c);
    cairn_convert_spec count   = cairn_compiled_spec(c, CAIRN_CONVERT_COUNT);
    cairn_convert_spec fill    = cairn_compiled_spec(c, CAIRN_CONVERT_FILL);

    CAIRN_TRY(cairn_passes_count(w, counted ? CAIRN_UNIT_RUN : CAIRN_UNIT_ENTRY,
                                 &cairn_count_rows));
    CAIRN_TRY(cairn_passes_number(w, CAIRN_UNIT_RUN, CAIRN_NUMBER_PLACE, 0,
                                  &cairn_number_rows));
    if (is_moved(c)) return pass_moves(c, w);
    count.rows.ordered = fill.rows.ordered = true;
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_rows));
    if (!counted) cairn_passes_call(w, &count);
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_APPEND, CAIRN_UNIT_RUN,
                                CAIRN_STORES_DIRECT, &cairn_append_rows));
    cairn_passes_call(w, &fill);
    return CAIRN_OK;
}

const cairn_method cairn_method_rows = {
    .name    = "rows",
    .needs   = "rows must lie together in the source, and give the first levels",
    .applies = applies,
    .passes  = passes,
};
