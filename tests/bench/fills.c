// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Filling the members of a hybrid by tasks of OpenMP, or by an engine whose threads stand
/// beside OpenMP's: one member takes as long as two others, on two threads. Before them
/// both threads count, by OpenMP, as the functions of conversions do. The work is
/// arithmetic, so that memory has no part in it. OMP_WAIT_POLICY says whether OpenMP's
/// threads look for work while they have none.

#include "bench.h"
#include "sched/engine.h"

#include <omp.h>

enum { THREADS = 2, FILLS = 3, LINE = 16, ROUNDS = 300 };

static double  result[THREADS * FILLS * LINE];
static int64_t steps; ///< Of a task that takes as long as it was asked for.

static void compute(int place, int64_t n)
{
    double x = place;

    for (; n > 0; n--) {
        x = x * 0.999999 + 1e-7;
        __asm__ volatile("" : "+x"(x));
    }
    result[place * LINE] = x;
}

typedef struct {
    int    place;
    double part; ///< Of the time.
} fill;

static fill fills[FILLS] = {
    {0, 1  },
    {1, 0.5},
    {2, 0.5},
};

static cairn_status run_fill(void *user)
{
    const fill *f = user;

    compute(f->place, (int64_t)(f->part * (double)steps));
    return CAIRN_OK;
}

static void count(void)
{
#pragma omp parallel num_threads(THREADS)
    compute(FILLS + omp_get_thread_num(), steps);
}

static void by_openmp(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp          single
    for (int k = 0; k < FILLS; k++) {
#pragma omp task firstprivate(k)
        run_fill(&fills[k]);
    }
}

static void by_one(void)
{
    for (int k = 0; k < FILLS; k++)
        run_fill(&fills[k]);
}

/// What does not work is not timed.
static void must(cairn_status status)
{
    if (status == CAIRN_OK) return;
    fprintf(stderr, "bench_fills: status %d\n", (int)status);
    exit(1);
}

/// Lay the fills out by what is predicted of them, and run them. @p wrong: by a prediction
/// that takes the longest fill for one of the short ones.
static void by_engine(cairn_env *env, cairn_engine *engine, bool wrong)
{
    cairn_graph   *graph;
    cairn_program *program;

    must(cairn_graph_create(env, &graph));
    for (int k = 0; k < FILLS; k++) {
        const cairn_task task = {.run      = run_fill,
                                 .argument = &fills[k],
                                 .cost     = fills[k].part,
                                 .queue    = wrong ? k == 1 : k > 0};

        must(cairn_graph_add(graph, &task, NULL, 0, NULL));
    }
    must(cairn_program_create(graph, THREADS, CAIRN_ORDER_SUBMITTED, &program));
    must(cairn_engine_load(engine, program));
    must(cairn_engine_run(engine, NULL));
    must(cairn_engine_load(engine, NULL));
    cairn_program_destroy(&program);
    cairn_graph_destroy(&graph);
}

/// Find how many steps take @p seconds.
static void calibrate(double seconds)
{
    double least = 1;

    for (int k = 0; k < 50; k++) {
        const double begin = bench_seconds();

        compute(0, 10000);
        const double took = bench_seconds() - begin;

        if (took < least) least = took;
    }
    steps = (int64_t)(10000 * seconds / least);
}

int main(int argc, char **argv)
{
    static const char *const name[] = {"OpenMP's tasks", "an engine",
                                       "an engine, predicted wrong", "one thread"};
    enum { WAYS = sizeof name / sizeof *name };
    const double     us = argc > 1 ? atof(argv[1]) : 200;
    static double    time[WAYS][ROUNDS];
    cairn_engine    *engine;
    static cairn_env env;

    cairn_env_init(&env);
    must(cairn_engine_create(
        &env, &(cairn_engine_options){.queues = THREADS, .threads = THREADS}, &engine));
    calibrate(1e-6 * us);
    for (int r = 0; r < ROUNDS; r++)
        for (int way = 0; way < WAYS; way++) {
            const double begin = bench_seconds();

            count();
            if (way == 0) by_openmp();
            if (way == 1 || way == 2) by_engine(&env, engine, way == 2);
            if (way == 3) by_one();
            time[way][r] = bench_seconds() - begin;
        }
    printf("Counting for %g us on %d threads, then fills of 1, 1/2 and 1/2 of that.\n",
           us, THREADS);
    for (int way = 0; way < WAYS; way++) {
        const double median = bench_median(time[way], ROUNDS); /* sorts */

        printf("%-28s least %7.0f us, median %7.0f us\n", name[way], 1e6 * time[way][0],
               1e6 * median);
    }
    cairn_engine_destroy(&engine);
    cairn_env_fini(&env);
    return 0;
}
