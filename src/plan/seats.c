// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts that run together.

#include "plan/seats.h"

#include <assert.h>
#include <string.h>

/// A device's launches as they are; no failure, for they also run one by one.
static void seat_members(cairn_plan_seat *seat)
{
    cairn_launch         *launch[CAIRN_MAX_HOMES];
    const void           *x[CAIRN_MAX_HOMES];
    cairn_seat_landing    y[CAIRN_MAX_HOMES];
    const cairn_seat_loan loan = {x, y};
    cairn_seat            fresh;

    for (int k = 0; k < seat->members; k++) {
        launch[k]                   = &seat->member[k]->kernel.launch;
        x[k]                        = cairn_subproduct_own_x(seat->member[k]);
        y[k]                        = cairn_subproduct_own_y(seat->member[k]);
        seat->member[k]->seat.taken = true;
        if (seat->member[k]->device != seat->device) return;
    }
    if (!seat->device->lost
        && seat->device->ops.seat(seat->device, launch, &loan, seat->members, &fresh)
               == CAIRN_OK)
        seat->seat = fresh;
}

static bool wants_seat(const cairn_subproduct *subproduct)
{
    return subproduct->device->ops.seat && subproduct->kernel.launch.run
           && !cairn_subproduct_is_idle(subproduct);
}

/// The seat of a device, one that is new if it has none.
static cairn_plan_seat *seat_of(cairn_plan_seats *seats, cairn_device *device)
{
    for (int k = 0; k < seats->count; k++)
        if (seats->seat[k].device == device) return &seats->seat[k];
    seats->seat[seats->count] = (cairn_plan_seat){.device = device};
    return &seats->seat[seats->count++];
}

cairn_status cairn_plan_seats_init(cairn_env        *env,
                                   cairn_subproduct *subproduct,
                                   int               subproducts,
                                   cairn_plan_seats *seats)
{
    int wanted = 0;

    *seats = (cairn_plan_seats){.count = 0};
    for (int p = 0; p < subproducts; p++)
        wanted += wants_seat(&subproduct[p]);
    if (wanted == 0) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(env, wanted, &seats->seat));
    for (int p = 0; p < subproducts; p++) {
        if (!wants_seat(&subproduct[p])) continue;
        cairn_plan_seat *const seat = seat_of(seats, subproduct[p].device);

        subproduct[p].seat.among      = seat;
        subproduct[p].seat.place      = seat->members;
        seat->member[seat->members++] = &subproduct[p];
    }
    for (int k = 0; k < seats->count; k++)
        seat_members(&seats->seat[k]);
    return CAIRN_OK;
}

static void leave(cairn_plan_seat *seat)
{
    if (seat->seat.keeps) cairn_operands_keep(seat->member[0]->common->operands);
    if (seat->seat.release) seat->seat.release(&seat->seat);
}

void cairn_plan_seats_fini(cairn_env *env, cairn_plan_seats *seats)
{
    for (int k = 0; k < seats->count; k++)
        leave(&seats->seat[k]);
    cairn_free(env, seats->seat);
    *seats = (cairn_plan_seats){.count = 0};
}

void cairn_plan_seats_renew(cairn_plan_seats *seats)
{
    for (int k = 0; k < seats->count; k++) {
        cairn_plan_seat *seat  = &seats->seat[k];
        bool             stale = seat->device->lost;

        for (int m = 0; m < seat->members; m++)
            stale |= !seat->member[m]->seat.taken;
        if (!stale) continue;
        leave(seat);
        seat_members(seat);
    }
}

cairn_status cairn_plan_seat_start(void *argument)
{
    cairn_plan_seat *seat  = argument;
    const double     begin = cairn_seconds();
    const void      *x[CAIRN_MAX_HOMES];
    void            *y[CAIRN_MAX_HOMES];

    if (!seat->seat.release) {
        for (int k = 0; k < seat->members; k++)
            CAIRN_TRY(cairn_subproduct_compute(seat->member[k]));
        return CAIRN_OK;
    }
    for (int k = 0; k < seat->members; k++) {
        x[k]               = cairn_subproduct_x(seat->member[k]);
        y[k]               = cairn_subproduct_y(seat->member[k]);
        seat->under_way[k] = true;
    }
    /* A failure is told by every finish(), too, and mended where it is collected. */
    seat->seat.start(&seat->seat, x, y);
    seat->starting = cairn_seconds() - begin;
    return CAIRN_OK;
}

/// What the device took: it was at work while the thread did other things.
static double seconds_of(const cairn_plan_seat *seat, int k, double finishing)
{
    const cairn_launch_times *times = &seat->member[k]->kernel.launch.times;
    const double              work  = times->compute + times->out;
    const double in = k == 0 && seat->starting > times->in ? seat->starting : times->in;

    return work > 0 ? in + work : finishing + (k == 0 ? seat->starting : 0);
}

cairn_status cairn_plan_seat_finish(cairn_subproduct *subproduct, void *y)
{
    cairn_plan_seat *seat  = subproduct->seat.among;
    const int        k     = subproduct->seat.place;
    const double     begin = cairn_seconds();

    if (!seat->under_way[k]) return subproduct->runs.status; /* it ran by itself */
    seat->under_way[k]        = false;
    const cairn_status status = seat->seat.finish(&seat->seat, k, y);

    cairn_subproduct_ran(subproduct, status,
                         seconds_of(seat, k, cairn_seconds() - begin));
    return status;
}

bool cairn_plan_seat_chains(const cairn_plan_seat *seat)
{
    return seat->seat.release && seat->seat.chain && !seat->device->lost;
}

bool cairn_plan_seat_chain(cairn_subproduct *subproduct, int64_t n, void *x, void *y)
{
    cairn_plan_seat   *seat   = subproduct->seat.among;
    const double       begin  = cairn_seconds();
    const cairn_status status = seat->seat.chain(&seat->seat, n, x, y);

    if (status == CAIRN_UNSUPPORTED) return false;
    subproduct->seat.chained = true;
    if (status == CAIRN_OK) {
        cairn_subproduct_ran(subproduct, status, (cairn_seconds() - begin) / (double)n);
        return true;
    }
    subproduct->runs.status = status; /* what the next run finds, and says why */
    seat->device->lost      = true;
    return false;
}

void cairn_plan_seat_bars(const cairn_subproduct *subproduct,
                          cairn_seat_bar          bar[CAIRN_SEAT_BARS])
{
    cairn_plan_seat *seat = subproduct->seat.among;

    memset(bar, 0, CAIRN_SEAT_BARS * sizeof *bar);
    if (seat->seat.release && seat->seat.bars && subproduct->seat.taken
        && !seat->device->lost)
        seat->seat.bars(&seat->seat, subproduct->seat.place, bar);
}

void cairn_plan_seats_settle(cairn_plan_seats *seats)
{
    for (int k = 0; k < seats->count; k++)
        for (int m = 0; m < seats->seat[k].members; m++)
            if (seats->seat[k].under_way[m])
                cairn_plan_seat_finish(seats->seat[k].member[m], NULL);
}
