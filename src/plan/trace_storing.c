// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The log of a build as tasks of a trace.

#include "plan/trace_storing.h"

#include <stdio.h>
#include <string.h>

enum { BARS = CAIRN_BUILD_BARS, THREADS = 1 + CAIRN_MAX_MEMBERS, TEXT = 48 };

/// The log, in the form of a graph and one replay of it.
typedef struct {
    cairn_task      task[BARS];
    cairn_task_time time[BARS];
    char            label[BARS][TEXT];
} replayed;

/// Threads that had a part in it.
static int threads_of(const cairn_build_log *log)
{
    int threads = 0;

    for (int k = 0; k < log->bars; k++)
        if (log->bar[k].thread >= threads) threads = log->bar[k].thread + 1;
    return threads;
}

static void set_bar(replayed *r, int k, const cairn_build_bar *bar, int queues)
{
    if (bar->member < 0)
        snprintf(r->label[k], TEXT, "%.24s", bar->what);
    else
        snprintf(r->label[k], TEXT, "%.24s member %d", bar->what, bar->member);
    r->task[k] = (cairn_task){.label = r->label[k],
                              .kind  = "convert",
                              .bytes = bar->bytes,
                              .queue = queues + bar->thread};
    r->time[k] = (cairn_task_time){bar->begin, bar->end};
}

static cairn_status
add_bars(cairn_env *env, cairn_trace *trace, const cairn_build_log *log, int queues)
{
    replayed          r;
    const cairn_graph graph = {
        .env = env, .task = r.task, .tasks = (uint32_t)log->bars};

    for (int k = 0; k < log->bars; k++)
        set_bar(&r, k, &log->bar[k], queues);
    CAIRN_TRY(cairn_trace_begin(trace, &graph));
    cairn_trace_add(trace, r.time, -1);
    return CAIRN_OK;
}

cairn_status cairn_trace_storing(cairn_env                 *env,
                                 const cairn_trace_options *options,
                                 const cairn_build_log     *log,
                                 cairn_trace              **trace)
{
    const int           queues = options->queues, threads = threads_of(log);
    cairn_trace_options all = *options;
    char                text[THREADS][TEXT];
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
    if (status == CAIRN_OK) status = add_bars(env, fresh, log, queues);
    if (status == CAIRN_OK)
        *trace = fresh;
    else
        cairn_trace_destroy(&fresh);
    return status;
}
