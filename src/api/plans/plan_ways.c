// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The ways to run a plan's product: several devices, and one alone.

#include "api/api.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// May members be tried elsewhere? Yes where no rank has stated places, no bits would
/// change, some rank has members on several devices, or not on the processor, and all ranks
/// have the processor.
///
/// Collective.
static cairn_status may_race(const cairn_plan *plan, cairn_placing *alone, bool *may)
{
    cairn_comm          *comm    = plan->tensor->context->comm;
    const cairn_devices *devices = plan->tensor->context->devices;
    const int            members = plan->tensor->local->groups;
    int64_t              least[2];

    *alone   = plan->homes;
    least[0] = plan->homes.open == members && !plan->homes.kept
               && cairn_placing_gather(devices, plan->tensor->local, alone);
    least[1] = -(int64_t)(cairn_placing_are_spread(&plan->homes, devices)
                          || cairn_placing_are_elsewhere(&plan->homes, devices));
    CAIRN_TRY(comm->ops->allreduce(comm, least, 2, CAIRN_MIN));
    *may = least[0] == 1 && least[1] < 0;
    return CAIRN_OK;
}

/// Use the other way from now on.
static void exchange_homes(cairn_plan *plan)
{
    const cairn_placing used = plan->homes;

    plan->homes = plan->other;
    plan->other = used;
}

/// A way by its devices.
static void name_way(const cairn_plan *plan, const cairn_placing *homes, char name[40])
{
    const cairn_devices *devices = plan->tensor->context->devices;

    if (cairn_placing_are_spread(homes, devices))
        snprintf(name, 40, "several devices");
    else
        snprintf(name, 40, "%s alone", devices->device[homes->home[0].device].info.id);
}

/// Has a device failed, on any rank? Collective.
static cairn_status has_failed(const cairn_plan *plan, bool *failed)
{
    cairn_comm *comm    = plan->tensor->context->comm;
    int64_t     retired = cairn_replay_retired(plan->replay);

    CAIRN_TRY(comm->ops->allreduce(comm, &retired, 1, CAIRN_MAX));
    *failed = retired > 0;
    return CAIRN_OK;
}

/// Use the faster of the plan's way and @p other, and keep the slower as the one that is
/// tried now and then. @param[in] seconds  Of both.
static void use_faster(cairn_plan *plan, cairn_replay **other, const double *seconds)
{
    const bool slower = seconds[1] < seconds[0];

    if (slower) {
        cairn_replay *const used = plan->replay;

        plan->replay = *other;
        *other       = used;
        exchange_homes(plan);
    }
    cairn_replay_begin_anew(plan->replay);
    cairn_replay_begin_anew(*other);
    cairn_autotune_init(&plan->adapt, *other,
                        (double[]){seconds[slower], seconds[!slower]});
    *other = NULL;
}

/// Time the plan against its other, use the faster, and keep both. A plan whose device
/// has failed stays as it is, for it knows what became of its parts.
///
/// Collective.
static cairn_status race(cairn_plan *plan, cairn_replay **other)
{
    char   one[40], two[40];
    double seconds[2];
    bool   failed;

    CAIRN_TRY(cairn_replay_compare(plan->replay, *other, seconds));
    CAIRN_TRY(has_failed(plan, &failed));
    const bool slower = !failed && seconds[1] < seconds[0];

    name_way(plan, &plan->homes, one);
    name_way(plan, &plan->other, two);
    snprintf(plan->placement, sizeof plan->placement, "%s: %s %.4g ms, %s %.4g ms: %s",
             plan->homes.policy, one, 1e3 * seconds[0], two, 1e3 * seconds[1],
             slower ? two : one);
    if (!failed) use_faster(plan, other, seconds);
    return CAIRN_OK;
}

/// Is there a third way, that no rank has tried? Collective.
static cairn_status may_try_third(const cairn_plan *plan, bool *may)
{
    cairn_comm *comm = plan->tensor->context->comm;
    int64_t     least[2];

    least[0] = plan->third.count > 0 && plan->adapt.other;
    least[1] = -(int64_t)(!cairn_placing_are_same(&plan->third, &plan->homes)
                          && !cairn_placing_are_same(&plan->third, &plan->other));
    CAIRN_TRY(comm->ops->allreduce(comm, least, 2, CAIRN_MIN));
    *may = least[0] == 1 && least[1] < 0;
    return CAIRN_OK;
}

/// Time a third way against the faster of two, and keep the faster two. Collective.
static cairn_status race_third(cairn_plan *plan, cairn_replay **third)
{
    const size_t length = strlen(plan->placement);
    const double slower = plan->adapt.seconds[1];
    char         name[40];
    double       seconds[2];
    bool         failed;

    CAIRN_TRY(cairn_replay_compare(plan->replay, *third, seconds));
    CAIRN_TRY(has_failed(plan, &failed));
    const bool faster = !failed && seconds[1] < seconds[0];

    name_way(plan, &plan->third, name);
    snprintf(plan->placement + length, sizeof plan->placement - length,
             ", %s %.4g ms%s%s", name, 1e3 * seconds[1], faster ? ": " : "",
             faster ? name : "");
    if (failed || seconds[1] >= fmax(slower, seconds[0])) return CAIRN_OK;
    plan->other = plan->third;
    cairn_autotune_fini(&plan->adapt);
    use_faster(plan, third, seconds);
    return CAIRN_OK;
}

/// Try the third way, if there is one. Collective.
static cairn_status try_third(cairn_plan *plan)
{
    cairn_replay *third = NULL;
    bool          may;

    CAIRN_TRY(may_try_third(plan, &may));
    if (!may
        || cairn_replay_create_beside(plan->replay, &plan->third,
                                      cairn_plan_held(plan->tensor), &third)
               != CAIRN_OK)
        return CAIRN_OK;
    const cairn_status status = race_third(plan, &third);

    if (status == CAIRN_OK && third) cairn_replay_begin_anew(plan->replay);
    cairn_replay_destroy(&third);
    return status;
}

cairn_status cairn_plan_try_ways(cairn_plan *plan)
{
    cairn_replay *other = NULL;
    bool          may;

    CAIRN_TRY(may_race(plan, &plan->other, &may));
    if (!may
        || cairn_replay_create_beside(plan->replay, &plan->other,
                                      cairn_plan_held(plan->tensor), &other)
               != CAIRN_OK)
        return CAIRN_OK;
    cairn_status status = race(plan, &other);

    if (status == CAIRN_OK && other) cairn_replay_begin_anew(plan->replay);
    cairn_replay_destroy(&other);
    if (status == CAIRN_OK) status = try_third(plan);
    return status;
}

/// What came of the trials, behind what was said when the plan was made.
static void tell_trials(cairn_plan *plan)
{
    const cairn_autotune *adapt = &plan->adapt;
    char                 *text  = plan->placement + plan->made;
    const size_t          size  = sizeof plan->placement - plan->made;
    char                  in_use[40], other[40];

    name_way(plan, &plan->homes, in_use);
    name_way(plan, &plan->other, other);
    const int n = snprintf(
        text, size,
        "; tried again %d time%s, after %" PRId64 " runs: %s %.4g ms, %s %.4g ms: %s%s",
        adapt->trials, adapt->trials == 1 ? "" : "s", adapt->runs, in_use,
        1e3 * adapt->seconds[0], other, 1e3 * adapt->seconds[1], in_use,
        adapt->ended ? "; no more, since a device failed" : "");

    if (adapt->switches > 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, "; switched %d time%s", adapt->switches,
                 adapt->switches == 1 ? "" : "s");
}

cairn_status cairn_plan_run_ways(cairn_plan *plan)
{
    cairn_autotune *adapt  = &plan->adapt;
    const int       trials = adapt->trials, switches = adapt->switches;
    const bool      ended = adapt->ended;

    const cairn_status status = cairn_autotune_run(adapt, &plan->replay);

    if (adapt->switches != switches) exchange_homes(plan);
    if (adapt->trials != trials || adapt->ended != ended) tell_trials(plan);
    return status;
}

void cairn_plan_observe(const cairn_plan *plan)
{
    cairn_costs *costs = plan->tensor->context->costs;

    cairn_replay_observe(plan->replay, costs);
    if (plan->adapt.other) cairn_replay_observe(plan->adapt.other, costs);
}
