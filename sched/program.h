// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Programs: what each queue does in one replay, as flat arrays. A queue's tasks are
/// steps, run one after the other; steps stand in segments. Before a segment its queue
/// waits until other queues have done so many steps; behind it the queue says how many
/// it has done, if another queue waits for that. A queue does not wait again for what
/// it waited for before, or for what a queue that it waited for had waited for: of the
/// 39,480 dependencies of a stencil cut in two, 141 waits are left.

#ifndef CAIRN_SCHED_PROGRAM_H
#define CAIRN_SCHED_PROGRAM_H

#include "sched/order.h"

typedef struct cairn_queue_step {
    cairn_task_run run;
    void          *argument;
} cairn_queue_step;

/// Wait until queue `queue` has done `at` steps of this replay.
typedef struct cairn_queue_need {
    uint32_t queue, at;
} cairn_queue_need;

/// Steps without a wait between them.
typedef struct cairn_queue_segment {
    uint32_t steps;   ///< At least 1.
    uint32_t needs;   ///< Waits before the first.
    uint32_t publish; ///< Steps done by its queue behind the last; 0: no queue waits.
} cairn_queue_segment;

typedef struct cairn_queue_program {
    cairn_queue_step    *step;    ///< [steps]
    uint32_t            *task;    ///< [steps] The graph's number of each,
    bool                *always;  ///< [steps] and whether a failure skips it not.
    cairn_queue_need    *need;    ///< [needs]
    cairn_queue_segment *segment; ///< [segments]
    uint32_t             steps, needs, segments;
} cairn_queue_program;

typedef struct cairn_program {
    cairn_env           *env;
    int                  queues;
    uint32_t             tasks; ///< In all.
    uint32_t             span;  ///< Steps of the longest queue.
    cairn_queue_program *queue; ///< [queues] Their arrays lie in those of the first.
} cairn_program;

/// Lay a graph out. The last segment of every queue but the first publishes, so that the
/// first, which is the caller's, can wait for all.
///
/// Local. The graph may change or go afterwards; arguments of tasks are borrowed.
///
/// @param[in]  queues   1..CAIRN_MOST_QUEUES; one that has no task stays idle.
/// @param[out] program  Destroy with cairn_program_destroy(). Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  @p queues is out of range, or a task is on no queue below
///                             it.
///
/// Cost: what cairn_order_make() costs, and O(tasks * queues + dependencies) time;
/// 21 bytes a task stay, and 20 a wait.
cairn_status cairn_program_create(const cairn_graph *graph,
                                  int                queues,
                                  cairn_order_rule   rule,
                                  cairn_program    **program);

/// Free a program that no engine has loaded; NULL is accepted.
void cairn_program_destroy(cairn_program **program);

#endif
