// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A log as a graph without dependencies, and one replay of it.

#include "sched/task_log.h"

#include <stdio.h>

int cairn_task_log_queues(const cairn_task_log *log)
{
    int queues = 0;

    for (int k = 0; k < log->tasks; k++)
        if (log->entry[k].task.queue >= queues) queues = log->entry[k].task.queue + 1;
    return queues;
}

cairn_status cairn_task_log_trace(const cairn_task_log *log,
                                  int                   first,
                                  const char           *thing,
                                  cairn_trace          *trace)
{
    cairn_task        task[CAIRN_LOGGED_TASKS];
    cairn_task_time   time[CAIRN_LOGGED_TASKS];
    char              label[CAIRN_LOGGED_TASKS][CAIRN_LOGGED_LABEL];
    const cairn_graph graph = {.task = task, .tasks = (uint32_t)log->tasks};

    for (int k = 0; k < log->tasks; k++) {
        const cairn_logged_task *its = &log->entry[k];

        if (its->number < 0)
            snprintf(label[k], sizeof label[k], "%s", its->task.label);
        else
            snprintf(label[k], sizeof label[k], "%s %s %d", its->task.label, thing,
                     its->number);
        task[k]       = its->task;
        task[k].label = label[k];
        task[k].queue += first;
        time[k] = its->time;
    }
    CAIRN_TRY(cairn_trace_begin(trace, &graph));
    cairn_trace_add(trace, time, -1);
    return CAIRN_OK;
}
