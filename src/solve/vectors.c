// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arithmetic on some rows of vectors.

#include "solve/vectors.h"

#include "base/wide.h"
#include "solve/tree.h"

CAIRN_WIDE void cairn_vector_add(int64_t n,
                                 double  factor,
                                 const double *restrict from,
                                 double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

CAIRN_WIDE void cairn_vector_renew(int64_t n,
                                   const double *restrict from,
                                   double factor,
                                   double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] + factor * to[i];
}

CAIRN_WIDE void cairn_vector_mix(int64_t n,
                                 double  keep,
                                 double  part,
                                 const double *restrict from,
                                 double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = keep * to[i] + part * from[i];
}

CAIRN_WIDE void cairn_vector_scale(int64_t n, double factor, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] *= factor;
}

CAIRN_WIDE void
cairn_vector_multiply(int64_t n, const double *a, const double *b, double *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = a[i] * b[i];
}

CAIRN_WIDE void cairn_vector_dot(int64_t       n,
                                 const double *a,
                                 const double *b,
                                 int           stride,
                                 double *restrict sum)
{
    for (int64_t i = 0; i < n; i += CAIRN_LEAF_ROWS, sum += stride)
        *sum =
            cairn_dot(a + i, b + i, n - i < CAIRN_LEAF_ROWS ? n - i : CAIRN_LEAF_ROWS);
}

void cairn_vector_same_sums(int64_t n, int stride, double *sum)
{
    for (int64_t i = 0; i < n; i += CAIRN_LEAF_ROWS, sum += stride)
        sum[1] = sum[0];
}
