// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Devices as users see them.

#include "api/api.h"
#include "base/text.h"
#include "devices/kinds.h"
#include "devices/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *cairn_device_kind_name(int k)
{
    const cairn_device_ops *ops = cairn_device_kind_at(k);

    return ops ? ops->kind : NULL;
}

cairn_status cairn_context_devices(cairn_context *context)
{
    cairn_env *env = &context->env;

    if (context->devices) return CAIRN_OK;
    return cairn_devices_open(env, "CAIRN_DEVICES", env->options.devices,
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
             device->info.clock == CAIRN_CLOCK_MEASURED ? "measured" : "simulated");
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

cairn_status
cairn_devices_list(cairn_context *context, int *count, cairn_device_info **devices)
{
    cairn_comm        *comm = context->comm;
    cairn_env         *env  = &context->env;
    cairn_device_info *own  = NULL;
    int64_t            all  = 0;

    CAIRN_TRY(open_and_measure(context));
    const int    n      = context->devices->count;
    cairn_status status = cairn_comm_agree(comm, CAIRN_NEW(env, n, &own));

    for (int k = 0; k < n && status == CAIRN_OK; k++)
        describe(&context->devices->device[k], comm->rank, &own[k]);
    if (status == CAIRN_OK)
        status = cairn_comm_gather(comm, own, n, sizeof *own, (void **)devices, &all);
    if (status == CAIRN_OK) *count = (int)all;
    cairn_free(env, own);
    return status;
}

void cairn_devices_free(cairn_context *context, cairn_device_info **devices)
{
    cairn_free(&context->env, *devices);
    *devices = NULL;
}

cairn_status cairn_devices_cores(cairn_context *context, int *bound, int *share)
{
    CAIRN_TRY(cairn_context_devices(context));
    const cairn_machine *machine = context->devices->machine;

    *bound = machine->cores;
    *share = machine->node[0].cores / context->comm->local_size;
    return CAIRN_OK;
}

/// 512 kB, 32 MB, 24 GB: in powers of 1024, as caches and memories are sold.
static void print_size(cairn_text *text, int64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double                   size    = (double)bytes;
    int                      unit    = 0;

    for (; size >= 1024 && unit < 4; unit++)
        size /= 1024;
    cairn_text_add(text, ", %.4g %s", size, units[unit]);
}

static void print_node(cairn_text               *text,
                       const cairn_machine      *machine,
                       const cairn_machine_node *node)
{
    cairn_text_add(text, "%*s", 2 * node->depth, "");
    if (node->depth == 0)
        cairn_text_add(text, "machine: %s", machine->name);
    else if (node->level > 0)
        cairn_text_add(text, "L%d cache %d", node->level, node->index);
    else
        cairn_text_add(text, "%s %d", node->kind, node->index);
    if (node->bytes > 0) print_size(text, node->bytes);
    if (strcmp(node->kind, "core") != 0)
        cairn_text_add(text, ", %d core%s", node->cores, node->cores == 1 ? "" : "s");
    cairn_text_add(text, "\n");
}

cairn_status cairn_devices_tree(cairn_context *context, char **text)
{
    cairn_text out;

    CAIRN_TRY(cairn_context_devices(context));
    const cairn_machine *machine = context->devices->machine;

    cairn_text_init(&out, &context->env);
    for (int k = 0; k < machine->nodes; k++)
        print_node(&out, machine, &machine->node[k]);
    return cairn_text_take(&out, text);
}

cairn_status cairn_devices_check(cairn_context *context,
                                 const char    *place,
                                 const char    *devices,
                                 int            members)
{
    cairn_env      *env = &context->env;
    cairn_placement placement;

    if (devices) {
        cairn_devices *fresh;

        CAIRN_CHECK(context->plans == 0, env, CAIRN_BAD_ARGUMENT,
                    "--devices: %s: plans are alive that use the devices there are",
                    devices);
        CAIRN_TRY(cairn_devices_open(env, "--devices", devices, &fresh));
        cairn_devices_close(env, &context->devices);
        context->devices = fresh;
    }
    CAIRN_TRY(cairn_context_devices(context));
    if (!place) return CAIRN_OK;
    CAIRN_TRY(cairn_placement_parse(env, "--place", place, &placement));
    CAIRN_CHECK(placement.named <= members, env, CAIRN_BAD_OPTION,
                "--place: %s: the format has %d member%s", place, members,
                members == 1 ? "" : "s");
    for (int m = 0; m < members; m++) {
        int found;

        CAIRN_TRY(cairn_placement_find(env, &placement, context->devices, m, &found));
    }
    return CAIRN_OK;
}
