// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn run`: an operation, prepared once, run many times.

#include "cli/arguments/values.h"
#include "cli/arguments/verbs.h"
#include "cli/process/progress.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Entry (j,c) is 1, or ((j + 31*c) % 97 + 1) / 97: short to say, and no symmetry that
/// hides an error.
static void fill_x(cli_run *run, bool ramp)
{
    double       *wide    = cairn_plan_x(run->plan); /* one of the two is NULL */
    float        *narrow  = cairn_plan_x_f32(run->plan);
    const int64_t columns = run->settings.columns;
    int64_t       first, end;

    cairn_plan_columns(run->plan, &first, &end);
    for (int64_t k = 0; k < (end - first) * columns; k++) {
        const int64_t j = first + k / columns, c = k % columns;
        const double  x = ramp ? (double)((j + 31 * c) % 97 + 1) / 97 : 1;

        if (wide)
            wide[k] = x;
        else
            narrow[k] = (float)x;
    }
}

static cairn_status set_x(cli_run *run)
{
    const char *x = run->settings.files.x;

    if (strcmp(x, "ones") != 0 && strcmp(x, "ramp") != 0)
        return cairn_plan_read_x(run->plan, x);
    fill_x(run, strcmp(x, "ramp") == 0);
    return CAIRN_OK;
}

/// Compare, if that was asked for. A wrong result is a result: it is still written and
/// told, and the status comes at the end.
static cairn_status verify(cli_run *run)
{
    if (!run->settings.verify) return CAIRN_OK;
    cli_progress_phase("verify");
    const cairn_status status = cairn_plan_verify(
        run->plan, run->source, &run->verdict.rel_error, &run->verdict.abs_error);

    run->verdict.ok = status == CAIRN_OK;
    if (status != CAIRN_NOT_VERIFIED) return status;
    cli_fail(run->job, status, "verify: %s: the relative error %.3g is above %g",
             run->settings.file, run->verdict.rel_error,
             run->job->dtype == CAIRN_F32 ? 1e-5 : 1e-12);
    return CAIRN_OK;
}

static cairn_status report(cli_run *run)
{
    cli_job *job = run->job;

    CLI_TRY(cli_run_collect(run));
    cli_progress_phase(NULL);
    CLI_TRY(cli_run_warn(run));
    CLI_TRY(cli_agree(job, cli_is_first(job) ? cli_run_report(run) : CAIRN_OK));
    const bool wrong = run->settings.verify && !run->verdict.ok;

    return wrong ? CAIRN_NOT_VERIFIED : CAIRN_OK;
}

static cairn_status execute(cli_run *run)
{
    CLI_TRY(cli_run_load(run));
    CLI_TRY(cli_run_prepare(run));
    CLI_TRY(set_x(run));
    if (run->settings.files.plan_out)
        CLI_TRY(cairn_plan_save(run->plan, run->settings.files.plan_out));
    cli_progress_phase("run");
    CLI_TRY(cli_run_time(run));
    CLI_TRY(verify(run));
    cli_progress_phase("write");
    if (run->settings.files.out)
        CLI_TRY(cairn_plan_write_y(run->plan, run->settings.files.out));
    if (run->settings.files.trace)
        CLI_TRY(cairn_plan_write_trace(run->plan, run->settings.files.trace));
    return report(run);
}

static cairn_status run_verb(cli_job *job)
{
    cli_run run = {.job = job, .matrix = CAIRN_SOURCE_INFO, .moved = CAIRN_PLAN_INFO};

    CLI_TRY(cli_run_settings_read(job, &run.settings));
    run.product = (cairn_product_options){.size       = sizeof(cairn_product_options),
                                          .columns    = run.settings.columns,
                                          .transposed = cli_given(job, CLI_TRANSPOSE),
                                          .alpha      = 1};
    const cairn_status status = execute(&run);

    cli_run_release(&run);
    return status;
}

bool cli_operation_word(int k, cli_word_row *row)
{
    static const char *const what[] = {"y = A x, a matrix times a vector",
                                       "Y = A X, a matrix times --k vectors"};

    if (!cli_operations.now[k]) return false;
    *row = (cli_word_row){.name = cli_operations.now[k], .help = what[k]};
    return true;
}

static const char about[] =
    "With --guard every product is checked by sums of columns (1'y = (1'A) x): where "
    "they do not agree, rows that are wrong are computed again from the arrays, or the "
    "member is named whose arrays are not what they were (exit status 1).\n"
    "\n"
    "Entry (j,c) of x is 1 (ones), ((j + 31*c) % 97 + 1) / 97 (ramp), or read from a "
    "file. The result is the same, bit for bit, on any number of ranks and threads; "
    "with --transpose, which multiplies by the transpose of the matrix, on any number "
    "of threads, and under --reproducible of ranks.\n"
    "\n"
    "In place of FILE a test problem may stand in one word, KIND:NAME=VALUE,..., as "
    "stencil5:nx=100,ny=100: every rank makes its own rows of it (cairn generate "
    "--help "
    "has the kinds).\n"
    "\n"
    "A product runs as a kernel that is compiled for the format (CAIRN_KERNELS, "
    "CAIRN_CACHE), which the route says. Where there is no compiler it is interpreted, "
    "the reference way, with a warning: slower, and as right.\n"
    "\n"
    "--format auto counts what formats would store of the matrix, asks a cost model "
    "and, "
    "where the matrix is large enough, tries the best few on some of its rows; the "
    "search takes less than 50 products in CSR, kernels not counted. It is for as many "
    "products as --iters or --chain says, warming up included, and without both for "
    "those that CAIRN_REPLAYS says, else 1000; for one or two it looks at nothing and "
    "takes the first. Two lines say why. With --candidates it chooses among the "
    "formats of a file, one a line; the "
    "first is what the others are compared with. Lines that begin with # and a blank "
    "are comments.\n"
    "\n"
    "A .cairn file is read as the tensor that it holds where --format is auto: it is "
    "run in the format that it is in, its rows with their ranks, unless another one "
    "pays for storing all of it once more in the products to come. With --candidates, "
    "--distribute, or a --dtype other than the file's, and with any other --format, "
    "its entries are stored anew, as those of every file.\n"
    "\n"
    "--verify holds it against a sum over the file's entries in long double: ok up to "
    "1e-12 (f64) or 1e-5 (f32) of the sum of sizes in the row; else status 1.\n"
    "\n"
    "Seconds are those of one run, the slowest rank's: median and least of the timed "
    "runs. Those of simulated devices are a model's, and never added to measured "
    "ones. With --chain N a run is N products, each y the next x; every run begins "
    "with "
    "the same x, --out writes the last y, which --verify holds against the x that it "
    "was computed from.\n"
    "\n"
    "Members of a hybrid run on different devices at the same time (--place): a device "
    "for all, or one for each member, as 0=cpu:0,1=opencl. Devices "
    "joined by + divide a member's rows: cpu:0+cpu:1 by the speeds that are predicted, "
    "cpu:0*0.6+opencl*0.4 so that each gets that part of the entries. What does not "
    "fit a device's memory is divided, too. --plan-out keeps the decision as JSON, and "
    "--plan takes it, with its format; what devices it names must be there "
    "(--devices).\n"
    "\n"
    "By default the result has the same bits for every placement and division of "
    "members that meet each row of Y once (f32 too: one f64 Y, rounded once at the "
    "end); members that meet rows more than once have them under --reproducible, which "
    "sums each apart over fixed cuts at whatever it costs, printed; without it one "
    "placement always has one result, so open places of such hybrids are fixed at the "
    "first plan, by a rule that asks no clock, and kept. Rows are met more than once "
    "where columns are stored above them, by most transposed "
    "products, and by all that are divided.";

static const char json[] =
    "op matrix rows cols nnz dtype format distribution (the format's, or else "
    "--distribute, what a .cairn file says, or \"file\": as rows lay in it) ranks "
    "threads iters clock seconds_median "
    "seconds_min seconds_measured (all timed runs together) seconds_simulated "
    "seconds_exchange (of the simulated ones, between ranks) seconds_resident (of "
    "kernels alone, by the clock of the device that has most to do, medians; null "
    "where "
    "no device that is measured tells) gflops "
    "bytes_per_run halo (rows of x that come from other ranks in a run, of all ranks) "
    "halo_bytes halo_ways{now (the way of messages in the last run) decided persistent "
    "anew collective shared (seconds of an exchange in each; null: not tried) without "
    "(why one cannot be had) between_nodes (rows that go from node to node)} (null on "
    "one rank) read_seconds convert_seconds "
    "convert_route convert_why (of storing, "
    "as convert has them) plan_seconds route placement reproducible apart (sums made "
    "apart for that alone) apart_bytes guard{checked unchecked (x is not finite) found "
    "rows (put right) seconds} (with --guard) overlap "
    "(seconds of "
    "the parts, one after the other, in those of a run) parts[]{member rank share "
    "format nnz bytes values (how they are stored: \"i8\", ...) device seconds "
    "(median) "
    "seconds_in seconds_out (of these: x to the device and y back, by its clock; null "
    "where it does not tell) clock route note first_row rows} and, "
    "with --verify, verify{rel_error max_abs_error ok}; with --chain, chain (products "
    "of a "
    "run, whose seconds are those of all) seconds_chain (seconds_median); with "
    "--format auto, auto{why[] "
    "values (as of parts) share (of the entries, counted or tried "
    "on) seconds kernel_seconds candidates[]{format predicted tried (seconds of a "
    "product)}}";

static const cli_example examples[] = {
    {"cairn run spmv grid.mtx --verify",                                     "CSR, timed and checked"                               },
    {"cairn run spmv grid.mtx --format 'hybrid<bdia<64>,csr,0.6>' --json -",
     "full stretches of diagonals apart, numbers for a program"                                                                     },
    {"cairn run spmv grid.mtx --format auto",                                "Cairn chooses, and says why"                          },
    {"cairn run spmv grid.mtx --format auto --candidates my.formats",
     "among the formats of a file"                                                                                                  },
    {"cairn run spmm grid.mtx --k 8 --verify",                               "eight vectors at once"                                },
    {"mpirun -n 4 cairn run spmv grid.mtx --out y.mtx",                      "on four ranks, y kept"                                },
    {"cairn run spmv grid.mtx --chain 100",                                  "y = A^100 x, as iterations compute it"                },
    {"cairn run spmv grid.mtx --format 'hybrid<bdia<64>,csr,0.6>' --devices cpu:2 "
     "--place 0=cpu:0,1=cpu:1 --trace trace.json",                      "two members on halves of the processor, when they ran"},
    {"cairn run spmv grid.mtx --devices cpu:2 --place cpu:0+cpu:1",
     "one member divided among them"                                                                                                },
    {NULL,                                                                   NULL                                                   },
};

const cli_verb cli_verb_run = {
    .name     = "run",
    .operands = "OP FILE",
    .least    = 1,
    .most     = 3,
    .summary  = "Run an operation: spmv, y = A x, or spmm, Y = A X",
    .about    = about,
    .json     = json,
    .examples = examples,
    .words    = "OP",
    .word     = cli_operation_word,
    .options =
        (const cli_option_id[]){
                                CLI_FORMAT, CLI_CANDIDATES, CLI_PLACE, CLI_DEVICES,
                                CLI_DISTRIBUTE, CLI_DTYPE, CLI_K, CLI_TRANSPOSE,
                                CLI_THREADS, CLI_MEMORY, CLI_GIVE_UP, CLI_ITERS,
                                CLI_CHAIN, CLI_WARMUP, CLI_X, CLI_OUT,
                                CLI_VERIFY, CLI_GUARD, CLI_PLAN, CLI_PLAN_OUT,
                                CLI_TRACE, CLI_REPRODUCIBLE, CLI_OPTIONS},
    .run = run_verb,
};
