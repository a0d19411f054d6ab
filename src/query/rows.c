// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows in order and handed out, by what orders and hands out groups (windows.h,
/// buckets.h).

#include "query/rows.h"

#include "query/buckets.h"
#include "query/windows.h"

cairn_status cairn_rows_order(cairn_env            *env,
                              int64_t               n,
                              int                   keys,
                              const int64_t *const *key,
                              uint32_t             *order)
{
    cairn_pos *wide;
    int        last = 0; /* keys behind the rows' own number decide nothing */

    CAIRN_CHECK(n <= UINT32_MAX, env, CAIRN_NO_KERNEL, "query: more than 2^32 rows");
    while (last < keys && key[last])
        last++;
    CAIRN_TRY(CAIRN_NEW(env, n, &wide));
    const cairn_status status =
        last > 0
            ? cairn_windows_order(env, &(cairn_windows){n, last - 1, last, key, wide})
            : cairn_sort_order(env, n, 0, key, wide);

    for (int64_t k = 0; k < n && status == CAIRN_OK; k++)
        order[k] = (uint32_t)wide[k];
    cairn_free(env, wide);
    return status;
}

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
    for (int64_t k = 0; k < n; k++) {
        int64_t bucket;

        CAIRN_CHECK(cairn_buckets_add(b, load[order[k]], &bucket), env, CAIRN_OVERFLOW,
                    "query: schedule: the load of a bucket leaves 64 bits");
        number[order[k]] = (uint32_t)bucket;
    }
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
