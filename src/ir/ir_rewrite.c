// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rewriting the loop IR.

#include "ir/ir_rewrite.h"

/// @p x with other operands, made by the builder so that it is folded.
static cairn_ir_x
make_again(cairn_ir *b, cairn_ir_x x, cairn_ir_x p, cairn_ir_x q, cairn_ir_x r)
{
    switch (x->op) {
    case CAIRN_IR_LOAD:
        return cairn_ir_hinted(b, cairn_ir_load_lanes(b, x->array, p, x->lanes),
                               x->once, x->aligned);
    case CAIRN_IR_GATHER: return cairn_ir_gather(b, x->array, p);
    case CAIRN_IR_SELECT: return cairn_ir_select(b, p, q, r);
    case CAIRN_IR_CAST: return cairn_ir_cast(b, x->type, p);
    case CAIRN_IR_SPLAT: return cairn_ir_splat(b, p, x->lanes);
    case CAIRN_IR_LANE: return cairn_ir_lane(b, p, (int)x->integer);
    case CAIRN_IR_LANE_SUM: return cairn_ir_lane_sum(b, p);
    case CAIRN_IR_LAST: return cairn_ir_last(b, p, q);
    case CAIRN_IR_FOLLOW: return cairn_ir_follow(b, p);
    case CAIRN_IR_AHEAD: return cairn_ir_ahead(b, p, q, r);
    case CAIRN_IR_COLUMN:
        return cairn_ir_column(b, x->array, p, q, x->lanes, (int)x->integer);
    default: return cairn_ir_binary(b, x->op, p, q);
    }
}

cairn_ir_x
cairn_ir_rewrite_inside(cairn_ir *b, cairn_ir_x x, cairn_ir_map map, void *user)
{
    cairn_ir_x operand[3];
    bool       same = true;

    for (int n = 0; n < cairn_ir_operands(x->op); n++) {
        operand[n] = cairn_ir_rewrite(b, cairn_ir_operand(x, n), map, user);
        same       = same && operand[n] == cairn_ir_operand(x, n);
    }
    return same ? x : make_again(b, x, operand[0], operand[1], operand[2]);
}

cairn_ir_x cairn_ir_rewrite(cairn_ir *b, cairn_ir_x x, cairn_ir_map map, void *user)
{
    if (!x || b->status != CAIRN_OK) return x;

    const cairn_ir_x other = map(b, x, user);

    return other ? other : cairn_ir_rewrite_inside(b, x, map, user);
}

bool cairn_ir_rewrite_block(cairn_ir      *b,
                            cairn_ir_stmt *block,
                            cairn_ir_map   map,
                            void          *user)
{
    bool changed = false;

    for (cairn_ir_stmt *s = block; s && b->status == CAIRN_OK; s = s->next) {
        const cairn_ir_x x = cairn_ir_rewrite(b, s->a, map, user);
        const cairn_ir_x y = cairn_ir_rewrite(b, s->b, map, user);

        if (b->status != CAIRN_OK) break;
        changed = changed || x != s->a || y != s->b;
        s->a    = x;
        s->b    = y;
        changed |= cairn_ir_rewrite_block(b, s->body, map, user);
        changed |= cairn_ir_rewrite_block(b, s->other, map, user);
    }
    return changed;
}

typedef struct {
    const cairn_ir_var *var;
    cairn_ir_x          value;
} substitution;

static cairn_ir_x substitute(cairn_ir *b, cairn_ir_x x, void *user)
{
    const substitution *const s = user;

    (void)b;
    return x->op == CAIRN_IR_VAR && x->var == s->var ? s->value : NULL;
}

cairn_ir_x cairn_ir_substitute(cairn_ir           *b,
                               cairn_ir_x          x,
                               const cairn_ir_var *var,
                               cairn_ir_x          value)
{
    substitution s = {var, value};

    return cairn_ir_rewrite(b, x, substitute, &s);
}

bool cairn_ir_substitute_block(cairn_ir           *b,
                               cairn_ir_stmt      *block,
                               const cairn_ir_var *var,
                               cairn_ir_x          value)
{
    substitution s = {var, value};

    return cairn_ir_rewrite_block(b, block, substitute, &s);
}

void cairn_ir_replace_stmt(cairn_ir_stmt **place, cairn_ir_stmt *block)
{
    cairn_ir_stmt *const next = (*place)->next;

    *place = block;
    while (*place)
        place = &(*place)->next;
    *place = next;
}

bool cairn_ir_is_partial(cairn_ir_x x)
{
    const bool divides = x->op == CAIRN_IR_DIV || x->op == CAIRN_IR_MOD
                         || x->op == CAIRN_IR_FLOOR_DIV || x->op == CAIRN_IR_FLOOR_MOD;

    if (x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_GATHER) return true;
    if (!divides || cairn_ir_type_is_float(x->type)) return false;
    return x->b->op != CAIRN_IR_INT || x->b->integer <= 0;
}

static bool is_partial(cairn_ir_x x, void *user)
{
    (void)user;
    return cairn_ir_is_partial(x);
}

bool cairn_ir_total(cairn_ir_x x)
{
    return !cairn_ir_any(x, is_partial, NULL);
}

typedef struct {
    const cairn_ir_stmt *body;
    const cairn_ir_var  *var;
} loop;

static bool stores_to(const cairn_ir_stmt *stmt, void *user)
{
    return cairn_ir_writes(stmt) && stmt->array == user;
}

static bool varies(cairn_ir_x x, void *user)
{
    const loop *const l = user;

    if (x->op == CAIRN_IR_VAR)
        return x->var == l->var || cairn_ir_changes(l->body, x->var);
    return x->array && cairn_ir_any_stmt(l->body, stores_to, (void *)x->array);
}

bool cairn_ir_invariant(cairn_ir_x           x,
                        const cairn_ir_stmt *body,
                        const cairn_ir_var  *var)
{
    loop l = {body, var};

    return !cairn_ir_any(x, varies, &l);
}
