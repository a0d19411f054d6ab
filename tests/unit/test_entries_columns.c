// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Few entries of a matrix by columns and then by rows, in whatever arrays a caller has them,
/// on one thread and on two: what a stable sort makes of them, repeats in the order given,
/// or added up in it.

#include "entries/entries_columns.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/// How a caller has his arrays.
typedef struct {
    int64_t stride, apart; ///< Bytes from coordinate to coordinate, value to value; no
                           ///< values: 0.
    int         bits, value_bits, base;
    int         shift; ///< Bytes that all arrays begin behind a multiple of 16.
    const char *what;
} lie;

static const lie lies[] = {
    {4,  8,  32, 64, 0, 0, "C's arrays"            },
    {4,  8,  32, 64, 1, 0, "Fortran's"             },
    {4,  8,  32, 64, 0, 8, "behind a line's begin" },
    {4,  8,  32, 64, 7, 0, "from 7 on"             },
    {4,  8,  32, 64, 1, 3, "unaligned"             },
    {4,  4,  32, 32, 0, 0, "values of f32"         },
    {4,  0,  32, 64, 0, 0, "no values"             },
    {4,  24, 32, 64, 0, 0, "values in structs"     },
    {8,  8,  64, 64, 0, 0, "long arrays"           },
    {8,  8,  64, 64, 1, 0, "long arrays, from 1 on"},
    {16, 16, 64, 64, 1, 0, "pairs"                 },
    {24, 24, 32, 64, 0, 0, "structs"               },
};

/// Entries, as a caller has them and in order.
typedef struct {
    cairn_given given;
    cairn_coord extent[2];
    char       *room[3];
    int64_t    *row, *col; ///< [n] As given,
    double     *value;
    int64_t    *order; ///< [n] and which comes first, second, ...
} entries;

static void
put(const lie *l, char *list, int64_t stride, int bits, int64_t k, int64_t to)
{
    const int32_t narrow = (int32_t)to;

    memcpy(list + l->shift + k * stride, bits == 32 ? (void *)&narrow : (void *)&to,
           (size_t)bits / 8);
}

static void put_value(const lie *l, char *list, int64_t k, double value)
{
    const float narrow = (float)value;

    if (l->apart > 0)
        memcpy(list + l->shift + k * l->apart,
               l->value_bits == 32 ? (void *)&narrow : (void *)&value,
               (size_t)l->value_bits / 8);
}

static const entries *compared;

static int by_place(const void *a, const void *b)
{
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;

    if (compared->row[p] != compared->row[q])
        return compared->row[p] < compared->row[q] ? -1 : 1;
    if (compared->col[p] != compared->col[q])
        return compared->col[p] < compared->col[q] ? -1 : 1;
    return p < q ? -1 : p > q;
}

/// Values tell entries apart: repeats, too.
static entries
make(const lie *l, int64_t n, int64_t rows, int64_t cols, uint64_t *state)
{
    entries e = {
        .extent = {rows, cols}
    };

    for (int k = 0; k < 3; k++)
        e.room[k] = calloc((size_t)n + 2, 32);
    e.row   = calloc((size_t)n + 1, sizeof *e.row);
    e.col   = calloc((size_t)n + 1, sizeof *e.col);
    e.value = calloc((size_t)n + 1, sizeof *e.value);
    e.order = calloc((size_t)n + 1, sizeof *e.order);
    for (int64_t p = 0; p < n; p++) {
        e.row[p]   = (int64_t)(next_random(state) % (uint64_t)rows);
        e.col[p]   = (int64_t)(next_random(state) % (uint64_t)cols);
        e.value[p] = l->apart == 0         ? 1
                     : l->value_bits == 32 ? (double)(float)(p + 1)
                                           : (double)(p + 1) / 3; /* sums are rounded */
        e.order[p] = p;
        put(l, e.room[0], l->stride, l->bits, p, e.row[p] + l->base);
        put(l, e.room[1], l->stride, l->bits, p, e.col[p] + l->base);
        put_value(l, e.room[2], p, e.value[p]);
    }
    compared = &e;
    qsort(e.order, (size_t)n, sizeof *e.order, by_place);
    e.given = (cairn_given){
        .order      = 2,
        .n          = n,
        .coord      = {e.room[0] + l->shift, e.room[1] + l->shift},
        .stride     = l->stride,
        .bits       = l->bits,
        .base       = l->base,
        .value      = l->apart > 0 ? e.room[2] + l->shift : NULL,
        .apart      = l->apart,
        .value_bits = l->value_bits
    };
    return e;
}

static void drop(entries *e)
{
    for (int k = 0; k < 3; k++)
        free(e->room[k]);
    free(e->row);
    free(e->col);
    free(e->value);
    free(e->order);
}

static int64_t get(const void *idx, int bits, int64_t k)
{
    switch (bits) {
    case 8: return ((const uint8_t *)idx)[k];
    case 16: return ((const uint16_t *)idx)[k];
    case 32: return ((const uint32_t *)idx)[k];
    default: return ((const int64_t *)idx)[k];
    }
}

static void check_placed(cairn_env           *env,
                         const entries       *e,
                         const cairn_columns *columns,
                         int                  bits,
                         const char          *what)
{
    void *const   idx   = calloc((size_t)e->given.n + 1, 8);
    double *const value = calloc((size_t)e->given.n + 1, sizeof *value);
    bool          twice = false;

    cr_assert_eq(cairn_columns_place(env, columns, bits, idx, value), CAIRN_OK);
    for (int64_t k = 0; k < e->given.n; k++) {
        const int64_t p = e->order[k], before = k > 0 ? e->order[k - 1] : p;

        cr_assert_eq(get(idx, bits, k), e->col[p], "%s: %" PRId64, what, k);
        cr_assert_eq(value[k], e->value[p], "%s: %" PRId64, what, k);
        twice |= k > 0 && e->row[p] == e->row[before] && e->col[p] == e->col[before];
    }
    cr_expect_eq(cairn_columns_repeat(columns, bits, idx), twice, "%s", what);
    free(idx);
    free(value);
}

/// Repeats added up in the order given.
static void check_combined(cairn_env     *env,
                           const entries *e,
                           cairn_columns *columns,
                           int            bits,
                           const char    *what)
{
    void *const   idx   = calloc((size_t)e->given.n + 1, 8);
    double *const value = calloc((size_t)e->given.n + 1, sizeof *value);
    int64_t       n = 0, row = 0;

    cr_assert_eq(cairn_columns_combine(env, columns), CAIRN_OK);
    cr_assert_eq(cairn_columns_place(env, columns, bits, idx, value), CAIRN_OK);
    for (int64_t k = 0; k < e->given.n; n++) {
        const int64_t p   = e->order[k];
        double        sum = e->value[p];

        for (k++; k < e->given.n && e->row[e->order[k]] == e->row[p]
                  && e->col[e->order[k]] == e->col[p];
             k++)
            sum += e->value[e->order[k]];
        while (row <= e->row[p])
            cr_assert_eq(columns->line[row++], n, "%s", what);
        cr_assert_eq(get(idx, bits, n), e->col[p], "%s: %" PRId64, what, n);
        cr_assert_eq(value[n], sum, "%s: %" PRId64, what, n);
    }
    while (row <= columns->rows)
        cr_assert_eq(columns->line[row++], n, "%s", what);
    cr_assert_eq(columns->n, n, "%s", what);
    cr_expect_not(cairn_columns_repeat(columns, bits, idx), "%s", what);
    free(idx);
    free(value);
}

static void check(cairn_env *env,
                  const lie *l,
                  int64_t    n,
                  int64_t    rows,
                  int64_t    cols,
                  uint64_t  *state)
{
    entries       e      = make(l, n, rows, cols, state);
    bool          inside = false;
    cairn_columns columns;

    e.given.extent = e.extent;
    cr_assert(cairn_columns_fit(&e.given));
    cr_assert_eq(cairn_columns_order(env, &e.given, &inside, &columns), CAIRN_OK);
    cr_assert(inside, "%s", l->what);
    for (int bits = 8; bits <= 64; bits *= 2)
        if (!columns.once && (bits == 64 || cols <= (int64_t)1 << bits))
            check_placed(env, &e, &columns, bits, l->what);
    if (n > 8 * rows * cols) cr_expect(columns.once || n < 8);
    check_combined(env, &e, &columns, 32 + 32 * (int)(next_random(state) % 2), l->what);
    cairn_columns_fini(env, &columns);
    drop(&e);
}

Test(entries_columns, a_stable_sort_of_whatever_arrays)
{
    cairn_env env;
    uint64_t  state = 20261127;

    cairn_env_init(&env);
    for (env.options.threads = 1; env.options.threads <= 2; env.options.threads++)
        for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
            for (int64_t n = 1; n <= 9; n++)
                check(&env, &lies[k], n, 3, 4, &state);
            check(&env, &lies[k], 1003, 200, 130, &state);
            check(&env, &lies[k], 1003, 2, 3000, &state);
            check(&env, &lies[k], 50002 + (int64_t)k, 9000, 70000, &state);
            check(&env, &lies[k], 50003, 150, 140, &state); /* most are repeats */
            check(&env, &lies[k], 50003, 40, 30, &state);
            check(&env, &lies[k], 50003, 3, 4, &state); /* rows end far from a half */
        }
    cairn_env_fini(&env);
}

/// The least and the largest that may be are taken, and one beyond is not.
Test(entries_columns, what_is_outside_is_refused)
{
    cairn_env env;
    uint64_t  state = 7;

    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++)
        for (int wrong = 0; wrong < 4; wrong++) {
            entries       e      = make(&lies[k], 41, 30, 20, &state);
            bool          inside = true;
            cairn_columns columns;

            put(&lies[k], e.room[wrong % 2], lies[k].stride, lies[k].bits, 37,
                lies[k].base + (wrong < 2 ? -1 : e.extent[wrong % 2]));
            e.given.extent = e.extent;
            cr_assert_eq(cairn_columns_order(&env, &e.given, &inside, &columns),
                         CAIRN_OK);
            cr_expect_not(inside, "%s", lies[k].what);
            cairn_columns_fini(&env, &columns);
            drop(&e);
        }
    cairn_env_fini(&env);
}
