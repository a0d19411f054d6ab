// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The pool of threads: every task once, whatever the number of threads; calls inside calls;
/// calls from several threads; many calls one after the other.

#include "base/env.h"

#include <criterion/criterion.h>

#include <unistd.h>

enum { MOST = 300 };

typedef struct {
    cairn_thread_pool *pool;
    _Atomic int        done[MOST];
} board;

static void mark(void *given, int number)
{
    ((board *)given)->done[number]++;
}

static void expect_marks(const board *b, int tasks, int times, const char *when)
{
    for (int k = 0; k < MOST; k++)
        cr_assert_eq(b->done[k], k < tasks ? times : 0, "%s: task %d of %d: %d", when,
                     k, tasks, b->done[k]);
}

Test(thread_pool, every_task_is_done_once)
{
    static const int tasks[] = {0, 1, 2, 3, 7, 64, MOST};
    cairn_env        env;

    cairn_env_init(&env);
    for (int threads = 0; threads < 70; threads += threads < 5 ? 1 : 16)
        for (int k = 0; k < (int)(sizeof tasks / sizeof *tasks); k++) {
            static board b;

            b = (board){.pool = &env.thread_pool};
            cairn_thread_pool_run(&env.thread_pool, threads, mark, &b, tasks[k]);
            expect_marks(&b, tasks[k], 1, "alone");
        }
    cr_expect_leq(env.thread_pool.threads, CAIRN_THREAD_POOL_MOST);
    cairn_env_fini(&env);
}

Test(thread_pool, many_short_calls_end)
{
    cairn_env    env;
    static board b;

    cairn_env_init(&env);
    for (int call = 0; call < 20000; call++)
        cairn_thread_pool_run(&env.thread_pool, 1 + call % 4, mark, &b, 3);
    expect_marks(&b, 3, 20000, "again and again");
    cairn_env_fini(&env);
}

static void call_again(void *given, int number)
{
    board *const b = given;

    (void)number;
    cairn_thread_pool_run(b->pool, 4, mark, b, 5);
}

Test(thread_pool, a_task_may_call_again)
{
    cairn_env    env;
    static board b;

    cairn_env_init(&env);
    b.pool = &env.thread_pool;
    cairn_thread_pool_run(&env.thread_pool, 3, call_again, &b, 10);
    expect_marks(&b, 5, 10, "inside a task");
    cairn_env_fini(&env);
}

static void *call_often(void *given)
{
    board *const b = given;

    for (int k = 0; k < 500; k++)
        cairn_thread_pool_run(b->pool, 3, mark, b, 7);
    return NULL;
}

Test(thread_pool, several_threads_may_call)
{
    cairn_env    env;
    pthread_t    thread[3];
    static board b;

    cairn_env_init(&env);
    b.pool = &env.thread_pool;
    for (int k = 0; k < 3; k++)
        cr_assert_eq(pthread_create(&thread[k], NULL, call_often, &b), 0);
    for (int k = 0; k < 3; k++)
        pthread_join(thread[k], NULL);
    expect_marks(&b, 7, 1500, "from three threads");
    cairn_env_fini(&env);
}

/// Two tasks that wait for each other end only if two threads have them.
static void meet(void *given, int number)
{
    board *const b = given;

    b->done[number] = 1;
    for (int k = 0; k < 20000 && !b->done[1 - number]; k++)
        usleep(1000);
    b->done[2 + number] = b->done[1 - number];
}

Test(thread_pool, tasks_run_at_the_same_time, .timeout = 60)
{
    cairn_env    env;
    static board b;

    cairn_env_init(&env);
    for (int call = 0; call < 3; call++) {
        b = (board){.pool = &env.thread_pool};
        cairn_thread_pool_run(&env.thread_pool, 2, meet, &b, 2);
        cr_assert(b.done[2] && b.done[3], "call %d: one thread did both", call);
    }
    cairn_env_fini(&env);
}
