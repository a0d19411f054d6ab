// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What plans tell of themselves.

#include "api/door.h"
#include "api/plans/permuted.h"
#include "devices/domains.h"
#include "tensor/value_storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cairn_route_name(cairn_route route)
{
    static const char *const name[] = {[CAIRN_ROUTE_REFERENCE] = "reference",
                                       [CAIRN_ROUTE_PREBUILT]  = "prebuilt",
                                       [CAIRN_ROUTE_COMPILED]  = "compiled"};

    return name[route];
}

static cairn_route subproduct_route(const cairn_subproduct *subproduct)
{
    return cairn_member_kernel_lacks(&subproduct->kernel)
               ? CAIRN_ROUTE_REFERENCE
               : subproduct->kernel.launch.route;
}

const char *cairn_plan_member_route(const cairn_plan *plan, int member)
{
    const cairn_replay *replay = plan ? plan->replay : NULL;

    for (int p = 0; replay && p < replay->subproducts; p++)
        if (replay->subproduct[p].home.member == member)
            return cairn_route_name(subproduct_route(&replay->subproduct[p]));
    return NULL;
}

/// The slowest of the subproducts' routes: a reference one decides, then a compiled one.
static cairn_route plan_route(const cairn_replay *replay, const char **why)
{
    cairn_route route = CAIRN_ROUTE_PREBUILT;

    for (int p = 0; p < replay->subproducts; p++) {
        const cairn_route mine = subproduct_route(&replay->subproduct[p]);

        if (mine == CAIRN_ROUTE_REFERENCE && !*why)
            *why = replay->subproduct[p].kernel.why;
        if (mine == CAIRN_ROUTE_REFERENCE || route == CAIRN_ROUTE_PREBUILT)
            route = mine;
    }
    return route;
}

/// Numbers of one rank; the largest over ranks are the plan's.
enum { SECONDS, SIMULATED, EXCHANGE, MEASURED, HAS_SIMULATED, HAS_MEASURED, NUMBERS };

static void collect_numbers(const cairn_plan *plan, double number[NUMBERS])
{
    const cairn_replay *replay = plan->replay;

    memset(number, 0, NUMBERS * sizeof *number);
    number[SECONDS] = plan->seconds;
    cairn_replay_times(replay, &number[MEASURED], &number[SIMULATED],
                       &number[EXCHANGE]);
    for (int p = 0; p < replay->subproducts; p++)
        number[cairn_subproduct_models(&replay->subproduct[p]) ? HAS_SIMULATED
                                                               : HAS_MEASURED] = 1;
}

static const char *clock_name(const double number[NUMBERS])
{
    if (number[HAS_SIMULATED] == 0) return "measured";
    return number[HAS_MEASURED] == 0 ? "simulated" : "mixed";
}

/// Also of a way that was tried and is not in use.
static int64_t count_retired(const cairn_plan *plan)
{
    const cairn_replay *other = plan->adapt.other;

    return cairn_replay_retired(plan->replay)
           + (other ? cairn_replay_retired(other) : 0);
}

static cairn_halo_ways describe_ways(const cairn_replay *replay, int64_t between)
{
    const cairn_exchange_trials *t = cairn_halo_trials(replay->common.operands->halo);

    return (cairn_halo_ways){
        .now = replay->common.comm->size == 1 ? NULL : cairn_exchange_way_name(t->way),
        .decided    = t->ended,
        .persistent = t->least[CAIRN_EXCHANGE_PERSISTENT],
        .anew       = t->least[CAIRN_EXCHANGE_ANEW],
        .collective = t->least[CAIRN_EXCHANGE_COLLECTIVE],
        .shared     = t->least[CAIRN_EXCHANGE_SHARED],
        .without    = t->without[0] ? t->without : NULL,
        .between    = between};
}

cairn_status cairn_plan_describe(const cairn_plan *plan, cairn_plan_info *info)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_GIVEN(info),
                         CAIRN_SIZED(info, cairn_plan_info));

    cairn_replay *replay = plan->replay;
    cairn_comm   *comm   = replay->common.comm;
    int64_t       sum[] = {cairn_replay_bytes(replay), 0, count_retired(plan), 0, 0, 0};
    double        number[NUMBERS];
    const char   *why = NULL;
    cairn_pos     sent;

    cairn_halo_counts(replay->common.operands->halo, &sum[1], &sent);
    sum[0] += cairn_permuted_bytes(plan);
    sum[3] = cairn_replay_apart(replay, &sum[4]);
    sum[5] = cairn_halo_between_nodes(replay->common.operands->halo);
    collect_numbers(plan, number);
    CAIRN_TRY(cairn_context_max(plan->tensor->context, number, NUMBERS)); /* agrees */
    CAIRN_TRY(comm->ops->allreduce(comm, sum, 6, CAIRN_SUM));
    const cairn_plan_info own = {.seconds       = number[SECONDS],
                                 .bytes_per_run = sum[0],
                                 .halo          = sum[1],
                                 .route  = cairn_route_name(plan_route(replay, &why)),
                                 .why    = why,
                                 .device = replay->subproduct[0].device->info.id,
                                 .placement    = plan->placement,
                                 .clock        = clock_name(number),
                                 .simulated    = number[SIMULATED],
                                 .exchange     = number[EXCHANGE],
                                 .measured     = number[MEASURED],
                                 .retired      = (int)sum[2],
                                 .trials       = plan->adapt.trials,
                                 .switches     = plan->adapt.switches,
                                 .reproducible = plan->homes.reproducible,
                                 .apart        = (int)sum[3],
                                 .apart_bytes  = sum[4],
                                 .ways         = describe_ways(replay, sum[5])};

    CAIRN_WRITE(info, own);
    return CAIRN_OK;
}

/// Where its threads are kept, of a part that has nothing else to say.
static void describe_cores(const cairn_replay *replay, cairn_plan_part *part, int p)
{
    const cairn_device *device = replay->subproduct[p].device;
    char                cores[64];

    if (!replay->queues.pinned || part->note[0] || !cairn_device_is_host(device))
        return;
    cairn_pu_set_print(&device->info.bound, cores, sizeof cores);
    snprintf(part->note, sizeof part->note, "bound to processors %s", cores);
}

static void describe_subproduct(const cairn_subproduct *subproduct,
                                cairn_plan_part        *part)
{
    const cairn_layout      *layout = cairn_work_group(&subproduct->work)->layout;
    const char              *note   = subproduct->kernel.launch.note;
    const cairn_launch_times times  = cairn_subproduct_median_times(subproduct);

    memset(part, 0, sizeof *part);
    part->member           = subproduct->home.member;
    part->rank             = subproduct->common->comm->rank;
    part->share            = subproduct->home.share;
    part->first_row        = subproduct->home.rows.lo;
    part->rows             = subproduct->home.rows.hi - subproduct->home.rows.lo + 1;
    part->nnz              = cairn_work_entries(&subproduct->work);
    part->bytes            = cairn_work_group(&subproduct->work)->bytes;
    part->seconds          = cairn_subproduct_median(subproduct);
    part->on_device.in     = times.in;
    part->on_device.kernel = times.compute;
    part->on_device.out    = times.out;
    snprintf(part->device, sizeof part->device, "%s", subproduct->device->info.id);
    snprintf(part->clock, sizeof part->clock, "%s",
             cairn_clock_name(subproduct->device->info.clock));
    snprintf(part->route, sizeof part->route, "%s",
             cairn_route_name(subproduct_route(subproduct)));
    snprintf(part->values, sizeof part->values, "%s",
             cairn_value_storage_name(layout->values.kind, layout->values.bits));
    if (subproduct->lost.device[0])
        snprintf(part->note, sizeof part->note, "%s failed and was retired: %s",
                 subproduct->lost.device, subproduct->lost.why);
    else
        snprintf(part->note, sizeof part->note, "%s", note);
}

static int by_where(const void *a, const void *b)
{
    const cairn_plan_part *x = a, *y = b;

    if (x->member != y->member) return x->member < y->member ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->share > y->share) - (x->share < y->share);
}

cairn_status cairn_plan_parts_sized(const cairn_plan *plan,
                                    size_t            size,
                                    int64_t          *count,
                                    cairn_plan_part **parts)
{
    CAIRN_ENTER_TOGETHER(plan ? plan->tensor->context : NULL, CAIRN_ELEMENT(size),
                         CAIRN_GIVEN(count), CAIRN_GIVEN(parts));

    const cairn_replay *replay = plan->replay;
    cairn_comm         *comm   = replay->common.comm;
    cairn_plan_part    *own = NULL, *all = NULL;
    int64_t             n = 0;
    cairn_status        status =
        cairn_comm_agree(comm, CAIRN_NEW(comm->env, replay->subproducts, &own));

    for (int p = 0; p < replay->subproducts && status == CAIRN_OK; p++) {
        describe_subproduct(&replay->subproduct[p], &own[p]);
        describe_cores(replay, &own[p], p);
    }
    if (status == CAIRN_OK)
        status = cairn_comm_gather(comm, own, replay->subproducts, sizeof *own,
                                   (void **)&all, &n);
    if (status == CAIRN_OK) {
        qsort(all, (size_t)n, sizeof *all, by_where);
        status = cairn_list_fit(comm, size, sizeof *all, n, (void **)&all);
    }
    cairn_free(comm->env, own);
    if (status != CAIRN_OK) return status;
    *count = n;
    *parts = all;
    return status;
}

void cairn_plan_parts_free(const cairn_plan *plan, cairn_plan_part **parts)
{
    if (!plan || !parts) return;
    cairn_free(&plan->tensor->context->env, *parts);
    *parts = NULL;
}

void cairn_plan_forget_times(cairn_plan *plan)
{
    if (!plan) return;
    cairn_replay_forget_times(plan->replay);
    if (plan->adapt.other) cairn_replay_forget_times(plan->adapt.other);
}
