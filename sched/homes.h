// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Homes: which device computes which member on this rank.

#ifndef CAIRN_SCHED_HOMES_H
#define CAIRN_SCHED_HOMES_H

#include "devices/place.h"
#include "tensor/local.h"

typedef struct cairn_homes {
    int device[CAIRN_MAX_MEMBERS]; ///< [members] Numbers in the list of devices.
} cairn_homes;

/// Give every member a device: the one that the user named, else the processor's device
/// that has least to read so far. A simulated device gets what it is named for and
/// nothing else, since its seconds are no seconds.
///
/// Local.
///
/// @param[out] homes  Unchanged on failure.
/// @retval CAIRN_NO_DEVICE  A device that the user named is not here.
cairn_status cairn_homes_choose(const cairn_devices   *devices,
                                const cairn_placement *placement,
                                const cairn_local     *tensor,
                                cairn_homes           *homes);

#endif
