// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The graph of a replay. Internal to it.

#ifndef CAIRN_PLAN_REPLAY_GRAPH_H
#define CAIRN_PLAN_REPLAY_GRAPH_H

#include "plan/replay.h"

/// Add a task for every subproduct, and one for every addition of a Y computed apart.
/// Local.
///
/// @param[in,out] graph  Empty; its tasks point into @p replay.
cairn_status cairn_replay_fill_graph(cairn_replay *replay, cairn_graph *graph);

#endif
