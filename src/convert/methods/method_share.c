// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of a target that has nothing of its own but where complete rows begin: all
/// other arrays are taken over from the source, or copied whole where it cannot give them.

#include "convert/passes.h"
#include "convert/stores/shared_arrays.h"
#include "phases/row_starts.h"

/// Is nothing left to be found but where complete rows begin?
static bool leaves_ptr_alone(const cairn_compiled *c)
{
    const cairn_layout  *to  = c->m->layout;
    const int            row = cairn_starts_row(&c->origin);
    const cairn_interval box = c->origin.box[row < 0 ? 0 : row];

    if (to->first != 1 || to->level[0].determined.on || to->packs.count > 0 || row < 0
        || cairn_form_dimension(&to->level[0].form, to->order) != row
        || to->level[0].range.lo != box.lo || to->level[0].range.hi != box.hi
        || !to->level[1].arrays.has_ptr)
        return false;
    for (int l = to->first + 1; l <= to->last; l++)
        if (to->level[l].arrays.has_ptr) return false;
    if (to->level[1].arrays.ptr_bits != 32
        && (c->facts.entries >= UINT32_MAX || c->facts.groups >= UINT32_MAX))
        return false; /* where rows begin is found in 32 bits */
    return c->facts.groups == box.hi - box.lo + 1 && cairn_shared_arrays_are_all(c)
           && cairn_starts_fit(&c->origin, row);
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_append(c->m->layout, &c->facts);
    if (!*may) return CAIRN_OK;
    cairn_shared_arrays_find(c);
    *may = leaves_ptr_alone(c);
    return CAIRN_OK;
}

/// Nothing is generated.
static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_layout *to     = c->m->layout;
    const uint64_t      all    = w->arrays & ~w->ptrs;
    uint64_t            copied = c->shared.val ? 0 : CAIRN_PASS_VAL;

    for (int l = to->first; l <= to->last; l++)
        if (!c->shared.idx[l]) copied |= CAIRN_PASS_IDX(l);
    copied &= all;
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_source));
    if (copied != all) CAIRN_TRY(cairn_passes_share(w, all & ~copied));
    if (!copied) return CAIRN_OK;
    /* Lines that are written whole are not read before. */
    return cairn_passes_add(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY, copied,
                            CAIRN_STORES_DIRECT, w->read + w->written,
                            &cairn_append_arrays);
}

const cairn_method cairn_method_share = {
    .name    = "share",
    .needs   = "all but where rows begin must be the source's, as it is",
    .applies = applies,
    .passes  = passes,
};
