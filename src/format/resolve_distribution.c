// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of what says how a format's rows go to ranks.

#include "format/resolve.h"

#include <inttypes.h>

/// The first name of a dimension beside d0, or NULL.
static const cairn_expr *find_other_dim(const cairn_expr *expr)
{
    const cairn_expr *found;

    if (!expr) return NULL;
    if (expr->op == CAIRN_EXPR_DIM) return expr->value > 0 ? expr : NULL;
    found = find_other_dim(expr->a);
    return found ? found : find_other_dim(expr->b);
}

/// (expr): the rank of row d0.
static cairn_status resolve_owner(cairn_names                   *names,
                                  const cairn_distribution_node *node,
                                  int                            order,
                                  cairn_distribution            *distribution)
{
    const cairn_expr *other;

    for (; names->order < order; names->order++)
        names->dim[names->order] = cairn_dim_names[names->order];
    CAIRN_TRY(cairn_resolve_expr(names, node->a, &distribution->a));
    other = find_other_dim(distribution->a);
    if (!other) return CAIRN_OK;
    return cairn_fail_in(names->scope, other->place,
                         "d%" PRId64
                         ": a rank has whole rows; only d0 and ranks can stand here",
                         other->value);
}

static cairn_status resolve_factor(const cairn_names *names,
                                   const cairn_node  *node,
                                   const char        *what,
                                   const cairn_expr **factor)
{
    CAIRN_TRY(cairn_resolve_expr(names, node, factor));
    if ((*factor)->op == CAIRN_EXPR_CONST && (*factor)->value < 1)
        return cairn_fail_in(names->scope, node->place,
                             "%s of blocks<p,q> is %" PRId64 "; it must be at least 1",
                             what, (*factor)->value);
    return CAIRN_OK;
}

cairn_status cairn_resolve_distribution(const cairn_scope             *scope,
                                        const cairn_distribution_node *node,
                                        int                            order,
                                        cairn_distribution            *distribution)
{
    cairn_names names = {.scope = scope, .ranks = true};

    *distribution = (cairn_distribution){.kind = node->kind};
    if (node->kind == CAIRN_DISTRIBUTION_MAP)
        return resolve_owner(&names, node, order, distribution);
    if (node->kind != CAIRN_DISTRIBUTION_BLOCKS) return CAIRN_OK;
    CAIRN_TRY(resolve_factor(&names, node->a, "p", &distribution->a));
    return resolve_factor(&names, node->b, "q", &distribution->b);
}
