// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of the loop IR: begun, given arrays and parameters, finished or given up.

#include "ir/ir_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool cairn_ir_room(cairn_ir *b, size_t count, size_t size, void **block)
{
    if (b->status == CAIRN_OK)
        b->status = cairn_arena_alloc(b->function->arena, count, size, block);
    return b->status == CAIRN_OK;
}

const char *cairn_ir_print(cairn_ir *b, const char *fmt, va_list args)
{
    va_list     again;
    const char *text = "";
    char       *fresh;

    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length >= 0 && cairn_ir_room(b, (size_t)length + 1, 1, (void **)&fresh)) {
        vsnprintf(fresh, (size_t)length + 1, fmt, args);
        text = fresh;
    }
    return text;
}

const char *cairn_ir_copy(cairn_ir *b, const char *text)
{
    const char *copy = NULL;

    if (text && b->status == CAIRN_OK)
        b->status = cairn_arena_copy(b->function->arena, text, strlen(text), &copy);
    return copy;
}

bool cairn_ir_grow(cairn_ir *b, void ***list, int count, int *capacity)
{
    void **fresh;

    if (b->status != CAIRN_OK || count < *capacity) return b->status == CAIRN_OK;

    const int more = 2 * *capacity + 8;

    if (!cairn_ir_room(b, (size_t)more, sizeof *fresh, (void **)&fresh)) return false;
    if (count) memcpy(fresh, *list, (size_t)count * sizeof *fresh);
    *list     = fresh;
    *capacity = more;
    return true;
}

/// An empty function with an arena.
static cairn_status create(cairn_env *env, cairn_ir_function **function)
{
    cairn_ir_function *fresh;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));

    const cairn_status status = cairn_arena_create(env, &fresh->arena);

    if (status != CAIRN_OK) {
        cairn_free(env, fresh);
        return status;
    }
    *function = fresh;
    return CAIRN_OK;
}

/// A builder without a function, with its spare pieces.
static void reset(cairn_ir *b, cairn_env *env)
{
    *b = (cairn_ir){
        .env         = env,
        .status      = CAIRN_OK,
        .spare_expr  = {.op = CAIRN_IR_INT, .type = CAIRN_IR_I64, .lanes = 1},
        .spare_var   = {.name = "",         .type = CAIRN_IR_I64, .lanes = 1},
        .spare_array = {.name = "",         .type = CAIRN_IR_I64, .block = 1},
    };
    b->spare_stmt.var = &b->spare_var;
}

void cairn_ir_begin(cairn_ir *b, cairn_env *env, const char *name, int abi)
{
    reset(b, env);
    b->status = create(env, &b->function);
    if (b->status != CAIRN_OK) return;
    b->function->abi = abi;
    b->tail[0]       = &b->function->body;
    b->status =
        cairn_arena_copy(b->function->arena, name, strlen(name), &b->function->name);
}

void cairn_ir_edit(cairn_ir          *b,
                   cairn_env         *env,
                   cairn_ir_function *function,
                   cairn_ir_stmt    **place)
{
    reset(b, env);
    b->function = function;
    b->tail[0]  = place;
}

void cairn_ir_describe(cairn_ir *b, const char *fmt, ...)
{
    va_list args;

    if (b->status != CAIRN_OK) return;
    assert(b->function->notes < CAIRN_IR_NOTES);
    va_start(args, fmt);
    b->function->note[b->function->notes++] = cairn_ir_print(b, fmt, args);
    va_end(args);
}

cairn_status cairn_ir_finish(cairn_ir *b, cairn_ir_function **function)
{
    if (b->status != CAIRN_OK) {
        cairn_ir_abandon(b);
        return b->status;
    }
    assert(b->depth == 0); /* Every statement that was opened was closed. */
    *function   = b->function;
    b->function = NULL;
    return CAIRN_OK;
}

void cairn_ir_abandon(cairn_ir *b)
{
    cairn_ir_destroy(b->env, &b->function);
}

void cairn_ir_destroy(cairn_env *env, cairn_ir_function **function)
{
    if (!*function) return;
    cairn_arena_destroy(env, &(*function)->arena);
    cairn_free(env, *function);
    *function = NULL;
}

static bool same_field(cairn_ir_field a, cairn_ir_field b)
{
    return a.source == b.source && a.part == b.part && a.level == b.level;
}

/// The array of @p field, if it was asked for.
static cairn_ir_array *find_array(const cairn_ir_function *f, cairn_ir_field field)
{
    for (int n = 0; n < f->arrays; n++)
        if (same_field(f->array[n]->field, field)) return f->array[n];
    return NULL;
}

cairn_ir_array *cairn_ir_array_of(cairn_ir      *b,
                                  cairn_ir_field field,
                                  cairn_ir_type  type,
                                  const char    *name,
                                  ...)
{
    if (b->status != CAIRN_OK) return &b->spare_array;

    cairn_ir_function *const f     = b->function;
    cairn_ir_array          *array = find_array(f, field);
    va_list                  args;

    if (array) {
        assert(array->type == type);
        return array;
    }
    if (!cairn_ir_grow(b, (void ***)&f->array, f->arrays, &f->array_capacity)
        || !cairn_ir_room(b, 1, sizeof *array, (void **)&array))
        return &b->spare_array;
    va_start(args, name);
    *array      = (cairn_ir_array){.type = type, .field = field, .block = 1};
    array->name = cairn_ir_print(b, name, args);
    va_end(args);
    f->array[f->arrays++] = array;
    return array;
}

cairn_ir_x cairn_ir_param(cairn_ir      *b,
                          cairn_ir_field field,
                          cairn_ir_type  type,
                          const char    *name,
                          ...)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;

    cairn_ir_function *const f = b->function;
    cairn_ir_expr           *fresh;
    va_list                  args;

    for (int n = 0; n < f->params; n++)
        if (same_field(f->param[n]->field, field) && f->param[n]->type == type)
            return f->param[n];
    if (!cairn_ir_grow(b, (void ***)&f->param, f->params, &f->param_capacity)
        || !cairn_ir_room(b, 1, sizeof *fresh, (void **)&fresh))
        return &b->spare_expr;
    va_start(args, name);
    *fresh =
        (cairn_ir_expr){.op = CAIRN_IR_PARAM, .type = type, .lanes = 1, .field = field};
    fresh->name = cairn_ir_print(b, name, args);
    va_end(args);
    f->param[f->params++] = fresh;
    return fresh;
}
