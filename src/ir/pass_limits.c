// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loads of a loop's limit move before it, where the loop stores: that what is stored is
/// not the limit is known here, but not to a compiler that sees two pointers, and loads it
/// in every turn.

#include "ir/ir_rewrite.h"
#include "ir/passes.h"

static bool loads(cairn_ir_x x, void *user)
{
    (void)user;
    return x->op == CAIRN_IR_LOAD;
}

static bool stores(const cairn_ir_stmt *block)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next)
        if (cairn_ir_writes(s) || stores(s->body) || stores(s->other)) return true;
    return false;
}

static void name_limits(cairn_ir *b, cairn_ir_stmt **place, bool *changed)
{
    for (; *place && b->status == CAIRN_OK; place = &(*place)->next) {
        cairn_ir_stmt *const s = *place;

        name_limits(b, &s->body, changed);
        name_limits(b, &s->other, changed);
        if (s->kind != CAIRN_IR_FOR || cairn_ir_is_parallel(s)
            || !cairn_ir_any(s->b, loads, NULL) || !stores(s->body))
            continue;
        b->tail[0] = place;
        s->b       = cairn_ir_use(b, cairn_ir_let(b, s->b, "%s_end", s->var->name));
        place      = &(*place)->next;
        *changed   = true;
    }
}

cairn_status
cairn_pass_limits(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    cairn_ir b;

    cairn_ir_edit(&b, env, function, &function->body);
    name_limits(&b, &function->body, changed);
    return b.status;
}
