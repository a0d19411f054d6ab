// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows in order and handed out, by what orders and hands out groups (windows.h,
/// buckets.h).

#include "groups/rows.h"

#include "groups/buckets.h"
#include "groups/windows.h"

#include <string.h>

enum {
    COUNTED     = 4, ///< Keys by which rows are ordered by counting, a pass for each;
    MORE_VALUES = 1 << 16, ///< a key may have so many values more than there are rows.
};

/* ---- counting ---- */

/// The values of a key; false: they have too large a range to be counted.
static bool find_range(int64_t n, const int64_t *key, int64_t *low, int64_t *size)
{
    int64_t hi = INT64_MIN;

    *low = INT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        *low = key[i] < *low ? key[i] : *low;
        hi   = key[i] > hi ? key[i] : hi;
    }
    if (n == 0) return *low = *size = 0, true;
    if (__builtin_sub_overflow(hi, *low, size) || *size >= n + MORE_VALUES)
        return false;
    ++*size;
    return true;
}

/// Rows in the order of one key, as they stood where it is equal. @p from NULL: as they
/// are numbered. @p at: [size + 1].
static void count_by(int64_t         n,
                     const int64_t  *key,
                     int64_t         low,
                     int64_t         size,
                     const uint32_t *from,
                     uint32_t       *at,
                     uint32_t       *order)
{
    memset(at, 0, (size_t)(size + 1) * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        at[key[i] - low + 1]++;
    for (int64_t v = 0; v < size; v++)
        at[v + 1] += at[v];
    for (int64_t k = 0; k < n; k++) {
        const uint32_t i = from ? from[k] : (uint32_t)k;

        order[at[key[i] - low]++] = i;
    }
}

/// By the last key first, so that the first decides.
static void count_by_all(int64_t               n,
                         int                   keys,
                         const int64_t *const *key,
                         const int64_t        *low,
                         const int64_t        *size,
                         uint32_t             *at,
                         uint32_t             *spare,
                         uint32_t             *order)
{
    uint32_t *from = NULL, *to = keys % 2 ? order : spare;

    for (int k = keys - 1; k >= 0; k--) {
        count_by(n, key[k], low[k], size[k], from, at, to);
        from = to;
        to   = to == order ? spare : order;
    }
}

static bool is_ascending(int64_t n, const int64_t *key)
{
    for (int64_t i = 1; i < n; i++)
        if (key[i - 1] > key[i]) return false;
    return true;
}

/// Order rows by @p keys columns, at least one, if each has few values. Rows that stand in
/// windows already are ordered window by window elsewhere, which is nearer to them.
static cairn_status order_by_counts(cairn_env            *env,
                                    int64_t               n,
                                    int                   keys,
                                    const int64_t *const *key,
                                    uint32_t             *order,
                                    bool                 *done)
{
    int64_t      low[COUNTED], size[COUNTED], most = 0;
    uint32_t    *at = NULL, *spare = NULL;
    cairn_status status;

    *done = keys <= COUNTED && (keys == 1 || !is_ascending(n, key[0]));
    for (int k = 0; k < keys && *done; k++) {
        *done = find_range(n, key[k], &low[k], &size[k]);
        most  = size[k] > most ? size[k] : most;
    }
    if (!*done) return CAIRN_OK;
    CAIRN_GO(undo, CAIRN_NEW(env, most + 1, &at));
    CAIRN_GO(undo, CAIRN_NEW(env, keys > 1 ? n : 0, &spare));
    count_by_all(n, keys, key, low, size, at, spare, order);
undo:
    cairn_free(env, at);
    cairn_free(env, spare);
    return status;
}

/* ---- ordering ---- */

static cairn_status order_by_sorting(cairn_env            *env,
                                     int64_t               n,
                                     int                   keys,
                                     const int64_t *const *key,
                                     uint32_t             *order)
{
    cairn_pos *wide;

    CAIRN_TRY(CAIRN_NEW(env, n, &wide));
    const cairn_status status =
        cairn_windows_order(env, &(cairn_windows){n, keys - 1, keys, key, wide});

    for (int64_t k = 0; k < n && status == CAIRN_OK; k++)
        order[k] = (uint32_t)wide[k];
    cairn_free(env, wide);
    return status;
}

cairn_status cairn_rows_order(cairn_env            *env,
                              int64_t               n,
                              int                   keys,
                              const int64_t *const *key,
                              uint32_t             *order)
{
    int  last = 0; /* keys behind the rows' own number decide nothing */
    bool done;

    CAIRN_CHECK(n <= UINT32_MAX, env, CAIRN_NO_KERNEL, "query: more than 2^32 rows");
    while (last < keys && key[last])
        last++;
    if (last == 0) {
        for (int64_t k = 0; k < n; k++)
            order[k] = (uint32_t)k;
        return CAIRN_OK;
    }
    CAIRN_TRY(order_by_counts(env, n, last, key, order, &done));
    return done ? CAIRN_OK : order_by_sorting(env, n, last, key, order);
}

/* ---- handing out ---- */

static bool same_window(int windows, const int64_t *const *key, uint32_t x, uint32_t y)
{
    for (int k = 0; k < windows; k++)
        if (key[k] ? key[k][x] != key[k][y] : x != y) return false;
    return true;
}

/// Hand out the rows order[0..n-1] of one window. At most n buckets can be used.
static cairn_status hand_out(cairn_env      *env,
                             int64_t         n,
                             const uint32_t *order,
                             const uint32_t *load,
                             int64_t         buckets,
                             cairn_buckets  *b,
                             uint32_t       *number)
{
    cairn_buckets_start(b, n < buckets ? n : buckets);
    CAIRN_CHECK(cairn_buckets_add_all(b, n, order, load, number), env, CAIRN_OVERFLOW,
                "query: schedule: the load of a bucket leaves 64 bits");
    return CAIRN_OK;
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
    cairn_buckets b;
    cairn_status  status = CAIRN_OK;

    CAIRN_TRY(cairn_buckets_init(env, buckets < n ? buckets : n, true, &b));
    for (int64_t begin = 0, end; begin < n && status == CAIRN_OK; begin = end) {
        end = begin + 1;
        while (end < n && same_window(windows, key, order[begin], order[end]))
            end++;
        status = hand_out(env, end - begin, order + begin, load, buckets, &b, number);
    }
    cairn_buckets_fini(env, &b);
    return status;
}
