// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random functions of the loop IR, for the product's arguments: loops, conditions,
/// variables, arrays of all widths, vectors. Every access lies inside its array, some
/// because the index is taken modulo the length, some because a condition guards them.

#ifndef CAIRN_TESTS_IR_RANDOM_H
#define CAIRN_TESTS_IR_RANDOM_H

#include "support/ir_watch.h"

enum { IR_LENGTH = 48 }; ///< Elements of every array.

/// The memory that random functions work on.
typedef struct ir_memory {
    cairn_kernel_part  part;
    cairn_product_args op;
    uint32_t           ptr[IR_LENGTH];
    int32_t            idx[IR_LENGTH];
    uint8_t            tiny[IR_LENGTH];
    int16_t            tuple[2 * IR_LENGTH]; ///< Every second one belongs to an array.
    double             val[IR_LENGTH], y[IR_LENGTH];
    float              x[IR_LENGTH];
    int64_t            share[IR_LENGTH];
    uint16_t           work[IR_LENGTH];
} ir_memory;

typedef struct ir_random {
    uint64_t            state;
    cairn_ir           *b;
    cairn_ir_array     *ptr, *idx, *tiny, *tuple, *val, *x, *y, *share, *work;
    const cairn_ir_var *ints[64], *reals[64];
    cairn_ir_var       *counters[64], *sums[64], *vectors[64];
    int                 int_count, real_count, counter_count, sum_count, vector_count;
    int                 depth, left; ///< Statements that may still be made.
} ir_random;

static inline int ir_roll(ir_random *r, int sides)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (int)((r->state * UINT64_C(2685821657736338717) >> 33) % (unsigned)sides);
}

static inline cairn_ir_field ir_field(cairn_ir_source source, int level)
{
    return (cairn_ir_field){.source = source, .level = level};
}

static inline int64_t ir_random_length(void *user, cairn_ir_field field)
{
    (void)user;
    (void)field;
    return IR_LENGTH;
}

/// Numbers that depend on @p seed alone.
static inline void ir_fill(ir_memory *m, uint64_t seed)
{
    ir_random r = {.state = seed * 77 + 5};

    *m = (ir_memory){
        .part = {.order = 2, .levels = 3}
    };
    for (int n = 0; n < IR_LENGTH; n++) {
        m->ptr[n]       = n == 3 ? UINT32_MAX - 4 : (uint32_t)ir_roll(&r, IR_LENGTH);
        m->idx[n]       = ir_roll(&r, 100) - 50;
        m->tiny[n]      = (uint8_t)ir_roll(&r, 256);
        m->tuple[2 * n] = (int16_t)(ir_roll(&r, 1000) - 500);
        m->tuple[2 * n + 1] = -1;
        m->val[n]           = (ir_roll(&r, 4001) - 2000) / 7.0;
        m->x[n]             = (float)(ir_roll(&r, 4001) - 2000) / 9.0f;
        m->y[n]             = ir_roll(&r, 100) / 3.0;
        m->share[n]         = ir_roll(&r, 1000) - 500;
    }
    m->part.level[0] = (cairn_kernel_level){.lo = -3, .size = 7, .ptr = m->ptr};
    m->part.level[1] = (cairn_kernel_level){.lo = 2, .size = 0, .idx = m->idx};
    m->part.level[2] = (cairn_kernel_level){
        .lo = 0, .size = 11, .nodes = 4, .idx = m->tuple, .ptr = m->tiny, .hole = -1};
    m->part.val = m->val;
    m->op       = (cairn_product_args){.x       = m->x,
                                       .y       = m->y,
                                       .partial = m->work,
                                       .columns = 1,
                                       .row_end = 9,
                                       .alpha   = 0.3,
                                       .share   = m->share,
                                       .shares  = 3};
}

static inline cairn_ir_x ir_any_int(ir_random *r, int depth);

/// An index inside every array, with room for @p lanes.
static inline cairn_ir_x ir_any_index(ir_random *r, int depth, int lanes)
{
    return cairn_ir_binary(r->b, CAIRN_IR_FLOOR_MOD, ir_any_int(r, depth),
                           cairn_ir_int(r->b, IR_LENGTH - lanes + 1));
}

static inline const cairn_ir_array *ir_any_array(ir_random *r)
{
    const cairn_ir_array *const arrays[] = {r->ptr, r->idx, r->tiny, r->tuple,
                                            r->share};

    return arrays[ir_roll(r, 5)];
}

static inline cairn_ir_x ir_any_leaf(ir_random *r)
{
    cairn_ir *const b = r->b;

    switch (ir_roll(r, 6)) {
    case 0: return cairn_ir_int(b, ir_roll(r, 21) - 10);
    case 1:
        return cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_SIZE, ir_roll(r, 3)),
                              CAIRN_IR_I64, "size");
    case 2:
        if (r->counter_count)
            return cairn_ir_use(b, r->counters[ir_roll(r, r->counter_count)]);
        return cairn_ir_param(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_row_end),
                              CAIRN_IR_I64, "rows");
    default:
        if (r->int_count) return cairn_ir_use(b, r->ints[ir_roll(r, r->int_count)]);
        return cairn_ir_int(b, ir_roll(r, 7));
    }
}

static inline cairn_ir_x ir_any_condition(ir_random *r, int depth)
{
    static const cairn_ir_op ops[] = {CAIRN_IR_LT, CAIRN_IR_LE, CAIRN_IR_EQ,
                                      CAIRN_IR_NE};
    const cairn_ir_op        join  = ir_roll(r, 4) ? CAIRN_IR_AND : CAIRN_IR_OR;

    if (depth > 0 && ir_roll(r, 3) == 0)
        return cairn_ir_binary(r->b, join, ir_any_condition(r, depth - 1),
                               ir_any_condition(r, depth - 1));
    if (ir_roll(r, 8) == 0) {
        const cairn_ir_array *const array = ir_any_array(r);

        return cairn_ir_ahead(
            r->b, cairn_ir_load_lanes(r->b, array, ir_any_index(r, depth - 1, 2), 2),
            cairn_ir_load_lanes(r->b, array, ir_any_index(r, depth - 1, 2), 2),
            cairn_ir_int(r->b, ir_roll(r, 3)));
    }
    if (ir_roll(r, 8) == 0)
        return cairn_ir_follow(r->b,
                               cairn_ir_load_lanes(r->b, ir_any_array(r),
                                                   ir_any_index(r, depth - 1, 2), 2));
    return cairn_ir_binary(r->b, ops[ir_roll(r, 4)], ir_any_int(r, depth - 1),
                           ir_any_int(r, depth - 1));
}

/// Small numbers, so that products of products stay in range.
static inline cairn_ir_x ir_tamed(ir_random *r, cairn_ir_x x)
{
    return cairn_ir_binary(r->b, CAIRN_IR_FLOOR_MOD, x, cairn_ir_int(r->b, 1000));
}

static inline cairn_ir_x ir_any_int(ir_random *r, int depth)
{
    cairn_ir *const  b = r->b;
    const cairn_ir_x k = cairn_ir_int(b, 1 + ir_roll(r, 9));

    if (depth <= 0) return ir_any_leaf(r);
    switch (ir_roll(r, 16)) {
    case 0:
    case 1:
    case 2: return cairn_ir_add(b, ir_any_int(r, depth - 1), ir_any_int(r, depth - 1));
    case 3:
    case 4: return cairn_ir_sub(b, ir_any_int(r, depth - 1), ir_any_int(r, depth - 1));
    case 5: return cairn_ir_mul(b, ir_tamed(r, ir_any_int(r, depth - 1)), k);
    case 6: return cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV, ir_any_int(r, depth - 1), k);
    case 7:
        return cairn_ir_binary(b, ir_roll(r, 2) ? CAIRN_IR_DIV : CAIRN_IR_MOD,
                               ir_tamed(r, ir_any_int(r, depth - 1)), k);
    case 8: return cairn_ir_min(b, ir_any_int(r, depth - 1), ir_any_int(r, depth - 1));
    case 9: return cairn_ir_max(b, ir_any_int(r, depth - 1), ir_any_int(r, depth - 1));
    case 10:
        return cairn_ir_select(b, ir_any_condition(r, 1), ir_any_int(r, depth - 1),
                               ir_any_int(r, depth - 1));
    case 11:
        return cairn_ir_binary(b, ir_roll(r, 2) ? CAIRN_IR_BITS_AND : CAIRN_IR_BITS_OR,
                               ir_any_int(r, depth - 1), ir_any_int(r, depth - 1));
    case 12:
        return cairn_ir_binary(
            b, ir_roll(r, 2) ? CAIRN_IR_SHIFT_LEFT : CAIRN_IR_SHIFT_RIGHT,
            ir_tamed(r, ir_any_int(r, depth - 1)), cairn_ir_int(b, ir_roll(r, 6)));
    default: return cairn_ir_load(b, ir_any_array(r), ir_any_index(r, depth - 1, 1));
    }
}

static inline cairn_ir_x ir_any_vector(ir_random *r, int depth);

static inline cairn_ir_x ir_any_real(ir_random *r, int depth)
{
    static const cairn_ir_op ops[] = {CAIRN_IR_ADD, CAIRN_IR_SUB, CAIRN_IR_MUL};
    cairn_ir *const          b     = r->b;

    switch (depth > 0 ? ir_roll(r, 11) : 8) {
    case 0:
    case 1:
    case 2:
        return cairn_ir_binary(b, ops[ir_roll(r, 3)], ir_any_real(r, depth - 1),
                               ir_any_real(r, depth - 1));
    case 3: return cairn_ir_load(b, r->val, ir_any_index(r, depth - 1, 1));
    case 4:
        return cairn_ir_cast(b, CAIRN_IR_F64,
                             cairn_ir_load(b, r->x, ir_any_index(r, depth - 1, 1)));
    case 5:
        return cairn_ir_cast(b, CAIRN_IR_F64, ir_tamed(r, ir_any_int(r, depth - 1)));
    case 6: return cairn_ir_lane_sum(b, ir_any_vector(r, depth - 1));
    case 7: return cairn_ir_lane(b, ir_any_vector(r, depth - 1), ir_roll(r, 8));
    case 10:
        return cairn_ir_lane(b,
                             cairn_ir_column(b, r->val, ir_any_index(r, depth - 1, 10),
                                             cairn_ir_int(b, ir_roll(r, 3)), 4,
                                             ir_roll(r, 4)),
                             ir_roll(r, 4));
    case 9:
        return cairn_ir_lane(b,
                             cairn_ir_last(b, ir_any_vector(r, depth - 1),
                                           cairn_ir_binary(b, CAIRN_IR_BITS_AND,
                                                           ir_any_int(r, depth - 1),
                                                           cairn_ir_int(b, 7))),
                             ir_roll(r, 8));
    default:
        if (r->real_count && ir_roll(r, 3))
            return cairn_ir_use(b, r->reals[ir_roll(r, r->real_count)]);
        if (r->sum_count && ir_roll(r, 3))
            return cairn_ir_use(b, r->sums[ir_roll(r, r->sum_count)]);
        if (ir_roll(r, 2))
            return cairn_ir_param(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_alpha),
                                  CAIRN_IR_F64, "alpha");
        return cairn_ir_real(b, CAIRN_IR_F64, (ir_roll(r, 41) - 20) / 10.0);
    }
}

/// Eight indices.
static inline cairn_ir_x ir_any_places(ir_random *r, int depth)
{
    cairn_ir *const  b = r->b;
    const cairn_ir_x x = cairn_ir_load_lanes(b, ir_roll(r, 2) ? r->tiny : r->ptr,
                                             ir_any_index(r, depth - 1, 8), 8);
    const cairn_ir_x small =
        cairn_ir_binary(b, CAIRN_IR_BITS_AND, x, cairn_ir_int(b, 31));

    return ir_roll(r, 2) ? small : cairn_ir_cast(b, CAIRN_IR_I32, small);
}

static inline cairn_ir_x ir_any_vector(ir_random *r, int depth)
{
    static const cairn_ir_op ops[] = {CAIRN_IR_ADD, CAIRN_IR_SUB, CAIRN_IR_MUL};
    cairn_ir *const          b     = r->b;

    switch (depth > 0 ? ir_roll(r, 7) : 7) {
    case 0:
    case 1:
        return cairn_ir_binary(b, ops[ir_roll(r, 3)], ir_any_vector(r, depth - 1),
                               ir_roll(r, 3) ? ir_any_vector(r, depth - 1)
                                             : ir_any_real(r, depth - 1));
    case 2: return cairn_ir_load_lanes(b, r->val, ir_any_index(r, depth - 1, 8), 8);
    case 3:
        return cairn_ir_cast(
            b, CAIRN_IR_F64,
            cairn_ir_load_lanes(b, r->x, ir_any_index(r, depth, 8), 8));
    case 4:
        return cairn_ir_cast(
            b, CAIRN_IR_F64,
            cairn_ir_load_lanes(b, ir_any_array(r), ir_any_index(r, depth - 1, 8), 8));
    case 5: return cairn_ir_gather(b, r->val, ir_any_places(r, depth));
    case 6:
        return cairn_ir_cast(b, CAIRN_IR_F64,
                             cairn_ir_gather(b, r->x, ir_any_places(r, depth)));
    default:
        if (r->vector_count && ir_roll(r, 4))
            return cairn_ir_use(b, r->vectors[ir_roll(r, r->vector_count)]);
        return cairn_ir_splat(b, ir_any_real(r, depth - 1), 8);
    }
}

static inline void ir_any_block(ir_random *r);

/// Does a block leave the function whenever it is entered? A condition may have become a
/// loop's bounds by then.
static inline bool ir_always_leaves(const cairn_ir_stmt *s)
{
    bool leaves = false;

    for (; s && !leaves; s = s->next)
        leaves = s->kind == CAIRN_IR_RETURN
                 || (s->kind == CAIRN_IR_IF && ir_always_leaves(s->body));
    return leaves;
}

/// A loop, whose body may stand under a condition on its variable alone.
static inline void ir_any_loop(ir_random *r)
{
    cairn_ir *const           b    = r->b;
    const int                 step = ir_roll(r, 3) ? 1 : 1 + ir_roll(r, 3);
    const cairn_ir_x          lo   = cairn_ir_int(b, ir_roll(r, 7) - 3);
    const cairn_ir_var *const bound =
        cairn_ir_let(b, cairn_ir_min(b, ir_any_int(r, 1), cairn_ir_int(b, 9)), "bound");
    const cairn_ir_x hi =
        ir_roll(r, 2) ? cairn_ir_add_int(b, lo, ir_roll(r, 8)) : cairn_ir_use(b, bound);
    cairn_ir_stmt *const s = cairn_ir_for(
        b, lo, hi, step, ir_roll(r, 2) ? "turns" : NULL, "%c", 'i' + ir_roll(r, 4));
    const int guards = ir_roll(r, 3);

    const int outer = r->int_count;

    const int unroll        = ir_roll(r, 4) ? 0 : 4;
    r->ints[r->int_count++] = s->var;
    if (guards == 1) cairn_ir_let(b, ir_any_int(r, 2), "unread");
    if (guards) {
        const cairn_ir_x i  = cairn_ir_loop_var(b, s);
        const cairn_ir_x at = cairn_ir_add(b, cairn_ir_mul_int(b, i, ir_roll(r, 9) - 4),
                                           ir_any_int(r, 1));

        cairn_ir_if(b, cairn_ir_and(b, cairn_ir_le(b, cairn_ir_int(b, 0), at),
                                    cairn_ir_lt(b, at, cairn_ir_int(b, IR_LENGTH))));
        r->sums[r->sum_count] =
            cairn_ir_declare(b, cairn_ir_load(b, r->val, at), "near");
        r->sum_count++;
        ir_any_block(r);
        r->sum_count--;
        cairn_ir_end(b);
    } else {
        ir_any_block(r);
    }
    cairn_ir_end(b);
    /* gcc warns of an unrolled loop that is none */
    s->unroll    = ir_always_leaves(s->body) ? 0 : unroll;
    r->int_count = outer;
}

/// A `while` of few turns.
static inline void ir_any_while(ir_random *r)
{
    cairn_ir *const     b = r->b;
    cairn_ir_var *const n = cairn_ir_declare(b, cairn_ir_int(b, 0), "n");

    cairn_ir_while(
        b, cairn_ir_and(b, cairn_ir_lt(b, cairn_ir_use(b, n), cairn_ir_int(b, 5)),
                        ir_any_condition(r, 1)));
    cairn_ir_assign(b, n, cairn_ir_add_int(b, cairn_ir_use(b, n), 1));
    ir_any_block(r);
    cairn_ir_end(b);
}

static inline void ir_any_if(ir_random *r)
{
    cairn_ir *const b = r->b;

    cairn_ir_if(b, ir_any_condition(r, 2));
    ir_any_block(r);
    if (ir_roll(r, 2)) {
        cairn_ir_else(b);
        ir_any_block(r);
    }
    cairn_ir_end(b);
}

static inline void ir_any_store(ir_random *r)
{
    cairn_ir *const b = r->b;

    switch (ir_roll(r, 4)) {
    case 0: cairn_ir_store(b, r->y, ir_any_index(r, 2, 8), ir_any_vector(r, 3)); break;
    case 1: cairn_ir_store(b, r->work, ir_any_index(r, 2, 1), ir_any_int(r, 2)); break;
    default: {
        const cairn_ir_x at = ir_any_index(r, 2, 1);

        cairn_ir_store(b, r->y, at,
                       cairn_ir_add(b, cairn_ir_load(b, r->y, at), ir_any_real(r, 3)));
    }
    }
}

static inline void ir_any_assign(ir_random *r)
{
    cairn_ir *const b = r->b;

    if (r->counter_count && ir_roll(r, 2)) {
        cairn_ir_var *const v = r->counters[ir_roll(r, r->counter_count)];

        cairn_ir_assign(b, v, ir_tamed(r, ir_any_int(r, 3)));
    } else if (r->vector_count && ir_roll(r, 2)) {
        cairn_ir_var *const v = r->vectors[ir_roll(r, r->vector_count)];

        cairn_ir_assign(b, v, cairn_ir_add(b, cairn_ir_use(b, v), ir_any_vector(r, 3)));
    } else if (r->sum_count) {
        cairn_ir_var *const v = r->sums[ir_roll(r, r->sum_count)];

        cairn_ir_assign(b, v, cairn_ir_add(b, cairn_ir_use(b, v), ir_any_real(r, 3)));
    }
}

static inline void ir_any_declare(ir_random *r)
{
    cairn_ir *const b = r->b;

    switch (ir_roll(r, 5)) {
    case 0:
        r->counters[r->counter_count] = cairn_ir_declare(b, ir_any_int(r, 2), "count");
        r->counter_count++;
        break;
    case 1:
        r->sums[r->sum_count] = cairn_ir_declare(b, ir_any_real(r, 2), "sum");
        r->sum_count++;
        break;
    case 2:
        r->vectors[r->vector_count] = cairn_ir_declare(b, ir_any_vector(r, 2), "lanes");
        r->vector_count++;
        break;
    case 3:
        r->reals[r->real_count] = cairn_ir_let(b, ir_any_real(r, 3), "real");
        r->real_count++;
        break;
    default:
        r->ints[r->int_count] = cairn_ir_let(b, ir_any_int(r, 3), "at");
        r->int_count++;
    }
}

static inline void ir_any_stmt(ir_random *r)
{
    switch (ir_roll(r, r->depth < 5 ? 12 : 8)) {
    case 0:
    case 1:
    case 2: ir_any_declare(r); break;
    case 3: ir_any_assign(r); break;
    case 4:
    case 5:
    case 6: ir_any_store(r); break;
    case 7:
        if (ir_roll(r, 4) == 0)
            cairn_ir_prefetch(r->b, r->val, ir_any_index(r, 2, 1), 512, 2, false);
        else if (ir_roll(r, 30) == 0)
            cairn_ir_return(r->b, cairn_ir_int(r->b, 7));
        else
            cairn_ir_note(r->b, "note %d", r->left);
        break;
    case 8:
    case 9: ir_any_loop(r); break;
    case 10: ir_any_while(r); break;
    default: ir_any_if(r); break;
    }
}

static inline void ir_any_block(ir_random *r)
{
    const ir_random outer = *r;
    const int       count = 1 + ir_roll(r, 4);

    r->depth++;
    for (int n = 0; n < count && r->left > 0; n++) {
        r->left--;
        ir_any_stmt(r);
    }

    /* What was declared inside is out of sight. */
    const uint64_t state = r->state;
    const int      left  = r->left;

    *r       = outer;
    r->state = state;
    r->left  = left;
}

/// Begin the random function of @p seed, with its arrays.
static inline ir_random ir_begin_random(cairn_ir *b, cairn_env *env, uint64_t seed)
{
    ir_random r = {
        .state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .b = b, .left = 40};

    cairn_ir_begin(b, env, "random", CAIRN_ABI_PRODUCT);
    cairn_ir_describe(b, "random function %llu", (unsigned long long)seed);
    r.ptr =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_PTR, 0), CAIRN_IR_U32, "A0_ptr");
    r.idx =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_IDX, 1), CAIRN_IR_I32, "A1_idx");
    r.tiny =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_PTR, 2), CAIRN_IR_U8, "A2_ptr");
    r.tuple =
        cairn_ir_array_of(b, ir_field(CAIRN_IR_LEVEL_IDX, 2), CAIRN_IR_I16, "A2_idx");
    r.tuple->stride = 4;
    r.val = cairn_ir_array_of(b, ir_field(CAIRN_IR_VAL, 0), CAIRN_IR_F64, "A_val");
    r.x   = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_x), CAIRN_IR_F32,
                              "x");
    r.y   = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_y), CAIRN_IR_F64,
                              "y");
    r.share = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_share),
                                CAIRN_IR_I64, "share");
    r.work  = cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_partial),
                                CAIRN_IR_U16, "work");
    return r;
}

/// Build the random function of @p seed.
static inline void ir_build_random(cairn_ir *b, cairn_env *env, uint64_t seed)
{
    ir_random r = ir_begin_random(b, env, seed);

    for (int n = 0; n < 5; n++)
        ir_any_block(&r);
}

/// Run @p f on fresh numbers. @return its status.
/// @param[out] error  As ir_watched() returns it.
static inline int64_t ir_interpret(const cairn_ir_function *f,
                                   ir_memory               *memory,
                                   uint64_t                 seed,
                                   const char             **error)
{
    const cairn_ir_watch watch  = {.length = ir_random_length};
    int64_t              status = 0;

    ir_fill(memory, seed);
    *error = ir_watched(f, &memory->part, &memory->op, watch, &status);
    return status;
}

#endif
