// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The engine: runs programs (program.h), again and again. Queue 0 is the caller's thread;
/// every other queue has a thread of its own, made with the engine, asleep between replays
/// that are far apart. A replay allocates nothing and takes no lock: a queue walks through
/// an array of steps, and where queues meet one writes a word that the other reads. With
/// one queue there are no threads, and a replay is the walk alone.
///
/// A step that fails ends the replay: what has not begun is skipped, on all queues, and
/// nothing that depends on the failed task begins. The queues still keep step, so that none
/// hangs, and the engine is ready for the next replay.
///
/// A task that is `always` (graph.h) runs in every replay, whatever failed: what another
/// rank waits for, or what must have ended when the replay has. It comes when the tasks that
/// it needs would have ended; they may have been skipped, which it has to find out itself.
/// What needs it waits for it, and it may fail as others do.

#ifndef CAIRN_SCHED_ENGINE_H
#define CAIRN_SCHED_ENGINE_H

#include "sched/counter.h"
#include "sched/program.h"

typedef struct cairn_engine cairn_engine;

/// The cores that a queue's thread may use.
typedef struct cairn_core_set {
    const int *core; ///< [cores] As the system numbers them; not needed after the call.
    int        cores; ///< 0: wherever the process may.
} cairn_core_set;

typedef struct cairn_engine_options {
    int                   queues; ///< 1..CAIRN_MOST_QUEUES
    const cairn_core_set *pin;    ///< [queues] The caller's thread is where the first
                                  ///< says during a replay, and then again where it
                                  ///< was, which takes 2 us; no cores: it is left
                                  ///< alone. NULL: pin none.
    const cairn_waiting *waiting; ///< NULL: chosen by `threads`, `cores`.
    int threads;    ///< That may run at once here, teams and ranks nearby included;
                    ///< 0: one a queue.
    int      cores; ///< For all of them; 0: those that the process may use.
    uint32_t base;  ///< Where counters start: 0, but for tests of their wrapping.
} cairn_engine_options;

/// Create an engine, with its threads.
///
/// Local. Pairs with cairn_engine_destroy().
///
/// @param[out] engine  Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  The number of queues is out of range, or there is a core
///                             that the process may not use.
/// @retval CAIRN_NO_MEMORY     Also: the system has no more threads.
cairn_status cairn_engine_create(cairn_env                  *env,
                                 const cairn_engine_options *options,
                                 cairn_engine              **engine);

/// End the threads and free the engine; NULL is accepted. No replay is under way.
void cairn_engine_destroy(cairn_engine **engine);

/// Replay this program from now on. Between replays; waits for nothing.
///
/// @param[in] program  Borrowed until the next call of this, or the engine's end. NULL:
///                     none, and a replay does nothing.
/// @retval CAIRN_BAD_ARGUMENT  It has more queues than the engine, which keeps the program
///                             that it had.
cairn_status cairn_engine_load(cairn_engine *engine, const cairn_program *program);

/// Record when tasks run, in replays from now on. Between replays.
///
/// @param[out] time  [tasks of the program] by task number; borrowed until the next call
///                   of this; NULL: record nothing, which costs nothing. Written by
///                   replays, each over the last.
void cairn_engine_record(cairn_engine *engine, cairn_task_time *time);

/// Replay once. One thread at a time; it is queue 0.
///
/// @param[out] failed  The task that failed; of several the one submitted first.
///                     CAIRN_NO_TASK on success. May be NULL.
/// @return the status of that task; its message is what the task said.
///
/// Cost: 1.4 ns a step, what the steps cost, 50 to 100 ns where a queue has to wait for
/// another, 0.2 us to start and join the queues; 22 ns a step while recording.
cairn_status cairn_engine_run(cairn_engine *engine, uint32_t *failed);

#endif
