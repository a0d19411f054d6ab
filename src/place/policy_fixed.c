// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The user decides: a task goes to the first device of its choice, without a thought
/// about time; to the next where there is no room.

#include "place/policy_net.h"

static int first_of(const cairn_policy_net *net, uint64_t choice, int64_t bytes)
{
    for (int d = 0; d < net->problem->devices; d++)
        if ((choice >> d & 1) && cairn_policy_has_room(net, d, bytes)) return d;
    return __builtin_ctzll(choice);
}

static cairn_status place(cairn_policy_net *net, const uint64_t *choice, int *device)
{
    cairn_policy_begin(net);
    for (int k = 0; k < net->problem->tasks; k++) {
        const int t = net->topological[k];
        const int d = first_of(net, choice[t], net->problem->task[t].memory);

        cairn_policy_put(net, device, t, d);
    }
    return CAIRN_OK;
}

const cairn_policy cairn_policy_fixed = {
    .name    = "fixed",
    .summary = "the first device that may do a task",
    .guards  = false,
    .place   = place,
};
