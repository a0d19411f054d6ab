// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of encodings, with every check that needs only the text.

#include "format/check.h"
#include "format/resolve.h"

#include <inttypes.h>

static cairn_status resolve_level(const cairn_scope    *scope,
                                  const cairn_node     *node,
                                  const cairn_encoding *e,
                                  int                  *level)
{
    int64_t value;

    CAIRN_TRY(cairn_resolve_range(scope, node, "a level", 0, e->map.count - 1, &value));
    *level = (int)value;
    return CAIRN_OK;
}

/// a..b, where b < a is empty whatever the two are.
static cairn_status
resolve_merge(const cairn_scope *scope, const cairn_node *range, cairn_encoding *e)
{
    int64_t a, b;
    int     first, last;

    CAIRN_TRY(cairn_resolve_const(scope, range->a, &a));
    b = a;
    if (range->b) CAIRN_TRY(cairn_resolve_const(scope, range->b, &b));
    if (b < a) return CAIRN_OK;
    CAIRN_TRY(resolve_level(scope, range->a, e, &first));
    CAIRN_TRY(resolve_level(scope, range->b ? range->b : range->a, e, &last));
    for (int level = first; level <= last; level++)
        e->merged |= 1u << level;
    return CAIRN_OK;
}

static cairn_status check_order(const cairn_scope       *scope,
                                const cairn_action_node *action,
                                const char              *what,
                                int                      first,
                                int                      last)
{
    if (first <= last) return CAIRN_OK;
    return cairn_fail_in(scope, action->place,
                         "%s(%d,%d): the first level comes after the last", what, first,
                         last);
}

static cairn_status resolve_trim(const cairn_scope       *scope,
                                 const cairn_action_node *action,
                                 cairn_encoding          *e)
{
    int first, last;

    if (e->trimmed)
        return cairn_fail_in(
            scope, action->place,
            "a second trim; an encoding has one range of trimmed levels");
    CAIRN_TRY(resolve_level(scope, action->a, e, &first));
    CAIRN_TRY(resolve_level(scope, action->b, e, &last));
    CAIRN_TRY(check_order(scope, action, "trim", first, last));
    e->trimmed    = true;
    e->trim_first = first;
    e->trim_last  = last;
    return CAIRN_OK;
}

/// Without the merge, every entry would have a path of its own through the complete levels
/// above S, and no array could tell which of them is meant.
static cairn_status check_trim(const cairn_scope       *scope,
                               const cairn_action_node *list,
                               const cairn_encoding    *e)
{
    const int above = e->trim_first - 1;

    if (!e->trimmed || above < 0 || e->merged & 1u << above) return CAIRN_OK;
    while (list->kind != CAIRN_ACTION_TRIM)
        list = list->next;
    return cairn_fail_in(
        scope, list->place,
        "trim(%d,%d) needs merge(%d): without it level %d has one node an "
        "entry, and no array could say which",
        e->trim_first, e->trim_last, above, above);
}

static cairn_status resolve_mutations(const cairn_scope       *scope,
                                      const cairn_action_node *list,
                                      cairn_encoding          *e)
{
    e->trim_first = e->map.count;
    e->trim_last  = -1;
    for (const cairn_action_node *action = list; action; action = action->next) {
        if (action->kind == CAIRN_ACTION_TRIM)
            CAIRN_TRY(resolve_trim(scope, action, e));
        for (const cairn_node *range = action->levels; range; range = range->next)
            CAIRN_TRY(resolve_merge(scope, range, e));
    }
    return check_trim(scope, list, e);
}

/// Insert @p pack among the packs, which stay ascending.
static void insert_pack(cairn_encoding *e, cairn_pack pack)
{
    int k = e->packs++;

    for (; k > 0 && e->pack[k - 1].first > pack.first; k--)
        e->pack[k] = e->pack[k - 1];
    e->pack[k] = pack;
}

static cairn_status check_pack(const cairn_scope       *scope,
                               const cairn_action_node *action,
                               const cairn_encoding    *e,
                               const cairn_pack        *pack)
{
    CAIRN_TRY(check_order(scope, action, "pack", pack->first, pack->last));
    for (int k = 0; k < e->packs; k++)
        if (pack->first <= e->pack[k].last && e->pack[k].first <= pack->last)
            return cairn_fail_in(
                scope, action->place, "pack(%d,%d) and pack(%d,%d) share a level",
                pack->first, pack->last, e->pack[k].first, e->pack[k].last);
    return CAIRN_OK;
}

/// The values count as level m, so E = m names them and means m-1.
static cairn_status resolve_pack(const cairn_scope       *scope,
                                 const cairn_action_node *action,
                                 cairn_encoding          *e)
{
    cairn_pack pack = {.novalue = action->novalue};
    int64_t    last;

    CAIRN_TRY(resolve_level(scope, action->a, e, &pack.first));
    CAIRN_TRY(cairn_resolve_range(scope, action->b, "a level", 0, e->map.count, &last));
    if (last == e->map.count && pack.novalue)
        return cairn_fail_in(
            scope, action->place,
            "level %" PRId64 " is the values, which novalue leaves out", last);
    pack.last = (int)(last == e->map.count ? last - 1 : last);
    CAIRN_TRY(check_pack(scope, action, e, &pack));
    insert_pack(e, pack);
    return CAIRN_OK;
}

static cairn_status resolve_partition(const cairn_scope       *scope,
                                      const cairn_action_node *action,
                                      cairn_encoding          *e)
{
    if (e->partition >= 0)
        return cairn_fail_in(scope, action->place, "a second partition");
    CAIRN_TRY(resolve_level(scope, action->a, e, &e->partition));
    if (e->trimmed && e->trim_first <= e->partition)
        return cairn_fail_in(
            scope, action->place,
            "partition(%d) needs levels 0..%d untrimmed, but level %d is "
            "trimmed",
            e->partition, e->partition, e->trim_first);
    return CAIRN_OK;
}

/// Last of the layout: what is packed and divided is said before how values are stored.
static cairn_status resolve_val(const cairn_scope       *scope,
                                const cairn_action_node *action,
                                cairn_encoding          *e)
{
    if (e->val != CAIRN_VAL_UNSAID)
        return cairn_fail_in(scope, action->place, "a second val");
    if (action->next)
        return cairn_fail_in(scope, action->place,
                             "val stands last in a layout, behind pack and partition");
    e->val = (cairn_val_type)action->val;
    return CAIRN_OK;
}

static cairn_status resolve_layout(const cairn_scope       *scope,
                                   const cairn_action_node *list,
                                   cairn_encoding          *e)
{
    e->partition = -1;
    for (; list; list = list->next) {
        if (list->kind == CAIRN_ACTION_PACK)
            CAIRN_TRY(resolve_pack(scope, list, e));
        else if (list->kind == CAIRN_ACTION_VAL)
            CAIRN_TRY(resolve_val(scope, list, e));
        else
            CAIRN_TRY(resolve_partition(scope, list, e));
    }
    return CAIRN_OK;
}

static cairn_status
resolve_bits(const cairn_scope *scope, const cairn_action_node *list, cairn_encoding *e)
{
    for (; list; list = list->next) {
        const bool ptr  = list->kind == CAIRN_ACTION_PTR;
        uint8_t   *bits = ptr ? &e->all_bits.ptr : &e->all_bits.idx;
        int        level;

        if (list->a) {
            CAIRN_TRY(resolve_level(scope, list->a, e, &level));
            bits = ptr ? &e->bits[level].ptr : &e->bits[level].idx;
        }
        if (*bits)
            return cairn_fail_in(scope, list->place, "a width of %s is given twice",
                                 ptr ? "ptr" : "idx");
        *bits = (uint8_t)list->bits;
    }
    return CAIRN_OK;
}

static cairn_status
resolve_queries(cairn_names *names, const cairn_query_node *list, cairn_encoding *e)
{
    for (; list; list = list->next) {
        if (e->queries == CAIRN_MAX_QUERIES)
            return cairn_fail_in(names->scope, list->place, "more than %d queries",
                                 CAIRN_MAX_QUERIES);
        names->later = list;
        CAIRN_TRY(cairn_resolve_query(names, list, &e->query[e->queries]));
        names->queries = ++e->queries;
    }
    names->later = NULL;
    return CAIRN_OK;
}

static cairn_status
check_map(const cairn_scope *scope, const cairn_map_node *node, const cairn_map *map)
{
    if (map->order == 0 || map->count == 0)
        return cairn_fail_in(scope, node->place,
                             "idx_map needs at least one dimension and one level");
    return CAIRN_OK;
}

/// The dimensions first, then the queries over them, then the map, which may use both.
static cairn_status resolve_map(const cairn_scope         *scope,
                                const cairn_encoding_node *node,
                                cairn_encoding            *e)
{
    cairn_names names = {.scope = scope, .query = e->query, .later = node->queries};

    CAIRN_TRY(cairn_resolve_dims(&names, node->map));
    CAIRN_TRY(resolve_queries(&names, node->queries, e));
    CAIRN_TRY(cairn_resolve_exprs(&names, node->map, &e->map));
    return check_map(scope, node->map, &e->map);
}

cairn_status cairn_resolve_encoding(const cairn_scope         *scope,
                                    const cairn_encoding_node *node,
                                    const cairn_encoding     **encoding)
{
    cairn_resolver *const r = scope->resolver;
    cairn_encoding       *e;

    CAIRN_TRY(CAIRN_ARENA_NEW(r->arena, 1, &e));
    CAIRN_TRY(resolve_map(scope, node, e));
    CAIRN_TRY(resolve_mutations(scope, node->mutation, e));
    CAIRN_TRY(resolve_layout(scope, node->layout, e));
    CAIRN_TRY(resolve_bits(scope, node->bits, e));
    CAIRN_TRY(cairn_encoding_check(r->env, e, scope->origin));
    *encoding = e;
    return CAIRN_OK;
}
