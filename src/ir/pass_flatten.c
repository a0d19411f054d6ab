// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Two loops that are one. Children of consecutive parents lie one behind the other;
/// where nothing but the children matters, one loop goes through all of them, and does
/// not stop, and guess wrong, at the end of every row.

#include "ir/ir_rewrite.h"
#include "ir/passes.h"

/// Is @p x the ptr of a level at @p var + @p plus? Kernels do not write the arrays that
/// they read, and a ptr ascends.
static const cairn_ir_array *ptr_at(cairn_ir_x x, const cairn_ir_var *var, int64_t plus)
{
    if (x->op != CAIRN_IR_LOAD || x->lanes != 1 || x->array->written
        || x->array->field.source != CAIRN_IR_LEVEL_PTR)
        return NULL;
    const cairn_ir_array *const ptr = x->array;

    x = x->a;
    if (plus) {
        if (x->op != CAIRN_IR_ADD || x->b->op != CAIRN_IR_INT || x->b->integer != plus)
            return NULL;
        x = x->a;
    }
    return x->op == CAIRN_IR_VAR && x->var == var ? ptr : NULL;
}

static bool uses(cairn_ir_x x, void *var)
{
    return x->op == CAIRN_IR_VAR && x->var == var;
}

/// The loop over the children of each parent, if a loop does nothing else.
static cairn_ir_stmt *children_of(const cairn_ir_stmt *loop)
{
    cairn_ir_stmt *const inner = loop->body;

    if (loop->kind != CAIRN_IR_FOR || loop->step != 1 || cairn_ir_is_parallel(loop)
        || !inner || inner->next || inner->kind != CAIRN_IR_FOR || inner->step != 1
        || cairn_ir_is_parallel(inner))
        return NULL;
    const cairn_ir_array *const ptr = ptr_at(inner->a, loop->var, 0);

    if (!ptr || ptr_at(inner->b, loop->var, 1) != ptr
        || cairn_ir_any_expr(inner->body, uses, loop->var))
        return NULL;
    return inner;
}

/// Where there is no parent there may be no ptr.
static void flatten_loop(cairn_ir *b, cairn_ir_stmt **place, cairn_ir_stmt *inner)
{
    cairn_ir_stmt *const  loop = *place;
    cairn_ir_array *const ptr  = (cairn_ir_array *)inner->a->array;

    b->tail[0] = place;
    cairn_ir_if(b, cairn_ir_lt(b, loop->a, loop->b));
    const cairn_ir_x begin = cairn_ir_load(b, ptr, loop->a);
    const cairn_ir_x end   = cairn_ir_load(b, ptr, loop->b);

    cairn_ir_end(b);
    if (b->status != CAIRN_OK) return;
    inner->a       = begin;
    inner->b       = end;
    (*place)->body = inner;
    (*place)->next = loop->next;
}

static void flatten_block(cairn_ir *b, cairn_ir_stmt **place, bool *changed)
{
    for (; *place && b->status == CAIRN_OK; place = &(*place)->next) {
        cairn_ir_stmt *const inner = children_of(*place);

        if (inner) flatten_loop(b, place, inner);
        *changed |= inner != NULL;
        flatten_block(b, &(*place)->body, changed);
        flatten_block(b, &(*place)->other, changed);
    }
}

cairn_status
cairn_pass_flatten(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    cairn_ir b;

    cairn_ir_edit(&b, env, function, &function->body);
    flatten_block(&b, &function->body, changed);
    return b.status;
}
