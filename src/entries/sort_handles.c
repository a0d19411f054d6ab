// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ordering a bucket of items that lies in a core's cache. What moves is not the items
/// but handles of 8 bytes: what an item's word adds to the least of the bucket, and the
/// item's number. Bits that all words of the bucket share are none of a handle's. The
/// others are many more than it takes to tell the items apart: two passes order them by
/// the highest, which leaves runs of a few that agree in those. A run that is not in order
/// by then, as it mostly is, is sorted by itself.

#include "base/offsets.h"
#include "entries/sort_items.h"

#include <string.h>

enum {
    KEY_BITS = CAIRN_HANDLE_KEY,
    WIDEST   = 10, ///< Bits of a digit,
    WIDER    = 11, ///< where there are many items,
    LEAST    = 6,
    PASSES   = 2, ///< Over all items; 20 to 22 bits for up to 2^18 of them.
    COUNTS   = PASSES << WIDER, ///< Of all digits.
    FEW      = 24,              ///< Items up to which insertion is fastest.
};

/// How a word becomes a key: its upper field and its lower one, each from the least of
/// the bucket on, side by side in as many bits as they need.
typedef struct {
    uint64_t upper, lower; ///< The least of each.
    int      low;          ///< Bits of the word that are left out below both.
    int split, lower_bits; ///< Bits of the lower field in the word, and in the key.
    int need;              ///< Bits of a key.
    int rest;              ///< The lowest of them, which no digit has.
    int passes;            ///< Digits of a handle:
    int width[PASSES], shift[PASSES], count[PASSES]; ///< where they are counted.
} packing;

static int bits_of(uint64_t distance)
{
    return distance ? 64 - __builtin_clzll(distance) : 0;
}

/// Find the ranges of both fields.
static void
measure(cairn_pos n, int split, int low, const cairn_item *items, packing *p)
{
    split = split > low ? split - low : 0;

    const uint64_t mask     = ((uint64_t)1 << split) - 1;
    uint64_t       least[2] = {UINT64_MAX, UINT64_MAX}, most[2] = {0, 0};

    for (cairn_pos k = 0; k < n; k++) {
        const uint64_t word = items[k].word >> low, lower = word & mask,
                       upper = word >> split;

        least[0] = lower < least[0] ? lower : least[0];
        most[0]  = lower > most[0] ? lower : most[0];
        least[1] = upper < least[1] ? upper : least[1];
        most[1]  = upper > most[1] ? upper : most[1];
    }
    p->low        = low;
    p->split      = split;
    p->lower      = least[0];
    p->upper      = least[1];
    p->lower_bits = bits_of(most[0] - least[0]);
    p->need       = p->lower_bits + bits_of(most[1] - least[1]);
}

/// Digits of about equal width, of as many values as there are items or fewer, from a
/// key's highest bit down.
static void plan_digits(cairn_pos n, int most, packing *p)
{
    const int bits   = bits_of((uint64_t)n);
    const int widest = bits > most ? most : bits < LEAST ? LEAST : bits;
    const int digits = (p->need + widest - 1) / widest;
    int       done   = 0;

    p->passes = digits < PASSES ? digits : PASSES;
    p->rest   = digits > PASSES ? p->need - PASSES * widest : 0;
    for (int k = 0; k < p->passes; k++) {
        p->width[k] = (p->need - p->rest - done + p->passes - k - 1) / (p->passes - k);
        p->shift[k] = CAIRN_HANDLE_BITS + p->rest + done;
        p->count[k] = k << widest;
        done += p->width[k];
    }
}

static inline uint64_t handle_of(const cairn_item *items, cairn_pos k, const packing *p)
{
    const uint64_t mask  = ((uint64_t)1 << p->split) - 1;
    const uint64_t word  = items[k].word >> p->low;
    const uint64_t upper = (word >> p->split) - p->upper;
    const uint64_t lower = (word & mask) - p->lower;

    return (upper << p->lower_bits | lower) << CAIRN_HANDLE_BITS | (uint64_t)k;
}

static inline uint64_t digit_of(uint64_t handle, const packing *p, int pass)
{
    return handle >> p->shift[pass] & (((uint64_t)1 << p->width[pass]) - 1);
}

/// Make the handles and count all their digits; @p passes is a constant where it is
/// inlined, so that the loop over digits is none.
static inline __attribute__((always_inline)) void make_handles(cairn_pos         n,
                                                               const cairn_item *items,
                                                               const packing    *given,
                                                               int               passes,
                                                               uint64_t         *handle,
                                                               uint32_t         *count)
{
    const packing p = *given; /* counting might change what is pointed to */

    for (cairn_pos k = 0; k < n; k++) {
        handle[k] = handle_of(items, k, &p);
        for (int pass = 0; pass < passes; pass++)
            count[p.count[pass] + (int)digit_of(handle[k], &p, pass)]++;
    }
}

static void count_digits(cairn_pos         n,
                         const cairn_item *items,
                         const packing    *p,
                         uint64_t         *handle,
                         uint32_t         *count)
{
    for (int pass = 0; pass < p->passes; pass++)
        memset(count + p->count[pass], 0, sizeof *count << p->width[pass]);
    switch (p->passes) {
    case 0: make_handles(n, items, p, 0, handle, count); return;
    case 1: make_handles(n, items, p, 1, handle, count); return;
    default: make_handles(n, items, p, PASSES, handle, count); return;
    }
}

/// One stable pass over a digit that was counted.
static void pass_over(cairn_pos       n,
                      int             shift,
                      int             width,
                      uint32_t       *count,
                      const uint64_t *from,
                      uint64_t       *to)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;

    cairn_offsets_small((int64_t)mask + 1, 0, count);
    for (cairn_pos k = 0; k < n; k++)
        to[count[from[k] >> shift & mask]++] = from[k];
}

static void insert_handles(cairn_pos n, uint64_t *handle)
{
    for (cairn_pos k = 1; k < n; k++) {
        const uint64_t one = handle[k];
        cairn_pos      q   = k;

        for (; q > 0 && handle[q - 1] > one; q--)
            handle[q] = handle[q - 1];
        handle[q] = one;
    }
}

static void
count_handles(cairn_pos n, const packing *p, const uint64_t *handle, uint32_t *count)
{
    for (int pass = 0; pass < p->passes; pass++) {
        uint32_t *const its = count + p->count[pass];

        memset(its, 0, sizeof *its << p->width[pass]);
        for (cairn_pos k = 0; k < n; k++)
            its[digit_of(handle[k], p, pass)]++;
    }
}

static uint64_t *run_passes(cairn_pos      n,
                            const packing *p,
                            uint32_t      *count,
                            uint64_t      *from,
                            uint64_t      *to);

/// Order handles of a run, whose keys differ in their last @p bits bits, where they are.
static void sort_run(cairn_pos n, int bits, uint64_t *handle, uint64_t *room)
{
    packing  p = {.need = bits};
    uint32_t count[COUNTS];

    if (n <= FEW) {
        insert_handles(n, handle);
        return;
    }
    plan_digits(n, WIDEST, &p);
    count_handles(n, &p, handle, count);
    const uint64_t *const sorted = run_passes(n, &p, count, handle, room);

    if (sorted != handle) memcpy(handle, sorted, (size_t)n * sizeof *handle);
}

/// Handles are in the order of their keys but for the last @p rest bits, and those of equal
/// keys in that of their items.
static void sort_runs(cairn_pos n, int rest, uint64_t *handle, uint64_t *room)
{
    const int above = CAIRN_HANDLE_BITS + rest;

    for (cairn_pos k = 1; k < n; k++) {
        const uint64_t run   = handle[k] >> above;
        cairn_pos      begin = k - 1, end = k + 1;

        if (handle[k - 1] <= handle[k]) continue;
        while (begin > 0 && handle[begin - 1] >> above == run)
            begin--;
        while (end < n && handle[end] >> above == run)
            end++;
        sort_run(end - begin, rest, handle + begin, room + begin);
        k = end;
    }
}

/// Order handles by their digits, which are counted, then by what is below these.
static uint64_t *
run_passes(cairn_pos n, const packing *p, uint32_t *count, uint64_t *from, uint64_t *to)
{
    for (int pass = 0; pass < p->passes; pass++) {
        uint64_t *const swap = from;

        pass_over(n, p->shift[pass], p->width[pass], count + p->count[pass], from, to);
        from = to;
        to   = swap;
    }
    if (p->rest > 0) sort_runs(n, p->rest, from, to);
    return from;
}

/// Order the items by their handles, which begin as they come.
static const uint64_t *
sort_digits(cairn_pos n, const cairn_item *items, const packing *p, uint64_t *handle)
{
    uint32_t count[COUNTS];

    count_digits(n, items, p, handle, count);
    return run_passes(n, p, count, handle, handle + n);
}

const uint64_t *cairn_sort_handles(cairn_pos         n,
                                   int               split,
                                   int               low,
                                   const cairn_item *items,
                                   uint64_t         *handle)
{
    packing p;

    measure(n, split, low, items, &p);
    if (p.need > KEY_BITS) return NULL;
    if (n <= FEW) {
        for (cairn_pos k = 0; k < n; k++)
            handle[k] = handle_of(items, k, &p);
        insert_handles(n, handle);
        return handle;
    }
    plan_digits(n, WIDEST, &p);
    return sort_digits(n, items, &p, handle);
}

const uint64_t *cairn_sort_many_handles(cairn_pos         n,
                                        int               bits,
                                        int               low,
                                        const cairn_item *items,
                                        uint64_t         *handle)
{
    packing p = {.low = low, .need = bits - low};

    if (p.need > KEY_BITS) return NULL;
    if (bits < 64) p.upper = items[0].word >> bits << p.need;
    plan_digits(n, WIDER, &p);
    return sort_digits(n, items, &p, handle);
}

uint64_t *cairn_sort_row_handles(cairn_pos n, int bits, uint64_t *key, uint64_t *room)
{
    packing  p = {.need = bits};
    uint32_t count[COUNTS];

    for (cairn_pos k = 0; k < n; k++)
        key[k] = key[k] << CAIRN_HANDLE_BITS | (uint64_t)k;
    if (n <= FEW) {
        insert_handles(n, key);
        return key;
    }
    plan_digits(n, n <= CAIRN_HANDLES ? WIDEST : WIDER, &p);
    count_handles(n, &p, key, count);
    return run_passes(n, &p, count, key, room);
}
