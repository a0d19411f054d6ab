// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions in C, with no more parentheses than C's precedence and gcc's -Wall ask
/// for. Integers of the IR have 64 bits; an element of a narrow array is widened where
/// C would otherwise compute in fewer.

#include "emit/c_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Operators of C: text, how tightly they bind; without text: another form.
static const struct {
    const char     *text;
    cairn_c_binding binding;
} operators[] = {
    [CAIRN_IR_ADD]         = {" + ",  CAIRN_C_SUM     },
    [CAIRN_IR_SUB]         = {" - ",  CAIRN_C_SUM     },
    [CAIRN_IR_MUL]         = {" * ",  CAIRN_C_PRODUCT },
    [CAIRN_IR_DIV]         = {" / ",  CAIRN_C_PRODUCT },
    [CAIRN_IR_MOD]         = {" % ",  CAIRN_C_PRODUCT },
    [CAIRN_IR_LT]          = {" < ",  CAIRN_C_LESS    },
    [CAIRN_IR_LE]          = {" <= ", CAIRN_C_LESS    },
    [CAIRN_IR_EQ]          = {" == ", CAIRN_C_EQUAL   },
    [CAIRN_IR_NE]          = {" != ", CAIRN_C_EQUAL   },
    [CAIRN_IR_AND]         = {" && ", CAIRN_C_AND     },
    [CAIRN_IR_OR]          = {" || ", CAIRN_C_OR      },
    [CAIRN_IR_BITS_AND]    = {" & ",  CAIRN_C_BITS_AND},
    [CAIRN_IR_BITS_OR]     = {" | ",  CAIRN_C_BITS_OR },
    [CAIRN_IR_SHIFT_LEFT]  = {" << ", CAIRN_C_SHIFT   },
    [CAIRN_IR_SHIFT_RIGHT] = {" >> ", CAIRN_C_SHIFT   },
    [CAIRN_IR_LANE_SUM]    = {NULL,   CAIRN_C_POSTFIX },
    [CAIRN_IR_LAST]        = {NULL,   CAIRN_C_POSTFIX },
    [CAIRN_IR_FOLLOW]      = {NULL,   CAIRN_C_POSTFIX },
    [CAIRN_IR_AHEAD]       = {NULL,   CAIRN_C_POSTFIX },
    [CAIRN_IR_COLUMN]      = {NULL,   CAIRN_C_POSTFIX },
};

static bool is_operator(cairn_ir_op op)
{
    return operators[op].text != NULL;
}

static bool compares(cairn_ir_op op)
{
    return operators[op].binding == CAIRN_C_LESS
           || operators[op].binding == CAIRN_C_EQUAL;
}

/// Loads of the same narrow type compare and choose as they are.
static bool alike(cairn_ir_x x, cairn_ir_x y)
{
    if (x->op == CAIRN_IR_LOAD && y->op == CAIRN_IR_LOAD)
        return x->array->type == y->array->type;
    return x->op == CAIRN_IR_INT && y->op == CAIRN_IR_INT;
}

bool cairn_c_narrow(cairn_ir_x x)
{
    if (x->type != CAIRN_IR_I64 || x->lanes > 1) return false;
    switch (x->op) {
    case CAIRN_IR_INT: return x->integer >= -INT32_MAX && x->integer <= INT32_MAX;
    case CAIRN_IR_LOAD: return cairn_ir_type_bytes(x->array->type) < 8;
    case CAIRN_IR_SELECT: return alike(x->b, x->c) && cairn_c_narrow(x->b);
    case CAIRN_IR_LANE: return false;
    default: return false;
    }
}

bool cairn_c_casts(cairn_ir_x x)
{
    const cairn_ir_type memory = x->array->type;

    if (x->lanes > 1) return false;
    if (x->type == CAIRN_IR_I64) return memory == CAIRN_IR_U64;
    return x->type == CAIRN_IR_I32
           && (memory == CAIRN_IR_U32 || cairn_ir_type_bytes(memory) == 8);
}

static bool is_integer(cairn_ir_x x)
{
    return x->type == CAIRN_IR_I64 || x->type == CAIRN_IR_I32;
}

/// A sum with a negative constant: printed as a difference.
static bool is_difference(cairn_ir_x x)
{
    return x->op == CAIRN_IR_ADD && is_integer(x) && x->b->op == CAIRN_IR_INT
           && x->b->integer < 0 && x->b->integer > INT64_MIN;
}

/// 0 - x: printed as -x.
static bool is_negative(cairn_ir_x x)
{
    return x->op == CAIRN_IR_SUB && x->lanes == 1 && x->a->op == CAIRN_IR_INT
           && x->a->integer == 0;
}

cairn_c_binding cairn_c_bind(cairn_ir_x x)
{
    if (is_negative(x)) return CAIRN_C_UNARY;
    if (is_operator(x->op)) return operators[x->op].binding;
    switch (x->op) {
    case CAIRN_IR_INT: return x->integer < 0 ? CAIRN_C_UNARY : CAIRN_C_POSTFIX;
    case CAIRN_IR_REAL: return signbit(x->real) ? CAIRN_C_UNARY : CAIRN_C_POSTFIX;
    case CAIRN_IR_SELECT: return CAIRN_C_CONDITIONAL;
    case CAIRN_IR_CAST: return x->lanes > 1 ? CAIRN_C_POSTFIX : CAIRN_C_UNARY;
    case CAIRN_IR_LOAD:
        if (cairn_c_casts(x)) return CAIRN_C_UNARY;
        return x->lanes == 1 && x->array->stride ? CAIRN_C_UNARY : CAIRN_C_POSTFIX;
    default: return CAIRN_C_POSTFIX;
    }
}

/// The shortest decimal that reads back the same; hexadecimal has no readers.
static void print_real(cairn_text *out, cairn_ir_type type, double value)
{
    const bool single = type == CAIRN_IR_F32;
    char       text[48];
    int        digits = 1;

    if (isnan(value) || isinf(value)) {
        cairn_text_add(out, "%s__builtin_%s%s", signbit(value) ? "-" : "",
                       isnan(value) ? "nan" : "inf", single ? "f" : "");
        cairn_text_add(out, isnan(value) ? "(\"\")" : "()");
        return;
    }
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (digits++ < 17
           && (single ? (double)strtof(text, NULL) : strtod(text, NULL)) != value);
    cairn_text_add(out, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0",
                   single ? "f" : "");
}

static void print_int(cairn_text *out, int64_t value)
{
    if (value == INT64_MIN)
        cairn_text_add(out, "(-9223372036854775807 - 1)");
    else
        cairn_text_add(out, "%lld", (long long)value);
}

/// An operand of a vector operation whose other operand is a vector: C takes a scalar.
static cairn_ir_x bare(cairn_ir_x x, cairn_ir_x other)
{
    return x->op == CAIRN_IR_SPLAT && other->op != CAIRN_IR_SPLAT ? x->a : x;
}

/// Which operands of a binary operation need 64 bits: bit 0 the left, bit 1 the right.
static int widening(cairn_ir_x x)
{
    const bool shift = operators[x->op].binding == CAIRN_C_SHIFT;

    if (x->lanes > 1)
        return (x->a->op == CAIRN_IR_SPLAT) | (x->b->op == CAIRN_IR_SPLAT) << 1;
    if (x->a->type != CAIRN_IR_I64) return 0;
    if (shift) return 1;
    if (!cairn_c_narrow(x->a) || !cairn_c_narrow(x->b)) return 0;
    if (compares(x->op)
        && (alike(x->a, x->b) || (x->b->op == CAIRN_IR_INT && x->b->integer >= 0)))
        return 0;
    return x->a->op == CAIRN_IR_INT ? 2 : 1;
}

/// gcc warns of mixtures that readers get wrong, too: sums in shifts and in bits, bits in
/// comparisons, `&&` in `||`.
static cairn_c_binding operand_binding(cairn_ir_op op, cairn_c_binding binding)
{
    switch (op) {
    case CAIRN_IR_SHIFT_LEFT:
    case CAIRN_IR_SHIFT_RIGHT: return CAIRN_C_PRODUCT;
    case CAIRN_IR_BITS_AND:
    case CAIRN_IR_BITS_OR: return CAIRN_C_PRODUCT;
    case CAIRN_IR_OR: return CAIRN_C_BITS_OR;
    case CAIRN_IR_EQ:
    case CAIRN_IR_NE: return CAIRN_C_SHIFT;
    default: return binding;
    }
}

static void
print_operand(cairn_c *c, cairn_text *out, cairn_ir_x x, cairn_c_binding b, bool wide)
{
    if (wide)
        cairn_c_wide(c, out, x, b);
    else
        cairn_c_expr(c, out, x, b);
}

static void print_binary(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const cairn_c_binding binding = operators[x->op].binding;
    const cairn_c_binding inner   = operand_binding(x->op, binding);
    const int             wide    = widening(x);
    const bool            same    = x->a->op == x->op && inner != binding;

    if (is_negative(x)) {
        cairn_text_add(out, "-");
        print_operand(c, out, x->b, CAIRN_C_POSTFIX, x->type == CAIRN_IR_I64);
        return;
    }
    print_operand(c, out, bare(x->a, x->b), same ? binding : inner, wide & 1);
    if (is_difference(x)) {
        cairn_text_add(out, " - ");
        print_int(out, -x->b->integer);
        return;
    }
    cairn_text_add(out, "%s", operators[x->op].text);
    print_operand(c, out, bare(x->b, x->a), inner + (inner == binding), wide & 2);
}

/// Calls of two operands: name; the note, of scalars, or of vectors (0: there is none).
/// Those that vectors have, OpenCL and CUDA have by the same name for every type: ours are
/// min_of and max_of there. Of 32 bits all are called by their type.
static const struct {
    const char  *name;
    cairn_c_call call, call_i32;
    cairn_c_use  use;
} call_of[] = {
    [CAIRN_IR_FLOOR_DIV] = {"floor_div", CAIRN_C_FLOOR_DIV, CAIRN_C_FLOOR_DIV_I32, 0                 },
    [CAIRN_IR_FLOOR_MOD] = {"floor_mod", CAIRN_C_FLOOR_MOD, CAIRN_C_FLOOR_MOD_I32, 0                 },
    [CAIRN_IR_MIN]       = {"min",       CAIRN_C_MIN,       CAIRN_C_MIN_I32,       CAIRN_C_VECTOR_MIN},
    [CAIRN_IR_MAX]       = {"max",       CAIRN_C_MAX,       CAIRN_C_MAX_I32,       CAIRN_C_VECTOR_MAX},
};

static void print_call(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    if (x->lanes > 1) {
        cairn_c_need(c, x->type, x->lanes, call_of[x->op].use);
        cairn_text_add(out, "%s_%s(", call_of[x->op].name,
                       cairn_c_vector_name(x->type, x->lanes).text);
    } else if (x->type == CAIRN_IR_I32) {
        cairn_c_need_call(c, call_of[x->op].call_i32);
        cairn_c_scalar(c, x->type);
        cairn_text_add(out, "%s_i32(", call_of[x->op].name);
    } else {
        cairn_c_need_call(c, call_of[x->op].call);
        cairn_text_add(out, "%s%s(", call_of[x->op].name,
                       c->dialect != CAIRN_C_HOST && call_of[x->op].use ? "_of" : "");
    }
    cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ", ");
    cairn_c_expr(c, out, x->b, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

static void print_select(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const bool wide =
        cairn_c_narrow(x->b) && cairn_c_narrow(x->c) && !alike(x->b, x->c);

    cairn_c_expr(c, out, x->a, CAIRN_C_OR);
    cairn_text_add(out, " ? ");
    print_operand(c, out, x->b, CAIRN_C_CONDITIONAL + 1, wide);
    cairn_text_add(out, " : ");
    cairn_c_expr(c, out, x->c, CAIRN_C_CONDITIONAL + 1);
}

static bool is_zero(cairn_ir_x x)
{
    return (x->op == CAIRN_IR_INT && x->integer == 0)
           || (x->op == CAIRN_IR_REAL && x->real == 0 && !signbit(x->real));
}

/// A call that takes one operand: NAME_VECTOR(a).
static void
print_vector_call(cairn_c *c, cairn_text *out, cairn_ir_x x, int lanes, cairn_c_use use)
{
    cairn_c_need(c, x->type, lanes, use);
    cairn_text_add(out, "%s_%s(", use == CAIRN_C_SPLAT ? "splat" : "sum",
                   cairn_c_vector_name(x->type, lanes).text);
    cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

/// What stands in memory is compared as it is, without being widened.
static void print_follow(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const cairn_ir_x    v      = x->a;
    const bool          stored = v->op == CAIRN_IR_LOAD && !v->array->stride;
    const cairn_ir_type type   = stored ? v->array->type : v->type;

    cairn_c_need(c, type, v->lanes, CAIRN_C_FOLLOW);
    cairn_text_add(out, "follow_%s(", cairn_c_vector_name(type, v->lanes).text);
    if (stored)
        cairn_c_place(c, out, v->array, v->a, type, v->lanes);
    else
        cairn_c_expr(c, out, v, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

static bool is_stored(cairn_ir_x v)
{
    return v->op == CAIRN_IR_LOAD && !v->array->stride;
}

/// As above, where both stand in memory.
static void print_ahead(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const bool stored =
        is_stored(x->a) && is_stored(x->b) && x->a->array->type == x->b->array->type;
    const cairn_ir_type type = stored ? x->a->array->type : x->a->type;

    cairn_c_need(c, type, x->a->lanes, CAIRN_C_AHEAD);
    cairn_text_add(out, "ahead_%s(", cairn_c_vector_name(type, x->a->lanes).text);
    for (int n = 0; n < 2; n++) {
        const cairn_ir_x v = n ? x->b : x->a;

        if (stored)
            cairn_c_place(c, out, v->array, v->a, type, v->lanes);
        else
            cairn_c_expr(c, out, v, CAIRN_C_CONDITIONAL);
        cairn_text_add(out, ", ");
    }
    cairn_c_expr(c, out, x->c, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

static void print_column(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    cairn_c_need(c, x->type, x->lanes, CAIRN_C_COLUMN);
    cairn_text_add(out, "column_%s(", cairn_c_vector_name(x->type, x->lanes).text);
    cairn_c_address(c, out, x->array, x->a);
    cairn_text_add(out, ", ");
    cairn_c_expr(c, out, x->b, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ", %d)", (int)x->integer);
}

static void print_last(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    cairn_c_need(c, x->type, x->lanes, CAIRN_C_LAST);
    cairn_text_add(out, "last_%s(", cairn_c_vector_name(x->type, x->lanes).text);
    cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ", ");
    cairn_c_expr(c, out, x->b, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ")");
}

static void print_splat(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    if (is_zero(x->a))
        cairn_text_add(out, "(%s){0}", cairn_c_type(c, x->type, x->lanes).text);
    else
        print_vector_call(c, out, x, x->lanes, CAIRN_C_SPLAT);
}

/// Are they integers of 8 or 16 bits that stand side by side in memory?
static bool is_small(cairn_ir_x x)
{
    return x->op == CAIRN_IR_LOAD && !x->array->stride
           && (x->array->type == CAIRN_IR_I8 || x->array->type == CAIRN_IR_I16);
}

static void print_cast(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    const cairn_c_name type = cairn_c_type(c, x->type, x->lanes);

    if (x->lanes == 1) {
        cairn_text_add(out, "(%s)", type.text);
        cairn_c_expr(c, out, x->a, CAIRN_C_UNARY);
        return;
    }
    if (x->a->type == CAIRN_IR_F32 && x->type == CAIRN_IR_F64) {
        cairn_c_need(c, CAIRN_IR_F32, x->lanes, CAIRN_C_WIDEN);
        cairn_text_add(out, "widen_%s(",
                       cairn_c_vector_name(CAIRN_IR_F32, x->lanes).text);
        cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
        cairn_text_add(out, ")");
        return;
    }
    if (is_small(x->a) && x->type == CAIRN_IR_F64) {
        cairn_c_need(c, x->a->array->type, x->lanes, CAIRN_C_WIDEN);
        cairn_text_add(out, "widen_%s(",
                       cairn_c_vector_name(x->a->array->type, x->lanes).text);
        cairn_c_address(c, out, x->a->array, x->a->a);
        cairn_text_add(out, ")");
        return;
    }
    cairn_text_add(out, "__builtin_convertvector(");
    if (x->a->op == CAIRN_IR_LOAD && !x->a->array->stride)
        /* Straight from what stands in memory, not by way of 64 bits. */
        cairn_c_place(c, out, x->a->array, x->a->a, x->a->array->type, x->lanes);
    else
        cairn_c_expr(c, out, x->a, CAIRN_C_CONDITIONAL);
    cairn_text_add(out, ", %s)", type.text);
}

static void print_form(cairn_c *c, cairn_text *out, cairn_ir_x x)
{
    switch (x->op) {
    case CAIRN_IR_INT: print_int(out, x->integer); break;
    case CAIRN_IR_REAL: print_real(out, x->type, x->real); break;
    case CAIRN_IR_VAR:
        cairn_text_add(out, "%s", cairn_names_of(&c->names, x->var));
        break;
    case CAIRN_IR_PARAM: cairn_text_add(out, "%s", cairn_names_of(&c->names, x)); break;
    case CAIRN_IR_LOAD: cairn_c_load(c, out, x); break;
    case CAIRN_IR_GATHER: cairn_c_gather(c, out, x); break;
    case CAIRN_IR_FLOOR_DIV:
    case CAIRN_IR_FLOOR_MOD:
    case CAIRN_IR_MIN:
    case CAIRN_IR_MAX: print_call(c, out, x); break;
    case CAIRN_IR_SELECT: print_select(c, out, x); break;
    case CAIRN_IR_CAST: print_cast(c, out, x); break;
    case CAIRN_IR_SPLAT: print_splat(c, out, x); break;
    case CAIRN_IR_LANE:
        cairn_c_expr(c, out, x->a, CAIRN_C_POSTFIX);
        cairn_text_add(out, "[%lld]", (long long)x->integer);
        break;
    case CAIRN_IR_LANE_SUM:
        print_vector_call(c, out, x, x->a->lanes, CAIRN_C_LANE_SUM);
        break;
    case CAIRN_IR_LAST: print_last(c, out, x); break;
    case CAIRN_IR_FOLLOW: print_follow(c, out, x); break;
    case CAIRN_IR_AHEAD: print_ahead(c, out, x); break;
    case CAIRN_IR_COLUMN: print_column(c, out, x); break;
    default: print_binary(c, out, x);
    }
}

void cairn_c_expr(cairn_c *c, cairn_text *out, cairn_ir_x x, cairn_c_binding binding)
{
    const bool inside = cairn_c_bind(x) < binding;

    if (inside) cairn_text_add(out, "(");
    print_form(c, out, x);
    if (inside) cairn_text_add(out, ")");
}

void cairn_c_wide(cairn_c *c, cairn_text *out, cairn_ir_x x, cairn_c_binding binding)
{
    const bool narrow = cairn_c_narrow(x) || (x->type == CAIRN_IR_I32 && x->lanes == 1);

    if (narrow) cairn_text_add(out, "(%s)", cairn_c_scalar(c, CAIRN_IR_I64));
    cairn_c_expr(c, out, x, narrow ? CAIRN_C_UNARY : binding);
}
