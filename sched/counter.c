// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The ladder, and how to sleep on a word.

#include "sched/counter.h"

#include <sched.h>
#include <unistd.h>

#if CAIRN_FUTEX
#    include <linux/futex.h>
#    include <sys/syscall.h>
#endif

static inline void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/// Cores that the process may use.
static int count_cores(void)
{
#ifdef __linux__
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 0 ? (int)online : 1;
}

cairn_waiting cairn_waiting_choose(int threads, int cores)
{
    if (cores < 1) cores = count_cores();
    /* 4000 pauses are 100 us or more: longer than kernels of queues in step differ. On a
       shared core every look keeps the other from its work. */
    if (threads <= cores) return (cairn_waiting){.spins = 4000, .yields = 1000};
    return (cairn_waiting){.spins = 4, .yields = 100};
}

void cairn_counter_init(cairn_counter *counter, uint32_t now)
{
    atomic_init(&counter->now, now);
    atomic_init(&counter->sleepers, 0);
#if !CAIRN_FUTEX
    pthread_mutex_init(&counter->lock, NULL);
    pthread_cond_init(&counter->moved, NULL);
#endif
}

void cairn_counter_fini(cairn_counter *counter)
{
#if !CAIRN_FUTEX
    pthread_cond_destroy(&counter->moved);
    pthread_mutex_destroy(&counter->lock);
#else
    (void)counter;
#endif
}

#if CAIRN_FUTEX

static void sleep_until(cairn_counter *counter, uint32_t at)
{
    for (;;) {
        const uint32_t seen = atomic_load(&counter->now);

        if ((int32_t)(seen - at) >= 0) return;
        /* Returns at once if the word is no longer what was seen. */
        syscall(SYS_futex, &counter->now, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
}

void cairn_counter_wake(cairn_counter *counter)
{
    syscall(SYS_futex, &counter->now, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

#else

static void sleep_until(cairn_counter *counter, uint32_t at)
{
    pthread_mutex_lock(&counter->lock);
    while ((int32_t)(atomic_load(&counter->now) - at) < 0)
        pthread_cond_wait(&counter->moved, &counter->lock);
    pthread_mutex_unlock(&counter->lock);
}

void cairn_counter_wake(cairn_counter *counter)
{
    pthread_mutex_lock(&counter->lock);
    pthread_cond_broadcast(&counter->moved);
    pthread_mutex_unlock(&counter->lock);
}

#endif

void cairn_counter_wait_slowly(cairn_counter       *counter,
                               uint32_t             at,
                               const cairn_waiting *waiting)
{
    for (int k = 0; k < waiting->spins; k++) {
        pause_core();
        if (cairn_counter_is_at(counter, at)) return;
    }
    for (int k = 0; k < waiting->yields; k++) {
        sched_yield();
        if (cairn_counter_is_at(counter, at)) return;
    }
    atomic_fetch_add(&counter->sleepers, 1);
    sleep_until(counter, at);
    atomic_fetch_sub(&counter->sleepers, 1);
}
