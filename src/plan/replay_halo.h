// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The halo of a replay as tasks of the caller's thread, which talks to other ranks: rows
/// that go to others are packed, messages start, and while they travel those rows are
/// multiplied that need none; then the rows of each rank arrive. Tasks that other ranks wait
/// for, or that must have ended when the run has, run whatever failed. Internal to replays.

#ifndef CAIRN_PLAN_REPLAY_HALO_H
#define CAIRN_PLAN_REPLAY_HALO_H

#include "plan/replay.h"

/// Is X exchanged by tasks? A transposed product's sums are exchanged after them, and what
/// is summed at cuts of all ranks' rows has ways of its own. The same on all ranks.
bool cairn_replay_travels(const cairn_replay *replay);

/// List the ranks that send, with @p tasks. Local. Freed with these.
cairn_status cairn_replay_list_arrivals(cairn_replay       *replay,
                                        cairn_replay_tasks *tasks);

typedef enum {
    CAIRN_STEP_PACK,     ///< Copy the rows that go to others.
    CAIRN_STEP_START,    ///< Let messages go.
    CAIRN_STEP_SUMS,     ///< Make beta*Y of Y, where that is to be done.
    CAIRN_STEP_PROGRESS, ///< Look after the messages.
    CAIRN_STEP_WINDOW, ///< Copy own rows beside others' where X is apart from the window.
    CAIRN_STEP_FINISH, ///< Wait until all that was sent has gone.
} cairn_replay_halo_step;

cairn_task cairn_replay_halo_task(cairn_replay *replay, cairn_replay_halo_step step);

/// Wait for the rows of one rank.
cairn_task cairn_replay_arrival_task(cairn_replay_arrival *arrival);

/// Exchange alone, in a run that cannot be had: other ranks wait for X. Local.
cairn_status cairn_replay_only_exchange(cairn_replay *replay);

#endif
