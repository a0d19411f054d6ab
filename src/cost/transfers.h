// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What copies between the host's memory and a device's take. They follow from how many rows
/// of X and Y there are, and kernels from what a matrix stores; so the two are learned
/// apart, and a share of a matrix, which has some rows of both, can be predicted. Copies in
/// and out are families of work of their own, one for each direction, whatever is copied.

#ifndef CAIRN_COST_TRANSFERS_H
#define CAIRN_COST_TRANSFERS_H

#include "cost/cost.h"

/// Bytes that a run copies.
typedef struct cairn_transfers {
    double in, out;
} cairn_transfers;

/// What a product on a device copies: the rows of X and Y that this rank's box has. None
/// where the device reads the host's memory, or says no rates. @p product may be NULL.
cairn_transfers cairn_transfers_of(const cairn_device      *device,
                                   const cairn_device_work *product);

/// Seconds of copies, one after the other: by what was measured of this device, and before
/// that by its own rates (cairn_device_link). Local.
double cairn_cost_of_transfers(cairn_costs           *costs,
                               const cairn_device    *device,
                               int                    ranks,
                               const cairn_transfers *bytes);

/// Learn from a run whose device tells copies and kernels apart: of kernels by the product's
/// family, of copies by theirs. Local.
///
/// @param[in] ranks  As of cairn_cost_device_of().
/// @param[in] times  Medians; a direction of 0 seconds is not learned of.
/// @return false: the device does not tell them apart; nothing was learned.
bool cairn_cost_observe_apart(cairn_costs              *costs,
                              const cairn_device       *device,
                              int                       ranks,
                              const cairn_device_work  *product,
                              const cairn_work         *work,
                              const cairn_launch_times *times);

#endif
