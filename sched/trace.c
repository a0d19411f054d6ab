// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A ring of events. Graphs are copied when they begin, so that they may go while events of
/// theirs are kept, and leave when the ring has none.

#include "sched/trace_ring.h"

#include <math.h>
#include <string.h>

static void destroy_graph(cairn_env *env, cairn_traced_graph *graph)
{
    if (!graph) return;
    cairn_free(env, graph->task);
    cairn_free(env, graph->texts);
    cairn_free(env, graph);
}

static cairn_status copy_names(cairn_trace *trace, const char *const *name)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(trace->env, trace->queues, &trace->name));
    for (int q = 0; q < trace->queues; q++)
        if (name[q])
            CAIRN_TRY(
                cairn_strndup(trace->env, name[q], strlen(name[q]), &trace->name[q]));
    return CAIRN_OK;
}

cairn_status cairn_trace_create(cairn_env                 *env,
                                const cairn_trace_options *options,
                                cairn_trace              **trace)
{
    cairn_trace *fresh;

    CAIRN_CHECK(
        options->events >= 1 && options->rank >= 0 && options->queues >= 1
            && options->queues <= CAIRN_MOST_QUEUES && isfinite(options->origin),
        env, CAIRN_BAD_ARGUMENT,
        "trace: rank %d: %lld events of %d queues, from second %g on", options->rank,
        (long long)options->events, options->queues, options->origin);
    CAIRN_TRY(CAIRN_NEW_ZERO(env, 1, &fresh));
    fresh->env          = env;
    fresh->rank         = options->rank;
    fresh->queues       = options->queues;
    fresh->origin       = options->origin;
    fresh->room         = options->events;
    cairn_status status = CAIRN_NEW(env, options->events, &fresh->event);

    if (status == CAIRN_OK) status = copy_names(fresh, options->name);
    if (status == CAIRN_OK)
        *trace = fresh;
    else
        cairn_trace_destroy(&fresh);
    return status;
}

void cairn_trace_destroy(cairn_trace **trace)
{
    cairn_trace *const t = *trace;

    if (!t) return;
    for (cairn_traced_graph *g = t->first, *next; g; g = next) {
        next = g->next;
        destroy_graph(t->env, g);
    }
    for (int q = 0; t->name && q < t->queues; q++)
        cairn_free(t->env, t->name[q]);
    cairn_free(t->env, t->name);
    cairn_free(t->env, t->event);
    cairn_free(t->env, t);
    *trace = NULL;
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/// Copy a text behind the others. @return where, or NULL for none.
static const char *copy_text(const char *text, char **place)
{
    const size_t bytes = text_bytes(text);
    char *const  copy  = *place;

    if (!text) return NULL;
    memcpy(copy, text, bytes);
    *place += bytes;
    return copy;
}

static cairn_status
copy_tasks(cairn_env *env, const cairn_graph *graph, cairn_traced_graph *copy)
{
    size_t   bytes   = 0;
    uint32_t flights = 0;

    for (uint32_t t = 0; t < graph->tasks; t++) {
        bytes += text_bytes(graph->task[t].label) + text_bytes(graph->task[t].kind);
        flights += graph->task[t].flight != NULL;
    }
    copy->tasks = graph->tasks + flights;
    CAIRN_TRY(CAIRN_NEW(env, copy->tasks, &copy->task));
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)bytes, &copy->texts));
    char              *place  = copy->texts;
    cairn_traced_task *flight = copy->task + graph->tasks;

    for (uint32_t t = 0; t < graph->tasks; t++) {
        const cairn_task *const task = &graph->task[t];

        copy->task[t] = (cairn_traced_task){.label    = copy_text(task->label, &place),
                                            .kind     = copy_text(task->kind, &place),
                                            .modelled = task->modelled,
                                            .how      = task->how,
                                            .bytes    = task->bytes,
                                            .number   = t,
                                            .queue    = task->queue};
        if (!task->flight) continue;
        *flight          = copy->task[t];
        flight->kind     = "message";
        flight->modelled = NULL;
        flight->how      = NULL;
        flight->flight   = task->flight;
        flight++;
    }
    return CAIRN_OK;
}

/// Let graphs go of which no event is kept, but for the last.
static void forget_graphs(cairn_trace *trace)
{
    while (trace->first != trace->last && !trace->first->events) {
        cairn_traced_graph *const gone = trace->first;

        trace->first = gone->next;
        destroy_graph(trace->env, gone);
    }
}

cairn_status cairn_trace_begin(cairn_trace *trace, const cairn_graph *graph)
{
    cairn_traced_graph *fresh;

    for (uint32_t t = 0; t < graph->tasks; t++)
        CAIRN_CHECK(graph->task[t].queue >= 0 && graph->task[t].queue < trace->queues,
                    trace->env, CAIRN_BAD_ARGUMENT, "trace: task %u: queue %d of %d", t,
                    graph->task[t].queue, trace->queues);
    CAIRN_TRY(CAIRN_NEW_ZERO(trace->env, 1, &fresh));
    const cairn_status status = copy_tasks(trace->env, graph, fresh);

    if (status != CAIRN_OK) {
        destroy_graph(trace->env, fresh);
        return status;
    }
    if (trace->last)
        trace->last->next = fresh;
    else
        trace->first = fresh;
    trace->last = fresh;
    forget_graphs(trace);
    return CAIRN_OK;
}

void cairn_trace_add(cairn_trace *trace, const cairn_task_time *time, int64_t iteration)
{
    cairn_traced_graph *const graph = trace->last;

    for (uint32_t t = 0; graph && t < graph->tasks; t++) {
        const cairn_traced_task *const task = &graph->task[t];
        const cairn_task_time          when = task->flight ? *task->flight : time[t];
        cairn_traced_event *const event     = &trace->event[trace->added % trace->room];

        if (!(when.end > 0)) continue; /* skipped */
        if (trace->added >= trace->room) event->graph->events--;
        trace->added++;
        graph->events++;
        *event =
            (cairn_traced_event){.task      = task,
                                 .graph     = graph,
                                 .how       = task->how ? *task->how : NULL,
                                 .iteration = iteration,
                                 .begin     = when.begin,
                                 .end       = when.end,
                                 .modelled  = task->modelled ? *task->modelled : -1};
    }
}

int64_t cairn_trace_kept(const cairn_trace *trace)
{
    return trace->added < trace->room ? trace->added : trace->room;
}

int64_t cairn_trace_dropped(const cairn_trace *trace)
{
    return trace->added - cairn_trace_kept(trace);
}
