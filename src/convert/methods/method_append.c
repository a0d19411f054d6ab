// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of a source that comes in the order of the target: it is read where it lies,
/// and nodes are appended. Where every entry is a node there is nothing to count.

#include "convert/passes.h"
#include "convert/stores/shared_arrays.h"

/// Are all entries there are known without looking?
static bool is_counted(const cairn_compiled *c)
{
    const cairn_layout *to = c->m->layout;

    if (c->origin.filter.member) return to->last < 0 || c->facts.every;
    if (c->origin.from && c->origin.from->group[0].layout->pads) return to->last < 0;
    return to->last < 0 || c->facts.every;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_append(c->m->layout, &c->facts);
    if (*may) cairn_shared_arrays_find(c);
    return CAIRN_OK;
}

static uint64_t shared_arrays(const cairn_compiled *c)
{
    uint64_t shared = c->shared.val ? CAIRN_PASS_VAL : 0;

    for (int l = 0; l < c->m->layout->levels; l++)
        if (c->shared.idx[l]) shared |= CAIRN_PASS_IDX(l);
    return shared;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const uint64_t           shared = shared_arrays(c);
    const cairn_convert_spec count  = cairn_compiled_spec(c, CAIRN_CONVERT_COUNT);
    cairn_convert_spec       fill   = cairn_compiled_spec(c, CAIRN_CONVERT_FILL);

    fill.omit.idx    = cairn_shared_arrays_levels(c);
    fill.omit.values = c->shared.val != NULL;
    if (shared) CAIRN_TRY(cairn_passes_share(w, shared));
    if (!is_counted(c)) {
        CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, &cairn_count_nodes));
        cairn_passes_call(w, &count);
    }
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY,
                               w->arrays & ~shared, CAIRN_STORES_DIRECT,
                               w->read + (shared ? 0 : 2 * w->written) + 12 * w->groups,
                               &cairn_append_entries));
    cairn_passes_call(w, &fill);
    return CAIRN_OK;
}

const cairn_method cairn_method_append = {
    .name    = "append",
    .needs   = "the source must come in the order of the target",
    .applies = applies,
    .passes  = passes,
};
