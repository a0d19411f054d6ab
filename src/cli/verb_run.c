// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// `cairn run`: an operation, prepared once, run many times.

#include "progress.h"
#include "run.h"
#include "values.h"
#include "verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many as CAIRN_REPLAYS may say. */
static const double most_products = 1e15;

/// The operation's order goes before the format's, which may be chosen.
static cairn_status check_order(cli_run *run)
{
    return cairn_product_check(run->job->context, &run->product, run->matrix.order);
}

/// The format that --format names, or, without, that of the plan.
static cairn_status create_format(cli_run *run)
{
    cairn_context *context = run->job->context;
    const char    *plan    = run->settings.files.plan;
    char          *text;

    if (!plan || cli_given(run->job, CLI_FORMAT))
        return cairn_format_create(context, run->settings.format, &run->format);
    CLI_TRY(cairn_plan_file_format(context, plan, &text));
    const cairn_status status = cairn_format_create(context, text, &run->format);

    cairn_text_free(context, &text);
    return status;
}

/// The format, with what is said elsewhere behind its @.
static cairn_status
add_distribution(cli_run *run, const char *said, cairn_format **format)
{
    cairn_context *context = run->job->context;
    char          *text    = NULL;

    if (asprintf(&text, "%s @ %s", cairn_format_text(run->format), said) < 0)
        return cli_fail(run->job, CAIRN_NO_MEMORY, "memory: the format's text");
    const cairn_status status = cairn_format_create(context, text, format);

    free(text);
    return status;
}

/// Members that --place may name: of a format that is yet to be chosen, none.
static int members(const cli_run *run)
{
    return run->format ? cairn_format_members(run->format) : 1;
}

/// Products that --iters and --chain say, warming up included; 0: neither is given, and
/// the run stands for as many as CAIRN_REPLAYS says.
static int64_t products_said(const cli_run *run)
{
    const double runs = (double)run->settings.warmup + (double)run->settings.iters;
    const double all  = runs * (double)cli_run_products(run);

    if (!cli_given(run->job, CLI_ITERS) && !cli_given(run->job, CLI_CHAIN)) return 0;
    return all < most_products ? (int64_t)all : (int64_t)most_products;
}

/// Choose a format for what was read: for a tensor one that pays for storing it once more.
/// NULL: it is best left as it is.
static cairn_status choose_format(cli_run *run)
{
    const cairn_auto_options options = {.size       = sizeof(cairn_auto_options),
                                        .place      = run->settings.place,
                                        .replays    = products_said(run),
                                        .candidates = run->candidates,
                                        .origin     = run->settings.candidates};

    cli_progress_phase("choose");
    run->chosen = calloc(1, sizeof *run->chosen);
    CLI_TRY(cli_agree(run->job, run->chosen ? CAIRN_OK : CAIRN_NO_MEMORY));
    run->chosen->size = sizeof *run->chosen;
    if (run->tensor)
        return cairn_tensor_auto(run->tensor, &run->product, &options, &run->format,
                                 run->chosen);
    return cairn_format_auto(run->source, run->job->dtype, &run->product, &options,
                             &run->format, run->chosen);
}

/// May the tensor of a .cairn file be run as it is stored? Nothing is named then that it
/// would have to be stored anew for: --candidates takes the place of all formats, its own
/// among them, and --distribute that of its rows.
static cairn_status takes_tensor(cli_run *run, bool *takes)
{
    *takes = run->settings.choose && !run->settings.candidates
             && !cli_given(run->job, CLI_DISTRIBUTE);
    if (!*takes) return CAIRN_OK;
    return cairn_file_is_native(run->job->context, run->settings.file, takes);
}

/// Read the file as the tensor that it holds. Its entries are taken back for --verify, and
/// instead of it where --dtype says another type, since they are stored anew then.
static cairn_status read_tensor(cli_run *run)
{
    cairn_context   *context = run->job->context;
    cairn_part_info *part    = NULL;
    int64_t          parts   = 0;

    CLI_TRY(cairn_tensor_read(context, run->settings.file, &run->tensor));
    run->from_tensor         = true;
    run->matrix.order        = cairn_tensor_shape(run->tensor, run->matrix.extent);
    run->matrix.read_seconds = cairn_tensor_seconds(run->tensor);
    CLI_TRY(cairn_tensor_parts(run->tensor, &parts, &part));
    for (int64_t p = 0; p < parts; p++)
        run->matrix.nnz += part[p].nnz;
    cairn_parts_free(run->tensor, &part);
    const bool other = cairn_tensor_dtype(run->tensor) != run->job->dtype;

    if (!other && !run->settings.verify) return CAIRN_OK;
    CLI_TRY(cairn_source_from_tensor(run->tensor, &run->source));
    if (other) cairn_tensor_destroy(&run->tensor);
    return CAIRN_OK;
}

static cairn_status read_file(cli_run *run)
{
    bool takes = false;

    cli_progress_phase("read");
    CLI_TRY(takes_tensor(run, &takes));
    if (takes) return read_tensor(run);
    CLI_TRY(cairn_source_read(run->job->context, run->settings.file,
                              run->settings.division, &run->source));
    return cairn_source_describe(run->source, &run->matrix);
}

/// Store the file's entries, as a format that says nothing of ranks has them go as
/// --distribute says, else as a .cairn file's own format does; where that names no ranks on
/// as many as there are, as many entries go to each.
static cairn_status store_entries(cli_run *run, cairn_tensor **made)
{
    cli_job          *job   = run->job;
    const cairn_dtype dtype = job->dtype;
    const bool by_file = !cli_given(job, CLI_DISTRIBUTE) && run->matrix.distribution
                         && cairn_context_size(job->context) > 1;
    const char *const said   = by_file ? run->matrix.distribution : run->settings.said;
    cairn_format     *format = NULL;

    if (!said || cairn_format_distribution(run->format, -1))
        return cairn_tensor_create(run->source, run->format, dtype, made);
    cairn_status status = cli_agree(job, add_distribution(run, said, &format));

    if (status == CAIRN_OK)
        status = cairn_tensor_create(run->source, format, dtype, made);
    const bool never =
        status == CAIRN_BAD_QUERY
        || (status == CAIRN_ATTENTION && strncmp(said, "blocks", 6) == 0);

    if (never && by_file) {
        cli_warn(job,
                 "run: %s: its rows cannot go as it says on %d ranks, @ %s: by nnz",
                 run->settings.file, cairn_context_size(job->context), said);
        cairn_format_destroy(&format);
        return cairn_tensor_create(run->source, run->format, dtype, made);
    }
    if (status == CAIRN_OK) {
        cairn_format_destroy(&run->format);
        run->format = format;
    } else {
        cairn_format_destroy(&format);
    }
    return status;
}

/// Store what was read in the format; a tensor that is left as it is has its own.
static cairn_status store(cli_run *run)
{
    cairn_tensor *fresh = NULL;

    cli_progress_phase("store");
    if (run->tensor && !run->format)
        return cli_agree(
            run->job,
            cairn_format_create(run->job->context,
                                cairn_format_text(cairn_tensor_format(run->tensor)),
                                &run->format));
    if (run->tensor)
        CLI_TRY(cairn_tensor_convert(run->tensor, run->format, &fresh));
    else
        CLI_TRY(store_entries(run, &fresh));
    cairn_tensor_destroy(&run->tensor);
    run->tensor          = fresh;
    run->seconds.convert = cairn_tensor_seconds(fresh);
    return CAIRN_OK;
}

/// Read the file and store it. Cheap refusals come before the reading.
static cairn_status load(cli_run *run)
{
    const cli_run_settings *settings = &run->settings;
    cairn_context          *context  = run->job->context;

    /* A file of formats, or a described machine, may be missing on one rank only. */
    if (!settings->choose) CLI_TRY(cli_agree(run->job, create_format(run)));
    if (settings->candidates)
        CLI_TRY(cairn_candidates_read(context, settings->candidates, &run->candidates));
    CLI_TRY(cli_agree(run->job, cairn_devices_check(context, settings->place,
                                                    settings->devices, members(run))));
    CLI_TRY(read_file(run));
    CLI_TRY(check_order(run));
    if (settings->chain > 0 && run->matrix.extent[0] != run->matrix.extent[1])
        return cli_fail(run->job, CAIRN_BAD_OPTION,
                        "option: --chain: %s is %" PRId64 " x %" PRId64
                        ": only a square matrix makes a y that is the next x",
                        settings->file, run->matrix.extent[0], run->matrix.extent[1]);
    if (settings->choose) CLI_TRY(choose_format(run));
    CLI_TRY(store(run));
    if (settings->verify && run->from_tensor)
        return cairn_source_divide_like(run->source, run->tensor);
    if (!settings->verify) cairn_source_destroy(&run->source);
    return CAIRN_OK;
}

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

static cairn_status prepare(cli_run *run)
{
    const char *x = run->settings.files.x;

    cli_progress_phase("plan");
    const cairn_plan_options options = {.size    = sizeof(cairn_plan_options),
                                        .product = &run->product,
                                        .place   = run->settings.place,
                                        .plan    = run->settings.files.plan,
                                        .reproducible =
                                            cli_given(run->job, CLI_REPRODUCIBLE)};

    CLI_TRY(cairn_plan_create_with(run->tensor, &options, &run->plan));
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

/// What makes a run slower than it need be.
static cairn_status warn(cli_run *run)
{
    cli_job *job = run->job;
    int      bound, share;

    if (run->moved.why)
        cli_warn(job, "run: the reference way, slow: %s", run->moved.why);
    for (int64_t p = 0; p < run->parts && run->moved.retired > 0; p++)
        if (strstr(run->part[p].note, "retired"))
            cli_warn(job, "run: rank %d: member %d: %s; computed again on %s",
                     run->part[p].rank, run->part[p].member, run->part[p].note,
                     run->part[p].device);
    CLI_TRY(cli_agree(job, cairn_devices_cores(job->context, &bound, &share)));
    if (bound == 1 && share > 1 && !cli_given(job, CLI_THREADS))
        cli_warn(job,
                 "run: bound to one core of %d (mpirun --bind-to none unbinds ranks; "
                 "--threads 1 says that it is meant)",
                 share);
    return CAIRN_OK;
}

static cairn_status report(cli_run *run)
{
    cli_job *job = run->job;

    CLI_TRY(cli_run_collect(run));
    cli_progress_phase(NULL);
    CLI_TRY(warn(run));
    CLI_TRY(cli_agree(job, cli_is_first(job) ? cli_run_report(run) : CAIRN_OK));
    const bool wrong = run->settings.verify && !run->verdict.ok;

    return wrong ? CAIRN_NOT_VERIFIED : CAIRN_OK;
}

static cairn_status execute(cli_run *run)
{
    CLI_TRY(load(run));
    CLI_TRY(prepare(run));
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

static void release(cli_run *run)
{
    if (run->plan) cairn_plan_parts_free(run->plan, &run->part);
    cairn_plan_destroy(&run->plan);
    cairn_tensor_destroy(&run->tensor);
    cairn_source_destroy(&run->source);
    cairn_format_destroy(&run->format);
    cairn_text_free(run->job->context, &run->candidates);
    free(run->chosen);
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

    release(&run);
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
    "Entry (j,c) of x is 1 (ones), ((j + 31*c) % 97 + 1) / 97 (ramp), or read from a "
    "file. The result is the same, bit for bit, on any number of ranks and threads; "
    "with --transpose, which multiplies by the transpose of the matrix, on any number "
    "of threads, and under --reproducible of ranks.\n"
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
    "bytes_per_run read_seconds convert_seconds convert_route convert_why (of storing, "
    "as convert has them) plan_seconds route placement reproducible apart (sums made "
    "apart for that alone) apart_bytes overlap "
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
    .options  = (const cli_option_id[]){CLI_FORMAT, CLI_CANDIDATES, CLI_PLACE,
                                        CLI_DEVICES, CLI_DISTRIBUTE, CLI_DTYPE,
                                        CLI_K, CLI_TRANSPOSE, CLI_THREADS,
                                        CLI_MEMORY, CLI_GIVE_UP, CLI_ITERS,
                                        CLI_CHAIN, CLI_WARMUP, CLI_X,
                                        CLI_OUT, CLI_VERIFY, CLI_PLAN,
                                        CLI_PLAN_OUT, CLI_TRACE, CLI_REPRODUCIBLE,
                                        CLI_OPTIONS},
    .run      = run_verb,
};
