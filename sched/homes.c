// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Choosing the homes of members.

#include "sched/homes.h"

/// The device that members go to if nobody says otherwise: of the processor's the one
/// with least to read; where the user left the processor out, the first.
static int least_loaded(const cairn_devices *devices, const int64_t *bytes)
{
    int best = -1;

    for (int k = 0; k < devices->count; k++)
        if (cairn_device_is_host(&devices->device[k])
            && (best < 0 || bytes[k] < bytes[best]))
            best = k;
    return best < 0 ? 0 : best;
}

cairn_status cairn_homes_choose(const cairn_devices   *devices,
                                const cairn_placement *placement,
                                const cairn_local     *tensor,
                                cairn_homes           *homes)
{
    int64_t     bytes[CAIRN_MAX_DEVICES] = {0};
    cairn_homes chosen                   = {{0}};

    for (int m = 0; m < tensor->groups; m++)
        CAIRN_TRY(cairn_placement_find(tensor->env, placement, devices, m,
                                       &chosen.device[m]));
    for (int m = 0; m < tensor->groups; m++)
        if (chosen.device[m] >= 0) bytes[chosen.device[m]] += tensor->group[m].bytes;
    for (int m = 0; m < tensor->groups; m++) {
        if (chosen.device[m] >= 0) continue;
        chosen.device[m] = least_loaded(devices, bytes);
        bytes[chosen.device[m]] += tensor->group[m].bytes;
    }
    *homes = chosen;
    return CAIRN_OK;
}
