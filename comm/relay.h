// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A communicator for a second thread of each rank, in jobs where the first alone may call
/// MPI (MPI_THREAD_FUNNELED). What the second thread calls waits until the first carries it
/// out, over the communicator that it goes on behind:
///
///     the second thread                    the first
///
///     ops->allreduce(relay, ...)  waits    iterates
///                                          cairn_relay_await(relay): it asks
///                                          all ranks' second threads ask (they agree on it)
///     goes on                              cairn_relay_serve(relay)
///     cairn_relay_leave(relay)             cairn_relay_join(relay)
///
/// All ranks' second threads make the same calls in the same order, as ranks always do, so
/// that what they wait for is the same call wherever each of them waits. What is no call of
/// all ranks is not relayed: a rank without a message to send, or to wait for, would not
/// ask, and its next call would be taken for the others' message. So send, recv and the runs
/// of exchanges fail with CAIRN_UNSUPPORTED, on all ranks; exchanges may be created. One
/// that is destroyed is none of other ranks' business, so cairn_relay_await() does it.
///
/// When the second thread has left, the first may use the communicator as any other. Where
/// there is one rank nothing waits: a communicator of one process is behind the relay, in
/// place of the first thread's.

#ifndef CAIRN_COMM_RELAY_H
#define CAIRN_COMM_RELAY_H

#include "comm/comm.h"

/// What the second thread does.
typedef enum {
    CAIRN_RELAY_WORKS,
    CAIRN_RELAY_ASKS, ///< It waits for a call.
    CAIRN_RELAY_LEFT,
} cairn_relay_state;

/// A communicator of the same ranks.
///
/// Local, by the first thread.
///
/// @param[in]  env  Of the second thread; messages of failures are left there.
/// @param[in]  of   Outlives it.
/// @param[out] comm  Destroy with cairn_comm_destroy(), by the first thread, after
///                   cairn_relay_join(). Unchanged on failure.
cairn_status cairn_relay_create(cairn_env *env, cairn_comm *of, cairn_comm **comm);

/// What does the second thread do? Answers as soon as it asks or has left, or after @p
/// seconds, and does what it asks for of this rank alone. Local, by the first.
cairn_relay_state cairn_relay_await(cairn_comm *comm, double seconds);

/// Do what the second thread asks for.
///
/// Collective on the communicator behind it, by the first thread, when all ranks' second
/// threads ask.
void cairn_relay_serve(cairn_comm *comm);

/// The second thread has no more to ask for, for good. By the second thread.
void cairn_relay_leave(cairn_comm *comm);

/// Wait until the second thread has left. What it asks for from here on fails with
/// CAIRN_COMM. Local, by the first thread.
void cairn_relay_join(cairn_comm *comm);

#endif
