// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The memory's bounds, measured in the same rounds as everything else and with as many
/// threads: reading, and the triad a = b + s*c, both over arrays larger than any cache, and
/// reading as many bytes as the matrix has, which may stay in a cache. Bytes are counted as
/// read plus written; what a store reads first is not.

#include "compare.h"

#include <math.h>

typedef double v8 __attribute__((vector_size(64), aligned(8)));

enum { LEAST = 16 << 20, FEW = 1 << 15, AHEAD = 512 };

static double         *arrays; ///< [3][get_length()]
static volatile double seen;   ///< What was summed: nobody may leave the sums out.

/// Elements of an array: three are at least four times the last cache, up to 6 GB.
static size_t get_length(void)
{
    const size_t wanted = compare_last_cache() * 4 / 3 / sizeof(double);
    const size_t most   = (size_t)1 << 28;

    return (wanted < LEAST ? LEAST : wanted > most ? most : wanted) / 64 * 64;
}

static double *get_arrays(void)
{
    const size_t n = 3 * get_length();

    if (arrays) return arrays;
    arrays = compare_take(n, sizeof *arrays);
    for (size_t k = 0; k < n; k++)
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

/// The first of @p n elements of thread @p t of @p threads; whole lines of 64 elements.
static size_t begin_of(size_t n, int t, int threads)
{
    return n / 64 * (size_t)t / (size_t)threads * 64;
}

/// Bytes a second, by all threads together, each of which goes through its share so many
/// times.
static double read_rate(const double *a, size_t n, int threads, int times)
{
    double       total = 0;
    const double begin = bench_seconds();

#pragma omp parallel for num_threads(threads) reduction(+ : total) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const size_t first = begin_of(n, t, threads);

        for (int k = 0; k < times; k++) {
            total += sum(a + first, begin_of(n, t + 1, threads) - first);
            __asm__ volatile("" ::
                                 : "memory"); /* else it is summed once for all times */
        }
    }
    const double seconds = bench_seconds() - begin;

    seen = total;
    return times * (double)sizeof(double) * (double)begin_of(n, threads, threads)
           / seconds;
}

static double triad_rate(double *a, size_t n, int threads)
{
    const double begin = bench_seconds();

#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const size_t first = begin_of(n, t, threads);

        triad(a + first, a + n + first, a + 2 * n + first,
              begin_of(n, t + 1, threads) - first);
    }
    return 3 * sizeof(double) * (double)n / (bench_seconds() - begin);
}

/// Reading @p bytes again and again: once to have them where they stay, then timed, for a
/// millisecond or more.
static double near_rate(const double *a, size_t most, double bytes, int threads)
{
    const size_t least = 64 * (size_t)threads;
    const size_t n     = (size_t)fmin((double)most, bytes / sizeof(double)) / 64 * 64;
    const size_t read  = n < least ? least : n;
    const int    times = 1 + (int)(1e8 / sizeof(double) / (double)read);
    double       best  = 0;

    read_rate(a, read, threads, 1);
    for (int k = 0; k < 3; k++)
        best = fmax(best, read_rate(a, read, threads, times));
    return best;
}

compare_rates compare_bound_run(bool tiny, int threads, double bytes)
{
    const size_t  n = tiny ? FEW : get_length();
    double *const a = get_arrays();
    compare_rates rates;

    rates.read  = read_rate(a + n, 2 * n, threads, 1);
    rates.triad = triad_rate(a, n, threads);
    rates.near  = near_rate(a, 3 * n, bytes, threads);
    return rates;
}
