// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products of external simulators: a segment of shared memory with the arrays and what
/// they mean, and a program that computes from it (include/cairn/simulator.h).

#ifndef CAIRN_DEVICES_EXTERNAL_PRODUCT_H
#define CAIRN_DEVICES_EXTERNAL_PRODUCT_H

#include "devices/external/child.h"
#include "devices/product.h"

/// Can the layout be told in a segment: two dimensions, each a sum over the levels, and
/// no level whose index another table holds?
bool cairn_external_tells(const cairn_device_work *work);

/// A segment, mapped.
typedef struct cairn_external_segment {
    int                      fd; ///< -1: none.
    int64_t                  bytes;
    cairn_simulator_segment *at;
} cairn_external_segment;

/// Make a segment with the arrays of a member.
///
/// Local. Unmade with cairn_external_segment_fini(), also after a failure.
///
/// @param[in]  id  The device's, for messages.
/// @retval CAIRN_NO_MEMORY  The system gives none.
cairn_status cairn_external_segment_init(cairn_env               *env,
                                         const char              *id,
                                         const cairn_device_work *work,
                                         cairn_external_segment  *segment);

void cairn_external_segment_fini(cairn_external_segment *segment);

/// Start the device's program with a segment (-1: none) and hear who it is.
cairn_status cairn_external_meet(const cairn_device      *device,
                                 int                      segment,
                                 cairn_external_child    *child,
                                 cairn_simulator_message *hello);

/// Slot `build` (device.h).
cairn_status cairn_external_build(cairn_device            *device,
                                  const cairn_device_work *work,
                                  cairn_launch            *launch);

#endif
