// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of hybrids: members, the query between them, thresholds and caps.

#include "format/layout.h"
#include "format/resolve.h"

static cairn_status
resolve_fmat(const cairn_scope *scope, const cairn_member_node *node, cairn_format *f)
{
    cairn_meaning meaning;

    if (f->members == CAIRN_MAX_MEMBERS)
        return cairn_fail_in(scope, node->place, "more than %d members",
                             CAIRN_MAX_MEMBERS);
    CAIRN_TRY(cairn_resolve_member(scope, node, &meaning));
    if (!meaning.encoding)
        return cairn_fail_in(scope, node->place,
                             "a member must be an encoding, not a %s",
                             meaning.hybrid ? "hybrid" : "query");
    if (f->members > 0 && meaning.encoding->map.order != f->order)
        return cairn_fail_in(scope, node->place,
                             "the member has %d dimensions, but the first has %d",
                             meaning.encoding->map.order, f->order);
    f->order                           = meaning.encoding->map.order;
    f->member_distribution[f->members] = meaning.distribution;
    f->member[f->members++]            = meaning.encoding;
    return CAIRN_OK;
}

/// The query of a hybrid stands alone: it counts something of the positions.
static cairn_status resolve_hybrid_query(const cairn_scope      *scope,
                                         const cairn_query_node *node,
                                         cairn_text_position     place,
                                         cairn_format           *f)
{
    cairn_names  names = {.scope = scope, .order = f->order, .later = node};
    cairn_query *query;

    if (node->func != CAIRN_QUERY_SUM)
        return cairn_fail_in(scope, place, "a hybrid's query must be a sum");
    for (int k = 0; k < f->order; k++)
        names.dim[k] = cairn_dim_names[k];
    CAIRN_TRY(CAIRN_ARENA_NEW(scope->resolver->arena, 1, &query));
    CAIRN_TRY(cairn_resolve_query(&names, node, query));
    f->query = query;
    return CAIRN_OK;
}

static cairn_status
resolve_query_use(const cairn_scope *scope, const cairn_use_node *use, cairn_format *f)
{
    cairn_meaning meaning;

    CAIRN_TRY(cairn_resolve_use(scope, use, &meaning));
    if (!meaning.query)
        return cairn_fail_in(scope, use->place, "%.60s is a format, not a query",
                             use->name);
    return resolve_hybrid_query(meaning.scope, meaning.query, meaning.query->place, f);
}

static cairn_status resolve_thresholds(const cairn_scope       *scope,
                                       const cairn_hybrid_node *node,
                                       cairn_format            *f)
{
    const cairn_node *t = node->thresholds;
    int               n = 0;

    f->mode = node->mode;
    for (int k = 0; k < f->members - 1; k++)
        f->threshold[k] = 0.5;
    for (; t; t = t->next, n++) {
        cairn_number number;

        if (n == f->members - 1) break;
        CAIRN_TRY(cairn_resolve_number(scope, t, &number));
        f->threshold[n] = number.real;
        if (n > 0 && f->threshold[n] > f->threshold[n - 1])
            return cairn_fail_in(scope, t->place,
                                 "thresholds must not ascend: %g comes after %g",
                                 f->threshold[n], f->threshold[n - 1]);
    }
    if (t || (node->thresholds && n < f->members - 1))
        return cairn_fail_in(
            scope, node->thresholds_place,
            "wrong number of thresholds: %d needed, one for each member but the last",
            f->members - 1);
    return CAIRN_OK;
}

static bool has_indirect_level(const cairn_encoding *e)
{
    for (int level = 0; level < e->map.count; level++)
        if (cairn_expr_is_indirect(e->map.expr[level])) return true;
    return false;
}

static cairn_status check_keep(const cairn_scope    *scope,
                               const cairn_node     *node,
                               const cairn_encoding *member,
                               int                   k,
                               double                keep)
{
    if (!(keep > 0 && keep <= 1))
        return cairn_fail_in(scope, node->place,
                             "keep is %g; it must be above 0 and at most 1", keep);
    if (keep < 1 && !has_indirect_level(member))
        return cairn_fail_in(scope, node->place,
                             "keep is %g, but member %d has no indirect level to cut",
                             keep, k + 1);
    return CAIRN_OK;
}

/// A format's own keep may be left out at the end: it is then 1.
static cairn_status
resolve_keep(const cairn_scope *scope, const cairn_hybrid_node *node, cairn_format *f)
{
    int n = 0;

    for (int k = 0; k < f->members - 1; k++)
        f->keep[k] = 1;
    for (const cairn_node *c = node->keep; c; c = c->next, n++) {
        cairn_number number;

        if (n == f->members - 1)
            return cairn_fail_in(
                scope, node->keep_place,
                "too many keeps: at most %d, one for each member but the last",
                f->members - 1);
        CAIRN_TRY(cairn_resolve_number(scope, c, &number));
        CAIRN_TRY(check_keep(scope, c, f->member[n], n, number.real));
        f->keep[n] = number.real;
    }
    return CAIRN_OK;
}

/// Without a query the first member's blocks decide, and it must have some.
static cairn_status check_blocks(const cairn_scope       *scope,
                                 const cairn_hybrid_node *node,
                                 const cairn_format      *f)
{
    uint32_t levels;

    if (f->members == 1) return CAIRN_OK;
    CAIRN_TRY(cairn_encoding_index_levels(scope->resolver->env, f->member[0], &levels));
    if (levels) return CAIRN_OK;
    return cairn_fail_in(
        scope, node->members->place,
        "the first member stores no index and so has no blocks to count; "
        "give the hybrid a query");
}

cairn_status cairn_resolve_hybrid(const cairn_scope       *scope,
                                  const cairn_hybrid_node *node,
                                  const cairn_format     **format)
{
    cairn_format *f;

    CAIRN_TRY(CAIRN_ARENA_NEW(scope->resolver->arena, 1, &f));
    f->hybrid = true;
    for (const cairn_member_node *m = node->members; m; m = m->next)
        CAIRN_TRY(resolve_fmat(scope, m, f));
    if (node->query)
        CAIRN_TRY(resolve_hybrid_query(scope, node->query, node->query->place, f));
    if (node->query_use) CAIRN_TRY(resolve_query_use(scope, node->query_use, f));
    CAIRN_TRY(resolve_thresholds(scope, node, f));
    CAIRN_TRY(resolve_keep(scope, node, f));
    if (!f->query) CAIRN_TRY(check_blocks(scope, node, f));
    *format = f;
    return CAIRN_OK;
}
