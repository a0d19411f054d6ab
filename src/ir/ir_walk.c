// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking through the loop IR.

#include "ir/ir_walk.h"

#include <string.h>

cairn_ir_x cairn_ir_operand(cairn_ir_x x, int n)
{
    return n == 0 ? x->a : n == 1 ? x->b : x->c;
}

/// What an expression is apart from its operands.
static bool same_head(cairn_ir_x x, cairn_ir_x y)
{
    if (x->op != y->op || x->type != y->type || x->lanes != y->lanes) return false;
    if (x->op == CAIRN_IR_PARAM)
        return x->field.source == y->field.source && x->field.part == y->field.part
               && x->field.level == y->field.level;
    return x->var == y->var && x->array == y->array && x->integer == y->integer
           && memcmp(&x->real, &y->real, sizeof x->real) == 0;
}

bool cairn_ir_same(cairn_ir_x x, cairn_ir_x y)
{
    if (x == y) return true;
    if (!same_head(x, y)) return false;
    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        if (!cairn_ir_same(cairn_ir_operand(x, n), cairn_ir_operand(y, n)))
            return false;
    return true;
}

bool cairn_ir_any(cairn_ir_x x, bool (*visit)(cairn_ir_x x, void *user), void *user)
{
    if (!x) return false;
    if (visit(x, user)) return true;
    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        if (cairn_ir_any(cairn_ir_operand(x, n), visit, user)) return true;
    return false;
}

bool cairn_ir_any_stmt(const cairn_ir_stmt *block,
                       bool (*visit)(const cairn_ir_stmt *stmt, void *user),
                       void *user)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next)
        if (visit(s, user) || cairn_ir_any_stmt(s->body, visit, user)
            || cairn_ir_any_stmt(s->other, visit, user))
            return true;
    return false;
}

typedef struct {
    bool (*visit)(cairn_ir_x x, void *user);
    void *user;
} expr_visit;

static bool visit_both(const cairn_ir_stmt *stmt, void *user)
{
    const expr_visit *const v = user;

    return cairn_ir_any(stmt->a, v->visit, v->user)
           || cairn_ir_any(stmt->b, v->visit, v->user);
}

bool cairn_ir_any_expr(const cairn_ir_stmt *block,
                       bool (*visit)(cairn_ir_x x, void *user),
                       void *user)
{
    expr_visit v = {visit, user};

    return cairn_ir_any_stmt(block, visit_both, &v);
}

bool cairn_ir_is_parallel(const cairn_ir_stmt *stmt)
{
    return stmt->kind == CAIRN_IR_FOR && stmt->turns != CAIRN_TURNS_SERIAL;
}

static bool is_groups(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_FOR && stmt->turns == CAIRN_TURNS_GROUPS;
}

bool cairn_ir_is_grid(const cairn_ir_function *function)
{
    return cairn_ir_any_stmt(function->body, is_groups, NULL);
}

bool cairn_ir_writes(const cairn_ir_stmt *stmt)
{
    return stmt->kind == CAIRN_IR_STORE || stmt->kind == CAIRN_IR_ADD_INTEGER;
}

static bool is_var(cairn_ir_x x, void *user)
{
    return x->op == CAIRN_IR_VAR && x->var == user;
}

bool cairn_ir_uses(cairn_ir_x x, const cairn_ir_var *var)
{
    return cairn_ir_any(x, is_var, (void *)var);
}

static bool sets_var(const cairn_ir_stmt *stmt, void *user)
{
    return stmt->var == user;
}

bool cairn_ir_changes(const cairn_ir_stmt *block, const cairn_ir_var *var)
{
    return cairn_ir_any_stmt(block, sets_var, (void *)var);
}
