// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Resolving of expressions and maps. Arithmetic over constants is done here, checked at
/// 64 bits; everything else keeps the form in which it was written.

#include "format/algebra.h"
#include "format/resolve.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const cairn_dim_names[CAIRN_MAX_ORDER] = {
    "d0", "d1", "d2",  "d3",  "d4",  "d5",  "d6",  "d7",
    "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15"};

cairn_status
cairn_fail_in(const cairn_scope *scope, cairn_text_position place, const char *fmt, ...)
{
    char    why[CAIRN_MESSAGE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    return cairn_fail_at(scope->resolver->env, CAIRN_BAD_FORMAT, scope->origin, place,
                         "%s", why);
}

int cairn_scope_param(const cairn_scope *scope, const char *name)
{
    for (int k = 0; scope->definition && k < scope->definition->params; k++)
        if (strcmp(scope->definition->param[k].name, name) == 0) return k;
    return -1;
}

int cairn_query_find(const cairn_query *query, int queries, const char *name)
{
    for (int q = 0; q < queries; q++)
        if (query[q].name && strcmp(query[q].name, name) == 0) return q;
    return -1;
}

int cairn_dim_find(const cairn_names *names, const char *name)
{
    for (int k = 0; k < names->order; k++)
        if (strcmp(names->dim[k], name) == 0) return k;
    return -1;
}

bool cairn_query_node_find(const cairn_query_node *list, const char *name)
{
    for (; list; list = list->next)
        if (list->name && strcmp(list->name, name) == 0) return true;
    return false;
}

void cairn_did_you_mean(char out[96], const char *name, const char *const *words)
{
    const char *nearest = cairn_nearest(name, words);

    if (nearest)
        snprintf(out, 96, "; did you mean %.60s?", nearest);
    else
        out[0] = '\0';
}

/// Count one node of an expression.
static cairn_status count_step(const cairn_scope *scope, const cairn_node *node)
{
    if (++scope->resolver->steps <= CAIRN_MAX_STEPS) return CAIRN_OK;
    return cairn_fail_in(scope, node->place,
                         "a format holds more than %d names, numbers and operators",
                         CAIRN_MAX_STEPS);
}

/// Refuse what divides; a parameter is called by its name, since the user wrote its value
/// elsewhere.
static cairn_status
bad_divisor(const cairn_scope *scope, const cairn_node *node, int64_t value)
{
    const cairn_node *divisor = node->b;

    if (divisor->op == CAIRN_NODE_ID)
        return cairn_fail_in(scope, node->place,
                             "argument %.60s of %.60s is %" PRId64
                             "; a divisor must be positive",
                             divisor->name, scope->definition->name, value);
    return cairn_fail_in(scope, node->place,
                         "a divisor is %" PRId64 "; it must be positive", value);
}

/// An operation on constants.
static cairn_status fold(const cairn_scope *scope,
                         const cairn_node  *node,
                         int64_t            a,
                         int64_t            b,
                         int64_t           *value)
{
    bool overflow = false;

    switch (node->op) {
    case CAIRN_NODE_NEG: overflow = __builtin_sub_overflow((int64_t)0, a, value); break;
    case CAIRN_NODE_ADD: overflow = __builtin_add_overflow(a, b, value); break;
    case CAIRN_NODE_SUB: overflow = __builtin_sub_overflow(a, b, value); break;
    case CAIRN_NODE_MUL: overflow = __builtin_mul_overflow(a, b, value); break;
    default:
        if (b <= 0) return bad_divisor(scope, node, b);
        *value =
            node->op == CAIRN_NODE_DIV ? cairn_floor_div(a, b) : cairn_floor_mod(a, b);
    }
    if (overflow)
        return cairn_fail_in(scope, node->place, "a constant is beyond 64 bits");
    return CAIRN_OK;
}

/// The integer that a parameter is bound to.
static cairn_status
param_value(const cairn_scope *scope, const cairn_node *node, int k, int64_t *value)
{
    const cairn_binding *bound = &scope->binding[k];

    if (!bound->is_number)
        return cairn_fail_in(scope, node->place, "parameter %.60s is a format here",
                             node->name);
    if (!bound->number.whole)
        return cairn_fail_in(scope, node->place,
                             "parameter %.60s is %g; an integer is needed", node->name,
                             bound->number.real);
    *value = bound->number.integer;
    return CAIRN_OK;
}

cairn_status
cairn_resolve_const(const cairn_scope *scope, const cairn_node *node, int64_t *value)
{
    int64_t a = 0, b = 0;
    int     k;

    CAIRN_TRY(count_step(scope, node));
    switch (node->op) {
    case CAIRN_NODE_INT: *value = node->value; return CAIRN_OK;
    case CAIRN_NODE_ID:
        k = cairn_scope_param(scope, node->name);
        if (k >= 0) return param_value(scope, node, k, value);
        return cairn_fail_in(scope, node->place, "%.60s is not a parameter",
                             node->name);
    case CAIRN_NODE_DECIMAL:
    case CAIRN_NODE_RANGE:
    case CAIRN_NODE_INDIRECT:
    case CAIRN_NODE_DIMS:
        return cairn_fail_in(scope, node->place, "an integer is needed here");
    default: break;
    }
    CAIRN_TRY(cairn_resolve_const(scope, node->a, &a));
    if (node->b) CAIRN_TRY(cairn_resolve_const(scope, node->b, &b));
    return fold(scope, node, a, b, value);
}

cairn_status cairn_resolve_range(const cairn_scope *scope,
                                 const cairn_node  *node,
                                 const char        *what,
                                 int64_t            lo,
                                 int64_t            hi,
                                 int64_t           *value)
{
    int64_t got;

    CAIRN_TRY(cairn_resolve_const(scope, node, &got));
    if (got < lo || got > hi) {
        if (hi == INT64_MAX)
            return cairn_fail_in(scope, node->place,
                                 "%s is %" PRId64 "; it must be at least %" PRId64,
                                 what, got, lo);
        return cairn_fail_in(scope, node->place,
                             "%s is %" PRId64 "; it must be within %" PRId64
                             "..%" PRId64,
                             what, got, lo, hi);
    }
    *value = got;
    return CAIRN_OK;
}

cairn_status cairn_resolve_number(const cairn_scope *scope,
                                  const cairn_node  *node,
                                  cairn_number      *number)
{
    const int k = node->op == CAIRN_NODE_ID ? cairn_scope_param(scope, node->name) : -1;

    if (k >= 0 && scope->binding[k].is_number) {
        *number = scope->binding[k].number;
        return CAIRN_OK;
    }
    if (node->op == CAIRN_NODE_DECIMAL) {
        *number = (cairn_number){.whole = false, .real = node->decimal};
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_resolve_const(scope, node, &number->integer));
    number->whole = true;
    number->real  = (double)number->integer;
    return CAIRN_OK;
}

static cairn_status new_expr(const cairn_names  *names,
                             cairn_expr_op       op,
                             int64_t             value,
                             cairn_text_position place,
                             cairn_expr        **expr)
{
    cairn_expr *fresh;

    CAIRN_TRY(CAIRN_ARENA_NEW(names->scope->resolver->arena, 1, &fresh));
    fresh->op    = op;
    fresh->value = value;
    fresh->place = place;
    *expr        = fresh;
    return CAIRN_OK;
}

static cairn_status unknown_name(const cairn_names *names, const cairn_node *node)
{
    const char *words[CAIRN_MAX_ORDER + CAIRN_MAX_QUERIES + CAIRN_MAX_PARAMS + 2];
    char        hint[96];
    int         n = 0;

    if (cairn_query_node_find(names->later, node->name))
        return cairn_fail_in(names->scope, node->place,
                             "query %.60s comes later; only earlier ones can be used",
                             node->name);
    for (int k = 0; k < names->order; k++)
        words[n++] = names->dim[k];
    for (int q = 0; q < names->queries; q++)
        if (names->query[q].name) words[n++] = names->query[q].name;
    for (int k = 0; names->scope->definition && k < names->scope->definition->params;
         k++)
        words[n++] = names->scope->definition->param[k].name;
    if (names->ranks) words[n++] = "ranks";
    words[n] = NULL;
    cairn_did_you_mean(hint, node->name, words);
    return cairn_fail_in(names->scope, node->place,
                         "%.60s is no dimension, parameter or %s%s", node->name,
                         names->ranks ? "'ranks'" : "query", hint);
}

/// A dimension, a parameter or a query.
static cairn_status
resolve_name(const cairn_names *names, const cairn_node *node, cairn_expr **expr)
{
    const int dim   = cairn_dim_find(names, node->name);
    const int param = cairn_scope_param(names->scope, node->name);
    const int query = cairn_query_find(names->query, names->queries, node->name);
    int64_t   value;

    if (dim >= 0) return new_expr(names, CAIRN_EXPR_DIM, dim, node->place, expr);
    if (query >= 0) return new_expr(names, CAIRN_EXPR_QUERY, query, node->place, expr);
    if (names->ranks && strcmp(node->name, "ranks") == 0)
        return new_expr(names, CAIRN_EXPR_RANKS, 0, node->place, expr);
    if (param < 0) return unknown_name(names, node);
    CAIRN_TRY(param_value(names->scope, node, param, &value));
    return new_expr(names, CAIRN_EXPR_CONST, value, node->place, expr);
}

static cairn_status
resolve_expr(const cairn_names *names, const cairn_node *node, cairn_expr **expr);

/// indirect(e, ...): the last query; the arguments are read with dimensions only.
static cairn_status
resolve_indirect(const cairn_names *names, const cairn_node *node, cairn_expr **expr)
{
    cairn_names dims = *names;

    if (names->queries == 0)
        return cairn_fail_in(names->scope, node->place,
                             "indirect: there is no query %s",
                             names->later ? "before this one" : "in this encoding");
    dims.queries = 0;
    CAIRN_TRY(
        new_expr(names, CAIRN_EXPR_INDIRECT, names->queries - 1, node->place, expr));
    for (const cairn_node *arg = node->a; arg; arg = arg->next) {
        cairn_expr *resolved;

        if ((*expr)->args == CAIRN_MAX_ORDER)
            return cairn_fail_in(names->scope, arg->place,
                                 "indirect has more than %d expressions",
                                 CAIRN_MAX_ORDER);
        CAIRN_TRY(resolve_expr(&dims, arg, &resolved));
        (*expr)->arg[(*expr)->args++] = resolved;
    }
    return CAIRN_OK;
}

/// Is its value known before any row is looked at? The number of ranks is, in its time.
static bool is_constant(const cairn_expr *expr)
{
    if (expr->op == CAIRN_EXPR_CONST || expr->op == CAIRN_EXPR_RANKS) return true;
    return expr->a && is_constant(expr->a) && (!expr->b || is_constant(expr->b));
}

static cairn_status check_operands(const cairn_names *names,
                                   const cairn_node  *node,
                                   const cairn_expr  *a,
                                   const cairn_expr  *b)
{
    const bool divides = node->op == CAIRN_NODE_DIV || node->op == CAIRN_NODE_MOD;

    if (node->op == CAIRN_NODE_MUL && !is_constant(a) && !is_constant(b))
        return cairn_fail_in(names->scope, node->place,
                             "one side of '*' must be a constant");
    if (divides && !is_constant(b))
        return cairn_fail_in(names->scope, node->place, "a divisor must be a constant");
    if (divides && b->op == CAIRN_EXPR_CONST && b->value <= 0)
        return bad_divisor(names->scope, node, b->value);
    return CAIRN_OK;
}

static cairn_status
resolve_operator(const cairn_names *names, const cairn_node *node, cairn_expr **expr)
{
    static const cairn_expr_op op_of[] = {
        [CAIRN_NODE_NEG] = CAIRN_EXPR_NEG, [CAIRN_NODE_ADD] = CAIRN_EXPR_ADD,
        [CAIRN_NODE_SUB] = CAIRN_EXPR_SUB, [CAIRN_NODE_MUL] = CAIRN_EXPR_MUL,
        [CAIRN_NODE_DIV] = CAIRN_EXPR_DIV, [CAIRN_NODE_MOD] = CAIRN_EXPR_MOD,
    };
    cairn_expr *a, *b = NULL;
    int64_t     value;

    CAIRN_TRY(resolve_expr(names, node->a, &a));
    if (node->b) CAIRN_TRY(resolve_expr(names, node->b, &b));
    if (a->op == CAIRN_EXPR_CONST && (!b || b->op == CAIRN_EXPR_CONST)) {
        CAIRN_TRY(fold(names->scope, node, a->value, b ? b->value : 0, &value));
        return new_expr(names, CAIRN_EXPR_CONST, value, node->place, expr);
    }
    if (b) CAIRN_TRY(check_operands(names, node, a, b));
    CAIRN_TRY(new_expr(names, op_of[node->op], 0, node->place, expr));
    (*expr)->a = a;
    (*expr)->b = b;
    return CAIRN_OK;
}

static cairn_status
resolve_expr(const cairn_names *names, const cairn_node *node, cairn_expr **expr)
{
    CAIRN_TRY(count_step(names->scope, node));
    switch (node->op) {
    case CAIRN_NODE_INT:
        return new_expr(names, CAIRN_EXPR_CONST, node->value, node->place, expr);
    case CAIRN_NODE_ID: return resolve_name(names, node, expr);
    case CAIRN_NODE_INDIRECT: return resolve_indirect(names, node, expr);
    case CAIRN_NODE_DIMS:
        return cairn_fail_in(names->scope, node->place,
                             "d[n] stands for a whole list, alone in its brackets");
    default: return resolve_operator(names, node, expr);
    }
}

cairn_status cairn_resolve_expr(const cairn_names *names,
                                const cairn_node  *node,
                                const cairn_expr **expr)
{
    cairn_expr *fresh = NULL;

    CAIRN_TRY(resolve_expr(names, node, &fresh));
    *expr = fresh;
    return CAIRN_OK;
}

/// What an expression holds: dimensions, and one bit a query.
static void collect(const cairn_expr *expr, bool *dims, uint32_t *queries)
{
    if (!expr) return;
    if (expr->op == CAIRN_EXPR_DIM) *dims = true;
    if (expr->op == CAIRN_EXPR_QUERY || expr->op == CAIRN_EXPR_INDIRECT)
        *queries |= 1u << expr->value;
    collect(expr->a, dims, queries);
    collect(expr->b, dims, queries);
}

bool cairn_expr_is_indirect(const cairn_expr *expr)
{
    bool     dims    = false;
    uint32_t queries = 0;

    collect(expr, &dims, &queries);
    return queries != 0;
}

static cairn_status check_holds_one(const cairn_names *names,
                                    const cairn_node  *node,
                                    const cairn_expr  *expr)
{
    bool     dims    = false;
    uint32_t queries = 0;

    collect(expr, &dims, &queries);
    if ((dims && queries) || (queries & (queries - 1)))
        return cairn_fail_in(
            names->scope, node->place,
            "an expression holds either dimensions or one query, not %s",
            dims ? "both" : "two");
    return CAIRN_OK;
}

static cairn_status too_many(const cairn_names *names, cairn_text_position place)
{
    return cairn_fail_in(names->scope, place, "a map has more than %d expressions",
                         CAIRN_MAX_LEVELS);
}

/// (d[n]): the dimensions d0, ..., d(n-1).
static cairn_status
resolve_all_dims(const cairn_names *names, const cairn_node *node, cairn_map *map)
{
    int64_t count;

    CAIRN_TRY(cairn_resolve_range(names->scope, node->a, "n of d[n]", 0,
                                  CAIRN_MAX_ORDER, &count));
    for (int k = 0; k < count; k++) {
        const cairn_node one = {
            .op = CAIRN_NODE_ID, .place = node->place, .name = cairn_dim_names[k]};
        cairn_expr *expr;

        CAIRN_TRY(resolve_name(names, &one, &expr));
        map->expr[k] = expr;
    }
    map->count = (int)count;
    return CAIRN_OK;
}

cairn_status cairn_resolve_exprs(const cairn_names    *names,
                                 const cairn_map_node *node,
                                 cairn_map            *map)
{
    const cairn_node *list = node->exprs;

    map->order = names->order;
    map->count = 0;
    if (list && list->op == CAIRN_NODE_DIMS && !list->next)
        return resolve_all_dims(names, list, map);
    for (; list; list = list->next) {
        cairn_expr *expr;

        if (map->count == CAIRN_MAX_LEVELS) return too_many(names, list->place);
        CAIRN_TRY(resolve_expr(names, list, &expr));
        CAIRN_TRY(check_holds_one(names, list, expr));
        map->expr[map->count++] = expr;
    }
    return CAIRN_OK;
}

/// Add a dimension; its name must not mean anything else.
static cairn_status
add_dim(cairn_names *names, const char *name, cairn_text_position place)
{
    const char *other = NULL;

    if (cairn_dim_find(names, name) >= 0) other = "another dimension";
    if (cairn_scope_param(names->scope, name) >= 0) other = "a parameter";
    if (cairn_query_find(names->query, names->queries, name) >= 0
        || cairn_query_node_find(names->later, name))
        other = "a query";
    if (other)
        return cairn_fail_in(names->scope, place, "dimension %.60s is also %s", name,
                             other);
    if (names->order == CAIRN_MAX_ORDER)
        return cairn_fail_in(names->scope, place, "a map has more than %d dimensions",
                             CAIRN_MAX_ORDER);
    names->dim[names->order++] = name;
    return CAIRN_OK;
}

cairn_status cairn_resolve_dims(cairn_names *names, const cairn_map_node *node)
{
    int64_t count;

    names->order = 0;
    for (const cairn_node *dim = node->dims; dim; dim = dim->next) {
        if (dim->op == CAIRN_NODE_ID) {
            CAIRN_TRY(add_dim(names, dim->name, dim->place));
            continue;
        }
        if (dim != node->dims || dim->next)
            return cairn_fail_in(names->scope, dim->place,
                                 "d[n] stands for a whole list, alone in its brackets");
        CAIRN_TRY(cairn_resolve_range(names->scope, dim->a, "n of d[n]", 0,
                                      CAIRN_MAX_ORDER, &count));
        for (int k = 0; k < count; k++)
            CAIRN_TRY(add_dim(names, cairn_dim_names[k], dim->place));
    }
    return CAIRN_OK;
}
