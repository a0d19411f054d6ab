// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Solvers that keep checkpoints and go on from them, by the public interface; jobs of
/// ranks: tests/cli/ranks_solve_restart.sh.

#include "api/api.h"
#include "support/brutal.h"
#include "support/scratch.h"
#include "support/solve_case.h"
#include "support/suite_context.h"

#include <unistd.h>

static char folder[64], kept[128];

/// A plan, vectors for it, and where states are kept.
static struct {
    grid                    g;
    cairn_tensor           *tensor;
    cairn_plan             *plan;
    int64_t                 rows;
    double                 *b, *x;
    cairn_solve_checkpoints how;
    cairn_solve_options     options;
    cairn_solve_info        info;
} s;

static void up(void)
{
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;

    context_up();
    scratch_create(folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    s.g                  = (grid){.side = 19};
    s.tensor             = grid_store(context, &s.g, "csr", 64);
    s.rows               = grid_rows(&s.g);
    options.reproducible = true;
    MUST(context, cairn_plan_create_with(s.tensor, &options, &s.plan));
    s.b = malloc((size_t)s.rows * sizeof *s.b);
    s.x = calloc((size_t)s.rows, sizeof *s.x);
    for (int64_t i = 0; i < s.rows; i++)
        s.b[i] = grid_b(i);
    s.how                 = (cairn_solve_checkpoints)CAIRN_SOLVE_CHECKPOINTS;
    s.options             = (cairn_solve_options)CAIRN_SOLVE_OPTIONS;
    s.options.checkpoints = &s.how;
    s.info                = (cairn_solve_info)CAIRN_SOLVE_INFO;
}

static void down(void)
{
    char line[128];

    cairn_plan_destroy(&s.plan);
    cairn_tensor_destroy(&s.tensor);
    free(s.b);
    free(s.x);
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    cr_assert_eq(system(line), 0);
    context_down();
}

TestSuite(solve_checkpoints, .init = up, .fini = down, .timeout = 300);

/// Solve from x = 0, or from where a state is.
static cairn_status solve(void)
{
    memset(s.x, 0, (size_t)s.rows * sizeof *s.x);
    return cairn_solve(s.plan, &s.options, s.b, s.x, &s.info);
}

Test(solve_checkpoints, what_is_cut_goes_on_with_the_same_bits)
{
    static const char *const methods[] = {"cg", "pipelined-cg", "bicgstab", "gmres:7",
                                          "chebyshev"};
    double *const            whole     = malloc((size_t)s.rows * sizeof *whole);

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        s.options.method         = methods[m];
        s.options.precondition   = m % 2 ? "jacobi" : NULL;
        s.options.max_iterations = 10000;
        s.how                    = (cairn_solve_checkpoints)CAIRN_SOLVE_CHECKPOINTS;
        MUST(context, solve());
        const int64_t iterations = s.info.iterations;

        memcpy(whole, s.x, (size_t)s.rows * sizeof *whole);
        snprintf(kept, sizeof kept, "%s/%d", folder, (int)m);
        s.how.folder             = kept;
        s.how.iterations         = 3;
        s.options.max_iterations = iterations - 2;
        cr_assert_eq(solve(), CAIRN_NOT_CONVERGED);
        cr_assert_geq(s.info.checkpoints, 1, "%s", methods[m]);
        s.options.max_iterations = 10000;
        s.how.restart            = kept;
        MUST(context, solve());
        cr_assert_gt(s.info.first, 0);
        cr_assert_eq(s.info.iterations, iterations);
        cr_assert_arr_eq(s.x, whole, (size_t)s.rows * sizeof *whole, "%s", methods[m]);
    }
    free(whole);
}

static int stop(void *user, const cairn_solve_state *state)
{
    return state->iteration >= *(const int64_t *)user;
}

Test(solve_checkpoints, one_that_is_stopped_leaves_a_last_state)
{
    int64_t when = 11;

    s.options.step = stop;
    s.options.user = &when;
    s.how.folder   = kept;
    cr_assert_eq(solve(), CAIRN_NOT_CONVERGED);
    cr_assert_eq(s.info.outcome, CAIRN_SOLVE_STOPPED);
    cr_assert_eq(s.info.checkpoints, 1);
    const int64_t last = s.info.iterations;

    when          = 100000;
    s.how.folder  = NULL;
    s.how.restart = kept;
    MUST(context, solve());
    cr_assert_eq(s.info.first, last);
    cr_assert_eq(s.info.checkpoints, 0);
}

Test(solve_checkpoints, seconds_go_by)
{
    s.how.folder             = kept;
    s.how.seconds            = 1e-9;
    s.options.method         = "chebyshev:1e-9,11"; /* far too slow */
    s.options.max_iterations = 3000;
    cr_assert_eq(solve(), CAIRN_NOT_CONVERGED);
    cr_assert_geq(s.info.checkpoints, 2);
}

Test(solve_checkpoints, what_belongs_elsewhere_is_refused)
{
    s.how.folder             = kept;
    s.options.max_iterations = 5;
    cr_assert_eq(solve(), CAIRN_NOT_CONVERGED);
    s.how.folder  = NULL;
    s.how.restart = kept;
    s.b[7] += 1;
    cr_assert_eq(solve(), CAIRN_BAD_FILE);
    cr_assert_not_null(strstr(cairn_context_message(context), "right-hand side"));
    s.b[7] -= 1;
    const double swapped = s.b[7];

    s.b[7] = s.b[8]; /* of the same length */
    s.b[8] = swapped;
    cr_assert_eq(solve(), CAIRN_BAD_FILE);
    s.b[8]                 = s.b[7];
    s.b[7]                 = swapped;
    s.options.precondition = "jacobi";
    cr_assert_eq(solve(), CAIRN_BAD_FILE);
    s.options.precondition = NULL;
    MUST(context, cairn_tensor_shift(s.tensor, 1));
    cr_assert_eq(solve(), CAIRN_BAD_FILE);
    cr_assert_not_null(strstr(cairn_context_message(context), "another matrix"));
    MUST(context, cairn_tensor_shift(s.tensor, -1));
    s.how.restart = "/nowhere";
    cr_assert_eq(solve(), CAIRN_IO);
    s.how.restart = NULL;
    s.how.folder  = "/proc/no/such";
    cr_assert_eq(solve(), CAIRN_IO);
}

Test(solve_checkpoints, wrong_options_are_refused)
{
    cairn_solve_state state = CAIRN_SOLVE_STATE;

    s.how.folder     = kept;
    s.how.iterations = -1;
    cr_assert_eq(solve(), CAIRN_BAD_ARGUMENT);
    s.how.iterations = 0;
    s.how.seconds    = -1;
    cr_assert_eq(solve(), CAIRN_BAD_ARGUMENT);
    s.how.seconds = NAN;
    cr_assert_eq(solve(), CAIRN_BAD_ARGUMENT);
    s.how.seconds   = 0;
    s.how.restart   = kept;
    s.options.start = &state;
    cr_assert_eq(solve(), CAIRN_BAD_ARGUMENT);
    s.options.start = NULL;
    s.how.size      = 3;
    cr_assert_eq(solve(), CAIRN_BAD_ARGUMENT);
    cr_assert_eq(access(kept, F_OK), -1, "a folder was made");
}

static cairn_status identity(void *user, const double *x, double *y)
{
    memcpy(y, x, *(const size_t *)user);
    return CAIRN_OK;
}

Test(solve_checkpoints, an_operator_has_them_too)
{
    size_t                     bytes  = (size_t)s.rows * sizeof *s.x;
    const cairn_solve_operator matrix = {identity, &bytes};

    s.how.folder             = kept;
    s.options.max_iterations = 0;
    s.how.iterations         = 1;
    cr_assert_eq(cairn_solve_with(context, s.rows, &matrix, &s.options, s.b, s.x, NULL),
                 CAIRN_NOT_CONVERGED);
    s.options.max_iterations = 5;
    MUST(context,
         cairn_solve_with(context, s.rows, &matrix, &s.options, s.b, s.x, &s.info));
    cr_assert_eq(s.info.iterations, 1);
    cr_assert_arr_eq(s.x, s.b, bytes);
}

/// A state is kept, or the log says why not; never is anything else wrong.
static cairn_status keep_one(void)
{
    s.how.restart             = NULL;
    s.options.max_iterations  = 4;
    const cairn_status status = solve();

    return status == CAIRN_NOT_CONVERGED ? CAIRN_OK : status;
}

Test(solve_checkpoints, every_allocation_may_fail)
{
    s.how.folder     = kept;
    s.how.iterations = 2;
    CAIRN_BRUTAL(&context->env, keep_one());
}
