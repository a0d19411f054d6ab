// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is told of a run.

#include "cli/arguments/values.h"
#include "cli/output/chosen.h"
#include "cli/output/json.h"
#include "cli/output/words.h"
#include "cli/ranks/gather.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_measured(const cli_run *run)
{
    return strcmp(run->moved.clock, "measured") == 0;
}

static bool is_mixed(const cli_run *run)
{
    return strcmp(run->moved.clock, "mixed") == 0;
}

/// Times by the clocks that there are. Where only models tell, every run takes the same.
static void settle_clocks(cli_run *run)
{
    const double products = (double)cli_run_products(run);

    if (is_measured(run)) return;
    run->seconds.total =
        is_mixed(run) ? run->moved.measured * products * (double)run->settings.iters
                      : 0;
    run->seconds.median = run->seconds.fastest =
        is_mixed(run) ? NAN : run->moved.simulated * products;
}

cairn_status cli_run_collect(cli_run *run)
{
    CLI_TRY(cairn_plan_parts(run->plan, &run->parts, &run->part));
    CLI_TRY(cairn_plan_describe(run->plan, &run->moved));
    run->verdict.guard = (cairn_guard_info)CAIRN_GUARD_INFO;
    CLI_TRY(cairn_plan_guard_info(run->plan, &run->verdict.guard));
    settle_clocks(run);
    run->seconds.read    = run->matrix.read_seconds;
    run->seconds.prepare = run->moved.seconds;
    CLI_TRY(cli_max(run->job, &run->seconds.read));
    CLI_TRY(cli_max(run->job, &run->seconds.convert));
    return cli_max(run->job, &run->seconds.prepare);
}

static double gflops(const cli_run *run)
{
    return 2e-9 * (double)run->matrix.nnz * (double)run->settings.columns
           * (double)cli_run_products(run) / run->seconds.median;
}

/// Seconds of the parts of part @p p's rank, one after the other.
static double rank_seconds(const cli_run *run, int64_t p)
{
    double sum = 0;

    for (int64_t q = 0; q < run->parts; q++)
        if (run->part[q].rank == run->part[p].rank) sum += run->part[q].seconds;
    return sum;
}

/// How much happens at once: seconds of the parts, one after the other, in those of a
/// run. Of the rank whose parts take longest. NAN where models are the clock.
static double overlap(const cli_run *run)
{
    double most = 0;

    if (!is_measured(run) || run->seconds.median <= 0) return NAN;
    for (int64_t p = 0; p < run->parts; p++)
        most = fmax(most, rank_seconds(run, p));
    return most * (double)cli_run_products(run) / run->seconds.median;
}

/// Do parts of one rank have different devices?
static bool has_devices(const cli_run *run)
{
    for (int64_t p = 0; p < run->parts; p++)
        for (int64_t q = 0; q < p; q++)
            if (run->part[p].rank == run->part[q].rank
                && strcmp(run->part[p].device, run->part[q].device) != 0)
                return true;
    return false;
}

/// Is a part one of several of its member on its rank?
static bool is_share(const cli_run *run, int64_t p)
{
    const cairn_plan_part *part = &run->part[p], *next = part + 1;

    return part->share > 0
           || (p + 1 < run->parts && next->member == part->member
               && next->rank == part->rank);
}

/// Does its device tell copies and kernels apart?
static bool has_device_seconds(const cairn_plan_part *part)
{
    return part->on_device.kernel > 0;
}

/// Seconds of the kernels alone, by their devices' clocks: of the device that has most to
/// do. No number: no device that is measured tells.
static double resident(const cli_run *run)
{
    double most = NAN;

    for (int64_t p = 0; p < run->parts; p++) {
        const cairn_plan_part *part = &run->part[p];
        double                 sum  = 0;

        for (int64_t q = 0; q < run->parts; q++)
            if (run->part[q].rank == part->rank
                && strcmp(run->part[q].device, part->device) == 0)
                sum += run->part[q].on_device.kernel;
        if (has_device_seconds(part) && strcmp(part->clock, "measured") == 0)
            most = fmax(most, sum); /* which is not NAN */
    }
    return most;
}

static json_t *part_object(const cli_run *run, const cairn_plan_part *part)
{
    return json_pack(
        "{s:i, s:i, s:i, s:s, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:s, s:s, s:o, s:I, "
        "s:I}",
        "member", part->member, "rank", part->rank, "share", part->share, "format",
        cairn_format_member(run->format, part->member), "nnz", (json_int_t)part->nnz,
        "bytes", (json_int_t)part->bytes, "values", part->values, "device",
        part->device, "seconds", cli_json_real(part->seconds), "seconds_in",
        cli_json_real(has_device_seconds(part) ? part->on_device.in : NAN),
        "seconds_out",
        cli_json_real(has_device_seconds(part) ? part->on_device.out : NAN), "clock",
        part->clock, "route", part->route, "note", cli_json_text(part->note),
        "first_row", (json_int_t)part->first_row, "rows", (json_int_t)part->rows);
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

/// How rows went to ranks: as the format says it, else as they lay in the file, or as the
/// run did it.
static const char *distribution(const cli_run *run)
{
    const char *said = cairn_format_distribution(run->format, -1);

    if (said) return said;
    if (run->from_tensor) return "file";
    return run->settings.division == CAIRN_BY_ROWS ? "rows" : "nnz";
}

/// What was run.
static json_t *setting(const cli_run *run)
{
    const cli_job *job = run->job;

    return json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:s, s:s, s:s, s:i, s:i, s:I}", "op",
        run->settings.op, "matrix", cli_json_text(run->settings.file), "rows",
        (json_int_t)run->matrix.extent[0], "cols", (json_int_t)run->matrix.extent[1],
        "nnz", (json_int_t)run->matrix.nnz, "dtype",
        job->dtype == CAIRN_F32 ? "f32" : "f64", "format",
        cairn_format_text(run->format), "distribution", distribution(run), "ranks",
        cairn_context_size(job->context), "threads",
        cairn_context_threads(job->context), "iters", (json_int_t)run->settings.iters);
}

/// A way's seconds; null: it was not tried.
static json_t *way_seconds(double seconds)
{
    return cli_json_real(seconds > 0 ? seconds : NAN);
}

/// How rows of x travel between ranks; null: there is one.
static json_t *ways(const cairn_halo_ways *w)
{
    if (!w->now) return json_null();
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:s?, s:I}", "now", w->now,
                     "decided", w->decided, "persistent", way_seconds(w->persistent),
                     "anew", way_seconds(w->anew), "collective",
                     way_seconds(w->collective), "shared", way_seconds(w->shared),
                     "without", w->without, "between_nodes", (json_int_t)w->between);
}

/// What it took.
static json_t *result(const cli_run *run)
{
    const double products = (double)cli_run_products(run) * (double)run->settings.iters;
    const int64_t row = run->settings.columns * (run->job->dtype == CAIRN_F32 ? 4 : 8);

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:s?, "
        "s:o, "
        "s:o, s:s, "
        "s:s, s:b, s:i, s:I, s:o, s:o}",
        "clock", run->moved.clock, "seconds_median", cli_json_real(run->seconds.median),
        "seconds_min", cli_json_real(run->seconds.fastest), "seconds_measured",
        cli_json_real(run->seconds.total), "seconds_simulated",
        run->moved.simulated * products, "seconds_exchange",
        run->moved.exchange * products, "seconds_resident",
        cli_json_real(resident(run) * (double)cli_run_products(run)), "gflops",
        cli_json_real(gflops(run)), "bytes_per_run",
        (json_int_t)run->moved.bytes_per_run, "halo", (json_int_t)run->moved.halo,
        "halo_bytes", (json_int_t)(run->moved.halo * row), "halo_ways",
        ways(&run->moved.ways), "read_seconds", cli_json_real(run->seconds.read),
        "convert_seconds", cli_json_real(run->seconds.convert), "convert_route",
        cairn_tensor_route(run->tensor), "convert_why",
        cli_json_text(cairn_tensor_why(run->tensor)), "plan_seconds",
        cli_json_real(run->seconds.prepare), "route", run->moved.route, "placement",
        run->moved.placement, "reproducible", run->moved.reproducible, "apart",
        run->moved.apart, "apart_bytes", (json_int_t)run->moved.apart_bytes, "overlap",
        cli_json_real(overlap(run)), "parts", parts(run));
}

static json_t *guard(const cairn_guard_info *info)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f}", "checked", (json_int_t)info->checked,
                     "unchecked", (json_int_t)info->unchecked, "found",
                     (json_int_t)info->found, "rows", (json_int_t)info->rows, "seconds",
                     info->seconds);
}

json_t *cli_run_object(const cli_run *run)
{
    json_t *all    = setting(run);
    bool    failed = json_object_update_new(all, result(run)) != 0;

    if (run->settings.verify)
        failed |=
            json_object_set_new(
                all, "verify",
                json_pack("{s:o, s:o, s:b}", "rel_error",
                          cli_json_real(run->verdict.rel_error), "max_abs_error",
                          cli_json_real(run->verdict.abs_error), "ok", run->verdict.ok))
            != 0;
    if (run->verdict.guarded)
        failed |= json_object_set_new(all, "guard", guard(&run->verdict.guard)) != 0;
    if (run->settings.chain > 0) {
        failed |= json_object_set_new(all, "chain",
                                      json_integer((json_int_t)run->settings.chain))
                  != 0;
        failed |= json_object_set_new(all, "seconds_chain",
                                      cli_json_real(run->seconds.median))
                  != 0;
    }
    if (run->choice.info)
        failed |=
            json_object_set_new(all, "auto", cli_chosen_json(run->choice.info)) != 0;
    if (!failed) return all;
    json_decref(all);
    return NULL;
}

void cli_run_print_parts(const cli_run *run)
{
    printf("\n  member  rank  entries       bytes         seconds     device\n");
    for (int64_t p = 0; p < run->parts; p++) {
        const cairn_plan_part *part      = &run->part[p];
        const bool             simulated = strcmp(part->clock, "simulated") == 0;

        char member[24];

        snprintf(member, sizeof member, is_share(run, p) ? "%d.%d" : "%d", part->member,
                 part->share);
        printf("  %-6s  %-4d  %-12" PRId64 "  %-12s  %-10s  %s%s\n", member, part->rank,
               part->nnz, cli_word_bytes(part->bytes).text,
               cli_word_seconds(part->seconds).text, part->device,
               simulated ? " (simulated)" : "");
        if (has_device_seconds(part)
            && !simulated) /* a model's note says so by itself */
            printf("          of these x in %s, kernels %s, y out %s\n",
                   cli_word_seconds(part->on_device.in).text,
                   cli_word_seconds(part->on_device.kernel).text,
                   cli_word_seconds(part->on_device.out).text);
        if (part->note[0]) printf("          %s\n", part->note);
    }
}

/// What a run takes; models' seconds are told apart from the wall's.
static void print_times(const cli_run *run)
{
    if (run->settings.chain > 0)
        printf("a run is a chain of %" PRId64 " product%s, each y the next x\n",
               run->settings.chain, run->settings.chain == 1 ? "" : "s");
    if (is_mixed(run))
        printf("a run     %s measured on some devices, %s simulated on others; the two "
               "are not added\n",
               cli_word_seconds(run->moved.measured).text,
               cli_word_seconds(run->moved.simulated).text);
    else if (!is_measured(run) && run->seconds.median <= 0)
        printf("a run     takes no time by what its simulators say\n");
    else if (!is_measured(run))
        printf("a run     %s, simulated; %.3g GFLOP/s%s%s\n",
               cli_word_seconds(run->seconds.median).text, gflops(run),
               run->moved.exchange > 0 ? "; of it the exchange between ranks " : "",
               run->moved.exchange > 0 ? cli_word_seconds(run->moved.exchange).text
                                       : "");
    else
        printf("a run     %s median, %s fastest of %" PRId64
               "; %.3g GFLOP/s, %s moved; %s\n",
               cli_word_seconds(run->seconds.median).text,
               cli_word_seconds(run->seconds.fastest).text, run->settings.iters,
               gflops(run), cli_word_bytes(run->moved.bytes_per_run).text,
               run->moved.route);
}

/// In which way rows of x travel between ranks, and what was found out of the others.
static void print_ways(const cairn_halo_ways *w)
{
    const struct {
        const char *name;
        double      seconds;
    } way[] = {
        {"persistent", w->persistent},
        {"anew",       w->anew      },
        {"collective", w->collective},
        {"shared",     w->shared    }
    };
    const char *before = "; tried ";

    printf("\nhalo      %s%s", w->now, w->decided ? "" : ", for now");
    for (size_t k = 0; k < sizeof way / sizeof way[0]; k++) {
        if (way[k].seconds <= 0) continue;
        printf("%s%s %s", before, way[k].name, cli_word_seconds(way[k].seconds).text);
        before = ", ";
    }
    printf("%s%s\n", w->without ? "; without " : "", w->without ? w->without : "");
}

/// What it costs that bits do not follow from places. A Y apart is written, read, and added
/// to Y, which is read and written.
static void print_reproducible(const cli_run *run)
{
    const int apart = run->moved.apart;

    if (!run->moved.reproducible) return;
    if (apart == 0) {
        printf("\nreproducible: nothing had to be summed apart\n");
        return;
    }
    printf("\nreproducible: %d sum%s apart, over fixed cuts, in %s beside Y; ", apart,
           apart == 1 ? "" : "s", cli_word_bytes(run->moved.apart_bytes).text);
    printf("%s more moved in a run\n", cli_word_bytes(4 * run->moved.apart_bytes).text);
}

void cli_run_print_guard(const cli_run *run)
{
    const cairn_guard_info *g     = &run->verdict.guard;
    const double            ranks = cairn_context_size(run->job->context);
    const double            runs  = (double)(g->checked + g->unchecked) / ranks;

    if (!run->verdict.guarded) return;
    printf("guard     %" PRId64 " check%s of products, %" PRId64
           " not made (x is not finite); %" PRId64 " found wrong, %" PRId64
           " row%s put right; %s a product\n",
           g->checked, g->checked == 1 ? "" : "s", g->unchecked, g->found, g->rows,
           g->rows == 1 ? "" : "s",
           cli_word_seconds(runs > 0 ? g->seconds / runs : 0).text);
}

void cli_run_print_setting(const cli_run *run)
{
    const int ranks = cairn_context_size(run->job->context);

    printf("%s %s: %" PRId64 " x %" PRId64 ", %s, %s, %d rank%s\n", run->settings.op,
           run->settings.file, run->matrix.extent[0], run->matrix.extent[1],
           cli_word_entries(run->matrix.nnz).text,
           run->job->dtype == CAIRN_F32 ? "f32" : "f64", ranks, ranks == 1 ? "" : "s");
    printf("format    %s\n", cairn_format_text(run->format));
    if (run->choice.info) cli_chosen_print(run->choice.info);
}

static void print(const cli_run *run)
{
    cli_run_print_setting(run);
    print_times(run);
    cli_run_print_guard(run);
    printf("before    read %s, store %s, plan %s\n",
           cli_word_seconds(run->seconds.read).text,
           cli_word_seconds(run->seconds.convert).text,
           cli_word_seconds(run->seconds.prepare).text);
    cli_run_print_parts(run);
    if (strchr(run->moved.placement, ':'))
        printf("\nplacement %s\n", run->moved.placement);
    if (run->moved.ways.now && run->moved.halo > 0) print_ways(&run->moved.ways);
    print_reproducible(run);
    if (has_devices(run) && is_measured(run))
        printf("\noverlap %.2f: the parts take %s one after the other\n", overlap(run),
               cli_word_seconds(overlap(run) * run->seconds.median).text);
    if (run->settings.verify)
        printf("\n%s: largest error %.3g of a row's sum of sizes, %.3g in all\n",
               run->verdict.ok ? "verified" : "NOT verified", run->verdict.rel_error,
               run->verdict.abs_error);
    if (run->settings.files.out) printf("\nresult in %s\n", run->settings.files.out);
    if (run->settings.files.trace)
        printf("\ntrace in %s: open it at https://ui.perfetto.dev\n",
               run->settings.files.trace);
}

cairn_status cli_run_report(const cli_run *run)
{
    if (cli_given(run->job, CLI_JSON))
        return cli_json_write(run->job, cli_run_object(run));
    print(run);
    return CAIRN_OK;
}
