// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What seats do, in traces: for each of their members a bar for X on its way to the device,
/// one for what it computes, and one for Y on its way back, on a track of the device's. They
/// stand in the trace as tasks behind those of the graph.

#ifndef CAIRN_PLAN_TRACE_SEATS_H
#define CAIRN_PLAN_TRACE_SEATS_H

#include "plan/seats.h"
#include "sched/trace.h"

/// How many bars there are at most.
int cairn_trace_seat_bars(const cairn_plan_seats *seats);

/// Tell the trace of a graph's tasks, and of the bars behind them.
///
/// Local.
///
/// @param[in] first  The track of the first seat; the others follow.
/// @return As cairn_trace_begin(). @retval CAIRN_NO_MEMORY
cairn_status cairn_trace_begin_seats(cairn_trace            *trace,
                                     const cairn_graph      *graph,
                                     const cairn_plan_seats *seats,
                                     int                     first);

/// Fill in when the bars of the last run were.
///
/// @param[out] time  [cairn_trace_seat_bars()]
void cairn_trace_seat_times(const cairn_plan_seats *seats, cairn_task_time *time);

#endif
