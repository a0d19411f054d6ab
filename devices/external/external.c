// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program as a device: a file of devices names its command, and its answers say what it
/// simulates. Every product has a process of its own.

#include "devices/config.h"
#include "devices/external/product.h"
#include "devices/kinds.h"

#include <stdio.h>

static const cairn_device_key keys[] = {
    {"limit", 60, 1e-3, 1e6, false, "s",  "for each answer; later it counts as lost"},
    {NULL,    0,  0,    0,   false, NULL, NULL                                      },
};

static const cairn_device_model models[] = {
    {"program", "a simulator that \"command\" starts", keys},
    {NULL,      NULL,                                  NULL},
};

/// Start it once, to hear its name and its clock.
static cairn_status external_open(cairn_device *device, int index, int count)
{
    cairn_device_facts     *info  = &device->info;
    cairn_external_child    child = {.socket = -1};
    cairn_simulator_message hello;

    (void)index, (void)count;
    CAIRN_CHECK(device->config->command[0], device->env, CAIRN_NO_DEVICE,
                "device: %s: no program: a file of devices names it in \"command\"",
                info->id);
    CAIRN_TRY(cairn_external_meet(device, -1, &child, &hello));
    cairn_external_end(&child);
    snprintf(info->name, sizeof info->name, "%.120s",
             hello.text[0] ? hello.text : device->config->command);
    info->clock        = hello.simulated ? CAIRN_CLOCK_SIMULATED : CAIRN_CLOCK_MEASURED;
    info->memory_bytes = device->env->memory_limit;
    info->cores = info->threads = 1;
    return CAIRN_OK;
}

static bool external_can(const cairn_device         *device,
                         const cairn_device_request *request)
{
    if (request->work) return cairn_external_tells(request->work);
    return request->memory_bytes <= device->info.memory_bytes;
}

const cairn_device_ops cairn_device_external = {
    .kind     = "external",
    .summary  = "a simulator of your own: a program that a file of devices names",
    .delegate = CAIRN_HOST_KIND,
    .models   = models,
    .command  = true,
    .count    = cairn_device_none,
    .open     = external_open,
    .can      = external_can,
    .build    = cairn_external_build,
};
