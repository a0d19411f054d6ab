// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// SuiteSparse:GraphBLAS: matrices by row over 64-bit indices (it has no others), dense
/// operands as full vectors and matrices.

#include "compare.h"

#include <GraphBLAS.h>

typedef struct {
    const compare_task *task;
    GrB_Type            type;
    GrB_Semiring        semiring;
    GrB_Matrix a, x, y; ///< y: the product of several columns, or what was made.
    GrB_Vector vx, vy;
    GrB_Index *row, *col;
} state;

static GrB_Index *widen(const int32_t *from, size_t n)
{
    GrB_Index *to = compare_take(n, sizeof *to);

    for (size_t k = 0; k < n; k++)
        to[k] = (GrB_Index)from[k];
    return to;
}

static GrB_Matrix import_csr(const compare_matrix *m, cairn_dtype dtype)
{
    const GrB_Index n = (GrB_Index)m->nnz, rows = (GrB_Index)m->rows;
    GrB_Index      *ptr = widen(m->ptr, (size_t)m->rows + 1);
    GrB_Index      *idx = widen(m->idx, (size_t)m->nnz);
    GrB_Matrix      a   = NULL;

    if (dtype == CAIRN_F64)
        GrB_Matrix_import_FP64(&a, GrB_FP64, rows, (GrB_Index)m->cols, ptr, idx, m->val,
                               rows + 1, n, n, GrB_CSR_FORMAT);
    else
        GrB_Matrix_import_FP32(&a, GrB_FP32, rows, (GrB_Index)m->cols, ptr, idx,
                               m->val32, rows + 1, n, n, GrB_CSR_FORMAT);
    free(ptr);
    free(idx);
    return a;
}

/// A copy of the dense operand that GraphBLAS owns.
static void *copy_operand(const compare_task *t, GrB_Index *bytes)
{
    const size_t size = t->dtype == CAIRN_F64 ? sizeof(double) : sizeof(float);
    const size_t n    = (size_t)t->matrix->cols * (size_t)t->columns;
    void        *x    = malloc(n * size);

    if (!x) compare_stop("memory", "not enough");
    *bytes = n * size;
    return memcpy(x, t->x, n * size);
}

static void *prepare_product(const compare_way *way, const compare_task *task)
{
    const bool      f64  = task->dtype == CAIRN_F64;
    const GrB_Index rows = (GrB_Index)task->matrix->rows;
    const GrB_Index cols = (GrB_Index)task->matrix->cols;
    const GrB_Index k    = (GrB_Index)task->columns;
    state          *s    = compare_take(1, sizeof *s);
    GrB_Index       bytes;
    void           *x = copy_operand(task, &bytes);

    (void)way;
    *s          = (state){.task = task};
    s->type     = f64 ? GrB_FP64 : GrB_FP32;
    s->semiring = f64 ? GrB_PLUS_TIMES_SEMIRING_FP64 : GrB_PLUS_TIMES_SEMIRING_FP32;
    s->a        = import_csr(task->matrix, task->dtype);
    if (k == 1) {
        GrB_Vector_new(&s->vx, s->type, cols);
        GrB_Vector_new(&s->vy, s->type, rows);
        GxB_Vector_pack_Full(s->vx, &x, bytes, false, NULL);
    } else {
        GrB_Matrix_new(&s->x, s->type, cols, k);
        GrB_Matrix_new(&s->y, s->type, rows, k);
        GxB_Matrix_pack_FullR(s->x, &x, bytes, false, NULL);
    }
    return s;
}

static double run_product(void *given)
{
    state *const s     = given;
    const double begin = bench_seconds();
    GrB_Info     info;

    if (s->task->columns == 1)
        info = GrB_mxv(s->vy, NULL, NULL, s->semiring, s->a, s->vx, NULL);
    else
        info = GrB_mxm(s->y, NULL, NULL, s->semiring, s->a, s->x, NULL);
    return info == GrB_SUCCESS ? bench_seconds() - begin : -1;
}

static void copy_product(void *given, compare_result *result)
{
    const state *const s = given;
    const int64_t      k = s->task->columns;

    for (int64_t i = 0; i < s->task->matrix->rows; i++)
        for (int64_t c = 0; c < k; c++) {
            double *const v = result->y + i * k + c;

            *v = 0; /* rows without entries are not there */
            if (k == 1)
                GrB_Vector_extractElement_FP64(v, s->vy, (GrB_Index)i);
            else
                GrB_Matrix_extractElement_FP64(v, s->y, (GrB_Index)i, (GrB_Index)c);
        }
}

static void destroy(void *given)
{
    state *s = given;

    GrB_Matrix_free(&s->a);
    GrB_Matrix_free(&s->x);
    GrB_Matrix_free(&s->y);
    GrB_Vector_free(&s->vx);
    GrB_Vector_free(&s->vy);
    free(s->row);
    free(s->col);
    free(s);
}

static void *prepare_conversion(const compare_way *way, const compare_task *task)
{
    const compare_matrix *m   = task->matrix;
    const bool            any = task->operation == COO_TO_CSR;
    state                *s   = compare_take(1, sizeof *s);

    (void)way;
    *s = (state){.task = task};
    if (task->operation == CSR_TO_CSC)
        s->a = import_csr(m, CAIRN_F64);
    else {
        s->row = widen(any ? m->any.row : m->row, (size_t)m->nnz);
        s->col = widen(any ? m->any.col : m->idx, (size_t)m->nnz);
    }
    return s;
}

static GrB_Info convert(state *s)
{
    const compare_matrix *m    = s->task->matrix;
    const GrB_Index       rows = (GrB_Index)m->rows, cols = (GrB_Index)m->cols;
    GrB_Info              info;

    if (s->task->operation == CSR_TO_CSC) {
        GrB_Matrix_new(&s->y, GrB_FP64, cols, rows);
        info = GrB_transpose(s->y, NULL, NULL, s->a, NULL);
    } else {
        GrB_Matrix_new(&s->y, GrB_FP64, rows, cols);
        info = GrB_Matrix_build_FP64(s->y, s->row, s->col,
                                     s->task->operation == COO_TO_CSR ? m->any.val
                                                                      : m->val,
                                     (GrB_Index)m->nnz, GrB_PLUS_FP64);
    }
    return info == GrB_SUCCESS ? GrB_Matrix_wait(s->y, GrB_MATERIALIZE) : info;
}

static double run_conversion(void *given)
{
    state *const s = given;
    double       begin;

    GrB_Matrix_free(&s->y);
    begin = compare_begin();
    return convert(s) == GrB_SUCCESS ? bench_seconds() - begin : -1;
}

static void show_conversion(void *given, compare_result *result)
{
    const state *const s       = given;
    const bool         columns = s->task->operation == CSR_TO_CSC;
    GrB_Index          n;

    GrB_Matrix_nvals(&n, s->y);

    GrB_Index *const row = compare_take(n, sizeof *row);
    GrB_Index *const col = compare_take(n, sizeof *col);
    double *const    val = compare_take(n, sizeof *val);

    GrB_Matrix_extractTuples_FP64(row, col, val, &n, s->y);
    for (GrB_Index p = 0; p < n; p++)
        compare_see(result, (int64_t)(columns ? col : row)[p],
                    (int64_t)(columns ? row : col)[p], val[p]);
    free(row);
    free(col);
    free(val);
}

static const compare_way ways[] = {
    {.name       = "mxv, mxm",
     .operations = BIT(PRODUCT),
     .dtypes     = BIT(CAIRN_F64) | BIT(CAIRN_F32),
     .csr        = true,
     .prepare    = prepare_product,
     .run        = run_product,
     .result     = copy_product,
     .destroy    = destroy},
    {.name       = "GrB_transpose",
     .operations = BIT(CSR_TO_CSC),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare_conversion,
     .run        = run_conversion,
     .result     = show_conversion,
     .destroy    = destroy},
    {.name       = "GrB_Matrix_build",
     .operations = BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR),
     .dtypes     = BIT(CAIRN_F64),
     .prepare    = prepare_conversion,
     .run        = run_conversion,
     .result     = show_conversion,
     .destroy    = destroy},
};

static bool begin(int threads, char *version, int room)
{
    if (GrB_init(GrB_BLOCKING) != GrB_SUCCESS) return false;
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads);
    GxB_Global_Option_set(GxB_BURBLE, 0);
    snprintf(version, (size_t)room, "%d.%d.%d", GxB_IMPLEMENTATION_MAJOR,
             GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
    return true;
}

static void end(void)
{
    GrB_finalize();
}

const compare_peer compare_graphblas = {.name  = "GraphBLAS",
                                        .begin = begin,
                                        .end   = end,
                                        .ways  = ways,
                                        .count = sizeof ways / sizeof *ways};
