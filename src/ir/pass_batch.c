// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Several positions a turn. A loop that loads an index, then what it points to, and then
/// adds, waits for memory twice a term; compilers that may not change the order of a sum
/// keep that order of loads, too. Here all loads of a turn come first, by depth: they are
/// in flight together. The sum's order is what it was.

#include "ir/ir_inside.h"
#include "ir/ir_rewrite.h"
#include "ir/passes.h"

enum { MOST = 64 }; ///< Variables and loads of a body, at most.

/// A variable of the body, and what it is at the position at hand.
typedef struct {
    const cairn_ir_var *var;
    cairn_ir_x          value;
} stand_in;

/// What was loaded already, under which condition.
typedef struct {
    cairn_ir_x what, live, value;
} fetched;

typedef struct {
    cairn_ir    b;
    int         positions; ///< A turn.
    int         number;    ///< Of the position at hand.
    cairn_ir_x  live;      ///< Does it count?
    bool        early;     ///< Values are there whether it does,
    cairn_ir_x  turn;      ///< where there is such a turn.
    stand_in    var[MOST];
    int         vars;
    fetched     load[MOST];
    int         loads;
    const char *name; ///< Of the next load; NULL: its array's.
    bool        changed;
} batching;

/* ---- which loops ---- */

static bool assigns(const cairn_ir_stmt *stmt, void *user)
{
    return stmt->kind == CAIRN_IR_ASSIGN && stmt->var == user;
}

static bool stores_to(const cairn_ir_stmt *stmt, void *user)
{
    return cairn_ir_writes(stmt) && stmt->array == user;
}

static bool is_changed(cairn_ir_x x, void *user)
{
    if (x->op == CAIRN_IR_VAR) return cairn_ir_any_stmt(user, assigns, (void *)x->var);
    return x->array && cairn_ir_any_stmt(user, stores_to, (void *)x->array);
}

/// Does @p x read nothing that the body changes?
static bool is_steady(cairn_ir_x x, const cairn_ir_stmt *body)
{
    return !cairn_ir_any(x, is_changed, (void *)body);
}

/// s = s + x or s - x, of a scalar.
static bool is_sum(const cairn_ir_stmt *s, const cairn_ir_stmt *body)
{
    return s->var->lanes == 1 && (s->a->op == CAIRN_IR_ADD || s->a->op == CAIRN_IR_SUB)
           && s->a->a->op == CAIRN_IR_VAR && s->a->a->var == s->var
           && is_steady(s->a->b, body);
}

/// Constants, guards, sums, and stores into what the body does not load. @p vars counts
/// the constants.
static bool suits(const cairn_ir_stmt *s, const cairn_ir_stmt *body, int *vars)
{
    bool right = true;

    for (; s && right; s = s->next)
        switch (s->kind) {
        case CAIRN_IR_NOTE: break;
        case CAIRN_IR_DECLARE:
            right = s->var->constant && s->a && is_steady(s->a, body) && ++*vars < MOST;
            break;
        case CAIRN_IR_ASSIGN: right = is_sum(s, body); break;
        case CAIRN_IR_STORE:
            right = s->b->lanes == 1 && is_steady(s->a, body) && is_steady(s->b, body);
            break;
        case CAIRN_IR_IF:
            right = !s->other && is_steady(s->a, body) && suits(s->body, body, vars);
            break;
        default: right = false;
        }
    return right;
}

static bool loads(cairn_ir_x x, void *user)
{
    (void)user;
    return x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_GATHER;
}

static bool has_effect(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_ASSIGN || stmt->kind == CAIRN_IR_STORE;
}

static bool is_suitable(const cairn_ir_stmt *loop)
{
    int vars = 0;

    return loop->kind == CAIRN_IR_FOR && loop->turns == CAIRN_TURNS_SERIAL
           && cairn_ir_any_expr(loop->body, loads, NULL)
           && cairn_ir_any_stmt(loop->body, has_effect, NULL)
           && suits(loop->body, loop->body, &vars);
}

typedef struct {
    const cairn_ir_stmt *effect;
    int                  count;
} effects;

static bool count_effect(const cairn_ir_stmt *stmt, void *user)
{
    effects *const e = user;

    e->count += has_effect(stmt, NULL) && stmt->var == e->effect->var
                && stmt->array == e->effect->array;
    return false;
}

/// How many positions a body does already: what it adds to one sum, or stores into one
/// array.
static int positions_of(const cairn_ir_stmt *body)
{
    int most = 1;

    for (const cairn_ir_stmt *s = body; s; s = s->next) {
        effects   e     = {.effect = s};
        const int below = s->body ? positions_of(s->body) : 1;

        if (has_effect(s, NULL)) cairn_ir_any_stmt(body, count_effect, &e);
        if (e.count > most) most = e.count;
        if (below > most) most = below;
    }
    return most;
}

/// Turns of a loop; 0: that is not known.
static int64_t turns_of(batching *t, const cairn_ir_stmt *loop)
{
    const cairn_ir_x length = cairn_ir_sub(&t->b, loop->b, loop->a);

    if (length->op != CAIRN_IR_INT || length->integer <= 0) return 0;
    return (length->integer - 1) / loop->step + 1;
}

/* ---- one position ---- */

static cairn_ir_x value_of(const batching *t, const cairn_ir_var *var)
{
    for (int n = 0; n < t->vars; n++)
        if (t->var[n].var == var) return t->var[n].value;
    return NULL;
}

static void stand_for(batching *t, const cairn_ir_var *var, cairn_ir_x value)
{
    t->var[t->vars++] = (stand_in){var, value};
}

/// Name the condition of the position at hand, before something is done under it.
static void settle(batching *t)
{
    if (cairn_ir_operands(t->live->op) == 0) return;
    t->live = cairn_ir_use(&t->b, cairn_ir_let(&t->b, t->live, "live%d", t->number));
}

/// @p x where the position counts, else 0: with a name.
static cairn_ir_x where_live(batching *t, cairn_ir_x x, const char *name)
{
    cairn_ir *const  b    = &t->b;
    const cairn_ir_x zero = cairn_ir_type_is_float(x->type)
                                ? cairn_ir_real(b, x->type, 0)
                                : cairn_ir_constant(b, x->type, 0);
    const cairn_ir_x both =
        x->type == CAIRN_IR_BOOL
            ? cairn_ir_and(b, t->live, x)
            : cairn_ir_select(b, t->live, x, cairn_ir_splat(b, zero, x->lanes));

    return cairn_ir_use(b, cairn_ir_let(b, both, "%s%d", name, t->number));
}

static cairn_ir_x put_vars(cairn_ir *b, cairn_ir_x x, void *user)
{
    (void)b;
    return x->op == CAIRN_IR_VAR ? value_of(user, x->var) : NULL;
}

/// Does it leave out an operand that could not be computed everywhere?
static bool leaves_out(cairn_ir_x x)
{
    if (x->op == CAIRN_IR_SELECT) return !cairn_ir_total(x->b) || !cairn_ir_total(x->c);
    return (x->op == CAIRN_IR_AND || x->op == CAIRN_IR_OR) && !cairn_ir_total(x->b);
}

static cairn_ir_x put(cairn_ir *b, cairn_ir_x x, void *user);

/// A value of the part, found without loads.
static bool is_value(cairn_ir_x x)
{
    return x->op == CAIRN_IR_LOAD && x->array->field.source == CAIRN_IR_VAL
           && cairn_ir_total(x->a);
}

/// A load, or what else is not done everywhere, done where the position counts.
static cairn_ir_x fetch(batching *t, cairn_ir_x x, const char *name)
{
    cairn_ir_x value = NULL;

    x                = leaves_out(x) ? cairn_ir_rewrite(&t->b, x, put_vars, t)
                                     : cairn_ir_rewrite_inside(&t->b, x, put, t);
    const bool early = t->early && is_value(x);

    if (!early) settle(t);
    const cairn_ir_x live = t->live;

    if (early) t->live = t->turn;
    for (int n = 0; n < t->loads && !value; n++)
        if (t->load[n].live == t->live && cairn_ir_same(t->load[n].what, x))
            value = t->load[n].value;
    if (!value) {
        value = where_live(t, x, name ? name : x->array ? x->array->name : "value");
        if (t->loads < MOST) t->load[t->loads++] = (fetched){x, t->live, value};
    }
    t->live = live;
    return value;
}

/// What an expression is at the position at hand: its loads are done before.
static cairn_ir_x put(cairn_ir *b, cairn_ir_x x, void *user)
{
    batching *const   t    = user;
    const char *const name = t->name;

    t->name = NULL;
    if (x->op == CAIRN_IR_VAR) return put_vars(b, x, t);
    return leaves_out(x) || cairn_ir_is_partial(x) ? fetch(t, x, name) : NULL;
}

static cairn_ir_x at_position(batching *t, cairn_ir_x x)
{
    t->name = NULL;
    return cairn_ir_rewrite(&t->b, x, put, t);
}

static void place_let(batching *t, const cairn_ir_stmt *s)
{
    t->name = s->var->name;

    cairn_ir_x value = cairn_ir_rewrite(&t->b, s->a, put, t);

    if (cairn_ir_operands(value->op) > 0)
        value = cairn_ir_use(
            &t->b, cairn_ir_let(&t->b, value, "%s%d", s->var->name, t->number));
    stand_for(t, s->var, value);
}

/// One condition after the other: what the first excludes the second may not compute.
static void place_guard(batching *t, cairn_ir_x x)
{
    if (x->op == CAIRN_IR_AND) {
        place_guard(t, x->a);
        place_guard(t, x->b);
        return;
    }
    if (!cairn_ir_total(x)) settle(t);
    t->live = cairn_ir_and(&t->b, t->live, at_position(t, x));
}

static void place_sum(batching *t, const cairn_ir_stmt *s)
{
    const cairn_ir_x more = at_position(t, s->a->b);

    settle(t);
    cairn_ir_assign(&t->b, s->var,
                    cairn_ir_select(&t->b, t->live,
                                    cairn_ir_binary(&t->b, s->a->op, s->a->a, more),
                                    s->a->a));
}

static void place_store(batching *t, const cairn_ir_stmt *s)
{
    const cairn_ir_x at = at_position(t, s->a), value = at_position(t, s->b);

    settle(t);

    const bool known = t->live->op == CAIRN_IR_INT;

    if (known && !t->live->integer) return; /* a position that never counts */
    if (!known) cairn_ir_if(&t->b, t->live);
    cairn_ir_store(&t->b, s->array, at, value)->stream = s->stream;
    if (!known) cairn_ir_end(&t->b);
}

static void place_block(batching *t, const cairn_ir_stmt *s)
{
    const cairn_ir_x live = t->live;

    for (; s && t->b.status == CAIRN_OK; s = s->next)
        switch (s->kind) {
        case CAIRN_IR_NOTE:
            if (t->number == 0) cairn_ir_note(&t->b, "%s", s->note);
            break;
        case CAIRN_IR_DECLARE: place_let(t, s); break;
        case CAIRN_IR_ASSIGN: place_sum(t, s); break;
        case CAIRN_IR_STORE: place_store(t, s); break;
        default: /* a guard */
            place_guard(t, s->a);
            settle(t);
            place_block(t, s->body);
            t->live = live;
        }
}

/* ---- their order ---- */

/// How late a statement stands: what needs no load first, then loads, then what they are
/// needed for, then the loads that those are needed for; what changes something last.
typedef struct {
    cairn_ir_stmt **stmt; ///< [count]
    int            *depth;
    int             count;
} order;

enum { LAST = 1 << 20 };

typedef struct {
    const order *o;
    int          deepest;
} depth;

static bool deepen(cairn_ir_x x, void *user)
{
    depth *const d = user;

    for (int n = 0; x->op == CAIRN_IR_VAR && n < d->o->count; n++)
        if (d->o->stmt[n]->var == x->var && d->o->depth[n] > d->deepest)
            d->deepest = d->o->depth[n];
    return false;
}

/// Depths are odd of loads and even of all else.
static int depth_of(const order *o, const cairn_ir_stmt *s)
{
    depth      d    = {.o = o};
    const bool load = s->a && cairn_ir_any(s->a, loads, NULL);

    if (s->kind == CAIRN_IR_NOTE) return 0;
    if (s->kind != CAIRN_IR_DECLARE) return LAST;
    cairn_ir_any(s->a, deepen, &d);
    if (load) return d.deepest + 1 + d.deepest % 2;
    return d.deepest + d.deepest % 2;
}

/// Put the statements of a turn in order; those of one depth stay as they are.
static void put_in_order(batching *t, cairn_ir_stmt **list)
{
    order           o     = {.count = 0};
    int             count = 0, deepest = 0;
    cairn_ir_stmt **tail = list;

    for (const cairn_ir_stmt *s = *list; s; s = s->next)
        count++;
    if (!cairn_ir_room(&t->b, (size_t)count, sizeof(void *), (void **)&o.stmt)
        || !cairn_ir_room(&t->b, (size_t)count, sizeof *o.depth, (void **)&o.depth))
        return;
    for (cairn_ir_stmt *s = *list; s; s = s->next) {
        const int d = depth_of(&o, s);

        if (d < LAST && d > deepest) deepest = d;
        o.stmt[o.count]    = s;
        o.depth[o.count++] = d;
    }
    for (int d = 0; d <= deepest + 1; d++)
        for (int n = 0; n < count; n++)
            if (o.depth[n] == (d <= deepest ? d : LAST)) {
                *tail = o.stmt[n];
                tail  = &o.stmt[n]->next;
            }
    *tail = NULL;
}

/* ---- loops ---- */

/// The body for @p positions positions from @p first on. @p sure: all of them count.
static cairn_ir_stmt *batched(batching            *t,
                              const cairn_ir_stmt *loop,
                              cairn_ir_x           first,
                              int                  positions,
                              bool                 sure)
{
    cairn_ir_stmt *list = NULL;

    t->b.tail[0] = &list;
    for (int u = 0; u < positions && t->b.status == CAIRN_OK; u++) {
        const cairn_ir_x at = cairn_ir_add_int(&t->b, first, u * loop->step);

        t->vars = t->loads = 0;
        t->number          = u;
        t->live            = u == 0 || sure ? cairn_ir_constant(&t->b, CAIRN_IR_BOOL, 1)
                                            : cairn_ir_lt(&t->b, at, loop->b);
        if (t->early) settle(t);
        t->turn = t->live;
        stand_for(t, loop->var, at);
        place_block(t, loop->body);
    }
    if (t->b.status == CAIRN_OK) put_in_order(t, &list);
    return list;
}

/// Name a bound of the loop at @p place before it, where it has to be computed.
/// @return the place of the loop.
static cairn_ir_stmt **
name_once(batching *t, cairn_ir_stmt **place, cairn_ir_x *bound, const char *end)
{
    const char *const name = (*place)->var->name;

    if (cairn_ir_operands((*bound)->op) == 0) return place;
    t->b.tail[0] = place;
    *bound       = cairn_ir_use(&t->b, cairn_ir_let(&t->b, *bound, "%s%s", name, end));
    return t->b.status == CAIRN_OK ? &(*place)->next : place;
}

/// Batch the loop at @p place. @return where the statement behind it stands.
static cairn_ir_stmt **batch_loop(batching *t, cairn_ir_stmt **place)
{
    cairn_ir_stmt *const loop = *place, *const next = loop->next;
    const int64_t turns = turns_of(t, loop);
    const int     most  = t->positions / positions_of(loop->body);
    const bool    all   = turns > 0 && turns <= most;

    if (!all && most < 2) return &loop->next;
    place = name_once(t, place, all ? &loop->a : &loop->b, all ? "" : "_end");
    cairn_ir_stmt *const body =
        batched(t, loop, all ? loop->a : cairn_ir_use(&t->b, loop->var),
                all ? (int)turns : most, all || (turns > 0 && turns % most == 0));

    if (t->b.status != CAIRN_OK) return &loop->next;
    t->changed = true;
    if (!all) {
        loop->body = body;
        loop->step *= most;
        return &loop->next;
    }
    cairn_ir_replace_stmt(place, body);
    while (*place != next)
        place = &(*place)->next;
    return place;
}

/// Batch the loops of a block, innermost first.
static void batch_block(batching *t, cairn_ir_stmt **place, bool items)
{
    while (*place && t->b.status == CAIRN_OK) {
        cairn_ir_stmt *const s    = *place;
        const bool           here = items || s->turns == CAIRN_TURNS_ITEMS;

        batch_block(t, &s->body, here);
        batch_block(t, &s->other, here);
        place = items && is_suitable(s) ? batch_loop(t, place) : &s->next;
    }
}

cairn_status cairn_pass_batch(cairn_env         *env,
                              cairn_ir_function *function,
                              int                positions,
                              bool               early,
                              bool              *changed)
{
    batching t = {.positions = positions, .early = early};

    if (!cairn_ir_is_grid(function) || positions < 2) return CAIRN_OK;
    cairn_ir_edit(&t.b, env, function, &function->body);
    batch_block(&t, &function->body, false);
    *changed = *changed || t.changed;
    return t.b.status;
}
