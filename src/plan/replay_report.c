// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Times and bytes of runs, for reports and for cost models.

#include "cost/transfers.h"
#include "plan/replay.h"

#include <math.h>

/// Seconds of what is exchanged by the network that this rank's simulated devices have:
/// the slowest of theirs, since each waits for X.
static double exchange_seconds(const cairn_replay *replay)
{
    int64_t messages, bytes;
    double  most = 0;

    if (replay->sums.cuts)
        cairn_cut_sums_traffic(replay->sums.cuts, &messages, &bytes);
    else
        cairn_halo_traffic(replay->common.operands->halo, &messages, &bytes);
    for (int p = 0; p < replay->subproducts; p++) {
        const cairn_device_facts *info = &replay->subproduct[p].device->info;

        if (!cairn_subproduct_models(&replay->subproduct[p]) || info->halo_rate <= 0)
            continue;
        const double its =
            (double)messages * info->halo_latency + (double)bytes / info->halo_rate;

        if (its > most) most = its;
    }
    return most;
}

void cairn_replay_times(const cairn_replay *replay,
                        double             *measured,
                        double             *simulated,
                        double             *exchange)
{
    *measured = *simulated = 0;
    for (int d = 0; d < replay->common.devices->count; d++) {
        double sum[2] = {0};

        for (int p = 0; p < replay->subproducts; p++)
            if (replay->subproduct[p].home.device == d)
                sum[cairn_subproduct_models(&replay->subproduct[p])] +=
                    cairn_subproduct_median(&replay->subproduct[p]);
        if (sum[0] > *measured) *measured = sum[0];
        if (sum[1] > *simulated) *simulated = sum[1];
    }
    *exchange = exchange_seconds(replay);
    *simulated += *exchange;
}

void cairn_replay_forget_times(cairn_replay *replay)
{
    for (int p = 0; p < replay->subproducts; p++)
        replay->subproduct[p].runs.count = 0;
}

/* A median of fewer runs depends too much on other work on the machine. */
enum { TELLING_RUNS = 5 };

/// Does a subproduct's median say what its device takes, alone, with all its threads, and
/// with X and Y on the host?
static bool is_telling(const cairn_subproduct *subproduct)
{
    const int threads = subproduct->work.threads;

    return subproduct->runs.count >= TELLING_RUNS && !subproduct->lost.device[0]
           && !subproduct->seat.chained && !cairn_subproduct_is_idle(subproduct)
           && !cairn_member_kernel_lacks(&subproduct->kernel)
           && (threads == 0 || threads == subproduct->device->info.threads);
}

void cairn_replay_observe(const cairn_replay *replay, cairn_costs *costs)
{
    const int ranks = replay->common.comm->local_size;

    for (int p = 0; p < replay->subproducts && costs; p++) {
        const cairn_subproduct *subproduct = &replay->subproduct[p];
        cairn_cost_device       device;
        cairn_work              work;

        if (!is_telling(subproduct)) continue;
        cairn_work_of_product(&subproduct->work, cairn_subproduct_sets(subproduct),
                              &work);
        const cairn_launch_times times = cairn_subproduct_median_times(subproduct);

        if (cairn_cost_observe_apart(costs, subproduct->device, ranks,
                                     &subproduct->work, &work, &times))
            continue;
        cairn_cost_device_of(subproduct->device, ranks, &device);
        cairn_cost_observe(costs, &device, &work, cairn_subproduct_median(subproduct));
    }
}

int cairn_replay_apart(const cairn_replay *replay, int64_t *bytes)
{
    int apart = 0;

    *bytes = replay->sums.cuts ? cairn_cut_sums_bytes(replay->sums.cuts) : 0;
    for (int p = 0; p < replay->subproducts; p++) {
        if (!replay->subproduct[p].own.apart) continue;
        apart++;
        *bytes += cairn_subproduct_own_bytes(&replay->subproduct[p]);
    }
    return apart;
}

int cairn_replay_retired(const cairn_replay *replay)
{
    int retired = 0;

    for (int p = 0; p < replay->subproducts; p++)
        retired += replay->subproduct[p].lost.device[0] != 0;
    return retired;
}

int64_t cairn_replay_share_bytes(const cairn_replay *replay)
{
    int64_t bytes = 0;

    for (int p = 0; p < replay->subproducts; p++)
        bytes += replay->subproduct[p].stored.bytes;
    return bytes;
}

int64_t cairn_replay_bytes(const cairn_replay *replay)
{
    int64_t bytes = cairn_operands_bytes(replay->common.operands);

    for (int p = 0; p < replay->subproducts; p++)
        bytes += cairn_subproduct_bytes(&replay->subproduct[p]);
    return bytes;
}

/// Rows of a subproduct that read no X but this rank's own, which are computed while
/// messages travel.
static double rows_inside(const cairn_subproduct *subproduct)
{
    double rows = 0;

    for (int k = 0; k < subproduct->pieces.count; k++) {
        const cairn_row_piece *piece = &subproduct->pieces.piece[k];

        if (piece->owned) rows += (double)cairn_work_rows_out(&piece->work);
    }
    return rows;
}

/// Bytes of X that this rank has: its own rows, and those that others send. (A cost model
/// counts all columns of its box, which on several ranks are more.)
static double bytes_of_x(const cairn_replay *replay)
{
    if (replay->op.transposed) return INFINITY;
    const cairn_x_rows rows = cairn_operands_x_rows(replay->common.operands);

    return (double)rows.row_bytes
           * (double)(rows.owned.hi - rows.owned.lo + 1 + rows.ghosts);
}

void cairn_replay_count(const cairn_replay *replay, cairn_replay_counts *counts)
{
    const double x    = bytes_of_x(replay);
    double       rows = 0, inside = 0;

    *counts = (cairn_replay_counts){.starts = replay->subproducts};
    for (int p = 0; p < replay->subproducts; p++) {
        const cairn_subproduct *subproduct = &replay->subproduct[p];
        cairn_work              work;

        cairn_work_of_product(&subproduct->work, cairn_subproduct_sets(subproduct),
                              &work);
        counts->bytes += work.arrays + fmin(work.x, x) + work.y;
        counts->entries += work.entries;
        counts->flops += work.flops;
        rows += work.rows;
        inside += rows_inside(subproduct);
    }
    counts->inside = rows > 0 ? inside / rows : 0;
}
