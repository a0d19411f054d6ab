// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonals, scaled rows and columns, shifts and norms of any format, held to a dense matrix.

#include "api/api.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"
#include "tensor/walk.h"

#include <math.h>

enum { SIDE = 24, CASES = 100 };

TestSuite(scale, .init = context_up, .fini = context_down, .timeout = 300);

/// A matrix, dense, and the same as entries.
typedef struct {
    int64_t     rows, cols, n;
    cairn_dtype dtype;
    bool        whole_diagonal;
    double      at[SIDE][SIDE];
    int64_t     coord[SIDE * SIDE][2];
    double      value[SIDE * SIDE];
} matrix;

static double as(double value, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (double)(float)value : value;
}

static void draw(uint64_t *state, matrix *m)
{
    const bool small = random_chance(state, 40); /* integers that may be narrow */

    *m       = (matrix){.rows = 1 + random_below(state, SIDE)};
    m->cols  = random_chance(state, 60) ? m->rows : 1 + random_below(state, SIDE);
    m->dtype = random_chance(state, 30) ? CAIRN_F32 : CAIRN_F64;
    m->whole_diagonal = random_chance(state, 50);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            if (!random_chance(state, 20) && !(m->whole_diagonal && i == j)) continue;
            const double v = 1 + random_below(state, 100);

            m->at[i][j]         = as(small ? v : v / 7 - 9.5, m->dtype);
            m->value[m->n]      = m->at[i][j];
            m->coord[m->n][0]   = i;
            m->coord[m->n++][1] = j;
        }
}

static cairn_tensor *store(const matrix *m, const char *text)
{
    const int64_t       extent[2] = {m->rows, m->cols};
    cairn_store_options options   = CAIRN_STORE_OPTIONS;
    cairn_format       *format    = must_format(context, text);
    cairn_source       *source    = NULL;
    cairn_tensor       *made      = NULL;

    options.replays = 1000; /* values are stored as narrow as they are */
    MUST(context, cairn_source_from_coords(context, 2, extent, m->n, m->coord[0],
                                           m->value, CAIRN_BY_NNZ, &source));
    if (cairn_tensor_create_with(source, format, m->dtype, &options, &made) != CAIRN_OK)
        made = NULL;
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    return made;
}

/// A vector of the type, in f64 and as it is handed over.
typedef struct {
    double value[SIDE];
    float  narrow[SIDE];
} vector;

static const void *given(const vector *v, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (const void *)v->narrow : v->value;
}

static void draw_vector(uint64_t *state, cairn_dtype dtype, vector *v)
{
    for (int k = 0; k < SIDE; k++) {
        v->narrow[k] = (float)(random_below(state, 50) + 1) / 11;
        v->value[k]  = dtype == CAIRN_F32 ? (double)v->narrow[k]
                                          : (random_below(state, 50) + 1) / 13.0;
    }
}

/// The tensor's entries are the dense matrix's, bit for bit, and padding is 0: a product adds
/// what is stored, whatever is an entry.
static void expect_matrix(cairn_tensor *tensor, const matrix *m, const char *text)
{
    static double      got[SIDE][SIDE];
    cairn_entries      e;
    const cairn_local *local = tensor->local;

    memset(got, 0, sizeof got);
    cairn_entries_init(&e, 2);
    MUST(context, cairn_local_entries(local, &e));
    for (int64_t p = 0; p < e.n; p++)
        got[e.coord[0][p]][e.coord[1][p]] += e.value[p];
    cairn_entries_fini(local->env, &e);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++)
            cr_assert_eq(got[i][j], m->at[i][j], "%s: (%d,%d): %.17g, not %.17g", text,
                         (int)i, (int)j, got[i][j], m->at[i][j]);
}

static void expect_diagonal(cairn_tensor *tensor, const matrix *m, const char *text)
{
    double got[SIDE];

    memset(got, 0xff, sizeof got);
    MUST(context, cairn_tensor_diagonal(tensor, got));
    for (int64_t i = 0; i < m->rows; i++)
        cr_assert_eq(m->dtype == CAIRN_F32 ? (double)((float *)got)[i] : got[i],
                     i < m->cols ? m->at[i][i] : 0, "%s: row %d", text, (int)i);
}

static void expect_norms(cairn_tensor *tensor, const matrix *m, const char *text)
{
    long double squares = 0, most = 0, largest = 0;
    double      norm[3];

    for (int64_t i = 0; i < m->rows; i++) {
        long double sum = 0;

        for (int64_t j = 0; j < m->cols; j++) {
            squares += (long double)m->at[i][j] * m->at[i][j];
            sum += fabs(m->at[i][j]);
            largest = fmaxl(largest, fabs(m->at[i][j]));
        }
        most = fmaxl(most, sum);
    }
    for (int k = 0; k < 3; k++)
        MUST(context, cairn_tensor_norm(tensor, (cairn_norm_kind)k, &norm[k]));
    cr_assert_float_eq(norm[0], (double)sqrtl(squares), 1e-15 * norm[0], "%s", text);
    cr_assert_float_eq(norm[1], (double)most, 1e-15 * norm[1], "%s", text);
    cr_assert_eq(norm[2], (double)largest, "%s", text);
}

/// y = Ax of a plan made before values change.
static void
expect_product(cairn_plan *plan, const matrix *m, const vector *x, const char *text)
{
    vector y = {{0}, {0}};

    MUST(context, cairn_plan_run(plan, given(x, m->dtype),
                                 m->dtype == CAIRN_F32 ? (void *)y.narrow : y.value));
    for (int64_t i = 0; i < m->rows; i++) {
        double sum = 0, all = 0;

        for (int64_t j = 0; j < m->cols; j++) {
            sum += m->at[i][j] * x->value[j];
            all += fabs(m->at[i][j] * x->value[j]);
        }
        cr_assert_float_eq(m->dtype == CAIRN_F32 ? (double)y.narrow[i] : y.value[i],
                           sum, (m->dtype == CAIRN_F32 ? 1e-5 : 1e-14) * all,
                           "%s: row %d", text, (int)i);
    }
}

static void scale_dense(matrix *m, const vector *left, const vector *right)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            m->at[i][j] = as(left->value[i] * m->at[i][j], m->dtype);
            m->at[i][j] = as(m->at[i][j] * right->value[j], m->dtype);
        }
}

static bool has_diagonal(const matrix *m)
{
    bool has = true;

    for (int64_t i = 0; i < m->rows; i++)
        has = has && m->at[i][i] != 0;
    return has;
}

static bool check(uint64_t seed, const char *named)
{
    static matrix m, before;
    char          text[RANDOM_FORMAT];
    uint64_t      state = seed;
    vector        left, right;
    cairn_plan   *plan = NULL;

    draw(&state, &m);
    random_format(&state, 2, text, sizeof text);
    if (named) strcpy(text, named);
    cairn_tensor *tensor = store(&m, text);

    if (!tensor) return false;
    cairn_tensor *twin   = NULL; /* may have arrays in common */
    cairn_format *format = must_format(context, text);

    MUST(context, cairn_tensor_convert(tensor, format, &twin));
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    before = m;
    draw_vector(&state, m.dtype, &left);
    draw_vector(&state, m.dtype, &right);
    expect_norms(tensor, &m, text);
    expect_diagonal(tensor, &m, text);
    expect_product(plan, &m, &left, text);
    MUST(context,
         cairn_tensor_scale(tensor, given(&left, m.dtype), given(&right, m.dtype)));
    scale_dense(&m, &left, &right);
    expect_matrix(tensor, &m, text);
    expect_diagonal(tensor, &m, text);
    expect_product(plan, &m, &left, text);
    if (m.rows != m.cols) {
        REFUSED(context, BAD_SHAPE, "square", cairn_tensor_shift(tensor, 1));
    } else if (has_diagonal(&m)) {
        MUST(context, cairn_tensor_shift(tensor, 0.3));
        for (int64_t i = 0; i < m.rows; i++)
            m.at[i][i] = as(m.at[i][i] + as(0.3, m.dtype), m.dtype);
    } else if (cairn_tensor_shift(tensor, 0.3) == CAIRN_OK) {
        cr_assert_fail("%s: shifted without a diagonal", text);
    }
    expect_matrix(tensor, &m, text);
    expect_norms(tensor, &m, text);
    expect_product(plan, &m, &left, text);
    expect_matrix(twin, &before, text);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&twin);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return true;
}

Test(scale, every_format_is_as_a_dense_matrix)
{
    for (int k = 0; k < FORMATS; k++)
        for (uint64_t s = 0; s < 2; s++)
            check(seed_clock() * 1000003 + s, formats[k]);
}

Test(scale, random_formats_are_as_a_dense_matrix)
{
    const int cases = seed_cases(CASES);
    int       good  = 0;

    for (uint64_t k = 0; good < cases; k++) {
        cr_assert_lt(k, 8 * CASES, "only %d formats are good", good);
        good += check(seed_clock() * 1000003 + k, NULL);
    }
}

Test(scale, norms_neither_overflow_nor_vanish)
{
    static const double values[][2] = {
        {3e200,  4e200 },
        {3e-200, 4e-200}
    };
    const int64_t extent[2] =
        {
            1, 2
    },
                  coord[2][2] = {{0, 0}, {0, 1}};

    for (int k = 0; k < 4; k++) {
        double        value[2] = {values[k % 2][0], values[k % 2][1]}, norm;
        cairn_source *source   = NULL;

        if (k >= 2) value[1] = k == 2 ? INFINITY : NAN;
        MUST(context, cairn_source_from_coords(context, 2, extent, 2, coord[0], value,
                                               CAIRN_BY_ROWS, &source));
        cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);

        MUST(context, cairn_tensor_norm(tensor, CAIRN_NORM_FROBENIUS, &norm));
        if (k < 2) cr_expect_float_eq(norm / value[0], 5.0 / 3, 1e-15);
        if (k == 2) cr_expect(isinf(norm));
        if (k == 3) cr_expect(isnan(norm));
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
}

Test(scale, values_of_a_caller_are_not_written)
{
    int           ptr[] = {0, 1, 2}, idx[] = {0, 1};
    double        val[] = {2, 3}, left[] = {5, 7}, diagonal[2];
    cairn_tensor *tensor = NULL;

    MUST(context, cairn_tensor_from_csr(context, 2, 2, 0, 2, ptr, 32, idx, 32, val,
                                        CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    REFUSED(context, BAD_ARGUMENT, "a caller's",
            cairn_tensor_scale(tensor, left, NULL));
    REFUSED(context, BAD_ARGUMENT, "a caller's", cairn_tensor_shift(tensor, 1));
    MUST(context, cairn_tensor_diagonal(tensor, diagonal));
    cr_expect(val[0] == 2 && val[1] == 3 && diagonal[0] == 2 && diagonal[1] == 3);
    cairn_tensor_destroy(&tensor);
}
