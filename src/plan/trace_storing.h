// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a tensor was stored, as the beginning of a trace: the steps of its members on each
/// thread, before the first run.

#ifndef CAIRN_PLAN_TRACE_STORING_H
#define CAIRN_PLAN_TRACE_STORING_H

#include "sched/task_log.h"

/// Create a trace that begins with how a tensor was stored: bars of the kind "convert", in
/// iteration -1, on a track behind the queues for each thread.
///
/// Local. Pairs with cairn_trace_destroy().
///
/// @param[in]  options  The tracks of queues; replays come on these.
/// @param[out] trace    Unchanged on failure.
cairn_status cairn_trace_storing(cairn_env                 *env,
                                 const cairn_trace_options *options,
                                 const cairn_task_log      *log,
                                 cairn_trace              **trace);

#endif
