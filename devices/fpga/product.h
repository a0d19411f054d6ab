// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products on an FPGA card: what they cost, and the launch that says so.

#ifndef CAIRN_DEVICES_FPGA_PRODUCT_H
#define CAIRN_DEVICES_FPGA_PRODUCT_H

#include "devices/fpga/models.h"
#include "devices/product.h"

/// The model's word for a product that cairn_fpga_can() accepts, from the arrays.
///
/// Local.
///
/// @param[in]  device  Whose state is its cairn_fpga_parameters.
/// @retval CAIRN_NO_MEMORY  Of the host, for the count.
cairn_status cairn_fpga_cost_of(const cairn_device      *device,
                                const cairn_device_work *work,
                                cairn_fpga_cost         *cost);

/// Slot build of devices/device.h.
///
/// @retval CAIRN_UNSUPPORTED  It is no schedule for this card, or one that would compute
///                            something else on it.
/// @retval CAIRN_NO_MEMORY    The card's memory is too small.
cairn_status cairn_fpga_build(cairn_device            *device,
                              const cairn_device_work *work,
                              cairn_launch            *launch);

#endif
