// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows cut where their number or their entries say, and what ranks take for rows, for
/// `@ cost`: the rates of a format's rows, and how fast the devices of each rank are. Both
/// are as they are said to be, but for cards that say nothing, which are measured; of these
/// a power of two is taken, so that one measurement gives the same rows as another.

#include "api/api.h"
#include "auto/row_rates.h"

#include <math.h>

/* The largest speed, and the largest cost of a row or an entry. */
static const double MOST_SPEED = 1 << 20, MOST_COST = 1e9;

/// Threads of the processors among a rank's devices.
static int count_threads(const cairn_devices *devices)
{
    int threads = 0;

    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k]))
            threads += devices->device[k].info.threads;
    return threads;
}

/// Bytes per second that a device says, or that were measured of it; 0: neither.
static cairn_status find_bandwidth(cairn_device *device, double *bandwidth)
{
    const bool measured = device->info.clock == CAIRN_CLOCK_MEASURED;

    if (measured && device->info.bandwidth <= 0 && device->ops.measure)
        CAIRN_TRY(device->ops.measure(device));
    *bandwidth = device->info.bandwidth;
    if (measured && *bandwidth > 0) *bandwidth = exp2(round(log2(*bandwidth)));
    return CAIRN_OK;
}

/// Entries per second: of all threads of a rank's processors; where its devices are others
/// alone, of the fastest.
///
/// @param[in] thread  Seconds of an entry by one thread.
static cairn_status
find_speed(const cairn_context *context, double thread, double *speed)
{
    cairn_devices *devices = context->devices;
    const int      threads = count_threads(devices);
    double         most    = 0;

    for (int k = 0; k < devices->count && threads == 0; k++) {
        double bandwidth;

        CAIRN_TRY(find_bandwidth(&devices->device[k], &bandwidth));
        most = fmax(most, bandwidth);
    }
    *speed =
        most > 0 ? most / CAIRN_LISTED_ENTRY : (threads > 0 ? threads : 1) / thread;
    return CAIRN_OK;
}

/// Speeds as integers, the same on all ranks.
static cairn_status gather_speeds(cairn_comm *comm, double own, int64_t **speed)
{
    double      *all = NULL, most = 0;
    int64_t      n;
    cairn_status status;

    CAIRN_TRY(cairn_comm_gather(comm, &own, 1, sizeof own, (void **)&all, &n));
    status = cairn_comm_agree(comm, CAIRN_NEW(comm->env, n, speed));
    for (int64_t r = 0; r < n && status == CAIRN_OK; r++)
        most = fmax(most, all[r]);
    for (int64_t r = 0; r < n && status == CAIRN_OK; r++)
        (*speed)[r] = 1 + (int64_t)((MOST_SPEED - 1) * (all[r] / most));
    cairn_free(comm->env, all);
    return status;
}

/// Collective. @param[out] costs  Its speeds are freed with cairn_free(), also on failure.
static cairn_status
find_costs(cairn_context *context, const cairn_format *format, cairn_row_costs *costs)
{
    cairn_comm     *comm = context->comm;
    cairn_row_rates rates;
    double          speed  = 1;
    cairn_status    status = cairn_row_rates_of(&context->env, format, &rates);

    if (status == CAIRN_OK) status = cairn_context_devices(context);
    if (status == CAIRN_OK)
        status = find_speed(context, rates.entry > 0 ? rates.entry : rates.row, &speed);
    CAIRN_TRY(cairn_comm_agree(comm, status));
    const double most = fmax(rates.row, rates.entry);

    costs->row   = (int64_t)round(MOST_COST * (rates.row / most));
    costs->entry = (int64_t)round(MOST_COST * (rates.entry / most));
    return gather_speeds(comm, speed, &costs->speed);
}

cairn_status cairn_format_cut_rows(cairn_context      *context,
                                   const cairn_format *format,
                                   const cairn_to_cut *what,
                                   cairn_rows         *rows)
{
    cairn_comm     *comm   = context->comm;
    const int64_t   grain  = format ? cairn_format_grain(format) : 1;
    cairn_row_costs costs  = {.row = 0};
    cairn_status    status = CAIRN_OK;
    const bool asked = format && format->distribution.kind == CAIRN_DISTRIBUTION_COST
                       && comm->size > 1;

    if (asked) status = find_costs(context, format, &costs);
    if (status == CAIRN_OK)
        status = what->counts
                     ? cairn_rows_by_counts(comm, what->counts, what->extent, grain,
                                            asked ? &costs : NULL, rows)
                     : cairn_rows_by_entries(comm, what->entries, what->extent, grain,
                                             asked ? &costs : NULL, rows);
    cairn_free(comm->env, costs.speed);
    return status;
}
