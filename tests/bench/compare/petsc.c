// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// PETSc, sequential matrices: AIJ (over the given arrays), BAIJ where the matrix has
/// blocks, SELL. Only f64: Debian's library has one element type. Dense operands of
/// several columns are PETSc's own, column-major.

#include "compare.h"

#include <petscmat.h>

typedef struct {
    const compare_task *task;
    Mat                 a, b, c; ///< The matrix; dense operands, or what was made.
    Vec                 x, y;
    bool                made;      ///< c is there.
    PetscInt           *row, *col; ///< Given away at every run: PETSc may write there.
} state;

static Mat wrap_csr(const compare_matrix *m)
{
    Mat a = NULL;

    if (MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, m->rows, m->cols, m->ptr, m->idx,
                                  m->val, &a))
        return NULL;
    MatSetBlockSize(a, m->block);
    return a;
}

static Mat as_type(Mat a, MatType type)
{
    Mat b = NULL;

    if (strcmp(type, MATSEQAIJ) == 0) return a;
    return MatConvert(a, type, MAT_INITIAL_MATRIX, &b) ? NULL : b;
}

/// X as PETSc has it, and room for Y.
static void make_dense(state *s)
{
    const compare_task *t = s->task;
    const double       *x = t->x;
    PetscScalar        *b;

    MatCreateSeqDense(PETSC_COMM_SELF, t->matrix->cols, t->columns, NULL, &s->b);
    MatDenseGetArrayWrite(s->b, &b);
    for (int64_t c = 0; c < t->columns; c++)
        for (int64_t j = 0; j < t->matrix->cols; j++)
            b[c * t->matrix->cols + j] = x[j * t->columns + c];
    MatDenseRestoreArrayWrite(s->b, &b);
    s->made = !MatMatMult(s->a, s->b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &s->c);
}

static void *prepare_product(const compare_way *way, const compare_task *task)
{
    const compare_matrix *m = task->matrix;
    Mat                   csr, a;
    state                *s;

    if (strcmp(way->type, MATSEQBAIJ) == 0 && m->block == 1) return NULL;
    if (strcmp(way->type, MATSEQSELL) == 0 && task->columns > 1) return NULL;
    csr = wrap_csr(m);
    a   = csr ? as_type(csr, way->type) : NULL;
    if (!a) return NULL;
    if (a != csr) MatDestroy(&csr);
    s  = compare_take(1, sizeof *s);
    *s = (state){.task = task, .a = a};
    if (task->columns > 1)
        make_dense(s);
    else {
        VecCreateSeqWithArray(PETSC_COMM_SELF, 1, m->cols, task->x, &s->x);
        VecCreateSeqWithArray(PETSC_COMM_SELF, 1, m->rows, task->y, &s->y);
    }
    return s;
}

static double run_product(void *given)
{
    state *const   s     = given;
    const double   begin = bench_seconds();
    PetscErrorCode failed;

    if (s->task->columns > 1)
        failed =
            !s->made || MatMatMult(s->a, s->b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &s->c);
    else
        failed = MatMult(s->a, s->x, s->y);
    return failed ? -1 : bench_seconds() - begin;
}

static void copy_product(void *given, compare_result *result)
{
    const state *const s    = given;
    const int64_t      rows = s->task->matrix->rows, k = s->task->columns;
    const PetscScalar *c;

    if (k == 1) {
        memcpy(result->y, s->task->y, (size_t)rows * sizeof(double));
        return;
    }
    MatDenseGetArrayRead(s->c, &c);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < k; j++)
            result->y[i * k + j] = c[j * rows + i];
    MatDenseRestoreArrayRead(s->c, &c);
}

static void destroy(void *given)
{
    state *s = given;

    MatDestroy(&s->c);
    MatDestroy(&s->b);
    MatDestroy(&s->a);
    VecDestroy(&s->x);
    VecDestroy(&s->y);
    free(s->row);
    free(s->col);
    free(s);
}

static void *prepare_conversion(const compare_way *way, const compare_task *task)
{
    state *s;

    (void)way;
    s  = compare_take(1, sizeof *s);
    *s = (state){.task = task};
    if (task->operation != ROWS_TO_CSR && task->operation != COO_TO_CSR)
        s->a = wrap_csr(task->matrix);
    else {
        s->row = compare_take((size_t)task->matrix->nnz, sizeof *s->row);
        s->col = compare_take((size_t)task->matrix->nnz, sizeof *s->col);
    }
    return s;
}

static void copy_coordinates(state *s)
{
    const compare_matrix *m     = s->task->matrix;
    const bool            any   = s->task->operation == COO_TO_CSR;
    const size_t          bytes = (size_t)m->nnz * sizeof(PetscInt);

    memcpy(s->row, any ? m->any.row : m->row, bytes);
    memcpy(s->col, any ? m->any.col : m->idx, bytes);
}

static PetscErrorCode from_coordinates(state *s)
{
    const compare_matrix *m = s->task->matrix;

    PetscCall(MatCreate(PETSC_COMM_SELF, &s->c));
    PetscCall(MatSetSizes(s->c, m->rows, m->cols, m->rows, m->cols));
    PetscCall(MatSetType(s->c, MATSEQAIJ));
    PetscCall(MatSetPreallocationCOO(s->c, m->nnz, s->row, s->col));
    return MatSetValuesCOO(s->c, s->task->operation == COO_TO_CSR ? m->any.val : m->val,
                           INSERT_VALUES);
}

static PetscErrorCode convert(state *s)
{
    switch (s->task->operation) {
    case CSR_TO_CSC: return MatTranspose(s->a, MAT_INITIAL_MATRIX, &s->c);
    case CSR_TO_BCSR: return MatConvert(s->a, MATSEQBAIJ, MAT_INITIAL_MATRIX, &s->c);
    case CSR_TO_SELL: return MatConvert(s->a, MATSEQSELL, MAT_INITIAL_MATRIX, &s->c);
    default: return from_coordinates(s);
    }
}

static double run_conversion(void *given)
{
    state *const s = given;
    double       begin;

    MatDestroy(&s->c);
    if (s->row) copy_coordinates(s);
    begin = compare_begin();
    return convert(s) ? -1 : bench_seconds() - begin;
}

static void show_conversion(void *given, compare_result *result)
{
    const state *const s       = given;
    const bool         columns = s->task->operation == CSR_TO_CSC;
    PetscInt           lines, n;
    const PetscInt    *idx;
    const PetscScalar *val;

    MatGetSize(s->c, &lines, NULL);
    for (PetscInt i = 0; i < lines; i++) {
        MatGetRow(s->c, i, &n, &idx, &val);
        for (PetscInt p = 0; p < n; p++)
            compare_see(result, columns ? idx[p] : i, columns ? i : idx[p], val[p]);
        MatRestoreRow(s->c, i, &n, &idx, &val);
    }
}

#define PETSC_PRODUCT(text, kind, by_rows)                                            \
    {                                                                                 \
        .name = text, .operations = BIT(PRODUCT), .dtypes = BIT(CAIRN_F64),           \
        .csr = by_rows, .type = kind, .prepare = prepare_product, .run = run_product, \
        .result = copy_product, .destroy = destroy                                    \
    }
#define PETSC_CONVERSION(text, which)                                \
    {                                                                \
        .name = text, .operations = which, .dtypes = BIT(CAIRN_F64), \
        .prepare = prepare_conversion, .run = run_conversion,        \
        .result = show_conversion, .destroy = destroy                \
    }

static const compare_way ways[] = {
    PETSC_PRODUCT("AIJ", MATSEQAIJ, true),
    PETSC_PRODUCT("BAIJ", MATSEQBAIJ, false),
    PETSC_PRODUCT("SELL", MATSEQSELL, false),
    PETSC_CONVERSION("MatTranspose", BIT(CSR_TO_CSC)),
    PETSC_CONVERSION("MatSetValuesCOO", BIT(ROWS_TO_CSR) | BIT(COO_TO_CSR)),
    PETSC_CONVERSION("AIJ to BAIJ", BIT(CSR_TO_BCSR)),
    PETSC_CONVERSION("AIJ to SELL", BIT(CSR_TO_SELL)),
};

static bool begin(int threads, char *version, int room)
{
    (void)threads; /* sequential types */
    PetscOptionsSetValue(NULL, "-no_signal_handler", "1");
    if (PetscInitializeNoArguments()) return false;
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    snprintf(version, (size_t)room, "%d.%d.%d", PETSC_VERSION_MAJOR,
             PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
    return true;
}

static void end(void)
{
    PetscPopErrorHandler();
    PetscFinalize();
}

const compare_peer compare_petsc = {.name  = "PETSc",
                                    .begin = begin,
                                    .end   = end,
                                    .ways  = ways,
                                    .count = sizeof ways / sizeof *ways};
