// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Integers in 32 bits. Cards have registers of 32, two for every position of 64; where
/// all positions of a launch fit, half of them are free. Who asks for it vouches for it.

#include "ir/ir_inside.h"
#include "ir/ir_rewrite.h"
#include "ir/passes.h"

/// A statement, and what its expressions will be: changed together, when all are made.
typedef struct {
    cairn_ir_stmt *stmt;
    cairn_ir_x     a, b;
} renewed;

typedef struct {
    cairn_ir b;
    renewed *list; ///< [count]
    int      count;
} narrowing;

static bool is_wide(cairn_ir_type type)
{
    return type == CAIRN_IR_I64;
}

/// Constants that do not fit; vectors are the processor's.
static bool stays_wide(cairn_ir_x x, void *user)
{
    (void)user;
    if (!is_wide(x->type)) return false;
    return x->lanes > 1
           || (x->op == CAIRN_IR_INT
               && (x->integer > CAIRN_IR_NARROW || x->integer < -CAIRN_IR_NARROW));
}

/// What the function is given keeps its type, and is narrowed where it is used.
static cairn_ir_x narrowed(cairn_ir *b, cairn_ir_x x)
{
    cairn_ir_expr fresh;

    if (!x || b->status != CAIRN_OK) return x;
    if (x->op == CAIRN_IR_PARAM)
        return is_wide(x->type) ? cairn_ir_cast(b, CAIRN_IR_I32, x) : x;
    fresh   = *x;
    fresh.a = narrowed(b, x->a);
    fresh.b = narrowed(b, x->b);
    fresh.c = narrowed(b, x->c);
    if (is_wide(x->type)) fresh.type = CAIRN_IR_I32;
    if (fresh.op == CAIRN_IR_CAST && fresh.a->type == fresh.type) return fresh.a;
    if (fresh.type == x->type && fresh.a == x->a && fresh.b == x->b && fresh.c == x->c)
        return x;
    return cairn_ir_keep(b, &fresh);
}

static bool count_one(const cairn_ir_stmt *stmt, void *user)
{
    (void)stmt;
    ++*(int *)user;
    return false;
}

static bool renew(const cairn_ir_stmt *stmt, void *user)
{
    narrowing *const n = user;

    n->list[n->count++] = (renewed){(cairn_ir_stmt *)stmt, narrowed(&n->b, stmt->a),
                                    narrowed(&n->b, stmt->b)};
    return n->b.status != CAIRN_OK;
}

static void put(const renewed *r)
{
    cairn_ir_stmt *const s = r->stmt;

    s->a = r->a;
    s->b = r->b;
    if ((s->kind == CAIRN_IR_DECLARE || s->kind == CAIRN_IR_FOR)
        && is_wide(s->var->type))
        s->var->type = CAIRN_IR_I32;
}

cairn_status
cairn_pass_narrow(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    narrowing n     = {.count = 0};
    int       count = 0;

    if (!cairn_ir_is_grid(function)
        || cairn_ir_any_expr(function->body, stays_wide, NULL))
        return CAIRN_OK;
    cairn_ir_edit(&n.b, env, function, &function->body);
    cairn_ir_any_stmt(function->body, count_one, &count);
    if (!cairn_ir_room(&n.b, (size_t)count, sizeof *n.list, (void **)&n.list))
        return n.b.status;
    cairn_ir_any_stmt(function->body, renew, &n);
    if (n.b.status != CAIRN_OK) return n.b.status;
    for (int k = 0; k < n.count; k++)
        put(&n.list[k]);
    *changed = true;
    return CAIRN_OK;
}
