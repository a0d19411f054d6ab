// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Sums held to each other bit for bit. Only that a sum is a NaN counts, not which: of two
/// NaNs that are added the processor takes the first, and which that is a compiler decides.

#ifndef CAIRN_TESTS_SUPPORT_SAME_SUMS_H
#define CAIRN_TESTS_SUPPORT_SAME_SUMS_H

#include <stdint.h>
#include <string.h>

/// @return The first of [n] places where they differ; -1: none.
static inline int64_t first_other(const double *a, const double *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(a[k] != a[k] && b[k] != b[k]))
            return k;
    return -1;
}

/// As first_other(), of floats.
static inline int64_t first_other_f32(const float *a, const float *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && !(a[k] != a[k] && b[k] != b[k]))
            return k;
    return -1;
}

#endif
