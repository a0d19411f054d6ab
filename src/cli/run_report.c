// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is told of a run.

#include "gather.h"
#include "json.h"
#include "run.h"
#include "values.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// Join the banks of one member on one rank; they are neighbours in the list.
static void join_banks(cli_run *run, const cairn_part_info *bank, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        cli_run_part *last = run->parts ? &run->part[run->parts - 1] : NULL;

        if (!last || last->member != bank[k].member || last->rank != bank[k].rank
            || last->share != bank[k].share) {
            last  = &run->part[run->parts++];
            *last = (cli_run_part){
                .member = bank[k].member, .rank = bank[k].rank, .share = bank[k].share};
        }
        last->nnz += bank[k].nnz;
        last->bytes += bank[k].bytes;
    }
}

static cairn_status collect_parts(cli_run *run)
{
    cairn_part_info *banks = NULL;
    int64_t          count = 0;

    CLI_TRY(cairn_tensor_parts(run->tensor, &count, &banks));
    const cairn_status status =
        cli_alloc_together(run->job, count, sizeof *run->part, &run->part);

    if (status == CAIRN_OK) join_banks(run, banks, count);
    cairn_parts_free(run->tensor, &banks);
    return status;
}

cairn_status cli_run_collect(cli_run *run)
{
    const int members = cairn_format_members(run->format);
    double   *seconds;

    CLI_TRY(collect_parts(run));
    CLI_TRY(cairn_plan_describe(run->plan, &run->moved));
    run->read    = run->matrix.read_seconds;
    run->convert = cairn_tensor_seconds(run->tensor);
    run->prepare = run->moved.seconds;
    CLI_TRY(cli_max(run->job, &run->read));
    CLI_TRY(cli_max(run->job, &run->convert));
    CLI_TRY(cli_max(run->job, &run->prepare));
    CLI_TRY(cli_gather(run->job, run->member_seconds, members, &seconds));
    for (int64_t p = 0; p < run->parts; p++)
        run->part[p].seconds =
            seconds[(int64_t)run->part[p].rank * members + run->part[p].member];
    free(seconds);
    return CAIRN_OK;
}

static double gflops(const cli_run *run)
{
    return 2e-9 * (double)run->matrix.nnz * (double)run->settings.columns / run->median;
}

static json_t *part_object(const cli_run *run, const cli_run_part *part)
{
    return json_pack("{s:i, s:i, s:i, s:s, s:I, s:I, s:s, s:o, s:s}", "member",
                     part->member, "rank", part->rank, "share", part->share, "format",
                     cairn_format_member(run->format, part->member), "nnz",
                     (json_int_t)part->nnz, "bytes", (json_int_t)part->bytes, "device",
                     run->moved.device, "seconds", cli_json_real(part->seconds),
                     "clock", "measured");
}

static json_t *parts(const cli_run *run)
{
    json_t *list = json_array();

    for (int64_t p = 0; p < run->parts; p++)
        if (json_array_append_new(list, part_object(run, &run->part[p])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/// What was run.
static json_t *setting(const cli_run *run)
{
    const cli_job *job = run->job;

    return json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:s, s:s, s:i, s:i, s:I}", "op", run->settings.op,
        "matrix", cli_json_text(run->settings.file), "rows",
        (json_int_t)run->matrix.extent[0], "cols", (json_int_t)run->matrix.extent[1],
        "nnz", (json_int_t)run->matrix.nnz, "dtype",
        job->dtype == CAIRN_F32 ? "f32" : "f64", "format",
        cairn_format_text(run->format), "ranks", cairn_context_size(job->context),
        "threads", cairn_context_threads(job->context), "iters",
        (json_int_t)run->settings.iters);
}

/// What it took.
static json_t *result(const cli_run *run)
{
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:f, s:o, s:I, s:o, s:o, s:o, s:s, s:o}", "clock",
        "measured", "seconds_median", cli_json_real(run->median), "seconds_min",
        cli_json_real(run->fastest), "seconds_measured", cli_json_real(run->total),
        "seconds_simulated", 0.0, "gflops", cli_json_real(gflops(run)), "bytes_per_run",
        (json_int_t)run->moved.bytes_per_run, "read_seconds", cli_json_real(run->read),
        "convert_seconds", cli_json_real(run->convert), "plan_seconds",
        cli_json_real(run->prepare), "route", run->moved.route, "parts", parts(run));
}

static json_t *object(const cli_run *run)
{
    json_t *all    = setting(run);
    bool    failed = json_object_update_new(all, result(run)) != 0;

    if (run->settings.verify)
        failed |= json_object_set_new(
                      all, "verify",
                      json_pack("{s:o, s:o, s:b}", "rel_error",
                                cli_json_real(run->rel_error), "max_abs_error",
                                cli_json_real(run->abs_error), "ok", run->verified))
                  != 0;
    if (!failed) return all;
    json_decref(all);
    return NULL;
}

static void print_parts(const cli_run *run)
{
    printf("\n  member  rank  entries       bytes         seconds     device\n");
    for (int64_t p = 0; p < run->parts; p++) {
        const cli_run_part *part = &run->part[p];

        printf("  %-6d  %-4d  %-12" PRId64 "  %-12s  %-10s  %s\n", part->member,
               part->rank, part->nnz, cli_word_bytes(part->bytes).text,
               cli_word_seconds(part->seconds).text, run->moved.device);
    }
}

static void print(const cli_run *run)
{
    const int ranks = cairn_context_size(run->job->context);

    printf("%s %s: %" PRId64 " x %" PRId64 ", %s, %s, %d rank%s\n", run->settings.op,
           run->settings.file, run->matrix.extent[0], run->matrix.extent[1],
           cli_word_entries(run->matrix.nnz).text,
           run->job->dtype == CAIRN_F32 ? "f32" : "f64", ranks, ranks == 1 ? "" : "s");
    printf("format    %s\n", cairn_format_text(run->format));
    printf("a run     %s median, %s fastest of %" PRId64
           "; %.3g GFLOP/s, %s moved; %s\n",
           cli_word_seconds(run->median).text, cli_word_seconds(run->fastest).text,
           run->settings.iters, gflops(run),
           cli_word_bytes(run->moved.bytes_per_run).text, run->moved.route);
    printf("before    read %s, store %s, plan %s\n", cli_word_seconds(run->read).text,
           cli_word_seconds(run->convert).text, cli_word_seconds(run->prepare).text);
    print_parts(run);
    if (run->settings.verify)
        printf("\n%s: largest error %.3g of a row's sum of sizes, %.3g in all\n",
               run->verified ? "verified" : "NOT verified", run->rel_error,
               run->abs_error);
    if (run->settings.out) printf("\nresult in %s\n", run->settings.out);
}

cairn_status cli_run_report(const cli_run *run)
{
    if (cli_given(run->job, CLI_JSON)) return cli_json_write(run->job, object(run));
    print(run);
    return CAIRN_OK;
}
