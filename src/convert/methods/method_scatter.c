// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of entries that are all nodes and come in order within each group: they are
/// counted by group, and scattered; or, where two dimensions are exchanged and the pattern
/// may be symmetric in them, taken from where the mirrored entries are.

#include "convert/passes.h"
#include "convert/stores/compiled_buckets.h"
#include "convert/stores/compiled_marks.h"
#include "convert/stores/shared_arrays.h"

enum {
    /* Bytes of output up to which asking ahead costs more (measured: 1.5 of the time with
     * 3.5 MB, 0.94 with 5.4, 0.6 with 19). */
    CACHED = 1 << 22,
};

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_scatter(c->m->layout, &c->facts);
    return CAIRN_OK;
}

/// One pass by one thread writes what the source does not have, if the pattern is symmetric;
/// which groups there are is what the source says.
static cairn_status mirror(const cairn_compiled *c, cairn_pass_writer *w)
{
    const int            E      = c->m->layout->last;
    const bool           shares = cairn_shared_arrays_fits_mirror(c);
    const uint64_t       shared = CAIRN_PASS_PTR(E) | CAIRN_PASS_IDX(E);
    cairn_convert_spec   spec   = cairn_compiled_spec(c, CAIRN_CONVERT_MIRROR);
    cairn_pass_function *marked;

    if (shares) spec.omit.idx = 1U << E;
    spec.rows.halved = cairn_mirror_is_halved(c);
    w->pass.method   = "mirror";
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                               shares ? CAIRN_PASS_VAL : w->arrays & ~w->ptrs,
                               CAIRN_STORES_DIRECT, w->read + 2 * w->written,
                               &cairn_move_mirrored));
    cairn_passes_call(w, &spec)->alone = true;
    marked = spec.rows.halved ? NULL : cairn_marks_call(c, w, &spec);
    if (marked) marked->alone = true;
    CAIRN_TRY(cairn_passes_add(w, shares ? CAIRN_PASS_SHARE : CAIRN_PASS_OFFSETS,
                               CAIRN_UNIT_RUN, shares ? shared : w->ptrs,
                               shares ? CAIRN_STORES_NONE : CAIRN_STORES_DIRECT,
                               shares ? 0 : 12 * w->groups, &cairn_offsets_mirrored));
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const cairn_convert_spec count = cairn_compiled_spec(c, CAIRN_CONVERT_HISTOGRAM);
    cairn_convert_spec       move  = cairn_compiled_spec(c, CAIRN_CONVERT_SCATTER);

    move.ahead = c->facts.entries * (4 + c->build->value_bits / 8) > CACHED;
    /* A histogram for each thread must not outgrow the entries; where these are few, all
       histograms together. */
    const int64_t share = c->facts.entries < CAIRN_RANGES_WORTH ? 1 : 4;

    w->program->division = (cairn_source_division){
        .cursors = true, .most = 1 + share * c->facts.entries / (c->facts.groups + 1)};
    if (cairn_mirror_fits(c)) {
        CAIRN_TRY(mirror(c, w));
        cairn_passes_otherwise(w, 0, "the pattern is symmetric",
                               cairn_method_scatter.name);
    }
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, &cairn_count_groups));
    cairn_pass_written(w)->bytes += cairn_pass_group_bytes(c, w);
    cairn_passes_call(w, &count);
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_groups));
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                                CAIRN_STORES_DIRECT, &cairn_move_entries));
    cairn_buckets_call(c, w);
    cairn_passes_call(w, &move);
    cairn_marks_call(c, w, &move);
    return CAIRN_OK;
}

const cairn_method cairn_method_scatter = {
    .name    = "scatter",
    .needs   = "every entry must be a node, in groups that follow each other",
    .applies = applies,
    .passes  = passes,
};
