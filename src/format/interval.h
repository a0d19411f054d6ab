// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Intervals of integers, boxes of them, and how many points they hold: counts that end
/// at INT64_MAX, since extents and constants of a format may be any 64-bit number.

#ifndef CAIRN_FORMAT_INTERVAL_H
#define CAIRN_FORMAT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/// A closed interval; empty when lo > hi.
typedef struct cairn_interval {
    int64_t lo, hi;
} cairn_interval;

/// a * b and a + b of counts (not negative); INT64_MAX where they are more.
static inline int64_t cairn_count_times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static inline int64_t cairn_count_plus(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Integers of an interval; INT64_MAX where they are more.
static inline int64_t cairn_interval_size(cairn_interval i)
{
    int64_t steps;

    if (i.hi < i.lo) return 0;
    if (__builtin_sub_overflow(i.hi, i.lo, &steps)) return INT64_MAX;
    return cairn_count_plus(steps, 1);
}

/// Has a box of @p order dimensions no point?
static inline bool cairn_box_is_empty(const cairn_interval *box, int order)
{
    for (int k = 0; k < order; k++)
        if (box[k].hi < box[k].lo) return true;
    return false;
}

/// Points of a box in the dimensions of the mask @p used; INT64_MAX where they are more.
static inline int64_t
cairn_box_points(const cairn_interval *box, int order, uint32_t used)
{
    int64_t points = 1;

    for (int k = 0; k < order; k++)
        if (used >> k & 1)
            points = cairn_count_times(points, cairn_interval_size(box[k]));
    return points;
}

#endif
