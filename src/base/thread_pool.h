// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads for short work, again and again: made at the first call, parked between calls,
/// ended with their environment. They never spin: where other processes want the cores
/// too, that costs more than it gains. Making threads for every piece of a file instead
/// took a sixth of reading it with two.

#ifndef CAIRN_BASE_THREAD_POOL_H
#define CAIRN_BASE_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CAIRN_THREAD_POOL_MOST = 63 }; ///< Threads beside the caller's.

/// What is done with task @p number.
typedef void (*cairn_thread_pool_task)(void *user, int number);

typedef struct cairn_thread_pool {
    pthread_mutex_t lock; ///< Of all below it, save `next`.
    pthread_cond_t  work, done;
    pthread_t       thread[CAIRN_THREAD_POOL_MOST];
    int             threads; ///< Made so far.
    bool            taken;   ///< A call is under way.
    bool            ends;
    uint64_t        call; ///< Counts the calls, so that each is begun once by a thread.
    int             wanted;  ///< Threads that may still begin the call,
    int             working; ///< and that have begun it and not ended.
    cairn_thread_pool_task task;
    void                  *user;
    int                    tasks;
    _Atomic int            next; ///< First task that no thread has taken.
} cairn_thread_pool;

/// Start without threads. Pairs with cairn_thread_pool_fini(), which ends them.
void cairn_thread_pool_init(cairn_thread_pool *pool);
void cairn_thread_pool_fini(cairn_thread_pool *pool);

/// Do tasks 0..tasks-1, in any order, by at most @p threads threads, this one among them;
/// by this one alone if no other can be made, or while the pool is busy with another
/// call (so a task may call again). Returns when all are done.
void cairn_thread_pool_run(cairn_thread_pool     *pool,
                           int                    threads,
                           cairn_thread_pool_task task,
                           void                  *user,
                           int                    tasks);

#endif
