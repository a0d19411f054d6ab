// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mapping, keeping and giving back big blocks.

#include "base/pool.h"

#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)2 << 20)

void cairn_pool_init(cairn_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
}

/// Take block @p k out of the list; the lock is held.
static void *remove_block(cairn_pool *pool, int k, size_t *total)
{
    void *start = pool->block[k].start;

    *total = pool->block[k].total;
    pool->bytes -= (int64_t)*total;
    pool->kept--;
    memmove(&pool->block[k], &pool->block[k + 1],
            (size_t)(pool->kept - k) * sizeof pool->block[0]);
    return start;
}

static void unmap_oldest(cairn_pool *pool)
{
    size_t total;
    void  *start = remove_block(pool, 0, &total);

    munmap(start, total);
}

void cairn_pool_fini(cairn_pool *pool)
{
    while (pool->kept > 0)
        unmap_oldest(pool);
    pthread_mutex_destroy(&pool->lock);
}

/// The kept block that fits best, or -1; the lock is held.
static int best_fit(const cairn_pool *pool, size_t total)
{
    int best = -1;

    for (int k = 0; k < pool->kept; k++) {
        const size_t size = pool->block[k].total;

        if (size < total || size > total + total / 4 + PAGE) continue;
        if (best < 0 || size < pool->block[best].total) best = k;
    }
    return best;
}

/// Map @p total bytes at a multiple of a huge page: map one page more, cut the ends off.
static void *map_aligned(size_t total)
{
    char *start = mmap(NULL, total + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED) return NULL;
    const size_t before = (PAGE - (uintptr_t)start % PAGE) % PAGE;

    if (before > 0) munmap(start, before);
    if (before < PAGE) munmap(start + before + total, PAGE - before);
    madvise(start + before, total, MADV_HUGEPAGE);
    return start + before;
}

void *cairn_pool_take(cairn_pool *pool, size_t bytes, size_t *total, bool *zero)
{
    const size_t round = (bytes + PAGE - 1) / PAGE * PAGE;
    void        *start = NULL;

    *zero = false;
    pthread_mutex_lock(&pool->lock);
    const int k = best_fit(pool, round);

    if (k >= 0) start = remove_block(pool, k, total);
    pthread_mutex_unlock(&pool->lock);
    if (start) return start;
    *zero  = true;
    *total = round;
    start  = map_aligned(round);
    if (start) return start;
    pthread_mutex_lock(&pool->lock);
    while (pool->kept > 0)
        unmap_oldest(pool);
    pthread_mutex_unlock(&pool->lock);
    return map_aligned(round);
}

void cairn_pool_give(cairn_pool *pool, void *start, size_t total, int64_t limit)
{
    if ((int64_t)total > limit) {
        munmap(start, total);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    while (pool->kept > 0
           && (pool->kept == CAIRN_POOL_BLOCKS || pool->bytes + (int64_t)total > limit))
        unmap_oldest(pool);
    pool->block[pool->kept].start = start;
    pool->block[pool->kept].total = total;
    pool->kept++;
    pool->bytes += (int64_t)total;
    pthread_mutex_unlock(&pool->lock);
}
