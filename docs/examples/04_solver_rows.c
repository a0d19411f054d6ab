// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lesson 4: a solver that has MPI, a communicator, its rows, and a matrix in CSR
/// already. Cairn borrows the arrays; values change in place between products. Then the
/// same matrix in a format of Cairn's, with cairn_tensor_update() for new values.

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 5 };

/// Rows first .. end-1 of a tridiagonal matrix.
typedef struct {
    int64_t  first, rows;
    int32_t *ptr, *idx;
    double  *val;
} matrix;

/// Values of time step @p step, in place: 2+step on the diagonal, -1 beside it.
static void set_values(matrix *a, int step)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            a->val[k] = a->idx[k] == a->first + i ? 2 + step : -1;
}

static int make_matrix(int rank, int size, matrix *a)
{
    int32_t n = 0;

    a->first = (int64_t)N * rank / size;
    a->rows  = (int64_t)N * (rank + 1) / size - a->first;
    a->ptr   = malloc((size_t)(a->rows + 1) * sizeof *a->ptr);
    a->idx   = malloc((size_t)(3 * a->rows + 1) * sizeof *a->idx);
    a->val   = malloc((size_t)(3 * a->rows + 1) * sizeof *a->val);
    if (!a->ptr || !a->idx || !a->val) return -1;
    a->ptr[0] = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t j = a->first + i - 1; j <= a->first + i + 1; j++)
            if (j >= 0 && j < N) a->idx[n++] = (int32_t)j;
        a->ptr[i + 1] = n;
    }
    set_values(a, 0);
    return 0;
}

/// With x = 1 a row sums up to step, and one more at both ends. Fails on every rank if
/// one rank's y is wrong.
static cairn_status
check(cairn_context *context, const matrix *a, const double *y, int step)
{
    double worst = 0;

    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t row  = a->first + i;
        const double  want = step + (row == 0) + (row == N - 1);

        if (fabs(y[i] - want) > worst) worst = fabs(y[i] - want);
    }
    const cairn_status status = cairn_context_max(context, &worst, 1);

    return status ? status : worst > 0 ? CAIRN_NOT_VERIFIED : CAIRN_OK;
}

/// Time steps: new values, one product each. @p borrowed: the tensor sees them by itself.
static cairn_status
step_through(cairn_context *context, cairn_tensor *tensor, matrix *a, int borrowed)
{
    cairn_plan  *plan   = NULL;
    cairn_status status = cairn_plan_create_spmv(tensor, &plan);
    int64_t      first = 0, end = 0;

    if (!status) cairn_plan_columns(plan, &first, &end);
    for (int64_t j = 0; j < end - first; j++)
        cairn_plan_x(plan)[j] = 1;
    for (int step = 0; step < STEPS && !status; step++) {
        set_values(a, step);
        if (!borrowed) status = cairn_tensor_update(tensor, a->val);
        if (!status) status = cairn_plan_run(plan, NULL, NULL);
        if (!status) status = check(context, a, cairn_plan_y(plan), step);
    }
    cairn_plan_destroy(&plan);
    return status;
}

static cairn_status run(cairn_context *context, matrix *a)
{
    cairn_csr     rows   = CAIRN_CSR;
    cairn_format *format = NULL;
    cairn_tensor *mine = NULL, *dia = NULL;
    cairn_status  status;

    rows.global_rows = rows.global_cols = N;
    rows.first_row                      = a->first;
    rows.rows                           = a->rows;
    rows.ptr                            = a->ptr;
    rows.idx                            = a->idx;
    rows.val                            = a->val;
    rows.ptr_bits = rows.idx_bits = 32;

    /* No format: the arrays stay where they are. */
    status = cairn_tensor_from_rows(context, &rows, CAIRN_BORROW, NULL, &mine);
    if (!status) status = step_through(context, mine, a, 1);
    cairn_tensor_destroy(&mine);

    /* A format: the entries are stored in it, and updates find their places. */
    if (!status) status = cairn_format_create(context, "dia", &format);
    if (!status)
        status = cairn_tensor_from_rows(context, &rows, CAIRN_COPY, format, &dia);
    if (!status) status = step_through(context, dia, a, 0);
    cairn_tensor_destroy(&dia);
    cairn_format_destroy(&format);
    return status;
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    matrix         a       = {0};
    MPI_Comm       comm;
    int            rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* any communicator will do */
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);

    /* One process that fails must not let the others wait: they agree. */
    cairn_status status = cairn_context_create_mpi(comm, &context);

    if (!status)
        status = cairn_context_agree(
            context, make_matrix(rank, size, &a) ? CAIRN_NO_MEMORY : CAIRN_OK);
    if (!status) status = run(context, &a);
    if (rank == 0 && status)
        fprintf(stderr, "%s: %s\n", cairn_status_text(status),
                context ? cairn_context_message(context) : "no context");
    else if (rank == 0)
        printf("%d steps in the solver's arrays, %d in dia\n", STEPS, STEPS);

    cairn_context_destroy(&context);
    free(a.ptr);
    free(a.idx);
    free(a.val);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return status != CAIRN_OK;
}
