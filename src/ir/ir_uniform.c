// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A walk in the order of running, with what may differ between items: arrays that they
/// have stored to since the last barrier, and variables whose values come from those.
/// Bodies of loops are walked until nothing more is found, for a turn begins with what the
/// one before has left.

#include "ir/ir_uniform.h"

#include "ir/ir_walk.h"

/* More than any kernel has; beyond them everything differs. */
enum { MOST = 96 };

/// Variables or arrays.
typedef struct {
    const void *item[MOST];
    int         count;
    bool        all;
} set;

typedef struct {
    set  variables, arrays; ///< That may differ.
    int  conditions;        ///< Around, on which items may disagree.
    bool barrier;           ///< One stands in such a condition.
} walking;

static bool has(const set *s, const void *item)
{
    for (int k = 0; k < s->count; k++)
        if (s->item[k] == item) return true;
    return s->all;
}

static void add(set *s, const void *item)
{
    if (has(s, item)) return;
    if (s->count == MOST)
        s->all = true;
    else
        s->item[s->count++] = item;
}

static void add_all(set *s, const set *more)
{
    s->all |= more->all;
    for (int k = 0; k < more->count; k++)
        add(s, more->item[k]);
}

static bool is_different(cairn_ir_x x, void *user)
{
    const walking *const w = user;

    if (x->op == CAIRN_IR_VAR) return has(&w->variables, x->var);
    return (x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_GATHER)
           && has(&w->arrays, x->array);
}

static bool differs(walking *w, cairn_ir_x x)
{
    return cairn_ir_any(x, is_different, w);
}

static void walk(walking *w, const cairn_ir_stmt *block);

/// What items store to, of a loop of them: nothing in it is the group's.
static void walk_items(walking *w, const cairn_ir_stmt *block)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next) {
        if (s->kind == CAIRN_IR_STORE || s->kind == CAIRN_IR_ADD_INTEGER)
            add(&w->arrays, s->array);
        walk_items(w, s->body);
        walk_items(w, s->other);
    }
}

static void walk_if(walking *w, const cairn_ir_stmt *s)
{
    const bool apart  = differs(w, s->a);
    const set  before = w->arrays;

    w->conditions += apart;
    walk(w, s->body);
    const set after = w->arrays;

    w->arrays = before;
    walk(w, s->other);
    add_all(&w->arrays, &after);
    w->conditions -= apart;
}

/// The turns of a loop, of which there may be none. What a turn begins with only grows from
/// one walk to the next, so that the last walk was that of every turn.
static void walk_loop(walking *w, const cairn_ir_stmt *s)
{
    const set before = w->arrays;
    int       known;

    do {
        /* A WHILE asks again after each turn, with what that has left. */
        const bool apart = differs(w, s->a) || differs(w, s->b);

        known = w->variables.count + w->arrays.count;
        w->conditions += apart;
        walk(w, s->body);
        w->conditions -= apart;
        add_all(&w->arrays, &before);
    } while (w->variables.count + w->arrays.count > known);
}

static void walk_for(walking *w, const cairn_ir_stmt *s)
{
    if (s->turns == CAIRN_TURNS_ITEMS) {
        walk_items(w, s->body);
        return;
    }
    if (differs(w, s->a) || differs(w, s->b)) add(&w->variables, s->var);
    walk_loop(w, s);
    if (s->turns == CAIRN_TURNS_GROUPS) w->arrays = (set){.count = 0};
}

static void walk(walking *w, const cairn_ir_stmt *block)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next) {
        switch (s->kind) {
        case CAIRN_IR_DECLARE:
        case CAIRN_IR_ASSIGN:
            if (w->conditions > 0 || (s->a && differs(w, s->a)))
                add(&w->variables, s->var);
            break;
        case CAIRN_IR_STORE:
        case CAIRN_IR_ADD_INTEGER: add(&w->arrays, s->array); break;
        case CAIRN_IR_BARRIER:
            w->barrier |= w->conditions > 0;
            w->arrays = (set){.count = 0};
            break;
        case CAIRN_IR_FOR: walk_for(w, s); break;
        case CAIRN_IR_WHILE: walk_loop(w, s); break;
        case CAIRN_IR_IF: walk_if(w, s); break;
        default: break;
        }
    }
}

bool cairn_ir_is_uniform(const cairn_ir_function *function)
{
    walking w = {.conditions = 0};

    walk(&w, function->body);
    return !w.barrier;
}
