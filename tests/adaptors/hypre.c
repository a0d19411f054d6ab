// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// hypre's solvers with Cairn's products beside the same with their own: iterations and
/// results of all methods, with and without BoomerAMG; formats, new values, empty ranks,
/// a communicator of some of the ranks, and failures.

#include <cairn/hypre.h>
#include <cairn/mpi.h>

#include <_hypre_IJ_mv.h>
#include <dlfcn.h>
#include <HYPRE_lobpcg.h>
#include <stdio.h>

static int wrong;   ///< Something did not hold; the program's exit status.
static int several; ///< There are ranks beside this one.

static void expect(bool right, const char *what, const char *which)
{
    if (right) return;
    wrong = 1;
    fprintf(stderr, "wrong: %s: %s\n", which, what);
}

/// @name The library's products, counted, and made to fail
/// @{

static int runs;       ///< Of plans, so far.
static int fails_from; ///< The runs from here on fail; 0: none.

cairn_status cairn_plan_run(cairn_plan *plan, const void *x, void *y)
{
    cairn_status (*library)(cairn_plan *, const void *, void *) = NULL;

    *(void **)&library = dlsym(RTLD_NEXT, "cairn_plan_run");
    if (++runs >= fails_from && fails_from > 0) return CAIRN_COMM;
    return library(plan, x, y);
}

/// @}

/// A matrix of hypre's with a right-hand side, a start and room for a result.
typedef struct {
    MPI_Comm           comm;
    HYPRE_IJMatrix     ij;
    HYPRE_ParCSRMatrix matrix;
    HYPRE_IJVector     vector[2];
    HYPRE_ParVector    b, x;
    HYPRE_Solver       amg; ///< Set up once: a setup takes hypre many messages.
    HYPRE_Int          rows;
    HYPRE_BigInt       first;
} problem;

enum { SIDE = 16, POINTS = SIDE * SIDE };

/// Upwind convection and diffusion on a square of SIDE x SIDE points: symmetric without
/// @p wind. Set or overwrite the values.
static void assemble(const problem *p, double wind, double scale)
{
    HYPRE_IJMatrixInitialize(p->ij);
    for (HYPRE_BigInt row = p->first; row < p->first + p->rows; row++) {
        const HYPRE_BigInt i = row / SIDE, j = row % SIDE;
        HYPRE_BigInt       cols[5];
        HYPRE_Complex      values[5];
        HYPRE_Int          n = 0;

#define ENTRY(where, column, value) \
    if (where) {                    \
        cols[n]     = (column);     \
        values[n++] = (value);      \
    }
        ENTRY(i > 0, row - SIDE, -1.0)
        ENTRY(j > 0, row - 1, -1.0 - wind)
        ENTRY(true, row, 4.5 * scale + wind + 0.01 * (double)(row % 7))
        ENTRY(j < SIDE - 1, row + 1, -1.0)
        ENTRY(i < SIDE - 1, row + SIDE, -1.0)
#undef ENTRY
        HYPRE_IJMatrixSetValues(p->ij, 1, &n, &row, cols, values);
    }
    HYPRE_IJMatrixAssemble(p->ij);
}

/// Rows in unequal shares, none on rank 1 of three where @p empty.
static problem begin(MPI_Comm comm, double wind, bool empty)
{
    problem p = {.comm = comm};
    int     rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int share = POINTS / size, odd = size > 1 ? 5 : 0;

    p.first           = rank * share + (rank > 0 ? odd : 0);
    HYPRE_BigInt last = rank == size - 1 ? POINTS : (rank + 1) * share + odd;
    if (empty && size == 3) {
        p.first = rank == 0 ? 0 : 2 * share;
        last    = rank == 2 ? POINTS : 2 * share;
    }
    p.rows = (HYPRE_Int)(last - p.first);
    HYPRE_IJMatrixCreate(comm, p.first, last - 1, p.first, last - 1, &p.ij);
    HYPRE_IJMatrixSetObjectType(p.ij, HYPRE_PARCSR);
    assemble(&p, wind, 1.0);
    HYPRE_IJMatrixGetObject(p.ij, (void **)&p.matrix);
    for (int k = 0; k < 2; k++) {
        HYPRE_IJVectorCreate(comm, p.first, last - 1, &p.vector[k]);
        HYPRE_IJVectorSetObjectType(p.vector[k], HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(p.vector[k]);
        HYPRE_IJVectorAssemble(p.vector[k]);
        HYPRE_IJVectorGetObject(p.vector[k], (void **)(k ? &p.x : &p.b));
    }
    HYPRE_ParVectorSetRandomValues(p.b, 7);
    return p;
}

static HYPRE_Int
already(HYPRE_Solver amg, HYPRE_Matrix A, HYPRE_Vector b, HYPRE_Vector x)
{
    (void)amg;
    (void)A;
    (void)b;
    (void)x;
    return 0;
}

/// BoomerAMG for one cycle.
static void precondition(problem *p)
{
    HYPRE_BoomerAMGCreate(&p->amg);
    HYPRE_BoomerAMGSetMaxIter(p->amg, 1);
    HYPRE_BoomerAMGSetTol(p->amg, 0.0);
    HYPRE_BoomerAMGSetPrintLevel(p->amg, 0);
    HYPRE_BoomerAMGSetMaxLevels(p->amg, 2);
    HYPRE_BoomerAMGSetup(p->amg, p->matrix, p->b, p->x);
}

static void end(problem *p)
{
    if (p->amg) HYPRE_BoomerAMGDestroy(p->amg);
    HYPRE_IJMatrixDestroy(p->ij);
    for (int k = 0; k < 2; k++)
        HYPRE_IJVectorDestroy(p->vector[k]);
}

static HYPRE_ParVector copy_of(HYPRE_ParVector v)
{
    HYPRE_ParVector copy = hypre_ParKrylovCreateVector(v);

    hypre_ParVectorCopy(v, copy);
    return copy;
}

/// The Euclidean norm of a - b over that of b.
static double distance(HYPRE_ParVector a, HYPRE_ParVector b)
{
    const hypre_Vector *u = hypre_ParVectorLocalVector(a),
                       *v = hypre_ParVectorLocalVector(b);
    double sum[2]         = {0, 0};

    for (HYPRE_Int i = 0; i < hypre_VectorSize(u); i++) {
        const double x = hypre_VectorData(u)[i], y = hypre_VectorData(v)[i];

        sum[0] += (x - y) * (x - y);
        sum[1] += y * y;
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, hypre_ParVectorComm(a));
    return sqrt(sum[0] / sum[1]);
}

/// Products of the first @p kinds of factors that solvers have, beside hypre's.
static void products(const problem *p, cairn_hypre *op, int kinds, const char *which)
{
    static const double factor[][2] = {
        {1,   0 },
        {-1,  1 },
        {0.5, 0 },
        {2,   -3},
        {0,   2 }
    };

    for (int k = 0; k < kinds; k++) {
        HYPRE_ParVector x = copy_of(p->b), theirs = copy_of(p->b), ours = copy_of(p->b);
        const int       before = runs;
        HYPRE_Int       code;
        const HYPRE_Complex alpha = factor[k][0], beta = factor[k][1];

        hypre_ParVectorScale(1.5, x);
        hypre_ParCSRMatrixMatvec(alpha, p->matrix, x, beta, theirs);
        code = cairn_hypre_matvec(op, alpha, p->matrix, x, beta, ours);
        expect(code == 0 && distance(ours, theirs) < 1e-14, "a product", which);
        expect(runs == before + (alpha != 0), "whose product it is", which);
        hypre_ParVectorDestroy(x);
        hypre_ParVectorDestroy(theirs);
        hypre_ParVectorDestroy(ours);
    }
}

/// A method, by hypre's functions of it.
typedef struct {
    const char *name;
    bool        symmetric; ///< It wants a symmetric matrix.
    HYPRE_Int (*create)(MPI_Comm, HYPRE_Solver *);
    HYPRE_Int (*destroy)(HYPRE_Solver);
    HYPRE_Int (*tolerance)(HYPRE_Solver, HYPRE_Real);
    HYPRE_Int (*most)(HYPRE_Solver, HYPRE_Int);
    HYPRE_Int (*precondition)(HYPRE_Solver,
                              HYPRE_PtrToSolverFcn,
                              HYPRE_PtrToSolverFcn,
                              HYPRE_Solver);
    HYPRE_Int (*setup)(HYPRE_Solver, HYPRE_Matrix, HYPRE_Vector, HYPRE_Vector);
    HYPRE_Int (*solve)(HYPRE_Solver, HYPRE_Matrix, HYPRE_Vector, HYPRE_Vector);
    HYPRE_Int (*iterations)(HYPRE_Solver, HYPRE_Int *);
    HYPRE_Int (*use)(HYPRE_Solver, cairn_hypre *);
} method;

static const method methods[] = {
#define X(name, Method)                \
    {#name,                            \
     sizeof #name == sizeof "pcg",     \
     HYPRE_ParCSR##Method##Create,     \
     HYPRE_ParCSR##Method##Destroy,    \
     HYPRE_##Method##SetTol,           \
     HYPRE_##Method##SetMaxIter,       \
     HYPRE_##Method##SetPrecond,       \
     HYPRE_##Method##Setup,            \
     HYPRE_##Method##Solve,            \
     HYPRE_##Method##GetNumIterations, \
     cairn_hypre_##name},
    CAIRN_HYPRE_METHODS(X)
#undef X
};

/// Solve from 0; iterations, or -1 of a failure. The product is hypre's without @p op.
static HYPRE_Int solve(const problem *p, const method *m, cairn_hypre *op, bool amg)
{
    HYPRE_Solver solver;
    HYPRE_Int    iterations = -1;

    m->create(p->comm, &solver);
    m->tolerance(solver, 1e-4);
    m->most(solver, 40);
    if (amg)
        m->precondition(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, already,
                        p->amg);
    HYPRE_ParVectorSetConstantValues(p->x, 0.0);
    m->setup(solver, (HYPRE_Matrix)p->matrix, (HYPRE_Vector)p->b, (HYPRE_Vector)p->x);
    if (op) m->use(solver, op);
    if (m->solve(solver, (HYPRE_Matrix)p->matrix, (HYPRE_Vector)p->b,
                 (HYPRE_Vector)p->x)
        == 0)
        m->iterations(solver, &iterations);
    m->destroy(solver);
    return iterations;
}

static void
solvers(const problem *p, cairn_hypre *op, bool symmetric, const char *which)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int amg = 0; amg < 2; amg++) {
            const method *m = &methods[k];
            char          what[120];

            // Every iteration is some messages, which take long where ranks share cores.
            if (m->symmetric != symmetric || (amg && !symmetric && several)) continue;
            const HYPRE_Int theirs = solve(p, m, NULL, amg);
            HYPRE_ParVector x      = copy_of(p->x);
            const int       before = runs;
            const HYPRE_Int ours   = solve(p, m, op, amg);

            snprintf(what, sizeof what, "%s%s: %d iterations, hypre has %d", m->name,
                     amg ? " with BoomerAMG" : "", (int)ours, (int)theirs);
            expect(theirs > 2 && ours == theirs && 2 * (runs - before) > ours, what,
                   which);
            expect(distance(p->x, x) < 1e-8, what, which);
            hypre_ParVectorDestroy(x);
        }
}

/// The least eigenvalues by LOBPCG, preconditioned by BoomerAMG.
static HYPRE_Int lobpcg(const problem *p, cairn_hypre *op, double *lambda)
{
    mv_InterfaceInterpreter interpreter;
    HYPRE_MatvecFunctions   functions;
    HYPRE_Solver            solver;
    mv_MultiVectorPtr       vectors;
    HYPRE_Int               iterations;

    HYPRE_ParCSRSetupInterpreter(&interpreter);
    if (op)
        cairn_hypre_lobpcg(&functions);
    else
        HYPRE_ParCSRSetupMatvec(&functions);
    vectors = mv_MultiVectorCreateFromSampleVector(&interpreter, several ? 1 : 3, p->x);
    mv_MultiVectorSetRandom(vectors, 5);
    HYPRE_LOBPCGCreate(&interpreter, &functions, &solver);
    HYPRE_LOBPCGSetMaxIter(solver, several ? 6 : 60);
    HYPRE_LOBPCGSetTol(solver, 1e-5);
    HYPRE_LOBPCGSetPrintLevel(solver, 0);
    HYPRE_LOBPCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve, already,
                           p->amg);
    if (op) HYPRE_LOBPCGSetupT(solver, (HYPRE_Matrix)p->matrix, (HYPRE_Vector)p->x);
    HYPRE_LOBPCGSetup(solver, op ? (HYPRE_Matrix)op : (HYPRE_Matrix)p->matrix,
                      (HYPRE_Vector)p->b, (HYPRE_Vector)p->x);
    HYPRE_LOBPCGSolve(solver, NULL, vectors, lambda);
    iterations = HYPRE_LOBPCGIterations(solver);
    HYPRE_LOBPCGDestroy(solver);
    mv_MultiVectorDestroy(vectors);
    return iterations;
}

static void eigenvalues(const problem *p, cairn_hypre *op, const char *which)
{
    double          theirs[3], ours[3];
    char            what[120];
    const HYPRE_Int n      = lobpcg(p, NULL, theirs);
    const int       before = runs;
    const HYPRE_Int m      = lobpcg(p, op, ours);

    snprintf(what, sizeof what, "lobpcg: %d iterations, hypre has %d", (int)m, (int)n);
    expect(n > 2 && m == n && runs > before + m, what, which);
    for (int k = 0; k < (several ? 1 : 3); k++)
        expect(fabs(ours[k] - theirs[k]) < 1e-9 * theirs[k], what, which);
    // Where it may not converge that is an error of hypre's.
    expect(several || HYPRE_GetError() == 0, what, which);
    HYPRE_ClearAllErrors();
}

/// All of it in a format; with @p wind the matrix is not symmetric.
static void
stored(cairn_context *context, MPI_Comm comm, const char *format, int wind, bool solved)
{
    const char  *which = format ? format : "rows";
    problem      p     = begin(comm, wind, false);
    cairn_hypre *op    = NULL;

    expect(cairn_hypre_create(context, p.matrix, format, &op) == CAIRN_OK,
           cairn_context_message(context), which);
    if (op) {
        products(&p, op, 5, which);
        if (solved) precondition(&p);
        if (solved) solvers(&p, op, !wind, which);
        if (solved && !wind) eigenvalues(&p, op, which);
        assemble(&p, wind, 1.25);
        expect(cairn_hypre_update(op) == CAIRN_OK, "new values", which);
        products(&p, op, 2, which);
    }
    cairn_hypre_destroy(&op);
    expect(!op, "what is destroyed is NULL", which);
    end(&p);
}

/// A Setup takes the product back, and NULL does.
static void taken_back(cairn_context *context)
{
    problem      p  = begin(MPI_COMM_WORLD, 0, false);
    cairn_hypre *op = NULL;
    HYPRE_Solver pcg;
    int          before;

    HYPRE_ClearAllErrors();
    if (cairn_hypre_create(context, p.matrix, "csr", &op)) return;
    HYPRE_ParCSRPCGCreate(p.comm, &pcg);
    HYPRE_PCGSetTol(pcg, 1e-6);
    for (int k = 0; k < 3; k++) {
        HYPRE_ParVectorSetConstantValues(p.x, 0.0);
        if (k < 2) HYPRE_ParCSRPCGSetup(pcg, p.matrix, p.b, p.x);
        if (k != 1) cairn_hypre_pcg(pcg, k == 0 ? op : NULL);
        before = runs;
        expect(HYPRE_ParCSRPCGSolve(pcg, p.matrix, p.b, p.x) == 0, "solved",
               "taken back");
        expect((runs > before) == (k == 0), "whose product it is", "taken back");
    }
    HYPRE_ParCSRPCGDestroy(pcg);
    cairn_hypre_destroy(&op);
    end(&p);
}

/// A product that fails is an error of the solver's on all ranks, and the next one is none.
static void failures(cairn_context *context)
{
    problem      p  = begin(MPI_COMM_WORLD, 0, false);
    cairn_hypre *op = NULL;

    if (cairn_hypre_create(context, p.matrix, "csr", &op)) return;
    for (size_t k = 0; k < (several ? 2 : sizeof methods / sizeof *methods); k++) {
        HYPRE_ClearAllErrors();
        op->status = CAIRN_OK;
        fails_from = runs + 4;
        expect(solve(&p, &methods[k], op, false) == -1, methods[k].name, "a failure");
        expect(HYPRE_GetError() & HYPRE_ERROR_GENERIC, methods[k].name, "a failure");
        expect(op->status == CAIRN_COMM, methods[k].name, "a failure");
        fails_from = 0;
        HYPRE_ClearAllErrors();
        expect(solve(&p, &methods[k], op, false) > 2, methods[k].name,
               "after a failure");
    }
    cairn_hypre_destroy(&op);
    end(&p);
}

/// Vectors of a matrix of half as many points, on all ranks.
static void other_lengths(cairn_context *context)
{
    problem        p  = begin(MPI_COMM_WORLD, 0, false);
    cairn_hypre   *op = NULL;
    HYPRE_IJVector ij;
    void          *shorter;

    if (!cairn_hypre_create(context, p.matrix, "csr", &op)) {
        HYPRE_IJVectorCreate(MPI_COMM_WORLD, p.first / 2, (p.first + p.rows) / 2 - 1,
                             &ij);
        HYPRE_IJVectorSetObjectType(ij, HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(ij);
        HYPRE_IJVectorGetObject(ij, &shorter);
        for (int k = 0; k < 2; k++) {
            HYPRE_ClearAllErrors();
            expect(cairn_hypre_multiply(op, 1, k ? p.b : shorter, 0, k ? shorter : p.x)
                       & HYPRE_ERROR_ARG,
                   "a shorter vector", "refused");
        }
        HYPRE_ClearAllErrors();
        HYPRE_IJVectorDestroy(ij);
    }
    cairn_hypre_destroy(&op);
    end(&p);
}

/// What cannot be made is not made, on any rank.
static void refusals(cairn_context *context)
{
    problem        p     = begin(MPI_COMM_WORLD, 0, false);
    cairn_context *alone = NULL, *small = NULL;
    cairn_hypre   *op = NULL;

    expect(cairn_hypre_create(context, cairn_context_rank(context) ? p.matrix : NULL,
                              NULL, &op)
               == CAIRN_BAD_ARGUMENT,
           "no matrix on one rank", "refused");
    expect(cairn_hypre_create(context, p.matrix, "crs<", &op) == CAIRN_BAD_SYNTAX,
           "no format", "refused");
    expect(cairn_hypre_create(NULL, p.matrix, NULL, &op) == CAIRN_BAD_ARGUMENT,
           "no context", "refused");
    expect(cairn_hypre_update(NULL) == CAIRN_BAD_ARGUMENT, "no matrix", "refused");
    if (!cairn_context_create(&alone))
        expect(cairn_hypre_create(alone, p.matrix, NULL, &op)
                   == (several ? CAIRN_BAD_ARGUMENT : CAIRN_OK),
               "a context of one rank", "refused");
    cairn_hypre_destroy(&op);
    if (!cairn_context_create_mpi(MPI_COMM_WORLD, &small)
        && !cairn_context_set_memory(small, 2000))
        expect(cairn_hypre_create(small, p.matrix, "csr", &op) == CAIRN_NO_MEMORY,
               "too little memory", "refused");
    expect(!op, "nothing is made", "refused");
    cairn_context_destroy(&small);
    cairn_context_destroy(&alone);
    HYPRE_ClearAllErrors();
    cairn_hypre_pcg(NULL, NULL);
    expect(HYPRE_GetError() & HYPRE_ERROR_ARG, "no solver", "refused");
    HYPRE_ClearAllErrors();
    cairn_hypre_lobpcg(NULL);
    expect(HYPRE_GetError() & HYPRE_ERROR_ARG, "no functions", "refused");
    HYPRE_ClearAllErrors();
    end(&p);
}

/// One rank has no rows; and, beside it, a communicator of all ranks but one, which waits.
static void few_rows_and_ranks(cairn_context *context)
{
    problem        p    = begin(MPI_COMM_WORLD, 1, true);
    cairn_hypre   *op   = NULL;
    cairn_context *some = NULL;
    MPI_Comm       comm;
    const int      rank = cairn_context_rank(context);

    if (!cairn_hypre_create(context, p.matrix, "csr", &op))
        products(&p, op, 2, "a rank without rows");
    else
        expect(false, cairn_context_message(context), "a rank without rows");
    cairn_hypre_destroy(&op);
    end(&p);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &comm);
    if (comm != MPI_COMM_NULL) {
        if (!cairn_context_create_mpi(comm, &some))
            stored(some, comm, "csr", 1, false);
        else
            expect(false, cairn_context_message(some), "some ranks");
        cairn_context_destroy(&some);
        MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Compiled with wider numbers than the library's: refused before anything is read.
static void other_widths(cairn_context *context)
{
    HYPRE_IJMatrix ij;
    void          *matrix;
    cairn_hypre   *op   = NULL;
    const int      rank = cairn_context_rank(context);

    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, rank, rank, rank, rank, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(ij);
    HYPRE_IJMatrixGetObject(ij, &matrix);
    expect(cairn_hypre_create(context, matrix, NULL, &op) == CAIRN_UNSUPPORTED && !op,
           "other widths", "refused");
    HYPRE_IJMatrixDestroy(ij);
}

int main(int argc, char **argv)
{
    cairn_context *context = NULL;
    const bool     widths  = argc > 1 && strcmp(argv[1], "widths") == 0;

    MPI_Init(&argc, &argv);
    HYPRE_Init();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context)) {
        fprintf(stderr, "%s\n", cairn_context_message(context));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    several = cairn_context_size(context) > 1;
    if (widths)
        other_widths(context);
    else {
        stored(context, MPI_COMM_WORLD, NULL, 1, false);
        stored(context, MPI_COMM_WORLD, "bdia<32>", 0, true);
        stored(context, MPI_COMM_WORLD, "sell<8>", 1, true);
        stored(context, MPI_COMM_WORLD, "hybrid<bdia<8>,csr,0.6>", 1, false);
        stored(context, MPI_COMM_WORLD, "auto", 1, false);
        taken_back(context);
        failures(context);
        other_lengths(context);
        refusals(context);
        few_rows_and_ranks(context);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!wrong && cairn_context_rank(context) == 0) puts("as hypre");
    cairn_context_destroy(&context);
    HYPRE_Finalize();
    MPI_Finalize();
    return wrong;
}
