// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tasks that run once, outside of replays: what each was, and when it ran, in the words of
/// the graph and of the engine, so that a trace shows them like any other.

#ifndef CAIRN_SCHED_TASK_LOG_H
#define CAIRN_SCHED_TASK_LOG_H

#include "sched/trace.h"

enum {
    CAIRN_LOGGED_TASKS = 40, ///< That a log holds; what comes after them is left out.
    CAIRN_LOGGED_LABEL = 48,
};

typedef struct cairn_logged_task {
    cairn_task      task;   ///< `label` is a constant; `queue` counts from 0.
    int             number; ///< Of what it was about; -1: of all.
    cairn_task_time time;
} cairn_logged_task;

typedef struct cairn_task_log {
    int               tasks;
    cairn_logged_task entry[CAIRN_LOGGED_TASKS]; ///< As they were noted.
} cairn_task_log;

/// Note a task that has run.
static inline void cairn_task_log_add(cairn_task_log          *log,
                                      const cairn_logged_task *task)
{
    if (log->tasks < CAIRN_LOGGED_TASKS) log->entry[log->tasks++] = *task;
}

/// The queues that the tasks were on.
int cairn_task_log_queues(const cairn_task_log *log);

/// Add the tasks to a trace, as one replay, in iteration -1. Another graph begins after it.
///
/// Local.
///
/// @param[in] first  The track of queue 0; the others follow.
/// @param[in] thing  What numbers are of: "member".
cairn_status cairn_task_log_trace(const cairn_task_log *log,
                                  int                   first,
                                  const char           *thing,
                                  cairn_trace          *trace);

#endif
