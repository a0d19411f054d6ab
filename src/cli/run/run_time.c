// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Timing. A run is what lies between two barriers; its time is the slowest rank's. Where
/// a device is simulated the wall's clock says nothing of it, and the models do.

#include "cli/process/clock.h"
#include "cli/ranks/gather.h"
#include "cli/run/run.h"

#include <stdlib.h>
#include <string.h>

/// The X that every chain begins with.
typedef struct {
    void  *x;     ///< The plan's.
    void  *first; ///< What was in it; NULL: runs leave it alone.
    size_t bytes;
} start;

static cairn_status keep_start(cli_run *run, start *s)
{
    const bool f32 = run->job->dtype == CAIRN_F32;
    int64_t    first, end;

    *s = (start){NULL, NULL, 0};
    if (run->settings.chain == 0) return CAIRN_OK;
    cairn_plan_columns(run->plan, &first, &end);
    s->x     = f32 ? (void *)cairn_plan_x_f32(run->plan) : cairn_plan_x(run->plan);
    s->bytes = (size_t)((end - first) * run->settings.columns) * (f32 ? 4 : 8);
    CLI_TRY(cli_alloc_together(run->job, (int64_t)s->bytes, 1, &s->first));
    memcpy(s->first, s->x, s->bytes);
    return CAIRN_OK;
}

/// A run, or a chain of them from the first X on; its seconds, between two barriers.
static cairn_status run_once(cli_run *run, const start *s, double *seconds)
{
    if (s->first) {
        memcpy(s->x, s->first, s->bytes);
        CLI_TRY(cli_barrier(run->job));
    }
    const double begun = cli_seconds();

    const cairn_status status = s->first
                                    ? cairn_plan_iterate(run->plan, run->settings.chain)
                                    : cairn_plan_run(run->plan, NULL, NULL);

    /* What a guard finds it finds on one rank. */
    if (run->verdict.guarded)
        CLI_TRY(cli_agree(run->job, status));
    else
        CLI_TRY(status);
    CLI_TRY(cli_barrier(run->job));
    *seconds = cli_seconds() - begun;
    return CAIRN_OK;
}

static cairn_status run_all(cli_run *run, const start *s, double *seconds)
{
    for (int64_t k = 0; k < run->settings.warmup; k++)
        CLI_TRY(run_once(run, s, &seconds[0]));
    cairn_plan_forget_times(run->plan);
    if (run->settings.files.trace) CLI_TRY(cairn_plan_record(run->plan, 0));
    CLI_TRY(cli_barrier(run->job));
    for (int64_t k = 0; k < run->settings.iters; k++)
        CLI_TRY(run_once(run, s, &seconds[k]));
    return cli_max_all(run->job, seconds, run->settings.iters);
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

static void summarize(cli_run *run, double *seconds)
{
    for (int64_t k = 0; k < run->settings.iters; k++)
        run->seconds.total += seconds[k];
    run->seconds.median  = median(seconds, run->settings.iters);
    run->seconds.fastest = seconds[0];
}

cairn_status cli_run_time(cli_run *run)
{
    const int64_t runs    = run->settings.iters;
    double       *seconds = NULL;
    start         s;

    CLI_TRY(keep_start(run, &s));
    cairn_status status = cli_alloc_together(run->job, runs, sizeof(double), &seconds);

    if (status == CAIRN_OK) status = run_all(run, &s, seconds);
    if (status == CAIRN_OK) summarize(run, seconds);
    free(seconds);
    free(s.first);
    return status;
}
