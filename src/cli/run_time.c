// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Timing. A run is what lies between two barriers; its time is the slowest rank's. The
/// medians of the members are each rank's own.

#include "clock.h"
#include "gather.h"
#include "run.h"

#include <stdlib.h>

/// Times in rows: the runs', then every member's.
typedef struct {
    int64_t runs;
    int     members;
    double *seconds; ///< [1 + members][runs]
} times;

static cairn_status run_once(cli_run *run, times *t, int64_t k)
{
    const double begun = cli_seconds();

    CLI_TRY(cairn_plan_run(run->plan, NULL, NULL));
    CLI_TRY(cli_barrier(run->job));
    t->seconds[k] = cli_seconds() - begun;
    for (int m = 0; m < t->members; m++)
        t->seconds[(m + 1) * t->runs + k] = cairn_plan_member_seconds(run->plan, m);
    return CAIRN_OK;
}

static cairn_status run_all(cli_run *run, times *t)
{
    for (int64_t k = 0; k < run->settings.warmup; k++)
        CLI_TRY(cairn_plan_run(run->plan, NULL, NULL));
    CLI_TRY(cli_barrier(run->job));
    for (int64_t k = 0; k < t->runs; k++)
        CLI_TRY(run_once(run, t, k));
    return cli_max_all(run->job, t->seconds, t->runs);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/// Sort @p seconds and return the middle one, or the mean of the two in the middle.
static double median(double *seconds, int64_t n)
{
    qsort(seconds, (size_t)n, sizeof *seconds, by_size);
    return n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

static void summarize(cli_run *run, times *t)
{
    for (int64_t k = 0; k < t->runs; k++)
        run->total += t->seconds[k];
    run->median  = median(t->seconds, t->runs);
    run->fastest = t->seconds[0];
    for (int m = 0; m < t->members; m++)
        run->member_seconds[m] = median(t->seconds + (m + 1) * t->runs, t->runs);
}

cairn_status cli_run_time(cli_run *run)
{
    times         t    = {.runs    = run->settings.iters,
                          .members = cairn_format_members(run->format)};
    const int64_t most = INT64_MAX / (int64_t)sizeof(double) / (t.members + 1);

    if (t.runs > most)
        return cli_fail(run->job, CAIRN_NO_MEMORY, "option: --iters: out of memory");
    CLI_TRY(
        cli_alloc_together(run->job, t.members, sizeof(double), &run->member_seconds));
    CLI_TRY(cli_alloc_together(run->job, t.runs * (t.members + 1), sizeof(double),
                               &t.seconds));
    const cairn_status status = run_all(run, &t);

    if (status == CAIRN_OK) summarize(run, &t);
    free(t.seconds);
    return status;
}
