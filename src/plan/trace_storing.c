// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A trace with tracks for the threads that stored a tensor.

#include "plan/trace_storing.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 32 };

cairn_status cairn_trace_storing(cairn_env                 *env,
                                 const cairn_trace_options *options,
                                 const cairn_task_log      *log,
                                 cairn_trace              **trace)
{
    const int           queues = options->queues, threads = cairn_task_log_queues(log);
    cairn_trace_options all = *options;
    char                text[CAIRN_LOGGED_TASKS][TEXT];
    const char        **name  = NULL;
    cairn_trace        *fresh = NULL;

    CAIRN_TRY(CAIRN_NEW(env, queues + threads, &name));
    memcpy(name, options->name, (size_t)queues * sizeof *name);
    for (int t = 0; t < threads; t++) {
        snprintf(text[t], TEXT, t ? "conversion, thread %d" : "conversion", t);
        name[queues + t] = text[t];
    }
    all.name            = name;
    all.queues          = queues + threads;
    cairn_status status = cairn_trace_create(env, &all, &fresh);

    cairn_free(env, name);
    if (status == CAIRN_OK) status = cairn_task_log_trace(log, queues, "member", fresh);
    if (status == CAIRN_OK)
        *trace = fresh;
    else
        cairn_trace_destroy(&fresh);
    return status;
}
