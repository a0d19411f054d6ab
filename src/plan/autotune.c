// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Trials of another way, in a user's runs.

#include "plan/autotune.h"

#include "base/median.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = CAIRN_COMPARE_ROUNDS, TRIAL = 2 * ROUNDS + 1 };

/* How much faster the other way must be, of a run's time; and in seconds: two looks at the
   clock take about 50 ns where the system answers them without a call, and differ by about
   as much. */
static const double better = 0.05, clock_worth = 100e-9;

/* What trials may cost, of the time of the runs between them. */
static const double budget = 0.025;

/* The other way is given up after so many counted runs if all of them take so many times
   as long: a single one may be slow because of other processes. */
static const double hopeless = 2;
enum { FEW = 2 };

/// Runs to the next trial, twice the last ones at least.
static int64_t next_interval(const cairn_autotune *adapt)
{
    const double in_use = adapt->seconds[0], other = adapt->seconds[1];
    const double ratio = in_use > 0 ? other / in_use : 1;
    const double slow =
        ratio > hopeless ? FEW + 1 : ROUNDS + 1; /* runs the other way */
    const double  paid = fmin(slow * (ratio - 1) / budget, 1e15);
    const int64_t twice =
        adapt->interval > 0 ? 2 * adapt->interval : CAIRN_AUTOTUNE_FIRST;

    return paid > (double)twice ? (int64_t)ceil(paid) : twice;
}

static void await_trial(cairn_autotune *adapt)
{
    adapt->at       = 0;
    adapt->interval = next_interval(adapt);
    adapt->next     = adapt->runs + adapt->interval;
}

void cairn_autotune_init(cairn_autotune *adapt,
                         cairn_replay   *other,
                         const double   *seconds)
{
    *adapt = (cairn_autotune){
        .other = other, .seconds = {seconds[0], seconds[1]}
    };
    await_trial(adapt);
}

void cairn_autotune_fini(cairn_autotune *adapt)
{
    cairn_replay_destroy(&adapt->other);
}

/// The number of samples of the other way.
static int counted(const cairn_autotune *adapt)
{
    return adapt->at > ROUNDS ? adapt->at - ROUNDS - 1 : 0;
}

static double median(const double *sample, int n)
{
    double sorted[ROUNDS];

    memcpy(sorted, sample, (size_t)n * sizeof *sorted);
    return cairn_median(sorted, n);
}

/// Nanoseconds as integers, since these are what ranks compare.
static int64_t in_ns(double seconds)
{
    return (int64_t)(1e9 * seconds);
}

/// Parts of both ways that a device has failed.
static int64_t failed_parts(const cairn_autotune *adapt, const cairn_replay *in_use)
{
    return cairn_replay_retired(in_use) + cairn_replay_retired(adapt->other);
}

/// The reduction of all ranks before a run of a trial.
typedef enum { GO_ON, GIVE_UP, END } verdict;

/// Do all ranks go on? They begin together then. The other way has shown that it is not
/// worth more runs if the slowest rank took too long in each of the first.
///
/// Collective.
static cairn_status
agree_to_go_on(const cairn_autotune *adapt, const cairn_replay *in_use, verdict *say)
{
    cairn_comm   *comm   = in_use->common.comm;
    const double *other  = adapt->sample[1];
    const bool    looks  = counted(adapt) == FEW;
    int64_t       most[] = {
              failed_parts(adapt, in_use),
        looks ? in_ns(median(adapt->sample[0], ROUNDS)) : 0,
        looks ? in_ns(fmin(other[0], other[1])) : 0,
    };

    CAIRN_TRY(comm->ops->allreduce(comm, most, 3, CAIRN_MAX));
    const bool fails = looks && (double)most[2] > hopeless * (double)most[1];

    *say = most[0] ? END : fails ? GIVE_UP : GO_ON;
    return CAIRN_OK;
}

/// Decide by the samples, unless a device failed in the last run: they were taken with that
/// device.
///
/// Collective.
static cairn_status conclude(cairn_autotune *adapt, cairn_replay **replay)
{
    cairn_comm *comm       = (*replay)->common.comm;
    int64_t     slowest[3] = {
            in_ns(median(adapt->sample[0], ROUNDS)),
            in_ns(median(adapt->sample[1], counted(adapt))),
            failed_parts(adapt, *replay),
    };

    CAIRN_TRY(comm->ops->allreduce(comm, slowest, 3, CAIRN_MAX));
    adapt->ended = slowest[2] > 0;
    if (adapt->ended) return CAIRN_OK;
    const double in_use = 1e-9 * (double)slowest[0], other = 1e-9 * (double)slowest[1];
    const bool   exchange = in_use - other > fmax(better * in_use, clock_worth);

    adapt->trials++;
    adapt->seconds[exchange]  = in_use;
    adapt->seconds[!exchange] = other;
    if (exchange) {
        cairn_replay *const loser = *replay;

        *replay      = adapt->other;
        adapt->other = loser;
        adapt->switches++;
    }
    await_trial(adapt);
    return CAIRN_OK;
}

static cairn_status run_timed(cairn_autotune *adapt, cairn_replay *in_use)
{
    const int          k      = adapt->at++;
    const double       begin  = cairn_seconds();
    const cairn_status status = cairn_replay_run(k < ROUNDS ? in_use : adapt->other);
    const double       took   = cairn_seconds() - begin;

    if (k < ROUNDS)
        adapt->sample[0][k] = took;
    else if (k > ROUNDS)
        adapt->sample[1][k - ROUNDS - 1] = took;
    return status;
}

/// One run of a trial. A rank whose run fails stays with the others to the end of it.
static cairn_status run_trial(cairn_autotune *adapt, cairn_replay **replay)
{
    verdict say;

    CAIRN_TRY(agree_to_go_on(adapt, *replay, &say));
    if (say == END) adapt->ended = true;
    if (say == GIVE_UP) CAIRN_TRY(conclude(adapt, replay));
    if (say != GO_ON) return cairn_replay_run(*replay);
    const cairn_status status = run_timed(adapt, *replay);

    if (adapt->at < TRIAL) return status;
    const cairn_status agreed = conclude(adapt, replay);

    return status != CAIRN_OK ? status : agreed;
}

cairn_status cairn_autotune_run(cairn_autotune *adapt, cairn_replay **replay)
{
    const bool tries = adapt->other && !adapt->ended && adapt->runs >= adapt->next
                       && !(*replay)->trace;

    adapt->runs++;
    if (tries) return run_trial(adapt, replay);
    adapt->at = 0;
    return cairn_replay_run(*replay);
}
