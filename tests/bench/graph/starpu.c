// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// StarPU: tasks inserted anew in every run, under its policy "eager". Its workers poll, so
/// it is started for its rounds alone.

#include "bench.h"
#include "graph.h"

#include <sched.h>
#include <starpu.h>

typedef struct {
    const graph_case     *graph;
    starpu_data_handle_t *handle; ///< [handles] Of no data.
} opened;

static void run_empty(void *buffers[], void *argument)
{
    (void)buffers, (void)argument;
    graph_empty();
}

/// The same function for every number of accesses, whose modes come with the task.
static struct starpu_codelet codelet = {.cpu_funcs = {run_empty},
                                        .nbuffers  = STARPU_VARIABLE_NBUFFERS,
                                        .name      = "empty"};

static void begin(int threads)
{
    struct starpu_conf conf;

    /* Under real-time priorities the caller would wait for ever behind its workers. */
    if (sched_getscheduler(0) != SCHED_OTHER)
        graph_stop("StarPU",
                   "its workers poll: no real-time priority, or --peers libgomp");
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    starpu_conf_init(&conf);
    conf.sched_policy_name = "eager";
    conf.ncpus             = threads;
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf)) graph_stop("StarPU", "does not start");
}

static void *open_graph(const graph_case *graph, int threads)
{
    opened *const o = malloc(sizeof *o);

    (void)threads;
    if (!o) graph_stop("StarPU", "no memory");
    o->graph  = graph;
    o->handle = calloc((size_t)graph->handles, sizeof *o->handle);
    for (int h = 0; h < graph->handles; h++)
        starpu_void_data_register(&o->handle[h]);
    return o;
}

static void run_once(const opened *o)
{
    for (int t = 0; t < o->graph->tasks; t++) {
        const graph_task *const  from = &o->graph->task[t];
        struct starpu_data_descr access[1 + GRAPH_READS];
        int                      n = 0;

        if (from->write != GRAPH_NONE)
            access[n++] = (struct starpu_data_descr){o->handle[from->write], STARPU_RW};
        for (int k = 0; k < from->reads; k++)
            access[n++] =
                (struct starpu_data_descr){o->handle[from->read[k]], STARPU_R};
        if (starpu_task_insert(&codelet, STARPU_DATA_MODE_ARRAY, access, n, 0))
            graph_stop("StarPU", "takes no task");
    }
    starpu_task_wait_for_all();
}

static double run_graph(void *given, int times)
{
    const opened *const o = given;

    run_once(o);
    const double begin = bench_seconds();

    for (int k = 0; k < times; k++)
        run_once(o);
    return bench_seconds() - begin;
}

static void close_graph(void *given)
{
    opened *const o = given;

    for (int h = 0; h < o->graph->handles; h++)
        starpu_data_unregister(o->handle[h]);
    free(o->handle);
    free(o);
}

const graph_runner graph_starpu = {.name  = "StarPU",
                                   .begin = begin,
                                   .end   = starpu_shutdown,
                                   .open  = open_graph,
                                   .run   = run_graph,
                                   .close = close_graph};
