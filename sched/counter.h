// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Counters that one thread advances and others wait for: how queues tell each other how
/// far they are. A counter only grows, and begins again at 0 behind 2^32 - 1, so
/// nothing is reset between replays; what is compared is the difference, and no queue
/// may wait for a step 2^31 away.
///
/// Waiting is a ladder: look again at once, give the core away, sleep. A thread that
/// spins on the core that another one needs makes a hop a thousand times slower, and
/// one that sleeps pays 20 to 100 us to wake up, so a queue with a core of its own
/// spins longer. No queue spins for ever.

#ifndef CAIRN_SCHED_COUNTER_H
#define CAIRN_SCHED_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* CAIRN_FUTEX 0: sleep on a condition variable, as systems without futexes do. */
#ifndef CAIRN_FUTEX
#    ifdef __linux__
#        define CAIRN_FUTEX 1
#    else
#        define CAIRN_FUTEX 0
#    endif
#endif
#if !CAIRN_FUTEX
#    include <pthread.h>
#endif

/// A counter. Who has it chooses the line of the cache that it is on.
typedef struct cairn_counter {
    _Atomic uint32_t now;
    _Atomic uint32_t
        sleepers; ///< Each adds itself, and takes itself off. Were the waker
                  ///< to do that, it would miss who sleeps again at once.
#if !CAIRN_FUTEX
    pthread_mutex_t lock;
    pthread_cond_t  moved;
#endif
} cairn_counter;

/// How long to wait on each step of the ladder.
typedef struct cairn_waiting {
    int spins;  ///< Looks with a pause of the processor between them,
    int yields; ///< then looks with the core given away between them, then sleep.
} cairn_waiting;

/// Choose for @p threads that may run at once on @p cores: those of all queues, their
/// teams and the ranks beside this one. @p cores 0: count those that this process may
/// use.
cairn_waiting cairn_waiting_choose(int threads, int cores);

/// Start at @p now, without a queue that waits. Pairs with cairn_counter_fini().
void cairn_counter_init(cairn_counter *counter, uint32_t now);
void cairn_counter_fini(cairn_counter *counter);

/// Wait until the counter is at @p at, past the first look.
void cairn_counter_wait_slowly(cairn_counter       *counter,
                               uint32_t             at,
                               const cairn_waiting *waiting);

/// Wake all who sleep.
void cairn_counter_wake(cairn_counter *counter);

/// Is the counter at @p at, or beyond? Then all that was done before is visible.
static inline bool cairn_counter_is_at(const cairn_counter *counter, uint32_t at)
{
    return (int32_t)(atomic_load_explicit(&counter->now, memory_order_acquire) - at)
           >= 0;
}

/// Wait until it is.
static inline void
cairn_counter_wait(cairn_counter *counter, uint32_t at, const cairn_waiting *waiting)
{
    if (!cairn_counter_is_at(counter, at))
        cairn_counter_wait_slowly(counter, at, waiting);
}

/// Advance to @p at. One thread at a time does.
static inline void cairn_counter_advance(cairn_counter *counter, uint32_t at)
{
    atomic_store_explicit(&counter->now, at, memory_order_release);
    /* The store comes before the look, as the sleeper's adding itself comes before its
       look at the counter: one of the two sees the other. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&counter->sleepers, memory_order_relaxed))
        cairn_counter_wake(counter);
}

#endif
