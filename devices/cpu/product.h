// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on the processor: compiled kernels on the member's arrays as they lie in main
/// memory, divided among the device's threads.

#ifndef CAIRN_DEVICES_CPU_PRODUCT_H
#define CAIRN_DEVICES_CPU_PRODUCT_H

#include "devices/product.h"

/// Slot build of devices/device.h, for every device whose info.threads says how many
/// threads of this process it has.
cairn_status cairn_cpu_build(cairn_device            *device,
                             const cairn_device_work *work,
                             cairn_launch            *launch);

/// Slot ahead.
void cairn_cpu_ahead(cairn_device *device, const cairn_device_work *work, int works);

#endif
