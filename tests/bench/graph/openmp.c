// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OpenMP: tasks with `depend` clauses, submitted anew in every run, for nothing is kept.

#include "bench.h"
#include "graph.h"

#include <omp.h>

typedef struct {
    const graph_case *graph;
    int               threads;
    char             *handle; ///< [handles] Whose addresses stand for what is accessed.
} opened;

static void *open_graph(const graph_case *graph, int threads)
{
    opened *const o = malloc(sizeof *o);
    char *const   h = calloc((size_t)graph->handles, 1);

    if (!o || !h) graph_stop("OpenMP", "no memory");
    *o = (opened){.graph = graph, .threads = threads, .handle = h};
    return o;
}

/// Submit one task; clauses have as many items as the source says.
static void submit(char *h, const graph_task *t)
{
    (void)h; /* used in clauses alone */
    if (t->write == GRAPH_NONE) {
#pragma omp task
        graph_empty();
        return;
    }
    const int  w = t->write;
    const int *r = t->read;

    switch (t->reads) {
    case 0:
#pragma omp task depend(inout : h[w])
        graph_empty();
        break;
    case 1:
#pragma omp task depend(inout : h[w]) depend(in : h[r[0]])
        graph_empty();
        break;
    case 2:
#pragma omp task depend(inout : h[w]) depend(in : h[r[0]], h[r[1]])
        graph_empty();
        break;
    default:
#pragma omp task depend(inout : h[w]) depend(in : h[r[0]], h[r[1]], h[r[2]], h[r[3]])
        graph_empty();
    }
}

static void run_once(const opened *o)
{
#pragma omp parallel num_threads(o->threads)
#pragma omp          single
    for (int t = 0; t < o->graph->tasks; t++)
        submit(o->handle, &o->graph->task[t]);
}

static double run_graph(void *given, int times)
{
    const opened *const o = given;

    run_once(o); /* the team is made */
    const double begin = bench_seconds();

    for (int k = 0; k < times; k++)
        run_once(o);
    return bench_seconds() - begin;
}

static void close_graph(void *given)
{
    opened *const o = given;

    free(o->handle);
    free(o);
}

const graph_runner graph_openmp = {.name  = "libgomp",
                                   .open  = open_graph,
                                   .run   = run_graph,
                                   .close = close_graph};
