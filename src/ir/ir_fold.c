// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the builder makes of constants: integer operations are done at once where they
/// do not overflow, neutral operands vanish, and chains of constants become one, so that
/// lowerings may write x*1 + 0 where a size happens to be 1.

#include "ir/ir_inside.h"
#include "ir/ir_walk.h"

/// x OP y of constants. @return false where it is not defined.
static bool compute(cairn_ir_op op, int64_t x, int64_t y, int64_t *value)
{
    const int64_t r = y > 0 ? x % y : 0;

    switch (op) {
    case CAIRN_IR_ADD: return !__builtin_add_overflow(x, y, value);
    case CAIRN_IR_SUB: return !__builtin_sub_overflow(x, y, value);
    case CAIRN_IR_MUL: return !__builtin_mul_overflow(x, y, value);
    case CAIRN_IR_DIV: return y > 0 ? *value = x / y, true : false;
    case CAIRN_IR_MOD: return y > 0 ? *value = r, true : false;
    case CAIRN_IR_FLOOR_DIV: return y > 0 ? *value = x / y - (r < 0), true : false;
    case CAIRN_IR_FLOOR_MOD: return y > 0 ? *value = r < 0 ? r + y : r, true : false;
    case CAIRN_IR_MIN: *value = x < y ? x : y; return true;
    case CAIRN_IR_MAX: *value = x > y ? x : y; return true;
    case CAIRN_IR_LT: *value = x < y; return true;
    case CAIRN_IR_LE: *value = x <= y; return true;
    case CAIRN_IR_EQ: *value = x == y; return true;
    case CAIRN_IR_NE: *value = x != y; return true;
    case CAIRN_IR_AND: *value = x && y; return true;
    case CAIRN_IR_OR: *value = x || y; return true;
    case CAIRN_IR_BITS_AND: *value = x & y; return true;
    case CAIRN_IR_BITS_OR: *value = x | y; return true;
    default: return false;
    }
}

static bool is_int(cairn_ir_x x, int64_t value)
{
    return x->op == CAIRN_IR_INT && x->integer == value;
}

static bool compares(cairn_ir_op op)
{
    return op == CAIRN_IR_LT || op == CAIRN_IR_LE || op == CAIRN_IR_EQ
           || op == CAIRN_IR_NE;
}

/// (x OP c) OP y with both constants: x OP (c OP y), of sums and of products; (x + c)*y
/// is x*y + c*y.
static cairn_ir_x chain(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    int64_t both;

    if (op == CAIRN_IR_MUL && x->op == CAIRN_IR_ADD && x->b->op == CAIRN_IR_INT
        && y->op == CAIRN_IR_INT && compute(op, x->b->integer, y->integer, &both))
        return cairn_ir_add_int(b, cairn_ir_binary(b, op, x->a, y), both);
    if ((op != CAIRN_IR_ADD && op != CAIRN_IR_MUL) || x->op != op) return NULL;
    if (y->op != CAIRN_IR_INT || x->b->op != CAIRN_IR_INT) return NULL;
    if (!compute(op, x->b->integer, y->integer, &both)) return NULL;
    return cairn_ir_binary(b, op, x->a, cairn_ir_int(b, both));
}

/// @p x without the constant at the end of its sum.
static cairn_ir_x base_of(cairn_ir_x x, int64_t *constant)
{
    const bool sum = x->op == CAIRN_IR_ADD && x->b->op == CAIRN_IR_INT;

    *constant = sum ? x->b->integer : 0;
    return sum ? x->a : x;
}

/// x + c OP x + d: what the constants alone decide. Sums of positions do not overflow.
static cairn_ir_x shifted(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    int64_t          c, d, value;
    const cairn_ir_x p = base_of(x, &c), q = base_of(y, &d);
    const bool       smaller = c < d;

    if (p->op == CAIRN_IR_INT || !cairn_ir_same(p, q)) return NULL;
    if (op == CAIRN_IR_MIN) return smaller ? x : y;
    if (op == CAIRN_IR_MAX) return smaller ? y : x;
    if (!compares(op) && op != CAIRN_IR_SUB) return NULL;
    if (!compute(op, c, d, &value)) return NULL;
    return cairn_ir_constant(b, compares(op) ? CAIRN_IR_BOOL : CAIRN_IR_I64, value);
}

/// MIN(MIN(x, c), d), and of maxima.
static cairn_ir_x nested(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    int64_t value;

    if ((op != CAIRN_IR_MIN && op != CAIRN_IR_MAX) || y->op != CAIRN_IR_INT)
        return NULL;
    if (x->op != op || x->b->op != CAIRN_IR_INT) return NULL;
    if (!compute(op, x->b->integer, y->integer, &value)) return NULL;
    return cairn_ir_binary(b, op, x->a, cairn_ir_int(b, value));
}

/// Constants move outward: (x + c) + y, x - (y + c) and their like become (x OP y) + d,
/// so that what differs by a constant is seen to; 0 - (x - y) is y - x.
static cairn_ir_x outward(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const bool       minus = op == CAIRN_IR_SUB;
    int64_t          c, d, sum;
    const cairn_ir_x p = base_of(x, &c), q = base_of(y, &d);

    if (op != CAIRN_IR_ADD && !minus) return NULL;
    if (minus && is_int(x, 0) && y->op == CAIRN_IR_SUB)
        return cairn_ir_binary(b, op, y->b, y->a);
    if ((c == 0 && d == 0) || y->op == CAIRN_IR_INT) return NULL;
    if (!compute(op, c, d, &sum)) return NULL;
    return cairn_ir_add_int(b, cairn_ir_binary(b, op, p, q), sum);
}

/// Sums and products with a neutral operand; a constant moves to the right, and a
/// difference from one becomes a sum.
static cairn_ir_x sum(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const bool add = op == CAIRN_IR_ADD, mul = op == CAIRN_IR_MUL;

    if ((add || op == CAIRN_IR_SUB) && is_int(y, 0)) return x;
    if (op == CAIRN_IR_SUB && y->op == CAIRN_IR_INT && y->integer != INT64_MIN)
        return cairn_ir_binary(b, CAIRN_IR_ADD, x, cairn_ir_int(b, -y->integer));
    if ((add || mul) && x->op == CAIRN_IR_INT) return cairn_ir_binary(b, op, y, x);
    if (mul && is_int(y, 1)) return x;
    if (mul && is_int(y, 0)) return y;

    const cairn_ir_x chained = chain(b, op, x, y);

    return chained ? chained : outward(b, op, x, y);
}

/// The multiple of @p n in @p x: x = n*q + r with 0 <= r < n, seen from its form alone.
static bool splits(cairn_ir_x x, int64_t n, cairn_ir_x *factor, int64_t *rest)
{
    *rest = 0;
    if (x->op == CAIRN_IR_ADD && x->b->op == CAIRN_IR_INT) {
        *rest = x->b->integer;
        x     = x->a;
    }
    *factor = x;
    return x->op == CAIRN_IR_MUL && is_int(x->b, n) && *rest >= 0 && *rest < n;
}

/// Quotients and remainders by a constant.
static cairn_ir_x quotient(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const bool divides = op == CAIRN_IR_DIV || op == CAIRN_IR_FLOOR_DIV;
    cairn_ir_x factor;
    int64_t    rest;

    if (!divides && op != CAIRN_IR_MOD && op != CAIRN_IR_FLOOR_MOD) return NULL;
    if (is_int(y, 1)) return divides ? x : cairn_ir_int(b, 0);
    if (y->op != CAIRN_IR_INT || y->integer < 1) return NULL;
    if (!splits(x, y->integer, &factor, &rest)) return NULL;
    return divides ? factor->a : cairn_ir_int(b, rest);
}

/// Conditions of which one side is known.
static cairn_ir_x condition(cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const bool and = op == CAIRN_IR_AND;

    if (!and&&op != CAIRN_IR_OR) return NULL;
    if (x->op == CAIRN_IR_INT) return (x->integer != 0) == and? y : x;
    if (y->op == CAIRN_IR_INT && (y->integer != 0) == and) return x;
    return cairn_ir_same(x, y) ? x : NULL;
}

cairn_ir_x
cairn_ir_simpler_lanes(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const bool zero = op == CAIRN_IR_ADD || op == CAIRN_IR_SUB || op == CAIRN_IR_BITS_OR
                      || op == CAIRN_IR_SHIFT_LEFT || op == CAIRN_IR_SHIFT_RIGHT;

    if (x->op == CAIRN_IR_SPLAT && y->op == CAIRN_IR_SPLAT)
        return cairn_ir_splat(b, cairn_ir_binary(b, op, x->a, y->a), x->lanes);
    if (y->op != CAIRN_IR_SPLAT) return NULL;
    return (zero && is_int(y->a, 0)) || (op == CAIRN_IR_MUL && is_int(y->a, 1)) ? x
                                                                                : NULL;
}

/// Bits: with 0, and shifts by 0.
static cairn_ir_x bits(cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    if (!is_int(y, 0)) return NULL;
    if (op == CAIRN_IR_BITS_AND) return y;
    return op == CAIRN_IR_BITS_OR || op == CAIRN_IR_SHIFT_LEFT
                   || op == CAIRN_IR_SHIFT_RIGHT
               ? x
               : NULL;
}

cairn_ir_x cairn_ir_simpler(cairn_ir *b, cairn_ir_op op, cairn_ir_x x, cairn_ir_x y)
{
    const cairn_ir_type type = compares(op) ? CAIRN_IR_BOOL : x->type;
    int64_t             value;
    cairn_ir_x          simpler;

    if (x->op == CAIRN_IR_INT && y->op == CAIRN_IR_INT)
        return compute(op, x->integer, y->integer, &value)
                   ? cairn_ir_constant(b, type, value)
                   : NULL;
    if ((simpler = condition(op, x, y))) return simpler;
    if (x->op == CAIRN_IR_INT && (op == CAIRN_IR_EQ || op == CAIRN_IR_NE))
        return cairn_ir_binary(b, op, y, x);
    if (x->type != CAIRN_IR_I64) return NULL;
    if ((simpler = shifted(b, op, x, y))) return simpler;
    if ((simpler = nested(b, op, x, y))) return simpler;
    if ((simpler = sum(b, op, x, y))) return simpler;
    if ((simpler = quotient(b, op, x, y))) return simpler;
    if ((simpler = bits(op, x, y))) return simpler;
    return (op == CAIRN_IR_BITS_AND || op == CAIRN_IR_BITS_OR) && cairn_ir_same(x, y)
               ? x
               : NULL;
}
