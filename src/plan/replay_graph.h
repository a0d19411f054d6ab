// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The graph of a replay. Internal to it.

#ifndef CAIRN_PLAN_REPLAY_GRAPH_H
#define CAIRN_PLAN_REPLAY_GRAPH_H

#include "plan/replay.h"

/// Lay the tasks out: one for every subproduct, or for each stretch of its rows by itself,
/// one for every addition of a Y computed apart, and those of the halo.
///
/// Rows that need no row of X from others come while messages travel, on the caller's thread
/// with looks at the messages between; the others when those have come whose rows they read.
/// What is not cut by rows waits for all that it may need; where that is another device's,
/// the caller's thread takes nothing up before the messages have come, lest that device
/// wait. So it is, too, where threads are bound to all cores: the caller's would only be in
/// their way.
///
/// Local. What was laid out before goes.
///
/// @return After a failure what there was stays.
cairn_status cairn_replay_lay_out(cairn_replay *replay);

/// Free the tasks.
void cairn_replay_free_tasks(cairn_env *env, cairn_replay_tasks *tasks);

#endif
