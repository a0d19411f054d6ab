// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions of the loop IR, made in the function's arena. What operands may be is
/// asserted: only lowerings and passes build, never a user.

#include "ir/ir_inside.h"

#include <assert.h>

cairn_ir_x cairn_ir_keep(cairn_ir *b, const cairn_ir_expr *model)
{
    cairn_ir_expr *fresh;

    if (!cairn_ir_room(b, 1, sizeof *fresh, (void **)&fresh)) return &b->spare_expr;
    *fresh = *model;
    return fresh;
}

cairn_ir_x cairn_ir_constant(cairn_ir *b, cairn_ir_type type, int64_t value)
{
    return cairn_ir_keep(
        b, &(cairn_ir_expr){
               .op = CAIRN_IR_INT, .type = type, .lanes = 1, .integer = value});
}

cairn_ir_x cairn_ir_int(cairn_ir *b, int64_t value)
{
    return cairn_ir_constant(b, CAIRN_IR_I64, value);
}

cairn_ir_x cairn_ir_real(cairn_ir *b, cairn_ir_type type, double value)
{
    assert(cairn_ir_type_is_float(type));
    return cairn_ir_keep(
        b, &(cairn_ir_expr){
               .op    = CAIRN_IR_REAL,
               .type  = type,
               .lanes = 1,
               .real  = type == CAIRN_IR_F32 ? (double)(float)value : value,
           });
}

cairn_ir_x cairn_ir_use(cairn_ir *b, const cairn_ir_var *var)
{
    return cairn_ir_keep(
        b, &(cairn_ir_expr){
               .op = CAIRN_IR_VAR, .type = var->type, .lanes = var->lanes, .var = var});
}

static bool compares(cairn_ir_op op)
{
    return op == CAIRN_IR_LT || op == CAIRN_IR_LE || op == CAIRN_IR_EQ
           || op == CAIRN_IR_NE;
}

static bool joins(cairn_ir_op op)
{
    return op == CAIRN_IR_AND || op == CAIRN_IR_OR;
}

/// Of floating point there are sums, differences, products, quotients, comparisons;
/// of vectors no comparison and no division of integers.
static bool defined(cairn_ir_op op, cairn_ir_type type, int lanes)
{
    const bool sum  = op == CAIRN_IR_ADD || op == CAIRN_IR_SUB || op == CAIRN_IR_MUL;
    const bool bits = op == CAIRN_IR_BITS_AND || op == CAIRN_IR_BITS_OR
                      || op == CAIRN_IR_SHIFT_LEFT || op == CAIRN_IR_SHIFT_RIGHT;

    if (joins(op)) return type == CAIRN_IR_BOOL && lanes == 1;
    if (cairn_ir_type_is_float(type))
        return sum || op == CAIRN_IR_DIV || (compares(op) && lanes == 1);
    return lanes == 1 || sum || bits || op == CAIRN_IR_MIN || op == CAIRN_IR_MAX;
}

cairn_ir_x cairn_ir_binary(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    if (x->lanes == 1 && y->lanes > 1) x = cairn_ir_splat(b, x, y->lanes);
    if (y->lanes == 1 && x->lanes > 1) y = cairn_ir_splat(b, y, x->lanes);
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(x->type == y->type && x->lanes == y->lanes);
    assert(defined(op, x->type, x->lanes));

    if (!cairn_ir_type_is_float(x->type)) {
        const cairn_ir_x simpler = x->lanes == 1 ? cairn_ir_simpler(b, op, x, y)
                                                 : cairn_ir_simpler_lanes(b, op, x, y);

        if (simpler) return simpler;
    }
    return cairn_ir_keep(
        b, &(cairn_ir_expr){.op    = op,
                            .type  = compares(op) ? CAIRN_IR_BOOL : x->type,
                            .lanes = x->lanes,
                            .a     = x,
                            .b     = y});
}

cairn_ir_x
cairn_ir_select(cairn_ir *b, cairn_ir_x condition, cairn_ir_x x, cairn_ir_x y)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(condition->type == CAIRN_IR_BOOL && x->type == y->type);
    assert(condition->lanes == 1 && x->lanes == y->lanes);
    if (condition->op == CAIRN_IR_INT) return condition->integer ? x : y;
    return cairn_ir_keep(b, &(cairn_ir_expr){.op    = CAIRN_IR_SELECT,
                                             .type  = x->type,
                                             .lanes = x->lanes,
                                             .a     = condition,
                                             .b     = x,
                                             .c     = y});
}

/// What an element of @p type is once it is loaded.
static cairn_ir_type widened(cairn_ir_type type)
{
    if (cairn_ir_type_is_half(type)) return CAIRN_IR_F32;
    return cairn_ir_type_is_float(type) ? type : CAIRN_IR_I64;
}

cairn_ir_x cairn_ir_load(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at)
{
    return cairn_ir_load_lanes(b, array, at, 1);
}

cairn_ir_x
cairn_ir_load_lanes(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at, int lanes)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(at->type == CAIRN_IR_I64 && at->lanes == 1);
    assert(lanes >= 1 && (lanes & (lanes - 1)) == 0);
    return cairn_ir_keep(b, &(cairn_ir_expr){.op    = CAIRN_IR_LOAD,
                                             .type  = widened(array->type),
                                             .lanes = lanes,
                                             .a     = at,
                                             .array = array});
}

cairn_ir_x cairn_ir_gather(cairn_ir *b, const cairn_ir_array *array, cairn_ir_x at)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    if (at->lanes == 1) return cairn_ir_load(b, array, at);
    assert(at->type == CAIRN_IR_I64 || at->type == CAIRN_IR_I32);
    return cairn_ir_keep(b, &(cairn_ir_expr){.op    = CAIRN_IR_GATHER,
                                             .type  = widened(array->type),
                                             .lanes = at->lanes,
                                             .a     = at,
                                             .array = array});
}

cairn_ir_x cairn_ir_hinted(cairn_ir *b, cairn_ir_x x, bool once, bool aligned)
{
    cairn_ir_expr hinted = *x;

    if (b->status != CAIRN_OK || (once == x->once && aligned == x->aligned)) return x;
    assert(x->op == CAIRN_IR_LOAD);
    hinted.once    = once;
    hinted.aligned = aligned;
    return cairn_ir_keep(b, &hinted);
}

cairn_ir_x cairn_ir_cast(cairn_ir *b, cairn_ir_type type, cairn_ir_x x)
{
    if (b->status != CAIRN_OK || x->type == type) return x;
    if (x->op == CAIRN_IR_INT && cairn_ir_type_is_float(type))
        return cairn_ir_real(b, type, (double)x->integer);
    if (x->op == CAIRN_IR_REAL && cairn_ir_type_is_float(type))
        return cairn_ir_real(b, type, x->real);
    if (x->op == CAIRN_IR_INT && type == CAIRN_IR_I32
        && x->integer == (int32_t)x->integer)
        return cairn_ir_keep(b, &(cairn_ir_expr){.op      = CAIRN_IR_INT,
                                                 .type    = type,
                                                 .lanes   = 1,
                                                 .integer = x->integer});
    return cairn_ir_keep(
        b,
        &(cairn_ir_expr){.op = CAIRN_IR_CAST, .type = type, .lanes = x->lanes, .a = x});
}

cairn_ir_x cairn_ir_splat(cairn_ir *b, cairn_ir_x x, int lanes)
{
    if (b->status != CAIRN_OK || lanes == 1) return x;
    assert(x->lanes == 1 && x->type != CAIRN_IR_BOOL && (lanes & (lanes - 1)) == 0);
    return cairn_ir_keep(
        b, &(cairn_ir_expr){
               .op = CAIRN_IR_SPLAT, .type = x->type, .lanes = lanes, .a = x});
}

cairn_ir_x cairn_ir_lane(cairn_ir *b, cairn_ir_x x, int lane)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(lane >= 0 && lane < x->lanes);
    if (x->lanes == 1) return x;
    if (x->op == CAIRN_IR_SPLAT) return x->a;
    return cairn_ir_keep(
        b,
        &(cairn_ir_expr){
            .op = CAIRN_IR_LANE, .type = x->type, .lanes = 1, .a = x, .integer = lane});
}

cairn_ir_x cairn_ir_last(cairn_ir *b, cairn_ir_x x, cairn_ir_x count)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(x->lanes > 1 && cairn_ir_type_is_float(x->type));
    assert(count->type == CAIRN_IR_I64 && count->lanes == 1);
    return cairn_ir_keep(b, &(cairn_ir_expr){.op    = CAIRN_IR_LAST,
                                             .type  = x->type,
                                             .lanes = x->lanes,
                                             .a     = x,
                                             .b     = count});
}

cairn_ir_x cairn_ir_follow(cairn_ir *b, cairn_ir_x x)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(x->lanes > 1 && !cairn_ir_type_is_float(x->type));
    return cairn_ir_keep(
        b, &(cairn_ir_expr){
               .op = CAIRN_IR_FOLLOW, .type = CAIRN_IR_BOOL, .lanes = 1, .a = x});
}

cairn_ir_x cairn_ir_ahead(cairn_ir *b, cairn_ir_x x, cairn_ir_x y, cairn_ir_x by)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert(x->lanes > 1 && !cairn_ir_type_is_float(x->type) && by->lanes == 1);
    assert(y->lanes == x->lanes && y->type == x->type);
    return cairn_ir_keep(b, &(cairn_ir_expr){.op    = CAIRN_IR_AHEAD,
                                             .type  = CAIRN_IR_BOOL,
                                             .lanes = 1,
                                             .a     = x,
                                             .b     = y,
                                             .c     = by});
}

cairn_ir_x cairn_ir_column(cairn_ir             *b,
                           const cairn_ir_array *array,
                           cairn_ir_x            at,
                           cairn_ir_x            step,
                           int                   lanes,
                           int                   k)
{
    if (b->status != CAIRN_OK) return &b->spare_expr;
    assert((lanes == 4 || lanes == 8) && k >= 0 && k < 4 && !array->stride);
    assert(array->type == CAIRN_IR_F32 || array->type == CAIRN_IR_F64);
    return cairn_ir_keep(b, &(cairn_ir_expr){.op      = CAIRN_IR_COLUMN,
                                             .type    = array->type,
                                             .lanes   = lanes,
                                             .a       = at,
                                             .b       = step,
                                             .integer = k,
                                             .array   = array});
}

cairn_ir_x cairn_ir_lane_sum(cairn_ir *b, cairn_ir_x x)
{
    if (b->status != CAIRN_OK || x->lanes == 1) return x;
    return cairn_ir_keep(
        b,
        &(cairn_ir_expr){.op = CAIRN_IR_LANE_SUM, .type = x->type, .lanes = 1, .a = x});
}
