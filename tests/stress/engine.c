// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random graphs replayed on several threads, with their results compared: the program that
/// the thread sanitizer looks at, under which the unit tests' framework does not run.
///
/// stress_engine [GRAPHS [SEED]]

#include "sched/engine.h"

#include "support/seed.h"
#include "support/task_cases.h"

#include <stdlib.h>

static void stop(const char *what, uint64_t seed)
{
    fprintf(stderr, "stress_engine: %s: seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

/// Replay one case a few times, now and then with a task that fails.
static void replay(cairn_engine *engine, task_case *c, uint64_t *state, uint64_t seed)
{
    for (int k = 0; k < 5; k++) {
        const int bad = random_chance(state, 30) ? random_below(state, c->tasks) : -1;
        cairn_status status;
        uint32_t     failed;

        case_reset(c);
        if (bad >= 0) c->task[bad].outcome = CAIRN_NO_DEVICE;
        status = cairn_engine_run(engine, &failed);
        if ((status != CAIRN_OK) != (bad >= 0)
            || failed != (bad >= 0 ? (uint32_t)bad : CAIRN_NO_TASK))
            stop("not the failure that there was", seed);
        if (bad >= 0)
            c->task[bad].outcome = CAIRN_OK;
        else if (case_wrong(c))
            stop("other results than in the order of submission", seed);
    }
}

static void run_case(cairn_env *env, uint64_t seed)
{
    static task_case       c;
    static cairn_task_time time[CASE_TASKS];
    uint64_t               state   = seed;
    const cairn_waiting    waiting = {.spins  = random_below(&state, 50),
                                      .yields = random_below(&state, 3)};
    cairn_graph           *graph   = NULL;
    cairn_program         *program = NULL;
    cairn_engine          *engine  = NULL;

    case_draw(&state, &c);
    if (cairn_graph_create(env, &graph) || case_submit(&state, &c, graph)
        || cairn_program_create(graph, c.queues, (cairn_order_rule)(seed % 2), &program)
        || cairn_engine_create(env,
                               &(cairn_engine_options){.queues  = c.queues,
                                                       .waiting = &waiting,
                                                       .base = UINT32_MAX - CASE_TASKS},
                               &engine)
        || cairn_engine_load(engine, program))
        stop(env->message, seed);
    if (random_chance(&state, 50)) cairn_engine_record(engine, time);
    replay(engine, &c, &state, seed);
    cairn_engine_destroy(&engine);
    cairn_program_destroy(&program);
    cairn_graph_destroy(&graph);
}

int main(int argc, char **argv)
{
    const int      graphs = argc > 1 ? atoi(argv[1]) : 300;
    const uint64_t first =
        argc > 2 ? strtoull(argv[2], NULL, 10) : seed_clock() * 1000003;
    cairn_env env;

    cairn_env_init(&env);
    printf("first seed %llu, %d graphs\n", (unsigned long long)first, graphs);
    for (int k = 0; k < graphs; k++)
        run_case(&env, first + (uint64_t)k);
    if (env.live_blocks) stop("blocks are left", first);
    cairn_env_fini(&env);
    return graphs < 1;
}
