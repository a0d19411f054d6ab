// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is the same in all turns of a loop moves before it. Inner loops come first, so
/// that what leaves one may leave the next. Compilers do this, too; here it makes kernels
/// short to read, and does it where a compiler does not know that loads may move.

#include "ir/ir_rewrite.h"
#include "ir/passes.h"

typedef struct {
    cairn_ir        b;
    cairn_ir_stmt  *loop;
    cairn_ir_stmt **place; ///< Where the loop stands: what moves goes there.
    bool            runs;  ///< The loop surely has a turn.
    cairn_ir_x      found; ///< An expression to move; NULL: none.
    const char     *user;  ///< Array or variable that it is added for; NULL: none.
    bool            changed;
} hoisting;

static const cairn_ir_var *loop_var(const cairn_ir_stmt *loop)
{
    return loop->kind == CAIRN_IR_FOR ? loop->var : NULL;
}

/// Arrays that are written may change by other names than one: their loads stay.
static bool loads_written(cairn_ir_x x, void *user)
{
    (void)user;
    return x->array && x->array->written;
}

/// May @p x be computed before the loop? @p sure: it is computed in every turn.
static bool may_move(const hoisting *h, cairn_ir_x x, bool sure)
{
    if (!cairn_ir_invariant(x, h->loop->body, loop_var(h->loop))) return false;
    if (cairn_ir_any(x, loads_written, NULL)) return false;
    return cairn_ir_total(x) || (h->runs && sure);
}

/// Constants that the block declares move with their names; @p sure: it is the body.
static void move_lets(hoisting *h, cairn_ir_stmt **at, bool sure)
{
    while (*at) {
        cairn_ir_stmt *const s = *at;

        if (s->kind == CAIRN_IR_IF) {
            move_lets(h, &s->body, false);
            move_lets(h, &s->other, false);
        }
        if (s->kind == CAIRN_IR_RETURN) return;
        if (s->kind != CAIRN_IR_DECLARE || !s->var->constant || !s->a
            || !may_move(h, s->a, sure)) {
            at = &s->next;
            continue;
        }
        *at        = s->next;
        s->next    = *h->place;
        *h->place  = s;
        h->place   = &s->next;
        h->changed = true;
    }
}

/// Work that computing @p x takes, roughly.
static int cost(cairn_ir_x x)
{
    int sum = cairn_ir_operands(x->op) > 0;

    if (x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_DIV || x->op == CAIRN_IR_MOD
        || x->op == CAIRN_IR_FLOOR_DIV || x->op == CAIRN_IR_FLOOR_MOD)
        sum++;
    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        sum += cost(cairn_ir_operand(x, n));
    return sum;
}

/// Is @p x worth a name of its own? Of floating point loads alone: the order of the rest
/// is the reader's.
static bool is_worth(cairn_ir_x x)
{
    const bool load = x->op == CAIRN_IR_LOAD;

    if (x->lanes > 1 || (x->type != CAIRN_IR_I64 && !load)) return false;
    return cost(x) >= 2;
}

/// What compares numbers, or takes one of them.
static bool compares(cairn_ir_op op)
{
    return op == CAIRN_IR_LT || op == CAIRN_IR_LE || op == CAIRN_IR_EQ
           || op == CAIRN_IR_NE || op == CAIRN_IR_MIN || op == CAIRN_IR_MAX;
}

/// Find the first expression to move in @p x.
static bool find_expr(hoisting *h, cairn_ir_x x, bool sure, const char *user)
{
    const bool chooses =
        x
        && (x->op == CAIRN_IR_AND || x->op == CAIRN_IR_OR || x->op == CAIRN_IR_SELECT);

    if (!x) return false;
    if (is_worth(x) && may_move(h, x, sure)) {
        h->found = x;
        h->user  = user;
        return true;
    }
    if (x->array) user = x->array->name;
    if (chooses || compares(x->op)) user = NULL;
    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        if (find_expr(h, cairn_ir_operand(x, n), sure && (n == 0 || !chooses), user))
            return true;
    return false;
}

/// Find one in a block; @p sure: its statements are reached in every turn.
static bool find(hoisting *h, const cairn_ir_stmt *block, bool sure)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next) {
        const bool        once = sure && s->kind != CAIRN_IR_WHILE;
        const char *const user = s->array ? s->array->name
                                 : s->var ? s->var->name
                                          : "at";

        if (find_expr(h, s->a, once, user)) return true;
        if (find_expr(h, s->b, once && s->kind != CAIRN_IR_PREFETCH,
                      s->kind == CAIRN_IR_STORE ? "value" : user))
            return true;
        if (!cairn_ir_is_parallel(s)
            && (find(h, s->body, false) || find(h, s->other, false)))
            return true;
        if (s->kind == CAIRN_IR_RETURN) sure = false;
    }
    return false;
}

typedef struct {
    cairn_ir_x found, use;
} replacement;

static cairn_ir_x replace(cairn_ir *b, cairn_ir_x x, void *user)
{
    const replacement *const r = user;

    (void)b;
    return cairn_ir_same(x, r->found) ? r->use : NULL;
}

/// A name for an expression: what it is an element of, or whose part it is.
static const cairn_ir_var *name_it(hoisting *h)
{
    const cairn_ir_x x = h->found;

    if (x->op == CAIRN_IR_LOAD && x->a->op == CAIRN_IR_VAR)
        return cairn_ir_let(&h->b, x, "%s_%s", x->array->name, x->a->var->name);
    if (x->op == CAIRN_IR_LOAD)
        return cairn_ir_let(&h->b, x, "%s_value", x->array->name);
    if (!h->user) return cairn_ir_let(&h->b, x, "limit");
    return cairn_ir_let(&h->b, x, "%s_base", h->user);
}

/// Expressions move one after the other, each from all its places.
static void move_exprs(hoisting *h)
{
    while (h->b.status == CAIRN_OK && find(h, h->loop->body, true)) {
        h->b.tail[0] = h->place;

        const cairn_ir_var *const var = name_it(h);
        replacement               r   = {h->found, cairn_ir_use(&h->b, var)};

        if (h->b.status != CAIRN_OK) return;
        h->place = &(*h->place)->next;
        cairn_ir_rewrite_block(&h->b, h->loop->body, replace, &r);
        h->changed = true;
    }
}

static bool surely_runs(const cairn_ir_stmt *loop)
{
    return loop->kind == CAIRN_IR_FOR && loop->a->op == CAIRN_IR_INT
           && loop->b->op == CAIRN_IR_INT && loop->a->integer < loop->b->integer;
}

static void hoist_block(hoisting *h, cairn_ir_stmt **place)
{
    for (; *place && h->b.status == CAIRN_OK; place = &(*place)->next) {
        cairn_ir_stmt *const s = *place;

        hoist_block(h, &s->body);
        hoist_block(h, &s->other);
        if ((s->kind != CAIRN_IR_FOR && s->kind != CAIRN_IR_WHILE)
            || cairn_ir_is_parallel(s))
            continue;
        h->loop  = s;
        h->place = place;
        h->runs  = surely_runs(s);
        move_lets(h, &s->body, true);
        move_exprs(h);
        while (*place != s)
            place = &(*place)->next; /* Over what stands before it now. */
    }
}

cairn_status
cairn_pass_hoist(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    hoisting h = {.changed = false};

    cairn_ir_edit(&h.b, env, function, &function->body);
    hoist_block(&h, &function->body);
    *changed = *changed || h.changed;
    return h.b.status;
}
