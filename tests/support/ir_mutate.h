// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mistakes planted in a function of the loop IR, one at a time, to see whether tests find
/// them. A function is changed where it is, and changed back.

#ifndef CAIRN_TESTS_SUPPORT_IR_MUTATE_H
#define CAIRN_TESTS_SUPPORT_IR_MUTATE_H

#include "ir/ir_walk.h"

#define IR_MUTATIONS_MAP(X)                                   \
    X(BARRIER, "a barrier is dropped")                        \
    X(GUARD, "a condition is true")                           \
    X(FIRST, "a loop begins one later")                       \
    X(FEWER, "a loop ends one earlier")                       \
    X(MORE, "a loop ends one later")                          \
    X(STRIDE, "items go by twos")                             \
    X(STORED, "what is shared is stored one element further") \
    X(LOADED, "what is shared is loaded one element further")

typedef enum {
#define X(id, what) IR_MUTATE_##id,
    IR_MUTATIONS_MAP(X)
#undef X
        IR_MUTATIONS
} ir_mutation;

static const char *const ir_mutation_name[] = {
#define X(id, what) what,
    IR_MUTATIONS_MAP(X)
#undef X
};

/// A function that has one mistake.
typedef struct {
    ir_mutation    what;
    int            left; ///< Places of it that are passed by.
    cairn_ir_stmt *stmt; ///< NULL: none was changed,
    cairn_ir_stmt  was;  ///< and how it was.
    cairn_ir_expr *node; ///< Likewise.
    cairn_ir_expr  old;
    cairn_ir_expr  fresh[2]; ///< What stands there instead.
} ir_mutant;

static inline cairn_ir_expr ir_mutate_int(cairn_ir_type type, int64_t value)
{
    return (cairn_ir_expr){
        .op = CAIRN_IR_INT, .type = type, .lanes = 1, .integer = value};
}

/// @p x and a constant, in the mutant's own memory.
static inline cairn_ir_x ir_mutate_add(ir_mutant *m, cairn_ir_x x, int64_t value)
{
    m->fresh[0] = ir_mutate_int(x->type, value);
    m->fresh[1] = (cairn_ir_expr){
        .op = CAIRN_IR_ADD, .type = x->type, .lanes = 1, .a = x, .b = &m->fresh[0]};
    return &m->fresh[1];
}

/// One operand of an expression, where it is the place.
static inline bool ir_mutate_one(cairn_ir_x x, void *user)
{
    ir_mutant *const m = user;

    if (m->what != IR_MUTATE_LOADED || x->op != CAIRN_IR_LOAD || x->array->length == 0
        || m->left-- > 0)
        return false;
    m->node    = (cairn_ir_expr *)x; /* of an arena that is ours */
    m->old     = *x;
    m->node->a = ir_mutate_add(m, x->a, 1);
    return true;
}

static inline bool ir_mutate_is_place(const ir_mutant *m, const cairn_ir_stmt *s)
{
    const bool loop = s->kind == CAIRN_IR_FOR;

    switch (m->what) {
    case IR_MUTATE_BARRIER: return s->kind == CAIRN_IR_BARRIER;
    case IR_MUTATE_GUARD: return s->kind == CAIRN_IR_IF;
    case IR_MUTATE_FIRST:
    case IR_MUTATE_FEWER:
    case IR_MUTATE_MORE: return loop;
    case IR_MUTATE_STRIDE: return loop && s->turns == CAIRN_TURNS_ITEMS;
    case IR_MUTATE_STORED: return s->kind == CAIRN_IR_STORE && s->array->length > 0;
    default: return false;
    }
}

static inline void ir_mutate_stmt(ir_mutant *m, cairn_ir_stmt *s)
{
    m->stmt = s;
    m->was  = *s;
    switch (m->what) {
    case IR_MUTATE_BARRIER: s->kind = CAIRN_IR_NOTE; break;
    case IR_MUTATE_GUARD:
        m->fresh[0] = ir_mutate_int(CAIRN_IR_BOOL, 1);
        s->a        = &m->fresh[0];
        break;
    case IR_MUTATE_FIRST: s->a = ir_mutate_add(m, s->a, 1); break;
    case IR_MUTATE_FEWER: s->b = ir_mutate_add(m, s->b, -1); break;
    case IR_MUTATE_MORE: s->b = ir_mutate_add(m, s->b, 1); break;
    case IR_MUTATE_STRIDE: s->step = 2; break;
    case IR_MUTATE_STORED: s->a = ir_mutate_add(m, s->a, 1); break;
    default: break;
    }
}

/// @return whether the place was found.
static inline bool ir_mutate_block(ir_mutant *m, cairn_ir_stmt *block)
{
    for (cairn_ir_stmt *s = block; s; s = s->next) {
        if (ir_mutate_is_place(m, s) && m->left-- == 0) {
            ir_mutate_stmt(m, s);
            return true;
        }
        if (cairn_ir_any(s->a, ir_mutate_one, m) || cairn_ir_any(s->b, ir_mutate_one, m)
            || ir_mutate_block(m, s->body) || ir_mutate_block(m, s->other))
            return true;
    }
    return false;
}

/// Plant mistake number @p n, from 0, of a kind. @return false: the function has fewer
/// places for it, and is as it was.
static inline bool
ir_mutate(ir_mutant *m, cairn_ir_function *f, ir_mutation what, int n)
{
    *m = (ir_mutant){.what = what, .left = n};
    return ir_mutate_block(m, f->body);
}

static inline void ir_mutate_back(ir_mutant *m)
{
    if (m->stmt) *m->stmt = m->was;
    if (m->node) *m->node = m->old;
}

#endif
