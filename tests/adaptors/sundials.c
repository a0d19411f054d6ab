// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// CVODE, ARKODE, IDA and KINSOL with Newton-Krylov over Cairn's matrix beside the same
/// over SUNDIALS's sparse one: steps, iterations and results; what is refilled, and how
/// often; operations of a matrix, and failures.

#include <cairn/sundials.h>

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <dlfcn.h>
#include <ida/ida.h>
#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_openmp.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_spbcgs.h>
#include <sunlinsol/sunlinsol_spfgmr.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_sparse.h>

static int wrong; ///< Something did not hold; the program's exit status.

static void expect(bool right, const char *what, const char *which)
{
    if (right) return;
    wrong = 1;
    fprintf(stderr, "wrong: %s: %s\n", which, what);
}

/// @name The library's calls, counted, and made to fail
/// @{

static int runs, refills, stores; ///< So far.
static int fails_from;            ///< The runs from here on fail; 0: none.

static void *library(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    cairn_status (*call)(cairn_plan *, const void *, void *) = NULL;

    *(void **)&call = library("cairn_plan_run");
    if (++runs >= fails_from && fails_from > 0) return CAIRN_COMM;
    return call(plan, x, y);
}

cairn_status cairn_tensor_update(cairn_tensor *tensor, const void *val)
{
    cairn_status (*call)(cairn_tensor *, const void *) = NULL;

    *(void **)&call = library("cairn_tensor_update");
    refills++;
    return call(tensor, val);
}

cairn_status cairn_tensor_from_rows(cairn_context      *context,
                                    const cairn_csr    *rows,
                                    cairn_copy_mode     mode,
                                    const cairn_format *format,
                                    cairn_tensor      **tensor)
{
    cairn_status (*call)(cairn_context *, const cairn_csr *, cairn_copy_mode,
                         const cairn_format *, cairn_tensor **) = NULL;

    *(void **)&call = library("cairn_tensor_from_rows");
    stores++;
    return call(context, rows, mode, format, tensor);
}

/// @}

/// u' = diffusion of u on a square of SIDE x SIDE points, and a reaction that makes it
/// stiff and not linear.
enum { SIDE = 20, POINTS = SIDE * SIDE, MOST = 5 * POINTS };

/// The pattern of the Jacobian, by rows, its columns ascending.
static struct {
    sunindextype ptr[POINTS + 1], idx[MOST];
    int          n;
} pattern;

static int neighbours(int row, int col[5])
{
    const int i = row / SIDE, j = row % SIDE;
    int       n = 0;

    if (i > 0) col[n++] = row - SIDE;
    if (j > 0) col[n++] = row - 1;
    col[n++] = row;
    if (j < SIDE - 1) col[n++] = row + 1;
    if (i < SIDE - 1) col[n++] = row + SIDE;
    return n;
}

static int rhs(sunrealtype t, N_Vector y, N_Vector f, void *user)
{
    const sunrealtype *u = N_VGetArrayPointer(y);
    sunrealtype       *v = N_VGetArrayPointer(f);

    (void)t;
    (void)user;
    for (int row = 0; row < POINTS; row++) {
        int       col[5];
        const int n = neighbours(row, col);

        v[row] = -40 * 5 * u[row];
        for (int k = 0; k < n; k++)
            v[row] += 40 * u[col[k]];
        v[row] += 3 * u[row] * u[row] * (2 - u[row]);
    }
    return 0;
}

/// Into the values of either kind of matrix, in the order of the pattern.
static int jacobian(sunrealtype t,
                    N_Vector    y,
                    N_Vector    f,
                    SUNMatrix   J,
                    void       *user,
                    N_Vector    a,
                    N_Vector    b,
                    N_Vector    c)
{
    const sunrealtype *u    = N_VGetArrayPointer(y);
    const bool         ours = SUNMatGetID(J) == SUNMATRIX_CUSTOM;
    sunrealtype *value = ours ? cairn_sunmatrix_values(J) : SUNSparseMatrix_Data(J);

    (void)t, (void)f, (void)user, (void)a, (void)b, (void)c;
    if (!ours) {
        memcpy(SUNSparseMatrix_IndexPointers(J), pattern.ptr, sizeof pattern.ptr);
        memcpy(SUNSparseMatrix_IndexValues(J), pattern.idx,
               (size_t)pattern.n * sizeof *pattern.idx);
    }
    for (int row = 0; row < POINTS; row++)
        for (sunindextype k = pattern.ptr[row]; k < pattern.ptr[row + 1]; k++)
            value[k] = pattern.idx[k] == row
                           ? -40 * 4 + 12 * u[row] - 9 * u[row] * u[row]
                           : 40;
    return 0;
}

static void make_pattern(void)
{
    for (int row = 0; row < POINTS; row++) {
        int       col[5];
        const int n = neighbours(row, col);

        for (int k = 0; k < n; k++)
            pattern.idx[pattern.n++] = col[k];
        pattern.ptr[row + 1] = pattern.n;
    }
}

static cairn_csr rows_of_pattern(void)
{
    cairn_csr rows = CAIRN_CSR;

    rows.global_rows = rows.global_cols = rows.rows = POINTS;
    rows.ptr                                        = pattern.ptr;
    rows.idx                                        = pattern.idx;
    rows.ptr_bits = rows.idx_bits = 8 * (int)sizeof(sunindextype);
    return rows;
}

static SUNMatrix
matrix_of(cairn_context *context, const char *format, SUNContext sunctx)
{
    const cairn_csr rows = rows_of_pattern();
    SUNMatrix       A    = NULL;

    if (!format) return SUNSparseMatrix(POINTS, POINTS, pattern.n, CSR_MAT, sunctx);
    expect(cairn_sunmatrix_create(context, &rows, format, sunctx, &A) == CAIRN_OK,
           cairn_context_message(context), format);
    return A;
}

/// What an integrator did.
typedef struct {
    int         code;
    long        steps, setups, jacobians, linear;
    sunrealtype y[POINTS];
} outcome;

typedef SUNLinearSolver krylov(N_Vector, SUNContext);

static SUNLinearSolver spgmr(N_Vector y, SUNContext sunctx)
{
    return SUNLinSol_SPGMR(y, SUN_PREC_NONE, 20, sunctx);
}

static SUNLinearSolver spfgmr(N_Vector y, SUNContext sunctx)
{
    return SUNLinSol_SPFGMR(y, SUN_PREC_NONE, 20, sunctx);
}

static SUNLinearSolver spbcgs(N_Vector y, SUNContext sunctx)
{
    return SUNLinSol_SPBCGS(y, SUN_PREC_NONE, 20, sunctx);
}

/// With a preconditioner from the left, precondition().
static SUNLinearSolver spgmr_left(N_Vector y, SUNContext sunctx)
{
    return SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 20, sunctx);
}

/// z = r / (1 + gamma d), the diagonal of the diffusion being -d.
static int precondition(sunrealtype t,
                        N_Vector    y,
                        N_Vector    f,
                        N_Vector    r,
                        N_Vector    z,
                        sunrealtype gamma,
                        sunrealtype delta,
                        int         side,
                        void       *user)
{
    (void)t, (void)y, (void)f, (void)delta, (void)side, (void)user;
    N_VScale(1 / (1 + 160 * gamma), r, z);
    return 0;
}

/// The start, in a serial vector or in one of two threads.
static N_Vector start(SUNContext sunctx, int threads)
{
    N_Vector y = threads > 1 ? N_VNew_OpenMP(POINTS, threads, sunctx)
                             : N_VNew_Serial(POINTS, sunctx);

    for (int k = 0; k < POINTS; k++)
        N_VGetArrayPointer(y)[k] = 1 + 0.5 * sin(0.1 * k) + 0.2 * (k % SIDE > 12);
    return y;
}

/// What the integrators say of failures, which are meant, is not shown.
static void be_quiet(SUNContext sunctx)
{
#if SUNDIALS_VERSION_MAJOR > 6
    SUNContext_ClearErrHandlers(sunctx);
#else
    (void)sunctx;
#endif
}

/// What an integrator is given: the start, a matrix and a linear solver.
typedef struct {
    SUNContext      sunctx;
    N_Vector        y;
    SUNMatrix       A;
    SUNLinearSolver LS;
} parts;

/// @p format NULL: SUNDIALS's sparse matrix.
static parts
make_parts(cairn_context *context, const char *format, krylov *solver, int threads)
{
    parts p;

    SUNContext_Create(CAIRN_SUN_NO_COMM, &p.sunctx);
    be_quiet(p.sunctx);
    p.y  = start(p.sunctx, threads);
    p.A  = matrix_of(context, format, p.sunctx);
    p.LS = cairn_sunlinsol(solver(p.y, p.sunctx), p.sunctx);
    expect(p.A && p.LS, "made", format ? format : "SUNDIALS's");
    return p;
}

/// After the integrator itself was freed: keep the result, free the rest.
static void free_parts(parts *p, outcome *o)
{
    memcpy(o->y, N_VGetArrayPointer(p->y), sizeof o->y);
    SUNLinSolFree(p->LS);
    SUNMatDestroy(p->A);
    N_VDestroy(p->y);
    SUNContext_Free(&p->sunctx);
}

static outcome
by_cvode(cairn_context *context, const char *format, krylov *solver, int threads)
{
    parts       p     = make_parts(context, format, solver, threads);
    void       *cvode = CVodeCreate(CV_BDF, p.sunctx);
    outcome     o     = {.code = -1};
    sunrealtype t;

    expect(cvode, "made", "cvode");
#if SUNDIALS_VERSION_MAJOR == 6
    CVodeSetErrFile(cvode, NULL);
#endif
    CVodeInit(cvode, rhs, 0.0, p.y);
    CVodeSStolerances(cvode, 1e-6, 1e-8);
    CVodeSetLinearSolver(cvode, p.LS, p.A);
    CVodeSetJacFn(cvode, jacobian);
    if (solver == spgmr_left) CVodeSetPreconditioner(cvode, NULL, precondition);
    o.code = CVode(cvode, 0.5, p.y, &t, CV_NORMAL);
    CVodeGetNumSteps(cvode, &o.steps);
    CVodeGetNumLinSolvSetups(cvode, &o.setups);
    CVodeGetNumJacEvals(cvode, &o.jacobians);
    CVodeGetNumLinIters(cvode, &o.linear);
    CVodeFree(&cvode);
    free_parts(&p, &o);
    return o;
}

static outcome by_arkode(cairn_context *context, const char *format, krylov *solver)
{
    parts       p      = make_parts(context, format, solver, 1);
    void       *arkode = ARKStepCreate(NULL, rhs, 0.0, p.y, p.sunctx);
    outcome     o      = {.code = -1};
    sunrealtype t;

    expect(arkode, "made", "arkode");
#if SUNDIALS_VERSION_MAJOR == 6
    ARKStepSetErrFile(arkode, NULL);
#endif
    ARKStepSStolerances(arkode, 1e-5, 1e-7);
    ARKStepSetLinearSolver(arkode, p.LS, p.A);
    ARKStepSetJacFn(arkode, jacobian);
    o.code = ARKStepEvolve(arkode, 0.2, p.y, &t, ARK_NORMAL);
    ARKStepGetNumSteps(arkode, &o.steps);
    ARKStepGetNumLinSolvSetups(arkode, &o.setups);
    ARKStepGetNumJacEvals(arkode, &o.jacobians);
    ARKStepGetNumLinIters(arkode, &o.linear);
    ARKStepFree(&arkode);
    free_parts(&p, &o);
    return o;
}

/// As an equation of u and u', F = u' - f(u).
static int residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    rhs(t, y, r, user);
    N_VLinearSum(1, yp, -1, r, r);
    return 0;
}

/// The values of c I - J, J being that of rhs().
static void shifted_jacobian(sunrealtype c, N_Vector y, SUNMatrix J)
{
    jacobian(0, y, NULL, J, NULL, NULL, NULL, NULL);
    sunrealtype *value = SUNMatGetID(J) == SUNMATRIX_CUSTOM ? cairn_sunmatrix_values(J)
                                                            : SUNSparseMatrix_Data(J);

    for (int row = 0; row < POINTS; row++)
        for (sunindextype k = pattern.ptr[row]; k < pattern.ptr[row + 1]; k++)
            value[k] = (pattern.idx[k] == row ? c : 0) - value[k];
}

static int residual_jacobian(sunrealtype t,
                             sunrealtype c,
                             N_Vector    y,
                             N_Vector    yp,
                             N_Vector    r,
                             SUNMatrix   J,
                             void       *user,
                             N_Vector    a,
                             N_Vector    b,
                             N_Vector    d)
{
    (void)t, (void)yp, (void)r, (void)user, (void)a, (void)b, (void)d;
    shifted_jacobian(c, y, J);
    return 0;
}

static outcome by_ida(cairn_context *context, const char *format, krylov *solver)
{
    parts       p   = make_parts(context, format, solver, 1);
    void       *ida = IDACreate(p.sunctx);
    N_Vector    yp  = N_VClone(p.y);
    outcome     o   = {.code = -1};
    sunrealtype t;

    expect(ida, "made", "ida");
    rhs(0, p.y, yp, NULL);
#if SUNDIALS_VERSION_MAJOR == 6
    IDASetErrFile(ida, NULL);
#endif
    IDAInit(ida, residual, 0.0, p.y, yp);
    IDASStolerances(ida, 1e-5, 1e-7);
    IDASetLinearSolver(ida, p.LS, p.A);
    IDASetJacFn(ida, residual_jacobian);
    o.code = IDASolve(ida, 0.2, &t, p.y, yp, IDA_NORMAL);
    IDAGetNumSteps(ida, &o.steps);
    IDAGetNumLinSolvSetups(ida, &o.setups);
    IDAGetNumJacEvals(ida, &o.jacobians);
    IDAGetNumLinIters(ida, &o.linear);
    IDAFree(&ida);
    N_VDestroy(yp);
    free_parts(&p, &o);
    return o;
}

enum { STEP = 2 }; ///< One over a step of Euler's backward method.

/// One such step from the start, which @p user has: F = STEP (u - u0) - f(u).
static int equation(N_Vector u, N_Vector f, void *user)
{
    rhs(0, u, f, NULL);
    N_VLinearSum(STEP, u, -1, f, f);
    N_VLinearSum(-STEP, user, 1, f, f);
    return 0;
}

static int equation_jacobian(N_Vector  u,
                             N_Vector  f,
                             SUNMatrix J,
                             void     *user,
                             N_Vector  a,
                             N_Vector  b)
{
    (void)f, (void)user, (void)a, (void)b;
    shifted_jacobian(STEP, u, J);
    return 0;
}

/// Newton's method, whose every iteration has a Jacobian of its own.
static outcome by_kinsol(cairn_context *context, const char *format, krylov *solver)
{
    parts    p      = make_parts(context, format, solver, 1);
    void    *kinsol = KINCreate(p.sunctx);
    N_Vector before = start(p.sunctx, 1), one = N_VClone(p.y);
    outcome  o = {.code = -1};

    expect(kinsol, "made", "kinsol");
    N_VConst(1, one);
#if SUNDIALS_VERSION_MAJOR == 6
    KINSetErrFile(kinsol, NULL);
#endif
    KINInit(kinsol, equation, p.y);
    KINSetUserData(kinsol, before);
    KINSetFuncNormTol(kinsol, 1e-9);
    KINSetMaxSetupCalls(kinsol, 1);
    KINSetLinearSolver(kinsol, p.LS, p.A);
    KINSetJacFn(kinsol, equation_jacobian);
    o.code = KINSol(kinsol, p.y, KIN_LINESEARCH, one, one);
    KINGetNumNonlinSolvIters(kinsol, &o.steps);
    KINGetNumJacEvals(kinsol, &o.jacobians);
    KINGetNumLinIters(kinsol, &o.linear);
    o.setups = o.jacobians;
    KINFree(&kinsol);
    N_VDestroy(before);
    N_VDestroy(one);
    free_parts(&p, &o);
    return o;
}

static void compare(const outcome *ours, const outcome *theirs, const char *which)
{
    char   what[160];
    double most = 0;

    snprintf(
        what, sizeof what,
        "code %d, %ld steps, %ld setups, %ld Jacobians, %ld iterations; SUNDIALS has "
        "%d, %ld, %ld, %ld, %ld",
        ours->code, ours->steps, ours->setups, ours->jacobians, ours->linear,
        theirs->code, theirs->steps, theirs->setups, theirs->jacobians, theirs->linear);
    expect(ours->code == 0 && theirs->code == 0 && theirs->steps > 2
               && ours->steps == theirs->steps && ours->setups == theirs->setups
               && ours->jacobians == theirs->jacobians
               && ours->linear == theirs->linear,
           what, which);
    for (int k = 0; k < POINTS; k++)
        most = fmax(most, fabs(ours->y[k] - theirs->y[k]));
    expect(most < 1e-8, "the result", which);
}

/// One storing, and then new values at each setup of the integrator's and no more.
static void integrators(cairn_context *context, const char *format, int threads)
{
    krylov *const solvers[] = {spgmr, spfgmr, spbcgs, spgmr_left};

    cairn_context_set_threads(context, threads);
    for (int k = 0; k < (strcmp(format, "csr") == 0 ? 4 : 1); k++) {
        const outcome theirs = by_cvode(context, NULL, solvers[k], threads);

        runs = refills = stores = 0;
        const outcome ours      = by_cvode(context, format, solvers[k], threads);

        compare(&ours, &theirs, format);
        expect(runs >= ours.linear && ours.jacobians > 1, "its products are ours",
               format);
        expect(refills == ours.setups - 1 && ours.setups > ours.jacobians,
               "a refill for each setup but the first", format);
        expect(stores <= (strcmp(format, "auto") == 0 ? 2 : 1), "stored once", format);
    }
    static const struct {
        const char *name;
        outcome (*by)(cairn_context *, const char *, krylov *);
    } other[] = {
        {"arkode", by_arkode},
        {"ida",    by_ida   },
        {"kinsol", by_kinsol}
    };

    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        const outcome theirs = other[k].by(context, NULL, spgmr);

        runs = refills = stores = 0;
        const outcome ours      = other[k].by(context, format, spgmr);

        compare(&ours, &theirs, other[k].name);
        expect(runs >= ours.linear && refills == ours.setups - 1 && refills > 1,
               "refills", other[k].name);
    }
}

/// Operations beside the same of a sparse matrix, through products.
static void operations(cairn_context *context)
{
    SUNContext sunctx;
    long       reals, integers;

    SUNContext_Create(CAIRN_SUN_NO_COMM, &sunctx);
    be_quiet(sunctx);
    N_Vector  x = start(sunctx, 1), ours = N_VClone(x), theirs = N_VClone(x);
    SUNMatrix A = matrix_of(context, "sell<8>", sunctx), other = NULL;
    SUNMatrix S = matrix_of(context, NULL, sunctx);

    jacobian(0, x, x, A, NULL, x, x, x);
    jacobian(0, x, x, S, NULL, x, x, x);
    SUNMatrix B = SUNMatClone(A), T = SUNMatClone(S);

    for (int k = 0; k < 5; k++) {
        if (k == 1)
            expect(!SUNMatScaleAddI(-0.5, A) && !SUNMatScaleAddI(-0.5, S), "I", "A");
        if (k == 2) expect(!SUNMatCopy(A, B) && !SUNMatCopy(S, T), "a copy", "A");
        if (k == 3)
            expect(!SUNMatScaleAdd(3, A, B) && !SUNMatScaleAdd(3, S, T), "+", "A");
        if (k == 4) expect(!SUNMatZero(A) && !SUNMatScaleAddI(1, A), "zero", "A");
        expect(!SUNMatMatvec(k == 2 ? B : A, x, ours), "a product", "A");
        if (k == 4)
            N_VScale(1, x, theirs);
        else
            SUNMatMatvec(k == 2 ? T : S, x, theirs);
        N_VLinearSum(1, ours, -1, theirs, ours);
        expect(N_VMaxNorm(ours) <= 1e-12 * N_VMaxNorm(theirs), "as SUNDIALS", "A");
    }
    expect(!SUNMatSpace(A, &reals, &integers) && reals == pattern.n, "its space", "A");
    N_Vector longer = N_VNew_Serial(POINTS + 1, sunctx);

    expect(SUNMatMatvec(A, longer, ours) == CAIRN_SUN_ILL_INPUT
               && SUNMatMatvec(A, x, longer) == CAIRN_SUN_ILL_INPUT,
           "a longer vector", "refused");
    N_VDestroy(longer);
    // A matrix of another pattern object.
    other = matrix_of(context, "csr", sunctx);
    expect(SUNMatCopy(A, other) == CAIRN_SUN_ILL_INPUT, "another pattern", "refused");
    expect(SUNMatScaleAdd(1, A, S) == CAIRN_SUN_ILL_INPUT, "another kind", "refused");
    // The clone outlives what it was made of.
    SUNMatDestroy(A);
    expect(!SUNMatMatvec(B, x, ours), "a clone alone", "B");
    SUNMatDestroy(B);
    SUNMatDestroy(S);
    SUNMatDestroy(T);
    SUNMatDestroy(other);
    N_VDestroy(x);
    N_VDestroy(ours);
    N_VDestroy(theirs);
    SUNContext_Free(&sunctx);
}

static void refusals(cairn_context *context)
{
    SUNContext     sunctx;
    cairn_csr      rows  = rows_of_pattern();
    SUNMatrix      A     = NULL;
    cairn_context *small = NULL;

    SUNContext_Create(CAIRN_SUN_NO_COMM, &sunctx);
    be_quiet(sunctx);
    expect(cairn_sunmatrix_create(context, &rows, "csr<", sunctx, &A)
               == CAIRN_BAD_SYNTAX,
           "no format", "refused");
    expect(cairn_sunmatrix_create(NULL, &rows, NULL, sunctx, &A) == CAIRN_BAD_ARGUMENT,
           "no context", "refused");
    expect(cairn_sunmatrix_create(context, NULL, NULL, sunctx, &A)
               == CAIRN_BAD_ARGUMENT,
           "no rows", "refused");
    expect(cairn_sunmatrix_create(context, &rows, NULL, sunctx, NULL)
               == CAIRN_BAD_ARGUMENT,
           "no place for it", "refused");
    rows.global_cols++;
    expect(cairn_sunmatrix_create(context, &rows, NULL, sunctx, &A) == CAIRN_BAD_SHAPE,
           "not square", "refused");
    rows                    = rows_of_pattern();
    const sunindextype kept = pattern.idx[0];

    pattern.idx[0] = 7;
    expect(cairn_sunmatrix_create(context, &rows, NULL, sunctx, &A) == CAIRN_BAD_SHAPE,
           "no diagonal", "refused");
    pattern.idx[0] = kept;
    pattern.idx[1] = POINTS + 5;
    N_Vector x     = start(sunctx, 1);

    expect(cairn_sunmatrix_create(context, &rows, NULL, sunctx, &A) == CAIRN_OK
               && SUNMatMatvec(A, x, x) == CAIRN_SUN_ILL_INPUT,
           "a column outside", "refused");
    pattern.idx[1] = 1;
    SUNMatDestroy(A);
    A              = NULL;
    pattern.ptr[2] = pattern.n + 1;
    expect(cairn_sunmatrix_create(context, &rows, NULL, sunctx, &A) == CAIRN_BAD_COORD,
           "rows that descend", "refused");
    pattern.ptr[2] = pattern.ptr[1] + 4;
    if (!cairn_context_create(&small) && !cairn_context_set_memory(small, 2000)
        && !cairn_sunmatrix_create(small, &rows, "csr", sunctx, &A))
        expect(SUNMatMatvec(A, x, x) == CAIRN_SUN_MEM_FAIL, "too little memory",
               "refused");
    SUNMatDestroy(A);
    cairn_context_destroy(&small);
    expect(!cairn_sunlinsol(NULL, sunctx), "no solver", "refused");
    N_VDestroy(x);
    SUNContext_Free(&sunctx);
}

/// A product that fails is the integrator's error, which comes back.
static void failures(cairn_context *context)
{
    fails_from = runs + 8;
    expect(by_cvode(context, "csr", spgmr, 1).code < 0, "a failure is an error",
           "cvode");
    fails_from = runs + 8;
    expect(by_ida(context, "csr", spgmr).code < 0, "a failure is an error", "ida");
    fails_from = runs + 8;
    expect(by_kinsol(context, "csr", spgmr).code < 0, "a failure is an error",
           "kinsol");
    fails_from = 0;
}

int main(void)
{
    cairn_context *context = NULL;
    int64_t        before, after;

    if (cairn_context_create(&context)) return 1;
    make_pattern();
    integrators(context, "csr", 1);
    integrators(context, "bdia<64>", 1);
    integrators(context, "bdia<64>", 2);
    integrators(context, "hybrid<bdia<8>,csr,0.6>", 2);
    integrators(context, "auto", 1);
    operations(context);
    cairn_context_memory(context, NULL, &before, NULL);
    operations(context);
    failures(context);
    refusals(context);
    cairn_context_memory(context, NULL, &after, NULL);
    expect(after == before, "what was taken is given back", "memory");
    cairn_context_destroy(&context);
    if (!wrong) puts("as SUNDIALS");
    return wrong;
}
