// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Timing two replays in turns.

#include "plan/compare.h"

#include "base/median.h"

static cairn_status run_timed(cairn_replay *replay, double *seconds)
{
    const double begin = cairn_seconds();

    CAIRN_TRY(cairn_comm_agree(replay->common.comm, cairn_replay_run(replay)));
    *seconds = cairn_seconds() - begin;
    return CAIRN_OK;
}

/// Nanoseconds as integers, since these are what ranks compare.
static int64_t median(double *seconds)
{
    return (int64_t)(1e9 * cairn_median(seconds, CAIRN_COMPARE_ROUNDS));
}

cairn_status
cairn_replay_compare(cairn_replay *one, cairn_replay *other, double *seconds)
{
    cairn_comm *comm = one->common.comm;
    double      time[2][CAIRN_COMPARE_ROUNDS], warm;

    CAIRN_TRY(run_timed(one, &warm));
    CAIRN_TRY(run_timed(other, &warm));
    for (int k = 0; k < CAIRN_COMPARE_ROUNDS; k++) {
        CAIRN_TRY(run_timed(one, &time[0][k]));
        CAIRN_TRY(run_timed(other, &time[1][k]));
    }
    int64_t slowest[2] = {median(time[0]), median(time[1])};

    CAIRN_TRY(comm->ops->allreduce(comm, slowest, 2, CAIRN_MAX));
    seconds[0] = 1e-9 * (double)slowest[0];
    seconds[1] = 1e-9 * (double)slowest[1];
    return CAIRN_OK;
}
