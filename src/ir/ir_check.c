// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What every pass and printer relies on, checked: variables and arrays are in sight,
/// types agree, what is constant stays so. One walk with a stack of what is in sight.

#include "ir/ir_rewrite.h"
#include "ir/ir_uniform.h"
#include "ir/passes.h"
#include "share/abi.h"

#include <ctype.h>

typedef struct {
    cairn_env               *env;
    const cairn_ir_function *f;
    const void             **sight; ///< Variables and SHARED arrays, innermost last.
    int                      count, capacity;
    bool                     threads; ///< Inside a loop of threads.
    int                      groups;  ///< Loops of groups around,
    bool                     within;  ///< with anything else between, or inside.
    int          items;  ///< Inside ITEMS: of `sight` stand outside; else -1.
    bool         grid;   ///< The function has GROUPS.
    int64_t      shared; ///< Bytes of SHARED arrays.
    cairn_status status; ///< The first failure.
} checking;

static void fail(checking *c, const char *why, const char *name)
{
    if (c->status == CAIRN_OK)
        c->status = cairn_fail(c->env, CAIRN_BAD_ARGUMENT, "kernel: %s: %s: %s",
                               c->f->name, name ? name : "?", why);
}

static bool in_sight(const checking *c, const void *object)
{
    for (int n = 0; n < c->count; n++)
        if (c->sight[n] == object) return true;
    return false;
}

static void bring(checking *c, const void *object, const char *name)
{
    if (in_sight(c, object)) fail(c, "is declared twice", name);
    if (c->status == CAIRN_OK && c->count == c->capacity) {
        const int more = 2 * c->capacity + 16;

        c->status = cairn_realloc(c->env, more, sizeof *c->sight, (void **)&c->sight);
        if (c->status == CAIRN_OK) c->capacity = more;
    }
    if (c->status == CAIRN_OK) c->sight[c->count++] = object;
}

static void check_name(checking *c, const char *name)
{
    bool word = name && (isalpha((unsigned char)name[0]) || name[0] == '_');

    for (const char *at = name; word && *at; at++)
        word = isalnum((unsigned char)*at) || *at == '_';
    if (!word) fail(c, "is no name", name);
}

static void check_field(checking *c, cairn_ir_field field, const char *name)
{
    static const struct {
        int fields, parts;
    } abi[] = {
#define COUNT(type, name, what) +1
#define X(id, args, parts)      [CAIRN_ABI_##id] = {0 CAIRN_##id##_MAP(COUNT), parts},
        CAIRN_ABI_MAP(X)
#undef X
#undef COUNT
    };
    const bool level =
        field.source >= CAIRN_IR_LEVEL_PTR && field.source <= CAIRN_IR_LEVEL_HOLE;
    const int limit = level ? CAIRN_KERNEL_LEVELS : abi[c->f->abi].fields;

    if (field.part < 0 || field.part >= abi[c->f->abi].parts)
        fail(c, "no such part", name);
    if ((level || field.source == CAIRN_IR_ARG)
        && (field.level < 0 || field.level >= limit))
        fail(c, "no such field", name);
}

static void check_array(checking *c, const cairn_ir_array *array)
{
    bool known = false;

    if (!array) {
        fail(c, "no array", NULL);
        return;
    }
    for (int n = 0; n < c->f->arrays; n++)
        known = known || c->f->array[n] == array;
    if (array->length > 0) known = in_sight(c, array);
    if (!known) fail(c, "is no array of the function", array->name);
}

/// Positions have 64 bits or, narrowed, 32.
static bool is_position(cairn_ir_type type)
{
    return type == CAIRN_IR_I64 || type == CAIRN_IR_I32;
}

static bool is_int(cairn_ir_x x)
{
    return is_position(x->type) && x->lanes == 1;
}

static bool is_bool(cairn_ir_x x)
{
    return x->type == CAIRN_IR_BOOL && x->lanes == 1;
}

static bool is_loaded(cairn_ir_x x)
{
    const cairn_ir_type memory = x->array->type;

    if (cairn_ir_type_is_half(memory)) return x->type == CAIRN_IR_F32;
    return cairn_ir_type_is_float(memory) ? x->type == memory : is_position(x->type);
}

/// Do type and lanes of an operation follow from its operands?
static bool agrees(cairn_ir_x x)
{
    switch (x->op) {
    case CAIRN_IR_VAR: return x->type == x->var->type && x->lanes == x->var->lanes;
    case CAIRN_IR_INT: return !cairn_ir_type_is_float(x->type) && x->lanes == 1;
    case CAIRN_IR_REAL: return cairn_ir_type_is_float(x->type) && x->lanes == 1;
    case CAIRN_IR_PARAM: return x->lanes == 1;
    case CAIRN_IR_LOAD: return is_int(x->a) && is_loaded(x);
    case CAIRN_IR_GATHER: return x->a->lanes == x->lanes && is_loaded(x);
    case CAIRN_IR_SELECT:
        return is_bool(x->a) && x->b->type == x->type && x->c->type == x->type
               && x->b->lanes == x->lanes && x->c->lanes == x->lanes;
    case CAIRN_IR_CAST: return x->a->lanes == x->lanes;
    case CAIRN_IR_SPLAT: return x->a->lanes == 1 && x->a->type == x->type;
    case CAIRN_IR_LANE:
        return x->lanes == 1 && x->integer >= 0 && x->integer < x->a->lanes;
    case CAIRN_IR_LANE_SUM: return x->lanes == 1 && x->a->type == x->type;
    case CAIRN_IR_LAST:
        return x->lanes > 1 && x->a->lanes == x->lanes && x->a->type == x->type
               && cairn_ir_type_is_float(x->type) && is_int(x->b);
    case CAIRN_IR_FOLLOW:
        return is_bool(x) && x->a->lanes > 1 && is_position(x->a->type);
    case CAIRN_IR_AHEAD:
        return is_bool(x) && x->a->lanes > 1 && is_position(x->a->type)
               && x->b->lanes == x->a->lanes && x->b->type == x->a->type
               && is_int(x->c);
    case CAIRN_IR_COLUMN:
        return is_int(x->a) && is_int(x->b) && is_loaded(x) && !x->array->stride
               && x->integer >= 0 && x->integer < 4 && (x->lanes == 4 || x->lanes == 8);
    case CAIRN_IR_LT:
    case CAIRN_IR_LE:
    case CAIRN_IR_EQ:
    case CAIRN_IR_NE: return is_bool(x) && x->a->type == x->b->type && x->a->lanes == 1;
    default:
        return x->a->type == x->type && x->b->type == x->type && x->a->lanes == x->lanes
               && x->b->lanes == x->lanes;
    }
}

/// What is said of loads must be what it can be said of.
static void check_hints(checking *c, cairn_ir_x x)
{
    if (!x->once && !x->aligned) return;
    if (x->op != CAIRN_IR_LOAD) {
        fail(c, "has hints and is no load", "expression");
        return;
    }
    if (x->once && x->array->length > 0)
        fail(c, "is read once and a group's own", x->array->name);
    if (x->aligned
        && (x->array->stride || x->lanes * cairn_ir_type_bytes(x->array->type) != 16))
        fail(c, "is aligned and no vector of 16 bytes", x->array->name);
}

static bool check_one(cairn_ir_x x, void *user)
{
    checking *const c = user;

    for (int n = 0; n < cairn_ir_operands(x->op); n++)
        if (!cairn_ir_operand(x, n)) {
            fail(c, "an operand is missing", "expression");
            return true;
        }
    if (x->op == CAIRN_IR_VAR && !in_sight(c, x->var))
        fail(c, "is not in sight", x->var->name);
    if (x->op == CAIRN_IR_PARAM) check_field(c, x->field, x->name);
    if (x->op == CAIRN_IR_LOAD || x->op == CAIRN_IR_GATHER || x->op == CAIRN_IR_COLUMN)
        check_array(c, x->array);
    if (x->lanes < 1 || (x->lanes & (x->lanes - 1))) fail(c, "odd lanes", "expression");
    if (c->status == CAIRN_OK) check_hints(c, x);
    if (c->status == CAIRN_OK && !agrees(x))
        fail(c, "types do not agree",
             x->array ? x->array->name
             : x->var ? x->var->name
                      : "expression");
    return c->status != CAIRN_OK;
}

static void check_expr(checking *c, cairn_ir_x x)
{
    cairn_ir_any(x, check_one, c);
}

static void check_block(checking *c, const cairn_ir_stmt *block);

static void check_store(checking *c, const cairn_ir_stmt *s)
{
    check_array(c, s->array);
    if (c->status != CAIRN_OK) return;
    if (!s->array->written) fail(c, "is stored to but not marked", s->array->name);
    if (c->grid && c->items < 0) fail(c, "is stored to by all items", s->array->name);
    if (s->kind == CAIRN_IR_ADD_INTEGER && s->array->type != CAIRN_IR_U32)
        fail(c, "is added to and not of U32", s->array->name);
    if (!is_int(s->a)) fail(c, "index is no integer", s->array->name);
    if (cairn_ir_type_is_float(s->array->type) ? s->array->type != s->b->type
                                               : cairn_ir_type_is_float(s->b->type))
        fail(c, "value has another type", s->array->name);
}

/// Behind a loop or a branch: what it stood in, and what was in sight.
static void leave(checking *c, const checking *outer)
{
    c->threads = outer->threads;
    c->groups  = outer->groups;
    c->within  = outer->within;
    c->items   = outer->items;
    c->count   = outer->count;
}

/// Where loops of threads, groups and items may stand.
static void check_turns(checking *c, const cairn_ir_stmt *s)
{
    const char *const name = s->var->name;

    if ((s->turns == CAIRN_TURNS_GROUPS || s->turns == CAIRN_TURNS_ITEMS)
        && s->step != 1)
        fail(c, "is dealt, and not by ones", name);
    switch (s->turns) {
    case CAIRN_TURNS_SERIAL: break;
    case CAIRN_TURNS_THREADS:
        if (c->threads) fail(c, "threads inside threads", name);
        if (c->grid) fail(c, "threads beside groups", name);
        break;
    case CAIRN_TURNS_GROUPS:
        if (c->threads || c->within || c->groups == 2)
            fail(c, "groups are at the top, or in groups", name);
        if (s->axis != 0 && s->axis != 1) fail(c, "no such axis", name);
        break;
    case CAIRN_TURNS_ITEMS:
        if (c->groups == 0) fail(c, "items outside of groups", name);
        if (c->items >= 0) fail(c, "items inside items", name);
        break;
    }
}

static void check_shared(checking *c, const cairn_ir_stmt *s)
{
    const cairn_ir_array *const array = s->array;

    if (array->length < 1 || array->stride)
        fail(c, "is no array of a group's own", array->name);
    if (c->groups == 0 || c->within)
        fail(c, "is shared, and not where a turn of groups begins", array->name);
    check_name(c, array->name);
    c->shared += array->length * cairn_ir_type_bytes(array->type);
    if (c->shared > CAIRN_IR_SHARED_BYTES)
        fail(c, "there is no room for it among what groups share", array->name);
    bring(c, array, array->name);
}

static void check_for(checking *c, const cairn_ir_stmt *s)
{
    const checking outer = *c;

    if (c->status != CAIRN_OK) return;
    if (!is_int(s->a) || !is_int(s->b)) fail(c, "bounds are no integers", s->var->name);
    if (s->a->type != s->var->type || s->b->type != s->var->type)
        fail(c, "its bounds have another type", s->var->name);
    if (s->step < 1) fail(c, "steps back", s->var->name);
    if (!cairn_ir_invariant(s->b, s->body, s->var))
        fail(c, "its bound changes in the loop", s->var->name);
    if (cairn_ir_changes(s->body, s->var))
        fail(c, "is changed in its loop", s->var->name);
    check_turns(c, s);
    check_name(c, s->var->name);
    bring(c, s->var, s->var->name);
    c->threads = outer.threads || s->turns == CAIRN_TURNS_THREADS;
    c->groups  = outer.groups + (s->turns == CAIRN_TURNS_GROUPS);
    c->within  = outer.within || s->turns != CAIRN_TURNS_GROUPS;
    if (s->turns == CAIRN_TURNS_ITEMS) c->items = c->count - 1;
    check_block(c, s->body);
    leave(c, &outer);
}

static void check_var(checking *c, const cairn_ir_stmt *s)
{
    if (s->a && (s->a->type != s->var->type || s->a->lanes != s->var->lanes))
        fail(c, "its value has another type", s->var->name);
    if (s->kind == CAIRN_IR_DECLARE) {
        check_name(c, s->var->name);
        bring(c, s->var, s->var->name);
        return;
    }
    if (s->var->constant) fail(c, "is constant and assigned", s->var->name);
    if (!in_sight(c, s->var)) fail(c, "is assigned out of sight", s->var->name);
    for (int n = 0; n < c->items; n++)
        if (c->sight[n] == s->var)
            fail(c, "is assigned by items and declared outside", s->var->name);
}

/// A condition or a loop of them, with its branches.
static void check_branches(checking *c, const cairn_ir_stmt *s)
{
    const checking outer = *c;

    if (!is_bool(s->a)) fail(c, "is no condition", "expression");
    c->within = true;
    check_block(c, s->body);
    check_block(c, s->other);
    leave(c, &outer);
}

static void check_stmt(checking *c, const cairn_ir_stmt *s)
{
    check_expr(c, s->a);
    check_expr(c, s->b);
    if (c->status != CAIRN_OK) return;
    switch (s->kind) {
    case CAIRN_IR_DECLARE:
    case CAIRN_IR_ASSIGN: check_var(c, s); break;
    case CAIRN_IR_STORE:
    case CAIRN_IR_ADD_INTEGER: check_store(c, s); break;
    case CAIRN_IR_FOR: check_for(c, s); break;
    case CAIRN_IR_PREFETCH: check_array(c, s->array); break;
    case CAIRN_IR_IF:
    case CAIRN_IR_WHILE: check_branches(c, s); break;
    case CAIRN_IR_SHARED: check_shared(c, s); break;
    case CAIRN_IR_BARRIER:
        if (c->groups == 0 || c->items >= 0)
            fail(c, "is not reached by all items of a group", "a barrier");
        break;
    case CAIRN_IR_RETURN:
        if (c->groups > 0) fail(c, "is left by a group", c->f->name);
        break;
    case CAIRN_IR_NOTE: break;
    }
}

static void check_block(checking *c, const cairn_ir_stmt *block)
{
    const int count = c->count;

    for (const cairn_ir_stmt *s = block; s && c->status == CAIRN_OK; s = s->next)
        check_stmt(c, s);
    c->count = count;
}

cairn_status cairn_ir_check(cairn_env *env, const cairn_ir_function *function)
{
    checking c = {.env = env, .f = function, .items = -1, .status = CAIRN_OK};

    c.grid = cairn_ir_is_grid(function);

    for (int n = 0; n < function->arrays; n++) {
        check_name(&c, function->array[n]->name);
        check_field(&c, function->array[n]->field, function->array[n]->name);
    }
    for (int n = 0; n < function->params; n++)
        check_name(&c, function->param[n]->name);
    check_block(&c, function->body);
    if (c.status == CAIRN_OK && c.grid && !cairn_ir_is_uniform(function))
        fail(&c, "items may disagree on what it stands in", "a barrier");
    cairn_free(env, (void *)c.sight);
    return c.status;
}
