// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Subproducts of one device that runs its launches together (devices/seat.h): one task
/// starts all of them, and does not wait; the task that collects each waits for it. In
/// between the thread computes what is the processor's.

#ifndef CAIRN_PLAN_SEATS_H
#define CAIRN_PLAN_SEATS_H

#include "devices/seat.h"
#include "plan/subproduct.h"

typedef struct cairn_plan_seat {
    cairn_device *device;
    cairn_seat    seat; ///< `release` NULL: each runs by itself, when all are started.
    int           members;
    cairn_subproduct *member[CAIRN_MAX_HOMES];
    bool              under_way[CAIRN_MAX_HOMES]; ///< Started, and not collected.
    double            starting;                   ///< Seconds that the last start took.
} cairn_plan_seat;

/// The seats of a plan.
typedef struct cairn_plan_seats {
    int              count;
    cairn_plan_seat *seat; ///< [count]
} cairn_plan_seats;

/// Seat all subproducts whose devices do that. They have their kernels. Local.
///
/// @param[in,out] subproduct  [subproducts] Learn their seats; outlive these.
/// @param[out]    seats       cairn_plan_seats_fini(), also after a failure.
/// @retval CAIRN_NO_MEMORY
cairn_status cairn_plan_seats_init(cairn_env        *env,
                                   cairn_subproduct *subproduct,
                                   int               subproducts,
                                   cairn_plan_seats *seats);

void cairn_plan_seats_fini(cairn_env *env, cairn_plan_seats *seats);

/// Seat again those of which a launch was made anew, and give up those of devices that were
/// lost. What cannot be seated runs by itself. Local; between runs.
void cairn_plan_seats_renew(cairn_plan_seats *seats);

/// A task with a cairn_plan_seat as argument: start its members.
cairn_status cairn_plan_seat_start(void *seat);

/// Wait for member @p subproduct of its seat, of which its Y is taken.
cairn_status cairn_plan_seat_finish(cairn_subproduct *subproduct, void *y);

/// Can its only member be run again and again there, each Y the next X?
bool cairn_plan_seat_chains(const cairn_plan_seat *seat);

/// Do so with the only member of a seat. @return false: it was not done; after a failure of
/// the device, which is lost then.
bool cairn_plan_seat_chain(cairn_subproduct *subproduct, int64_t n, void *x, void *y);

/// When its device did what for a member in the last run; zeros where that is not known.
void cairn_plan_seat_bars(const cairn_subproduct *subproduct,
                          cairn_seat_bar          bar[CAIRN_SEAT_BARS]);

/// Wait for what is still under way, after a run that ended early.
void cairn_plan_seats_settle(cairn_plan_seats *seats);

#endif
