// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arithmetic on some rows of vectors: what the passes of all methods are made of (sums.h).
/// Each function is compiled for the vectors of the processor at hand (base/wide.h) and has
/// the same bits on any: every row by itself, and sums in an order that is written down.
///
/// A pass calls several of them for the same rows, which are few enough to stay in the cache
/// from one to the next, of six vectors in the first level, of ten (pipelined CG with a
/// preconditioner, 40 KB) in the second where the first has 32 KB: a row comes from memory
/// once a pass.
///
/// All are local. Arrays have @p n rows, and what is written overlaps nothing else.

#ifndef CAIRN_SOLVE_VECTORS_H
#define CAIRN_SOLVE_VECTORS_H

#include <stdint.h>

/// to = to + factor from
void cairn_vector_add(int64_t n, double factor, const double *from, double *to);

/// to = from + factor to
void cairn_vector_renew(int64_t n, const double *from, double factor, double *to);

/// to = keep to + part from
void cairn_vector_mix(int64_t       n,
                      double        keep,
                      double        part,
                      const double *from,
                      double       *to);

/// to = factor to
void cairn_vector_scale(int64_t n, double factor, double *to);

/// to = a b, row by row.
void cairn_vector_multiply(int64_t n, const double *a, const double *b, double *to);

/// Sums of a(i) b(i), one of each leaf (tree.h); row 0 begins one.
///
/// @param[out] sum  Of leaf k: sum[k * stride].
void cairn_vector_dot(int64_t       n,
                      const double *a,
                      const double *b,
                      int           stride,
                      double       *sum);

/// Have the next sum of each leaf be the same one: r.z beside r.r where z is r.
///
/// @param[in,out] sum  Of leaf k: sum[k * stride], and sum[k * stride + 1].
void cairn_vector_same_sums(int64_t n, int stride, double *sum);

/// The sum of a(i) b(i) over n rows, in eight sums side by side, which are what vectors of
/// any width add.
static inline double cairn_dot(const double *a, const double *b, int64_t n)
{
    double  lane[8] = {0};
    int64_t i       = 0;

    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i + k < n; k++)
        lane[k] += a[i + k] * b[i + k];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6]))
           + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

#endif
