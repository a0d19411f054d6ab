// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Parked threads.

#include "base/thread_pool.h"

void cairn_thread_pool_init(cairn_thread_pool *crew)
{
    *crew = (cairn_thread_pool){.threads = 0};
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
}

void cairn_thread_pool_fini(cairn_thread_pool *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->ends = true;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
    for (int k = 0; k < crew->threads; k++)
        pthread_join(crew->thread[k], NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
}

static void take_tasks(cairn_thread_pool *crew)
{
    for (int k; (k = atomic_fetch_add(&crew->next, 1)) < crew->tasks;)
        crew->task(crew->user, k);
}

static void *wait_for_work(void *given)
{
    cairn_thread_pool *const crew = given;
    uint64_t                 seen = 0; /* the last call that this thread looked at */

    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->ends && (seen == crew->call || crew->wanted == 0)) {
            seen = crew->call;
            pthread_cond_wait(&crew->work, &crew->lock);
        }
        if (crew->ends) break;
        seen = crew->call;
        crew->wanted--;
        crew->working++;
        pthread_mutex_unlock(&crew->lock);
        take_tasks(crew);
        pthread_mutex_lock(&crew->lock);
        if (--crew->working == 0) pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/// Have @p threads threads, or as many as can be made.
static void make_threads(cairn_thread_pool *crew, int threads)
{
    while (crew->threads < threads
           && pthread_create(&crew->thread[crew->threads], NULL, wait_for_work, crew)
                  == 0)
        crew->threads++;
}

/// Call up to @p others threads to the tasks. @return false: another call has them.
static bool begin(cairn_thread_pool     *crew,
                  int                    others,
                  cairn_thread_pool_task task,
                  void                  *user,
                  int                    tasks)
{
    pthread_mutex_lock(&crew->lock);
    const bool free = !crew->taken;

    if (free) {
        make_threads(crew, others);
        crew->taken  = true;
        crew->task   = task;
        crew->user   = user;
        crew->tasks  = tasks;
        crew->wanted = others;
        atomic_store(&crew->next, 0);
        crew->call++;
        pthread_cond_broadcast(&crew->work);
    }
    pthread_mutex_unlock(&crew->lock);
    return free;
}

/// Who has not begun by now need not: the tasks are gone.
static void end(cairn_thread_pool *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->wanted = 0;
    while (crew->working > 0)
        pthread_cond_wait(&crew->done, &crew->lock);
    crew->taken = false;
    pthread_mutex_unlock(&crew->lock);
}

void cairn_thread_pool_run(cairn_thread_pool     *crew,
                           int                    threads,
                           cairn_thread_pool_task task,
                           void                  *user,
                           int                    tasks)
{
    int others = (threads < tasks ? threads : tasks) - 1;

    if (others > CAIRN_THREAD_POOL_MOST) others = CAIRN_THREAD_POOL_MOST;
    if (others < 1 || !begin(crew, others, task, user, tasks)) {
        for (int k = 0; k < tasks; k++)
            task(user, k);
        return;
    }
    take_tasks(crew);
    end(crew);
}
