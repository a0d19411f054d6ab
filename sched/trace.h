// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Traces: when the tasks of replays ran, as JSON that chrome://tracing and Perfetto open.
/// A rank is a process there, a queue a thread, a task a bar. The last events are kept, as
/// many as the trace was made for, and what went before is counted and told.
///
/// A device that models its time has a track of its own beside its queue's, where every
/// bar is as long as the model says and begins when the task began on the wall's clock, or
/// when the bar before ends. The two clocks are never added.
///
/// What a task waits for while its queue does other things (`flight` of sched/graph.h) has a
/// bar on a track of the process, "messages", from when it was sent for to when it was seen
/// to be there.
///
/// Source: "Trace Event Format", Google, 2016 (object form, events X, M and i).

#ifndef CAIRN_SCHED_TRACE_H
#define CAIRN_SCHED_TRACE_H

#include "base/text.h"
#include "sched/engine.h"

typedef struct cairn_trace cairn_trace;

typedef struct cairn_trace_options {
    int                rank;   ///< Of this process.
    double             origin; ///< What is 0 in the trace, in cairn_seconds().
    int64_t            events; ///< That are kept, at least 1; 56 bytes each.
    int                queues;
    const char *const *name; ///< [queues] What a person calls each: "cpu:0". Copied.
                             ///< NULL: it has no tasks, and no track.
} cairn_trace_options;

/// Create a trace without events.
///
/// Local. Pairs with cairn_trace_destroy().
///
/// @param[out] trace  Unchanged on failure.
/// @retval CAIRN_BAD_ARGUMENT  A number is out of range.
cairn_status cairn_trace_create(cairn_env                 *env,
                                const cairn_trace_options *options,
                                cairn_trace              **trace);

/// Free a trace; NULL is accepted.
void cairn_trace_destroy(cairn_trace **trace);

/// Say whose replays come now: what the tasks are called and where they run is copied.
/// Between replays, again whenever there is another graph or another placement.
///
/// Local. On failure the trace keeps the graph that it had.
///
/// @param[in] graph  Every task on one of the trace's queues. What `modelled` points to is
///                   read by cairn_trace_add(); the rest of the graph may go.
/// @retval CAIRN_BAD_ARGUMENT  A task is on no queue of the trace.
cairn_status cairn_trace_begin(cairn_trace *trace, const cairn_graph *graph);

/// Add one replay of that graph; tasks that were skipped are left out. Allocates nothing.
///
/// @param[in] time       [tasks] As cairn_engine_record() had it filled.
/// @param[in] iteration  What the caller calls this replay.
void cairn_trace_add(cairn_trace           *trace,
                     const cairn_task_time *time,
                     int64_t                iteration);

/// Events kept, and events that others took the place of.
int64_t cairn_trace_kept(const cairn_trace *trace);
int64_t cairn_trace_dropped(const cairn_trace *trace);

/// Print the events of this rank, separated by commas, to be put together with those of
/// other ranks between "[" and "]". There is always one: the rank's name.
///
/// Local.
///
/// @param[out] text  Appended to; tells what fails when it is taken.
void cairn_trace_print_events(const cairn_trace *trace, cairn_text *text);

#endif
