// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the text of a kernel for cards (src/emit/cuda.h) takes from CUDA, for a compiler
/// of C: `cc -include on_cpu.h kernel.cu.c`. The very text that a card would run is run,
/// by one thread of the processor. A kernel NAME becomes the function
///
///     const char *NAME(const void *args, unsigned x, unsigned y, int items,
///                      unsigned long seed);
///
/// which runs x by y blocks of `items` threads each and returns NULL, or what broke. With
/// one item barriers are nothing. With more, items are coroutines: each runs until it
/// comes to a barrier or ends, then another one does; in which order they and the blocks
/// take their turns is shuffled anew at every barrier, by the seed. So a barrier that is
/// missing, or that some do not reach, shows.

#ifndef CAIRN_TESTS_ON_CPU_H
#define CAIRN_TESTS_ON_CPU_H

#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

typedef struct {
    unsigned x, y, z;
} on_cpu_place;

static _Thread_local on_cpu_place threadIdx, blockIdx, gridDim;
static _Thread_local int          on_cpu_items;

enum { ON_CPU_MOST = 256, ON_CPU_STACK = 64 << 10 };

/// A group's items.
static _Thread_local struct {
    ucontext_t scheduler, item[ON_CPU_MOST];
    int        line[ON_CPU_MOST]; ///< Of the barrier where each waits; 0: it has ended.
    int        at;                ///< Who runs.
    void (*call)(const void *args);
    const void   *args;
    unsigned long state; ///< Of what shuffles.
} on_cpu;

#define ITEMS on_cpu_items
#define __device__
#define __shared__      static _Thread_local
#define __syncthreads() on_cpu_wait(__LINE__)
#define KERNEL(name)                                                                \
    static void name##_item(const name##_args op);                                  \
    static void name##_call(const void *args)                                       \
    {                                                                               \
        name##_item(*(const name##_args *)args);                                    \
    }                                                                               \
    const char *name(const void *args, unsigned x, unsigned y, int items,           \
                     unsigned long seed);                                           \
    const char *name(const void *args, unsigned x, unsigned y, int items,           \
                     unsigned long seed)                                            \
    {                                                                               \
        return on_cpu_run(name##_call, args, (on_cpu_place){x, y, 1}, items, seed); \
    }                                                                               \
    static void name##_item(const name##_args op)

static inline unsigned atomicAdd(unsigned *at, unsigned value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline void on_cpu_wait(int line)
{
    if (on_cpu_items == 1) return;
    on_cpu.line[on_cpu.at] = line;
    swapcontext(&on_cpu.item[on_cpu.at], &on_cpu.scheduler);
}

/// Numbers 0 to count-1 in some order.
static inline void on_cpu_shuffle(unsigned *order, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        on_cpu.state      = on_cpu.state * 6364136223846793005u + 1442695040888963407u;
        const unsigned at = (unsigned)(on_cpu.state >> 33) % (k + 1);

        order[k]  = order[at];
        order[at] = k;
    }
}

static inline void on_cpu_enter(void)
{
    on_cpu.call(on_cpu.args);
}

/// All items of a group, barrier by barrier.
static inline const char *on_cpu_group(char *stacks)
{
    unsigned order[ON_CPU_MOST];

    for (int t = 0; t < on_cpu_items; t++) {
        ucontext_t *const item = &on_cpu.item[t];

        getcontext(item);
        item->uc_stack.ss_sp   = stacks + (size_t)t * ON_CPU_STACK;
        item->uc_stack.ss_size = ON_CPU_STACK;
        item->uc_link          = &on_cpu.scheduler;
        makecontext(item, on_cpu_enter, 0);
    }
    do {
        on_cpu_shuffle(order, (unsigned)on_cpu_items);
        for (int k = 0; k < on_cpu_items; k++) {
            on_cpu.at             = (int)order[k];
            threadIdx.x           = order[k];
            on_cpu.line[order[k]] = 0;
            swapcontext(&on_cpu.scheduler, &on_cpu.item[order[k]]);
        }
        for (int t = 1; t < on_cpu_items; t++)
            if (on_cpu.line[t] != on_cpu.line[0])
                return "items of a block wait at different barriers";
    } while (on_cpu.line[0] != 0);
    return NULL;
}

static inline const char *on_cpu_groups(char *stacks)
{
    const unsigned  all    = gridDim.x * gridDim.y;
    unsigned *const order  = malloc(all * sizeof *order);
    const char     *broken = order ? NULL : "no memory for the order of blocks";

    if (order) on_cpu_shuffle(order, all);
    for (unsigned k = 0; k < all && !broken; k++) {
        blockIdx = (on_cpu_place){order[k] % gridDim.x, order[k] / gridDim.x, 0};
        if (stacks)
            broken = on_cpu_group(stacks);
        else
            on_cpu_enter();
    }
    free(order);
    return broken;
}

static inline const char *on_cpu_run(void (*call)(const void *),
                                     const void   *args,
                                     on_cpu_place  grid,
                                     int           items,
                                     unsigned long seed)
{
    char *const stacks = items > 1 ? malloc((size_t)items * ON_CPU_STACK) : NULL;

    if (items < 1 || items > ON_CPU_MOST || (items > 1 && !stacks))
        return "so many items cannot be";
    threadIdx    = (on_cpu_place){0, 0, 0};
    gridDim      = grid;
    on_cpu_items = items;
    on_cpu.call  = call;
    on_cpu.args  = args;
    on_cpu.state = seed;

    const char *const broken = on_cpu_groups(stacks);

    free(stacks);
    return broken;
}

#endif
