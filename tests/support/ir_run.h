// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The loop IR interpreted, statement by statement as lower/ir.h defines it: the oracle
/// of passes (before and after) and printers (interpreted and compiled). It watches the
/// limits of arrays, so that a pass that computes too much is seen.

#ifndef CAIRN_TESTS_IR_RUN_H
#define CAIRN_TESTS_IR_RUN_H

#include "lower/abi.h"
#include "lower/ir.h"

#include <criterion/criterion.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { IR_LANES = 16, IR_VARS = 512, IR_SCRATCH = 32 };

typedef struct ir_value {
    int64_t i[IR_LANES];
    double  d[IR_LANES];
} ir_value;

/// What a function is run on, and what happened.
typedef struct ir_machine {
    const cairn_ir_function *f;
    const cairn_kernel_part *part[2];
    const void              *op;
    /// Where an array ends, and begins (NULL: all at 0), in elements; an access beyond
    /// that stops the run.
    int64_t (*length)(cairn_ir_field field);
    int64_t (*first)(cairn_ir_field field);

    const void *object[IR_VARS]; ///< Variables and allocated arrays in sight.
    ir_value    value[IR_VARS];
    void       *memory[IR_VARS]; ///< Of arrays.
    int64_t     elements[IR_VARS];
    int         count;
    bool        done; ///< The function has returned,
    int64_t     status;
    const char *error; ///< or done what it must not.
    int64_t     steps; ///< Statements so far.
} ir_machine;

static inline void ir_error(ir_machine *m, const char *why)
{
    if (!m->error) m->error = why;
    m->done = true;
}

static inline int ir_find(const ir_machine *m, const void *object)
{
    for (int n = m->count; n-- > 0;)
        if (m->object[n] == object) return n;
    return -1;
}

/// Bytes at which a field of the arguments stands.
static inline size_t ir_offset(int abi, int field)
{
    static const size_t product[] = {
#define X(type, name, what) offsetof(cairn_product_args, name),
        CAIRN_PRODUCT_MAP(X)
#undef X
    };
    static const size_t convert[] = {
#define X(type, name, what) offsetof(cairn_convert_args, name),
        CAIRN_CONVERT_MAP(X)
#undef X
    };

    return abi == CAIRN_ABI_PRODUCT ? product[field] : convert[field];
}

static inline void *ir_pointer(const ir_machine *m, cairn_ir_field field)
{
    const cairn_kernel_part *const part = m->part[field.part];

    switch (field.source) {
    case CAIRN_IR_LEVEL_PTR: return (void *)part->level[field.level].ptr;
    case CAIRN_IR_LEVEL_IDX: return (void *)part->level[field.level].idx;
    case CAIRN_IR_VAL: return part->val;
    default:
        return *(void *const *)((const char *)m->op
                                + ir_offset(m->f->abi, field.level));
    }
}

static inline ir_value ir_param(const ir_machine *m, cairn_ir_x x)
{
    const cairn_kernel_part *const part = m->part[x->field.part];
    /* An argument's field is a number of theirs, which may be beyond all levels. */
    const int l = x->field.source == CAIRN_IR_ARG ? 0 : x->field.level;
    const cairn_kernel_level *const level = &part->level[l];
    ir_value                        v     = {.i = {0}};
    const char                     *at;

    switch (x->field.source) {
    case CAIRN_IR_LEVEL_LO: v.i[0] = level->lo; break;
    case CAIRN_IR_LEVEL_SIZE: v.i[0] = level->size; break;
    case CAIRN_IR_LEVEL_NODES: v.i[0] = level->nodes; break;
    case CAIRN_IR_LEVEL_HOLE: v.i[0] = level->hole; break;
    case CAIRN_IR_VALUES: v.i[0] = part->values; break;
    case CAIRN_IR_BANK: v.i[0] = part->bank; break;
    default:
        at = (const char *)m->op + ir_offset(m->f->abi, x->field.level);
        if (cairn_ir_type_is_float(x->type))
            v.d[0] = *(const double *)at;
        else
            v.i[0] = *(const int64_t *)at;
        if (x->type == CAIRN_IR_F32) v.d[0] = (float)v.d[0];
    }
    return v;
}

/// Where element @p at is; NULL: outside.
static inline char *ir_element(ir_machine *m, const cairn_ir_array *array, int64_t at)
{
    const int     found   = ir_find(m, array);
    const bool    scratch = array->field.source == CAIRN_IR_SCRATCH;
    const int64_t bytes   = cairn_ir_type_bytes(array->type);
    const int64_t block   = array->block > 1 ? array->block : 1;

    if (scratch && found < 0) return NULL;

    char *const   base   = scratch ? m->memory[found] : ir_pointer(m, array->field);
    const int64_t length = scratch ? m->elements[found] : m->length(array->field);

    const int64_t first = !scratch && m->first ? m->first(array->field) : 0;

    if (at < first || at >= length) return NULL;
    return array->stride ? base + at / block * array->stride + at % block * bytes
                         : base + at * bytes;
}

static inline void
ir_get(ir_machine *m, const cairn_ir_array *array, int64_t at, ir_value *v, int lane)
{
    const char *const p = ir_element(m, array, at);

    if (!p) {
        ir_error(m, "a load outside its array");
        return;
    }
    switch (array->type) {
#define GET(id, type, field)                     \
case CAIRN_IR_##id: {                            \
    type x;                                      \
    memcpy(&x, p, sizeof x);                     \
    v->field[lane] = (__typeof__(v->field[0]))x; \
    break;                                       \
}
        GET(BOOL, int8_t, i)
        GET(I8, int8_t, i)
        GET(I16, int16_t, i)
        GET(I32, int32_t, i)
        GET(I64, int64_t, i)
        GET(U8, uint8_t, i)
        GET(U16, uint16_t, i)
        GET(U32, uint32_t, i)
        GET(U64, uint64_t, i)
        GET(F32, float, d)
        GET(F64, double, d)
#undef GET
    }
}

static inline void ir_put(ir_machine           *m,
                          const cairn_ir_array *array,
                          int64_t               at,
                          const ir_value       *v,
                          int                   lane)
{
    char *const p     = ir_element(m, array, at);
    const float small = (float)v->d[lane];

    if (!p)
        ir_error(m, "a store outside its array");
    else if (array->type == CAIRN_IR_F64)
        memcpy(p, &v->d[lane], 8);
    else if (array->type == CAIRN_IR_F32)
        memcpy(p, &small, 4);
    else
        memcpy(p, &v->i[lane], (size_t)cairn_ir_type_bytes(array->type));
}

static inline int64_t ir_floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

static inline int64_t ir_whole(ir_machine *m, cairn_ir_op op, int64_t x, int64_t y)
{
    const bool divides = op == CAIRN_IR_DIV || op == CAIRN_IR_MOD
                         || op == CAIRN_IR_FLOOR_DIV || op == CAIRN_IR_FLOOR_MOD;

    if (divides && y <= 0) {
        ir_error(m, "a division by nothing");
        return 0;
    }
    if ((op == CAIRN_IR_DIV || op == CAIRN_IR_MOD) && x < 0)
        ir_error(m, "a division of less than nothing");
    switch (op) {
    case CAIRN_IR_ADD: return (int64_t)((uint64_t)x + (uint64_t)y);
    case CAIRN_IR_SUB: return (int64_t)((uint64_t)x - (uint64_t)y);
    case CAIRN_IR_MUL: return (int64_t)((uint64_t)x * (uint64_t)y);
    case CAIRN_IR_DIV: return x / y;
    case CAIRN_IR_MOD: return x % y;
    case CAIRN_IR_FLOOR_DIV: return ir_floor_div(x, y);
    case CAIRN_IR_FLOOR_MOD: return x - ir_floor_div(x, y) * y;
    case CAIRN_IR_MIN: return x < y ? x : y;
    case CAIRN_IR_MAX: return x > y ? x : y;
    case CAIRN_IR_LT: return x < y;
    case CAIRN_IR_LE: return x <= y;
    case CAIRN_IR_EQ: return x == y;
    case CAIRN_IR_NE: return x != y;
    case CAIRN_IR_BITS_AND: return x & y;
    case CAIRN_IR_BITS_OR: return x | y;
    case CAIRN_IR_SHIFT_LEFT: return (int64_t)((uint64_t)x << y);
    case CAIRN_IR_SHIFT_RIGHT: return x >> y;
    default: ir_error(m, "an unknown operation"); return 0;
    }
}

static inline void ir_real(cairn_ir_x x, double p, double q, ir_value *v, int lane)
{
    switch (x->op) {
    case CAIRN_IR_ADD: v->d[lane] = p + q; break;
    case CAIRN_IR_SUB: v->d[lane] = p - q; break;
    case CAIRN_IR_MUL: v->d[lane] = p * q; break;
    case CAIRN_IR_DIV: v->d[lane] = p / q; break;
    case CAIRN_IR_LT: v->i[lane] = p < q; break;
    case CAIRN_IR_LE: v->i[lane] = p <= q; break;
    case CAIRN_IR_EQ: v->i[lane] = p == q; break;
    default: v->i[lane] = p != q;
    }
    /* Of two floats the double result, rounded, is the float result. */
    if (x->a->type == CAIRN_IR_F32) v->d[lane] = (float)v->d[lane];
}

static inline ir_value ir_eval(ir_machine *m, cairn_ir_x x);

static inline int64_t ir_narrowed(cairn_ir_type type, int64_t i)
{
    switch (type) {
    case CAIRN_IR_BOOL: return i != 0;
    case CAIRN_IR_I8: return (int8_t)i;
    case CAIRN_IR_I16: return (int16_t)i;
    case CAIRN_IR_I32: return (int32_t)i;
    case CAIRN_IR_U8: return (uint8_t)i;
    case CAIRN_IR_U16: return (uint16_t)i;
    case CAIRN_IR_U32: return (uint32_t)i;
    default: return i;
    }
}

static inline ir_value ir_cast(cairn_ir_x x, const ir_value *a)
{
    const bool to = cairn_ir_type_is_float(x->type);
    const bool of = cairn_ir_type_is_float(x->a->type);
    ir_value   v  = *a;

    for (int n = 0; n < x->lanes; n++) {
        if (to && !of)
            v.d[n] = x->type == CAIRN_IR_F32 ? (float)a->i[n] : (double)a->i[n];
        if (to && of && x->type == CAIRN_IR_F32) v.d[n] = (float)a->d[n];
        if (!to && of) v.i[n] = (int64_t)a->d[n];
        if (!to) v.i[n] = ir_narrowed(x->type, v.i[n]);
    }
    return v;
}

/// Halves are added until one lane is left.
static inline ir_value ir_lane_sum(cairn_ir_x x, ir_value v)
{
    for (int half = x->a->lanes / 2; half >= 1; half /= 2)
        for (int n = 0; n < half; n++) {
            if (!cairn_ir_type_is_float(x->type)) {
                v.i[n] = (int64_t)((uint64_t)v.i[n] + (uint64_t)v.i[n + half]);
                continue;
            }
            v.d[n] += v.d[n + half];
            if (x->type == CAIRN_IR_F32) v.d[n] = (float)v.d[n];
        }
    return v;
}

static inline ir_value ir_binary(ir_machine *m, cairn_ir_x x)
{
    const ir_value p = ir_eval(m, x->a);
    ir_value       v = p;

    if (x->op == CAIRN_IR_AND && !p.i[0]) return p;
    if (x->op == CAIRN_IR_OR && p.i[0]) return p;

    const ir_value q = ir_eval(m, x->b);

    if (x->op == CAIRN_IR_AND || x->op == CAIRN_IR_OR) return q;
    for (int n = 0; n < x->a->lanes && !m->done; n++)
        if (cairn_ir_type_is_float(x->a->type))
            ir_real(x, p.d[n], q.d[n], &v, n);
        else
            v.i[n] = ir_whole(m, x->op, p.i[n], q.i[n]);
    return v;
}

static inline ir_value ir_eval(ir_machine *m, cairn_ir_x x)
{
    ir_value v, a; /* all lanes that are read will have been written */

    cr_assert_leq(x->lanes, IR_LANES);
    a.i[0] = v.i[0] = 0;
    a.d[0] = v.d[0] = 0;
    if (m->done) return v;
    if (x->a && x->op != CAIRN_IR_SELECT && cairn_ir_operands(x->op) == 1)
        a = ir_eval(m, x->a);
    if (m->done) return v;
    switch (x->op) {
    case CAIRN_IR_INT: v.i[0] = x->integer; return v;
    case CAIRN_IR_REAL: v.d[0] = x->real; return v;
    case CAIRN_IR_PARAM: return ir_param(m, x);
    case CAIRN_IR_VAR: {
        const int found = ir_find(m, x->var);

        if (found < 0) ir_error(m, "a variable out of sight");
        return found < 0 ? v : m->value[found];
    }
    case CAIRN_IR_LOAD:
        for (int n = 0; n < x->lanes; n++)
            ir_get(m, x->array, a.i[0] + n, &v, n);
        return v;
    case CAIRN_IR_GATHER:
        for (int n = 0; n < x->lanes; n++)
            ir_get(m, x->array, a.i[n], &v, n);
        return v;
    case CAIRN_IR_SELECT: return ir_eval(m, ir_eval(m, x->a).i[0] ? x->b : x->c);
    case CAIRN_IR_CAST: return ir_cast(x, &a);
    case CAIRN_IR_SPLAT:
        for (int n = 0; n < x->lanes; n++) {
            v.i[n] = a.i[0];
            v.d[n] = a.d[0];
        }
        return v;
    case CAIRN_IR_LANE:
        v.i[0] = a.i[x->integer];
        v.d[0] = a.d[x->integer];
        return v;
    case CAIRN_IR_LANE_SUM: return ir_lane_sum(x, a);
    default: return ir_binary(m, x);
    }
}

static inline int ir_bring(ir_machine *m, const void *object)
{
    cr_assert_lt(m->count, IR_VARS);
    m->object[m->count] = object;
    m->memory[m->count] = NULL;
    return m->count++;
}

static inline void ir_block(ir_machine *m, const cairn_ir_stmt *block);

static inline void ir_for(ir_machine *m, const cairn_ir_stmt *s)
{
    const int64_t lo = ir_eval(m, s->a).i[0], hi = ir_eval(m, s->b).i[0];
    const int     at = ir_bring(m, s->var);

    for (int64_t i = lo; i < hi && !m->done; i += s->step) {
        m->value[at].i[0] = i;
        ir_block(m, s->body);
    }
    m->count = at;
}

static inline void ir_alloc(ir_machine *m, const cairn_ir_stmt *s)
{
    const int64_t count = ir_eval(m, s->a).i[0];
    const int     bytes = cairn_ir_type_bytes(s->array->type);

    if (m->done) return;
    if (count < 0) {
        ir_error(m, "an allocation of less than nothing");
        return;
    }

    const int at = ir_bring(m, s->array);

    m->memory[at]   = calloc((size_t)count + 1, (size_t)bytes);
    m->elements[at] = count;
    if (!s->zero) memset(m->memory[at], 0x5a, (size_t)(count * bytes));
}

static inline void ir_step(ir_machine *m, const cairn_ir_stmt *s)
{
    ir_value v = {.i = {0}};
    int      at;

    if (m->steps++ > 2000000) ir_error(m, "too many steps");
    switch (s->kind) {
    case CAIRN_IR_DECLARE:
        if (s->a) v = ir_eval(m, s->a);
        m->value[ir_bring(m, s->var)] = v;
        break;
    case CAIRN_IR_ASSIGN:
        v  = ir_eval(m, s->a);
        at = ir_find(m, s->var);
        if (at < 0)
            ir_error(m, "a variable out of sight");
        else
            m->value[at] = v;
        break;
    case CAIRN_IR_STORE: {
        const int64_t first = ir_eval(m, s->a).i[0];

        v = ir_eval(m, s->b);
        for (int n = 0; n < s->b->lanes && !m->done; n++)
            ir_put(m, s->array, first + n, &v, n);
        break;
    }
    case CAIRN_IR_FOR: ir_for(m, s); break;
    case CAIRN_IR_WHILE:
        while (!m->done && ir_eval(m, s->a).i[0])
            ir_block(m, s->body);
        break;
    case CAIRN_IR_IF: ir_block(m, ir_eval(m, s->a).i[0] ? s->body : s->other); break;
    case CAIRN_IR_PREFETCH: ir_eval(m, s->a); break;
    case CAIRN_IR_NOTE: break;
    case CAIRN_IR_ALLOC: ir_alloc(m, s); break;
    case CAIRN_IR_FREE:
        at = ir_find(m, s->array);
        if (at < 0 || !m->memory[at]) {
            ir_error(m, "a block that is not allocated is freed");
            break;
        }
        free(m->memory[at]);
        m->memory[at]   = NULL;
        m->elements[at] = 0;
        break;
    case CAIRN_IR_RETURN:
        v         = ir_eval(m, s->a);
        m->status = v.i[0];
        m->done   = true;
        break;
    }
}

static inline void ir_block(ir_machine *m, const cairn_ir_stmt *block)
{
    const int count = m->count;

    for (const cairn_ir_stmt *s = block; s && !m->done; s = s->next)
        ir_step(m, s);
    for (int n = count; n < m->count; n++)
        free(m->memory[n]);
    m->count = count;
}

/// Run a function. @return its status; m->error says what went wrong.
static inline int64_t ir_run(ir_machine *m)
{
    m->count  = 0;
    m->steps  = 0;
    m->status = 0;
    m->error  = NULL;
    m->done   = false;
    ir_block(m, m->f->body);
    return m->status;
}

#endif
