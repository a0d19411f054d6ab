// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The memory's bounds, measured in the same rounds as everything else: reading, and the
/// triad a = b + s*c, both over arrays far larger than any cache, in huge pages, with one
/// thread. Bytes are counted as read plus written; what a store reads first is not.

#include "compare.h"

#include <sys/mman.h>

typedef double v8 __attribute__((vector_size(64), aligned(8)));

enum { MOST = 16 << 20, FEW = 1 << 15, HUGE = 2 << 20, AHEAD = 512 };

static double *arrays; ///< [3][MOST]

static double *get_arrays(void)
{
    const size_t bytes = 3 * sizeof(double) * MOST;

    if (arrays) return arrays;
    arrays = aligned_alloc(HUGE, bytes);
    if (!arrays) compare_stop("memory", "not enough for the bounds");
    madvise(arrays, bytes, MADV_HUGEPAGE);
    for (size_t k = 0; k < 3 * (size_t)MOST; k++)
        arrays[k] = 1;
    return arrays;
}

void compare_bound_fini(void)
{
    free(arrays);
    arrays = NULL;
}

/// Eight chains of whole vectors, so that additions never wait.
static double sum(const double *a, size_t n)
{
    v8 s[8] = {{0}};

    for (size_t k = 0; k < n; k += 64) {
#pragma GCC unroll 8
        for (int q = 0; q < 8; q++) {
            __builtin_prefetch(a + k + AHEAD + 8 * q);
            s[q] += *(const v8 *)(a + k + 8 * q);
        }
    }
    s[0] += s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
    return s[0][0] + s[0][1] + s[0][2] + s[0][3] + s[0][4] + s[0][5] + s[0][6]
           + s[0][7];
}

static void
triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n)
{
    for (size_t k = 0; k < n; k++)
        a[k] = b[k] + 0.5 * c[k];
}

void compare_bound_run(bool tiny, double *read_rate, double *triad_rate)
{
    const size_t  n = tiny ? FEW : MOST;
    double *const a = get_arrays();
    double        t[3];

    t[0] = bench_seconds();

    volatile const double total = sum(a + n, 2 * n);

    (void)total;
    t[1] = bench_seconds();
    triad(a, a + n, a + 2 * n, n);
    t[2]        = bench_seconds();
    *read_rate  = 2 * sizeof(double) * (double)n / (t[1] - t[0]);
    *triad_rate = 3 * sizeof(double) * (double)n / (t[2] - t[1]);
}
