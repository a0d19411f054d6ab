// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parked threads.

#include "base/thread_pool.h"

void cairn_thread_pool_init(cairn_thread_pool *pool)
{
    *pool = (cairn_thread_pool){.threads = 0};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
}

void cairn_thread_pool_fini(cairn_thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int k = 0; k < pool->threads; k++)
        pthread_join(pool->thread[k], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
}

static void take_tasks(cairn_thread_pool *pool)
{
    for (int k; (k = atomic_fetch_add(&pool->next, 1)) < pool->tasks;)
        pool->task(pool->user, k);
}

static void *wait_for_work(void *given)
{
    cairn_thread_pool *const pool = given;
    uint64_t                 seen = 0; /* the last call that this thread looked at */

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->ends && (seen == pool->call || pool->wanted == 0)) {
            seen = pool->call;
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->ends) break;
        seen = pool->call;
        pool->wanted--;
        pool->working++;
        pthread_mutex_unlock(&pool->lock);
        take_tasks(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/// Have @p threads threads, or as many as can be made.
static void make_threads(cairn_thread_pool *pool, int threads)
{
    while (pool->threads < threads
           && pthread_create(&pool->thread[pool->threads], NULL, wait_for_work, pool)
                  == 0)
        pool->threads++;
}

/// Call up to @p others threads to the tasks. @return false: another call has them.
static bool begin(cairn_thread_pool     *pool,
                  int                    others,
                  cairn_thread_pool_task task,
                  void                  *user,
                  int                    tasks)
{
    pthread_mutex_lock(&pool->lock);
    const bool free = !pool->taken;

    if (free) {
        make_threads(pool, others);
        pool->taken  = true;
        pool->task   = task;
        pool->user   = user;
        pool->tasks  = tasks;
        pool->wanted = others;
        atomic_store(&pool->next, 0);
        pool->call++;
        pthread_cond_broadcast(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
    return free;
}

/// Who has not begun by now need not: the tasks are gone.
static void end(cairn_thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->wanted = 0;
    while (pool->working > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pool->taken = false;
    pthread_mutex_unlock(&pool->lock);
}

void cairn_thread_pool_run(cairn_thread_pool     *pool,
                           int                    threads,
                           cairn_thread_pool_task task,
                           void                  *user,
                           int                    tasks)
{
    int others = (threads < tasks ? threads : tasks) - 1;

    if (others > CAIRN_THREAD_POOL_MOST) others = CAIRN_THREAD_POOL_MOST;
    if (others < 1 || !begin(pool, others, task, user, tasks)) {
        for (int k = 0; k < tasks; k++)
            task(user, k);
        return;
    }
    take_tasks(pool);
    end(pool);
}
