// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a runtime costs for each task of a graph that is run again and again: graphs of
/// empty tasks, on one and two queues, by Cairn's replays and by other runtimes, which
/// submit them anew. All in one run, in turn.
///
/// bench_graph [--rounds N] [--tasks N] [--peers LIST]

#include "bench.h"
#include "graph.h"

#include <stdbool.h>

enum { MOST_ROUNDS = 101, MOST_RUNNERS = 3, QUEUES = 2 };

static const graph_runner *const runners[] = {
    &graph_cairn,
    &graph_openmp,
#ifdef GRAPH_STARPU
    &graph_starpu,
#endif
};

/// Nanoseconds a task: [graph][queues - 1][runner][round].
typedef double results[GRAPH_CASES][QUEUES][MOST_RUNNERS][MOST_ROUNDS];

void graph_stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_graph: %s: %s\n", what, why);
    exit(1);
}

__attribute__((noinline)) void graph_empty(void)
{
    __asm__ volatile("");
}

/// Run one graph often enough to be timed, and return the nanoseconds a task.
static double measure(const graph_runner *runner, const graph_case *graph, int queues)
{
    void *const opened = runner->open(graph, queues);
    /* 200,000 empty tasks of a replay take a millisecond or more; others are slower, the
       more so for each join of two threads. */
    const bool   fast  = runner == &graph_cairn;
    const int    often = (fast ? 200000 : 20000) / graph->tasks + 1;
    const int    times = fast || often < 50 ? often : 50;
    const double time  = runner->run(opened, times);

    runner->close(opened);
    return time / times / graph->tasks * 1e9;
}

/// The runners that are asked for, Cairn first.
static int choose(const char *peers, const graph_runner **chosen)
{
    int n = 0;

    for (size_t k = 0; k < sizeof runners / sizeof *runners; k++)
        if (!k || !peers || strstr(peers, runners[k]->name)) chosen[n++] = runners[k];
    return n;
}

static void run_round(int                        round,
                      int                        count,
                      const graph_case          *graph,
                      int                        shown,
                      const graph_runner *const *runner,
                      results                    time)
{
    for (int r = 0; r < shown; r++)
        for (int q = 1; q <= QUEUES; q++) {
            if (runner[r]->begin) runner[r]->begin(q);
            for (int g = 0; g < count; g++)
                time[g][q - 1][r][round] = measure(runner[r], &graph[g], q);
            if (runner[r]->end) runner[r]->end();
        }
}

static double least(const double *time, int n)
{
    double best = time[0];

    for (int k = 1; k < n; k++)
        if (time[k] < best) best = time[k];
    return best;
}

static void print_table(int                        rounds,
                        int                        count,
                        const graph_case          *graph,
                        int                        shown,
                        const graph_runner *const *runner,
                        results                    time)
{
    printf("\n| ns a task, median (least) | queues |");
    for (int r = 0; r < shown; r++)
        printf(r ? " %s | / Cairn |" : " %s |", runner[r]->name);
    printf("\n|---|---|---|");
    for (int r = 1; r < shown; r++)
        printf("---|---|");
    for (int g = 0; g < count; g++)
        for (int q = 0; q < QUEUES; q++) {
            double ours = 0;

            printf("\n| %s, %d tasks | %d |", graph[g].name, graph[g].tasks, q + 1);
            for (int r = 0; r < shown; r++) {
                const double best = least(time[g][q][r], rounds);
                const double mid  = bench_median(time[g][q][r], rounds);

                printf(" %.3g (%.3g) |", mid, best);
                if (r)
                    printf(" %.3g |", mid / ours);
                else
                    ours = mid;
            }
        }
    printf("\n");
}

static void print_first(int rounds, int count, const graph_case *graph)
{
    double infer[MOST_ROUNDS], again[MOST_ROUNDS], layout[MOST_ROUNDS],
        all[MOST_ROUNDS];

    printf(
        "\n| first submission, ns a task, median | queues | inference | again, in the "
        "same memory | layout | inference + layout |\n|---|---|---|---|---|---|\n");
    for (int g = 0; g < count; g++)
        for (int q = 1; q <= QUEUES; q++) {
            const double scale = 1e9 / graph[g].tasks;

            for (int k = 0; k < rounds; k++) {
                const graph_first first = graph_submit(&graph[g], q);

                infer[k]  = scale * first.infer;
                again[k]  = scale * first.again;
                layout[k] = scale * first.layout;
                all[k]    = infer[k] + layout[k];
            }
            printf("| %s, %d tasks | %d | %.3g | %.3g | %.3g | %.3g |\n", graph[g].name,
                   graph[g].tasks, q, bench_median(infer, rounds),
                   bench_median(again, rounds), bench_median(layout, rounds),
                   bench_median(all, rounds));
        }
}

int main(int argc, char **argv)
{
    static results      time;
    graph_case          graph[GRAPH_CASES];
    int                 rounds = 7, tasks = 20000;
    const char         *peers = NULL;
    const graph_runner *runner[MOST_RUNNERS];

    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--rounds") == 0 && k + 1 < argc)
            rounds = atoi(argv[++k]);
        else if (strcmp(argv[k], "--tasks") == 0 && k + 1 < argc)
            tasks = atoi(argv[++k]);
        else if (strcmp(argv[k], "--peers") == 0 && k + 1 < argc)
            peers = argv[++k];
        else
            graph_stop(argv[k], "not --rounds N, --tasks N, --peers LIST");
    if (rounds < 1 || rounds > MOST_ROUNDS) graph_stop("rounds", "1..101");
    if (tasks < 16 || tasks > 1000000) graph_stop("tasks", "16..1000000");
    bench_print_machine(BENCH_SOURCE, rounds);
    const int count = graph_make_all(tasks, graph);
    const int shown = choose(peers, runner);

    for (int round = 0; round < rounds; round++)
        run_round(round, count, graph, shown, runner, time);
    print_table(rounds, count, graph, shown, runner, time);
    print_first(rounds, count, graph);
    for (int g = 0; g < count; g++)
        free(graph[g].task);
    return 0;
}
