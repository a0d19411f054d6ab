// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on the processor: compiled kernels on the member's arrays as they lie in main
/// memory, divided among the device's threads.

#ifndef CAIRN_DEVICES_CPU_PRODUCT_H
#define CAIRN_DEVICES_CPU_PRODUCT_H

#include "devices/cpu/company.h"
#include "devices/cpu/pieces.h"
#include "devices/product.h"

/// What a launch keeps as its state.
typedef struct cairn_cpu_product {
    cairn_env                 *env;
    cairn_device_work          work;
    cairn_kernel               kernel;
    cairn_kernel               spare;  ///< For when new values make narrow ones wider.
    const cairn_kernel_loader *loader; ///< That gave it.
    cairn_share                share;  ///< How its parts are divided.
    int64_t                    parts;
    cairn_work_partition      *partition; ///< [parts] which thread does what of each.
    cairn_cpu_pieces          *pieces;    ///< [parts] the same in pieces.
    int                        threads;   ///< That take them; 0: no part has any.
    cairn_company              company;
} cairn_cpu_product;

/// Slot build of devices/device.h, for every device whose info.threads says how many
/// threads of this process it has.
cairn_status cairn_cpu_build(cairn_device            *device,
                             const cairn_device_work *work,
                             cairn_launch            *launch);

/// Slot ahead.
void cairn_cpu_ahead(cairn_device *device, const cairn_device_work *work, int works);

#endif
