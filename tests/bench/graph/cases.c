// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The graphs: those of docs/performance.md.

#include "graph.h"

#include <math.h>
#include <stdlib.h>

static graph_case allocate(const char *name, int tasks, int handles)
{
    graph_case c = {.name = name, .tasks = tasks, .handles = handles};

    c.task = calloc((size_t)tasks, sizeof *c.task);
    if (!c.task) graph_stop(name, "no memory");
    return c;
}

static graph_case make_independent(int n)
{
    graph_case c = allocate("independent", n, 1);

    for (int t = 0; t < n; t++)
        c.task[t] = (graph_task){.write = GRAPH_NONE, .queue = t % 2};
    return c;
}

/// A chain that changes queues after every @p block tasks.
static graph_case make_chain(const char *name, int n, int block)
{
    graph_case c = allocate(name, n, 1);

    for (int t = 0; t < n; t++)
        c.task[t] = (graph_task){.write = 0, .queue = t / block % 2};
    return c;
}

/// Each cell of a square needs the one above and the one to the left, row by row.
static graph_case make_stencil(const char *name, int n, int checkerboard)
{
    const int  side = (int)sqrt((double)n);
    graph_case c    = allocate(name, side * side, side * side);

    for (int t = 0; t < c.tasks; t++) {
        const int         i = t / side, j = t % side;
        graph_task *const task = &c.task[t];

        task->write = t;
        task->queue = checkerboard ? (i + j) % 2 : i >= side / 2;
        if (i) task->read[task->reads++] = t - side;
        if (j) task->read[task->reads++] = t - 1;
    }
    return c;
}

/// What is computed in an iteration of a solver, by each of two queues: the vector's edge
/// is packed, fetched by the other, three pieces of the interior, the boundary, a sum, and
/// the vector from both sums.
enum { X, EDGE, HALO, PIECE, BOUNDARY = PIECE + 3, SUM, HANDLES };

static const graph_task iteration[] = {
    {EDGE,      1, {X},                                     0},
    {PIECE,     1, {X},                                     0},
    {HALO,      1, {EDGE + HANDLES},                        0},
    {PIECE + 1, 1, {X},                                     0},
    {PIECE + 2, 1, {X},                                     0},
    {BOUNDARY,  2, {X, HALO},                               0},
    {SUM,       4, {PIECE, PIECE + 1, PIECE + 2, BOUNDARY}, 0},
    {X,         2, {SUM, SUM + HANDLES},                    0},
};

static graph_case make_iterations(const char *name, int iterations)
{
    enum { STEPS = sizeof iteration / sizeof *iteration };
    graph_case c = allocate(name, 2 * STEPS * iterations, 2 * HANDLES);

    for (int t = 0; t < c.tasks; t++) {
        const int   queue = t % 2;
        graph_task *task  = &c.task[t];

        *task       = iteration[t / 2 % STEPS];
        task->queue = queue;
        task->write = (task->write + queue * HANDLES) % (2 * HANDLES);
        for (int k = 0; k < task->reads; k++)
            task->read[k] = (task->read[k] + queue * HANDLES) % (2 * HANDLES);
    }
    return c;
}

int graph_make_all(int tasks, graph_case *list)
{
    int n = 0;

    list[n++] = make_independent(tasks);
    list[n++] = make_chain("chain, alternating", tasks, 1);
    list[n++] = make_chain("chain, blocks of 100", tasks, 100);
    list[n++] = make_stencil("stencil, row blocks", tasks, 0);
    list[n++] = make_stencil("stencil, checkerboard", tasks, 1);
    /* 64: libgomp's time for a task grows with the tasks before it that read the same. */
    list[n++] = make_iterations("64 SpMV iterations", 64);
    list[n++] = make_iterations("one SpMV iteration", 1);
    return n;
}
