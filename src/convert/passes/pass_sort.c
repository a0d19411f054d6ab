// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// SORT and COMBINE: keys of all entries; and what goes on from keys in order.

#include "convert/kept.h"
#include "convert/passes.h"

#include <assert.h>

/// Levels by which nodes and banks are told apart.
static int levels_of_nodes(const cairn_layout *to)
{
    return to->last > to->partition ? to->last + 1 : to->partition + 1;
}

/// Bits of a word behind the first @p levels levels.
static int bits_behind(const cairn_key_fields *fields, int levels)
{
    return (int)(levels > 0 ? fields->shift[levels - 1] : fields->bits[0]);
}

/// How many of the lowest bits of a word need not be sorted: those of levels that nodes do
/// not ask about, and of those that entries have in order where the ones above are equal.
/// What may have an entry twice is sorted whole, for those are to stand side by side.
static cairn_status find_settled(cairn_compiled *c)
{
    int levels = levels_of_nodes(c->m->layout);

    if (!c->facts.trusted || c->keys.fields.split > 0) return CAIRN_OK;
    if (c->facts.one_part)
        CAIRN_TRY(cairn_kept_levels_to_sort(c->m->env, c->build->format,
                                            cairn_origin_layout(&c->origin),
                                            c->m->layout, &levels));
    c->keys.settled = bits_behind(&c->keys.fields, levels);
    return CAIRN_OK;
}

static cairn_status sort_keys(cairn_compiled *c)
{
    cairn_env *const env     = c->m->env;
    const int        threads = c->build->loader->threads;

    CAIRN_TRY(cairn_keys_init(env, c->facts.entries, &c->keys));
    CAIRN_TRY(find_settled(c));
    /* numbers along rows go on from entry to entry */
    CAIRN_TRY(cairn_origin_pack(env, c->m->rows.along ? 1 : threads, &c->origin,
                                cairn_pass_phase(c, CAIRN_CONVERT_PACK), &c->keys));
    CAIRN_TRY(cairn_keys_sort(env, threads, &c->keys));
    /* The direct expressions of a map give back all coordinates (format/check.c): keys of
       a source that has each entry once differ, whatever queries say. */
    assert(!c->facts.trusted || cairn_keys_differ(&c->keys));
    /* What was not sorted by is in order, as was proved. */
    assert(c->keys.fields.split > 0
           || cairn_keys_ascend(
               &c->keys, bits_behind(&c->keys.fields, levels_of_nodes(c->m->layout))));
    return CAIRN_OK;
}

const cairn_pass_work cairn_sort_keys = {.prepare = sort_keys};

static cairn_status combine_keys(cairn_compiled *c)
{
    assert(!c->facts.trusted);
    cairn_keys_combine(&c->keys);
    return CAIRN_OK;
}

const cairn_pass_work cairn_combine_keys = {.prepare = combine_keys};

/* ---- banks of keys ---- */

static int64_t bank_of(const cairn_compiled *c, cairn_pos k)
{
    const cairn_layout *layout = c->m->layout;
    int64_t             bank   = 0;

    for (int l = 0; l <= layout->partition; l++)
        bank = bank * layout->level[l].size
               + (cairn_keys_index(&c->keys, k, l) - layout->level[l].range.lo);
    return bank;
}

/// Where the keys of bank @p bank end, which begin at @p lo. Many banks have few keys, so
/// the search begins near.
static cairn_pos bank_end(const cairn_compiled *c, int64_t bank, cairn_pos lo)
{
    cairn_pos hi = c->keys.n;

    if (c->m->layout->partition < 0) return hi;
    for (cairn_pos step = 1; step <= hi - lo; step *= 2) {
        if (bank_of(c, lo + step - 1) > bank) {
            hi = lo + step - 1;
            break;
        }
        lo += step;
    }
    while (lo < hi) {
        const cairn_pos mid = lo + (hi - lo) / 2;

        if (bank_of(c, mid) <= bank)
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

    bank->begin = number > 0 ? bank[-1].end : 0;
    bank->end   = bank_end(c, number, bank->begin);
    args.end    = bank->end - bank->begin;
    if (c->facts.every) { /* no key need be looked at */
        for (int l = c->m->layout->first; l <= c->m->layout->last; l++)
            bank->nodes[l] = args.end;
        return CAIRN_OK;
    }
    cairn_keys_args(&c->keys, bank->begin, &args);
    return cairn_phase_run(c->m->env, cairn_pass_keys_phase(c, CAIRN_CONVERT_COUNT),
                           NULL, &c->empty.view, &args);
}

static cairn_status count_keys(cairn_compiled *c)
{
    for (int64_t b = 0; b < c->m->layout->banks; b++)
        CAIRN_TRY(count_bank(c, b));
    return CAIRN_OK;
}

const cairn_pass_work cairn_count_keys = {.prepare = count_keys};

static cairn_status append_keys(cairn_compiled *c, const cairn_pass_call *call)
{
    const cairn_bank *its = &c->m->bank[call->bank];

    cairn_keys_args(&c->keys, its->begin, call->args);
    call->args->end = its->end - its->begin;
    return cairn_phase_run(c->m->env, cairn_pass_keys_phase(c, CAIRN_CONVERT_FILL),
                           NULL, &call->part->view, call->args);
}

const cairn_pass_work cairn_append_keys = {.write = append_keys};
