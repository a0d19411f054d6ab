// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Functions of the loop IR prepared for the interpreter: variables get their cells, arrays
/// their numbers.

#include "ir/ir_code.h"

#include "ir/ir_walk.h"

#include <string.h>

enum { UNSEEN = -1 };

/// A variable or an array of the function, and what it has become.
typedef struct {
    const void                *object; ///< NULL: free.
    int64_t                    cell;   ///< Of a variable in sight; UNSEEN: it is not.
    const cairn_ir_code_array *array;  ///< Of an array in sight.
} entry;

typedef struct {
    cairn_env               *env;
    const cairn_ir_function *function;
    cairn_ir_code           *code;
    entry                   *table; ///< [size], a power of 2; half of it stays free.
    uint64_t                 size;
    int                      names; ///< Entries that there is still room for.
    entry      **sight; ///< [seen] what blocks have brought, innermost last.
    int          seen;
    cairn_status status; ///< The first failure.
} preparing;

static void fail(preparing *p, const char *why, const char *what)
{
    if (p->status == CAIRN_OK)
        p->status = cairn_fail(p->env, CAIRN_BAD_ARGUMENT, "kernel: %s: %s: %s",
                               p->code->name, what ? what : "?", why);
}

static bool room(preparing *p, size_t size, void **block)
{
    if (p->status == CAIRN_OK)
        p->status = cairn_arena_alloc(p->code->arena, 1, size, block);
    return p->status == CAIRN_OK;
}

/* ---- what is in sight ---- */

/// Where @p object stands, or would.
static entry *find(const preparing *p, const void *object)
{
    uint64_t at = ((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20;

    while (p->table[at & (p->size - 1)].object
           && p->table[at & (p->size - 1)].object != object)
        at++;
    return &p->table[at & (p->size - 1)];
}

/// What a block has brought goes out of sight with it.
static void leave(preparing *p, int seen)
{
    while (p->seen > seen) {
        entry *const e = p->sight[--p->seen];

        e->cell  = UNSEEN;
        e->array = NULL;
    }
}

static int64_t new_cells(preparing *p, int lanes)
{
    p->code->cells += lanes;
    return p->code->cells - lanes;
}

/// Variables have cells of their own in every place that declares them.
static int64_t bring_var(preparing *p, const cairn_ir_var *var)
{
    entry *const e = find(p, var);

    *e                  = (entry){.object = var, .cell = new_cells(p, var->lanes)};
    p->sight[p->seen++] = e;
    return e->cell;
}

static int64_t cell_of(preparing *p, const cairn_ir_var *var)
{
    const entry *e = find(p, var);

    if (e->object && e->cell != UNSEEN) return e->cell;
    fail(p, "is not in sight", var->name);
    return 0;
}

static cairn_ir_code_array *new_array(preparing *p, const cairn_ir_array *model)
{
    cairn_ir_code_array *array;
    const int64_t        bytes = cairn_ir_type_bytes(model->type);

    if (!room(p, sizeof *array, (void **)&array)) return NULL;
    *array = (cairn_ir_code_array){.next   = p->code->array,
                                   .type   = model->type,
                                   .field  = model->field,
                                   .stride = model->stride ? model->stride : bytes,
                                   .block  = 1,
                                   .bytes  = bytes,
                                   .number = p->code->arrays++};
    if (model->stride && model->block > 1) array->block = model->block;
    p->code->array = array;
    p->status      = cairn_arena_copy(p->code->arena, model->name, strlen(model->name),
                                      &array->name);
    return array;
}

/// A group's own array is in sight from where it is declared.
static const cairn_ir_code_array *bring_array(preparing *p, const cairn_ir_array *model)
{
    entry *const         e     = find(p, model);
    cairn_ir_code_array *array = new_array(p, model);

    if (!array) return NULL;
    array->length = model->length;
    array->own    = p->code->shared;
    p->code->shared += (model->length * array->bytes + 15) / 16 * 16;
    *e                  = (entry){model, UNSEEN, array};
    p->sight[p->seen++] = e;
    return array;
}

/// Arrays that the function is given are in sight everywhere.
static const cairn_ir_code_array *array_of(preparing *p, const cairn_ir_array *model)
{
    entry *const e = find(p, model);

    if (e->object && e->array) return e->array;
    if (model->length > 0) {
        fail(p, "is not in sight", model->name);
        return NULL;
    }
    if (p->names-- == 0) {
        fail(p, "is no array of the function", model->name);
        return NULL;
    }
    *e = (entry){model, UNSEEN, new_array(p, model)};
    return e->array;
}

/* ---- expressions ---- */

/// A constant or a parameter, which is put into its cell before the run.
static int64_t new_given(preparing *p, cairn_ir_x x)
{
    cairn_ir_given *given;

    if (!room(p, sizeof *given, (void **)&given)) return 0;
    *given = (cairn_ir_given){.next  = p->code->given,
                              .cell  = new_cells(p, 1),
                              .op    = x->op,
                              .type  = x->type,
                              .field = x->field};
    if (x->op == CAIRN_IR_INT) given->value.i = x->integer;
    if (x->op == CAIRN_IR_REAL) given->value.d = x->real;
    p->code->given = given;
    return given->cell;
}

static int64_t find_cell(preparing *p, cairn_ir_x x)
{
    switch (x->op) {
    case CAIRN_IR_VAR: return cell_of(p, x->var);
    case CAIRN_IR_INT:
    case CAIRN_IR_REAL:
    case CAIRN_IR_PARAM: return new_given(p, x);
    case CAIRN_IR_LANE_SUM: return new_cells(p, x->a->lanes);
    default: return x->lanes > 1 ? new_cells(p, x->lanes) : 0;
    }
}

/// Is it what its operand is?
static bool is_operand(cairn_ir_x x)
{
    return (x->op == CAIRN_IR_SPLAT || x->op == CAIRN_IR_LANE
            || x->op == CAIRN_IR_LANE_SUM)
           && x->lanes == 1 && x->a->lanes == 1;
}

static const cairn_ir_node *prepare_expr(preparing *p, cairn_ir_x x)
{
    const cairn_ir_node *operand[3] = {NULL};
    cairn_ir_node       *node;

    if (!x || p->status != CAIRN_OK) return NULL;
    if (is_operand(x)) return prepare_expr(p, x->a);
    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        operand[n] = prepare_expr(p, cairn_ir_operand(x, n));
    if (!room(p, sizeof *node, (void **)&node)) return NULL;

    const bool leaf = cairn_ir_operands(x->op) == 0;

    *node = (cairn_ir_node){.op      = leaf ? CAIRN_IR_VAR : x->op,
                            .type    = x->type,
                            .lanes   = x->lanes,
                            .of_real = !leaf && cairn_ir_type_is_float(x->a->type),
                            .aligned = x->aligned,
                            .cell    = find_cell(p, x),
                            .lane    = x->integer,
                            .a       = operand[0],
                            .b       = operand[1],
                            .c       = operand[2]};
    if (x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_GATHER || x->op == CAIRN_IR_COLUMN)
        node->array = array_of(p, x->array);
    return node;
}

/* ---- statements ---- */

static cairn_ir_action *prepare_block(preparing *p, const cairn_ir_stmt *block);

static void prepare_stmt(preparing *p, const cairn_ir_stmt *s, cairn_ir_action *action)
{
    action->kind  = s->kind;
    action->step  = s->step;
    action->turns = s->turns;
    action->a     = prepare_expr(p, s->a); /* before the variable comes into sight */
    action->b     = prepare_expr(p, s->b);
    if (s->var) action->lanes = s->var->lanes;
    switch (s->kind) {
    case CAIRN_IR_DECLARE: action->cell = bring_var(p, s->var); break;
    case CAIRN_IR_ASSIGN: action->cell = cell_of(p, s->var); break;
    case CAIRN_IR_SHARED: action->array = bring_array(p, s->array); break;
    case CAIRN_IR_STORE:
    case CAIRN_IR_ADD_INTEGER:
        if (s->b) action->lanes = s->b->lanes;
        action->array = array_of(p, s->array);
        break;
    case CAIRN_IR_FOR: {
        const int seen = p->seen;

        action->cell = bring_var(p, s->var);
        action->body = prepare_block(p, s->body);
        leave(p, seen);
        break;
    }
    default:
        action->body  = prepare_block(p, s->body);
        action->other = prepare_block(p, s->other);
    }
}

static cairn_ir_action *prepare_block(preparing *p, const cairn_ir_stmt *block)
{
    const int         seen  = p->seen;
    cairn_ir_action  *first = NULL;
    cairn_ir_action **tail  = &first;

    for (const cairn_ir_stmt *s = block; s; s = s->next) {
        if (s->kind == CAIRN_IR_NOTE) continue;
        if (!room(p, sizeof **tail, (void **)tail)) break;
        prepare_stmt(p, s, *tail);
        tail = &(*tail)->next;
    }
    leave(p, seen);
    return first;
}

/* ---- all ---- */

static bool count_stmt(const cairn_ir_stmt *stmt, void *user)
{
    (void)stmt;
    ++*(int *)user;
    return false;
}

/// Room for what the function names: a statement brings one variable or array, at most.
static cairn_status make_tables(preparing *p)
{
    int statements = 0;

    cairn_ir_any_stmt(p->function->body, count_stmt, &statements);
    p->names = p->function->arrays;
    for (p->size = 16; p->size < 2 * (uint64_t)(statements + p->names);)
        p->size *= 2;
    CAIRN_TRY(CAIRN_NEW_ZERO(p->env, (int64_t)p->size, &p->table));
    return CAIRN_NEW(p->env, statements, &p->sight);
}

static cairn_status prepare(preparing *p)
{
    CAIRN_TRY(cairn_arena_create(p->env, &p->code->arena));
    CAIRN_TRY(cairn_arena_copy(p->code->arena, p->function->name,
                               strlen(p->function->name), &p->code->name));
    CAIRN_TRY(make_tables(p));
    p->code->abi  = p->function->abi;
    p->code->body = prepare_block(p, p->function->body);
    return p->status;
}

cairn_status cairn_ir_code_create(cairn_env               *env,
                                  const cairn_ir_function *function,
                                  cairn_ir_code          **code)
{
    preparing p = {.env = env, .function = function, .status = CAIRN_OK};

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &p.code));
    const cairn_status status = prepare(&p);

    cairn_free(env, (void *)p.sight);
    cairn_free(env, p.table);
    if (status != CAIRN_OK)
        cairn_ir_code_destroy(env, &p.code);
    else
        *code = p.code;
    return status;
}

void cairn_ir_code_destroy(cairn_env *env, cairn_ir_code **code)
{
    if (!*code) return;
    cairn_arena_destroy(env, &(*code)->arena);
    cairn_free(env, *code);
    *code = NULL;
}
