// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranges of indices and values, held against the layout.

#include "convert/compiled_check.h"

#include "convert/numbers/compiled_numbers.h"
#include "format/columns.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static bool lies_in(const cairn_interval *inner, const cairn_interval *outer)
{
    return inner->lo > inner->hi || (inner->lo >= outer->lo && inner->hi <= outer->hi);
}

/// What the queries that a level uses gave at the entries. Functions that divide numbers
/// in 32 bits rely on the spans that the layout was created by (convert_form.c).
static void measure(const cairn_compiled *c, uint32_t queries, cairn_interval *range)
{
    for (int q = 0; q < CAIRN_MAX_QUERIES; q++) {
        range[q] = (cairn_interval){0, -1};
        if (!(queries >> q & 1) || cairn_origin_entries(&c->origin) == 0) continue;
        if (!(c->m->rows.interpreted >> q & 1)) {
            range[q] = cairn_numbers_span(c->m, q);
            continue;
        }
        range[q] = cairn_columns_range(c->origin.entries->n,
                                       cairn_groups_at_entries(c->m->set, q));
        assert(c->m->layout->given.spans);
        assert(lies_in(&range[q], &c->m->layout->given.span[q]));
    }
}

/// Interval arithmetic may have been too wide: look at every entry.
static cairn_status check_entries(const cairn_compiled *c, int l)
{
    const cairn_layout   *layout = c->m->layout;
    const cairn_interval *range  = &layout->level[l].range;
    const cairn_entries  *e      = c->origin.entries;
    const int64_t        *number[CAIRN_MAX_QUERIES];
    int64_t              *index;
    cairn_status          status = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW(c->m->env, e->n, &index));
    for (int q = 0; q < c->m->encoding->queries; q++)
        number[q] = cairn_groups_at_entries(c->m->set, q);
    cairn_form_columns(layout->algebra, &layout->level[l].form,
                       (const int64_t *const *)e->coord, number, e->n, index);
    for (cairn_pos k = 0; k < e->n && status == CAIRN_OK; k++)
        if (index[k] < range->lo || index[k] > range->hi)
            status = cairn_build_out_of_range(c->m, l, index[k]);
    cairn_free(c->m->env, index);
    return status;
}

static cairn_status
indirect_range(const cairn_compiled *c, int l, cairn_interval *range)
{
    const cairn_layout *layout = c->m->layout;
    const cairn_level  *level  = &layout->level[l];
    cairn_interval      queries[CAIRN_MAX_QUERIES];

    measure(c, cairn_form_queries(layout->algebra, &level->form), queries);
    CAIRN_TRY(
        cairn_form_range(layout->algebra, &level->form, layout->box, queries, range));
    if (level->trimmed && !level->gaps) return CAIRN_OK;
    if (lies_in(range, &level->range)) return CAIRN_OK;
    CAIRN_CHECK(!cairn_numbers_any(c->m), c->m->env, CAIRN_NO_KERNEL,
                "convert: numbers that may leave their level's range");
    CAIRN_TRY(check_entries(c, l));
    *range = level->range;
    return CAIRN_OK;
}

cairn_status cairn_compiled_ranges(const cairn_compiled *c, cairn_interval *range)
{
    for (int l = 0; l < c->m->layout->levels; l++) {
        range[l] = c->m->layout->level[l].range;
        if (!c->m->layout->level[l].indirect) continue;
        if (!c->build->planned)
            CAIRN_TRY(indirect_range(c, l, &range[l]));
        else if (cairn_origin_entries(&c->origin) == 0)
            range[l] = (cairn_interval){0, -1};
    }
    return CAIRN_OK;
}

/// The failure, if @p value is beyond f32.
static cairn_status check_value(const cairn_compiled *c, double value)
{
    CAIRN_CHECK(isinf(value) || !isinf((float)value), c->m->env, CAIRN_OVERFLOW,
                CAIRN_BUILD_BEYOND_F32, value, (double)FLT_MAX);
    return CAIRN_OK;
}

cairn_status cairn_compiled_check_values(const cairn_compiled *c)
{
    const cairn_local *from = c->origin.from;

    if (c->m->layout->values.bits != 32 || (from && from->value_bits == 32))
        return CAIRN_OK;
    for (cairn_pos k = 0; !from && k < c->origin.entries->n; k++)
        CAIRN_TRY(check_value(c, c->origin.entries->value[k]));
    for (int64_t k = 0; from && k < from->parts; k++)
        for (cairn_pos v = 0; v < from->part[k].view.values; v++)
            CAIRN_TRY(check_value(c, cairn_value_get(&from->part[k].view, v)));
    return CAIRN_OK;
}
