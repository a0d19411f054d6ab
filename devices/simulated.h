// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What simulated devices share: their arithmetic is the processor's, their time is a
/// model's. A product is prepared by the kind that the device delegates to; where that
/// has no code, the arrays are interpreted (expr/reference.h).

#ifndef CAIRN_DEVICES_SIMULATED_H
#define CAIRN_DEVICES_SIMULATED_H

#include "devices/product.h"

/// What a model says of a product.
typedef struct cairn_simulated_model {
    cairn_launch_times times;
    int64_t            bytes;     ///< Of the device's memory.
    char               note[256]; ///< As the launch's.
} cairn_simulated_model;

/// Set the facts of a simulated device that its host tells: clock, the threads that the
/// arithmetic is done with, and the network to other hosts (network.def).
void cairn_simulated_open(cairn_device *device);

/// Prepare the arithmetic, and put the model's words into the launch.
///
/// Local.
///
/// @param[in]  model   Copied.
/// @param[out] launch  As slot `build` says (device.h); route REFERENCE: interpreted.
/// @retval CAIRN_NO_KERNEL  There is no code, and CAIRN_KERNELS is "compiled".
cairn_status cairn_simulated_build(cairn_device                *device,
                                   const cairn_device_work     *work,
                                   const cairn_simulated_model *model,
                                   cairn_launch                *launch);

#endif
