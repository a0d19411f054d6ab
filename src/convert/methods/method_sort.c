// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method that needs nothing: keys of all entries, sorted, then appended.

#include "convert/passes.h"

static cairn_convert_spec keys_spec(const cairn_compiled *c, cairn_convert_phase phase)
{
    cairn_convert_spec spec = cairn_compiled_spec(c, phase);

    spec.keys.split = c->keys.fields.split;
    if (phase == CAIRN_CONVERT_PACK) return spec;
    spec.along.on    = false;
    spec.members.one = false;
    spec.source      = spec.keys.split ? CAIRN_CONVERT_LONG : CAIRN_CONVERT_KEYS;
    spec.from        = NULL;
    return spec;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_key_fields_plan(c->m->layout->levels, c->range, &c->keys.fields);
    return CAIRN_OK;
}

/// Items are packed, scattered to buckets that are sorted in cache, those of a source that may
/// have an entry twice combined, counted and appended.
static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_convert_spec pack  = keys_spec(c, CAIRN_CONVERT_PACK);
    const cairn_convert_spec count = keys_spec(c, CAIRN_CONVERT_COUNT);
    const cairn_convert_spec fill  = keys_spec(c, CAIRN_CONVERT_FILL);

    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_SORT, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_BUCKETED, w->read + 32 + 112,
                               &cairn_sort_keys));
    cairn_passes_call(w, &pack);
    w->read   = 16; /* a key, and where the value lies */
    w->values = 8;
    if (!c->facts.trusted)
        CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_COMBINE, CAIRN_UNIT_ENTRY, 0,
                                   CAIRN_STORES_NONE, w->read, &cairn_combine_keys));
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, &cairn_count_keys));
    if (!c->facts.every) cairn_passes_call(w, &count);
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY,
                                CAIRN_STORES_DIRECT, &cairn_append_keys));
    cairn_passes_call(w, &fill);
    return CAIRN_OK;
}

const cairn_method cairn_method_sort = {
    .name    = "sort",
    .needs   = "the indices of an entry must fit two words",
    .applies = applies,
    .passes  = passes,
};
