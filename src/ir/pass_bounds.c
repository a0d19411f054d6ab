// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conditions that become bounds. A loop of which all stands under `if (c0 && c1 && ..)`
/// needs no turn where one of them fails; comparisons that are linear in its variable
/// say where that is.

#include "ir/ir_rewrite.h"
#include "ir/passes.h"

typedef struct {
    cairn_ir       b;
    cairn_ir_stmt *loop;
    cairn_ir_x     lo, hi;   ///< Bounds so far.
    cairn_ir_x     rest;     ///< Conditions that stay; NULL: none so far.
    bool           narrowed; ///< A bound was found.
} narrowing;

/// x = n*var + rest; n = 0 where it is not of that form.
typedef struct {
    int64_t    n;
    cairn_ir_x rest;
    bool       linear;
} linear;

static linear split(narrowing *w, cairn_ir_x x);

/// Sums and differences of linear forms.
static linear split_sum(narrowing *w, cairn_ir_x x)
{
    const linear  p = split(w, x->a), q = split(w, x->b);
    const int64_t sign = x->op == CAIRN_IR_SUB ? -1 : 1;
    linear        sum  = {.linear = p.linear && q.linear};

    if (!sum.linear || __builtin_mul_overflow(sign, q.n, &sum.n)
        || __builtin_add_overflow(p.n, sum.n, &sum.n))
        return (linear){.linear = false};
    sum.rest = cairn_ir_binary(&w->b, x->op, p.rest, q.rest);
    return sum;
}

static linear split(narrowing *w, cairn_ir_x x)
{
    const cairn_ir_var *const var = w->loop->var;

    if (!cairn_ir_uses(x, var)) return (linear){0, x, true};
    if (x->op == CAIRN_IR_VAR) return (linear){1, cairn_ir_int(&w->b, 0), true};
    if (x->op == CAIRN_IR_ADD || x->op == CAIRN_IR_SUB) return split_sum(w, x);
    if (x->op == CAIRN_IR_MUL && x->b->op == CAIRN_IR_INT) {
        linear p = split(w, x->a);

        if (!p.linear || __builtin_mul_overflow(p.n, x->b->integer, &p.n))
            return (linear){.linear = false};
        p.rest = cairn_ir_mul(&w->b, p.rest, x->b);
        return p;
    }
    return (linear){.linear = false};
}

/// Turns of one vector, of which conditions mask lanes.
static bool is_vector(const cairn_ir_stmt *loop)
{
    return loop->simd && loop->a->op == CAIRN_IR_INT && loop->b->op == CAIRN_IR_INT;
}

/// var < @p end, of all turns that count.
static void below(narrowing *w, cairn_ir_x end)
{
    w->hi       = cairn_ir_min(&w->b, w->hi, end);
    w->narrowed = true;
}

/// var >= @p begin.
static void from(narrowing *w, cairn_ir_x begin)
{
    w->lo       = cairn_ir_max(&w->b, w->lo, begin);
    w->narrowed = true;
}

/// n*var < limit, n not 0; with n < 0: -n*var > -limit.
static void narrow(narrowing *w, int64_t n, cairn_ir_x limit)
{
    cairn_ir *const  b    = &w->b;
    const cairn_ir_x size = cairn_ir_int(b, n > 0 ? n : -n);

    if (n > 0)
        below(w, cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV,
                                 cairn_ir_add_int(b, limit, n - 1), size));
    else
        from(w, cairn_ir_add_int(
                    b,
                    cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV,
                                    cairn_ir_sub(b, cairn_ir_int(b, 0), limit), size),
                    1));
}

static bool small(int64_t n)
{
    return n != 0 && n > -(INT64_C(1) << 31) && n < INT64_C(1) << 31;
}

/// Take a comparison as bounds. @return false where it is not one.
static bool take(narrowing *w, cairn_ir_x x)
{
    const bool equal = x->op == CAIRN_IR_EQ;

    if (x->op != CAIRN_IR_LT && x->op != CAIRN_IR_LE && !equal) return false;
    if (x->a->type != CAIRN_IR_I64) return false;

    const linear p = split(w, x->a), q = split(w, x->b);
    int64_t      n;

    if (!p.linear || !q.linear || __builtin_sub_overflow(p.n, q.n, &n) || !small(n))
        return false;
    if (equal && n != 1 && n != -1) return false; /* It may have no solution. */

    cairn_ir *const  b     = &w->b;
    const cairn_ir_x limit = cairn_ir_sub(b, q.rest, p.rest);
    const bool       same  = cairn_ir_invariant(limit, w->loop->body, w->loop->var);

    if (!same || !cairn_ir_total(limit)) return false;
    /* n*var <= limit is n*var < limit + 1. */
    narrow(w, n, x->op == CAIRN_IR_LT ? limit : cairn_ir_add_int(b, limit, 1));
    if (equal)
        narrow(w, -n,
               cairn_ir_add_int(b, cairn_ir_sub(b, cairn_ir_int(b, 0), limit), 1));
    return true;
}

/// The condition under which all of a block stands, behind declarations and notes alone;
/// NULL: there is none.
static cairn_ir_stmt **only_if(cairn_ir_stmt **place)
{
    while (*place
           && ((*place)->kind == CAIRN_IR_DECLARE || (*place)->kind == CAIRN_IR_NOTE))
        place = &(*place)->next;
    if (!*place || (*place)->kind != CAIRN_IR_IF) return NULL;
    return (*place)->next || (*place)->other ? NULL : place;
}

/// @p x, which stands at @p end, with the values of what is declared from @p s on.
static cairn_ir_x
spelled_out(cairn_ir *b, const cairn_ir_stmt *s, const cairn_ir_stmt *end, cairn_ir_x x)
{
    if (s == end) return x;
    x = spelled_out(b, s->next, end, x);
    if (s->kind != CAIRN_IR_DECLARE || !s->var->constant || !s->a) return x;
    return cairn_ir_substitute(b, x, s->var, s->a);
}

/// Take what can be taken of the conjunction @p x at @p end, and keep the rest.
static void take_all(narrowing *w, cairn_ir_x x, const cairn_ir_stmt *end)
{
    if (x->op == CAIRN_IR_AND) {
        take_all(w, x->a, end);
        take_all(w, x->b, end);
    } else if (!take(w, spelled_out(&w->b, w->loop->body, end, x))) {
        w->rest = w->rest ? cairn_ir_and(&w->b, w->rest, x) : x;
    }
}

/// Bounds as constants before the loop, unless they are short.
static cairn_ir_x settled(narrowing *w, cairn_ir_x x, const char *what)
{
    if (cairn_ir_operands(x->op) == 0 || w->b.status != CAIRN_OK) return x;
    return cairn_ir_use(&w->b,
                        cairn_ir_let(&w->b, x, "%s_%s", w->loop->var->name, what));
}

/// Narrow one loop by the condition in it. @return whether it was.
static bool narrow_loop(narrowing *w, cairn_ir_stmt **place)
{
    cairn_ir_stmt *const  loop = *place;
    cairn_ir_stmt **const at   = only_if(&loop->body);

    if (!at) return false;
    w->loop      = loop;
    w->lo        = loop->a;
    w->hi        = loop->b;
    w->rest      = NULL;
    w->b.tail[0] = place;
    w->narrowed  = false;
    take_all(w, (*at)->a, *at);
    if (!w->narrowed || w->b.status != CAIRN_OK) return false;

    const cairn_ir_x lo = settled(w, w->lo, "begin"), hi = settled(w, w->hi, "end");

    if (w->b.status != CAIRN_OK) return false;
    loop->a = lo;
    loop->b = hi;
    if (w->rest)
        (*at)->a = w->rest;
    else
        cairn_ir_replace_stmt(at, (*at)->body);
    return true;
}

static void narrow_block(narrowing *w, cairn_ir_stmt **place, bool *changed)
{
    for (; *place && w->b.status == CAIRN_OK; place = &(*place)->next) {
        cairn_ir_stmt *const s = *place;

        narrow_block(w, &s->body, changed);
        narrow_block(w, &s->other, changed);
        if (s->kind == CAIRN_IR_FOR && s->step == 1 && !cairn_ir_is_parallel(s)
            && !is_vector(s))
            *changed |= narrow_loop(w, place);
        while (*place != s)
            place = &(*place)->next; /* Over what stands before it now. */
    }
}

cairn_status
cairn_pass_bounds(cairn_env *env, cairn_ir_function *function, bool *changed)
{
    narrowing w = {.loop = NULL};

    cairn_ir_edit(&w.b, env, function, &function->body);
    narrow_block(&w, &function->body, changed);
    return w.b.status;
}
