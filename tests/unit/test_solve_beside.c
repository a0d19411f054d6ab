// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers whose matrix is stored in another format beside their iterations: what that costs
/// by a clock that is made up, and that it is done right. On ranks: tests/mpi/test_solve.c.

#include "api/api.h"
#include "solve/solver.h"
#include "support/names.h"
#include "support/scratch.h"
#include "support/solve_case.h"
#include "support/suite_context.h"

#include <fcntl.h>
#include <unistd.h>

TestSuite(solve_beside, .init = context_up, .fini = context_down, .timeout = 300);

/* ---- the price, by a clock that is made up ---- */

/// Two ways to multiply, and a conversion that takes a while. Time goes by in products alone.
typedef struct {
    grid   g;
    double now;
    double cost[2]; ///< Of a product, as it began and in the other format.
    double takes;   ///< The conversion.
    bool   shares;  ///< It has half of the core that the products are on.
    bool   fails;
    int    taken;
} course;

static bool converts(const course *c)
{
    return c->now < (c->shares ? 2 : 1) * c->takes;
}

static cairn_status multiply(course *c, int way, const double *x, double *y)
{
    for (int64_t i = 0; i < grid_rows(&c->g); i++)
        y[i] = grid_times(&c->g, i, x);
    c->now += c->cost[way] * (c->shares && converts(c) ? 2 : 1);
    return CAIRN_OK;
}

static cairn_status multiply_before(void *user, const double *x, double *y)
{
    return multiply(user, 0, x, y);
}

static cairn_status multiply_after(void *user, const double *x, double *y)
{
    return multiply(user, 1, x, y);
}

static cairn_beside_stage look(void *user, double seconds)
{
    (void)seconds;
    return converts(user) ? CAIRN_BESIDE_WORKS : CAIRN_BESIDE_ENDED;
}

static void serve(void *user)
{
    (void)user;
    cr_assert_fail("nothing was asked for");
}

static const char *take(void *user, cairn_solve_operator *matrix)
{
    course *c = user;

    c->taken++;
    if (c->fails) return NULL;
    *matrix = (cairn_solve_operator){multiply_after, c};
    return "other";
}

static double read_clock(void *user)
{
    return ((course *)user)->now;
}

static cairn_solve_switch_info told = CAIRN_SOLVE_SWITCH_INFO; ///< Of the last solver.

/// @p iterations of a method that does not converge in so many.
static cairn_solve_info run(course *c, int64_t iterations)
{
    const cairn_beside_work  work    = {c, &told, look, serve, take, read_clock};
    const int64_t            rows    = grid_rows(&c->g);
    cairn_solve_options      options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info         info    = CAIRN_SOLVE_INFO;
    double                   b[64], x[64] = {0};
    cairn_solve_method       method;
    const cairn_solve_system system = {
        .rows            = {0, rows,           rows},
        .matrix          = {multiply_before, c},
        .identity.format = "first",
        .beside          = &work,
        .b               = b,
        .x               = x
    };

    told = (cairn_solve_switch_info)CAIRN_SOLVE_SWITCH_INFO;
    for (int64_t i = 0; i < rows; i++)
        b[i] = grid_b(i);
    options.tolerance      = 0;
    options.max_iterations = iterations;
    MUST(context, cairn_method_parse(&context->env, "chebyshev:1e-9,11", &method));
    cr_assert_eq(cairn_solver_run(context->comm, &system, &method, &options, &info),
                 CAIRN_NOT_CONVERGED);
    cr_assert_eq(info.outcome, CAIRN_SOLVE_LIMIT);
    return info;
}

/// The contract: at most 1.1 times what the better way would have taken, if one had known
/// how many products come, and one conversion. What is many times slower than it was thought
/// to be takes two products until that is known to all ranks, which may be more.
Test(solve_beside, never_takes_much_longer_than_the_better_way)
{
    static const int64_t hidden[]      = {1, 10, 100, 10000};
    static const double  after[]       = {0.1, 0.5, 0.8, 1, 1.25, 1.9, 3, 10};
    static const double  conversions[] = {40, 100, 400};
    int                  kept          = 0;

    for (int n = 0; n < 4; n++)
        for (int a = 0; a < 8; a++)
            for (int k = 0; k < 6; k++) {
                course c = {
                    .g      = {.side = 8},
                    .cost   = { 1, after[a]},
                    .takes  = conversions[k / 2],
                    .shares = k % 2
                };
                const double           converting = c.takes;
                const cairn_solve_info info       = run(&c, hidden[n]);
                const double           stays      = (double)info.products;
                const double           best =
                    fmin(stays, converting + after[a] * (double)info.products);

                cr_assert_leq(c.now, fmax(1.1 * best, best + 2 * after[a]) + converting,
                              "%d products, %g each: %g, at best %g",
                              (int)info.products, after[a], c.now, best);
                cr_assert_leq(c.taken, 1);
                if (told.switched >= 0) cr_assert_lt(after[a], 1);
                if (hidden[n] == 10000 && after[a] < 1)
                    cr_assert_geq(told.switched, told.tried);
                kept += told.switched >= 0;
            }
    cr_assert_geq(kept, 18); /* three that are faster, of 10,000 products at least */
}

Test(solve_beside, what_fails_leaves_the_iterations_as_they_were)
{
    course c = {
        .g = {.side = 8},
          .cost = { 1,      0.1},
          .takes = 20, .fails = true
    };
    const cairn_solve_info info = run(&c, 200);

    cr_assert_eq(c.taken, 1);
    cr_assert_eq(told.tried, -1);
    cr_assert_eq(c.now, (double)info.products);
}

/* ---- over a plan ---- */

static struct {
    grid          g;
    cairn_tensor *tensor;
    cairn_plan   *plan;
    int64_t       rows;
    double       *b, *x, *there;
    char          last[1024]; ///< The format that was seen last.
    int64_t       changes;
    int           told; ///< Lines of the log that are about another format.
} s;

static void tell(void *user, const char *message)
{
    (void)user;
    s.told += strstr(message, "another format") != NULL;
}

static void plan_up(int64_t side, const char *format)
{
    s.g      = (grid){.side = side};
    s.tensor = grid_store(context, &s.g, format, 64);
    s.rows   = grid_rows(&s.g);
    MUST(context, cairn_plan_create_spmv(s.tensor, &s.plan));
    s.b     = malloc((size_t)s.rows * sizeof *s.b);
    s.x     = calloc((size_t)s.rows, sizeof *s.x);
    s.there = calloc((size_t)s.rows, sizeof *s.there);
    for (int64_t i = 0; i < s.rows; i++)
        s.b[i] = grid_b(i);
    cairn_context_set_log(context, tell, NULL);
}

static void plan_down(void)
{
    cairn_plan_destroy(&s.plan);
    cairn_tensor_destroy(&s.tensor);
    free(s.b);
    free(s.x);
    free(s.there);
}

/// Let the other thread get on until the other format is in use.
static int wait_for_it(void *user, const cairn_solve_state *state)
{
    const bool stop = user && s.changes > 0;

    s.changes += s.last[0] && strcmp(s.last, state->format) != 0;
    snprintf(s.last, sizeof s.last, "%s", state->format);
    if (s.changes == 0) usleep(3000);
    return stop;
}

/// The solution as iterations in one format have it.
static void solve_plainly(const char *method)
{
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    options.method    = method;
    options.tolerance = 1e-12;
    MUST(context, cairn_solve(s.plan, &options, s.b, s.there, NULL));
}

Test(solve_beside, iterations_go_on_in_a_format_that_was_asked_for)
{
    static const char *const methods[] = {"chebyshev:1,11", "cg", "pipelined-cg",
                                          "bicgstab", "gmres:20"};

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE; /* no compiler's time */
    plan_up(60, "csr");
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
        cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
        cairn_solve_info    info    = CAIRN_SOLVE_INFO;

        solve_plainly(methods[m]);
        memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
        s.last[0]         = 0;
        s.changes         = 0;
        other.info        = &told;
        other.format      = named("bdia<64>");
        options.method    = methods[m];
        options.tolerance = 1e-12;
        options.other     = &other;
        options.step      = wait_for_it;
        MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
        cr_assert_geq(told.tried, 0, "%s: %s", methods[m], told.why);
        cr_assert_geq(s.changes, 1);
        cr_assert_neq(told.format[0], 0);
        cr_assert_gt(told.seconds, 0);
        for (int64_t i = 0; i < s.rows; i++)
            cr_assert_float_eq(s.x[i], s.there[i], 1e-9, "%s", methods[m]);
    }
    cr_assert_eq(s.told, 0);
    plan_down();
}

/// The other context says something when its matrix is in use, as devices do that fail.
static int speak_beside(void *user, const cairn_solve_state *state)
{
    wait_for_it(NULL, state);
    if (s.changes == 0) return 0;
    if (s.told == 0)
        cairn_log(&atomic_load(&context->company.beside)->env, "%s",
                  (const char *)user);
    return 1;
}

Test(solve_beside, what_the_other_context_says_then_reaches_the_log)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    char                words[] = "said by another format's device";

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    plan_up(60, "csr");
    other.info        = &told;
    other.format      = named("bdia<64>");
    options.method    = "chebyshev:1e-9,11";
    options.tolerance = 0;
    options.other     = &other;
    options.step      = speak_beside;
    options.user      = words;
    cr_assert_eq(cairn_solve(s.plan, &options, s.b, s.x, NULL), CAIRN_NOT_CONVERGED);
    cr_assert_geq(told.tried, 0, "%s", told.why);
    cr_assert_eq(s.told, 1);
    plan_down();
}

Test(solve_beside, auto_says_which_format_or_none)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;
    int                 stops   = 1;

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    context->env.options.cost    = CAIRN_RATES_SHIPPED;
    plan_up(60, "coo");
    other.info             = &told;
    told                   = (cairn_solve_switch_info)CAIRN_SOLVE_SWITCH_INFO;
    other.candidates       = named("csr\nbdia<64>\n");
    options.method         = "chebyshev:1e-9,11";
    options.max_iterations = 5000;
    options.other          = &other;
    options.step           = wait_for_it;
    options.user           = &stops;
    cr_assert_eq(cairn_solve(s.plan, &options, s.b, s.x, &info), CAIRN_NOT_CONVERGED);
    cr_assert_eq(info.outcome, CAIRN_SOLVE_STOPPED);
    cr_assert_geq(told.tried, 0, "%s", told.why);
    plan_down();

    plan_up(60, "csr");
    other.candidates       = named("csr\n"); /* it is that */
    options.max_iterations = 300;
    cr_assert_eq(cairn_solve(s.plan, &options, s.b, s.x, &info), CAIRN_NOT_CONVERGED);
    cr_assert_eq(told.tried, -1);
    cr_assert_eq(told.format[0], 0);
    cr_assert_neq(told.why[0], 0);
    plan_down();
}

Test(solve_beside, want_of_memory_is_told_once_and_iterations_go_on)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;

    plan_up(500, "csr");
    MUST(context, cairn_context_set_memory(
                      context, atomic_load(&context->env.used_bytes) + (1 << 20)));
    other.info             = &told;
    other.format           = named("ell");
    options.other          = &other;
    options.tolerance      = 1e-3;
    options.max_iterations = 100000;
    MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
    for (int again = 0; s.told == 0 && again < 50; again++) { /* it ended before that */
        memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
        options.tolerance /= 2;
        MUST(context, cairn_solve(s.plan, &options, s.b, s.x, &info));
    }
    cr_assert_eq(s.told, 1);
    cr_assert_eq(told.tried, -1);
    cr_assert_not_null(strstr(told.why, "memory"), "%s", told.why);
    plan_down();
}

Test(solve_beside, a_solver_that_ends_before_waits_for_its_thread)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;
    cairn_solve_info    info    = CAIRN_SOLVE_INFO;

    plan_up(200, "csr");
    other.info             = &told;
    other.format           = named("ell");
    options.other          = &other;
    options.max_iterations = 0;
    for (int k = 0; k < 20; k++)
        cr_assert_eq(cairn_solve(s.plan, &options, s.b, s.x, &info),
                     CAIRN_NOT_CONVERGED);
    cr_assert_eq(told.tried, -1);
    plan_down();
}

/// A signal ends the process: what the second thread had begun to write goes, too.
Test(solve_beside, what_the_other_thread_has_begun_goes_with_a_signal)
{
    cairn_context *beside = NULL;
    char           folder[64], path[128];

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/begun", folder);
    fclose(fopen(path, "w"));
    MUST(context, cairn_context_create_beside(context, &beside));
    cr_assert_not_null(cairn_remains_add(&beside->env.remains, AT_FDCWD, path, false));
    cairn_context_abandon(context);
    cr_assert_neq(access(path, F_OK), 0);
    cairn_context_destroy_beside(context, &beside);
    cairn_context_abandon(context); /* it is not looked at any more */
    rmdir(folder);
}

Test(solve_beside, bad_words_are_refused)
{
    cairn_solve_switch  other   = CAIRN_SOLVE_SWITCH;
    cairn_solve_options options = CAIRN_SOLVE_OPTIONS;

    plan_up(10, "csr");
    options.other = &other;
    other.format  = "nonsense";
    cr_assert_eq(cairn_solve(s.plan, &options, s.b, s.x, NULL), CAIRN_BAD_FORMAT, "%s",
                 cairn_context_message(context));
    other.format         = NULL;
    options.reproducible = true;
    cr_assert_eq(cairn_solve_check(context, &options), CAIRN_BAD_ARGUMENT);
    cr_assert_not_null(strstr(cairn_context_message(context), "other"));
    plan_down();
}
