// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which devices each task may go to, and packing tasks into memories.

#ifndef CAIRN_PLACE_POLICY_CHOICE_H
#define CAIRN_PLACE_POLICY_CHOICE_H

#include "place/policy_net.h"

/// Check a problem. @retval CAIRN_BAD_ARGUMENT  It is none.
cairn_status cairn_policy_check(cairn_env *env, const cairn_policy_problem *problem);

/// The devices of each task, by the rules of policy.h.
///
/// @param[out] choice  [tasks] none empty.
/// @retval CAIRN_UNSUPPORTED, CAIRN_NO_MEMORY  A task has none.
cairn_status cairn_policy_choose(cairn_env                  *env,
                                 const cairn_policy_problem *problem,
                                 uint64_t                   *choice);

/// Do the tasks of each device fit together?
bool cairn_policy_fits(const cairn_policy_problem *problem, const int *device);

/// Find some placement that fits: largest tasks first, each to the device with most room,
/// and back where that fails, a limited number of times.
///
/// @param[out] device  [tasks]
/// @retval CAIRN_NO_MEMORY  None was found, with the first task that has no room.
cairn_status
cairn_policy_pack(cairn_policy_net *net, const uint64_t *choice, int *device);

#endif
