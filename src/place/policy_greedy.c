// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Task by task, as they come: each where it is done first. Looks at nothing that lies
/// ahead, and costs next to nothing.

#include "place/policy_net.h"

static cairn_status place(cairn_policy_net *net, const uint64_t *choice, int *device)
{
    cairn_policy_begin(net);
    for (int k = 0; k < net->problem->tasks; k++)
        cairn_policy_put_best(net, choice, device, net->topological[k]);
    return CAIRN_OK;
}

const cairn_policy cairn_policy_greedy = {
    .name    = "greedy",
    .summary = "each task, as they come, where it ends first",
    .guards  = true,
    .place   = place,
};
