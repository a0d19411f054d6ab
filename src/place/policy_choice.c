// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which devices each task may go to.

#include "place/policy_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/// Memories are added up: together they must be a number.
static cairn_status check_memory(cairn_env *env, const cairn_policy_problem *p)
{
    int64_t all = 0;

    for (int t = 0; t < p->tasks; t++)
        CAIRN_CHECK(p->task[t].memory >= 0
                        && !__builtin_add_overflow(all, p->task[t].memory, &all),
                    env, CAIRN_BAD_ARGUMENT, "place: %s: memory of %" PRId64 " bytes",
                    p->task[t].name, p->task[t].memory);
    return CAIRN_OK;
}

static cairn_status check_task(cairn_env *env, const cairn_policy_problem *p, int t)
{
    const uint64_t all =
        p->devices == 64 ? UINT64_MAX : (UINT64_C(1) << p->devices) - 1;

    CAIRN_CHECK(!(p->task[t].affinity & ~all), env, CAIRN_BAD_ARGUMENT,
                "place: %s: it is pinned to a device beyond number %d", p->task[t].name,
                p->devices - 1);
    for (int d = 0; d < p->devices; d++)
        CAIRN_CHECK(cairn_policy_seconds(p, t, d) >= 0, env, CAIRN_BAD_ARGUMENT,
                    "place: %s: %s: %g seconds", p->task[t].name, p->device[d].id,
                    cairn_policy_seconds(p, t, d));
    return CAIRN_OK;
}

/// No NaN, none below 0, none without an end.
static bool are_times(const double *time, int n)
{
    for (int k = 0; time && k < n; k++)
        if (!(time[k] >= 0) || isinf(time[k])) return false;
    return true;
}

cairn_status cairn_policy_check(cairn_env *env, const cairn_policy_problem *p)
{
    CAIRN_CHECK(
        p->tasks >= 0 && p->edges >= 0 && p->devices >= 1
            && p->devices <= CAIRN_MAX_DEVICES,
        env, CAIRN_BAD_ARGUMENT,
        "place: problem: %d tasks, %d edges, %d devices; of devices there are 1 "
        "to %d",
        p->tasks, p->edges, p->devices, CAIRN_MAX_DEVICES);
    CAIRN_CHECK(are_times(p->latency, p->devices * p->devices)
                    && are_times(p->per_byte, p->devices * p->devices),
                env, CAIRN_BAD_ARGUMENT,
                "place: problem: data must travel in a time, of 0 seconds or more");
    CAIRN_TRY(check_memory(env, p));
    for (int t = 0; t < p->tasks; t++)
        CAIRN_TRY(check_task(env, p, t));
    for (int e = 0; e < p->edges; e++) {
        const cairn_policy_edge *edge = &p->edge[e];

        CAIRN_CHECK(edge->from >= 0 && edge->from < p->tasks && edge->to >= 0
                        && edge->to < p->tasks && edge->bytes >= 0
                        && !isinf(edge->bytes),
                    env, CAIRN_BAD_ARGUMENT, "place: edge %d: %d to %d, %g bytes", e,
                    edge->from, edge->to, edge->bytes);
    }
    return CAIRN_OK;
}

static uint64_t of_clock(const cairn_policy_problem *p, cairn_clock clock)
{
    uint64_t devices = 0;

    for (int d = 0; d < p->devices; d++)
        if (p->device[d].clock == clock) devices |= UINT64_C(1) << d;
    return devices;
}

/// Devices of the affinity of a task, or all that it may have without, that can do it.
static uint64_t able(const cairn_policy_problem *p, int t)
{
    const uint64_t affinity = p->task[t].affinity;
    uint64_t       given = affinity ? affinity : UINT64_MAX, devices = 0;

    if (!affinity && p->clock == CAIRN_CLOCK_MEASURED)
        given = of_clock(p, CAIRN_CLOCK_MEASURED);
    for (int d = 0; d < p->devices; d++)
        if ((given >> d & 1) && cairn_policy_seconds(p, t, d) < INFINITY)
            devices |= UINT64_C(1) << d;
    return devices;
}

static uint64_t
roomy(const cairn_policy_problem *p, int t, uint64_t devices, int *largest)
{
    uint64_t fit = 0;

    *largest = -1;
    for (int d = 0; d < p->devices; d++) {
        const int64_t memory = p->device[d].memory;

        if (!(devices >> d & 1)) continue;
        if (memory < 0 || p->task[t].memory <= memory) fit |= UINT64_C(1) << d;
        if (*largest < 0 || memory > p->device[*largest].memory) *largest = d;
    }
    return fit;
}

static cairn_status refuse(cairn_env *env, const cairn_policy_problem *p, int t)
{
    const bool one = __builtin_popcountll(p->task[t].affinity) == 1;

    if (one)
        return cairn_fail(env, CAIRN_UNSUPPORTED, "place: %s: %s cannot do it",
                          p->task[t].name,
                          p->device[__builtin_ctzll(p->task[t].affinity)].id);
    return cairn_fail(env, CAIRN_UNSUPPORTED, "place: %s: no device %s can do it",
                      p->task[t].name,
                      p->task[t].affinity ? "that it may have"
                                          : "that is not simulated, or was named,");
}

static cairn_status
choose_one(cairn_env *env, const cairn_policy_problem *p, int t, uint64_t *choice)
{
    const uint64_t can = able(p, t);
    int            largest;

    if (!can) return refuse(env, p, t);
    const uint64_t fit   = roomy(p, t, can, &largest);
    const uint64_t asked = fit & of_clock(p, p->clock);

    CAIRN_CHECK(fit, env, CAIRN_NO_MEMORY,
                "place: %s: needs %" PRId64 " bytes, but the limit of %s is %" PRId64,
                p->task[t].name, p->task[t].memory, p->device[largest].id,
                p->device[largest].memory);
    *choice = asked ? asked : fit;
    return CAIRN_OK;
}

cairn_status cairn_policy_choose(cairn_env                  *env,
                                 const cairn_policy_problem *problem,
                                 uint64_t                   *choice)
{
    for (int t = 0; t < problem->tasks; t++)
        CAIRN_TRY(choose_one(env, problem, t, &choice[t]));
    return CAIRN_OK;
}
