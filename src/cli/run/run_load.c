// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// From a file to a plan: the matrix read, its format chosen, stored, the product prepared.

#include "cli/arguments/problem.h"
#include "cli/arguments/values.h"
#include "cli/process/progress.h"
#include "cli/run/run.h"

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

/// A format by its text, with what the run wants of ranks' rows.
static cairn_status
create_aligned(const cli_run *run, const char *text, cairn_format **format)
{
    CLI_TRY(cairn_format_create(run->job->context, text, format));
    return cairn_format_align(*format, run->align > 0 ? run->align : 1);
}

/// The format that --format names, or, without, that of the plan.
static cairn_status create_format(cli_run *run)
{
    cairn_context *context = run->job->context;
    const char    *plan    = run->settings.files.plan;
    char          *text;

    if (!plan || cli_given(run->job, CLI_FORMAT))
        return create_aligned(run, run->settings.format, &run->format);
    CLI_TRY(cairn_plan_file_format(context, plan, &text));
    const cairn_status status = create_aligned(run, text, &run->format);

    cairn_text_free(context, &text);
    return status;
}

/// The format, with what is said elsewhere behind its @.
static cairn_status
add_distribution(cli_run *run, const char *said, cairn_format **format)
{
    char *text = NULL;

    if (asprintf(&text, "%s @ %s", cairn_format_text(run->format), said) < 0)
        return cli_fail(run->job, CAIRN_NO_MEMORY, "memory: the format's text");
    const cairn_status status = create_aligned(run, text, format);

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
                                        .candidates = run->choice.candidates,
                                        .origin     = run->settings.candidates};

    cli_progress_phase("choose");
    run->choice.info = calloc(1, sizeof *run->choice.info);
    CLI_TRY(cli_agree(run->job, run->choice.info ? CAIRN_OK : CAIRN_NO_MEMORY));
    run->choice.info->size = sizeof *run->choice.info;
    if (run->tensor)
        return cairn_tensor_auto(run->tensor, &run->product, &options, &run->format,
                                 run->choice.info);
    return cairn_format_auto(run->source, run->job->dtype, &run->product, &options,
                             &run->format, run->choice.info);
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

/// Make the test problem that stands where a file could: every rank its own rows.
static cairn_status make_problem(cli_run *run)
{
    cli_job           *job = run->job;
    static cli_problem problem; /* too large for a stack */

    cli_progress_phase("make");
    CLI_TRY(cli_agree(job, cli_problem_parse(job, run->settings.file, &problem)));
    CLI_TRY(cairn_source_generate(job->context, problem.kind, &problem.values,
                                  &run->source));
    if (run->settings.division == CAIRN_BY_ROWS) run->settings.said = "rows";
    return cairn_source_describe(run->source, &run->matrix);
}

/// Does a test problem stand in the place of the file? On all ranks or on none.
static cairn_status is_problem(cli_run *run, bool *is)
{
    const double mine   = cli_problem_is_named(run->settings.file) ? 1 : 0;
    double       most[] = {mine, 1 - mine};

    CLI_TRY(cairn_context_max(run->job->context, most, 2));
    *is = most[0] > 0;
    if (most[0] == 0 || most[1] == 0) return CAIRN_OK;
    return cli_fail(run->job, CAIRN_BAD_OPTION,
                    "operand: FILE: a test problem on some ranks, a file on others");
}

static cairn_status read_file(cli_run *run)
{
    bool takes = false, made = false;

    CLI_TRY(is_problem(run, &made));
    if (made) return make_problem(run);
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

/* Cheap refusals come before the reading. */
cairn_status cli_run_load(cli_run *run)
{
    const cli_run_settings *settings = &run->settings;
    cairn_context          *context  = run->job->context;

    /* A file of formats, or a described machine, may be missing on one rank only. */
    if (!settings->choose) CLI_TRY(cli_agree(run->job, create_format(run)));
    if (settings->candidates)
        CLI_TRY(cairn_candidates_read(context, settings->candidates,
                                      &run->choice.candidates));
    CLI_TRY(cli_agree(run->job, cairn_devices_check(context, settings->place,
                                                    settings->devices, members(run))));
    CLI_TRY(read_file(run));
    CLI_TRY(check_order(run));
    if (settings->chain > 0 && run->matrix.extent[0] != run->matrix.extent[1])
        return cli_fail(run->job, CAIRN_BAD_OPTION,
                        "option: --chain: %s is %" PRId64 " x %" PRId64
                        ": only a square matrix makes a y that is the next x",
                        settings->file, run->matrix.extent[0], run->matrix.extent[1]);
    if (settings->choose && !run->choice.later) CLI_TRY(choose_format(run));
    if (run->choice.later && !run->tensor)
        CLI_TRY(cli_agree(
            run->job,
            create_aligned(run, cli_option_row(CLI_FORMAT)->standard, &run->format)));
    CLI_TRY(store(run));
    if (settings->verify && run->from_tensor)
        return cairn_source_divide_like(run->source, run->tensor);
    if (!settings->verify) cairn_source_destroy(&run->source);
    return CAIRN_OK;
}

cairn_status cli_run_prepare(cli_run *run)
{
    cli_progress_phase("plan");
    const cairn_plan_options options = {.size    = sizeof(cairn_plan_options),
                                        .product = &run->product,
                                        .place   = run->settings.place,
                                        .plan    = run->settings.files.plan,
                                        .reproducible =
                                            cli_given(run->job, CLI_REPRODUCIBLE)};

    CLI_TRY(cairn_plan_create_with(run->tensor, &options, &run->plan));
    run->verdict.guarded = cli_given(run->job, CLI_GUARD);
    return run->verdict.guarded ? cairn_plan_guard(run->plan) : CAIRN_OK;
}

cairn_status cli_run_warn(cli_run *run)
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

void cli_run_release(cli_run *run)
{
    if (run->plan) cairn_plan_parts_free(run->plan, &run->part);
    cairn_plan_destroy(&run->plan);
    cairn_tensor_destroy(&run->tensor);
    cairn_source_destroy(&run->source);
    cairn_format_destroy(&run->format);
    cairn_text_free(run->job->context, &run->choice.candidates);
    free(run->choice.info);
}
