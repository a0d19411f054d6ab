// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of a target with one trimmed level of few indices: which of them each group
/// has is noted, put in order, and then every value goes to the node of its index.

#include "convert/passes.h"

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_list(c->m->layout, &c->facts);
    return CAIRN_OK;
}

/// Nodes of each group are listed, numbered, and get their entries' values.
static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_convert_spec mark  = cairn_compiled_spec(c, CAIRN_CONVERT_MARK);
    const cairn_convert_spec place = cairn_compiled_spec(c, CAIRN_CONVERT_PLACE);

    w->program->division = (cairn_source_division){
        .groups = c->m->layout->last > 0,
        .nodes  = true,
        .most   = 1 + 4 * c->facts.entries / (c->facts.slots + 1)};
    if (!c->choice.known) {
        CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, &cairn_count_lists));
        cairn_passes_call(w, &mark);
    }
    CAIRN_TRY(cairn_passes_number(w, CAIRN_UNIT_RUN, CAIRN_NUMBER_RANK, w->ptrs,
                                  &cairn_number_lists));
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                                CAIRN_STORES_DIRECT, &cairn_move_to_nodes));
    cairn_passes_call(w, &place);
    return CAIRN_OK;
}

const cairn_method cairn_method_groups = {
    .name    = "groups",
    .needs   = "one trimmed level of few indices, or queries that number groups",
    .applies = applies,
    .passes  = passes,
};
