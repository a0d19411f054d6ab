// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Heterogeneous earliest finish time: the task first that has most ahead of it, each
/// where it is done first, in gaps where there are some.
///
/// Source: Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002.

#include "place/policy_net.h"

static cairn_status place(cairn_policy_net *net, const uint64_t *choice, int *device)
{
    cairn_policy_rank(net, choice);
    cairn_policy_begin(net);
    for (int k = 0; k < net->problem->tasks; k++)
        cairn_policy_put_best(net, choice, device, net->order[k]);
    return CAIRN_OK;
}

const cairn_policy cairn_policy_heft = {
    .name    = "heft",
    .summary = "what has most ahead of it first, each task where it ends first",
    .guards  = true,
    .place   = place,
};
