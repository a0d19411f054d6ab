// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What expressions are in the interpreter.

#include "base/halves.h"
#include "ir/ir_code.h"

#include <string.h>

void cairn_ir_machine_fail(cairn_ir_machine *m, const char *why, const char *what)
{
    if (m->why) return;
    m->why  = why;
    m->what = what;
    m->done = true;
    for (int n = 0; n < m->code->arrays; n++)
        m->span[n].end = m->span[n].first;
}

/* ---- elements ---- */

/// Where element @p at is; NULL: outside.
static char *
element(const cairn_ir_machine *m, const cairn_ir_code_array *array, int64_t at)
{
    const cairn_ir_span *const span = &m->span[array->number];

    if (at < span->first || at >= span->end) return NULL;
    if (array->block == 1) return span->base + at * array->stride;
    return span->base + at / array->block * array->stride
           + at % array->block * array->bytes;
}

/// Say who touches an element.
static void
touch(cairn_ir_machine *m, const cairn_ir_code_array *array, int64_t at, int how)
{
    m->now.array = array->name;
    m->now.own   = array->length > 0;
    m->now.at    = at;
    m->now.how   = how;

    const char *const why = m->watch->touch(m->watch->user, &m->now);

    if (why) cairn_ir_machine_fail(m, why, array->name);
}

cairn_ir_cell
cairn_ir_get(cairn_ir_machine *m, const cairn_ir_code_array *array, int64_t at)
{
    if (m->watch && m->watch->touch) touch(m, array, at, CAIRN_IR_READS);

    const char *const p = element(m, array, at);
    cairn_ir_cell     v = {0};

    if (!p) {
        cairn_ir_machine_fail(m, "a load outside its array", array->name);
        return v;
    }
    switch (array->type) {
#define GET(id, type, field)              \
    case CAIRN_IR_##id: {                 \
        type x;                           \
        memcpy(&x, p, sizeof x);          \
        v.field = (__typeof__(v.field))x; \
        break;                            \
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
        GET(F16, uint16_t, i)
        GET(BF16, uint16_t, i)
        GET(F32, float, d)
        GET(F64, double, d)
#undef GET
    }
    if (array->type == CAIRN_IR_F16) v.d = cairn_f16_widened((uint16_t)v.i);
    if (array->type == CAIRN_IR_BF16) v.d = cairn_bf16_widened((uint16_t)v.i);
    return v;
}

void cairn_ir_put(cairn_ir_machine          *m,
                  const cairn_ir_code_array *array,
                  int64_t                    at,
                  cairn_ir_cell              value)
{
    if (m->watch && m->watch->touch) touch(m, array, at, CAIRN_IR_CHANGES);

    char *const p = element(m, array, at);

    if (!p) {
        cairn_ir_machine_fail(m, "a store outside its array", array->name);
        return;
    }
    switch (array->type) {
#define PUT(id, type, field)                \
    case CAIRN_IR_##id: {                   \
        const type x = (type)(value.field); \
        memcpy(p, &x, sizeof x);            \
        break;                              \
    }
        PUT(BOOL, int8_t, i)
        PUT(I8, int8_t, i)
        PUT(I16, int16_t, i)
        PUT(I32, int32_t, i)
        PUT(I64, int64_t, i)
        PUT(U8, uint8_t, i)
        PUT(U16, uint16_t, i)
        PUT(U32, uint32_t, i)
        PUT(U64, uint64_t, i)
        PUT(F32, float, d)
        PUT(F64, double, d)
#undef PUT
    case CAIRN_IR_F16:
    case CAIRN_IR_BF16:
        cairn_ir_machine_fail(m, "a store of a type that is only loaded", array->name);
    }
}

void cairn_ir_increase(cairn_ir_machine          *m,
                       const cairn_ir_code_array *array,
                       int64_t                    at,
                       int64_t                    by)
{
    char *const p = element(m, array, at);
    uint32_t    sum;

    if (!p) {
        cairn_ir_machine_fail(m, "an addition outside its array", array->name);
        return;
    }
    if (m->watch && m->watch->touch) touch(m, array, at, CAIRN_IR_ADDS);
    memcpy(&sum, p, sizeof sum);
    sum += (uint32_t)by;
    memcpy(p, &sum, sizeof sum);
}

/* ---- arithmetic ---- */

static int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y < 0);
}

static int64_t divide(cairn_ir_machine *m, cairn_ir_op op, int64_t x, int64_t y)
{
    const bool natural = op == CAIRN_IR_DIV || op == CAIRN_IR_MOD;

    if (y <= 0 || (m->watch && natural && x < 0)) {
        cairn_ir_machine_fail(
            m, y <= 0 ? "a division by nothing" : "a division of less than nothing",
            NULL);
        return 0;
    }
    switch (op) {
    case CAIRN_IR_DIV: return x / y;
    case CAIRN_IR_MOD: return x % y;
    case CAIRN_IR_FLOOR_DIV: return floor_div(x, y);
    default: return x - floor_div(x, y) * y;
    }
}

static int64_t combine(cairn_ir_machine *m, cairn_ir_op op, int64_t x, int64_t y)
{
    switch (op) {
    case CAIRN_IR_ADD: return (int64_t)((uint64_t)x + (uint64_t)y);
    case CAIRN_IR_SUB: return (int64_t)((uint64_t)x - (uint64_t)y);
    case CAIRN_IR_MUL: return (int64_t)((uint64_t)x * (uint64_t)y);
    case CAIRN_IR_DIV:
    case CAIRN_IR_MOD:
    case CAIRN_IR_FLOOR_DIV:
    case CAIRN_IR_FLOOR_MOD: return divide(m, op, x, y);
    case CAIRN_IR_MIN: return x < y ? x : y;
    case CAIRN_IR_MAX: return x > y ? x : y;
    case CAIRN_IR_LT: return x < y;
    case CAIRN_IR_LE: return x <= y;
    case CAIRN_IR_EQ: return x == y;
    case CAIRN_IR_NE: return x != y;
    case CAIRN_IR_BITS_AND: return x & y;
    case CAIRN_IR_BITS_OR: return x | y;
    case CAIRN_IR_SHIFT_LEFT: return (int64_t)((uint64_t)x << (y & 63));
    case CAIRN_IR_SHIFT_RIGHT: return x >> (y & 63);
    default: cairn_ir_machine_fail(m, "an unknown operation", NULL); return 0;
    }
}

/// Of two floats the double result, rounded, is the float result.
static double rounded(cairn_ir_type type, double x)
{
    return type == CAIRN_IR_F32 ? (float)x : x;
}

static cairn_ir_cell
combine_reals(cairn_ir_machine *m, const cairn_ir_node *x, double p, double q)
{
    cairn_ir_cell v = {0};

    switch (x->op) {
    case CAIRN_IR_ADD: v.d = rounded(x->type, p + q); break;
    case CAIRN_IR_SUB: v.d = rounded(x->type, p - q); break;
    case CAIRN_IR_MUL: v.d = rounded(x->type, p * q); break;
    case CAIRN_IR_DIV: v.d = rounded(x->type, p / q); break;
    case CAIRN_IR_LT: v.i = p < q; break;
    case CAIRN_IR_LE: v.i = p <= q; break;
    case CAIRN_IR_EQ: v.i = p == q; break;
    case CAIRN_IR_NE: v.i = p != q; break;
    default: cairn_ir_machine_fail(m, "an unknown operation", NULL);
    }
    return v;
}

/// Who computes in 32 bits has vouched that they are enough.
static cairn_ir_cell
fitting(cairn_ir_machine *m, const cairn_ir_node *x, cairn_ir_cell v)
{
    if (x->type == CAIRN_IR_I32 && m->watch && v.i != (int32_t)v.i)
        cairn_ir_machine_fail(m, "more than 32 bits hold",
                              x->array ? x->array->name : NULL);
    return v;
}

static cairn_ir_cell combine_cells(cairn_ir_machine    *m,
                                   const cairn_ir_node *x,
                                   cairn_ir_cell        p,
                                   cairn_ir_cell        q)
{
    if (x->of_real) return combine_reals(m, x, p.d, q.d);
    return fitting(m, x, (cairn_ir_cell){.i = combine(m, x->op, p.i, q.i)});
}

static int64_t narrowed(cairn_ir_type type, int64_t i)
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

static cairn_ir_cell cast(const cairn_ir_node *x, cairn_ir_cell a)
{
    cairn_ir_cell v;

    if (x->type == CAIRN_IR_F32)
        v.d = x->of_real ? (float)a.d : (float)a.i;
    else if (x->type == CAIRN_IR_F64)
        v.d = x->of_real ? a.d : (double)a.i;
    else if (x->of_real)
        v.i = x->type == CAIRN_IR_BOOL ? a.d != 0 : narrowed(x->type, (int64_t)a.d);
    else
        v.i = narrowed(x->type, a.i);
    return v;
}

/* ---- expressions ---- */

/// Halves are added until one lane is left.
static cairn_ir_cell lane_sum(cairn_ir_machine *m, const cairn_ir_node *x)
{
    const cairn_ir_cell *const lane = cairn_ir_lanes(m, x->a);
    cairn_ir_cell *const       sum  = m->cell + x->cell;

    memcpy(sum, lane, (size_t)x->a->lanes * sizeof *sum);
    for (int half = x->a->lanes / 2; half >= 1; half /= 2)
        for (int n = 0; n < half; n++)
            if (x->of_real)
                sum[n].d = rounded(x->type, sum[n].d + sum[n + half].d);
            else
                sum[n].i = combine(m, CAIRN_IR_ADD, sum[n].i, sum[n + half].i);
    return sum[0];
}

static cairn_ir_cell lanes_follow(cairn_ir_machine *m, const cairn_ir_node *x)
{
    const cairn_ir_cell *const lane    = cairn_ir_lanes(m, x->a);
    bool                       follows = true;

    for (int n = 1; n < x->a->lanes; n++)
        follows = follows && lane[n].i == lane[0].i + n;
    return (cairn_ir_cell){.i = follows};
}

/// Most operands are at hand.
static inline cairn_ir_cell value_of(cairn_ir_machine *m, const cairn_ir_node *x)
{
    return x->op == CAIRN_IR_VAR ? m->cell[x->cell] : cairn_ir_value(m, x);
}

static cairn_ir_cell lanes_ahead(cairn_ir_machine *m, const cairn_ir_node *x)
{
    const cairn_ir_cell *const p   = cairn_ir_lanes(m, x->a);
    const cairn_ir_cell *const q   = cairn_ir_lanes(m, x->b);
    const int64_t              by  = value_of(m, x->c).i;
    bool                       all = true;

    for (int n = 0; n < x->a->lanes; n++)
        all = all && p[n].i - q[n].i == by;
    return (cairn_ir_cell){.i = all};
}

cairn_ir_cell cairn_ir_value(cairn_ir_machine *m, const cairn_ir_node *x)
{
    switch (x->op) {
    case CAIRN_IR_VAR: return m->cell[x->cell];
    case CAIRN_IR_LOAD:
    case CAIRN_IR_GATHER:
        return fitting(m, x, cairn_ir_get(m, x->array, value_of(m, x->a).i));
    case CAIRN_IR_AND: {
        const cairn_ir_cell p = value_of(m, x->a);

        return p.i ? value_of(m, x->b) : p;
    }
    case CAIRN_IR_OR: {
        const cairn_ir_cell p = value_of(m, x->a);

        return p.i ? p : value_of(m, x->b);
    }
    case CAIRN_IR_SELECT: return value_of(m, value_of(m, x->a).i ? x->b : x->c);
    case CAIRN_IR_CAST: {
        const cairn_ir_cell a = value_of(m, x->a);

        return cast(x, x->of_real ? a : fitting(m, x, a));
    }
    case CAIRN_IR_LANE: return cairn_ir_lanes(m, x->a)[x->lane];
    case CAIRN_IR_LANE_SUM: return lane_sum(m, x);
    case CAIRN_IR_FOLLOW: return lanes_follow(m, x);
    case CAIRN_IR_AHEAD: return lanes_ahead(m, x);
    default: {
        const cairn_ir_cell p = value_of(m, x->a);

        return combine_cells(m, x, p, value_of(m, x->b));
    }
    }
}

/// Devices have arrays begin where vectors are aligned, so that the index decides. Where
/// an array has no limits it is not known where it begins.
static void check_aligned(cairn_ir_machine *m, const cairn_ir_node *x, int64_t at)
{
    const cairn_ir_span *const span = &m->span[x->array->number];

    if (!x->aligned || span->first == INT64_MIN) return;
    if ((at - span->first) * x->array->bytes % 16 != 0)
        cairn_ir_machine_fail(m, "a load that is not aligned", x->array->name);
}

/// All four elements of a row are looked at, as compiled code loads them.
static void load_column(cairn_ir_machine *m, const cairn_ir_node *x, cairn_ir_cell *v)
{
    const int64_t at = value_of(m, x->a).i, step = value_of(m, x->b).i;

    for (int n = 0; n < x->lanes; n++)
        for (int k = 0; k < 4; k++) {
            const cairn_ir_cell one = cairn_ir_get(m, x->array, at + n * step + k);

            if (k == x->lane) v[n] = one;
        }
}

const cairn_ir_cell *cairn_ir_lanes(cairn_ir_machine *m, const cairn_ir_node *x)
{
    cairn_ir_cell *const v = m->cell + x->cell;
    const cairn_ir_cell *p, *q;
    int64_t              at;

    switch (x->op) {
    case CAIRN_IR_VAR: break;
    case CAIRN_IR_LOAD:
        at = value_of(m, x->a).i;
        check_aligned(m, x, at);
        for (int n = 0; n < x->lanes; n++)
            v[n] = cairn_ir_get(m, x->array, at + n);
        break;
    case CAIRN_IR_SELECT:
        p = cairn_ir_lanes(m, value_of(m, x->a).i ? x->b : x->c);
        memmove(v, p, (size_t)x->lanes * sizeof *v);
        break;
    case CAIRN_IR_GATHER:
        p = cairn_ir_lanes(m, x->a);
        for (int n = 0; n < x->lanes; n++)
            v[n] = cairn_ir_get(m, x->array, p[n].i);
        break;
    case CAIRN_IR_COLUMN: load_column(m, x, v); break;
    case CAIRN_IR_SPLAT:
        v[0] = value_of(m, x->a);
        for (int n = 1; n < x->lanes; n++)
            v[n] = v[0];
        break;
    case CAIRN_IR_CAST:
        p = cairn_ir_lanes(m, x->a);
        for (int n = 0; n < x->lanes; n++)
            v[n] = cast(x, p[n]);
        break;
    case CAIRN_IR_LAST:
        p  = cairn_ir_lanes(m, x->a);
        at = value_of(m, x->b).i;
        if (at < 0 || at > x->lanes)
            cairn_ir_machine_fail(m, "more or less lanes than there are", NULL);
        for (int n = 0; n < x->lanes; n++)
            v[n] = n + at >= x->lanes ? p[n] : (cairn_ir_cell){0};
        break;
    default:
        p = cairn_ir_lanes(m, x->a);
        q = cairn_ir_lanes(m, x->b);
        for (int n = 0; n < x->lanes; n++)
            v[n] = combine_cells(m, x, p[n], q[n]);
    }
    return v;
}
