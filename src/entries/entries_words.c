// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries out of buckets: every bucket is sorted in cache and unpacked from there. Equal
/// words meet in one bucket, in the order given, so that the result is the same for any
/// number of threads.

#include "entries/entries_words.h"

#include "entries/sort_lines.h"

#include <stdatomic.h>
#include <string.h>

enum {
    EACH = 4,    ///< Lines that an item pays for,
    FREE = 1024, ///< beside these.
};

/// The buckets while they are sorted.
typedef struct {
    const cairn_bucketed *bucketed;
    cairn_entries        *entries; ///< To be filled.
    cairn_item           *scratch; ///< [most] for each thread that sorts.
    _Atomic int64_t       taken;   ///< Buckets that are sorted, or being sorted.
} sorting;

/* Loops over entries are inlined with a constant order, and have what they read in copies
 * of their own: what they write might be any of it. */
#define INLINE static inline __attribute__((always_inline))

INLINE void unpack(const cairn_words *words,
                   int                order,
                   uint64_t           word,
                   cairn_entries     *entries,
                   cairn_pos          p)
{
    for (int k = order - 1; k >= 0; k--) {
        const int bits = words->range[k].bits;

        entries->coord[k][p] =
            words->range[k].least + (cairn_coord)(word & ~(~UINT64_C(0) << bits));
        word >>= bits;
    }
}

/// Write the items of a bucket from entry @p to on, adding duplicates.
/// @param order  Of the items; NULL: they stand in it.
/// @return Entries written.
INLINE cairn_pos write_items(const cairn_words *words,
                             int                modes,
                             cairn_pos          count,
                             const cairn_item  *items,
                             const uint64_t    *order,
                             cairn_entries     *to,
                             cairn_pos          at)
{
    const cairn_words layout  = *words;
    cairn_entries     entries = *to;
    cairn_pos         n       = at;
    uint64_t          last    = 0;

    for (cairn_pos k = 0; k < count; k++) {
        const cairn_item *item =
            order ? cairn_handled_item(items, order, k) : &items[k];
        double value;

        memcpy(&value, &item->load, sizeof value);
        if (k > 0 && item->word == last) {
            entries.value[n - 1] += value;
            continue;
        }
        last = item->word;
        unpack(&layout, modes, last, &entries, n);
        entries.value[n++] = value;
    }
    return n - at;
}

/// Bits of a word below those in which all items of bucket @p b agree.
static int bits_of_bucket(const cairn_bucketed *d, int64_t b)
{
    const uint64_t differ = d->least[b] ^ (d->least[b + 1] - 1);

    return differ ? 64 - __builtin_clzll(differ) : 0;
}

/// Sort bucket @p b; what is sorted goes to the entries while it is in cache.
/// @return Entries that it became.
static cairn_pos
sort_bucket(const cairn_bucketed *d, int64_t b, cairn_item *scratch, cairn_entries *to)
{
    const int       modes = d->order;
    const int       split = d->words.range[modes - 1].bits;
    const cairn_pos count = d->count[b], at = d->at[b];
    cairn_item     *items = d->items + d->begin[b];
    const uint64_t *order = NULL;
    uint64_t *const room  = (uint64_t *)(void *)scratch;

    if (count <= CAIRN_HANDLES)
        order = cairn_sort_handles(count, split, 0, items, room);
    if (order && modes == 2)
        return write_items(&d->words, 2, count, items, order, to, at);
    if (order) return write_items(&d->words, modes, count, items, order, to, at);

    cairn_item *const sorted =
        cairn_sort_items(count, bits_of_bucket(d, b), split, 0, items, scratch);

    if (sorted != items) memcpy(items, sorted, (size_t)count * sizeof *items);
    return write_items(&d->words, modes, count, items, NULL, to, at);
}

static void sort_task(void *user, int sorter)
{
    sorting *const        s = user;
    const cairn_bucketed *d = s->bucketed;

    for (int64_t b; (b = atomic_fetch_add(&s->taken, 1)) < d->buckets;)
        d->made[b] = sort_bucket(d, b, s->scratch + sorter * d->most, s->entries);
}

/* ---- repeats ---- */

/// Lines of a bucket up to which it is sorted line by line.
static int64_t most_lines(const cairn_bucketed *d)
{
    return EACH * d->most + FREE;
}

/// Items of scratch that a bucket takes, and behind them where lines begin.
static cairn_pos room_to_combine(const cairn_bucketed *d)
{
    return 2 * d->most + CAIRN_LINES_PAST
           + (most_lines(d) + 1) * (cairn_pos)sizeof(uint32_t)
                 / (cairn_pos)sizeof(cairn_item)
           + 1;
}

/// Sort bucket @p b where it is. @p scratch: [room_to_combine()]
/// @return Items left.
static cairn_pos combine_bucket(const cairn_bucketed *d, int64_t b, cairn_item *scratch)
{
    const int         split = d->words.bits - d->words.range[0].bits;
    const uint64_t    first = d->least[b] >> split;
    const int64_t     lines = (int64_t)(((d->least[b + 1] - 1) >> split) - first + 1);
    const cairn_pos   count = d->count[b];
    cairn_item *const items = d->items + d->begin[b];
    cairn_item       *to    = scratch + d->most + CAIRN_LINES_PAST;
    uint32_t *const   begin = (uint32_t *)(void *)(to + d->most);
    cairn_pos         left;

    if (lines <= most_lines(d)) {
        left =
            cairn_combine_lines(count, split, first, lines, items, scratch, to, begin);
    } else {
        to   = cairn_sort_items(count, bits_of_bucket(d, b),
                                d->words.range[d->order - 1].bits, 0, items, scratch);
        left = cairn_combine_sorted(count, to, NULL, to);
    }
    if (to != items) memcpy(items, to, (size_t)left * sizeof *items);
    return left;
}

static void combine_task(void *user, int sorter)
{
    sorting *const        s = user;
    const cairn_bucketed *d = s->bucketed;

    for (int64_t b; (b = atomic_fetch_add(&s->taken, 1)) < d->buckets;)
        if (d->count[b] > 0)
            d->count[b] =
                combine_bucket(d, b, s->scratch + sorter * room_to_combine(d));
}

cairn_status cairn_bucketed_combine(cairn_env *env, cairn_bucketed *bucketed)
{
    const cairn_pos room    = room_to_combine(bucketed);
    const int       sorters = cairn_bucketed_sorters(bucketed, room);
    sorting         s       = {.bucketed = bucketed};

    if (bucketed->columns) {
        CAIRN_TRY(cairn_columns_combine(env, bucketed->columns));
        bucketed->n = bucketed->columns->n;
    } else {
        CAIRN_TRY(CAIRN_NEW(env, room * sorters, &s.scratch));
        cairn_thread_pool_run(&env->thread_pool, sorters, combine_task, &s, sorters);
        cairn_free(env, s.scratch);
        bucketed->n = 0;
        for (int64_t b = 0; b < bucketed->buckets; b++) {
            bucketed->at[b] = bucketed->n;
            bucketed->n += bucketed->count[b];
        }
    }
    bucketed->repeats  = false;
    bucketed->combined = true;
    return CAIRN_OK;
}

/* ---- all ---- */

int cairn_bucketed_sorters(const cairn_bucketed *bucketed, cairn_pos items)
{
    const cairn_pos fit = items > 0 ? bucketed->n / 2 / items : 1;

    return fit < 1 ? 1 : fit < bucketed->threads ? (int)fit : bucketed->threads;
}

/// Bring the entries of the buckets together where duplicates left gaps.
static void close_gaps(const cairn_bucketed *d, cairn_entries *entries)
{
    cairn_pos n = 0;

    for (int64_t b = 0; b < d->buckets; b++) {
        const cairn_pos from  = d->at[b];
        const size_t    bytes = (size_t)d->made[b] * sizeof *entries->value;

        if (n < from && bytes > 0) {
            for (int k = 0; k < entries->order; k++)
                memmove(entries->coord[k] + n, entries->coord[k] + from, bytes);
            memmove(entries->value + n, entries->value + from, bytes);
        }
        n += d->made[b];
    }
    entries->n = n;
}

cairn_status cairn_bucketed_sort(cairn_env            *env,
                                 const cairn_bucketed *bucketed,
                                 cairn_entries        *entries)
{
    if (bucketed->columns) return cairn_columns_sort(env, bucketed->columns, entries);
    const int sorters = cairn_bucketed_sorters(bucketed, bucketed->most);
    sorting   s       = {.bucketed = bucketed, .entries = entries};

    CAIRN_TRY(CAIRN_NEW(env, bucketed->most * sorters, &s.scratch));
    cairn_thread_pool_run(&env->thread_pool, sorters, sort_task, &s, sorters);
    close_gaps(bucketed, entries);
    cairn_free(env, s.scratch);
    return CAIRN_OK;
}

cairn_status cairn_entries_by_words(cairn_env         *env,
                                    const cairn_given *given,
                                    const cairn_words *words,
                                    bool              *inside,
                                    cairn_entries     *entries)
{
    cairn_bucketed bucketed;
    cairn_status   status;

    CAIRN_GO(done, cairn_entries_partition(env, given, words, inside, &bucketed));
    if (*inside) status = cairn_bucketed_sort(env, &bucketed, entries);
done:
    cairn_bucketed_fini(env, &bucketed);
    return status;
}
