// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program of SUNDIALS: CVODE integrates u' = D u_xx - u^3 + g, Newton's systems are
/// solved by SPGMR. What Cairn adds are the matrix, in diagonals, and a solver around
/// SPGMR that multiplies by it; each new Jacobian is a refill. Build:
/// cc sundials_cvode.c $(pkg-config --cflags --libs cairn) -lsundials_cvode
///     -lsundials_nvecserial -lsundials_sunlinsolspgmr -lm

#include <cairn/sundials.h>

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_spgmr.h>

enum { POINTS = 200 };

/// The rows of the Jacobian: each point and its neighbours.
typedef struct {
    int32_t ptr[POINTS + 1], idx[3 * POINTS];
    double  diffusion; ///< D over the square of the distance of two points.
    double  rate;      ///< The solution is sin(pi x) exp(-rate t), by the choice of g.
} problem;

static const double pi = 3.14159265358979323846;

static void begin(problem *p)
{
    int32_t n = 0;

    p->diffusion = 0.1 * (POINTS + 1) * (POINTS + 1);
    p->rate      = 4 * p->diffusion * pow(sin(pi / (2 * (POINTS + 1))), 2);
    for (int32_t i = 0; i < POINTS; i++) {
        p->ptr[i] = n;
        for (int32_t j = i > 0 ? i - 1 : 0; j < POINTS && j <= i + 1; j++)
            p->idx[n++] = j;
    }
    p->ptr[POINTS] = n;
}

static double solution(const problem *p, int i, double t)
{
    return sin(pi * (i + 1) / (POINTS + 1)) * exp(-p->rate * t);
}

static int rhs(sunrealtype t, N_Vector y, N_Vector f, void *user)
{
    const problem     *p = user;
    const sunrealtype *u = N_VGetArrayPointer(y);
    sunrealtype       *v = N_VGetArrayPointer(f);

    for (int i = 0; i < POINTS; i++) {
        const double left = i > 0 ? u[i - 1] : 0, right = i < POINTS - 1 ? u[i + 1] : 0;

        v[i] = p->diffusion * (left - 2 * u[i] + right) - u[i] * u[i] * u[i]
               + pow(solution(p, i, t), 3);
    }
    return 0;
}

/// Into the values, in the order of the rows that the matrix was made of.
static int jacobian(sunrealtype t,
                    N_Vector    y,
                    N_Vector    f,
                    SUNMatrix   J,
                    void       *user,
                    N_Vector    a,
                    N_Vector    b,
                    N_Vector    c)
{
    const problem     *p     = user;
    const sunrealtype *u     = N_VGetArrayPointer(y);
    sunrealtype       *value = cairn_sunmatrix_values(J);

    (void)t, (void)f, (void)a, (void)b, (void)c;
    for (int i = 0; i < POINTS; i++)
        for (int32_t k = p->ptr[i]; k < p->ptr[i + 1]; k++)
            value[k] =
                p->idx[k] == i ? -2 * p->diffusion - 3 * u[i] * u[i] : p->diffusion;
    return 0;
}

/// To t = 1; how far the result is from the solution, or 1 of a failure.
static double integrate(const problem *p, SUNMatrix A, SUNContext sunctx)
{
    N_Vector        y = N_VNew_Serial(POINTS, sunctx);
    SUNLinearSolver LS =
        cairn_sunlinsol(SUNLinSol_SPGMR(y, SUN_PREC_NONE, 40, sunctx), sunctx);
    void       *cvode = CVodeCreate(CV_BDF, sunctx);
    long        steps = 0, setups = 0;
    double      error = 0;
    sunrealtype t;

    for (int i = 0; i < POINTS; i++)
        N_VGetArrayPointer(y)[i] = solution(p, i, 0);
    CVodeInit(cvode, rhs, 0, y);
    CVodeSetUserData(cvode, (void *)p);
    CVodeSStolerances(cvode, 1e-7, 1e-9);
    CVodeSetLinearSolver(cvode, LS, A);
    CVodeSetJacFn(cvode, jacobian);
    if (CVode(cvode, 1, y, &t, CV_NORMAL) < 0) error = 1;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    for (int i = 0; i < POINTS && error < 1; i++)
        error = fmax(error, fabs(N_VGetArrayPointer(y)[i] - solution(p, i, t)));
    if (error < 1) printf("%ld steps, values stored %ld times\n", steps, setups);
    CVodeFree(&cvode);
    SUNLinSolFree(LS);
    N_VDestroy(y);
    return error;
}

int main(void)
{
    problem        p;
    cairn_context *context = NULL;
    cairn_csr      rows    = CAIRN_CSR;
    SUNContext     sunctx;
    SUNMatrix      A     = NULL;
    double         error = 1;

    begin(&p);
    rows.global_rows = rows.global_cols = POINTS;
    rows.ptr                            = p.ptr;
    rows.idx                            = p.idx;
    rows.ptr_bits = rows.idx_bits = 32;
    if (SUNContext_Create(CAIRN_SUN_NO_COMM, &sunctx)) return 1;
    cairn_status status = cairn_context_create(&context);
    if (!status) status = cairn_sunmatrix_create(context, &rows, "dia", sunctx, &A);
    if (!status) error = integrate(&p, A, sunctx);
    if (status || error == 1) fprintf(stderr, "%s\n", cairn_context_message(context));
    if (A) SUNMatDestroy(A);
    cairn_context_destroy(&context);
    SUNContext_Free(&sunctx);
    return error < 1e-5 ? 0 : 1;
}
