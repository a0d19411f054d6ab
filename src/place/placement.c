// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing the devices of members and their shares: their costs as a problem for a policy.

#include "place/placement.h"

#include "place/member_kernel.h"
#include "place/placement_draft.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Guesses, which comparisons correct (plan/compare.h): a Y that is computed apart is
   written, read and added, about a tenth of a nanosecond a byte where memory moves
   30 GB/s; a hop to another queue and back takes some microseconds with its sleep, and one
   through a driver what PoCL's does. */
static const double per_byte = 1e-10, hop = 3e-6, driver_hop = 30e-6;

/// The problem, with all that it points to. The last task stands for the additions.
typedef struct {
    cairn_policy_device  device[CAIRN_MAX_DEVICES];
    cairn_policy_task    task[CAIRN_MAX_HOMES + 1];
    cairn_policy_edge    edge[CAIRN_MAX_HOMES];
    double               seconds[(CAIRN_MAX_HOMES + 1) * CAIRN_MAX_DEVICES];
    double               latency[CAIRN_MAX_DEVICES * CAIRN_MAX_DEVICES];
    double               each[CAIRN_MAX_DEVICES * CAIRN_MAX_DEVICES];
    char                 name[CAIRN_MAX_HOMES][32];
    cairn_policy_problem problem;
} model;

static void describe_devices(const cairn_placing_question *q, model *m)
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

/// A device that the user named refuses by itself: it knows why it cannot.
static void leave_refusals(const cairn_policy_task *task, int devices, double *seconds)
{
    for (int d = 0; d < devices; d++)
        if (task->affinity >> d & 1 && isinf(seconds[d])) seconds[d] = 0;
}

/// Is the draft's k-th task all of its member?
static bool is_whole(const cairn_placing_draft *d, int k)
{
    const cairn_placing_task *task = &d->task[k];

    return task->share == 0
           && (k + 1 == d->count || d->task[k + 1].member != task->member);
}

/// Bytes of the Y that a task brings to the additions. Shares of the first member write
/// straight into Y, each its own rows.
static double bytes_to_add(const cairn_placing_draft *d, int k)
{
    const cairn_placing_question *q = d->question;
    const cairn_interval rows = q->op->transposed ? q->tensor->box[1] : d->task[k].rows;

    if (d->task[k].member == 0 && !is_whole(d, k) && !q->op->transposed) return 0;
    return 8.0 * (double)(rows.hi - rows.lo + 1) * (double)q->op->columns;
}

static void describe_task(const cairn_placing_draft *d, int k, model *m)
{
    const cairn_placing_task *task  = &d->task[k];
    const cairn_group        *group = &d->question->tensor->group[task->member];
    const int                 n     = d->question->devices->count;
    const double             *whole = &d->whole[task->member * n];

    snprintf(m->name[k], sizeof m->name[k],
             is_whole(d, k) ? "member %d" : "member %d.%d", task->member, task->share);
    m->task[k] =
        (cairn_policy_task){.name     = m->name[k],
                            .memory   = (int64_t)(task->part * (double)group->bytes),
                            .affinity = task->affinity};
    m->edge[k] =
        (cairn_policy_edge){.from = k, .to = d->count, .bytes = bytes_to_add(d, k)};
    for (int j = 0; j < n; j++)
        m->seconds[k * n + j] = is_whole(d, k)
                                    ? whole[j]
                                    : task->part * d->any_memory[task->member * n + j];
    for (int j = 0; j < n && task->seconds > 0; j++)
        if (task->affinity == UINT64_C(1) << j) m->seconds[k * n + j] = task->seconds;
    leave_refusals(&m->task[k], n, &m->seconds[k * n]);
}

/// Where sums meet: on the processor, if it is among the devices.
static void describe_additions(const cairn_placing_draft *d, model *m)
{
    const cairn_devices *devices = d->question->devices;

    m->task[d->count] = (cairn_policy_task){.name = "additions"};
    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k]))
            m->task[d->count].affinity |= UINT64_C(1) << k;
    for (int k = 0; k < devices->count; k++)
        m->seconds[d->count * devices->count + k] = 0;
}

static void describe(const cairn_placing_draft *d, model *m)
{
    describe_devices(d->question, m);
    for (int k = 0; k < d->count; k++)
        describe_task(d, k, m);
    describe_additions(d, m);
    m->problem.tasks    = d->count + 1;
    m->problem.devices  = d->question->devices->count;
    m->problem.edges    = d->count;
    m->problem.device   = m->device;
    m->problem.task     = m->task;
    m->problem.edge     = m->edge;
    m->problem.seconds  = m->seconds;
    m->problem.latency  = m->latency;
    m->problem.per_byte = m->each;
}

/// Members that the user left open.
static int count_open(const cairn_placing_question *q)
{
    int open = 0;

    for (int m = 0; m < q->tensor->groups; m++)
        open += q->placement->member[m].shares == 0;
    return open;
}

/// Have a policy place what is drafted.
static cairn_status
place(cairn_env *env, const cairn_placing_draft *d, model *m, cairn_placing *placing)
{
    const cairn_placing_question *q = d->question;
    cairn_policy_answer           answer;

    *m = (model){0};
    assert(d->count >= 0 && d->count <= CAIRN_MAX_HOMES);
    *placing = (cairn_placing){.count = d->count, .open = count_open(q)};
    describe(d, m);
    CAIRN_TRY(cairn_policy_place(env, q->policy, &m->problem, &answer));
    for (int k = 0; k < d->count; k++)
        assert(answer.device[k] >= 0 && answer.device[k] < q->devices->count);
    for (int k = 0; k < d->count; k++)
        placing->home[k] = (cairn_member_home){
            .member  = d->task[k].member,
            .share   = d->task[k].share,
            .device  = answer.device[k],
            .rows    = d->task[k].rows,
            .seconds = m->seconds[k * q->devices->count + answer.device[k]]};
    placing->makespan[0] = answer.makespan[0];
    placing->makespan[1] = answer.makespan[1];
    snprintf(placing->policy, sizeof placing->policy, "%s", q->policy->name);
    memcpy(placing->note, d->note, sizeof placing->note);
    cairn_policy_answer_fini(env, &answer);
    return CAIRN_OK;
}

/// May open members be divided to be faster? All of them are open, no Y would have to be
/// added for it, and the policy is one that asks what is faster.
static bool may_divide(const cairn_placing_draft *d)
{
    const cairn_placing_question *q = d->question;

    return q->divides && strcmp(q->policy->name, "fixed") != 0 && !q->op->transposed
           && count_open(q) == q->tensor->groups && d->count == q->tensor->groups;
}

/// Divide the longest member if that is predicted to be faster.
static cairn_status
try_divided(cairn_env *env, cairn_placing_draft *d, model *m, cairn_placing *placing)
{
    bool          divides;
    cairn_placing divided;

    if (!may_divide(d)) return CAIRN_OK;
    CAIRN_TRY(cairn_placing_draft_divide(d, &divides));
    if (!divides) return CAIRN_OK;
    CAIRN_TRY(place(env, d, m, &divided));
    const bool faster = divided.makespan[CAIRN_CLOCK_MEASURED]
                        < placing->makespan[CAIRN_CLOCK_MEASURED];

    if (d->question->beaten) *d->question->beaten = faster ? *placing : divided;
    if (faster) *placing = divided;
    return CAIRN_OK;
}

bool cairn_placing_change_bits(const cairn_local           *tensor,
                               const cairn_product_options *op)
{
    for (int m = op->beta == 0 ? 1 : 0; m < tensor->groups; m++)
        if (!cairn_member_meets_once(tensor, m, op)) return true;
    return false;
}

cairn_status cairn_placing_choose(cairn_env                    *env,
                                  const cairn_placing_question *question,
                                  cairn_placing                *placing)
{
    cairn_placing_question by_rule = *question;
    cairn_placing_draft   *draft   = NULL;
    model                 *m       = NULL;
    cairn_placing          chosen;
    cairn_status           status;

    by_rule.kept = cairn_placing_change_bits(question->tensor, question->op);
    if (by_rule.kept) CAIRN_TRY(cairn_policy_find(env, "fixed", &by_rule.policy));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, 1, &draft));
    CAIRN_GO(done, CAIRN_NEW_ZERO(env, 1, &m));
    draft->question = &by_rule;
    if (by_rule.beaten) by_rule.beaten->count = 0;
    CAIRN_GO(done, cairn_placing_draft_make(env, draft));
    CAIRN_GO(done, place(env, draft, m, &chosen));
    CAIRN_GO(done, try_divided(env, draft, m, &chosen));
    chosen.kept = by_rule.kept;
    *placing    = chosen;
done:
    cairn_free(env, m);
    cairn_free(env, draft);
    return status;
}

int cairn_placing_shares(const cairn_placing *placing, int member)
{
    int shares = 0;

    for (int k = 0; k < placing->count; k++)
        shares += placing->home[k].member == member;
    return shares;
}

bool cairn_placing_are_spread(const cairn_placing *placing,
                              const cairn_devices *devices)
{
    bool spread = false;

    for (int k = 0; k < placing->count; k++) {
        const int device = placing->home[k].device;

        if (devices->device[device].info.clock != CAIRN_CLOCK_MEASURED) return false;
        spread |= device != placing->home[0].device;
    }
    return spread;
}

bool cairn_placing_are_elsewhere(const cairn_placing *placing,
                                 const cairn_devices *devices)
{
    bool elsewhere = false;

    for (int k = 0; k < placing->count; k++) {
        const cairn_device *device = &devices->device[placing->home[k].device];

        if (device->info.clock != CAIRN_CLOCK_MEASURED) return false;
        elsewhere |= !cairn_device_is_host(device);
    }
    return elsewhere;
}

bool cairn_placing_are_same(const cairn_placing *one, const cairn_placing *other)
{
    bool same = one->count == other->count;

    for (int k = 0; same && k < one->count; k++) {
        const cairn_member_home *a = &one->home[k], *b = &other->home[k];

        same = a->member == b->member && a->device == b->device
               && a->rows.lo == b->rows.lo && a->rows.hi == b->rows.hi;
    }
    return same;
}

bool cairn_placing_gather(const cairn_devices *devices,
                          const cairn_local   *tensor,
                          cairn_placing       *placing)
{
    int host = 0;

    while (host < devices->count && !cairn_device_is_host(&devices->device[host]))
        host++;
    if (host == devices->count) return false;
    double seconds[CAIRN_MAX_MEMBERS] = {0};

    for (int k = 0; k < placing->count; k++) {
        const cairn_member_home *home = &placing->home[k];

        if (home->device == host && cairn_placing_shares(placing, home->member) == 1)
            seconds[home->member] = home->seconds;
        else
            placing->makespan[0] = placing->makespan[1] = 0;
    }
    placing->count = tensor->groups;
    for (int m = 0; m < tensor->groups; m++)
        placing->home[m] = (cairn_member_home){
            .member = m, .device = host, .rows = tensor->box[0], .seconds = seconds[m]};
    return true;
}
