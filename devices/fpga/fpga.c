// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// An FPGA card as a device: a cycle model's clock over the processor's arithmetic. It
/// takes members that store a schedule for its engines.

#include "devices/fpga/product.h"
#include "devices/fpga/schedule.h"
#include "devices/kinds.h"
#include "devices/simulated.h"

#include <inttypes.h>
#include <stdio.h>

static cairn_status fpga_open(cairn_device *device, int index, int count)
{
    const cairn_device_config *config = device->config;
    cairn_device_facts        *info   = &device->info;
    cairn_fpga_parameters     *p      = NULL;

    (void)index, (void)count;
    CAIRN_TRY(CAIRN_NEW(device->env, 1, &p));
    *p            = cairn_fpga_parameters_of(config);
    device->state = p;
    cairn_simulated_open(device);
    if (config->name[0])
        snprintf(info->name, sizeof info->name, "%s", config->name);
    else
        snprintf(info->name, sizeof info->name,
                 "simulated %s, %" PRId64 " engines, %g MHz", config->model->name,
                 cairn_fpga_engines(p), p->clock / 1e6);
    info->memory_bytes = p->memory;
    info->cores        = (int)cairn_fpga_engines(p);
    info->bandwidth    = (double)p->channels * p->channel_rate;
    return CAIRN_OK;
}

static void fpga_close(cairn_device *device)
{
    cairn_free(device->env, device->state);
}

static bool fpga_can(const cairn_device *device, const cairn_device_request *request)
{
    if (request->work) return cairn_fpga_can(device->state, request->work, NULL);
    return request->memory_bytes <= device->info.memory_bytes;
}

static double fpga_cost(const cairn_device *device, const cairn_device_request *request)
{
    cairn_fpga_cost cost;

    if (!request->work || !cairn_fpga_can(device->state, request->work, NULL)
        || cairn_fpga_cost_of(device, request->work, &cost) != CAIRN_OK)
        return -1;
    return cost.in + cost.launch + cost.compute + cost.out;
}

const cairn_device_ops cairn_device_fpga = {
    .kind     = "fpga",
    .summary  = "simulated: the Serpens accelerator on an FPGA card",
    .delegate = "cpu",
    .models   = cairn_fpga_models,
    .count    = cairn_device_none,
    .open     = fpga_open,
    .close    = fpga_close,
    .cost     = fpga_cost,
    .can      = fpga_can,
    .build    = cairn_fpga_build,
};
