// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Processing in memory as a device: a model's clock over the processor's arithmetic. It
/// takes members that `partition` divides into banks, one for every core.

#include "devices/kinds.h"
#include "devices/pim/product.h"
#include "devices/simulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static cairn_status pim_open(cairn_device *device, int index, int count)
{
    const cairn_device_config *config = device->config;
    cairn_device_facts        *info   = &device->info;
    cairn_pim_parameters      *p      = NULL;

    (void)index, (void)count;
    CAIRN_TRY(CAIRN_NEW(device->env, 1, &p));
    *p            = cairn_pim_parameters_of(config);
    device->state = p;
    cairn_simulated_open(device);
    if (config->name[0])
        snprintf(info->name, sizeof info->name, "%s", config->name);
    else
        snprintf(info->name, sizeof info->name,
                 "simulated %s, %" PRId64 " cores, %g MHz", config->model->name,
                 p->cores, p->clock / 1e6);
    info->memory_bytes = p->cores * p->memory;
    info->cores        = (int)p->cores;
    info->bandwidth    = cairn_pim_bandwidth(p);
    return CAIRN_OK;
}

static void pim_close(cairn_device *device)
{
    cairn_free(device->env, device->state);
}

static bool pim_can(const cairn_device *device, const cairn_device_request *request)
{
    if (request->work) return cairn_pim_divided(request->work);
    return request->memory_bytes <= device->info.memory_bytes;
}

static double pim_cost(const cairn_device *device, const cairn_device_request *request)
{
    cairn_pim_cost cost;

    if (!request->work || !cairn_pim_divided(request->work)
        || cairn_pim_cost_of(device, request->work, &cost) != CAIRN_OK)
        return -1;
    return cost.in + cost.launch + cost.compute + cost.out + cost.merge;
}

const cairn_device_ops cairn_device_pim = {
    .kind     = "pim",
    .summary  = "simulated: cores in memory, one at every bank",
    .delegate = "cpu",
    .models   = cairn_pim_models,
    .count    = cairn_device_none,
    .open     = pim_open,
    .close    = pim_close,
    .cost     = pim_cost,
    .can      = pim_can,
    .build    = cairn_pim_build,
};
