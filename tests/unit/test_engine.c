// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Replays: random graphs on one to five queues give what the order of submission gives;
/// nobody is left asleep, counters wrap, failures end a replay and not the engine.
///
/// The seed is printed; ENGINE_SEED=N begins with seed N.

#include "sched/engine.h"
#include "support/brutal.h"
#include "support/seed.h"
#include "support/task_cases.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REPLAYS_OF_A_TINY_GRAPH
#    define REPLAYS_OF_A_TINY_GRAPH 100000
#endif

static cairn_env    env;
static cairn_graph *graph;

static void up(void)
{
    cairn_env_init(&env);
    cr_assert_eq(cairn_graph_create(&env, &graph), CAIRN_OK);
}

static void down(void)
{
    cairn_graph_destroy(&graph);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(engine, .init = up, .fini = down, .timeout = 290);

static cairn_engine *start(const cairn_engine_options *options)
{
    cairn_engine *engine = NULL;

    cr_assert_eq(cairn_engine_create(&env, options, &engine), CAIRN_OK, "%s",
                 env.message);
    return engine;
}

static cairn_program *lay_out(int queues)
{
    cairn_program *program = NULL;

    cr_assert_eq(cairn_program_create(graph, queues, CAIRN_ORDER_URGENT, &program),
                 CAIRN_OK, "%s", env.message);
    return program;
}

static uint64_t first_seed(void)
{
    const char    *given = getenv("ENGINE_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;

    printf("first seed %llu\n", (unsigned long long)first);
    return first;
}

/// Each ladder that there may be, and the two that are chosen.
static cairn_waiting draw_waiting(uint64_t *state)
{
    static const cairn_waiting ladder[] = {
        {0,    0  },
        {0,    3  },
        {4,    100},
        {30,   0  },
        {4000, 9  }
    };

    return ladder[random_below(state, 5)];
}

/// Draw a case, and an engine for it; the base is near where counters wrap.
static cairn_engine *
draw(uint64_t *state, task_case *c, cairn_program **program, cairn_task_time *time)
{
    const cairn_waiting waiting = draw_waiting(state);

    cairn_graph_clear(graph);
    case_draw(state, c);
    cr_assert_eq(case_submit(state, c, graph), CAIRN_OK);
    *program = lay_out(c->queues);

    cairn_engine *const engine = start(&(cairn_engine_options){
        .queues  = c->queues + random_below(state, 2),
        .waiting = &waiting,
        .base    = UINT32_MAX - (uint32_t)random_below(state, 3 * CASE_TASKS)});

    cr_assert_eq(cairn_engine_load(engine, *program), CAIRN_OK);
    cairn_engine_record(engine, time);
    return engine;
}

/// What is recorded agrees with the graph: nothing begins before what it needs has ended.
static void check_times(const cairn_task_time *time, uint64_t seed)
{
    for (uint32_t t = 0; t < graph->tasks; t++) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, t, &need);

        cr_assert_leq(time[t].begin, time[t].end);
        cr_assert_gt(time[t].begin, 0);
        for (uint32_t k = 0; k < needs; k++)
            cr_assert_leq(time[need[k]].end, time[t].begin, "seed %llu: task %u",
                          (unsigned long long)seed, t);
    }
}

Test(engine, random_graphs_give_what_the_order_of_submission_gives)
{
    const uint64_t         first = first_seed();
    static task_case       c;
    static cairn_task_time time[CASE_TASKS];

    for (uint64_t seed = first; seed < first + 300; seed++) {
        uint64_t            state = seed;
        const bool          timed = random_chance(&state, 30);
        cairn_program      *program;
        cairn_engine *const made   = draw(&state, &c, &program, timed ? time : NULL);
        cairn_engine       *engine = made;

        for (int replay = 0; replay < 8; replay++) {
            uint32_t failed = 0;

            case_reset(&c);
            cr_assert_eq(cairn_engine_run(engine, &failed), CAIRN_OK);
            cr_assert_eq(failed, CAIRN_NO_TASK);
            cr_assert_eq(case_wrong(&c), 0, "seed %llu: %d wrong",
                         (unsigned long long)seed, case_wrong(&c));
            if (timed) check_times(time, seed);
        }
        cairn_engine_destroy(&engine);
        cairn_program_destroy(&program);
    }
}

/// What a failure leaves: nothing that needs the failed task has begun, nor what needs a
/// task that was not run, but for what always runs, which has run once.
static void check_failure(const task_case *c, uint32_t failed, uint64_t seed)
{
    static bool lost[CASE_TASKS];
    uint32_t    first = CAIRN_NO_TASK;

    for (uint32_t t = 0; t < graph->tasks; t++) {
        const uint32_t *need;
        const uint32_t  needs = cairn_graph_needs(graph, t, &need);

        lost[t] = false;
        for (uint32_t k = 0; k < needs; k++)
            lost[t] = lost[t] || lost[need[k]] || c->task[need[k]].outcome;
        cr_assert(!lost[t] || c->task[t].always || c->task[t].runs == 0,
                  "seed %llu: task %u has run", (unsigned long long)seed, t);
        cr_assert(!c->task[t].always || c->task[t].runs == 1,
                  "seed %llu: task %u has run %d times", (unsigned long long)seed, t,
                  c->task[t].runs);
        if (c->task[t].runs && c->task[t].outcome && first == CAIRN_NO_TASK) first = t;
    }
    cr_assert_eq(failed, first, "seed %llu: %u, not %u", (unsigned long long)seed,
                 failed, first);
}

Test(engine, a_failure_ends_the_replay_and_not_the_engine)
{
    const uint64_t         first = first_seed();
    static task_case       c;
    static cairn_task_time time[CASE_TASKS];

    for (uint64_t seed = first; seed < first + 300; seed++) {
        uint64_t       state = seed;
        const bool     timed = random_chance(&state, 30);
        cairn_program *program;
        cairn_engine  *engine = draw(&state, &c, &program, timed ? time : NULL);

        for (int replay = 0; replay < 4; replay++) {
            const int fails = replay % 2 ? 0 : 1 + random_below(&state, 3);
            uint32_t  failed;

            case_reset(&c);
            for (int t = 0; t < c.tasks; t++)
                c.task[t].outcome = CAIRN_OK;
            for (int k = 0; k < fails; k++)
                c.task[random_below(&state, c.tasks)].outcome = CAIRN_NO_DEVICE;
            const cairn_status status = cairn_engine_run(engine, &failed);

            cr_assert_eq(status, fails ? CAIRN_NO_DEVICE : CAIRN_OK);
            if (fails)
                check_failure(&c, failed, seed);
            else
                cr_assert_eq(case_wrong(&c), 0);
            for (int t = 0; timed && t < c.tasks; t++)
                cr_assert_eq(time[t].end > 0, c.task[t].runs == 1, "seed %llu",
                             (unsigned long long)seed);
        }
        cairn_engine_destroy(&engine);
        cairn_program_destroy(&program);
    }
}

static cairn_status count_up(void *argument)
{
    ++*(uint64_t *)argument;
    return CAIRN_OK;
}

/// A chain of @p n tasks over @p queues queues in turn, each adding 1 to one number.
static void make_chain(uint64_t *number, int n, int queues)
{
    cairn_access access = {.mode = CAIRN_READ_WRITE};

    cairn_graph_clear(graph);
    cr_assert_eq(cairn_graph_add_handle(graph, &access.handle), CAIRN_OK);
    for (int t = 0; t < n; t++) {
        const cairn_task task = {
            .run = count_up, .argument = number, .queue = t % queues};

        cr_assert_eq(cairn_graph_add(graph, &task, &access, 1, NULL), CAIRN_OK);
    }
}

/// Replay the graph often, on threads that wait as @p waiting says.
static void replay_often(cairn_waiting waiting, int queues, int replays)
{
    cairn_program *program = lay_out(queues);
    cairn_engine  *engine  = start(&(cairn_engine_options){
          .queues = queues, .waiting = &waiting, .base = UINT32_MAX - 100});

    cr_assert_eq(cairn_engine_load(engine, program), CAIRN_OK);
    for (int k = 0; k < replays; k++)
        cr_assert_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
    cairn_engine_destroy(&engine);
    cairn_program_destroy(&program);
}

static void replay_chain(cairn_waiting waiting, int queues, int n, int replays)
{
    uint64_t number = 0;

    make_chain(&number, n, queues);
    replay_often(waiting, queues, replays);
    cr_expect_eq(number, (uint64_t)n * (uint64_t)replays);
}

Test(engine, no_thread_is_left_asleep)
{
    /* Threads that sleep at once, in a graph as small as may be: here a waker that took
       sleepers off the list hung. */
    replay_chain((cairn_waiting){.spins = 0, .yields = 0}, 2, 5,
                 REPLAYS_OF_A_TINY_GRAPH);
}

Test(engine, a_thread_that_waits_for_more_is_woken_later)
{
    /* Queue 0 does four tasks, and each of queues 1 to 4 waits for another of them: who
       wakes them with the first must know of the others at the second. */
    const cairn_waiting waiting   = {0};
    uint64_t            done[5]   = {0};
    cairn_access        access[2] = {{.mode = CAIRN_READ_WRITE}, {.mode = CAIRN_WRITE}};

    cr_assert_eq(cairn_graph_add_handle(graph, &access[0].handle), CAIRN_OK);
    for (int k = 1; k < 5; k++) {
        cairn_task task = {.run = count_up, .argument = &done[0]};

        cr_assert_eq(cairn_graph_add_handle(graph, &access[1].handle), CAIRN_OK);
        cr_assert_eq(cairn_graph_add(graph, &task, access, 2, NULL), CAIRN_OK);
        task = (cairn_task){.run = count_up, .argument = &done[k], .queue = k};
        cr_assert_eq(cairn_graph_add(graph, &task, &access[1], 1, NULL), CAIRN_OK);
    }
    replay_often(waiting, 5, REPLAYS_OF_A_TINY_GRAPH / 10);
    for (int k = 0; k < 5; k++)
        cr_expect_eq(done[k],
                     (uint64_t)REPLAYS_OF_A_TINY_GRAPH / 10 * (uint64_t)(k ? 1 : 4));
}

Test(engine, no_thread_is_left_asleep_among_several)
{
    for (int queues = 2; queues <= 5; queues++)
        for (int spins = 0; spins < 60; spins += 29)
            replay_chain((cairn_waiting){.spins = spins, .yields = spins / 29}, queues,
                         7, 1000);
}

/// Threads of this process; -1: the system does not say.
static int count_threads(void)
{
    DIR *const folder = opendir("/proc/self/task");
    int        n      = 0;

    if (!folder) return -1;
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

Test(engine, one_queue_has_no_thread)
{
    uint64_t      number = 0;
    const int     before = count_threads();
    cairn_engine *engine = start(&(cairn_engine_options){.queues = 1});

    make_chain(&number, 50, 1);
    cairn_program *program = lay_out(1);

    cr_assert_eq(cairn_engine_load(engine, program), CAIRN_OK);
    cr_assert_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
    cr_expect_eq(number, 50);
    cr_expect_eq(count_threads(), before);
    cairn_engine_destroy(&engine);
    cr_expect_null(engine);
    cairn_program_destroy(&program);
}

Test(engine, programs_change_between_replays)
{
    static task_case c[4];
    uint64_t         state = first_seed();
    cairn_program   *program[4];
    cairn_engine    *engine = start(&(cairn_engine_options){.queues = 5});

    cr_expect_eq(cairn_engine_run(engine, NULL), CAIRN_OK, "without a program");
    for (int k = 0; k < 4; k++) {
        cairn_graph_clear(graph);
        case_draw(&state, &c[k]);
        cr_assert_eq(case_submit(&state, &c[k], graph), CAIRN_OK);
        program[k] = lay_out(c[k].queues);
    }
    for (int replay = 0; replay < 2000; replay++) {
        const int k = random_below(&state, 4);

        case_reset(&c[k]);
        cr_assert_eq(cairn_engine_load(engine, program[k]), CAIRN_OK);
        cr_assert_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
        cr_assert_eq(case_wrong(&c[k]), 0);
    }
    cairn_engine_destroy(&engine);
    for (int k = 0; k < 4; k++)
        cairn_program_destroy(&program[k]);
}

Test(engine, starts_and_ends_often)
{
    for (int k = 0; k < 300; k++) {
        uint64_t       number = 0;
        cairn_engine  *engine = start(&(cairn_engine_options){.queues = 1 + k % 5});
        cairn_program *program;

        make_chain(&number, 9, 1 + k % 5);
        program = lay_out(1 + k % 5);
        cr_assert_eq(cairn_engine_load(engine, program), CAIRN_OK);
        for (int replay = 0; replay < k % 3; replay++)
            cr_assert_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
        cairn_engine_destroy(&engine);
        cairn_program_destroy(&program);
        cr_assert_eq(number, 9 * (uint64_t)(k % 3));
    }
}

Test(engine, refuses_what_it_cannot_do)
{
    static const int            nowhere[1] = {1 << 20};
    static const cairn_core_set pin[2]     = {
            {NULL,    0},
            {nowhere, 1}
    };
    cairn_engine *engine = NULL;
    uint64_t      number = 0;

    cr_expect_eq(
        cairn_engine_create(&env, &(cairn_engine_options){.queues = 0}, &engine),
        CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_engine_create(
                     &env, &(cairn_engine_options){.queues = 2, .pin = pin}, &engine),
                 CAIRN_BAD_ARGUMENT);
    cr_expect(strstr(env.message, "engine: queue 1: ") != NULL, "%s", env.message);
    cr_expect_null(engine);

    make_chain(&number, 2, 2);
    cairn_program *program = lay_out(2);

    engine = start(&(cairn_engine_options){.queues = 1});
    cr_expect_eq(cairn_engine_load(engine, program), CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_engine_run(engine, NULL), CAIRN_OK);
    cr_expect_eq(number, 0);
    cairn_engine_destroy(&engine);
    cairn_program_destroy(&program);
}

Test(engine, survives_every_failed_allocation)
{
    cairn_engine *engine = NULL;

    CAIRN_BRUTAL_AND(
        &env, cairn_engine_create(&env, &(cairn_engine_options){.queues = 3}, &engine),
        engine == NULL);
    cairn_engine_destroy(&engine);
}

Test(engine, waits_as_threads_and_cores_say)
{
    const cairn_waiting own    = cairn_waiting_choose(2, 2);
    const cairn_waiting shared = cairn_waiting_choose(3, 2);

    cr_expect_geq(own.spins, 1000);
    cr_expect_leq(shared.spins, 4);
    cr_expect_gt(shared.yields, 0);
    cr_expect_leq(cairn_waiting_choose(1 << 20, 0).spins, 4);
    cr_expect_geq(cairn_waiting_choose(1, 0).spins, 1000);
}
