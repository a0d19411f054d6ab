// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The queues of a replay: one for each device that has a subproduct, its thread, and
/// the cores that this one may use. Parts of replay.c.

#ifndef CAIRN_PLAN_REPLAY_QUEUES_H
#define CAIRN_PLAN_REPLAY_QUEUES_H

#include "plan/replay.h"

/// Give devices their queues. The first is the caller's thread; it serves the first device
/// that is the processor, any device that is alone, or, where threads are bound and that
/// device has a team, none.
void cairn_replay_begin_queues(cairn_replay *replay, const cairn_placing *placing);

/// The queue of a device, a new one the first time; of one whose subproducts sit together,
/// the collector's where there is another.
int cairn_replay_queue_of(cairn_replay *replay, int device);

/// The name of a queue in reports: the id of its device; without one "halo", if there are
/// messages; NULL: it does nothing.
const char *cairn_replay_queue_name(const cairn_replay *replay, int queue);

/// Threads of the host that a device may use: every queue but the processor's keeps one
/// busy, waiting or computing, and a team that shares its cores with others is many times
/// slower than a smaller one. A number of threads that a user states is taken.
int cairn_replay_host_threads(const cairn_replay *replay, const cairn_device *device);

/// Threads for what is done to all of Y: the host's, or, where threads are bound, those of
/// the device on whose cores Ys are added, lest a larger team crowd there.
int cairn_replay_sum_threads(const cairn_replay *replay);

/// Create the engine, with its threads where they belong, and load the program.
///
/// Local.
cairn_status cairn_replay_create_engine(cairn_replay *replay);

#endif
