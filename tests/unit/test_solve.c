// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers on one rank: solutions held to the definition of the matrix, histories to each
/// other, and all that can go wrong.

#include "api/api.h"
#include "solve/lanczos.h"
#include "solve/vectors.h"
#include "support/brutal.h"
#include "support/solve_case.h"
#include "support/suite_context.h"

TestSuite(solve, .init = context_up, .fini = context_down, .timeout = 300);

enum { ROOM = 600 };

static const char *const methods[] = {
    "cg",      "pipelined-cg", "bicgstab",        "gmres:20",
    "gmres:7", "chebyshev",    "chebyshev:0.5,11"};
static const char *const inverses[] = {"none", "jacobi", "block-jacobi:32",
                                       "block-jacobi:40"};

static bool is_for_any(const char *method)
{
    return strncmp(method, "bicg", 4) == 0 || strncmp(method, "gmres", 5) == 0;
}

/// A plan, and vectors for it.
typedef struct {
    cairn_tensor *tensor;
    cairn_plan   *plan;
    int64_t       rows;
    double       *b, *x;
} setup;

static setup set_up(const grid *g, const char *format)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    setup s = {.tensor = grid_store(context, g, format, 64), .rows = grid_rows(g)};

    options.reproducible = true;
    MUST(context, cairn_plan_create_with(s.tensor, &options, &s.plan));
    s.b = malloc((size_t)s.rows * sizeof *s.b);
    s.x = calloc((size_t)s.rows, sizeof *s.x);
    for (int64_t i = 0; i < s.rows; i++)
        s.b[i] = grid_b(i);
    return s;
}

static void tear_down(setup *s)
{
    cairn_plan_destroy(&s->plan);
    cairn_tensor_destroy(&s->tensor);
    free(s->b);
    free(s->x);
}

/// |b - A x| / |b| by the definition.
static double residual(const grid *g, const setup *s)
{
    long double above = 0, below = 0;

    for (int64_t i = 0; i < s->rows; i++) {
        const double r = s->b[i] - grid_times(g, i, s->x);

        above += (long double)r * r;
        below += (long double)s->b[i] * s->b[i];
    }
    return (double)sqrtl(above / below);
}

Test(solve, every_method_and_preconditioner_solves)
{
    static const char *const formats[] = {"csr", "bdia<64>",
                                          "hybrid<bdia<64>,csr,0.6>"};

    for (int skewed = 0; skewed < 2; skewed++)
        for (size_t f = 0; f < 3; f++) {
            const grid g = {.side = 19, .skew = 0.4 * skewed};
            setup      s = set_up(&g, formats[f]);

            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
                for (size_t p = 0; p < 4; p++) {
                    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
                    cairn_solve_info    info    = CAIRN_SOLVE_INFO;

                    if (skewed && !is_for_any(methods[m])) continue;
                    if (p > 0 && strchr(methods[m], ',')) continue; /* other bounds */
                    options.method       = methods[m];
                    options.precondition = inverses[p];
                    options.tolerance    = 1e-9;
                    memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
                    MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
                    const double left = residual(&g, &s);

                    cr_expect(left < 1.1e-9 && info.residual <= 1e-9, "%s %s %s: %g",
                              formats[f], methods[m], inverses[p], left);
                    cr_expect_float_eq(left, info.true_residual, 1e-12);
                    cr_expect(info.iterations > 0
                              && info.outcome == CAIRN_SOLVE_CONVERGED);
                }
            tear_down(&s);
        }
}

/// A preconditioner that is nearly the inverse needs fewer steps.
Test(solve, blocks_help)
{
    const grid g = {.side = 32};
    setup      s = set_up(&g, "csr");
    int64_t    steps[3];

    for (int k = 0; k < 3; k++) {
        static const char *const by[]    = {"none", "block-jacobi:32",
                                            "block-jacobi:1024"};
        cairn_solve_options      options = CAIRN_SOLVE_OPTIONS;
        cairn_solve_info         info    = CAIRN_SOLVE_INFO;

        options.precondition = by[k];
        memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
        MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
        steps[k] = info.iterations;
    }
    cr_expect(steps[1] < steps[0] && steps[2] == 1, "%ld %ld %ld", (long)steps[0],
              (long)steps[1], (long)steps[2]);
    tear_down(&s);
}

/// Solve once more from 0. @return iterations, @p history has one more number.
static int64_t
solve_again(setup *s, const char *method, const char *inverse, double *history)
{
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;

    options.method       = method;
    options.precondition = inverse;
    options.tolerance    = 1e-7;
    options.reproducible = true;
    options.history      = history;
    options.history_room = ROOM;
    memset(s->x, 0, (size_t)s->rows * sizeof *s->x);
    MUST(context, cairn_solve(s->plan, &options, s->b, s->x, &info));
    return info.iterations;
}

Test(solve, threads_change_no_bit)
{
    const grid    g = {.side = 97}; /* leaves for three threads, the last one short */
    const int     threads = cairn_context_threads(context);
    static double one[ROOM], other[ROOM];

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        int64_t n = 0;

        for (int t = 1; t <= 4; t++) {
            MUST(context, cairn_context_set_threads(context, t));
            setup         s  = set_up(&g, "csr");
            double *const to = t == 1 ? one : other;
            const int64_t k  = solve_again(&s, methods[m], "none", to);

            if (t == 1) n = k;
            cr_expect_eq(k, n);
            cr_expect_eq(memcmp(one, to, (size_t)(n + 1) * sizeof *to), 0,
                         "%s: %d threads", methods[m], t);
            tear_down(&s);
        }
    }
    MUST(context, cairn_context_set_threads(context, threads));
}

/* ---- states ---- */

/// A copy of a state that was whole, of iteration `at` or the next that was.
typedef struct {
    cairn_solve_state state;
    int64_t           at;
    int               calls;
} kept;

static int keep(void *user, const cairn_solve_state *state)
{
    kept *k = user;

    k->calls++;
    if (k->state.vectors > 0 || !state->whole || state->iteration < k->at) return 0;
    k->state = *state;
    for (int v = 0; v < state->vectors; v++) {
        const size_t bytes = (size_t)state->rows * sizeof(double);

        k->state.vector[v].data = malloc(bytes);
        memcpy(k->state.vector[v].data, state->vector[v].data, bytes);
    }
    return 0;
}

Test(solve, a_state_goes_on_with_the_same_bits)
{
    const grid    g = {.side = 23};
    setup         s = set_up(&g, "csr");
    static double whole[ROOM], rest[ROOM];

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t p = 0; p < 4; p++) {
            cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
            cairn_solve_info    info    = CAIRN_SOLVE_INFO;
            kept                k       = {.at = 5};

            if (p > 0 && strchr(methods[m], ',')) continue;
            options.tolerance    = 1e-12; /* more than a cycle */
            options.method       = methods[m];
            options.precondition = inverses[p];
            options.step         = keep;
            options.user         = &k;
            options.history      = whole;
            options.history_room = ROOM;
            memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
            MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
            cr_assert(k.state.iteration >= 5 && k.calls == info.iterations + 1);
            const int64_t n = info.iterations, from = k.state.iteration;

            options.step    = NULL;
            options.start   = &k.state;
            options.history = rest;
            for (int64_t i = 0; i < s.rows; i++)
                s.x[i] = NAN;
            MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
            cr_expect_eq(info.iterations, n);
            cr_expect_eq(memcmp(whole + from, rest + from, (size_t)(n + 1 - from) * 8),
                         0, "%s %s", methods[m], inverses[p]);
            cr_expect(residual(&g, &s) < 2e-8);
            for (int v = 0; v < k.state.vectors; v++)
                free(k.state.vector[v].data);
        }
    tear_down(&s);
}

/// Where a solver ends that is asked to after iteration 3: gmres at its cycle's end.
static int64_t end_of(const char *method)
{
    return strncmp(method, "gmres:", 6) == 0 ? atoi(method + 6) : 4;
}

static int stop_at_three(void *user, const cairn_solve_state *state)
{
    bool *last = user;

    *last = state->last;
    return state->iteration >= 3;
}

Test(solve, a_step_may_end_it)
{
    const grid g = {.side = 23};
    setup      s = set_up(&g, "csr");

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
        cairn_solve_info    info    = CAIRN_SOLVE_INFO;
        bool                last    = false;
        const int64_t       end     = end_of(methods[m]);
        char                words[64];

        snprintf(words, sizeof words, "stopped after %d iterations", (int)end);
        options.method = methods[m];
        options.step   = stop_at_three;
        options.user   = &last;
        memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
        REFUSED(context, NOT_CONVERGED, words,
                cairn_solve(s.plan, &options, s.b, s.x, &info));
        cr_expect(last && info.outcome == CAIRN_SOLVE_STOPPED
                  && info.iterations == end);
        cr_expect_float_eq(info.true_residual, info.residual, 1e-12); /* x is of then */
    }
    tear_down(&s);
}

/* ---- what ends otherwise ---- */

Test(solve, a_limit_is_told)
{
    const grid          g       = {.side = 23};
    setup               s       = set_up(&g, "csr");
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;

    options.max_iterations = 2;
    REFUSED(context, NOT_CONVERGED,
            "cg: not converged after 2 iterations: the residual",
            cairn_solve(s.plan, &options, s.b, s.x, &info));
    cr_expect(info.outcome == CAIRN_SOLVE_LIMIT && info.iterations == 2);
    cr_expect(info.residual < 1 && info.residual > 1e-8);
    cr_expect(cairn_status_failed_here(CAIRN_NOT_CONVERGED));
    memset(s.b, 0, (size_t)s.rows * sizeof *s.b);
    MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
    for (int64_t i = 0; i < s.rows; i++)
        cr_assert_eq(s.x[i], 0);
    s.b[3] = 1e-200;
    REFUSED(context, NOT_CONVERGED, "|b|^2 is 0, and b is not",
            cairn_solve(s.plan, &options, s.b, s.x, &info));
    s.b[3] = 1e200;
    REFUSED(context, NOT_CONVERGED, "out of range",
            cairn_solve(s.plan, &options, s.b, s.x, &info));
    s.b[3] = NAN;
    REFUSED(context, NOT_CONVERGED, "out of range",
            cairn_solve(s.plan, &options, s.b, s.x, &info));
    cr_expect_eq(info.outcome, CAIRN_SOLVE_BREAKDOWN);
    tear_down(&s);
}

/// y = d x, d being the user's.
static cairn_status times_diagonal(void *user, const double *x, double *y)
{
    const double *d = user;

    for (int i = 0; i < 100; i++)
        y[i] = d[i] * x[i];
    return CAIRN_OK;
}

static cairn_status fails(void *user, const double *x, double *y)
{
    int *left = user;

    for (int i = 0; i < 100; i++)
        y[i] = (i + 1) * x[i];
    return (*left)-- > 0 ? CAIRN_OK : CAIRN_IO;
}

Test(solve, an_operator_needs_no_matrix)
{
    double               d[100], inverse[100], b[100], x[100] = {0};
    cairn_solve_operator a = {times_diagonal, d}, m = {times_diagonal, inverse};
    cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info     info    = CAIRN_SOLVE_INFO;
    int                  left    = 4;

    for (int i = 0; i < 100; i++) {
        d[i]       = 1 + i * i;
        inverse[i] = 1 / d[i];
        b[i]       = i;
    }
    options.preconditioner = &m;
    for (size_t k = 0; k < 6; k++) {
        options.method = methods[k];
        memset(x, 0, sizeof x);
        MUST(context, cairn_solve_with(context, 100, &a, &options, b, x, &info));
        for (int i = 0; i < 100; i++)
            cr_assert_float_eq(x[i], i / (1.0 + i * i), 1e-6, "%s %d", methods[k], i);
    }
    options = (cairn_solve_options)CAIRN_SOLVE_OPTIONS;
    a       = (cairn_solve_operator){fails, &left};
    memset(x, 0, sizeof x);
    cr_expect_eq(cairn_solve_with(context, 100, &a, &options, b, x, &info), CAIRN_IO);
}

static cairn_status times_few(void *user, const double *x, double *y)
{
    const double *d = user;

    for (int i = 0; i < 3; i++)
        y[i] = d[i] * x[i];
    return CAIRN_OK;
}

Test(solve, breakdowns_say_why)
{
    double               d[100], b[100], x[100] = {0};
    cairn_solve_operator a       = {times_diagonal, d};
    cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;

    for (int i = 0; i < 100; i++) {
        d[i] = i == 50 ? -5 : 1 + i;
        b[i] = 1;
    }
    REFUSED(context, NOT_CONVERGED,
            "the matrix is not positive definite; the residual is",
            cairn_solve_with(context, 100, &a, &options, b, x, NULL));
    options.method = "pipelined-cg";
    memset(x, 0, sizeof x);
    REFUSED(context, NOT_CONVERGED,
            "the matrix is not positive definite; the residual is",
            cairn_solve_with(context, 100, &a, &options, b, x, NULL));
    options.preconditioner = &a;
    options.method         = "cg";
    memset(x, 0, sizeof x);
    for (int i = 0; i < 100; i++)
        d[i] = -1;
    REFUSED(context, NOT_CONVERGED, "the preconditioner is not positive definite",
            cairn_solve_with(context, 100, &a, &options, b, x, NULL));
}

/// A tolerance that a residual just meets, however it is rounded: x is of that residual.
Test(solve, tolerances_are_asked_for_in_one_way)
{
    const grid    g = {.side = 6};
    setup         s = set_up(&g, "csr");
    static double whole[ROOM];

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
        cairn_solve_info    info    = CAIRN_SOLVE_INFO;

        options.method       = methods[m];
        options.history      = whole;
        options.history_room = ROOM;
        memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
        MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
        const int64_t steps = info.iterations;

        options.history_room = 0;
        for (int64_t k = 1; k < steps; k++) {
            options.tolerance = whole[k];
            memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
            MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
            cr_expect_leq(info.true_residual, whole[k] * (1 + 1e-6) + 1e-13, "%s %d",
                          methods[m], (int)k);
        }
    }
    tear_down(&s);
}

Test(solve, a_singular_matrix_is_no_solution)
{
    double               d[] = {1, 0, 1}, b[] = {1, 1, 1}, x[3] = {0};
    cairn_solve_operator a       = {times_few, d};
    cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;

    options.method = "gmres";
    REFUSED(context, NOT_CONVERGED, "the matrix is singular",
            cairn_solve_with(context, 3, &a, &options, b, x, NULL));
    for (int i = 0; i < 3; i++)
        d[i] = -1 - i, x[i] = 0;
    options.method         = "chebyshev";
    options.preconditioner = &a;
    REFUSED(context, NOT_CONVERGED, "the preconditioner is not positive definite",
            cairn_solve_with(context, 3, &a, &options, b, x, NULL));
}

/* ---- wrong arguments ---- */

Test(solve, wrong_options_are_refused)
{
    const grid          g       = {.side = 9};
    setup               s       = set_up(&g, "csr");
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    kept                k       = {.at = 2};

#define WITH(field, is, code, words)                                                  \
    do {                                                                              \
        const cairn_solve_options before = options;                                   \
        options.field                    = is;                                        \
        REFUSED(context, code, words, cairn_solve(s.plan, &options, s.b, s.x, NULL)); \
        if (strcmp(#field, "start") != 0)                                             \
            REFUSED(context, code, words, cairn_solve_check(context, &options));      \
        options = before;                                                             \
    } while (0)
    WITH(method, "sor", BAD_OPTION, "'sor' is none");
    WITH(method, "cg:3", BAD_OPTION, "cg:3: it takes no numbers");
    WITH(method, "gmres:0", BAD_OPTION, "M from 1 to 1000");
    WITH(method, "gmres:x", BAD_OPTION, "M from 1 to 1000");
    WITH(method, "gmres:1001", BAD_OPTION, "M from 1 to 1000");
    WITH(method, "chebyshev:4,1", BAD_OPTION, "0 < LO < HI");
    WITH(method, "chebyshev:1", BAD_OPTION, "0 < LO < HI");
    WITH(method, "chebyshev:0,1", BAD_OPTION, "0 < LO < HI");
    WITH(precondition, "ilu", BAD_OPTION, "'ilu' is none");
    WITH(precondition, "block-jacobi:", BAD_OPTION, "1 to 4096 rows");
    WITH(precondition, "block-jacobi:0", BAD_OPTION, "1 to 4096 rows");
    WITH(precondition, "block-jacobi32", BAD_OPTION, "is none");
    WITH(tolerance, -1, BAD_ARGUMENT, "tolerance");
    WITH(tolerance, NAN, BAD_ARGUMENT, "tolerance");
    WITH(max_iterations, -1, BAD_ARGUMENT, "max_iterations");
    WITH(history_room, 3, BAD_ARGUMENT, "history");
    options.step = keep;
    options.user = &k;
    MUST(context, cairn_solve(s.plan, &options, s.b, s.x, NULL));
    options        = (cairn_solve_options)CAIRN_SOLVE_OPTIONS;
    k.state.method = "bicgstab";
    WITH(start, &k.state, BAD_ARGUMENT, "it is of bicgstab, and this is cg");
    k.state.method = "cg";
    k.state.rows   = 80;
    WITH(start, &k.state, BAD_ARGUMENT, "80 rows");
    k.state.rows    = 81;
    k.state.scalars = 0;
    WITH(start, &k.state, BAD_ARGUMENT, "it has no number rho");
    for (int v = 0; v < k.state.vectors; v++)
        free(k.state.vector[v].data);
    tear_down(&s);
}

/// A matrix of coordinates, in CSR.
static cairn_tensor *store(int64_t        rows,
                           int64_t        cols,
                           int64_t        n,
                           const int64_t *coord,
                           const double  *value,
                           cairn_dtype    dtype)
{
    const int64_t extent[2] = {rows, cols};
    cairn_source *source    = NULL;
    cairn_tensor *tensor;

    MUST(context, cairn_source_from_coords(context, 2, extent, n, coord, value,
                                           CAIRN_BY_NNZ, &source));
    tensor = must_store(context, source, "csr", dtype);
    cairn_source_destroy(&source);
    return tensor;
}

/// Solve with a matrix that is not fit for it.
static void refuse(cairn_tensor                *tensor,
                   const cairn_product_options *product,
                   const char                  *inverse,
                   cairn_status                 code,
                   const char                  *words)
{
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_plan         *plan    = NULL;
    double              b[4] = {1, 1, 1, 1}, x[4] = {0};

    options.precondition = inverse;
    MUST(context, cairn_plan_create_product(tensor, product, &plan));
    cr_expect_eq(cairn_solve(plan, &options, b, x, NULL), code, "%s", words);
    cr_expect(strstr(cairn_context_message(context), words), "no '%s' in %s", words,
              cairn_context_message(context));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

Test(solve, wrong_matrices_are_refused)
{
    const int64_t coord[] = {0, 0, 0, 1, 1, 0, 1, 1, 2, 2};
    const double  value[] = {1, 2, 2, 4, 7}, zero[] = {1, 2, 2, 0, 7};

    cairn_product_options two = CAIRN_PRODUCT_OPTIONS, turned = CAIRN_PRODUCT_OPTIONS;

    two.columns       = 2;
    turned.transposed = true;
    refuse(store(3, 4, 5, coord, value, CAIRN_F64), NULL, "none", CAIRN_BAD_SHAPE,
           "3 x 4");
    refuse(store(3, 3, 5, coord, value, CAIRN_F32), NULL, "none", CAIRN_UNSUPPORTED,
           "f32");
    refuse(store(3, 3, 5, coord, value, CAIRN_F64), &two, "none", CAIRN_BAD_ARGUMENT,
           "another product than y = A x: it has several columns");
    refuse(store(3, 3, 5, coord, value, CAIRN_F64), &turned, "none", CAIRN_BAD_ARGUMENT,
           "another product than y = A x: it is transposed");
    refuse(store(3, 3, 5, coord, zero, CAIRN_F64), NULL, "jacobi", CAIRN_BAD_ARGUMENT,
           "row 1 (from 0) has 0 on the diagonal");
    refuse(store(3, 3, 5, coord, value, CAIRN_F64), NULL, "block-jacobi:2",
           CAIRN_BAD_ARGUMENT, "block of rows 0 to 1 (from 0) is singular");
}

Test(solve, pivots_are_found)
{
    /* Symmetric and not definite: no Cholesky; and 0 where the first pivot would be. */
    const int64_t       coord[] = {0, 1, 1, 0, 1, 1, 2, 2, 2, 3, 3, 2, 3, 3};
    const double        value[] = {2, 2, 1, 5, 1, 3, 4};
    double              b[4] = {1, 2, 3, 4}, x[4] = {0};
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;
    cairn_tensor       *tensor  = store(4, 4, 7, coord, value, CAIRN_F64);
    cairn_plan         *plan    = NULL;

    options.method       = "gmres";
    options.precondition = "block-jacobi:2";
    options.tolerance    = 1e-14;
    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    MUST(context, cairn_solve(plan, &options, b, x, &info));
    cr_expect_eq(info.iterations, 1);
    cr_expect_float_eq(x[0], 0.75, 1e-14);
    cr_expect_float_eq(x[1], 0.5, 1e-14);
    cr_expect_float_eq(5 * x[2] + x[3], 3, 1e-13);
    cr_expect_float_eq(3 * x[2] + 4 * x[3], 4, 1e-13);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

Test(solve, every_allocation_may_fail)
{
    const grid g = {.side = 9};
    setup      s = set_up(&g, "csr");

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t p = 0; p < 4; p++) {
            cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

            if (p > 0 && strchr(methods[m], ',')) continue;
            options.method       = methods[m];
            options.precondition = inverses[p];
            memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
            CAIRN_BRUTAL(&context->env, cairn_solve(s.plan, &options, s.b, s.x, NULL));
        }
    tear_down(&s);
}

/* ---- inside ---- */

/// Leaves cut into random stretches, each added up by itself and at once, make the sum of all
/// that are added one by one.
Test(solve, trees_add_the_same_whoever_adds)
{
    uint64_t state = 7;
    double   room[3][CAIRN_TREE_NODES], leaf[300], stretch[300];

    for (int64_t leaves = 1; leaves <= 300; leaves++) {
        cairn_tree whole  = {.leaves = leaves, .sum = room[0]};
        cairn_tree joined = {.leaves = leaves, .sum = room[1]};
        cairn_tree part   = {.leaves = leaves, .sum = room[2]};
        int64_t    from   = 0;

        cairn_tree_clear(&whole, 1);
        cairn_tree_clear(&joined, 1);
        for (int64_t k = 0; k < leaves; k++) {
            state   = state * 6364136223846793005u + 1442695040888963407u;
            leaf[k] = (double)(state >> 11) * 0x1p-53 * pow(2, (double)(k % 40));
            cairn_tree_push(&whole, (cairn_tree_node){0, k}, &leaf[k]);
            stretch[k - from] = leaf[k];
            if ((state >> 33) % 11 != 0 && k + 1 < leaves) continue;
            cairn_tree_clear(&part, 1);
            cairn_tree_push_leaves(&part, from, k + 1 - from, stretch);
            cairn_tree_join(&joined, &part);
            from = k + 1;
        }
        cr_assert_eq(whole.nodes, 1, "%ld leaves: %d nodes", (long)leaves, whole.nodes);
        cr_assert_eq(joined.nodes, 1);
        cr_assert_eq(memcmp(room[0], room[1], sizeof(double)), 0, "%ld leaves",
                     (long)leaves);
        if (leaves == 5) {
            const double sum = ((leaf[0] + leaf[1]) + (leaf[2] + leaf[3])) + leaf[4];

            cr_assert_eq(room[0][0], sum);
        }
    }
}

enum { VECTOR_ROWS = 3 * CAIRN_LEAF_ROWS + 8 };

/// What each function of vectors.h is to make of row i.
static double row_of(int function, double factor, double part, double a, double to)
{
    volatile double product = (function == 4 ? a : factor) * to, other = part * a;

    switch (function) {
    case 0: other = factor * a; return to + other;
    case 1: return a + product;
    case 2: return product + other;
    default: return product;
    }
}

static void run_vector(int           function,
                       int64_t       n,
                       double        factor,
                       double        part,
                       const double *a,
                       const double *before,
                       double       *to)
{
    switch (function) {
    case 0: cairn_vector_add(n, factor, a, to); break;
    case 1: cairn_vector_renew(n, a, factor, to); break;
    case 2: cairn_vector_mix(n, factor, part, a, to); break;
    case 3: cairn_vector_scale(n, factor, to); break;
    default: cairn_vector_multiply(n, a, before, to); break;
    }
}

/// The sum of a leaf as vectors.h has it.
static double leaf_of(int64_t n, const double *a, const double *b)
{
    volatile double lane[8] = {0}, product;

    for (int64_t i = 0; i < n; i++) {
        product = a[i] * b[i];
        lane[i % 8] += product;
    }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6]))
           + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// The bits are those of one row after the other, for any count of rows, wherever they lie.
Test(solve, vectors_have_the_bits_of_single_rows)
{
    double a[VECTOR_ROWS + 8], b[VECTOR_ROWS + 8], to[VECTOR_ROWS + 8], sum[8];

    for (int64_t i = 0; i < VECTOR_ROWS + 8; i++) {
        a[i] = grid_b(i) * pow(2, (double)(i % 30));
        b[i] = grid_b(3 * i + 1);
    }
    for (int64_t n = 0; n <= VECTOR_ROWS; n++) {
        const int64_t at = n % 8;

        for (int f = 0; f < 5; f++) {
            memcpy(to, b, sizeof to);
            run_vector(f, n, -1.3, 0.7, a + at, b + at, to + at);
            for (int64_t i = 0; i < VECTOR_ROWS + 8; i++)
                cr_assert_eq(
                    to[i],
                    i < at || i >= at + n ? b[i] : row_of(f, -1.3, 0.7, a[i], b[i]),
                    "function %d, %ld rows, row %ld", f, (long)n, (long)(i - at));
        }
        memset(sum, 0, sizeof sum);
        cairn_vector_dot(n, a + at, b, 2, sum + 1);
        for (int64_t k = 0; k < 4; k++) {
            const int64_t from = k * CAIRN_LEAF_ROWS, rest = n - from;

            cr_assert_eq(sum[2 * k], 0);
            if (rest <= 0) continue;
            cr_assert_eq(sum[2 * k + 1],
                         leaf_of(rest < CAIRN_LEAF_ROWS ? rest : CAIRN_LEAF_ROWS,
                                 a + at + from, b + from),
                         "%ld rows, leaf %ld", (long)n, (long)k);
        }
    }
}

Test(solve, bounds_hold_the_eigenvalues)
{
    /* 2 on the diagonal and -1 beside it: 2 - 2 cos(k pi / 6), k = 1 .. 5. */
    const double diagonal[5] = {2, 2, 2, 2, 2}, beside[4] = {1, 1, 1, 1};

    for (int k = 1; k <= 5; k++) {
        const double is = 2 - 2 * cos(k * acos(-1) / 6);

        cr_expect_eq(cairn_sturm_count(5, diagonal, beside, is - 1e-9), k - 1);
        cr_expect_eq(cairn_sturm_count(5, diagonal, beside, is + 1e-9), k);
    }
    double               d[100], b[100], x[100] = {0};
    cairn_solve_operator a       = {times_diagonal, d};
    cairn_solve_options  options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info     info    = CAIRN_SOLVE_INFO;

    for (int i = 0; i < 100; i++) {
        d[i] = 3 + i * 0.17;
        b[i] = 1;
    }
    options.method = "chebyshev";
    MUST(context, cairn_solve_with(context, 100, &a, &options, b, x, &info));
    cr_expect(info.upper >= d[99] && info.upper < 1.3 * d[99], "%g", info.upper);
    cr_expect(info.lower >= d[0] - 1e-9 && info.lower < 1.1 * d[0], "%g", info.lower);
    cr_expect(info.iterations < 40);
}
