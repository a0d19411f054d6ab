// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The choice of a way.

#include "convert/strategy.h"

#include "base/options.h"

#include <string.h>

/* Positions and counts of SCATTER and SLOTS are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

const char *cairn_strategy_name(cairn_strategy strategy)
{
    static const char *const names[] = {
#define X(id, method, needs) method,
        CAIRN_STRATEGY_MAP(X)
#undef X
    };

    return names[strategy];
}

const char *cairn_strategy_needs(cairn_strategy strategy)
{
    static const char *const needs[] = {
#define X(id, method, needs) needs,
        CAIRN_STRATEGY_MAP(X)
#undef X
    };

    return needs[strategy];
}

cairn_status cairn_method_check(cairn_env *env, const char *word)
{
    static const char *const names[] = {
#define X(id, method, needs) method,
        CAIRN_STRATEGY_MAP(X)
#undef X
            CAIRN_METHOD_REFERENCE,
        NULL,
    };
    const char *nearest = cairn_nearest(word, names);

    for (int k = 0; names[k]; k++)
        if (strcmp(word, names[k]) == 0) return CAIRN_OK;
    if (!*word) return CAIRN_OK;
    return cairn_fail(
        env, CAIRN_BAD_OPTION, "option: CAIRN_CONVERT: %s is no method%s%s%s", word,
        nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int64_t combinations(const cairn_layout *to, int levels)
{
    __int128 n = 1;

    for (int l = 0; l < levels; l++) {
        n *= to->level[l].size;
        if (n > MOST) return MOST + 1;
    }
    return (int64_t)n;
}

/// Does every entry begin a node at each trimmed level?
static bool every_entry(const cairn_layout *to, int distinct)
{
    for (int l = to->first; l <= to->last; l++)
        if (to->level[l].depth < distinct || to->level[l].gaps) return false;
    return to->first <= to->last;
}

cairn_strategy_source cairn_strategy_source_of(const cairn_origin *origin)
{
    const cairn_group *group =
        origin->from ? &origin->from->group[origin->member] : NULL;

    return (cairn_strategy_source){.layout   = group ? group->layout : NULL,
                                   .entries  = cairn_origin_entries(origin),
                                   .trusted  = !group || cairn_group_is_ordered(group),
                                   .one_part = !group || group->count == 1};
}

cairn_status cairn_strategy_find(cairn_env                   *env,
                                 const cairn_strategy_source *source,
                                 const cairn_layout          *to,
                                 const cairn_interval        *range,
                                 cairn_strategy_facts        *facts)
{
    const int E = to->last;

    *facts = (cairn_strategy_facts){.entries  = source->entries,
                                    .trusted  = source->trusted,
                                    .one_part = source->one_part};
    CAIRN_TRY(cairn_convert_facts_find(env, source->layout, to, &facts->order));
    facts->every  = every_entry(to, facts->order.distinct);
    facts->groups = to->first <= E ? combinations(to, to->first) : 1;
    if (E >= 0 && range[E].lo <= range[E].hi
        && (uint64_t)range[E].hi - (uint64_t)range[E].lo < (uint64_t)MOST)
        facts->slots = range[E].hi - range[E].lo + 1;
    return CAIRN_OK;
}

static bool has_determined(const cairn_layout *to)
{
    for (int l = 0; l < to->levels; l++)
        if (to->level[l].determined) return true;
    return false;
}

static bool can_append(const cairn_layout *to, const cairn_strategy_facts *facts)
{
    if (to->partition >= 0) return false;
    return facts->one_part && (to->last < 0 || facts->order.sorted > to->last);
}

static bool can_scatter(const cairn_layout *to, const cairn_strategy_facts *facts)
{
    if (!facts->every || to->first == 0 || to->banks == 0
        || facts->order.grouped <= to->last || cairn_convert_needs_tuples(to))
        return false;
    if (has_determined(to) && !facts->one_part) return false;
    /* Banks are written to by way of their distance from the first. */
    if (to->partition >= 0
        && (to->tuples > 0 || to->last + 1 < to->levels || has_determined(to)))
        return false;
    return facts->entries <= MOST && facts->groups <= MOST;
}

static bool can_use_slots(const cairn_layout *to, const cairn_strategy_facts *facts)
{
    const int E = to->last;

    if (to->first != E || to->level[E].gaps || to->partition >= 0 || !facts->one_part
        || facts->order.sorted < E)
        return false;
    /* Slots are cleared once: that must not take longer than the entries do. */
    return facts->slots > 0 && facts->slots <= 16 * facts->entries + (1 << 20)
           && facts->entries <= MOST && facts->groups <= MOST;
}

bool cairn_strategy_applies(cairn_strategy              strategy,
                            const cairn_layout         *to,
                            const cairn_strategy_facts *facts)
{
    switch (strategy) {
    case CAIRN_STRATEGY_APPEND: return facts->trusted && can_append(to, facts);
    case CAIRN_STRATEGY_SCATTER: return facts->trusted && can_scatter(to, facts);
    case CAIRN_STRATEGY_SLOTS: return facts->trusted && can_use_slots(to, facts);
    default: return strategy == CAIRN_STRATEGY_SORT;
    }
}

cairn_strategy cairn_strategy_choose(const cairn_layout         *to,
                                     const cairn_strategy_facts *facts)
{
    static const cairn_strategy best_first[] = {
        CAIRN_STRATEGY_APPEND, CAIRN_STRATEGY_SCATTER, CAIRN_STRATEGY_SLOTS};

    for (size_t k = 0; k < sizeof best_first / sizeof *best_first; k++)
        if (cairn_strategy_applies(best_first[k], to, facts)) return best_first[k];
    return CAIRN_STRATEGY_SORT;
}
