// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// librsb: recursive sparse blocks, as it chooses them, and as its tuner chooses them in
/// two seconds.

#include "compare.h"

#include <rsb.h>

typedef struct {
    const compare_task *task;
    struct rsb_mtx_t   *a;
    const void         *one, *zero;
} state;

static const double one64 = 1, zero64 = 0;
static const float  one32 = 1, zero32 = 0;

static void tune(state *s)
{
    const rsb_coo_idx_t columns = s->task->columns;

    rsb_tune_spmm(&s->a, NULL, NULL, 0, 2.0, RSB_TRANSPOSITION_N, s->one, NULL, columns,
                  RSB_FLAG_WANT_ROW_MAJOR_ORDER, NULL, columns, s->zero, NULL, columns);
}

static void *prepare(const compare_way *way, const compare_task *task)
{
    const compare_matrix *m   = task->matrix;
    const bool            f64 = task->dtype == CAIRN_F64;
    state                *s   = compare_take(1, sizeof *s);
    rsb_err_t             error;

    *s      = (state){.task = task};
    s->one  = f64 ? (const void *)&one64 : &one32;
    s->zero = f64 ? (const void *)&zero64 : &zero32;
    s->a    = rsb_mtx_alloc_from_csr_const(
           f64 ? (const void *)m->val : m->val32, m->ptr, m->idx, m->nnz,
        f64 ? RSB_NUMERICAL_TYPE_DOUBLE : RSB_NUMERICAL_TYPE_FLOAT, m->rows, m->cols,
        RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &error);
    if (!s->a) {
        free(s);
        return NULL;
    }
    if (way->number) tune(s);
    return s;
}

static double run(void *given)
{
    const state *const        s     = given;
    const compare_task *const t     = s->task;
    const double              begin = bench_seconds();
    rsb_err_t                 error;

    if (t->columns == 1)
        error = rsb_spmv(RSB_TRANSPOSITION_N, s->one, s->a, t->x, 1, s->zero, t->y, 1);
    else
        error = rsb_spmm(RSB_TRANSPOSITION_N, s->one, s->a, t->columns,
                         RSB_FLAG_WANT_ROW_MAJOR_ORDER, t->x, t->columns, s->zero, t->y,
                         t->columns);
    return error == RSB_ERR_NO_ERROR ? bench_seconds() - begin : -1;
}

static void result(void *given, compare_result *result)
{
    const compare_task *const t = ((const state *)given)->task;
    const int64_t             n = (int64_t)t->matrix->rows * t->columns;

    for (int64_t k = 0; k < n; k++)
        result->y[k] = t->dtype == CAIRN_F64 ? ((const double *)t->y)[k]
                                             : ((const float *)t->y)[k];
}

static void destroy(void *given)
{
    state *s = given;

    rsb_mtx_free(s->a);
    free(s);
}

static const compare_way ways[] = {
    {.name       = "RSB",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
    { .name       = "RSB, tuned",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .number     = 1,
     .prepare    = prepare,
     .run        = run,
     .result     = result,
     .destroy    = destroy},
};

static bool begin(int threads, char *version, int room)
{
    rsb_int_t wanted = threads;

    if (rsb_lib_init(RSB_NULL_INIT_OPTIONS) != RSB_ERR_NO_ERROR) return false;
    rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &wanted);
    snprintf(version, (size_t)room, "%s", RSB_LIBRSB_VER_STRING);
    return true;
}

static void end(void)
{
    rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
}

const compare_peer compare_librsb = {.name  = "librsb",
                                     .begin = begin,
                                     .end   = end,
                                     .ways  = ways,
                                     .count = sizeof ways / sizeof *ways};
