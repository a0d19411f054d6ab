// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Homes: which device computes which member on this rank. Devices are asked, through
/// their cost models (cost.h), how long each member takes; a policy (policy.h) decides,
/// within what the user said.

#ifndef CAIRN_SCHED_HOMES_H
#define CAIRN_SCHED_HOMES_H

#include "devices/place.h"
#include "sched/cost.h"
#include "sched/policy.h"

typedef struct cairn_homes {
    int    device[CAIRN_MAX_MEMBERS];  ///< [members] Numbers in the list of devices.
    double seconds[CAIRN_MAX_MEMBERS]; ///< [members] Predicted, by that device's clock.
    double makespan[2];                ///< Of all, by cairn_clock; never to be added.
    char   policy[16];                 ///< Who decided.
    int    open;                       ///< Members that the user left open.
} cairn_homes;

/// Is more than one device in use, and all of them measured? Then a clock can tell whether
/// that pays.
bool cairn_homes_are_spread(const cairn_homes   *homes,
                            const cairn_devices *devices,
                            int                  members);

/// Put all members on the processor's first device.
///
/// @param[in,out] homes  Unchanged if it is not among the devices.
/// @return whether it is.
bool cairn_homes_gather(const cairn_devices *devices, int members, cairn_homes *homes);

/// What homes are chosen for.
typedef struct cairn_homes_question {
    const cairn_devices         *devices;
    const cairn_placement       *placement; ///< What the user said.
    const cairn_local           *tensor;
    const cairn_product_options *op;
    cairn_costs                 *costs;
    const cairn_policy          *policy;
    int                          ranks; ///< Of the job on this node.
} cairn_homes_question;

/// Give every member a device. One that is simulated gets what the user named it for; the
/// rest only where there is no other device.
///
/// Local.
///
/// @param[out] homes  Unchanged on failure.
/// @retval CAIRN_NO_DEVICE    A device that the user named is not here.
/// @retval CAIRN_UNSUPPORTED  No device that a member may go to can compute it.
/// @retval CAIRN_NO_MEMORY    The members do not fit, with needed and limit.
cairn_status cairn_homes_choose(cairn_env                  *env,
                                const cairn_homes_question *question,
                                cairn_homes                *homes);

#endif
