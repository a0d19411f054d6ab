// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Mapping, keeping and giving back big blocks.

#include "base/pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SMALL_PAGE ((size_t)4 << 10)
#define HUGE_PAGE  CAIRN_POOL_MAPPED
#define SMALL_KEPT ((int64_t)32 << 20) /* bytes */

static size_t round_up(size_t bytes, size_t page)
{
    return (bytes + page - 1) / page * page;
}

static bool is_mapped(size_t total)
{
    return total >= CAIRN_POOL_MAPPED;
}

static cairn_shelf *shelf_of(cairn_pool *pool, size_t total)
{
    return is_mapped(total) ? &pool->mapped : &pool->small;
}

static void give_back(void *start, size_t total)
{
    if (is_mapped(total))
        munmap(start, total);
    else
        free(start);
}

void cairn_pool_init(cairn_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
}

/// Take block @p k off the shelf; the lock is held.
static void *remove_block(cairn_pool *pool, cairn_shelf *shelf, int k, size_t *total)
{
    void *start = shelf->block[k].start;

    *total = shelf->block[k].total;
    shelf->bytes -= (int64_t)*total;
    atomic_fetch_sub(&pool->kept, (int64_t)*total);
    shelf->kept--;
    memmove(&shelf->block[k], &shelf->block[k + 1],
            (size_t)(shelf->kept - k) * sizeof shelf->block[0]);
    return start;
}

static void give_oldest_back(cairn_pool *pool, cairn_shelf *shelf)
{
    size_t      total;
    void *const start = remove_block(pool, shelf, 0, &total);

    give_back(start, total);
}

/// Give blocks back, big ones first. The caller holds the lock, or is the only thread.
static void trim(cairn_pool *pool, int64_t room)
{
    while (pool->mapped.kept > 0 && pool->kept > room)
        give_oldest_back(pool, &pool->mapped);
    while (pool->small.kept > 0 && pool->kept > room)
        give_oldest_back(pool, &pool->small);
}

void cairn_pool_fini(cairn_pool *pool)
{
    trim(pool, 0);
    pthread_mutex_destroy(&pool->lock);
}

/// The kept block that fits best, or -1; the lock is held.
static int best_fit(const cairn_shelf *shelf, size_t total)
{
    const size_t page = is_mapped(total) ? HUGE_PAGE : SMALL_PAGE;
    int          best = -1;

    for (int k = 0; k < shelf->kept; k++) {
        const size_t size = shelf->block[k].total;

        if (size < total || size > total + total / 4 + page) continue;
        if (best < 0 || size < shelf->block[best].total) best = k;
    }
    return best;
}

/* One page more is mapped, and the ends are cut off. */
void *cairn_pool_map(size_t total)
{
    char *start = mmap(NULL, total + HUGE_PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED) return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;

    if (before > 0) munmap(start, before);
    if (before < HUGE_PAGE) munmap(start + before + total, HUGE_PAGE - before);
    madvise(start + before, total, MADV_HUGEPAGE);
    return start + before;
}

static void *get_fresh(size_t total)
{
    return is_mapped(total) ? cairn_pool_map(total) : aligned_alloc(64, total);
}

size_t cairn_pool_size(size_t bytes, bool tight)
{
    const size_t size = round_up(bytes, SMALL_PAGE);

    return is_mapped(size) && !tight ? round_up(size, HUGE_PAGE) : size;
}

void cairn_pool_trim(cairn_pool *pool, int64_t room)
{
    if (atomic_load(&pool->kept) <= room) return;
    pthread_mutex_lock(&pool->lock);
    trim(pool, room);
    pthread_mutex_unlock(&pool->lock);
}

void *
cairn_pool_take(cairn_pool *pool, size_t size, int64_t room, size_t *total, bool *zero)
{
    cairn_shelf *const shelf = shelf_of(pool, size);
    void              *start = NULL;

    *zero = false;
    pthread_mutex_lock(&pool->lock);
    const int k = best_fit(shelf, size);

    if (k >= 0) start = remove_block(pool, shelf, k, total);
    pthread_mutex_unlock(&pool->lock);
    if (start) return start;
    cairn_pool_trim(pool, room);
    *zero  = is_mapped(size);
    *total = size;
    start  = get_fresh(size);
    if (start) return start;
    cairn_pool_trim(pool, 0);
    return get_fresh(size);
}

void cairn_pool_give(cairn_pool *pool, void *start, size_t total, int64_t limit)
{
    cairn_shelf *const shelf = shelf_of(pool, total);

    if (!is_mapped(total) && limit > SMALL_KEPT) limit = SMALL_KEPT;
    if ((int64_t)total > limit) {
        give_back(start, total);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    while (
        shelf->kept > 0
        && (shelf->kept == CAIRN_POOL_BLOCKS || shelf->bytes + (int64_t)total > limit))
        give_oldest_back(pool, shelf);
    shelf->block[shelf->kept].start = start;
    shelf->block[shelf->kept].total = total;
    shelf->kept++;
    shelf->bytes += (int64_t)total;
    atomic_fetch_add(&pool->kept, (int64_t)total);
    pthread_mutex_unlock(&pool->lock);
}
