// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Graphs of empty tasks, and who runs them: what the files of bench_graph share.

#ifndef CAIRN_TESTS_BENCH_GRAPH_H
#define CAIRN_TESTS_BENCH_GRAPH_H

#include <stdint.h>

enum { GRAPH_READS = 4, GRAPH_NONE = -1 };

/// One task: it writes one handle, after what it held, and reads some.
typedef struct graph_task {
    int write; ///< Or GRAPH_NONE.
    int reads;
    int read[GRAPH_READS];
    int queue; ///< When there are two.
} graph_task;

/// A graph.
typedef struct graph_case {
    const char *name;
    int         tasks, handles;
    graph_task *task; ///< [tasks]
} graph_case;

enum { GRAPH_CASES = 8 };

/// Make all graphs, of about @p tasks tasks; released with the process.
///
/// @param[out] list  [the result, at most GRAPH_CASES]
int graph_make_all(int tasks, graph_case *list);

/// Who runs graphs: opened for a graph and a number of queues, or threads.
typedef struct graph_runner {
    const char *name;
    /// Get ready for rounds with so many threads. NULL: nothing to do.
    void (*begin)(int threads);
    void (*end)(void);
    /// Prepare a graph; what comes back is handed to the others.
    void *(*open)(const graph_case *graph, int threads);
    /// Run all tasks @p times times, and wait for them each time. @return seconds of all.
    double (*run)(void *opened, int times);
    void (*close)(void *opened);
} graph_runner;

extern const graph_runner graph_cairn, graph_openmp, graph_starpu;

/// Seconds of one first submission, each of its halves.
typedef struct graph_first {
    double infer;  ///< Tasks added, dependencies found, in fresh memory,
    double again;  ///< and in memory that was used before;
    double layout; ///< programs made.
} graph_first;

/// Submit a graph as if for the first time, with so many queues.
graph_first graph_submit(const graph_case *graph, int queues);

/// What every task does: nothing that a compiler sees through.
void graph_empty(void);

/// End the program for a failure.
void graph_stop(const char *what, const char *why);

#endif
