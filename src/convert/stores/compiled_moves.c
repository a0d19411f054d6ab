// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Moving rows whole: what fits, and the copying.

#include "convert/stores/compiled_moves.h"

#include "phases/row_starts.h"

enum {
    WORTH_A_ROW = 2, ///< Entries of a row, on average, from which it pays (a guess),
    WORTH       = 200000, ///< and of all rows, from which threads do (measured).
    LANES       = 16,     ///< Copied at once where vectors can be masked (8 to 32 take
                          ///< the same time).
    MASKED = 64,          ///< Bytes of vectors of machines that mask any type.
};

int cairn_moves_levels(const cairn_compiled *c, int row)
{
    const cairn_layout *to     = c->m->layout;
    const uint32_t      tables = c->m->rows.on ? c->m->rows.tables : 0;
    int                 l      = 0;

    for (; l < to->levels; l++) {
        const cairn_form *form = &to->level[l].form;

        if ((cairn_form_dims(to->algebra, form) & ~(1U << row))
            || (cairn_form_queries(to->algebra, form) & ~tables))
            break;
    }
    return l;
}

static bool level_fits(const cairn_compiled *c, int l, int levels)
{
    const cairn_level *level = &c->m->layout->level[l];

    if (level->determined.on || level->gaps) return false;
    if (!level->trimmed) return l < levels; /* else a row lies in several lists */
    return level->depth >= c->facts.order.distinct || level->depth < levels;
}

bool cairn_moves_fit(const cairn_compiled *c, int row, int levels)
{
    const cairn_layout *to = c->m->layout;

    if (!c->facts.trusted || !cairn_starts_fit(&c->origin, row) || to->packs.count > 0
        || to->last + 1 != to->levels || c->m->rows.along || c->m->blocks)
        return false;
    for (int l = 0; l < to->levels; l++)
        if (!level_fits(c, l, levels)) return false;
    return c->facts.entries / WORTH_A_ROW
           >= c->origin.box[row].hi - c->origin.box[row].lo + 1;
}

cairn_convert_spec
cairn_moves_spec(const cairn_compiled *c, cairn_convert_phase phase, int row)
{
    cairn_convert_spec spec = cairn_compiled_spec(c, phase);

    spec.tables.row  = row;
    spec.rows.levels = cairn_moves_levels(c, row);
    spec.of_entries  = 0;
    if (phase == CAIRN_CONVERT_MOVE) {
        spec.rows.lanes = c->build->loader->vector_bytes >= MASKED ? LANES : 0;
        return spec;
    }
    spec.source = CAIRN_CONVERT_ROWS;
    spec.from   = NULL;
    return spec;
}

cairn_status cairn_moves_divide(cairn_compiled *c, int64_t rows)
{
    cairn_env *const env     = c->m->env;
    const int64_t    threads = c->build->loader->threads;
    const int64_t    ranges  = c->facts.entries < WORTH || threads < 1 ? 1 : threads;

    CAIRN_TRY(CAIRN_NEW(env, ranges + 1, &c->ranges.cut));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, ranges, &c->ranges.offset));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, ranges * CAIRN_CONVERT_FACTS, &c->ranges.found));
    cairn_starts_cut(c->rows.first, rows, ranges, c->ranges.cut);
    c->ranges.n = ranges;
    return CAIRN_OK;
}

/* ---- banks ---- */

/// Elements from one array to another of the same block.
static int64_t distance(const void *to, const void *from, int bits)
{
    return ((const char *)to - (const char *)from) / (bits / 8);
}

static void
set_delta(const cairn_compiled *c, int64_t bank, cairn_pos begin, int64_t *delta)
{
    const cairn_layout      *to    = c->m->layout;
    const cairn_kernel_part *first = &c->m->part[0].view, *its = &c->m->part[bank].view;

    for (int l = 0; l < to->levels; l++)
        if (its->level[l].idx_bits)
            delta[l] =
                distance(its->level[l].idx, first->level[l].idx, its->level[l].idx_bits)
                - begin;
    delta[to->levels] = distance(its->val, first->val, its->val_bits) - begin;
}

cairn_status
cairn_compiled_find_delta(const cairn_compiled *c, bool all, int64_t **delta)
{
    const cairn_layout *to = c->m->layout;

    *delta = NULL;
    if (to->partition < 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, to->banks * (to->levels + 1), delta));
    for (int64_t b = 0; b < to->banks; b++)
        set_delta(c, b, all ? c->m->bank[b].begin : 0, *delta + b * (to->levels + 1));
    return CAIRN_OK;
}

cairn_status cairn_moves_run(const cairn_compiled *c, bool all)
{
    int64_t            outer[CAIRN_MAX_LEVELS];
    cairn_convert_args args  = {.facts = c->ranges.found};
    int64_t           *delta = NULL;

    CAIRN_TRY(cairn_compiled_find_delta(c, all, &delta));
    cairn_origin_args(&c->origin, 0, outer, &args);
    args.first  = c->rows.first;
    args.place  = c->rows.place;
    args.delta  = delta;
    args.share  = c->ranges.cut;
    args.shares = c->ranges.n;
    const cairn_status status =
        cairn_phase_run(c->m->env, cairn_pass_phase(c, CAIRN_CONVERT_MOVE),
                        cairn_compiled_source(c), &c->m->part[0].view, &args);

    cairn_free(c->m->env, delta);
    return status;
}
