// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The subproducts of a replay, and how their sums come into Y: in which type, which of
/// them add to Y itself, which last one rounds. Internal to replays.

#ifndef CAIRN_PLAN_REPLAY_SUBPRODUCTS_H
#define CAIRN_PLAN_REPLAY_SUBPRODUCTS_H

#include "plan/replay.h"

/// Prepare a subproduct for each home of a placement, with its kernel.
///
/// Collective.
///
/// @param[in]  held  Bytes that count against the limit beside them.
cairn_status cairn_replay_create_subproducts(cairn_replay        *replay,
                                             const cairn_placing *placing,
                                             int64_t              held);

#endif
