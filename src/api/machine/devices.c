// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Devices as users see them.

#include "api/door.h"
#include "devices/kinds.h"
#include "devices/place.h"

#include <stdio.h>
#include <string.h>

const char *cairn_device_kind_name(int k)
{
    const cairn_device_ops *ops = cairn_device_kind_at(k);

    return ops ? ops->kind : NULL;
}

/// Open the devices of a list, of which other ranks of the node have some.
static cairn_status open_list(cairn_context  *context,
                              const char     *where,
                              const char     *list,
                              cairn_devices **devices)
{
    const cairn_comm        *comm = context->comm;
    const cairn_machine_turn turn = {comm->local_rank, comm->local_size};

    return cairn_devices_open_in_turn(&context->env, where, list, turn, devices);
}

cairn_status cairn_context_devices(cairn_context *context)
{
    if (context->devices) return CAIRN_OK;
    return open_list(context, "CAIRN_DEVICES", context->env.options.devices,
                     &context->devices);
}

cairn_status cairn_context_costs(cairn_context *context, cairn_costs **costs)
{
    CAIRN_TRY(cairn_context_devices(context));
    if (!context->costs) {
        CAIRN_TRY(CAIRN_NEW_ZERO(&context->env, 1, &context->costs));
        cairn_costs_init(&context->env, context->devices->machine, context->costs);
    }
    *costs = context->costs;
    return CAIRN_OK;
}

void cairn_context_forget_costs(cairn_context *context)
{
    if (!context->costs) return;
    /* Ranks of a node have seen much the same: one of them writes it down. */
    if (context->comm->rank % context->comm->local_size == 0)
        cairn_costs_save(context->costs);
    cairn_costs_fini(context->costs);
    cairn_free(&context->env, context->costs);
    context->costs = NULL;
}

static void describe(const cairn_device *device, int rank, cairn_device_info *info)
{
    memset(info, 0, sizeof *info);
    info->rank = rank;
    snprintf(info->id, sizeof info->id, "%s", device->info.id);
    snprintf(info->kind, sizeof info->kind, "%s", device->info.kind);
    snprintf(info->name, sizeof info->name, "%s", device->info.name);
    snprintf(info->clock, sizeof info->clock, "%s",
             cairn_clock_name(device->info.clock));
    info->memory_bytes = device->info.memory_bytes;
    info->cores        = device->info.cores;
    info->bandwidth    = device->info.bandwidth;
}

/// Measure the bandwidths of this rank's devices.
static cairn_status measure(cairn_context *context)
{
    for (int k = 0; k < context->devices->count; k++) {
        cairn_device *device = &context->devices->device[k];

        if (device->ops.measure) CAIRN_TRY(device->ops.measure(device));
    }
    return CAIRN_OK;
}

/// Open the devices and measure them, one rank of a node after the other, so that they
/// do not disturb each other (launchers number the ranks of a node consecutively).
static cairn_status open_and_measure(cairn_context *context)
{
    cairn_comm  *comm   = context->comm;
    int64_t      turns  = comm->local_size;
    cairn_status status = cairn_comm_agree(comm, cairn_context_devices(context));

    if (status == CAIRN_OK) status = comm->ops->allreduce(comm, &turns, 1, CAIRN_MAX);
    for (int64_t turn = 0; turn < turns && status == CAIRN_OK; turn++)
        status = cairn_comm_agree(comm, comm->rank % turns == turn ? measure(context)
                                                                   : CAIRN_OK);
    return status;
}

/// A device as it travels: who else has it is seen when all are together.
typedef struct traveller {
    cairn_device_info info;
    int               node;
    cairn_pu_set      bound; ///< Processors of the rank.
} traveller;

static bool overlap(const traveller *a, const traveller *b)
{
    for (size_t k = 0; k < sizeof a->bound.bits / sizeof *a->bound.bits; k++)
        if (a->bound.bits[k] & b->bound.bits[k]) return true;
    return false;
}

/// Two ranks of a node share a processor if they may run on the same part of it; other
/// devices by their name; what is simulated, every rank has for itself.
static bool shared(const traveller *a, const traveller *b)
{
    if (a->info.rank == b->info.rank || a->node != b->node
        || strcmp(a->info.kind, b->info.kind) != 0
        || strcmp(a->info.clock, "simulated") == 0)
        return false;
    return strcmp(a->info.kind, "cpu") == 0 ? overlap(a, b)
                                            : strcmp(a->info.id, b->info.id) == 0;
}

/// Count the ranks, of the @p n devices in rank order, that share device @p k.
static int count_sharing(const traveller *device, int64_t n, int64_t k)
{
    int ranks = 1, last = -1;

    for (int64_t other = 0; other < n; other++) {
        if (device[other].info.rank == last || !shared(&device[k], &device[other]))
            continue;
        last = device[other].info.rank;
        ranks++;
    }
    return ranks;
}

/// Gather the devices of all ranks.
static cairn_status gather(cairn_context *context, traveller **all, int64_t *count)
{
    cairn_comm          *comm    = context->comm;
    const cairn_devices *devices = context->devices;
    traveller           *own     = NULL;
    cairn_status         status =
        cairn_comm_agree(comm, CAIRN_NEW(&context->env, devices->count, &own));

    for (int k = 0; k < devices->count && status == CAIRN_OK; k++) {
        describe(&devices->device[k], comm->rank, &own[k].info);
        own[k].node  = comm->node;
        own[k].bound = devices->machine->bound;
    }
    if (status == CAIRN_OK)
        status = cairn_comm_gather(comm, own, devices->count, sizeof *own, (void **)all,
                                   count);
    cairn_free(&context->env, own);
    return status;
}

cairn_status cairn_devices_list_sized(cairn_context      *context,
                                      size_t              size,
                                      int                *count,
                                      cairn_device_info **devices)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_ELEMENT(size), CAIRN_GIVEN(count),
                         CAIRN_GIVEN(devices));

    traveller         *all   = NULL;
    cairn_device_info *fresh = NULL;
    int64_t            n     = 0;

    CAIRN_TRY(open_and_measure(context));
    CAIRN_TRY(gather(context, &all, &n));
    cairn_status status =
        cairn_comm_agree(context->comm, CAIRN_NEW(&context->env, n, &fresh));

    for (int64_t k = 0; k < n && status == CAIRN_OK; k++) {
        fresh[k]         = all[k].info;
        fresh[k].sharing = count_sharing(all, n, k);
    }
    cairn_free(&context->env, all);
    if (status == CAIRN_OK)
        status = cairn_list_fit(context->comm, size, sizeof *fresh, n, (void **)&fresh);
    if (status != CAIRN_OK) {
        cairn_free(&context->env, fresh);
        return status;
    }
    *count   = (int)n;
    *devices = fresh;
    return CAIRN_OK;
}

void cairn_devices_free(cairn_context *context, cairn_device_info **devices)
{
    if (!context || !devices) return;
    cairn_free(&context->env, *devices);
    *devices = NULL;
}

cairn_status cairn_devices_cores(cairn_context *context, int *bound, int *share)
{
    CAIRN_ENTER(context, CAIRN_GIVEN(bound), CAIRN_GIVEN(share));

    CAIRN_TRY(cairn_context_devices(context));
    const cairn_machine *machine = context->devices->machine;

    *bound = machine->cores;
    *share = machine->node[0].cores / context->comm->local_size;
    return CAIRN_OK;
}

/// Have the devices of a list in place of those there are.
static cairn_status reopen(cairn_context *context, const char *where, const char *list)
{
    cairn_env     *env = &context->env;
    cairn_devices *fresh;

    CAIRN_CHECK(context->plans == 0, env, CAIRN_BAD_ARGUMENT,
                "%s: %s: plans are alive that use the devices there are", where, list);
    CAIRN_TRY(open_list(context, where, list, &fresh));
    cairn_devices_close(env, &context->devices);
    context->devices = fresh;
    snprintf(context->listed, sizeof context->listed, "%s", list);
    return CAIRN_OK;
}

static bool has_kind(const cairn_devices *devices, const char *kind)
{
    for (int k = 0; k < devices->count; k++)
        if (strcmp(devices->device[k].info.kind, kind) == 0) return true;
    return false;
}

cairn_status cairn_context_open_named(cairn_context         *context,
                                      const char            *where,
                                      const cairn_placement *placement)
{
    const cairn_device_ops *kind;
    char                    list[256];
    bool                    all = true;

    if (context->env.options.devices[0]) return CAIRN_OK;
    cairn_placement_list(placement, list, sizeof list);
    CAIRN_TRY(cairn_context_devices(context));
    for (int k = 0; (kind = cairn_device_kind_at(k)); k++)
        if (cairn_placement_names(placement, kind->kind))
            all = all && has_kind(context->devices, kind->kind);
    return all ? CAIRN_OK : reopen(context, where, list);
}

cairn_status cairn_devices_check(cairn_context *context,
                                 const char    *place,
                                 const char    *devices,
                                 int            members)
{
    CAIRN_ENTER(context, CAIRN_WITHIN(members, 0, CAIRN_MAX_MEMBERS));

    cairn_env      *env = &context->env;
    cairn_placement placement;

    if (place) CAIRN_TRY(cairn_placement_parse(env, "--place", place, &placement));
    if (devices) CAIRN_TRY(reopen(context, "--devices", devices));
    if (place && !devices)
        CAIRN_TRY(cairn_context_open_named(context, "--place", &placement));
    CAIRN_TRY(cairn_context_devices(context));
    if (!place) return CAIRN_OK;
    CAIRN_CHECK(placement.named <= members, env, CAIRN_BAD_OPTION,
                "option: --place: %s: the format has %d member%s", place, members,
                members == 1 ? "" : "s");
    return cairn_placement_check(env, &placement, context->devices, members);
}
