// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Groups and items in C and its dialects. As C, turns of groups and items are those of
/// loops, one after the other: nobody waits, and what is shared is the turn's own. Devices
/// number groups and items, and each does the turns that its number says.

#include "emit/c_inside.h"
#include "ir/ir_walk.h"

/// What a dialect says, by axis: the number of the group, and how many there are; of the
/// item in its group, and how many; and so on.
typedef struct {
    const char *group[2], *groups[2];
    const char *item, *items;
    const char *barrier;
    const char *add; ///< Before the element that is added to; then a value.
} words;

static const words words_of[] = {
    [CAIRN_C_HOST]   = {.barrier = NULL          },
    [CAIRN_C_OPENCL] = { .group   = {"get_group_id(0)", "get_group_id(1)"},
                        .groups  = {"get_num_groups(0)", "get_num_groups(1)"},
                        .item    = "get_local_id(0)",
                        .items   = "get_local_size(0)",
                        .barrier = "barrier(CLK_LOCAL_MEM_FENCE)",
                        .add     = "atomic_add(&"},
    [CAIRN_C_CUDA]   = { .group   = {"blockIdx.x", "blockIdx.y"},
                        .groups  = {"gridDim.x", "gridDim.y"},
                        .item    = "threadIdx.x",
                        .items   = "ITEMS",
                        .barrier = "__syncthreads()",
                        .add     = "atomicAdd(&"},
};

static bool is_groups(const cairn_ir_stmt *loop)
{
    return loop->turns == CAIRN_TURNS_GROUPS;
}

bool cairn_c_is_dealt(const cairn_c *c, const cairn_ir_stmt *loop)
{
    return c->dialect != CAIRN_C_HOST
           && (is_groups(loop) || loop->turns == CAIRN_TURNS_ITEMS);
}

const char *cairn_c_dealt_begin(const cairn_c *c, const cairn_ir_stmt *loop)
{
    const words *const w = &words_of[c->dialect];

    if (is_groups(loop) && c->f->banks && c->dialect == CAIRN_C_CUDA)
        return CAIRN_C_GROUP_OF_BANK;
    return is_groups(loop) ? w->group[loop->axis] : w->item;
}

const char *cairn_c_dealt_step(const cairn_c *c, const cairn_ir_stmt *loop)
{
    const words *const w = &words_of[c->dialect];

    if (is_groups(loop) && c->f->banks && c->dialect == CAIRN_C_CUDA)
        return CAIRN_C_GROUPS_OF_BANK;
    return is_groups(loop) ? w->groups[loop->axis] : w->items;
}

const char *cairn_c_last_barrier(const cairn_c *c, const cairn_ir_stmt *loop)
{
    const cairn_ir_stmt *last   = NULL;
    bool                 shares = false;

    if (!is_groups(loop)) return NULL;
    for (const cairn_ir_stmt *s = loop->body; s; last = s, s = s->next)
        shares = shares || s->kind == CAIRN_IR_SHARED;
    if (!shares || last->kind == CAIRN_IR_BARRIER) return NULL;
    return words_of[c->dialect].barrier;
}

void cairn_c_barrier(cairn_c *c)
{
    if (words_of[c->dialect].barrier)
        cairn_c_print_line(c, "%s", words_of[c->dialect].barrier);
}

void cairn_c_add_integer(cairn_c *c, const cairn_ir_stmt *s)
{
    const char *const add = words_of[c->dialect].add;
    cairn_text        line;

    cairn_text_init(&line, c->env);
    if (add) cairn_text_add(&line, "%s", add);
    cairn_c_place(c, &line, s->array, s->a, s->array->type, 1);
    cairn_text_add(&line, add ? ", " : " += ");
    cairn_c_expr(c, &line, s->b, CAIRN_C_CONDITIONAL);
    if (add) cairn_text_add(&line, ")");
    cairn_c_line(c, &line);
}

void cairn_c_shared(cairn_c *c, const cairn_ir_stmt *s)
{
    const cairn_ir_array *const array = s->array;

    if (c->dialect == CAIRN_C_OPENCL) return; /* At the kernel's begin. */
    cairn_names_push(&c->names, array, array->name);
    cairn_c_print_line(c, "%s%s %s[%lld]",
                       c->dialect == CAIRN_C_CUDA ? "__shared__ " : "",
                       cairn_c_scalar(c, array->type), cairn_names_of(&c->names, array),
                       (long long)array->length);
}
