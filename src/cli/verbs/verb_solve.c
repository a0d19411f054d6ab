// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn solve`: systems of equations over a plan.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/output/json.h"
#include "cli/process/clock.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/ranks/gather.h"
#include "cli/solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_ROWS = 64, STANDARD_BLOCK = 32 };

/* ---- options ---- */

/// Rows that stay together: leaves of sums, whole blocks, and what another format may keep
/// together (@p later).
static int64_t find_alignment(const cli_job *job, const char *precondition, bool later)
{
    const char   *behind = precondition ? strchr(precondition, ':') : NULL;
    const bool    blocks = precondition && strncmp(precondition, "block", 5) == 0;
    const int64_t block  = !blocks  ? 1
                           : behind ? strtoll(behind + 1, NULL, 10)
                                    : STANDARD_BLOCK;
    int64_t       align  = block;

    if (!cli_given(job, CLI_REPRODUCIBLE) && !later) return align;
    while (align % LEAF_ROWS != 0)
        align += block;
    return align;
}

/// --every: a number of iterations, or of seconds where an s follows.
static cairn_status read_every(cli_job *job, cairn_solve_checkpoints *how)
{
    const char *const text = cli_given(job, CLI_EVERY)
                                 ? cli_text(job, CLI_EVERY)
                                 : cli_option_row(CLI_EVERY)->standard;
    char             *end;
    const double      number = strtod(text, &end);
    const bool        time   = strcmp(end, "s") == 0;

    if (end == text || (*end && !time) || !(number > 0) || number > 1e9
        || (!time && number != floor(number)))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --every: %s: is no number of iterations (50), nor of "
                        "seconds (30s)",
                        text);
    if (time)
        how->seconds = number;
    else
        how->iterations = (int64_t)number;
    return CAIRN_OK;
}

static cairn_status read_checkpoints(cli_solve *solve)
{
    cli_job                 *job = solve->run.job;
    cairn_solve_checkpoints *how = &solve->checkpoints;

    how->folder  = cli_text(job, CLI_CHECKPOINT);
    how->restart = cli_text(job, CLI_RESTART);
    if (cli_given(job, CLI_EVERY) && !how->folder)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --every: nothing is kept without --checkpoint");
    if (how->folder || how->restart) solve->options.checkpoints = how;
    return how->folder ? read_every(job, how) : CAIRN_OK;
}

/// --switch-to, or --format auto, which begins in another than it chooses. A job with
/// --restart begins in that format.
static cairn_status read_other(cli_solve *solve)
{
    cli_job          *job      = solve->run.job;
    cli_run_settings *settings = &solve->run.settings;
    const char *const to       = cli_text(job, CLI_SWITCH_TO);
    const char       *place    = settings->place;
    cairn_format     *format   = NULL;

    if (place && strchr(place, '=')) place = NULL; /* of the members of --format */
    if (to && settings->choose)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --switch-to: --format auto chooses what to go on in");
    if ((to || settings->choose) && cli_given(job, CLI_REPRODUCIBLE))
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --reproducible: not with %s: bits follow from the "
                        "format, so name %s",
                        to ? "--switch-to" : "--format auto",
                        to ? "one by --format" : "it");
    if (to) /* a file of formats may be missing on one rank only */
        CLI_TRY(cli_agree(job, cairn_format_create(job->context, to, &format)));
    cairn_format_destroy(&format);
    if (solve->checkpoints.restart) {
        if (to) {
            settings->format = to;
            settings->place  = place;
        }
        return CAIRN_OK;
    }
    solve->run.choice.later = settings->choose;
    solve->other.format     = to;
    solve->other.place      = place;
    if (to || settings->choose) solve->options.other = &solve->other;
    return CAIRN_OK;
}

static cairn_status read_settings(cli_job *job, cli_solve *solve)
{
    cli_run             *run      = &solve->run;
    cli_run_settings    *settings = &run->settings;
    cairn_solve_options *options  = &solve->options;
    const char *const    picture  = cli_text(job, CLI_PICTURE);
    const char *const    ending   = picture ? strrchr(picture, '.') : NULL;

    *settings         = cli_run_settings_standard(job);
    settings->op      = "solve";
    settings->file    = job->arguments.operand[1];
    settings->warmup  = 0;
    settings->columns = 1;
    CLI_TRY(cli_run_settings_common(job, settings));
    if (job->dtype != CAIRN_F64) return cli_not_yet(job, "f32", "option: --dtype");
    options->method       = job->arguments.operand[0];
    options->precondition = cli_text(job, CLI_PRECONDITION);
    options->reproducible = cli_given(job, CLI_REPRODUCIBLE);
    CLI_TRY(cli_real(job, CLI_TOL, &options->tolerance));
    if (options->tolerance < 0)
        return cli_fail(job, CAIRN_BAD_OPTION, "option: --tol: %g is less than 0",
                        options->tolerance);
    CLI_TRY(cli_integer(job, CLI_MAX_ITERATIONS, 0, &options->max_iterations));
    CLI_TRY(read_checkpoints(solve));
    CLI_TRY(read_other(solve));
    CLI_TRY(cairn_solve_check(job->context, options));
    run->align = find_alignment(job, options->precondition, options->other != NULL);
    if (picture && strcmp(ending ? ending : "", ".svg") != 0)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --picture: %s: pictures are SVG, and end in .svg",
                        picture);
    solve->rhs = cli_given(job, CLI_RHS) ? cli_text(job, CLI_RHS)
                                         : cli_option_row(CLI_RHS)->standard;
    return CAIRN_OK;
}

/* ---- iterations ---- */

/// Keep the residual and the time of an iteration.
static int keep_point(void *user, const cairn_solve_state *state)
{
    cli_solve *solve = user;

    const int wish = atomic_load(&solve->asked); /* to end */

    if (!cli_is_first(solve->run.job)) return wish;
    if (solve->points == solve->room) {
        const int64_t    room = solve->room > 0 ? 2 * solve->room : 1024;
        cli_solve_point *more =
            realloc(solve->point, (size_t)room * sizeof *solve->point);

        solve->full = !more;
        if (!more) return 1;
        solve->point = more;
        solve->room  = room;
    }
    solve->point[solve->points++] = (cli_solve_point){state->residual, cli_seconds()};
    return wish;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// Seconds of iterations, where the run of a product has those of runs.
static cairn_status summarize(cli_solve *solve)
{
    cli_run_seconds *seconds = &solve->run.seconds;
    const int64_t    steps   = solve->points - 1;
    double          *all     = NULL;

    solve->run.settings.iters = solve->info.iterations;
    seconds->median = seconds->fastest = NAN;
    seconds->total                     = solve->info.seconds;
    if (steps < 1) return CAIRN_OK;
    all = malloc((size_t)steps * sizeof *all);
    if (!all)
        return cli_fail(solve->run.job, CAIRN_NO_MEMORY, "memory: times of iterations");
    for (int64_t k = 0; k < steps; k++)
        all[k] = solve->point[k + 1].when - solve->point[k].when;
    qsort(all, (size_t)steps, sizeof *all, by_size);
    seconds->fastest = all[0];
    seconds->median  = (all[(steps - 1) / 2] + all[steps / 2]) / 2;
    free(all);
    return CAIRN_OK;
}

/// Solve from x = 0. That it did not converge is a result: it is written and told, and the
/// status comes at the end.
static cairn_status iterate(cli_solve *solve, const double *b, double *x)
{
    cli_job *job = solve->run.job;

    cli_progress_phase("solve");
    solve->options.step     = keep_point;
    solve->options.user     = solve;
    solve->other.info       = &solve->switched;
    solve->other.candidates = solve->run.choice.candidates;
    if (solve->checkpoints.folder) cli_signals_ask(&solve->asked);
    const cairn_status status =
        cairn_solve(solve->run.plan, &solve->options, b, x, &solve->info);

    cli_signals_ask(NULL);

    CLI_TRY(cli_agree(job, solve->full
                               ? cli_fail(job, CAIRN_NO_MEMORY, "memory: the history")
                               : CAIRN_OK));
    if (status != CAIRN_NOT_CONVERGED) return status;
    solve->why = strdup(cairn_context_message(job->context));
    return solve->why ? CAIRN_OK : CAIRN_NO_MEMORY;
}

/* ---- all of it ---- */

/// b, from the plan's X where it was read there.
static cairn_status fill_b(cli_solve *solve, int64_t rows, double *b)
{
    if (strcmp(solve->rhs, "ones") != 0) {
        CLI_TRY(cairn_plan_read_x(solve->run.plan, solve->rhs));
        memcpy(b, cairn_plan_x(solve->run.plan), (size_t)rows * sizeof *b);
        return CAIRN_OK;
    }
    for (int64_t i = 0; i < rows; i++)
        b[i] = 1;
    return CAIRN_OK;
}

static cairn_status solve_all(cli_solve *solve, int64_t rows, double *vectors)
{
    cli_run      *run = &solve->run;
    double *const b = vectors, *const x = vectors + rows;

    CLI_TRY(fill_b(solve, rows, b));
    CLI_TRY(iterate(solve, b, x));
    CLI_TRY(cli_agree(run->job, cli_is_first(run->job) ? summarize(solve) : CAIRN_OK));
    cli_progress_phase("write");
    if (!run->settings.files.out) return CAIRN_OK;
    memcpy(cairn_plan_y(run->plan), x, (size_t)rows * sizeof *x);
    return cairn_plan_write_y(run->plan, run->settings.files.out);
}

static cairn_status report(const cli_solve *solve)
{
    cli_job *job = solve->run.job;

    if (!cli_is_first(job)) return CAIRN_OK;
    if (cli_given(job, CLI_PICTURE))
        CLI_TRY(cli_solve_draw(solve, cli_text(job, CLI_PICTURE)));
    if (cli_given(job, CLI_JSON))
        CLI_TRY(cli_json_write(job, cli_solve_object(solve)));
    else
        cli_solve_print(solve);
    return cli_flush(job); /* before the line of a failure */
}

static cairn_status execute(cli_solve *solve)
{
    cli_run *run     = &solve->run;
    double  *vectors = NULL;
    int64_t  first, end;

    CLI_TRY(cli_run_load(run));
    if (run->matrix.extent[0] != run->matrix.extent[1])
        return cli_fail(run->job, CAIRN_BAD_SHAPE,
                        "solve: %s: it is %lld x %lld: as many equations as unknowns "
                        "are needed",
                        run->settings.file, (long long)run->matrix.extent[0],
                        (long long)run->matrix.extent[1]);
    CLI_TRY(cli_run_prepare(run));
    cairn_plan_rows(run->plan, &first, &end);
    CLI_TRY(cli_alloc_together(run->job, 2 * (end - first), sizeof(double), &vectors));
    cairn_status status = solve_all(solve, end - first, vectors);

    free(vectors);
    CLI_TRY(status);
    CLI_TRY(cli_run_collect(run));
    cli_progress_phase(NULL);
    CLI_TRY(cli_run_warn(run));
    return cli_agree(run->job, report(solve));
}

static cairn_status run_verb(cli_job *job)
{
    cli_solve solve = {
        .run     = {.job = job, .matrix = CAIRN_SOURCE_INFO, .moved = CAIRN_PLAN_INFO},
        .options = CAIRN_SOLVE_OPTIONS,
        .checkpoints = CAIRN_SOLVE_CHECKPOINTS,
        .other       = CAIRN_SOLVE_SWITCH,
        .switched    = CAIRN_SOLVE_SWITCH_INFO,
        .info        = CAIRN_SOLVE_INFO
    };

    solve.run.product = (cairn_product_options){
        .size = sizeof(cairn_product_options), .columns = 1, .alpha = 1};
    cairn_status status = read_settings(job, &solve);

    if (status == CAIRN_OK) status = execute(&solve);
    if (status == CAIRN_OK && solve.why)
        status = cli_fail(job, CAIRN_NOT_CONVERGED, "%s%s%s", solve.why,
                          solve.info.checkpoints > 0 ? "; go on with --restart " : "",
                          solve.info.checkpoints > 0 ? solve.checkpoints.folder : "");
    free(solve.why);
    free(solve.point);
    cli_run_release(&solve.run);
    return status;
}

bool cli_method_word(int k, cli_word_row *row)
{
    static const cli_word_row methods[] = {
        {"cg",              "", "conjugate gradients: symmetric, positive definite"},
        {"pipelined-cg",    "", "the same, sums travel behind the products"        },
        {"bicgstab",        "", "any matrix, a few vectors"                        },
        {"gmres:M",         "", "any matrix, M vectors (30), then anew"            },
        {"chebyshev:LO,HI", "",
         "symmetric, eigenvalues known or found: no dot product"                   },
    };

    if (k >= (int)(sizeof methods / sizeof methods[0])) return false;
    *row = methods[k];
    return true;
}

static const char about[] =
    "Solves A x = b from x = 0, with one product of the plan a step (two of bicgstab). "
    "It ends where |b - A x| is --tol times |b|, in the 2-norm. Exit status 1: it did "
    "not "
    "get there in --max-iterations, or could not go on, because the matrix is not "
    "positive definite for example.\n"
    "\n"
    "With --reproducible the residuals have the same bits on any number of ranks and "
    "threads, for one format: sums are of 64 rows each, in a binary tree, and ranks "
    "begin "
    "at multiples of 64 rows (and of the blocks' rows).\n"
    "\n"
    "block-jacobi:B has the diagonal's blocks of B rows, 32 without :B, factored.\n"
    "\n"
    "With --checkpoint states are written to a folder that all ranks see, beside the "
    "iterations, and the last one at the end where the solution was not reached, or "
    "when "
    "SIGTERM or SIGUSR1 came: exit status 1 then. --restart goes on from the newest "
    "that is "
    "whole, on any number of ranks; the matrix, the right-hand side, the method and "
    "the "
    "preconditioner have to be the same. deploy/launch starts such jobs again.\n"
    "\n"
    "With --format auto iterations begin as without it, or as a .cairn file has the "
    "matrix, "
    "while "
    "a format is chosen and stored beside them. When it is there a few products are "
    "timed "
    "each way, and the faster is kept. A job with --restart chooses before it begins. "
    "--switch-to "
    "names the format, and --format the one to begin in; with --restart a job begins "
    "in "
    "it.";

static const char json[] =
    "all fields of run, seconds_median, seconds_min and gflops being those of an "
    "iteration and op \"solve\", and method precondition tolerance outcome (converged, "
    "limit, stopped, breakdown) iterations residual (|r| / |b|, as carried along) "
    "true_residual (computed anew) why (null if it converged) lower upper (bounds of "
    "chebyshev, else null) products reductions seconds_solve seconds_products "
    "seconds_precondition (outside the passes that sum) first (the iteration that it "
    "began with: that of the checkpoint, else 0) checkpoints (completed) "
    "seconds_checkpoint (for which iterations waited) other{} (null but with --format "
    "auto or --switch-to: format (null: none), tried and switched (the iterations "
    "behind which "
    "products "
    "went that way first, and for good, else null), seconds (beside the iterations), "
    "before and after (of a product each way, null: not timed), why) history[] "
    "(residuals of "
    "iterations "
    "first, first + 1, ...)";

static const cli_example examples[] = {
    {"cairn solve cg grid.mtx --precondition jacobi",                        "x of A x = 1"},
    {"cairn solve gmres:50 grid.mtx --tol 1e-10 --rhs b.mtx --out x.mtx",
     "another right-hand side, the solution kept"                                          },
    {"mpirun -n 4 cairn solve pipelined-cg grid.mtx --reproducible",
     "the same bits on any ranks"                                                          },
    {"cairn solve chebyshev:0.01,8 grid.mtx --json -",
     "bounds known, the history as JSON"                                                   },
    {"cairn solve cg grid.mtx --switch-to formats:blocks",
     "begin without it, go on in what is faster"                                           },
    {"mpirun -n 4 cairn solve cg grid.mtx --checkpoint kept --every 30s",
     "a state every 30 seconds"                                                            },
    {"mpirun -n 2 cairn solve cg grid.mtx --checkpoint kept --restart kept",
     "go on from it, on two ranks"                                                         },
    {NULL,                                                                   NULL          },
};

const cli_verb cli_verb_solve = {
    .name     = "solve",
    .operands = "METHOD FILE",
    .least    = 2,
    .most     = 2,
    .summary  = "Solve A x = b by iterations",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "METHOD",
    .word     = cli_method_word,
    .options =
        (const cli_option_id[]){
                                CLI_PRECONDITION, CLI_TOL, CLI_MAX_ITERATIONS, CLI_RHS,
                                CLI_CHECKPOINT, CLI_EVERY, CLI_RESTART, CLI_OUT,
                                CLI_PICTURE, CLI_FORMAT, CLI_SWITCH_TO, CLI_CANDIDATES,
                                CLI_PLACE, CLI_DEVICES, CLI_DISTRIBUTE, CLI_DTYPE,
                                CLI_THREADS, CLI_MEMORY, CLI_GIVE_UP, CLI_REPRODUCIBLE,
                                CLI_GUARD, CLI_OPTIONS},
    .run = run_verb,
};
