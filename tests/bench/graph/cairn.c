// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cairn: a graph, its programs, replays. Queue 1 has a core of its own; the caller's
/// thread is on another one while a replay is timed, and only then.

#include "bench.h"
#include "graph.h"
#include "sched/engine.h"

#include <sched.h>

typedef struct {
    cairn_env      env;
    cairn_graph   *graph;
    cairn_program *program;
    cairn_engine  *engine;
    cpu_set_t      all, own; ///< Cores of the process, and that of the caller's thread.
} opened;

static cairn_status run_empty(void *argument)
{
    (void)argument;
    graph_empty();
    return CAIRN_OK;
}

static void must(cairn_env *env, cairn_status status)
{
    if (status != CAIRN_OK) graph_stop("Cairn", env->message);
}

static void submit(const graph_case *g, int queues, cairn_env *env, cairn_graph *graph)
{
    cairn_access access[1 + GRAPH_READS];
    cairn_handle handle;

    for (int h = 0; h < g->handles; h++)
        must(env, cairn_graph_add_handle(graph, &handle));
    for (int t = 0; t < g->tasks; t++) {
        const graph_task *const from = &g->task[t];
        int                     n    = 0;

        if (from->write != GRAPH_NONE)
            access[n++] = (cairn_access){(cairn_handle)from->write, CAIRN_READ_WRITE};
        for (int k = 0; k < from->reads; k++)
            access[n++] = (cairn_access){(cairn_handle)from->read[k], CAIRN_READ};
        const cairn_task task = {.run = run_empty, .queue = from->queue % queues};

        must(env, cairn_graph_add(graph, &task, access, n, NULL));
    }
}

/// The two first cores of the process, the same if it has but one.
static void find_cores(opened *o, int *first, int *second)
{
    *first = *second = -1;
    if (sched_getaffinity(0, sizeof o->all, &o->all)) return;
    for (int k = 0; k < CPU_SETSIZE && *second < 0; k++)
        if (CPU_ISSET((size_t)k, &o->all)) *(*first < 0 ? first : second) = k;
    if (*second < 0) *second = *first;
    CPU_ZERO(&o->own);
    CPU_SET((size_t)*first, &o->own);
}

static void *open_graph(const graph_case *g, int queues)
{
    opened *const o = calloc(1, sizeof *o);
    int           first, second;

    if (!o) graph_stop("Cairn", "no memory");
    find_cores(o, &first, &second);
    /* This thread binds itself: doing so in every replay takes longer than a small one. */
    const cairn_core_set pin[2] = {
        {NULL,    0},
        {&second, 1}
    };

    cairn_env_init(&o->env);
    must(&o->env, cairn_graph_create(&o->env, &o->graph));
    submit(g, queues, &o->env, o->graph);
    must(&o->env,
         cairn_program_create(o->graph, queues, CAIRN_ORDER_URGENT, &o->program));
    must(&o->env, cairn_engine_create(
                      &o->env, &(cairn_engine_options){.queues = queues, .pin = pin},
                      &o->engine));
    must(&o->env, cairn_engine_load(o->engine, o->program));
    return o;
}

static double run_graph(void *given, int times)
{
    opened *const o = given;

    sched_setaffinity(0, sizeof o->own, &o->own);
    must(&o->env, cairn_engine_run(o->engine, NULL)); /* the thread wakes up */
    const double begin = bench_seconds();

    for (int k = 0; k < times; k++)
        must(&o->env, cairn_engine_run(o->engine, NULL));
    const double end = bench_seconds();

    sched_setaffinity(0, sizeof o->all, &o->all);
    return end - begin;
}

static void close_graph(void *given)
{
    opened *const o = given;

    cairn_engine_destroy(&o->engine);
    cairn_program_destroy(&o->program);
    cairn_graph_destroy(&o->graph);
    cairn_env_fini(&o->env);
    free(o);
}

graph_first graph_submit(const graph_case *g, int queues)
{
    cairn_env      env;
    cairn_graph   *graph;
    cairn_program *program;
    double         t[5];

    cairn_env_init(&env);
    t[0] = bench_seconds();
    must(&env, cairn_graph_create(&env, &graph));
    submit(g, queues, &env, graph);
    t[1] = bench_seconds();
    must(&env, cairn_program_create(graph, queues, CAIRN_ORDER_URGENT, &program));
    t[2] = bench_seconds();
    cairn_graph_clear(graph);
    t[3] = bench_seconds();
    submit(g, queues, &env, graph);
    t[4] = bench_seconds();
    cairn_program_destroy(&program);
    cairn_graph_destroy(&graph);
    cairn_env_fini(&env);
    return (graph_first){
        .infer = t[1] - t[0], .layout = t[2] - t[1], .again = t[4] - t[3]};
}

const graph_runner graph_cairn = {.name  = "Cairn",
                                  .open  = open_graph,
                                  .run   = run_graph,
                                  .close = close_graph};
