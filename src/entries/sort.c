// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A stable ordering by several keys, by radix: the most significant digit first until
/// what is to be sorted fits a core's cache, the least significant first from there on.
/// Neighbouring keys whose ranges fit 64 bits together become one word.

#include "base/offsets.h"
#include "entries/entries.h"
#include "entries/sort_items.h"

#include <string.h>

enum {
    DIGIT_BITS = 10,
    DIGITS     = 1 << DIGIT_BITS,
    CACHED     = 1 << 13, ///< Items of a bucket: 128 KB, and as much for handles.
    FEW        = 24,      ///< Items up to which insertion is fastest.
    /* Digits of words that have no more, and their bits: of three, and of fewer. More bits
       sort as fast, or faster, by handles (measured). */
    WIDE_DIGITS = 3,
    THIRD_BITS  = 12,
    WIDE_BITS   = 16,
    WIDE_COUNTS = 2 << 15, ///< Of all digits: 256 KB of stack.
};

static bool in_order(cairn_pos n, int keys, const int64_t *const *key)
{
    for (cairn_pos p = 1; p < n; p++) {
        int k = 0;

        while (k < keys && key[k][p - 1] == key[k][p])
            k++;
        if (k < keys && key[k][p - 1] > key[k][p]) return false;
    }
    return true;
}

cairn_key_range cairn_key_range_of(cairn_pos n, const int64_t *key)
{
    int64_t least = key[0], most = key[0];

    for (cairn_pos p = 1; p < n; p++) {
        least = key[p] < least ? key[p] : least;
        most  = key[p] > most ? key[p] : most;
    }
    return cairn_key_range_between(least, most);
}

static void insert_items(cairn_pos n, cairn_item *items)
{
    for (cairn_pos p = 1; p < n; p++) {
        const cairn_item item = items[p];
        cairn_pos        q    = p;

        for (; q > 0 && items[q - 1].word > item.word; q--)
            items[q] = items[q - 1];
        items[q] = item;
    }
}

/// One stable counting pass over the digit of @p width bits from @p shift up. Leaves in
/// @p end where each digit's items end.
static void scatter_items(cairn_pos         n,
                          int               shift,
                          int               width,
                          const cairn_item *from,
                          cairn_item       *to,
                          cairn_pos         end[DIGITS])
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;

    memset(end, 0, (size_t)(mask + 1) * sizeof *end);
    for (cairn_pos p = 0; p < n; p++)
        end[from[p].word >> shift & mask]++;
    cairn_offsets((int64_t)mask + 1, 0, end);
    for (cairn_pos p = 0; p < n; p++)
        to[end[from[p].word >> shift & mask]++] = from[p];
}

/// Bits up to the first in which the words differ.
static int differing_bits(cairn_pos n, const cairn_item *items)
{
    uint64_t differ = 0;

    for (cairn_pos p = 1; p < n; p++)
        differ |= items[p].word ^ items[0].word;
    return differ ? 64 - __builtin_clzll(differ) : 0;
}

/// The least significant digit first, digits of equal width.
static cairn_item *
sort_by_digits(cairn_pos n, int bits, int low, cairn_item *items, cairn_item *scratch)
{
    const int passes = (bits - low + DIGIT_BITS - 1) / DIGIT_BITS;
    cairn_pos end[DIGITS];

    for (int pass = 0, shift = low; pass < passes; pass++) {
        const int         width = (bits - shift + passes - pass - 1) / (passes - pass);
        cairn_item *const swap  = items;

        scatter_items(n, shift, width, items, scratch, end);
        items   = scratch;
        scratch = swap;
        shift += width;
    }
    return items;
}

/// Bits of the digit that makes buckets of @p n items fit the cache.
static int bucket_bits(cairn_pos n, int bits)
{
    int width = 1;

    while (width < DIGIT_BITS && n >> width > CACHED)
        width++;
    return width < bits ? width : bits;
}

static cairn_item *sort_by_buckets(cairn_pos   n,
                                   int         bits,
                                   int         split,
                                   int         low,
                                   cairn_item *items,
                                   cairn_item *scratch)
{
    const int width = bucket_bits(n, bits - low), rest = bits - width;
    cairn_pos end[DIGITS], begin                       = 0;

    scatter_items(n, rest, width, items, scratch, end);
    for (int b = 0; b < 1 << width; begin = end[b++]) {
        cairn_item *const bucket = items + begin;
        const cairn_pos   count  = end[b] - begin;
        const cairn_item *sorted =
            cairn_sort_items(count, rest, split, low, scratch + begin, bucket);

        if (sorted != bucket) memcpy(bucket, sorted, (size_t)count * sizeof *bucket);
    }
    return items;
}

/// Put items in an order that lies where they go: in the first half of it, or in the
/// second. From that end no place is written before what it held was read.
static cairn_item *gather_items(cairn_pos         n,
                                const cairn_item *items,
                                const uint64_t   *order,
                                cairn_item       *to)
{
    if (order == (const uint64_t *)(const void *)to)
        for (cairn_pos k = n - 1; k >= 0; k--)
            to[k] = *cairn_handled_item(items, order, k);
    else
        for (cairn_pos k = 0; k < n; k++)
            to[k] = *cairn_handled_item(items, order, k);
    return to;
}

/// Digits of the last @p bits bits, if these are few and none has more values than there
/// are items; else 0. Of items whose handles are in cache only those of one digit.
static int wide_digits(cairn_pos n, int bits)
{
    const int digits = (bits + WIDE_BITS - 1) / WIDE_BITS;

    if (digits >= WIDE_DIGITS && bits > WIDE_DIGITS * THIRD_BITS) return 0;
    if (digits > (n > CAIRN_HANDLES ? WIDE_DIGITS : 1)) return 0;
    if (digits == 2 && bits > 30) return WIDE_DIGITS;
    return n >> (bits + digits - 1) / digits > 0 ? digits : 0;
}

/// A digit of words, and where the items of each of its values go.
typedef struct {
    int       shift;
    uint64_t  mask;
    uint32_t *next;
} wide_digit;

/// Divide bits @p low to @p bits among @p digits digits of about equal width. @p next: room
/// for as many as they have values together.
static void plan_widely(int        bits,
                        int        low,
                        int        digits,
                        uint32_t  *next,
                        wide_digit digit[WIDE_DIGITS])
{
    for (int k = 0, shift = low; k < digits; k++) {
        const int width = (bits - shift + digits - k - 1) / (digits - k);

        digit[k] = (wide_digit){shift, ((uint64_t)1 << width) - 1, next};
        memset(next, 0, sizeof *next << width);
        next += (size_t)1 << width;
        shift += width;
    }
}

/// Count the values of all digits in one pass. @p digits is a constant where it is inlined.
static inline __attribute__((always_inline)) void
count_widely(cairn_pos n, int digits, const wide_digit *digit, const cairn_item *items)
{
    wide_digit its[WIDE_DIGITS]; /* counting might change what is pointed to */

    memcpy(its, digit, sizeof its);
    for (cairn_pos p = 0; p < n; p++)
        for (int k = 0; k < digits; k++)
            its[k].next[items[p].word >> its[k].shift & its[k].mask]++;
}

/// One stable pass over a digit that was counted.
static void scatter_widely(cairn_pos         n,
                           const wide_digit *digit,
                           const cairn_item *from,
                           cairn_item       *to)
{
    const int       shift = digit->shift;
    const uint64_t  mask  = digit->mask;
    uint32_t *const next  = digit->next;

    cairn_offsets_small((int64_t)mask + 1, 0, next);
#pragma GCC unroll 4
    for (cairn_pos p = 0; p < n; p++)
        to[next[from[p].word >> shift & mask]++] = from[p];
}

/// The least significant digit first; one that all items share moves none. Items that lie
/// in the second cache are moved sooner than handles of theirs and then they themselves.
static cairn_item *sort_widely(cairn_pos   n,
                               int         bits,
                               int         low,
                               int         digits,
                               cairn_item *items,
                               cairn_item *scratch)
{
    uint32_t   next[WIDE_COUNTS];
    wide_digit digit[WIDE_DIGITS] = {{0}};

    plan_widely(bits, low, digits, next, digit);
    switch (digits) {
    case 1: count_widely(n, 1, digit, items); break;
    case 2: count_widely(n, 2, digit, items); break;
    default: count_widely(n, WIDE_DIGITS, digit, items);
    }
    for (int k = 0; k < digits; k++) {
        cairn_item *const swap = items;
        const uint64_t    one  = items[0].word >> digit[k].shift & digit[k].mask;

        if (digit[k].next[one] == n) continue;
        scatter_widely(n, &digit[k], items, scratch);
        items   = scratch;
        scratch = swap;
    }
    return items;
}

cairn_item *cairn_sort_items(cairn_pos   n,
                             int         bits,
                             int         split,
                             int         low,
                             cairn_item *items,
                             cairn_item *scratch)
{
    if (n <= FEW) {
        insert_items(n, items);
        return items;
    }
    if (bits <= low) return items;
    const int digits = n <= CAIRN_MANY_HANDLES ? wide_digits(n, bits - low) : 0;

    if (digits > 0) return sort_widely(n, bits, low, digits, items, scratch);
    if (n <= CAIRN_HANDLES) {
        const uint64_t *const order =
            cairn_sort_handles(n, split, low, items, (uint64_t *)(void *)scratch);

        if (order) return gather_items(n, items, order, scratch);
    }
    if (n > CAIRN_HANDLES && n <= CAIRN_MANY_HANDLES) {
        const uint64_t *const order =
            cairn_sort_many_handles(n, bits, low, items, (uint64_t *)(void *)scratch);

        if (order) return gather_items(n, items, order, scratch);
    }
    if (bits > 0) bits = differing_bits(n, items);
    if (bits <= low) return items;
    return n <= CAIRN_HANDLES ? sort_by_digits(n, bits, low, items, scratch)
                              : sort_by_buckets(n, bits, split, low, items, scratch);
}

/// Sort by one group of keys that fit a word together.
static cairn_item *sort_group(cairn_pos              n,
                              int                    keys,
                              const int64_t *const  *key,
                              const cairn_key_range *range,
                              cairn_item            *items,
                              cairn_item            *scratch)
{
    int bits = 0;

    for (int k = 0; k < keys; k++)
        bits += range[k].bits;
    for (cairn_pos p = 0; p < n; p++) {
        uint64_t word = 0;

        for (int k = 0; k < keys; k++)
            word = cairn_pack_key(word, key[k][items[p].load], &range[k]);
        items[p].word = word;
    }
    return cairn_sort_items(n, bits,
                            range[keys - 1].bits < 64 ? range[keys - 1].bits : 0, 0,
                            items, scratch);
}

/// Least significant group of keys first; a group is as many keys as fit one word.
static cairn_item *sort_groups(cairn_pos             n,
                               int                   keys,
                               const int64_t *const *key,
                               cairn_item           *items,
                               cairn_item           *scratch)
{
    for (int end = keys; end > 0;) {
        cairn_key_range range[CAIRN_MAX_SORT_KEYS];
        int             begin = end - 1;
        int             bits  = (range[begin] = cairn_key_range_of(n, key[begin])).bits;

        while (begin > 0) {
            range[begin - 1] = cairn_key_range_of(n, key[begin - 1]);
            if (bits + range[begin - 1].bits > 64) break;
            bits += range[--begin].bits;
        }

        cairn_item *const sorted =
            sort_group(n, end - begin, key + begin, range + begin, items, scratch);

        scratch = sorted == items ? scratch : items;
        items   = sorted;
        end     = begin;
    }
    return items;
}

/// Bits of all keys together, side by side.
static int find_key_ranges(cairn_pos             n,
                           int                   keys,
                           const int64_t *const *key,
                           cairn_key_range      *range)
{
    int bits = 0;

    for (int k = 0; k < keys; k++)
        bits += (range[k] = cairn_key_range_of(n, key[k])).bits;
    return bits;
}

/// Order few rows by keys that fit a handle: they are sorted where the order will be, and
/// in room for as many.
static cairn_status order_handles(cairn_env             *env,
                                  cairn_pos              n,
                                  int                    keys,
                                  const int64_t *const  *key,
                                  const cairn_key_range *range,
                                  cairn_pos             *order)
{
    uint64_t *const handle = (uint64_t *)order;
    const uint64_t  mask   = ((uint64_t)1 << CAIRN_HANDLE_BITS) - 1;
    uint64_t       *room;
    int             bits = 0;

    CAIRN_TRY(CAIRN_NEW(env, n, &room));
    memset(handle, 0, (size_t)n * sizeof *handle);
    for (int k = 0; k < keys; k++) {
        bits += range[k].bits;
        for (cairn_pos p = 0; p < n; p++)
            handle[p] = cairn_pack_key(handle[p], key[k][p], &range[k]);
    }
    const uint64_t *const sorted = cairn_sort_row_handles(n, bits, handle, room);

    for (cairn_pos p = 0; p < n; p++)
        order[p] = (cairn_pos)(sorted[p] & mask);
    cairn_free(env, room);
    return CAIRN_OK;
}

cairn_status cairn_sort_order(cairn_env            *env,
                              cairn_pos             n,
                              int                   keys,
                              const int64_t *const *key,
                              cairn_pos            *order)
{
    CAIRN_CHECK(keys <= CAIRN_MAX_SORT_KEYS, env, CAIRN_BAD_ARGUMENT,
                "sort: %d keys: at most %d", keys, CAIRN_MAX_SORT_KEYS);
    cairn_visit(env, 2 * n);
    if (in_order(n, keys, key)) {
        for (cairn_pos p = 0; p < n; p++)
            order[p] = p;
        return CAIRN_OK;
    }

    cairn_key_range range[CAIRN_MAX_SORT_KEYS];
    cairn_item     *items = NULL, *scratch = NULL;

    cairn_visit(env, n * keys);
    if (n <= CAIRN_MANY_HANDLES
        && find_key_ranges(n, keys, key, range) <= CAIRN_HANDLE_KEY) {
        cairn_visit(env, n * (1 + 3 * (int64_t)keys));
        return order_handles(env, n, keys, key, range, order);
    }
    CAIRN_TRY(CAIRN_NEW(env, n, &items));

    const cairn_status status = CAIRN_NEW(env, n, &scratch);

    if (status == CAIRN_OK) {
        /* A key's range, its part of a word, and two passes for every digit of it. */
        cairn_visit(env, n * (2 + 4 * (int64_t)keys));
        for (cairn_pos p = 0; p < n; p++)
            items[p].load = p;

        const cairn_item *const sorted = sort_groups(n, keys, key, items, scratch);

        for (cairn_pos p = 0; p < n; p++)
            order[p] = sorted[p].load;
        cairn_free(env, scratch);
    }
    cairn_free(env, items);
    return status;
}
