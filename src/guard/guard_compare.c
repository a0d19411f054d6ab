// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Products and sums of all columns and rows.

#include "guard/guard_compare.h"

#include <omp.h>

#include <float.h>
#include <math.h>

/// Terms of a sum that is then joined to others in long double.
enum { LEAF = CAIRN_GUARD_LEAF };

/// Up to LEAF values as f64: where they lie, or in @p room.
static const double *
leaf_of(const cairn_guard *g, const void *values, int64_t i, int64_t n, double *room)
{
    if (!cairn_guard_is_narrow(g)) return (const double *)values + i;
    for (int64_t k = 0; k < n; k++)
        room[k] = ((const float *)values)[i + k];
    return room;
}

/// Of consecutive columns, from @p first on: this thread's leaves. Sums of eight lanes are
/// what vectors add.
static cairn_guard_product multiply_leaves(const cairn_guard      *g,
                                           const cairn_guard_sums *sums,
                                           int64_t                 first,
                                           int64_t                 columns,
                                           const void             *x)
{
    long double sum = 0, size = 0;

#pragma omp for nowait
    for (int64_t i = 0; i < columns; i += LEAF) {
        const int64_t       n = i + LEAF < columns ? LEAF : columns - i;
        double              room[LEAF], lane[8] = {0}, width[8] = {0};
        const double *const value = leaf_of(g, x, i, n, room);
        const double *const w = sums->w + first + i, *const s = sums->size + first + i;
        int64_t k = 0;

        for (; k + 8 <= n; k += 8)
#pragma omp simd
            for (int l = 0; l < 8; l++) {
                lane[l] += w[k + l] * value[k + l];
                width[l] += s[k + l] * fabs(value[k + l]);
            }
        for (int l = 0; k + l < n; l++) {
            lane[l] += w[k + l] * value[k + l];
            width[l] += s[k + l] * fabs(value[k + l]);
        }
        for (int l = 0; l < 8; l++) {
            sum += lane[l];
            size += width[l];
        }
    }
    return (cairn_guard_product){sum, size};
}

/// Of consecutive columns, from @p first on, by all threads.
static cairn_guard_product multiply_piece(const cairn_guard      *g,
                                          const cairn_guard_sums *sums,
                                          int64_t                 first,
                                          int64_t                 columns,
                                          const void             *x)
{
    cairn_guard_product all = {0, 0};

    /* Not a reduction: clang adds long doubles by a library that is nowhere else needed. */
#pragma omp parallel num_threads( \
    g->comm->env->options.threads) if (columns > CAIRN_GUARD_PARALLEL)
    {
        const cairn_guard_product its = multiply_leaves(g, sums, first, columns, x);

#pragma omp critical(cairn_guard_sum)
        {
            all.sum += its.sum;
            all.size += its.size;
        }
    }
    return all;
}

cairn_guard_product cairn_guard_multiply_member(const cairn_guard_x *x, int m)
{
    const cairn_guard        *g   = x->guard;
    const cairn_guard_product own = multiply_piece(g, &g->sums[m], 0, g->own, x->own);
    const cairn_guard_product rest =
        multiply_piece(g, &g->sums[m], g->own, g->columns - g->own, x->ghost);

    return (cairn_guard_product){own.sum + rest.sum, own.size + rest.size};
}

/// The sum of y: this thread's leaves.
static long double sum_leaves(const cairn_guard *g, const void *y, int64_t rows)
{
    long double sum = 0;

#pragma omp for nowait
    for (int64_t i = 0; i < rows; i += LEAF) {
        const int64_t       n = i + LEAF < rows ? LEAF : rows - i;
        double              room[LEAF], lane[8] = {0};
        const double *const value = leaf_of(g, y, i, n, room);
        int64_t             k     = 0;

        for (; k + 8 <= n; k += 8)
#pragma omp simd
            for (int l = 0; l < 8; l++)
                lane[l] += value[k + l];
        for (int l = 0; k + l < n; l++)
            lane[l] += value[k + l];
        for (int l = 0; l < 8; l++)
            sum += lane[l];
    }
    return sum;
}

/// The sum of y, by all threads.
static long double sum_up(const cairn_guard *g, const void *y, int64_t rows)
{
    long double sum = 0;

#pragma omp parallel num_threads( \
    g->comm->env->options.threads) if (rows > CAIRN_GUARD_PARALLEL)
    {
        const long double its = sum_leaves(g, y, rows);

#pragma omp critical(cairn_guard_sum)
        sum += its;
    }
    return sum;
}

cairn_guard_verdict cairn_guard_compare(const cairn_guard_x *x, const void *y)
{
    const cairn_guard  *g   = x->guard;
    cairn_guard_product all = {0, 0};

    for (int m = 0; m < g->members; m++) {
        const cairn_guard_product its = cairn_guard_multiply_member(x, m);

        all.sum += its.sum;
        all.size += its.size;
    }
    const double      most = cairn_guard_is_narrow(g) ? FLT_MAX : DBL_MAX;
    const long double sum  = sum_up(g, y, cairn_interval_size(g->rows));

    return (cairn_guard_verdict){.checked    = all.size <= most, /* a NaN is not */
                                 .difference = (double)fabsl(sum - all.sum),
                                 .bound      = cairn_guard_bound(g, all.size)};
}
