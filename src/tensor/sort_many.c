// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sorting many items on several threads: one pass counts them by their first digit, one
/// deals them to buckets, and every bucket is sorted by itself. Equal words are dealt to
/// one bucket in the order in which they stood, thread after thread.

#include "tensor/sort_items.h"

#include <string.h>

enum {
    DIGIT_BITS = 10,
    DIGITS     = 1 << DIGIT_BITS,
    SHARE      = 100000, ///< Items worth a thread.
};

typedef struct {
    cairn_pos   n;
    int         threads, shift; ///< Bits below the digit.
    cairn_pos  *next;           ///< [threads][DIGITS] where the next item goes.
    cairn_item *items, *to;
} dealing;

static cairn_pos share_begin(const dealing *d, int thread)
{
    return (cairn_pos)((__int128)d->n * thread / d->threads);
}

static uint64_t digit_of(const dealing *d, const cairn_item *item)
{
    return item->word >> d->shift & (DIGITS - 1);
}

/// Bits up to the first in which the words differ.
static int differing_bits(const dealing *d)
{
    const cairn_item *const items  = d->items;
    uint64_t                differ = 0;

#pragma omp parallel for schedule(static) num_threads(d->threads) reduction(| : differ)
    for (cairn_pos p = 1; p < d->n; p++)
        differ |= items[p].word ^ items[0].word;
    return differ ? 64 - __builtin_clzll(differ) : 0;
}

static void count_share(const dealing *d, int thread)
{
    const dealing    one  = *d; /* counting might change what is pointed to */
    const cairn_pos  end  = share_begin(d, thread + 1);
    cairn_pos *const next = d->next + thread * DIGITS;

    memset(next, 0, DIGITS * sizeof *next);
    for (cairn_pos p = share_begin(d, thread); p < end; p++)
        next[digit_of(&one, &one.items[p])]++;
}

static void deal_share(const dealing *d, int thread)
{
    const dealing    one  = *d;
    const cairn_pos  end  = share_begin(d, thread + 1);
    cairn_pos *const next = d->next + thread * DIGITS;

    for (cairn_pos p = share_begin(d, thread); p < end; p++)
        one.to[next[digit_of(&one, &one.items[p])]++] = one.items[p];
}

/// From counts to begins: the threads' items of a bucket follow each other.
static void place_buckets(dealing *d)
{
    cairn_pos before = 0;

    for (int b = 0; b < DIGITS; b++)
        for (int t = 0; t < d->threads; t++) {
            const cairn_pos here = d->next[t * DIGITS + b];

            d->next[t * DIGITS + b] = before;
            before += here;
        }
}

/// Sort what was dealt to bucket @p b, back to where the items came from.
static void sort_bucket(const dealing *d, int b, int split)
{
    /* After dealing, the last thread stands where the bucket ends. */
    const cairn_pos *const end   = d->next + (d->threads - 1) * DIGITS;
    const cairn_pos        begin = b > 0 ? end[b - 1] : 0, count = end[b] - begin;
    cairn_item *const      home = d->items + begin;
    const cairn_item      *sorted =
        cairn_sort_items(count, d->shift, split, d->to + begin, home);

    if (sorted != home) memcpy(home, sorted, (size_t)count * sizeof *home);
}

static void sort_on_threads(dealing *d, int split)
{
    const int bits = differing_bits(d);

    d->shift = bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
#pragma omp parallel for schedule(static, 1) num_threads(d->threads)
    for (int t = 0; t < d->threads; t++)
        count_share(d, t);
    place_buckets(d);
#pragma omp parallel for schedule(static, 1) num_threads(d->threads)
    for (int t = 0; t < d->threads; t++)
        deal_share(d, t);
#pragma omp parallel for schedule(dynamic, 1) num_threads(d->threads)
    for (int b = 0; b < DIGITS; b++)
        sort_bucket(d, b, split);
}

cairn_status cairn_sort_many(cairn_env   *env,
                             int          threads,
                             cairn_pos    n,
                             int          bits,
                             int          split,
                             cairn_item  *items,
                             cairn_item  *scratch,
                             cairn_item **sorted)
{
    const cairn_pos most = n / SHARE;
    dealing         d    = {.n = n, .items = items, .to = scratch};

    d.threads = (int)(threads < most ? threads : most);
    if (d.threads < 2) {
        *sorted = cairn_sort_items(n, bits, split, items, scratch);
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(env, (int64_t)d.threads * DIGITS, &d.next));
    sort_on_threads(&d, split);
    cairn_free(env, d.next);
    *sorted = items;
    return CAIRN_OK;
}
