// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sorting many items on several threads: one pass counts them by their first digit, one
/// scatters them to buckets, and every bucket is sorted by itself. Equal words are scattered to
/// one bucket in the order in which they stood, thread after thread.

#include "entries/sort_items.h"

#include <stdatomic.h>
#include <string.h>

enum {
    DIGIT_BITS = 10,
    DIGITS     = 1 << DIGIT_BITS,
    SHARE      = 100000, ///< Items worth a thread.
};

typedef struct {
    cairn_pos        n;
    int              threads, shift; ///< Bits below the digit.
    int              split, low;     ///< As of cairn_sort_items().
    cairn_pos       *next;           ///< [threads][DIGITS] where the next item goes.
    cairn_item      *items, *to;
    _Atomic uint64_t differ; ///< Bits in which words do.
    _Atomic int      taken;  ///< Buckets that are sorted, or being sorted.
} partitioning;

static cairn_pos share_begin(const partitioning *d, int thread)
{
    return (cairn_pos)((__int128)d->n * thread / d->threads);
}

static void compare_task(void *user, int thread)
{
    partitioning *const     d      = user;
    const cairn_item *const items  = d->items;
    const cairn_pos         end    = share_begin(d, thread + 1);
    uint64_t                differ = 0;

    for (cairn_pos p = share_begin(d, thread); p < end; p++)
        differ |= items[p].word ^ items[0].word;
    atomic_fetch_or(&d->differ, differ);
}

static void count_task(void *user, int thread)
{
    const partitioning *const d     = user;
    const cairn_item *const   items = d->items;
    const int                 shift = d->shift;
    const cairn_pos           end   = share_begin(d, thread + 1);
    cairn_pos *const          next  = d->next + thread * DIGITS;

    memset(next, 0, DIGITS * sizeof *next);
    for (cairn_pos p = share_begin(d, thread); p < end; p++)
        next[items[p].word >> shift & (DIGITS - 1)]++;
}

static void partition_task(void *user, int thread)
{
    const partitioning *const d     = user;
    const cairn_item *const   items = d->items;
    cairn_item *const         to    = d->to;
    const int                 shift = d->shift;
    const cairn_pos           end   = share_begin(d, thread + 1);
    cairn_pos *const          next  = d->next + thread * DIGITS;

    for (cairn_pos p = share_begin(d, thread); p < end; p++)
        to[next[items[p].word >> shift & (DIGITS - 1)]++] = items[p];
}

/// From counts to begins: the threads' items of a bucket follow each other.
static void place_buckets(partitioning *d)
{
    cairn_pos before = 0;

    for (int b = 0; b < DIGITS; b++)
        for (int t = 0; t < d->threads; t++) {
            const cairn_pos here = d->next[t * DIGITS + b];

            d->next[t * DIGITS + b] = before;
            before += here;
        }
}

/// Sort what was scattered to bucket @p b, back to where the items came from.
static void sort_bucket(const partitioning *d, int b)
{
    /* After scattering, the last thread stands where the bucket ends. */
    const cairn_pos *const end   = d->next + (d->threads - 1) * DIGITS;
    const cairn_pos        begin = b > 0 ? end[b - 1] : 0, count = end[b] - begin;
    cairn_item *const      home = d->items + begin;
    const cairn_item      *sorted =
        cairn_sort_items(count, d->shift, d->split, d->low, d->to + begin, home);

    if (sorted != home) memcpy(home, sorted, (size_t)count * sizeof *home);
}

static void sort_task(void *user, int thread)
{
    partitioning *const d = user;

    (void)thread; /* a thread takes the next bucket */
    for (int b; (b = atomic_fetch_add(&d->taken, 1)) < DIGITS;)
        sort_bucket(d, b);
}

static void sort_on_threads(cairn_thread_pool *pool, partitioning *d)
{
    cairn_thread_pool_run(pool, d->threads, compare_task, d, d->threads);
    const int bits = d->differ ? 64 - __builtin_clzll(d->differ) : 0;

    d->shift = bits > DIGIT_BITS + d->low ? bits - DIGIT_BITS : d->low;
    cairn_thread_pool_run(pool, d->threads, count_task, d, d->threads);
    place_buckets(d);
    cairn_thread_pool_run(pool, d->threads, partition_task, d, d->threads);
    cairn_thread_pool_run(pool, d->threads, sort_task, d, d->threads);
}

cairn_status cairn_sort_many(cairn_env   *env,
                             int          threads,
                             cairn_pos    n,
                             int          bits,
                             int          split,
                             int          low,
                             cairn_item  *items,
                             cairn_item  *scratch,
                             cairn_item **sorted)
{
    const cairn_pos most = n / SHARE;
    partitioning    d    = {
              .n = n, .split = split, .low = low, .items = items, .to = scratch};

    d.threads = (int)(threads < most ? threads : most);
    if (d.threads < 2) {
        *sorted = cairn_sort_items(n, bits, split, low, items, scratch);
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)d.threads * DIGITS, &d.next));
    sort_on_threads(&env->thread_pool, &d);
    cairn_free(env, d.next);
    *sorted = items;
    return CAIRN_OK;
}
