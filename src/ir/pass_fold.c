// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Folding of constants, removal of variables that are never read. One walk over all
/// blocks; what it simplifies the next walk uses (passes.c repeats until nothing
/// changes).

#include "ir/ir_rewrite.h"
#include "ir/passes.h"

typedef struct {
    cairn_ir b;
    bool     changed;
} folding;

/// May a name for @p x be replaced by @p x itself in the statements from @p rest on?
static bool is_plain(cairn_ir_x x, const cairn_ir_stmt *rest)
{
    if (x->op == CAIRN_IR_INT || x->op == CAIRN_IR_PARAM) return true;
    return x->op == CAIRN_IR_VAR && !cairn_ir_changes(rest, x->var);
}

static bool is_var(cairn_ir_x x, void *user)
{
    return x->op == CAIRN_IR_VAR && x->var == user;
}

typedef struct {
    cairn_ir_x value, name;
} naming;

static bool is_unsteady(cairn_ir_x x, void *user)
{
    return (x->array && x->array->written)
           || (x->op == CAIRN_IR_VAR && cairn_ir_changes(user, x->var));
}

static cairn_ir_x use_name(cairn_ir *b, cairn_ir_x x, void *user)
{
    const naming *const n = user;

    (void)b;
    return cairn_ir_same(x, n->value) ? n->name : NULL;
}

/// What has a name is not computed again in the statements behind it.
static void reuse(folding *f, cairn_ir_stmt *s)
{
    if (cairn_ir_operands(s->a->op) == 0 || cairn_ir_any(s->a, is_unsteady, s->next))
        return;

    naming n = {s->a, cairn_ir_use(&f->b, s->var)};

    f->changed |= cairn_ir_rewrite_block(&f->b, s->next, use_name, &n);
}

/// A declaration: a plain value goes where it is used; without a use the statement goes.
/// @return false if it went.
static bool fold_declare(folding *f, cairn_ir_stmt **place)
{
    cairn_ir_stmt *const s = *place;

    if (s->var->constant && s->a && is_plain(s->a, s->next))
        f->changed |= cairn_ir_substitute_block(&f->b, s->next, s->var, s->a);
    if (s->var->constant && s->a) reuse(f, s);
    if (cairn_ir_any_expr(s->next, is_var, s->var) || cairn_ir_changes(s->next, s->var))
        return true;
    *place     = s->next;
    f->changed = true;
    return false;
}

/// A condition that is known, or that decides about nothing.
static bool fold_if(folding *f, cairn_ir_stmt **place)
{
    cairn_ir_stmt *const s     = *place;
    const bool           known = s->a->op == CAIRN_IR_INT;

    if (!known && (s->body || s->other)) return true;
    cairn_ir_replace_stmt(place, !known ? NULL : s->a->integer ? s->body : s->other);
    f->changed = true;
    return false;
}

/// A loop of no turn, of one turn, or of turns that do nothing.
static bool fold_for(folding *f, cairn_ir_stmt **place)
{
    cairn_ir_stmt *const s     = *place;
    const cairn_ir_x     count = cairn_ir_sub(&f->b, s->b, s->a);
    const bool           known = count->op == CAIRN_IR_INT;
    const bool           none  = !s->body || (known && count->integer <= 0);
    const bool           once =
        known && count->integer <= s->step && !cairn_ir_is_parallel(s) && !none;

    if (f->b.status != CAIRN_OK || (!none && !once)) return true;
    if (once) {
        cairn_ir_x value = s->a;

        if (!is_plain(value, s->body)) { /* Computed once, under the loop's name. */
            f->b.tail[0] = place;
            value = cairn_ir_use(&f->b, cairn_ir_let(&f->b, value, "%s", s->var->name));
            place = &(*place)->next;
        }
        cairn_ir_substitute_block(&f->b, s->body, s->var, value);
    }
    if (f->b.status != CAIRN_OK) return true;
    cairn_ir_replace_stmt(place, none ? NULL : s->body);
    f->changed = true;
    return false;
}

/// What is done with the statement at @p place. @return false if another stands there.
static bool fold_stmt(folding *f, cairn_ir_stmt **place)
{
    switch ((*place)->kind) {
    case CAIRN_IR_DECLARE: return fold_declare(f, place);
    case CAIRN_IR_IF: return fold_if(f, place);
    case CAIRN_IR_FOR: return fold_for(f, place);
    default: return true;
    }
}

static void fold_block(folding *f, cairn_ir_stmt **place)
{
    while (*place && f->b.status == CAIRN_OK) {
        fold_block(f, &(*place)->body);
        fold_block(f, &(*place)->other);
        if (fold_stmt(f, place)) place = &(*place)->next;
    }
}

cairn_status cairn_pass_fold(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    folding f = {.changed = false};

    cairn_ir_edit(&f.b, env, function, &function->body);
    fold_block(&f, &function->body);
    *changed = *changed || f.changed;
    return f.b.status;
}
