// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Facts of a conversion, and what follows from them alone.

#include "convert/facts.h"

#include "convert/kept.h"

/* Positions and counts of groups are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

static int64_t combinations(const cairn_layout *to, int levels)
{
    __int128 n = 1;

    for (int l = 0; l < levels; l++) {
        n *= to->level[l].size;
        if (n > MOST) return MOST + 1;
    }
    return (int64_t)n;
}

/// Does level @p l, or one that has its nodes in common with it, have nodes between the
/// entries'?
static bool has_gaps(const cairn_layout *to, int l)
{
    for (int k = to->first; k <= to->last; k++)
        if (to->level[k].depth == to->level[l].depth && to->level[k].gaps) return true;
    return false;
}

/// The trimmed levels at which every entry begins a node, as bits.
static uint32_t levels_of_entries(const cairn_layout *to, int distinct)
{
    uint32_t levels = 0;

    for (int l = to->first; l <= to->last; l++)
        if (to->level[l].depth >= distinct && !has_gaps(to, l))
            levels |= UINT32_C(1) << l;
    return levels;
}

cairn_source_facts cairn_source_facts_of(const cairn_origin *origin)
{
    const cairn_group *group = cairn_origin_group(origin);

    return (cairn_source_facts){.layout   = group ? group->layout : NULL,
                                .entries  = cairn_origin_entries(origin),
                                .trusted  = !group || cairn_group_is_ordered(group),
                                .one_part = !group || group->count == 1};
}

cairn_status cairn_facts_find(cairn_env                *env,
                              const cairn_format       *format,
                              const cairn_source_facts *source,
                              const cairn_layout       *to,
                              const cairn_interval     *range,
                              cairn_facts              *facts)
{
    const int E = to->last;

    *facts = (cairn_facts){.entries  = source->entries,
                           .trusted  = source->trusted,
                           .one_part = source->one_part};
    CAIRN_TRY(cairn_kept_facts(env, format, source->layout, to, &facts->order));
    facts->of_entries = levels_of_entries(to, facts->order.distinct);
    facts->every =
        to->first <= E && __builtin_popcount(facts->of_entries) == E - to->first + 1;
    facts->groups = to->first <= E ? combinations(to, to->first) : 1;
    if (E >= 0 && range[E].lo <= range[E].hi
        && (uint64_t)range[E].hi - (uint64_t)range[E].lo < (uint64_t)MOST)
        facts->slots = range[E].hi - range[E].lo + 1;
    return CAIRN_OK;
}

static bool has_determined(const cairn_layout *to)
{
    for (int l = 0; l < to->levels; l++)
        if (to->level[l].determined.on) return true;
    return false;
}

bool cairn_facts_append(const cairn_layout *to, const cairn_facts *facts)
{
    if (!facts->trusted || to->partition >= 0) return false;
    return facts->one_part && (to->last < 0 || facts->order.sorted > to->last);
}

bool cairn_facts_scatter(const cairn_layout *to, const cairn_facts *facts)
{
    if (!facts->trusted || !facts->every || to->first == 0 || to->banks == 0
        || facts->order.grouped <= to->last || cairn_convert_needs_tuples(to))
        return false;
    if (has_determined(to) && !facts->one_part) return false;
    /* Banks are written to by way of their distance from the first. */
    if (to->partition >= 0
        && (to->packs.count > 0 || to->last + 1 < to->levels || has_determined(to)))
        return false;
    return facts->entries <= MOST && facts->groups <= MOST;
}

bool cairn_facts_list(const cairn_layout *to, const cairn_facts *facts)
{
    const int E = to->last;

    if (!facts->trusted || to->first != E || to->level[E].gaps || to->partition >= 0
        || !facts->one_part || facts->order.sorted < E)
        return false;
    /* Slots are cleared once: that must not take longer than the entries do. */
    return facts->slots > 0 && facts->slots <= 16 * facts->entries + (1 << 20)
           && facts->entries <= MOST && facts->groups <= MOST;
}
