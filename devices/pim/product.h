// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on cores in memory: what they cost, and the launch that says so.

#ifndef CAIRN_DEVICES_PIM_PRODUCT_H
#define CAIRN_DEVICES_PIM_PRODUCT_H

#include "devices/pim/models.h"
#include "devices/product.h"

/// Does the member have banks? One without cannot be divided among cores.
bool cairn_pim_divided(const cairn_device_work *work);

/// The model's word for a product, from the arrays.
///
/// Local.
///
/// @param[in]  device  Whose state is its cairn_pim_parameters.
/// @retval CAIRN_NO_MEMORY  Of the host, for the count.
cairn_status cairn_pim_cost_of(const cairn_device      *device,
                               const cairn_device_work *work,
                               cairn_pim_cost          *cost);

/// Slot build of devices/device.h.
///
/// @retval CAIRN_UNSUPPORTED  The member has no banks.
/// @retval CAIRN_NO_MEMORY    A core's bank is too small for what it would have to hold.
cairn_status cairn_pim_build(cairn_device            *device,
                             const cairn_device_work *work,
                             cairn_launch            *launch);

#endif
