// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing the homes of members: their costs as a problem for a policy.

#include "sched/homes.h"

#include <math.h>
#include <stdio.h>

/* Guesses, which races correct (race.h): a Y that is computed apart is written, read and
   added, about a tenth of a nanosecond a byte where memory moves 30 GB/s; a hop to another
   queue and back takes some microseconds with its sleep, and one through a driver what
   PoCL's does. */
static const double per_byte = 1e-10, hop = 3e-6, driver_hop = 30e-6;

/// The problem, with all that it points to. The last task stands for the additions.
typedef struct {
    cairn_policy_device  device[CAIRN_MAX_DEVICES];
    cairn_policy_task    task[CAIRN_MAX_MEMBERS + 1];
    cairn_policy_edge    edge[CAIRN_MAX_MEMBERS];
    double               seconds[(CAIRN_MAX_MEMBERS + 1) * CAIRN_MAX_DEVICES];
    double               latency[CAIRN_MAX_DEVICES * CAIRN_MAX_DEVICES];
    double               each[CAIRN_MAX_DEVICES * CAIRN_MAX_DEVICES];
    char                 name[CAIRN_MAX_MEMBERS][24];
    cairn_policy_problem problem;
} model;

static double predict(const cairn_homes_question *q, int member, int device)
{
    const cairn_device     *d       = &q->devices->device[device];
    const cairn_device_work product = {
        .tensor = q->tensor, .member = member, .op = q->op, .alone = member == 0};
    cairn_work       work;
    cairn_cost_guess guess;

    if (d->lost) return INFINITY;
    cairn_work_of_product(&product, member == 0, &work);
    const cairn_device_request request = {.memory_bytes =
                                              (int64_t)(work.arrays + work.x + work.y),
                                          .moved_bytes = (int64_t)work.bytes,
                                          .work        = &product};

    cairn_cost_of_product(q->costs, d, q->ranks, &request, &work, &guess);
    return guess.seconds;
}

/// Devices on which the user wants the member; 0: it is left open.
static cairn_status
find_pins(cairn_env *env, const cairn_homes_question *q, int member, uint64_t *pins)
{
    int found;

    CAIRN_TRY(cairn_placement_find(env, q->placement, q->devices, member, &found));
    *pins = found >= 0 ? UINT64_C(1) << found : 0;
    return CAIRN_OK;
}

static void describe_devices(const cairn_homes_question *q, model *m)
{
    const int n = q->devices->count;

    m->problem.clock = CAIRN_CLOCK_SIMULATED;
    for (int k = 0; k < n; k++) {
        const cairn_device *device = &q->devices->device[k];
        const bool          host   = cairn_device_is_host(device);

        m->device[k] =
            (cairn_policy_device){.id     = device->info.id,
                                  .clock  = device->info.clock,
                                  .memory = host ? -1 : device->info.memory_bytes};
        if (device->info.clock == CAIRN_CLOCK_MEASURED)
            m->problem.clock = CAIRN_CLOCK_MEASURED;
        for (int to = 0; to < n; to++) {
            const bool near = host && cairn_device_is_host(&q->devices->device[to]);

            m->latency[k * n + to] = near ? hop : driver_hop;
            m->each[k * n + to]    = per_byte;
        }
    }
}

/// What was lost in another plan's run is not there any more.
static cairn_status
check_lost(cairn_env *env, const cairn_homes_question *q, const cairn_policy_task *task)
{
    for (int d = 0; d < q->devices->count; d++)
        if (task->pins >> d & 1 && q->devices->device[d].lost)
            return cairn_fail(env, CAIRN_NO_DEVICE,
                              "device: %s: it failed in an earlier run, and is retired",
                              q->devices->device[d].info.id);
    return CAIRN_OK;
}

/// A device that the user named refuses by itself: it knows why it cannot.
static void leave_refusals(const cairn_policy_task *task, int devices, double *seconds)
{
    for (int d = 0; d < devices; d++)
        if (task->pins >> d & 1 && isinf(seconds[d])) seconds[d] = 0;
}

static cairn_status
describe_members(cairn_env *env, const cairn_homes_question *q, model *m)
{
    const int     members = q->tensor->groups, n = q->devices->count;
    const int     out  = q->op->transposed ? 1 : 0;
    const int64_t rows = q->tensor->box[out].hi - q->tensor->box[out].lo + 1;

    for (int k = 0; k < members; k++) {
        snprintf(m->name[k], sizeof m->name[k], "member %d", k);
        m->task[k] = (cairn_policy_task){.name   = m->name[k],
                                         .memory = q->tensor->group[k].bytes};
        CAIRN_TRY(find_pins(env, q, k, &m->task[k].pins));
        CAIRN_TRY(check_lost(env, q, &m->task[k]));
        m->edge[k] =
            (cairn_policy_edge){.from  = k,
                                .to    = members,
                                .bytes = 8.0 * (double)rows * (double)q->op->columns};
        for (int d = 0; d < n; d++)
            m->seconds[k * n + d] = predict(q, k, d);
        leave_refusals(&m->task[k], n, &m->seconds[k * n]);
    }
    return CAIRN_OK;
}

/// Where sums meet: on the processor, if it is among the devices.
static void describe_additions(const cairn_homes_question *q, model *m)
{
    const int members = q->tensor->groups;

    m->task[members] = (cairn_policy_task){.name = "additions"};
    for (int d = 0; d < q->devices->count; d++)
        if (cairn_device_is_host(&q->devices->device[d]))
            m->task[members].pins |= UINT64_C(1) << d;
    for (int d = 0; d < q->devices->count; d++)
        m->seconds[members * q->devices->count + d] = 0;
}

static cairn_status
ask(cairn_env *env, const cairn_homes_question *q, model *m, cairn_homes *homes)
{
    const int           members = q->tensor->groups, n = q->devices->count;
    cairn_policy_answer answer;
    cairn_homes         chosen = {.makespan = {0}};

    describe_devices(q, m);
    CAIRN_TRY(describe_members(env, q, m));
    describe_additions(q, m);
    m->problem.tasks    = members + 1;
    m->problem.devices  = n;
    m->problem.edges    = members;
    m->problem.device   = m->device;
    m->problem.task     = m->task;
    m->problem.edge     = m->edge;
    m->problem.seconds  = m->seconds;
    m->problem.latency  = m->latency;
    m->problem.per_byte = m->each;
    CAIRN_TRY(cairn_policy_place(env, q->policy, &m->problem, &answer));
    for (int k = 0; k < members; k++) {
        chosen.device[k]  = answer.device[k];
        chosen.seconds[k] = m->seconds[k * n + answer.device[k]];
        chosen.open += m->task[k].pins == 0;
    }
    chosen.makespan[0] = answer.makespan[0];
    chosen.makespan[1] = answer.makespan[1];
    snprintf(chosen.policy, sizeof chosen.policy, "%s", q->policy->name);
    cairn_policy_answer_fini(env, &answer);
    *homes = chosen;
    return CAIRN_OK;
}

cairn_status cairn_homes_choose(cairn_env                  *env,
                                const cairn_homes_question *question,
                                cairn_homes                *homes)
{
    model *m = NULL;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &m));
    const cairn_status status = ask(env, question, m, homes);

    cairn_free(env, m);
    return status;
}

bool cairn_homes_are_spread(const cairn_homes   *homes,
                            const cairn_devices *devices,
                            int                  members)
{
    bool spread = false;

    for (int m = 0; m < members; m++) {
        if (devices->device[homes->device[m]].info.clock != CAIRN_CLOCK_MEASURED)
            return false;
        spread |= homes->device[m] != homes->device[0];
    }
    return spread;
}

bool cairn_homes_gather(const cairn_devices *devices, int members, cairn_homes *homes)
{
    int host = 0;

    while (host < devices->count && !cairn_device_is_host(&devices->device[host]))
        host++;
    for (int m = 0; m < members && host < devices->count; m++)
        homes->device[m] = host;
    return host < devices->count;
}
