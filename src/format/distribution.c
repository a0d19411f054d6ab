// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions of distributions: values, bounds, trends.

#include "format/distribution.h"

#include "format/algebra.h"

/// @return False where it has no value.
static bool apply(cairn_expr_op op, int64_t a, int64_t b, int64_t *value)
{
    switch (op) {
    case CAIRN_EXPR_NEG: return !__builtin_sub_overflow((int64_t)0, a, value);
    case CAIRN_EXPR_ADD: return !__builtin_add_overflow(a, b, value);
    case CAIRN_EXPR_SUB: return !__builtin_sub_overflow(a, b, value);
    case CAIRN_EXPR_MUL: return !__builtin_mul_overflow(a, b, value);
    default: break;
    }
    if (b <= 0) return false;
    *value = op == CAIRN_EXPR_DIV ? cairn_floor_div(a, b) : cairn_floor_mod(a, b);
    return true;
}

bool cairn_distribution_at(const cairn_expr *expr,
                           int64_t           row,
                           int64_t           ranks,
                           int64_t          *value)
{
    int64_t a = 0, b = 0;

    switch (expr->op) {
    case CAIRN_EXPR_CONST: *value = expr->value; return true;
    case CAIRN_EXPR_DIM: *value = row; return true;
    case CAIRN_EXPR_RANKS: *value = ranks; return true;
    default: break;
    }
    return cairn_distribution_at(expr->a, row, ranks, &a)
           && (!expr->b || cairn_distribution_at(expr->b, row, ranks, &b))
           && apply(expr->op, a, b, value);
}

static cairn_trend turned(cairn_trend trend)
{
    return trend == CAIRN_TREND_RISES   ? CAIRN_TREND_FALLS
           : trend == CAIRN_TREND_FALLS ? CAIRN_TREND_RISES
                                        : trend;
}

static cairn_trend sum_of(cairn_trend a, cairn_trend b)
{
    if (a == CAIRN_TREND_CONSTANT) return b;
    return b == CAIRN_TREND_CONSTANT || b == a ? a : CAIRN_TREND_OTHER;
}

/// c * v
static bool scaled(int64_t c, const cairn_row_values *v, cairn_row_values *product)
{
    product->trend = c > 0    ? v->trend
                     : c == 0 ? CAIRN_TREND_CONSTANT
                              : turned(v->trend);
    return apply(CAIRN_EXPR_MUL, c, c < 0 ? v->range.hi : v->range.lo,
                 &product->range.lo)
           && apply(CAIRN_EXPR_MUL, c, c < 0 ? v->range.lo : v->range.hi,
                    &product->range.hi);
}

/// Rows of which all have one quotient keep their trend; else a remainder may be any.
static bool
remainder_of(const cairn_row_values *v, int64_t divisor, cairn_row_values *remainder)
{
    if (divisor <= 0) return false;
    if (cairn_floor_div(v->range.lo, divisor) != cairn_floor_div(v->range.hi, divisor))
        *remainder = (cairn_row_values){
            {0, divisor - 1},
            CAIRN_TREND_OTHER
        };
    else
        *remainder = (cairn_row_values){
            {cairn_floor_mod(v->range.lo, divisor),
             cairn_floor_mod(v->range.hi, divisor)},
            v->trend
        };
    return true;
}

/// Of an operator by the values of its operands.
static bool combine(cairn_expr_op           op,
                    const cairn_row_values *a,
                    const cairn_row_values *b,
                    cairn_row_values       *values)
{
    cairn_row_values minus;

    switch (op) {
    case CAIRN_EXPR_NEG: return scaled(-1, a, values);
    case CAIRN_EXPR_SUB:
        return scaled(-1, b, &minus) && combine(CAIRN_EXPR_ADD, a, &minus, values);
    case CAIRN_EXPR_ADD:
        values->trend = sum_of(a->trend, b->trend);
        return apply(op, a->range.lo, b->range.lo, &values->range.lo)
               && apply(op, a->range.hi, b->range.hi, &values->range.hi);
    case CAIRN_EXPR_MUL:
        return a->trend == CAIRN_TREND_CONSTANT ? scaled(a->range.lo, b, values)
                                                : scaled(b->range.lo, a, values);
    case CAIRN_EXPR_MOD: return remainder_of(a, b->range.lo, values);
    default: break;
    }
    values->trend = a->trend;
    return apply(op, a->range.lo, b->range.lo, &values->range.lo)
           && apply(op, a->range.hi, b->range.lo, &values->range.hi);
}

bool cairn_distribution_over(const cairn_expr *expr,
                             cairn_interval    rows,
                             int64_t           ranks,
                             cairn_row_values *values)
{
    cairn_row_values a =
                         {
                             {0, 0},
                             CAIRN_TREND_CONSTANT
    },
                     b = a;

    switch (expr->op) {
    case CAIRN_EXPR_CONST:
        *values = (cairn_row_values){
            {expr->value, expr->value},
            CAIRN_TREND_CONSTANT
        };
        return true;
    case CAIRN_EXPR_RANKS:
        *values = (cairn_row_values){
            {ranks, ranks},
            CAIRN_TREND_CONSTANT
        };
        return true;
    case CAIRN_EXPR_DIM:
        *values = (cairn_row_values){rows, CAIRN_TREND_RISES};
        return true;
    default: break;
    }
    if (!cairn_distribution_over(expr->a, rows, ranks, &a)
        || (expr->b && !cairn_distribution_over(expr->b, rows, ranks, &b))
        || !combine(expr->op, &a, &b, values))
        return false;
    if (values->range.lo == values->range.hi) values->trend = CAIRN_TREND_CONSTANT;
    return true;
}
