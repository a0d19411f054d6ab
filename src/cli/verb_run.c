// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn run`: an operation, prepared once, run many times.

#include "progress.h"
#include "run.h"
#include "values.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

/// The operation's order goes before the format's, which may be one that nobody named.
static cairn_status check_order(cli_run *run)
{
    if (run->matrix.order == 2) return CAIRN_OK;
    return cli_fail(run->job, CAIRN_BAD_SHAPE,
                    "spmv: y(i) += A(i,j)*x(j) needs a matrix, and the order is %d",
                    run->matrix.order);
}

/// Read the file and store it. Cheap refusals come before the reading.
static cairn_status load(cli_run *run)
{
    const cli_run_settings *settings = &run->settings;
    cairn_context          *context  = run->job->context;

    /* A file of formats, or a described machine, may be missing on one rank only. */
    CLI_TRY(cli_agree(run->job,
                      cairn_format_create(context, settings->format, &run->format)));
    CLI_TRY(cli_agree(run->job,
                      cairn_devices_check(context, settings->place, settings->devices,
                                          cairn_format_members(run->format))));
    cli_progress_phase("read");
    CLI_TRY(
        cairn_source_read(context, settings->file, settings->division, &run->source));
    CLI_TRY(cairn_source_describe(run->source, &run->matrix));
    CLI_TRY(check_order(run));
    cli_progress_phase("store");
    CLI_TRY(
        cairn_tensor_create(run->source, run->format, run->job->dtype, &run->tensor));
    if (!settings->verify) cairn_source_destroy(&run->source);
    return CAIRN_OK;
}

/// x_j = 1, or (j % 97 + 1) / 97: short to say, and no symmetry that hides an error.
static void fill_x(cairn_plan *plan, bool ramp)
{
    double *x = cairn_plan_x(plan);
    int64_t first, end;

    cairn_plan_columns(plan, &first, &end);
    for (int64_t j = first; j < end; j++)
        x[j - first] = ramp ? (double)(j % 97 + 1) / 97 : 1;
}

static cairn_status prepare(cli_run *run)
{
    const char *x = run->settings.x;

    cli_progress_phase("plan");
    CLI_TRY(cairn_plan_spmv(run->tensor, &run->plan));
    if (strcmp(x, "ones") != 0 && strcmp(x, "ramp") != 0)
        return cairn_plan_read_x(run->plan, x);
    fill_x(run->plan, strcmp(x, "ramp") == 0);
    return CAIRN_OK;
}

/// Compare, if that was asked for. A wrong result is a result: it is still written and
/// told, and the status comes at the end.
static cairn_status verify(cli_run *run)
{
    if (!run->settings.verify) return CAIRN_OK;
    cli_progress_phase("verify");
    const cairn_status status =
        cairn_plan_verify(run->plan, run->source, &run->rel_error, &run->abs_error);

    run->verified = status == CAIRN_OK;
    if (status != CAIRN_NOT_VERIFIED) return status;
    cli_fail(run->job, status, "verify: %s: the relative error %.3g is above %g",
             run->settings.file, run->rel_error,
             run->job->dtype == CAIRN_F32 ? 1e-5 : 1e-12);
    return CAIRN_OK;
}

static cairn_status report(cli_run *run)
{
    cli_job *job = run->job;

    CLI_TRY(cli_run_collect(run));
    cli_progress_phase(NULL);
    CLI_TRY(cli_agree(job, cli_is_first(job) ? cli_run_report(run) : CAIRN_OK));
    const bool wrong = run->settings.verify && !run->verified;

    return wrong ? CAIRN_NOT_VERIFIED : CAIRN_OK;
}

static cairn_status execute(cli_run *run)
{
    CLI_TRY(load(run));
    CLI_TRY(prepare(run));
    cli_progress_phase("run");
    CLI_TRY(cli_run_time(run));
    CLI_TRY(verify(run));
    cli_progress_phase("write");
    if (run->settings.out) CLI_TRY(cairn_plan_write_y(run->plan, run->settings.out));
    return report(run);
}

static void release(cli_run *run)
{
    free(run->part);
    free(run->member_seconds);
    cairn_plan_destroy(&run->plan);
    cairn_tensor_destroy(&run->tensor);
    cairn_source_destroy(&run->source);
    cairn_format_destroy(&run->format);
}

static cairn_status run_verb(cli_job *job)
{
    cli_run run = {.job = job};

    CLI_TRY(cli_run_settings_read(job, &run.settings));
    const cairn_status status = execute(&run);

    release(&run);
    return status;
}

static bool operation_word(int k, cli_word_row *row)
{
    static const char *const what[] = {"y = A x, a matrix times a vector"};

    if (!cli_operations.now[k]) return false;
    *row = (cli_word_row){.name = cli_operations.now[k], .help = what[k]};
    return true;
}

static const char about[] =
    "x is 1 everywhere (ones), (j % 97 + 1) / 97 at column j (ramp), or read from a "
    "file. The result is the same, bit for bit, on any number of ranks and threads.\n"
    "\n"
    "--verify holds it against a sum over the file's entries in long double: ok up to "
    "1e-12 (f64) or 1e-5 (f32) of the sum of sizes in the row; else status 1.\n"
    "\n"
    "Seconds are those of one run, the slowest rank's: median and least of the timed "
    "runs.";

static const char json[] =
    "op matrix rows cols nnz dtype format ranks threads iters clock seconds_median "
    "seconds_min seconds_measured (all timed runs together) seconds_simulated gflops "
    "bytes_per_run read_seconds convert_seconds plan_seconds route parts[]{member rank "
    "share format nnz bytes device seconds (median) clock} and, with --verify, "
    "verify{rel_error max_abs_error ok}";

static const cli_example examples[] = {
    {"cairn run spmv grid.mtx --verify",                                     "CSR, timed and checked"},
    {"cairn run spmv grid.mtx --format 'hybrid<bdia<64>,csr,0.6>' --json -",
     "full stretches of diagonals apart, numbers for a program"                                      },
    {"mpirun -n 4 cairn run spmv grid.mtx --out y.mtx",                      "on four ranks, y kept" },
    {NULL,                                                                   NULL                    },
};

const cli_verb cli_verb_run = {
    .name     = "run",
    .operands = "OP FILE",
    .least    = 1,
    .most     = 3,
    .summary  = "Run an operation: spmv, y = A x",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "OP",
    .word     = operation_word,
    .options =
        (const cli_option_id[]){CLI_FORMAT, CLI_PLACE, CLI_DEVICES, CLI_DISTRIBUTE,
                                CLI_DTYPE, CLI_K, CLI_THREADS, CLI_MEMORY, CLI_ITERS,
                                CLI_WARMUP, CLI_X, CLI_OUT, CLI_VERIFY, CLI_PLAN,
                                CLI_PLAN_OUT, CLI_TRACE, CLI_REPRODUCIBLE, CLI_OPTIONS},
    .run = run_verb,
};
