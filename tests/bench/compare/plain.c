// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops as one writes them at first, without any library, compiled with the flags of
/// Cairn's own kernels: what everybody ought to beat. Products divide their rows among as
/// many threads as all others have, with equal numbers of entries.

#include "compare.h"

/// A product's operands, and where each thread's rows begin.
typedef struct {
    const compare_task *task;
    int32_t             cut[]; ///< [threads + 1]
} product;

static void *prepare_product(const compare_way *way, const compare_task *task)
{
    const compare_matrix *const a = task->matrix;
    const size_t                n = (size_t)task->threads;
    product *s   = compare_take(1, sizeof *s + (n + 1) * sizeof *s->cut);
    int32_t  row = 0;

    (void)way;
    s->task = task;
    for (size_t t = 0; t <= n; t++) {
        while (row < a->rows && (size_t)a->ptr[row] * n < t * (size_t)a->nnz)
            row++;
        s->cut[t] = t < n ? row : a->rows;
    }
    return s;
}

/* One loop for each element type: f64 and f32 differ in the type alone. */
#define PLAIN_PRODUCT(name, real, values)                                     \
    static void name(const compare_task *t, int32_t i, int32_t end)           \
    {                                                                         \
        const compare_matrix *const a = t->matrix;                            \
        const int32_t *restrict ptr = a->ptr, *restrict idx = a->idx;         \
        const real *restrict val = a->values, *restrict x = t->x;             \
        real *restrict y = t->y;                                              \
                                                                              \
        for (; i < end; i++) {                                                \
            real sum = 0;                                                     \
                                                                              \
            for (int32_t p = ptr[i]; p < ptr[i + 1]; p++)                     \
                sum += val[p] * x[idx[p]];                                    \
            y[i] = sum;                                                       \
        }                                                                     \
    }                                                                         \
    static void name##_columns(const compare_task *t, int32_t i, int32_t end) \
    {                                                                         \
        const compare_matrix *const a = t->matrix;                            \
        const int32_t *restrict ptr = a->ptr, *restrict idx = a->idx;         \
        const real *restrict val = a->values, *restrict x = t->x;             \
        const int64_t n  = t->columns;                                        \
        real *restrict y = t->y;                                              \
                                                                              \
        for (; i < end; i++) {                                                \
            real *restrict row = y + n * i;                                   \
                                                                              \
            for (int64_t c = 0; c < n; c++)                                   \
                row[c] = 0;                                                   \
            for (int32_t p = ptr[i]; p < ptr[i + 1]; p++)                     \
                for (int64_t c = 0; c < n; c++)                               \
                    row[c] += val[p] * x[n * idx[p] + c];                     \
        }                                                                     \
    }

PLAIN_PRODUCT(multiply64, double, val)
PLAIN_PRODUCT(multiply32, float, val32)

static double run_product(void *state)
{
    const product *const      s    = state;
    const compare_task *const task = s->task;
    void (*const loop)(const compare_task *, int32_t, int32_t) =
        task->dtype == CAIRN_F64
            ? (task->columns == 1 ? multiply64 : multiply64_columns)
            : (task->columns == 1 ? multiply32 : multiply32_columns);
    const double begin = bench_seconds();

    if (task->threads == 1)
        loop(task, 0, task->matrix->rows);
    else {
#pragma omp parallel for num_threads(task->threads) schedule(static, 1)
        for (int t = 0; t < task->threads; t++)
            loop(task, s->cut[t], s->cut[t + 1]);
    }
    return bench_seconds() - begin;
}

static void copy_product(void *state, compare_result *result)
{
    const compare_task *const t = ((product *)state)->task;
    const int64_t             n = (int64_t)t->matrix->rows * t->columns;

    for (int64_t k = 0; k < n; k++)
        result->y[k] = t->dtype == CAIRN_F64 ? ((const double *)t->y)[k]
                                             : ((const float *)t->y)[k];
}

/// A conversion: arrays that are made anew every time.
typedef struct {
    const compare_task *task;
    bool                sorts; ///< Columns within rows.
    int32_t            *ptr, *idx;
    double             *val;
} conversion;

static void *prepare_conversion(const compare_way *way, const compare_task *task)
{
    conversion *s = compare_take(1, sizeof *s);

    *s = (conversion){.task = task, .sorts = way->number > 0};
    return s;
}

static void free_arrays(conversion *s)
{
    free(s->ptr);
    free(s->idx);
    free(s->val);
    s->ptr = s->idx = NULL;
    s->val          = NULL;
}

static void destroy_conversion(void *state)
{
    free_arrays(state);
    free(state);
}

/// Starts of lines, shifted by two: filling moves each of them to its place.
static void count_lines(conversion *s, int32_t lines, const int32_t *line, int32_t nnz)
{
    memset(s->ptr, 0, ((size_t)lines + 2) * sizeof *s->ptr);
    for (int32_t p = 0; p < nnz; p++)
        s->ptr[line[p] + 2]++;
    for (int32_t k = 0; k < lines; k++)
        s->ptr[k + 2] += s->ptr[k + 1];
}

static void rows_to_columns(conversion *s)
{
    const compare_matrix *a = s->task->matrix;

    count_lines(s, a->cols, a->idx, a->nnz);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            const int32_t q = s->ptr[a->idx[p] + 1]++;

            s->idx[q] = i;
            s->val[q] = a->val[p];
        }
}

static void sorted_to_rows(conversion *s)
{
    const compare_matrix *a = s->task->matrix;
    const size_t          n = (size_t)a->nnz;

    memset(s->ptr, 0, ((size_t)a->rows + 1) * sizeof *s->ptr);
    for (int32_t p = 0; p < a->nnz; p++)
        s->ptr[a->row[p] + 1]++;
    for (int32_t i = 0; i < a->rows; i++)
        s->ptr[i + 1] += s->ptr[i];
    memcpy(s->idx, a->idx, n * sizeof *s->idx);
    memcpy(s->val, a->val, n * sizeof *s->val);
}

/// Columns within a row stay in the order in which they were given.
static void shuffled_to_rows(conversion *s)
{
    const compare_matrix *a = s->task->matrix;

    count_lines(s, a->rows, a->any.row, a->nnz);
    for (int32_t p = 0; p < a->nnz; p++) {
        const int32_t q = s->ptr[a->any.row[p] + 1]++;

        s->idx[q] = a->any.col[p];
        s->val[q] = a->any.val[p];
    }
}

/// By columns first, and from there to rows, in which columns ascend then.
static void shuffled_to_sorted_rows(conversion *s)
{
    const compare_matrix *a = s->task->matrix;
    struct entry {
        int32_t row, col;
        double  val;
    } *const by_column = compare_take((size_t)a->nnz, sizeof *by_column);

    count_lines(s, a->cols, a->any.col, a->nnz);
    for (int32_t p = 0; p < a->nnz; p++)
        by_column[s->ptr[a->any.col[p] + 1]++] =
            (struct entry){a->any.row[p], a->any.col[p], a->any.val[p]};
    count_lines(s, a->rows, a->any.row, a->nnz);
    for (int32_t p = 0; p < a->nnz; p++) {
        const struct entry e = by_column[p];
        const int32_t      q = s->ptr[e.row + 1]++;

        s->idx[q] = e.col;
        s->val[q] = e.val;
    }
    free(by_column);
}

static void convert(conversion *s)
{
    switch (s->task->operation) {
    case CSR_TO_CSC: rows_to_columns(s); break;
    case ROWS_TO_CSR: sorted_to_rows(s); break;
    default: s->sorts ? shuffled_to_sorted_rows(s) : shuffled_to_rows(s); break;
    }
}

static double run_conversion(void *state)
{
    conversion *const           s     = state;
    const compare_matrix *const a     = s->task->matrix;
    const size_t                lines = (size_t)(a->rows > a->cols ? a->rows : a->cols);

    free_arrays(s);

    const double begin = compare_begin();

    s->ptr = compare_take(lines + 2, sizeof *s->ptr);
    s->idx = compare_take((size_t)a->nnz, sizeof *s->idx);
    s->val = compare_take((size_t)a->nnz, sizeof *s->val);
    convert(s);
    return bench_seconds() - begin;
}

static void show_conversion(void *state, compare_result *result)
{
    const conversion *const s       = state;
    const bool              columns = s->task->operation == CSR_TO_CSC;
    const int32_t           n = columns ? s->task->matrix->cols : s->task->matrix->rows;

    for (int32_t k = 0; k < n; k++)
        for (int32_t p = s->ptr[k]; p < s->ptr[k + 1]; p++)
            if (columns)
                compare_see(result, s->idx[p], k, s->val[p]);
            else
                compare_see(result, k, s->idx[p], s->val[p]);
}

enum { CONVERSIONS = BIT(CSR_TO_CSC) | BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR) };

static const compare_way ways[] = {
    {.name       = "loop over CSR",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .csr        = true,
     .prepare    = prepare_product,
     .run        = run_product,
     .result     = copy_product,
     .destroy    = free                },
    {.name       = "counting",
     .operations = CONVERSIONS,
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare_conversion,
     .run        = run_conversion,
     .result     = show_conversion,
     .destroy    = destroy_conversion},
    {.name       = "counting by columns and rows",
     .operations = BIT(COO_TO_CSR),
     .dtypes     = BIT(CAIRN_F64),
     .number     = 1,
     .prepare    = prepare_conversion,
     .run        = run_conversion,
     .result     = show_conversion,
     .destroy    = destroy_conversion},
};

static bool begin(int threads, char *version, int room)
{
    (void)threads;
    snprintf(version, (size_t)room, "gcc %s " COMPARE_FLAGS, __VERSION__);
    return true;
}

const compare_peer compare_plain = {.name    = "plain C",
                                    .begin   = begin,
                                    .ways    = ways,
                                    .count   = sizeof ways / sizeof *ways,
                                    .by_hand = true};
