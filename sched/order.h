// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The one order in which the tasks of a graph are laid out: every queue runs its tasks in
/// it, so that no two queues can wait for each other. Within what the graph leaves free, a
/// queue runs first what leads to a task that another queue waits for: boundary before
/// interior. A stencil in blocks of rows, cut in two, runs twice as fast in such an order
/// as row by row, where the second queue starts when the first has ended.

#ifndef CAIRN_SCHED_ORDER_H
#define CAIRN_SCHED_ORDER_H

#include "sched/graph.h"

typedef enum {
    CAIRN_ORDER_URGENT,    ///< As above, by a run on clocks that count expected costs.
    CAIRN_ORDER_SUBMITTED, ///< As the tasks were submitted.
} cairn_order_rule;

/// Order all tasks.
///
/// Local. Every task is on a queue below @p queues. Where no task waits for one of another
/// queue, the order is that of submission. The same graph always gets the same order.
///
/// @param[out] order  [graph->tasks] Task numbers, each behind all that it needs;
///                    undefined on failure.
/// @retval CAIRN_NO_MEMORY  36 bytes a task and 4 a dependency are needed for a while.
///
/// Cost: O(n log n + dependencies + n * queues) time.
/// Source: list scheduling as in Topcuoglu, Hariri, Wu: Performance-effective and
/// low-complexity task scheduling for heterogeneous computing, IEEE TPDS 2002,
/// 10.1109/71.993206, with queues given and another priority.
cairn_status cairn_order_make(const cairn_graph *graph,
                              int                queues,
                              cairn_order_rule   rule,
                              uint32_t          *order);

/// Count the dependencies between tasks of different queues.
uint32_t cairn_order_crossings(const cairn_graph *graph);

#endif
