// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of entries that came in any order and lie in buckets
/// (convert/passes/pass_buckets.c).

#include "convert/passes.h"

static int split_of(const cairn_bucketed *bucketed)
{
    return bucketed->words.bits - bucketed->words.range[0].bits;
}

/// One complete level, the others trimmed, each a dimension, and nothing else.
static bool is_plain(const cairn_layout *to)
{
    if (to->first != 1 || to->last + 1 != to->levels || to->levels != to->order
        || to->partition >= 0 || to->packs.count > 0 || to->values.bits != 64
        || to->level[0].determined.on)
        return false;
    for (int l = 0; l < to->levels; l++)
        if (cairn_form_atom(&to->level[l].form) != l) return false;
    return true;
}

/// No line is in two buckets.
static bool has_whole_lines(const cairn_bucketed *bucketed)
{
    const uint64_t rest = ((uint64_t)1 << split_of(bucketed)) - 1;

    for (int64_t b = 0; b < bucketed->buckets; b++)
        if (bucketed->least[b] & rest) return false;
    return true;
}

bool cairn_buckets_fit(const cairn_bucketed *bucketed,
                       const cairn_layout   *to,
                       const cairn_facts    *facts)
{
    return is_plain(to) && facts->every && has_whole_lines(bucketed)
           && bucketed->n < UINT32_MAX && facts->groups <= 4 * bucketed->n + 1024;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = c->build->bucketed
           && cairn_buckets_fit(c->build->bucketed, c->m->layout, &c->facts);
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    cairn_convert_spec fill = cairn_compiled_spec(c, CAIRN_CONVERT_SCATTER);

    fill.source = CAIRN_CONVERT_KEYS;
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY, NULL));
    CAIRN_TRY(cairn_passes_offsets(w, &cairn_offsets_of_buckets));
    CAIRN_TRY(cairn_passes_move(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY,
                                CAIRN_STORES_BUCKETED, &cairn_append_buckets));
    if (!c->build->bucketed->columns) cairn_passes_call(w, &fill);
    return CAIRN_OK;
}

const cairn_method cairn_method_partitioned = {
    .name    = "partitioned",
    .needs   = "the source must be partitioned by groups of the target",
    .applies = applies,
    .passes  = passes,
};
