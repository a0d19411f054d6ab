// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers on ranks: histories with the bits of one rank, whatever the ranks and threads;
/// states that go on elsewhere; failures of one rank that are those of all.

#include "api/api.h"
#include "mpi_suite.h"
#include "solve_case.h"

#include <cairn/mpi.h>

#include <pthread.h>
#include <unistd.h>

enum { ROOM = 400 };

static cairn_context *alone, *all; ///< This rank's own, and that of all ranks.

static void solve_up(void)
{
    mpi_up();
    if (cairn_context_create(&alone) != CAIRN_OK) abort();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &all) != CAIRN_OK) abort();
}

static void solve_down(void)
{
    cairn_context_destroy(&all);
    cairn_context_destroy(&alone);
    mpi_down();
}

TestSuite(solve, .init = solve_up, .fini = solve_down, .timeout = 600);

static const char *const methods[] = {"cg", "pipelined-cg", "bicgstab", "gmres:9",
                                      "chebyshev"};

/// One solution, its history, and what is left of a state.
typedef struct {
    double            history[ROOM];
    cairn_solve_info  info;
    int64_t           first, rows;
    double           *x;
    cairn_solve_state state; ///< Of iteration `at`, its vectors copied.
    int64_t           at;
} solution;

static int keep(void *user, const cairn_solve_state *state)
{
    solution *s = user;

    if (s->state.vectors > 0 || !state->whole || state->iteration < s->at) return 0;
    s->state = *state;
    for (int v = 0; v < state->vectors; v++) {
        const size_t bytes = (size_t)state->rows * sizeof(double);

        s->state.vector[v].data = malloc(bytes + 1);
        memcpy(s->state.vector[v].data, state->vector[v].data, bytes);
    }
    return 0;
}

static void forget(solution *s)
{
    for (int v = 0; v < s->state.vectors; v++)
        free(s->state.vector[v].data);
    free(s->x);
}

/// A matrix of the grid in a format, and its product.
typedef struct {
    cairn_context *context;
    cairn_tensor  *tensor;
    cairn_plan    *plan;
} product;

static product
prepare(cairn_context *context, const grid *g, const char *format, bool reproducible)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    product            p       = {context, grid_store(context, g, format, 64), NULL};

    options.reproducible = reproducible;
    MUST(context, cairn_plan_create_with(p.tensor, &options, &p.plan));
    return p;
}

static void release(product *p)
{
    cairn_plan_destroy(&p->plan);
    cairn_tensor_destroy(&p->tensor);
}

/// @param[in,out] s  Its `at` is set.
static void solve_with(const product *p, const cairn_solve_options *wanted, solution *s)
{
    cairn_solve_options options = *wanted;
    int64_t             end;

    cairn_plan_rows(p->plan, &s->first, &end);
    s->rows         = end - s->first;
    s->x            = calloc((size_t)s->rows + 1, sizeof *s->x);
    double *const b = malloc((size_t)s->rows * sizeof *b + 1);

    for (int64_t i = 0; i < s->rows; i++)
        b[i] = grid_b(s->first + i);
    s->info              = (cairn_solve_info)CAIRN_SOLVE_INFO;
    options.history      = s->history;
    options.history_room = ROOM;
    if (s->at > 0) {
        options.step = keep;
        options.user = s;
    }
    MUST(p->context, cairn_solve(p->plan, &options, b, s->x, &s->info));
    free(b);
}

static void expect_same(const solution *one, const solution *many, const char *what)
{
    const int64_t n = one->info.iterations;

    cr_expect(n > 3 && n < ROOM);
    cr_expect_eq(many->info.iterations, n, "%s: %ld, %ld", what,
                 (long)many->info.iterations, (long)n);
    cr_expect_eq(memcmp(one->history, many->history, (size_t)(n + 1) * sizeof(double)),
                 0, "%s: other residuals", what);
    cr_expect_eq(one->info.true_residual, many->info.true_residual);
    cr_expect_eq(
        memcmp(one->x + many->first, many->x, (size_t)many->rows * sizeof(double)), 0,
        "%s: another x", what);
}

Test(solve, histories_have_the_bits_of_one_rank)
{
    static const char *const formats[]  = {"csr", "bdia<64>",
                                           "hybrid<bdia<64>,csr,0.6>"};
    static const char *const inverses[] = {"none", "jacobi", "block-jacobi:32"};
    const grid               g = {.side = 115}; /* rows for two threads a rank */

    for (size_t f = 0; f < 3; f++)
        for (int threads = 1; threads <= 2; threads++) {
            MUST(alone, cairn_context_set_threads(alone, 4 - threads));
            MUST(all, cairn_context_set_threads(all, threads));
            product mine = prepare(alone, &g, formats[f], true);
            product ours = prepare(all, &g, formats[f], true);

            for (size_t m = 0; m < 5; m++) {
                static solution     one, many;
                cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

                one = many           = (solution){.at = 0};
                options.method       = methods[m];
                options.precondition = inverses[(m + f) % 3];
                options.tolerance    = 1e-5;
                options.reproducible = true;
                solve_with(&mine, &options, &one);
                solve_with(&ours, &options, &many);
                expect_same(&one, &many, methods[m]);
                forget(&one);
                forget(&many);
            }
            release(&ours);
            release(&mine);
        }
}

/// Without the promise it is still the same solution.
Test(solve, sums_of_the_transport_solve_too)
{
    const grid g = {.side = 30};
    product    p = prepare(all, &g, "csr", false);

    for (size_t m = 0; m < 5; m++) {
        static solution     many;
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

        many                 = (solution){.at = 0};
        options.method       = methods[m];
        options.precondition = "block-jacobi:7"; /* cuts lie inside leaves, and not */
        solve_with(&p, &options, &many);
        cr_expect(many.info.true_residual < 1.1e-8, "%g", many.info.true_residual);
        forget(&many);
    }
    release(&p);
}

/// All rows of a vector of which ranks have parts.
static double *gather(const solution *s, const double *part, int64_t rows)
{
    double *whole = malloc((size_t)rows * sizeof *whole);
    int     count[8], first[8];
    int     mine[2] = {(int)s->rows, (int)s->first};

    MPI_Allgather(&mine[0], 1, MPI_INT, count, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&mine[1], 1, MPI_INT, first, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(part, (int)s->rows, MPI_DOUBLE, whole, count, first, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    return whole;
}

Test(solve, a_state_goes_on_on_other_ranks)
{
    const grid g    = {.side = 30};
    product    mine = prepare(alone, &g, "csr", true);
    product    ours = prepare(all, &g, "csr", true);

    for (size_t m = 0; m < 5; m++) {
        static solution     many, one, rest;
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

        one = rest = (solution){.at = 0};
        many       = (solution){.at = 6};

        options.method       = methods[m];
        options.precondition = "jacobi";
        options.reproducible = true;
        solve_with(&mine, &options, &one);
        solve_with(&ours, &options, &many);
        cr_assert(many.state.vectors > 0);
        cairn_solve_state whole = many.state;

        whole.rows = grid_rows(&g);
        for (int v = 0; v < whole.vectors; v++)
            whole.vector[v].data = gather(&many, many.state.vector[v].data, whole.rows);
        options.start = &whole;
        solve_with(&mine, &options, &rest);
        cr_expect_eq(rest.info.iterations, one.info.iterations);
        cr_expect_eq(memcmp(rest.history + whole.iteration,
                            one.history + whole.iteration,
                            (size_t)(one.info.iterations + 1 - whole.iteration) * 8),
                     0, "%s", methods[m]);
        for (int v = 0; v < whole.vectors; v++)
            free(whole.vector[v].data);
        forget(&one);
        forget(&many);
        forget(&rest);
    }
    release(&ours);
    release(&mine);
}

/* ---- another format ---- */

/// What was seen of the formats of iterations.
typedef struct {
    char                    last[1024];
    int                     changes;
    cairn_solve_switch_info told;
} formats_seen;

/// Let the other threads get on until the other format is in use.
static int see_format(void *user, const cairn_solve_state *state)
{
    formats_seen *seen = user;

    seen->changes += seen->last[0] && strcmp(seen->last, state->format) != 0;
    snprintf(seen->last, sizeof seen->last, "%s", state->format);
    if (seen->changes == 0) usleep(1000);
    return seen->changes == 0 && state->iteration > 6000;
}

/// Solve in a plan's format and, beside that, in another one.
static cairn_status go_on(const product             *p,
                          const char                *format,
                          const cairn_solve_options *wanted,
                          formats_seen              *seen,
                          solution                  *s)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = *wanted;
    int64_t             end;

    *seen = (formats_seen){.told = CAIRN_SOLVE_SWITCH_INFO};
    cairn_plan_rows(p->plan, &s->first, &end);
    s->rows         = end - s->first;
    s->x            = calloc((size_t)s->rows + 1, sizeof *s->x);
    s->info         = (cairn_solve_info)CAIRN_SOLVE_INFO;
    double *const b = malloc((size_t)s->rows * sizeof *b + 1);

    for (int64_t i = 0; i < s->rows; i++)
        b[i] = grid_b(s->first + i);
    other.info                = &seen->told;
    other.format              = format;
    options.other             = &other;
    options.step              = see_format;
    options.user              = seen;
    options.tolerance         = 1e-11;
    const cairn_status status = cairn_solve(p->plan, &options, b, s->x, &s->info);

    free(b);
    return status;
}

Test(solve, iterations_go_on_in_another_format_on_all_ranks_at_once)
{
    static const char *const formats[] = {"bdia<64>", "hybrid<bdia<64>,csr,0.6>",
                                          "ell"};
    const grid               g         = {.side = 40};

    all->env.options.kernels = CAIRN_KERNELS_REFERENCE; /* no compiler's time */
    product p                = prepare(all, &g, "csr", false);

    for (size_t f = 0; f < 3; f++) {
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
        static solution     s;
        formats_seen        seen;

        options.method            = "chebyshev:0.03,11"; /* some hundreds of steps */
        const cairn_status status = go_on(&p, formats[f], &options, &seen, &s);
        int64_t            least  = seen.told.tried;
        int64_t            most   = -least;

        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
        ON_ALL_RANKS(status == CAIRN_OK && s.info.true_residual < 1e-10,
                     "%s: %d, residual %g", formats[f], status, s.info.true_residual);
        ON_ALL_RANKS(least >= 0 && least == -most && seen.changes > 0,
                     "%s: tried %ld to %ld: %s", formats[f], (long)least, (long)-most,
                     seen.told.why);
        free(s.x);
    }
    release(&p);
}

/* Plans on several devices are timed when they are made, which beside iterations would have
   ranks look after messages at different times. */
Test(solve, another_format_may_be_on_several_devices)
{
    const grid          g       = {.side = 150};
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_plan_info     info    = CAIRN_PLAN_INFO;
    static solution     s;
    formats_seen        seen;

    all->env.options.kernels = CAIRN_KERNELS_REFERENCE; /* no compiler's time */
    all->env.options.cost    = CAIRN_RATES_SHIPPED;
    snprintf(all->env.options.devices, sizeof all->env.options.devices, "cpu:2");
    product whole = prepare(all, &g, "hybrid<bdia<64>,csr,0.6>", false);

    MUST(all, cairn_plan_describe(whole.plan, &info));
    ON_ALL_RANKS(strstr(info.placement, "several devices"), "%s", info.placement);
    release(&whole);
    product p = prepare(all, &g, "csr", false);

    options.method = "chebyshev:0.03,11";
    const cairn_status status =
        go_on(&p, "hybrid<bdia<64>,csr,0.6>", &options, &seen, &s);

    ON_ALL_RANKS(status == CAIRN_OK && s.info.true_residual < 1e-10, "%d, residual %g",
                 status, s.info.true_residual);
    ON_ALL_RANKS(seen.told.tried >= 0 && seen.changes > 0, "tried %ld: %s",
                 (long)seen.told.tried, seen.told.why);
    free(s.x);
    release(&p);
}

/// Calls of the transport by other threads than the first.
static struct {
    const cairn_comm_ops *real;
    pthread_t             first;
    int                   strange;
} calls;

static void note_thread(void)
{
    calls.strange += !pthread_equal(pthread_self(), calls.first);
}

static cairn_status
watch_allreduce(cairn_comm *c, int64_t *data, int64_t n, cairn_reduction op)
{
    note_thread();
    return calls.real->allreduce(c, data, n, op);
}

static cairn_status watch_broadcast(cairn_comm *c, void *data, int64_t bytes, int root)
{
    note_thread();
    return calls.real->broadcast(c, data, bytes, root);
}

static cairn_status
watch_allgather(cairn_comm *c, const void *mine, int64_t bytes, void *whole)
{
    note_thread();
    return calls.real->allgather(c, mine, bytes, whole);
}

/* Jobs ask for MPI_THREAD_FUNNELED, on one rank, too. */
Test(solve, the_second_thread_calls_nothing_of_the_transport)
{
    const grid          g       = {.side = 40};
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    product             p       = prepare(all, &g, "csr", false);
    cairn_comm_ops      watched = *all->comm->ops;
    static solution     s;
    formats_seen        seen;

    all->env.options.kernels  = CAIRN_KERNELS_REFERENCE;
    calls.real                = all->comm->ops;
    calls.first               = pthread_self();
    calls.strange             = 0;
    watched.allreduce         = watch_allreduce;
    watched.broadcast         = watch_broadcast;
    watched.allgather         = watch_allgather;
    all->comm->ops            = &watched;
    options.method            = "chebyshev:0.03,11";
    const cairn_status status = go_on(&p, "bdia<64>", &options, &seen, &s);

    all->comm->ops = calls.real;
    ON_ALL_RANKS(status == CAIRN_OK && seen.told.tried >= 0 && calls.strange == 0,
                 "%d, tried %ld, %d calls: %s", status, (long)seen.told.tried,
                 calls.strange, seen.told.why);
    free(s.x);
    release(&p);
}

/* A thread that fails on one rank alone: it is told of on rank 0, and all go on. */
Test(solve, want_of_memory_on_one_rank_leaves_all_as_they_were)
{
    const grid          g       = {.side = 400};
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    product             p       = prepare(all, &g, "csr", false);
    static solution     s;
    formats_seen        seen;

    if (rank == size - 1)
        MUST(all, cairn_context_set_memory(all, atomic_load(&all->env.used_bytes)
                                                    + (1 << 20)));
    options.method            = "chebyshev:3,11";
    const cairn_status status = go_on(&p, "bcsr<16,16>", &options, &seen, &s);

    ON_ALL_RANKS(status == CAIRN_OK && seen.told.tried == -1 && seen.changes == 0,
                 "%d, tried %ld: %s", status, (long)seen.told.tried, seen.told.why);
    free(s.x);
    release(&p);
}

/* The others' threads have begun by then, and wait for nobody. */
Test(solve, a_thread_that_cannot_be_started_on_one_rank_is_told_of_on_all)
{
    const grid          g       = {.side = 20};
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    product             p;
    static solution     s;
    formats_seen        seen;
    pthread_attr_t      usual, huge;

    all->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    MUST(all, cairn_context_set_threads(all, 1));
    p = prepare(all, &g, "csr", false);
    pthread_getattr_default_np(&usual);
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 50); /* there is no such room */
    if (rank == size - 1) pthread_setattr_default_np(&huge);
    options.method            = "chebyshev:0.03,11";
    const cairn_status status = go_on(&p, "ell", &options, &seen, &s);

    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
    pthread_attr_destroy(&huge);
    ON_ALL_RANKS(s.info.iterations > 100 && seen.told.tried == -1
                     && strstr(seen.told.why, "cannot be started"),
                 "%d after %ld, tried %ld: %s", status, (long)s.info.iterations,
                 (long)seen.told.tried, seen.told.why);
    free(s.x);
    release(&p);
}

/* ---- products that are checked ---- */

/// One rank's arrays change: it says so, and all end.
Test(solve, arrays_that_change_end_all_ranks)
{
    const grid          g       = {.side = 40};
    product             p       = prepare(all, &g, "csr", false);
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_guard_info    info    = CAIRN_GUARD_INFO;
    int64_t             first, end;
    char                named[64];

    MUST(all, cairn_plan_guard(p.plan));
    cairn_plan_rows(p.plan, &first, &end);
    double *const b = malloc((size_t)(end - first + 1) * 2 * sizeof *b);
    double *const x = b + (end - first);

    for (int64_t i = 0; i < end - first; i++) {
        b[i] = grid_b(first + i);
        x[i] = 0;
    }
    MUST(all, cairn_solve(p.plan, &options, b, x, NULL));
    MUST(all, cairn_plan_guard_info(p.plan, &info));
    ON_ALL_RANKS(info.found == 0 && info.checked > 10 && info.unchecked == 0,
                 "%ld found of %ld", (long)info.found, (long)info.checked);
    const cairn_part *part = &p.tensor->local->part[0];

    if (rank == size - 1) *(double *)cairn_value_at(&part->view, 7) += 0.25;
    x[0] += 1;
    const cairn_status status = cairn_solve(p.plan, &options, b, x, NULL);

    snprintf(named, sizeof named, "guard: rank %d: member 0: ", size - 1);
    ON_ALL_RANKS(status == CAIRN_NOT_VERIFIED
                     && strstr(cairn_context_message(all), named),
                 "%d: %s", status, cairn_context_message(all));
    free(b);
    release(&p);
}

/* ---- one rank for all ---- */

typedef struct {
    int64_t rows;
    int     left; ///< Products until the last rank's fails.
} failing;

static cairn_status multiply(void *user, const double *x, double *y)
{
    failing *f = user;

    for (int64_t i = 0; i < f->rows; i++)
        y[i] = (double)(i % 9 + 1) * x[i];
    f->left--;
    return f->left == 0 && rank == size - 1 ? CAIRN_IO : CAIRN_OK;
}

Test(solve, a_failing_operator_fails_on_all_ranks)
{
    for (size_t m = 0; m < 5; m++)
        for (int after = 1; after < 4; after++)
            for (int r = 0; r < 2; r++) {
                failing              f       = {130, after};
                cairn_solve_operator a       = {multiply, &f};
                cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;
                double               b[130], x[130] = {0};

                for (int i = 0; i < 130; i++)
                    b[i] = 1 + i;
                f.rows               = r ? 128 : 130 - rank;
                options.method       = methods[m];
                options.reproducible = r;
                const cairn_status status =
                    cairn_solve_with(all, f.rows, &a, &options, b, x, NULL);

                ON_ALL_RANKS(status == CAIRN_IO, "%s after %d: %d", methods[m], after,
                             status);
            }
}

static int last_rank_stops(void *user, const cairn_solve_state *state)
{
    (void)user;
    return rank == size - 1 && state->iteration == 2;
}

Test(solve, one_rank_stops_all)
{
    for (int r = 0; r < 2; r++) {
        failing              f       = {128, 0};
        cairn_solve_operator a       = {multiply, &f};
        cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;
        cairn_solve_info     info    = CAIRN_SOLVE_INFO;
        double               b[128], x[128] = {0};

        for (int i = 0; i < 128; i++)
            b[i] = 1 + i;
        options.step         = last_rank_stops;
        options.reproducible = r;
        const cairn_status status =
            cairn_solve_with(all, 128, &a, &options, b, x, &info);

        ON_ALL_RANKS(status == CAIRN_NOT_CONVERGED && info.iterations == 3
                         && info.outcome == CAIRN_SOLVE_STOPPED,
                     "%d: %ld", status, (long)info.iterations);
    }
}

Test(solve, uneven_cuts_are_refused)
{
    failing              f       = {100, 0};
    cairn_solve_operator a       = {multiply, &f};
    cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;
    double               b[100] = {1}, x[100] = {0};

    options.reproducible      = true;
    const cairn_status status = cairn_solve_with(all, 100, &a, &options, b, x, NULL);

    if (size == 1)
        ON_ALL_RANKS(status == CAIRN_OK, "%d", status);
    else
        ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT
                         && strstr(cairn_context_message(all), "multiples of 64"),
                     "%s", cairn_context_message(all));
    options.reproducible     = false;
    options.max_iterations   = 5 + (rank == size - 1);
    const cairn_status other = cairn_solve_with(all, 100, &a, &options, b, x, NULL);

    if (size > 1)
        ON_ALL_RANKS(other == CAIRN_BAD_ARGUMENT
                         && strstr(cairn_context_message(all), "max_iterations"),
                     "%s", cairn_context_message(all));
}
