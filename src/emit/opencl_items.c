// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work-items: which functions they can run, and the loop whose turns they take.

#include "emit/opencl_inside.h"
#include "ir/ir_walk.h"

static bool is_parallel(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_FOR && stmt->turns == CAIRN_TURNS_THREADS;
}

static bool stores(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_STORE;
}

static bool has_lanes(cairn_ir_x x, void *user)
{
    (void)user;
    return x->lanes > 1;
}

static bool is_groups(const cairn_ir_stmt *stmt, void *user)
{
    (void)user;
    return stmt->kind == CAIRN_IR_FOR && stmt->turns == CAIRN_TURNS_GROUPS;
}

/// Does the block end by leaving the function? Then all work-items do the same in it, and
/// nothing after it.
static bool leaves(const cairn_ir_stmt *block)
{
    while (block && block->next)
        block = block->next;
    return block && block->kind == CAIRN_IR_RETURN;
}

/// Does a statement of the body, itself no loop of threads, store or hide such a loop?
static bool disturbs(const cairn_ir_stmt *s)
{
    const cairn_ir_stmt alone = {.kind  = s->kind,
                                 .array = s->array,
                                 .a     = s->a,
                                 .b     = s->b,
                                 .body  = s->body,
                                 .other = s->other};

    if (s->kind == CAIRN_IR_IF && leaves(s->body) && !s->other) return false;
    return cairn_ir_any_stmt(&alone, stores, NULL)
           || cairn_ir_any_stmt(&alone, is_parallel, NULL);
}

static cairn_status refuse(cairn_env *env, const cairn_ir_function *f, const char *why)
{
    return cairn_fail(env, CAIRN_UNSUPPORTED, "opencl: %s: %s", f->name, why);
}

void cairn_opencl_shared(cairn_c *c, const cairn_ir_stmt *block)
{
    for (const cairn_ir_stmt *s = block; s; s = s->next) {
        if (s->kind == CAIRN_IR_SHARED) {
            cairn_names_push(&c->names, s->array, s->array->name);
            cairn_c_print_line(
                c, "__local %s %s[%lld]", cairn_c_scalar(c, s->array->type),
                cairn_names_of(&c->names, s->array), (long long)s->array->length);
        }
        cairn_opencl_shared(c, s->body);
        cairn_opencl_shared(c, s->other);
    }
}

cairn_status
cairn_opencl_check(cairn_env *env, const cairn_ir_function *function, bool *items)
{
    const cairn_ir_stmt *const body    = function->body;
    const bool                 several = cairn_ir_any_stmt(body, is_parallel, NULL);
    int                        loops   = 0;

    if (cairn_ir_any_expr(body, has_lanes, NULL))
        return refuse(env, function, "it has vectors, which work-items make");
    *items = true;
    if (cairn_ir_any_stmt(body, is_groups, NULL)) return CAIRN_OK;
    for (const cairn_ir_stmt *s = body; several && s; s = s->next) {
        if (is_parallel(s, NULL))
            loops++;
        else if (disturbs(s))
            return refuse(env, function, "it stores outside of its turns");
    }
    if (loops > 1)
        return refuse(env, function, "work-items would have to wait for each other");
    *items = several;
    return CAIRN_OK;
}

void cairn_opencl_items(cairn_c *c, const cairn_ir_stmt *loop)
{
    const int  names = c->names.count;
    cairn_text lo, line;

    cairn_text_init(&lo, c->env);
    if (loop->a->op != CAIRN_IR_INT || loop->a->integer != 0) {
        cairn_c_expr(c, &lo, loop->a, CAIRN_C_SUM);
        cairn_text_add(&lo, " + ");
    }
    cairn_names_push(&c->names, loop->var, loop->var->name);
    cairn_c_blank(c);
    cairn_c_comment(c, "a turn for each work-item");

    const char *const name = cairn_names_of(&c->names, loop->var);

    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "const %s %s = %s(%s)get_global_id(0)",
                   cairn_c_scalar(c, CAIRN_IR_I64), name, lo.data ? lo.data : "",
                   cairn_c_scalar(c, CAIRN_IR_I64));
    cairn_c_line(c, &line);
    cairn_c_blank(c);
    cairn_text_init(&line, c->env);
    cairn_text_add(&line, "if (%s >= ", name);
    cairn_c_expr(c, &line, loop->b, CAIRN_C_LESS + 1);
    cairn_text_add(&line, ") return");
    cairn_c_line(c, &line);
    cairn_c_blank(c);
    c->parallel = loop;
    cairn_c_block(c, loop->body);
    c->parallel = NULL;
    if (lo.status != CAIRN_OK) c->text.status = lo.status;
    cairn_text_fini(&lo);
    cairn_names_pop(&c->names, names);
}
