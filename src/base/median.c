// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The median, by sorting.

#include "base/median.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void cairn_sort_doubles(double *value, int64_t n)
{
    qsort(value, (size_t)n, sizeof *value, by_size);
}

double cairn_median(double *value, int64_t n)
{
    if (n == 0) return 0;
    cairn_sort_doubles(value, n);
    return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}
