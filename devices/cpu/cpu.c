// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The processor as a device. It keeps no state (that of its loader of kernels is the
/// loader's), which is what lets other kinds delegate to it.

#include "devices/cpu/check.h"
#include "devices/cpu/kernels.h"
#include "devices/cpu/product.h"
#include "devices/domains.h"

#include <stdio.h>
#include <string.h>

static int cpu_count(const cairn_machine *machine)
{
    return machine->domains;
}

/// The index-th of count shares of n threads, at least one.
static int share(int64_t n, int index, int count)
{
    const int64_t mine = n * (index + 1) / count - n * index / count;

    return mine > 0 ? (int)mine : 1;
}

static cairn_status cpu_open(cairn_device *device, int index, int count)
{
    const cairn_machine *machine = device->machine;
    const int64_t        asked   = device->env->options.threads;
    cairn_device_facts  *info    = &device->info;
    cairn_domains_share  mine;

    cairn_domains_divide(machine, index, count, &mine);
    snprintf(info->name, sizeof info->name, "%s", machine->name);
    info->clock        = CAIRN_CLOCK_MEASURED;
    info->memory_bytes = mine.memory_bytes;
    info->cores        = mine.cores;
    info->bound        = mine.bound;
    info->threads      = asked > 0 ? share(asked, index, count) : info->cores;
    return CAIRN_OK;
}

#ifdef __clang__
#    define OPTIMIZED /* It has no such attribute, and measures what -O0 makes. */
#else
#    define OPTIMIZED optimize("O3"),
#endif

/// Add up words. Optimised in every build type: at -O0 it would be the loop, not the
/// memory, that is measured.
__attribute__((OPTIMIZED noinline)) static uint64_t add_up(const uint64_t *word,
                                                           int64_t         n)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k < n; k++)
        sum += word[k];
    return sum;
}

/// Seconds in which all threads read the words once, each its own share; with @p write,
/// it is the first touch instead, which puts the pages near the thread.
static double sweep(uint64_t *word, int64_t n, int threads, bool write)
{
    const double start = cairn_seconds();
    uint64_t     sum   = 0;

#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (int t = 0; t < threads; t++) {
        const int64_t from = n * t / threads, to = n * (t + 1) / threads;

        if (write)
            memset(word + from, 1, (size_t)(to - from) * sizeof *word);
        else
            sum += add_up(word + from, to - from);
    }
    word[0] = sum; /* The sum is used, so that the reads are not removed. */
    return cairn_seconds() - start;
}

/// Four times the caches, so that memory is what is read; 64 MB take 5 ms even where
/// caches are small, and 256 MB keep the whole within 50 ms on slow machines.
static int64_t measured_bytes(const cairn_device *device)
{
    const int64_t least = 64 << 20, most = 256 << 20;
    const int64_t bytes = 4 * device->machine->cache_bytes;

    return bytes < least ? least : bytes > most ? most : bytes;
}

static cairn_status cpu_measure(cairn_device *device)
{
    const int64_t bytes   = measured_bytes(device);
    const int     threads = device->info.threads;
    uint64_t     *word    = NULL;

    if (!device->machine->here || bytes > device->env->memory_limit) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(device->env, bytes / 8, &word));
    sweep(word, bytes / 8, threads, true);
    for (int k = 0; k < 2; k++) {
        const double rate = (double)bytes / sweep(word, bytes / 8, threads, false);

        if (rate > device->info.bandwidth) device->info.bandwidth = rate;
    }
    cairn_free(device->env, word);
    return CAIRN_OK;
}

static double cpu_cost(const cairn_device *device, const cairn_device_request *request)
{
    if (device->info.bandwidth <= 0) return -1;
    return (double)request->moved_bytes / device->info.bandwidth;
}

const cairn_device_ops cairn_device_cpu = {
    .kind     = "cpu",
    .summary  = "the processor's cores and main memory",
    .presence = CAIRN_PRESENT_AS_ONE,
    .count    = cpu_count,
    .open     = cpu_open,
    .measure  = cpu_measure,
    .cost     = cpu_cost,
    .check    = cairn_cpu_check,

    .build = cairn_cpu_build,
    .ahead = cairn_cpu_ahead,

    .kernels.open  = cairn_cpu_kernels_open,
    .kernels.close = cairn_cpu_kernels_close,
};
