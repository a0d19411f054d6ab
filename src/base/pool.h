// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks of memory that are kept for the next one who asks instead of being given
/// back, so that a plan or a conversion that is made twice shall not pay twice.
///
/// Big ones are mapped by themselves, in huge pages where the kernel offers them:
/// clearing the pages of a fresh block costs more than most conversions (64 MB: 23 ms
/// in 4 KB pages, 6 in huge ones, 0 when the block is used again). Smaller ones are
/// malloc's, which gives the end of its heap back when it becomes free, and asks for it
/// again: two thirds of the time of a conversion of 25,000 entries were that.
///
/// A pool keeps at most a quarter of what its environment may use of each kind (64 MB if it
/// may use as much, all of less), 32 MB of what is malloc's, and CAIRN_POOL_BLOCKS blocks of
/// each kind, and gives all of it back when memory runs out. What is kept counts as memory:
/// a caller with a limit says how much may stay. Any thread may call.

#ifndef CAIRN_BASE_POOL_H
#define CAIRN_BASE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAIRN_POOL_BLOCKS = 32 };

#define CAIRN_POOL_FROM ((size_t)16 << 10) ///< Smaller blocks are malloc's alone.
#define CAIRN_POOL_MAPPED \
    ((size_t)2 << 20) ///< From here on they are mapped: huge pages.

/// Blocks that are kept.
typedef struct cairn_shelf {
    int kept;
    struct {
        void  *start;
        size_t total;           ///< Bytes, a multiple of a page.
    } block[CAIRN_POOL_BLOCKS]; ///< Oldest first.
    int64_t bytes;              ///< Of all that are kept.
} cairn_shelf;

typedef struct cairn_pool {
    pthread_mutex_t lock;
    cairn_shelf     mapped, small; ///< In huge pages; of malloc.
    _Atomic int64_t kept;          ///< Bytes on both.
} cairn_pool;

/// Start empty. Pairs with cairn_pool_fini(), which gives everything back.
void cairn_pool_init(cairn_pool *pool);
void cairn_pool_fini(cairn_pool *pool);

/// Bytes of a fresh block of at least @p bytes: whole pages, from CAIRN_POOL_MAPPED on
/// huge ones unless @p tight.
size_t cairn_pool_size(size_t bytes, bool tight);

/// Map memory of its own at a multiple of a huge page, and ask for such pages. No page of it
/// is touched.
///
/// @param[in] total  Bytes, a multiple of CAIRN_POOL_MAPPED.
/// @return what munmap() gives back; NULL: the system has no more.
void *cairn_pool_map(size_t total);

/// Take a block of @p size bytes, as cairn_pool_size() says, aligned to 64, from
/// CAIRN_POOL_MAPPED on to a huge page.
///
/// @param[in]  room   If none that is kept fits, at most so many bytes stay kept beside it.
/// @param[out] total  How long it is; at most 1.25 times what was asked, and a page.
/// @param[out] zero   It is fresh: every byte reads as 0, and no page was touched.
/// @return NULL: the system has no more.
void *
cairn_pool_take(cairn_pool *pool, size_t size, int64_t room, size_t *total, bool *zero);

/// Give the oldest blocks back until at most @p room bytes are kept.
void cairn_pool_trim(cairn_pool *pool, int64_t room);

/// Give a block back, to be kept if then at most @p limit bytes are.
void cairn_pool_give(cairn_pool *pool, void *start, size_t total, int64_t limit);

#endif
