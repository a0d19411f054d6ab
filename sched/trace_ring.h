// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Inside a trace: what the part that keeps events and the part that prints them share.

#ifndef CAIRN_SCHED_TRACE_RING_H
#define CAIRN_SCHED_TRACE_RING_H

#include "sched/trace.h"

/// What there is to say of a task.
typedef struct cairn_traced_task {
    const char            *label, *kind; ///< In the plan's texts; NULL: none.
    const double          *modelled; ///< The graph's; read while its replays are added.
    const cairn_task_time *flight; ///< The graph's, likewise, of what stands for that;
                                   ///< NULL: for the task itself.
    const char *const *how;        ///< The graph's, likewise.
    int64_t            bytes;
    uint32_t           number; ///< The graph's.
    int32_t            queue;
} cairn_traced_task;

/// One graph whose replays were added.
typedef struct cairn_traced_graph cairn_traced_graph;
struct cairn_traced_graph {
    cairn_traced_graph *next; ///< The one that came after it.
    cairn_traced_task  *task; ///< [tasks]
    char               *texts;
    uint32_t            tasks;  ///< Flights, which follow the graph's, included.
    int64_t             events; ///< Of it that are kept.
};

typedef struct cairn_traced_event {
    const cairn_traced_task *task;
    cairn_traced_graph      *graph;
    const char              *how; ///< NULL: there is no word of it.
    int64_t                  iteration;
    double                   begin, end; ///< cairn_seconds()
    double                   modelled;   ///< Seconds; below 0: its clock is the wall's.
} cairn_traced_event;

struct cairn_trace {
    cairn_env          *env;
    int                 rank, queues;
    double              origin;
    char              **name;  ///< [queues]
    cairn_traced_graph *first; ///< The oldest of which events are kept, or the last.
    cairn_traced_graph *last;  ///< Whose replays are added; NULL: none yet.
    cairn_traced_event *event; ///< [room] A ring.
    int64_t             room;
    int64_t             added; ///< Event k, counted from 0, is event[k % room].
};

#endif
