// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Compressed rows by a struct: whatever widths, base and values a caller's have, the tensor
/// is that of the plain ones; arrays are released once, or stay the caller's.

#include "api/api.h"
#include "support/api.h"
#include "support/arrays.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <cairn/rows.h>

enum { SIDE = 20, MOST = SIDE * SIDE, CASES = 300 };

static cairn_context *context;
static int64_t        blocks_before;

static void up(void)
{
    blocks_before = must_start(&context);
}

static void down(void)
{
    must_end(&context, blocks_before);
}

TestSuite(rows_given, .init = up, .fini = down, .timeout = 600);

/// Rows as plain arrays, and as a caller has them.
typedef struct {
    int64_t rows, cols, n;
    int64_t ptr[SIDE + 1], idx[MOST];
    double  val[MOST];
    char    as_ptr[(SIDE + 1) * 8], as_idx[MOST * 8], as_val[MOST * 8];
} matrix;

static void put(void *list, int64_t k, int bits, int64_t number)
{
    if (bits == 32)
        ((int32_t *)list)[k] = (int32_t)number;
    else
        ((int64_t *)list)[k] = number;
}

/// Small integers, which every kind of value holds, columns in any order and some twice.
static void draw(uint64_t *state, matrix *a)
{
    a->rows = 1 + random_below(state, SIDE);
    a->cols = 1 + random_below(state, SIDE);
    a->n    = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        const int wanted = random_below(state, (int)a->cols + 1);

        a->ptr[i] = a->n;
        for (int k = 0; k < wanted; k++) {
            a->idx[a->n]   = random_below(state, (int)a->cols);
            a->val[a->n++] = random_below(state, 200) - 100;
        }
    }
    a->ptr[a->rows] = a->n;
}

/// Put a caller's value of some kind.
static void put_value(matrix *a, const cairn_csr *c, int64_t k)
{
    const int bits = c->val_bits ? c->val_bits : c->dtype == CAIRN_F32 ? 32 : 64;

    if (c->val_kind == CAIRN_VALUE_INTEGER && bits == 8)
        ((int8_t *)a->as_val)[k] = (int8_t)a->val[k];
    else if (c->val_kind == CAIRN_VALUE_INTEGER)
        ((int16_t *)a->as_val)[k] = (int16_t)a->val[k];
    else if (bits == 32)
        ((float *)a->as_val)[k] = (float)a->val[k];
    else
        ((double *)a->as_val)[k] = a->val[k];
}

static void describe(uint64_t *state, matrix *a, cairn_csr *c)
{
    static const struct {
        int kind, bits;
    } kinds[] = {
        {CAIRN_VALUE_FLOAT,   0 },
        {CAIRN_VALUE_FLOAT,   0 },
        {CAIRN_VALUE_FLOAT,   32},
        {CAIRN_VALUE_INTEGER, 8 },
        {CAIRN_VALUE_INTEGER, 16}
    };
    const int kind = random_below(state, 5);

    *c             = (cairn_csr)CAIRN_CSR;
    c->global_rows = a->rows;
    c->global_cols = a->cols;
    c->rows        = random_chance(state, 50) ? -1 : a->rows;
    c->ptr_bits    = random_chance(state, 50) ? 32 : 64;
    c->idx_bits    = random_chance(state, 50) ? 32 : 64;
    c->base        = random_below(state, 2);
    c->dtype       = random_chance(state, 40) ? CAIRN_F32 : CAIRN_F64;
    c->val_kind    = kinds[kind].kind;
    c->val_bits    = kinds[kind].bits;
    c->ptr         = a->as_ptr;
    c->idx         = a->as_idx;
    c->val         = a->as_val;
    for (int64_t i = 0; i <= a->rows; i++)
        put(a->as_ptr, i, c->ptr_bits, a->ptr[i] + c->base);
    for (int64_t k = 0; k < a->n; k++) {
        put(a->as_idx, k, c->idx_bits, a->idx[k] + c->base);
        put_value(a, c, k);
    }
}

/// The plain arrays by the call that has no struct.
static cairn_status make_plain(const matrix       *a,
                               cairn_dtype         dtype,
                               const cairn_format *format,
                               cairn_tensor      **made)
{
    float single[MOST];

    for (int64_t k = 0; k < a->n; k++)
        single[k] = (float)a->val[k];
    return cairn_tensor_from_csr(context, a->rows, a->cols, 0, a->rows, a->ptr, 64,
                                 a->idx, 64,
                                 dtype == CAIRN_F32 ? (const void *)single : a->val,
                                 dtype, CAIRN_COPY, format, made);
}

static bool same_parts(cairn_tensor *x, cairn_tensor *y)
{
    static parts_seen a, b;

    parts_get(context, x, &a);
    parts_get(context, y, &b);
    const bool same = parts_same(&a, &b);

    parts_restore(context, x, &a);
    parts_restore(context, y, &b);
    return same;
}

/// @return false: no tensor has this format.
static bool check(uint64_t seed)
{
    static matrix a;
    uint64_t      state = seed;
    char          text[RANDOM_FORMAT];
    cairn_csr     c;
    cairn_tensor *plain = NULL, *made = NULL;

    draw(&state, &a);
    describe(&state, &a, &c);
    random_format(&state, 2, text, sizeof text);
    if (random_chance(&state, 40)) strcpy(text, formats[random_below(&state, FORMATS)]);
    cairn_format *format = must_format(context, text);

    const int wide = c.dtype == CAIRN_F32 ? 32 : 64;

    MUST(context, cairn_context_set_replays(
                      context, c.val_bits && c.val_bits != wide ? 1000 : 1));
    const cairn_status status = make_plain(&a, c.dtype, format, &plain);

    MUST(context, cairn_context_set_replays(context, 1));
    cr_assert_eq(cairn_tensor_from_rows(context, &c, CAIRN_COPY, format, &made), status,
                 "seed %" PRIu64 ": %s", seed, text);
    if (status == CAIRN_OK && plain->local->parts < ARRAYS_PARTS) {
        cr_assert(same_parts(plain, made), "seed %" PRIu64 ": %s", seed, text);
        for (int64_t k = 0; k < a.n; k++)
            a.val[k] = a.val[k] / 2 + 1;
        float single[MOST];

        for (int64_t k = 0; k < a.n; k++)
            single[k] = (float)a.val[k];
        const void *val = c.dtype == CAIRN_F32 ? (const void *)single : a.val;

        MUST(context, cairn_tensor_update(plain, val));
        MUST(context, cairn_tensor_update(made, val));
        cr_assert(same_parts(plain, made), "seed %" PRIu64 ", updated: %s", seed, text);
    }
    cairn_tensor_destroy(&plain);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
    return status == CAIRN_OK;
}

Test(rows_given, are_those_of_plain_arrays_in_random_formats)
{
    int good = 0;

    for (uint64_t k = 0; good < CASES; k++) {
        cr_assert_lt(k, 20 * CASES, "only %d formats are good", good);
        good += check(seed_clock() * 1000003 + k);
    }
}

/* ---- whose arrays ---- */

static int released;

static void release(void *user, void *array)
{
    cr_expect_eq(user, &released);
    cr_expect_not_null(array);
    released++;
    free(array);
}

static void *on_heap(const void *array, size_t bytes)
{
    return memcpy(malloc(bytes), array, bytes);
}

/// A matrix of 3 x 3 with four entries, in memory that is to be released.
static cairn_csr on_heap_rows(int base)
{
    static const int64_t ptr[] = {0, 2, 2, 4}, idx[] = {0, 2, 1, 2};
    static const double  val[] = {1.5, 2.5, 3.5, 4.5};
    cairn_csr            c     = CAIRN_CSR;
    int64_t             *p = on_heap(ptr, sizeof ptr), *i = on_heap(idx, sizeof idx);

    for (int k = 0; k < 4; k++) {
        p[k] += base;
        i[k] += base;
    }
    c.global_rows = c.global_cols = 3;
    c.ptr                         = p;
    c.idx                         = i;
    c.val                         = on_heap(val, sizeof val);
    c.base                        = base;
    c.release                     = release;
    c.user                        = &released;
    return c;
}

static void expect_product(cairn_tensor *tensor)
{
    double *y = must_multiply(context, tensor);

    cr_expect_float_eq(y[0], 1.5 * ramp(0) + 2.5 * ramp(2), 1e-13);
    cr_expect_eq(y[1], 0);
    cr_expect_float_eq(y[2], 3.5 * ramp(1) + 4.5 * ramp(2), 1e-13);
    free(y);
}

Test(rows_given, arrays_that_are_taken_over_are_released_once)
{
    cairn_format *dia = must_format(context, "dia");

    for (int base = 0; base <= 1; base++)
        for (int stored = 0; stored <= 1; stored++) {
            const cairn_csr c     = on_heap_rows(base);
            const bool      stays = base == 0 && !stored;
            cairn_tensor   *made  = NULL;

            released = 0;
            MUST(context, cairn_tensor_from_rows(context, &c, CAIRN_TAKE,
                                                 stored ? dia : NULL, &made));
            cr_expect_eq(released, stays ? 0 : 3, "base %d, stored %d", base, stored);
            expect_product(made);
            cairn_tensor_destroy(&made);
            cr_expect_eq(released, 3, "base %d, stored %d", base, stored);
        }
    cairn_format_destroy(&dia);
}

Test(rows_given, arrays_stay_the_callers_where_the_call_fails)
{
    cairn_csr     c    = on_heap_rows(1);
    cairn_tensor *made = NULL;

    released                         = 0;
    ((int64_t *)(uintptr_t)c.idx)[3] = 4;
    REFUSED(context, BAD_COORD, "rows: entry 3: column 4 is not within 1..3",
            cairn_tensor_from_rows(context, &c, CAIRN_TAKE, NULL, &made));
    ((int64_t *)(uintptr_t)c.idx)[3] = INT64_MIN;
    cr_expect_eq(cairn_tensor_from_rows(context, &c, CAIRN_TAKE, NULL, &made),
                 CAIRN_BAD_COORD);
    ((int64_t *)(uintptr_t)c.ptr)[0] = 0;
    REFUSED(context, BAD_COORD, "ptr[0] is 0, not 1",
            cairn_tensor_from_rows(context, &c, CAIRN_TAKE, NULL, &made));
    cr_expect_eq(released, 0);
    cr_expect_null(made);
    free((void *)(uintptr_t)c.ptr);
    free((void *)(uintptr_t)c.idx);
    free((void *)(uintptr_t)c.val);
}

Test(rows_given, what_lies_otherwise_is_not_borrowed)
{
    cairn_csr     c    = on_heap_rows(1), plain;
    cairn_tensor *made = NULL;

    REFUSED(context, BAD_ARGUMENT, "cannot be borrowed",
            cairn_tensor_from_rows(context, &c, CAIRN_BORROW, NULL, &made));
    plain          = on_heap_rows(0);
    plain.val_bits = 32;
    REFUSED(context, BAD_ARGUMENT, "cannot be borrowed",
            cairn_tensor_from_rows(context, &plain, CAIRN_BORROW, NULL, &made));
    plain.val_bits = 64;
    MUST(context, cairn_tensor_from_rows(context, &plain, CAIRN_BORROW, NULL, &made));
    expect_product(made);
    MUST(context, cairn_tensor_update(made, plain.val));
    cairn_tensor_destroy(&made);
    for (int k = 0; k < 2; k++) {
        const cairn_csr *its = k ? &c : &plain;

        free((void *)(uintptr_t)its->ptr);
        free((void *)(uintptr_t)its->idx);
        free((void *)(uintptr_t)its->val);
    }
}

/* ---- two blocks ---- */

Test(rows_given, blocks_go_on_after_any_allocation_that_fails)
{
    static const int32_t ptr[] = {1, 2, 3}, local[] = {1, 2}, ghost[] = {2, 1};
    static const int64_t col[] = {3, 2};
    static const double  val[] = {1, 2}, more[] = {3, 4};
    cairn_csr            a      = CAIRN_CSR, b;
    cairn_column_map     map    = CAIRN_COLUMN_MAP;
    cairn_format        *format = must_format(context, "csc");
    bool                 enough = false;

    a.global_rows = 2;
    a.global_cols = 4;
    a.ptr_bits = a.idx_bits = 32;
    a.base                  = 1;
    a.ptr                   = ptr;
    a.idx                   = local;
    a.val                   = val;
    b                       = a;
    b.idx                   = ghost;
    b.val                   = more;
    map.cols = map.ghosts = 2;
    map.col               = col;
    for (long allowed = 0; !enough; allowed++) {
        cairn_tensor *made = NULL;

        context->env.allowed = allowed;
        const cairn_status status =
            cairn_tensor_from_blocks(context, &a, &b, &map, format, &made);

        enough = status == CAIRN_OK;
        cr_assert(enough || (status == CAIRN_NO_MEMORY && !made), "%ld", allowed);
        cr_assert_lt(allowed, 5000, "never succeeds");
        context->env.allowed = enough ? allowed % 3 : -1;
        if (enough && cairn_tensor_update_blocks(made, val, more) != CAIRN_OK) {
            context->env.allowed = -1;
            MUST(context, cairn_tensor_update_blocks(made, val, more));
        }
        context->env.allowed = -1;
        if (!enough) continue;
        double *y =
            must_multiply(context, made); /* rows 1 . 3 ., . 2 . 4 of cols 0 1 2 3 */

        cr_expect_float_eq(y[0], ramp(0) + 3 * ramp(2), 1e-13);
        cr_expect_float_eq(y[1], 2 * ramp(1) + 4 * ramp(3), 1e-13);
        free(y);
        REFUSED(context, BAD_ARGUMENT, "cairn_tensor_update_blocks",
                cairn_tensor_update(made, val));
        cairn_tensor_destroy(&made);
    }
    cairn_format_destroy(&format);
}
