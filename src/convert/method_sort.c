// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method that needs nothing: keys of all entries, sorted, then appended.

#include "convert/compiled.h"

static cairn_convert_spec keys_spec(const cairn_compiled *c, cairn_convert_phase phase)
{
    cairn_convert_spec spec = cairn_compiled_spec(c, phase);

    spec.split = c->keys.fields.split;
    if (phase == CAIRN_CONVERT_PACK) return spec;
    spec.rank   = false;
    spec.filter = false;
    spec.source = spec.split ? CAIRN_CONVERT_LONG : CAIRN_CONVERT_KEYS;
    spec.from   = NULL;
    return spec;
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    (void)c;
    *may = true;
    return CAIRN_OK;
}

/// Items are packed, dealt to buckets that are sorted in cache, looked at and appended.
static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    (void)c;
    CAIRN_TRY(cairn_passes_add(w, CAIRN_PASS_SORT, CAIRN_UNIT_ENTRY, 0,
                               CAIRN_STORES_BUCKETED, w->read + 32 + 112));
    w->read   = 16; /* a key, and where the value lies */
    w->values = 8;
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY));
    return cairn_passes_move(w, CAIRN_PASS_APPEND, CAIRN_UNIT_ENTRY,
                             CAIRN_STORES_DIRECT);
}

static cairn_status load(cairn_compiled *c)
{
    CAIRN_CHECK(cairn_key_fields_plan(c->m->layout->levels, c->range, &c->keys.fields),
                c->m->env, CAIRN_NO_KERNEL,
                "convert: the indices of an entry do not fit two words");

    const cairn_convert_spec pack  = keys_spec(c, CAIRN_CONVERT_PACK);
    const cairn_convert_spec count = keys_spec(c, CAIRN_CONVERT_COUNT);
    const cairn_convert_spec fill  = keys_spec(c, CAIRN_CONVERT_FILL);

    CAIRN_TRY(cairn_compiled_load(c, &pack, &c->read));
    CAIRN_TRY(cairn_compiled_load(c, &count, &c->count));
    return cairn_compiled_load(c, &fill, &c->fill);
}

/* ---- banks ---- */

static int64_t bank_of(const cairn_compiled *c, cairn_pos k)
{
    const cairn_layout *layout = c->m->layout;
    int64_t             bank   = 0;

    for (int l = 0; l <= layout->partition; l++)
        bank = bank * layout->level[l].size
               + (cairn_keys_index(&c->keys, k, l) - layout->level[l].range.lo);
    return bank;
}

/// First key of bank @p bank or one behind it.
static cairn_pos bank_begin(const cairn_compiled *c, int64_t bank)
{
    cairn_pos lo = 0, hi = c->keys.n;

    if (c->m->layout->partition < 0) return bank > 0 ? hi : 0;
    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (bank_of(c, mid) < bank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static cairn_status count_bank(cairn_compiled *c, int64_t number)
{
    cairn_bank        *bank                       = &c->m->bank[number];
    int64_t            facts[CAIRN_CONVERT_FACTS] = {0};
    cairn_convert_args args = {.facts = facts, .nodes = bank->nodes};

    bank->begin = bank_begin(c, number);
    bank->end   = bank_begin(c, number + 1);
    cairn_keys_args(&c->keys, bank->begin, &args);
    args.end = bank->end - bank->begin;
    return cairn_phase_run(c->m->env, &c->count, NULL, &c->empty.view, &args);
}

static cairn_status count(cairn_compiled *c)
{
    cairn_env *const env = c->m->env;

    CAIRN_TRY(cairn_compiled_divide(c, false, 1));
    CAIRN_TRY(cairn_keys_init(env, c->facts.entries, &c->keys));
    CAIRN_TRY(cairn_origin_pack(env, &c->origin, &c->read, &c->keys));
    c->shares.found[4] = c->keys.fewest;
    c->shares.found[5] = c->keys.most;
    CAIRN_TRY(cairn_keys_sort(env, c->build->loader->threads, &c->keys));
    for (int64_t b = 0; b < c->m->layout->banks; b++)
        CAIRN_TRY(count_bank(c, b));
    return CAIRN_OK;
}

static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    const cairn_bank *its = &c->m->bank[bank];

    cairn_keys_args(&c->keys, its->begin, args);
    args->end = its->end - its->begin;
    return cairn_phase_run(c->m->env, &c->fill, NULL, &part->view, args);
}

const cairn_method cairn_method_sort = {
    .name    = "sort",
    .needs   = "the indices of an entry must fit two words",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
