// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// SUNDIALS's parallel vectors and Cairn's matrix on several ranks: diffusion by CVODE,
/// whose solution is known, and what one rank alone has wrong.

#include <cairn/mpi.h>
#include <cairn/sundials.h>

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_parallel.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_spgmr.h>

static const double pi = 3.14159265358979323846;

/// This rank's rows of u" in `n` points, values of D / h^2 aside.
typedef struct {
    int64_t first, rows, n, ptr[64], idx[3 * 64];
    double  diffusion;
} strip;

static strip begin(int rank, int size)
{
    strip   s = {.first = rank * 30 + (rank > 0 ? 7 : 0), .n = 30 * size + 7};
    int64_t k = 0;

    s.rows      = 30 + (rank == 0 ? 7 : 0);
    s.diffusion = 0.05 * (double)((s.n + 1) * (s.n + 1));
    for (int64_t i = 0; i < s.rows; i++) {
        const int64_t row = s.first + i;

        for (int64_t j = row > 0 ? row - 1 : 0; j < s.n && j <= row + 1; j++)
            s.idx[k++] = j;
        s.ptr[i + 1] = k;
    }
    return s;
}

static int jacobian(sunrealtype t,
                    N_Vector    y,
                    N_Vector    f,
                    SUNMatrix   J,
                    void       *user,
                    N_Vector    a,
                    N_Vector    b,
                    N_Vector    c)
{
    const strip *s     = user;
    sunrealtype *value = cairn_sunmatrix_values(J);

    (void)t, (void)y, (void)f, (void)a, (void)b, (void)c;
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
            value[k] = s->idx[k] == s->first + i ? -2 * s->diffusion : s->diffusion;
    return 0;
}

/// The right-hand side is a product, too: of a matrix of its own.
typedef struct {
    strip     s; ///< First: it is what jacobian() is given.
    SUNMatrix J;
} problem;

static int rhs(sunrealtype t, N_Vector y, N_Vector f, void *user)
{
    (void)t;
    return SUNMatMatvec(((problem *)user)->J, y, f) ? -1 : 0;
}

static bool integrate(problem *p, SUNMatrix A, MPI_Comm comm, SUNContext sunctx)
{
    N_Vector        y = N_VNew_Parallel(comm, p->s.rows, p->s.n, sunctx);
    SUNLinearSolver LS =
        cairn_sunlinsol(SUNLinSol_SPGMR(y, SUN_PREC_NONE, 40, sunctx), sunctx);
    void        *cvode = CVodeCreate(CV_BDF, sunctx);
    const double h     = pi / (double)(p->s.n + 1);
    const double rate  = 4 * p->s.diffusion * pow(sin(h / 2), 2);
    double       most  = 0;
    sunrealtype  t     = 0;

    for (int64_t i = 0; i < p->s.rows; i++)
        N_VGetArrayPointer(y)[i] = sin(h * (double)(p->s.first + i + 1));
    CVodeInit(cvode, rhs, 0, y);
    CVodeSetUserData(cvode, p);
    CVodeSStolerances(cvode, 1e-5, 1e-7);
    CVodeSetLinearSolver(cvode, LS, A);
    CVodeSetJacFn(cvode, jacobian);
    const int code = CVode(cvode, 0.3, y, &t, CV_NORMAL);

    for (int64_t i = 0; i < p->s.rows; i++)
        most =
            fmax(most, fabs(N_VGetArrayPointer(y)[i]
                            - sin(h * (double)(p->s.first + i + 1)) * exp(-rate * t)));
    CVodeFree(&cvode);
    SUNLinSolFree(LS);
    N_VDestroy(y);
    return code >= 0 && most < 1e-3;
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    SUNContext     sunctx;
    SUNMatrix      A = NULL, none = NULL;
    cairn_csr      rows  = CAIRN_CSR;
    int            right = 0;

    MPI_Init(&argc, &argv);
    SUNContext_Create(CAIRN_SUN_NO_COMM, &sunctx);
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context)) return 1;
    const int rank = cairn_context_rank(context);
    problem   p    = {.s = begin(rank, cairn_context_size(context))};

    rows.global_rows = rows.global_cols = p.s.n;
    rows.first_row                      = p.s.first;
    rows.rows                           = p.s.rows;
    rows.ptr                            = p.s.ptr;
    rows.idx                            = p.s.idx;
    if (!cairn_sunmatrix_create(context, &rows, "bdia<16>", sunctx, &A)) {
        p.J = SUNMatClone(A);
        jacobian(0, NULL, NULL, p.J, &p, NULL, NULL, NULL);
        right = integrate(&p, A, MPI_COMM_WORLD, sunctx);
        SUNMatDestroy(p.J);
        SUNMatDestroy(A);
    }
    // The last rank's pattern lacks its diagonal: no rank has a matrix.
    if (rank == cairn_context_size(context) - 1) p.s.idx[p.s.ptr[p.s.rows] - 1] = 0;
    right = right
            && cairn_sunmatrix_create(context, &rows, NULL, sunctx, &none)
                   == CAIRN_BAD_SHAPE
            && !none;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (right && rank == 0) puts("as it is known");
    SUNContext_Free(&sunctx);
    cairn_context_destroy(&context);
    MPI_Finalize();
    return !right;
}
