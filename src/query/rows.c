// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows by counting: a stable sort key by key from the last to the first, and buckets in
/// sets by their load, of which the lowest is found by its first bit.

#include "query/rows.h"

#include <string.h>

enum {
    DIGIT    = 16,      ///< Bits of a key that are sorted at once.
    MOST_SET = 1 << 22, ///< Words of all sets of buckets.
};

/* ---- order ---- */

static bool is_sorted(int64_t n, const int64_t *key, const uint32_t *order)
{
    for (int64_t k = 1; k < n; k++)
        if (key[order[k - 1]] > key[order[k]]) return false;
    return true;
}

/// One pass over the digit of (key - low) that begins at bit @p shift.
static void sort_digit(int64_t         n,
                       const int64_t  *key,
                       int64_t         low,
                       int             shift,
                       uint32_t       *count,
                       const uint32_t *order,
                       uint32_t       *sorted)
{
    const uint64_t mask   = ((uint64_t)1 << DIGIT) - 1;
    uint32_t       before = 0;

    memset(count, 0, (mask + 1) * sizeof *count);
    for (int64_t k = 0; k < n; k++)
        count[((uint64_t)key[k] - (uint64_t)low) >> shift & mask]++;
    for (uint64_t d = 0; d <= mask; d++) {
        const uint32_t here = count[d];

        count[d] = before;
        before += here;
    }
    for (int64_t k = 0; k < n; k++)
        sorted[count[((uint64_t)key[order[k]] - (uint64_t)low) >> shift & mask]++] =
            order[k];
}

static void find_range(int64_t n, const int64_t *key, int64_t *low, uint64_t *width)
{
    int64_t high = key[0];

    *low = key[0];
    for (int64_t k = 1; k < n; k++) {
        if (key[k] < *low) *low = key[k];
        if (key[k] > high) high = key[k];
    }
    *width = (uint64_t)high - (uint64_t)*low;
}

/// Sort stably by one key, digit by digit; the result is in `order`.
static void sort_by(int64_t        n,
                    const int64_t *key,
                    uint32_t      *count,
                    uint32_t      *order,
                    uint32_t      *scratch)
{
    int64_t  low;
    uint64_t width;

    if (n < 2 || is_sorted(n, key, order)) return;
    find_range(n, key, &low, &width);
    for (int shift = 0; shift < 64 && width >> shift; shift += DIGIT) {
        sort_digit(n, key, low, shift, count, order, scratch);
        memcpy(order, scratch, (size_t)n * sizeof *order);
    }
}

/// By the row's own number, whatever the order was.
static void restart(int64_t n, uint32_t *order)
{
    for (int64_t k = 0; k < n; k++)
        order[k] = (uint32_t)k;
}

cairn_status cairn_rows_order(cairn_env            *env,
                              int64_t               n,
                              int                   keys,
                              const int64_t *const *key,
                              uint32_t             *order)
{
    uint32_t    *count = NULL, *scratch = NULL;
    int          last = 0; /* keys behind the rows' own number decide nothing */
    cairn_status status;

    CAIRN_CHECK(n <= UINT32_MAX, env, CAIRN_NO_KERNEL, "query: more than 2^32 rows");
    CAIRN_GO(done, CAIRN_NEW(env, (int64_t)1 << DIGIT, &count));
    CAIRN_GO(done, CAIRN_NEW(env, n, &scratch));
    while (last < keys && key[last])
        last++;
    restart(n, order);
    for (int k = last - 1; k >= 0; k--)
        sort_by(n, key[k], count, order, scratch);
done:
    cairn_free(env, count);
    cairn_free(env, scratch);
    return status;
}

/* ---- schedule ---- */

/// Buckets by load, in a ring of levels: loads differ by less than there are levels.
typedef struct {
    int64_t   levels; ///< A power of 2.
    int64_t   words;  ///< Of the set of one level.
    uint64_t *set;    ///< [levels][words]
    int64_t   lowest; ///< Least load of any bucket.
    int64_t  *size;   ///< [levels] buckets there.
} ring;

static void enter(ring *r, int64_t load, int64_t bucket)
{
    const int64_t at = load & (r->levels - 1);

    r->set[at * r->words + bucket / 64] |= (uint64_t)1 << bucket % 64;
    r->size[at]++;
}

/// Take the first bucket of the least load.
static int64_t take(ring *r)
{
    int64_t at, w = 0;

    while (r->size[at = r->lowest & (r->levels - 1)] == 0)
        r->lowest++;
    uint64_t *set = r->set + at * r->words;

    while (set[w] == 0)
        w++;
    const int64_t bucket = w * 64 + __builtin_ctzll(set[w]);

    set[w] &= set[w] - 1;
    r->size[at]--;
    return bucket;
}

static void ring_start(ring *r, int64_t buckets)
{
    memset(r->set, 0, (size_t)(r->levels * r->words) * sizeof *r->set);
    memset(r->size, 0, (size_t)r->levels * sizeof *r->size);
    r->lowest = 0;
    for (int64_t b = 0; b < buckets; b++)
        enter(r, 0, b);
}

static bool same_window(int windows, const int64_t *const *key, uint32_t x, uint32_t y)
{
    for (int k = 0; k < windows; k++)
        if (key[k] ? key[k][x] != key[k][y] : x != y) return false;
    return true;
}

static cairn_status
ring_init(cairn_env *env, int64_t n, const uint32_t *load, int64_t buckets, ring *r)
{
    int64_t longest = 0;

    for (int64_t k = 0; k < n; k++)
        if (load[k] > longest) longest = load[k];
    r->levels = 1;
    while (r->levels <= longest)
        r->levels *= 2;
    r->words = (buckets + 63) / 64;
    CAIRN_CHECK((__int128)r->levels * r->words <= MOST_SET, env, CAIRN_NO_KERNEL,
                "query: schedule: too many loads to tell buckets by them");
    CAIRN_TRY(CAIRN_NEW(env, r->levels * r->words, &r->set));
    return CAIRN_NEW(env, r->levels, &r->size);
}

static void hand_out(ring           *r,
                     int64_t         n,
                     const uint32_t *order,
                     const uint32_t *load,
                     int64_t         buckets,
                     uint32_t       *number)
{
    ring_start(r, buckets);
    for (int64_t k = 0; k < n; k++) {
        const int64_t bucket = take(r);

        number[order[k]] = (uint32_t)bucket;
        enter(r, r->lowest + load[order[k]], bucket);
    }
}

cairn_status cairn_rows_schedule(cairn_env            *env,
                                 int64_t               n,
                                 const uint32_t       *order,
                                 int                   windows,
                                 const int64_t *const *key,
                                 const uint32_t       *load,
                                 int64_t               buckets,
                                 uint32_t             *number)
{
    /* no more than there are rows can be used */
    const int64_t used = buckets < n ? buckets : n;
    ring          r    = {.set = NULL};
    cairn_status  status;

    CAIRN_GO(done, ring_init(env, n, load, used > 0 ? used : 1, &r));
    for (int64_t begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && same_window(windows, key, order[begin], order[end]))
            end++;
        hand_out(&r, end - begin, order + begin, load,
                 end - begin < used ? end - begin : used, number);
    }
done:
    cairn_free(env, r.set);
    cairn_free(env, r.size);
    return status;
}
