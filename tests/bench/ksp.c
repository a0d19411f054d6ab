// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Iterations of CG with Jacobi beside PETSc's KSP, on the same rows of the same matrix, in
/// turns: the least seconds from the end of an iteration to the end of the next, of all ranks
/// the slowest. Both solve for as many iterations from x = 0, with the norm of the residual in
/// each, and are told when one ends. Cairn in compressed rows, as PETSc's AIJ, and in the
/// format that `auto` chooses for 1,000 products. To be started by `mpirun -n 1` or `-n 2
/// --bind-to core`; tests/bench/ksp.sh does both.
///
/// With --products it is not CG, but products with x and y that lie outside of plans, beside
/// MatMult: seconds of one of ten in a row, the least of all tens, of all ranks the slowest.
/// Lines have the bytes that a product moves in the format that was chosen before its text.
///
/// bench_ksp [--turns N] [--iterations N] [--products] MATRIX..., each a file, or
/// stencil5:SIDE or stencil7:SIDE.

#include "bench.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <petscksp.h>
#include <string.h>

enum { PETSC, ROWS, CHOSEN, WAYS, TOGETHER = 10 };

static int            rank, size;
static cairn_context *context;
static int            turns = 9, iterations = 100;
static bool           products; ///< In place of CG.

static void must(cairn_status status, const char *what)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_ksp: %s: %s\n", what, cairn_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CALL(petsc)                                                   \
    do {                                                              \
        if ((petsc) != 0) {                                           \
            fprintf(stderr, "bench_ksp: PETSc failed: %s\n", #petsc); \
            MPI_Abort(MPI_COMM_WORLD, 1);                             \
        }                                                             \
    } while (0)

/// One way of Cairn's.
typedef struct {
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_plan   *plan;
} way;

/// PETSc's.
typedef struct {
    void       *ptr, *idx;
    double     *val;
    Mat         a;
    Vec         b, x;
    KSP         ksp;
    const char *type;
} peer;

static cairn_source *read_matrix(const char *name)
{
    const char   *behind = strchr(name, ':');
    cairn_source *source = NULL;
    cairn_problem p      = {.size = sizeof p};
    char          kind[32];

    if (!behind) {
        must(cairn_source_read(context, name, CAIRN_BY_NNZ, &source), name);
        return source;
    }
    snprintf(kind, sizeof kind, "%.*s", (int)(behind - name), name);
    p.nx = p.ny = strtoll(behind + 1, NULL, 10);
    p.nz        = strcmp(kind, "stencil7") == 0 ? p.nx : 1;
    must(cairn_source_generate(context, kind, &p, &source), name);
    return source;
}

static way store(cairn_source *source, cairn_format *format)
{
    way w = {.format = format};

    must(cairn_tensor_create(source, format, CAIRN_F64, &w.tensor), "store");
    must(cairn_plan_create_spmv(w.tensor, &w.plan), "plan");
    return w;
}

static void release(way *w)
{
    cairn_plan_destroy(&w->plan);
    cairn_tensor_destroy(&w->tensor);
    cairn_format_destroy(&w->format);
}

static double ended;    ///< When the last iteration did; 0: none of this turn.
static double shortest; ///< Seconds, of this turn.

static void note_end(void)
{
    const double now = MPI_Wtime();

    if (ended > 0 && now - ended < shortest) shortest = now - ended;
    ended = now;
}

/// So many took @p seconds together, of all ranks the slowest.
static void note_products(double seconds)
{
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (seconds / TOGETHER < shortest) shortest = seconds / TOGETHER;
}

static PetscErrorCode end_peers(KSP ksp, PetscInt k, PetscReal norm, void *user)
{
    (void)ksp, (void)k, (void)norm, (void)user;
    note_end();
    return 0;
}

static int end_own(void *user, const cairn_solve_state *state)
{
    (void)user, (void)state;
    note_end();
    return 0;
}

static void begin_turn(void)
{
    ended    = 0;
    shortest = 1e300;
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Of all ranks the slowest.
static double end_turn(void)
{
    MPI_Allreduce(MPI_IN_PLACE, &shortest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return shortest;
}

/// The same rows on the same ranks.
static peer make_peer(const cairn_tensor *tensor)
{
    const int        bits    = 8 * (int)sizeof(PetscInt);
    const int64_t    entries = cairn_tensor_entries(tensor);
    cairn_compressed rows    = CAIRN_COMPRESSED;
    int64_t          first, end;
    peer             p = {0};
    PC               pc;

    cairn_tensor_rows(tensor, &first, &end);
    p.ptr           = malloc((size_t)(end - first + 1) * sizeof(PetscInt));
    p.idx           = malloc((size_t)(entries + 1) * sizeof(PetscInt));
    p.val           = malloc((size_t)(entries + 1) * sizeof *p.val);
    rows.ptr        = p.ptr;
    rows.ptr_length = end - first + 1;
    rows.ptr_bits = rows.idx_bits = bits;
    rows.idx                      = p.idx;
    rows.val                      = p.val;
    rows.length                   = entries;
    must(cairn_tensor_to_csr(tensor, &rows), "rows");
    CALL(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, (PetscInt)(end - first),
                                   (PetscInt)(end - first), PETSC_DETERMINE,
                                   PETSC_DETERMINE, p.ptr, p.idx, p.val, &p.a));
    CALL(MatCreateVecs(p.a, &p.x, &p.b));
    CALL(VecSet(p.b, 1));
    CALL(KSPCreate(PETSC_COMM_WORLD, &p.ksp));
    CALL(KSPSetOperators(p.ksp, p.a, p.a));
    CALL(KSPSetType(p.ksp, KSPCG));
    CALL(KSPGetPC(p.ksp, &pc));
    CALL(PCSetType(pc, PCJACOBI));
    CALL(KSPSetNormType(p.ksp, KSP_NORM_UNPRECONDITIONED));
    CALL(KSPSetTolerances(p.ksp, 1e-300, 1e-300, 1e300, iterations));
    CALL(KSPMonitorSet(p.ksp, end_peers, NULL, NULL));
    CALL(KSPSetFromOptions(p.ksp));
    CALL(KSPSetUp(p.ksp));
    CALL(MatGetType(p.a, &p.type));
    return p;
}

static void release_peer(peer *p)
{
    CALL(KSPDestroy(&p->ksp));
    CALL(VecDestroy(&p->x));
    CALL(VecDestroy(&p->b));
    CALL(MatDestroy(&p->a));
    free(p->ptr);
    free(p->idx);
    free(p->val);
}

static void multiply_peer(const peer *p)
{
    begin_turn();
    for (int done = 0; done < iterations; done += TOGETHER) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();

        for (int k = 0; k < TOGETHER; k++)
            CALL(MatMult(p->a, p->b, p->x));
        note_products(MPI_Wtime() - begin);
    }
}

static void multiply_own(const way *w, const double *x, double *y)
{
    begin_turn();
    for (int done = 0; done < iterations; done += TOGETHER) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();

        for (int k = 0; k < TOGETHER; k++)
            must(cairn_plan_run(w->plan, x, y), "product");
        note_products(MPI_Wtime() - begin);
    }
}

static double time_peer(const peer *p)
{
    if (products) {
        multiply_peer(p);
        return end_turn();
    }
    begin_turn();
    CALL(KSPSolve(p->ksp, p->b, p->x));
    return end_turn();
}

static double time_own(const way *w, const double *b, double *x, int64_t rows)
{
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    if (products) {
        multiply_own(w, b, x);
        return end_turn();
    }
    options.precondition   = "jacobi";
    options.tolerance      = 0;
    options.max_iterations = iterations;
    options.step           = end_own;
    memset(x, 0, (size_t)rows * sizeof *x);
    begin_turn();
    const cairn_status status = cairn_solve(w->plan, &options, b, x, NULL);

    if (status != CAIRN_NOT_CONVERGED) must(status, "solve");
    return end_turn();
}

static void bench(const char *name)
{
    cairn_source   *source = read_matrix(name);
    cairn_format   *rows = NULL, *chosen = NULL;
    double          least[WAYS] = {1e300, 1e300, 1e300};
    int64_t         first, end;
    way             own[WAYS];
    cairn_plan_info info = CAIRN_PLAN_INFO;

    must(cairn_format_create(context, "csr", &rows), "csr");
    own[ROWS] = store(source, rows);
    must(cairn_format_auto(source, CAIRN_F64, NULL, NULL, &chosen, NULL), "auto");
    own[CHOSEN] = store(source, chosen);
    cairn_source_destroy(&source);
    peer p = make_peer(own[ROWS].tensor);

    for (int t = 0; t < turns; t++)
        for (int k = 0; k < WAYS; k++) {
            const int at = (t + k) % WAYS;
            double    took;

            if (at == PETSC) {
                took = time_peer(&p);
            } else {
                cairn_plan_rows(own[at].plan, &first, &end);
                double *const b = malloc((size_t)(end - first + 1) * 2 * sizeof *b);

                for (int64_t i = 0; i < end - first; i++)
                    b[i] = 1;
                took = time_own(&own[at], b, b + (end - first), end - first);
                free(b);
            }
            if (took < least[at]) least[at] = took;
        }
    must(cairn_plan_describe(own[CHOSEN].plan, &info), "describe");
    if (rank == 0) {
        printf("| %s | %d | %.1f | %.1f | %.2f | %.1f | %.2f |", name, size,
               1e6 * least[PETSC], 1e6 * least[ROWS], least[PETSC] / least[ROWS],
               1e6 * least[CHOSEN], least[PETSC] / least[CHOSEN]);
        if (products) printf(" %ld |", (long)info.bytes_per_run);
        printf(" `%s` |\n", cairn_format_text(chosen));
    }
    fflush(stdout);
    release_peer(&p);
    release(&own[ROWS]);
    release(&own[CHOSEN]);
}

int main(int argc, char **argv)
{
    int from = 1;

    CALL(PetscInitialize(NULL, NULL, NULL, NULL));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) return 1;
    must(cairn_context_set_threads(context, 1), "threads");
    for (; from + 1 < argc && strncmp(argv[from], "--", 2) == 0; from += 2) {
        const int n = (int)strtol(argv[from + 1], NULL, 10);

        if (strcmp(argv[from], "--products") == 0) {
            products = true;
            from--;
        } else if (strcmp(argv[from], "--turns") == 0 && n > 0)
            turns = n;
        else if (strcmp(argv[from], "--iterations") == 0 && n > 0)
            iterations = n;
        else
            return 2;
    }
    for (; from < argc; from++)
        bench(argv[from]);
    cairn_context_destroy(&context);
    CALL(PetscFinalize());
    return 0;
}
