// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Statements of the loop IR, added where the builder stands.

#include "ir/ir_inside.h"

#include <assert.h>

/// Add a statement before what stands at the cursor; the spare one after a failure.
static cairn_ir_stmt *add(cairn_ir *b, cairn_ir_kind kind)
{
    cairn_ir_stmt *fresh;

    if (!cairn_ir_room(b, 1, sizeof *fresh, (void **)&fresh)) return &b->spare_stmt;
    *fresh             = (cairn_ir_stmt){.kind = kind, .next = *b->tail[b->depth]};
    *b->tail[b->depth] = fresh;
    b->tail[b->depth]  = &fresh->next;
    return fresh;
}

/// Stand inside @p stmt, at the end of @p body.
static void enter(cairn_ir *b, cairn_ir_stmt *stmt, cairn_ir_stmt **body)
{
    if (b->status != CAIRN_OK) return;
    if (b->depth + 1 == CAIRN_IR_DEPTH) {
        b->status = cairn_fail(b->env, CAIRN_UNSUPPORTED,
                               "kernel: %s: loops and conditions nest deeper than %d",
                               b->function->name, CAIRN_IR_DEPTH);
        return;
    }
    b->depth++;
    b->open[b->depth] = stmt;
    b->tail[b->depth] = body;
}

static cairn_ir_var *
make_var(cairn_ir *b, cairn_ir_var model, const char *name, va_list args)
{
    cairn_ir_var *fresh;

    if (!cairn_ir_room(b, 1, sizeof *fresh, (void **)&fresh)) return &b->spare_var;
    *fresh      = model;
    fresh->name = cairn_ir_print(b, name, args);
    return fresh;
}

/// A variable with a value, declared here.
static cairn_ir_var *
declare(cairn_ir *b, cairn_ir_x value, bool constant, const char *name, va_list args)
{
    const cairn_ir_var model = {
        .type = value->type, .lanes = value->lanes, .constant = constant};
    cairn_ir_var *const  var  = make_var(b, model, name, args);
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_DECLARE);

    stmt->var = var;
    stmt->a   = value;
    return var;
}

const cairn_ir_var *cairn_ir_let(cairn_ir *b, cairn_ir_x value, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    const cairn_ir_var *const var = declare(b, value, true, name, args);
    va_end(args);
    return var;
}

cairn_ir_var *cairn_ir_declare(cairn_ir *b, cairn_ir_x value, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    cairn_ir_var *const var = declare(b, value, false, name, args);
    va_end(args);
    return var;
}

void cairn_ir_assign(cairn_ir *b, cairn_ir_var *var, cairn_ir_x value)
{
    if (b->status != CAIRN_OK) return;
    assert(!var->constant && var->type == value->type && var->lanes == value->lanes);

    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_ASSIGN);

    stmt->var = var;
    stmt->a   = value;
}

/// May a value of @p type be stored in elements of @p element? Integers narrow.
static bool storable(cairn_ir_type type, cairn_ir_type element)
{
    return cairn_ir_type_is_float(type) ? type == element
                                        : !cairn_ir_type_is_float(element);
}

cairn_ir_stmt *
cairn_ir_store(cairn_ir *b, cairn_ir_array *array, cairn_ir_x at, cairn_ir_x value)
{
    if (b->status != CAIRN_OK) return &b->spare_stmt;
    assert(at->type == CAIRN_IR_I64 && at->lanes == 1);
    assert(storable(value->type, array->type));

    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_STORE);

    array->written = true;
    stmt->array    = array;
    stmt->a        = at;
    stmt->b        = value;
    return stmt;
}

cairn_ir_stmt *cairn_ir_for(cairn_ir   *b,
                            cairn_ir_x  lo,
                            cairn_ir_x  hi,
                            int64_t     step,
                            const char *note,
                            const char *name,
                            ...)
{
    const cairn_ir_var   model = {.type = CAIRN_IR_I64, .lanes = 1};
    cairn_ir_stmt *const stmt  = add(b, CAIRN_IR_FOR);
    va_list              args;

    if (b->status != CAIRN_OK) return &b->spare_stmt;
    assert(lo->type == CAIRN_IR_I64 && hi->type == CAIRN_IR_I64 && step > 0);
    va_start(args, name);
    stmt->var = make_var(b, model, name, args);
    va_end(args);
    stmt->a    = lo;
    stmt->b    = hi;
    stmt->step = step;
    stmt->note = cairn_ir_copy(b, note);
    enter(b, stmt, &stmt->body);
    return b->status == CAIRN_OK ? stmt : &b->spare_stmt;
}

void cairn_ir_while(cairn_ir *b, cairn_ir_x condition)
{
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_WHILE);

    stmt->a = condition;
    enter(b, stmt, &stmt->body);
}

void cairn_ir_if(cairn_ir *b, cairn_ir_x condition)
{
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_IF);

    stmt->a = condition;
    enter(b, stmt, &stmt->body);
}

void cairn_ir_else(cairn_ir *b)
{
    if (b->status != CAIRN_OK) return;
    assert(b->depth > 0 && b->open[b->depth]->kind == CAIRN_IR_IF);
    b->tail[b->depth] = &b->open[b->depth]->other;
}

void cairn_ir_end(cairn_ir *b)
{
    if (b->status != CAIRN_OK) return;
    assert(b->depth > 0);
    b->depth--;
}

void cairn_ir_prefetch(cairn_ir             *b,
                       const cairn_ir_array *array,
                       cairn_ir_x            at,
                       int64_t               bytes,
                       int                   locality,
                       bool                  write)
{
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_PREFETCH);

    stmt->array = (cairn_ir_array *)array; /* Read alone: statements have one field. */
    stmt->a     = at;
    stmt->prefetch = (cairn_ir_cache_hint){write, locality, bytes};
}

void cairn_ir_note(cairn_ir *b, const char *fmt, ...)
{
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_NOTE);
    va_list              args;

    va_start(args, fmt);
    stmt->note = cairn_ir_print(b, fmt, args);
    va_end(args);
}

void cairn_ir_return(cairn_ir *b, cairn_ir_x status)
{
    cairn_ir_stmt *const stmt = add(b, CAIRN_IR_RETURN);

    stmt->a = status;
}

cairn_ir_array *
cairn_ir_shared(cairn_ir *b, cairn_ir_type type, int64_t length, const char *name, ...)
{
    cairn_ir_array *fresh;
    va_list         args;

    if (!cairn_ir_room(b, 1, sizeof *fresh, (void **)&fresh)) return &b->spare_array;
    va_start(args, name);
    *fresh = (cairn_ir_array){.name   = cairn_ir_print(b, name, args),
                              .type   = type,
                              .field  = {.source = CAIRN_IR_GROUPS_OWN},
                              .block  = 1,
                              .length = length};
    va_end(args);
    add(b, CAIRN_IR_SHARED)->array = fresh;
    return fresh;
}

void cairn_ir_barrier(cairn_ir *b)
{
    add(b, CAIRN_IR_BARRIER);
}

void cairn_ir_add_integer(cairn_ir       *b,
                          cairn_ir_array *array,
                          cairn_ir_x      at,
                          cairn_ir_x      value)
{
    cairn_ir_stmt *const stmt = cairn_ir_store(b, array, at, value);

    if (b->status == CAIRN_OK) stmt->kind = CAIRN_IR_ADD_INTEGER;
}
