// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums of numbers with a fixed point, which do not depend on the order of their terms.
/// Terms are 0 to 4; what lies below 2^-80 of one is cut off. A sum holds 2^40 of them.

#ifndef CAIRN_BASE_FIXED_SUM_H
#define CAIRN_BASE_FIXED_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/// Bits of `high` below the point, and of `low` below these.
enum { CAIRN_FIXED_HIGH = 20, CAIRN_FIXED_LOW = 60 };

/// high * 2^-20 + low * 2^-80.
typedef struct cairn_fixed_sum {
    int64_t high, low; ///< 0 <= low < 2^60
} cairn_fixed_sum;

/// Add a term, 0 <= term <= 4.
static inline void cairn_fixed_add(cairn_fixed_sum *sum, double term)
{
    const double  scaled = ldexp(term, CAIRN_FIXED_HIGH);
    const int64_t high   = (int64_t)scaled;

    sum->low += (int64_t)ldexp(scaled - (double)high, CAIRN_FIXED_LOW);
    sum->high += high + (sum->low >> CAIRN_FIXED_LOW);
    sum->low &= ((int64_t)1 << CAIRN_FIXED_LOW) - 1;
}

static inline bool cairn_fixed_is_less(const cairn_fixed_sum *a,
                                       const cairn_fixed_sum *b)
{
    return a->high != b->high ? a->high < b->high : a->low < b->low;
}

/// The nearest double, but for what two roundings may do.
static inline double cairn_fixed_value(const cairn_fixed_sum *sum)
{
    return ldexp((double)sum->high, -CAIRN_FIXED_HIGH)
           + ldexp((double)sum->low, -CAIRN_FIXED_HIGH - CAIRN_FIXED_LOW);
}

#endif
